"""What Ollama's own API sends: a completion in its shapes.

Calls come whole, with arguments that are an object; a stream is one object a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mingraph_lite.adapters.strict_json import Body, NotJSON, as_object, read_json
from mingraph_lite.lab.wire import ServerReply, as_chunks
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["NDJSON", "as_native", "native_lines", "native_models"]

NDJSON: Final = "application/x-ndjson"
_MADE: Final = "2026-01-01T00:00:00Z"
_ENDINGS: Final = {"tool_calls": "stop"}


def as_native(whole: Body, *, streamed: bool) -> ServerReply:
    """The reply of `/api/chat` for a completion, in one piece or as a stream."""
    try:
        message = _message(whole["choices"][0]["message"])
    except NotJSON as problem:
        # It reads the arguments itself, and gives up where they are no JSON.
        words = f"error parsing tool call: {problem}"
        return ServerReply.json({"error": words}, 500)
    if streamed:
        return native_lines(*_lines(whole, message))
    return ServerReply.json(_line(whole, message, _end_of(whole)))


def native_lines(*lines: Body) -> ServerReply:
    """A stream of these objects."""
    pieces = tuple(f"{write_json(line)}\n".encode() for line in lines)
    return ServerReply(pieces, content_type=NDJSON)


def native_models(names: list[str]) -> ServerReply:
    """The list of models at `/api/tags`."""
    return ServerReply.json({"models": [{"name": n, "model": n} for n in names]})


def _message(message: Body) -> Body:
    shown: Body = {"role": "assistant", "content": message.get("content") or ""}
    if thought := message.get("reasoning_content") or message.get("reasoning"):
        shown["thinking"] = thought
    if calls := message.get("tool_calls"):
        shown["tool_calls"] = [_call(call["function"]) for call in calls]
    return shown


def _call(function: Body) -> Body:
    arguments = function["arguments"]
    read = read_json(arguments) if isinstance(arguments, str) else arguments
    return {"function": {"name": function["name"], "arguments": as_object(read)}}


def _lines(whole: Body, message: Body) -> Iterator[Body]:
    """The reply word by word, then call by call, then what has the counts."""
    for chunk in as_chunks({**whole, "choices": [_without_calls(whole)]}):
        for delta in (choice["delta"] for choice in chunk["choices"]):
            text, thought = delta.get("content"), delta.get("reasoning_content")
            if text or thought:
                shown = {"role": "assistant", "content": text or ""}
                beside = {"thinking": thought} if thought else {}
                yield _line(whole, {**shown, **beside}, {"done": False})
    for call in message.get("tool_calls", ()):
        shown = {"role": "assistant", "content": "", "tool_calls": [call]}
        yield _line(whole, shown, {"done": False})
    yield _line(whole, {"role": "assistant", "content": ""}, _end_of(whole))


def _without_calls(whole: Body) -> Body:
    (choice,) = whole["choices"]
    thought = choice["message"].get("reasoning")
    message = {"reasoning_content": thought, **choice["message"], "tool_calls": []}
    return {**choice, "message": message}


def _line(whole: Body, message: Body, end: Body) -> Body:
    head: Body = {"model": whole.get("model"), "created_at": _MADE}
    return {**head, "message": message, **end}


def _end_of(whole: Body) -> Body:
    reason = whole["choices"][0].get("finish_reason")
    usage = as_object(whole.get("usage"))
    return {
        "done": True,
        "done_reason": _ENDINGS.get(reason, reason),
        "total_duration": 1_000_000,
        "prompt_eval_count": usage.get("prompt_tokens"),
        "eval_count": usage.get("completion_tokens"),
    }
