"""What servers refuse and want back: each row of the table, then strict stand-ins."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mingraph_lite import Agent
from mingraph_lite.adapters import OllamaChat, OpenAIChat, from_openai, to_openai
from mingraph_lite.adapters.server_wants.beside import REASONING_KEYS
from mingraph_lite.adapters.server_wants.wants import (
    BESIDE,
    EMPTY_REASONING,
    KEYWORDS,
    LAST_RESORT,
    WANTS,
)
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    Extra,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observers import ConsoleLogger, Observer
from mingraph_lite.recovery import Retries
from mingraph_lite.schema.jsonable import write_json
from mingraph_lite.views.frames import frames
from tests.adapters.models import MENU, QUESTION, fails, openai
from tests.adapters.wire import JSON_TYPE, SSE_TYPE, calling, chunk, completion, events

type Refusal = tuple[int, Any] | None
type Strict = Callable[[dict[str, Any]], Refusal]

HERE = "http://localhost:1234/v1"


class Server:
    """A server that refuses what it is told to refuse, and else says its lines."""

    def __init__(self, strict: Strict, *lines: dict[str, Any]) -> None:
        self.strict = strict
        self.lines = list(lines or [{"content": "ok"}])
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Response:
        body = json.loads(request.body)
        self.bodies.append(body)
        if refusal := self.strict(body):
            status, words = refusal
            sent = words if isinstance(words, str) else json.dumps(words)
            return Response(status, JSON_TYPE, iter([sent.encode()]))
        line = self.lines.pop(0)
        if not body.get("stream"):
            return Response(
                200, JSON_TYPE, iter([json.dumps(completion(line)).encode()])
            )
        calls = [{"index": i, **c} for i, c in enumerate(line.get("tool_calls", ()))]
        pieces = [chunk({**line, "tool_calls": calls}), chunk({}, "stop")]
        return Response(200, SSE_TYPE, iter([events(*pieces)]))


FOLDER: list[Message] = [
    SystemMessage("Be brief."),
    UserMessage("Paris?"),
    AssistantMessage(
        "",
        (
            ToolCall(
                "get_weather",
                {"city": "Paris"},
                "c1",
                extra=Extra(HERE, {"extra_content": {"google": {"mark": "abc"}}}),
            ),
        ),
    ),
    ToolMessage("18", "c1", "get_weather"),
]


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


def beyond(*path: Any) -> dict[str, Any]:
    """How pydantic refuses a field; what was sent stands beside it."""
    detail = {
        "type": "extra_forbidden",
        "loc": ["body", *path],
        "msg": "Extra inputs are not permitted",
        "input": {"name": "x", "stream_options": {}, "content": None},
    }
    return {"detail": [detail]}


def roles(body: dict[str, Any]) -> list[str]:
    return [m["role"] for m in body["messages"]]


def results(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [m for m in body["messages"] if m["role"] == "tool"]


def asked(body: dict[str, Any]) -> dict[str, Any]:
    (message,) = [m for m in body["messages"] if m.get("tool_calls")]
    return message


# The place in the table, what the model is given, the refusal, the test of the repair.
CASES: list[tuple[str, dict[str, Any], Refusal, Callable[[Any], bool]]] = [
    (
        "stream_options is left out",
        {},
        (422, beyond("stream_options")),
        lambda b: "stream_options" not in b and b["stream"] is True,
    ),
    (
        "stream_options is left out",
        {},
        (400, error("Unrecognized request argument supplied: stream_options")),
        lambda b: "stream_options" not in b,
    ),
    (
        "stream_options is left out",
        {},
        (400, error("Invalid field.", param="stream_options")),
        lambda b: "stream_options" not in b,
    ),
    (
        "stream_options is left out",
        {},
        (400, error("stream_options is only allowed when stream is enabled")),
        lambda b: "stream_options" not in b and b["stream"] is True,
    ),
    (
        "stream_options is left out",
        {},
        (400, error("Stream options can only be defined when `stream=True`.")),
        lambda b: "stream_options" not in b and b["stream"] is True,
    ),
    (
        "replies are asked for in one piece",
        {},
        (400, {"error": "streaming is not supported with tools"}),
        lambda b: "stream" not in b and "stream_options" not in b,
    ),
    (
        "replies are asked for in one piece",
        {},
        (501, error("This model does not support streaming.")),
        lambda b: "stream" not in b,
    ),
    (
        "max_tokens is sent as max_completion_tokens",
        {"max_tokens": 9},
        (
            400,
            error(
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                param="max_tokens",
                code="unsupported_parameter",
            ),
        ),
        lambda b: b.get("max_completion_tokens") == 9 and "max_tokens" not in b,
    ),
    (
        "max_tokens is sent as max_completion_tokens",
        {"max_tokens": 9},
        (400, "Please use max_completion_tokens instead of max_tokens"),
        lambda b: b.get("max_completion_tokens") == 9 and "max_tokens" not in b,
    ),
    (
        "max_completion_tokens is sent as max_tokens",
        {"extra": {"max_completion_tokens": 9}},
        (422, beyond("max_completion_tokens")),
        lambda b: b.get("max_tokens") == 9 and "max_completion_tokens" not in b,
    ),
    (
        'the form is asked for as {"type": "json_object"}',
        {"tools_as": "json"},
        (400, error("This response_format type is unavailable now")),
        lambda b: b["response_format"] == {"type": "json_object"},
    ),
    (
        'the form is asked for as {"type": "json_object"}',
        {"tools_as": "json"},
        (500, error("failed to parse grammar")),
        lambda b: b["response_format"] == {"type": "json_object"},
    ),
    (
        "results of tools are sent without the tool's name",
        {},
        (
            400,
            error(
                "'messages.3' : for 'role:tool' the following must be satisfied"
                "[('messages.3' : property 'name' is unsupported)]"
            ),
        ),
        lambda b: "name" not in results(b)[0],
    ),
    (
        "results of tools are sent without the tool's name",
        {},
        (422, beyond("messages", 3, "tool", "name")),
        lambda b: "name" not in results(b)[0],
    ),
    (
        "results of tools are sent without the tool's name",
        {},
        (
            400,
            {
                "code": "Client specified an invalid argument",
                "error": "Only messages of role 'user' can have a name.",
            },
        ),
        lambda b: "name" not in results(b)[0],
    ),
    (
        "an empty text is sent beside calls where there was null",
        {},
        (
            400,
            error(
                "Invalid value for 'content': expected a string, got null.",
                param="messages.[2].content",
            ),
        ),
        lambda b: asked(b)["content"] == "",
    ),
    (
        "an empty text is sent beside calls where there was null",
        {},
        (400, error("invalid message content type: <nil>")),
        lambda b: asked(b)["content"] == "",
    ),
    (
        "an empty text is sent beside calls where there was null",
        {},
        (
            422,
            {
                "detail": [
                    {
                        "loc": ["body", "messages", 2, "content"],
                        "msg": "Input should be a valid string",
                        "type": "string_type",
                    }
                ]
            },
        ),
        lambda b: asked(b)["content"] == "",
    ),
    (
        'the prompt is sent under the role "developer"',
        {},
        (400, error("Invalid role 'system': use 'developer' with this model.")),
        lambda b: roles(b)[0] == "developer",
    ),
    (
        "the prompt is sent at the head of the first question",
        {},
        (400, error("Developer instruction is not enabled for models/gemma-3-27b-it")),
        lambda b: b["messages"][0]["content"] == "Be brief.\n\nParis?",
    ),
    (
        "the prompt is sent at the head of the first question",
        {},
        (
            400,
            error(
                "Unsupported value: 'messages[0].role' does not support 'system' "
                "with this model.",
                param="messages[0].role",
            ),
        ),
        lambda b: roles(b)[0] == "user",
    ),
    (
        "the prompt is sent at the head of the first question",
        {"tools_as": "json"},
        (500, error("System role not supported")),
        lambda b: roles(b)[0] == "user",
    ),
    (
        "what came beside calls is not sent back",
        {},
        (422, beyond("messages", 2, "tool_calls", 0, "extra_content")),
        lambda b: asked(b)["tool_calls"][0].keys() == {"id", "type", "function"},
    ),
]


def listened(model: OpenAIChat | OllamaChat) -> Any:
    return model.generate(FOLDER, MENU, on_text_delta=lambda piece: None)


# H05: what we set and a server refuses is left out, once, and announced.
@pytest.mark.parametrize(("done", "options", "refusal", "mended"), CASES)
def test_H05_a_refused_field_is_left_out_of_the_next_request(
    done: str, options: dict[str, Any], refusal: Refusal, mended: Callable[[Any], bool]
) -> None:
    server = Server(lambda body: None if mended(body) else refusal)
    model = openai(server, **options)
    before = model.payload(FOLDER, MENU)
    with pytest.raises(ModelError) as caught:
        listened(model)
    assert caught.value.retryable
    assert caught.value.retry_after == 0.0
    assert str(caught.value).endswith(f"From now on {done}.")
    assert listened(model).message.content == "ok"
    # Nothing else is changed: the model is told the same.
    words = json.dumps(model.payload(FOLDER, MENU))
    assert all(text in words for text in ("Be brief.", "Paris", "18", "get_weather"))
    assert before["model"] == model.payload(FOLDER, MENU)["model"]


def test_H05_every_row_has_a_case_and_a_source() -> None:
    told = {done for done, *_ in CASES} | {done for done, *_ in LATER_ROWS}
    told.add("questions that follow one another are sent as one")  # test_last_resort
    assert {want.done for want in (*WANTS, BESIDE)} == told
    rows = (*WANTS, BESIDE, EMPTY_REASONING, *LAST_RESORT, *KEYWORDS.values())
    assert [want.done for want in rows if not want.source] == []


LATER_ROWS: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "response_format is left out, since the prompt says the form",
        {"tools_as": "json"},
        "response_format: json_schema is not supported",
        "response_format: json_object is not supported",
    ),
    (
        "no text is sent beside calls where there is none",
        {},
        "content must be a string, not null",
        "messages: text content blocks must be non-empty",
    ),
    (
        "calls of other models are marked as such",
        {},
        'Unknown name "extra_content" in a call',
        "Function call is missing a thought_signature in functionCall parts.",
    ),
]


@pytest.mark.parametrize(("done", "options", "first", "second"), LATER_ROWS)
def test_H05_where_the_first_change_does_not_help_the_next_one_may(
    done: str, options: dict[str, Any], first: str, second: str
) -> None:
    words = iter([first, second])
    server = Server(
        lambda body: (400, error(said)) if (said := next(words, "")) else None
    )
    model = openai(server, **options)
    said = []
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            listened(model)
        assert caught.value.retryable
        said.append(str(caught.value))
    assert said[1].endswith(f"From now on {done}.")
    assert listened(model).message.content == "ok"


def nothing_helps(body: dict[str, Any]) -> Refusal:
    return (400, error("Unrecognized request argument supplied: stream_options"))


def test_H05_refused_again_although_left_out_it_is_no_reason_to_ask_again() -> None:
    model = openai(Server(nothing_helps))
    with pytest.raises(ModelError) as caught:
        listened(model)
    with pytest.raises(ModelError) as again:
        listened(model)
    assert (caught.value.retryable, again.value.retryable) == (True, False)


@pytest.mark.parametrize(
    ("options", "words", "argument"),
    [
        ({"temperature": 0.5}, "'temperature' does not support 0.5", "temperature="),
        ({"seed": 7}, "property 'seed' is unsupported", "seed="),
        (
            {"reasoning_effort": "low"},
            "Unrecognized request argument supplied: reasoning_effort",
            "reasoning_effort=",
        ),
        ({"extra": {"top_k": 4}}, 'Unknown name "top_k"', 'extra={"top_k": …}'),
        ({"max_tokens": 9**9}, "max_tokens is too large: 387420489", "max_tokens="),
        (
            {"extra": {"stream_options": {"x": 1}}},
            "stream_options: Extra inputs are not permitted",
            'extra={"stream_options": …}',
        ),
    ],
)
def test_H05_what_the_caller_set_is_not_taken_away_but_named(
    options: dict[str, Any], words: str, argument: str
) -> None:
    model = openai(Server(lambda body: (400, error(words))), **options)
    with pytest.raises(ModelError) as caught:
        model.generate(QUESTION)
    assert not caught.value.retryable
    assert str(caught.value).endswith(f"Leave out {argument}.")
    assert model.payload(QUESTION) == openai(**options).payload(QUESTION)


@pytest.mark.parametrize(
    "refusal",
    [
        (400, error("max_tokens must be at least 1")),
        (400, error("The model said no.")),
        (401, error("stream_options")),
        (429, error("stream_options")),
        (
            422,
            {
                "detail": [
                    {
                        "loc": ["body", "messages", 2, "name"],
                        "msg": "Field required",
                        "type": "missing",
                    }
                ]
            },
        ),
    ],
)
def test_H05_a_refusal_that_is_about_something_else_changes_nothing(
    refusal: Refusal,
) -> None:
    model = openai(Server(lambda body: refusal))
    before = model.payload(FOLDER, MENU)
    with pytest.raises(ModelError):
        model.generate(FOLDER, MENU, on_text_delta=lambda piece: None)
    assert model.payload(FOLDER, MENU) == before


@pytest.mark.parametrize("name", ["stream_options", "stream", "messages", "model"])
def test_H05_none_leaves_out_whatever_field(name: str) -> None:
    server = Server(lambda body: None)
    listened(openai(server, extra={name: None}))
    assert name not in server.bodies[0]
    ollama = OllamaChat("m", options={"num_ctx": None, "a": 1}, extra={"stream": None})
    assert ollama.payload(QUESTION) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "options": {"a": 1},
    }


class Retold(Observer):
    """Keeps what the announced retries say."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def on_retry(self, error: Exception, tries: int, wait: float) -> None:
        self.said.append(str(error))


