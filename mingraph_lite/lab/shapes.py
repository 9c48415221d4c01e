"""How servers shape errors and replies: pieces from which habits are made.

The error shapes differ most. What is done to a completion or its chunks is done to a
copy: the same script serves many requests.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from mingraph_lite.adapters.strict_json import Body, NotJSON, as_object, read_json
from mingraph_lite.lab.habit import Asked
from mingraph_lite.lab.wire import ServerReply
from mingraph_lite.schema.jsonable import write_json

__all__: Final = [
    "THOUGHT",
    "CallsChange",
    "calls_as_text",
    "calls_changed",
    "calls_in",
    "fault_of",
    "field_in_messages",
    "finish_changed",
    "flat_error",
    "listed_error",
    "message_changed",
    "nested_error",
    "nine_characters",
    "round_of_tools",
    "signature",
    "text_error",
    "thought_as_reasoning",
    "with_headers",
    "with_thought",
]

THOUGHT: Final = "Two cities, so two readings first."
"""What the models think that show their thoughts."""

type CallsChange = Callable[[int, Body], Body]
"""Makes another call of one, given its place."""


def nested_error(status: int, message: str, **beside: object) -> ServerReply:
    """An object under the key error, as OpenAI's API has it."""
    return ServerReply.json({"error": {"message": message, **beside}}, status)


def flat_error(status: int, message: str, **beside: object) -> ServerReply:
    """No key error: the object itself says that it is one."""
    return ServerReply.json({"object": "error", "message": message, **beside}, status)


def fault_of(status: int, theirs: str, ours: str = "server_error") -> str:
    """The type of an error: the client's fault, or from 500 on the server's."""
    return ours if status >= 500 else theirs


def text_error(status: int, message: str) -> ServerReply:
    """Nothing but a text under the key error."""
    return ServerReply.json({"error": message}, status)


def listed_error(status: int, message: str, state: str, *details: Body) -> ServerReply:
    """A list with one object, as Google's API sends where OpenAI's is imitated."""
    error: Body = {"code": status, "message": message, "status": state}
    if details:
        error["details"] = list(details)
    return ServerReply((write_json([{"error": error}]).encode(),), status)


def with_headers(reply: ServerReply, headers: Mapping[str, str]) -> ServerReply:
    """The same reply with more headers."""
    return ServerReply(
        reply.pieces,
        reply.status,
        reply.content_type,
        {**reply.headers, **headers},
        reply.cut,
    )


def field_in_messages(asked: Asked, *names: str) -> tuple[int, str, str] | None:
    """Where a message holds one of these keys: its place, its role, the key."""
    for place, message in enumerate(asked.messages):
        for name in names:
            if name in message:
                return place, str(message.get("role")), name
    return None


def calls_in(messages: list[Body]) -> Iterator[Body]:
    """The tool calls that the messages hold."""
    for message in messages:
        calls = message.get("tool_calls")
        yield from (c for c in calls if isinstance(c, dict)) if calls else ()


def round_of_tools(asked: Asked) -> Iterator[tuple[int, Body]]:
    """The messages with calls behind the newest question, with their places."""
    found: list[tuple[int, Body]] = []
    for place, message in enumerate(asked.messages):
        if message.get("role") == "user":
            found = []
        elif message.get("tool_calls"):
            found.append((place, message))
    yield from found


def nine_characters(id: str) -> str:
    """An id of nine letters and digits, the same for the same id."""
    return hashlib.sha256(id.encode()).hexdigest()[:9]


def signature(call: Body) -> str:
    """What signs a call: it fits this name and these arguments and no other."""
    function = as_object(call.get("function"))
    try:
        arguments = read_json(str(function.get("arguments")))
    except NotJSON:
        arguments = function.get("arguments")
    signed = write_json([function.get("name"), arguments]).encode()
    return base64.b64encode(hashlib.sha256(signed).digest()).decode()


def message_changed(whole: Body, **fields: object) -> Body:
    """The completion with these fields in its message; what is None is as it was."""
    (choice,) = whole["choices"]
    message = {**choice["message"], **fields}
    return {**whole, "choices": [{**choice, "message": message}]}


def finish_changed(whole: Body, reason: str) -> Body:
    """The completion with another finish reason, unless it was cut or withheld."""
    (choice,) = whole["choices"]
    if choice["finish_reason"] not in {"stop", "tool_calls"}:
        return whole
    return {**whole, "choices": [{**choice, "finish_reason": reason}]}


def calls_changed(whole: Body, change: CallsChange) -> Body:
    """The completion with each of its calls changed."""
    calls = whole["choices"][0]["message"].get("tool_calls")
    if not calls:
        return whole
    changed = [change(place, call) for place, call in enumerate(calls)]
    return message_changed(whole, tool_calls=changed)


def thought_as_reasoning(whole: Body) -> Body:
    """The completion with a thought under its newer name."""
    return message_changed(whole, reasoning=THOUGHT)


def with_thought(whole: Body) -> Body:
    """The completion with a thought beside its text."""
    return message_changed(whole, reasoning_content=THOUGHT)


def calls_as_text(whole: Body, opening: str, closing: str) -> Body:
    """The completion with its calls left in the text, between two marks."""
    calls = whole["choices"][0]["message"].get("tool_calls")
    if not calls:
        return whole
    texts = [
        f'{opening}{{"name": {write_json(call["function"]["name"])}, '
        f'"arguments": {call["function"]["arguments"]}}}{closing}'
        for call in calls
    ]
    (choice,) = whole["choices"]
    message = {"role": "assistant", "content": "\n".join(texts)}
    return {
        **whole,
        "choices": [{**choice, "message": message, "finish_reason": "stop"}],
    }
