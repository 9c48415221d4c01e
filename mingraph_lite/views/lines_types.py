"""What lines to order hold: plain JSON, for notebook and page.

The page's types are made of these; after a change of them write them again:

    python -m mingraph_lite.views.typescript playground/src/lines.ts
"""

from __future__ import annotations

from typing import Final, TypedDict

__all__: Final = ["LineToOrder", "Lines", "Placed"]


class Lines(TypedDict):
    """Lines to order, where they were put, and what the check said.

    `lines` stand in their shuffled order. `placed` is empty before the first check.
    `left_out` has the letters of the lines that are one too many. `verdict` is empty
    until something was checked.
    """

    lines: list[LineToOrder]
    placed: list[Placed]
    left_out: list[str]
    verdict: str
    right: bool


class LineToOrder(TypedDict):
    """One line of code, not indented; each `____` is a blank."""

    letter: str
    text: str


class Placed(TypedDict):
    """Where one line was put: how deep, with what in its blanks."""

    letter: str
    depth: int
    fills: list[str]