def get_weather(city: str) -> str:
    """The temperature in a city."""
    return {"Paris": "18", "Tokyo": "24"}[city]


def lines(first: dict[str, Any], second: dict[str, Any], **beside: Any) -> Any:
    """Two rounds of tools, and the answer."""
    paris = calling("get_weather", '{"city": "Paris"}', "c1")
    tokyo = calling("get_weather", '{"city": "Tokyo"}', "c2")
    return (
        {"role": "assistant", "content": None, "tool_calls": [paris | first], **beside},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [tokyo | second],
            **beside,
        },
        {"role": "assistant", "content": "18 and 24"},
    )


def run(server: Server, *, streamed: bool, **options: Any) -> Retold:
    """An agent's run of two rounds at this server, to its end."""
    retold = Retold()
    agent = Agent(
        openai(server, **options),
        [get_weather],
        "Be brief.",
        observers=[retold],
        retries=Retries(sleep=lambda seconds: None),
        on_text_delta=(lambda piece: None) if streamed else None,
    )
    assert agent.run("Paris and Tokyo?") == {"answer": "18 and 24"}
    return retold


def signature(mark: str) -> dict[str, Any]:
    return {"extra_content": {"google": {"thought_signature": mark}}}


def wants_signatures(body: dict[str, Any]) -> Refusal:
    calls = [c for m in body["messages"] for c in m.get("tool_calls", ())]
    marks = {"c1": "A", "c2": "B"}
    if all(
        c.get("extra_content") == signature(marks[c["id"]])["extra_content"]
        for c in calls
    ):
        return None
    return (400, error("a call came back without its thought_signature"))


