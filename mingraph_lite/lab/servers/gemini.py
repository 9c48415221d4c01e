"""Gemini at OpenAI's API: wants its signatures back."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.strict_json import Body, as_object
from mingraph_lite.lab.habit import (
    Asked,
    Habit,
    Server,
    any_request,
    fails_once,
    history,
)
from mingraph_lite.lab.shapes import (
    calls_changed,
    finish_changed,
    listed_error,
    round_of_tools,
    signature,
)
from mingraph_lite.lab.wire import ServerReply

__all__: Final = ["GEMINI"]

_STATES: Final = {404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
_FOREIGN_WORDS: Final = (
    *("$schema", "$ref", "$defs", "additionalProperties", "propertyNames", "const"),
)

_NOT_OURS: Final = "skip_thought_signature_validator"
"""What its page on thought signatures names for the calls of other models."""


def _signed(place: int, call: Body) -> Body:
    # Only the first of several calls is signed.
    if place:
        return call
    signed = {"google": {"thought_signature": signature(call)}}
    return {**call, "extra_content": signed}


def _unsigned_call(asked: Asked) -> tuple[int, str] | None:
    """Of the newest round of tools, the first call without its signature."""
    for place, message in round_of_tools(asked):
        first = message["tool_calls"][0]
        beside = as_object(as_object(first.get("extra_content")).get("google"))
        if beside.get("thought_signature") not in {signature(first), _NOT_OURS}:
            return place, as_object(first.get("function")).get("name", "")
    return None


def _wants_signature(asked: Asked) -> ServerReply:
    place, name = _unsigned_call(asked) or (0, "")
    return listed_error(
        400,
        "Function call is missing a thought_signature in functionCall parts. This is "
        "required for tools to work correctly, and missing thought_signature may lead "
        "to degraded model performance. Additional data, function call "
        f"`default_api:{name}` , position {place + 1}.",
        "INVALID_ARGUMENT",
    )


def _foreign_word(schema: object, where: str) -> tuple[str, str] | None:
    """The first word of a schema that it does not know, and where it stands."""
    inside = as_object(schema)
    for word in _FOREIGN_WORDS:
        if word in inside:
            return word, where
    parts = [
        (each, f"{where}.properties[{place}].value")
        for place, each in enumerate(as_object(inside.get("properties")).values())
    ]
    parts.append((inside.get("items"), f"{where}.items"))
    options = inside.get("anyOf")
    if isinstance(options, list):
        parts += [(o, f"{where}.any_of[{place}]") for place, o in enumerate(options)]
    found = (_foreign_word(each, place) for each, place in parts if each)
    return next((word for word in found if word), None)


def _in_the_menu(asked: Asked) -> tuple[str, str] | None:
    tools = asked.body.get("tools")
    for place, tool in enumerate(tools if isinstance(tools, list) else ()):
        schema = as_object(as_object(tool).get("function")).get("parameters")
        where = f"tools[0].function_declarations[{place}].parameters"
        if found := _foreign_word(schema, where):
            return found
    return None


def _refuses_word(asked: Asked) -> ServerReply:
    word, where = _in_the_menu(asked) or ("", "")
    return listed_error(
        400,
        f'Invalid JSON payload received. Unknown name "{word}" at '
        f"'{where}': Cannot find field.",
        "INVALID_ARGUMENT",
    )


_HABITS: Final = (
    Habit(
        name="signs_its_calls",
        source="securo-finance/securo#884",
        shows="A reply with calls.",
        sends="A signature beside the first call, in extra_content.",
        sign='"thought_signature"',
        when=any_request,
        whole=lambda whole: calls_changed(whole, _signed),
    ),
    Habit(
        name="wants_signatures_back",
        source="TokenRhythm/opensquilla#225",
        shows="A call of this round comes back without its signature.",
        sends="400, as a list of one error.",
        sign="missing a thought_signature",
        when=lambda asked: _unsigned_call(asked) is not None,
        refuses=_wants_signature,
        example=history(),
    ),
    Habit(
        name="calls_without_ids",
        source="vercel/ai#7834",
        shows="A reply with calls.",
        sends="An empty id in each call.",
        sign='"id":""',
        when=any_request,
        whole=lambda whole: calls_changed(whole, lambda _, call: {**call, "id": ""}),
    ),
    Habit(
        name="stop_with_calls",
        source="googleapis/python-genai#2868",
        shows="A stream with calls.",
        sends='The finish reason "stop", as if there were none.',
        sign='"finish_reason":"stop"',
        when=lambda asked: asked.streamed,
        whole=lambda whole: finish_changed(whole, "stop"),
        example={"stream": True},
    ),
    Habit(
        name="refuses_schema_words",
        source="BerriAI/litellm#14330",
        shows="The menu holds a word such as additionalProperties or $ref.",
        sends="400 that names the word and its place.",
        sign="Invalid JSON payload received. Unknown name",
        when=lambda asked: _in_the_menu(asked) is not None,
        refuses=_refuses_word,
        example={
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "parameters": {
                            "type": "object",
                            "properties": {},
                            "additionalProperties": False,
                        },
                    },
                }
            ]
        },
    ),
    Habit(
        name="quota",
        source="Gemini API docs, Rate limits; datalab-to/marker#490",
        shows="The model quota is asked, the first time.",
        sends="429, as a list of one error whose details say how long to wait.",
        sign='"retryDelay":"21s"',
        is_model=True,
        script=lambda: fails_once(
            listed_error(
                429,
                "You exceeded your current quota, please check your plan and billing "
                "details.",
                "RESOURCE_EXHAUSTED",
                {
                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": "21s",
                },
            )
        ),
    ),
)

GEMINI: Final = Server(
    "gemini",
    "Gemini",
    "/v1beta/openai",
    lambda status, words: listed_error(
        status, words, _STATES.get(status, "INVALID_ARGUMENT")
    ),
    _HABITS,
)
