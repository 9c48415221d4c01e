"""Text broken and cut so that it fits a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mingraph_lite.schema.signs import plain

__all__: Final = ["Layout", "sheet"]

_FILLING: Final = "\ue000"
"""Stands behind a sign that takes two places, so that both are counted."""

_LONGEST: Final = 280
_DEEPEST: Final = 24
"""So far to the right a text may go on; a long label leaves too little room."""


@dataclass(frozen=True)
class Layout:
    """How wide a text may be, and whether it is whole."""

    width: int = 100
    whole: bool = False

    def under(self, label: str, text: str, indent: int = 0) -> list[str]:
        """A text beside its label, broken where it is too wide."""
        head = f"{' ' * indent}{plain(label).replace('\n', ' ')}"
        rest = " " * (len(head) if len(head) <= _DEEPEST else indent + 4)
        width = max(self.width, len(head) + 20)
        broken: list[str] = []
        for line in self.fitting(text).split("\n"):
            start = rest if broken else head
            broken += textwrap.wrap(
                _filled(line),
                width,
                initial_indent=start,
                subsequent_indent=rest,
                replace_whitespace=False,
            ) or [start]
        return [line.replace(_FILLING, "").rstrip() for line in broken]

    def fitting(self, text: str) -> str:
        """A text without signs that move a terminal; a long one cut, and how long."""
        # Of a long text only its beginning is gone through.
        seen = plain(text if self.whole else text[: 4 * _LONGEST])
        if self.whole or len(seen) <= _LONGEST:
            return seen
        return f"{seen[:_LONGEST].rstrip()}… ({len(text):,} characters in all)"

    def cut(self, text: str) -> str:
        """One line that ends where the terminal does."""
        line = _filled(plain(text).replace("\n", " "))
        if len(line) > self.width and not self.whole:
            line = f"{line[: self.width - 1]}…"
        return line.replace(_FILLING, "")


def _filled(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        sign + _FILLING if unicodedata.east_asian_width(sign) in "WF" else sign
        for sign in text
    )


def sheet(rows: Iterable[Iterable[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as aligned columns; `right` are those of numbers."""
    table = [[_filled(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    numbers = {*right}
    return [
        "  ".join(
            cell.rjust(width) if at in numbers else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        .replace(_FILLING, "")
        .rstrip()
        for row in table
    ]
