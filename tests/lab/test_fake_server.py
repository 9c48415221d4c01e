"""The fake server on a real socket, for OpenAI's own client and for our adapter."""

import http.client
import json
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.lab.fake_server import (
    CORS_HEADERS,
    ClientRequest,
    FakeServer,
    main,
)
from mingraph_lite.lab.faults import ALL_SCENARIOS, FAULTS
from mingraph_lite.lab.reply_source import ReplyQueue, Scripts
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.lab.wire import ADDRESS, error
from mingraph_lite.messages import AssistantMessage, UserMessage, transcript
from tests.lab.requests import ask, content, error_in
from tests.lab.runs import ANSWER, Run
from tests.notebooks.fixed_environment import ROOT

QUESTION: list[Any] = [{"role": "user", "content": paris_and_tokyo.question}]
MENU: Any = [json.loads(json.dumps(e)) for e in paris_and_tokyo.registry().menu()]
BODY = json.dumps({"messages": QUESTION}).encode()
STREAMED_BODY = json.dumps({"messages": QUESTION, "stream": True}).encode()
KEYS = (f"client-{number}" for number in count(1))


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    """Give one server to all tests; a key of its own keeps each test apart."""
    with FakeServer() as running:
        yield running


@pytest.fixture(scope="module")
def any_client(server: FakeServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.url, api_key="any", max_retries=0) as made:
        yield made


@pytest.fixture
def client(any_client: openai.OpenAI) -> openai.OpenAI:
    return any_client.with_options(api_key=next(KEYS))


