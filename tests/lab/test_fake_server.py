"""The endpoint on a real socket, for OpenAI's own client and for our adapter."""

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
from pathlib import Path
from typing import Any

import openai
import pytest

from mingraph_lite import Agent
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.lab.fake_server import EVERYTHING, FOR_PAGES, Server, main, serve
from mingraph_lite.lab.faults import FAULTS
from mingraph_lite.lab.scenarios import SCENARIOS, Scenario, paris_and_tokyo
from mingraph_lite.lab.wire import ADDRESS
from mingraph_lite.llm import LLM
from mingraph_lite.messages import AssistantMessage, UserMessage, transcript
from mingraph_lite.recovery import Retries
from tests.lab.test_faults import ANSWER

ROOT = Path(__file__).parents[1]
QUESTION: list[Any] = [{"role": "user", "content": paris_and_tokyo.question}]
MENU: Any = [json.loads(json.dumps(e)) for e in paris_and_tokyo.registry().menu()]


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=server.url, api_key="any", max_retries=0) as made:
        yield made


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
    tools = {f.__name__: f for f in EVERYTHING[model].tools}
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
    asked = {"model": "paris_and_tokyo", "messages": [*QUESTION, *[said("x")] * 2]}
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


def said(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


def test_openais_client_lists_the_models(client):
    assert [m.id for m in client.models.list()] == list(EVERYTHING)
    assert list(EVERYTHING) == [*SCENARIOS, *FAULTS]
    model = client.models.retrieve("early_stop")
    assert (model.id, model.what) == ("early_stop", FAULTS["early_stop"].what)
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nix")


@pytest.mark.parametrize(
    ("model", "messages", "kind", "words"),
    [
        ("rate_limit", QUESTION, openai.RateLimitError, "Too many requests."),
        ("busy_server", QUESTION, openai.InternalServerError, "No free worker."),
        ("nix", QUESTION, openai.NotFoundError, "No model is named 'nix'. There are"),
        ("paris_and_tokyo", [], openai.BadRequestError, 'needs "messages"'),
        (
            "refusal",
            [*QUESTION, said("no")],
            openai.BadRequestError,
            "The script of refusal ends after 1 replies",
        ),
    ],
)
def test_openais_client_raises_its_typed_errors(client, model, messages, kind, words):
    with pytest.raises(kind) as caught:
        client.chat.completions.create(model=model, messages=messages)
    assert words in caught.value.body["message"]
    assert caught.value.body["type"] in {"invalid_request_error", "server_error"}


def test_openais_client_waits_as_it_is_told_and_tries_again(server, monkeypatch):
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    with openai.OpenAI(base_url=server.url, api_key="any", max_retries=1) as client:
        assert run_the_tools(client, "rate_limit") == (["18", "24", "64", "75"], ANSWER)
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
    assert first("empty_reply", said("x"), said("y")).choices[0].message.content == ""


def test_openais_client_notices_a_cut_stream(client):
    asked = {
        "model": "cut_stream",
        "messages": [*QUESTION, said("x"), said("y")],
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


def test_a_wrong_key_is_refused_and_not_repeated():
    with serve(key="the-right-key") as server:

        def client(key: str) -> openai.OpenAI:
            return openai.OpenAI(base_url=server.url, api_key=key, max_retries=0)

        for wrong in ("the-wrong-key", "the-right-key2", "schlüssel".encode().hex()):
            with client(wrong) as made:
                with pytest.raises(openai.AuthenticationError) as caught:
                    made.chat.completions.create(model="refusal", messages=QUESTION)
                with pytest.raises(openai.AuthenticationError):
                    made.models.list()
            assert caught.value.body == {
                "message": "The key is not right.",
                "type": "invalid_request_error",
                "param": None,
                "code": "invalid_api_key",
            }
        with client("the-right-key") as made:
            assert run_the_tools(made, "paris_and_tokyo")[1] == ANSWER
        assert fetch(f"{server.url}/models")[0] == 401
        ours = OpenAIChat("paris_and_tokyo", server.url, "the-right-key")
        assert ours.generate([UserMessage("?")]).finish_reason == "tool_calls"


def run(scenario: Scenario, llm: LLM, **options: Any) -> tuple[Any, list[float], Agent]:
    """How a run ends, how long it waited in vain, and its agent."""
    waits: list[float] = []
    retries = Retries(sleep=waits.append, chance=lambda: 0.0)
    agent = scenario.agent(llm, retries=retries, max_steps=12, **options)
    try:
        end: Any = agent.run(scenario.question)
    except Exception as error:
        end = (type(error), str(error))
    return end, waits, agent


@pytest.mark.parametrize("streamed", [False, True], ids=["in one piece", "as a stream"])
@pytest.mark.parametrize("scenario", EVERYTHING.values(), ids=list(EVERYTHING))
def test_our_agent_runs_as_it_does_without_a_socket(server, scenario, streamed):
    def listen(piece: str) -> None:
        heard.append(piece)

    heard: list[str] = []
    listener = listen if streamed else None
    model = OpenAIChat(scenario.name, server.url)
    end, waits, agent = run(scenario, model, on_text_delta=listener)
    expected, expected_waits, alone = run(scenario, scenario.llm())
    if isinstance(end, tuple):
        end = (end[0], end[1].replace(server.url, ADDRESS))
    assert (end, waits) == (expected, expected_waits)
    assert transcript(agent.memory.folder) == transcript(alone.memory.folder)
    half = "Paris: 64°F, " if scenario.name == "cut_stream" else ""
    said = [m.content for m in agent.memory.folder if isinstance(m, AssistantMessage)]
    assert "".join(heard) == (half + "".join(said) if streamed else "")


@pytest.mark.parametrize("scenario", EVERYTHING.values(), ids=list(EVERYTHING))
def test_an_agent_whose_model_knows_no_tools_comes_to_the_same_end(server, scenario):
    model = OpenAIChat(scenario.name, server.url, tools_as="json")
    end, waits, _ = run(scenario, model)
    expected, expected_waits, _ = run(scenario, scenario.llm())
    if isinstance(end, tuple):
        end, expected = end[0], expected[0]
    assert (end, waits) == (expected, expected_waits)


def test_two_clients_at_once_do_not_hear_each_other(server):
    names = ["paris_and_tokyo", "one_by_one", "rate_limit", "same_call"] * 5
    together = threading.Barrier(4)

    def one(number: int, name: str) -> object:
        together.wait()
        model = OpenAIChat(name, server.url, api_key=f"client-{number}")
        return run(EVERYTHING[name], model)[:2]

    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(one, range(len(names)), names))
    waits = {"rate_limit": [2.0]}
    assert ends == [({"answer": ANSWER}, waits.get(name, [])) for name in names]


def test_a_page_may_call_with_its_key(server):
    url = f"{server.url}/chat/completions"
    asking = {
        "Origin": "https://page.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    status, headers, body = fetch(url, "OPTIONS", **asking)
    assert (status, body) == (204, b"")
    assert {name: headers[name] for name in FOR_PAGES} == {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Headers": "Authorization, Content-Type",
        "Access-Control-Expose-Headers": "Retry-After",
    }
    body = json.dumps({"model": "rate_limit", "messages": QUESTION}).encode()
    status, headers, _ = fetch(url, "POST", body, Origin="https://page.example")
    assert (status, headers["Retry-After"]) == (429, "2")
    assert headers["Access-Control-Allow-Origin"] == "*"


def test_a_page_may_ask_before_it_has_a_key():
    with serve(key="the-right-key") as server:
        status, headers, _ = fetch(f"{server.url}/models", "OPTIONS")
    assert (status, headers["Access-Control-Allow-Origin"]) == (204, "*")


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/v1", 404, "There is no GET /v1. There are: POST /v1/chat/comple"),
        ("POST", "/chat/completions", 404, "There is no POST /chat/completions."),
        ("GET", "/v1/chat/completions", 404, "There is no GET /v1/chat/completions."),
        ("PUT", "/v1/models", 501, "Unsupported method ('PUT')."),
    ],
)
def test_another_address_is_answered_with_those_that_exist(
    server, method, path, status, words
):
    url = server.url.removesuffix("/v1") + path
    came, headers, body = fetch(url, method, b"{}" if method == "POST" else None)
    assert (came, headers["Content-Type"]) == (status, "application/json")
    assert json.loads(body)["error"]["message"].startswith(words)


