"""A lesson that asks before it tells, and checks what you write.

A notebook opens its lesson, then asks in one cell and measures in the next:

    lesson("04_cards")
    predict("picks", "Who picks the next card?", ["the loop", "the card", "the model"])
    reveal("picks", lambda: ...)

`reveal` runs the function it is given: the right answer is measured, not written down.
A learner answers in between with `choose("picks", 2)`, or goes on with `skip("picks")`,
and runs the reveal again; so let its cell begin with fresh objects. A prediction
without choices is answered with a value: `choose("calls", 4)`.

An exercise has a stub in one cell, `check(1, the_stub)` in another, and `hint(1)`.

What would give an answer away stands in `mingraph_lite/classroom/lessons/04_cards.py`:

    LESSON = Lesson(
        "04_cards",
        sentences={"picks": {"the loop": "It only plays what it is handed.", ...}},
        exercises=(
            Exercise(check=..., stub=..., solution=..., mistakes=..., hints=...),
        ),
    )

Each mistake is kept with an answer that makes it, so that tests can hand it in.

Why print, and no radio buttons? The same cells run in a notebook, in a script and in
the browser, and what they print is compared by tests.
"""

import hashlib
import importlib
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

__all__ = [
    "STILL_THE_STUB",
    "Classroom",
    "Exercise",
    "Lesson",
    "Prediction",
    "Sentences",
    "check",
    "choose",
    "expect_error",
    "hint",
    "lesson",
    "load",
    "predict",
    "reveal",
    "room",
    "skip",
]

type Sentences = Mapping[str, str]
"""What is said to the learner who chose a text."""

STILL_THE_STUB = "This is still the stub"
"""How the sentence for an untouched stub begins."""

_EMPTY: Mapping[str, Sentences] = MappingProxyType({})
_SKIPPED = object()


@dataclass(frozen=True)
class Exercise:
    """A task that knows its solution and the usual mistakes.

    `check(answer)` returns None for a right answer, else one sentence that names the
    mistake. `mistakes` maps each such sentence to an answer that earns it.
    """

    check: Callable[[object], str | None] = field(repr=False)
    stub: object = field(repr=False)
    solution: object = field(repr=False)
    mistakes: Mapping[str, object] = field(repr=False)
    hints: tuple[str, str]


@dataclass(frozen=True)
class Lesson:
    """What a notebook asks: sentences for its predictions, and its exercises."""

    name: str
    sentences: Mapping[str, Sentences] = _EMPTY
    exercises: tuple[Exercise, ...] = ()


@dataclass(frozen=True)
class Prediction:
    """A question asked before the code that answers it runs."""

    question: str
    choices: tuple[str, ...]
    sentences: Sentences = field(repr=False)


