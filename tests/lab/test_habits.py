"""Each habit of each played server: it shows, and an agent gets past it or says why."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.fake_server import FakeServer, main
from mingraph_lite.lab.habit import OLLAMA_CHAT, Habit, Server
from mingraph_lite.lab.habits import SERVERS, example_of
from mingraph_lite.lab.played import PlayedServer
from mingraph_lite.lab.reply_source import ReplyQueue
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.lab.wire import ServerReply
from mingraph_lite.messages import UserMessage
from tests.lab.runs import ANSWER, Run

ROWS = [(server, habit) for server in SERVERS.values() for habit in server.habits]
EACH = pytest.mark.parametrize(
    ("server", "habit"), ROWS, ids=[f"{s.name}-{h.name}" for s, h in ROWS]
)
STREAMED = pytest.mark.parametrize(
    "streamed", [False, True], ids=["in one piece", "as a stream"]
)
KEYS = (f"a-key-of-one-run-{number}" for number in count(1))
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+#\d+")


@pytest.fixture(scope="module")
def hosts() -> Iterator[dict[str, FakeServer]]:
    """Give each server that can be played, on a socket of its own."""
    with ExitStack() as running:
        yield {name: running.enter_context(FakeServer(like=name)) for name in SERVERS}


def post(url: str, body: dict[str, Any], **headers: str) -> tuple[int, str]:
    """The status, and headers and body in one text, of a plain request."""
    sent = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, json.dumps(body).encode(), sent)
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, f"{reply.headers}{reply.read().decode()}"
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.status, f"{refused.headers}{refused.read().decode()}"


def told(reply: ServerReply) -> str:
    return f"{dict(reply.headers)}{reply.body().decode()}"


def shown(habit: Habit, told: str) -> bool:
    """Whether the sign of a habit stands in a reply, however its JSON is spaced."""
    return habit.sign.replace(" ", "") in told.replace(" ", "")


@EACH
def test_a_plain_client_sees_each_habit_on_the_request_that_shows_it(
    hosts: dict[str, FakeServer], server: Server, habit: Habit
) -> None:
    asked = example_of(server, habit)
    assert habit.shows_in(asked)
    url = f"{hosts[server.name].host}{asked.path}"
    url += f"?{asked.query}" if asked.query else ""

    assert shown(habit, post(url, asked.body, Authorization=next(KEYS))[1])


@EACH
def test_it_is_the_habit_that_one_sees(server: Server, habit: Habit) -> None:
    asked = example_of(server, habit)
    body, others = json.dumps(asked.body).encode(), ()
    with_it = PlayedServer(server.name, habits=[habit]).reply(
        body, asked.path, asked.query
    )
    without = PlayedServer(server.name, habits=others)
    if habit.script is not None:  # its model is there without it, and says the script
        without = PlayedServer(server.name, ReplyQueue("Mild."), habits=others)

    assert shown(habit, told(with_it))
    assert not shown(habit, told(without.reply(body, asked.path, asked.query)))


@EACH
def test_a_source_is_a_report_or_a_page(server: Server, habit: Habit) -> None:
    for source in habit.source.split("; "):
        a_page = any(part in source for part in (" docs, ", " API docs, "))
        assert a_page or REPOSITORY.fullmatch(source), source


def ended(run: Run) -> object:
    """The answer, or the kind of the error."""
    return run.answer if run.error is None else type(run.error)


def is_right(run: Run, ends: Any) -> bool:
    """Whether a run came to the answer, or to the error that the row states."""
    if ends is None:
        return ended(run) == ANSWER
    return isinstance(run.error, ends)


def openai_run(
    host: FakeServer, habit: Habit, *, streamed: bool, as_json: bool, **options: Any
) -> Run:
    base = host.url
    if habit.path and habit.path != OLLAMA_CHAT:
        path, mark, query = habit.path.partition("?")
        base = f"{host.host}{path.removesuffix('/chat/completions')}{mark}{query}"
    if habit.path == "/chat/completions":
        base = f"{host.host}/v2"  # an address without a path gets the usual one
    if "max_tokens" in habit.example:
        options["max_tokens"] = habit.example["max_tokens"]
    model = OpenAIChat(
        habit.model,
        base,
        None if habit.path.startswith("/openai") else next(KEYS),
        tools_as="json" if as_json else "native",
        **options,
    )
    listening = {"on_text_delta": lambda _: None} if streamed else {}
    return Run(paris_and_tokyo, model, **listening)


@pytest.mark.parametrize("as_json", [False, True], ids=["native", "json"])
@STREAMED
@EACH
def test_an_agent_gets_to_the_end_that_the_row_states(
    hosts: dict[str, FakeServer],
    server: Server,
    habit: Habit,
    streamed: bool,
    as_json: bool,
) -> None:
    run = openai_run(hosts[server.name], habit, streamed=streamed, as_json=as_json)
    differs = as_json and habit.ends_as_json != "the same"
    ends = habit.ends_as_json if differs else habit.ends
    if habit.path == OLLAMA_CHAT:
        ends = None if habit.ends is None else ends

    assert is_right(run, ends), repr(run.error or run.answer)


HELPED = [row for row in ROWS if row[1].helped_by]


@STREAMED
@pytest.mark.parametrize(
    ("server", "habit"), HELPED, ids=[f"{s.name}-{h.name}" for s, h in HELPED]
)
def test_with_the_option_that_helps_the_agent_comes_to_the_answer(
    hosts: dict[str, FakeServer], server: Server, habit: Habit, streamed: bool
) -> None:
    options = dict(habit.helped_by)
    run = openai_run(
        hosts[server.name], habit, streamed=streamed, as_json=False, **options
    )
    assert ended(run) == ANSWER, repr(run.error)


@STREAMED
@pytest.mark.parametrize("habit", SERVERS["ollama"].habits, ids=lambda h: h.name)
def test_an_agent_on_ollamas_own_api_gets_to_that_end_too(
    hosts: dict[str, FakeServer], habit: Habit, streamed: bool
) -> None:
    model = OllamaChat(habit.model, hosts["ollama"].host)
    listening = {"on_text_delta": lambda _: None} if streamed else {}
    run = Run(paris_and_tokyo, model, **listening)

    assert is_right(run, habit.ends), repr(run.error or run.answer)


@pytest.mark.parametrize("name", SERVERS)
def test_a_played_server_lists_its_models(
    hosts: dict[str, FakeServer], name: str
) -> None:
    with urllib.request.urlopen(f"{hosts[name].url}/models") as reply:
        listed = [model["id"] for model in json.load(reply)["data"]]
    by_name = [habit.name for habit in SERVERS[name].habits if habit.is_model]
    assert listed[:1] == ["paris_and_tokyo"]
    assert [model for model in listed if model in by_name] == by_name


# A client cuts what it quotes: what this server alone knows is seen all the same.
@pytest.mark.parametrize("name", SERVERS)
def test_who_asks_a_played_server_for_another_model_is_told_its_own(
    hosts: dict[str, FakeServer], name: str
) -> None:
    own = [habit.name for habit in SERVERS[name].habits if habit.is_model]
    key = {"api-key": "a-key"} if name == "azure" else None
    model = OpenAIChat("weather", hosts[name].url, headers=key)
    with pytest.raises(ModelError) as caught:
        model.generate([UserMessage("?")])
    assert f"There are: {', '.join(own)[:100]}" in str(caught.value)


# Right: a fault of the deck is the same one at each server, in that server's shape.
@pytest.mark.parametrize("name", SERVERS)
@pytest.mark.parametrize("tools_as", ["native", "json"])
def test_a_busy_server_is_asked_again_whoever_is_played(
    hosts: dict[str, FakeServer], name: str, tools_as: Any
) -> None:
    headers = {"api-key": "a-key"} if name == "azure" else None
    model = OpenAIChat(
        "busy_server", hosts[name].url, headers=headers, tools_as=tools_as
    )
    with pytest.raises(ModelError, match=r"503 .*may succeed later") as caught:
        model.generate([UserMessage("?")])
    assert caught.value.retryable


# Right: a reply that was cut off says so, also where calls end in "stop".
@pytest.mark.parametrize("name", SERVERS)
def test_no_call_of_a_cut_reply_is_run_whoever_is_played(
    hosts: dict[str, FakeServer], name: str
) -> None:
    headers = {"api-key": "a-key"} if name == "azure" else None
    model = OpenAIChat("cut_reply", hosts[name].url, headers=headers)
    heard: list[str] = []
    try:
        reply = model.generate([UserMessage("?")], on_text_delta=heard.append)
    except ModelError:  # what it does not want is left out from then on
        reply = model.generate([UserMessage("?")], on_text_delta=heard.append)
    assert reply.finish_reason == "length"
    assert {call.problem is None for call in reply.message.tool_calls} == {False}


def test_ollamas_own_api_lists_them_too(hosts: dict[str, FakeServer]) -> None:
    with urllib.request.urlopen(f"{hosts['ollama'].host}/api/tags") as reply:
        names = [model["name"] for model in json.load(reply)["models"]]
    assert {"paris_and_tokyo", "no_tools", "thinks"} <= {*names}


def test_ollamas_own_api_streams_where_nobody_said_that_it_should_not(
    hosts: dict[str, FakeServer],
) -> None:
    body = {"model": "paris_and_tokyo", "messages": [{"role": "user", "content": "?"}]}
    url = f"{hosts['ollama'].host}{OLLAMA_CHAT}"
    assert "application/x-ndjson" in post(url, body)[1]
    assert "application/json" in post(url, {**body, "stream": False})[1]


def test_ollamas_own_api_knows_actions_by_the_form_that_is_asked_for() -> None:
    body = {
        "model": "paris_and_tokyo",
        "messages": [{"role": "user", "content": "?"}],
        "format": {"type": "object"},
        "stream": False,
    }
    reply = PlayedServer("ollama").reply(json.dumps(body).encode(), OLLAMA_CHAT)
    assert json.loads(reply.body())["message"] == {
        "role": "assistant",
        "content": '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("groq", {"error": {"message": "…", "type": "invalid_request_error"}}),
        ("gemini", [{"error": {"code": 400, "message": "…"}}]),
        ("lmstudio", {"error": "…"}),
        ("vllm", {"object": "error", "message": "…"}),
    ],
)
def test_what_the_lab_itself_has_to_tell_comes_in_the_shape_of_the_server(
    name: str, expected: Any
) -> None:
    over = {
        "model": "paris_and_tokyo",
        "messages": [
            {"role": "user", "content": "?"},
            *[{"role": "assistant", "content": "…"}] * 9,
        ],
    }
    reply = PlayedServer(name, habits=()).reply(json.dumps(over).encode())
    error = json.loads(reply.body())
    words = "The script of paris_and_tokyo is over. A new question begins it anew."

    def holds(shape: Any, value: Any) -> bool:
        if isinstance(shape, dict):
            return all(holds(each, value[key]) for key, each in shape.items())
        if isinstance(shape, list):
            return all(map(holds, shape, value))
        return value == (words if shape == "…" else shape)

    assert reply.status == 400
    assert holds(expected, error), error


def test_a_played_server_needs_no_socket() -> None:
    played = PlayedServer("groq")
    model = OpenAIChat("thinks", played.base_url, transport=played.transport)
    reply = model.generate([UserMessage(paris_and_tokyo.question)])
    assert [call.name for call in reply.message.tool_calls] == ["get_weather"] * 2


def test_a_queue_of_replies_can_be_sent_as_another_server_would() -> None:
    with FakeServer(ReplyQueue("Mild."), like="deepseek") as server:
        model = OpenAIChat("tiny", server.url)
        assert model.generate([UserMessage("?")]).message.content == "Mild."


def test_a_key_is_taken_in_azures_own_header_too() -> None:
    with FakeServer(like="azure", key="the-right-key") as server:
        url = f"{server.url}/chat/completions"
        body = {"model": "paris_and_tokyo", "messages": [{"role": "user"}]}
        assert post(url, body)[0] == 401
        assert post(url, body, **{"api-key": "the-right-key"})[0] == 200
        assert post(url, body, Authorization="Bearer the-right-key")[0] == 200


def test_the_command_tells_the_servers_and_their_habits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["--like", "list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines if line[0] != " "] == [*SERVERS]
    assert len(lines) == len(SERVERS) + len(ROWS)


def test_a_server_that_cannot_be_played_is_answered_with_those_that_can() -> None:
    sentence = (
        "No server named 'nix' can be played. There are: groq, mistral, gemini, "
        "deepseek, azure, openai, openrouter, vllm, lmstudio, ollama."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        FakeServer(like="nix")
    with pytest.raises(SystemExit) as caught:
        main(["--like", "nix", "--port", "0"])
    assert caught.value.code == sentence
