"""JSON as all programs read it: finite numbers, valid text, no endless nesting.

Python's `json` module also writes and reads `NaN` and half characters. The next program
on the line, a browser or a provider, refuses the whole text for one of them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__: Final = [
    "NotJSON",
    "brief",
    "first_object",
    "has_unsafe_number",
    "read_json",
    "sendable",
    "too_deep",
    "valid_text",
    "write_json",
]

DEEPEST: Final = 100
"""Nothing that a tool takes is nested deeper."""

BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""Brackets, and strings as wholes, since the brackets in them open nothing."""

LARGEST_BITS: Final = 1024
"""A whole number beyond this is infinite for every program that counts in floats."""


class NotJSON(ValueError):
    """A text that cannot be read as JSON."""


def read_json(text: str) -> Any:
    """The value a text stands for; raises NotJSON, and nothing else, if there is none.

    NaN and Infinity come through: whoever uses a number asks `has_unsafe_number`.
    """
    if _opens_too_deep(text):
        raise NotJSON(f"it is nested deeper than {DEEPEST} levels")
    try:
        return json.loads(text)
    except ValueError as error:
        raise NotJSON(str(error)) from None


def first_object(text: str) -> tuple[str, dict[str, Any], str] | None:
    """The first complete JSON object in a text, with what stands before and after it.

    None where the first bracket opens no complete object. Later brackets are not
    tried: they may lie inside an object that was cut off.
    """
    start = min((at for at in map(text.find, "{[") if at >= 0), default=-1)
    if start < 0 or text[start] == "[" or _opens_too_deep(text[start:]):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None
    return text[:start], value, text[end:]


def _opens_too_deep(text: str) -> bool:
    """Whether the brackets of a text open too many levels.

    Why not parse and catch RecursionError? In a browser there is none: the parser runs
    out of the stack that it shares with the page's engine, and Python is gone.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for bracket in BRACKETS.finditer(text):
        match bracket[0]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
        if depth > DEEPEST:
            return True
    return False


def write_json(value: object) -> str:
    """Strict JSON. What is not `sendable` is an error here, not at the provider."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def sendable(value: object) -> Any:
    """The nearest value that strict JSON can hold.

    NaN and the infinities become the texts "NaN", "Infinity" and "-Infinity", half
    characters become U+FFFD, and objects that JSON does not know become their `str`.
    """
    return _sendable(value, 1)


def _sendable(value: object, depth: int) -> Any:
    match value:
        case None | bool():
            return value
        case str():
            return valid_text(value)
        case int():
            return value if value.bit_length() <= LARGEST_BITS else _infinity(value)
        case float():
            return value if math.isfinite(value) else _infinity(value)
        case Mapping() | list() | tuple() if depth > DEEPEST:
            return "…"
        case Mapping():
            return {
                valid_text(str(key)): _sendable(item, depth + 1)
                for key, item in value.items()
            }
        case list() | tuple():
            return [_sendable(item, depth + 1) for item in value]
        case _:
            return valid_text(str(value))


def _infinity(number: float) -> str:
    if number != number:
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def valid_text(text: str) -> str:
    """The text with half characters mended: a pair is joined, a lone half replaced.

    Files with broken names and emojis cut in two bring them in; no request or file can
    be written with one inside.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def brief(value: object, limit: int = 80) -> str:
    """A quotation that fits into a sentence."""
    text = value if isinstance(value, str) else write_json(sendable(value))
    words = " ".join(valid_text(text[: 4 * limit]).split())
    return repr(words if len(words) <= limit else words[: limit - 1] + "…")


def too_deep(value: object) -> bool:
    """Whether something in there is nested deeper than anything that makes sense."""
    return any(depth > DEEPEST for depth, _ in _parts(value))


def has_unsafe_number(value: object) -> bool:
    """Whether a number in there is NaN, infinite, or too large to be anything else."""
    return any(
        (isinstance(part, float) and not math.isfinite(part))
        or (isinstance(part, int) and part.bit_length() > LARGEST_BITS)
        for _, part in _parts(value)
    )


def _parts(value: object) -> Iterator[tuple[int, object]]:
    """Everything inside a value with its depth, without recursion."""
    waiting = [(1, value)]
    while waiting:
        depth, part = waiting.pop()
        yield depth, part
        if isinstance(part, Mapping):
            waiting.extend((depth + 1, item) for item in part.values())
        elif isinstance(part, list):
            waiting.extend((depth + 1, item) for item in part)
