"""Mistral: refuses what it does not know, ids included."""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.errors import ModelError, ReplyCutOff
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
    calls_changed,
    calls_in,
    fault_of,
    field_in_messages,
    flat_error,
    message_changed,
    nine_characters,
)
from mingraph_lite.lab.stream_shapes import pieces_first, usage_in_the_last_chunk
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["MISTRAL"]

_INVALID: Final = "invalid_request_error"

_NINE: Final = re.compile("[a-zA-Z0-9]{9}")


def _foreign_id(asked: Asked) -> str | None:
    ids = [str(call.get("id")) for call in calls_in(asked.messages)]
    return next((id for id in ids if not _NINE.fullmatch(id)), None)


def _extra(location: list[object], value: object) -> ServerReply:
    problem = {"type": "extra_forbidden", "loc": location, "input": value}
    problem["msg"] = "Extra inputs are not permitted"
    body = {"object": "error", "message": {"detail": [problem]}, "type": _INVALID}
    return ServerReply.json({**body, "param": None, "code": None}, 422)


def _unknown_field(asked: Asked) -> ServerReply:
    place, role, name = field_in_messages(asked, *_NOT_MISTRAL) or (0, "", "")
    return _extra(["body", "messages", place, role, name], "")


def _in_parts(whole: Body) -> Body:
    text = whole["choices"][0]["message"].get("content")
    thought = {
        "type": "thinking",
        "thinking": [{"type": "text", "text": THOUGHT}],
    }
    said = [{"type": "text", "text": text}] if text else []
    return message_changed(whole, content=[thought, *said])


def _parts_in_chunks(chunks: list[Body], whole: Body) -> list[Body]:
    parts = whole["choices"][0]["message"]["content"]
    return pieces_first(chunks, [{"content": [part]} for part in parts])


_NOT_MISTRAL: Final = ("reasoning_content", "reasoning", "extra_content")

_HABITS: Final = (
    Habit(
        name="ids_of_nine_characters",
        source="sst/opencode#1680",
        shows="A reply with calls.",
        sends="Ids of nine letters and digits.",
        sign=f'"id":"{nine_characters("call_1")}"',
        when=any_request,
        whole=lambda whole: calls_changed(
            whole, lambda _, call: {**call, "id": nine_characters(call["id"])}
        ),
    ),
    Habit(
        name="refuses_foreign_ids",
        source="nearai/ironclaw#1241",
        shows="A call comes back whose id is not nine letters and digits.",
        sends="400 with the id in its words.",
        sign="must be a-z, A-Z, 0-9, with a length of 9",
        when=lambda asked: _foreign_id(asked) is not None,
        refuses=lambda asked: flat_error(
            400,
            f"Tool call id was {_foreign_id(asked)} but must be a-z, A-Z, 0-9, with a "
            "length of 9.",
            type="invalid_function_call",
            param=None,
            code="3280",
        ),
        example=history("call_1"),
    ),
    Habit(
        name="refuses_stream_options",
        source="dnakov/anon-kode#53",
        shows="stream_options is sent.",
        sends="422 extra_forbidden with the place of the field.",
        sign="extra_forbidden",
        when=lambda asked: bool(asked.body.get("stream_options")),
        refuses=lambda asked: _extra(["body", "stream_options", "include_usage"], True),
        example={"stream": True, "stream_options": {"include_usage": True}},
    ),
    Habit(
        name="refuses_unknown_fields",
        source="zeroclaw-labs/zeroclaw#2693",
        shows="A message holds a field that it does not know.",
        sends="422 extra_forbidden with the place of the field.",
        sign="extra_forbidden",
        when=lambda asked: field_in_messages(asked, *_NOT_MISTRAL) is not None,
        refuses=_unknown_field,
        example=history(reasoning_content="I look."),
    ),
    Habit(
        name="thinks",
        source="BerriAI/litellm#16272",
        shows="The model thinks is asked.",
        sends="A list of parts as the content, the first of them what it thought.",
        sign='"type":"thinking"',
        is_model=True,
        whole=_in_parts,
        chunks=_parts_in_chunks,
    ),
    Habit(
        name="usage_unasked",
        source="dnakov/anon-kode#53",
        shows="Any stream.",
        sends="Token counts beside the finish reason, asked for or not.",
        sign='"total_tokens"',
        when=lambda asked: asked.streamed,
        chunks=usage_in_the_last_chunk,
        example={"stream": True},
    ),
    Habit(
        name="model_length",
        source="Mistral API docs, Chat Completion: finish_reason",
        shows="The model model_length is asked.",
        sends="Half a reply that ended at the model's limit.",
        sign='"finish_reason":"model_length"',
        is_model=True,
        script=lambda: ended("model_length"),
        ends=ReplyCutOff,
    ),
    Habit(
        name="error_at_the_end",
        source="Mistral API docs, Chat Completion: finish_reason",
        shows="The model error_at_the_end is asked.",
        sends="Half a reply that ended in an error of the server.",
        sign='"finish_reason":"error"',
        is_model=True,
        script=lambda: ended("error"),
        ends=ModelError,
    ),
    Habit(
        name="unknown_model",
        source="tmc/langchaingo#1233",
        shows="A model is asked that is not there.",
        sends="400 with the code 1500.",
        sign='"code":"1500"',
        when=named("nobody"),
        refuses=lambda asked: flat_error(
            400,
            f"Invalid model: {asked.model}",
            type="invalid_model",
            param=None,
            code="1500",
        ),
        example={"model": "nobody"},
        ends=ModelError,
    ),
)

MISTRAL: Final = Server(
    "mistral",
    "Mistral",
    "/v1",
    lambda status, words: flat_error(
        status, words, type=fault_of(status, _INVALID), param=None, code=None
    ),
    _HABITS,
)
