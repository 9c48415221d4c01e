"""From a reply's text to its answer, its thoughts and its calls.

In this order: thoughts at the start, then a text that is one call as a whole, then
what stands between, then the control tokens at both ends. Nothing is run that stands
in a thought or in a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mingraph_lite.adapters.reply_text.bare_calls import Found, bare_calls, is_one_json
from mingraph_lite.adapters.reply_text.control_tokens import without_tokens
from mingraph_lite.adapters.reply_text.notations import CALLS, SIGNS
from mingraph_lite.adapters.reply_text.stripped_harmony import with_channels
from mingraph_lite.adapters.reply_text.tagged_calls import Walk
from mingraph_lite.adapters.reply_text.thoughts import without_thoughts
from mingraph_lite.llm import Menu
from mingraph_lite.messages import ToolCall

__all__: Final = ["Hidden", "read_text"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """The answer that a text holds, and what was taken off it."""

    text: str
    reasoning: str = ""
    calls: tuple[Found, ...] = ()
    notes: tuple[str, ...] = ()


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
    text = with_channels(text, cut_off)
    if not _A_SIGN.search(text):
        return Hidden(text)
    thoughts, text, notes = without_thoughts(text, cut_off)
    bare_text, _ = without_tokens(text)
    bare_text = _without_closing_tags(bare_text)
    found = bare_calls(bare_text, menu) if bare and menu and not sent else None
    if found:
        names = ", ".join({call.name: None for call in found})
        note = f"The call of {names} came as text: bare JSON or Python."
        return Hidden("", _joined(thoughts), tuple(found), (*notes, note))
    calls: list[Found] = []
    if not is_one_json(bare_text):
        walk = Walk(text, cut_off, sent, menu)
        walk.go()
        text, calls = walk.text(), walk.calls
        thoughts += walk.thoughts
        notes += dict.fromkeys(walk.notes)
    text, tokens = without_tokens(text)
    notes += tokens
    return Hidden(text, _joined(thoughts), tuple(calls), tuple(notes))


_A_SIGN: Final = re.compile(f"[{re.escape(SIGNS)}]")
_CLOSING_TAGS: Final = tuple(
    end for row in CALLS for end in row.ends if end.startswith(("</", "[END_"))
)


def _without_closing_tags(text: str) -> str:
    """The text without closing tags at its end: a template wrote the opening one."""
    if not text.startswith(("{", "[")):
        return text
    while tag := next((t for t in _CLOSING_TAGS if text.endswith(t)), None):
        text = text.removesuffix(tag).rstrip()
    return text


def _joined(thoughts: list[str]) -> str:
    return "\n".join(t for thought in thoughts if (t := thought.strip()))
