import pytest

from mingraph_lite.classroom import Prediction
from mingraph_lite.classroom.answers import chosen, same, votes_by_text

COLOURS = Prediction("Which?", ("red", "green", "blue"), {})
NUMBER = Prediction("How many?", (), {})
TEXT = Prediction("What does it say?", (), {}, "text")


@pytest.mark.parametrize("guess", [2, "2", 2.0, " 2 ", "two", "green", "Green "])
def test_a_choice_is_named_by_its_place_or_its_text(guess):
    assert chosen(COLOURS, guess) == "green"


@pytest.mark.parametrize(
    "guess", [0, 4, -1, 1.5, "yellow", "", None, True, ["red"], "about 2"]
)
def test_what_names_no_choice_is_none(guess):
    assert chosen(COLOURS, guess) is None


@pytest.mark.parametrize(
    ("guess", "text"),
    [
        *(("four", "4"), ("4.0", "4"), (4, "4"), (" 4 ", "4"), (1234567, "1234567")),
        *((0.5, "0.5"), ("about 4", None), ("many", None), (None, None)),
    ],
)
def test_a_typed_number_is_kept_in_one_way(guess, text):
    assert chosen(NUMBER, guess) == text


@pytest.mark.parametrize(
    ("guess", "text"), [(" 18 is it ", "18 is it"), (18, "18"), ("", None), (" ", None)]
)
def test_a_typed_text_is_kept_as_it_is(guess, text):
    assert chosen(TEXT, guess) == text


def test_numbers_and_texts_are_the_same_however_they_are_written():
    assert same("four", "4.0")
    assert same("Paris", "paris")
    assert not same("4", "five")
    assert not same("about 4", "4")


@pytest.mark.parametrize(
    ("asked", "counts", "votes"),
    [
        (COLOURS, [7, 0, 2], {"red": 7, "green": 0, "blue": 2}),
        (COLOURS, (n for n in (7, 0, 2)), {"red": 7, "green": 0, "blue": 2}),
        (COLOURS, {"blue": 2, 1: 7}, {"red": 7, "green": 0, "blue": 2}),
        (COLOURS, {"red": 1, 1: 2}, {"red": 3, "green": 0, "blue": 0}),
        (NUMBER, {4: 7, "four": 1, 2: 3}, {"4": 8, "2": 3}),
        (TEXT, {"18": 1}, {"18": 1}),
        (NUMBER, {}, {}),
    ],
)
def test_votes_are_counted_by_what_they_are_for(asked, counts, votes):
    assert votes_by_text(asked, counts) == votes


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        (COLOURS, [7, 2]),
        (COLOURS, [7, 0, 2, 1]),
        (COLOURS, [7, -1, 2]),
        (COLOURS, [7, 0.5, 2]),
        (COLOURS, [7, True, 2]),
        (COLOURS, "702"),
        (COLOURS, {"yellow": 1}),
        (COLOURS, 7),
        (COLOURS, None),
        (NUMBER, [7, 2]),
        (NUMBER, {"many": 2}),
    ],
)
def test_what_counts_nothing_is_no_vote(asked, counts):
    assert votes_by_text(asked, counts) is None
