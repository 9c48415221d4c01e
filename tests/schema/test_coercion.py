"""How what a model sent becomes the type a function declared."""

import copy
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypedDict,
)
from uuid import UUID

import pytest
from pydantic import Field

from mingraph_lite.messages import ToolCall
from tests.lines import grows_with_its_input
from tests.schema.adding import (
    Cat,
    Dog,
    Own,
    Stop,
    Unit,
    plan,
    read,
    refusal,
    registry,
    run,
)

# C06. Right: "5" is taken for 5, true is no number, in every tool and at every depth.


@dataclass
class Numbers:
    n: int = 0
    flag: bool = False
    ratio: float = 0.0
    tag: str = ""


class Loose(TypedDict):
    n: NotRequired[int]
    flag: NotRequired[bool]
    ratio: NotRequired[float]
    tag: NotRequired[str]


def take(
    n: int = 0,
    flag: bool = False,
    ratio: float = 1.0,
    tag: str = "",
    ns: list[int] | None = None,
    flags: list[bool] | None = None,
    ratios: list[float] | None = None,
    tags: list[str] | None = None,
    many: dict[str, Numbers] | None = None,
    loose: tuple[Loose, ...] = (),
) -> dict[str, Any]:
    return locals()


def at_every_depth(name: str, sent: object) -> list[tuple[dict[str, Any], str]]:
    """The same value as an argument, in a list, in a dataclass and in a TypedDict."""
    return [
        ({name: sent}, name),
        ({f"{name}s": [sent]}, f"{name}s[0]"),
        ({"many": {"a": {name: sent}}}, f"many.a.{name}"),
        ({"loose": [{name: sent}]}, f"loose[0].{name}"),
    ]


def received(values: dict[str, Any], name: str) -> list[Any]:
    """Where `at_every_depth` put the value: whichever of the four was sent."""
    found = [values[name], *(values[f"{name}s"] or ())]
    found += [getattr(each, name) for each in (values["many"] or {}).values()]
    return [*found, *(each[name] for each in values["loose"])]


@pytest.mark.parametrize(
    ("name", "sent", "value"),
    [
        *[("n", sent, 5) for sent in (5, "5", " 5 ", 5.0, "5.0", "+5", "05")],
        ("n", -3, -3),
        ("n", 10**30, 10**30),
        *[("flag", sent, True) for sent in (True, "true", "TRUE", " True ")],
        *[("flag", sent, False) for sent in (False, "false", "FALSE", "False")],
        *[("ratio", sent, 2.0) for sent in (2, 2.0, "2", " 2.0 ")],
        ("ratio", "2.5", 2.5),
        *[("tag", sent, sent) for sent in ("", "12", "null", "true", " x ")],
    ],
)
def test_C06_good_values_become_the_declared_type_at_every_depth(
    name: str, sent: object, value: object
) -> None:
    for arguments, _ in at_every_depth(name, sent):
        got = received(run(take, arguments), name)[-1]
        assert (type(got), got) == (type(value), value)


HUGE = "1e1000000000"

WHOLE, NUMBER = "must be a whole number", "must be a number"

BOOL, TEXT = "must be true or false", "must be a text"


