"""Calls followed line by line: how much work they are, and struck at any line."""

import sys
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, FrameType


def lines_run(function: Callable[[], object]) -> int:
    """How many lines of Python run while the function does."""
    count = 0

    def trace(frame: object, event: str, about: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def grows_with_its_input(job: Callable[[int], Callable[[], object]]) -> bool:
    """Whether four times as much is about four times the work, and not sixteen."""
    job(50)()  # what is made once and kept is not counted
    return lines_run(job(200)) < 5 * lines_run(job(50))


def struck(
    function: Callable[[], object], at: int, where: Callable[[CodeType], bool]
) -> int:
    """How many lines of such code ran until a Ctrl-C struck at the nth of them.

    With 0 nothing strikes, and all lines are counted.
    """
    count = 0

    def strike(frame: FrameType, event: str, about: object) -> object:
        nonlocal count
        if not where(frame.f_code):
            return None
        if event == "line":
            count += 1
            if count == at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return strike

    before = sys.gettrace()
    sys.settrace(strike)
    try:
        with suppress(KeyboardInterrupt):
            function()
    finally:
        sys.settrace(before)
    return count
