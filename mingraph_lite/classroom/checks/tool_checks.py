"""Whether a learner's tool is their own, and of use."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from mingraph_lite.classroom.checks.loop_checks import NO_FUNCTION
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.errors import ToolDefinitionError
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["own_tool"]


def own_tool(
    answer: Any, names: Sequence[str] = ("Paris", "Tokyo", "Paris")
) -> str | None:
    """What is wrong with a tool that takes one text, or None.

    `names` are what it is tried on, each twice.
    """
    if not callable(answer):
        return NO_FUNCTION
    home = getattr(answer, "__module__", None) or "builtins"
    if _is_imported(home):
        return f"That one comes from {home}. Write a function of your own, with def."
    if not inspect.isfunction(inspect.unwrap(answer)):
        return "The menu is made from a function: write it with def."
    if inspect.iscoroutinefunction(answer):
        return "It is an async function: write it with a plain def."
    if _is_empty(answer):
        return f"{STILL_THE_STUB}: it says nothing to the menu, and gives nothing."
    if wrong := _on_the_menu(answer):
        return wrong
    for name in names:
        if wrong := _gives(answer, name):
            return wrong
    return None


def _is_empty(tool: Callable[..., Any]) -> bool:
    """Whether a function has neither a docstring nor a line that does something."""
    nothing = (lambda: None).__code__
    code = getattr(inspect.unwrap(tool), "__code__", None)
    return not tool.__doc__ and code is not None and code.co_code == nothing.co_code


def _is_imported(module: str) -> bool:
    ours = module.startswith("mingraph_lite") and ".lessons." not in module
    return ours or module.partition(".")[0] in sys.stdlib_module_names - {"__main__"}


def _on_the_menu(tool: Callable[..., Any]) -> str | None:
    if tool.__name__ == "<lambda>":
        return "A lambda has no name for the menu: write it with def."
    if not (tool.__doc__ or "").strip():
        return "The menu says nothing about it: give the function a docstring."
    parameters = inspect.signature(tool).parameters.values()
    if any(one.annotation is one.empty for one in parameters):
        return "Give each parameter a type hint: the menu tells the model what to send."
    try:
        menu = ToolRegistry([tool]).menu()[0]["function"]["parameters"]
    except ToolDefinitionError as error:
        return str(error)
    names = menu.get("required") or list(menu["properties"])[:1]
    needed = [menu["properties"][name] for name in names]
    if [one.get("type") for one in needed] != ["string"]:
        return "The model sends it one text: let it need one parameter, with : str."
    return None


def _gives(tool: Callable[..., Any], name: str) -> str | None:
    """What is wrong with what it gives for a name, at its first call and later."""
    given: list[str | None] = []
    value: Any = None
    for time in ("", " when it is called again"):
        try:
            value = tool(name)
            given.append(None if value is None else str(value))
        except Exception as error:
            # The tool is a learner's: whatever it raises is told.
            return f"For {name!r} it raises {type(error).__name__}{time}: {error}"
    if None in given:
        return (
            f"For {name!r} it hands back nothing: return the result, do not print it."
        )
    if callable(value) or value is ... or isinstance(value, Iterator):
        kind = type(value).__name__
        return f"For {name!r} it gives a {kind}, which nobody can read: give a text."
    if given[0] != given[1]:
        return (
            f"For {name!r} it gives {given[0]!r}, then {given[1]!r}: let it say the "
            "same each time, so that you can compare two runs."
        )
    return None
