"""What a run says at its end: what was compared and counted, and the slowest parts."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest

__all__ = ["HEAD", "compared", "counted", "rows", "slowest"]

type Report = pytest.TestReport

HEAD = f"{'seconds':>9}  {'tests':>5}  slowest parts"


def compared(reports: Iterable[Report]) -> list[str]:
    """Count the notebook cells that nbval compared, and their notebooks."""
    names = [r.nodeid for r in reports if r.when == "call" and r.passed]
    cells = [name for name in names if ".ipynb::" in name]
    notebooks = {cell.partition("::")[0] for cell in cells}
    solutions = {notebook for notebook in notebooks if "/solutions/" in notebook}
    return cells and [
        f"nbval compared {len(cells)} cells of {len(notebooks - solutions)} lessons"
        f" and {len(solutions)} solutions"
    ]


def counted(reports: Iterable[Report]) -> list[str]:
    """Sum what tests counted, each kind in a line.

    A test counts with `record_property`, which reaches the end of the run from a worker
    too; what it records beside numbers is not for here.
    """
    sums = Counter[str]()
    for report in reports:
        if report.when == "teardown":  # each report of a test repeats what it recorded
            recorded = report.user_properties
            sums.update({what: n for what, n in recorded if isinstance(n, int)})
    return [f"{what}: {n}" for what, n in sums.items()]


def rows(reports: Iterable[Report]) -> list[str]:
    """Give the tables that tests recorded, `("table", (head, row))`, row by row."""
    tables = defaultdict[str, set[str]](set)
    for report in reports:
        if report.when == "teardown":
            for what, recorded in report.user_properties:
                if what == "table":
                    head, row = recorded  # a worker's tuple comes back as a list
                    tables[head].add(row)
    return [
        line
        for head, found in tables.items()
        for line in (head, *sorted(found, key=lambda row: row.split()[-1]))
    ]


def slowest(reports: Iterable[Report], most: int = 10) -> list[str]:
    """Tell which files took longest: set-up, calls and tear-down of all their tests."""
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: defaultdict[str, set[str]] = defaultdict(set)
    for report in reports:
        part = report.nodeid.partition("::")[0]
        seconds[part] += report.duration
        tests[part].add(report.nodeid)
    parts = sorted(seconds, key=seconds.__getitem__, reverse=True)[:most]
    rows = [f"{seconds[part]:9.1f}  {len(tests[part]):5}  {part}" for part in parts]
    return rows and [HEAD, *rows]
