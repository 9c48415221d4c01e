"""What lies inside of a value, part by part: one that fails costs no other.

`settled` and `jsonable` both look here, so that neither finds what the other misses.
"""

from __future__ import annotations

from collections import UserList, deque
from collections.abc import Callable, Mapping, ValuesView
from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any, Final

__all__: Final = ["LISTS", "dumped", "entries", "own_fields"]

LISTS: Final = (list, tuple, deque, UserList, ValuesView)
"""What is read as a list, in its own order."""


def entries(mapping: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """The keys of a mapping with their values; it may fail for a dict of one's own."""
    try:
        return list(mapping.items())
    except Exception:  # its items() is somebody else's code
        if isinstance(mapping, dict):
            raise  # it holds other things than it says
        return [(key, _tried(mapping.__getitem__, key)) for key in mapping]


def own_fields(value: Any) -> list[tuple[str, Any]] | None:
    """The fields of a dataclass, a pydantic model or a namespace; None for others."""
    if isinstance(value, type):
        return None
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        return [(name, _tried(getattr, value, name)) for name in names]
    if hasattr(type(value), "model_dump"):  # pydantic's; to import it takes long
        return list(value)
    return list(vars(value).items()) if isinstance(value, SimpleNamespace) else None


def dumped(model: Any) -> dict[str, Any]:
    """What a pydantic model makes of itself, field by field where one of them fails."""
    try:
        return dict(model.model_dump())
    except Exception:  # its serializers are somebody else's code
        parts = [(name, _tried(_dumped_field, model, name)) for name, _ in model]
        return dict(parts)


def _dumped_field(model: Any, name: str) -> Any:
    return next(iter(model.model_dump(include={name}).values()))


def _tried(read: Callable[..., Any], *what: Any) -> Any:
    """What reading gives, or what stands for it where that fails."""
    try:
        return read(*what)
    except Exception as error:
        return f"<unreadable: {type(error).__name__}>"
