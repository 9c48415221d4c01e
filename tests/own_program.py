"""A first program of one's own, as a type checker and a reader see it."""

from collections.abc import Sequence
from typing import assert_type

from mingraph_lite import (
    Agent,
    AssistantMessage,
    LastN,
    LLMResponse,
    MingraphError,
    Observer,
    Recorder,
    ToolCall,
    ToolMessage,
    ToolRegistry,
)
from mingraph_lite.llm import Menu, TextListener
from mingraph_lite.messages import Message

tools = ToolRegistry()


@tools.add
def to_fahrenheit(celsius: float) -> int:
    """Convert a temperature."""
    return round(celsius * 9 / 5 + 32)


def to_celsius(fahrenheit: float) -> int:
    """Convert it back."""
    return round((fahrenheit - 32) * 5 / 9)


added = tools.add(to_celsius, name="back")
boiling = assert_type(to_fahrenheit(celsius=100), int)
back = assert_type(added(boiling), int)


class Asking:
    """A model that asks a tool once, and says what it heard."""

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return LLMResponse(AssistantMessage(f"It is {last.content}."))
        name = str(menu[0]["function"]["name"])
        return LLMResponse(AssistantMessage("", (ToolCall(name, {"celsius": 18}),)))


class Counting(Observer):
    """A listener that counts tool calls and keeps the reason of the end."""

    def __init__(self) -> None:
        self.calls = 0
        self.ended = ""

    def on_tool_call(self, call: ToolCall) -> None:
        self.calls += 1

    def on_finish(self, answer: str | None, reason: str) -> None:
        self.ended = reason


counting, recorder = Counting(), Recorder()
patient = Agent(
    Asking(), tools, "Be brief.", memory=LastN(9), observers=[counting, recorder]
)
hasty = Agent(Asking(), tools, "Be brief.", max_steps=1)


def answered(agent: Agent, question: str) -> str:
    try:
        return assert_type(agent.run(question)["answer"], str)
    except MingraphError as error:
        return f"No answer: {error}"
