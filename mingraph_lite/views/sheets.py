"""Where the views' modules and sheets are, and how large their type."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__: Final = ["VIEWS", "look", "size"]

VIEWS: Final = Path(__file__).parent


def look(name: str) -> str:
    """A view's own style sheet behind the tokens that all views share.

    Why not an `@import` in the sheet? A notebook is sent the text alone, and finds no
    other file beside it.
    """
    sheets = (VIEWS / "tokens.css", VIEWS / name)
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def size() -> str:
    """`large` for a projector, else nothing; asked when a view is made."""
    return "large" if os.environ.get("MINGRAPH_PROJECTOR") == "1" else ""
