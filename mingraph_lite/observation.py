"""What a tool's result becomes before the model reads it: plain text."""

from __future__ import annotations

from typing import Final

from mingraph_lite.schema.jsonable import (
    dump_json,
    jsonable,
    type_in_brackets,
    valid_text,
)

__all__: Final = ["error_text", "plain_text", "without_text"]

_NO_TEXT: Final = "Error: the result of type {} has no readable form"


def plain_text(value: object) -> str:
    """A tool's raw value as the text of its answer slip; it never raises.

    A text stays as it is. All else becomes strict JSON by the table in
    `schema.jsonable`: numbers, lists, dicts, sets (sorted), dataclasses and pydantic
    models as such, None as "null", NaN and the infinities as words, dates, paths and
    enums in their readable form; bytes are described and not shown. Half a surrogate
    pair, which no request can carry, becomes U+FFFD. A part that cannot be read is
    "<Kit object>" beside those that can; where that is all, the text is an error.
    """
    if type(value) is str:
        return valid_text(value)
    stand_ins: list[str] = []

    def stand_in(part: object) -> str:
        stand_ins.append(type_in_brackets(part))
        return stand_ins[-1]

    plain = jsonable(value, unreadable=stand_in)
    if stand_ins and plain is stand_ins[-1]:
        return _NO_TEXT.format(type(value).__name__)
    return plain if isinstance(plain, str) else dump_json(plain)


def error_text(error: BaseException) -> str:
    """An error in a line, for who did not see it raised."""
    if isinstance(error.__cause__, StopIteration) and isinstance(error, RuntimeError):
        error = error.__cause__  # which no generator can raise as itself
    text = plain_text(error)  # str() may fail, and half a character is no JSON
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def without_text(content: str) -> str | None:
    """The name of the type that `plain_text` found no text for; None for a text."""
    before, after = _NO_TEXT.split("{}")
    told = content.startswith(before) and content.endswith(after)
    return content[len(before) : -len(after)] if told else None
