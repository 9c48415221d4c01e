"""What a server sends: replies as the bytes of OpenAI's chat API.

A fault of the wire is written down once, as the bytes that come. As a reply of a script
they are read by `OpenAIChat` as in life, with no socket; `fake_server` sends the same
bytes over a real one. The shape of a completion is written here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from mingraph_lite.adapters.strict_json import Body, as_object, brief, read_json
from mingraph_lite.llm import LLMResponse, Menu, Usage
from mingraph_lite.messages import Message, ToolCall
from mingraph_lite.schema.jsonable import write_json

if TYPE_CHECKING:
    from mingraph_lite.adapters.transports import Request, Response

__all__: Final = [
    "ADDRESS",
    "HOST",
    "PORT",
    "ServerReply",
    "as_action",
    "as_chunks",
    "completion",
    "error",
    "model_entry",
    "model_list",
    "unknown_model",
    "with_token_counts",
]

HOST: Final = "127.0.0.1"
PORT: Final = 8321
ADDRESS: Final = f"http://{HOST}:{PORT}/v1"
"""Where the fake server listens unless told otherwise; the address in errors."""

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"


@dataclass(frozen=True)
class ServerReply:
    """What a server sends back for one request, piece by piece.

    `cut` says that the end is missing. It can be called with (messages, menu), and so
    it is a reply for a script. Why not simply raise the error in a script? Because then
    nobody would have read the bytes, and whether they lead to that error is the very
    question.
    """

    pieces: tuple[bytes, ...]
    status: int = 200
    content_type: str = _JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False

    def __str__(self) -> str:
        words = brief(self.body().decode("utf-8", "replace"))
        return f"{self.status} {HTTPStatus(self.status).phrase}: {words}"

    def __call__(self, messages: Sequence[Message], menu: Menu) -> LLMResponse:
        """What `OpenAIChat` makes of it; raises ModelError where that is nothing."""
        # Here, since a page that plays scripts need not wait for it.
        from mingraph_lite.adapters.openai_chat import OpenAIChat

        model = OpenAIChat("scripted", ADDRESS, transport=self.transport)
        return model.generate(messages, menu)

    def body(self) -> bytes:
        """All pieces in one."""
        return b"".join(self.pieces)

    def completion(self) -> Body | None:
        """The completion in it; None for an error, a page, or a stream."""
        if self.status != 200 or self.content_type != _JSON:
            return None
        body = as_object(read_json(self.body().decode()))
        return body if body.get("choices") else None

    def transport(self, _: Request) -> Response:
        """Carry any request, and bring this back."""
        from mingraph_lite.adapters.transports import Response

        headers = {"content-type": self.content_type, **self.headers}
        return Response(self.status, headers, iter(self.pieces))

    @classmethod
    def json(
        cls, value: Body, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> ServerReply:
        """A body of JSON in one piece."""
        return cls((write_json(value).encode(),), status, headers=headers or {})

    @classmethod
    def stream(cls, chunks: Iterable[Body], *, cut: bool = False) -> ServerReply:
        """Chunks as server-sent events, with `[DONE]` behind them if not `cut`."""
        events = [f"data: {write_json(chunk)}\n\n".encode() for chunk in chunks]
        end = [] if cut else [b"data: [DONE]\n\n"]
        return cls((*events, *end), content_type=_EVENTS, cut=cut)


def error(
    status: int, message: str, code: str, *, retry_after: float | None = None
) -> ServerReply:
    """An error in the shape in which OpenAI's API tells one."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    body = {"message": message, "type": kind, "param": None, "code": code}
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return ServerReply.json({"error": body}, status, headers)


def unknown_model(name: object, known: Iterable[str]) -> ServerReply:
    """The error for a model that is not there."""
    message = f"No model is named {brief(name)}. There are: {', '.join(known)}."
    return error(404, message, "model_not_found")


def model_entry(name: str, **about: str) -> Body:
    """One model, and what else there is to say about it."""
    made = {"object": "model", "created": 0, "owned_by": "mingraph_lite"}
    return {"id": name, **made, **about}


def model_list(entries: Iterable[Body]) -> ServerReply:
    """The list of models."""
    return ServerReply.json({"object": "list", "data": list(entries)})


def completion(
    response: LLMResponse, *, new_id: str = "call_{}", **beside: object
) -> Body:
    """The body of a whole reply. The `raw` arguments of a call are sent as they stand.

    A call without an id gets one: `new_id` with its place in the reply. `beside` stands
    beside the choices: the id of the reply, the name of the model.
    """
    text, calls = response.message.content, response.message.tool_calls
    # An adapter puts a refusal where the text was missing; the API keeps them apart.
    content = "" if text == response.refusal else text
    message: Body = {
        "role": "assistant",
        "content": content or (None if calls or response.refusal else ""),
        "refusal": response.refusal,
    }
    if calls:
        message["tool_calls"] = [
            _tool_call(call, call.id or new_id.format(place))
            for place, call in enumerate(calls, start=1)
        ]
    if response.reasoning:
        message["reasoning_content"] = response.reasoning
    reason = response.finish_reason or ("tool_calls" if calls else "stop")
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    body: Body = {**beside, "object": "chat.completion", "choices": [choice]}
    if response.usage is not None:
        body["usage"] = _token_counts(response.usage)
    return body


def _tool_call(call: ToolCall, id: str) -> Body:
    arguments = write_json(call.arguments) if call.raw is None else call.raw
    return {
        "id": id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def _token_counts(usage: Usage) -> Body:
    prompt, reply = usage.input_tokens, usage.output_tokens
    known = {"prompt_tokens": prompt, "completion_tokens": reply}
    if prompt is not None and reply is not None:
        known["total_tokens"] = prompt + reply
    return {name: count for name, count in known.items() if count is not None}


def with_token_counts(whole: Body, prompt: object) -> Body:
    """The completion with token counts, where it has none: words stand for tokens."""
    reply = whole["choices"][0]["message"]
    counts = _token_counts(Usage(_count_words(prompt), _count_words(reply)))
    return {"usage": counts, **whole}


def as_action(whole: Body, place: int) -> Body:
    """The same completion from a model that knows no tools: one call, or the answer.

    Of several calls it is the one at `place`.
    """
    (choice,) = whole["choices"]
    message, reason = choice["message"], choice["finish_reason"]
    if calls := message.get("tool_calls"):
        call = calls[place]["function"]
        # The arguments as they stand, since they may be no JSON on purpose.
        text = (
            f'{{"name": {write_json(call["name"])}, "arguments": {call["arguments"]}}}'
        )
    elif message["content"]:
        text = write_json({"answer": message["content"]})
    else:
        return whole
    message = {"role": "assistant", "content": text, "refusal": message["refusal"]}
    reason = "stop" if reason == "tool_calls" else reason
    choice = {**choice, "message": message, "finish_reason": reason}
    return {**whole, "choices": [choice]}


def as_chunks(whole: Body, *, with_usage: bool = False) -> Iterator[Body]:
    """The completion as the chunks of a stream: texts word by word, then calls.

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
    for index, call in enumerate(message.get("tool_calls", ())):
        named = {**call["function"], "arguments": ""}
        yield {"tool_calls": [{**call, "index": index, "function": named}]}
        for word in _words(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": word}}]}


def _words(text: str) -> list[str]:
    """The words with the space behind them, so that they join to the text again."""
    return re.findall(r"\s+|\S+\s*", text)


def _count_words(value: object) -> int:
    return len(_words(write_json(value)))
