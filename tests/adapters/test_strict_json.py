"""Reading JSON without guessing: what is odd about a text is found."""

import math
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite.adapters.strict_json import (
    DoubledKey,
    GrowingJSON,
    NotJSON,
    brief,
    doubled_key,
    first_object,
    has_unsafe_number,
    read_json,
    too_deep,
)
from tests.properties import cases


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


class CountedKey(str):
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedKey.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


# H24. Right: 20,000 keys in one object take linear time.
def test_H24_a_doubled_key_is_found_in_one_go() -> None:
    keys = [CountedKey(f"k{n}") for n in range(2000)]
    twice = DoubledKey([(key, 1) for key in [*keys, CountedKey("k1999")]])
    CountedKey.compared = 0
    assert (twice.key, CountedKey.compared < 100) == ("k1999", True)


def is_json(text: str) -> bool:
    try:
        read_json(text)
    except NotJSON:
        return False
    return True


json_like = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", '"', "\\", ",", ":", " ", "\n", "\xa0", "1", "true", "-",
         '"a": 1', '{"a": "}"}', '"\\\\"', '"\\""'],
    ),
    max_size=8,
)  # fmt: skip


@pytest.mark.properties
@cases(json_like)
def test_a_text_in_pieces_is_whole_exactly_when_it_can_be_read(
    pieces: list[str],
) -> None:
    growing, asked_at_last = GrowingJSON(), GrowingJSON()
    for number, piece in enumerate(pieces, start=1):
        growing.add(piece)
        asked_at_last.add(piece)
        assert growing.is_whole() is is_json("".join(pieces[:number]))
    assert str(growing) == "".join(pieces)
    assert asked_at_last.is_whole() is is_json("".join(pieces))


class CountedJSON(GrowingJSON):
    parsed = 0

    def __str__(self) -> str:
        self.parsed += 1
        return super().__str__()


@pytest.mark.parametrize(
    ("first", "more", "last", "most"),
    [
        ('{"f": "', "}", '"}', 1),
        ('{"f": [', "[],", "1]}", 1),
        ("{}", "{}", "{}", 1),
        ("{}", "{", "}", 1),
        ('{"f": 1}', " ", "\n", 1),
        ("no JSON", " at all", "", 0),
    ],
)
def test_a_text_in_pieces_is_parsed_once_however_often_it_is_asked_for(
    first: str, more: str, last: str, most: int
) -> None:
    growing = CountedJSON()
    for piece in [first, *[more, last if more == "{" else ""] * 500, last]:
        growing.add(piece)
        growing.is_whole()
    assert growing.parsed <= most
