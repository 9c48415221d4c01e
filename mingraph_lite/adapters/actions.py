"""Tools for models that know none: the next action as JSON.

The menu goes into the prompt. The model may write one of two objects, and a server that
enforces schemas lets it write nothing else:

    {"name": "get_weather", "arguments": {"city": "Paris"}}
    {"answer": "It is 18°C in Paris."}

Such models have no role for tools either: a slip is read out as what the assistant
wrote, its answer slip as what the user replies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.adapters.replies import Body, is_cut_off
from mingraph_lite.adapters.strict_json import (
    NotJSON,
    brief,
    first_object,
    read_json,
    sendable,
    valid_text,
    write_json,
)
from mingraph_lite.adapters.tool_calls import OPENS_AN_OBJECT, legal_name, read_slips
from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

__all__: Final = ["action_format", "as_actions", "plain_messages", "with_menu"]

_ONE_AT_A_TIME: Final = (
    "the reply holds more than one action. Send one, and the next when its result is "
    "there."
)
_BEGINS_AN_ANSWER: Final = re.compile(r'\{\s*"answer"\s*:\s*"')
_NAMES_A_TOOL: Final = re.compile(r'\{\s*"name"\s*:\s*"([^"]*)"')


def action_format(menu: Menu) -> Body:
    """The `response_format` that allows one tool with its arguments, or an answer."""
    definitions: dict[str, Any] = {}
    variants = [
        _closed(
            name={"const": entry["function"]["name"]},
            arguments=_hoisted(entry["function"], definitions),
        )
        for entry in menu
    ]
    schema: dict[str, Any] = {"anyOf": [*variants, _closed(answer={"type": "string"})]}
    if definitions:
        schema["$defs"] = definitions
    return {
        "type": "json_schema",
        "json_schema": {"name": "action", "strict": True, "schema": schema},
    }


def _closed(**properties: object) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _hoisted(function: Mapping[str, Any], definitions: dict[str, Any]) -> Any:
    """A tool's schema with its `$defs` moved to the top, under names of its own.

    References count from the top of the whole schema; inside it they would lead
    nowhere.
    """
    parameters = dict(function.get("parameters") or {"type": "object"})
    prefix = f"{function['name']}."
    for name, schema in parameters.pop("$defs", {}).items():
        definitions[prefix + name] = _renamed(schema, prefix)
    return _renamed(parameters, prefix)


def _renamed(schema: Any, prefix: str) -> Any:
    if isinstance(schema, list):
        return [_renamed(part, prefix) for part in schema]
    if not isinstance(schema, dict):
        return schema
    renamed = {key: _renamed(part, prefix) for key, part in schema.items()}
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        renamed["$ref"] = f"#/$defs/{prefix}{reference.removeprefix('#/$defs/')}"
    return renamed


def with_menu(messages: Sequence[Message], menu: Menu) -> list[Message]:
    """The messages with the menu at the end of the system message."""
    first, *rest = messages or (SystemMessage(""),)
    if not isinstance(first, SystemMessage):
        first, rest = SystemMessage(""), list(messages)
    prompt = f"{first.content}\n\n{_instructions(menu)}".strip()
    return [SystemMessage(prompt), *rest]


def _instructions(menu: Menu) -> str:
    """The menu and the two forms, short, with an example: small models copy it."""
    functions = [entry["function"] for entry in menu]
    wanted = functions[0].get("parameters", {}).get("properties", {})
    example = {"name": functions[0]["name"], "arguments": dict.fromkeys(wanted, "…")}
    return "\n".join(
        [
            "Tools:",
            *map(_told, functions),
            "Reply with one JSON object. "
            "First use the tools, one at a time, like this:",
            write_json(example),
            "When you have every result, answer like this:",
            '{"answer": "…"}',
            "Never answer what no tool has told you.",
        ]
    )


def _told(function: Mapping[str, Any]) -> str:
    """One tool on a line: get_weather(city: string): The temperature in a city."""
    parameters = function.get("parameters") or {}
    if "$defs" in parameters:
        takes = write_json(sendable(parameters))
    else:
        properties = parameters.get("properties", {})
        takes = ", ".join(f"{name}: {_kind(p)}" for name, p in properties.items())
    description = " ".join(str(function.get("description") or "").split())
    return f"- {function['name']}({takes}): {description}"


def _kind(schema: Mapping[str, Any]) -> str:
    """A parameter in a word or two where that says it all, else as its schema."""
    if not set(schema) <= {"type", "description", "default", "title"}:
        return write_json(sendable(schema))
    kind = str(schema.get("type", "anything"))
    if "default" in schema:
        kind += f" = {write_json(sendable(schema['default']))}"
    return f"{kind} ({schema['description']})" if "description" in schema else kind


def plain_messages(messages: Sequence[Message], menu: Menu) -> list[Body]:
    """The folder for a model that knows only system, user and assistant.

    Each slip is followed by its own answer, also where one message passed several: the
    model sees one action and one result at a time, as it is to write them. Neighbours
    of one role become one message, since many templates insist on taking turns.
    """
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    turns: list[Body] = []
    for message in messages:
        for role, text in _turns(message, answers, bool(menu)):
            if not text.strip():
                continue
            if turns and turns[-1]["role"] == role:
                turns[-1]["content"] += f"\n\n{text}"
            else:
                turns.append({"role": role, "content": text})
    return turns


def _turns(
    message: Message, answers: dict[str, ToolMessage], as_json: bool
) -> list[tuple[str, str]]:
    match message:
        case SystemMessage(content):
            return [("system", content)]
        case UserMessage(content):
            return [("user", content)]
        case ToolMessage(_, id):
            # Answers were read out behind their slips; one without a slip comes here.
            left = answers.pop(id, None)
            return [_result(left)] if left else []
        case AssistantMessage(content, ()):
            answer = write_json({"answer": content})
            return [("assistant", answer if as_json and content.strip() else content)]
        case AssistantMessage(content, calls):
            turns = [("assistant", content)]
            for call in calls:
                turns.append(("assistant", _action(call)))
                if found := answers.pop(call.id, None):
                    turns.append(_result(found))
            return turns


def _action(call: ToolCall) -> str:
    name = legal_name(call.name)
    return write_json({"name": name, "arguments": sendable(call.arguments)})


def _result(message: ToolMessage) -> tuple[str, str]:
    return ("user", f"Result of {message.name}: {message.content}")


def as_actions(response: LLMResponse) -> LLMResponse:
    """The envelope with the action that its text holds: one slip, or the answer.

    Text that holds no action is taken as the answer, with a note. An action that was
    begun and is no complete object is a slip with a problem, not an answer.
    """
    text = response.message.content
    if response.message.tool_calls or response.refusal:
        return response
    before, action, after = first_object(text) or ("", {}, "")
    around = (before + after).strip()
    if "name" in action and ("arguments" in action or not around):
        several = OPENS_AN_OBJECT.search(after) is not None
        response = _with_slip(response, action, _ONE_AT_A_TIME if several else None)
        note = f"text around the action discarded: {brief(around)}" if around else None
    elif "answer" in action:
        said = action["answer"]
        said = said if isinstance(said, str) else write_json(sendable(said))
        response = replace(response, message=AssistantMessage(valid_text(said)))
        note = f"text around the answer discarded: {brief(around)}" if around else None
    elif begun := _NAMES_A_TOOL.match(text.strip()):
        # The whole text stands in for the arguments, so that the model is told of it.
        action = {"name": begun[1], "arguments": text}
        return _with_slip(response, action, None)
    elif begun := _BEGINS_AN_ANSWER.match(text.strip()):
        message = AssistantMessage(_half_a_text(text.strip()[begun.end() :]))
        response, note = replace(response, message=message), "the answer is not whole"
    else:
        note = f"no action in JSON, taken as the answer: {brief(text)}"
    return replace(response, notes=(*response.notes, note)) if note else response


def _with_slip(
    response: LLMResponse, action: Mapping[str, Any], problem: str | None
) -> LLMResponse:
    (call,), notes = read_slips(
        [{"function": action}], cut_off=is_cut_off(response.finish_reason)
    )
    if problem is not None:
        call = replace(call, problem=problem)
    message = AssistantMessage("", (call,))
    return replace(response, message=message, notes=(*response.notes, *notes))


def _half_a_text(rest: str) -> str:
    """What an answer that was cut off holds, its escapes undone where that is sure."""
    try:
        return valid_text(str(read_json(f'"{rest}"')))
    except NotJSON:
        return rest
