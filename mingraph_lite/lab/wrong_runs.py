"""Four runs that end wrong, each in its own way.

    1. a wrong slip: both temperatures are made up, and converted properly
    2. a tool that fails, and a model that makes up what it did not say
    3. right answers, and a sum done in the head, wrongly
    4. no end: the limit comes first

Scripts play them, after what the project that this series follows saw its small models
do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from mingraph_lite.agent import Agent
from mingraph_lite.errors import StepLimitReached
from mingraph_lite.lab.scenarios import (
    convert_slip,
    get_weather,
    paris_and_tokyo,
    to_fahrenheit,
    weather_slip,
)
from mingraph_lite.llm import Reply, ScriptedLLM
from mingraph_lite.observers import Observer

__all__: Final = ["play_wrong_runs"]


def _dead_for_tokyo() -> Callable[[str], str]:
    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        if city == "Tokyo":
            raise TimeoutError("the weather service is down")
        return "18"

    return get_weather


def play_wrong_runs(observer: Observer) -> None:
    """Play the four, one after another, before one listener."""
    both = [weather_slip(1, "Paris"), weather_slip(2, "Tokyo")]
    made_up = [convert_slip(1, 10), convert_slip(2, 5)]
    _play(observer, [made_up, "Paris: 50°F, Tokyo: 41°F"])
    _play(
        observer,
        [both, convert_slip(3, 18), "Paris: 64°F, Tokyo: 68°F"],
        tool=_dead_for_tokyo(),
    )
    _play(observer, [both, convert_slip(3, 18), "Paris: 64°F, Tokyo: 76°F"])
    _play(observer, [*both, convert_slip(3, 18), convert_slip(4, 24)], rounds=3)


def _play(
    observer: Observer,
    script: Sequence[Reply],
    tool: Callable[[str], str] = get_weather,
    rounds: int = 10,
) -> None:
    agent = Agent(
        ScriptedLLM(script),
        [tool, to_fahrenheit],
        paris_and_tokyo.system_prompt,
        observers=[observer],
        max_steps=rounds,
        tool_failures="answer",
    )
    with suppress(StepLimitReached):  # it stands in what the listener was told
        agent.run(paris_and_tokyo.question)
