"""Texts as a terminal may show them."""

from __future__ import annotations

import re
from typing import Final

__all__: Final = ["in_one_line", "plain"]

_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
    r"\ud800-\udfff\ue000]"
)


def plain(text: str) -> str:
    """The text with every sign that would move a terminal, or stop it, written out."""
    text = text.replace("\r\n", "\n").replace("\t", "    ")
    return _UNSEEN.sub(lambda sign: ascii(sign.group())[1:-1], text)


def in_one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(plain(text).split())
