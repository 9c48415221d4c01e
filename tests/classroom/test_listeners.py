"""Listeners and platforms that a learner may write, and what is said of them."""

import sys
from contextlib import suppress

import pytest

from mingraph_lite.classroom import load
from mingraph_lite.classroom.checks.listeners import (
    no_listener,
    wrong_count,
    wrong_sheet,
)
from mingraph_lite.classroom.checks.platforms import Notes, Trips, wrong_platform
from mingraph_lite.observers import Observer

ANNOUNCES, COUNTED, TALLIED, UNHARMED = load("06_observers").exercises
LOOP, PLATFORM = UNHARMED.solution
TALLY = TALLIED.solution


def test_a_listener_is_a_class_with_its_method():
    assert no_listener(COUNTED.solution, "Accounts", "hear") is None
    assert no_listener(len, "Accounts", "hear") == (
        "Hand in the class itself: Accounts, without brackets behind it."
    )
    assert no_listener(int, "Accounts", "hear") == (
        "int has no hear: nobody could tell it anything."
    )


def test_a_listener_that_counts_replies_is_told_what_it_counts():
    class Replies:
        errands = 0

        def hear(self, event, detail):
            self.errands += event == "model_reply"

    assert wrong_count(Replies, LOOP) == (
        "It counts 'model_reply'. An errand has come back at 'tool_return'."
    )


class OnAList(TALLY):
    def __init__(self):
        self.sheet = []

    def on_event(self, event):
        pass


class Grows(TALLY):
    def on_finish(self, answer, reason):
        self.sheet.update(answer="18", reason=reason)


class NoEnd(TALLY):
    def on_finish(self):
        pass


class Deaf(TALLY):
    def on_tool_return(self):
        pass


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (OnAList, "With two cities: its sheet is [], and a dict is wanted."),
        (
            Grows,
            "With two cities: it ended with ('Paris: 18 = 64°F, Tokyo: 24 = 75°F', "
            "'answered'), and the sheet says ('18', 'answered').",
        ),
        (
            NoEnd,
            "With two cities: the sheet says nothing under 'answer', 'reason'.",
        ),
        (Deaf, "With two cities: after 4 errands both lists are empty."),
    ],
)
def test_a_sheet_that_differs_is_named(kind, sentence):
    assert wrong_sheet(kind) == sentence


def test_an_error_of_a_listener_comes_out_and_leaves_no_line_in_the_log(caplog):
    class Slips(TALLY):
        def on_finish(self, answer, reason):
            self.shet.update(answer=answer)

    with pytest.raises(AttributeError, match="shet"):
        wrong_sheet(Slips)
    assert caplog.text == ""


def test_a_helper_of_ones_own_is_no_misspelt_moment():
    class Helped(TALLY):
        def one_more(self):
            self.sheet["turns"] += 2

        def on_model_reply(self):
            self.one_more()

    assert wrong_sheet(Helped) == (
        "With two cities: the model replied 3 times, and the sheet says turns: 6."
    )


def test_who_hears_all_of_it_need_not_be_ours():
    class Own(Observer):
        def __init__(self):
            self.inner = TALLY()
            self.sheet = self.inner.sheet

        def on_event(self, event):
            self.inner.on_event(event)

    assert wrong_sheet(Own) is None


def test_one_that_trips_keeps_what_it_heard_and_fails_where_it_is_told_to():
    trips = Trips(KeyError("x"), 2)
    trips.hear("a", 1)
    with pytest.raises(KeyError):
        trips.hear("b", 2)
    trips.hear("c", 3)
    assert trips.told == [("a", 1), ("b", 2), ("c", 3)]


def test_what_a_listener_prints_is_not_shown_by_its_check(capsys):
    class Talks(COUNTED.solution):
        def hear(self, event, detail):
            sys.stdout.write(event)
            super().hear(event, detail)

    assert COUNTED.check(Talks) is None
    assert capsys.readouterr().out == ""


def test_a_right_platform_is_right_and_lets_ctrl_c_pass():
    assert wrong_platform(PLATFORM) is None
    with pytest.raises(KeyboardInterrupt):
        PLATFORM(Trips(KeyboardInterrupt()), Notes()).announce("a", 1)


def test_a_platform_without_a_count_is_told_so():
    class Uncounted(PLATFORM):
        lost = property(lambda self: None, lambda self, value: None)

    assert wrong_platform(Uncounted) == (
        "At the start lost is None; it is a number, and begins at 0."
    )


def test_a_platform_that_tells_a_broken_listener_twice_is_named():
    class Again(PLATFORM):
        def announce(self, event, detail):
            for listener in self.listeners:
                try:
                    listener.hear(event, detail)
                except KeyError:
                    self.lost += 1
                    with suppress(KeyError):
                        listener.hear(event, detail)
                except Exception:
                    self.lost += 1

    assert wrong_platform(Again) == (
        "Of 4 announcements a listener has heard 5: each is said once."
    )
