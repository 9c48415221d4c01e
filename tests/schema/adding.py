"""Functions to add, and what the model then reads of them and gets back."""

from dataclasses import dataclass
from enum import Enum
from typing import (
    Any,
    Literal,
)

import pytest
from pydantic import BaseModel

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError
from mingraph_lite.messages import ToolCall
from mingraph_lite.tools import ToolRegistry


def registry(*functions: Any) -> ToolRegistry:
    tools = ToolRegistry()
    for function in functions:
        tools.add(function)
    return tools


def parameters(function: Any, **options: Any) -> dict[str, Any]:
    tools = ToolRegistry()
    tools.add(function, **options)
    return tools.menu()[0]["function"]["parameters"]


def properties(function: Any) -> dict[str, Any]:
    return parameters(function)["properties"]


def run(function: Any, arguments: dict[str, Any]) -> Any:
    tools = registry(function)
    return tools.run(ToolCall(tools.menu()[0]["function"]["name"], arguments))


def refusal(function: Any, arguments: dict[str, Any]) -> str:
    """What the model reads when these arguments do not fit."""
    with pytest.raises(ToolArgsError) as caught:
        run(function, arguments)
    return str(caught.value)


def definition_refusal(function: Any, **options: Any) -> str:
    with pytest.raises(ToolDefinitionError) as caught:
        ToolRegistry().add(function, **options)
    return str(caught.value)


def in_a_module(source: str, name: str = "tool", *, future: bool = True) -> Any:
    """The function that a module with this source defines."""
    if future:
        source = f"from __future__ import annotations\n{source}"
    module: dict[str, Any] = {"__name__": "a_module"}
    exec(source, module)
    return module[name]


def weather(city: str, days: int = 1) -> str:
    """The weather in a city.

    Give the city's name in English.
    """
    return f"{city}, {days}"


def read(path: str) -> str:
    return f"read {path}"


@dataclass
class Stop:
    city: str
    nights: int = 1


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Own(BaseModel):
    n: int
    flag: bool = False


class Unit(Enum):
    C = "celsius"
    F = "fahrenheit"


def plan(
    unit: Unit,
    stops: list[Stop],
    opts: dict[str, int] = {},  # noqa: B006
    pick: Literal[1, "two", None] = 1,
) -> list[Any]:
    return [unit, stops, opts, pick]