def wants_names(body: dict[str, Any]) -> Refusal:
    if all(m.get("name") == "get_weather" for m in results(body)):
        return None
    return (400, error("function_response.name: Name cannot be empty."))


def wants_reasoning(body: dict[str, Any]) -> Refusal:
    asked = [m for m in body["messages"] if m.get("tool_calls")]
    if all(m.get("reasoning_content") == "both" for m in asked):
        return None
    return (
        400,
        error("The `reasoning_content` in the thinking mode must be passed back."),
    )


def wants_none(body: dict[str, Any]) -> Refusal:
    for at, message in enumerate(body["messages"]):
        for key in ("name", "reasoning_content", "extra_content"):
            calls = message.get("tool_calls", ())
            if key in message or any(key in call for call in calls):
                return (422, beyond("messages", at, key))
    return None


# H03: what came beside a call goes back; reasoning by an option; strict servers work.
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("strict", "said", "options", "retries"),
    [
        (wants_signatures, lines(signature("A"), signature("B")), {}, 0),
        (wants_names, lines({}, {}), {}, 0),
        (
            wants_reasoning,
            lines({}, {}, reasoning_content="both"),
            {"send_reasoning": True},
            0,
        ),
        (wants_none, lines({}, {}, reasoning_content="both"), {}, 1),
        (wants_none, lines(signature("A"), {}), {}, 2),
    ],
)
def test_H03_each_strict_server_is_given_what_it_wants(
    strict: Strict, said: Any, options: dict[str, Any], retries: int, streamed: bool
) -> None:
    server = Server(strict, *said)
    assert len(run(server, streamed=streamed, **options).said) == retries