@pytest.mark.parametrize(
    ("name", "sent", "shown", "wanted"),
    [
        ("n", 5.5, "5.5", WHOLE),
        ("n", True, "true", WHOLE),
        ("n", False, "false", WHOLE),
        ("n", "five", '"five"', WHOLE),
        ("n", HUGE, f'"{HUGE}"', WHOLE),
        ("n", "9" * 5000, f'"{"9" * 79}…', WHOLE),
        ("n", 1e300, "1e+300", WHOLE),
        ("n", None, "null", WHOLE),
        ("n", "0x10", '"0x10"', WHOLE),
        ("n", "", '""', WHOLE),
        ("n", [5], "[5]", WHOLE),
        ("n", math.inf, "Infinity", "must be a finite number"),
        ("flag", "yes", '"yes"', BOOL),
        ("flag", 0, "0", BOOL),
        ("flag", 1, "1", BOOL),
        ("flag", 2, "2", BOOL),
        ("flag", 1.0, "1.0", BOOL),
        ("flag", None, "null", BOOL),
        ("ratio", True, "true", NUMBER),
        ("ratio", "two", '"two"', NUMBER),
        ("ratio", "inf", '"inf"', "must be a finite number"),
        ("ratio", "1e999", '"1e999"', "must be a finite number"),
        ("ratio", None, "null", NUMBER),
        ("tag", 12, "12", TEXT),
        ("tag", 1.5, "1.5", TEXT),
        ("tag", True, "true", TEXT),
        ("tag", None, "null", TEXT),
        ("tag", ["a"], '["a"]', TEXT),
    ],
)
def test_C06_bad_values_are_refused_with_path_value_and_wanted_type(
    name: str, sent: object, shown: str, wanted: str
) -> None:
    for arguments, path in at_every_depth(name, sent):
        problem = f"take: {path} was {shown}: {wanted}. It takes: n (optional), "
        assert refusal(take, arguments).startswith(problem)


def test_C06_what_was_sent_is_left_as_it_was() -> None:
    def sort(items: list, extra: Any, table: dict) -> list:
        items.sort()
        items[0].append(9)
        extra["more"] = True
        table.clear()
        return items

    sent = {"items": [[2], [1]], "extra": {"a": [1]}, "table": {"k": "v"}}
    call = ToolCall("sort", copy.deepcopy(sent))
    assert registry(sort).run(call) == [[1, 9], [2]]
    assert call.arguments == sent


def arrived(hint: Any, sent: object) -> Any:
    """What a tool gets whose only parameter has this hint."""

    def tool(x: hint) -> Any:
        return x

    return run(tool, {"x": sent})


@pytest.mark.parametrize(
    ("hint", "sent", "value"),
    [
        (int | str, "5", "5"),
        (int | str, 5, 5),
        (int | float, 5, 5),
        (int | float, 5.5, 5.5),
        (bool | int, 1, 1),
        (bool | int, True, True),
        (int | None, None, None),
        (int | None, "5", 5),
        (Literal["a"] | int, "5", 5),
        (int | list[int], ["5"], [5]),
    ],
)
def test_C06_in_a_union_a_value_of_one_of_its_types_stays_as_it_is(
    hint: Any, sent: object, value: object
) -> None:
    got = arrived(hint, sent)
    assert (type(got), got) == (type(value), value)


def test_C06_the_problems_of_a_union_are_alternatives() -> None:
    def tool(x: int | Stop) -> Any:
        return x

    assert refusal(tool, {"x": {"nights": True}}) == (
        'tool: x was {"nights": true}: must be a whole number; or x.city is missing; '
        "x.nights was true: must be a whole number. It takes: x."
    )


def test_C06_a_pydantic_model_keeps_the_rules_of_its_author() -> None:
    def tool(own: Own) -> Own:
        return own

    assert run(tool, {"own": {"n": True, "flag": "yes"}}) == Own(n=1, flag=True)
    assert refusal(tool, {"own": {"n": "x", "flag": 2}}) == (
        'tool: own.n was "x": must be a whole number; '
        "own.flag was 2: must be true or false. It takes: own."
    )


# A06. Right: a number that is not finite is the model's mistake, and the tool not run.


@pytest.mark.parametrize("sent", [math.nan, math.inf, -math.inf, float("1e999")])
@pytest.mark.parametrize("hint", [float, int, Any, list, float | None, Decimal])
def test_A06_a_number_that_is_not_finite_never_reaches_a_tool(
    hint: Any, sent: float
) -> None:
    def scale(x: hint) -> None:
        raise AssertionError("it was run")

    arguments = {"x": [[sent]]} if hint is list else {"x": sent}
    assert "must be a finite number" in refusal(scale, arguments)


# C07. Right: one message names all that is unknown, missing and accepted.


