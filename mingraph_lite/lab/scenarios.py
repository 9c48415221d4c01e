"""The situations that lessons, tests and the playground share.

A scenario is a question, tools and a script: what a model might say to it. Each call of
`llm`, `registry` or `agent` makes a fresh one, since a script is used up by its run.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mingraph_lite.agent import Agent
from mingraph_lite.llm import LLM, LLMResponse, Reply, ScriptedLLM
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.schema.function import Function
from mingraph_lite.tools import ToolRegistry

__all__: Final = [
    "SCENARIOS",
    "Scenario",
    "add",
    "add_and_upper",
    "already_fahrenheit",
    "convert_slip",
    "get_weather",
    "never_satisfied",
    "one_by_one",
    "paris_and_tokyo",
    "to_fahrenheit",
    "upper",
    "weather_slip",
]


@dataclass(frozen=True)
class Scenario:
    """A question, the tools for it, and what the scripted model says."""

    name: str
    title: str
    question: str
    system_prompt: str
    tools: tuple[Function, ...]
    script: Callable[[], Sequence[Reply]]

    def __repr__(self) -> str:
        return f"Scenario({self.name!r})"

    def llm(self) -> ScriptedLLM:
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
        return Agent(model, self.registry(), self.system_prompt, **options)

    def tools_source(self) -> str:
        """The source of the tools, to read and to change."""
        sources = map(inspect.getsource, self.tools)
        return "\n\n".join(map(textwrap.dedent, sources))


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
    name: str, title: str, script: Callable[[], Sequence[Reply]]
) -> Scenario:
    return Scenario(
        name,
        title,
        "What's the temperature in Paris and in Tokyo, in Fahrenheit?",
        "Use the tools. Never do the arithmetic yourself.",
        (get_weather, to_fahrenheit),
        script,
    )


paris_and_tokyo: Final = _weather_scenario(
    "paris_and_tokyo",
    "Paris and Tokyo",
    lambda: [
        [weather_slip(1, "Paris"), weather_slip(2, "Tokyo")],
        [convert_slip(3, 18), convert_slip(4, 24)],
        "Paris: 64°F, Tokyo: 75°F",
    ],
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
)

never_satisfied: Final = _weather_scenario(
    "never_satisfied",
    "A model that never stops asking",
    lambda: [weather_slip(n, "Paris") for n in range(1, 51)],
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
