"""What a tool's result becomes before the model reads it."""

import json
import math
import types
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel

from mingraph_lite.agent import Agent
from mingraph_lite.llm import ScriptedLLM
from mingraph_lite.messages import ToolCall, ToolMessage
from mingraph_lite.observation import plain_text, without_text
from mingraph_lite.tools import ToolRegistry


class Unit(Enum):
    C = "celsius"


class Level(IntEnum):
    LOW = 1


class Mode(StrEnum):
    FAST = "fast"


@dataclass
class Stop:
    city: str
    when: date = date(2024, 5, 1)
    tags: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Slotted:
    n: int = 1


class Own(BaseModel):
    n: int
    when: date = date(2024, 5, 1)
    ratio: float = math.nan


class Point(NamedTuple):
    x: int
    y: int


class Kit:
    pass


class Named(Kit):
    def __str__(self) -> str:
        return "the kit, at 0x10 in the cellar"


class Shown(Kit):
    def __repr__(self) -> str:
        return "Shown()"


class NoStr:
    def __str__(self) -> str:
        raise RuntimeError("no")


class NumberAsStr:
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


class NoItems(dict[str, int]):
    def items(self) -> Any:
        raise KeyError("no")


PNG = b"\x89PNG\r\n\x1a\n" + bytes(300_000 - 8)


# B08: each result is a text: 0, [] and null keep their value, bytes are described.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        ("18", "18"),
        ("null", "null"),
        (None, "null"),
        ([], "[]"),
        ({}, "{}"),
        ((), "[]"),
        (set(), "[]"),
        (0, "0"),
        (0.0, "0.0"),
        (False, "false"),
        (True, "true"),
        (10**400, f"1{'0' * 400}"),
        ({"t": 4}, '{"t": 4}'),
        ({"ä": ["ö", None, 1.5]}, '{"ä": ["ö", null, 1.5]}'),
        ({1: "a", None: "b", False: "c"}, '{"1": "a", "null": "b", "false": "c"}'),
        ({(1, 2): "a", Unit.C: "b", date(2024, 5, 1): "c"},
         '{"[1, 2]": "a", "celsius": "b", "2024-05-01": "c"}'),
        (OrderedDict(b=1, a=2), '{"b": 1, "a": 2}'),
        (types.MappingProxyType({"a": 1}), '{"a": 1}'),
        (Counter("aab"), '{"a": 2, "b": 1}'),
        ({}.keys(), "[]"),
        (deque([1, 2]), "[1, 2]"),
        (Point(1, 2), "[1, 2]"),
        (range(3), "range(0, 3)"),
        ({10, 1, 2}, "[1, 2, 10]"),
        (frozenset("cab"), '["a", "b", "c"]'),
        ({1, "a", None, (2,)}, '["a", 1, [2], null]'),
        (Stop("Oslo", tags={"b", "a"}),
         '{"city": "Oslo", "when": "2024-05-01", "tags": ["a", "b"]}'),
        ([Slotted()], '[{"n": 1}]'),
        (Own(n=1), '{"n": 1, "when": "2024-05-01", "ratio": "NaN"}'),
        (Unit.C, "celsius"),
        (Level.LOW, "1"),
        (Mode.FAST, "fast"),
        ([Unit.C, Level.LOW, Mode.FAST], '["celsius", 1, "fast"]'),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), "2024-05-01T12:00:00+00:00"),
        (date(2024, 5, 1), "2024-05-01"),
        (time(12, 30), "12:30:00"),
        (timedelta(hours=1), "1:00:00"),
        (Decimal("1.50"), "1.50"),
        ([Decimal("1.50")], '["1.50"]'),
        (Fraction(1, 3), "1/3"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (1 + 2j, "(1+2j)"),
        (ValueError("no such city"), "no such city"),
        (PNG, "(300000 bytes: a PNG image, not shown)"),
        ({"image": bytearray(b"GIF89a")},
         '{"image": "(6 bytes: a GIF image, not shown)"}'),
        (memoryview(b"abc"), "(3 bytes: binary data, not shown)"),
    ],
)  # fmt: skip
def test_B08_every_value_has_one_text(value: object, text: str) -> None:
    assert plain_text(value) == text
    assert type(plain_text(value)) is str


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Kit(), "<Kit object>"),
        ([Kit()], '["<Kit object>"]'),
        (object(), "<object object>"),
        (Named(), "the kit, at 0x10 in the cellar"),
        (Shown(), "Shown()"),
        (Kit, f"<class '{__name__}.Kit'>"),
        (len, "<built-in function len>"),
        (plain_text, "<function plain_text>"),
        ((n for n in [1]),
         "<generator object <genexpr>>"),
        (iter([1]), "<list_iterator object>"),
    ],
)  # fmt: skip
def test_B08_no_memory_address_gets_into_the_folder(value: object, text: str) -> None:
    assert plain_text(value) == text


