"""Questions that are asked before they are answered by code.

`reveal` runs the function it is given: the right answer is measured, not written down.
Under the learner's flag a question is a card to press, and a reveal waits for a guess;
everywhere else both are the same words, printed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mingraph_lite.classroom.exercises import Lesson, Prediction, Sentences
from mingraph_lite.classroom.guesses import Guess, read_guesses, write_guesses
from mingraph_lite.classroom.numbers import numbers_in
from mingraph_lite.classroom.surroundings import Surroundings, show
from mingraph_lite.classroom.words import count_of, listed, unknown

if TYPE_CHECKING:
    from mingraph_lite.views.question_types import Question

__all__: Final = ["Questions"]

_WIDEST_BAR: Final = 24


class Questions:
    """The questions of one lesson, and what one learner guessed."""

    def __init__(self, lesson: Lesson, around: Surroundings) -> None:
        self._lesson, self._around = lesson, around
        self.asked: dict[str, Prediction] = {}
        self._votes: dict[str, list[int]] = {}
        self._cards: dict[str, Any] = {}

    @cached_property
    def guesses(self) -> dict[str, Guess]:
        """What was guessed, by the key of the question."""
        return read_guesses(self._around.folder, self._lesson.name)

    def predict(
        self,
        key: str,
        question: str,
        choices: Sentences | Sequence[str] = (),
        *,
        kind: str = "number",
    ) -> None:
        """Ask a question before the code that answers it runs.

        With no choices, the learner types a value: a number, or with `kind="text"` a
        text. Choices given as a list find their sentences in the lesson; a dict brings
        them along.
        """
        if isinstance(choices, Mapping):
            sentences: Sentences = choices
        else:
            sentences = self._lesson.sentences.get(key, {})
            if choices and set(choices) != set(sentences):
                raise ValueError(
                    f"The choices of {key!r} are {listed(choices)}, but "
                    f"{self._lesson.name} has sentences for {listed(sentences)}. "
                    f"Give each choice one sentence."
                )
        _check_choices(key, tuple(choices))
        places = tuple(sorted(choices, key=lambda text: _place(key, text)))
        self.asked[key] = Prediction(question, places, sentences, kind)
        self._forget_another_questions_guess(key)
        numbered = [f"  {n}  {text}" for n, text in enumerate(places, start=1)]
        self._show(key, [question, *numbered, self._how_to_answer(key)])

    def choose(self, key: str, guess: object, why: str = "") -> None:
        """Commit to a guess: the number of a choice, its text, or a typed value."""
        asked = self._find(key)
        if asked is None:
            return
        text = _chosen(asked, guess)
        if text is None:
            print(f"{guess!r} is no answer to {key!r}.")
            print(self._how_to_answer(key))
            return
        self._keep(key, Guess(text, str(why).strip()))
        print(f"Noted: {text}. Now run the next cell.")

    def skip(self, key: str) -> None:
        """Go on without a guess."""
        if self._find(key) is not None:
            self._keep(key, Guess(None))
            print("Skipped. The next cell shows what happens.")

    def vote(self, key: str, counts: Sequence[int] | Mapping[object, int]) -> None:
        """Show how a class voted, as bars, before the reveal.

        One count for each choice, in the order on the card; for a typed question a
        dict, {4: 7, 2: 3}.
        """
        asked = self._find(key)
        if asked is None:
            return
        votes = _votes(asked, counts)
        if isinstance(votes, str):
            print(votes)
            return
        if asked.choices:
            self._votes[key] = list(votes.values())
        most, total = max(votes.values(), default=0), sum(votes.values())
        wide = max((len(text) for text in votes), default=0)
        bars = [
            f"  {text:<{wide}}  {'█' * round(_WIDEST_BAR * n / max(most, 1))} {n}"
            for text, n in votes.items()
        ]
        said = f"{count_of(total, 'vote')}, before the reveal."
        self._show(key, [asked.question, *bars, said])

    def reveal(self, key: str, measure: Callable[[], object]) -> None:
        """Run the code that answers, then say what the learner's choice meant.

        For a learner who has not answered yet, nothing is run and nothing is shown.
        """
        if key not in self.asked:
            raise ValueError(
                f"Nothing was asked under {key!r}. Asked: {listed(self.asked)}. "
                f"Run the cell with predict({key!r}, ...) first."
            )
        asked, guess = self.asked[key], self.guesses.get(key)
        if guess is None and self._around.for_a_learner:
            print(f"First your guess. {self._how_to_answer(key)}")
            return
        fact = str(measure())
        if asked.choices and fact not in asked.choices:
            raise ValueError(
                f"{key!r} measured {fact!r}. Choices: {listed(asked.choices)}. "
                f"Let reveal's function return one of them."
            )
        told = _told(asked, guess, fact)
        lines = [f"Measured: {fact}"]
        if guess is not None and guess.text is not None:
            right = same(guess.text, fact)
            lines.append(f"You said: {guess.text}{', and so it is.' if right else '.'}")
            lines += [f"You wrote: {guess.why}"] if guess.why else []
        self._show(key, [*lines, *([told] if told else [])], fact=fact, told=told)

    def forget(self) -> None:
        """Begin again: no guesses, on this machine neither."""
        self.guesses.clear()
        write_guesses(self._around.folder, self._lesson.name, {})

    def how_far(self) -> str:
        """How many questions were answered, in words."""
        answered = sum(guess.text is not None for guess in self.guesses.values())
        return f"Questions answered: {answered} of {len(self._lesson.sentences)}."

    def _keep(self, key: str, guess: Guess) -> None:
        self.guesses[key] = guess
        write_guesses(self._around.folder, self._lesson.name, self.guesses)
        if key in self._cards:
            self._cards[key].show(self._picture(key))

    def _forget_another_questions_guess(self, key: str) -> None:
        """A guess on file may be from before the lesson was written anew."""
        asked, guess = self.asked[key], self.guesses.get(key)
        if guess and guess.text and asked.choices and guess.text not in asked.choices:
            del self.guesses[key]

    def _show(
        self, key: str, lines: list[str], fact: str | None = None, told: str = ""
    ) -> None:
        """A card where there is a notebook for one, else the lines."""
        text = "\n".join(lines)
        if not self._around.shows_cards:
            print(text)
            return
        from mingraph_lite.views.question_card import QuestionCard

        card = QuestionCard(
            self._picture(key, fact, told),
            guess=lambda value, why: self._pressed(key, value, why),
            skip=lambda: self._keep(key, Guess(None)),
            text=text,
        )
        if fact is None:
            self._cards[key] = card
        show(card)

    def _pressed(self, key: str, value: object, why: str) -> None:
        """What was pressed on the card; of another kind than asked, it is told so."""
        text = _chosen(self.asked[key], value)
        if text is not None:
            self._keep(key, Guess(text, why.strip()))
            return
        picture = self._picture(key)
        picture["note"] = f"{value!r} is no {self.asked[key].kind}. Type one, please."
        self._cards[key].show(picture)

    def _picture(self, key: str, fact: str | None = None, told: str = "") -> Question:
        asked, guess = self.asked[key], self.guesses.get(key)
        keys = list(self._lesson.sentences)
        number = f"{keys.index(key) + 1} of {len(keys)}" if key in keys else ""
        return {
            "key": key,
            "question": asked.question,
            "choices": list(asked.choices),
            "number": number,
            "guess": guess.text if guess else None,
            "skipped": guess is not None and guess.text is None,
            "why": guess.why if guess else "",
            "votes": self._votes.get(key) if fact is None else None,
            "fact": fact,
            "told": told,
            "note": "",
        }

    def _how_to_answer(self, key: str) -> str:
        asked = self.asked[key]
        example, other = "0", "or another number"
        if asked.choices:
            example, other = "1", f"or another number up to {len(asked.choices)}"
        elif asked.kind == "text":
            example, other = '"…"', "with your text"
        return (
            f'Your turn, in a new cell: choose("{key}", {example}), {other}; '
            f'or skip("{key}").'
        )

    def _find(self, key: str) -> Prediction | None:
        """The question; a learner who mistyped its key is told."""
        if key not in self.asked:
            print(unknown("question", str(key), self.asked))
        return self.asked.get(key)


def same(guess: str, fact: str) -> bool:
    """Whether two texts say the same: "4", "four" and "4.0" are one number."""
    one, other = _as_number(guess), _as_number(fact)
    return guess == fact or (one is not None and one == other)


def _told(asked: Prediction, guess: Guess | None, fact: str) -> str:
    """The sentence for what was said, else the one for the fact."""
    said = guess.text if guess and guess.text in asked.sentences else fact
    return asked.sentences.get(str(said), "")


def _chosen(asked: Prediction, guess: object) -> str | None:
    """The choice that a guess names, by its place or its text; or the typed value."""
    if isinstance(guess, float) and guess.is_integer():
        guess = int(guess)
    text = "" if guess is None or isinstance(guess, bool) else str(guess).strip()
    choices = asked.choices
    if choices:
        if text.isdigit() and 0 < int(text) <= len(choices):
            return choices[int(text) - 1]
        return text if text in choices else None
    if asked.kind == "text":
        return text or None
    number = _as_number(text)
    return None if number is None else f"{number:g}"


def _as_number(text: str) -> float | None:
    found = numbers_in(text)
    whole = len(found) == 1 and len(text.split()) <= 2
    return found[0] if whole and math.isfinite(found[0]) else None


def _votes(
    asked: Prediction, counts: Sequence[int] | Mapping[object, int]
) -> dict[str, int] | str:
    """The counts by their text, or what is wrong with them."""
    if isinstance(counts, Mapping):
        named = {str(key): count for key, count in counts.items()}
        wrong = set(named) - set(asked.choices) if asked.choices else set()
    else:
        named = dict(zip(asked.choices, counts, strict=False))
        wrong = {"?"} if len(counts) != len(asked.choices) else set()
    if wrong or not all(type(n) is int and n >= 0 for n in named.values()):
        if asked.choices:
            return (
                f"{counts!r} are no votes: one count for each of the "
                f"{len(asked.choices)} choices, in their order."
            )
        return f"{counts!r} are no votes: say how often each was said, {{4: 7, 2: 3}}."
    return named


def _place(key: str, text: str) -> str:
    """Shuffle without a random generator: each key has its own fixed order."""
    return hashlib.sha256(f"{key}: {text}".encode()).hexdigest()


def _check_choices(key: str, choices: Sequence[str]) -> None:
    """Stop an author whose choices give the answer away by their looks."""
    if not choices:
        return
    if len(choices) == 1 or any(text.isdigit() for text in choices):
        raise ValueError(
            f"The choices of {key!r} are {listed(choices)}. Give two or more, and none "
            f"that is a bare number: write '3 calls', as numbers stand for places."
        )
    shortest, longest = min(choices, key=len), max(choices, key=len)
    if len(longest) > 2 * len(shortest) + 4:
        raise ValueError(
            f"The choices of {key!r} differ too much in length: {shortest!r} and "
            f"{longest!r}. Balance them; readers take the longest for the right one."
        )
