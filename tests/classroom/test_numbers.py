import pytest

from mingraph_lite.classroom import numbers_in
from mingraph_lite.classroom.numbers import number_of


@pytest.mark.parametrize(
    "text", [4, 4.0, "4", " 4 ", "4.0", "4.", "four", "Four", "+4", " four "]
)
def test_four_is_four_however_it_is_written(text):
    assert number_of(text) == 4


@pytest.mark.parametrize(
    "text", ["-18", "minus 18", "minus eighteen", "Minus 18", "\u221218", -18]
)
def test_below_zero_is_said_in_signs_and_words(text):
    assert number_of(text) == -18


@pytest.mark.parametrize(
    "text",
    [
        *("about 4", "4 calls", "4 5", "", " ", "many", "nan", "inf", "1e3", None),
        *(True, [4], "4-5", "four or five", "4,0"),
    ],
)
def test_what_says_more_or_less_than_a_number_is_none(text):
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Paris: 18°C, Tokyo: 24.", [18, 24]),
        ("twenty-four and Twenty Four", [24, 24]),
        ("minus eighteen", [-18]),
        ("from 5-3", [5, 3]),
        ("call_1 and 1.2.3 say 0.5", [0.5]),
        ("none", []),
        (7, [7]),
    ],
)
def test_the_numbers_of_a_sentence_are_found(text, numbers):
    assert numbers_in(text) == numbers
