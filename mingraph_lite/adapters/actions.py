"""Tools for models that know none: the next action as JSON.

The menu goes into the prompt. The model may write one of two objects, and a server that
enforces schemas lets it write nothing else:

    {"name": "get_weather", "arguments": {"city": "Paris"}}
    {"answer": "It is 18°C in Paris."}

Such models have no role for tools either: a call is sent as what the assistant wrote,
its result as what the user replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.adapters.tool_calls import legal_name
from mingraph_lite.llm import Menu
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["action_format", "plain_messages", "with_menu"]


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


_SAID_BESIDE: Final = {"description", "default", "title"}


def _type_of_parameter(schema: Mapping[str, Any]) -> str:
    """A parameter in a few words: "fast" | "slow" = "fast" (how to look)."""
    kind = _kind_in_words(schema)
    if "default" in schema:
        kind += f" = {write_json(schema['default'])}"
    said = " ".join(str(schema.get("description") or "").split())
    return f"{kind} ({said})" if said else kind


def _kind_in_words(schema: Any) -> str:
    """The type alone; its schema where words would leave something out.

    A number's limits, say, or the parts of an object.
    """
    if not isinstance(schema, Mapping):
        return write_json(schema)
    kind = {key: value for key, value in schema.items() if key not in _SAID_BESIDE}
    match kind:
        case {"enum": list(values), **rest} if not rest.keys() - {"type"}:
            return " | ".join(map(write_json, values))
        case {"const": value, **rest} if not rest.keys() - {"type"}:
            return write_json(value)
        case {"anyOf": list(variants), **rest} if not rest:
            return " | ".join(map(_kind_in_words, variants))
        case {"type": list(names), **rest} if not rest:
            return " | ".join(map(str, names))
        case {"type": "array", "items": dict(items), **rest} if not rest:
            return f"list of {_kind_in_words(items)}"
        case {"type": "object", "additionalProperties": dict(values), **rest} if (
            not rest
        ):
            return f"object of {_kind_in_words(values)}"
        case {"type": str(name), **rest} if not rest:
            return name
    return write_json(kind) if kind else "anything"


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
