"""A line that is missing, or comes twice, is told once and with its line number."""

import pytest

from mingraph_lite.schema.sorting import Sorting

FORKED = (
    "which has come before. Two processes wrote this run, where one was forked in the "
    "middle of it, or a line was copied"
)


def told(*seqs: int, lost: object = None, spoiled: tuple[int, ...] = ()) -> list[str]:
    """What is told of a run of which these lines are there, from line 1 on.

    A line of `spoiled` could not be read, and those of the run stand around it.
    """
    sorting, number = Sorting(), 0
    for place, seq in enumerate(seqs, 1):
        number += 1
        while number in spoiled:
            number += 1
        event = "finish" if place == len(seqs) else "warning"
        line = {"run": "a", "seq": seq, "step": 0, "event": event, "ms": 1.0}
        sorting.add({**line, "lost": lost}, number, number, 0)
    return [str(problem) for problem in sorting.problems(spoiled)]


@pytest.mark.parametrize(
    ("seqs", "what"),
    [
        ((1, 2, 3), []),
        (
            (2, 3),
            ["line 1: goes on with seq 2 of run 'a', and seq 1 is missing"],
        ),
        (
            (1, 3, 6, 7),
            [
                "line 2: goes on with seq 3 of run 'a', and seq 2 is missing",
                "line 3: goes on with seq 6 of run 'a', and seq 4 to 5 are missing",
            ],
        ),
        ((1, 2, 2, 3), [f"line 3: has seq 2 of run 'a', {FORKED}"]),
        (
            (1, 2, 2, 3, 3, 4, 4),
            [f"line 3: has seq 2 of run 'a' (2 more go back like that), {FORKED}"],
        ),
        ((1, 2, 3, 2, 3, 4), [f"line 4: has seq 2 of run 'a', {FORKED}"]),
        (
            (1, 3, 2, 4),
            [
                "line 3: has seq 2 of run 'a', which stands behind seq 3, out of its "
                "order"
            ],
        ),
        (
            (0, 1, 2),
            ["line 1: has seq 0 of run 'a', which is none: lines are counted from 1"],
        ),
    ],
)
def test_a_number_that_is_not_the_next_is_told(seqs, what):
    assert told(*seqs) == what


def test_a_gap_that_the_end_counts_as_lost_is_told_to_be_that():
    assert told(1, 3, 5, 8, lost={"Transcript": 1, "TraceRecorder": 4}) == [
        "line 2: goes on with seq 3 of run 'a', and seq 2 is missing, since it could "
        "not be written: the run's end counts it as lost",
        "line 3: goes on with seq 5 of run 'a', and seq 4 is missing, since it could "
        "not be written: the run's end counts it as lost",
        "line 4: goes on with seq 8 of run 'a', and seq 6 to 7 are missing, which "
        "could not be written: the run's end counts it as lost",
    ]
    # It has counted one, and two are missing: one of them is missing for other reasons.
    assert told(1, 3, 5, lost={"TraceRecorder": 1})[1:] == [
        "line 3: goes on with seq 5 of run 'a', and seq 4 is missing"
    ]
    assert len(told(1, 3, lost={"TraceRecorder": "x"})) == len(told(1, 3, lost=3)) == 1


def test_a_spoiled_line_in_a_gap_is_what_is_missing_and_told_already():
    assert told(1, 3, spoiled=(2,)) == []
    assert told(2, 3, spoiled=(1,)) == []
    assert told(1, 2, 3, 4, 6, spoiled=(2,)) == [
        "line 6: goes on with seq 6 of run 'a', and seq 5 is missing"
    ]
    assert told(1, 4, spoiled=(2,)) == [
        "line 3: goes on with seq 4 of run 'a', and seq 2 to 3 are missing"
    ]
