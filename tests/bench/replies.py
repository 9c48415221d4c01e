"""A reply read by our adapter, and the same bytes read by the `openai` client.

No socket: both are handed the bytes by a plain function. Both build the request, read
the reply whole or chunk by chunk, and put text and call together.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.lab.wire import ServerReply, as_chunks, completion
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage
from tests.bench.measure import Job, Run

_QUESTION: Final = "How warm is it in Paris?"
_CALL: Final = ToolCall("get_weather", {"city": "Paris", "days": [1, 2, 3]}, "call_1")
_MENU: Final = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The temperature in a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]
_BESIDE: Final = {"id": "chatcmpl-1", "created": 0, "model": "m"}


def _said(words: int, *calls: ToolCall) -> dict[str, Any]:
    message = AssistantMessage("word " * words, calls)
    return completion(LLMResponse(message, usage=Usage(900, words)), **_BESIDE)


def _whole() -> ServerReply:
    return ServerReply.json(_said(20, _CALL))


def _stream(chunks: int) -> ServerReply:
    """So many chunks with a word each, and those that open and close a stream."""
    return ServerReply.stream(as_chunks(_said(chunks)))


def ours_whole(replies: int) -> Run:
    """`OpenAIChat`, asked so many times."""
    model = OpenAIChat("m", "http://127.0.0.1:1/v1", transport=_whole().transport)

    def run() -> int:
        return sum(
            len(model.generate([UserMessage(_QUESTION)], _MENU).message.tool_calls)
            for _ in range(replies)
        )

    return run


def ours_streamed(chunks: int) -> Run:
    """`OpenAIChat`, which reads one stream of so many chunks."""
    model = OpenAIChat("m", "http://127.0.0.1:1/v1", transport=_in_pieces(chunks))
    heard: list[str] = []

    def run() -> int:
        said = model.generate([UserMessage(_QUESTION)], _MENU, heard.append)
        return len(said.message.content.split())

    return run


def _in_pieces(chunks: int) -> Callable[[Request], Response]:
    """A transport that brings the stream as a socket does: some events at a time."""
    reply = _stream(chunks)
    body = reply.body()
    pieces = [body[at : at + 4096] for at in range(0, len(body), 4096)]
    return ServerReply(tuple(pieces), content_type=reply.content_type).transport


def _client(reply: ServerReply) -> Any:
    """The official client, handed these bytes by a function."""
    import httpx2
    from openai import OpenAI

    def answer(_: Any) -> Any:
        pieces = iter(reply.pieces)
        headers = {"content-type": reply.content_type}
        return httpx2.Response(200, headers=headers, content=pieces)

    carried = httpx2.Client(transport=httpx2.MockTransport(answer))
    return OpenAI(api_key="none", base_url="http://127.0.0.1:1/v1", http_client=carried)


def _asked(**more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": _QUESTION}]
    return {"model": "m", "messages": messages, "tools": _MENU, **more}


def theirs_whole(replies: int) -> Run:
    """The `openai` client, asked so many times, the arguments read as JSON."""
    client = _client(_whole())

    def run() -> int:
        read = 0
        for _ in range(replies):
            said = client.chat.completions.create(**_asked()).choices[0].message
            read += len([json.loads(c.function.arguments) for c in said.tool_calls])
        return read

    return run


def theirs_streamed(chunks: int) -> Run:
    """The `openai` client, which reads one stream; its words are joined."""
    client = _client(ServerReply(tuple(_stream(chunks).pieces), content_type=_EVENTS))

    def run() -> int:
        words = []
        for chunk in client.chat.completions.create(**_asked(stream=True)):
            if chunk.choices and (text := chunk.choices[0].delta.content):
                words.append(text)
        return len("".join(words).split())

    return run


_EVENTS: Final = "text/event-stream"
OURS: Final = "OpenAIChat"
THEIRS: Final = "openai"
WHOLE: Final[dict[str, Job]] = {OURS: ours_whole, THEIRS: theirs_whole}
STREAMED: Final[dict[str, Job]] = {OURS: ours_streamed, THEIRS: theirs_streamed}