@pytest.mark.parametrize(
    ("sent", "problems"),
    [
        ({"path": "a", "why": "b"}, "why is not one of its parameters"),
        ({}, "path is missing"),
        ({"file": "a"}, "path is missing; file is not one of its parameters"),
        ({"path": 1, "x": 2},
         "path was 1: must be a text; x is not one of its parameters"),
    ],
)  # fmt: skip
def test_C07_one_message_names_all_that_is_unknown_missing_and_accepted(
    sent: dict[str, Any], problems: str
) -> None:
    assert refusal(read, sent) == f"read: {problems}. It takes: path."


def test_C07_a_tool_without_parameters_says_that_it_takes_none() -> None:
    def ping() -> str:
        return "pong"

    assert refusal(ping, {"x": 1}) == (
        "ping: x is not one of its parameters. It takes: no arguments."
    )


def test_C07_unknown_keys_are_refused_at_every_depth_unless_the_class_wants_them() -> (
    None
):
    class Open(TypedDict):
        __pydantic_config__ = {"extra": "allow"}  # noqa: RUF012
        a: int

    def tool(stop: Stop, open: Open) -> Any:
        return open

    sent = {"stop": {"city": "Oslo", "days": 2}, "open": {"a": "1", "b": 2}}
    assert refusal(tool, sent) == (
        "tool: stop.days is not known there. It takes: stop, open."
    )
    del sent["stop"]["days"]
    assert run(tool, sent) == {"a": 1, "b": 2}


def test_C07_of_very_many_problems_the_first_ten_are_told() -> None:
    def tool(ns: list[int]) -> None: ...

    problems = "; ".join(f'ns[{i}] was "x": must be a whole number' for i in range(10))
    assert refusal(tool, {"ns": ["x"] * 1000}) == (
        f"tool: {problems}; and 990 more problems. It takes: ns."
    )


# C07, B09. Right: what the model is told stays short, however long a key it made up.
def test_C07_a_very_long_key_is_cut() -> None:
    def tool(counts: dict[str, int]) -> None: ...

    key, cut = "k" * 50_000, f"{'k' * 80}…"
    assert refusal(tool, {key: 1, "counts": {key: "x"}}) == (
        f'tool: counts.{cut} was "x": must be a whole number; {cut} is not one of its '
        "parameters. It takes: counts."
    )


# C10. Right: the function gets the types it declared; a problem lists what is allowed.


def test_C10_the_function_receives_the_types_it_declared() -> None:
    sent = {"unit": "celsius", "stops": [{"city": "Oslo"}]}
    assert run(plan, sent) == [Unit.C, [Stop("Oslo", 1)], {}, 1]


UNITS = 'must be "celsius" or "fahrenheit"'


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"unit": "kelvin", "stops": []}, f'unit was "kelvin": {UNITS}'),
        ({"unit": "C", "stops": []}, f'unit was "C": {UNITS}'),
        ({"unit": True, "stops": []}, f"unit was true: {UNITS}"),
        ({"unit": "celsius", "stops": [{"nights": 2}]}, "stops[0].city is missing"),
        ({"unit": "celsius", "stops": ["Oslo"]},
         'stops[0] was "Oslo": must be an object'),
        ({"unit": "celsius", "stops": {"city": "Oslo"}},
         'stops was {"city": "Oslo"}: must be a list'),
        ({"unit": "celsius", "stops": [], "opts": {"a": "x"}},
         'opts.a was "x": must be a whole number'),
        ({"unit": "celsius", "stops": [], "pick": "three"},
         'pick was "three": must be 1 or "two" or null'),
        ({"unit": "celsius", "stops": [], "pick": True},
         'pick was true: must be 1 or "two" or null'),
    ],
)  # fmt: skip
def test_C10_a_problem_has_its_path_and_lists_what_is_allowed(
    sent: dict[str, Any], problem: str
) -> None:
    takes = "unit, stops, opts (optional), pick (optional)"
    assert refusal(plan, sent) == f"plan: {problem}. It takes: {takes}."


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Point(NamedTuple):
    x: int
    y: int = 0


