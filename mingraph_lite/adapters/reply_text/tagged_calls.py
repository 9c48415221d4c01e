"""One walk through a text, for what stands between its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from mingraph_lite.adapters.reply_text.bare_calls import (
    Found,
    is_on_menu,
    unreadable,
)
from mingraph_lite.adapters.reply_text.call_names import is_per_function, name_in
from mingraph_lite.adapters.reply_text.call_texts import Read, read_named_calls, typed
from mingraph_lite.adapters.reply_text.control_tokens import (
    past_space,
    without_blank_end,
)
from mingraph_lite.adapters.reply_text.notations import (
    CALLS,
    NOTATIONS,
    Notation,
    marks,
    one_of,
)
from mingraph_lite.adapters.reply_text.quotations import Quotations
from mingraph_lite.adapters.reply_text.thoughts import closing_of
from mingraph_lite.adapters.strict_json import (
    NotJSON,
    brief,
    next_value,
    opens_too_many_levels,
)
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.llm import Menu
from mingraph_lite.messages import ToolCall

__all__: Final = ["Walk"]

_ANYWHERE: Final = (*(row for row in NOTATIONS if row.anywhere), *CALLS)
_MARKS: Final = marks(_ANYWHERE)
_ENDS: Final = {
    row.name: re.compile(one_of(row.ends) or "(?!)", re.IGNORECASE) for row in CALLS
}
_FENCE: Final = "```"
_ENDS_BEHIND: Final = re.compile(
    rf"(?:\s*(?:{one_of(e for row in CALLS for e in row.ends if e != _FENCE)}))+",
    re.IGNORECASE,
)
"""Closing tags of any kind: a call may stand in two, or end as another begins."""
_FENCE_BEHIND: Final = re.compile(r"\s*```[ \t]*(?=\n|\Z)")
_ONE_WORD: Final = re.compile(r"\s*[\w.:-]+\s*(?:(?:<[｜|][^<>]{1,80}>|\[ARGS\])\s*)*")
"""A name without arguments; other words may stand between tags as well."""
_HEADER: Final = 200
"""How long what stands between a call's opening tag and its arguments may be."""


