"""Whether a long run gets slower or heavy: the same step early and late.

The replies are made while the run goes on, each with a text of its own, so that what
the folder holds at the end was all allocated during the run.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.cards import CallingModel, Finished
from mingraph_lite.llm import LLMResponse, Menu, TextListener
from mingraph_lite.messages import AssistantMessage, Message, ToolCall
from mingraph_lite.observers import Observer
from tests.bench.measure import Clock

LENGTH: Final = 200

_DONE: Final = LLMResponse(AssistantMessage("Done."))

type LongRun = Callable[[int], Agent]
"""Makes an agent ready for a run of so many steps."""

type Peak = Callable[[Callable[[], object]], int]
"""Runs a function and gives the most bytes that were held at one time."""


class Talker:
    """A model that says something long and asks for the tool, so many times.

    Its replies are ready before the run begins: they are not what is measured.
    """

    def __init__(self, steps: int) -> None:
        self._replies = iter([*map(_asking, range(steps)), _DONE])

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Say it, or answer at the end."""
        return next(self._replies)


def _asking(number: int) -> LLMResponse:
    slip = ToolCall("look_up", {"number": number}, f"call_{number}")
    return LLMResponse(AssistantMessage(long_text(number), (slip,)))


def long_text(number: int) -> str:
    """A text of its own for each number."""
    return str(number).zfill(LENGTH)


def heard_by(*listeners: Callable[[], Observer]) -> LongRun:
    """Runs that put two long messages into the folder in each step."""

    def look_up(number: int) -> str:
        """Look a number up."""
        return long_text(number)

    def long_run(steps: int) -> Agent:
        tools = ToolRegistry()
        tools.add(look_up)
        heard = [listener() for listener in listeners]
        return Agent(Talker(steps), tools, "", observers=heard, max_steps=steps + 1)

    return long_run


@dataclass(frozen=True)
class Growth:
    """Seconds of a whole run, of its first stretch of steps and of its last."""

    whole: float
    first: float
    last: float


def growth(
    long_run: LongRun, steps: int, stretch: int, rounds: int, clock: Clock
) -> Growth:
    """Time a long run and both ends of it, round after round; keep the best of each."""
    taken = [_timed(long_run(steps), steps, stretch, clock) for _ in range(rounds)]
    return Growth(
        min(times.whole for times in taken),
        min(times.first for times in taken),
        min(times.last for times in taken),
    )


def _timed(agent: Agent, steps: int, stretch: int, clock: Clock) -> Growth:
    gc.collect()
    times: dict[int, float] = {}
    began = clock()
    for card in agent.steps("Go."):
        if isinstance(card, CallingModel) and card.step % stretch == 1:
            times[card.step] = clock()
        elif isinstance(card, Finished):
            end = clock()
    whole = clock() - began
    return Growth(
        whole, times[stretch + 1] - times[1], end - times[steps - stretch + 1]
    )


def play(long_run: LongRun, steps: int) -> None:
    """Play a run to its end."""
    long_run(steps).run("Go.")


def traced_peak(run: Callable[[], object]) -> int:
    """The most bytes that Python objects held while it ran, by tracemalloc."""
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