# A14: what no one asked for does not go back.
@pytest.mark.parametrize("streamed", [False, True])
def test_A14_no_reasoning_goes_back_without_the_option(streamed: bool) -> None:
    beside = {"reasoning_content": "both", "reasoning": "both", "thinking": "both"}
    server = Server(lambda body: None, *lines({}, {}, **beside))
    run(server, streamed=streamed)
    sent = {key for body in server.bodies for m in body["messages"] for key in m}
    assert not sent & {*REASONING_KEYS}


@pytest.mark.parametrize(
    "words",
    [
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "Missing `reasoning_content` field in the assistant message at index 4.",
        "messages[2].reasoning_content: field required",
        "reasoning_content",
        "reasoning_details are needed",
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
)
def test_H03_a_server_that_misses_the_reasoning_leads_to_the_option(words: str) -> None:
    def strict(body: dict[str, Any]) -> Refusal:
        return (400, error(words)) if wants_reasoning(body) else None

    server = Server(strict, *lines({}, {}, reasoning_content="both"))
    with pytest.raises(ModelError, match="make the model with send_reasoning=True"):
        run(server, streamed=False)


def test_H03_a_server_that_takes_no_reasoning_leads_away_from_the_option() -> None:
    server = Server(
        lambda body: wants_none(
            {"messages": [m for m in body["messages"] if m["role"] == "assistant"]}
        ),
        *lines({}, {}, reasoning_content="both"),
    )
    with pytest.raises(ModelError, match="leave out send_reasoning=True"):
        run(server, streamed=False, send_reasoning=True)


def test_H03_reasoning_goes_back_within_its_round_only_and_to_its_server() -> None:
    model = openai(send_reasoning=True)
    message = {"content": "Oslo", "reasoning": "both", "reasoning_details": [{"a": 1}]}
    said = model.parse(completion(message)).message
    sent = model.payload([*QUESTION, said])["messages"][1]
    assert sent == {"role": "assistant", **message}
    old = {"role": "assistant", "content": "Oslo"}
    assert model.payload([*QUESTION, said, *QUESTION])["messages"][1] == old
    other = OpenAIChat("m", "http://localhost:9/v1", send_reasoning=True)
    assert other.payload([*QUESTION, said])["messages"][1] == old
    assert openai().payload([*QUESTION, said])["messages"][1] == old
    assert (
        OllamaChat("m", send_reasoning=True).payload([*QUESTION, said])["messages"][1]
        == old
    )


def test_H03_what_came_beside_a_call_goes_to_no_other_server() -> None:
    entry = calling("f", "{}") | {"thought_signature": "x", "index": 0}
    said = openai().parse(completion({"tool_calls": [entry]})).message
    folder = [*QUESTION, said, ToolMessage("1", "c1", "f")]
    (sent,) = openai().payload(folder)["messages"][1]["tool_calls"]
    assert sent == calling("f", "{}") | {"thought_signature": "x"}
    other = OpenAIChat("m", "http://localhost:9/v1").payload(folder)
    assert other["messages"][1]["tool_calls"] == [calling("f", "{}")]
    native = OllamaChat("m").payload(folder)["messages"][1]["tool_calls"]
    assert native == [{"function": {"name": "f", "arguments": {}}}]


def test_H03_a_folder_that_was_stored_goes_on_at_its_server() -> None:
    entry = calling("f", "{}") | signature("A")
    model = openai(send_reasoning=True)
    said = model.parse(completion({"tool_calls": [entry], "reasoning": "both"})).message
    folder = [*QUESTION, said, ToolMessage("1", "c1", "f")]
    stored = json.loads(json.dumps(to_openai(folder)))
    assert model.payload(from_openai(stored)) == model.payload(folder)
    assert stored[1]["extra"] == {"address": HERE, "sent": {"reasoning": "both"}}
    plain = to_openai([*QUESTION, AssistantMessage("", (ToolCall("f", {}, "c1"),))])
    assert "extra" not in json.dumps(plain)


@pytest.mark.parametrize("extra", ["x", {"sent": {}}, {"address": HERE, "sent": 1}])
def test_H03_a_stored_extra_that_is_none_is_left_out_with_a_note(
    extra: Any, caplog: pytest.LogCaptureFixture
) -> None:
    (said,) = from_openai(
        [
            {
                "role": "assistant",
                "content": "",
                "extra": extra,
                "tool_calls": [calling("f", "{}") | {"extra": extra}],
            }
        ]
    )
    assert isinstance(said, AssistantMessage)
    assert (said.extra, said.tool_calls[0].extra) == (None, None)
    assert caplog.text.count("was left out") == 2


def test_H03_an_agent_keeps_what_goes_back_and_shows_it_nowhere() -> None:
    server = Server(lambda body: None, *lines(signature("A"), signature("B")))
    memory = KeepAll()
    said: list[str] = []
    logger = ConsoleLogger(said.append)
    Agent(openai(server), [get_weather], "", memory=memory, observers=[logger]).run(
        "go"
    )
    calls = [
        c
        for m in memory.folder
        if isinstance(m, AssistantMessage)
        for c in m.tool_calls
    ]
    assert [c.extra and dict(c.extra.sent) for c in calls] == [
        signature("A"),
        signature("B"),
    ]
    shown = [repr(memory.folder), write_json(memory.folder), *said]
    agent = Agent(openai(server), [get_weather], "")
    server.lines = list(lines(signature("A"), signature("B")))
    shown += [json.dumps(frame) for frame in frames(agent, {"question": "go"})]
    assert not [text for text in shown if "signature" in text]
    assert calls[0] == ToolCall("get_weather", {"city": "Paris"}, "c1")


# H03 at Ollama: thinking by the option, an id only where that server gave one.
def test_H03_an_ollama_gets_back_its_ids_and_its_thinking() -> None:
    call = {"id": "call_x", "function": {"index": 0, "name": "f", "arguments": {}}}
    reply = {"message": {"content": "", "thinking": "both", "tool_calls": [call]}}
    model = OllamaChat("m", send_reasoning=True)
    said = model.parse(reply).message
    folder = [*QUESTION, said, ToolMessage("1", "call_x", "f")]
    sent_call = {"id": "call_x", "function": {"name": "f", "arguments": {}}}
    assert model.payload(folder)["messages"][1:] == [
        {"role": "assistant", "thinking": "both", "tool_calls": [sent_call]},
        {"role": "tool", "tool_name": "f", "tool_call_id": "call_x", "content": "1"},
    ]
    bare = {"function": {"name": "f", "arguments": {}}}
    assert OllamaChat("m", "http://other").payload(folder)["messages"][1:] == [
        {"role": "assistant", "tool_calls": [bare]},
        {"role": "tool", "tool_name": "f", "content": "1"},
    ]


@pytest.mark.parametrize(
    ("options", "words", "argument"),
    [
        ({"think": True}, '"m" does not support thinking', "think="),
        ({"think": "low"}, 'think value "low" is not supported', "think="),
        ({"seed": 7}, "invalid option: seed", "seed="),
        ({"options": {"num_ctx": 1}}, "num_ctx is invalid", 'options={"num_ctx": …}'),
    ],
)
def test_H05_an_ollama_names_what_the_caller_set(
    options: dict[str, Any], words: str, argument: str
) -> None:
    model = OllamaChat(
        "m", transport=Server(lambda body: (400, {"error": words})), **options
    )
    with pytest.raises(ModelError) as caught:
        model.generate(QUESTION)
    assert str(caught.value).endswith(f"Leave out {argument}.")


def test_H05_an_ollama_that_cannot_stream_with_tools_is_asked_whole() -> None:
    reply = json.dumps({"message": {"content": "ok"}, "done": True}).encode()
    bodies: list[dict[str, Any]] = []

    def transport(request: Request) -> Response:
        bodies.append(json.loads(request.body))
        if bodies[-1]["stream"]:
            words = b'{"error": "streaming is not supported with tools"}'
            return Response(400, JSON_TYPE, iter([words]))
        return Response(200, JSON_TYPE, iter([reply]))

    model = OllamaChat("m", transport=transport)
    with pytest.raises(ModelError, match="asked for in one piece"):
        listened(model)
    assert listened(model).message.content == "ok"
    assert [body["stream"] for body in bodies] == [True, False]


@pytest.mark.parametrize(
    "words",
    [
        "Unknown parameter: 'messages[3].name'.",
        "/messages/3/name: additional properties are not allowed",
        "Additional properties are not allowed ('name' was unexpected) - 'messages.3'",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 3, 'tool', 'name'), "
        "'msg': 'Extra inputs are not permitted', 'input': 'get_weather'}]",
        "unknown field `name`, expected one of `role`, `content`, `tool_call_id`",
        "unexpected field name",
        "name is not allowed here",
        "Extra inputs are not permitted: name",
        "name",
    ],
)
def test_H03_however_it_is_said_that_results_have_no_name(words: str) -> None:
    model = openai(Server(lambda body: (400, error(words))))
    with pytest.raises(ModelError, match="without the tool's name") as caught:
        model.generate(FOLDER, MENU)
    assert caught.value.retryable