def test_what_stands_behind_a_question_mark_does_not_matter(server):
    assert fetch(f"{server.url}/models?limit=3")[0] == 200


def test_a_body_that_is_no_json_is_refused(server):
    status, _, body = fetch(f"{server.url}/chat/completions", "POST", b'{"model":')
    assert (status, json.loads(body)["error"]["code"]) == (400, "invalid_json")


def connected(server: Server) -> socket.socket:
    port = int(server.url.split(":")[2].split("/")[0])
    return socket.create_connection(("127.0.0.1", port))


def streamed_body() -> bytes:
    return json.dumps({"messages": QUESTION, "stream": True}).encode()


def streamed() -> bytes:
    """The bytes of a request for a stream."""
    body = streamed_body()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n\r\n", b"411"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /".ljust(65537, b"x"), b"414"),
    ],
)
def test_what_is_no_request_is_refused_in_the_shape_of_the_api(server, sent, status):
    with connected(server) as line:
        line.sendall(sent)
        came = b"".join(iter(lambda: line.recv(65536), b""))
    head, _, body = came.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 " + status)
    assert json.loads(body)["error"]["code"] == "bad_request"


def test_a_client_that_goes_away_disturbs_nobody(server, capfd):
    reset = struct.pack("ii", 1, 0)  # close at once, with what is unread unread
    for _ in range(5):
        with connected(server) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            line.sendall(streamed())
    assert run(paris_and_tokyo, OpenAIChat("paris_and_tokyo", server.url))[0] == {
        "answer": ANSWER
    }
    server.close()
    assert capfd.readouterr() == ("", "")


