"""The adapter on a real model: a small one, on a real server, on loopback.

The model is far too small to answer well. What is checked is everything around it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.transports import Request, Response, urllib3_transport
from mingraph_lite.errors import ModelError, StepLimitReached
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import AssistantMessage, Message, ToolMessage, UserMessage
from mingraph_lite.observers import Recorder
from tests.real.fixture import LlamaServer, running

GREETING = [UserMessage("Say hello.")]


class Tap:
    """Carries requests with urllib3 and keeps the bytes of each reply."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def __call__(self, request: Request) -> Response:
        response = urllib3_transport(request)
        self.bodies.append(b"")
        return replace(response, chunks=self._kept(response.chunks))

    def _kept(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.bodies[-1] += chunk
            yield chunk


def slips_and_answers(folder: list[Message]) -> list[tuple[str, str]]:
    """Each slip's id with the id of the answer that stands where its own belongs."""
    pairs = []
    for place, message in enumerate(folder):
        if isinstance(message, AssistantMessage):
            for offset, call in enumerate(message.tool_calls, start=1):
                answer = folder[place + offset]
                assert isinstance(answer, ToolMessage)
                pairs.append((call.id, answer.tool_call_id))
    return pairs


def test_a_real_model_runs_a_tool_on_the_arguments_that_its_server_sent(
    llama_server: LlamaServer,
) -> None:
    tap, recorder, memory = Tap(), Recorder(), KeepAll()
    model = OpenAIChat(
        llama_server.model,
        llama_server.base_url,
        tools_as="json",
        temperature=0,
        transport=tap,
    )
    agent = paris_and_tokyo.agent(
        model, observers=[recorder], memory=memory, max_steps=3
    )
    try:
        answer = agent.run(paris_and_tokyo.question)["answer"]
        assert isinstance(answer, str)
    except StepLimitReached:
        pass  # so small a model often asks the same thing again and again

    runs: list[Any] = [
        e.payload["call"] for e in recorder.events if e.name == "tool_return"
    ]
    assert runs
    sent = [
        json.loads(json.loads(body)["choices"][0]["message"]["content"])
        for body in tap.bodies
    ]
    for call in runs:
        assert {"name": call.name, "arguments": dict(call.arguments)} in sent

    pairs = slips_and_answers(list(memory.folder))
    assert [slip for slip, _ in pairs] == [answer for _, answer in pairs]
    assert len(pairs) == len({slip for slip, _ in pairs})

    replies: list[Any] = [
        e.payload["response"] for e in recorder.events if e.name == "model_reply"
    ]
    assert len(replies) == len(tap.bodies)
    for reply in replies:
        assert isinstance(reply.usage, Usage)
        assert isinstance(reply.usage.input_tokens, int)
        assert isinstance(reply.usage.output_tokens, int)


def test_a_streamed_reply_is_the_same_reply(llama_server: LlamaServer) -> None:
    model = OpenAIChat(
        llama_server.model, llama_server.base_url, temperature=0, max_tokens=12
    )
    deltas: list[str] = []
    streamed = model.generate(GREETING, on_text_delta=deltas.append)
    whole = model.generate(GREETING)

    assert len(deltas) > 1
    assert "".join(deltas) == streamed.message.content
    # How much of the prompt the server still knew differs from call to call.
    assert without_cache(streamed) == without_cache(whole)
    assert whole.message.content
    assert whole.model == llama_server.model


def without_cache(response: LLMResponse) -> LLMResponse:
    assert response.usage is not None
    return replace(response, usage=replace(response.usage, cached_tokens=None))


def test_a_wrong_path_is_named(llama_server: LlamaServer) -> None:
    model = OpenAIChat(llama_server.model, f"{llama_server.base_url}/no/such/place")
    with pytest.raises(ModelError) as caught:
        model.generate(GREETING)
    assert (
        f"{llama_server.base_url}/no/such/place/chat/completions answered 404"
        in str(caught.value)
    )
    assert not caught.value.retryable


def test_a_wrong_key_is_refused_and_never_shown() -> None:
    with running(key="the-right-key") as server:
        wrong = OpenAIChat(server.model, server.base_url, "the-wrong-key")
        with pytest.raises(ModelError, match="answered 401") as caught:
            wrong.generate(GREETING)
        right = OpenAIChat(server.model, server.base_url, "the-right-key", max_tokens=1)
        assert right.generate(GREETING).finish_reason == "length"
    assert "the-wrong-key" not in str(caught.value)
    assert not caught.value.retryable


def test_a_server_that_dies_in_the_middle_of_a_reply_gives_no_answer() -> None:
    heard: list[str] = []
    with running() as server:

        def pull_the_plug(piece: str) -> None:
            heard.append(piece)
            server.process.kill()

        model = OpenAIChat(server.model, server.base_url, max_tokens=200)
        question = [UserMessage("Tell a long story about the sea.")]
        with pytest.raises(ModelError) as caught:
            model.generate(question, on_text_delta=pull_the_plug)
    assert heard
    assert caught.value.retryable


def test_the_server_ends_when_nobody_holds_its_standard_input() -> None:
    with running() as server:
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(timeout=60) == 0
