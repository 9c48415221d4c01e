"""The exercises of one lesson: shown, checked, and kept in my_agent.py."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mingraph_lite.classroom.arranging import BLANK, Placed
from mingraph_lite.classroom.exercises import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.classroom.keeping import FILE, write_down
from mingraph_lite.classroom.patience import NoEnd, patience
from mingraph_lite.classroom.sources import CannotKeep, Piece, pieces_of
from mingraph_lite.classroom.surroundings import Surroundings, show
from mingraph_lite.classroom.words import listed, unknown

if TYPE_CHECKING:
    from mingraph_lite.views.lines_types import Lines

__all__: Final = ["Workbook"]

_MISSING: Final = object()


class Workbook:
    """What one learner has made of the exercises of one lesson."""

    def __init__(self, lesson: Lesson, around: Surroundings) -> None:
        self._lesson, self._around = lesson, around
        self._hints_given: dict[int, int] = {}
        self._placed: dict[int, list[Placed]] = {}
        self._right: dict[int, object] = {}
        self._kept: list[str] = []

    def arrange(self, number: int, order: str = "", *fills: str) -> None:
        """Show lines to order, or take an order: arrange(2, "b >d", "reply").

        The letters in order, one > for each level of indentation; then what goes into
        the blanks, in the order in which they come now.
        """
        exercise = self._find(number)
        if exercise is None:
            return
        if exercise.arrangement is None:
            print(f"Exercise {number} has no lines to order. See check({number}, …).")
            return
        if order:
            try:
                placed = exercise.arrangement.placed(order, fills)
            except ValueError as error:
                print(error)
                return
            self._placed[int(number)] = placed
            print(exercise.arrangement.code(placed))
            return
        self._show_lines(int(number), exercise)

    def check(self, number: int, answer: object = _MISSING) -> None:
        """Say whether an exercise is solved, and if not, which mistake it is."""
        exercise = self._find(number)
        if exercise is None:
            return
        if exercise.arrangement is not None and answer is _MISSING:
            answer = exercise.arrangement.code(self._placed.get(int(number), []))
        if answer is _MISSING:
            print(f"Hand in what you wrote: check({number}, …).")
            return
        _, said = self._judge(int(number), exercise, answer)
        print(f"Exercise {number}: {said}")

    def hint(self, number: int) -> None:
        """Give the next hint; after the last one, say where a solution is."""
        exercise = self._find(number)
        if exercise is None:
            return
        given = self._hints_given.get(int(number), 0)
        if given < len(exercise.hints):
            self._hints_given[int(number)] = given + 1
            print(f"Hint {given + 1} of {len(exercise.hints)}: {exercise.hints[given]}")
        else:
            name = self._lesson.name
            print(f"No more hints. A solution is in solutions/{name}.ipynb.")

    def keep(self, name: str, thing: object) -> None:
        """Write what the learner wrote into my_agent.py, once its check said right."""
        at = self._exercise_that_keeps(name)
        if at is None:
            names = [n for e in self._lesson.exercises for n in e.keeps]
            print(unknown("thing to keep", name, names))
        elif at not in self._right:
            print(f"Not kept: exercise {at} comes first, and check({at}, …) says when.")
        elif not _was_checked(thing, self._right[at]):
            print(
                f"Not kept: this {name} is not the one that was checked. Run the "
                f"check of exercise {at} once more."
            )
        else:
            self._write(name, partial(pieces_of, name, thing), "yours")

    def take_ours(self, *names: str) -> None:
        """Go on with our solution of what was skipped, instead of one's own."""
        keepers = {n: e for e in self._lesson.exercises for n in e.keeps}
        for name in names or keepers:
            if name not in keepers:
                print(unknown("thing to take", name, keepers))
                continue
            self._write(name, partial(pieces_of_ours, keepers[name], name), "ours")

    def how_far(self) -> list[str]:
        """How many exercises are right and what was kept, in words."""
        numbers = range(1, len(self._lesson.exercises) + 1)
        open_ones = [str(n) for n in numbers if n not in self._right]
        lines = [f"Exercises right: {len(self._right)} of {len(numbers)}."]
        if open_ones:
            lines.append(f"Still open: {listed(open_ones)}. hint(n) helps, twice.")
        to_keep = [n for e in self._lesson.exercises for n in e.keeps]
        missing = [name for name in to_keep if name not in self._kept]
        if to_keep:
            ours = f"; ours for {listed(missing)}" if missing else ""
            lines.append(f"In {FILE} of yours: {listed(self._kept)}{ours}.")
        return lines

    def forget(self) -> None:
        """Begin again: nothing checked, nothing arranged; what was kept stays."""
        self._hints_given.clear()
        self._placed.clear()
        self._right.clear()

    def _judge(self, number: int, exercise: Exercise, answer: Any) -> tuple[bool, str]:
        """Whether it is right, and the sentence that says so."""
        mistake = judged(exercise, answer)
        if mistake is None:
            self._right[number] = answer
            return True, "right."
        self._right.pop(number, None)
        return False, f"not yet. {mistake}"

    def _show_lines(self, number: int, exercise: Exercise) -> None:
        text = self._lines_as_text(number, exercise)
        if not self._around.shows_cards:
            print(text)
            return
        from mingraph_lite.views.lines_to_order import LinesToOrder

        def checked(placed: Any) -> tuple[bool, str]:
            self._placed[number] = [
                Placed(one["letter"], one["depth"], tuple(one["fills"]))
                for one in placed
            ]
            assert exercise.arrangement is not None
            code = exercise.arrangement.code(self._placed[number])
            return self._judge(number, exercise, code)

        lines = self._picture(number, exercise)
        show(LinesToOrder(lines, check=checked, text=text))

    def _picture(self, number: int, exercise: Exercise) -> Lines:
        assert exercise.arrangement is not None
        pieces = exercise.arrangement.pieces
        placed = self._placed.get(number, [])
        here = {one.letter for one in placed}
        return {
            "lines": [{"letter": a, "text": text} for a, text in pieces.items()],
            "placed": [
                {"letter": p.letter, "depth": p.depth, "fills": list(p.fills)}
                for p in placed
            ],
            "left_out": [a for a in pieces if a not in here] if placed else [],
            "verdict": "",
            "right": False,
        }

    def _lines_as_text(self, number: int, exercise: Exercise) -> str:
        assert exercise.arrangement is not None
        pieces = exercise.arrangement.pieces
        header = exercise.arrangement.header
        lines = [f"  {letter}  {text}" for letter, text in pieces.items()]
        blanks = sum(text.count(BLANK) for text in pieces.values())
        fills = ', "…"' * blanks
        return "\n".join(
            [
                *([header] if header else []),
                *lines,
                f'Your turn: arrange({number}, "a >b >>c"{fills}), a > for each level '
                f"of indentation; then check({number}). One line is too many.",
            ]
        )

    def _write(
        self, name: str, pieces: Callable[[], Iterable[Piece]], whose: str
    ) -> None:
        folder = self._around.folder
        if folder is None:
            print(f"{name} would be kept in {FILE}. Files are written under start.py.")
            return
        try:
            copy = write_down(Path(folder), pieces(), self._lesson.name)
        except CannotKeep as error:
            print(f"Not kept. {error}")
            return
        if whose == "yours" and name not in self._kept:
            self._kept.append(name)
        beside = f" The file as it was: {copy}." if copy else ""
        print(f"Kept: {name}, {whose}, in {FILE}.{beside}")

    def _exercise_that_keeps(self, name: str) -> int | None:
        numbered = enumerate(self._lesson.exercises, start=1)
        return next((n for n, e in numbered if name in e.keeps), None)

    def _find(self, number: object) -> Exercise | None:
        exercises = self._lesson.exercises
        if str(number).isdigit() and 0 < int(str(number)) <= len(exercises):
            return exercises[int(str(number)) - 1]
        numbers = [str(n) for n in range(1, len(exercises) + 1)]
        print(unknown("exercise", str(number), numbers))
        return None


