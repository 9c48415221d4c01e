"""Control tokens at the ends of a text: they are no answer."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.strict_json import brief
from mingraph_lite.schema.tool_names import CONTROL_TOKENS

__all__: Final = ["TOKENS", "past_space", "without_blank_end", "without_tokens"]

TOKENS: Final = sorted((t.text for t in CONTROL_TOKENS), key=len, reverse=True)
"""The tokens, longest first: one may begin as another does."""

_FIRST: Final = frozenset(token[0] for token in TOKENS)
_LAST: Final = frozenset(token[-1] for token in TOKENS)


def without_tokens(text: str) -> tuple[str, list[str]]:
    """The text without the control tokens at both ends, and a note on them."""
    if text.lstrip()[:1] not in _FIRST and text.rstrip()[-1:] not in _LAST:
        return text, []  # as nearly all are
    # In HTML, <s> and </s> stand around what is struck out.
    struck_out = "<s>" in text and "</s>" in text
    known = [t for t in TOKENS if not (struck_out and t in {"<s>", "</s>"})]
    start, end, seen = 0, len(text), dict[str, None]()
    while token := _token_at(text, known, past_space(text, start)):
        seen[token] = None
        start = past_space(text, past_space(text, start) + len(token))
    while token := _token_before(text, known, _before_space(text, end), start):
        seen[token] = None
        end = _before_space(text, end) - len(token)
    if not seen:
        return text, []
    shown = ", ".join(brief(token) for token in seen)
    return text[start:end].rstrip(), [f"Control tokens were taken off: {shown}."]


def without_blank_end(text: str) -> str:
    """The text without the blank lines at its end.

    In a stream they wait, since what follows may be taken off. Why not each space? A
    listener is to hear "one " as it comes; a whole text loses that space too.
    """
    words = len(text.rstrip())
    newline = text.find("\n", words)
    return text if newline < 0 else text[:newline]


def past_space(text: str, at: int) -> int:
    """The place of the next character that is no space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _before_space(text: str, end: int) -> int:
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _token_at(text: str, known: list[str], start: int) -> str | None:
    return next((t for t in known if text.startswith(t, start)), None)


def _token_before(text: str, known: list[str], end: int, start: int) -> str | None:
    return next((t for t in known if text.endswith(t, start, max(start, end))), None)
