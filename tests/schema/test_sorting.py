"""Runs of one id in one file, one after the other or by turns."""

from itertools import zip_longest

from mingraph_lite.schema.sorting import Sorting


def line(who: str, seq: int, event: str = "warning", ms: float = 1) -> dict:
    """A line that knows who said it, which no reader is told."""
    return {"run": "a", "seq": seq, "step": 0, "event": event, "ms": ms, "who": who}


def run_of(who: str, count: int, end: str = "finish", ms: float = 1) -> list[dict]:
    events = ["run_start", *["warning"] * (count - 2), end]
    return [line(who, seq, event, ms) for seq, event in enumerate(events, 1)]


def sorted_lines(lines: list[dict]) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Who said the lines of each run, and what is told."""
    sorting = Sorting()
    for number, said in enumerate(lines, 1):
        sorting.add(said, number, number, 0)
    runs = {
        name: "".join(lines[at - 1]["who"] for at in listing.offsets)
        for name, listing in sorting.listings.items()
    }
    return runs, [(problem.line, problem.what) for problem in sorting.problems()]


ID = "Give each an id of its own: leave out run_id"


def test_one_after_the_other_nothing_is_told():
    for end in ("finish", "warning"):  # over, or killed
        lines = [*run_of("A", 4, end), *run_of("B", 6, end), *run_of("C", 3)]
        runs = {"a": "AAAA", "a (2)": "BBBBBB", "a (3)": "CCC"}
        assert sorted_lines(lines) == (runs, [])


def test_runs_that_overlap_are_told_apart_by_how_far_each_has_come():
    one, two = run_of("A", 8), run_of("B", 8)
    lines = [*one[:4], *two[:2], one[4], *two[2:4], *one[5:7], two[4], one[7], *two[5:]]
    assert sorted_lines(lines) == (
        {"a": "A" * 8, "a (2)": "B" * 8},
        [
            (
                5,
                "begins a run while another of the id 'a' goes on, up to line 13. They "
                f"are told apart by their seq. {ID}",
            )
        ],
    )


def test_a_line_that_either_may_have_said_is_told():
    one, two = run_of("A", 5), run_of("B", 5)
    lines = [two_of for pair in zip_longest(one, two) for two_of in pair]
    runs, [(number, what)] = sorted_lines(lines)
    assert {name: len(said) for name, said in runs.items()} == {"a": 5, "a (2)": 5}
    assert (number, what) == (
        2,
        "begins a run while another of the id 'a' goes on, up to line 9. They are told "
        f"apart by their seq; lines 3, 5, 7 and others may be of either. {ID}",
    )


def test_times_that_would_run_back_decide_where_seq_does_not():
    early = run_of("A", 4, ms=5000)
    late = [*run_of("B", 3, "warning", ms=1), line("B", 4, ms=2), line("B", 5, ms=3)]
    runs, told = sorted_lines([*early[:3], *late[:4], early[3], late[4]])
    assert runs == {"a": "AAAA", "a (2)": "BBBBB"}
    assert [number for number, what in told if "may be of either" not in what] == [4]


def test_a_lost_line_leaves_a_run_in_one():
    one = run_of("A", 8)
    del one[4]
    assert sorted_lines([*run_of("B", 3, "warning"), *one]) == (
        {"a": "BBB", "a (2)": "A" * 7},
        [(8, "goes on with seq 6 of run 'a (2)', and seq 5 is missing")],
    )


def test_a_name_that_somebody_has_handed_in_is_not_given_to_another():
    lines = [{**line("B", 1, "run_start"), "run": "a (2)"}, *run_of("A", 2)]
    lines += run_of("C", 2)
    assert sorted_lines(lines)[0] == {"a (2)": "B", "a": "AA", "a (3)": "CC"}
