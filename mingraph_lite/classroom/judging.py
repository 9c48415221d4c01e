"""What a check says of an answer, whatever the answer does."""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
from typing import Final

from mingraph_lite.classroom.arranging import BLANK
from mingraph_lite.classroom.exercises import STILL_THE_STUB, Exercise
from mingraph_lite.classroom.patience import NoEnd, nobody_types, patience
from mingraph_lite.classroom.plain import another_kind

__all__: Final = ["judged"]

_CALLED_AMISS: Final = re.compile(
    r"positional argument|keyword argument|keyword-only argument|takes no arguments"
    r"|takes exactly|expected at (most|least)"
)
"""How Python says that a function takes other arguments than it got."""


def judged(exercise: Exercise, answer: object) -> str | None:
    """What is wrong with an answer, in a sentence; None where it is right."""
    if exercise.arrangement is not None:
        if not isinstance(answer, str):
            return "This one is made of lines: arrange them, then check what you have."
        text = answer.strip()
        if text in ("", exercise.arrangement.header.strip()):
            return f"{STILL_THE_STUB}: no line has its place."
        if BLANK in text:
            return "A blank is still empty."
    elif inspect.isfunction(exercise.solution) and (wrong := another_kind(answer)):
        return wrong
    try:
        with patience(), nobody_types():
            return exercise.check(answer) or _one_too_many(exercise, answer)
    except BaseException as error:
        # The learner's own code runs in here: any error is theirs. Why Ctrl+C too? It
        # ends the check, and that is what was wanted.
        return _describe(error, answer)


def _one_too_many(exercise: Exercise, answer: object) -> str | None:
    """A sentence where the line that belongs nowhere stands where it does nothing."""
    lines = [line.strip() for line in str(answer).splitlines()]
    arrangement = exercise.arrangement
    if arrangement is None or arrangement.extra.strip() not in lines:
        return None
    extra = arrangement.extra.strip()
    return f"It works, and one line in it does nothing: {extra}. Leave it out."


def _describe(error: BaseException, answer: object) -> str:
    """Name an error and the learner's line it came from."""
    if isinstance(error, SyntaxError):
        line = (error.text or "").strip()
        return f"Python cannot read line {error.lineno}: {line or '?'} ({error.msg})."
    if isinstance(error, NoEnd):
        return f"Your code was stopped: {error}."
    module = getattr(answer, "__module__", "__main__")
    text = type(error).__name__ + (f": {error}" if str(error) else "")
    for frame, number in reversed(list(traceback.walk_tb(error.__traceback__))):
        code = frame.f_code
        if code.co_filename == "<your lines>":
            line = _line_of(str(answer), number) or "?"
            if isinstance(error, NameError):
                return _unmade(error, number, line)
            return f"Your lines raised {text}\n  in line {number}: {line}"
        if frame.f_globals.get("__name__") == module:
            line = linecache.getline(code.co_filename, number).strip()
            where = f"in line {number} of its cell: {line or '?'}"
            return f"Your code raised {text}\n  {where}"
    if isinstance(error, TypeError) and _CALLED_AMISS.search(str(error)):
        return (
            "It takes other arguments than the exercise hands in: look at its def. "
            f"Python says: {error}."
        )
    return f"The check could not use this answer. {text}"


def _unmade(error: NameError, number: int, line: str) -> str:
    """What a line uses that no line has made: an order that is not right yet."""
    name = error.name or str(error).split("'")[1]  # a local one is in the text alone
    if isinstance(error, UnboundLocalError):
        return f"Line {number} uses {name} before any line has made it: {line}"
    return (
        f"Line {number} uses {name}, and no line makes it: {line}\n"
        "  (A text of yours stands in quotes.)"
    )


def _line_of(code: str, number: int) -> str:
    lines = code.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
