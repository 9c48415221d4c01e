"""From a reply's text to the answer in it, its thoughts and its calls.

In this order: thoughts at the start, then a text that is one call as a whole, then
what stands between, then the control tokens at both ends. Nothing is run that stands
in a thought or in a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mingraph_lite.adapters.bare_calls import (
    Found,
    bare_calls,
    is_one_json,
    unreadable,
)
from mingraph_lite.adapters.call_texts import Read, read_named_calls, typed
from mingraph_lite.adapters.quotations import Quotations
from mingraph_lite.adapters.reply_text import (
    CALLS,
    NOTATIONS,
    THOUGHTS,
    Notation,
    marks,
    one_of,
)
from mingraph_lite.adapters.strict_json import (
    NotJSON,
    brief,
    next_value,
    opens_too_many_levels,
)
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.llm import Menu
from mingraph_lite.messages import ToolCall
from mingraph_lite.schema.tool_names import CONTROL_TOKENS

__all__: Final = ["Hidden", "read_text"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a text was: the answer that is left, and what was taken off it."""

    text: str
    reasoning: str = ""
    calls: tuple[Found, ...] = ()
    notes: tuple[str, ...] = ()


_CONTROLS: Final = tuple(
    row for row in NOTATIONS if row.kind == "control" and row.anywhere
)
_OPENED: Final = marks(THOUGHTS)
_ALONE: Final = tuple(row for row in THOUGHTS if row.closes_alone)
_CLOSED: Final = re.compile(
    "|".join(f"({one_of(row.ends)})" for row in _ALONE), re.IGNORECASE
)
_ANYWHERE: Final = (
    *(row for row in THOUGHTS if row.anywhere),
    *_CONTROLS,
    *CALLS,
)
_MARKS: Final = marks(_ANYWHERE)
_ENDS: Final = {
    row.name: re.compile(one_of(row.ends) or r"(?!)", re.IGNORECASE)
    for row in (*THOUGHTS, *CALLS)
}
_ENDS_BEHIND: Final = {
    row.name: re.compile(rf"(?:\s*(?:{one_of(row.ends)}))+", re.IGNORECASE)
    for row in CALLS
}
_GO_ON: Final = ("<|start|>", "<|channel|>")
"""They end harmony's thought and begin what comes next."""


def read_text(
    text: str,
    menu: Menu = (),
    *,
    cut_off: bool = False,
    sent: Sequence[ToolCall] = (),
    bare: bool = True,
) -> Hidden:
    """What a reply's text hides; `sent` are calls that came beside it.

    Where calls came beside the text, they are the calls: one in the text is taken off
    if it repeats them, and else it stays text. A text that is one object of JSON, or a
    list, hides no tags: what looks like one stands inside of its strings. Without
    `bare`, a call with no tag around it is left to whoever reads the text as JSON.
    """
    thoughts, text, notes = _without_thoughts(text, cut_off)
    bare_text, _ = _without_tokens(text)
    found = bare_calls(bare_text, menu) if bare and menu and not sent else None
    if found:
        names = ", ".join({call.name: None for call in found})
        note = f"The call of {names} came as text: bare JSON or Python."
        return Hidden("", _joined(thoughts), tuple(found), (*notes, note))
    calls: list[Found] = []
    if not is_one_json(bare_text):
        taking = _Taking(text, cut_off, sent, menu)
        taking.go()
        text, calls = taking.text(), taking.calls
        thoughts += taking.thoughts
        notes += dict.fromkeys(taking.notes)
    text, tokens = _without_tokens(text)
    notes += tokens
    return Hidden(text, _joined(thoughts), tuple(calls), tuple(notes))


def _joined(thoughts: list[str]) -> str:
    return "\n".join(t for thought in thoughts if (t := thought.strip()))


def _without_thoughts(text: str, cut_off: bool) -> tuple[list[str], str, list[str]]:
    """The thoughts at the start, what is left, and notes.

    An opening tag that is never closed makes all of it a thought, cut off or not: a
    thought is no answer. A closing tag alone ends a thought that the template opened.
    """
    thoughts: list[str] = []
    at = 0
    while opened := _OPENED.match(text, _past_tokens(text, at)):
        row = THOUGHTS[(opened.lastindex or 1) - 1]
        closed = _closing(row, text, opened.end())
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
        while at < len(text) and text[at].isspace():
            at += 1
        token = next((t for t in _TOKENS if text.startswith(t, at)), None)
        # Harmony's header begins a thought too, and is no token of its own then.
        if token is None or _OPENED.match(text, at):
            return at
        at += len(token)


def _closing(row: Notation, text: str, at: int) -> tuple[int, int] | None:
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
        opening = re.compile(one_of(row.begins), re.IGNORECASE)
        return None if opening.search(text, 0, start) else closing
    return None


