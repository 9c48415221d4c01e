from __future__ import annotations

import copy
import json
import logging
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite import Agent, KeepAll, ScriptedLLM
from mingraph_lite.adapters import OllamaChat, OpenAIChat, from_openai, to_openai
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.errors import MingraphError
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)
from mingraph_lite.recovery import Retries
from mingraph_lite.tools import ToolRegistry
from tests.adapters.wire import calling
from tests.properties import cases

HELLO = UserMessage("hello")
FOLDER: list[Message] = [
    SystemMessage("Be brief."),
    UserMessage("2 and 3?"),
    AssistantMessage("I'll add.", (ToolCall("add", {"a": 2, "b": 3.0}, "c1"),)),
    ToolMessage("5", "c1", "add"),
    AssistantMessage("", (ToolCall("now", {}, "c2"), ToolCall("now", {}, "c3"))),
    ToolMessage("noon", "c3", "now"),
    ToolMessage("", "c2", "now"),
    AssistantMessage("5, at noon."),
]


def stored(folder: list[Message]) -> Any:
    """A folder as another program finds it in a file."""
    return json.loads(json.dumps(to_openai(folder), allow_nan=False))


# What is written


def test_a_folder_is_written_as_the_field_stores_it() -> None:
    assert to_openai(FOLDER) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "2 and 3?"},
        {
            "role": "assistant",
            "content": "I'll add.",
            "tool_calls": [calling("add", '{"a": 2, "b": 3.0}', "c1")],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "add", "content": "5"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [calling("now", "{}", "c2"), calling("now", "{}", "c3")],
        },
        {"role": "tool", "tool_call_id": "c3", "name": "now", "content": "noon"},
        {"role": "tool", "tool_call_id": "c2", "name": "now", "content": ""},
        {"role": "assistant", "content": "5, at noon."},
    ]


def test_a_folder_that_was_stored_is_the_same_again() -> None:
    assert from_openai(stored(FOLDER)) == FOLDER


# Right: what stands for no text belongs to a request, and was said by nobody.
def test_B07_nothing_is_stored_that_was_not_said() -> None:
    folder: list[Message] = [
        SystemMessage(""),
        UserMessage(" "),
        AssistantMessage(""),
        AssistantMessage(" \n", (ToolCall("now", {}, "c1"),)),
        ToolMessage("", "c1", "now"),
    ]
    assert [m["content"] for m in to_openai(folder)] == ["", " ", "", " \n", ""]
    assert from_openai(stored(folder)) == folder


def test_what_is_stored_is_plain_json_of_its_own() -> None:
    call = ToolCall("find", {"tags": ["a"]}, "c1")
    written = to_openai([AssistantMessage("", (call,))])
    assert json.loads(written[0]["tool_calls"][0]["function"]["arguments"]) == {
        "tags": ["a"]
    }
    written[0]["tool_calls"].clear()
    assert {type(part) for part in (written, written[0])} == {list, dict}
    assert call == ToolCall("find", {"tags": ["a"]}, "c1")


# B10. Right: half characters are replaced once; a proper pair is one character.
def test_B10_half_characters_are_replaced_before_they_are_stored() -> None:
    call = ToolCall("f", {"a\ud83d": "\ud83d\udc4d"}, "c\ud83d")
    folder = [UserMessage("\udc80"), AssistantMessage("", (call,))]
    folder_again = from_openai(stored([*folder, ToolMessage("x", "c\ud83d", "f")]))
    mended = ToolCall("f", {"a\ufffd": "\U0001f44d"}, "c\ufffd")
    assert folder_again == [
        UserMessage("\ufffd"),
        AssistantMessage("", (mended,)),
        ToolMessage("x", "c\ufffd", "f"),
    ]
    json.dumps(to_openai(folder), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "arguments",
    ['{"a": ', "[1]", "3", '{"a": 1}{"a": 2}', '{"a": NaN}', '{"a": 1, "a": 2}', "no"],
)
def test_arguments_that_could_not_be_read_have_the_same_problem_again(
    arguments: str,
) -> None:
    (call,), _ = read_tool_calls([calling("add", arguments, "c1")])
    assert (call.arguments, call.raw) == ({}, arguments)
    assert call.problem
    folder = [HELLO, AssistantMessage("", (call,)), ToolMessage("Error", "c1", "add")]
    assert stored(folder)[1]["tool_calls"] == [calling("add", arguments, "c1")]
    assert from_openai(stored(folder)) == folder


