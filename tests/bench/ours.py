"""The job of `peers` done by our loop, with more and more people listening.

What our Agent does in a step besides looping: it checks the arguments with pydantic,
numbers slips and answers, looks at its limits, and keeps a folder that only grows. It
starts no thread and no event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.llm import LLMResponse, Menu, TextListener
from mingraph_lite.messages import AssistantMessage, Message, ToolCall
from mingraph_lite.observers import ConsoleLogger, Event, Observer, Recorder
from mingraph_lite.views.frames import frames
from tests.bench.measure import Job, Run
from tests.bench.traces import recorder
from tests.bench.work import ANSWER, WORD, Work

PROMPT: Final = "Use the tool."


class Replies:
    """A model that hands out replies that are there already."""

    def __init__(self, replies: Iterator[LLMResponse]) -> None:
        self._replies = replies

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Hand out the next one."""
        return next(self._replies)


class Silent(Observer):
    """Hears everything and does nothing."""

    def on_event(self, event: Event) -> None:
        """Let it pass."""


def bare_cards(steps: int) -> Run:
    """Two plain card objects and a loop of three lines: the least a step can cost."""
    replies = iter([*[WORD] * steps, None])
    work = Work()

    class Ask:
        def run(self) -> Look | None:
            word = next(replies)
            return Look(word) if word else None

    class Look:
        def __init__(self, word: str) -> None:
            self.word = word

        def run(self) -> Ask:
            work.look_up(self.word)
            return Ask()

    def run() -> int:
        card: Ask | Look | None = Ask()
        while card:
            card = card.run()
        return work.runs

    return run


def agent(steps: int, *observers: Observer) -> tuple[Agent, Work]:
    """Our Agent with the job's tool, and a model that asks for it so many times."""
    wishes = [
        LLMResponse(
            AssistantMessage(
                "", (ToolCall("look_up", {"word": WORD}, f"call_{number}"),)
            )
        )
        for number in range(steps)
    ]
    replies = iter([*wishes, LLMResponse(AssistantMessage(ANSWER))])
    work, tools = Work(), ToolRegistry()
    tools.add(work.look_up)
    ours = Agent(
        Replies(replies), tools, PROMPT, observers=observers, max_steps=steps + 1
    )
    return ours, work


def heard_by(*listeners: Callable[[], Observer]) -> Job:
    """The job done by our Agent while fresh listeners of these kinds hear it."""

    def job(steps: int) -> Run:
        ours, work = agent(steps, *(listener() for listener in listeners))

        def run() -> int:
            ours.run("Go.")
            return work.runs

        return run

    return job


def drawn(steps: int) -> Run:
    """The job done by our Agent while `frames` draws each stop."""
    ours, work = agent(steps)

    def run() -> int:
        for _ in frames(ours, "Go."):
            pass
        return work.runs

    return run


def unprinted() -> Observer:
    """A console logger with a terminal that costs nothing."""
    return ConsoleLogger(str)


CARDS: Final = "bare cards"
AGENT: Final = "Agent"
SILENT: Final = "Agent + no-op observer"
RECORDER: Final = "Agent + Recorder"
CONSOLE: Final = "Agent + ConsoleLogger"
TRACED: Final = "Agent + TraceRecorder"
OURS: Final[dict[str, Job]] = {
    CARDS: bare_cards,
    AGENT: heard_by(),
    SILENT: heard_by(Silent),
    RECORDER: heard_by(Recorder),
    CONSOLE: heard_by(unprinted),
    TRACED: heard_by(recorder),
    "frames(Agent)": drawn,
}
