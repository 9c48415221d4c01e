"""The nearest value that strict JSON can hold; test_observation has more kinds."""

import json
import math
from array import array
from collections import UserList
from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from mingraph_lite.observation import plain_text
from mingraph_lite.schema.frozen import read_only
from mingraph_lite.schema.jsonable import jsonable, valid_text, write_json


class Unit(Enum):
    C = "celsius"


class Kit:
    pass


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no")


class Array:
    """As numpy's, which writes a long one without its middle."""

    def tolist(self) -> list[int]:
        return [1, 2]

    def __str__(self) -> str:
        return "[1 ... 2]"


class Word(str):
    pass


class Broken(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def in_itself() -> list[Any]:
    value: list[Any] = [1]
    value += [value, value]
    return value


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}),
        ([math.nan, math.inf, -math.inf], ["NaN", "Infinity", "-Infinity"]),
        (2**1024 - 2**971, 2**1024 - 2**971),  # the largest float
        (2**1024 - 1, str(2**1024 - 1)),
        ([2**1024, -(2**1024)], [str(2**1024), str(-(2**1024))]),
        ({10, 9, 1}, [1, 9, 10]),
        ([(1, 2), Unit.C, date(2024, 5, 1)], [[1, 2], "celsius", "2024-05-01"]),
        ([b"%PDF-1"], ["(6 bytes: a PDF file, not shown)"]),
        ({None: 1, 2.5: 2, Unit.C: 3}, {"null": 1, "2.5": 2, "celsius": 3}),
        (["\ud83d\udc4d", "\ud83d"], ["\U0001f44d", "\ufffd"]),
        ({"\ud83d": 1}, {"\ufffd": 1}),
        (Word("x"), "x"),
        (read_only({"a": [1]}), {"a": [1]}),
        ([Array(), array("i", [1])], [[1, 2], [1]]),
        ([{"b": 2, "a": 1}.values(), UserList([3])], [[2, 1], [3]]),
        (SimpleNamespace(a={1}), {"a": [1]}),
    ],
)  # fmt: skip
def test_a_value_becomes_the_nearest_that_json_can_hold(value: Any, want: Any) -> None:
    assert jsonable(value) == want
    assert json.loads(write_json(value)) == want


class Digit(Enum):
    ONE = "1"
    UNO = 1


# H24. Right: a dict with keys 1 and "1" keeps both, each time in the same form.
@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({1: "a", "1": "b"}, {"1 (int)": "a", "1": "b"}),
        ({"1": "b", 1: "a"}, {"1": "b", "1 (int)": "a"}),
        ({True: 1, "true": 2}, {"true (bool)": 1, "true": 2}),
        ({None: 1, "null": 2}, {"null (NoneType)": 1, "null": 2}),
        ({Digit.ONE: 1, 1: 2, "1": 3, Digit.UNO: 4},
         {"1 (Digit)": 1, "1 (int)": 2, "1": 3, "1 (Digit 2)": 4}),
        ({1: 1, "1": 2, "1 (int)": 3}, {"1 (int 2)": 1, "1": 2, "1 (int)": 3}),
        ({Digit.ONE: 1, 1: 2}, {"1": 1, "1 (int)": 2}),
        ({"\ud83d": 1, chr(0xFFFD): 2},
         {"\ufffd (str)": 1, "\ufffd": 2}),
        ([{"in": {(1,): 1, "[1]": 2}}], [{"in": {"[1] (tuple)": 1, "[1]": 2}}]),
    ],
)  # fmt: skip
def test_H24_keys_that_become_alike_are_all_kept(value: Any, want: Any) -> None:
    assert (jsonable(value), json.loads(write_json(value))) == (want, want)
    assert json.loads(plain_text(value)) == want


def test_H24_thousands_of_keys_that_become_alike_are_told_apart_in_one_go() -> None:
    mutes = {Mute(): n for n in range(20_000)}
    made = jsonable(mutes)
    assert (len(made), list(made)[-1]) == (20_000, "<Mute object> (Mute 19999)")


def test_what_comes_out_is_made_of_plain_types_only() -> None:
    made = jsonable(read_only({"a": [Word("x"), {"b": True}]}))
    parts = [made, made["a"], made["a"][0], made["a"][1]]
    assert [type(part) for part in parts] == [dict, list, str, dict]


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"a": 1, "b": Mute()}, {"a": 1, "b": "<Mute object>"}),
        ([Kit(), Broken()], ["<Kit object>", "<Broken object>"]),
        ({Mute(): 1}, {"<Mute object>": 1}),
        ([10**5000], ["<int object>"]),
        (in_itself(), [1, "<list object>", "<list object>"]),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_read_is_named_and_the_rest_is_kept(
    value: Any, want: Any
) -> None:
    assert jsonable(value) == want


def test_what_lies_too_deep_is_named() -> None:
    made = jsonable(nested(5000))
    for _ in range(101):
        (made,) = made
    assert made == "<list object>"


def test_a_part_may_stand_twice_side_by_side() -> None:
    part = [1]
    assert jsonable([part, part]) == [[1], [1]]


def test_an_iterator_is_not_used_up() -> None:
    numbers = iter([1, 2])
    assert jsonable([numbers]) == ["<list_iterator object>"]
    assert next(numbers) == 1


def test_who_asks_may_say_what_stands_for_a_part_that_cannot_be_read() -> None:
    assert jsonable([1, Mute()], unreadable=lambda part: None) == [1, None]


def test_who_asks_may_refuse_a_part_that_cannot_be_read() -> None:
    def refuse(part: object) -> None:
        raise LookupError(type(part).__name__)

    with pytest.raises(LookupError):
        jsonable({"a": [Mute()]}, unreadable=refuse)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("plain", "plain"),
        ("é 👍", "é 👍"),
        ("\ud83d\udc4d", "👍"),
        ("a\udce9", "a\ufffd"),
    ],
)
def test_half_a_character_is_mended(text: str, valid: str) -> None:
    assert valid_text(text) == valid
