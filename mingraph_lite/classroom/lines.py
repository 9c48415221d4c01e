"""Lines to order, as a picture and as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mingraph_lite.classroom.arranging import BLANK, Arrangement, Placed

if TYPE_CHECKING:
    from mingraph_lite.views.lines_types import Lines

__all__: Final = ["as_text", "picture", "to_place"]


def to_place(order: object) -> str:
    """An order handed in as a list, as one text; whatever else, as it is written."""
    if isinstance(order, Iterable):
        return " ".join(str(each) for each in order)
    return str(order)


def picture(arrangement: Arrangement, placed: Sequence[Placed]) -> Lines:
    """The lines, and where they are now, for the view."""
    pieces = arrangement.pieces
    here = {one.letter for one in placed}
    return {
        "header": arrangement.header,
        "lines": [{"letter": a, "text": text} for a, text in pieces.items()],
        "placed": [
            {"letter": p.letter, "depth": p.depth, "fills": _fills(p, pieces)}
            for p in placed
        ],
        "left_out": [a for a in pieces if a not in here] if placed else [],
        "verdict": "",
        "right": False,
    }


def as_text(number: int, arrangement: Arrangement) -> str:
    """The lines by their letters, and how to order them in a cell."""
    pieces = arrangement.pieces
    lines = [f"  {letter}  {text}" for letter, text in pieces.items()]
    blanks = sum(text.count(BLANK) for text in pieces.values())
    fills = ', "…"' * blanks
    return "\n".join(
        [
            *([arrangement.header] if arrangement.header else []),
            *lines,
            "Your turn, in a new cell: the letters in order, a > for each level of",
            "indentation, one line left out; then the blanks, from top to bottom:"
            if blanks
            else "indentation, one line left out:",
            f'arrange({number}, "{arrangement.example}"{fills})',
            f"check({number})",
        ]
    )


def _fills(placed: Placed, pieces: dict[str, str]) -> list[str]:
    """One for each blank: what was left out is empty."""
    blanks = pieces[placed.letter].count(BLANK)
    return [*placed.fills, *[""] * blanks][:blanks]