def test_arguments_that_were_read_in_spite_of_words_around_them_are_read_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    (call,), notes = read_tool_calls([calling("add", 'Sure: {"a": 2}', "c1")])
    assert (call.problem, len(notes)) == (None, 1)
    folder = [AssistantMessage("", (call,))]
    assert from_openai(stored(folder)) == folder
    assert caplog.messages == []


# A13. Right: no name is sent that providers refuse.
def test_A13_a_name_is_stored_in_letters_that_providers_allow() -> None:
    folder = [
        AssistantMessage("", (ToolCall("get weather!", {"a": 1}, "c1"),)),
        ToolMessage("18", "c1", "get weather!"),
    ]
    assert from_openai(stored(folder)) == [
        AssistantMessage("", (ToolCall("get_weather_", {"a": 1}, "c1"),)),
        ToolMessage("18", "c1", "get_weather_"),
    ]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (KeepAll(), "to_openai takes a list of messages and got KeepAll(0 messages)."),
        ([{"role": "user"}], "to_openai takes messages; messages[0]: a dict is no"),
    ],
)
def test_what_is_no_folder_is_not_stored(wrong: Any, sentence: str) -> None:
    with pytest.raises(TypeError) as raised:
        to_openai(wrong)
    assert str(raised.value).startswith(sentence)


# What is read


def reply(**keys: Any) -> Any:
    return {"role": "assistant", **keys}


ADD = ToolCall("add", {"a": 2}, "c1")
ADDS = reply(content=None, tool_calls=[calling("add", '{"a": 2}', "c1")])


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"role": "developer", "content": "Be kind."}, SystemMessage("Be kind.")),
        ({"role": "user"}, UserMessage("")),
        ({"role": "user", "content": None, "name": "Ada"}, UserMessage("")),
        (
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "text", "text": "b"},
                ],
            },
            UserMessage("ab"),
        ),
        (reply(content=None, refusal="I will not."), AssistantMessage("I will not.")),
        (
            reply(content=[{"type": "refusal", "refusal": "No."}]),
            AssistantMessage("No."),
        ),
        (reply(content="hi", refusal=None, audio=None), AssistantMessage("hi")),
        (reply(content="hi", tool_calls=[]), AssistantMessage("hi")),
        (reply(content="hi", tool_calls=None, x={"y": 1}), AssistantMessage("hi")),
        (ADDS, AssistantMessage("", (ADD,))),
        (
            reply(tool_calls=[calling("add", {"a": 2}, "c1")]),
            AssistantMessage("", (ADD,)),
        ),
        (
            reply(tool_calls=[{"function": {"name": "add", "arguments": {"a": 2}}}]),
            AssistantMessage("", (ToolCall("add", {"a": 2}),)),
        ),
        (
            reply(function_call={"name": "add", "arguments": '{"a": 2}'}),
            AssistantMessage("", (ToolCall("add", {"a": 2}),)),
        ),
        (
            {"role": "tool", "content": "5", "tool_call_id": "c9", "name": "add"},
            ToolMessage("5", "c9", "add"),
        ),
        ({"role": "tool", "content": "5"}, ToolMessage("5", "", "")),
        (
            {"role": "function", "content": "5", "name": "add"},
            ToolMessage("5", "", "add"),
        ),
    ],
)
def test_what_other_programs_store_is_read(sent: Any, message: Message) -> None:
    before = copy.deepcopy(sent)
    assert from_openai([sent]) == [message]
    assert sent == before


