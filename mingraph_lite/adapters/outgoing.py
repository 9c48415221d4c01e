"""What both APIs ask of a message: none is empty."""

from __future__ import annotations

from typing import Final

from mingraph_lite.messages import Message, SystemMessage

__all__: Final = ["is_void", "said"]

_EMPTY: Final = "(empty)"


def said(content: str) -> str:
    """The text, or a stand-in for none: strict servers refuse an empty message.

    Why not leave the message out? Many chat templates insist that user and assistant
    take turns, and every slip needs its answer, even an empty one.
    """
    return content if content.strip() else _EMPTY


def is_void(message: Message) -> bool:
    """Whether a message can be left out: an empty system prompt says nothing."""
    return isinstance(message, SystemMessage) and not message.content.strip()
