"""What of a text that still comes is surely answer.

A stream is cut anywhere, also inside of a tag. Whatever may still become a thought, a
call or a control token waits; the rest goes on at once.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from mingraph_lite.adapters.reply_text.call_texts import NAME_KEYS
from mingraph_lite.adapters.reply_text.control_tokens import without_blank_end
from mingraph_lite.adapters.reply_text.notation import TAG
from mingraph_lite.adapters.reply_text.notations import (
    NOTATIONS,
    SIGNS,
    THOUGHTS,
    marks,
    one_of,
)
from mingraph_lite.adapters.reply_text.quotations import LONGEST_CODE
from mingraph_lite.adapters.reply_text.stripped_harmony import (
    STRIPPED,
    STRIPPED_BEGINNINGS,
)

__all__: Final = ["TextGate"]

_OPENED: Final = marks(THOUGHTS)
_ALONE: Final = [end for row in THOUGHTS if row.closes_alone for end in row.ends]
_MARKS: Final = [
    *_ALONE,
    *(
        mark
        for row in NOTATIONS
        if row.kind != "thought" or row.anywhere
        for mark in row.begins
    ),
]
_TURN: Final = re.compile(
    rf"(?P<closed>{one_of(_ALONE)})|(?P<mark>{one_of(_MARKS)})"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,})|(?P<ticks>`+)",
    re.IGNORECASE | re.MULTILINE,
)
_CALL: Final = re.compile(
    one_of(mark for row in NOTATIONS if row.kind == "call" for mark in row.begins),
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(
    one_of(mark for row in NOTATIONS if row.kind == "control" for mark in row.begins),
    re.IGNORECASE,
)
_ALL: Final = [*_MARKS, *(mark for row in THOUGHTS for mark in row.begins)]
_BEGINNINGS: Final = frozenset(
    mark.lower()[:length] for mark in _ALL for length in range(1, len(mark))
)
_FIRST: Final = frozenset(beginning[0] for beginning in _BEGINNINGS)
_LAST_TWO: Final = frozenset(beginning[-2:] for beginning in _BEGINNINGS)
_A_SIGN: Final = re.compile(f'[{re.escape(SIGNS)}"\n]')
"""Where a turn may come, and what the gate counts."""
_HALF_TAG: Final = re.compile(
    rf"(?:{one_of(b[:-1] for row in THOUGHTS for b in row.begins if TAG.fullmatch(b))})"
    r"\s[^<>]{0,80}",
    re.IGNORECASE,
)
_LONGEST: Final = max(map(len, _ALL))
_BARE: Final = re.compile(
    rf'[\[\s]*\{{\s*"(?:{"|".join((*NAME_KEYS, "id", "type", "arguments"))})"'
    r"|\[\s*[A-Za-z_]\w*\("
)
_BARE_AT_MOST: Final = 40
"""A call that is the whole text shows by then that it is one."""


class TextGate:
    """Lets an answer through as soon as it is sure."""

    def __init__(self, has_menu: bool) -> None:
        self.is_void = False
        """Whether what was let through before now turned out to be a thought."""
        self._has_menu = has_menu
        self._waiting = ""
        self._passed: list[str] = []
        self._state: Literal["start", "thought", "text", "fence", "held"] = "start"
        self._end = re.compile("")  # what closes the thought or the fence
        self._after_thought = False
        self._begins_line = True  # what waits stands at the start of a line
        self._odd_quotes = False  # a quotation mark is open in this line

    def add(self, piece: str) -> str:
        """Take in a piece and give what may be passed on now."""
        if self._is_plain(piece):
            self._passed.append(piece)
            self._begins_line = False
            return piece
        self._waiting += piece
        let: list[str] = []
        while self._state != "held":
            before = self._state, len(self._waiting)
            let.append(self._step())
            if self.is_void and not self._passed:
                let = let[-1:]
            if (self._state, len(self._waiting)) == before:
                break
        else:
            self._waiting = ""  # the whole text says at its end what it was
        return "".join(let)

    def _is_plain(self, piece: str) -> bool:
        """Whether it is text beyond doubt, as nearly all pieces are."""
        return (
            self._state == "text"
            and not self._waiting
            and bool(self._passed)
            and bool(piece)
            and not _A_SIGN.search(piece)
            and not self._half_mark(piece)
        )

    def _step(self) -> str:
        match self._state:
            case "start":
                return self._at_start()
            case "thought":
                return self._in_thought()
            case "fence":
                return self._in_fence()
            case _:
                return self._in_text()

    def _at_start(self) -> str:
        text = self._waiting.lstrip()
        if self._after_thought:
            self._waiting = text
        if not text:
            return ""
        if opened := _OPENED.match(text):
            row = THOUGHTS[(opened.lastindex or 1) - 1]
            self._end = re.compile(one_of(row.ends), re.IGNORECASE)
            self._waiting = opened[0][-1] + text[opened.end() :]
            self._state = "thought"
        elif self._may_become_a_mark(text):
            return ""
        elif text.startswith(STRIPPED):
            self._state = "held"
        elif (token := _TOKEN.match(text)) and not _CALL.match(text):
            self._waiting, self._after_thought = text[token.end() :], True
            self._begins_line = False
        elif (bare := self._may_be_bare(text)) is None:
            return ""
        else:
            self._state = "held" if bare else "text"
        return ""

    def _may_become_a_mark(self, text: str) -> bool:
        half = text.lower() in _BEGINNINGS or text in STRIPPED_BEGINNINGS
        return half or _HALF_TAG.fullmatch(text) is not None

    def _may_be_bare(self, text: str) -> bool | None:
        """Whether all of it may be a call without a tag; None is not known yet."""
        if not self._has_menu or text[0] not in "{[`~":
            return False
        if text[0] in "`~":
            fence, newline, inside = text.partition("\n")
            if not newline or not inside.strip():
                return None if len(fence) < _BARE_AT_MOST else False
            text = inside.strip()
            if text[0] not in "{[":
                return False
        if _BARE.match(text):
            return True
        return None if len(text) < _BARE_AT_MOST else False

    def _in_thought(self) -> str:
        """Drop the thought, but for what may be half of its closing tag."""
        text = self._waiting
        for end in self._end.finditer(text, 1):
            before, behind = text[end.start() - 1], text[end.end() : end.end() + 1]
            if before in "`\"'" and behind in ("", before):
                if not behind:
                    return ""  # quoted, if the next piece says so
                continue
            goes_on = end[0] in ("<|start|>", "<|channel|>")
            self._waiting = text[end.start() if goes_on else end.end() :]
            self._state, self._after_thought = "start", True
            self._begins_line = True
            return ""
        self._waiting = text[-_LONGEST:]
        return ""

    def _in_fence(self) -> str:
        if closing := self._end.search(self._waiting):
            self._state = "text"
            return self._let(closing.end())
        if token := _TOKEN.search(self._waiting):
            self._state = "held"  # at the end of the text it is taken off here too
            return self._let(token.start())
        lines = self._waiting.rfind("\n")
        return self._let(max(lines, 0))

    def _in_text(self) -> str:
        text, at = self._waiting, 0
        while turn := _TURN.search(text, at):
            if turn["closed"] or turn["mark"]:
                if turn["closed"] and not turn["mark"]:
                    return self._closed(turn)
                self._state = "held"
                return self._let(turn.start())
            end = self._code(turn)
            if end is None or self._state == "fence":
                return self._let(turn.start() if end is None else end)
            at = end
        return self._let(len(text) - self._half_mark(text))

    def _closed(self, turn: re.Match[str]) -> str:
        """A closing tag alone: all before it was a thought that the template opened."""
        text = self._waiting
        line = text[text.rfind("\n", 0, turn.start()) + 1 : turn.start()]
        quoted = (self._odd_quotes and len(line) == turn.start()) != line.count(
            '"'
        ) % 2 or text[turn.start() - 1 : turn.start()] in ("'", "“", "‘", "«", "„")
        earlier = "".join(self._passed) + text[: turn.start()]
        if quoted or _OPENED.search(earlier):
            self._state = "held"
            return self._let(turn.start())
        self.is_void, self._after_thought = True, True
        self._passed.clear()
        self._waiting = text[turn.end() :]
        self._state, self._begins_line = "start", True
        return ""

    def _code(self, turn: re.Match[str]) -> int | None:
        """Where the code ends that begins here; None while that is not known."""
        text, run = self._waiting, turn["fence"] or turn["ticks"]
        if turn.end() == len(text):
            return None
        newline = text.find("\n", turn.end(), turn.end() + LONGEST_CODE)
        limit = newline if newline >= 0 else turn.end() + LONGEST_CODE
        sign = run[0]
        same = re.compile(f"(?<!{sign}){sign}{{{len(run)}}}(?!{sign})")
        closing = same.search(text, turn.end(), limit)
        if closing and closing.end() < len(text):
            return closing.end()
        if closing or (newline < 0 and len(text) < limit):
            return None
        if turn["fence"] and (turn.start() or self._begins_line):
            self._state = "fence"
            pattern = rf"^[ \t]*{sign}{{{len(run)},}}[ \t]*(?=\n)"
            self._end = re.compile(pattern, re.MULTILINE)
        return turn.end()

    def _half_mark(self, text: str) -> int:
        """How much at the end may be the beginning of a mark."""
        tail = text[-_LONGEST:].lower()
        if tail[-2:] not in _LAST_TWO and tail[-1:] not in _FIRST:
            return 0  # as nearly always
        starts = (i for i, sign in enumerate(tail) if sign in _FIRST)
        return next((len(tail) - i for i in starts if tail[i:] in _BEGINNINGS), 0)

    def _let(self, end: int) -> str:
        """Let through up to a place, but for blank lines: what follows may go."""
        passed = without_blank_end(self._waiting[:end])
        if not self._passed and not passed.strip():
            return ""
        self._waiting = self._waiting[len(passed) :]
        line = passed.rpartition("\n")
        odd = line[2].count('"') % 2 == 1
        self._odd_quotes = odd if line[1] else odd != self._odd_quotes
        if passed:
            self._begins_line = False
            self._passed.append(passed)
        return passed
