"""Reading JSON without guessing: what is odd about a text is found."""

import math
from typing import Any

import pytest

from mingraph_lite.adapters.strict_json import (
    Brackets,
    DoubledKey,
    NotJSON,
    brief,
    doubled_key,
    first_object,
    has_unsafe_number,
    read_json,
    too_deep,
)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


TWICE = '{"a": 1, "b": 2, "a": 3}'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null, "x"]}', {"a": [1, None, "x"]}),
        (" 7 ", 7),
        ("Infinity", math.inf),
        ("[" * 100 + "]" * 100, nested(99)),
        ('"' + "[" * 5000 + '"', "[" * 5000),
    ],
)
def test_json_is_read_as_it_stands(text: str, value: Any) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", "1 2", "9" * 5000, "[" * 101])
def test_what_is_no_json_is_said_in_one_way(text: str) -> None:
    with pytest.raises(NotJSON):
        read_json(text)


def test_a_key_that_stands_twice_is_found_and_written_as_it_came() -> None:
    value = read_json(TWICE)
    assert (type(value), value, value.key) == (DoubledKey, {"a": 3, "b": 2}, "a")
    assert list(value.items()) == [("a", 1), ("b", 2), ("a", 3)]
    assert doubled_key([{"x": value}]) == "a"
    assert doubled_key([{"x": {}}]) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('say {"a": 1} now', ("say ", {"a": 1}, " now")),
        ('{"a": {"b": 1}}', ("", {"a": {"b": 1}}, "")),
        ('{"a": {"b": 1}', None),
        ('[1] {"a": 1}', None),
        ("no bracket", None),
        ('{"a": ' + "[" * 5000, None),
    ],
)
def test_the_first_object_is_the_one_at_the_first_bracket(
    text: str, found: Any
) -> None:
    assert first_object(text) == found


@pytest.mark.parametrize(
    ("value", "unsafe"),
    [
        ([{"a": math.nan}], True),
        (-math.inf, True),
        (10**400, True),
        (10**300, False),
        ({"a": [1.5, True, None, "NaN"]}, False),
    ],
)
def test_a_number_that_is_none_is_found(value: Any, unsafe: bool) -> None:
    assert has_unsafe_number(value) is unsafe


@pytest.mark.parametrize(("depth", "deep"), [(98, False), (100, True), (5000, True)])
def test_what_is_nested_too_deep_is_found(depth: int, deep: bool) -> None:
    assert too_deep({"in": nested(depth)}) is deep


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("two\n words", "'two words'"),
        ("half \ud83d", "'half \ufffd'"),
        ({"a": math.nan}, '\'{"a": "NaN"}\''),
        ("x" * 80, repr("x" * 80)),
        ("x" * 81, repr("x" * 79 + "…")),
    ],
)
def test_a_quotation_fits_into_a_sentence(value: Any, words: str) -> None:
    assert brief(value) == words


# H24. Right: linear time, however many keys an object has.
def test_H24_the_first_key_that_is_doubled_is_found_in_one_walk():
    looked_at: list[str] = []

    class Key(str):
        def __hash__(self) -> int:
            looked_at.append(self)
            return super().__hash__()

        __eq__ = str.__eq__

    names = [Key(f"k{number}") for number in range(20_000)]
    doubled = DoubledKey([(name, 1) for name in [*names, names[-1]]])
    looked_at.clear()
    assert doubled.key == "k19999"
    assert len(looked_at) <= 3 * len(names)


@pytest.mark.parametrize(
    ("pieces", "closed", "found"),
    [
        ([], True, False),
        (["12"], True, False),
        (['{"a": ', "1"], False, True),
        (['{"a": ', "1}"], True, True),
        (['{"a": "}', '"}'], True, True),
        (['{"a": "\\', '"}'], False, True),
        (['{"a": "\\', '"}"}'], True, True),
        (['{"a": "\\\\', '"}'], True, True),
        (['"half'], False, True),
        (["[{", "}"], False, True),
        (["[{", "}]"], True, True),
    ],
)
def test_what_is_open_is_known_piece_by_piece(pieces, closed, found):
    brackets = Brackets()
    for piece in pieces:
        brackets.read(piece)
    assert (brackets.closed, brackets.found) == (closed, found)
