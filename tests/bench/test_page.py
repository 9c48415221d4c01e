from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.page import measure, report
from tests.bench.page_visits import Figures, weight, zipped


def counting(taken: list[str], name: str, *values: float) -> Callable[[Any], Figures]:
    """A row that gives these values, one a round, and notes when it was asked."""
    left = iter(values)

    def row(visitor: object) -> Figures:
        taken.append(name)
        return {name: next(left)}

    return row


def test_every_round_takes_every_row_so_that_a_busy_moment_falls_on_all():
    taken: list[str] = []
    rows = {name: counting(taken, name, 1, 2) for name in ("alone", "ours")}

    assert measure(None, rows, 2) == {"alone": [1, 2], "ours": [1, 2]}
    assert taken == ["alone", "ours", "alone", "ours"]


def test_a_figure_is_told_with_all_rounds_and_held_against_pyodide_alone():
    found = {
        "warm: Pyodide alone": [2_000, 1_000, 3_000],
        "warm: Python ready": [2_000, 1_500, 3_600],
        "warm: first run over": [2_600, 1_400, 3_000],
        "our page: bytes sent": [5, 5, 5],
    }
    held = {**found, "warm: first run over": [2_700, 1_400, 3_000]}

    assert report(found) == [
        "warm: Pyodide alone                             2,000   (2,000 1,000 3,000)",
        "warm: Python ready                              2,000   (2,000 1,500 3,600)"
        "          x1.00 (1.00 1.50 1.20)",
        "warm: first run over                            2,600   (2,600 1,400 3,000)"
        "          x1.30 (1.30 1.40 1.00) limit 1.3: holds",
        "our page: bytes sent                                5   (5 5 5)",
    ]
    assert report(held)[2].endswith("x1.35 (1.35 1.40 1.00) limit 1.3: OVER")


def test_a_time_that_a_reader_waits_is_held_to_its_limit_whatever_its_ratio():
    found = {
        "warm: Pyodide alone": [1_000],
        "stop: ready, a spare": [700],
        "50 frames: back": [20],
        "2,000 frames: back": [51],
    }

    lines = [line[70:].strip() for line in report(found)]
    assert lines == [
        "",
        "x0.70 (0.70) limit 2,000: holds",
        "",
        "x2.55 (2.55) limit 50: OVER",
    ]


def test_what_is_no_file_weighs_nothing(tmp_path: Path):
    file = tmp_path / "a.js"
    file.write_bytes(b"a" * 1_000)

    assert (weight(file), zipped(file) < 100, weight(tmp_path)) == (1_000, True, 0)
