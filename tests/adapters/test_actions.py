"""Tools for models that know none: one action at a time, as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.endings import CUT_NOTE
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.adapters.models import CUT, MENU, QUESTION, only_call, openai, read_as_action
from tests.adapters.wire import (
    answering,
    asking,
    calling,
    chunk,
    completion,
    in_turn,
    streaming,
)

WEATHER = {"name": "get_weather", "arguments": {"city": "Paris"}}


def test_json_mode_puts_the_menu_into_the_prompt_and_asks_for_a_schema() -> None:
    messages: list[Message] = [SystemMessage("Be brief."), UserMessage("Paris?")]
    sent = openai(tools_as="json").payload(messages, MENU)
    assert sent == {
        "model": "m",
        "messages": [
            {
                "role": "system",
                "content": "Be brief.\n\n"
                "Tools:\n"
                "- get_weather(city: string): The temperature in a city.\n"
                "Reply with one JSON object. First use the tools, one at a time, like "
                "this:\n"
                '{"name": "get_weather", "arguments": {"city": "…"}}\n'
                "When you have every result, answer like this:\n"
                '{"answer": "…"}\n'
                "Never answer what no tool has told you.",
            },
            {"role": "user", "content": "Paris?"},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "action",
                "strict": True,
                "schema": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {
                                "name": {"const": "get_weather"},
                                "arguments": {
                                    "type": "object",
                                    "properties": {"city": {"type": "string"}},
                                    "required": ["city"],
                                },
                            },
                            "required": ["name", "arguments"],
                            "additionalProperties": False,
                        },
                        {
                            "type": "object",
                            "properties": {"answer": {"type": "string"}},
                            "required": ["answer"],
                            "additionalProperties": False,
                        },
                    ]
                },
            },
        },
    }


def test_json_mode_says_of_a_parameter_what_its_schema_says() -> None:
    properties = {
        "city": {"type": "string", "description": "as on a map"},
        "days": {"type": "integer", "default": 1},
        "unit": {"enum": ["°C", "°F"]},
    }
    parameters = {"type": "object", "properties": properties}
    function = {"name": "ask", "description": "Ask.", "parameters": parameters}
    menu = [{"type": "function", "function": function}]
    prompt = openai(tools_as="json").payload(QUESTION, menu)["messages"][0]["content"]
    assert prompt.splitlines()[1] == (
        '- ask(city: string (as on a map), days: integer = 1, unit: "°C" | "°F"): Ask.'
    )


def test_json_mode_without_a_system_message_makes_one() -> None:
    sent = openai(tools_as="json").payload(QUESTION, MENU)["messages"]
    assert [message["role"] for message in sent] == ["system", "user"]


def test_json_mode_without_a_menu_is_a_plain_request() -> None:
    messages = [*QUESTION, AssistantMessage("hi"), UserMessage("and?")]
    json_mode = openai(tools_as="json")
    assert json_mode.payload(messages) == openai().payload(messages)
    content = json.dumps(WEATHER)
    transport = answering(completion({"content": content}))
    response = openai(transport, tools_as="json").generate(messages)
    assert response.message == AssistantMessage(content)


def test_json_mode_sends_the_messages_as_plain_turns() -> None:
    calls = (
        ToolCall("get_weather", {"city": "Paris"}, id="c1"),
        ToolCall("get_weather", {"city": "Tokyo"}, id="c2"),
    )
    messages: list[Message] = [
        UserMessage("Paris and Tokyo?"),
        AssistantMessage("Both.", calls),
        ToolMessage("18", "c1", "get_weather"),
        ToolMessage("24", "c2", "get_weather"),
        AssistantMessage("18 and 24"),
        UserMessage("Thanks."),
    ]
    turns = openai(tools_as="json").payload(messages, MENU)["messages"][1:]
    assert [(turn["role"], turn["content"]) for turn in turns] == [
        ("user", "Paris and Tokyo?"),
        (
            "assistant",
            'Both.\n\n{"name": "get_weather", "arguments": {"city": "Paris"}}',
        ),
        ("user", "Result of get_weather: 18"),
        ("assistant", '{"name": "get_weather", "arguments": {"city": "Tokyo"}}'),
        ("user", "Result of get_weather: 24"),
        ("assistant", '{"answer": "18 and 24"}'),
        ("user", "Thanks."),
    ]


def test_json_mode_keeps_a_result_without_call_and_a_call_without_result() -> None:
    messages: list[Message] = [
        ToolMessage("18", "lost", "get_weather"),
        AssistantMessage("", (ToolCall("get_weather", {}, id="c2"),)),
    ]
    assert openai(tools_as="json").payload(messages)["messages"] == [
        {"role": "user", "content": "Result of get_weather: 18"},
        {"role": "assistant", "content": '{"name": "get_weather", "arguments": {}}'},
    ]


def test_json_mode_moves_definitions_to_where_references_find_them() -> None:
    place = {"type": "object", "properties": {"city": {"type": "string"}}}
    parameters = {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": place, "Two": {"items": {"$ref": "#/$defs/Place"}}},
    }
    function = {"name": "go", "description": "", "parameters": parameters}
    menu = [{"type": "function", "function": function}]
    sent = openai(tools_as="json").payload(QUESTION, menu)
    schema = sent["response_format"]["json_schema"]["schema"]
    arguments = schema["anyOf"][0]["properties"]["arguments"]
    assert arguments == {
        "type": "object",
        "properties": {"at": {"$ref": "#/$defs/go.Place"}},
    }
    assert schema["$defs"] == {
        "go.Place": place,
        "go.Two": {"items": {"$ref": "#/$defs/go.Place"}},
    }


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        (json.dumps(WEATHER), ()),
        (
            f"```json\n{json.dumps(WEATHER)}\n```",
            ("Text around the action was left out: '```json ```'.",),
        ),
        (
            f"Let me look. {json.dumps(WEATHER)}",
            ("Text around the action was left out: 'Let me look.'.",),
        ),
        (json.dumps({**WEATHER, "arguments": '{"city": "Paris"}'}), ()),
    ],
)
def test_json_mode_reads_an_action_as_one_tool_call(content: str, notes: Any) -> None:
    call = ToolCall("get_weather", {"city": "Paris"}, id="call_1")
    response = read_as_action(content)
    assert response.message == AssistantMessage("", (call,))
    assert response.notes == notes


@pytest.mark.parametrize(
    ("content", "answer", "notes"),
    [
        ('{"answer": "It is 18."}', "It is 18.", ()),
        ('{"answer": 18}', "18", ()),
        (
            "It is 18.",
            "It is 18.",
            ("The reply holds no action, so it is the answer: 'It is 18.'.",),
        ),
        (
            'The file says {"name": "Paris"}.',
            'The file says {"name": "Paris"}.',
            (
                "The reply holds no action, so it is the answer: "
                '\'The file says {"name": "Paris"}.\'.',
            ),
        ),
        ("", "", ("The reply holds no action, so it is the answer: ''.",)),
    ],
)
def test_json_mode_reads_everything_else_as_the_answer(
    content: str, answer: str, notes: Any
) -> None:
    response = read_as_action(content)
    assert (response.message, response.notes) == (AssistantMessage(answer), notes)


# H12. Right: no note calls a text the answer that the loop will not take for one.
@pytest.mark.parametrize("content", ['{\n  "name":', "It is 1", ""])
def test_H12_json_mode_calls_no_cut_text_the_answer(content: str) -> None:
    response = read_as_action(content, "length")
    assert response.notes == (CUT_NOTE, "The reply holds no whole action.")


def test_json_mode_does_not_take_half_an_action_for_an_answer() -> None:
    call = only_call(read_as_action('{"name": "get_weather", "argu', "length"))
    assert (call.name, call.arguments, call.problem) == ("get_weather", {}, CUT)
    call = only_call(read_as_action('{"name": "get_weather", "argu'))
    assert call.problem is not None
    assert "not valid JSON" in call.problem


@pytest.mark.parametrize(
    ("half", "text"), [('It is \\"18', 'It is "18'), ("It is \\", "It is \\")]
)
def test_json_mode_keeps_the_text_of_half_an_answer(half: str, text: str) -> None:
    response = read_as_action(f'{{"answer": "{half}', "length")
    assert response.message == AssistantMessage(text)
    assert "The answer is not whole." in response.notes


def test_json_mode_asks_for_one_action_at_a_time() -> None:
    call = only_call(read_as_action(json.dumps(WEATHER) + json.dumps(WEATHER)))
    assert call.problem == (
        "the reply holds more than one action. "
        "Send one, and the next when its result is there."
    )


def test_json_mode_takes_real_tool_calls_and_refusals_as_they_are() -> None:
    reply = completion(asking(calling("ping", "{}")))
    assert openai(tools_as="json").parse(reply) == openai().parse(reply)
    refused = completion({"content": None, "refusal": "no"})
    assert openai(tools_as="json").parse(refused) == openai().parse(refused)


@pytest.mark.parametrize(
    ("pieces", "heard_text"),
    [(['{"answer": ', '"Oslo"}'], ["Oslo"]), ([json.dumps(WEATHER)], [])],
)
def test_json_mode_lets_nobody_hear_raw_json(pieces: Any, heard_text: Any) -> None:
    transport = streaming(*(chunk({"content": p}) for p in pieces), chunk({}, "stop"))
    deltas: list[str] = []
    model = openai(transport, tools_as="json")
    model.generate(QUESTION, MENU, on_text_delta=deltas.append)
    assert deltas == heard_text


def test_json_mode_runs_a_whole_agent() -> None:
    tools = ToolRegistry()

    @tools.add
    def get_weather(city: str) -> str:
        """The temperature in a city."""
        return "18"

    texts = (json.dumps(WEATHER), '{"answer": "It is 18."}')
    transport = in_turn(*(completion({"content": text}) for text in texts))
    agent = Agent(openai(transport, tools_as="json"), tools, "Be brief.")
    assert agent.run("Paris?") == {"answer": "It is 18."}


def line_of(properties: Any) -> str:
    parameters = {"type": "object", "properties": properties}
    function = {"name": "look", "description": "Look.", "parameters": parameters}
    menu = [{"type": "function", "function": function}]
    body = openai(tools_as="json").payload([], menu)
    return str(body["messages"][0]["content"]).splitlines()[1]


# H24: what a small model reads of a parameter: words where they say all of it.
@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {
                "enum": ["fast", "slow"],
                "type": "string",
                "default": "fast",
                "description": "how to\nlook",
            },
            '"fast" | "slow" = "fast" (how to look)',
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "integer | null = null",
        ),
        ({"type": ["string", "null"]}, "string | null"),
        ({"const": 3}, "3"),
        ({"type": "array", "items": {"enum": ["a", 1]}}, 'list of "a" | 1'),
        (
            {"type": "integer", "minimum": 1, "description": "of days"},
            '{"type": "integer", "minimum": 1} (of days)',
        ),
        (
            {"anyOf": [{"type": "object", "additionalProperties": {"type": "string"}}]},
            "object of string",
        ),
        ({}, "anything"),
    ],
)
def test_a_parameter_is_told_in_words(schema: Any, words: str) -> None:
    assert line_of({"how": schema}) == f"- look(how: {words}): Look."


# H01: what names no tool and holds nothing is data, and stays the answer; a name that
# is nearly a tool's, or that comes with arguments, is told which tools there are (A13).
@pytest.mark.parametrize(
    ("content", "calls"),
    [
        ('{"name": "Oslo", "arguments": {}}', []),
        ('{"name": "get_wether", "arguments": {}}', ["get_wether"]),
        ('{"name": "Oslo", "arguments": {"city": "Oslo"}}', ["Oslo"]),
        ('{"name": "get_weather", "arguments": {}}', ["get_weather"]),
    ],
)
def test_H01_A13_a_name_that_is_like_no_tool_is_no_call(
    content: str, calls: list[str]
) -> None:
    reply = completion({"content": content})
    message = openai(tools_as="json").parse(reply, MENU).message
    assert [call.name for call in message.tool_calls] == calls
    assert message.content == ("" if calls else content)
