"""Errands that a learner may write, and what is said of them."""

import pytest

from mingraph_lite.classroom.checks.answer_words import says_it_failed, wrong_not_run
from mingraph_lite.classroom.checks.errand_checks import in_turn, wrong_errands
from mingraph_lite.classroom.checks.errand_runs import errands_of, failures, slips
from mingraph_lite.classroom.checks.safe_loop_checks import (
    no_exception,
    wrong_at_the_limit,
    wrong_when_it_fails,
)
from mingraph_lite.classroom.loading import load
from mingraph_lite.messages import ToolMessage

NO_ANSWER, ERRANDS, LOOP = load("05_errors").exercises[3].solution


def leaves_slips_open(tools, calls, folder):
    for call in calls:
        folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))


def test_what_ran_what_was_said_and_what_was_raised_is_noted():
    down = TimeoutError("down")
    done = errands_of(ERRANDS, slips("Paris", "Tokyo", "Rome"), {"Tokyo": down})
    said = [message.content for message in done.told]
    assert (done.ran, said, done.raised) == (
        ["Paris", "Tokyo"],
        ["18", "Error: down", "not run"],
        down,
    )


def test_the_tools_of_two_runs_do_not_mix():
    first = errands_of(ERRANDS, slips("Paris"), {})
    second = errands_of(ERRANDS, slips("Tokyo", "Rome"), {})
    assert (first.ran, second.ran) == (["Paris"], ["Tokyo", "Rome"])


def test_errands_are_right_however_the_failure_is_kept():
    assert wrong_errands(ERRANDS) is None


def test_an_open_slip_is_named_with_the_error_that_left_it():
    assert wrong_errands(leaves_slips_open) == (
        "The tool raised TimeoutError, and 1 of 3 slips have an answer when it leaves."
    )


def test_an_error_of_the_learners_own_is_handed_on():
    def broken(tools, call, folder):
        nowhere  # noqa: B018, F821

    with pytest.raises(NameError):
        wrong_errands(in_turn(broken), most=1)


def test_each_failure_is_a_fresh_one_of_another_kind():
    first, second = failures(), failures()
    assert [type(error) for error in first] == [type(error) for error in second]
    assert len({type(error) for error in first}) == len(first)
    assert not {*map(id, first)} & {*map(id, second)}


@pytest.mark.parametrize(
    "said", ["not run", "Skipped.", "nobody tried this one", "not run: slip 2 failed"]
)
def test_many_words_say_that_an_errand_did_not_run(said):
    assert wrong_not_run(slips("Rome")[0], said, 3) is None


@pytest.mark.parametrize("said", ["24", "about twenty", "not run, but 24 or so"])
def test_a_number_that_nobody_measured_is_a_lie(said):
    wrong = wrong_not_run(slips("Rome")[0], said, 3)
    assert wrong is not None
    assert wrong.endswith("Nobody measured that.")


def test_the_errors_own_words_say_that_it_failed():
    assert says_it_failed("'temperature'", KeyError("temperature"))
    assert not says_it_failed("Lovely weather.", KeyError("temperature"))


def test_a_safe_loop_raises_at_its_limit_and_leaves_a_folder_to_go_on_with():
    assert wrong_at_the_limit(NO_ANSWER, LOOP) is None
    assert wrong_when_it_fails(LOOP) is None


def test_only_a_class_of_exceptions_can_be_raised():
    said = "NoAnswer is a class made from Exception: class NoAnswer(Exception)."
    kinds = [NO_ANSWER, NO_ANSWER("x"), "NoAnswer", int, KeyboardInterrupt]
    assert [no_exception(kind) for kind in kinds] == [None, said, said, said, said]
