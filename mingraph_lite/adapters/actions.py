"""Tools for models that know none: the next action as JSON.

The menu goes into the prompt. The model may write one of two objects, and a server that
enforces schemas lets it write nothing else:

    {"name": "get_weather", "arguments": {"city": "Paris"}}
    {"answer": "It is 18°C in Paris."}

Such models have no role for tools either: a call is sent as what the assistant wrote,
its result as what the user replies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.adapters.replies import is_cut_off
from mingraph_lite.adapters.reply_text.bare_calls import ONE_AT_A_TIME, is_one_json
from mingraph_lite.adapters.strict_json import (
    Body,
    NotJSON,
    brief,
    first_object,
    next_value,
    opens_too_many_levels,
    read_json,
)
from mingraph_lite.adapters.tool_calls import (
    OPENS_AN_OBJECT,
    legal_name,
    read_tool_calls,
)
from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.jsonable import valid_text, write_json

__all__: Final = ["action_format", "as_actions", "plain_messages", "with_menu"]

_BEGINS_AN_ANSWER: Final = re.compile(r'\{\s*"answer"\s*:\s*"')
_NAMES_A_TOOL: Final = re.compile(r'(?:\[\s*)?\{\s*"name"\s*:\s*"([^"]*)"')


def action_format(menu: Menu) -> Body:
    """The `response_format` that allows one tool with its arguments, or an answer."""
    definitions: dict[str, Any] = {}
    variants = [
        _closed_object(
            name={"const": entry["function"]["name"]},
            arguments=_with_hoisted_definitions(entry["function"], definitions),
        )
        for entry in menu
    ]
    schema: dict[str, Any] = {
        "anyOf": [*variants, _closed_object(answer={"type": "string"})]
    }
    if definitions:
        schema["$defs"] = definitions
    return {
        "type": "json_schema",
        "json_schema": {"name": "action", "strict": True, "schema": schema},
    }


def _closed_object(**properties: object) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _with_hoisted_definitions(
    function: Mapping[str, Any], definitions: dict[str, Any]
) -> Any:
    """A tool's schema with its `$defs` moved to the top, under names of its own.

    References count from the top of the whole schema; inside it they would lead
    nowhere.
    """
    parameters = dict(function.get("parameters") or {"type": "object"})
    prefix = f"{function['name']}."
    for name, schema in parameters.pop("$defs", {}).items():
        definitions[prefix + name] = _with_renamed_references(schema, prefix)
    return _with_renamed_references(parameters, prefix)


def _with_renamed_references(schema: Any, prefix: str) -> Any:
    if isinstance(schema, list):
        return [_with_renamed_references(part, prefix) for part in schema]
    if not isinstance(schema, dict):
        return schema
    renamed = {
        key: _with_renamed_references(part, prefix) for key, part in schema.items()
    }
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
            *map(_menu_line, functions),
            "Reply with one JSON object. "
            "First use the tools, one at a time, like this:",
            write_json(example),
            "When you have every result, answer like this:",
            '{"answer": "…"}',
            "Never answer what no tool has told you.",
        ]
    )


def _menu_line(function: Mapping[str, Any]) -> str:
    """One tool on a line: get_weather(city: string): The temperature in a city."""
    parameters = function.get("parameters") or {}
    if "$defs" in parameters:
        takes = write_json(parameters)
    else:
        properties = parameters.get("properties", {})
        takes = ", ".join(
            f"{name}: {_type_of_parameter(p)}" for name, p in properties.items()
        )
    description = " ".join(str(function.get("description") or "").split())
    return f"- {function['name']}({takes}): {description}"


def _type_of_parameter(schema: Mapping[str, Any]) -> str:
    """A parameter in a word or two where that says it all, else as its schema."""
    if not set(schema) <= {"type", "description", "default", "title"}:
        return write_json(schema)
    kind = str(schema.get("type", "anything"))
    if "default" in schema:
        kind += f" = {write_json(schema['default'])}"
    return f"{kind} ({schema['description']})" if "description" in schema else kind


def plain_messages(messages: Sequence[Message], menu: Menu) -> list[Body]:
    """The messages for a model that knows only system, user and assistant.

    Each call is followed by its own result, also where one message holds several: the
    model sees one action and one result at a time, as it is to write them. Neighbours
    of one role become one message, since many templates insist on taking turns.
    """
    results = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    turns: list[Body] = []
    for message in messages:
        for role, text in _turns_of(message, results, bool(menu)):
            if not text.strip():
                continue
            if turns and turns[-1]["role"] == role:
                turns[-1]["content"] += f"\n\n{text}"
            else:
                turns.append({"role": role, "content": text})
    return turns


def _turns_of(
    message: Message, results: dict[str, ToolMessage], as_json: bool
) -> list[tuple[str, str]]:
    match message:
        case SystemMessage(content):
            return [("system", content)]
        case UserMessage(content):
            return [("user", content)]
        case ToolMessage(_, id):
            # Results stand behind their calls already; one without a call is left.
            left = results.pop(id, None)
            return [_result_as_turn(left)] if left else []
        case AssistantMessage(content, ()):
            answer = write_json({"answer": content})
            return [("assistant", answer if as_json and content.strip() else content)]
        case AssistantMessage(content, calls):
            turns = [("assistant", content)]
            for call in calls:
                turns.append(("assistant", _call_as_action(call)))
                if found := results.pop(call.id, None):
                    turns.append(_result_as_turn(found))
            return turns


def _call_as_action(call: ToolCall) -> str:
    name = legal_name(call.name)
    return write_json({"name": name, "arguments": call.arguments})


def _result_as_turn(message: ToolMessage) -> tuple[str, str]:
    return ("user", f"Result of {message.name}: {message.content}")


def as_actions(response: LLMResponse) -> LLMResponse:
    """The response with the action that its text holds: one tool call, or the answer.

    Text that holds no action is taken as the answer, with a note. An action that was
    begun and is no complete object is a call with a problem, not an answer. So is a
    list of several, since each may need the result of the one before.
    """
    text = response.message.content
    if response.message.tool_calls or response.refusal:
        return response
    action, around, several = _first_action(text)
    if "name" in action and ("arguments" in action or not around):
        problem = ONE_AT_A_TIME if several else None
        response = _with_tool_call(response, action, problem)
        note = _note_on_text("action", around)
    elif "answer" in action:
        answer = action["answer"]
        text = valid_text(answer) if isinstance(answer, str) else write_json(answer)
        response = replace(response, message=AssistantMessage(text))
        note = _note_on_text("answer", around)
    elif not is_one_json(text) and (
        begun := _NAMES_A_TOOL.match(begin := _past_fence(text))
    ):
        # The whole text stands in for the arguments, so that the model is told of it.
        action = {"name": begun[1], "arguments": text}
        return _with_tool_call(response, action, None)
    elif begun := _BEGINS_AN_ANSWER.match(begin := _past_fence(text)):
        message = AssistantMessage(_read_unfinished_text(begin[begun.end() :]))
        response, note = replace(response, message=message), "The answer is not whole."
    else:
        note = f"The reply holds no action, so it is the answer: {brief(text)}."
    return replace(response, notes=(*response.notes, note)) if note else response


def _first_action(text: str) -> tuple[dict[str, Any], str, bool]:
    """The first object in a text, what stands around it, and whether there are more.

    Calls may also come as a list.
    """
    if found := first_object(text):
        before, action, after = found
        several = OPENS_AN_OBJECT.search(after) is not None
        return action, (before + after).strip(), several
    start = text.find("[")
    if start < 0 or opens_too_many_levels(text):
        return {}, "", False
    try:
        listed, end = next_value(text, start)
    except NotJSON:
        return {}, "", False
    actions = [action for action in listed if isinstance(action, dict)]
    meant = [action for action in actions if {"name", "arguments"} <= action.keys()]
    if not meant and len(listed) == 1:
        meant = [action for action in actions if "answer" in action]
    around = (text[:start] + text[end:]).strip()
    return (meant[0], around, len(listed) > 1) if meant else ({}, "", False)


def _past_fence(text: str) -> str:
    return re.sub(r"\A```\w*\s*", "", text.strip())


def _note_on_text(what: str, around: str) -> str | None:
    return f"Text around the {what} was left out: {brief(around)}." if around else None


def _with_tool_call(
    response: LLMResponse, action: Mapping[str, Any], problem: str | None
) -> LLMResponse:
    (call,), notes = read_tool_calls(
        [{"function": action}], cut_off=is_cut_off(response.finish_reason)
    )
    if problem is not None:
        call = replace(call, problem=problem)
    message = AssistantMessage("", (call,))
    return replace(response, message=message, notes=(*response.notes, *notes))


def _read_unfinished_text(rest: str) -> str:
    """What an answer that was cut off holds, its escapes undone where that is sure."""
    try:
        return valid_text(str(read_json(f'"{rest}"')))
    except NotJSON:
        return rest
