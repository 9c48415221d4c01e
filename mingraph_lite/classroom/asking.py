"""A lesson that asks before it tells, and checks what you write.

A notebook opens its lesson, then asks in one cell and measures in the next:

    lesson("04_cards")
    predict("picks", "Who picks the next card?", ["the loop", "the card", "the model"])
    reveal("picks", lambda: ...)

A learner answers on the card, or in between with `choose("picks", 2)`, or goes on with
`skip("picks")`, and runs the reveal again; so let its cell begin with fresh objects. A
prediction without choices is answered with a value: `choose("calls", 4)`.

An exercise has a stub in one cell, `check(1, the_stub)` in another, and `hint(1)`; one
that orders lines begins with `arrange(2)`. What was checked can be kept for the next
lesson: `keep("loop", loop)`.

What would give an answer away stands in `mingraph_lite/classroom/lessons/04_cards.py`:

    LESSON = Lesson(
        "04_cards",
        sentences={"picks": {"the loop": "It only plays what it is handed.", ...}},
        exercises=(
            Exercise(check=..., stub=..., solution=..., mistakes=..., hints=...),
        ),
    )
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from mingraph_lite.classroom.exercises import Exercise, Lesson, Prediction, Sentences
from mingraph_lite.classroom.keeping import trouble_with
from mingraph_lite.classroom.loading import load, names_of_lessons
from mingraph_lite.classroom.ours import what_we_keep
from mingraph_lite.classroom.questions import Questions
from mingraph_lite.classroom.reading_on import now_read as name_what_to_read
from mingraph_lite.classroom.sources import OWN_FILE
from mingraph_lite.classroom.surroundings import Surroundings, kernel
from mingraph_lite.classroom.words import count_of
from mingraph_lite.classroom.workbook import Workbook

__all__: Final = ["Classroom", "expect_error", "room"]


_NONE: Final = Lesson("no lesson")


class Classroom:
    """One learner's place in one lesson.

    Why does it keep a state? Question, guess and answer stand in three cells, and a
    key is all that ties them together.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._around = Surroundings(environ)
        self.open(_NONE)

    def open(self, lesson: Lesson) -> None:
        """Begin a lesson with nothing asked and nothing checked."""
        self.current = lesson
        self._questions = Questions(lesson, self._around)
        self._workbook = Workbook(lesson, self._around)

    @property
    def predictions(self) -> dict[str, Prediction]:
        """What was asked so far, by its key."""
        return self._questions.asked

    def lesson(self, name: str) -> None:
        """Open the lesson of this notebook."""
        if name != self.current.name:  # a setup cell that runs again forgets nothing
            self.open(load(name))
        print(f"Lesson {name}: {count_of(len(self.current.exercises), 'exercise')}.")
        if trouble := trouble_with(self._around.folder):
            print(trouble)

    def predict(
        self,
        key: str,
        question: str,
        choices: Sentences | Sequence[str] = (),
        *,
        kind: str = "number",
    ) -> None:
        """Ask a question before the code that answers it runs."""
        self._questions.predict(key, question, choices, kind=kind)

    def choose(self, key: str, guess: object, why: str = "") -> None:
        """Commit to a guess: the number of a choice, its text, or a typed value."""
        self._questions.choose(key, guess, why)

    def skip(self, key: str) -> None:
        """Go on without a guess."""
        self._questions.skip(key)

    def vote(self, key: str, counts: Sequence[int] | Mapping[object, int]) -> None:
        """Show how a class voted, as bars, before the reveal."""
        self._questions.vote(key, counts)

    def reveal(self, key: str, measure: Callable[[], object]) -> None:
        """Run the code that answers, then say what the learner's choice meant."""
        self._questions.reveal(key, measure)

    def arrange(self, number: int, order: object = "", *fills: object) -> None:
        """Show lines to order; with an order, take it: arrange(2, "b >d", "reply")."""
        self._workbook.arrange(number, order, *fills)

    def check(self, number: int, *answer: object) -> None:
        """Say whether an exercise is solved, and if not, which mistake it is.

        Where two things are asked for, check(1, one, other) is check(1, (one, other)).
        """
        several = (answer,) if len(answer) > 1 else answer
        self._workbook.check(number, *several)

    def hint(self, number: int) -> None:
        """Give the next hint; after the last one, say where a solution is."""
        self._workbook.hint(number)

    def keep(self, name: str, *thing: object) -> None:
        """Write what the learner wrote into my_agent.py, once its check said right."""
        self._workbook.keep(name, *thing[:1])

    def take_ours(self, *names: str) -> None:
        """Go on with our solution of what was skipped, instead of one's own.

        Without a name it is all that this lesson keeps, and where no my_agent.py is,
        all that any lesson does; with one, any lesson's.
        """
        keepers: dict[str, Exercise] = {}
        for lesson in map(load, names_of_lessons()):
            keepers |= what_we_keep(lesson)
        keepers |= what_we_keep(self.current)
        self._workbook.take_ours(keepers, *names)

    def progress(self) -> None:
        """Say how far one has come: guesses, exercises, what was kept."""
        before = self._questions.from_before
        how_far = [self._questions.how_far(), *self._workbook.how_far(before)]
        print("\n".join(how_far))

    def now_read(self, *things: Any) -> None:
        """Name the file and the lines of the package to read now."""
        name_what_to_read(*things, around=self._around)

    def start_over(self) -> None:
        """Begin this lesson again: guesses, checks, names and pictures as at first."""
        name, asked = self.current.name, self.current is not _NONE
        self._questions.forget()
        self._workbook.forget()
        self.open(_NONE)
        sys.modules.pop(OWN_FILE, None)
        cleared = _clear_the_notebook()
        what = f"Lesson {name} is" if asked else "All is"
        print(f"{what} as at the start. Run it from its first cell.")
        if not cleared:
            print("The names of a script stay: run it anew.")


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


def _clear_the_notebook() -> bool:
    """Take away the names of a notebook and the pictures it showed, if it is one."""
    shell = kernel()
    if shell is None:
        return False
    widgets = sys.modules.get("ipywidgets")
    if widgets is not None:
        widgets.Widget.close_all()
    shell.reset(new_session=False)
    return True


room = Classroom()
"""The room of this process. Why one for all? Cells share nothing but their names."""
