"""What the menu lists as a default can be sent, and is read as the default."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

import pytest
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from mingraph_lite.schema.jsonable import jsonable
from tests.properties import cases
from tests.schema.adding import Stop, Unit, properties, run
from tests.schema.test_portable import Level, Odd, Point, Right, everything


class Loose(TypedDict, total=False):
    n: int


class Plan(BaseModel):
    day: date = date(2024, 5, 1)
    unit: Unit = Unit.C
    stops: list[Stop] = []


@dataclass
class Tree:
    name: str = ""
    kids: "list[Tree]" = field(default_factory=list)
    above: "Tree | None" = None


@dataclass
class Careless:
    n: int = None  # type: ignore[assignment]
    text: str = 5  # type: ignore[assignment]
    most: float = math.inf
    level: Level = Level.LOW


def with_default(hint: Any, default: Any) -> Any:
    tool = everything(x=hint)
    tool.__defaults__ = (default,)
    return tool


# H24. Right: what the menu shows as a default is accepted, and gives the default.
@pytest.mark.parametrize(
    ("hint", "default", "listed"),
    [
        (Unit, Unit.C, "celsius"),
        (Level, Level.HIGH, "2"),
        (Level, 2, "2"),
        (Odd, Odd.DAY, "2024-05-01"),
        (Odd, Odd.PAIR, "[1, 2]"),
        (Odd, Odd.HALF, "0.5"),
        (Right, Right.READ, "1"),
        (Unit | None, Unit.F, "fahrenheit"),
        (list[Level], [Level.LOW], [1]),
        (dict[str, Unit], {"a": Unit.C}, {"a": "celsius"}),
        (Literal[1, 2], 2, "2"),
        (Literal[True], True, "true"),
        (Literal[True, False], False, False),
        (Literal[1, "1"], 1, 1),
        (Literal[1, "two", None], None, None),
        (Path, Path("a"), "a"),
        (date, date(2024, 5, 1), "2024-05-01"),
        (datetime, datetime(2024, 5, 1, tzinfo=UTC), "2024-05-01T00:00:00Z"),
        (time, time(1, 2), "01:02:00"),
        (timedelta, timedelta(hours=1), "PT1H"),
        (Decimal, Decimal("1.10"), "1.10"),
        (UUID, UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (bytes, b"x", "x"),
        (int, None, None),
        (float, 1, 1),
        (tuple[int, str], (1, "a"), [1, "a"]),
        (set[int], {1, 2}, [1, 2]),
        (frozenset[str], frozenset("a"), ["a"]),
        (dict[int, str], {1: "a"}, {"1": "a"}),
        (Point, Point(1.5, "a"), [1.5, "a"]),
        (Loose, {"n": 1}, {"n": 1}),
        (Stop, Stop("Oslo"), {"city": "Oslo", "nights": 1}),
        (Plan, Plan(), {"day": "2024-05-01", "unit": "celsius", "stops": []}),
        (Tree, Tree("a"), {"name": "a", "kids": [], "above": None}),
        (Mapping[str, int], {"a": 1}, {"a": 1}),
    ],
)
def test_H24_a_listed_default_can_be_sent(
    hint: Any, default: Any, listed: object
) -> None:
    tool = with_default(hint, default)
    assert properties(tool)["x"]["default"] == listed
    assert run(tool, {"x": listed})["x"] == default
    assert run(tool, {})["x"] is default


# H24. Right: of another type that means the same, it arrives as the hint says.
@pytest.mark.parametrize(
    ("hint", "default", "arrives"),
    [
        (Path, "a", Path("a")),
        (Unit, "celsius", Unit.C),
        (str, Unit.C, "celsius"),
        (date, "2024-05-01", date(2024, 5, 1)),
        (list[int], (1, 2), [1, 2]),
        (Sequence[int], (1, 2), [1, 2]),
        (Any, {1: "a"}, {"1": "a"}),
    ],
)
def test_H24_a_default_of_another_type_arrives_as_its_hint_says(
    hint: Any, default: Any, arrives: object
) -> None:
    tool = with_default(hint, default)
    assert run(tool, {"x": properties(tool)["x"]["default"]})["x"] == arrives


# H24. Right: a default that could not be sent is not listed, and is still the default.
@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (str, 5),
        (int, "5"),
        (int, True),
        (bool, 1),
        (float, math.inf),
        (float, math.nan),
        (Any, math.inf),
        (Any, {1: "a", "1": "b"}),
        (dict[Any, Any], {1: "a", "1": "b"}),
        (Any, object()),
        (int, ...),
        (bytes, b"\xff"),
        (str, "\ud800"),
        (Any, ["\ud800"]),
        (Annotated[int, Field(ge=3)], 1),
        (Literal["a"], "b"),
        (Careless, Careless()),
    ],
)
def test_H24_a_default_that_could_not_be_sent_is_not_listed(
    hint: Any, default: Any
) -> None:
    tool = with_default(hint, default)
    assert "default" not in properties(tool)["x"]
    assert run(tool, {})["x"] is default


def test_H24_an_iterator_that_is_a_default_is_not_used_up() -> None:
    default = iter([1, 2])
    for hint, value in ((Any, {"a": default}), (list[int], default)):
        assert "default" not in properties(with_default(hint, value))["x"]
    assert list(default) == [1, 2]


# H24. Right: in a dataclass too, null is accepted where the default is None.
def test_H24_the_same_holds_for_the_fields_of_a_dataclass() -> None:
    tool = everything(x=Careless)
    assert properties(tool)["x"]["properties"] == {
        "n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "text": {"type": "string"},
        "most": {"type": "number"},
        "level": {"type": "string", "enum": ["1", "2"], "default": "1"},
    }
    sent = {"n": None, "level": "1"}
    assert run(tool, {"x": sent})["x"] == Careless()


jsons = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.properties
@cases(
    st.sampled_from(
        [Any, int, float, str, bool, list[int], dict[str, Any], tuple[int, ...],
         int | str, Literal[1, "1", None], Path, Decimal, set[int], dict[int, Any]]
    ),
    jsons,
)  # fmt: skip
def test_H24_whatever_the_default_what_is_listed_can_be_sent(
    hint: Any, default: Any
) -> None:
    tool = with_default(hint, default)
    schema = properties(tool)["x"]
    if "default" in schema:
        sent = copy.deepcopy(schema["default"])
        assert jsonable(run(tool, {"x": sent})["x"]) == jsonable(default)
