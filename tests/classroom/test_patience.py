import builtins
import sys

import pytest

from mingraph_lite.classroom.patience import NoEnd, nobody_types, patience
from mingraph_lite.llm import ScriptedLLM


def for_ever():
    while True:
        pass


def on_one_line():
    while True: pass  # fmt: skip  # noqa: E701


def catching_everything():
    while True:
        try:
            pass
        except:  # noqa: E722
            continue


def catching_what_comes():
    while True:
        try:
            for_ever()
        except BaseException:
            continue


def calling_ours():
    while True:
        ScriptedLLM(["yes"]).generate([])


@pytest.mark.parametrize(
    "loop",
    [for_ever, on_one_line, catching_everything, catching_what_comes, calling_ours],
)
def test_a_loop_without_an_end_is_ended(loop):
    said = "it took 2,000 steps and had no end"
    with pytest.raises(NoEnd, match=said), patience(2_000):
        loop()


def test_a_learners_except_for_all_errors_does_not_hide_it():
    assert not issubclass(NoEnd, Exception)


def test_what_ends_is_left_alone():
    with patience():
        total = sum(n for n in range(10_000))
    assert total == 49_995_000


def test_our_own_code_and_pythons_are_not_counted():
    llm = ScriptedLLM(["yes"] * 50)
    with patience(100):
        for _ in range(50):
            llm.generate([])
    assert llm.calls == 50


def test_one_inside_of_another_counts_once_and_ends_with_the_outer_one():
    with pytest.raises(NoEnd, match="2,000 steps"), patience(2_000), patience(10):
        for_ever()


def test_afterwards_nothing_is_watched():
    with pytest.raises(NoEnd), patience(100):
        for_ever()
    assert [sys.monitoring.get_tool(n) for n in (3, 4)] == [None, None]


def test_a_check_waits_for_nobody_who_types():
    before = builtins.input
    waits = r"waits for somebody to type, at input\('Go on\?'\)"
    with pytest.raises(NoEnd, match=waits), nobody_types():
        input("Go on?")
    assert builtins.input is before
