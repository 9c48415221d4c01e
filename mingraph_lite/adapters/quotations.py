"""Where a text quotes: a tag in a quotation is spoken of, and not meant."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

__all__: Final = ["LONGEST_CODE", "Quotations", "code_end"]

_BACKTICKS: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})|(`+)", re.MULTILINE)
LONGEST_CODE: Final = 1000
"""How far on in its line the end of code in backticks is looked for."""

_OPENING: Final = "\"'`“‘«„"
_CLOSING: Final = "\"'`”’»“"


class Quotations:
    """Code between backticks, fenced blocks, and what stands in quotation marks.

    A block that is never closed goes to the end of the text, as in Markdown; a
    backtick without its partner in the same line quotes nothing.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        spans = [*_code(text)] if "`" in text or "~~~" in text else []
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def code_end(self, at: int) -> int | None:
        """Where the code that holds this place ends; None where there is none."""
        place = bisect_right(self._starts, at) - 1
        end = self._ends[place] if place >= 0 else 0
        return end if end > at else None

    def has_marks_around(self, start: int, end: int, since: int) -> bool:
        """Whether a stretch stands between quotation marks, next to it or in its line.

        Marks are counted from `since`, the end of what was looked at before.
        """
        text = self._text
        before, behind = text[start - 1 : start], text[end : end + 1]
        if before and behind and before in _OPENING and behind in _CLOSING:
            return True
        line = max(text.rfind("\n", since, start) + 1, since)
        if text.count('"', line, start) % 2 == 0:
            return False
        return _closing_mark(text, end)


def _closing_mark(text: str, at: int) -> bool:
    found = re.compile(r'[^"\n<\[]*"').match(text, at)
    return found is not None


def _code(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while ticks := _BACKTICKS.search(text, at):
        at = code_end(text, ticks) or ticks.end()
        if at > ticks.end():
            yield ticks.start(), at


def code_end(text: str, ticks: re.Match[str]) -> int | None:
    """Where the code ends that these backticks begin, or None if they begin none."""
    run = ticks[1] or ticks[2]
    newline = text.find("\n", ticks.end(), ticks.end() + LONGEST_CODE)
    limit = newline if newline >= 0 else min(len(text), ticks.end() + LONGEST_CODE)
    sign = run[0]
    same = re.compile(f"(?<!{sign}){sign}{{{len(run)}}}(?!{sign})")
    if closing := same.search(text, ticks.end(), limit):
        return closing.end()
    if ticks[1] is None:
        return None
    last = re.compile(rf"^[ \t]*{sign}{{{len(run)},}}[ \t]*$", re.MULTILINE)
    block = last.search(text, ticks.end())
    return block.end() if block else len(text)
