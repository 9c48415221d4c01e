"""Minutes of reading and of doing in a lesson, and how long one only reads.

Reading is 200 words of prose a minute, or 100 of code. Doing is 2 minutes for each line
that the learner writes (what a cell tagged `yours` has in the solutions and neither in
the lesson nor in an earlier solution, since a line of one's own is taken along), and
half a minute for each line to order, each guess and each view to press.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import nbformat

from mingraph_lite.classroom import Lesson

__all__ = ["HEAD", "Rhythm", "complaints", "core", "rhythm", "row", "yours"]

type Notebook = nbformat.NotebookNode

PROSE, CODE = 200, 100
LINE, PRESS = 2.0, 0.5
MOST, DOING, CELLS, MINUTES, FIRST = 35, 0.4, 8, 3.0, 10
VIEWS = r"\bFolderAndCard\("
CLICKS = r"<details>|(?m:^now_read\()"
"""What answers with a click: a question with its answer folded, the package's lines."""
FENCE = re.compile(r"```.*?```", re.DOTALL)
TITLE = re.compile(r"about (\d+) minutes \((\d+) reading, (\d+) doing\)")
HEAD = "minutes  reading  doing  own lines  longest stretch  first own line  lesson"


@dataclass(frozen=True)
class Rhythm:
    """What a lesson asks of its reader, before More."""

    reading: float
    doing: float
    lines: int
    stretch_cells: int
    stretch_minutes: float
    stretch_from: int
    """The number of the cell with which the longest stretch begins."""
    first_own: int | None
    """The number of the cell with the first line of one's own."""

    @property
    def minutes(self) -> float:
        """All of it."""
        return self.reading + self.doing


def core(notebook: Notebook) -> list[Notebook]:
    """The cells before More."""
    cells: list[Notebook] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## More"):
            break
        cells.append(cell)
    return cells


def yours(notebook: Notebook) -> list[Notebook]:
    """The cells that the learner edits, or their solutions."""
    return [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "yours" in cell.metadata.get("tags", [])
    ]


def rhythm(notebook: Notebook, solutions: Notebook, lesson: Lesson) -> Rhythm:
    """Count a lesson's minutes."""
    cells = core(notebook)
    written = dict(zip(map(id, yours(notebook)), yours(solutions), strict=False))
    known: set[str] = set()
    own = [_own_lines(cell, written.get(id(cell)), known) for cell in cells]
    doing = [
        LINE * lines + PRESS * _presses(cell, lesson)
        for cell, lines in zip(cells, own, strict=True)
    ]
    reading = [_reading(cell) for cell in cells]
    stretches = list(_stretches(cells, reading, doing))
    longest, start = max((count, -at) for count, _, at in stretches)
    edited = [n for n, cell in enumerate(cells, start=1) if id(cell) in written]
    return Rhythm(
        sum(reading),
        sum(doing),
        sum(own),
        longest,
        max(minutes for _, minutes, _ in stretches),
        -start,
        edited[0] if edited else None,
    )


def complaints(notebook: Notebook, found: Rhythm) -> list[str]:
    """What a lesson's rhythm lacks."""
    said = TITLE.search(notebook.cells[0].source)
    wrong = []
    if not said or not _rounded(found, *map(int, said.groups())):
        text = f"{found.reading:.1f} reading, {found.doing:.1f} doing"
        wrong.append(f"the title line does not say: about {found.minutes:.1f} ({text})")
    if found.minutes > MOST:
        wrong.append(f"{found.minutes:.1f} minutes ({MOST})")
    if found.doing < DOING * found.minutes:
        share = found.doing / found.minutes if found.minutes else 0
        wrong.append(f"{share:.0%} of it doing ({DOING:.0%})")
    if found.stretch_cells > CELLS:
        wrong.append(f"{found.stretch_cells} cells without doing, from cell {found.stretch_from} ({CELLS})")
    if found.stretch_minutes > MINUTES:
        wrong.append(f"{found.stretch_minutes:.1f} minutes without doing ({MINUTES})")
    if found.first_own is None or found.first_own > FIRST:
        wrong.append(f"the first own line in cell {found.first_own} ({FIRST})")
    return wrong


def row(name: str, found: Rhythm) -> str:
    """One line of the table at the end of a run."""
    stretch = f"{found.stretch_cells} cells, {found.stretch_minutes:.1f} min"
    first = "none" if found.first_own is None else f"cell {found.first_own}"
    return (
        f"{found.minutes:7.1f}  {found.reading:7.1f}  {found.doing:5.1f}  "
        f"{found.lines:9}  {stretch:>15}  {first:>14}  {name}"
    )


def _rounded(found: Rhythm, minutes: int, reading: int, doing: int) -> bool:
    """Whether the title says what was counted; half a minute goes up or down."""
    near = abs(reading - found.reading) <= 0.5 and abs(doing - found.doing) <= 0.5
    return near and minutes in (reading + doing, round(found.minutes))


def _reading(cell: Notebook) -> float:
    if cell.cell_type == "code":
        return len(cell.source.split()) / CODE
    # What is folded away as a way out is read by who is stuck alone.
    text = re.sub(r"<[^>]+>", "", FENCE.sub("", cell.source))
    return len(text.split()) / PROSE


def _own_lines(cell: Notebook, solution: Notebook | None, known: set[str]) -> int:
    """The lines of the solution that stand neither in the lesson's cell nor in `known`.

    They are known from then on.
    """
    if solution is None or "arrange(" in solution.source:
        return 0
    there = known | {line.strip() for line in cell.source.splitlines()}
    lines = [line.strip() for line in solution.source.splitlines()]
    known.update(lines)
    return sum(1 for line in lines if line and line not in there)


def _presses(cell: Notebook, lesson: Lesson) -> int:
    """Lines to order, guesses and views in a cell."""
    if cell.cell_type != "code":
        return 0
    found = len(re.findall(r"^predict\(", cell.source, re.MULTILINE))
    found += len(re.findall(VIEWS, cell.source))
    for number in re.findall(r"^arrange\((\d+)\)?", cell.source, re.MULTILINE):
        arrangement = lesson.exercises[int(number) - 1].arrangement
        found += len(arrangement.pieces) if arrangement else 0
    return found


def _stretches(
    cells: list[Notebook], reading: list[float], doing: list[float]
) -> Iterator[tuple[int, float, int]]:
    """Cells in a row that are only read, the minutes they take, and the first one."""
    count, minutes, start = 0, 0.0, 1
    for at, cell in enumerate(cells, start=1):
        if doing[at - 1] or re.search(CLICKS, cell.source):
            yield count, minutes, start
            count, minutes, start = 0, 0.0, at + 1
        else:
            count, minutes = count + 1, minutes + reading[at - 1]
    yield count, minutes, start

