"""The official clients agree with the played servers, as far as they go."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import ollama
import openai
import pytest

from mingraph_lite.lab.fake_server import FakeServer
from mingraph_lite.lab.habits import SERVERS
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.lab.shapes import THOUGHT
from tests.lab.runs import ANSWER

QUESTION: list[Any] = [{"role": "user", "content": paris_and_tokyo.question}]
ANSWERED: list[Any] = [*QUESTION, *[{"role": "assistant", "content": "…"}] * 2]
MENU: Any = [json.loads(json.dumps(e)) for e in paris_and_tokyo.registry().menu()]
# Gemini takes no such words, and OpenAI's own client takes none off.
PLAIN_MENU: Any = [
    {
        **tool,
        "function": {
            **tool["function"],
            "parameters": {
                key: value
                for key, value in tool["function"]["parameters"].items()
                if key != "additionalProperties"
            },
        },
    }
    for tool in MENU
]
TOOLS = {tool.__name__: tool for tool in paris_and_tokyo.tools}
KEYS = (f"a-key-of-a-client-{number}" for number in count(1))


def made(server: FakeServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key=next(KEYS), max_retries=0)


@pytest.fixture
def native() -> Iterator[ollama.Client]:
    with (
        FakeServer(like="ollama") as server,
        ollama.Client(host=server.host) as client,
    ):
        yield client


@pytest.mark.parametrize("name", SERVERS)
def test_openais_client_runs_the_scenario_on_each_server(name: str) -> None:
    messages, results = list(QUESTION), []
    with FakeServer(like=name) as server, made(server) as client:
        while True:
            reply = client.chat.completions.create(
                model="paris_and_tokyo", messages=messages, tools=PLAIN_MENU
            )
            message = reply.choices[0].message
            if not message.tool_calls:
                break
            # What came beside a call goes back too: the client keeps it.
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                tool = TOOLS[call.function.name]
                results.append(tool(**json.loads(call.function.arguments)))
                answer = {"tool_call_id": call.id, "content": str(results[-1])}
                messages.append({"role": "tool", **answer})
    assert (results, message.content) == (["18", "24", 64, 75], ANSWER)


@pytest.mark.parametrize("name", SERVERS)
def test_openais_client_reads_the_answer_from_each_stream(name: str) -> None:
    with FakeServer(like=name) as server, made(server) as client:
        chunks = list(
            client.chat.completions.create(
                model="paris_and_tokyo", messages=ANSWERED, stream=True
            )
        )
    texts = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(texts) == ANSWER


# Where all calls have index 0, this client joins them to one: that is the habit.
@pytest.mark.parametrize("name", [name for name in SERVERS if name != "ollama"])
def test_openais_client_puts_the_calls_of_each_stream_together(name: str) -> None:
    with (
        FakeServer(like=name) as server,
        made(server) as client,
        client.chat.completions.stream(
            model="paris_and_tokyo", messages=QUESTION, tools=PLAIN_MENU
        ) as stream,
    ):
        message = stream.get_final_completion().choices[0].message
    assert [c.function.arguments for c in message.tool_calls or ()] == [
        '{"city": "Paris"}',
        '{"city": "Tokyo"}',
    ]


@pytest.mark.parametrize(
    ("name", "model", "kind", "words"),
    [
        ("groq", "rate_limited", openai.RateLimitError, "Please try again in 7.66s"),
        ("groq", "tool_use_failed", openai.BadRequestError, "failed_generation"),
        ("mistral", "nobody", openai.BadRequestError, "Invalid model: nobody"),
        ("gemini", "quota", openai.RateLimitError, "retryDelay"),
        ("deepseek", "no_balance", openai.APIStatusError, "Insufficient Balance"),
        ("azure", "filters_the_prompt", openai.BadRequestError, "content_filter"),
        ("vllm", "prompt_too_long", openai.BadRequestError, "6616 tokens"),
        ("lmstudio", "broken_template", openai.BadRequestError, "jinja template"),
        ("ollama", "no_tools", openai.BadRequestError, "does not support tools"),
    ],
)
def test_openais_client_raises_its_typed_errors(
    name: str, model: str, kind: type[openai.APIStatusError], words: str
) -> None:
    with (
        FakeServer(like=name) as server,
        made(server) as client,
        pytest.raises(kind) as caught,
    ):
        client.chat.completions.create(model=model, messages=QUESTION, tools=PLAIN_MENU)
    assert words in caught.value.response.text


def test_openais_client_for_azure_finds_its_deployment() -> None:
    with (
        FakeServer(like="azure") as server,
        openai.AzureOpenAI(
            azure_endpoint=server.host,
            azure_deployment="paris_and_tokyo",
            api_version="2024-10-21",
            api_key=next(KEYS),
            max_retries=0,
        ) as client,
    ):
        reply = client.chat.completions.create(model="any", messages=ANSWERED)
    assert reply.choices[0].message.content == ANSWER


@pytest.mark.parametrize("streamed", [False, True], ids=["in one piece", "as a stream"])
def test_ollamas_client_runs_the_scenario(
    native: ollama.Client, streamed: bool
) -> None:
    messages, results = list(QUESTION), []
    while True:
        sent = native.chat(
            "paris_and_tokyo", messages=messages, tools=MENU, stream=streamed
        )
        pieces = [p.message for p in sent] if streamed else [sent.message]
        calls = [call for piece in pieces for call in piece.tool_calls or ()]
        text = "".join(piece.content or "" for piece in pieces)
        if not calls:
            break
        messages.append({"role": "assistant", "content": text, "tool_calls": calls})
        for call in calls:
            name, arguments = call.function.name, call.function.arguments
            results.append(TOOLS[name](**arguments))
            result = {"tool_name": name, "content": str(results[-1])}
            messages.append({"role": "tool", **result})
    assert (results, text) == (["18", "24", 64, 75], ANSWER)


def test_ollamas_client_gets_whole_objects(native: ollama.Client) -> None:
    reply = native.chat("thinks", messages=QUESTION, tools=MENU, think=True)
    assert (reply.model, reply.done, reply.done_reason) == ("thinks", True, "stop")
    assert reply.message.thinking == THOUGHT
    assert (reply.prompt_eval_count or 0) > 0
    assert (reply.eval_count or 0) > 0
    assert [
        (c.function.name, dict(c.function.arguments))
        for c in reply.message.tool_calls or ()
    ] == [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Tokyo"})]


def test_ollamas_client_lists_the_models(native: ollama.Client) -> None:
    names = [model.model for model in native.list().models]
    assert {"paris_and_tokyo", "no_tools"} <= {*names}


@pytest.mark.parametrize(
    ("model", "status", "words"),
    [
        ("no_tools", 400, "registry.ollama.ai/library/no_tools does not support tools"),
        ("nobody", 404, "model 'nobody' not found"),
        (
            "unreadable_call",
            500,
            "error parsing tool call: raw='{\"city\": ', err=unexpected end of JSON "
            "input",
        ),
    ],
)
def test_ollamas_client_raises_what_its_server_says(
    native: ollama.Client, model: str, status: int, words: str
) -> None:
    with pytest.raises(ollama.ResponseError) as caught:
        native.chat(model, messages=QUESTION, tools=MENU)
    assert (caught.value.status_code, caught.value.error) == (status, words)


def test_ollamas_client_hears_of_an_error_in_the_middle_of_a_stream(
    native: ollama.Client,
) -> None:
    heard: list[str | None] = []

    def listen() -> None:
        for piece in native.chat("stops_halfway", messages=QUESTION, stream=True):
            heard.append(piece.message.content)

    with pytest.raises(ollama.ResponseError) as caught:
        listen()
    assert heard == ["Paris: 6"]
    assert caught.value.error == "an error was encountered while running the model"
