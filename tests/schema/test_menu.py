"""How a tool's parameters are written on the menu: short and whole."""

import math
from dataclasses import dataclass, field
from datetime import date
from typing import (
    Annotated,
    Any,
)

import pytest
from pydantic import Field

from tests.schema.adding import (
    Cat,
    Dog,
    Stop,
    parameters,
    plan,
    properties,
    refusal,
    run,
)

# How a Stop stands on the menu.
STOP = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "nights": {"type": "integer", "default": 1},
    },
    "required": ["city"],
    "additionalProperties": False,
}


def test_a_description_and_a_limit_in_a_hint_stand_on_the_menu_and_hold() -> None:
    def book(nights: Annotated[int, Field(description="how many", ge=1)]) -> int:
        return nights

    assert properties(book)["nights"] == {
        "type": "integer",
        "description": "how many",
        "minimum": 1,
    }
    assert refusal(book, {"nights": 0}) == (
        "book: nights was 0: must be greater than or equal to 1. It takes: nights."
    )


@dataclass
class Tree:
    name: str
    kids: "list[Tree]" = field(default_factory=list)


def plant(tree: Tree) -> Tree:
    return tree


def test_a_type_that_contains_itself_keeps_its_definition_on_the_menu() -> None:
    assert parameters(plant) == {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "required": ["tree"],
        "additionalProperties": False,
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "kids": {
                        "type": "array",
                        "items": {"$ref": "#/$defs/Tree"},
                    },
                },
                "required": ["name"],
                "additionalProperties": False,
            }
        },
    }
    tree = {"name": "a", "kids": [{"name": "b"}]}
    assert run(plant, {"tree": tree}) == Tree("a", [Tree("b")])
    tree = {"name": "a", "kids": [{"name": "b", "kids": [{}]}]}
    assert "tree.kids[0].kids[0].name is missing" in refusal(plant, {"tree": tree})


def test_a_type_used_twice_is_written_out_where_it_is_used() -> None:
    def tool(
        a: Stop,
        b: list[Stop],
        pet: Annotated[Cat | Dog, Field(discriminator="kind")],
        title: str = "",
    ) -> None: ...

    cat, dog = (
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "enum": [kind]}},
            "required": ["kind"],
        }
        for kind in ("cat", "dog")
    )
    assert properties(tool) == {
        "a": STOP,
        "b": {"type": "array", "items": STOP},
        "pet": {"anyOf": [cat, dog]},
        "title": {"type": "string", "default": ""},
    }


# C02. Right: a default is listed where JSON can hold it.


@pytest.mark.parametrize(
    ("default", "listed"),
    [
        (date(2024, 5, 1), {"default": "2024-05-01"}),
        ((1, 2), {"default": [1, 2]}),
        (None, {"default": None}),
        (math.inf, {}),
        (object(), {}),
    ],
)
def test_C02_a_default_is_listed_where_json_can_hold_it(
    default: object, listed: dict[str, Any]
) -> None:
    def tool(x: Any = default) -> Any:
        return x

    assert properties(tool) == {"x": listed}
    assert run(tool, {}) is default


# H09, C09. Right: a parameter's text comes from its hint, its docstring or its class.


class Doc:
    """As in typing_extensions, which pydantic brings and we do not import."""

    def __init__(self, documentation: str) -> None:
        self.documentation = documentation


type City = Annotated[str, "a city"]


@pytest.mark.parametrize(
    ("hint", "listed"),
    [
        (Annotated[str, "a city"], {"type": "string"}),
        (Annotated[str, "a\n   city", "and more"], {"type": "string"}),
        (Annotated[str, Doc("a city")], {"type": "string"}),
        (Annotated[str, Field(description="a city")], {"type": "string"}),
        (Annotated[int, Field(ge=1), "a city"], {"type": "integer", "minimum": 1}),
        (City, {"type": "string"}),
        (Annotated[Stop, "a city"], STOP),
        (Annotated[Any, "a city"], {}),
        (Annotated[str | None, "a city"], "nullable"),
        (Annotated[str, "a city"] | None, "nullable"),
        (City | None, "nullable"),
    ],
)
def test_H09_a_text_in_a_hint_describes_its_parameter(hint: Any, listed: Any) -> None:
    def tool(q: hint) -> None:
        """Find.

        Args:
            q: what its hint says better
        """

    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    kind = nullable if listed == "nullable" else listed
    assert properties(tool)["q"] == {**kind, "description": "a city"}


def test_H09_a_text_may_stand_deeper_in_a_hint() -> None:
    @dataclass
    class Trip:
        """A trip.

        Attributes:
            days: how long
            city: what its hint says better
        """

        city: City
        days: int = 1

    def tool(cities: list[City], trip: Trip, second: Trip | None = None) -> None:
        """Plan.

        Args:
            trip: the first trip
        """

    city = {"type": "string", "description": "a city"}
    of_a_trip = {
        "type": "object",
        "properties": {
            "city": city,
            "days": {"type": "integer", "default": 1, "description": "how long"},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert properties(tool) == {
        "cities": {"type": "array", "items": city},
        "trip": {**of_a_trip, "description": "the first trip"},
        "second": {
            "anyOf": [{**of_a_trip, "description": "A trip."}, {"type": "null"}],
            "default": None,
        },
    }


# C10. Right: the inside of enums, dataclasses, lists and dicts is on the menu.


def test_C10_the_menu_shows_the_inside_of_enums_and_dataclasses() -> None:
    assert parameters(plan) == {
        "type": "object",
        "properties": {
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "stops": {"type": "array", "items": STOP},
            "opts": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "default": {},
            },
            "pick": {
                "anyOf": [{"type": "string", "enum": ["1", "two"]}, {"type": "null"}],
                "default": "1",
            },
        },
        "required": ["unit", "stops"],
        "additionalProperties": False,
    }