def fetch(url: str, method: str = "GET", data: bytes | None = None, **headers: str):
    """Status, headers and body of one request, whatever the status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data, named, method=method)
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.headers, reply.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.status, refused.headers, refused.read()


def run_the_tools(client: openai.OpenAI, model: str) -> tuple[list[str], str | None]:
    """The loop as a user of OpenAI's client writes it, with the client's objects."""
    tools = {f.__name__: f for f in ALL_SCENARIOS[model].tools}
    messages, results = list(QUESTION), []
    while True:
        reply = client.chat.completions.create(
            model=model, messages=messages, tools=MENU
        )
        message = reply.choices[0].message
        if not message.tool_calls:
            return results, message.content
        messages.append(message)
        for call in message.tool_calls:
            tool = tools[call.function.name]
            results.append(str(tool(**json.loads(call.function.arguments))))
            messages.append(
                {"role": "tool", "tool_call_id": call.id, "content": results[-1]}
            )


@pytest.mark.parametrize("model", ["paris_and_tokyo", "one_by_one"])
def test_openais_client_runs_a_scenario_to_its_answer(client, model):
    assert run_the_tools(client, model) == (["18", "24", "64", "75"], ANSWER)
    assert run_the_tools(client, model) == (["18", "24", "64", "75"], ANSWER)


def test_openais_client_gets_whole_objects(client):
    reply = client.chat.completions.create(
        model="paris_and_tokyo", messages=QUESTION, tools=MENU
    )
    (choice,) = reply.choices
    calls = [
        (c.id, c.type, c.function.name, c.function.arguments)
        for c in choice.message.tool_calls
    ]
    assert (choice.finish_reason, choice.message.content, calls) == (
        "tool_calls",
        None,
        [
            ("call_1", "function", "get_weather", '{"city": "Paris"}'),
            ("call_2", "function", "get_weather", '{"city": "Tokyo"}'),
        ],
    )
    assert (reply.object, reply.model) == ("chat.completion", "paris_and_tokyo")
    usage = reply.usage
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


@pytest.mark.parametrize("with_usage", [False, True])
def test_openais_client_reads_a_stream_word_by_word(client, with_usage):
    asked = {"model": "paris_and_tokyo", "messages": [*QUESTION, *[assistant("x")] * 2]}
    options = {"stream_options": {"include_usage": True}} if with_usage else {}
    chunks = list(client.chat.completions.create(stream=True, **asked, **options))
    words = [c.choices[0].delta.content for c in chunks if c.choices]
    assert words == ["", "Paris: ", "64°F, ", "Tokyo: ", "75°F", None]
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    whole = client.chat.completions.create(**asked)
    assert {c.id for c in chunks} == {whole.id}
    counts = [c.usage for c in chunks if not c.choices]
    assert counts == ([whole.usage] if with_usage else [])


def test_openais_client_puts_streamed_slips_together(client):
    with client.chat.completions.stream(
        model="paris_and_tokyo", messages=QUESTION, tools=MENU
    ) as stream:
        message = stream.get_final_completion().choices[0].message
    assert [(c.id, c.function.arguments) for c in message.tool_calls] == [
        ("call_1", '{"city": "Paris"}'),
        ("call_2", '{"city": "Tokyo"}'),
    ]


def assistant(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


def test_openais_client_lists_the_models(client):
    assert [m.id for m in client.models.list()] == list(ALL_SCENARIOS)
    model = client.models.retrieve("early_stop")
    assert (model.id, model.what) == ("early_stop", FAULTS["early_stop"].what)
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nix")


@pytest.mark.parametrize(
    ("model", "messages", "kind", "code"),
    [
        ("rate_limit", QUESTION, openai.RateLimitError, "rate_limit_exceeded"),
        ("busy_server", QUESTION, openai.InternalServerError, "overloaded"),
        ("nix", QUESTION, openai.NotFoundError, "model_not_found"),
        ("refusal", [], openai.BadRequestError, "missing_messages"),
        (
            "refusal",
            [*QUESTION, assistant("no")],
            openai.BadRequestError,
            "script_exhausted",
        ),
    ],
)
def test_openais_client_raises_its_typed_errors(client, model, messages, kind, code):
    with pytest.raises(kind) as caught:
        client.chat.completions.create(model=model, messages=messages)
    assert caught.value.code == code


def test_openais_client_waits_as_it_is_told_and_tries_again(client, monkeypatch):
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    once_more = client.with_options(max_retries=1)
    assert run_the_tools(once_more, "rate_limit") == (["18", "24", "64", "75"], ANSWER)
    assert waited == [2.0]


def test_openais_client_sees_what_is_odd_in_a_reply(client):
    def first(model: str, *more: Any) -> Any:
        return client.chat.completions.create(model=model, messages=[*QUESTION, *more])

    (choice,) = first("refusal").choices
    assert choice.message.content is None
    assert choice.message.refusal == "I can't help with the weather."
    (choice,) = first("cut_reply").choices
    assert (choice.finish_reason, choice.message.tool_calls[1].function.arguments) == (
        "length",
        '{"ci',
    )
    (call,) = first("broken_json").choices[0].message.tool_calls
    assert call.function.arguments == '{"city": "Par'
    calls = first("same_id").choices[0].message.tool_calls
    assert [call.id for call in calls] == ["call_1", "call_1"]
    assert first("html_page").startswith("<!doctype html>")
    assert first("error_in_200").error["code"] == 429
    assert (
        first("empty_reply", assistant("x"), assistant("y")).choices[0].message.content
        == ""
    )


def test_openais_client_notices_a_cut_stream(client):
    asked = {
        "model": "cut_stream",
        "messages": [*QUESTION, assistant("x"), assistant("y")],
        "stream": True,
    }
    heard: list[str | None] = []

    def listen() -> None:
        for chunk in client.chat.completions.create(**asked):
            heard.append(chunk.choices[0].delta.content)

    with pytest.raises(openai.APIConnectionError):
        listen()
    assert heard == ["", "Paris: ", "64°F, "]
    listen()
    assert heard[3:] == ["", "Paris: ", "64°F, ", "Tokyo: ", "75°F", None]


def test_a_wrong_key_is_refused_and_not_repeated(any_client):
    with FakeServer(key="the-right-key") as server:
        client = any_client.with_options(base_url=server.url)
        for wrong in ("the-wrong-key", "the-right-key2", "other"):
            made = client.with_options(api_key=wrong)
            with pytest.raises(openai.AuthenticationError):
                made.chat.completions.create(model="refusal", messages=QUESTION)
            with pytest.raises(openai.AuthenticationError) as caught:
                made.models.list()
            assert caught.value.body == {
                "message": "The key is not right.",
                "type": "invalid_request_error",
                "param": None,
                "code": "invalid_api_key",
            }
        right = client.with_options(api_key="the-right-key")
        assert run_the_tools(right, "paris_and_tokyo")[1] == ANSWER
        assert fetch(f"{server.url}/models")[0] == 401
        ours = OpenAIChat("paris_and_tokyo", server.url, "the-right-key")
        assert ours.generate([UserMessage("?")]).finish_reason == "tool_calls"


@pytest.mark.parametrize("streamed", [False, True], ids=["in one piece", "as a stream"])
@pytest.mark.parametrize("scenario", ALL_SCENARIOS.values(), ids=ALL_SCENARIOS)
def test_our_agent_runs_as_it_does_without_a_socket(server, scenario, streamed):
    heard: list[str] = []
    listening = {"on_text_delta": heard.append} if streamed else {}
    model = OpenAIChat(scenario.name, server.url, next(KEYS))
    through, alone = Run(scenario, model, **listening), Run(scenario)
    assert through.end == alone.end
    assert str(through.error).replace(server.url, ADDRESS) == str(alone.error)
    folder = through.agent.memory.folder
    assert transcript(folder) == transcript(alone.agent.memory.folder)
    halves = {"cut_stream": "Paris: 64°F, ", "cut_answer": "Paris: 64°F, Tokyo: 7"}
    half = halves.get(scenario.name, "")
    texts = [m.content for m in folder if isinstance(m, AssistantMessage)]
    assert "".join(heard) == (half + "".join(texts) if streamed else "")


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (["one_by_one"] * 50, [None] * 50),
        (["rate_limit", "same_call"] * 25, [f"one-of-50-{n}" for n in range(50)]),
    ],
    ids=["one script", "two scripts, one of which fails first"],
)
def test_50_clients_at_once_do_not_hear_each_other(server, names, keys):
    together = threading.Barrier(len(names))

    def one(name: str, key: str | None) -> tuple[object, list[tuple[str, str]]]:
        together.wait()
        run = Run(ALL_SCENARIOS[name], OpenAIChat(name, server.url, key))
        return run.end, run.slips

    with ThreadPoolExecutor(len(names)) as pool:
        runs = list(pool.map(one, names, keys))
    alone = {name: Run(ALL_SCENARIOS[name]) for name in names}
    assert runs == [(alone[name].end, alone[name].slips) for name in names]


def test_a_page_may_call_with_its_key_and_with_no_header_of_its_own(server):
    url = f"{server.url}/chat/completions"
    asking = {
        "Origin": "https://page.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,x-telemetry",
    }
    status, headers, body = fetch(url, "OPTIONS", **asking)
    assert (status, body) == (204, b"")
    assert {name: headers[name] for name in CORS_HEADERS} == {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Headers": "Authorization, Content-Type",
        "Access-Control-Expose-Headers": "Retry-After",
    }
    body = json.dumps({"model": "rate_limit", "messages": QUESTION}).encode()
    status, headers, _ = fetch(url, "POST", body, Authorization=next(KEYS))
    assert (status, headers["Retry-After"]) == (429, "2")
    assert headers["Access-Control-Allow-Origin"] == "*"


def test_a_page_may_ask_before_it_has_a_key():
    with FakeServer(key="the-right-key") as server:
        status, headers, _ = fetch(f"{server.url}/models", "OPTIONS")
    assert (status, headers["Access-Control-Allow-Origin"]) == (204, "*")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1"),
        ("POST", "/chat/completions"),
        ("GET", "/v1/chat/completions"),
        ("PUT", "/v1/models"),
        ("PATCH", "/v1/models"),
        ("DELETE", "/v1/models/early_stop"),
    ],
)
def test_another_address_is_answered_with_those_that_exist(server, method, path):
    url = server.url.removesuffix("/v1") + path
    came, headers, body = fetch(url, method, None if method == "GET" else b"{}")
    assert (came, headers["Content-Type"]) == (404, "application/json")
    assert json.loads(body)["error"]["message"] == (
        f"There is no {method} {path}. "
        "There are: POST /v1/chat/completions, GET /v1/models."
    )


@pytest.mark.parametrize(
    ("path", "status"), [("models", 200), ("models/nix", 404), ("nix", 404)]
)
def test_head_gets_the_headers_of_get_and_nothing_behind_them(server, path, status):
    url = f"{server.url}/{path}"
    _, of_get, body = fetch(url)
    came, of_head, nothing = fetch(url, "HEAD")
    assert (came, nothing) == (status, b"")
    if path != "nix":  # which is quoted with the method
        assert of_head["Content-Length"] == of_get["Content-Length"] == str(len(body))


def test_several_requests_over_one_connection_are_each_answered(server):
    asks = [
        ("HEAD", "/v1/models", None),
        ("PUT", "/v1/models", BODY),
        ("OPTIONS", "/v1/models", BODY),
        ("POST", "/v1/chat/completions", BODY),
        ("POST", "/v1/chat/completions", STREAMED_BODY),
        ("GET", "/v1/models", BODY),
    ]
    line = http.client.HTTPConnection(urlsplit(server.url).netloc)
    sockets, statuses = set(), []
    for method, path, body in asks:
        line.request(method, path, body)
        sockets.add(line.sock)
        with line.getresponse() as reply:
            reply.read()
            statuses.append(reply.status)
    line.close()
    assert (statuses, len(sockets)) == ([200, 404, 204, 200, 200, 200], 1)


def test_what_stands_behind_a_question_mark_does_not_matter(server):
    assert fetch(f"{server.url}/models?limit=3")[0] == 200


@pytest.mark.parametrize("body", [b'{"model":', b"", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_is_refused(server, body):
    status, _, reply = fetch(f"{server.url}/chat/completions", "POST", body)
    assert (status, json.loads(reply)["error"]["code"]) == (400, "invalid_json")


def connected(server: FakeServer) -> socket.socket:
    parts = urlsplit(server.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=60)


def posted(body: bytes, *headers: str) -> bytes:
    """The bytes of a request for a completion; its length is told if no header is."""
    lines = headers or (f"Content-Length: {len(body)}",)
    head = "\r\n".join(["POST /v1/chat/completions HTTP/1.1", *lines, "", ""])
    return head.encode() + body


def all_that_comes(line: socket.socket) -> bytes:
    return b"".join(iter(lambda: line.recv(65536), b""))


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        (posted(b"", "Host: x"), 411, "The request has no Content-Length. Send one."),
        (
            b"PUT /v1/models HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            411,
            "The request has no Content-Length. Send one.",
        ),
        (
            posted(b"", "Content-Length: -5"),
            400,
            "The Content-Length '-5' is no number.",
        ),
        (
            posted(b"", "Content-Length: 1_0"),
            400,
            "The Content-Length '1_0' is no number.",
        ),
        *(
            (
                posted(b"", f"Content-Length: {length}"),
                413,
                "The body is too long. The longest is 33554432 bytes.",
            )
            for length in ("33554433", "9" * 18, "9" * 5000)
        ),
        (b"nonsense\r\n\r\n", 400, "Bad request syntax ('nonsense')."),
        (b"BREW / HTTP/1.1\r\n\r\n", 501, "Unsupported method ('BREW')."),
        (b"GET /".ljust(65537, b"x"), 414, f"{HTTPStatus(414).phrase}."),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_what_is_no_request_is_refused_in_the_shape_of_the_api(
    server, sent, status, message
):
    with connected(server) as line:
        line.sendall(sent)
        head, _, body = all_that_comes(line).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    expected = error(status, message, "bad_request")
    assert json.loads(body) == json.loads(expected.body())


def test_a_body_that_ends_early_is_no_json(server):
    with connected(server) as line:
        line.sendall(posted(BODY[:20], f"Content-Length: {len(BODY)}"))
        line.shutdown(socket.SHUT_WR)
        came = all_that_comes(line)
    assert came.startswith(b"HTTP/1.1 400 ")
    assert b'"code": "invalid_json"' in came


GO_AWAY_AT_ONCE = struct.pack("ii", 1, 0)  # with what is unread unread


def first_piece(line: socket.socket) -> bytes:
    """What comes up to the first piece of a stream."""
    came = b""
    while b"data: " not in came:
        came += line.recv(65536)
    return came


def threads_that_stay(before: set[threading.Thread]) -> set[threading.Thread]:
    """The threads that are new and do not end."""
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    return set(threading.enumerate()) - before


def test_clients_that_go_away_disturb_nobody(capfd):
    before = set(threading.enumerate())
    with FakeServer(Scripts(default="paris_and_tokyo"), delay=0.01) as server:
        for in_the_middle in (True, False) * 3:
            with connected(server) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, GO_AWAY_AT_ONCE)
                line.sendall(posted(STREAMED_BODY))
                if in_the_middle:
                    first_piece(line)
        run = Run(paris_and_tokyo, OpenAIChat("paris_and_tokyo", server.url))
        assert run.answer == ANSWER
    assert threads_that_stay(before) == set()
    assert capfd.readouterr() == ("", "")


def test_it_listens_on_this_machine_only(server):
    assert server.url.startswith("http://127.0.0.1:")
    assert repr(server) == f"FakeServer({server.url!r})"


def test_a_server_that_is_closed_is_gone_with_all_its_threads(any_client):
    before = set(threading.enumerate())
    server = FakeServer()
    client = any_client.with_options(base_url=server.url)
    client.models.list()  # the client keeps its connection open
    server.close()
    assert threads_that_stay(before) == set()
    with pytest.raises(openai.APIConnectionError):
        client.models.list()
    server.close()


def test_closing_ends_a_stream_that_is_on_its_way():
    before = set(threading.enumerate())
    with FakeServer(delay=600) as server, connected(server) as line:
        line.sendall(posted(STREAMED_BODY))
        came = first_piece(line)
        server.close()
        came += all_that_comes(line)
    assert (came.count(b"data: "), came.endswith(b"\r\n0\r\n\r\n")) == (1, False)
    assert threads_that_stay(before) == set()


def test_closing_lets_a_client_go_that_is_kept_waiting():
    queue, before = ReplyQueue(), set(threading.enumerate())
    with FakeServer(queue) as server, connected(server) as line:
        line.sendall(posted(BODY))
        assert queue.kept_waiting.wait(60)
        server.close()
        all_that_comes(line)
    assert threads_that_stay(before) == set()


def test_closing_does_not_wait_for_a_script_that_never_comes_back():
    busy, over, came_back = threading.Event(), threading.Event(), threading.Event()

    def never(messages: object, menu: object) -> str:
        busy.set()
        over.wait(60)
        came_back.set()
        return "Too late."

    with FakeServer(ReplyQueue(never)) as server, connected(server) as line:
        line.sendall(posted(BODY))
        assert busy.wait(60)
        server.close()
        assert (all_that_comes(line), came_back.is_set()) == (b"", False)
        over.set()


@pytest.mark.parametrize("delay", [-1, float("nan"), float("inf")])
def test_a_delay_that_nobody_can_wait_is_refused(delay):
    with pytest.raises(ValueError, match=f"The delay is {delay}. Give seconds, 0 or"):
        FakeServer(delay=delay)


def test_any_scenario_can_be_served():
    mine = replace(paris_and_tokyo, name="mine", script=lambda: ["Mild."])
    with FakeServer(Scripts([mine], default="mine")) as server:
        status, _, body = fetch(f"{server.url}/chat/completions", "POST", BODY)
    reply = json.loads(body)
    assert (status, reply["model"], reply["choices"][0]["message"]["content"]) == (
        200,
        "mine",
        "Mild.",
    )


def test_a_test_lays_out_the_replies_and_sees_what_was_asked():
    seen: list[ClientRequest] = []
    busy = error(503, "Busy.", "overloaded", retry_after=20)
    queue = ReplyQueue("Mild.", busy, models=["tiny", "small"])
    with FakeServer(queue, on_request=seen.append) as server:
        listed = json.loads(fetch(f"{server.url}/models")[2])["data"]
        fetch(f"{server.url}/models", "OPTIONS")
        url = f"{server.url}/chat/completions"
        said = json.loads(fetch(url, "POST", BODY, Authorization="Bearer k")[2])
        status, headers, body = fetch(url, "POST", BODY)
    assert [model["id"] for model in listed] == ["tiny", "small"]
    assert said["choices"][0]["message"]["content"] == "Mild."
    assert (status, headers["Retry-After"], body) == (503, "20", busy.body())
    sent = {"host", "user-agent", "accept-encoding", "connection"}
    with_body = sent | {"content-type", "content-length"}
    path = "/v1/chat/completions"
    assert seen == [
        ClientRequest("GET", "/v1/models", None, frozenset(sent), b""),
        ClientRequest("POST", path, "Bearer k", with_body | {"authorization"}, BODY),
        ClientRequest("POST", path, None, frozenset(with_body), BODY),
    ]
    assert seen[1].json() == {"messages": QUESTION}
    assert "Bearer k" not in repr(seen)


def test_a_listener_that_fails_is_heard_of(capfd):
    def fail(request: ClientRequest) -> None:
        raise KeyError("the listener's own fault")

    with (
        FakeServer(on_request=fail) as server,
        pytest.raises(http.client.RemoteDisconnected),
    ):
        fetch(f"{server.url}/models")
    assert "the listener's own fault" in capfd.readouterr().err


@contextmanager
def command(*options: str) -> Iterator[subprocess.Popen[str]]:
    """The server as a program of its own; it ends with the block."""
    started = [
        sys.executable,
        "-m",
        "mingraph_lite.lab.fake_server",
        "--port",
        "0",
        *options,
    ]
    with subprocess.Popen(
        started, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("polite", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_where_it_is_and_stops_quietly(polite):
    options = ("--scenario", "early_stop", "--key", "the-right-key", "--delay", "600")
    with command(*options) as process:
        line = process.stdout.readline()
        url = line.removeprefix("Scripted models at ").partition(" ")[0]
        address, key = f"{url}/chat/completions", "Bearer the-right-key"
        assert fetch(address, "POST", BODY)[0] == 401
        status, _, reply = fetch(address, "POST", BODY, Authorization=key)
        assert (status, json.loads(reply)["model"]) == (200, "early_stop")
        with urllib.request.urlopen(
            urllib.request.Request(address, STREAMED_BODY, {"Authorization": key})
        ) as stream:
            assert stream.readline().startswith(b"data: ")
            process.send_signal(polite)  # in the middle of a stream
            rest = process.communicate(timeout=60)
            with pytest.raises(http.client.IncompleteRead):
                stream.read()
    with FakeServer(port=urlsplit(url).port) as next_one:
        assert next_one.url == url
    assert line == f"Scripted models at {url} (Ctrl-C stops it)\n"
    assert (process.returncode, rest) == (0, ("", ""))


@pytest.mark.parametrize("port", ["taken", "70000"])
def test_a_port_that_cannot_be_used_is_named(server, monkeypatch, port):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    port = str(urlsplit(server.url).port) if port == "taken" else port
    with pytest.raises(SystemExit) as caught:
        main(["--port", port])
    message = str(caught.value.code)
    assert message.startswith(f"Port {port} cannot be used: ")
    assert message.endswith(". Give another with --port; --port 0 takes a free one.")


def test_a_delay_that_the_command_cannot_use_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(SystemExit, match=r"^The delay is -1\.0\."):
        main(["--port", "0", "--delay", "-1"])


def test_a_scenario_that_is_not_there_is_answered_with_those_that_are(capsys):
    with pytest.raises(SystemExit):
        main(["--scenario", "nix"])
    told = capsys.readouterr().err
    assert "invalid choice: 'nix'" in told
    assert "paris_and_tokyo" in told


def test_a_client_that_stays_keeps_no_program_from_ending():
    program = (
        "import socket\n"
        "from mingraph_lite.lab.fake_server import FakeServer\n"
        "port = int(FakeServer().url.split(':')[2].split('/')[0])\n"
        "line = socket.create_connection(('127.0.0.1', port))\n"
        "line.sendall(b'GET /v1/models HTTP/1.1\\r\\n\\r\\n')\n"
        "print(line.recv(12).decode())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "HTTP/1.1 200\n", "")


def test_whoever_finds_the_queue_empty_waits_until_let_go():
    queue = ReplyQueue()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, queue, *QUESTION)
        assert queue.kept_waiting.wait(60)
        queue.add("Late.")  # for the next to ask, or for whoever is let go
        assert not first.done()
        queue.let_go()
        assert content(first.result(60)) == "Late."
    assert error_in(ask(queue, *QUESTION)) == (
        503,
        "queue_empty",
        "The queue holds no reply. Add one before you ask.",
    )


def test_who_reads_the_beginning_of_the_list_only_sees_no_traceback():
    started = [sys.executable, "-m", "mingraph_lite.lab.fake_server", "--like", "list"]
    with subprocess.Popen(
        started, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as listing:
        listing.stdout.close()  # before the command has imported what it prints
        assert (listing.stderr.read(), listing.wait()) == ("", 0)
