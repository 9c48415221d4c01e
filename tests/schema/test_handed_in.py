import pytest

from mingraph_lite.schema.handed_in import in_words, must_be, must_be_called, must_offer


class Kit:
    open = 1


def work() -> None:
    """Nothing."""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        ("a text", "'a text'"),
        ("x" * 99, "'" + "x" * 58 + "…"),
        (3, "3"),
        (Kit, "the class Kit"),
        (Kit(), "a Kit"),
        (OSError(), "an OSError"),
        (work, "the function work"),
        (len, "the builtin_function len"),
        ([], "an empty list"),
        ([1], "a list"),
        ({}, "an empty dict"),
    ],
)
def test_what_was_handed_in_is_said_in_a_few_words(value, words):
    assert in_words(value) == words


def test_an_object_that_lacks_something_is_told_what():
    with pytest.raises(TypeError) as raised:
        must_offer(Kit(), "The kit", "open close shut", "Hand in a whole one.")
    assert str(raised.value) == (
        "The kit is a Kit, which has no close and no shut. Hand in a whole one."
    )


def test_a_class_is_not_taken_for_an_object_of_it():
    with pytest.raises(TypeError) as raised:
        must_offer(Kit, "The kit", "open", "")
    assert str(raised.value) == (
        "The kit is the class Kit, and an object of it is needed: Kit(…)."
    )


def test_what_is_as_it_should_be_passes():
    assert must_offer(Kit(), "The kit", "open", "") is None
    assert must_be(3, int, "n", "") is None
    assert must_be_called(work, "The work", "") is None


@pytest.mark.parametrize("value", ["3", True, None])
def test_another_kind_is_refused_and_true_is_no_number(value):
    with pytest.raises(TypeError, match=rf"^n is {value!r}\. Give a number\.$"):
        must_be(value, int | float, "n", "Give a number.")


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match=r"^The work is 3\. Hand in a function\.$"):
        must_be_called(3, "The work", "Hand in a function.")
