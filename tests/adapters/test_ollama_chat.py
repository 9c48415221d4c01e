"""Ollama's own API, whole and streamed."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite.adapters import OllamaChat
from mingraph_lite.errors import ModelError
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from tests.adapters.models import CUT, MENU, QUESTION, listened_to, ollama
from tests.adapters.wire import FixedTransport, answering, as_lines


def test_ollama_sends_what_was_set_and_no_more() -> None:
    transport = answering({"message": {"content": "hi"}, "done": True})
    ollama(transport, think=False, options={"num_ctx": 8192}).generate(QUESTION, MENU)
    assert transport.sent() == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": False,
        "tools": MENU,
        "think": False,
        "options": {"num_ctx": 8192},
    }
    request = transport.requests[0]
    assert request.url == "http://127.0.0.1:11434/api/chat"
    assert request.headers == {"Content-Type": "application/json"}


OLLAMA_REPLY = {
    "model": "m",
    "message": {
        "role": "assistant",
        "content": "Let me see.",
        "thinking": "both",
        "tool_calls": [
            {"function": {"name": "get_weather", "arguments": {"city": "Paris"}}},
            {"function": {"name": "get_weather", "arguments": {"city": "Tokyo"}}},
        ],
    },
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 26,
    "eval_count": 9,
}


OLLAMA_READ = LLMResponse(
    AssistantMessage(
        "Let me see.",
        (
            ToolCall("get_weather", {"city": "Paris"}, id="call_1"),
            ToolCall("get_weather", {"city": "Tokyo"}, id="call_2"),
        ),
    ),
    reasoning="both",
    usage=Usage(26, 9),
    finish_reason="stop",
    model="m",
)


def ollama_pieces() -> list[dict[str, Any]]:
    message = OLLAMA_REPLY["message"]
    assert isinstance(message, dict)
    messages = [
        {"thinking": "bo"},
        {"thinking": "th"},
        {"content": "Let me"},
        {"content": " see."},
        *({"content": "", "tool_calls": [c]} for c in message["tool_calls"]),
    ]
    pieces = [{"model": "m", "message": m, "done": False} for m in messages]
    return [*pieces, {**OLLAMA_REPLY, "message": {"content": ""}}]


def test_ollama_replies_whole_or_streamed_are_the_same() -> None:
    assert ollama(answering(OLLAMA_REPLY)).generate(QUESTION) == OLLAMA_READ
    transport = as_lines(*ollama_pieces())
    assert listened_to(ollama(transport)) == (OLLAMA_READ, ["Let me", " see."])
    assert transport.sent()["stream"] is True


def test_an_ollama_that_ignores_stream_is_heard_all_the_same() -> None:
    whole = answering(OLLAMA_REPLY)
    assert listened_to(ollama(whole)) == (OLLAMA_READ, ["Let me see."])


@pytest.mark.parametrize("end", [b"", b'{"done": tr'])
def test_ollama_streams_are_cut_off_without_done(end: bytes) -> None:
    transport = as_lines(*ollama_pieces()[:-1], end=end)
    with pytest.raises(ModelError, match="cut off the stream") as caught:
        ollama(transport).generate(QUESTION)
    assert caught.value.retryable


@pytest.mark.parametrize(
    "transport",
    [
        answering({"error": "model 'm' not found"}, status=404),
        answering({"error": "model 'm' not found"}),
        as_lines({"error": "model 'm' not found"}),
    ],
)
def test_ollama_errors_are_told_in_its_words(transport: FixedTransport) -> None:
    with pytest.raises(ModelError, match="model 'm' not found"):
        ollama(transport).generate(QUESTION)


def test_ollama_cut_off_and_unknown_counts() -> None:
    reply = {**OLLAMA_REPLY, "done_reason": "length", "prompt_eval_count": None}
    response = OllamaChat("m").parse(reply)
    assert {call.problem for call in response.message.tool_calls} == {CUT}
    assert response.usage == Usage(None, 9)


def test_what_answers_at_an_ollama_address_but_is_none_is_said() -> None:
    with pytest.raises(ModelError, match="these keys: 'detail'") as caught:
        OllamaChat("m").parse({"detail": "Not Found"})
    assert "http://127.0.0.1:11434/api/chat" in str(caught.value)


# A14. Right: in a stream too, reasoning is found under each name, and None without one.
@pytest.mark.parametrize(
    ("said", "reasoning"),
    [
        ({"thinking": "both"}, "both"),
        ({"reasoning": "both"}, "both"),
        ({"reasoning_content": "both"}, "both"),
        ({"reasoning": "both", "reasoning_content": "both"}, "both"),
        ({"reasoning": ""}, None),
        ({}, None),
    ],
)
def test_A14_a_stream_names_its_reasoning_as_a_whole_reply_may(
    said: dict[str, str], reasoning: str | None
) -> None:
    end = {"message": {"content": "Oslo"}, "done": True, "done_reason": "stop"}
    streamed, _ = listened_to(ollama(as_lines({"message": said}, end)))
    whole = {**end, "message": {"content": "Oslo", **said}}
    assert streamed == ollama(answering(whole)).generate(QUESTION)
    assert streamed.reasoning == reasoning


# A18. Right: a refusal is one in a stream too.
def test_A18_a_refusal_in_a_stream_is_a_refusal() -> None:
    end = {"message": {"content": "", "refusal": "I can't."}, "done": True}
    assert listened_to(ollama(as_lines(end)))[0].refusal == "I can't."


# A17. Right: a stream without any message says so, as a whole reply does.
@pytest.mark.parametrize("reply", [{"message": None, "done": True}, {"done": True}])
def test_A17_a_stream_without_a_message_is_no_reply(reply: dict[str, object]) -> None:
    with pytest.raises(ModelError) as whole:
        ollama(answering(reply)).generate(QUESTION)
    with pytest.raises(ModelError) as streamed:
        listened_to(ollama(as_lines(reply)))
    assert (str(streamed.value), streamed.value.retryable) == (str(whole.value), False)