@pytest.mark.parametrize(
    "words",
    [
        'Unknown name "store": Cannot find field.',
        "The model name is not supported: m",
        "Invalid 'tools[0].function.name': does not match the pattern",
        "tool name is not allowed",
    ],
)
def test_H03_other_names_are_not_taken_for_that_of_a_result(words: str) -> None:
    model = openai(Server(lambda body: (400, error(words))))
    before = model.payload(FOLDER, MENU)
    with pytest.raises(ModelError) as caught:
        model.generate(FOLDER, MENU)
    assert not caught.value.retryable
    assert model.payload(FOLDER, MENU) == before


@pytest.mark.parametrize(
    "words",
    [
        "tools[0].function.parameters.properties[when].format: only 'enum' and "
        "'date-time' are supported for STRING type",
        "Unknown parameter: 'tools[0].function.parameters.format'.",
        "function f: schema keyword `format` is unsupported",
    ],
)
def test_H09_however_a_keyword_is_refused(words: str) -> None:
    parameters = {"properties": {"when": {"type": "string", "format": "date"}}}
    menu = [{"function": {"name": "f", "parameters": parameters}}]
    model = openai(Server(lambda body: (400, error(words))))
    with pytest.raises(ModelError, match="without format"):
        model.generate(QUESTION, menu)
    (sent,) = model.payload(QUESTION, menu)["tools"]
    assert sent["function"]["parameters"] == {
        "properties": {"when": {"type": "string"}}
    }
    assert parameters["properties"]["when"]["format"] == "date"


