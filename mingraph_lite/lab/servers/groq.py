"""Groq: unread calls are errors; counts stand in x_groq."""

from __future__ import annotations

from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.habit import (
    Asked,
    Habit,
    Server,
    any_request,
    fails_once,
    history,
    named,
)
from mingraph_lite.lab.shapes import (
    THOUGHT,
    fault_of,
    field_in_messages,
    nested_error,
    thought_as_reasoning,
    with_headers,
)
from mingraph_lite.lab.stream_shapes import (
    calls_whole,
    event_stream,
    reasoning_in_chunks,
)
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["GROQ"]

_INVALID: Final = "invalid_request_error"


def _unknown_field(asked: Asked) -> ServerReply:
    place, role, name = field_in_messages(asked, "reasoning_content") or (0, "", "")
    where = f"'messages.{place}'"
    return nested_error(
        400,
        f"{where} : for 'role:{role}' the following must be satisfied[({where} : "
        f"property '{name}' is unsupported)]",
        type=_INVALID,
    )


def _unknown_model(asked: Asked) -> ServerReply:
    return nested_error(
        404,
        f"The model `{asked.model}` does not exist or you do not have access to it.",
        type=_INVALID,
        code="model_not_found",
    )


def _in_the_stream(reply: ServerReply, asked: Asked) -> ServerReply:
    if not (asked.streamed and reply.status == 400):
        return reply
    told = _FAILED_TOOL_USE | {"status_code": 400}
    return event_stream({"error": told}, named="error")


def _usage(chunks: list[Body], whole: Body) -> list[Body]:
    told = {"id": "req_1", "usage": {**whole["usage"], "queue_time": 0.01}}
    return [
        {**c, "x_groq": told}
        if c["choices"] and c["choices"][0]["finish_reason"]
        else c
        for c in chunks
    ]


_FAILED_TOOL_USE: Final[dict[str, Any]] = {
    "message": "Failed to call a function. Please adjust your prompt. See "
    "'failed_generation' for more details.",
    "type": _INVALID,
    "code": "tool_use_failed",
    "failed_generation": '<function=get_weather>{"city": "Paris"</function>',
}

_HABITS: Final = (
    Habit(
        name="tool_use_failed",
        source="groq/groq-typescript#28",
        shows="The model tool_use_failed is asked, the first time.",
        sends="400 with the text that could not be read as a call.",
        sign='"failed_generation"',
        is_model=True,
        script=lambda: fails_once(ServerReply.json({"error": _FAILED_TOOL_USE}, 400)),
    ),
    Habit(
        name="tool_use_failed_in_the_stream",
        source="anomalyco/opencode#1018",
        shows="The same, streamed.",
        sends="Status 200, and the 400 as the only event of the stream.",
        sign="event: error",
        is_model=True,
        script=lambda: fails_once(ServerReply.json({"error": _FAILED_TOOL_USE}, 400)),
        sent=_in_the_stream,
        example={"stream": True},
    ),
    Habit(
        name="rate_limited",
        source="Groq API docs, Rate Limits",
        shows="The model rate_limited is asked, the first time.",
        sends="429 that says in its words and in a header how long to wait.",
        sign="Please try again in 7.66s",
        is_model=True,
        script=lambda: fails_once(
            with_headers(
                nested_error(
                    429,
                    "Rate limit reached on tokens per minute (TPM): Limit 6000, Used "
                    "5843, Requested 923. Please try again in 7.66s.",
                    type="tokens",
                    code="rate_limit_exceeded",
                ),
                {"retry-after": "8", "x-ratelimit-reset-tokens": "7.66s"},
            )
        ),
    ),
    Habit(
        name="rate_limit_headers",
        source="groq/groq-typescript#28",
        shows="Any request.",
        sends="Headers that say how much is left.",
        sign="x-ratelimit-remaining-tokens",
        when=any_request,
        sent=lambda reply, _: with_headers(
            reply,
            {
                "x-ratelimit-limit-tokens": "6000",
                "x-ratelimit-remaining-tokens": "5843",
                "x-ratelimit-reset-tokens": "1.57s",
            },
        ),
    ),
    Habit(
        name="usage_in_x_groq",
        source="vercel/ai#1651",
        shows="Any stream.",
        sends="Token counts in x_groq beside the finish reason, asked for or not.",
        sign='"x_groq"',
        when=lambda asked: asked.streamed,
        chunks=_usage,
        example={"stream": True},
    ),
    Habit(
        name="calls_in_one_piece",
        source="vercel/ai#1653",
        shows="A stream with calls.",
        sends="Each call whole, in a chunk of its own.",
        sign=r'"arguments":"{\"city\": \"Paris\"}"',
        when=lambda asked: asked.streamed,
        chunks=calls_whole,
        example={"stream": True},
    ),
    Habit(
        name="unknown_field_in_a_message",
        source="tashfeenahmed/freellmapi#1070",
        shows="reasoning_content comes back in a message.",
        sends="400 that names the message and the field.",
        sign="property 'reasoning_content' is unsupported",
        when=lambda asked: field_in_messages(asked, "reasoning_content") is not None,
        refuses=_unknown_field,
        example=history(reasoning_content="I look."),
    ),
    Habit(
        name="thinks",
        source="Groq API docs, Reasoning",
        shows="The model thinks is asked.",
        sends="What it thought, under reasoning.",
        sign=f'"reasoning":"{THOUGHT}"',
        is_model=True,
        whole=thought_as_reasoning,
        chunks=reasoning_in_chunks,
    ),
    Habit(
        name="unknown_model",
        source="Groq API docs, API error codes and responses",
        shows="A model is asked that is not there.",
        sends="404 with the code model_not_found.",
        sign="does not exist or you do not have access to it",
        when=named("nobody"),
        refuses=_unknown_model,
        example={"model": "nobody"},
        ends=ModelError,
    ),
)

GROQ: Final = Server(
    "groq",
    "Groq",
    "/openai/v1",
    lambda status, words: nested_error(status, words, type=fault_of(status, _INVALID)),
    _HABITS,
)