class Classroom:
    """One learner's place in one lesson.

    Why does it keep a state? Question, guess and answer stand in three cells, and a
    key is all that ties them together.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self.open(Lesson("no lesson"))

    def open(self, lesson: Lesson) -> None:
        """Begin a lesson with nothing asked and nothing chosen."""
        self.current = lesson
        self.predictions: dict[str, Prediction] = {}
        self._guesses: dict[str, object] = {}
        self._hints_given: dict[int, int] = {}

    def lesson(self, name: str) -> None:
        """Open the lesson of this notebook."""
        if name != self.current.name:  # a setup cell that runs again forgets nothing
            self.open(load(name))
        print(f"Lesson {name}: {_count(len(self.current.exercises), 'exercise')}.")

    def predict(
        self, key: str, question: str, choices: Sentences | Sequence[str] = ()
    ) -> None:
        """Ask a question before the code that answers it runs.

        With no choices, the learner types a value. Choices given as a list find their
        sentences in the lesson; a dict brings them along.
        """
        if isinstance(choices, Mapping):
            sentences: Sentences = choices
        else:
            sentences = self.current.sentences.get(key, {})
            if choices and set(choices) != set(sentences):
                raise ValueError(
                    f"The choices of {key!r} are {_list(choices)}, but "
                    f"{self.current.name} has sentences for {_list(sentences)}. "
                    f"Give each choice one sentence."
                )
        _check_choices(key, tuple(choices))
        places = sorted(choices, key=lambda text: _place(key, text))
        self.predictions[key] = Prediction(question, tuple(places), sentences)
        print(question)
        for number, text in enumerate(places, start=1):
            print(f"  {number}  {text}")
        print(self._how_to_answer(key))

    def choose(self, key: str, guess: object) -> None:
        """Commit to a guess: the number of a choice, its text, or a typed value."""
        asked = self._asked(key)
        if asked is None:
            return
        text = _chosen(asked.choices, guess)
        if text is None:
            print(f"{guess!r} is no answer to {key!r}.")
            print(self._how_to_answer(key))
            return
        self._guesses[key] = text
        print(f"Noted: {text}. Now run the next cell.")

    def skip(self, key: str) -> None:
        """Go on without a guess."""
        if self._asked(key) is not None:
            self._guesses[key] = _SKIPPED
            print("Skipped. The next cell shows what happens.")

    def reveal(self, key: str, measure: Callable[[], object]) -> None:
        """Run the code that answers, then say what the learner's choice meant.

        For a learner who has not answered yet, nothing is run and nothing is shown.
        """
        if key not in self.predictions:
            raise ValueError(
                f"Nothing was asked under {key!r}. Asked: {_list(self.predictions)}. "
                f"Run the cell with predict({key!r}, ...) first."
            )
        asked = self.predictions[key]
        guess = self._guesses.get(key)
        if guess is None and self._environ.get("MINGRAPH_LEARNER") == "1":
            print(f"First your guess. {self._how_to_answer(key)}")
            return
        fact = str(measure())
        if asked.choices and fact not in asked.choices:
            raise ValueError(
                f"{key!r} measured {fact!r}. Choices: {_list(asked.choices)}. "
                f"Let reveal's function return one of them."
            )
        print(f"Measured: {fact}")
        if isinstance(guess, str):
            print(f"You said: {guess}" + (", and so it is." if guess == fact else "."))
        said = guess if guess in asked.sentences else fact
        if said in asked.sentences:
            print(asked.sentences[str(said)])

    def check(self, number: int, answer: object) -> None:
        """Say whether an exercise is solved, and if not, which mistake it is."""
        exercise = self._exercise(number)
        if exercise is None:
            return
        try:
            mistake = exercise.check(answer)
        except Exception as error:
            # The learner's own code runs in here: any error is theirs.
            mistake = _describe(error, answer)
        print(f"Exercise {number}: " + (f"not yet. {mistake}" if mistake else "right."))

    def hint(self, number: int) -> None:
        """Give the next hint; after the last one, say where a solution is."""
        exercise = self._exercise(number)
        if exercise is None:
            return
        given = self._hints_given.get(number, 0)
        if given < len(exercise.hints):
            self._hints_given[number] = given + 1
            print(f"Hint {given + 1} of {len(exercise.hints)}: {exercise.hints[given]}")
        else:
            print(
                f"No more hints. A solution is in solutions/{self.current.name}.ipynb."
            )

    def _how_to_answer(self, key: str) -> str:
        last = len(self.predictions[key].choices)
        guess = f"n) with n from 1 to {last}" if last else "…) with your value"
        return f'Your turn, in a new cell: choose("{key}", {guess}, or skip("{key}").'

    def _asked(self, key: str) -> Prediction | None:
        """Return the question, or tell a learner who mistyped its key."""
        if key not in self.predictions:
            print(_unknown("question", str(key), self.predictions))
        return self.predictions.get(key)

    def _exercise(self, number: int) -> Exercise | None:
        exercises = self.current.exercises
        if str(number).isdigit() and 0 < int(number) <= len(exercises):
            return exercises[int(number) - 1]
        numbers = [str(n) for n in range(1, len(exercises) + 1)]
        print(_unknown("exercise", str(number), numbers))
        return None


def load(name: str) -> Lesson:
    """Read what the lesson of this name asks."""
    found = importlib.import_module(f"{__package__}.lessons.{name}").LESSON
    assert isinstance(found, Lesson)
    return found


@contextmanager
def expect_error(kind: type[BaseException]) -> Iterator[None]:
    """Let a cell break on purpose, and print how it broke."""
    try:
        yield
    except kind as error:
        print(f"{type(error).__name__}: {error}")
    except Exception as error:
        raise AssertionError(
            f"{kind.__name__} was expected, but {type(error).__name__} came: {error}"
        ) from error
    else:
        raise AssertionError(f"{kind.__name__} was expected, but nothing broke.")


def _chosen(choices: Sequence[str], guess: object) -> str | None:
    """The choice that a guess names, by its place or its text; or the typed value."""
    if isinstance(guess, float) and guess.is_integer():
        guess = int(guess)
    text = "" if guess is None or isinstance(guess, bool) else str(guess).strip()
    if not choices:
        return text or None
    if text.isdigit() and 0 < int(text) <= len(choices):
        return choices[int(text) - 1]
    return text if text in choices else None


def _place(key: str, text: str) -> str:
    """Shuffle without a random generator: each key has its own fixed order."""
    return hashlib.sha256(f"{key}: {text}".encode()).hexdigest()


def _check_choices(key: str, choices: Sequence[str]) -> None:
    """Stop an author whose choices give the answer away by their looks."""
    if not choices:
        return
    if len(choices) == 1 or any(text.isdigit() for text in choices):
        raise ValueError(
            f"The choices of {key!r} are {_list(choices)}. Give two or more, and none "
            f"that is a bare number: write '3 calls', as numbers stand for places."
        )
    shortest, longest = min(choices, key=len), max(choices, key=len)
    if len(longest) > 2 * len(shortest) + 4:
        raise ValueError(
            f"The choices of {key!r} differ too much in length: {shortest!r} and "
            f"{longest!r}. Balance them; readers take the longest for the right one."
        )


def _describe(error: Exception, answer: object) -> str:
    """Name an error and the learner's line it came from."""
    module = getattr(answer, "__module__", "__main__")
    text = f"{type(error).__name__}: {error}"
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__") == module:
            code = frame.f_code
            line = traceback.FrameSummary(code.co_filename, number, code.co_name).line
            where = f"in line {number} of its cell: {line or '?'}"
            return f"Your code raised {text}\n  {where}"
    return f"The check could not use this answer. {text}"


def _unknown(what: str, name: str, known: Mapping[str, object] | Sequence[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"No {what} {name!r} here. There is: {_list(known)}.{hint}"


def _list(texts: Mapping[str, object] | Sequence[str]) -> str:
    return ", ".join(texts) or "none"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


room = Classroom()
"""The room of this process. Why one for all? Cells share nothing but their names."""

lesson = room.lesson
predict = room.predict
choose = room.choose
skip = room.skip
reveal = room.reveal
check = room.check
hint = room.hint
