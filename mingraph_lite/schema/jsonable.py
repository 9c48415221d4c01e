"""The nearest value that strict JSON can hold: one rule for all.

    handed in                       becomes
    a text                          itself; half a surrogate pair becomes U+FFFD
    NaN and the infinities          the words "NaN", "Infinity" and "-Infinity"
    a whole number that no float    its digits, as a text: most readers count in
      can hold                        floats, and for them it is infinite
    a tuple, a deque, an array,     a list
      a dict's values
    a set                           a list, sorted: it has no order of its own, and a
                                      run must come out the same each time
    a dataclass, a pydantic model   an object with its fields; for one that cannot be
                                      read stands "<unreadable: RuntimeError>"
    an enum                         its value
    a date, a time                  as ISO 8601 writes it
    bytes                           what they are, and how many: no model reads them
    a key that is no text           the text of what it becomes; where that is taken,
                                      with its type behind it: beside "1", the number
                                      1 is "1 (int)"; a third is "1 (int 2)"
    anything else                   what `str` says, without a memory address
    what has no readable form       "<Kit object>", by the name of its type

The last line also holds for what lies deeper than 100 levels or holds itself, and for
a number of more digits than Python writes, 4,300.

Why not `pydantic_core.to_jsonable_python`? It lets NaN, half pairs and numbers of any
size through, fails for bytes that are no text, reads an iterator to its end, and sorts
no set: what is left of it would be its dates.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Set
from datetime import date, time
from enum import Enum
from typing import Any, Final

from mingraph_lite.schema.inside import LISTS, dumped, entries, own_fields

__all__: Final = [
    "DEEPEST",
    "dump_json",
    "fits_a_float",
    "jsonable",
    "type_in_brackets",
    "valid_text",
    "write_json",
]

type _Convert = Callable[[Any], Any]

DEEPEST: Final = 100
"""Nothing that a tool takes or gives is nested deeper."""

_LARGEST: Final = int(sys.float_info.max)
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")
_BEGINNINGS: Final = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF file",
    b"PK\x03\x04": "a ZIP file",
}


def type_in_brackets(value: object) -> str:
    """What stands for a value that has no readable form, such as "<Kit object>"."""
    return f"<{type(value).__name__} object>"


def jsonable(value: object, unreadable: _Convert = type_in_brackets) -> Any:
    """The nearest value that strict JSON can hold, by the table above; never raises.

    `unreadable` is asked what stands for a part that cannot be read. It may raise, and
    then that is raised.
    """
    return _converter((), unreadable)(value)


def write_json(value: object) -> str:
    """The strict JSON text of any value, by the table above."""
    return dump_json(jsonable(value))


def fits_a_float(number: int) -> bool:
    """Whether a number stays finite for a program that counts in floats."""
    return -_LARGEST <= number <= _LARGEST


def valid_text(text: str) -> str:
    """The text with half characters mended: a pair is joined, a lone half replaced.

    Files with broken names and emojis cut in two bring them in; no request or file can
    be written with one inside.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _converter(parents: tuple[int, ...], unreadable: _Convert) -> _Convert:
    """What converts the parts of a value that lies inside of these."""

    def convert(value: Any) -> Any:
        kind = type(value)
        # By far the most values are one of these, and are not asked what else they are.
        if kind is str:
            return value if value.isascii() else valid_text(value)
        if value is None or kind is bool:
            return value
        if kind is int and -_LARGEST <= value <= _LARGEST:
            return value
        if kind is float and math.isfinite(value):
            return value
        try:
            if len(parents) > DEEPEST or id(value) in parents:
                return unreadable(value)
            inside = _converter((*parents, id(value)), unreadable)
            return _convert_whole(value, inside)
        except Exception:
            # Its items() or str() is somebody else's code, and may do anything.
            return unreadable(value)

    return convert


def _convert_whole(value: Any, convert: _Convert) -> Any:
    """A value that is more than a text or a number, its parts by `convert`."""
    kind = type(value)
    if kind is list:
        return [convert(item) for item in value]
    if kind is dict and all(type(key) is str and key.isascii() for key in value):
        return {key: convert(item) for key, item in value.items()}
    match value:
        case Mapping():
            pairs = entries(value)
            keys = [_key(name, convert) for name, _ in pairs]
            if len(set(keys)) < len(keys):
                keys = _told_apart([name for name, _ in pairs], keys)
            return {
                key: convert(item) for key, (_, item) in zip(keys, pairs, strict=True)
            }
        case Set():
            return _sorted([convert(item) for item in value])
        case Enum():
            return convert(value.value)
        case str():
            return valid_text(str.__str__(value))
        case int():
            return int(value) if fits_a_float(value) else str(int(value))
        case float():
            return float(value) if math.isfinite(value) else _in_words(value)
        case bytes() | bytearray() | memoryview():
            return _describe(bytes(value))
        case date() | time():
            return value.isoformat()
    if isinstance(value, LISTS):
        return [convert(item) for item in value]
    if hasattr(kind, "model_dump"):
        return convert(dumped(value))
    if (parts := own_fields(value)) is not None:
        return {name: convert(part) for name, part in parts}
    if hasattr(kind, "tolist") and not hasattr(kind, "to_dict"):
        return convert(value.tolist())  # str leaves out the middle of a long one
    return valid_text(_readable(value))


def _key(name: Any, convert: _Convert) -> str:
    if type(name) is str and name.isascii():
        return name
    plain = convert(name)
    return plain if isinstance(plain, str) else dump_json(plain)


def _told_apart(names: list[Any], keys: list[str]) -> list[str]:
    """The keys, no two alike: what was a text keeps its form, others say their type."""
    own = [
        type(name) is str and name == key for name, key in zip(names, keys, strict=True)
    ]
    taken = {key for key, kept in zip(keys, own, strict=True) if kept}
    counts: dict[str, int] = {}
    apart = []
    for name, key, kept in zip(names, keys, own, strict=True):
        free, kind = key, type(name).__name__
        while not kept and free in taken:
            counts[f"{key} {kind}"] = count = counts.get(f"{key} {kind}", 0) + 1
            free = f"{key} ({kind})" if count == 1 else f"{key} ({kind} {count})"
        taken.add(free)
        apart.append(free)
    return apart


def dump_json(plain: Any) -> str:
    """The text of a value that strict JSON holds already; ValueError for another."""
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def _sorted(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=json.dumps)


def _in_words(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def _describe(value: bytes) -> str:
    kinds = [kind for start, kind in _BEGINNINGS.items() if value.startswith(start)]
    return f"({len(value)} bytes: {kinds[0] if kinds else 'binary data'}, not shown)"


def _readable(value: object) -> str:
    """What `str` makes of it, without the memory address that Python puts into some."""
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return type_in_brackets(value)
    text = str(value)
    return _ADDRESS.sub("", text) if text.startswith("<") else text
