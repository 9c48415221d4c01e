"""Any value in a few words."""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.schema.jsonable import valid_text

__all__: Final = ["BRIEF", "brief", "shown"]

BRIEF: Final = 200
"""So many characters are shown of a text that stands somewhere else in full."""


def shown(value: object) -> str:
    """Any value in a few words, the same in every run."""
    if isinstance(value, str):
        return brief(value)
    try:
        text = repr(value)
    except Exception:
        # A value that cannot be shown is no reason to stop the run it belongs to.
        text = f"<{type(value).__name__}>"
    return brief(re.sub(r" at 0x[0-9a-fA-F]+", "", text))


def brief(text: str, most: int = BRIEF) -> str:
    """The beginning of a long text."""
    # Cut first: the cut may leave half a character.
    return valid_text(text if len(text) <= most else f"{text[: most - 1]}…")
