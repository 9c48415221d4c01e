"""A folder as the field stores it, written and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite.adapters import OllamaChat, from_openai, to_openai
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.adapters.models import openai
from tests.adapters.wire import calling
from tests.properties import cases

HELLO = UserMessage("hello")
PARIS = ToolCall("get_weather", {"city": "Paris", "days": [1, 2]}, "c1")
NOW = ToolCall("now", {}, "c2")

FOLDER: list[Message] = [
    SystemMessage("Be brief."),
    UserMessage("How warm is it, and when?"),
    AssistantMessage("I'll look.", (PARIS, NOW)),
    ToolMessage("noon", "c2", "now"),
    ToolMessage("18", "c1", "get_weather"),
    AssistantMessage("", (ToolCall("now", {}, "c3"),)),
    ToolMessage("", "c3", "now"),
    AssistantMessage("18 at noon."),
]

STORED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How warm is it, and when?"},
    {
        "role": "assistant",
        "content": "I'll look.",
        "tool_calls": [
            calling("get_weather", '{"city": "Paris", "days": [1, 2]}', "c1"),
            calling("now", "{}", "c2"),
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "name": "now", "content": "noon"},
    {"role": "tool", "tool_call_id": "c1", "name": "get_weather", "content": "18"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [calling("now", "{}", "c3")],
    },
    {"role": "tool", "tool_call_id": "c3", "name": "now", "content": ""},
    {"role": "assistant", "content": "18 at noon."},
]


def test_a_folder_is_stored_in_the_shape_of_the_field_and_read_again() -> None:
    assert to_openai(FOLDER) == STORED
    assert from_openai(json.loads(json.dumps(to_openai(FOLDER)))) == FOLDER


def test_a_memory_s_folder_can_be_stored_as_it_is() -> None:
    assert to_openai(KeepAll([HELLO]).folder) == [{"role": "user", "content": "hello"}]


@pytest.mark.parametrize(
    "sent",
    ["{", "[1]", '{"x": NaN}', '{"x": 1, "x": 2}', "```\n{}\n```", '{"x": 1}{"y": 2}'],
)
def test_arguments_that_could_not_be_read_are_stored_as_they_were_sent(
    sent: str,
) -> None:
    dicts = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [calling("f", sent, "c1")],
        }
    ]
    (message,) = folder = from_openai(dicts)
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls[0].raw == sent
    assert to_openai(folder) == dicts
    assert from_openai(to_openai(folder)) == folder


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
names = st.from_regex(r"[a-zA-Z0-9_-]{1,9}", fullmatch=True)
whole = st.integers(-(2**53), 2**53)
values = st.recursive(
    st.none() | st.booleans() | whole | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner),
    max_leaves=6,
)
calls = st.builds(ToolCall, names, st.dictionaries(texts, values, max_size=3), texts)
messages = st.one_of(
    st.builds(SystemMessage, texts),
    st.builds(UserMessage, texts),
    st.builds(AssistantMessage, texts, st.lists(calls, max_size=3).map(tuple)),
    st.builds(ToolMessage, texts, texts, names),
)


@pytest.mark.properties
@cases(st.lists(messages, max_size=6))
def test_whatever_is_stored_is_read_as_it_was(folder: list[Message]) -> None:
    assert from_openai(json.loads(json.dumps(to_openai(folder)))) == folder


# What other programs stored


def read(**sent: Any) -> Message:
    (message,) = from_openai([sent])
    return message


def asked(**call: Any) -> ToolCall:
    message = read(role="assistant", content=None, tool_calls=[call])
    assert isinstance(message, AssistantMessage)
    return message.tool_calls[0]


PARTS = [{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"role": "developer", "content": "Be brief."}, SystemMessage("Be brief.")),
        ({"role": "user", "content": PARTS}, HELLO),
        ({"role": "user", "content": ["hel", "lo"]}, HELLO),
        ({"role": "user", "content": "hello", "name": "Ann", "x": {1: 2}}, HELLO),
        ({"role": "user", "content": None}, UserMessage("")),
        ({"role": "user"}, UserMessage("")),
        ({"role": "user", "content": "caf\udce9"}, UserMessage("caf\ufffd")),
        ({"role": "assistant", "content": None}, AssistantMessage("")),
        (
            {"role": "assistant", "content": "hi", "tool_calls": None, "audio": None},
            AssistantMessage("hi"),
        ),
        (
            {"role": "assistant", "content": "hi", "tool_calls": []},
            AssistantMessage("hi"),
        ),
        (
            {"role": "assistant", "content": None, "refusal": "I will not."},
            AssistantMessage("I will not."),
        ),
        (
            {
                "role": "assistant",
                "content": [{"type": "refusal", "refusal": "I will not."}],
            },
            AssistantMessage("I will not."),
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "function_call": {"name": "now", "arguments": "{}"},
            },
            AssistantMessage("", (ToolCall("now", {}),)),
        ),
        (
            {"role": "function", "name": "now", "content": "noon"},
            ToolMessage("noon", "", "now"),
        ),
        (
            {"role": "tool", "tool_call_id": "c1", "content": PARTS},
            ToolMessage("hello", "c1", ""),
        ),
        (
            {"role": "tool", "tool_call_id": 7, "name": None, "content": "18"},
            ToolMessage("18", "", ""),
        ),
    ],
)
def test_a_message_of_another_program_is_read(
    sent: dict[str, Any], message: Message, caplog: pytest.LogCaptureFixture
) -> None:
    assert from_openai([sent]) == [message]
    assert caplog.messages == []


@pytest.mark.parametrize("arguments", [{"city": "Paris"}, '{"city": "Paris"}'])
def test_arguments_may_be_an_object_or_its_text(arguments: Any) -> None:
    function = {"name": "get_weather", "arguments": arguments}
    assert asked(id="c1", function=function) == ToolCall(
        "get_weather", {"city": "Paris"}, "c1"
    )


def test_a_call_without_a_number_has_none_until_a_memory_gives_it_one() -> None:
    function = {"name": "now", "arguments": ""}
    dicts = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": function}]},
        {"role": "tool", "content": "noon"},
    ]
    folder = from_openai(dicts)
    assert folder == [
        HELLO,
        AssistantMessage("", (ToolCall("now", {}),)),
        ToolMessage("noon", "", "now"),
    ]
    assert list(KeepAll(folder).folder) == [
        HELLO,
        AssistantMessage("", (ToolCall("now", {}, "call_1"),)),
        ToolMessage("noon", "call_1", "now"),
    ]


def test_an_answer_without_a_name_has_the_name_of_its_call() -> None:
    sent = [calling("now", "{}", "a"), calling("add", "{}", "b")]
    twice = [calling("one", "{}", "a"), calling("two", "{}", "a")]
    answers = [{"role": "tool", "tool_call_id": id} for id in ("b", "a", "x")]
    again = [{"role": "tool", "tool_call_id": "a"}] * 3
    folder = from_openai(
        [
            {"role": "assistant", "tool_calls": sent},
            *answers,
            {"role": "assistant", "tool_calls": twice},
            *again,
        ]
    )
    found = [line.name for line in folder if isinstance(line, ToolMessage)]
    assert found == ["add", "now", "", "one", "two", "two"]


def test_what_is_no_text_is_left_out_with_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    dicts = [
        {"role": "user", "content": [picture, *PARTS]},
        {"role": "user", "content": [{"type": "input_audio"}]},
    ]
    assert from_openai(dicts) == [HELLO, UserMessage("")]
    assert caplog.messages == [
        "from_openai: "
        "messages[0]: A part of the content that is no text was left out: "
        "'image_url'. "
        "messages[1]: A part of the content that is no text was left out: "
        "'input_audio'."
    ]


def test_the_dicts_that_were_read_stay_as_they_were() -> None:
    dicts = json.loads(json.dumps(STORED))
    from_openai(iter(dicts))
    assert dicts == STORED


# What is refused


ROLES = "The roles are system, developer, user, assistant, tool and function."
OF_TEXT = (
    "It is a text, a list of parts, or null; write another value as the text of its "
    "JSON."
)


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
            {"role": "user"},
            TypeError,
            "from_openai reads a list of dicts and got {'role': 'user'}. Put one "
            "message into a list; of a request, hand in its 'messages'.",
        ),
        (
            None,
            TypeError,
            "from_openai reads a list of dicts and got None. Put one message into a "
            "list; of a request, hand in its 'messages'.",
        ),
        (
            [{"role": "user"}, HELLO],
            TypeError,
            "messages[1]: a UserMessage is no dict that was stored. Each is like "
            '{"role": "user", "content": "…"}; an object of the openai package gives '
            "one by model_dump(), and messages of this package need no reading.",
        ),
        (
            [{"role": "user"}, {"role": "user", "content": 3}],
            TypeError,
            f"messages[1]: the content is 3. {OF_TEXT}",
        ),
        (
            [{"role": "tool", "content": {"warm": True}}],
            TypeError,
            f"messages[0]: the content is {{'warm': True}}. {OF_TEXT}",
        ),
        (
            [{"role": "user"}, {"role": "robot"}],
            ValueError,
            f"messages[1]: the role is 'robot'. {ROLES}",
        ),
        (
            [{"role": ["user"]}],
            ValueError,
            f"messages[0]: the role is ['user']. {ROLES}",
        ),
        ([{"content": "hi"}], ValueError, f"messages[0]: it has no role. {ROLES}"),
    ],
)
def test_what_is_no_stored_message_is_refused_at_its_place(
    wrong: Any, kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as raised:
        from_openai(wrong)
    assert str(raised.value) == sentence


def test_content_without_a_bottom_is_refused() -> None:
    content: list[Any] = []
    for _ in range(100_000):
        content = [content]
    with pytest.raises(ValueError, match=r"^messages\[0\]: .* nested too deep"):
        from_openai([{"role": "user", "content": content}])


@pytest.mark.parametrize("calls", ["now", 3, [None], ["now"], [{}], {"x": 1}])
def test_a_call_that_cannot_be_read_says_so_and_is_kept(calls: Any) -> None:
    message = read(role="assistant", content=None, tool_calls=calls)
    assert isinstance(message, AssistantMessage)
    (call,) = message.tool_calls
    assert (call.name, call.id) == ("unnamed_tool", "")
    assert call.problem is not None


@pytest.mark.parametrize("wrong", ["[]", STORED, STORED[0], None])
def test_what_is_no_folder_is_not_stored(wrong: Any) -> None:
    with pytest.raises(TypeError, match="to_openai takes"):
        to_openai(wrong)


# A restored folder goes on


CRASHED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How warm is it?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [calling("get_weather", {"city": "Paris"}, "c1")],
    },
    {"role": "user", "content": "Well?"},
    {"role": "tool", "tool_call_id": "c1", "content": "18"},
    {"role": "tool", "tool_call_id": "c9", "content": "lost"},
]


# H22. Right: the answer goes behind its call, the orphan is dropped, one warning.
def test_H22_a_restored_folder_goes_on_at_either_provider(
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory = KeepAll(from_openai(CRASHED))
    memory.add(UserMessage("And now?"))
    assert openai().payload(memory.messages())["messages"] == [
        {"role": "user", "content": "How warm is it?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [calling("get_weather", '{"city": "Paris"}', "c1")],
        },
        {
            "role": "tool",
            "tool_call_id": "c1",
            "name": "get_weather",
            "content": "18",
        },
        {"role": "user", "content": "Well?"},
        {"role": "user", "content": "And now?"},
    ]
    function = {"name": "get_weather", "arguments": {"city": "Paris"}}
    assert OllamaChat("m").payload(memory.messages())["messages"] == [
        {"role": "user", "content": "How warm is it?"},
        {"role": "assistant", "tool_calls": [{"function": function}]},
        {"role": "tool", "tool_name": "get_weather", "content": "18"},
        {"role": "user", "content": "Well?"},
        {"role": "user", "content": "And now?"},
    ]
    assert len(caplog.messages) == 1


def test_parts_of_the_newer_api_are_read() -> None:
    parts = [{"type": "input_text", "text": "Hi"}, {"type": "output_text", "text": "!"}]
    assert from_openai([{"role": "user", "content": parts}]) == [UserMessage("Hi!")]
