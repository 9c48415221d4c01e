"""A reply that was cut or withheld, from the wire to the end of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mingraph_lite import Agent, ModelError, ModelRefused, Recorder, ReplyCutOff
from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.messages import AssistantMessage, ToolMessage, problems
from mingraph_lite.recovery import Retries
from tests.adapters.models import CUT, QUESTION, ollama, openai
from tests.adapters.wire import (
    answering,
    as_events,
    as_lines,
    asking,
    calling,
    chunk,
    completion,
    events,
    streaming,
)

type Model = OpenAIChat | OllamaChat
type Doors = dict[str, Callable[[str, Any], tuple[Model, bool]]]

HALF = "The capital of Norw"
AT_ONCE = Retries(base=0.0)


def openai_whole(text: str, reason: Any) -> tuple[Model, bool]:
    return openai(answering(completion({"content": text}, reason))), False


def openai_streamed(text: str, reason: Any) -> tuple[Model, bool]:
    pieces = [chunk({"content": text[:5]}), chunk({"content": text[5:]})]
    return openai(streaming(*pieces, chunk({}, reason))), True


def as_json_whole(text: str, reason: Any) -> tuple[Model, bool]:
    begun = f'{{"answer": "{text}'
    transport = answering(completion({"content": begun}, reason))
    return openai(transport, tools_as="json"), False


def as_json_streamed(text: str, reason: Any) -> tuple[Model, bool]:
    begun = f'{{"answer": "{text}'
    transport = streaming(chunk({"content": begun}), chunk({}, reason))
    return openai(transport, tools_as="json"), True


def ollama_whole(text: str, reason: Any) -> tuple[Model, bool]:
    message = {"role": "assistant", "content": text}
    done = {"done": True, "done_reason": reason}
    return ollama(answering({"message": message, **done})), False


def ollama_streamed(text: str, reason: Any) -> tuple[Model, bool]:
    lines = [
        {"message": {"content": text}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": reason},
    ]
    return ollama(as_lines(*lines)), True


DOORS: Doors = {
    "OpenAI, whole": openai_whole,
    "OpenAI, streamed": openai_streamed,
    "JSON actions, whole": as_json_whole,
    "JSON actions, streamed": as_json_streamed,
    "Ollama, whole": ollama_whole,
    "Ollama, streamed": ollama_streamed,
}


def run(model: Model, streamed: bool, **options: Any) -> tuple[Agent, Recorder, Any]:
    """An agent's run that has no answer: the agent, what was announced, the error."""
    recorder = Recorder()

    def temperature(town: str = "Oslo") -> str:
        raise AssertionError("nothing of such a reply is run")

    listener = (lambda _: None) if streamed else None
    agent = Agent(
        model, [temperature], "", observers=[recorder], retries=AT_ONCE, **options
    )
    with pytest.raises((ModelError, ModelRefused)) as caught:
        agent.run("What is the capital?", on_text_delta=listener)
    return agent, recorder, caught.value


# H12: a cut text is no answer but an error that holds it; it is asked for once.
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "model_length"])
def test_H12_a_cut_text_is_never_an_answer(door: str, reason: str) -> None:
    agent, recorder, error = run(*DOORS[door](HALF, reason))
    assert (type(error), error.half, error.tries) == (ReplyCutOff, HALF, 1)
    assert recorder.names().count("model_call") == 1
    assert recorder.names().count("retry") == 0
    assert recorder.events[-1].payload == {"answer": None, "reason": "failed"}
    assert problems(agent.memory.folder) == []


# H12: reasoning may use up all there is, and nothing is left for the text.
@pytest.mark.parametrize(
    "message", [{"content": None, "reasoning": "Hm."}, {"content": "", "thinking": "H"}]
)
def test_H12_a_reply_that_was_all_reasoning_was_cut(message: Any) -> None:
    model = openai(answering(completion(message, "length")))
    _, recorder, error = run(model, False)
    assert (type(error), error.half) == (ReplyCutOff, "")
    assert "reasoning" in str(error)
    assert recorder.names().count("model_call") == 1


# H12: a filtered reply is a refusal, asked for once; its half is kept, not answered.
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("reason", ["content_filter", "SAFETY", "refusal"])
@pytest.mark.parametrize("text", ["", HALF])
def test_H12_a_withheld_reply_is_a_refusal(door: str, reason: str, text: str) -> None:
    agent, recorder, error = run(*DOORS[door](text, reason))
    assert (type(error), error.half) == (ModelRefused, text)
    assert reason in str(error)
    assert recorder.names().count("model_call") == 1
    assert recorder.events[-1].payload == {"answer": None, "reason": "refused"}
    assert problems(agent.memory.folder) == []


