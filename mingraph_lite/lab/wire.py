"""What a server sends: a script's replies as bytes of OpenAI's API.

A fault of the wire is written down once, as the bytes that come. As a reply of a script
it is read by `OpenAIChat` as in life, with no socket; `endpoint` sends the same bytes
over a real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from mingraph_lite.adapters.openai_chat import OpenAIChat
from mingraph_lite.adapters.replies import Body
from mingraph_lite.adapters.strict_json import brief
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.llm import LLMResponse, Menu, Usage
from mingraph_lite.messages import Message, ToolCall
from mingraph_lite.schema.jsonable import write_json

__all__: Final = [
    "ADDRESS",
    "Body",
    "Sent",
    "completion",
    "error",
    "in_pieces",
]

ADDRESS: Final = "http://127.0.0.1:8321/v1"
"""Where the endpoint listens unless told otherwise; without it, errors name it too."""

_EVENTS: Final = "text/event-stream"


@dataclass(frozen=True)
class Sent:
    """What comes back for one request, piece by piece.

    `cut` says that the end is missing. It can be called with (messages, menu), and so
    it is a reply for a script. Why not simply raise the error in a script? Because then
    nobody would have read the bytes, and whether they lead to that error is the very
    question.
    """

    pieces: tuple[bytes, ...]
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False

    def __str__(self) -> str:
        words = brief(b"".join(self.pieces).decode("utf-8", "replace"))
        return f"{self.status} {HTTPStatus(self.status).phrase}: {words}"

    def __call__(self, messages: Sequence[Message], menu: Menu) -> LLMResponse:
        """What `OpenAIChat` makes of it; raises ModelError where that is nothing."""
        model = OpenAIChat("scripted", ADDRESS, transport=self.transport)
        return model.generate(messages, menu)

    def transport(self, _: Request) -> Response:
        """Carry any request, and bring this back."""
        headers = {"content-type": self.content_type, **self.headers}
        return Response(self.status, headers, iter(self.pieces))

    @classmethod
    def json(
        cls, value: Body, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Sent:
        """A body of JSON in one piece."""
        return cls((write_json(value).encode(),), status, headers=headers or {})

    @classmethod
    def stream(cls, chunks: Sequence[Body], *, cut: bool = False) -> Sent:
        """Chunks as server-sent events, with `[DONE]` behind them if not `cut`."""
        events = [f"data: {write_json(chunk)}\n\n".encode() for chunk in chunks]
        end = [] if cut else [b"data: [DONE]\n\n"]
        return cls((*events, *end), content_type=_EVENTS, cut=cut)


def error(
    status: int, message: str, code: str, *, retry_after: float | None = None
) -> Sent:
    """A refusal in the shape in which OpenAI's API tells one."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    told = {"message": message, "type": kind, "param": None, "code": code}
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Sent.json({"error": told}, status, headers)


def completion(response: LLMResponse, new_id: str = "call_{}") -> Body:
    """The body of a whole reply. A slip's `raw` arguments are sent as they stand.

    A slip without an id gets one: `new_id` with its place in the reply.
    """
    said, calls = response.message.content, response.message.tool_calls
    # An adapter puts a refusal where the text was missing; the API keeps them apart.
    text = None if said == response.refusal else said
    message: Body = {
        "role": "assistant",
        "content": text or (None if calls or response.refusal else ""),
        "refusal": response.refusal,
    }
    if calls:
        message["tool_calls"] = [
            _slip(call, call.id or new_id.format(place))
            for place, call in enumerate(calls, start=1)
        ]
    if response.reasoning:
        message["reasoning_content"] = response.reasoning
    reason = response.finish_reason or ("tool_calls" if calls else "stop")
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    body: Body = {"object": "chat.completion", "choices": [choice]}
    if response.usage is not None:
        body["usage"] = _counts(response.usage)
    return body


def _slip(call: ToolCall, id: str) -> Body:
    arguments = write_json(call.arguments) if call.raw is None else call.raw
    return {
        "id": id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def _counts(usage: Usage) -> Body:
    read, written = usage.input_tokens, usage.output_tokens
    known = {"prompt_tokens": read, "completion_tokens": written}
    if read is not None and written is not None:
        known["total_tokens"] = read + written
    return {name: count for name, count in known.items() if count is not None}


def in_pieces(whole: Body, *, with_usage: bool = False) -> Iterator[Body]:
    """The chunks of the same reply as a stream: texts word by word, then slips.

    `with_usage` adds the last chunk that has token counts and no choices.
    """
    left_out = {"choices", "usage"}
    head: Body = {key: value for key, value in whole.items() if key not in left_out}
    head["object"] = "chat.completion.chunk"
    (choice,) = whole["choices"]

    def chunk(delta: Body, reason: str | None = None) -> Body:
        piece = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        body: Body = {**head, "choices": [piece]}
        if with_usage:
            body["usage"] = None
        return body

    yield chunk({"role": "assistant", "content": ""})
    for delta in _deltas(choice["message"]):
        yield chunk(delta)
    yield chunk({}, choice["finish_reason"])
    if with_usage:
        yield {**head, "choices": [], "usage": whole.get("usage")}


def _deltas(message: Body) -> Iterator[Body]:
    for name in ("reasoning_content", "content", "refusal"):
        for word in _words(message.get(name) or ""):
            yield {name: word}
    for index, slip in enumerate(message.get("tool_calls", ())):
        named = {**slip["function"], "arguments": ""}
        yield {"tool_calls": [{**slip, "index": index, "function": named}]}
        for word in _words(slip["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": word}}]}


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\S+\s*", text)