def test_an_answer_without_a_name_has_that_of_its_call() -> None:
    def answer(id: str) -> dict[str, str]:
        return {"role": "tool", "tool_call_id": id, "content": "5"}

    first = reply(tool_calls=[calling("a", "{}", "c1"), calling("b", "{}", "c2")])
    again = reply(tool_calls=[calling("c", "{}", "c1")])
    dicts = [first, answer("c2"), answer("c1"), again, answer("c1"), answer("c1")]
    read = [m for m in from_openai(dicts) if isinstance(m, ToolMessage)]
    assert [m.name for m in read] == ["b", "a", "c", "c"]


def test_calls_and_answers_without_numbers_get_their_own_in_a_memory() -> None:
    calls = [{"function": {"name": n, "arguments": {"n": 1}}} for n in ("a", "b")]
    dicts = [
        {"role": "user", "content": "go"},
        reply(tool_calls=calls),
        {"role": "tool", "content": "one"},
        {"role": "tool", "content": "two"},
        reply(content="", function_call={"name": "c", "arguments": "{}"}),
        {"role": "function", "name": "c", "content": "three"},
    ]
    folder = KeepAll(from_openai(dicts)).folder
    assert problems(folder) == []
    assert [(m.name, m.content) for m in folder if isinstance(m, ToolMessage)] == [
        ("a", "one"),
        ("b", "two"),
        ("c", "three"),
    ]


def test_parts_that_are_no_text_are_left_out_with_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    dicts = [
        {"role": "user", "content": ["What is this?", picture]},
        {"role": "user", "content": [{"type": "input_audio"}]},
    ]
    assert from_openai(dicts) == [UserMessage("What is this?"), UserMessage("")]
    assert caplog.record_tuples == [
        (
            "mingraph_lite.adapters.openai_messages",
            logging.WARNING,
            "from_openai: messages[0]: A part of the content that is no text was left "
            "out: 'image_url'. messages[1]: A part of the content that is no text was "
            "left out: 'input_audio'.",
        )
    ]


def test_what_was_read_does_not_change_with_what_it_was_read_from() -> None:
    arguments = {"tags": ["a"]}
    dicts = [reply(tool_calls=[calling("find", arguments, "c1")])]
    folder = from_openai(dicts)
    arguments["tags"].append("b")
    dicts[0]["tool_calls"].clear()
    assert folder == [AssistantMessage("", (ToolCall("find", {"tags": ["a"]}, "c1"),))]


ROLES = "The roles are system, developer, user, assistant, tool and function."
CONTENT = (
    "It is a text, a list of parts, or null; write another value as the text of its "
    "JSON."
)
USER: Any = {"role": "user", "content": "hello"}
DICTS = (
    'Each is like {"role": "user", "content": "…"}; an object of the openai package '
    "gives one by model_dump(), and messages of this package need no reading."
)