# H09: a keyword of a menu that a server does not know is left out; names stay.
SCHEMA = {
    "type": "object",
    "properties": {
        "default": {"type": "string", "default": "x", "format": "date", "title": "T"},
        "n": {"anyOf": [{"const": 1}, {"type": "null"}], "$ref": "#/$defs/N"},
        "self": {"$ref": "#/$defs/Tree"},
    },
    "$defs": {
        "N": {"description": "n"},
        "Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
    },
    "additionalProperties": False,
    **{
        key: 1
        for key in KEYWORDS
        if key
        not in {
            "default",
            "format",
            "title",
            "const",
            "$ref",
            "$defs",
            "additionalProperties",
            "strict",
            "patternProperties",
        }
    },
    "patternProperties": {"default": {"type": "string"}},
}
TOOL = {"function": {"name": "f", "strict": True, "parameters": SCHEMA}}


def keywords(value: Any, *, named: bool = False) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(keywords, value))
    if not isinstance(value, dict):
        return set()
    inside = [
        keywords(v, named=not named and k in {"properties", "patternProperties"})
        for k, v in value.items()
    ]
    return set().union(set() if named else value.keys(), *inside)


@pytest.mark.parametrize("model", [openai, OllamaChat])
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_H09_a_keyword_that_is_refused_is_left_out_of_the_menu(
    keyword: str, model: Any
) -> None:
    words = (
        f'Invalid JSON payload received. Unknown name "{keyword}" at '
        "'tools[0].function_declarations[0].parameters': Cannot find field."
    )
    reply = {"message": {"content": "ok"}, **completion({"content": "ok"})}
    left = [keyword]

    def transport(request: Request) -> Response:
        body = json.loads(request.body)
        refused = left[0] in keywords(body["tools"])
        sent = error(words, code=400) if refused else reply
        return Response(
            400 if refused else 200, JSON_TYPE, iter([json.dumps(sent).encode()])
        )

    asking = (
        openai(transport) if model is openai else OllamaChat("m", transport=transport)
    )
    with pytest.raises(ModelError, match="the menu is sent without") as caught:
        asking.generate(QUESTION, [TOOL])
    assert caught.value.retryable
    assert asking.generate(QUESTION, [TOOL]).message.content == "ok"
    (sent,) = asking.payload(QUESTION, [TOOL])["tools"]
    properties = sent["function"]["parameters"]["properties"]
    assert properties.keys() == {"default", "n", "self"}
    if keyword == "const":
        assert properties["n"]["anyOf"][0] == {"enum": [1]}
    if keyword == "$defs":
        assert properties["self"] == {"type": "array", "items": {}}


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"seed": True}, "a whole number"),
        ({"seed": "7"}, "a whole number"),
        ({"temperature": "hot"}, "a number"),
        ({"temperature": float("nan")}, "a number"),
        ({"max_tokens": 1.5}, "a whole number above 0"),
    ],
)
@pytest.mark.parametrize("model", [openai, OllamaChat])
def test_options_are_checked_for_their_kind(
    options: dict[str, Any], kind: str, model: Any
) -> None:
    with pytest.raises(TypeError, match=f"It is {kind}, such as"):
        model("m", **options)
    with pytest.raises(ValueError, match="above 0"):
        model("m", max_tokens=0)