def test_B08_an_iterator_is_named_and_not_used_up() -> None:
    def endless() -> Iterator[int]:
        while True:
            yield 1

    numbers = endless()
    assert plain_text({"numbers": numbers}).startswith('{"numbers": "<generator object')
    assert plain_text(iter([1, 2])) == "<list_iterator object>"
    assert next(numbers) == 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def in_itself() -> list[Any]:
    value: list[Any] = []
    value += [value, value]
    return value


def dict_in_itself() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (NoStr(), "NoStr"),
        (NumberAsStr(), "NumberAsStr"),
        (NoItems(a=1), "NoItems"),
        pytest.param(10**5000, "int", id="a number too long to write"),
    ],
)  # fmt: skip
def test_B08_what_cannot_be_read_is_said_and_never_raised(
    value: object, name: str
) -> None:
    text = f"Error: the result of type {name} has no readable form"
    assert plain_text(value) == text
    assert without_text(text) == name


@pytest.mark.parametrize("text", ["18", "Error: the result of type", ""])
def test_a_text_that_could_be_made_names_no_type(text: str) -> None:
    assert without_text(text) is None


# H21. Right: an unreadable field is a stand-in beside the readable ones.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"ok": 1, "bad": NoStr()}, '{"ok": 1, "bad": "<NoStr object>"}'),
        ([NoStr()], '["<NoStr object>"]'),
        ({NoStr(): 1}, '{"<NoStr object>": 1}'),
        ([NumberAsStr(), 10**5000], '["<NumberAsStr object>", "<int object>"]'),
        ({"a": NoItems(a=1)}, '{"a": "<NoItems object>"}'),
        (Stop("Oslo", NoStr()),  # type: ignore[arg-type]
         '{"city": "Oslo", "when": "<NoStr object>", "tags": []}'),
        (in_itself(), '["<list object>", "<list object>"]'),
        (dict_in_itself(), '{"self": "<dict object>"}'),
        (nested(100_000), "[" * 101 + '"<list object>"' + "]" * 101),
    ],
)  # fmt: skip
def test_H21_an_unreadable_part_is_named_beside_the_readable_ones(
    value: object, text: str
) -> None:
    assert plain_text(value) == text


def test_B08_a_deep_result_that_can_be_read_is_read() -> None:
    assert plain_text(nested(90)) == "[" * 91 + "]" * 91


@pytest.mark.parametrize(
    "value",
    [None, "", [], {}, 0, False, {"t": 4}, Stop("Oslo"), {1, 2}, date(2024, 5, 1), PNG,
     NoStr(), in_itself(), Kit(), "caf\udce9"],
)  # fmt: skip
def test_B08_no_result_of_a_tool_stops_the_run(value: object) -> None:
    def tool() -> object:
        return value

    tools = ToolRegistry()
    tools.add(tool)
    agent = Agent(ScriptedLLM([ToolCall("tool", {}), "done"]), tools, "")
    assert agent.run("go") == {"answer": "done"}
    (answer,) = [m for m in agent.memory.folder if isinstance(m, ToolMessage)]
    assert answer.content == plain_text(value)


# A06: NaN and Infinity become words: a result is strict JSON.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        ({"mean": math.nan, "max": math.inf}, '{"mean": "NaN", "max": "Infinity"}'),
        ([[-math.inf]], '[["-Infinity"]]'),
        ({math.nan: 1}, '{"NaN": 1}'),
        (Own(n=1, ratio=math.inf),
         '{"n": 1, "when": "2024-05-01", "ratio": "Infinity"}'),
    ],
)  # fmt: skip
def test_A06_a_result_is_strict_json_without_nan(value: object, text: str) -> None:
    assert plain_text(value) == text


def test_A06_a_strict_reader_reads_what_a_tool_gave() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = plain_text({"mean": math.nan, "max": [math.inf, {"min": -math.inf}]})
    assert json.loads(text, parse_constant=refuse) == {
        "mean": "NaN",
        "max": ["Infinity", {"min": "-Infinity"}],
    }


# B10: half characters are replaced once; a proper pair is one character.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("caf\udce9 \ud83d", "caf\ufffd \ufffd"),
        ("\ud83d\udc4d", "👍"),
        ("\udc4d\ud83d", "\ufffd\ufffd"),
        ("👍 é", "👍 é"),
        ({"a\udc80": ["\ud83d\udc4d", "\ud83d"]}, '{"a\ufffd": ["👍", "\ufffd"]}'),
        (PurePosixPath("caf\udce9"), "caf\ufffd"),
    ],
)
def test_B10_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_a_character(
    value: object, text: str
) -> None:
    assert plain_text(value) == text
    assert plain_text(value).encode() == text.encode()
