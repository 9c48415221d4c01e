"""Whether what was handed in can be called and is done.

An async def hands back a promise when it is called, a def with a yield a generator;
neither has done anything yet, and whatever a check says of that would be beside it.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

__all__: Final = ["another_kind", "no_function", "not_plain"]

_BRACKETS: Final = "Hand in the function itself, without brackets behind it."


def another_kind(answer: Any) -> str | None:
    """What is wrong with what can be called, and is no plain function."""
    if isinstance(answer, type):
        return f"{answer.__name__} is a class. Hand in the function that you wrote."
    return _async(answer, getattr(answer, "__name__", "It"))


def no_function(answer: Any, wanted: str = _BRACKETS) -> str | None:
    """What is wrong with an answer that should be a function."""
    if not callable(answer):
        return wanted
    return another_kind(answer) or not_plain(answer)


def not_plain(*things: Any) -> str | None:
    """What is wrong with functions, or classes with a run, that only promise."""
    for thing in things:
        name = getattr(thing, "__name__", "It")
        function = inspect.unwrap(thing)
        if isinstance(thing, type):
            name, function = f"{name}.run", getattr(thing, "run", None)
        if wrong := _async(function, name):
            return wrong
        if inspect.isgeneratorfunction(function):
            return (
                f"{name} has a yield in it, so a call of it does nothing yet. Hand "
                "back with return."
            )
    return None


def _async(function: Any, name: str) -> str | None:
    if inspect.iscoroutinefunction(function):
        return f"{name} is an async def, and nobody waits for it: a plain def."
    return None