def nested(levels: int) -> Any:
    part: Any = "deep"
    for _ in range(levels):
        part = [{"type": "thinking", "thinking": part}]
    return part


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        (
            '[{"role": "user"}]',
            TypeError,
            "from_openai reads a list of dicts and got a text, "
            '\'[{"role": "user"}]\'. If it is JSON, hand in json.loads(text).',
        ),
        (
            USER,
            TypeError,
            "from_openai reads a list of dicts and got "
            '\'{"role": "user", "content": "hello"}\'. Put one message into a list; '
            "of a request, hand in its 'messages'.",
        ),
        (
            None,
            TypeError,
            "from_openai reads a list of dicts and got 'null'. Put one message into a "
            "list; of a request, hand in its 'messages'.",
        ),
        (
            [USER, HELLO],
            TypeError,
            f"messages[1]: a UserMessage is no dict that was stored. {DICTS}",
        ),
        (
            ["hello"],
            TypeError,
            f"messages[0]: a str is no dict that was stored. {DICTS}",
        ),
        (
            [USER, {"role": "bot"}],
            ValueError,
            f"messages[1]: the role is 'bot'. {ROLES}",
        ),
        ([{"role": None}], ValueError, f"messages[0]: the role is 'null'. {ROLES}"),
        ([{"content": "hi"}], ValueError, f"messages[0]: it has no role. {ROLES}"),
        (
            [USER, USER, {"role": "user", "content": 5}],
            TypeError,
            f"messages[2]: the content is '5'. {CONTENT}",
        ),
        (
            [{"role": "tool", "content": {"ok": True}}],
            TypeError,
            f"messages[0]: the content is '{{\"ok\": true}}'. {CONTENT}",
        ),
        (
            [reply(content=nested(200))],
            ValueError,
            "messages[0]: the content is nested too deep to be one. Make it a text.",
        ),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(
    wrong: Any, kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as raised:
        from_openai(wrong)
    assert str(raised.value) == sentence


# Whatever was said


def add(a: int, b: int = 1) -> int:
    """The sum of two numbers."""
    return a + b


TOOLS = ToolRegistry()
TOOLS.add(add)

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | texts | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=6,
)
sent_arguments = st.one_of(
    values.map(json.dumps),
    values,
    texts,
    st.sampled_from(['{"a": 1}', '{"a": 1', "```{}```", '{"a": 1, "a": 2}', "", "[]"]),
)
entries = st.lists(
    st.builds(
        calling,
        st.sampled_from(["add", "add", "gone"]),
        sent_arguments,
        st.sampled_from(["", "a", "b", "call_1"]),
    ),
    max_size=3,
)
replies = st.one_of(
    texts,
    st.builds(
        lambda text, sent: LLMResponse(
            AssistantMessage(text, read_tool_calls(sent)[0])
        ),
        texts,
        entries,
    ),
    st.builds(LLMResponse, st.just(AssistantMessage("")), refusal=texts),
)
scripts = st.lists(replies, max_size=5)


def folder_of(script: Any) -> list[Message]:
    """What the folder holds after two runs on a script, however they end."""
    at_once = Retries(most=2, sleep=lambda seconds: None)
    agent = Agent(ScriptedLLM(script), TOOLS, "Hm.", max_steps=3, retries=at_once)
    for question in ("one", " two "):
        with suppress(MingraphError):
            agent.run(question)
    return list(agent.memory.folder)


@pytest.mark.properties
@cases(scripts)
def test_any_folder_of_a_run_is_the_same_again_after_it_was_stored(script: Any) -> None:
    folder = folder_of(script)
    assert from_openai(stored(folder)) == folder
    assert list(KeepAll(from_openai(stored(folder))).folder) == folder


@pytest.mark.properties
@cases(scripts)
def test_a_folder_that_was_stored_is_sent_like_the_one_that_was_not(
    script: Any,
) -> None:
    folder = folder_of(script)
    again = from_openai(stored(folder))
    for model in (OpenAIChat("m"), OllamaChat("m")):
        assert model.payload(again) == model.payload(folder)


keys = st.sampled_from(
    [
        "role",
        "content",
        "tool_calls",
        "function_call",
        "refusal",
        "tool_call_id",
        "name",
    ]
)
roles = st.sampled_from(["system", "user", "assistant", "tool", "function", "bot"])


@pytest.mark.properties
@cases(
    st.lists(
        st.builds(
            lambda role, rest: {"role": role, **rest},
            roles,
            st.dictionaries(keys, values | entries, max_size=4),
        ),
        max_size=4,
    )
)
def test_whatever_is_read_it_becomes_messages_or_a_sentence(dicts: Any) -> None:
    before = copy.deepcopy(dicts)
    with suppress(TypeError, ValueError):
        folder = list(KeepAll(from_openai(dicts)).folder)
        assert to_openai(from_openai(stored(folder))) == to_openai(folder)
    assert repr(dicts) == repr(before)
