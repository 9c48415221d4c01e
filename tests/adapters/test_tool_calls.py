"""Tool calls as servers really send them: read, or answered with a problem."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters import OllamaChat
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import ToolCall
from tests.adapters.models import (
    CUT,
    QUESTION,
    agent_answers,
    heard,
    only_call,
    openai,
    parsed,
    read_as_action,
)
from tests.adapters.wire import (
    FixedTransport,
    as_events,
    asking,
    calling,
    chunk,
    completion,
    in_turn,
)
from tests.lines import grows_with_its_input

NOTHING_SENT = [calling("ping", ""), calling("ping", "  \n"), calling("ping", None)]
NOTHING_SENT += [{"id": "c1", "type": "function", "function": {"name": "ping"}}]
NOTHING_SENT += [calling("ping", "null"), calling("ping", []), calling("ping", {})]


# A01: no arguments run the tool with {}; a missing one is told as missing.
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


# A02: text or object gives one ToolCall; each API gets its own form back.
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


# A05: one complete object is run, and a note says what was left out; a guess never is.
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
        "Text around the arguments of read_note was left out: 'Reading it.'.",
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


# H18, A03: what is broken is never mended into {}, nor a part of it run.
@pytest.mark.parametrize(
    "arguments",
    [
        "scope={}thumbnails",
        "scope={}",
        "{}thumbnails",
        "Sure: {}",
        "clear_cache({})",
        'scope={"a": 1}thumbnails',
        'scope: "a", more: {"scope": "b"}',
        'scope: a\nmore: {"scope": "b"}',
        'keep {"scope": "b"}thumbnails',
        '{"more": {}}, "scope": "b"}',
        '{"scope": "b"}, "deep": true}',
        '"scope={}thumbnails"',
        "{}{}",
        '{} {"scope": "b"}',
        "```json\n```",
        "``` ```",
        "<tool_call></tool_call>",
        "{'scope': 'b'}",
        '{"scope": "b",}',
        '{"scope": "b"',
        '{"scope": "b" // the second\n}',
        "{scope: 'b'}",
        "[{}]",
        "None",
        "undefined",
        "{",
        "}",
        "{}}",
        "thumbnails",
    ],
)
def test_H18_braces_in_broken_arguments_are_no_call(arguments: str) -> None:
    tools, cleared = ToolRegistry(), []

    @tools.add
    def clear_cache(scope: str = "everything") -> str:
        cleared.append(scope)
        return "cleared"

    (answer,) = agent_answers(tools, asking(calling("clear_cache", arguments)))
    assert cleared == []
    assert answer.content.startswith("Error: clear_cache: ")
    assert "It takes: scope (optional)." in answer.content
    streamed, _ = heard(
        chunk({"tool_calls": [{"index": 0, **calling("clear_cache", arguments)}]}),
        chunk({}, "tool_calls"),
    )
    whole = parsed(asking(calling("clear_cache", arguments)), "tool_calls")
    assert streamed.message == whole.message
    assert (only_call(whole).arguments, only_call(whole).raw) == ({}, arguments)


# H18: an empty object runs the tool where it is the whole text, or wrapped alone.
@pytest.mark.parametrize(
    "arguments",
    [
        *("{}", " {} ", "```json\n{}\n```", "```\n{}\n```", '"{}"', "[]", "null"),
        *("<tool_call>{}</tool_call>", "<tool_call>\n```json\n{}```\n</tool_call>"),
    ],
)
def test_H18_an_empty_object_alone_is_an_empty_call(arguments: str) -> None:
    call = only_call(parsed(asking(calling("clear_cache", arguments))))
    assert (call.arguments, call.problem) == ({}, None)


# A05: prose around one object is left out, as before.
@pytest.mark.parametrize(
    "arguments",
    [
        '{"path":"a.md"}Reading it.',
        '{"path":"a.md"}<|im_end|>',
        '{"path":"a.md"}}',
        '{"path":"a.md"};',
        'Here it is: {"path":"a.md"}. See [1].',
        '<tool_call>{"path":"a.md"}</tool_call>',
    ],
)
def test_A05_prose_around_one_object_is_left_out(arguments: str) -> None:
    call = only_call(parsed(asking(calling("read_note", arguments))))
    assert (call.arguments, call.problem) == ({"path": "a.md"}, None)


def test_A03_the_answer_shows_a_part_of_what_came_and_what_the_tool_takes() -> None:
    tools = ToolRegistry()

    @tools.add
    def clear_cache(scope: str = "everything", deep: bool = False) -> str:
        raise AssertionError("it is not run")

    long = '{"scope": "' + "thumbnails " * 500
    (answer,) = agent_answers(tools, asking(calling("clear_cache", long)))
    assert answer.content == (
        'Error: clear_cache: the arguments are not valid JSON: \'{"scope": '
        "\"thumbnails thumbnails thumbnails thumbnails thumbnails th…'. Send "
        "one JSON object. It takes: scope (optional), deep (optional). Mend the call."
    )


@pytest.mark.parametrize("around", ["x: ", "``` ", "<a>", "= ", '"', ": ", " ,", "\\"])
def test_H24_twice_as_much_text_around_an_object_is_twice_the_work(around: str) -> None:
    def job(n: int) -> Any:
        texts = [around * n + '{"a": 1}', '{"a": 1}' + around * n, "{} " + around * n]
        return lambda: [
            read_tool_calls([{"function": {"name": "f", "arguments": text}}])
            for text in texts
        ]

    assert grows_with_its_input(job)


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
    call = only_call(read_as_action('{"name": "f", "args": {"a": 1}}'))
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
    message = f'{{"tool_calls": [{{"index": 0, "function": {function}}}]}}'
    whole = f'{{"choices": [{{"message": {message}}}]}}'
    stream = f'data: {{"choices": [{{"delta": {message}}}]}}\n\ndata: [DONE]\n\n'
    native = f'{{"message": {message}, "done": true}}'
    transports = [
        FixedTransport(whole.encode()),
        as_events(stream.encode()),
    ]
    read = [openai(transport).generate(QUESTION) for transport in transports]
    read += [
        OllamaChat("m", transport=FixedTransport(native.encode())).generate(QUESTION)
    ]
    read += [read_as_action(function)]
    assert [response.message.tool_calls for response in read] == [(want,)] * 4


def test_A05_a_key_that_stands_twice_elsewhere_breaks_nothing() -> None:
    body = b'{"id": 1, "id": 2, "choices": [{"message": {"content": "Oslo"}}]}'
    assert openai(FixedTransport(body)).generate(QUESTION).message.content == "Oslo"


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


# A06: NaN and Infinity are not run, and what is sent is strict JSON.
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


MISSING = object()


# A07: each call has an id of its own; a good one stays as it came.
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


# A10: nothing of a reply that was cut off is run, and each call is answered.
@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS"])
def test_A10_no_call_of_a_reply_that_was_cut_off_is_run(reason: str) -> None:
    half = '{"path":"n.md","text":"first half"}'
    calls = asking(calling("write", half, "c1"), calling("write", half, "c2"))
    response = parsed(calls, reason)
    assert [c.problem for c in response.message.tool_calls] == [CUT, CUT]
    assert response.notes == ("The reply was cut off by the output limit.",)
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
    transport = in_turn(
        completion(asking(calling("write", '{"text": "half"}')), "length"),
        completion({"content": "done"}),
    )
    agent = Agent(openai(transport), tools, "", memory=(memory := KeepAll()))
    assert agent.run("go") == {"answer": "done"}
    assert CUT in memory.folder[2].content


# A13: a clear name is run; an unclear one is answered; none that is illegal is sent.
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


def test_arguments_nested_without_end_are_a_problem_of_one_call() -> None:
    deep = "[" * 100_000
    response = parsed(asking(calling("f", '{"x": ' + deep), calling("g", "{}", "c2")))
    one, two = response.message.tool_calls
    assert one.problem is not None
    assert two == ToolCall("g", {}, id="c2")
    medium = '{"x": ' + "[" * 200 + "]" * 200 + "}"
    assert only_call(parsed(asking(calling("f", medium)))).problem is not None


@pytest.mark.parametrize(
    "entry", ["call", 7, None, [], {"function": "f"}, {"function": {"name": {}}}]
)
def test_a_call_that_is_none_is_answered_all_the_same(entry: Any) -> None:
    call = only_call(parsed(asking(entry)))
    assert call == ToolCall("unnamed_tool", {}, id="call_1", problem=call.problem)
    assert call.problem == (
        "the call names no tool. Send it again with the tool's exact name."
    )


@pytest.mark.parametrize(
    "ids",
    [
        lambda n: [""] * n,
        lambda n: ["call_1"] * n,
        lambda n: [f"call_{n + place}" for place in range(n)] + [""] * n,
    ],
)
def test_H24_twice_as_many_ids_to_give_are_twice_the_work(ids: Any) -> None:
    def job(n: int) -> Any:
        sent = [{"id": id, "function": {"name": "save"}} for id in ids(n)]
        return lambda: read_tool_calls(sent)

    assert grows_with_its_input(job)
    calls, _ = read_tool_calls([{"id": id, "function": {}} for id in ids(9)])
    assert len({call.id for call in calls}) == len(calls)
