"""What a server sent beside a call goes back to it alone.

A signature in `extra_content` (Gemini), an id that only that server knows (Ollama),
and, where it is asked for, the reasoning: each goes back under the name it came by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body, as_object
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import AssistantMessage, Extra, Message, UserMessage
from mingraph_lite.schema.jsonable import jsonable

__all__: Final = [
    "REASONING_KEYS",
    "SIGNATURE_KEYS",
    "addressed",
    "beside_call",
    "sent_back",
    "sent_back_with_message",
    "this_round",
    "with_beside",
    "without_query",
]

REASONING_KEYS: Final = (
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "thinking",
    "thinking_blocks",
)
"""DeepSeek and LM Studio; vLLM; OpenRouter; Ollama; litellm in front of Anthropic."""

SIGNATURE_KEYS: Final = (
    "extra_content",
    "provider_specific_fields",
    "thought_signature",
    "thoughtSignature",
)
"""Gemini; litellm in front of it, beside the function or in it; others that pass it on.

In a stream they may come in a piece of their own."""

_MESSAGE_KEYS: Final = ("extra_content",)
"""What comes beside a message and is wanted back: Gemini's signature of a text."""

_OF_A_CALL: Final = {"id", "type", "function", "index", "name", "arguments"}


def beside_call(entry: Mapping[str, Any]) -> Extra | None:
    """What stands beside the function of a call; whoever knows the address adds it."""
    if "function" not in entry:
        return None  # without its envelope a call holds its own keys, and no others
    sent = _filled(entry, entry.keys() - _OF_A_CALL)
    if inside := _filled(as_object(entry["function"]), SIGNATURE_KEYS):
        sent["function"] = inside
    return Extra("", jsonable(sent)) if sent else None


def _filled(thing: Mapping[str, Any], names: Iterable[str]) -> Body:
    """What stands under these names, where anything does, in the order it was sent."""
    wanted = {*names}
    return {
        name: value
        for name, value in thing.items()
        if name in wanted and value not in (None, "", [], {})
    }


def addressed(
    response: LLMResponse, message: object, address: str, *, reasoning: bool
) -> LLMResponse:
    """The response whose message and calls keep what this address wants back.

    `message` is the message as it was sent. Its reasoning is kept where it is to go
    back, and else stays on the envelope alone.
    """
    names = (*_MESSAGE_KEYS, *(REASONING_KEYS if reasoning else ()))
    sent = _filled(as_object(message), names)
    calls = tuple(
        call if call.extra is None else replace(call, extra=_at(address, call.extra))
        for call in response.message.tool_calls
    )
    if not sent and all(call.extra is None for call in calls):
        return response
    extra = Extra(address, jsonable(sent)) if sent else None
    said = replace(response.message, tool_calls=calls, extra=extra)
    return replace(response, message=said)


def _at(address: str, extra: Extra) -> Extra:
    return Extra(address, extra.sent)


def sent_back(extra: Extra | None, address: str) -> Body:
    """What goes back to this address, which is nothing if it came from another."""
    if extra is None or extra.address != address:
        return {}
    return dict(extra.sent)


def with_beside(written: Body, extra: Extra | None, address: str) -> Body:
    """A call as it is written, with what goes back beside and inside its function."""
    beside = sent_back(extra, address)
    inside = as_object(beside.get("function"))
    return {**beside, **written, "function": {**inside, **written["function"]}}


def sent_back_with_message(
    extra: Extra | None, address: str, *, reasoning: bool
) -> Body:
    """What goes back beside a message; its reasoning only where that is wanted."""
    sent = sent_back(extra, address)
    if reasoning:
        return sent
    return {name: part for name, part in sent.items() if name not in REASONING_KEYS}


def this_round(messages: Sequence[Message]) -> set[int]:
    """The places of the replies behind the last question: their reasoning goes back."""
    asked = [at for at, said in enumerate(messages) if isinstance(said, UserMessage)]
    begins = asked[-1] if asked else -1
    return {
        at
        for at, said in enumerate(messages)
        if at > begins and isinstance(said, AssistantMessage)
    }


def without_query(address: str) -> str:
    """The address as it is kept beside a call: a query may hold a key."""
    return address.partition("?")[0]
