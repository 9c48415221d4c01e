"""Replies as servers really send them, and requests as they take them.

The names carry the ids of the cases from the field. Nothing here opens a socket: the
same tests run in the browser.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry, adapters
from mingraph_lite.adapters import (
    OllamaChat,
    OpenAIChat,
    mixed_content,
    ollama_base,
    openai_base,
)
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError, StepLimitReached
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from tests.adapters.wire import (
    SSE_TYPE,
    Server,
    answering,
    asking,
    calling,
    chunk,
    completion,
    events,
    streaming,
    strictly,
)

QUESTION = [UserMessage("hello")]
URL = "http://localhost:1234/v1/chat/completions"
LATER = "The same request may succeed later."
NAMES = "Check the base URL and the model's name, 'm'."
IN_VAIN = "Sent again as it is, it will fail again."
MENU = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The temperature in a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]


def openai(server: Any = None, **options: Any) -> OpenAIChat:
    return OpenAIChat("m", "localhost:1234", transport=server or no_server, **options)


def no_server(request: Request) -> Response:
    raise AssertionError("this test sends nothing")


def parsed(message: Any, finish_reason: Any = "stop", **beside: Any) -> LLMResponse:
    return openai().parse(completion(message, finish_reason, **beside))


def only_call(response: LLMResponse) -> ToolCall:
    (call,) = response.message.tool_calls
    return call


def heard(*chunks: Any) -> tuple[LLMResponse, str]:
    """A streamed reply, and what was heard of it while it came."""
    deltas: list[str] = []
    response = openai(streaming(*chunks)).generate(
        QUESTION, on_text_delta=deltas.append
    )
    return response, "".join(deltas)


def agent_answers(tools: ToolRegistry, *messages: Any) -> list[ToolMessage]:
    """The answers an agent gives to the slips of these replies, one after the other."""
    replies = iter([*messages, {"content": "done"}])

    def server(request: Request) -> Response:
        for name in names_sent(strictly(request.body)):
            assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", name)
        body = json.dumps(completion(next(replies))).encode()
        return Response(200, {}, iter([body]))

    memory = KeepAll()
    Agent(openai(server), tools, "", memory=memory).run("go")
    return [m for m in memory.folder if isinstance(m, ToolMessage)]


def names_sent(body: Any) -> list[str]:
    """The tool names in the messages of a request."""
    slips = [s for m in body["messages"] for s in m.get("tool_calls", ())]
    return [slip["function"]["name"] for slip in slips]


# --- what is read -----------------------------------------------------------------

NOTHING_SENT = [calling("ping", ""), calling("ping", "  \n"), calling("ping", None)]
NOTHING_SENT += [{"id": "c1", "type": "function", "function": {"name": "ping"}}]
NOTHING_SENT += [calling("ping", "null"), calling("ping", []), calling("ping", {})]


@pytest.mark.parametrize("call", NOTHING_SENT)
def test_A01_a_tool_without_parameters_runs_on_arguments_that_are_nothing(
    call: Any,
) -> None:
    tools, pings = ToolRegistry(), []

    @tools.add
    def ping() -> str:
        pings.append("ping")
        return "pong"

    answers = agent_answers(tools, asking(call))
    assert [answer.content for answer in answers] == ["pong"]
    assert pings == ["ping"]

    response = parsed(asking(call))
    assert only_call(response) == ToolCall("ping", {}, id="c1")
    sent = openai().payload([*QUESTION, response.message])["messages"][1]
    assert sent["tool_calls"][0]["function"]["arguments"] == "{}"


def test_A01_a_missing_parameter_is_told_as_missing() -> None:
    tools = ToolRegistry()

    @tools.add
    def echo(text: str) -> str:
        return text

    (answer,) = agent_answers(tools, asking(calling("echo", "")))
    assert "text" in answer.content
    assert "missing" in answer.content
    assert "JSON" not in answer.content


ADDITION = {"a": 2, "b": 3}


@pytest.mark.parametrize(
    ("arguments", "id"),
    [(ADDITION, None), ('{"a":2,"b":3}', None), (ADDITION, "c7")],
)
def test_A02_arguments_come_as_an_object_or_as_text(arguments: Any, id: Any) -> None:
    message = asking(calling("add", arguments, id))
    want = ToolCall("add", ADDITION, id=id or "call_1")
    assert only_call(parsed(message)) == want
    function = {"function": {"name": "add", "arguments": arguments}}
    native = OllamaChat("m").parse(
        {"message": {"tool_calls": [function]}, "done": True}
    )
    assert only_call(native) == ToolCall("add", ADDITION, id="call_1")


def test_A02_a_folder_filled_through_one_adapter_goes_on_through_the_other() -> None:
    call = ToolCall("add", ADDITION, id="c1")
    folder: list[Message] = [
        UserMessage("2 and 3?"),
        AssistantMessage("", (call,)),
        ToolMessage("5", "c1", "add"),
    ]
    assert openai().payload(folder)["messages"] == [
        {"role": "user", "content": "2 and 3?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [calling("add", '{"a": 2, "b": 3}')],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "5"},
    ]
    slips = [{"function": {"name": "add", "arguments": ADDITION}}]
    assert OllamaChat("m").payload(folder) == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "2 and 3?"},
            {"role": "assistant", "tool_calls": slips},
            {"role": "tool", "tool_name": "add", "content": "5"},
        ],
        "stream": False,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        '```json\n{"path":"a.md"}\n```',
        '{"path":"a.md"} Reading it now, see [1].',
        'Sure: {"path":"a.md"}',
        '"{\\"path\\":\\"a.md\\"}"',
    ],
)
def test_A05_one_complete_object_is_found_in_fences_and_prose(arguments: str) -> None:
    response = parsed(asking(calling("read_note", arguments)))
    assert only_call(response).arguments == {"path": "a.md"}
    assert only_call(response).problem is None


def test_A05_a_note_says_that_text_was_discarded() -> None:
    response = parsed(asking(calling("read_note", '{"path":"a.md"} Reading it.')))
    assert response.notes == (
        "read_note: text around the arguments discarded: 'Reading it.'",
    )
    assert only_call(response).raw == '{"path":"a.md"} Reading it.'


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            '{"path":"a.md"}{"path":"b.md"}',
            "the arguments hold more than one JSON object. "
            "Send each in a call of its own.",
        ),
        (
            'sure! {"path": "a.md"',
            'the arguments are not valid JSON: \'sure! {"path": "a.md"\'. '
            "Send one JSON object.",
        ),
        (
            "[1, 2]",
            "the arguments are a list. "
            'Send one JSON object, such as {"name": "value"}.',
        ),
        (
            "7",
            "the arguments are a number. "
            'Send one JSON object, such as {"name": "value"}.',
        ),
    ],
)
def test_A05_what_can_only_be_guessed_is_not_run(arguments: str, problem: str) -> None:
    call = only_call(parsed(asking(calling("read_note", arguments))))
    assert (call.arguments, call.problem, call.raw) == ({}, problem, arguments)


def test_A05_a_half_object_does_not_give_up_the_object_inside_it() -> None:
    call = only_call(parsed(asking(calling("f", '{"a": {"path": "b.md"}'))))
    assert call.arguments == {}
    assert call.problem is not None


ARGS = 'the call holds no "arguments", but {}. Send the arguments under the name '
ARGS += '"arguments".'


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"function": {"name": "f", "args": {"a": 1}}}, ARGS.format("'args'")),
        (
            {"function": {"name": "f", "arguments": None, "parameters": '{"a": 1}'}},
            ARGS.format("'parameters'"),
        ),
        ({"name": "f", "input": {"a": 1}}, ARGS.format("'input'")),
        (
            {"function": {"name": "f", "a": 1, "b": 2}},
            ARGS.format("'a', 'b'"),
        ),
        (
            {"function": {"name": "f"}, "arguments": {"a": 1}},
            'the "arguments" stand beside the function. '
            "Send them inside it, next to its name.",
        ),
        ({"function": {"name": "f", "args": {}}}, None),
        ({"function": {"name": "f", "args": {"a": 1}, "arguments": "{}"}}, None),
        ({"function": {"name": "f", "index": 1, "description": "d"}}, None),
        ({"function": {"name": "f"}, "extra_content": {"mark": "x"}}, None),
        ({"type": "function", "name": "f", "id": "c1", "index": 1}, None),
    ],
)
def test_A05_arguments_under_another_name_are_not_taken_for_none(
    sent: Any, problem: Any
) -> None:
    call = only_call(parsed(asking(sent)))
    assert (call.name, call.arguments, call.problem) == ("f", {}, problem)


def test_A05_the_same_is_found_in_a_stream_and_in_an_action() -> None:
    sent = {"index": 0, "function": {"name": "f", "args": {"a": 1}}}
    streamed, _ = heard(chunk({"tool_calls": [sent]}), chunk({}, "tool_calls"))
    assert only_call(streamed).problem == ARGS.format("'args'")
    call = only_call(acted('{"name": "f", "args": {"a": 1}}'))
    assert call == only_call(streamed)


TWICE = "{} the key {} twice in one object, and which of the two is meant cannot be "
TWICE += "known. Send it once."


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ('{"path": "a.md", "path": "b.md"}', "'path'"),
        ('{"path": "a.md", "path": "a.md"}', "'path'"),
        ('{"x": [{"b": 1, "a": 2, "a": 3}]}', "'a'"),
        ('```\n{"path": "a.md", "path": "b.md"}\n```', "'path'"),
        ('"{\\"a\\": 1, \\"a\\": 2}"', "'a'"),
    ],
)
def test_A05_a_key_that_stands_twice_is_not_run(arguments: str, key: str) -> None:
    call = only_call(parsed(asking(calling("read_note", arguments))))
    problem = TWICE.format("the arguments hold", key)
    assert (call.arguments, call.problem, call.raw) == ({}, problem, arguments)


DOUBLED_ARGUMENTS = (
    '{"name": "f", "arguments": {"a": 1, "a": 2}}',
    TWICE.format("the arguments hold", "'a'"),
    '{"a": 1, "a": 2}',
)
DOUBLED_CALL = (
    '{"name": "f", "arguments": {"a": 1}, "arguments": {"a": 2}}',
    TWICE.format("the call holds", "'arguments'"),
    '{"a": 2}',
)


@pytest.mark.parametrize(
    ("function", "problem", "raw"), [DOUBLED_ARGUMENTS, DOUBLED_CALL]
)
def test_A05_a_key_may_stand_twice_in_objects_too(
    function: str, problem: str, raw: str
) -> None:
    want = ToolCall("f", {}, id="call_1", raw=raw, problem=problem)
    slips = f'{{"tool_calls": [{{"index": 0, "function": {function}}}]}}'
    whole = f'{{"choices": [{{"message": {slips}}}]}}'
    stream = f'data: {{"choices": [{{"delta": {slips}}}]}}\n\ndata: [DONE]\n\n'
    native = f'{{"message": {slips}, "done": true}}'
    servers = [Server(whole.encode()), Server(stream.encode(), headers=SSE_TYPE)]
    read = [openai(server).generate(QUESTION) for server in servers]
    read += [OllamaChat("m", transport=Server(native.encode())).generate(QUESTION)]
    read += [acted(function)]
    assert [response.message.tool_calls for response in read] == [(want,)] * 4


def test_A05_a_key_that_stands_twice_elsewhere_breaks_nothing() -> None:
    body = b'{"id": 1, "id": 2, "choices": [{"message": {"content": "Oslo"}}]}'
    assert openai(Server(body)).generate(QUESTION).message.content == "Oslo"


def test_A05_the_model_is_told_and_the_tool_not_run() -> None:
    tools, paths = ToolRegistry(), []

    @tools.add
    def read_note(path: str) -> str:
        paths.append(path)
        return "text"

    twice = '{"path":"a.md"}{"path":"b.md"}'
    (answer,) = agent_answers(tools, asking(calling("read_note", twice)))
    assert "more than one JSON object" in answer.content
    assert paths == []


@pytest.mark.parametrize(
    "arguments",
    [
        '{"x": NaN}',
        '{"x": 1e999}',
        '{"x": [-Infinity]}',
        {"x": float("nan")},
        {"x": 10**400},
    ],
)
def test_A06_numbers_that_are_none_are_not_run(arguments: Any) -> None:
    call = only_call(parsed(asking(calling("scale", arguments))))
    assert call.arguments == {}
    assert call.problem == (
        "the arguments hold NaN, Infinity or a number too large for JSON. "
        "Send finite numbers."
    )
    fragments = {"tool_calls": [{"index": 0, **calling("scale", arguments)}]}
    streamed, _ = heard(chunk(fragments, "tool_calls"))
    assert only_call(streamed) == call


def test_A06_what_a_program_put_into_the_folder_is_sent_as_strict_json() -> None:
    bad = {"x": float("nan"), "y": [float("inf"), -float("inf")], "z": {1}}
    folder: list[Message] = [
        *QUESTION,
        AssistantMessage("", (ToolCall("scale", bad, id="c1"),)),
        ToolMessage("?", "c1", "scale"),
    ]
    server = answering(completion({"content": "ok"}))
    openai(server, extra={"top_p": float("nan")}).generate(folder)
    sent = strictly(server.requests[0].body)
    arguments = sent["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {
        "x": "NaN",
        "y": ["Infinity", "-Infinity"],
        "z": "{1}",
    }
    assert sent["top_p"] == "NaN"


MISSING = object()


@pytest.mark.parametrize(
    ("ids", "want"),
    [
        (("", ""), ("call_1", "call_2")),
        ((None, None), ("call_1", "call_2")),
        ((MISSING, MISSING), ("call_1", "call_2")),
        (("x", "x"), ("x", "call_2")),
        (("a", "b"), ("a", "b")),
        (("", "call_1"), ("call_2", "call_1")),
        ((7, ["x"]), ("call_1", "call_2")),
    ],
)
def test_A07_each_call_has_an_id_of_its_own(ids: Any, want: Any) -> None:
    calls = [
        calling("get_temp", {"city": c}, i)
        for c, i in zip(("Oslo", "Rome"), ids, strict=True)
    ]
    for call in calls:
        if call["id"] is MISSING:
            del call["id"]
    response = parsed(asking(*calls))
    assert response.message.tool_calls == tuple(
        ToolCall("get_temp", {"city": c}, id=i)
        for c, i in zip(("Oslo", "Rome"), want, strict=True)
    )


@pytest.mark.parametrize("reason", ["stop", None, "function_call", "tool_calls"])
def test_A08_slips_decide_and_not_the_finish_reason(reason: Any) -> None:
    response = parsed(asking(calling("ping", "{}")), reason)
    assert only_call(response) == ToolCall("ping", {}, id="c1")
    assert response.finish_reason == reason


CUT = "the reply was cut off by the output limit. Send the call again, shorter."


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_A10_no_call_of_a_reply_that_was_cut_off_is_run(reason: str) -> None:
    half = '{"path":"n.md","text":"first half"}'
    calls = asking(calling("write", half, "c1"), calling("write", half, "c2"))
    response = parsed(calls, reason)
    assert [c.problem for c in response.message.tool_calls] == [CUT, CUT]
    assert response.notes == ("the reply was cut off by the output limit",)
    assert response.finish_reason == reason


def test_A10_nobody_claims_a_limit_that_the_server_did_not_name() -> None:
    broken = '{"path":"n.md","text":"first ha'
    call = only_call(parsed(asking(calling("write", broken)), "tool_calls"))
    assert call.problem is not None
    assert "not valid JSON" in call.problem
    assert "cut off" not in call.problem


def test_A10_the_loop_tells_the_model_and_goes_on() -> None:
    tools = ToolRegistry()
    tools.add(lambda text: text, name="write")
    replies = iter(
        [
            completion(asking(calling("write", '{"text": "half"}')), "length"),
            completion({"content": "done"}),
        ]
    )

    def server(request: Request) -> Response:
        return Response(200, {}, iter([json.dumps(next(replies)).encode()]))

    memory = KeepAll()
    assert Agent(openai(server), tools, "", memory=memory).run("go") == {
        "answer": "done"
    }
    assert CUT in memory.folder[2].content


PARTS = [
    {"type": "text", "text": "Sure, "},
    {"type": "text", "text": "checking."},
    {"type": "audio", "id": "z"},
]


@pytest.mark.parametrize("calls", [[], [calling("ping", "{}")]])
def test_A12_the_text_of_content_in_parts_is_kept(calls: list[Any]) -> None:
    response = parsed(asking(*calls, content=PARTS))
    assert response.message.content == "Sure, checking."
    assert len(response.message.tool_calls) == len(calls)
    assert response.notes == ("a part of the content was no text: 'audio'",)
    sent = openai().payload([*QUESTION, response.message])["messages"][1]
    assert sent["content"] == "Sure, checking."


def test_A12_parts_come_in_streams_too() -> None:
    streamed, text = heard(
        chunk({"content": PARTS[:1]}), chunk({"content": PARTS[1:]}, "stop")
    )
    assert streamed == parsed({"content": PARTS})
    assert text == "Sure, checking."


def test_A12_no_parts_are_no_text_and_a_refusal_part_is_a_refusal() -> None:
    assert parsed({"content": []}).message == AssistantMessage("")
    refused = parsed({"content": [{"type": "refusal", "refusal": "no"}]})
    assert refused.refusal == "no"


def test_A12_mistral_sends_its_reasoning_as_a_part() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    response = parsed({"content": [thought, {"type": "text", "text": "Oslo"}]})
    assert (response.reasoning, response.message.content) == ("hm", "Oslo")


@pytest.mark.parametrize(
    ("called", "name", "runs"),
    [
        ("functions.get_weather", "get_weather", True),
        (" get_weather ", "get_weather", True),
        ("Get_Weather", "get_weather", True),
        ("get wether", "get_wether", False),
        ("get weather", "get_weather", False),
        ("get weather!", "get_weather_", False),
        ("", "unnamed_tool", False),
        (None, "unnamed_tool", False),
        ("x" * 70, "x" * 64, False),
        ("été", "_t_", False),
    ],
)
def test_A13_a_wrong_name_is_answered_and_never_sent_back(
    called: Any, name: str, runs: bool
) -> None:
    tools, cities = ToolRegistry(), []

    @tools.add
    def get_weather(city: str) -> str:
        cities.append(city)
        return "18"

    tools.add(lambda: "12:00", name="get_time")
    (answer,) = agent_answers(tools, asking(calling(called, '{"city": "Paris"}')))
    assert answer.name == name
    assert (answer.content == "18") == runs
    assert (cities == ["Paris"]) == runs


def test_A13_a_name_from_elsewhere_is_made_legal_before_it_is_sent() -> None:
    folder = [AssistantMessage("", (ToolCall("get weather!", {}, id="c1"),))]
    slip = openai().payload(folder)["messages"][0]["tool_calls"][0]
    assert slip["function"]["name"] == "get_weather_"
    native = OllamaChat("m").payload(folder)["messages"][0]["tool_calls"][0]
    assert native["function"]["name"] == "get_weather_"


THOUGHTS = [
    {"reasoning": "compare both"},
    {"reasoning_content": "compare both"},
    {"thinking": "compare both"},
    {"reasoning": "compare both", "reasoning_content": "compare both"},
]


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


def test_A16_counts_that_come_twice_in_a_stream_are_not_added() -> None:
    counts = {"prompt_tokens": 10, "completion_tokens": 5}
    response, text = heard(
        chunk({"content": "Oslo"}),
        chunk({}, "stop", usage=counts),
        {"choices": [], "usage": counts},
    )
    assert (response.usage, text) == (Usage(10, 5), "Oslo")


def fails(server: Any, **options: Any) -> ModelError:
    """The error with which a request ends."""
    with pytest.raises(ModelError) as caught:
        openai(server, **options).generate(QUESTION)
    return caught.value


def test_A17_an_error_with_status_200_is_graded_by_its_code() -> None:
    told = {"message": "Provider returned error", "code": 429}
    error = fails(
        answering({"id": None, "choices": None, "usage": None, "error": told})
    )
    assert str(error) == f"{URL} answered error 429: 'Provider returned error'. {LATER}"
    assert error.retryable


def told(message: Any, code: Any, kind: Any = None) -> dict[str, Any]:
    """An error as a gateway tells it."""
    return {"message": message, "code": code, "type": kind}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (told("m", 400), f"error 400: 'm'. {IN_VAIN}"),
        (told("m", "401"), "error 401: 'm'. Give a key: api_key=…."),
        (told("m", 404), f"error 404: 'm'. {NAMES}"),
        (told("m", "503"), f"error 503: 'm'. {LATER}"),
        (told("m", "rate_limit_exceeded"), f"an error: 'm'. {LATER}"),
        (told("m", None, "server_error"), f"an error: 'm'. {LATER}"),
        (
            told("m", "invalid_api_key", "invalid_request_error"),
            "an error: 'm'. Give a key: api_key=….",
        ),
        (
            told("m", "model_not_found", "invalid_request_error"),
            f"an error: 'm'. {NAMES}",
        ),
        (told("m", "context_length_exceeded"), f"an error: 'm'. {IN_VAIN}"),
        ("model not found", f"an error: 'model not found'. {NAMES}"),
        ([1], f"an error: '[1]'. {NAMES}"),
        (told({"deep": 1}, 10**4000), f"an error: '{{\"deep\": 1}}'. {NAMES}"),
    ],
)
def test_A17_an_error_is_graded_by_its_number_or_its_words_and_says_what_to_do(
    error: Any, words: str
) -> None:
    with pytest.raises(ModelError) as caught:
        openai().parse({"error": error})
    assert str(caught.value) == f"{URL} answered {words}"
    assert caught.value.retryable == words.endswith(LATER)
    assert str(fails(streaming({"error": error}))) == f"{URL} answered {words}"


def test_A17_an_error_may_stand_in_the_choice_or_in_the_stream() -> None:
    told = {"message": "overloaded", "code": 502}
    choice = {"choices": [{"error": told, "message": {"content": ""}}]}
    assert fails(answering(choice)).retryable
    assert fails(streaming(chunk({"content": "Os"}), {"error": told})).retryable
    assert fails(answering(completion({"content": "Os"}, "error"))).retryable


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            b'{"choices":[]}',
            "application/json",
            "answered no choices, but these keys: 'choices'. "
            "Check that the base URL is that of a chat completions API.",
        ),
        (
            b'{"choices":[{"message":null}]}',
            "application/json",
            "answered a choice without a message, but with these keys: 'message'; "
            f"beside it: 'choices'. {NAMES}",
        ),
        (
            b"",
            "application/json",
            "answered no JSON but an empty body (content type application/json). "
            "Check the base URL: most servers want /v1 at its end.",
        ),
        (
            b"<!doctype html><title>Gateway</title>" + b"<p>" * 1000,
            "text/html",
            "answered no JSON but '<!doctype html><title>Gateway</title>"
            "<p><p><p><p><p><p><p><p><p><p><p><p><p><p>…' (content type text/html). "
            "Check the base URL: most servers want /v1 at its end.",
        ),
        (
            b"[1, 2]",
            "application/json",
            f"answered '[1, 2]', which is no JSON object. {NAMES}",
        ),
    ],
)
@pytest.mark.parametrize("listen", [None, lambda piece: None])
def test_A17_what_is_no_completion_is_said_with_address_and_advice(
    body: bytes, kind: str, words: str, listen: Any
) -> None:
    server = Server(body, headers={"content-type": kind})
    with pytest.raises(ModelError) as caught:
        openai(server).generate(QUESTION, on_text_delta=listen)
    assert str(caught.value) == f"{URL} {words}"
    assert not caught.value.retryable


def test_A17_a_body_that_breaks_off_may_succeed_later() -> None:
    error = fails(Server(b'{"choices": [{"message": {"content": "Os'))
    assert str(error) == (
        f"{URL} answered JSON that is broken or cut off: "
        f'\'{{"choices": [{{"message": {{"content": "Os\'. {LATER}'
    )
    assert error.retryable


def test_A17_a_reply_that_ends_in_an_error_may_succeed_later() -> None:
    error = fails(answering(completion({"content": "Os"}, "error")))
    assert str(error) == f"{URL} broke off with the finish reason 'error'. {LATER}"
    assert error.retryable


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


def fragment(
    arguments: Any, name: Any = None, *, index: Any = None, id: Any = None
) -> dict[str, Any]:
    """A piece of a slip in a stream; what is None is not there."""
    function = {"name": name, "arguments": arguments}
    made = {"index": index, "id": id, "function": function}
    return {key: value for key, value in made.items() if value is not None}


SAVED_AND_LOADED = (("save", {"f": "a"}), ("load", {"f": "b"}))
SAVED_TWICE = (("save", {"f": "a"}), ("save", {"f": "b"}))
SAVED = (("save", {"f": "a"}),)


@pytest.mark.parametrize(
    ("chunks", "want"),
    [
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", index=0, id="c1")],
                [fragment('{"f": "b"}', "save", index=0, id="c2")],
            ],
            SAVED_TWICE,
            id="A19a-all calls have index 0",
        ),
        pytest.param(
            [
                [
                    fragment("", "save", index=0, id="c1"),
                    fragment('{"f":', index=0),
                ],
                [fragment('"a"}', index=0)],
            ],
            SAVED,
            id="A19b-two entries of one index in the first chunk",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", index=0, id="c1")],
                [fragment('{"f":', "load", index=1, id="c2")],
                [fragment('"a"}', index=0)],
                [fragment('"b"}', index=1)],
            ],
            SAVED_AND_LOADED,
            id="A19c-interleaved",
        ),
        pytest.param(
            [
                [fragment("", "ping", index=0, id="c1")],
                [fragment("", "ping", index=0, id="c2")],
            ],
            (("ping", {}), ("ping", {})),
            id="A19a-all calls have index 0 and no arguments",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", id="c1")],
                [fragment('{"f":', "load", id="c2")],
                [fragment('"a"}', id="c1")],
                [fragment('"b"}', id="c2")],
            ],
            SAVED_AND_LOADED,
            id="A19c-interleaved by id alone",
        ),
        pytest.param(
            [[fragment({"f": "a"}, "save", index=0, id="c1")]],
            SAVED,
            id="A19d-whole and as an object",
        ),
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", id="c1")],
                [fragment('{"f": "b"}', "save", id="c2")],
            ],
            SAVED_TWICE,
            id="A19e-no index",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", id="c1")],
                [fragment('"a"', "save", id="c1")],
                [fragment("}", id="c1")],
            ],
            SAVED,
            id="A19e-no index, id and name on each fragment",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", index=0)],
                [fragment('"a"}', index=0, id="c1")],
            ],
            SAVED,
            id="A19-the id comes late",
        ),
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", index=0)],
                [fragment('{"f": "b"}', "save", index=0)],
            ],
            SAVED_TWICE,
            id="A19-no ids and all index 0",
        ),
        pytest.param(
            [[fragment('{"f": "a"}', "save"), fragment('{"f": "b"}', "load")]],
            SAVED_AND_LOADED,
            id="A19-neither index nor id",
        ),
        pytest.param(
            [[fragment('{"f":', "save"), fragment('"a"}')]],
            SAVED,
            id="A19-neither index nor id, in pieces",
        ),
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", index=0, id="x")],
                [fragment('{"f": "b"}', "load", index=1, id="x")],
            ],
            SAVED_AND_LOADED,
            id="A19-one id for two calls",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", index=0, id="")],
                [fragment('"a"}', "", index=0, id="")],
            ],
            SAVED,
            id="A19-empty ids and names",
        ),
    ],
)
def test_A19_fragments_become_the_calls_they_are_pieces_of(
    chunks: Any, want: Any
) -> None:
    streamed, _ = heard(
        *(chunk({"tool_calls": fragments}) for fragments in chunks),
        chunk({}, "tool_calls"),
    )
    calls = streamed.message.tool_calls
    assert tuple((call.name, call.arguments) for call in calls) == want
    assert {call.problem for call in calls} == {None}
    assert len({call.id for call in calls}) == len(calls)


def then_silence(*pieces: bytes) -> Iterator[bytes]:
    """A server that keeps the connection open and says no more."""
    yield from pieces
    raise AssertionError("read on after [DONE]")


def test_A20_keep_alives_are_passed_over_and_DONE_ends_the_reading() -> None:
    os, lo = (json.dumps(chunk({"content": text})) for text in ("Os", "lo"))
    body = (
        ": OPENROUTER PROCESSING\n\n"
        f"id: 7\ndata: {os}\n\n"
        ": ping\n\n:\n"
        "data: : keepalive\n\n"
        "event: ping\n\ndata:\n\n"
        f"data:{lo}\n\n"
        "data: [DONE]\n\n"
    )
    server = Server(then_silence(body.encode()), headers=SSE_TYPE)
    deltas: list[str] = []
    response = openai(server).generate(QUESTION, on_text_delta=deltas.append)
    assert (response.message.content, deltas) == ("Oslo", ["Os", "lo"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_A20_lines_may_end_in_three_ways(end: str) -> None:
    body = events(chunk({"content": "Oslo"}, "stop")).replace(b"\n", end.encode())
    deltas: list[str] = []
    server = Server(body, headers={})
    openai(server).generate(QUESTION, on_text_delta=deltas.append)
    assert deltas == ["Oslo"]


def test_A20_an_event_may_be_spread_over_data_lines() -> None:
    spread = json.dumps(chunk({"content": "Oslo"}, "stop"), indent=1)
    body = "".join(f"data: {line}\n" for line in spread.split("\n")) + "\n"
    server = Server(body.encode(), headers=SSE_TYPE)
    assert openai(server).generate(QUESTION).message.content == "Oslo"


def test_A20_an_event_that_is_no_json_is_no_reply() -> None:
    error = fails(Server(b"data: {oops\n\ndata: [DONE]\n\n", headers=SSE_TYPE))
    assert str(error) == f"{URL} sent an event that is no JSON: '{{oops'. {NAMES}"
    error = fails(Server(b"data: 7\n\ndata: [DONE]\n\n", headers=SSE_TYPE))
    assert str(error) == f"{URL} sent '7' in the stream, which is no object. {NAMES}"


def test_a_stream_needs_a_finish_reason_or_DONE() -> None:
    text = chunk({"content": "Os"})
    whole = Server(events(text, chunk({}, "stop"), done=False), headers=SSE_TYPE)
    assert openai(whole).generate(QUESTION).message.content == "Os"
    for broken in (events(text, done=False), events(text, done=False)[:-20]):
        error = fails(Server(broken, headers=SSE_TYPE))
        assert str(error) == (
            f"{URL} cut off the stream before the reply was complete. {LATER}"
        )
        assert error.retryable


def test_a_server_that_ignores_stream_is_heard_all_the_same() -> None:
    deltas: list[str] = []
    server = answering(completion({"content": "Oslo"}))
    openai(server).generate(QUESTION, on_text_delta=deltas.append)
    assert deltas == ["Oslo"]


TROMSO = "Tromso: \u2705 -4\u00b0C \u2028 \u0085 \U0001f9e3"


def test_A22_a_character_may_be_cut_by_a_read() -> None:
    body = events(chunk({"content": TROMSO}, "stop"))
    for at in range(len(body) + 1):
        server = Server([body[:at], body[at:]], headers=SSE_TYPE)
        assert openai(server).generate(QUESTION).message.content == TROMSO


def test_A22_a_stream_that_ends_inside_a_character_was_cut_off() -> None:
    body = events(chunk({"content": TROMSO}, "stop"), done=False)
    inside = body.index("\u2705".encode()) + 1
    error = fails(Server(body[:inside], headers=SSE_TYPE))
    assert str(error) == f"{URL} cut off the stream inside a character. {LATER}"


def test_A22_bytes_that_are_not_utf8_are_said() -> None:
    error = fails(Server([b"data: \xff\xfe", b"\n\n"], headers=SSE_TYPE))
    assert str(error) == f"{URL} sent bytes that are not UTF-8. {NAMES}"


# --- what is sent -----------------------------------------------------------------


def test_B06_text_and_calls_of_one_message_are_both_sent() -> None:
    folder = [
        AssistantMessage("I'll check both.", (ToolCall("ping", {}, id="c1"),)),
        AssistantMessage("", (ToolCall("ping", {}, id="c2"),)),
    ]
    one, two = openai().payload(folder)["messages"]
    assert one["content"] == "I'll check both."
    assert one["tool_calls"] == [calling("ping", "{}", "c1")]
    assert two["content"] is None
    assert two["tool_calls"] == [calling("ping", "{}", "c2")]
    one, two = OllamaChat("m").payload(folder)["messages"]
    slips = [{"function": {"name": "ping", "arguments": {}}}]
    assert one == {
        "role": "assistant",
        "content": "I'll check both.",
        "tool_calls": slips,
    }
    assert two == {"role": "assistant", "tool_calls": slips}


@pytest.mark.parametrize("model", [openai(), OllamaChat("m")])
def test_B07_nothing_empty_is_sent_and_turns_are_kept(model: Any) -> None:
    folder: list[Message] = [
        SystemMessage(""),
        UserMessage("hi"),
        AssistantMessage(" "),
        UserMessage("well?"),
        AssistantMessage("", (ToolCall("ping", {}, id="c1"),)),
        ToolMessage("", "c1", "ping"),
    ]
    sent = model.payload(folder)["messages"]
    assert [(m["role"], m.get("content")) for m in sent] == [
        ("user", "hi"),
        ("assistant", "(empty)"),
        ("user", "well?"),
        ("assistant", None),
        ("tool", "(empty)"),
    ]


@pytest.mark.parametrize("model", [openai(), OllamaChat("m"), openai(tools_as="json")])
def test_B10_half_characters_are_replaced_before_they_are_sent(model: Any) -> None:
    folder: list[Message] = [
        UserMessage("bad \udc80"),
        AssistantMessage("", (ToolCall("f", {"a\ud83d": "\ud83d\udc4d"}, id="c1"),)),
        ToolMessage("caf\udce9 \ud83d", "c1", "f"),
    ]
    text = json.dumps(model.payload(folder), ensure_ascii=False)
    text.encode()
    assert "bad \ufffd" in text
    assert "caf\ufffd \ufffd" in text
    assert "\U0001f44d" in text


def test_B10_an_escaped_pair_is_one_character_even_in_two_pieces() -> None:
    body = rb'{"choices": [{"message": {"content": "\ud83d\udc4d \udce9"}}]}'
    assert (
        openai(Server(body)).generate(QUESTION).message.content == "\U0001f44d \ufffd"
    )
    pieces = (
        rb'data: {"choices": [{"delta": {"content": "ok \ud83d"}}]}' + b"\n\n"
        rb'data: {"choices": [{"delta": {"content": "\udc4d"}}]}' + b"\n\n"
        rb'data: {"choices": [{"delta": {"content": "\ud83d"}}]}' + b"\n\n"
        b"data: [DONE]\n\n"
    )
    deltas: list[str] = []
    server = Server(pieces, headers=SSE_TYPE)
    response = openai(server).generate(QUESTION, on_text_delta=deltas.append)
    assert response.message.content == "ok \U0001f44d\ufffd"
    assert deltas == ["ok ", "\U0001f44d", "\ufffd"]


def test_a_request_holds_the_folder_the_menu_and_the_options() -> None:
    model = openai(temperature=0.5, max_tokens=9, extra={"seed": 7})
    folder: list[Message] = [SystemMessage("Be brief."), UserMessage("hi")]
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
    assert model.payload(folder) == want
    assert model.payload(folder, MENU) == {**want, "tools": MENU}


def test_streaming_is_asked_for_only_where_somebody_listens() -> None:
    server = streaming(chunk({"content": "Oslo"}, "stop"))
    openai(server).generate(QUESTION)
    assert "stream" not in server.sent()
    openai(server).generate(QUESTION, on_text_delta=lambda piece: None)
    assert server.sent()["stream"] is True
    assert server.sent()["stream_options"] == {"include_usage": True}


# --- status, headers, key ---------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        *((s, False) for s in (301, 307, 400, 401, 403, 404, 413, 422)),
        *((s, True) for s in (408, 409, 429, 500, 502, 503, 504, 529, 599)),
    ],
)
def test_D08_only_what_may_pass_is_worth_a_retry(status: int, retryable: bool) -> None:
    error = fails(answering({"error": {"message": "no"}}, status=status))
    assert error.retryable == retryable
    assert f"{URL} answered {status}" in str(error)
    assert ": 'no'." in str(error)


@pytest.mark.parametrize(
    ("status", "key", "advice"),
    [
        (401, "sk-1234", "Check the key."),
        (403, None, "Give a key: api_key=…."),
        (404, None, NAMES),
        (429, None, LATER),
        (422, None, IN_VAIN),
    ],
)
def test_D08_a_status_comes_with_advice(status: int, key: Any, advice: str) -> None:
    error = fails(answering({"detail": "no"}, status=status), api_key=key)
    assert str(error).endswith(f": 'no'. {advice}")


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("Thu, 01 Jan 1970 00:00:05 GMT", 0.0),
        ("-3", 0.0),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_D08_a_server_says_how_long_to_wait_in_seconds_or_by_date(
    value: str, want: Any
) -> None:
    server = answering({}, status=429, headers={"retry-after": value})
    assert fails(server, clock=lambda: 10.0).retry_after == want


def test_D08_an_error_from_the_transport_comes_through_as_it_is() -> None:
    reset = ModelError("connection reset", retryable=True)

    def breaks(request: Request) -> Response:
        raise reset

    def breaks_later(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            yield b'{"choices": '
            raise reset

        return Response(200, {}, pieces())

    assert fails(breaks) is reset
    assert fails(breaks_later) is reset


def test_a_refusal_is_told_even_if_its_page_breaks_off() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"<h1>Bad gateway"
        raise ModelError("connection reset", retryable=True)

    error = fails(lambda request: Response(502, {}, pieces()))
    assert "answered 502 Bad Gateway: '<h1>Bad gateway'." in str(error)


def test_a_redirect_is_not_followed_and_says_where_it_leads() -> None:
    error = fails(answering({}, status=307, headers={"location": "https://x/v1"}))
    assert "It sends on to 'https://x/v1'." in str(error)


def test_a_connection_is_closed_even_if_it_was_not_read_to_its_end() -> None:
    closed: list[bool] = []

    def pieces() -> Iterator[bytes]:
        try:
            yield events(chunk({"content": "Oslo"}, "stop"))
            yield b"more"
        finally:
            closed.append(True)

    body = pieces()
    openai(lambda request: Response(200, SSE_TYPE, body)).generate(QUESTION)
    assert closed == [True]


@pytest.mark.parametrize(
    ("key", "headers"),
    [
        (None, {"Content-Type": "application/json"}),
        ("", {"Content-Type": "application/json"}),
        (
            " sk-1\n",
            {"Content-Type": "application/json", "Authorization": "Bearer sk-1"},
        ),
    ],
)
def test_G06_only_two_headers_are_sent(key: Any, headers: Any) -> None:
    server = answering(completion({"content": "hi"}))
    openai(server, api_key=key).generate(QUESTION)
    request = server.requests[0]
    assert (request.method, request.url, request.headers) == ("POST", URL, headers)


KEY = "sk-very-secret-0123456789"


@pytest.mark.parametrize(
    "server",
    [
        answering({"error": f"wrong key {KEY}"}, status=401),
        Server(f"wrong key {KEY}".encode(), status=500),
        answering({"error": {"message": f"wrong key {KEY}", "code": 401}}),
        answering({KEY: 1}),
        Server(f"<p>{KEY}</p>".encode()),
        *(Server(b"x" * n + KEY.encode(), status=500) for n in range(170, 200, 3)),
        *(Server(b"x" * n + KEY.encode()) for n in range(50, 80, 3)),
        streaming({"error": KEY}),
        answering({}, status=307, headers={"location": f"https://x/?key={KEY}"}),
    ],
)
def test_the_key_is_shown_nowhere(server: Server) -> None:
    model = openai(server, api_key=KEY)
    with pytest.raises(ModelError) as caught:
        model.generate(QUESTION)
    shown = f"{caught.value} {model!r} {vars(model)} {server.requests[0]!r}"
    assert KEY[:8] not in shown


def test_a_key_with_signs_that_no_key_has_is_refused_unseen() -> None:
    with pytest.raises(ValueError, match="Copy it again") as caught:
        openai(api_key="sk-“secret”")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("pasted", "base"),
    [
        ("http://192.168.1.5:11434", "http://192.168.1.5:11434/v1"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"),
        ("https://api.example/v1", "https://api.example/v1"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("192.168.1.5:8080/v1", "http://192.168.1.5:8080/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("http://host/v1/", "http://host/v1"),
        ("http://host//v1//", "http://host/v1"),
        (" http://host/v1/chat/completions ", "http://host/v1"),
        ("http://host/v1/chat/completions/", "http://host/v1"),
        ("http://host/v1/models", "http://host/v1"),
        ("http://host/chat/completions", "http://host"),
        ("HTTP://Host/API/v2", "http://host/API/v2"),
        ("http://localhost/", "http://localhost/v1"),
    ],
)
def test_G07_what_people_paste_becomes_one_right_address(
    pasted: str, base: str
) -> None:
    assert openai_base(pasted) == base
    model = OpenAIChat("m", pasted)
    assert model.base_url == base


@pytest.mark.parametrize(
    "pasted",
    [
        "",
        "ftp://host/v1",
        "http://",
        "http://host:port/v1",
        "http://a b/v1",
        "file:///etc/v1",
        "http://[::1/v1",
        "http://host/v1?key=1",
        "http://host/v1#x",
    ],
)
def test_G07_what_is_no_address_is_refused_with_a_sentence(pasted: str) -> None:
    with pytest.raises(ValueError, match=r"address"):
        openai_base(pasted)


def test_G07_a_key_in_the_address_is_refused_unseen() -> None:
    with pytest.raises(ValueError, match="api_key") as caught:
        openai_base("https://sk-secret@host/v1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("pasted", "base"),
    [
        ("localhost:11434", "http://localhost:11434"),
        ("http://127.0.0.1:11434/", "http://127.0.0.1:11434"),
        ("http://host/api/chat", "http://host"),
        ("http://host/v1", "http://host"),
        ("http://host/ollama/api", "http://host/ollama"),
    ],
)
def test_G07_an_ollama_address_is_that_of_the_server(pasted: str, base: str) -> None:
    assert ollama_base(pasted) == base


@pytest.mark.parametrize(
    ("page", "server", "blocked"),
    [
        ("https://demo.example", "http://192.168.1.5:11434/v1", True),
        ("https://demo.example", "http://server.lan/v1", True),
        ("https://demo.example", "http://localhost:11434/v1", False),
        ("https://demo.example", "http://127.0.0.1:1234/v1", False),
        ("https://demo.example", "http://[::1]:1234/v1", False),
        ("https://demo.example", "https://api.example/v1", False),
        ("http://localhost:8000", "http://192.168.1.5:11434/v1", False),
    ],
)
def test_G07_a_page_on_https_calls_plain_http_on_this_machine_only(
    page: str, server: str, blocked: bool
) -> None:
    warning = mixed_content(page, server)
    assert (warning is not None) == blocked
    if warning is not None:
        assert "localhost" in warning


# --- tools as JSON ----------------------------------------------------------------


def acted(content: str, finish_reason: str = "stop") -> LLMResponse:
    reply = completion({"content": content}, finish_reason)
    return openai(tools_as="json").parse(reply)


WEATHER = {"name": "get_weather", "arguments": {"city": "Paris"}}


def test_json_mode_puts_the_menu_into_the_prompt_and_asks_for_a_schema() -> None:
    folder: list[Message] = [SystemMessage("Be brief."), UserMessage("Paris?")]
    sent = openai(tools_as="json").payload(folder, MENU)
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


def test_json_mode_without_a_system_message_makes_one() -> None:
    sent = openai(tools_as="json").payload(QUESTION, MENU)["messages"]
    assert [message["role"] for message in sent] == ["system", "user"]


def test_json_mode_without_a_menu_is_a_plain_request() -> None:
    folder = [*QUESTION, AssistantMessage("hi"), UserMessage("and?")]
    json_mode = openai(tools_as="json")
    assert json_mode.payload(folder) == openai().payload(folder)
    content = json.dumps(WEATHER)
    server = answering(completion({"content": content}))
    response = openai(server, tools_as="json").generate(folder)
    assert response.message == AssistantMessage(content)


def test_json_mode_reads_the_folder_out_as_plain_turns() -> None:
    calls = (
        ToolCall("get_weather", {"city": "Paris"}, id="c1"),
        ToolCall("get_weather", {"city": "Tokyo"}, id="c2"),
    )
    folder: list[Message] = [
        UserMessage("Paris and Tokyo?"),
        AssistantMessage("Both.", calls),
        ToolMessage("18", "c1", "get_weather"),
        ToolMessage("24", "c2", "get_weather"),
        AssistantMessage("18 and 24"),
        UserMessage("Thanks."),
    ]
    turns = openai(tools_as="json").payload(folder, MENU)["messages"][1:]
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


def test_json_mode_keeps_an_answer_without_slip_and_a_slip_without_answer() -> None:
    folder: list[Message] = [
        ToolMessage("18", "lost", "get_weather"),
        AssistantMessage("", (ToolCall("get_weather", {}, id="c2"),)),
    ]
    assert openai(tools_as="json").payload(folder)["messages"] == [
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
            ("text around the action discarded: '```json ```'",),
        ),
        (
            f"Let me look. {json.dumps(WEATHER)}",
            ("text around the action discarded: 'Let me look.'",),
        ),
        (json.dumps({**WEATHER, "arguments": '{"city": "Paris"}'}), ()),
    ],
)
def test_json_mode_reads_an_action_as_one_slip(content: str, notes: Any) -> None:
    call = ToolCall("get_weather", {"city": "Paris"}, id="call_1")
    response = acted(content)
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
            ("no action in JSON, taken as the answer: 'It is 18.'",),
        ),
        (
            'The file says {"name": "Paris"}.',
            'The file says {"name": "Paris"}.',
            (
                "no action in JSON, taken as the answer: "
                '\'The file says {"name": "Paris"}.\'',
            ),
        ),
        ("", "", ("no action in JSON, taken as the answer: ''",)),
    ],
)
def test_json_mode_reads_everything_else_as_the_answer(
    content: str, answer: str, notes: Any
) -> None:
    response = acted(content)
    assert (response.message, response.notes) == (AssistantMessage(answer), notes)


def test_json_mode_does_not_take_half_an_action_for_an_answer() -> None:
    call = only_call(acted('{"name": "get_weather", "argu', "length"))
    assert (call.name, call.arguments, call.problem) == ("get_weather", {}, CUT)
    call = only_call(acted('{"name": "get_weather", "argu'))
    assert call.problem is not None
    assert "not valid JSON" in call.problem


def test_json_mode_keeps_the_text_of_half_an_answer() -> None:
    response = acted('{"answer": "It is \\"18', "length")
    assert response.message == AssistantMessage('It is "18')
    assert "the answer is not whole" in response.notes


def test_json_mode_asks_for_one_action_at_a_time() -> None:
    call = only_call(acted(json.dumps(WEATHER) + json.dumps(WEATHER)))
    assert call.problem == (
        "the reply holds more than one action. "
        "Send one, and the next when its result is there."
    )


def test_json_mode_takes_real_slips_and_refusals_as_they_are() -> None:
    reply = completion(asking(calling("ping", "{}")))
    assert openai(tools_as="json").parse(reply) == openai().parse(reply)
    refused = completion({"content": None, "refusal": "no"})
    assert openai(tools_as="json").parse(refused) == openai().parse(refused)


@pytest.mark.parametrize(
    ("pieces", "heard_text"),
    [(['{"answer": ', '"Oslo"}'], ["Oslo"]), ([json.dumps(WEATHER)], [])],
)
def test_json_mode_lets_nobody_hear_raw_json(pieces: Any, heard_text: Any) -> None:
    server = streaming(*(chunk({"content": p}) for p in pieces), chunk({}, "stop"))
    deltas: list[str] = []
    model = openai(server, tools_as="json")
    model.generate(QUESTION, MENU, on_text_delta=deltas.append)
    assert deltas == heard_text


def test_json_mode_runs_a_whole_agent() -> None:
    tools = ToolRegistry()

    @tools.add
    def get_weather(city: str) -> str:
        """The temperature in a city."""
        return "18"

    replies = iter([json.dumps(WEATHER), '{"answer": "It is 18."}'])

    def server(request: Request) -> Response:
        body = json.dumps(completion({"content": next(replies)})).encode()
        return Response(200, {}, iter([body]))

    agent = Agent(openai(server, tools_as="json"), tools, "Be brief.")
    assert agent.run("Paris?") == {"answer": "It is 18."}


def test_another_way_to_offer_tools_is_refused() -> None:
    with pytest.raises(ValueError, match="'native' or 'json'"):
        openai(tools_as="xml")


# --- Ollama -----------------------------------------------------------------------


def ollama(server: Any, **options: Any) -> OllamaChat:
    return OllamaChat("m", transport=server, **options)


def test_ollama_sends_what_was_set_and_no_more() -> None:
    server = answering({"message": {"content": "hi"}, "done": True})
    ollama(server, think=False, options={"num_ctx": 8192}).generate(QUESTION, MENU)
    assert server.sent() == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": False,
        "tools": MENU,
        "think": False,
        "options": {"num_ctx": 8192},
    }
    request = server.requests[0]
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


def ndjson(*values: Any) -> bytes:
    return "".join(f"{json.dumps(v, ensure_ascii=False)}\n" for v in values).encode()


def ollama_pieces() -> list[dict[str, Any]]:
    message = OLLAMA_REPLY["message"]
    assert isinstance(message, dict)
    told = [
        {"thinking": "bo"},
        {"thinking": "th"},
        {"content": "Let me"},
        {"content": " see."},
        *({"content": "", "tool_calls": [c]} for c in message["tool_calls"]),
    ]
    pieces = [{"model": "m", "message": m, "done": False} for m in told]
    return [*pieces, {**OLLAMA_REPLY, "message": {"content": ""}}]


def test_ollama_replies_whole_or_streamed_are_the_same() -> None:
    assert ollama(answering(OLLAMA_REPLY)).generate(QUESTION) == OLLAMA_READ
    deltas: list[str] = []
    server = Server(
        ndjson(*ollama_pieces()), headers={"content-type": "application/x-ndjson"}
    )
    response = ollama(server).generate(QUESTION, on_text_delta=deltas.append)
    assert response == OLLAMA_READ
    assert deltas == ["Let me", " see."]
    assert server.sent()["stream"] is True


def test_ollama_streams_are_cut_off_without_done() -> None:
    whole = ndjson(*ollama_pieces())
    for body in (ndjson(*ollama_pieces()[:-1]), whole[:-30]):
        server = Server(body, headers={"content-type": "application/x-ndjson"})
        with pytest.raises(ModelError, match="cut off the stream") as caught:
            ollama(server).generate(QUESTION)
        assert caught.value.retryable


@pytest.mark.parametrize(
    "server",
    [
        answering({"error": "model 'm' not found"}, status=404),
        answering({"error": "model 'm' not found"}),
        Server(
            ndjson({"error": "model 'm' not found"}),
            headers={"content-type": "application/x-ndjson"},
        ),
    ],
)
def test_ollama_errors_are_told_in_its_words(server: Server) -> None:
    with pytest.raises(ModelError, match="model 'm' not found"):
        ollama(server).generate(QUESTION)


def test_ollama_cut_off_and_unknown_counts() -> None:
    reply = {**OLLAMA_REPLY, "done_reason": "length", "prompt_eval_count": None}
    response = OllamaChat("m").parse(reply)
    assert {call.problem for call in response.message.tool_calls} == {CUT}
    assert response.usage == Usage(None, 9)


def test_what_answers_at_an_ollama_address_but_is_none_is_said() -> None:
    with pytest.raises(ModelError, match="these keys: 'detail'") as caught:
        OllamaChat("m").parse({"detail": "Not Found"})
    assert "http://127.0.0.1:11434/api/chat" in str(caught.value)


# --- anything at all --------------------------------------------------------------


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
    with pytest.raises(ModelError) as caught:
        parsed(message)
    assert str(caught.value) == (
        f"{URL} answered a reply that is nested too deep to be one. {NAMES}"
    )


def test_arguments_nested_without_end_are_a_problem_of_one_call() -> None:
    deep = "[" * 100_000
    response = parsed(asking(calling("f", '{"x": ' + deep), calling("g", "{}", "c2")))
    one, two = response.message.tool_calls
    assert one.problem is not None
    assert two == ToolCall("g", {}, id="c2")
    medium = '{"x": ' + "[" * 200 + "]" * 200 + "}"
    assert only_call(parsed(asking(calling("f", medium)))).problem is not None


def test_a_body_nested_without_end_is_no_reply() -> None:
    error = fails(Server(b'{"choices":' + b"[" * 100_000))
    assert "broken or cut off" in str(error)


@pytest.mark.parametrize(
    "slip", ["call", 7, None, [], {"function": "f"}, {"function": {"name": {}}}]
)
def test_a_slip_that_is_none_is_answered_all_the_same(slip: Any) -> None:
    call = only_call(parsed(asking(slip)))
    assert call == ToolCall("unnamed_tool", {}, id="call_1", problem=call.problem)
    assert call.problem == (
        "the call names no tool. Send it again with the tool's exact name."
    )


def test_a_limit_on_steps_holds_for_a_model_that_never_answers() -> None:
    tools = ToolRegistry()
    tools.add(lambda: "pong", name="ping")
    server = answering(completion(asking(calling("ping", ""))))
    memory = KeepAll()
    with pytest.raises(StepLimitReached):
        Agent(openai(server), tools, "", memory=memory, max_steps=3).run("go")
    ids = [m.tool_call_id for m in memory.folder if isinstance(m, ToolMessage)]
    assert len(set(ids)) == 3


def test_each_module_offers_all_that_is_not_its_own_business() -> None:
    for found in pkgutil.iter_modules(adapters.__path__):
        module = importlib.import_module(f"mingraph_lite.adapters.{found.name}")
        public = {name for name in defined(module) if not name.startswith("_")}
        assert set(module.__all__) == public, found.name


def defined(module: Any) -> Iterator[str]:
    """The names that a module gives itself, not those it imports."""
    for node in ast.parse(inspect.getsource(module)).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.TypeAlias(name=ast.Name(id=name)):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)) if name != "__all__":
                yield name


def test_repr_names_model_and_address() -> None:
    assert repr(openai()) == "OpenAIChat('m', 'http://localhost:1234/v1')"
    assert repr(OllamaChat("m")) == "OllamaChat('m', 'http://127.0.0.1:11434')"
