"""The exercises of one lesson: shown, checked, and kept in my_agent.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from mingraph_lite.classroom.arranging import Placed
from mingraph_lite.classroom.definitions import CannotKeep
from mingraph_lite.classroom.exercises import Exercise, Lesson
from mingraph_lite.classroom.judging import judged
from mingraph_lite.classroom.keeping import FILE, read_own, trouble_with, write_down
from mingraph_lite.classroom.lines import as_text, picture, to_place
from mingraph_lite.classroom.ours import our_pieces, what_we_keep
from mingraph_lite.classroom.pages import written_as
from mingraph_lite.classroom.prompts import how_to_check
from mingraph_lite.classroom.sources import Piece, pieces_of
from mingraph_lite.classroom.surroundings import Surroundings, show
from mingraph_lite.classroom.words import listed, unknown

__all__: Final = ["Workbook"]

_MISSING: Final = object()


class Workbook:
    """What one learner has made of the exercises of one lesson."""

    def __init__(self, lesson: Lesson, around: Surroundings) -> None:
        self._lesson, self._around = lesson, around
        self._hints_given: dict[int, int] = {}
        self._placed: dict[int, list[Placed]] = {}
        self._lines: dict[int, Any] = {}
        # What was right last: a wrong try after it takes nothing away.
        self._right: dict[int, object] = {}
        self._kept: list[str] = []

    def arrange(self, number: int, order: object = "", *fills: object) -> None:
        """Show lines to order, or take an order: arrange(2, "b >d", "reply").

        The letters in order, one > for each level of indentation; then what goes into
        the blanks, in the order in which they come now.
        """
        exercise = self._find(number)
        if exercise is None:
            return
        if exercise.arrangement is None:
            print(f"Exercise {number} has no lines to order.")
            print(f"Hand in what you wrote: {how_to_check(int(number), exercise)}.")
            return
        text = order if isinstance(order, str) else to_place(order)
        if not text.strip() and not fills:
            self._show_lines(int(number), exercise)
            return
        try:
            placed = exercise.arrangement.placed(text, [str(fill) for fill in fills])
        except ValueError as error:
            print(error)
            if self._placed.get(int(number)):
                print("The order you had before it stays.")
            return
        self._placed[int(number)] = placed
        if int(number) in self._lines:
            self._lines[int(number)].show(picture(exercise.arrangement, placed))
        print(exercise.arrangement.code(placed))
        print(f"Placed. Now {how_to_check(int(number), exercise)}.")

    def check(self, number: int, answer: object = _MISSING) -> None:
        """Say whether an exercise is solved, and if not, which mistake it is."""
        exercise = self._find(number)
        if exercise is None:
            return
        if exercise.arrangement is not None:
            if answer is not _MISSING:
                print(f"Exercise {number} takes what you arranged: arrange({number}),")
                print(f"then {how_to_check(int(number), exercise)}.")
                return
            answer = exercise.arrangement.code(self._placed.get(int(number), []))
        if answer is _MISSING or answer is ...:
            print(f"Hand in what you wrote: {how_to_check(int(number), exercise)}.")
            return
        right, said = self._judge(int(number), exercise, answer)
        print(f"Exercise {number}: {said}")
        if exercise.arrangement is not None and int(number) in self._lines:
            now = picture(exercise.arrangement, self._placed.get(int(number), []))
            self._lines[int(number)].show(now | _verdict(right, said))

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

    def keep(self, name: str, thing: object = _MISSING) -> None:
        """Write what the learner wrote into my_agent.py, once its check said right."""
        if thing is _MISSING:
            word = getattr(name, "__name__", name)
            print(f'Say the name and what it is: keep("{word}", {word}).')
            return
        at = self._exercise_that_keeps(name)
        if at is None:
            print(unknown("thing to keep", name, what_we_keep(self._lesson)))
            return
        how = how_to_check(at, self._lesson.exercises[at - 1])
        other = getattr(thing, "__name__", name)
        if at not in self._right:
            print(f"Not kept: exercise {at} comes first. Its check says when: {how}.")
        elif not _was_checked(thing, self._right[at]):
            print(f"Not kept: this {name} is not the one that was checked. Run {how}")
            print("once more, then this cell.")
        elif other != name and other in self._lesson.exercises[at - 1].keeps:
            print(f'Not kept: this is {other}. Say keep("{other}", {other}).')
        else:
            self._write(name, partial(pieces_of, name, thing), "yours")

    def take_ours(self, keepers: Mapping[str, Exercise], *names: str) -> None:
        """Put our solutions into my_agent.py; without names, those of this lesson."""
        folder = self._around.folder
        if folder is not None and not names and not (folder / FILE).exists():
            # A lesson begins with what the ones before it kept.
            print(f"There was no {FILE}, so it gets all of ours.")
            names = tuple(keepers)
        for name in names or what_we_keep(self._lesson):
            if name in keepers:
                self._write(name, partial(our_pieces, keepers[name], name), "ours")
            else:
                print(unknown("thing to take", name, keepers))
        if not names and not what_we_keep(self._lesson):
            print(f"This lesson keeps nothing. There is: {listed(keepers)}.")

    def how_far(self, from_before: bool = False) -> list[str]:
        """How many exercises are right and what was kept, in words.

        `from_before` says that guesses outlasted an earlier kernel: checks do not.
        """
        numbers = range(1, len(self._lesson.exercises) + 1)
        open_ones = [str(n) for n in numbers if n not in self._right]
        lines = [f"Exercises right: {len(self._right)} of {len(numbers)}."]
        if from_before and numbers:
            lines[0] += " (Counted since the last start.)"
        if open_ones:
            lines.append(f"Still open: {listed(open_ones)}. hint(n) helps, twice.")
        return lines + self._whose()

    def _whose(self) -> list[str]:
        """What my_agent.py holds of this lesson's, or why nobody can say."""
        if not what_we_keep(self._lesson):
            return []
        if trouble := trouble_with(self._around.folder):
            return [trouble]
        yours = [n for n in what_we_keep(self._lesson) if self._is_yours(n)]
        missing = [n for n in what_we_keep(self._lesson) if n not in yours]
        ours = f"; ours for {listed(missing)}" if missing else ""
        return [f"In {FILE} of yours: {listed(yours)}{ours}."]

    def _is_yours(self, name: str) -> bool:
        """Kept just now, or before this kernel began: then it differs from ours."""
        if name in self._kept:
            return True
        there = written_as(read_own(self._around.folder), name)
        if there is None:
            return False
        pieces = our_pieces(what_we_keep(self._lesson)[name], name)
        return there not in [piece.source for piece in pieces]

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
        return False, f"not yet. {mistake}"

    def _show_lines(self, number: int, exercise: Exercise) -> None:
        arrangement = exercise.arrangement
        assert arrangement is not None
        text = as_text(number, arrangement)
        if not self._around.shows_cards:
            print(text)
            return
        from mingraph_lite.views.lines_to_order import LinesToOrder

        def put(placed: Any) -> None:
            self._placed[number] = [
                Placed(one["letter"], one["depth"], tuple(one["fills"]))
                for one in placed
            ]

        def checked(placed: Any) -> tuple[bool, str]:
            put(placed)
            code = arrangement.code(self._placed[number])
            verdict = _verdict(*self._judge(number, exercise, code))
            return verdict["right"], verdict["verdict"]

        now = picture(arrangement, self._placed.get(number, []))
        self._lines[number] = LinesToOrder(now, check=checked, put=put, text=text)
        show(self._lines[number])

    def _write(
        self, name: str, pieces: Callable[[], Sequence[Piece]], whose: str
    ) -> None:
        folder = self._around.folder
        if folder is None:
            print(f"{name} would be kept in {FILE}. Files are written under start.py.")
            return
        try:
            copy = write_down(folder, pieces(), self._lesson.name)
        except CannotKeep as error:
            print(f"Not kept. {error}")
            return
        self._kept = [each for each in self._kept if each != name]
        self._kept += [name] if whose == "yours" else []
        beside = f" The file as it was: {copy}." if copy else ""
        print(f"Kept: {name}, {whose}, in {FILE}.{beside}")

    def _exercise_that_keeps(self, name: object) -> int | None:
        numbered = enumerate(self._lesson.exercises, start=1)
        return next((n for n, e in numbered if name in e.keeps), None)

    def _find(self, number: object) -> Exercise | None:
        exercises = self._lesson.exercises
        if str(number).isdecimal() and 0 < int(str(number)) <= len(exercises):
            return exercises[int(str(number)) - 1]
        numbers = [str(n) for n in range(1, len(exercises) + 1)]
        print(unknown("exercise", number, numbers))
        return None


def _verdict(right: bool, said: str) -> Any:
    """What a card says of it; for what is right it has a word of its own."""
    return {"right": right, "verdict": "" if right else said[:1].upper() + said[1:]}


def _was_checked(thing: object, answer: object) -> bool:
    """Whether it is the very thing that the check judged, or a part of it."""
    parts = answer if isinstance(answer, tuple | list) else [answer]
    return any(thing is part for part in parts)
