"""Reading JSON without guessing: what is odd about a text is found.

Python's `json` module reads `NaN`, numbers without end and a key that stands twice in
one object, and says nothing. What is written is made strict by `schema.jsonable`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from mingraph_lite.schema.jsonable import DEEPEST, fits_a_float, valid_text, write_json

__all__: Final = [
    "Body",
    "DoubledKey",
    "GrowingJSON",
    "NotJSON",
    "as_object",
    "brief",
    "doubled_key",
    "first_object",
    "has_unsafe_number",
    "next_value",
    "opens_too_many_levels",
    "read_json",
    "too_deep",
]

_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""Brackets, and strings as wholes, since the brackets in them open nothing."""

_MARKS: Final = re.compile(r'\\.?|["\[\]{}]', re.DOTALL)
"""What opens or closes something, and what stands behind a backslash with it."""

_SPACE: Final = " \t\n\r"
"""What JSON takes for space."""

_LONGEST_BARE: Final = 5000
"""Nothing without quotes and brackets is longer: Python reads 4,300 digits."""


type Body = dict[str, Any]
"""A JSON object, as it stands in the body of a request or of a reply."""


class NotJSON(ValueError):
    """A text that cannot be read as JSON."""


class DoubledKey(dict[str, Any]):
    """An object written with one key twice; the last value counts.

    Its `items` are the pairs as they were written, so that it is also written again
    as it came.
    """

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self._pairs = pairs

    @property
    def key(self) -> str:
        """The first key that comes a second time."""
        seen: set[str] = set()
        for name, _ in self._pairs:
            if name in seen:
                return name
            seen.add(name)
        raise AssertionError("it is made only where a key comes twice")

    def items(self) -> Any:
        """The pairs, in their order."""
        return self._pairs


def _keeping_doubled_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    return made if len(made) == len(pairs) else DoubledKey(pairs)


_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_keeping_doubled_keys)


def read_json(text: str) -> Any:
    """The value a text stands for; raises NotJSON, and nothing else, if there is none.

    NaN and Infinity come through, and keys that stand twice in one object: whoever
    uses the value asks `has_unsafe_number` and `doubled_key`.
    """
    if opens_too_many_levels(text):
        raise NotJSON(f"it is nested deeper than {DEEPEST} levels")
    try:
        return _DECODER.decode(text)
    except ValueError as error:
        raise NotJSON(str(error)) from None


class GrowingJSON:
    """A JSON text in pieces, and whether it is whole so far.

    Each piece is looked at once, and all is parsed only where every bracket is closed:
    to parse it for each piece would take hours for a long text.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._bare = ""  # the text, until something is opened
        self._depth = 0
        self._quoted = self._escaped = self._opened = self._broken = False
        self._whole: bool | None = None  # None: not asked yet

    def __str__(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> None:
        """Take in the next piece."""
        self._pieces.append(piece)
        blank = not piece.strip(_SPACE)
        if blank and not self._quoted and (self._opened or not self._bare):
            return
        # What was closed and goes on is no JSON any more, whatever comes.
        self._broken = self._broken or (self._opened and not self.is_open())
        self._whole = False if self._broken else None
        if not self._opened and len(self._bare) <= _LONGEST_BARE:
            self._bare = (self._bare + piece).lstrip(_SPACE)
        self._follow(piece)

    def _follow(self, piece: str) -> None:
        start, self._escaped = int(self._escaped), False
        for mark in _MARKS.finditer(piece, start):
            self._opened = True
            match mark[0]:
                case '"':
                    self._quoted = not self._quoted
                case "\\":
                    self._escaped = True  # what it stands before is in the next piece
                case "[" | "{" if not self._quoted:
                    self._depth += 1
                case "]" | "}" if not self._quoted:
                    self._depth -= 1

    def is_open(self) -> bool:
        """Whether a bracket or a quote is still to be closed."""
        return self._quoted or self._escaped or self._depth > 0

    def is_whole(self) -> bool:
        """Whether the pieces so far are a complete JSON value."""
        if self.is_open():
            return False
        if self._whole is None:
            self._whole = self._can_be_read()
        return self._whole

    def _can_be_read(self) -> bool:
        if not self._opened and len(self._bare) > _LONGEST_BARE:
            return False
        try:
            read_json(str(self) if self._opened else self._bare)
        except NotJSON:
            return False
        return True


def first_object(text: str) -> tuple[str, dict[str, Any], str] | None:
    """The first complete JSON object in a text, with what stands before and after it.

    None where the first bracket opens no complete object. Later brackets are not
    tried: they may lie inside an object that was cut off.
    """
    start = min((at for at in map(text.find, "{[") if at >= 0), default=-1)
    if start < 0 or text[start] == "[" or opens_too_many_levels(text[start:]):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except ValueError:
        return None
    return text[:start], value, text[end:]


def next_value(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at a place, and where it ends; raises NotJSON.

    Whoever looks for many in one text has asked `opens_too_many_levels` of it: to ask
    it here would count the rest of the text again for each value.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except ValueError as error:
        raise NotJSON(str(error)) from None


def opens_too_many_levels(text: str) -> bool:
    """Whether the brackets of a text open too many levels.

    Why not parse and catch RecursionError? In a browser there is none: the parser runs
    out of the stack that it shares with the page's engine, and Python is gone.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        match bracket[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
        if depth > DEEPEST:
            return True
    return False


def brief(value: object, limit: int = 80) -> str:
    """A quotation that fits into a sentence."""
    text = value if isinstance(value, str) else write_json(value)
    words = " ".join(valid_text(text[: 4 * limit]).split())
    return repr(words if len(words) <= limit else words[: limit - 1] + "…")


def too_deep(value: object) -> bool:
    """Whether something in there is nested deeper than anything that makes sense."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for part in level for inner in _inside(part)]
        if not level:
            return False
    return True


def doubled_key(value: object) -> str | None:
    """A key that stands twice in one object in there, or None."""
    doubled = (part for part in _parts(value) if isinstance(part, DoubledKey))
    return next((part.key for part in doubled), None)


def has_unsafe_number(value: object) -> bool:
    """Whether a number in there is NaN, infinite, or too large to be anything else."""
    return any(
        (isinstance(part, float) and not math.isfinite(part))
        or (isinstance(part, int) and not fits_a_float(part))
        for part in _parts(value)
    )


def _parts(value: object) -> Iterator[object]:
    """Everything inside a value, level by level, without recursion."""
    level = [value]
    while level:
        yield from level
        level = [inner for part in level for inner in _inside(part)]


def _inside(part: object) -> Iterable[object]:
    # Texts and numbers first: there are the most of them.
    if type(part) in _PLAIN:
        return ()
    if isinstance(part, Mapping):
        return part.values()
    return part if isinstance(part, list) else ()


def as_object(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}
