"""How much work a call is, counted in lines of Python: the same on each machine."""

import sys
from collections.abc import Callable


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
    return lines_run(job(200)) < 5 * lines_run(job(50))
