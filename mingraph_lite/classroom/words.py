"""How the classroom puts counts and lists into words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

__all__: Final = ["count_of", "listed", "unknown"]


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Say that there is no such thing, what there is, and what may be meant."""
    name, known = str(name), list(known)
    close = get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"No {what} {name!r} here. There is: {listed(known)}.{hint}"


def listed(texts: Iterable[str]) -> str:
    """Put them behind one another, or say that there are none."""
    return ", ".join(texts) or "none"


def count_of(number: int, noun: str) -> str:
    """Say how many."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
