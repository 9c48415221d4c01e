"""What a tool's result becomes before the model reads it: plain text."""

from __future__ import annotations

from typing import Final

from mingraph_lite.schema.jsonable import (
    dump_json,
    jsonable,
    type_in_brackets,
    valid_text,
)

__all__: Final = ["plain_text"]


def plain_text(value: object) -> str:
    """A tool's raw value as the text of its answer slip; it never raises.

    A text stays as it is. All else becomes strict JSON by the table in
    `schema.jsonable`: numbers, lists, dicts, sets (sorted), dataclasses and pydantic
    models as such, None as "null", NaN and the infinities as words, dates, paths and
    enums in their readable form; bytes are described and not shown. Half a surrogate
    pair, which no request can carry, becomes U+FFFD.
    """
    if type(value) is str:
        return valid_text(value)
    mark = type_in_brackets(value)

    def stand_in(part: object) -> str:
        return mark if part is value else type_in_brackets(part)

    try:
        # A part of it that cannot be read is a word beside those that can.
        plain = jsonable(value, stand_in)
        if plain is not mark:
            return plain if isinstance(plain, str) else dump_json(plain)
    except Exception:
        pass
    return f"Error: the result of type {type(value).__name__} has no readable form"
