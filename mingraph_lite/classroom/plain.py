"""Whether what was handed in can be called and is done.

An async def hands back a promise when it is called, a def with a yield a generator;
neither has done anything yet, and whatever a check says of that would be beside it.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

__all__: Final = ["no_function", "not_plain"]

_BRACKETS: Final = "Hand in the function itself, without brackets behind it."


def no_function(answer: Any, wanted: str = _BRACKETS) -> str | None:
    """What is wrong with an answer that should be a function."""
    if isinstance(answer, type):
        return f"{answer.__name__} is a class. Hand in the function that you wrote."
    return not_plain(answer) if callable(answer) else wanted


def not_plain(*things: Any) -> str | None:
    """What is wrong with functions, or classes with a run, that only promise."""
    for thing in things:
        name = getattr(thing, "__name__", "It")
        function = inspect.unwrap(thing)
        if isinstance(thing, type):
            name, function = f"{name}.run", getattr(thing, "run", None)
        if inspect.iscoroutinefunction(function):
            return f"{name} is an async def, and nobody waits for it: a plain def."
        if inspect.isgeneratorfunction(function):
            return (
                f"{name} has a yield in it, so a call of it does nothing yet. Hand "
                "back with return."
            )
    return None
