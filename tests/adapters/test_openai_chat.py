"""What is sent to an OpenAI-compatible server; Ollama's own API beside it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters import OllamaChat
from mingraph_lite.errors import StepLimitReached
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.adapters.models import MENU, QUESTION, listened_to, openai
from tests.adapters.wire import (
    answering,
    asking,
    calling,
    chunk,
    completion,
    streaming,
    strictly,
)


def test_a_request_holds_the_messages_the_menu_and_the_options() -> None:
    model = openai(temperature=0.5, max_tokens=9, extra={"seed": 7})
    messages: list[Message] = [SystemMessage("Be brief."), UserMessage("hi")]
    want = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
        ],
        "temperature": 0.5,
        "max_tokens": 9,
        "seed": 7,
    }
    assert model.payload(messages) == want
    assert model.payload(messages, MENU) == {**want, "tools": MENU}


def test_streaming_is_asked_for_only_where_somebody_listens() -> None:
    transport = streaming(chunk({"content": "Oslo"}, "stop"))
    openai(transport).generate(QUESTION)
    assert "stream" not in transport.sent()
    openai(transport).generate(QUESTION, on_text_delta=lambda piece: None)
    assert transport.sent()["stream"] is True
    assert transport.sent()["stream_options"] == {"include_usage": True}


def test_a_server_that_ignores_stream_is_heard_all_the_same() -> None:
    transport = answering(completion({"content": "Oslo"}))
    assert listened_to(openai(transport))[1] == ["Oslo"]


ADDITION = {"a": 2, "b": 3}


# A02: text or object gives one ToolCall; each API gets its own form back.
def test_A02_messages_of_one_adapter_go_on_through_the_other() -> None:
    call = ToolCall("add", ADDITION, id="c1")
    messages: list[Message] = [
        UserMessage("2 and 3?"),
        AssistantMessage("", (call,)),
        ToolMessage("5", "c1", "add"),
    ]
    assert openai().payload(messages)["messages"] == [
        {"role": "user", "content": "2 and 3?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [calling("add", '{"a": 2, "b": 3}')],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "add", "content": "5"},
    ]
    calls = [{"function": {"name": "add", "arguments": ADDITION}}]
    assert OllamaChat("m").payload(messages) == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "2 and 3?"},
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "tool_name": "add", "content": "5"},
        ],
        "stream": False,
    }


# A06: NaN and Infinity are not run, and what is sent is strict JSON.
def test_A06_what_a_program_put_into_the_messages_is_sent_as_strict_json() -> None:
    bad = {"x": float("nan"), "y": [float("inf"), -float("inf")], "z": {1}}
    messages: list[Message] = [
        *QUESTION,
        AssistantMessage("", (ToolCall("scale", bad, id="c1"),)),
        ToolMessage("?", "c1", "scale"),
    ]
    transport = answering(completion({"content": "ok"}))
    openai(transport, extra={"top_p": float("nan")}).generate(messages)
    sent = strictly(transport.requests[0].body)
    arguments = sent["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {
        "x": "NaN",
        "y": ["Infinity", "-Infinity"],
        "z": [1],
    }
    assert sent["top_p"] == "NaN"


@pytest.mark.parametrize("tools_as", ["native", "json"])
def test_A06_what_is_sent_is_the_payload(tools_as: Any) -> None:
    transport = answering(completion({"content": "ok"}))
    messages = [*QUESTION, AssistantMessage("é", (ToolCall("f", {"x": math.nan}),))]
    model = openai(transport, tools_as=tools_as, extra={"stop": ("a", "b")})
    model.generate(messages, MENU)
    assert strictly(transport.requests[0].body) == model.payload(messages, MENU)


# A13: a clear name is run; an unclear one is answered; none that is illegal is sent.
def test_A13_a_name_from_elsewhere_is_made_legal_before_it_is_sent() -> None:
    messages = [AssistantMessage("", (ToolCall("get weather!", {}, id="c1"),))]
    entry = openai().payload(messages)["messages"][0]["tool_calls"][0]
    assert entry["function"]["name"] == "get_weather_"
    native = OllamaChat("m").payload(messages)["messages"][0]["tool_calls"][0]
    assert native["function"]["name"] == "get_weather_"


# B06: text and calls of one message are both sent.
def test_B06_text_and_calls_of_one_message_are_both_sent() -> None:
    messages = [
        AssistantMessage("I'll check both.", (ToolCall("ping", {}, id="c1"),)),
        AssistantMessage("", (ToolCall("ping", {}, id="c2"),)),
    ]
    one, two = openai().payload(messages)["messages"]
    assert one["content"] == "I'll check both."
    assert one["tool_calls"] == [calling("ping", "{}", "c1")]
    assert two["content"] is None
    assert two["tool_calls"] == [calling("ping", "{}", "c2")]
    one, two = OllamaChat("m").payload(messages)["messages"]
    calls = [{"function": {"name": "ping", "arguments": {}}}]
    assert one == {
        "role": "assistant",
        "content": "I'll check both.",
        "tool_calls": calls,
    }
    assert two == {"role": "assistant", "tool_calls": calls}


# B07: nothing empty is sent, and turns stay in their order.
@pytest.mark.parametrize("model", [openai(), OllamaChat("m")])
def test_B07_nothing_empty_is_sent_and_turns_are_kept(model: Any) -> None:
    messages: list[Message] = [
        SystemMessage(""),
        UserMessage("hi"),
        AssistantMessage(" "),
        UserMessage("well?"),
        AssistantMessage("", (ToolCall("ping", {}, id="c1"),)),
        ToolMessage("", "c1", "ping"),
    ]
    sent = model.payload(messages)["messages"]
    assert [(m["role"], m.get("content")) for m in sent] == [
        ("user", "hi"),
        ("assistant", "(empty)"),
        ("user", "well?"),
        ("assistant", None),
        ("tool", "(empty)"),
    ]


# B10: half characters are replaced once; a proper pair is one character.
@pytest.mark.parametrize("model", [openai(), OllamaChat("m"), openai(tools_as="json")])
def test_B10_half_characters_are_replaced_before_they_are_sent(model: Any) -> None:
    messages: list[Message] = [
        UserMessage("bad \udc80"),
        AssistantMessage("", (ToolCall("f", {"a\ud83d": "\ud83d\udc4d"}, id="c1"),)),
        ToolMessage("caf\udce9 \ud83d", "c1", "f"),
    ]
    text = json.dumps(model.payload(messages), ensure_ascii=False)
    text.encode()
    assert "bad \ufffd" in text
    assert "caf\ufffd \ufffd" in text
    assert "\U0001f44d" in text


def test_another_way_to_offer_tools_is_refused() -> None:
    with pytest.raises(ValueError, match="'native' or 'json'"):
        openai(tools_as="xml")


def test_a_limit_on_steps_holds_for_a_model_that_never_answers() -> None:
    tools = ToolRegistry()
    tools.add(lambda: "pong", name="ping")
    transport = answering(completion(asking(calling("ping", ""))))
    memory = KeepAll()
    with pytest.raises(StepLimitReached):
        Agent(openai(transport), tools, "", memory=memory, max_steps=3).run("go")
    ids = [m.tool_call_id for m in memory.folder if isinstance(m, ToolMessage)]
    assert len(set(ids)) == 3


def test_repr_names_model_and_address() -> None:
    assert repr(openai()) == "OpenAIChat('m', 'http://localhost:1234/v1')"
    assert repr(OllamaChat("m")) == "OllamaChat('m', 'http://127.0.0.1:11434')"
