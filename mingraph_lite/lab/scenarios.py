"""The situations that lessons, tests and the playground share.

A scenario is a question, tools and a script: what a model might say to it. Each call of
`llm`, `registry` or `agent` makes a fresh one, since a script is used up by its run.
One has no script: in `reading` a model answers that reads what it is handed.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from mingraph_lite.agent import Agent
from mingraph_lite.lab.asks import CONVERSIONS, ENDING, MODEL_CALLS, Ask
from mingraph_lite.lab.measures import Frames, Measured
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.llm import LLM, LLMResponse, Reply, ScriptedLLM
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.schema.function import Function
from mingraph_lite.tools import ToolRegistry

__all__: Final = [
    "SCENARIOS",
    "Kind",
    "ReadingScenario",
    "Scenario",
    "add",
    "add_and_upper",
    "already_fahrenheit",
    "convert_slip",
    "get_weather",
    "never_satisfied",
    "one_by_one",
    "paris_and_tokyo",
    "reading",
    "to_fahrenheit",
    "upper",
    "weather_slip",
]


type Kind = Literal["reading", "script", "fault"]
"""Who answers: a model that reads, a script, or a script in which one thing fails."""


@dataclass(frozen=True)
class Scenario:
    """A question, the tools for it, and what the scripted model says.

    `brief` tells a reader what to look at, and `ask` asks them before the run.
    """

    name: str
    title: str
    question: str
    system_prompt: str
    tools: tuple[Function, ...]
    script: Callable[[], Sequence[Reply]]
    what: str = ""
    brief: str = ""
    ask: Ask | None = None
    max_steps: int = 10

    def __repr__(self) -> str:
        return f"Scenario({self.name!r})"

    @property
    def kind(self) -> Kind:
        """Who answers."""
        return "script"

    def measured(self, frames: Frames) -> Measured | None:
        """The answer to `ask`, as a run of this scenario gave it."""
        return None if self.ask is None else self.ask.measure(frames)

    def llm(self) -> LLM:
        """The scripted model, at the beginning of its script."""
        return ScriptedLLM(self.script())

    def registry(self) -> ToolRegistry:
        """The tools, on a menu of their own."""
        registry = ToolRegistry()
        for function in self.tools:
            registry.add(function)
        return registry

    def agent(self, llm: LLM | None = None, **options: Any) -> Agent:
        """An agent for this scenario, on its script unless another model is given."""
        model = self.llm() if llm is None else llm
        options = {"max_steps": self.max_steps, **options}
        return Agent(model, self.registry(), self.system_prompt, **options)

    def tools_source(self) -> str:
        """The source of the tools, to read and to change."""
        sources = map(inspect.getsource, self.tools)
        return "\n\n".join(map(textwrap.dedent, sources))


@dataclass(frozen=True, repr=False)
class ReadingScenario(Scenario):
    """A scenario without a script: the model reads what it is handed."""

    @property
    def kind(self) -> Kind:
        """Who answers."""
        return "reading"

    def llm(self) -> LLM:
        """The reading model."""
        return ReadingLLM()


def get_weather(city: str) -> str:
    """The temperature in a city, in degrees Celsius."""
    readings = {"Paris": "18", "Tokyo": "24"}
    return readings.get(city, f"no reading for {city}")


def to_fahrenheit(celsius: float) -> int:
    """Convert degrees Celsius to degrees Fahrenheit."""
    return round(celsius * 9 / 5 + 32)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def upper(text: str) -> str:
    """Write a text in capital letters."""
    return text.upper()


def weather_slip(number: int, city: str) -> ToolCall:
    """The slip that asks for the weather in a city."""
    return ToolCall("get_weather", {"city": city}, id=f"call_{number}")


def convert_slip(number: int, celsius: int) -> ToolCall:
    """The slip that asks for a conversion."""
    return ToolCall("to_fahrenheit", {"celsius": celsius}, id=f"call_{number}")


def _weather_scenario(
    name: str,
    title: str,
    script: Callable[[], Sequence[Reply]],
    brief: str,
    ask: Ask = MODEL_CALLS,
    kind: type[Scenario] = Scenario,
) -> Scenario:
    return kind(
        name,
        title,
        "What's the temperature in Paris and in Tokyo, in Fahrenheit?",
        "Use the tools. Never do the arithmetic yourself.",
        (get_weather, to_fahrenheit),
        script,
        brief=brief,
        ask=ask,
    )


reading: Final = _weather_scenario(
    "reading",
    "Paris and Tokyo",
    tuple,
    "A model runs nothing by itself: a loop asks it, runs the tools it asks for, and "
    "asks again until it answers. Change a tool, or ask about Oslo.",
    kind=ReadingScenario,
)

paris_and_tokyo: Final = _weather_scenario(
    "paris_and_tokyo",
    "Paris and Tokyo, from a script",
    lambda: [
        [weather_slip(1, "Paris"), weather_slip(2, "Tokyo")],
        [convert_slip(3, 18), convert_slip(4, 24)],
        "Paris: 64°F, Tokyo: 75°F",
    ],
    "A script says the model's lines, whatever it is read. Two cities are looked up, "
    "then converted.",
)

# The two models of the first article differed in just this way: one asked for both
# conversions in one reply, the other one after the other.
one_by_one: Final = _weather_scenario(
    "one_by_one",
    "Paris and Tokyo, one by one",
    lambda: [
        [weather_slip(1, "Paris"), weather_slip(2, "Tokyo")],
        convert_slip(3, 18),
        convert_slip(4, 24),
        "Paris: 64°F, Tokyo: 75°F",
    ],
    "The same question, put to a model that asks for one conversion at a time.",
)

already_fahrenheit: Final = _weather_scenario(
    "already_fahrenheit",
    "Tokyo comes out wrong",
    lambda: [
        [weather_slip(1, "Paris"), weather_slip(2, "Tokyo")],
        convert_slip(3, 18),
        LLMResponse(
            AssistantMessage("Paris: 64°F, Tokyo: 24°F"),
            reasoning="Tokyo's 24 must be Fahrenheit already. Nothing to convert.",
        ),
    ],
    "The tools do their work, nothing raises, and the answer for Tokyo is wrong. Look "
    "where the two cities part.",
    CONVERSIONS,
)

never_satisfied: Final = _weather_scenario(
    "never_satisfied",
    "A model that never stops asking",
    lambda: [weather_slip(n, "Paris") for n in range(1, 51)],
    "Each reply of this model passes another slip. Something else has to end the run.",
    ENDING,
)

# Two tools of different kinds: what comes of the run is a number and a text.
add_and_upper: Final = Scenario(
    "add_and_upper",
    "A number and a text",
    "Add 10 and 5, then write hello in capital letters.",
    "Use a tool for each part of the question.",
    (add, upper),
    lambda: [
        [
            ToolCall("add", {"a": 10, "b": 5}, id="call_1"),
            ToolCall("upper", {"text": "hello"}, id="call_2"),
        ],
        "10 and 5 make 15, and hello becomes HELLO.",
    ],
    brief="Two tools of different kinds: one gives a number back, the other a text.",
    ask=MODEL_CALLS,
)

SCENARIOS: Final = {
    scenario.name: scenario
    for scenario in (
        paris_and_tokyo,
        one_by_one,
        already_fahrenheit,
        never_satisfied,
        add_and_upper,
    )
}