@pytest.mark.parametrize(
    ("hint", "sent", "value"),
    [
        (Literal[1, "1"], "1", "1"),
        (Literal[1, 2], "2", 2),
        (Literal[1, 2], 2.0, 2),
        (Literal[Unit.C], "celsius", Unit.C),
        (Level, 2, Level.HIGH),
        (Level, " 2 ", Level.HIGH),
        (dict[int, bool], {"1": "true"}, {1: True}),
        (tuple[int, str], ["1", "a"], (1, "a")),
        (set[int], ["1", 1, 2], {1, 2}),
        (frozenset[str], ["a"], frozenset({"a"})),
        (Iterable[int], ["1", "2"], [1, 2]),
        (list[list[int]], [["1"], []], [[1], []]),
        (Point, ["1"], Point(1)),
        (Loose, {"n": "1"}, {"n": 1}),
        (list[Own], [{"n": "1"}], [Own(n=1)]),
        (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog"},
         Dog(kind="dog")),
        (Path, "a/b", Path("a/b")),
        (datetime, "2024-05-01T12:00:00", datetime(2024, 5, 1, 12)),
        (date, "2024-05-01", date(2024, 5, 1)),
        (timedelta, "PT1H", timedelta(hours=1)),
        (Decimal, "1.50", Decimal("1.50")),
        (UUID, "12345678" * 4, UUID(int=0x12345678_12345678_12345678_12345678)),
        (None, None, None),
        (object, {"a": 1}, {"a": 1}),
    ],
)  # fmt: skip
def test_C10_every_kind_of_type_arrives_as_declared(
    hint: Any, sent: object, value: object
) -> None:
    got = arrived(hint, sent)
    assert (type(got), got) == (type(value), value)


def test_C10_a_dataclass_that_refuses_its_values_says_why_to_the_model() -> None:
    @dataclass
    class Span:
        start: int
        end: int

        def __post_init__(self) -> None:
            if self.end < self.start:
                raise ValueError("end is before start")

    def tool(span: Span) -> Span:
        return span

    assert refusal(tool, {"span": {"start": 2, "end": 1}}) == (
        'tool: span was {"start": 2, "end": 1}: end is before start. It takes: span.'
    )


class Switch(Enum):
    ON = True
    OFF = False


class Level(Enum):
    ONE = 1


# H24. Right: 1 is refused for true, and true for 1, in a Literal as in an Enum.
@pytest.mark.parametrize(
    ("hint", "sent", "taken"),
    [
        (Literal[True], True, [True]),
        (Literal[True], 1, None),
        (Literal[True], 1.0, None),
        (Literal[True], "1", None),
        (Literal[False], 0, None),
        (Literal[1], True, None),
        (Literal[0], False, None),
        (Literal[1], "1", [1]),
        (Literal[1, True], True, [True]),
        (Literal[True, 1], 1, [1]),
        (Switch, True, [Switch.ON]),
        (Switch, 1, None),
        (Switch, 0, None),
        (Level, 1, [Level.ONE]),
        (Level, True, None),
    ],
)
def test_H24_true_is_no_number_and_a_number_is_not_true(
    hint: Any, sent: object, taken: list[object] | None
) -> None:
    def tool(x: hint) -> list[Any]:
        return [type(x), x]

    if taken is None:
        assert "x was" in refusal(tool, {"x": sent})
    else:
        assert run(tool, {"x": sent}) == [type(taken[0]), taken[0]]


class Listed(Enum):
    PAIR = [1, 2]  # noqa: RUF012
    ONE = 1


def test_an_enum_may_hold_what_is_no_key_of_a_dict() -> None:
    def tool(x: Listed) -> Listed:
        return x

    assert run(tool, {"x": [1, 2]}) is Listed.PAIR
    assert [run(tool, {"x": x}) for x in (1, 1.0, " 1 ")] == [Listed.ONE] * 3


def test_H24_a_long_list_of_a_long_enum_is_read_in_linear_time() -> None:
    def job(n: int) -> Any:
        names = [f"v{place}" for place in range(n)]
        kind: Any = Enum("kind", names)  # type: ignore[misc]

        def tool(x: list[kind]) -> int:
            return len(x)

        tools = registry(tool)
        call = ToolCall("tool", {"x": list(range(1, n + 1))})
        return lambda: tools.run(call)

    assert grows_with_its_input(job)
