"""Thoughts at the start of a text that no server sorted out."""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.adapters.reply_text.bare_calls import is_one_json
from mingraph_lite.adapters.reply_text.control_tokens import TOKENS, past_space
from mingraph_lite.adapters.reply_text.notations import (
    NOTATIONS,
    THOUGHTS,
    Notation,
    marks,
    one_of,
)
from mingraph_lite.adapters.reply_text.quotations import Quotations

__all__: Final = ["closing_of", "without_thoughts"]

_OPENED: Final = marks(THOUGHTS)
_ALONE: Final = tuple(row for row in THOUGHTS if row.closes_alone)
_CLOSED: Final = re.compile(
    "|".join(f"({one_of(row.ends)})" for row in _ALONE), re.IGNORECASE
)
_BEGINS: Final = {
    row.name: re.compile(one_of(row.begins), re.IGNORECASE) for row in _ALONE
}
_ENDS: Final = {
    row.name: re.compile(one_of(row.ends), re.IGNORECASE) for row in THOUGHTS
}
_GO_ON: Final = ("<|start|>", "<|channel|>")
"""They end harmony's thought and begin what comes next."""
_HEADERS: Final = [
    mark
    for row in NOTATIONS
    if row.kind == "control" and row.anywhere
    for mark in row.begins
]
_BEFORE_THOUGHTS: Final = sorted([*TOKENS, *_HEADERS], key=len, reverse=True)


def without_thoughts(text: str, cut_off: bool) -> tuple[list[str], str, list[str]]:
    """The thoughts at the start, what is left, and notes.

    An opening tag that is never closed makes all of it a thought, cut off or not: a
    thought is no answer. A closing tag alone ends a thought that the template opened.
    """
    thoughts: list[str] = []
    at = 0
    while opened := _OPENED.match(text, _past_tokens(text, at)):
        row = THOUGHTS[(opened.lastindex or 1) - 1]
        closed = closing_of(row, text, opened.end())
        if closed is None and row.needs_end and not cut_off:
            break
        if closed is None:
            note = f"The text is a thought without its end, begun by {opened[0]}."
            return [*thoughts, text[opened.end() :]], "", [note] * (not cut_off)
        thoughts.append(text[opened.end() : closed[0]])
        at = closed[1]
    rest = text[at:].lstrip() if thoughts else text
    if is_one_json(rest) or (closing := _closing_alone(rest)) is None:
        return thoughts, rest, []
    note = f"The thought before {closing[0]} had no opening tag."
    left = rest[closing.end() :].lstrip()
    return [*thoughts, rest[: closing.start()]], left, [note]


def _past_tokens(text: str, at: int) -> int:
    """The place behind spaces and control tokens."""
    while True:
        at = past_space(text, at)
        token = next((t for t in _BEFORE_THOUGHTS if text.startswith(t, at)), None)
        # Harmony's header begins a thought too, and is no token of its own then.
        if token is None or _OPENED.match(text, at):
            return at
        at += len(token)


def closing_of(row: Notation, text: str, at: int) -> tuple[int, int] | None:
    """Where a thought ends, and what comes after begins; quoted tags end nothing."""
    for end in _ENDS[row.name].finditer(text, at):
        before, behind = text[end.start() - 1], text[end.end() : end.end() + 1]
        if before == behind and before in "`\"'":
            continue
        return end.start(), end.start() if end[0] in _GO_ON else end.end()
    return None


def _closing_alone(text: str) -> re.Match[str] | None:
    quotations, since = None, 0
    as_json = text.lstrip().startswith(("{", "["))
    for closing in _CLOSED.finditer(text):
        quotations = quotations or Quotations(text)
        start, end = closing.span()
        around = quotations.has_marks_around(start, end, since, to_the_end=as_json)
        since = end
        if around or quotations.code_end(start):
            continue
        row = _ALONE[(closing.lastindex or 1) - 1]
        return None if _BEGINS[row.name].search(text, 0, start) else closing
    return None
