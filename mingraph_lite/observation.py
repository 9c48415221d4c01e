"""What a tool's result becomes before the model reads it: for now, plain text."""

from __future__ import annotations

import json
from typing import Final

__all__: Final = ["plain_text"]


def plain_text(value: object) -> str:
    """A tool's raw value as the text of its answer slip.

    Text stays as it is, numbers, lists and dicts become JSON, None becomes "null", and
    anything else what `str` makes of it.
    """
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        return str(value)
