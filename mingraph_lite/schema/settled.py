"""A tool's value with nothing left to come.

A `map`, a `zip` or a generator has no content until somebody reads it, and whoever
reads it second finds it empty. So it is read once, where its tool gave it back, and
what its body raises is its tool's failure. What can be awaited will never be: the core
is synchronous.

Why not where the text for the model is made? By then the tool has come to its end, and
a bug in its generator would be nobody's.
"""

from __future__ import annotations

import copy
from collections.abc import Coroutine, Mapping, Set
from contextlib import suppress
from dataclasses import is_dataclass
from inspect import CO_ITERABLE_COROUTINE, CORO_CREATED, getcoroutinestate
from types import GeneratorType, SimpleNamespace
from typing import Any, Final
from weakref import ProxyTypes

from mingraph_lite.schema.inside import LISTS, entries, own_fields
from mingraph_lite.schema.jsonable import DEEPEST, type_in_brackets, write_json

__all__: Final = ["MOST_ITEMS", "SCALARS", "ToAwait", "holds_an_iterator", "settled"]

MOST_ITEMS: Final = 1000
"""So many items of one iterator are read: it may have no end."""

_MOST_IN_ALL: Final = 10 * MOST_ITEMS
"""And so many of all iterators in one value: iterators may give iterators."""

SCALARS: Final = frozenset({str, int, float, bool, type(None), bytes})
"""By far the most values are one of these, and hold nothing."""


class ToAwait(Exception):
    """There is something to await in a value."""


def settled(value: object) -> object:
    """The value with its iterators as lists; raises ToAwait if something is to come.

    A value with no iterator in it comes back as the same object. Of each iterator at
    most 1,000 items are read; where there were more, a last item says so.
    """
    reading = _Reading()
    try:
        if reading.look(value):
            value = reading.read(value, DEEPEST)
    finally:
        for part in reading.awaited:
            _call_off(part)
    if reading.awaited:
        raise ToAwait
    return value


def holds_an_iterator(value: object) -> bool:
    """Whether some part of a value can be read only once."""
    return type(value) not in SCALARS and _Reading().look(value)


class _Reading:
    """One value while its iterators are read."""

    def __init__(self) -> None:
        self.awaited: list[Any] = []
        self._left = _MOST_IN_ALL
        # With the part itself: while it is kept, no other part gets its id.
        self._made: dict[int, tuple[object, Any]] = {}

    def look(self, value: object) -> bool:
        """Note what can be awaited in there, and say whether there is an iterator.

        Without recursion: what is too deep to be read may still be to be called off.
        """
        waiting, seen, found = [value], dict[int, object](), False
        while waiting:
            part = waiting.pop()
            if type(part) in SCALARS or id(part) in seen:
                continue
            seen[id(part)] = part
            if _can_be_awaited(part):
                self.awaited.append(part)
            elif _is_iterator(part):
                found = True
            else:
                for name, inner in _inside(part):
                    waiting += name, inner
        return found

    def read(self, value: Any, depth: int) -> Any:
        """The value with the iterators down to this depth as lists."""
        if type(value) in SCALARS or not depth or _can_be_awaited(value):
            return value
        if id(value) in self._made:
            return self._made[id(value)][1]
        if _is_iterator(value):
            return self._read_items(value, depth)
        pairs = _inside(value)
        # For a part that leads back to here.
        self._made[id(value)] = value, type_in_brackets(value)
        parts = {name: self.read(part, depth - 1) for name, part in pairs}
        same = all(parts[name] is part for name, part in pairs)
        made = value if same else _with_parts(value, parts)
        self._made[id(value)] = value, made
        return made

    def _read_items(self, iterator: Any, depth: int) -> list[Any]:
        # What it gives is looked at to the last one, though one to await was found:
        # the others must be called off too.
        items: list[Any] = []
        self._made[id(iterator)] = iterator, items
        for item in iterator:
            more_inside = self.look(item)
            if len(items) == MOST_ITEMS or not self._left:
                items.append(
                    f"(There is more: only the first {len(items)} items were read.)"
                )
                break
            self._left -= 1
            items.append(self.read(item, depth - 1) if more_inside else item)
        return items


def _can_be_awaited(value: Any) -> bool:
    kind = type(value)
    if hasattr(kind, "__await__") or hasattr(kind, "__anext__"):
        return True
    if hasattr(kind, "add_done_callback") and hasattr(kind, "result"):
        return True  # a future of concurrent.futures: its value is yet to come
    # What types.coroutine makes is a generator, but for a flag.
    return kind is GeneratorType and bool(
        value.gi_code.co_flags & CO_ITERABLE_COROUTINE
    )


def _is_iterator(value: object) -> bool:
    kind = type(value)
    # A weak reference has the methods of all that it might stand for.
    of_its_own = kind not in ProxyTypes
    return of_its_own and hasattr(kind, "__next__") and hasattr(kind, "__iter__")


def _inside(value: Any) -> list[tuple[Any, Any]]:
    """The parts of a value, by key, by place or by name, where `jsonable` looks too."""
    try:
        if isinstance(value, Mapping):
            return entries(value)
        if isinstance(value, (*LISTS, Set)):
            return list(enumerate(value))
        return list(own_fields(value) or ())
    except Exception:
        # Its items are somebody else's code. Who writes the value says what it is.
        return []


def _with_parts(value: Any, parts: dict[Any, Any]) -> Any:
    """The same kind of value with other parts, as near as it goes."""
    match value:
        case Mapping():
            return parts
        case tuple():
            make = getattr(type(value), "_make", tuple)  # a named tuple stays one
            return make(parts.values())
        case Set():  # a list can be in no set; and a set has no order of its own
            return sorted(parts.values(), key=write_json)
        case SimpleNamespace():
            return SimpleNamespace(**parts)
    if isinstance(value, LISTS):
        return list(parts.values())
    if not is_dataclass(value):
        return value.model_copy(update=parts)
    made = copy.copy(value)
    for name, part in parts.items():
        object.__setattr__(made, name, part)  # it may be frozen
    return made


def _call_off(awaited: Any) -> None:
    """See to it that its body never runs and that nothing warns of that."""
    # Its cancel() and close() are somebody else's code, and the tool is refused anyway.
    with suppress(Exception):
        if isinstance(awaited, Coroutine):
            awaited.close()
        elif hasattr(awaited, "get_coro") and not awaited.get_loop().is_running():
            # No loop will come to cancel this task.
            if getcoroutinestate(awaited.get_coro()) == CORO_CREATED:
                awaited.get_coro().close()
        elif hasattr(awaited, "cancel"):
            awaited.cancel()
