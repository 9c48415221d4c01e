"""What a check says of an answer, whatever the answer does."""

from __future__ import annotations

import linecache
import traceback
from typing import Final

from mingraph_lite.classroom.arranging import BLANK
from mingraph_lite.classroom.exercises import STILL_THE_STUB, Exercise
from mingraph_lite.classroom.patience import NoEnd, nobody_types, patience

__all__: Final = ["judged"]


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
    try:
        with patience(), nobody_types():
            return exercise.check(answer)
    except (Exception, NoEnd, SystemExit) as error:
        # The learner's own code runs in here: any error is theirs.
        return _describe(error, answer)


def _describe(error: BaseException, answer: object) -> str:
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
            line = _line_of(str(answer), number) or "?"
            if isinstance(error, NameError):
                return _unmade(error, number, line)
            return f"Your lines raised {text}\n  in line {number}: {line}"
        if frame.f_globals.get("__name__") == module:
            line = linecache.getline(code.co_filename, number).strip()
            where = f"in line {number} of its cell: {line or '?'}"
            return f"Your code raised {text}\n  {where}"
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
