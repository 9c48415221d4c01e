"""Harmony's reply after a server dropped its tokens.

`analysisI look.assistantfinalIt is 18.` was two messages; where a template wrote the
first word, the text begins behind it. The tokens are put back, and the text is then
read as any other of that notation.
"""

from __future__ import annotations

import re
from typing import Final

__all__: Final = ["STRIPPED", "STRIPPED_BEGINNINGS", "with_channels"]

STRIPPED: Final = (
    "analysis",
    "assistantanalysis",
    "assistantcommentary",
    "assistantfinal",
    "commentary to=functions.",
)
"""How such a text begins; in small letters, as no sentence does."""

STRIPPED_BEGINNINGS: Final = frozenset(
    word[:length] for word in STRIPPED for length in range(1, len(word))
)
_CHANNEL: Final = re.compile(
    r"assistant(?P<channel>analysis|commentary|final)"
    r"(?P<to> ?to=functions\.[\w.-]{1,80})?"
)
_GLUED: Final = re.compile(r"(?<=[^\s`\"'“«])assistantfinal(?=[^\s`\"'”»])")
_BETWEEN: Final = re.compile(r"\s*(?:json|code)?\s*(?=\{)")


def with_channels(text: str, cut_off: bool) -> str:
    """The text with its tokens put back; as it is where it is of another kind.

    A text that only begins with the word "analysis" is an answer, unless it was cut
    off right in a thought.
    """
    begun = text.lstrip()
    if "<|channel|>" in text:
        return text
    if not begun.startswith(STRIPPED):
        if "assistantfinal" not in text or not _GLUED.search(text):
            return text
        begun = f"analysis{begun}"
    if not begun.startswith("assistant"):
        begun = f"assistant{begun}"
    found = list(_CHANNEL.finditer(begun))
    if len(found) == 1 and found[0]["channel"] == "analysis":
        in_a_sentence = not begun[found[0].end() :][:1].isupper()
        if not cut_off or in_a_sentence:
            return text
    ends = [turn.start() for turn in found[1:]] + [len(begun)]
    return "".join(
        f"<|start|>assistant<|channel|>{_message(turn, begun, end)}"
        for turn, end in zip(found, ends, strict=True)
    )


def _message(turn: re.Match[str], text: str, end: int) -> str:
    at = turn.end()
    to = f" {turn['to'].strip()} " if turn["to"] else ""
    if to and (between := _BETWEEN.match(text, at)):
        at = between.end()
    closing = "<|end|>" * (turn["channel"] == "analysis" and end < len(text))
    return f"{turn['channel']}{to}<|message|>{text[at:end]}{closing}"
