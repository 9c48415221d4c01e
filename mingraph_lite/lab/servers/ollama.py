"""Ollama, at the API it imitates and at its own."""

from __future__ import annotations

import json
from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.habit import OLLAMA_CHAT, Asked, Habit, Server, fails_once, named
from mingraph_lite.lab.ollama_wire import native_lines
from mingraph_lite.lab.shapes import (
    THOUGHT,
    nested_error,
    text_error,
    thought_as_reasoning,
    with_thought,
)
from mingraph_lite.lab.stream_shapes import (
    HALF_A_TEXT,
    at_index_0,
    calls_whole,
    event_stream,
    reasoning_in_chunks,
)
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["OLLAMA"]


def _error(
    asked: Asked, status: int, message: str, kind: str = "api_error"
) -> ServerReply:
    if asked.is_native:
        return text_error(status, message)
    return nested_error(status, message, type=kind, param=None, code=None)


def _small_context(whole: Body) -> Body:
    usage: dict[str, Any] = {**whole["usage"], "prompt_tokens": 4096}
    usage["total_tokens"] = 4096 + usage["completion_tokens"]
    return {**whole, "usage": usage}


def _stops_halfway(reply: ServerReply, asked: Asked) -> ServerReply:
    words = "an error was encountered while running the model"
    if not asked.streamed:
        return _error(asked, 500, words)
    if asked.is_native:
        said = {"role": "assistant", "content": "Paris: 6"}
        line = {"model": asked.model, "message": said, "done": False}
        return native_lines(line, {"error": words})
    return event_stream(HALF_A_TEXT, {"error": {"message": words, "type": "api_error"}})


def _unreadable_call(reply: ServerReply, asked: Asked) -> ServerReply:
    if reply.status != 500:
        return reply
    words = json.loads(reply.body())["error"]["message"]
    return _error(asked, 500, words)


_HABITS: Final = (
    Habit(
        name="one_index",
        source="ollama/ollama#15457",
        shows="A stream with calls, at /v1.",
        sends="Index 0 for each call, and the whole call in one chunk.",
        sign=r'{\"city\": \"Tokyo\"}"},"index":0',
        when=lambda asked: asked.streamed and not asked.is_native,
        chunks=lambda chunks, whole: at_index_0(calls_whole(chunks, whole)),
        example={"stream": True},
    ),
    Habit(
        name="no_tools",
        source="ollama/ollama#14795",
        shows="Tools are offered to the model no_tools.",
        sends="400.",
        sign="registry.ollama.ai/library/no_tools does not support tools",
        is_model=True,
        when=lambda asked: asked.model == "no_tools" and asked.offers_tools,
        refuses=lambda asked: _error(
            asked, 400, "registry.ollama.ai/library/no_tools does not support tools"
        ),
        ends=ModelError,
        ends_as_json=None,
    ),
    Habit(
        name="thinks",
        source="ollama/ollama#12628; Ollama docs, Thinking",
        shows="The model thinks is asked, at its own API.",
        sends="What it thought, under thinking.",
        sign='"thinking":"Two ',
        is_model=True,
        when=lambda asked: asked.model == "thinks" and asked.is_native,
        whole=with_thought,
        path=OLLAMA_CHAT,
    ),
    Habit(
        name="thinks_at_v1",
        source="ollama/ollama#12628",
        shows="The model thinks_at_v1 is asked, at /v1.",
        sends="What it thought, under reasoning.",
        sign=f'"reasoning":"{THOUGHT}"',
        is_model=True,
        whole=thought_as_reasoning,
        chunks=reasoning_in_chunks,
    ),
    Habit(
        name="unknown_model",
        source="Ollama docs, API: Errors",
        shows="A model is asked that was not pulled.",
        sends="404.",
        sign="model 'nobody' not found",
        when=named("nobody"),
        refuses=lambda asked: _error(
            asked, 404, "model 'nobody' not found", "not_found_error"
        ),
        example={"model": "nobody"},
        ends=ModelError,
    ),
    Habit(
        name="small_context",
        source="ollama/ollama#17889",
        shows="A prompt longer than the context, to the model small_context.",
        sends="A reply to what is left of it; nothing says so but the count.",
        sign='"prompt_tokens":4096',
        is_model=True,
        whole=_small_context,
    ),
    Habit(
        name="stops_halfway",
        source="Ollama docs, API: Errors that occur while streaming",
        shows="The model stops_halfway is asked.",
        sends="Half a text, and an object with an error in the same stream.",
        sign="an error was encountered while running the model",
        is_model=True,
        sent=_stops_halfway,
        path=OLLAMA_CHAT,
        ends=ModelError,
    ),
    Habit(
        name="unreadable_call",
        source="ollama/ollama#12884",
        shows="The model unreadable_call is asked, the first time.",
        sends="500, since it could not read the arguments of a call.",
        sign="error parsing tool call: raw=",
        is_model=True,
        script=lambda: fails_once(
            nested_error(
                500,
                "error parsing tool call: raw='{\"city\": ', err=unexpected end of "
                "JSON input",
            )
        ),
        sent=_unreadable_call,
    ),
    Habit(
        name="loads_the_model",
        source="Ollama docs, API: Load a model",
        shows="A request without messages, at its own API.",
        sends="An empty reply with the reason load.",
        sign='"done_reason":"load"',
        when=lambda asked: asked.is_native and not asked.messages,
        refuses=lambda asked: ServerReply.json(
            {
                "model": asked.model,
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "load",
            }
        ),
        path=OLLAMA_CHAT,
        example={"messages": []},
    ),
)

OLLAMA: Final = Server(
    "ollama",
    "Ollama",
    "/v1",
    lambda status, words: nested_error(
        status, words, type="api_error", param=None, code=None
    ),
    _HABITS,
)