def judged(exercise: Exercise, answer: object) -> str | None:
    """What is wrong with an answer, in a sentence; None where it is right."""
    if exercise.arrangement is not None and not str(answer).strip():
        return f"{STILL_THE_STUB}: no line has its place."
    if exercise.arrangement is not None and answer == exercise.arrangement.header:
        return f"{STILL_THE_STUB}: no line has its place."
    if exercise.arrangement is not None and BLANK in str(answer):
        return "A blank is still empty."
    try:
        with patience():
            return exercise.check(answer)
    except Exception as error:
        # The learner's own code runs in here: any error is theirs.
        return _describe(error, answer)


def pieces_of_ours(exercise: Exercise, name: str) -> list[Piece]:
    """Our solution of an exercise, as it is written into my_agent.py."""
    solution: Any = exercise.solution
    if isinstance(solution, tuple):
        found = [one for one in solution if getattr(one, "__name__", "") == name]
        solution = found[0]
    return pieces_of(name, solution)


def _was_checked(thing: object, answer: object) -> bool:
    if isinstance(answer, tuple | list):
        return any(thing is one for one in answer)
    return thing is answer


def _describe(error: Exception, answer: object) -> str:
    """Name an error and the learner's line it came from."""
    if isinstance(error, SyntaxError):
        line = (error.text or "").strip()
        return f"Python cannot read line {error.lineno}: {line or '?'} ({error.msg})."
    if isinstance(error, NoEnd):
        return f"Your code was stopped: {error}."
    module = getattr(answer, "__module__", "__main__")
    text = f"{type(error).__name__}: {error}"
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        code = frame.f_code
        if code.co_filename == "<your lines>":
            line = _line_of(str(answer), number)
            return f"Your lines raised {text}\n  in line {number}: {line or '?'}"
        if frame.f_globals.get("__name__") == module:
            line = linecache.getline(code.co_filename, number).strip()
            where = f"in line {number} of its cell: {line or '?'}"
            return f"Your code raised {text}\n  {where}"
    return f"The check could not use this answer. {text}"


def _line_of(code: str, number: int) -> str:
    lines = code.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
