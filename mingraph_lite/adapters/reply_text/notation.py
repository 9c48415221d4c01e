"""What a row of the table says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mingraph_lite.adapters.reply_text.call_texts import Reader

__all__: Final = ["TAG", "Notation", "marks", "one_of"]


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write into a text what is no answer.

    A thought is looked for at the start of a text only, since an answer may speak of
    the tag; `anywhere` is for tokens of which no answer speaks unquoted. A call counts
    wherever it stands unquoted; the readers are tried in turn. Where `ends` is
    missing, a thought goes to the end of the text, a call as far as it can be read.
    With `needs_end` a thought counts only where its end is there, or the text was cut;
    with `needs_menu` a call counts only where its tool is on the menu.
    """

    name: str
    source: str
    kind: Literal["thought", "call", "control"]
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    example: str
    readers: tuple[Reader, ...] = ()
    anywhere: bool = False
    closes_alone: bool = False  # templates write the opening tag themselves
    needs_end: bool = False  # words that open it may also be plain prose
    needs_menu: bool = False  # what it looks like may also be something else
    keeps: int = 0  # how many signs at the end of `begins` are part of the call


TAG: Final = re.compile(r"<[\w:]+>")


def one_of(texts: Iterable[str]) -> str:
    """A pattern for any of these texts, the longest that fits."""
    return "|".join(map(re.escape, sorted({*texts}, key=len, reverse=True)))


def marks(rows: Sequence[Notation]) -> re.Pattern[str]:
    """Finds where something of these rows begins; the group's number is the row's."""
    groups = (f"({'|'.join(_beginnings(row))})" for row in rows)
    return re.compile("|".join(groups), re.IGNORECASE)


def _beginnings(row: Notation) -> Iterable[str]:
    """Patterns for how a row begins; the tag of a thought may have attributes."""
    for text in sorted({*row.begins}, key=len, reverse=True):
        if row.kind == "thought" and TAG.fullmatch(text):
            yield rf"{re.escape(text[:-1])}(?:\s[^<>]{{0,80}})?>"
        else:
            yield re.escape(text)
