"""Who speaks: any model, or one that follows a script.

`ScriptedLLM` is no test helper. Every lesson runs on it, it can fail on purpose, and a
recorded run is replayed through it. It answers at once, without network or key, and
always the same: what a lesson shows, every reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from mingraph_lite.errors import ScriptExhausted
from mingraph_lite.messages import AssistantMessage, Message, ToolCall

__all__: Final = [
    "LLM",
    "LLMResponse",
    "Menu",
    "Reply",
    "ScriptedLLM",
    "TextListener",
    "Usage",
]

type Menu = Sequence[Mapping[str, Any]]
"""The tools on offer, each in the shape OpenAI's chat API gave the field."""

type TextListener = Callable[[str], None]
"""Is handed each piece of text while the reply is still coming."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as the server counted them.

    None is unknown. `input_tokens` includes `cached_tokens`, `output_tokens` includes
    `reasoning_tokens`: the latter two say how much of it was cached or reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """The envelope: a message for the folder, and what only listeners read.

    Reasoning, token counts and finish reason never go into the folder, since all that
    is in the folder is read out, and paid for, again on every call.
    """

    message: AssistantMessage
    reasoning: str | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str | None = None
    refusal: str | None = None
    notes: tuple[str, ...] = ()


class LLM(Protocol):
    """Anything that can be asked: messages and menu in, one response out."""

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Ask once. Raises ModelError where there is no usable reply."""
        ...


type Reply = (
    str
    | ToolCall
    | list[ToolCall]
    | LLMResponse
    | Exception
    | Callable[[Sequence[Message], Menu], "Reply"]
)

_KINDS: Final = (
    "a text, a ToolCall, a list of ToolCalls, an LLMResponse, "
    "an Exception to raise, or a function of (messages, menu) that gives one of these"
)


class ScriptedLLM:
    """A model that gives its replies in order, whatever it is asked.

    `calls` counts how often it was asked. Raises ScriptExhausted when it has no reply
    left, and TypeError at once for a reply of another kind.
    """

    def __init__(self, replies: Iterable[Reply]) -> None:
        if isinstance(replies, str) or not isinstance(replies, Iterable):
            # A text is a row of letters too: each would become a reply.
            raise TypeError(
                f"The script is {replies!r}; it is a list of replies. "
                "For a single reply write ScriptedLLM([reply])."
            )
        self._replies = tuple(replies)
        self.calls: int = 0
        for number, reply in enumerate(self._replies, start=1):
            _check(reply, f"reply {number}")

    def __repr__(self) -> str:
        return f"ScriptedLLM({self.calls} of {len(self._replies)} replies given)"

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Give the next reply of the script."""
        if self.calls == len(self._replies):
            raise ScriptExhausted(
                f"The script has {len(self._replies)} replies and was asked for one "
                "more. Add a reply, or make a fresh script for each run."
            )
        reply = self._replies[self.calls]
        self.calls += 1
        while callable(reply):
            reply = reply(messages, menu)
            _check(reply, f"what the function at reply {self.calls} gave")
        if isinstance(reply, Exception):
            raise reply
        response = _as_response(reply)
        if on_text_delta is not None:
            for piece in re.findall(r"\s+|\S+\s*", response.message.content):
                on_text_delta(piece)
        return response


def _check(reply: object, what: str) -> None:
    plain = isinstance(reply, str | ToolCall | LLMResponse | Exception)
    calls = isinstance(reply, list) and all(isinstance(c, ToolCall) for c in reply)
    function = callable(reply) and not isinstance(reply, type)
    if not (plain or calls or function):
        raise TypeError(f"{what} is {reply!r}; a scripted reply is {_KINDS}.")


def _as_response(reply: str | ToolCall | list[ToolCall] | LLMResponse) -> LLMResponse:
    match reply:
        case LLMResponse():
            return reply
        case str():
            return LLMResponse(AssistantMessage(reply))
        case ToolCall():
            return LLMResponse(AssistantMessage("", (reply,)))
        case _:
            return LLMResponse(AssistantMessage("", tuple(reply)))
