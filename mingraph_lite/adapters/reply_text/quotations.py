"""Where a text quotes: a quoted tag is spoken of, not meant."""

from __future__ import annotations

import re
from typing import Final

__all__: Final = ["LONGEST_CODE", "Quotations", "code_end"]

_BACKTICKS: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})|(`+)", re.MULTILINE)
LONGEST_CODE: Final = 1000
"""How far on in its line the end of code in backticks is looked for."""

_OPENING: Final = "\"'`“‘«„"
_CLOSING: Final = "\"'`”’»“"
_PAIRS: Final = ("“”", "„“", "«»", "»«", "「」", "『』")
_IN_A_BLOCK: Final = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?>")
"""How a line of a quoted block begins, within a list or not."""


class Quotations:
    """Code between backticks, fenced blocks, and what stands in quotation marks.

    A block that is never closed goes to the end of the text, as in Markdown; a
    backtick without its partner in the same line quotes nothing.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0  # what stands before here has been looked through
        self._end = 0

    def code_end(self, place: int) -> int | None:
        """Where the code that holds this place ends; None where there is none.

        It is asked for one place after the other.
        """
        while self._end <= place:
            ticks = _BACKTICKS.search(self._text, self._at, place)
            if ticks is None:
                self._at = max(self._at, place)
                return None
            end = code_end(self._text, ticks)
            self._at = end or ticks.end()
            self._end = end or 0
        return self._end

    def go_on_from(self, place: int) -> None:
        """What stood before here was no Markdown: backticks in it quote nothing."""
        self._at, self._end = place, 0

    def is_between_marks(self, start: int, end: int) -> bool:
        """Whether a quotation mark stands right before a stretch, and right behind."""
        before, behind = self._text[start - 1 : start], self._text[end : end + 1]
        return bool(before and behind) and before in _OPENING and behind in _CLOSING

    def has_marks_around(
        self, start: int, end: int, since: int, *, to_the_end: bool = False
    ) -> bool:
        """Whether a stretch stands between quotation marks, next to it or in its line.

        Marks are counted from `since`, the end of what was looked at before. With
        `to_the_end` a quotation may lack its end, as in JSON that was cut off.
        """
        if self.is_between_marks(start, end):
            return True
        text = self._text
        line = max(text.rfind("\n", since, start) + 1, since)
        newline = text.rfind("\n", max(0, start - LONGEST_CODE), start)
        if _IN_A_BLOCK.match(text, newline + 1, start) and (
            newline >= 0 or start <= LONGEST_CODE
        ):
            return True
        if text.count('"', line, start) % 2 and (
            to_the_end or _closing_mark(text, end, '"')
        ):
            return True
        return any(
            text.rfind(opening, line, start) > text.rfind(closing, line, start)
            and _closing_mark(text, end, closing)
            for opening, closing in _PAIRS
        )


def _closing_mark(text: str, at: int, mark: str) -> bool:
    found = re.compile(rf"[^\"\n<\[{mark}]*{mark}").match(text, at)
    return found is not None


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
