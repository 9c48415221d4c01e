"""DeepSeek: thinks; some models want it back, some refuse it."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.habit import (
    Asked,
    Habit,
    Server,
    any_request,
    ended,
    history,
    named,
)
from mingraph_lite.lab.shapes import (
    THOUGHT,
    fault_of,
    field_in_messages,
    nested_error,
    round_of_tools,
    with_thought,
)
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["DEEPSEEK"]

_INVALID: Final = "invalid_request_error"

_THINKING: Final = ("thinks", "wants_thoughts_back", "refuses_thoughts")


def _lost_thought(asked: Asked) -> int | None:
    """Of the newest round of tools, the first message without what was thought."""
    places = [p for p, m in round_of_tools(asked) if not m.get("reasoning_content")]
    return places[0] if places else None


def _wants_thought(asked: Asked) -> ServerReply:
    return nested_error(
        400,
        f"Missing `reasoning_content` field in the assistant message at message index "
        f"{_lost_thought(asked)}.",
        type=_INVALID,
        param=None,
        code=_INVALID,
    )


def _kept_alive(reply: ServerReply, asked: Asked) -> ServerReply:
    if reply.status != 200:
        return reply
    waiting = b": keep-alive\n\n" if asked.streamed else b"\n"
    return ServerReply(
        (waiting, waiting, *reply.pieces),
        content_type=reply.content_type,
        headers=reply.headers,
        cut=reply.cut,
    )


def _cache_counts(whole: Body) -> Body:
    usage = whole["usage"]
    missed = usage["prompt_tokens"] - 1
    counts = {"prompt_cache_hit_tokens": 1, "prompt_cache_miss_tokens": missed}
    return {**whole, "usage": {**usage, **counts}}


_HABITS: Final = (
    Habit(
        name="thinks",
        source="DeepSeek API docs, Thinking Mode",
        shows="The model thinks is asked, or one of those that want thoughts or not.",
        sends="What it thought, under reasoning_content.",
        sign=f'"reasoning_content":"{THOUGHT}"',
        is_model=True,
        when=named(*_THINKING),
        whole=with_thought,
    ),
    Habit(
        name="wants_thoughts_back",
        source="continuedev/continue#10193",
        shows="In a round of tools, reasoning_content does not come back.",
        sends="400 that names the message.",
        sign="Missing `reasoning_content` field",
        is_model=True,
        when=lambda asked: (
            asked.model == "wants_thoughts_back" and _lost_thought(asked) is not None
        ),
        refuses=_wants_thought,
        example=history(),
        ends=ModelError,
        ends_as_json=None,
        helped_by={"send_reasoning": True},
    ),
    Habit(
        name="refuses_thoughts",
        source="DeepSeek API docs, Reasoning Model",
        shows="reasoning_content comes back in a message.",
        sends="400.",
        sign="reasoning_content",
        is_model=True,
        when=lambda asked: (
            asked.model == "refuses_thoughts"
            and field_in_messages(asked, "reasoning_content") is not None
        ),
        refuses=lambda asked: nested_error(
            400,
            "The reasoning_content of an earlier message is not taken. Remove it.",
            type=_INVALID,
            param=None,
            code=_INVALID,
        ),
        example=history(reasoning_content="I look."),
    ),
    Habit(
        name="keeps_the_line_alive",
        source="DeepSeek API docs, Rate Limit",
        shows="Any request, as if the server were busy.",
        sends="Comments before the stream, or empty lines before the body.",
        sign=": keep-alive",
        when=any_request,
        sent=_kept_alive,
        example={"stream": True},
    ),
    Habit(
        name="out_of_resources",
        source="DeepSeek API docs, Create Chat Completion: finish_reason",
        shows="The model out_of_resources is asked.",
        sends="Half a reply that ended for want of resources.",
        sign='"finish_reason":"insufficient_system_resource"',
        is_model=True,
        script=lambda: ended("insufficient_system_resource"),
        ends=ModelError,
    ),
    Habit(
        name="no_balance",
        source="continuedev/continue#9942; DeepSeek API docs, Error Codes",
        shows="The model no_balance is asked.",
        sends="402.",
        sign="Insufficient Balance",
        is_model=True,
        refuses=lambda asked: nested_error(
            402,
            "Insufficient Balance",
            type="unknown_error",
            param=None,
            code=_INVALID,
        ),
        ends=ModelError,
    ),
    Habit(
        name="counts_what_was_cached",
        source="DeepSeek API docs, Context Caching",
        shows="Any request.",
        sends="Cached tokens under names of its own.",
        sign='"prompt_cache_hit_tokens"',
        when=any_request,
        whole=_cache_counts,
    ),
    Habit(
        name="unknown_model",
        source="langbot-app/LangBot#1643",
        shows="A model is asked that is not there.",
        sends="400, not 404.",
        sign="Model Not Exist",
        when=named("nobody"),
        refuses=lambda asked: nested_error(
            400, "Model Not Exist", type=_INVALID, param=None, code=_INVALID
        ),
        example={"model": "nobody"},
        ends=ModelError,
    ),
)

DEEPSEEK: Final = Server(
    "deepseek",
    "DeepSeek",
    "/v1",
    lambda status, words: nested_error(
        status,
        words,
        type=fault_of(status, _INVALID),
        param=None,
        code=fault_of(status, _INVALID),
    ),
    _HABITS,
)
