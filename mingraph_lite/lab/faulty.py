"""Replies and tools that go wrong, for the fault deck."""

from __future__ import annotations

from typing import Final

from mingraph_lite.lab.wire import ServerReply, as_chunks, completion, error
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.schema.function import Function

__all__: Final = [
    "cut_at_the_limit",
    "cut_in_half",
    "odd_reply",
    "too_long",
    "tool_that_fails",
    "tool_that_never_answers",
    "tool_that_talks",
]


def odd_reply(
    *calls: ToolCall, finish_reason: str | None = None, refusal: str | None = None
) -> ServerReply:
    """A reply that is odd in itself: it is sent, and read, as in life."""
    response = LLMResponse(
        AssistantMessage("", calls), finish_reason=finish_reason, refusal=refusal
    )
    return ServerReply.json(completion(response))


def too_long(prompt: int, window: int) -> ServerReply:
    """How OpenAI's API says that a prompt is longer than the window."""
    return error(
        400,
        f"This model's maximum context length is {window} tokens. However, your "
        f"messages resulted in {prompt} tokens. Please reduce the length of the "
        "messages.",
        "context_length_exceeded",
    )


def cut_at_the_limit(text: str) -> ServerReply:
    """A reply that says itself that it is not whole."""
    response = LLMResponse(AssistantMessage(text), finish_reason="length")
    return ServerReply.json(completion(response))


def cut_in_half(text: str) -> ServerReply:
    """The first half of a stream; then the line is dead."""
    whole = list(as_chunks(completion(LLMResponse(AssistantMessage(text)))))
    return ServerReply.stream(whole[: len(whole) // 2], cut=True)


# Tools by the same name that go wrong. Each stands alone, since the page shows its
# source to be changed.


def tool_that_fails() -> Function:
    """A tool that raises for Tokyo."""

    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        if city == "Tokyo":
            raise ConnectionError("the station in Tokyo does not answer")
        return "18"

    return get_weather


def tool_that_never_answers() -> Function:
    """A tool that gives up waiting for Tokyo."""

    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        if city == "Tokyo":
            raise TimeoutError("the station in Tokyo sent nothing for 30 seconds")
        return "18"

    return get_weather


def tool_that_talks() -> Function:
    """A tool that sends a whole log for Tokyo."""

    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        if city == "Tokyo":
            log = "".join(f"reading {n:06}: station asleep.\n" for n in range(6250))
            return log + "now: 24"
        return "18"

    return get_weather
