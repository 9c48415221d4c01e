"""A clock on the menu, and a model that reckons with it.

    now = now_on(time.time)          the tool, on any clock that gives seconds
    ReckoningLLM()                   looks at the clock once for each question

"How long ago did I ask?" needs two readings: a fresh one, and the one that was taken
when the earlier question came. The second stands on an old answer slip, if anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)

__all__: Final = ["ReckoningLLM", "now_on"]


def now_on(clock: Callable[[], float]) -> Callable[[], str]:
    """A tool `now` that reads this clock; it gives seconds, as `time.time` does."""

    def now() -> str:
        """The time of day in UTC, as hours:minutes:seconds."""
        return time.strftime("%H:%M:%S", time.gmtime(clock()))

    return now


class ReckoningLLM:
    """A model that answers from the clock, and remembers nothing.

    For each question it asks for `now`. A question with "ago" it answers with the time
    between that reading and the last one before the question; any other with whether it
    is noon already, so that its text does not tell the time.
    """

    def __repr__(self) -> str:
        return "ReckoningLLM()"

    def generate(self, messages: Sequence[Message], menu: Menu = ()) -> LLMResponse:
        """Ask for the time, or answer."""
        asked = [at for at, m in enumerate(messages) if isinstance(m, UserMessage)]
        if not asked:
            return _says("Nobody has read me a question.")
        if "now" not in [entry["function"]["name"] for entry in menu]:
            return _says("There is no clock on my menu.")
        newest = asked[-1]
        before, fresh = _readings(messages[:newest]), _readings(messages[newest:])
        if not fresh:
            slips = sum(len(getattr(m, "tool_calls", ())) for m in messages)
            slip = ToolCall("now", {}, f"call_{slips + 1}")
            return LLMResponse(AssistantMessage("", (slip,)))
        if "ago" not in str(messages[newest].content):
            return _says("Not yet." if fresh[-1] < "12" else "Yes, it is.")
        if not before:
            return _says(f"It is {fresh[-1]}. When you asked, I was not told.")
        seconds = _seconds(fresh[-1]) - _seconds(before[-1])
        return _says(f"{seconds} seconds ago: {before[-1]}, and now {fresh[-1]}.")


def _says(text: str) -> LLMResponse:
    return LLMResponse(AssistantMessage(text))


def _readings(messages: Sequence[Message]) -> list[str]:
    """What the clock showed, as it stands on the answer slips."""
    return [m.content for m in messages if isinstance(m, ToolMessage)]


def _seconds(reading: str) -> int:
    hours, minutes, seconds = map(int, reading.split(":"))
    return (hours * 60 + minutes) * 60 + seconds