class Walk:
    """One walk through a text that takes off what stands in it."""

    def __init__(
        self, text: str, cut_off: bool, sent: Sequence[ToolCall], menu: Menu
    ) -> None:
        self._text = text
        self._cut_off = cut_off
        self._sent = {_key(call) for call in sent}
        self._has_sent = bool(sent)
        self._menu = menu
        self._patience = 8
        self._begins_as_json = text.lstrip().startswith(("{", "["))
        self._too_deep = opens_too_many_levels(text)
        self._next_ends: dict[str, re.Match[str] | None] = {}
        self._kept: list[str] = []
        self._from = 0  # the text up to here is kept or taken off
        self._gap = ""  # the newline that was left out behind what is kept
        self._opening: tuple[int, int] | None = None  # a tag with nothing behind it
        self.thoughts: list[str] = []
        self.calls: list[Found] = []
        self.notes: list[str] = []

    def go(self) -> None:
        """Look at each mark once."""
        quotations, at, since = None, 0, 0
        mark = _MARKS.search(self._text)
        while mark:
            quotations = quotations or Quotations(self._text)
            if (code := quotations.code_end(mark.start())) is not None:
                at = code
            elif quotations.is_between_marks(*mark.span()):
                at = mark.end()
            else:
                following = _MARKS.search(self._text, mark.end())
                end, take = self._read(mark, following)
                if quotations.has_marks_around(
                    mark.start(), end, since, to_the_end=self._begins_as_json
                ):
                    at = end
                elif take():
                    at = end
                    quotations.go_on_from(at)
                else:
                    at = mark.end()
                since = at
                if following and following.start() >= at:
                    mark = following
                    continue
            mark = _MARKS.search(self._text, at)

    def text(self) -> str:
        """What is left."""
        if not self._from:
            return self._text
        self._keep_until(len(self._text))
        return "".join(self._kept).rstrip()

    def _read(
        self, mark: re.Match[str], following: re.Match[str] | None
    ) -> tuple[int, Callable[[], bool]]:
        """Where what a mark begins ends, and what takes it off if it is meant."""
        row = _ANYWHERE[(mark.lastindex or 1) - 1]
        start = mark.start()
        if row.kind == "control":
            return mark.end(), lambda: self._take(start, mark.end())
        if row.kind == "thought":
            closing = closing_of(row, self._text, mark.end())
            inner, end = closing or (len(self._text), len(self._text))
            thought = self._text[mark.end() : inner]
            return end, lambda: self._take(start, end, thought)
        inside = mark.end() - row.keeps
        limit, closed = self._limit(row, mark, following)
        found, end = self._found(row, inside, limit, closed)
        if not (found or closed or self._text[inside:limit].strip()):
            return mark.end(), lambda: self._take_opening(start, mark.end())
        return end, lambda: self._take_calls(row, start, end, found)

    def _limit(
        self, row: Notation, mark: re.Match[str], following: re.Match[str] | None
    ) -> tuple[int, bool]:
        """Where a call's inside ends at the latest, and whether by a closing tag."""
        opened, at = mark[0], mark.end() - row.keeps
        known = self._next_ends.get(row.name)
        if row.name not in self._next_ends or (known and known.start() < at):
            known = _ENDS[row.name].search(self._text, at)
            self._next_ends[row.name] = known
        end = known.start() if known else len(self._text)
        while following and following.start() < end:
            between = self._text[at : min(following.start(), at + _HEADER)]
            if not _is_inner(row, opened, following[0], between):
                return following.start(), False
            following = _MARKS.search(self._text, following.end())
        return end, known is not None

    def _found(
        self, row: Notation, start: int, limit: int, closed: bool
    ) -> tuple[list[Found], int]:
        text = self._text
        if read := self._read_inside(row, start, limit, closed):
            calls, end = read
            found = [Found(typed(call, self._menu)) for call in calls]
            if self._are_meant(row, found, text[start:end]):
                return found, self._past_ends(row, end)
            if closed or not self._cut_off:
                return [], self._past_ends(row, end)
        inside = text[start:limit]
        end = self._past_ends(row, limit) if closed else limit
        name = None if self._is_json(inside) else name_in(row, inside)
        cut = self._cut_off and end == len(text) and not closed
        if (name is None and not cut) or (row.needs_menu and not self._knows(name)):
            return [], end
        return [unreadable(name, inside)], end

    def _past_ends(self, row: Notation, at: int) -> int:
        fence = _FENCE_BEHIND.match(self._text, at) if _FENCE in row.ends else None
        at = fence.end() if fence else at
        behind = _ENDS_BEHIND.match(self._text, at)
        return behind.end() if behind else at

    def _are_meant(self, row: Notation, found: list[Found], inside: str) -> bool:
        """Whether what can be read as calls is more than words of that shape."""
        if row.needs_menu:  # a tool's entry on the menu holds a description
            functions = [call.entry["function"] for call in found]
            return all(
                self._knows(f.get("name")) and "description" not in f for f in functions
            )
        return not _ONE_WORD.fullmatch(inside) or self._knows(found[0].name)

    def _knows(self, name: object) -> bool:
        return is_on_menu(self._menu, name)

    def _read_inside(self, row: Notation, start: int, limit: int, closed: bool) -> Read:
        """The calls, and where they end in the text.

        What looks like the closing tag may stand in a string of the arguments. Then
        all the rest is tried, a few times: for each mark it would take too long.
        """
        if self._too_deep:
            return None
        inside = self._text[start:limit]
        for reader in row.readers:
            if read := reader(inside, closed):
                return read[0], start + read[1]
        if not self._patience or not inside.lstrip().startswith(("{", "[", "<")):
            return None
        self._patience -= 1
        for reader in row.readers:
            if read := reader(self._text[start:], False):
                return read[0], start + read[1]
        return None

    def _is_json(self, inside: str) -> bool:
        at = len(inside) - len(inside.lstrip())
        if self._too_deep or inside[at : at + 1] not in ("{", "["):
            return False
        try:
            next_value(inside, at)
        except NotJSON:
            return False
        return True

    def _take_opening(self, start: int, end: int) -> bool:
        """A tag with nothing behind it goes with the call that stands next to it."""
        behind_a_call = self.calls and self._is_blank(self._from, start)
        if behind_a_call and past_space(self._text, end) == len(self._text):
            return self._take(start, end)
        if self._opening and self._is_blank(self._opening[1], start):
            start = self._opening[0]
        self._opening = start, end
        return False

    def _is_blank(self, start: int, end: int) -> bool:
        """Whether nothing stands between, or a few spaces."""
        return end - start <= _HEADER and not self._text[start:end].strip()

    def _take_calls(
        self, row: Notation, start: int, end: int, found: list[Found]
    ) -> bool:
        where = f"in the notation {row.name}"
        if not found and row.needs_menu:
            return False
        if not found:
            quote = brief(self._text[start:end])
            self.notes.append(f"What begins like a call {where} stays text: {quote}.")
            return False
        names = ", ".join({call.name: None for call in found})
        if self._has_sent:
            calls, _ = read_tool_calls([call.entry for call in found])
            if not {_key(call) for call in calls} <= self._sent:
                self.notes.append(f"Another call of {names} {where} stays text.")
                return False
            self.notes.append(f"The call of {names} came a second time, {where}.")
        else:
            self.calls += found
            self.notes.append(f"The call of {names} came as text, {where}.")
        if self._opening and self._is_blank(self._opening[1], start):
            start = self._opening[0]
        return self._take(start, end)

    def _take(self, start: int, end: int, thought: str = "") -> bool:
        self._keep_until(start)
        self._from = end
        if thought:
            self.thoughts.append(thought)
        return True

    def _keep_until(self, end: int) -> None:
        whole = self._text[self._from : end]
        if not self._kept:
            if self._from or not whole.strip():
                whole = whole.lstrip()
        elif self._kept[-1][-1:].isspace():
            whole = whole.lstrip(" \t")  # what was taken off stood between two spaces
        piece = without_blank_end(whole)
        if not piece.strip():
            return
        if self._gap and not piece[0].isspace():
            self._kept.append(self._gap)
        self._gap = whole[len(piece) :][:1]
        self._kept.append(piece)


def _is_inner(row: Notation, opened: str, mark: str, between: str) -> bool:
    """Whether a mark is a part of the call before it, and begins nothing itself."""
    if row.name == "harmony's call":
        header = mark.startswith("<|channel|>") and mark.endswith("<|message|>")
        return header and "<|message|>" not in between
    if read_named_calls in row.readers:
        return mark in row.begins and not between.strip()
    # One of them between two of another kind: <tool_call><function=…>…</tool_call>.
    return not is_per_function(opened) and is_per_function(mark)


def _key(call: ToolCall) -> str:
    return f"{call.name.lower()} {dict(sorted(call.arguments.items()))}"
