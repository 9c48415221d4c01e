"""Native tools, limits and settings on llama.cpp's own server, with a small real model.

So small a model passes a slip only where it has seen some: the folder it goes on with
holds four rounds of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite import Agent, AssistantMessage, KeepAll, ToolCall, ToolMessage
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.errors import ContextOverflow, ModelError, ReplyCutOff
from mingraph_lite.lab.scenarios import get_weather
from mingraph_lite.messages import Message, UserMessage
from tests.real.fixture import LlamaServer
from tests.real.test_real_model import without_cache

READINGS = {"Oslo": 4, "Rome": 21, "Lima": 19, "Bern": 11}
SENTENCE = "It is {} degrees in {}."


def rounds_before() -> list[Message]:
    lines: list[Message] = []
    for number, (city, degrees) in enumerate(READINGS.items(), start=1):
        call = ToolCall("get_weather", {"city": city}, id=f"call_{number}")
        lines += [
            UserMessage(f"How warm is it in {city}?"),
            AssistantMessage("", (call,)),
            ToolMessage(str(degrees), call.id, call.name),
            AssistantMessage(SENTENCE.format(degrees, city)),
        ]
    return lines


def made(server: LlamaServer, **options: Any) -> OpenAIChat:
    return OpenAIChat(server.model, server.base_url, temperature=0, **options)


@pytest.mark.parametrize("streamed", [False, True], ids=["in one piece", "as a stream"])
def test_a_real_model_calls_a_native_tool_and_says_what_it_heard(
    tool_server: LlamaServer, streamed: bool
) -> None:
    memory, heard = KeepAll(rounds_before()), list[str]()
    agent = Agent(made(tool_server), [get_weather], "", memory=memory, max_steps=3)
    listening: Any = {"on_text_delta": heard.append} if streamed else {}

    answer = agent.run("How warm is it in Paris?", **listening)["answer"]

    new = list(memory.folder)[len(rounds_before()) :]
    calls = [c for m in new if isinstance(m, AssistantMessage) for c in m.tool_calls]
    assert [(c.name, dict(c.arguments)) for c in calls] == [
        ("get_weather", {"city": "Paris"})
    ]
    assert answer == SENTENCE.format(18, "Paris")
    assert "".join(heard) == (answer if streamed else "")


def test_a_streamed_call_is_the_same_call(tool_server: LlamaServer) -> None:
    model = made(tool_server)
    menu = Agent(model, [get_weather], "").tools.menu()
    folder = [*rounds_before(), UserMessage("How warm is it in Paris?")]
    whole = model.generate(folder, menu)
    streamed = model.generate(folder, menu, lambda _: None)

    def told(call: ToolCall) -> tuple[str, dict[str, object]]:
        return call.name, dict(call.arguments)

    (one,), (other,) = whole.message.tool_calls, streamed.message.tool_calls
    assert told(one) == told(other) == ("get_weather", {"city": "Paris"})
    assert one.id != other.id
    assert without_cache(whole).usage == without_cache(streamed).usage


@pytest.mark.parametrize("streamed", [False, True], ids=["in one piece", "as a stream"])
def test_a_prompt_beyond_the_window_says_how_long_it_was_and_how_much_fits(
    llama_server: LlamaServer, streamed: bool
) -> None:
    question = [UserMessage("word " * 5000)]
    listener = (lambda _: None) if streamed else None
    with pytest.raises(ContextOverflow) as caught:
        made(llama_server).generate(question, (), listener)
    error = caught.value
    assert (error.context_window, error.retryable) == (4096, False)
    assert error.prompt_tokens is not None
    assert error.prompt_tokens > 5000


@pytest.mark.parametrize("tools_as", ["native", "json"])
@pytest.mark.parametrize("streamed", [False, True], ids=["in one piece", "as a stream"])
def test_a_reply_that_is_cut_is_no_answer(
    llama_server: LlamaServer, streamed: bool, tools_as: Any
) -> None:
    model = made(llama_server, max_tokens=8, tools_as=tools_as)
    agent = Agent(model, [get_weather], "Tell a long story.")
    listening: Any = {"on_text_delta": lambda _: None} if streamed else {}
    with pytest.raises(ReplyCutOff) as caught:
        agent.run("Tell me of the sea.", **listening)
    assert caught.value.half


def test_a_seed_gives_the_same_reply_again(llama_server: LlamaServer) -> None:
    def reply(seed: int) -> str:
        model = OpenAIChat(
            llama_server.model,
            llama_server.base_url,
            temperature=1.5,
            seed=seed,
            max_tokens=16,
            # What the server still knows of a prompt changes its sums a little.
            extra={"cache_prompt": False},
        )
        return model.generate([UserMessage("Name a colour.")]).message.content

    assert reply(7) == reply(7)
    assert len({reply(seed) for seed in range(1, 5)}) > 1


def test_what_the_server_refuses_is_told_in_its_words(tool_server: LlamaServer) -> None:
    model = made(tool_server, extra={"grammar": 'root ::= "yes" | "no"'})
    menu = Agent(model, [get_weather], "").tools.menu()
    with pytest.raises(ModelError, match="Cannot use custom grammar") as caught:
        model.generate([UserMessage("Is it warm?")], menu)
    assert not caught.value.retryable
