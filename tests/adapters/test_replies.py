"""From a message, as servers really send it, to an LLMResponse."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite.adapters import OllamaChat
from mingraph_lite.errors import ModelError
from mingraph_lite.llm import Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from tests.adapters.models import (
    NAMES,
    QUESTION,
    URL,
    heard,
    only_call,
    openai,
    parsed,
)
from tests.adapters.wire import asking, calling, chunk

MISSING = object()


# A08: tool calls decide; the finish reason is kept.
@pytest.mark.parametrize("reason", ["stop", None, "function_call", "tool_calls"])
def test_A08_tool_calls_decide_and_not_the_finish_reason(reason: Any) -> None:
    response = parsed(asking(calling("ping", "{}")), reason)
    assert only_call(response) == ToolCall("ping", {}, id="c1")
    assert response.finish_reason == reason


PARTS = [
    {"type": "text", "text": "Sure, "},
    {"type": "text", "text": "checking."},
    {"type": "audio", "id": "z"},
]


# A12: the text of all parts is kept; what is no text is noted; a refusal is one.
@pytest.mark.parametrize("calls", [[], [calling("ping", "{}")]])
def test_A12_the_text_of_content_in_parts_is_kept(calls: list[Any]) -> None:
    response = parsed(asking(*calls, content=PARTS))
    assert response.message.content == "Sure, checking."
    assert len(response.message.tool_calls) == len(calls)
    assert response.notes == (
        "A part of the content that is no text was left out: 'audio'.",
    )
    sent = openai().payload([*QUESTION, response.message])["messages"][1]
    assert sent["content"] == "Sure, checking."


def test_A12_parts_come_in_streams_too() -> None:
    streamed, text = heard(
        chunk({"content": PARTS[:1]}), chunk({"content": PARTS[1:]}, "stop")
    )
    assert streamed == parsed({"content": PARTS})
    assert text == "Sure, checking."


@pytest.mark.parametrize(("content", "text"), [([], ""), (["Os", "lo"], "Oslo")])
def test_A12_parts_may_be_none_or_bare_texts(content: Any, text: str) -> None:
    assert parsed({"content": content}).message == AssistantMessage(text)


def test_A12_a_refusal_part_is_a_refusal() -> None:
    refused = parsed({"content": [{"type": "refusal", "refusal": "no"}]})
    assert refused.refusal == "no"


def test_A12_mistral_sends_its_reasoning_as_a_part() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    response = parsed({"content": [thought, {"type": "text", "text": "Oslo"}]})
    assert (response.reasoning, response.message.content) == ("hm", "Oslo")


THOUGHTS = [
    {"reasoning": "compare both"},
    {"reasoning_content": "compare both"},
    {"thinking": "compare both"},
    {"reasoning": "compare both", "reasoning_content": "compare both"},
]


# A14: reasoning is found under each name, counted once, and never sent back.
@pytest.mark.parametrize("thought", THOUGHTS)
def test_A14_reasoning_is_found_under_every_name_and_not_sent_back(
    thought: Any,
) -> None:
    whole = parsed({"content": "Oslo", **thought})
    streamed, text = heard(
        chunk({name: words[:3] for name, words in thought.items()}),
        chunk({name: words[3:] for name, words in thought.items()}),
        chunk({"content": "Oslo"}, "stop"),
    )
    assert whole == streamed
    assert (whole.reasoning, whole.message.content) == ("compare both", "Oslo")
    assert text == "Oslo"
    assert openai().payload([whole.message])["messages"] == [
        {"role": "assistant", "content": "Oslo"}
    ]


def test_A14_no_reasoning_is_none() -> None:
    assert parsed({"content": "Oslo"}).reasoning is None
    assert parsed({"content": "Oslo", "reasoning": ""}).reasoning is None


# A16: an unknown count is None and not 0; counts sent twice count once.
@pytest.mark.parametrize(
    ("usage", "want"),
    [
        (MISSING, None),
        (None, None),
        ({}, None),
        ("12", None),
        ({"prompt_tokens": 12}, Usage(12)),
        ({"prompt_tokens": 12, "completion_tokens": None}, Usage(12)),
        ({"prompt_tokens": 0, "completion_tokens": 5}, Usage(0, 5)),
        ({"prompt_tokens": 1, "completion_tokens_details": None}, Usage(1)),
        ({"prompt_tokens": True, "completion_tokens": -1}, None),
        ({"prompt_tokens": float("nan"), "completion_tokens": "5"}, None),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 8},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(10, 5, 3, 8),
        ),
        ({"prompt_tokens": 10, "prompt_cache_hit_tokens": 6}, Usage(10, None, None, 6)),
    ],
)
def test_A16_an_unknown_count_is_none_and_never_zero(usage: Any, want: Any) -> None:
    beside = {} if usage is MISSING else {"usage": usage}
    assert parsed({"content": "Oslo"}, **beside).usage == want


# A18: a refusal is kept beside what was said; nothing of either is lost.
@pytest.mark.parametrize("content", [None, "", "Partly: ..."])
def test_A18_a_refusal_is_kept_beside_whatever_was_said(content: Any) -> None:
    words = "I can't help with that."
    whole = parsed({"content": content, "refusal": words})
    streamed, text = heard(
        chunk({"content": content, "refusal": words[:5]}),
        chunk({"refusal": words[5:]}, "stop"),
    )
    assert whole == streamed
    assert whole.refusal == words
    assert whole.message.content == (content or words)
    assert text == whole.message.content


def test_A18_no_refusal_is_none() -> None:
    assert parsed({"content": "Oslo", "refusal": None}).refusal is None


def nested(depth: int) -> Any:
    value: Any = "core"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "message",
    [
        {"content": nested(5000)},
        {"content": {"deep": nested(5000)}},
        asking(calling("f", {"x": nested(5000)})),
        asking(calling(nested(5000), nested(5000), nested(5000))),
        {"content": "x", "reasoning": nested(5000)},
    ],
)
def test_a_reply_nested_without_end_is_no_reply(message: Any) -> None:
    too_deep = f"answered a reply that is nested too deep to be one. {NAMES}"
    with pytest.raises(ModelError) as caught:
        parsed(message)
    assert str(caught.value) == f"{URL} {too_deep}"
    with pytest.raises(ModelError) as caught:
        OllamaChat("m").parse({"message": message})
    assert str(caught.value) == f"http://127.0.0.1:11434/api/chat {too_deep}"
