"""What a run left in its folder that nobody gave it.

A folder may be in order and lie all the same: a reply that no model gave is read out
like any other, and what was taken away is never read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mingraph_lite.classroom.words import count_of
from mingraph_lite.messages import AssistantMessage, ToolMessage

__all__: Final = ["GONE", "made_up", "taken_away", "wrong_left"]

GONE: Final = "What stood in the folder before is gone. It only grows: append."


def wrong_left(start: Sequence[Any], folder: Sequence[Any], calls: int) -> str | None:
    """What is wrong with a folder after so many replies that passed slips, no answer.

    `start` is what lay in it when the run began.
    """
    return taken_away(start, folder, calls) or made_up(start, folder)


def taken_away(start: Sequence[Any], folder: Sequence[Any], calls: int) -> str | None:
    """What is wrong where messages are missing: old ones, or one of so many replies."""
    if list(folder[: len(start)]) != list(start):
        return GONE
    replies = [m for m in folder[len(start) :] if isinstance(m, AssistantMessage)]
    if len(replies) < calls:
        return (
            f"After {count_of(calls, 'call')} of the model, {len(replies)} of its "
            "replies lie in the folder. It only grows: append."
        )
    return None


def made_up(start: Sequence[Any], folder: Sequence[Any]) -> str | None:
    """What is wrong with a message that neither model nor tool gave."""
    for thing in folder[len(start) :]:
        asks = isinstance(thing, AssistantMessage) and thing.tool_calls
        if not asks and not isinstance(thing, ToolMessage):
            said = getattr(thing, "content", thing)
            return (
                f"At its end the folder says {said!r}, and nobody said that: no model, "
                "no tool. File only what they gave."
            )
    return None