def test_it_listens_on_this_machine_only(server):
    assert server.url.startswith("http://127.0.0.1:")
    assert repr(server) == f"Server({server.url!r})"


def test_a_server_that_is_closed_is_gone_with_all_its_threads():
    before = set(threading.enumerate())
    server = serve()
    with openai.OpenAI(base_url=server.url, api_key="any", max_retries=0) as client:
        client.models.list()  # the client keeps its connection open
        server.close()
        assert set(threading.enumerate()) == before
        with pytest.raises(openai.APIConnectionError):
            client.models.list()
    server.close()


def test_closing_ends_a_stream_that_is_on_its_way():
    with serve(delay=600) as server, connected(server) as line:
        line.sendall(streamed())
        came = b""
        while b"data: " not in came:
            came += line.recv(65536)
        server.close()
        came += b"".join(iter(lambda: line.recv(65536), b""))
    assert (came.count(b"data: "), came.endswith(b"\r\n0\r\n\r\n")) == (1, False)


def test_any_scenario_can_be_served():
    mine = replace(paris_and_tokyo, name="mine", script=lambda: ["Mild."])
    with serve([mine], default="mine") as server:
        body = json.dumps({"messages": QUESTION}).encode()
        status, _, reply = fetch(f"{server.url}/chat/completions", "POST", body)
    said = json.loads(reply)
    assert (status, said["model"], said["choices"][0]["message"]["content"]) == (
        200,
        "mine",
        "Mild.",
    )


@contextmanager
def command(*options: str) -> Iterator[subprocess.Popen[str]]:
    """The endpoint as a program of its own; it ends with the block."""
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
        body = json.dumps({"messages": QUESTION}).encode()
        assert fetch(address, "POST", body)[0] == 401
        status, _, reply = fetch(address, "POST", body, Authorization=key)
        assert (status, json.loads(reply)["model"]) == (200, "early_stop")
        with urllib.request.urlopen(
            urllib.request.Request(address, streamed_body(), {"Authorization": key})
        ) as stream:
            assert stream.readline().startswith(b"data: ")
            process.send_signal(polite)  # in the middle of a stream
            rest = process.communicate(timeout=60)
            with pytest.raises(http.client.IncompleteRead):
                stream.read()
    assert line == f"Scripted models at {url} (Ctrl-C stops it)\n"
    assert (process.returncode, rest) == (0, ("", ""))


def test_a_port_that_is_taken_is_named(server, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    port = server.url.split(":")[2].split("/")[0]
    for taken in (port, "70000"):
        with pytest.raises(
            SystemExit, match=f"Port {taken} cannot be used: .*--port 0"
        ):
            main(["--port", taken])


def test_a_scenario_that_is_not_there_is_answered_with_those_that_are(capsys):
    with pytest.raises(SystemExit):
        main(["--scenario", "nix"])
    said = capsys.readouterr().err
    assert "invalid choice: 'nix'" in said
    assert "paris_and_tokyo" in said


def test_a_client_that_stays_keeps_no_program_from_ending():
    program = (
        "import socket\n"
        "from mingraph_lite.lab.fake_server import serve\n"
        "port = int(serve().url.split(':')[2].split('/')[0])\n"
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
