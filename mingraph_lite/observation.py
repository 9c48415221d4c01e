"""What a tool's result becomes before the model reads it: plain text."""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from datetime import date, time
from enum import Enum
from typing import Any, Final

from pydantic import BaseModel

__all__: Final = ["plain_text"]

_DEEPEST: Final = 100
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
_KINDS: Final = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF file",
    b"PK\x03\x04": "a ZIP file",
}


def plain_text(value: object) -> str:
    """A tool's raw value as the text of its answer slip; it never raises.

    A text stays as it is. Numbers, lists, dicts, sets (sorted), dataclasses and
    pydantic models become strict JSON, None becomes "null", NaN and the infinities the
    words "NaN", "Infinity" and "-Infinity". Dates, paths, enums and whatever else has a
    readable form become that form; bytes are described and not shown. Half a surrogate
    pair, which no request can carry, becomes U+FFFD.
    """
    if type(value) is str:
        return _whole(value)
    try:
        return _whole(_as_text(_plain(value, 0)))
    except Exception:
        # What a tool hands back is somebody else's code: its str() may do anything.
        return f"Error: the result of type {type(value).__name__} has no readable form"


def _plain(value: Any, depth: int) -> Any:
    """The value in what JSON knows."""
    if depth > _DEEPEST:
        raise RecursionError("too deep to read, or it contains itself")
    match value:
        case Enum():
            return _plain(value.value, depth + 1)
        case str():
            return str.__str__(value)
        case None | bool():
            return value
        case int():
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else _not_finite(value)
        case bytes() | bytearray() | memoryview():
            return _described(bytes(value))
        case Mapping():
            return {
                # JSON's keys are texts: 1 becomes "1".
                _as_text(_plain(key, depth + 1)): _plain(item, depth + 1)
                for key, item in value.items()
            }
        case list() | tuple() | deque():
            return [_plain(item, depth + 1) for item in value]
        case Set():
            return _sorted([_plain(item, depth + 1) for item in value])
        case BaseModel():
            return _plain(value.model_dump(), depth + 1)
        case date() | time():
            return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return {name: _plain(getattr(value, name), depth + 1) for name in names}
    return _readable(value)


def _as_text(plain: Any) -> str:
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def _sorted(items: list[Any]) -> list[Any]:
    """A set has no order of its own, and a run must come out the same each time."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=json.dumps)


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _described(value: bytes) -> str:
    kinds = [kind for start, kind in _KINDS.items() if value.startswith(start)]
    return f"({len(value)} bytes: {kinds[0] if kinds else 'binary data'}, not shown)"


def _readable(value: object) -> str:
    """What `str` makes of it, without the memory address that Python puts into some."""
    text = str(value)
    if (
        type(value).__str__ is object.__str__
        and type(value).__repr__ is object.__repr__
    ):
        return f"<{type(value).__name__} object>"
    return _ADDRESS.sub("", text) if text.startswith("<") else text


def _whole(text: str) -> str:
    """Surrogates joined where two make a character, replaced where one is alone."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
