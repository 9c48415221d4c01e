"""An action that was begun and never closed is asked for again."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite import Agent
from mingraph_lite.errors import ModelError, ModelRefused, ReplyCutOff
from mingraph_lite.messages import AssistantMessage, UserMessage, problems
from mingraph_lite.observers import Recorder
from mingraph_lite.recovery import Retries
from tests.adapters.models import openai, read_as_action
from tests.adapters.wire import completion, in_turn, streaming
from tests.lines import grows_with_its_input

HALVES = [
    '{"answer": "The capital of Norw',
    '{"answer": "a } b',
    '{"answer": {"city": "Oslo"}',
    '{"answer":',
    '{"answer',
    "{",
    '```json\n{"answer": "The capital',
    '```json\n{"answer": "The capital\n```',
    'Sure! {"answer": "The capital',
    '{"thought": "easy", "answer": "The capital',
    '{"tool": "purge", "arguments": {"sc',
    "{'answer': 'The capital",
    '[{"answer": "Oslo"}',
]


def ping() -> str:
    return "pong"


def asking_in_json(*replies: Any) -> tuple[Agent, Recorder]:
    recorder = Recorder()
    model = openai(in_turn(*replies), tools_as="json")
    retries = Retries(sleep=lambda _: None)
    return Agent(model, [ping], "", observers=[recorder], retries=retries), recorder


# H12. Right: half an answer is none, whatever the server says; it is asked for again.
@pytest.mark.parametrize("reason", ["stop", None, "eos"])
@pytest.mark.parametrize("half", HALVES)
def test_H12_half_an_action_is_asked_for_again(half: str, reason: str | None) -> None:
    cut = completion({"content": half}, reason)
    agent, recorder = asking_in_json(cut, completion({"content": '{"answer": "Oslo"}'}))
    assert agent.run("?") == {"answer": "Oslo"}
    assert recorder.names().count("retry") == 1
    assert agent.memory.folder == [UserMessage("?"), AssistantMessage("Oslo")]


def test_H12_half_an_action_each_time_is_an_error_that_tells_it() -> None:
    agent, _ = asking_in_json(*[completion({"content": HALVES[0]})] * 3)
    with pytest.raises(ModelError) as error:
        agent.run("?")
    assert str(error.value) == (
        "The model's reply is JSON that was never closed: "
        '\'{"answer": "The capital of Norw\'. Ask again, or allow longer replies. '
        "(Tried 3 times.)"
    )
    assert problems(agent.memory.folder) == []


def test_H12_nothing_is_heard_of_half_an_action() -> None:
    heard: list[str] = []
    pieces = ['{"answer": "The cap', "ital"]
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    model = openai(streaming(*chunks), tools_as="json")
    with pytest.raises(ModelError):
        Agent(model, [ping], "", on_text_delta=heard.append).run("?")
    assert heard == []


@pytest.mark.parametrize(
    ("reason", "kind"), [("length", ReplyCutOff), ("content_filter", ModelRefused)]
)
@pytest.mark.parametrize("half", HALVES)
def test_H12_what_the_server_says_of_its_end_goes_first(
    half: str, reason: str, kind: type[Exception]
) -> None:
    agent, recorder = asking_in_json(completion({"content": half}, reason))
    with pytest.raises(kind):
        agent.run("?")
    assert recorder.names().count("retry") == 0


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ('{"answer": "It is Oslo"', "It is Oslo"),
        ('{"answer": "He said "hi" to me"}', 'He said "hi" to me'),
        ('```json\n{"answer": "He said "hi" to me"}\n```', 'He said "hi" to me'),
        ("{Oslo} is the capital", "{Oslo} is the capital"),
        ("A set is written {1, 2", "A set is written {1, 2"),
    ],
)
def test_json_mode_takes_what_was_closed_or_is_no_action(
    content: str, answer: str
) -> None:
    assert read_as_action(content).message == AssistantMessage(answer)


def test_H24_half_an_action_of_twice_the_length_is_twice_the_work() -> None:
    def job(length: int) -> Any:
        half = '{"answer": "' + 'x {"name" ' * length * 10

        def read() -> None:
            with pytest.raises(ModelError):
                read_as_action(half)

        return read

    assert grows_with_its_input(job)
