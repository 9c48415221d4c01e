"""What the loop makes of a server's errors: asked again, and announced, or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mingraph_lite import Agent, Recorder
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ContextOverflow, ModelError, ModelRefused
from mingraph_lite.messages import UserMessage, problems
from mingraph_lite.recovery import Retries
from tests.adapters.error_table.test_grading import CALL, PLAN, gemini, said
from tests.adapters.models import ollama, openai
from tests.adapters.wire import chunk, completion, events

ANSWER = completion({"content": "12"})
OLLAMA_ANSWER = {"message": {"content": "12"}, "done": True, "done_reason": "stop"}
OVERFLOW = said("prompt is too long: 9000 tokens > 8192 maximum")
FILTERED = said("Filtered.", "content_filter")


class Run:
    """A run against a server that answers this, and then rightly."""

    def __init__(self, status: int, body: Any, model: Any = openai) -> None:
        answer = ANSWER if model is openai else OLLAMA_ANSWER
        replies = [(status, body), *[(200, answer)] * 3]
        self.asked = 0

        def transport(_: Request) -> Response:
            status, body = replies[self.asked]
            self.asked += 1
            kind = {"content-type": "application/json"}
            return Response(status, kind, iter([json.dumps(body).encode()]))

        self.waits: list[float] = []
        self.recorder = Recorder()
        retries = Retries(sleep=self.waits.append, chance=lambda: 0.0)
        self.agent = Agent(
            model(transport), [], "", retries=retries, observers=[self.recorder]
        )
        self.error: Exception | None = None
        try:
            self.answer = self.agent.run("How warm is it?")["answer"]
        except (ModelError, ModelRefused) as error:
            self.error = error

    def heard(self, name: str) -> list[Any]:
        return [e.payload for e in self.recorder.events if e.name == name]


# H06: asked again with the attempt shown; after 21 s; a fault of the server.
@pytest.mark.parametrize(
    ("status", "body", "waits", "words"),
    [
        (400, said("m", "tool_use_failed", failed_generation=CALL), [1.0], CALL),
        (429, gemini("RequestsPerMinute"), [21.0], PLAN),
        (200, gemini("RequestsPerMinute"), [21.0], PLAN),
        (200, {"object": "error", "message": "no worker", "code": 503}, [1.0], "no w"),
        (503, said("Loading model", 503), [1.0], "Loading model"),
        (429, said("Please try again in 7.66s."), [7.66], "7.66s"),
    ],
)
@pytest.mark.parametrize("model", [openai, ollama])
def test_H06_what_may_pass_is_asked_again_and_announced(
    status: int, body: Any, waits: list[float], words: str, model: Any
) -> None:
    run = Run(status, body, model)
    assert (run.error, run.answer, run.asked) == (None, "12", 2)
    assert run.waits == waits
    assert [words in str(retry["error"]) for retry in run.heard("retry")] == [True]


# H06: not asked again; and a wait too long to be waited for ends the run at once.
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (429, said(PLAN, "insufficient_quota", "insufficient_quota"), "billing"),
        (429, gemini("RequestsPerDay"), "budget"),
        (500, {"error": "model requires more system memory (5 GiB)"}, "memory"),
        (400, {"error": "x does not support tools"}, 'tools_as="json"'),
        (429, said("Please try again in 20m."), "in 1200 seconds"),
    ],
)
@pytest.mark.parametrize("model", [openai, ollama])
def test_H06_what_will_not_pass_is_asked_once(
    status: int, body: Any, words: str, model: Any
) -> None:
    run = Run(status, body, model)
    assert (run.asked, run.waits, run.heard("retry")) == (1, [], [])
    assert words in str(run.error)
    assert run.heard("finish") == [{"answer": None, "reason": "failed"}]


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [(OVERFLOW, ContextOverflow, "failed"), (FILTERED, ModelRefused, "refused")],
)
@pytest.mark.parametrize("status", [400, 200])
@pytest.mark.parametrize("model", [openai, ollama])
def test_a_prompt_too_long_and_a_filter_end_the_run_as_what_they_are(
    body: Any, kind: Any, reason: str, status: int, model: Any
) -> None:
    run = Run(status, body, model)
    assert (type(run.error), run.asked) == (kind, 1)
    assert run.heard("finish") == [{"answer": None, "reason": reason}]
    folder = list(run.agent.memory.folder)
    assert (folder, problems(folder)) == ([UserMessage("How warm is it?")], [])


# H06, H23: half a text before an error is no answer; whoever listens is told so.
def test_H06_H23_half_a_text_before_an_error_is_begun_anew() -> None:
    error = {"object": "error", "message": "no worker", "code": 503}
    bodies = iter(
        [
            events(chunk({"content": "Half a "}), error, done=False),
            events(chunk({"content": "12"}, "stop")),
        ]
    )

    def transport(_: Request) -> Response:
        kind = {"content-type": "text/event-stream"}
        pieces: Iterator[bytes] = iter([next(bodies)])
        return Response(200, kind, pieces)

    class Listener:
        def __init__(self) -> None:
            self.heard: list[str] = []

        def __call__(self, piece: str) -> None:
            self.heard.append(piece)

        def new_attempt(self) -> None:
            self.heard.append("(anew)")

    listener = Listener()
    retries = Retries(sleep=lambda seconds: None)
    agent = Agent(openai(transport), [], "", retries=retries, on_text_delta=listener)
    assert agent.run("How warm is it?") == {"answer": "12"}
    assert listener.heard == ["Half a ", "(anew)", "12"]
