"""A text on a terminal that may not know all its signs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

__all__: Final = ["put"]


def put(text: str, write: Callable[[str], object]) -> None:
    """Write a text; what the terminal has no sign for becomes a question mark.

    On some systems it knows 250 signs, and an arrow is not among them.
    """
    try:
        write(text)
    except UnicodeEncodeError as error:
        write(_without_odd_signs(text, write, error))


def _without_odd_signs(text: str, write: object, error: UnicodeEncodeError) -> str:
    known = getattr(sys.stdout, "encoding", None) if write is print else error.encoding
    # "charmap" is how Python calls each of the code pages, whichever it is.
    codec = known if known and known != "charmap" else "ascii"
    return text.encode(codec, "replace").decode(codec)
