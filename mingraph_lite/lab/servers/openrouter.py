"""OpenRouter: errors of others, wrapped, and comments while it asks."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.habit import Asked, Habit, Server, any_request, fails_once
from mingraph_lite.lab.shapes import nested_error
from mingraph_lite.lab.stream_shapes import HALF_A_TEXT, event_stream
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["OPENROUTER"]

_UPSTREAM: Final[Body] = {
    "code": 502,
    "message": "Provider returned error",
    "metadata": {
        "raw": '{"error": {"message": "The engine is restarting."}}',
        "provider_name": "Somebody",
    },
}


def _while_it_asks(reply: ServerReply, asked: Asked) -> ServerReply:
    if not asked.streamed or not reply.content_type.startswith("text/event-stream"):
        return reply
    waiting = b": OPENROUTER PROCESSING\n\n"
    return ServerReply(
        (waiting, *reply.pieces),
        content_type=reply.content_type,
        headers=reply.headers,
        cut=reply.cut,
    )


def _breaks_off(reply: ServerReply, asked: Asked) -> ServerReply:
    if not asked.streamed:
        return ServerReply.json({"error": _UPSTREAM})
    (choice,) = HALF_A_TEXT["choices"]
    end = {**choice, "delta": {"content": ""}, "finish_reason": "error"}
    return event_stream(
        HALF_A_TEXT, {**HALF_A_TEXT, "error": _UPSTREAM, "choices": [end]}
    )


_HABITS: Final = (
    Habit(
        name="comments_while_it_asks",
        source="OpenRouter docs, Streaming",
        shows="Any stream.",
        sends="Comments until the provider behind it answers.",
        sign=": OPENROUTER PROCESSING",
        when=any_request,
        sent=_while_it_asks,
        example={"stream": True},
    ),
    Habit(
        name="wrapped_error",
        source="OpenRouterTeam/ai-sdk-provider#422",
        shows="The model wrapped_error is asked, the first time.",
        sends="502 whose reason stands in metadata.raw alone.",
        sign="The engine is restarting.",
        is_model=True,
        script=lambda: fails_once(ServerReply.json({"error": _UPSTREAM}, 502)),
    ),
    Habit(
        name="error_with_status_200",
        source="OpenRouter docs, Errors",
        shows="The model error_with_status_200 is asked.",
        sends='Status 200 and an error; streamed, with the finish reason "error".',
        sign="Provider returned error",
        is_model=True,
        sent=_breaks_off,
        ends=ModelError,
    ),
    Habit(
        name="no_credits",
        source="OpenRouter docs, Errors",
        shows="The model no_credits is asked.",
        sends="402.",
        sign="Insufficient credits",
        is_model=True,
        refuses=lambda asked: nested_error(402, "Insufficient credits.", code=402),
        ends=ModelError,
    ),
)

OPENROUTER: Final = Server(
    "openrouter",
    "OpenRouter",
    "/api/v1",
    lambda status, words: nested_error(status, words, code=status),
    _HABITS,
)
