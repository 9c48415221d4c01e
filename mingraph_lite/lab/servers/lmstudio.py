"""LM Studio: errors with status 200, calls in its own notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.habit import Asked, Habit, Server, any_request, fails_once
from mingraph_lite.lab.shapes import (
    calls_as_text,
    calls_changed,
    message_changed,
    text_error,
)
from mingraph_lite.lab.stream_shapes import event_stream
from mingraph_lite.lab.wire import ServerReply, completion
from mingraph_lite.llm import LLMResponse, Reply
from mingraph_lite.messages import AssistantMessage

__all__: Final = ["LMSTUDIO"]

_TEMPLATE: Final = (
    'Error rendering prompt with jinja template: "Cannot pass both content and '
    'thinking in an assistant message with tool calls!".'
)


def _without_a_call() -> Sequence[Reply]:
    """A reply whose only call could not be read, and was left out."""
    empty = LLMResponse(AssistantMessage(""), finish_reason="tool_calls")
    return fails_once(ServerReply.json(completion(empty)))


def _always_a_list(whole: Body) -> Body:
    message = whole["choices"][0]["message"]
    return message_changed(whole, tool_calls=message.get("tool_calls") or [])


def _template_error(reply: ServerReply, asked: Asked) -> ServerReply:
    if asked.streamed:
        return event_stream({"error": {"message": _TEMPLATE}}, named="error")
    return text_error(400, _TEMPLATE)


_HABITS: Final = (
    Habit(
        name="wrong_address",
        source="lmstudio-ai/lmstudio-bug-tracker#618",
        shows="An address that is not there, such as one without /v1.",
        sends="Status 200, and a text under the key error.",
        sign="Unexpected endpoint or method. (POST /chat/completions)",
        when=lambda asked: not asked.path.startswith("/v1/"),
        refuses=lambda asked: text_error(
            200, f"Unexpected endpoint or method. (POST {asked.path})"
        ),
        path="/chat/completions",
        ends=ModelError,
    ),
    Habit(
        name="empty_list_of_calls",
        source="lmstudio-ai/lmstudio-bug-tracker#1318",
        shows="A reply without calls.",
        sends="An empty list of calls.",
        sign='"tool_calls":[]',
        when=any_request,
        whole=_always_a_list,
        example={
            "messages": [
                {"role": "user", "content": "?"},
                {"role": "assistant", "content": "…"},
                {"role": "assistant", "content": "…"},
            ]
        },
    ),
    Habit(
        name="calls_without_ids",
        source="lmstudio-ai/lmstudio-bug-tracker#830",
        shows="The model calls_without_ids is asked.",
        sends="An empty id in each call.",
        sign='"id":""',
        is_model=True,
        whole=lambda whole: calls_changed(whole, lambda _, call: {**call, "id": ""}),
    ),
    Habit(
        name="default_tool_format",
        source="LM Studio docs, Tool Use: default tool use support",
        shows="The model default_tool_format is asked: it was not trained for tools.",
        sends="Its calls in the notation of LM Studio, in the text.",
        sign="[TOOL_REQUEST]",
        is_model=True,
        whole=lambda whole: calls_as_text(
            whole, "[TOOL_REQUEST]", "[END_TOOL_REQUEST]"
        ),
    ),
    Habit(
        name="call_left_out",
        source="lmstudio-ai/lmstudio-bug-tracker#942",
        shows="The model call_left_out is asked, the first time.",
        sends="A reply with neither text nor call, since the call could not be read.",
        sign='"content":""',
        is_model=True,
        script=_without_a_call,
    ),
    Habit(
        name="broken_template",
        source="lmstudio-ai/lmstudio-bug-tracker#842",
        shows="The model broken_template is asked.",
        sends="A text under the key error; streamed, an event in status 200.",
        sign="Error rendering prompt with jinja template",
        is_model=True,
        sent=_template_error,
        ends=ModelError,
    ),
)

LMSTUDIO: Final = Server(
    "lmstudio",
    "LM Studio",
    "/v1",
    text_error,
    _HABITS,
)
