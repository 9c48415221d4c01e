"""What lies inside of a value, part by part.

One part that fails costs no other; where none can be read, reading raises. `settled`
and `jsonable` both look here, so that neither finds what the other misses.
"""

from __future__ import annotations

from collections import UserList, deque
from collections.abc import Callable, Iterable, Mapping, ValuesView
from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any, Final

__all__: Final = ["LISTS", "UNSEEN", "dumped", "entries", "own_fields"]

UNSEEN: Final = {"seen": False}
"""The metadata of a dataclass's field that is for no reader."""

LISTS: Final = (list, tuple, deque, UserList, ValuesView)
"""What is read as a list, in its own order."""

type _Parts = list[tuple[Any, Any]]


def entries(mapping: Mapping[Any, Any]) -> _Parts:
    """The keys of a mapping with their values."""
    try:
        return list(mapping.items())
    except Exception:  # its items() is somebody else's code
        if isinstance(mapping, dict):
            raise  # it holds other things than it says
        return _each(mapping, mapping.__getitem__)


def own_fields(value: Any) -> _Parts | None:
    """The fields of a dataclass, a pydantic model or a namespace; None for others."""
    if isinstance(value, type):
        return None
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.metadata != UNSEEN]
        return _each(names, lambda name: getattr(value, name))
    if hasattr(type(value), "model_dump"):  # pydantic's; to import it takes long
        return list(value)
    return list(vars(value).items()) if isinstance(value, SimpleNamespace) else None


def dumped(model: Any) -> dict[str, Any]:
    """What a pydantic model makes of itself, field by field where one of them fails."""
    try:
        return dict(model.model_dump())
    except Exception:  # its serializers are somebody else's code
        names = [name for name, _ in model]
        return dict(_each(names, lambda name: model.model_dump(include={name})[name]))


def _each(names: Iterable[Any], read: Callable[[Any], Any]) -> _Parts:
    """Each name with what is read there, or with what stands for it."""
    parts, failures = list[tuple[Any, Any]](), list[Exception]()
    for name in names:
        try:
            parts.append((name, read(name)))
        except Exception as error:
            failures.append(error)
            parts.append((name, f"<unreadable: {type(error).__name__}>"))
    if failures and len(failures) == len(parts):
        raise failures[0]
    return parts
