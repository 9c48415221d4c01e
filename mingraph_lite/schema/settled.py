"""A tool's value with nothing left to come.

A `map`, a generator or a file is a promise of items: whoever writes it down first uses
it up. Here it is read once, inside of the tool's own run, so that what fails while it
is read is the tool's failure. What has to be awaited is refused: nobody here awaits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from typing import Any, Final, NoReturn

from mingraph_lite.errors import ToolDefinitionError
from mingraph_lite.schema.jsonable import DEEPEST

__all__: Final = ["MOST_ITEMS", "SYNCHRONOUS", "settled"]

MOST_ITEMS: Final = 1_000
"""So many items of an iterator are read; it may have no end."""

SYNCHRONOUS: Final = (
    "the core is synchronous: write a plain function, "
    "which may itself call asyncio.run(…)."
)
_PLAIN: Final = {str, int, float, bool, type(None), bytes}


def settled(value: Any, tool: str) -> Any:
    """The value, its iterators read; the same object where there was none.

    Raises ToolDefinitionError where something in it has to be awaited.
    """
    if type(value) in _PLAIN:
        return value
    awaited: list[Any] = []
    found = _settle(value, awaited, ())
    if awaited:
        _refuse(awaited, tool)
    return found


def _settle(value: Any, awaited: list[Any], inside: tuple[int, ...]) -> Any:
    kind = type(value)
    if kind in _PLAIN or len(inside) > DEEPEST or id(value) in inside:
        return value
    if hasattr(kind, "__await__") or hasattr(kind, "__anext__"):
        awaited.append(value)
        return value

    def settle(part: Any) -> Any:
        return _settle(part, awaited, (*inside, id(value)))

    if isinstance(value, Iterator):
        return _read(value, settle)
    if kind is dict or (isinstance(value, Mapping) and kind.__module__ != "builtins"):
        return _with_parts(value, dict(value), settle, dict)
    if kind in (list, tuple):
        return _with_parts(value, dict(enumerate(value)), settle, _from_values(kind))
    if is_dataclass(value) and not isinstance(value, type):
        held = {f.name: getattr(value, f.name, None) for f in fields(value) if f.init}
        return _with_parts(value, held, settle, lambda new: replace(value, **new))
    return value


def _with_parts(
    value: Any,
    parts: dict[Any, Any],
    settle: Callable[[Any], Any],
    remake: Callable[[dict[Any, Any]], Any],
) -> Any:
    """The value itself where each of its parts stays what it is."""
    found = {name: settle(part) for name, part in parts.items()}
    same = all(found[name] is part for name, part in parts.items())
    return value if same else remake(found)


def _from_values(kind: Any) -> Callable[[dict[Any, Any]], Any]:
    return lambda found: kind(found.values())


def _read(items: Iterator[Any], settle: Callable[[Any], Any]) -> list[Any]:
    read = [settle(item) for item in islice(items, MOST_ITEMS + 1)]
    if len(read) > MOST_ITEMS:
        read[MOST_ITEMS:] = [f"(only the first {MOST_ITEMS} items were read)"]
    return read


def _refuse(awaited: list[Any], tool: str) -> NoReturn:
    for one in awaited:
        # Closed or cancelled, so that none of them runs, and Python does not complain.
        if inspect.iscoroutine(one):
            one.close()
        elif callable(cancel := getattr(one, "cancel", None)):
            cancel()
    raise ToolDefinitionError(f"{tool} gave back something to await, and {SYNCHRONOUS}")