class _Taking:
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
            closing = _closing(row, self._text, mark.end())
            inner, end = closing or (len(self._text), len(self._text))
            thought = self._text[mark.end() : inner]
            return end, lambda: self._take(start, end, thought)
        limit, closed = self._limit(row, mark.end(), following)
        found, end = self._found(row, mark.end(), limit, closed)
        return end, lambda: self._take_calls(row, start, end, found)

    def _limit(
        self, row: Notation, at: int, following: re.Match[str] | None
    ) -> tuple[int, bool]:
        """Where a call's inside ends at the latest, and whether by a closing tag."""
        known = self._next_ends.get(row.name)
        if row.name not in self._next_ends or (known and known.start() < at):
            known = _ENDS[row.name].search(self._text, at)
            self._next_ends[row.name] = known
        end = known.start() if known else len(self._text)
        while following and following.start() < end:
            between = self._text[at : following.start()]
            if not _is_inner(row, following[0], between):
                return following.start(), False
            following = _MARKS.search(self._text, following.end())
        return end, known is not None

    def _found(
        self, row: Notation, start: int, limit: int, closed: bool
    ) -> tuple[list[Found], int]:
        text = self._text
        if read := self._read_inside(row, start, limit, closed):
            calls, end = read
            behind = _ENDS_BEHIND[row.name].match(text, end)
            found = [Found(typed(call, self._menu)) for call in calls]
            return found, behind.end() if behind else end
        inside = text[start:limit]
        behind = _ENDS_BEHIND[row.name].match(text, limit)
        end = behind.end() if closed and behind else limit
        name = None if self._is_json(inside) else _name_in(row, inside)
        cut = self._cut_off and end == len(text) and not closed
        if name is None and not cut:
            return [], end
        return [unreadable(name, inside)], end

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

    def _take_calls(
        self, row: Notation, start: int, end: int, found: list[Found]
    ) -> bool:
        where = f"in the notation {row.name}"
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
        return self._take(start, end)

    def _take(self, start: int, end: int, thought: str = "") -> bool:
        self._keep_until(start)
        self._from = end
        if thought:
            self.thoughts.append(thought)
        return True

    def _keep_until(self, end: int) -> None:
        piece = self._text[self._from : end].rstrip()
        if self._from and not any(self._kept[-1:]):
            piece = piece.lstrip()
        if piece:
            self._kept.append(piece)


def _is_inner(row: Notation, mark: str, between: str) -> bool:
    """Whether a mark is a part of the call before it, and begins nothing itself."""
    if row.name == "harmony's call":
        return mark.startswith("<|channel|>")
    if mark in row.begins:
        return read_named_calls in row.readers and not between.strip()
    return mark.lower().startswith(("<function=", "<invoke"))


def _key(call: ToolCall) -> str:
    return f"{call.name.lower()} {dict(sorted(call.arguments.items()))}"


_NAME_IN_JSON: Final = re.compile(
    r'"(?:name|tool_name|tool|function_name|function)"\s*:\s*"([^"\n]{1,80})"'
)
_NAME_IN_TAG: Final = re.compile(
    r"""\s*(?:<function=|<function name=|<invoke name=)["']?([^"'<>\s{]{1,80})"""
)
_NAME_FIRST: Final = re.compile(
    r"\s*(?:function<｜tool▁sep｜>)?([^\s<>\[\]{}｜|:]{1,80})[^{]{0,200}\{"
)


def _name_in(row: Notation, inside: str) -> str | None:
    """The tool that a call names whose inside cannot be read."""
    head = inside.lstrip()[:1000]
    if head.startswith(("{", "[")):
        found = _NAME_IN_JSON.search(head)
    elif any(mark.startswith(("<function=", "<invoke")) for mark in row.begins):
        found = _NAME_IN_TAG.match("<function=" + head) or _NAME_IN_TAG.match(head)
    elif read_named_calls in row.readers:
        found = _NAME_FIRST.match(head)
    else:
        found = _NAME_IN_TAG.match(head)
    return found[1] if found else None


_TOKENS: Final = sorted((t.text for t in CONTROL_TOKENS), key=len, reverse=True)


def _without_tokens(text: str) -> tuple[str, list[str]]:
    """The text without the control tokens at both ends, and a note on them."""
    # In HTML, </s> ends what is struck out.
    known = [t for t in _TOKENS if t != "</s>" or "<s>" not in text]
    start, end, seen = 0, len(text), dict[str, None]()
    while token := _token_at(text, known, start := _past_space(text, start), end):
        seen[token] = None
        start += len(token)
    while token := _token_before(text, known, end := _before_space(text, end), start):
        seen[token] = None
        end -= len(token)
    if not seen:
        return text, []
    shown = ", ".join(brief(token) for token in seen)
    return text[start:end].strip(), [f"Control tokens were taken off: {shown}."]


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _before_space(text: str, end: int) -> int:
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _token_at(text: str, known: list[str], start: int, end: int) -> str | None:
    return next((t for t in known if text.startswith(t, start, end)), None)


def _token_before(text: str, known: list[str], end: int, start: int) -> str | None:
    return next((t for t in known if text.endswith(t, start, max(start, end))), None)
