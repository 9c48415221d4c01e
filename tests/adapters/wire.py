"""What goes over the wire, without a wire: transports are plain functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mingraph_lite.adapters.transports import Request, Response

type JSON = Any

JSON_TYPE = {"content-type": "application/json"}
SSE_TYPE = {"content-type": "text/event-stream"}


class FixedTransport:
    """A transport that gives each request the same response, and keeps the requests."""

    def __init__(
        self,
        body: bytes | Iterable[bytes],
        *,
        status: int = 200,
        headers: Mapping[str, str] = JSON_TYPE,
    ) -> None:
        self.requests: list[Request] = []
        self._pieces = [body] if isinstance(body, bytes) else body
        self._status = status
        self._headers = headers

    def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        return Response(self._status, self._headers, iter(self._pieces))

    def sent(self) -> JSON:
        """The body of the last request."""
        return json.loads(self.requests[-1].body)


def answering(reply: JSON, **options: Any) -> FixedTransport:
    return FixedTransport(json.dumps(reply).encode(), **options)


def in_turn(*replies: JSON) -> Callable[[Request], Response]:
    """A transport that brings these replies, one for each request."""
    left = iter(replies)

    def transport(_: Request) -> Response:
        return Response(200, JSON_TYPE, iter([json.dumps(next(left)).encode()]))

    return transport


def as_events(body: bytes | Iterable[bytes]) -> FixedTransport:
    """A transport that brings a stream of `data:` lines."""
    return FixedTransport(body, headers=SSE_TYPE)


def as_lines(*values: JSON, end: bytes = b"") -> FixedTransport:
    """A transport that brings one JSON object on each line, as Ollama streams."""
    body = "".join(f"{json.dumps(v, ensure_ascii=False)}\n" for v in values)
    headers = {"content-type": "application/x-ndjson"}
    return FixedTransport(body.encode() + end, headers=headers)


def streaming(*chunks: JSON, done: bool = True) -> FixedTransport:
    return as_events(events(*chunks, done=done))


def events(*chunks: JSON, done: bool = True) -> bytes:
    """A stream of `data:` lines."""
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    return "".join(lines + ["data: [DONE]\n\n"] * done).encode()


def completion(
    message: JSON, finish_reason: JSON = "stop", **beside: JSON
) -> dict[str, JSON]:
    """A whole reply of an OpenAI-compatible server."""
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return {"choices": [choice], **beside}


def chunk(delta: JSON, finish_reason: JSON = None, **beside: JSON) -> dict[str, JSON]:
    """One piece of a streamed reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"choices": [choice], **beside}


def calling(name: JSON, arguments: JSON, id: JSON = "c1") -> dict[str, JSON]:
    """A tool call as OpenAI writes it."""
    function = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": function}


def asking(*calls: JSON, content: JSON = None) -> dict[str, JSON]:
    """A message that holds tool calls."""
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def strictly(body: bytes) -> JSON:
    """The JSON in a body, for a reader that refuses what the standard refuses."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    text = body.decode()
    value = json.loads(text, parse_constant=refuse)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def every_cut(body: bytes) -> Iterator[list[bytes]]:
    """The body in two pieces, cut at each place."""
    return ([body[:at], body[at:]] for at in range(len(body) + 1))
