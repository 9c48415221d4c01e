import builtins

import pytest

from mingraph_lite.classroom import Exercise
from mingraph_lite.classroom.judging import judged
from mingraph_lite.classroom.loading import load


def twice(number):
    return 2 * number


def an_exercise(check=lambda answer: None if answer(4) == 8 else "Not twice."):
    return Exercise(check, None, twice, {}, ("", ""))


async def later(number):
    return 2 * number


class Twice:
    def __call__(self, number):
        return 2 * number


def alone():
    return "One city"


def stopped(number):
    raise KeyboardInterrupt


def typed(number):
    return int(input("Twice what? "))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (later, "later is an async def, and nobody waits for it: a plain def."),
        (Twice, "Twice is a class. Hand in the function that you wrote."),
    ],
)
def test_what_is_no_plain_function_is_told_by_its_kind(answer, said):
    assert judged(an_exercise(), answer) == said


def test_a_def_with_other_parameters_is_told_in_words():
    badge = load("02_state_as_dict").exercises[2]
    assert judged(badge, alone) == (
        "It takes other arguments than the exercise hands in: look at its def. Python "
        "says: alone() takes 0 positional arguments but 1 was given."
    )


@pytest.mark.parametrize("answer", [twice, Twice(), Twice().__call__])
def test_whatever_can_be_called_is_judged_by_what_it_does(answer):
    assert judged(an_exercise(), answer) is None


def test_ctrl_c_inside_of_an_answer_ends_the_check_and_nothing_else():
    said = judged(an_exercise(), stopped)
    assert said.startswith("Your code raised KeyboardInterrupt\n  in line ")


def test_nobody_has_to_type_while_a_check_runs():
    usual = builtins.input
    assert judged(an_exercise(), typed) == (
        "Your code was stopped: it waits for somebody to type, at "
        "input('Twice what? ')."
    )
    assert builtins.input is usual
