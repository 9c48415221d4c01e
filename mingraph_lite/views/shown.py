"""Counts in the few words of a picture."""

from __future__ import annotations

from typing import Final

__all__: Final = ["messages"]


def messages(count: int, what: str = "message") -> str:
    """A count in words."""
    return f"{count} {what}{'' if count == 1 else 's'}"
