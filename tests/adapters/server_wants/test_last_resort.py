"""Refusals that name no field, and those that more than one request meets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mingraph_lite import Agent
from mingraph_lite.adapters.openai_chat import OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import AssistantMessage, ToolMessage, UserMessage
from mingraph_lite.observers import Observer
from mingraph_lite.recovery import Retries
from tests.adapters.models import MENU, openai
from tests.adapters.server_wants.test_wants import (
    FOLDER,
    HERE,
    Server,
    error,
    listened,
    results,
)
from tests.adapters.wire import JSON_TYPE, SSE_TYPE, asking, calling, events

NAMELESS: list[Any] = [
    error("Bad request: unexpected property in messages"),
    error("Invalid message format"),
    "unknown field",
    {"detail": "Extra inputs are not permitted"},
    {"message": "Unrecognized keys in request body"},
    {"error": "unsupported property in message of role tool"},
    error("must NOT have additional properties"),
    error("Unsupported parameter(s) in request"),
    {
        "detail": [
            {
                "type": "extra_forbidden",
                "loc": ["body", "messages", 2],
                "msg": "Extra inputs are not permitted",
            }
        ]
    },
]
OF_OTHERS = [
    "Unknown model: m",
    "Invalid API key",
    "Unexpected error",
    "Request contains an invalid argument.",
    "Unsupported value for this model",
    "Unknown field 'tools'",
]


class Ear(Observer):
    """Keeps what is said of each retry."""

    def __init__(self) -> None:
        self.retries: list[tuple[bool, float]] = []

    def on_retry(self, error: Exception, tries: int, wait: float) -> None:
        self.retries.append(("From now on" in str(error), wait))


def get_weather(city: str) -> str:
    """The temperature in a city."""
    return f"18 in {city}"


def run(model: OpenAIChat, ear: Observer, *, streamed: bool, most: int = 2) -> Any:
    agent = Agent(
        model,
        [get_weather],
        "Be brief.",
        observers=[ear],
        retries=Retries(most=most, sleep=lambda seconds: None),
        on_text_delta=(lambda piece: None) if streamed else None,
    )
    return agent.run("Paris?")


def beside(body: dict[str, Any]) -> bool:
    return any("extra_content" in c for m in body["messages"] for c in _calls(m))


def _calls(message: dict[str, Any]) -> Any:
    return message.get("tool_calls", ())


def rounds() -> list[dict[str, Any]]:
    call = calling("get_weather", '{"city": "Paris"}', "c1")
    signed = {**call, "extra_content": {"google": {"mark": "abc"}}}
    return [asking(signed), asking({**call, "id": "c2"}), {"content": "18"}]


# H03, H05. Right: what need not be sent is left out at one go, once, and announced.
@pytest.mark.parametrize("body", NAMELESS)
@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "refused", [lambda b: any("name" in m for m in results(b)), beside]
)
def test_H03_a_refusal_without_a_name_is_met_by_leaving_out_what_need_not_be_sent(
    refused: Any, streamed: bool, status: int, body: Any
) -> None:
    server = Server(lambda b: (status, body) if refused(b) else None, *rounds())
    ear = Ear()
    answer = run(openai(server), ear, streamed=streamed)
    assert answer == {"answer": "18"}
    assert ear.retries == [(True, 0.0)]
    assert [refused(b) for b in server.bodies] == [False, True, False, False]


@pytest.mark.parametrize("body", NAMELESS)
@pytest.mark.parametrize("tools_as", ["native", "json"])
def test_H05_stream_options_are_left_out_where_a_refusal_names_nothing(
    tools_as: Any, body: Any
) -> None:
    server = Server(lambda b: (400, body) if "stream_options" in b else None)
    model = openai(server, tools_as=tools_as)
    with pytest.raises(ModelError, match="stream_options is left out"):
        listened(model)
    assert listened(model).message.content == "ok"


# Right: a guess that did not help is taken back; what the caller set is named.
def test_H05_a_guess_that_does_not_help_is_undone() -> None:
    server = Server(lambda b: (400, "unknown field") if "seed" in b else None)
    model = openai(server, seed=7)
    before = model.payload(FOLDER, MENU)
    with pytest.raises(ModelError) as first:
        model.generate(FOLDER, MENU)
    with pytest.raises(ModelError) as second:
        model.generate(FOLDER, MENU)
    assert (first.value.retryable, second.value.retryable) == (True, False)
    assert str(second.value).endswith("It does not say what: try without seed=.")
    assert model.payload(FOLDER, MENU) == before


@pytest.mark.parametrize("words", OF_OTHERS)
def test_H05_words_about_something_else_are_no_reason_to_ask_again(words: str) -> None:
    server = Server(lambda b: (400, error(words, status="INVALID_ARGUMENT")))
    model = openai(server)
    with pytest.raises(ModelError) as caught:
        listened(model)
    assert not caught.value.retryable


# Right: with retries off the error says what was learned, and the next run works.
def test_H05_with_retries_off_the_next_run_is_as_the_server_wants_it() -> None:
    def strict(body: dict[str, Any]) -> Any:
        named = any("name" in m for m in results(body))
        return (400, error("unknown field")) if named else None

    server = Server(strict, *rounds())
    model, ear = openai(server), Ear()
    with pytest.raises(ModelError, match="without the tool's name"):
        run(model, ear, streamed=False, most=0)
    server.lines[:] = rounds()
    assert run(model, ear, streamed=False, most=0) == {"answer": "18"}
    assert ear.retries == []


# Right: what one request has taught is no failure of another that was on its way.
def test_H05_two_requests_that_meet_the_same_refusal_are_both_asked_again() -> None:
    refusal = error("Unknown parameter: 'stream_options'.")
    inner: list[bool] = []

    def strict(body: dict[str, Any]) -> Any:
        if "stream_options" not in body:
            return None
        if not inner:
            inner.append(True)
            with pytest.raises(ModelError) as caught:
                listened(model)
            inner.append(caught.value.retryable)
        return 400, refusal

    model = openai(Server(strict))
    with pytest.raises(ModelError) as caught:
        listened(model)
    assert (inner, caught.value.retryable) == ([True, True], True)
    assert listened(model).message.content == "ok"


# H05. Right: an error that comes with status 200 teaches as one with 400 does.
@pytest.mark.parametrize(
    "body",
    [
        error("Unknown parameter: 'stream_options'."),
        error("Invalid parameter.", param="stream_options"),
        {"error": 'json: unknown field "stream_options"'},
        {"object": "error", "message": "stream_options: Extra inputs", "code": 400},
    ],
)
def test_H05_a_refusal_with_status_200_is_learned_from(body: Any) -> None:
    def transport(request: Request) -> Response:
        refused = "stream_options" in json.loads(request.body)
        said = {"choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]}
        return Response(200, SSE_TYPE, iter([events(body if refused else said)]))

    model = OpenAIChat("m", HERE, transport=transport)
    with pytest.raises(ModelError, match="From now on stream_options is left out"):
        listened(model)
    assert listened(model).message.content == "ok"


@pytest.mark.parametrize(
    "words",
    [
        "Unknown role: system",
        "messages[0].role: Input should be 'user' or 'assistant'",
        "invalid role: system, expected one of user, assistant",
    ],
)
def test_H05_a_server_that_knows_no_prompt_gets_it_in_the_question(words: str) -> None:
    server = Server(
        lambda b: (400, error(words)) if b["messages"][0]["role"] == "system" else None
    )
    model = openai(server)
    with pytest.raises(ModelError, match="at the head of the first question"):
        listened(model)
    assert listened(model).message.content == "ok"


# B07. Right: where a reply without text was dropped, turns are legal again.
@pytest.mark.parametrize(
    "words", ["Conversation roles must alternate user/assistant", "must alternate"]
)
def test_B07_questions_in_a_row_are_sent_as_one_where_turns_are_wanted(
    words: str,
) -> None:
    def strict(body: dict[str, Any]) -> Any:
        roles = [m["role"] for m in body["messages"]]
        return (400, error(words)) if roles == ["system", "user", "user"] else None

    server = Server(strict)
    agent = Agent(
        openai(server),
        [],
        "Be brief.",
        memory=KeepAll([UserMessage("Paris?"), AssistantMessage("")]),
        retries=Retries(sleep=lambda seconds: None),
    )
    assert agent.run("And now?") == {"answer": "ok"}
    said = server.bodies[-1]["messages"]
    assert said[1:] == [{"role": "user", "content": "Paris?\n\nAnd now?"}]


# H03. Right: a signature comes back wherever it stood, streamed or whole.
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "inside",
    [{"thought_signature": "s"}, {"provider_specific_fields": {"signature": "s"}}],
)
def test_H03_what_a_server_puts_into_the_function_goes_back_in_it(
    inside: dict[str, Any], streamed: bool
) -> None:
    call = calling("get_weather", '{"city": "Paris"}', "c1")
    signed = {**call, "function": {**call["function"], **inside}}
    server = Server(lambda b: None, asking(signed), {"content": "18"})
    model = openai(server)
    assert run(model, Ear(), streamed=streamed) == {"answer": "18"}
    (sent,) = [c for m in server.bodies[-1]["messages"] for c in _calls(m)]
    assert sent == signed


def test_H03_what_stood_in_the_function_is_left_out_where_it_is_refused() -> None:
    call = calling("get_weather", '{"city": "Paris"}', "c1")
    signed = {**call, "function": {**call["function"], "thought_signature": "s"}}

    def strict(body: dict[str, Any]) -> Any:
        named = "thought_signature" in json.dumps(body)
        return (400, 'unknown field "thought_signature"') if named else None

    server = Server(strict, asking(signed), {"content": "18"})
    assert run(openai(server), Ear(), streamed=False) == {"answer": "18"}


def test_H03_a_signature_in_a_piece_of_its_own_belongs_to_its_call() -> None:
    pieces = [
        {"tool_calls": [{"index": 0, **calling("a", "{}", "c1")}]},
        {"tool_calls": [{"index": 1, **calling("b", "{}", "c2")}]},
        {"tool_calls": [{"index": 1, "extra_content": {"google": {"s": "x"}}}]},
    ]
    chunks = [{"choices": [{"delta": delta}]} for delta in pieces]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    stream = Response(200, SSE_TYPE, iter([events(*chunks)]))
    model = OpenAIChat("m", HERE, transport=lambda request: stream)
    reply = listened(model).message
    results = [ToolMessage("1", call.id, call.name) for call in reply.tool_calls]
    (said, *_) = model.payload([UserMessage("?"), reply, *results])["messages"][1:]
    assert [call.get("extra_content") for call in said["tool_calls"]] == [
        None,
        {"google": {"s": "x"}},
    ]


# D07. Right: names of headers are found whatever the case of their letters.
def test_D07_a_header_is_read_in_any_case() -> None:
    headers = {**JSON_TYPE, "Retry-After": "2"}
    slow = Response(429, headers, iter([b"{}"]))
    with pytest.raises(ModelError) as caught:
        OpenAIChat("m", HERE, transport=lambda request: slow).generate(FOLDER)
    assert caught.value.retry_after == 2.0


# H03. Right: with the option on, calls that came without reasoning get an empty one.
def test_H03_where_no_reasoning_came_an_empty_one_goes_back() -> None:
    def strict(body: dict[str, Any]) -> Any:
        lacks = any("reasoning_content" not in m for m in body["messages"] if _calls(m))
        words = "Missing `reasoning_content` field in the assistant message at index 2."
        return (400, error(words)) if lacks else None

    server, ear = Server(strict, *rounds()), Ear()
    model = openai(server, send_reasoning=True)
    assert run(model, ear, streamed=False) == {"answer": "18"}
    assert ear.retries == [(True, 0.0)]