def test_options_by_name_go_where_each_api_wants_them() -> None:
    body = openai(seed=7, reasoning_effort="low", max_tokens=9).payload(QUESTION)
    assert {k: body[k] for k in ("seed", "reasoning_effort", "max_tokens")} == {
        "seed": 7,
        "reasoning_effort": "low",
        "max_tokens": 9,
    }
    native = OllamaChat(
        "m", think="low", seed=7, temperature=0, max_tokens=9, options={"seed": 8}
    )
    body = native.payload(QUESTION)
    assert body["think"] == "low"
    assert body["options"] == {"temperature": 0, "num_predict": 9, "seed": 8}
    with pytest.raises(TypeError, match="think is 3"):
        OllamaChat("m", think=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reasoning_effort is 3"):
        openai(reasoning_effort=3)
    with pytest.raises(TypeError, match="extra is 'x'"):
        openai(extra="x")
    for model in (openai, OllamaChat):
        with pytest.raises(TypeError, match="send_reasoning is 1"):
            model("m", send_reasoning=1)


def test_an_error_in_a_reply_with_status_200_teaches_as_well() -> None:
    words = "Unrecognized request argument supplied: stream_options"
    server = Server(
        lambda body: (200, error(words, code=400)) if "stream_options" in body else None
    )
    model = openai(server)
    with pytest.raises(ModelError, match="stream_options is left out"):
        listened(model)
    assert listened(model).message.content == "ok"


def test_a_refusal_that_quotes_much_is_read_in_a_line_s_time() -> None:
    long = "stream content max_tokens 'system' tool_calls id " * 40_000
    assert fails(Server(lambda body: (400, error(long)))).retryable is False
