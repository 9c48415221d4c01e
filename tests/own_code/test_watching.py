"""Which line a learner's code is at, told while it runs."""

import sys
from types import CodeType

import pytest

from mingraph_lite.own_code.watching import Watch

LOOPS = """def run(rounds):
    n = 0
    for i in range(rounds):
        n += i
    return n
"""


class Clock:
    """Goes on by so much each time it is asked."""

    def __init__(self, tick: float) -> None:
        self.now, self.tick, self.asked = 0.0, tick, 0

    def __call__(self) -> float:
        self.now += self.tick
        self.asked += 1
        return self.now


def made(source: str = LOOPS) -> tuple[dict[str, object], list[CodeType]]:
    names: dict[str, object] = {}
    code = compile(source, "tools.py", "exec")
    exec(code, names)
    return names, [code, *(c for c in code.co_consts if isinstance(c, CodeType))]


def told_of(rounds: int, tick: float) -> tuple[list[int], int]:
    """The lines told of so many rounds, and how often the clock was asked."""
    told: list[int] = []
    clock = Clock(tick)
    names, codes = made()
    with Watch(told.append, clock).on(codes):
        names["run"](rounds)  # type: ignore[operator]
    return told, clock.asked


def test_the_first_lines_are_told_as_they_come() -> None:
    assert told_of(2, 0.0001)[0] == [2, 3, 4, 3, 4, 3, 5]


def test_a_long_loop_falls_silent_and_the_line_after_it_is_told() -> None:
    told, asked = told_of(100_000, 0.0001)
    assert (sorted(told[20:22]), told[22:]) == ([3, 4], [5])
    assert asked < 250


def test_a_slow_loop_is_told_line_by_line_every_tenth_of_a_second() -> None:
    told, _ = told_of(100, 0.01)
    rest = told[20:]
    assert 30 < len(rest) < 45
    assert {*rest[:-1]} == {3, 4}


def test_a_loop_that_is_met_again_is_told_again() -> None:
    told: list[int] = []
    names, codes = made(
        "def hot():\n    for i in range(500):\n        pass\n"
        "def run():\n    for _ in range(3):\n        hot()\n        slow()\n"
    )
    clock = Clock(0.0001)

    def slow() -> None:
        clock.now += 1

    names["slow"] = slow
    with Watch(told.append, clock).on([*codes]):
        names["run"]()  # type: ignore[operator]
    assert {*told[-4:]} & {2, 3}


def test_code_that_is_not_watched_is_not_told() -> None:
    told: list[int] = []
    _, codes = made()
    other, _ = made()
    with Watch(told.append).on(codes):
        other["run"](3)  # type: ignore[operator]
    assert told == []


def test_an_error_leaves_nothing_behind() -> None:
    _, codes = made()
    with pytest.raises(KeyboardInterrupt), Watch(print).on(codes):
        raise KeyboardInterrupt
    assert [sys.monitoring.get_tool(id) for id in (3, 4)] == [None, None]


def test_where_others_watch_already_nothing_is_told_and_all_goes_on() -> None:
    told: list[int] = []
    names, codes = made()
    for id in (3, 4):
        sys.monitoring.use_tool_id(id, "another")
    try:
        with Watch(told.append).on(codes):
            assert names["run"](3) == 3  # type: ignore[operator]
    finally:
        for id in (3, 4):
            sys.monitoring.free_tool_id(id)
    assert told == []


@pytest.mark.parametrize("taken", [False, True])
def test_code_that_frees_the_watch_spoils_no_later_one(taken: bool) -> None:
    with Watch(print).on(made()[1]):
        sys.monitoring.free_tool_id(3)
        if taken:
            sys.monitoring.use_tool_id(3, "another")
    assert sys.monitoring.get_tool(3) == ("another" if taken else None)
    if taken:
        sys.monitoring.free_tool_id(3)
    assert told_of(1, 0.0001)[0] == [2, 3, 4, 3, 5]
