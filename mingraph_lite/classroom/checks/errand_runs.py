"""What became of one reply's slips, with a tool that may fail.

done = errands_of(safe_errands, slips("Paris", "Tokyo"), {"Tokyo": TimeoutError()})
done.ran, done.told, done.raised
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from mingraph_lite.classroom.patience import NoEnd
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.lab.scenarios import to_fahrenheit
from mingraph_lite.messages import AssistantMessage, Message, ToolCall, UserMessage
from mingraph_lite.tools import ToolRegistry

__all__: Final = [
    "READINGS",
    "Done",
    "Errands",
    "Overheated",
    "errands_of",
    "failures",
    "slips",
    "weather_tools",
]

READINGS: Final = {"Paris": 18, "Tokyo": 24, "Rome": 21}

type Errands = Callable[[Any, Any, Any], object]


class Overheated(RuntimeError):
    """An error of a tool's own, which nobody knows by name."""


def failures() -> list[Exception]:
    """What a tool may raise: fresh ones, since an error keeps where it came from."""
    return [
        TimeoutError("the weather service is down"),
        KeyError("temperature"),
        ValueError("could not read the thermometer"),
        TypeError("unsupported operand type(s) for +: 'int' and 'str'"),
        Overheated("the sensor is too hot"),
    ]


@dataclass
class Done:
    """The slips of a reply, after a learner's errands had them."""

    calls: tuple[ToolCall, ...]
    start: list[Message]
    folder: list[Any]
    failing: Mapping[str, BaseException]
    spy: Spy
    raised: BaseException | None = None

    @property
    def told(self) -> list[Any]:
        """What stands in the folder behind what stood there before."""
        return self.folder[len(self.start) :]

    @property
    def ran(self) -> list[str]:
        """The errands that were run, by the city of each."""
        return [re.findall(r'"(\w+)"', errand)[0] for errand in self.spy.ran]

    @property
    def failure(self) -> BaseException | None:
        """The first failure that these slips meet."""
        return next((f for call in self.calls if (f := self.failed(call))), None)

    def failed(self, call: ToolCall) -> BaseException | None:
        """How the tool fails on this slip, if it does."""
        return self.failing.get(str(call.arguments.get("city")))


def slips(*cities: str) -> tuple[ToolCall, ...]:
    """A slip for the weather in each city."""
    return tuple(
        ToolCall("get_weather", {"city": city}, f"call_{number}")
        for number, city in enumerate(cities, start=1)
    )


class _World:
    """What the tools of a check find today.

    Why one menu for all checks? To make one takes longer than all that a check does.
    """

    def __init__(self) -> None:
        self.failing: Mapping[str, BaseException] = {}
        self.spy = Spy()

        def read_off(city: str) -> int:
            if city in self.failing:
                raise self.failing[city]
            return READINGS[city]

        read_off.__name__ = "get_weather"

        def get_weather(city: str) -> int:
            """The temperature in a city, in degrees Celsius."""
            return self.spy.tool(read_off)(city)

        self.tools = ToolRegistry([get_weather, to_fahrenheit])


_world: Final = cache(_World)


def weather_tools(failing: Mapping[str, BaseException], spy: Spy) -> ToolRegistry:
    """A menu whose get_weather fails for some cities; its runs are noted.

    One is used at a time: the next call changes what the last one's tools find.
    """
    world = _world()
    world.failing, world.spy = failing, spy
    return copy(world.tools)


def errands_of(
    errands: Errands,
    calls: tuple[ToolCall, ...],
    failing: Mapping[str, BaseException] | None = None,
) -> Done:
    """Let a learner's errands run these slips, with a tool that fails for some."""
    start: list[Message] = [UserMessage("How warm is it?"), AssistantMessage("", calls)]
    done = Done(calls, start, list(start), failing or {}, Spy())
    try:
        errands(weather_tools(done.failing, done.spy), calls, done.folder)
    except NoEnd:
        raise
    except (Exception, KeyboardInterrupt) as error:
        done.raised = error
    return done