# H12, A10: of a withheld reply no slip is run, and none stays open.
@pytest.mark.parametrize("streamed", [False, True])
def test_H12_no_slip_of_a_withheld_reply_is_run(streamed: bool) -> None:
    message = asking(calling("temperature", "{}"), content="Let me see.")
    transport = (
        streaming(chunk(message), chunk({}, "content_filter"))
        if streamed
        else answering(completion(message, "content_filter"))
    )
    agent, recorder, error = run(openai(transport), streamed)
    assert type(error) is ModelRefused
    assert recorder.events[-1].payload == {"answer": None, "reason": "refused"}
    (answer,) = [m for m in agent.memory.folder if isinstance(m, ToolMessage)]
    assert "not run" in answer.content
    assert problems(agent.memory.folder) == []


# H12, A10: an action that was cut is a slip with a problem, whole or not.
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "temperature", "arguments": {"town": "Os',
        '{"name": "temperature", "arguments": {"town": "Oslo"}}',
    ],
)
def test_H12_an_action_that_was_cut_is_answered(text: str) -> None:
    transport = answering(completion({"content": text}, "length"))
    response = openai(transport, tools_as="json").parse(
        completion({"content": text}, "length")
    )
    (call,) = response.message.tool_calls
    assert (call.name, call.problem) == ("temperature", CUT)


BROKEN = ["error", "network_error", "abort", "MALFORMED_FUNCTION_CALL"]


# A fault of the server may pass: the same request is made again, and announced.
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("reason", [*BROKEN, "insufficient_system_resource"])
def test_H12_a_fault_of_the_server_may_be_retried(door: str, reason: str) -> None:
    agent, recorder, error = run(*DOORS[door](HALF, reason))
    assert (type(error), error.retryable, error.tries) == (ModelError, True, 3)
    assert recorder.names().count("retry") == 2
    assert problems(agent.memory.folder) == []


# A08: what was sent is kept, but for what stands for nothing.
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("sent", "kept"),
    [("stop", "stop"), ("", None), ("null", None), ("None", None), (None, None)],
)
def test_A08_the_finish_reason_is_kept_as_it_was_sent(
    door: str, sent: Any, kept: Any
) -> None:
    model, streamed = DOORS[door]("Oslo", sent)
    heard = (lambda _: None) if streamed else None
    assert model.generate(QUESTION, on_text_delta=heard).finish_reason == kept


EMPTY = ["", "null", "None", " "]


# H08: an empty finish reason is none; a stream without an end may be retried.
@pytest.mark.parametrize("reason", EMPTY)
@pytest.mark.parametrize(
    "deltas",
    [
        [{"content": "The capital "}, {"content": "of Norw"}],
        [{"reasoning": "Hm"}],
        [asking(calling("temperature", ""))],
        [asking(calling("temperature", '{"town": '))],
    ],
)
def test_H08_an_empty_finish_reason_ends_no_stream(reason: str, deltas: Any) -> None:
    body = events(*(chunk(delta, reason) for delta in deltas), done=False)
    agent, _, error = run(openai(as_events(body)), True)
    assert (type(error), error.retryable, error.tries) == (ModelError, True, 3)
    assert "cut off the stream" in str(error)
    assert [m for m in agent.memory.folder if isinstance(m, AssistantMessage)] == []


@pytest.mark.parametrize("reason", EMPTY)
def test_H08_the_same_holds_for_the_legacy_text(reason: str) -> None:
    choice = {"index": 0, "text": "The capital", "finish_reason": reason}
    body = events({"choices": [choice]}, done=False)
    assert run(openai(as_events(body)), True)[2].retryable


@pytest.mark.parametrize("reason", EMPTY)
def test_H08_with_an_end_the_text_is_whole(reason: str) -> None:
    pieces = [chunk({"content": "Os"}, reason), chunk({"content": "lo"}, reason)]
    for end in (events(*pieces), events(*pieces, chunk({}, "stop"), done=False)):
        response = openai(as_events(end)).generate(QUESTION)
        assert response.message.content == "Oslo"


@pytest.mark.parametrize("done", ["false", "", None, 0, "null"])
@pytest.mark.parametrize("reason", ["", "null", None])
def test_H08_an_ollama_stream_ends_where_done_is_true(done: Any, reason: Any) -> None:
    line = {"message": {"content": HALF}, "done": done, "done_reason": reason}
    _, _, error = run(ollama(as_lines(line)), True)
    assert (type(error), error.retryable) == (ModelError, True)


@pytest.mark.parametrize("done", [False, "false", None])
def test_H08_a_whole_ollama_reply_that_is_not_done_is_none(done: Any) -> None:
    reply = {"message": {"content": HALF}, "done": done}
    _, _, error = run(ollama(answering(reply)), False)
    assert (type(error), error.retryable) == (ModelError, True)


def test_H08_ollama_says_when_it_only_loaded_a_model() -> None:
    empty = {"role": "assistant", "content": ""}
    for word in ("load", "unload"):
        reply = {"message": empty, "done": True, "done_reason": word}
        _, _, error = run(ollama(answering(reply)), False)
        assert word in str(error)
