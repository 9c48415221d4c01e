"""Text broken and cut so that it fits a terminal."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mingraph_lite.schema.signs import plain

__all__: Final = ["NARROWEST", "WIDTH", "Layout", "sheet"]

WIDTH: Final = 100
"""How wide a text is where no terminal says."""

NARROWEST: Final = 40

_FILLING: Final = "\ue000"
"""Stands behind a sign that takes two places, so that both are counted."""

_LONGEST: Final = 280
_BEFORE: Final = 80
_BEHIND: Final = 130
_SEEN: Final = 20
"""So much of a difference shows that there is one."""

_DEEPEST: Final = 24
"""So far to the right a text may go on; a long label leaves too little room."""


@dataclass(frozen=True)
class Layout:
    """How wide a text may be, and whether it is whole."""

    width: int = WIDTH
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

    def unbroken(self, label: str, word: str, indent: int) -> list[str]:
        """A word beside its label, or below it where it does not fit there."""
        if indent + len(label) + len(word) <= self.width:
            return self.under(label, word, indent)
        return [*self.under(label, "", indent), *self.under("", word, indent + 2)]

    def fitting(self, text: str) -> str:
        """A text without signs that move a terminal; a long one cut, and how long."""
        # Of a long text only its beginning is gone through.
        seen = plain(text if self.whole else text[: 4 * _LONGEST])
        if self.whole or len(seen) <= _LONGEST:
            return seen
        return f"{seen[:_LONGEST].rstrip()}… ({len(text):,} characters in all)"

    def parting(self, one: str, other: str) -> tuple[str, str]:
        """Two texts that differ, each shown so that it can be seen where."""
        at = _same_until(one, other)
        if self.whole or at < _LONGEST - _SEEN or max(len(one), len(other)) <= _LONGEST:
            return one, other
        return _around(one, at), _around(other, at)

    def sheet(self, rows: Iterable[Sequence[str]], right: Iterable[int]) -> list[str]:
        """Rows as aligned columns, the first of them broken where all are too wide."""
        table = list(rows)
        behind = sum(
            2 + max(map(len, column)) for column in [*zip(*table, strict=True)][1:]
        )
        width = max(self.width - behind, 20)
        broken: list[Sequence[str]] = []
        for first, *others in table:
            head, *more = textwrap.wrap(first, width, subsequent_indent="  ") or [""]
            broken.append([head, *others])
            broken += [[line, *[""] * len(others)] for line in more]
        return sheet(broken, right)

    def cut(self, text: str) -> str:
        """One line that ends where the terminal does."""
        line = _filled(plain(text).replace("\n", " "))
        if len(line) > self.width and not self.whole:
            line = f"{line[: self.width - 1]}…"
        return line.replace(_FILLING, "")


def _same_until(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # halved until it is found: they may be long
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _around(text: str, at: int) -> str:
    """The part of a long text where it begins to differ, and how far in that is."""
    start, end = max(at - _BEFORE, 0), at + _BEHIND
    shown = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    return f"(differs after {at:,} of {len(text):,} characters) {shown}"


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
