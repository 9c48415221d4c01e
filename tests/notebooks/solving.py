"""A lesson as a learner leaves it who solves everything."""

import re

import nbformat
from nbformat.v4 import new_code_cell

from tests.notebooks.predictions import broken
from tests.notebooks.rhythm import yours
from tests.notebooks.running import code_cells, printed

__all__ = ["folded_otherwise", "solved", "unsolved"]

type Notebook = nbformat.NotebookNode

SKIP = "from mingraph_lite.classroom import skip\n"
FOLDED = re.compile(r"<details>.*?```python\n(.*?)```.*?</details>", re.DOTALL)


def solved(notebook: Notebook, solutions: Notebook) -> Notebook:
    """Put the solutions' cells in the place of the learner's, and skip each question.

    Raises ValueError where there are not as many of the one as of the other.
    """
    done = nbformat.from_dict(notebook)
    for cell, solution in zip(yours(done), yours(solutions), strict=True):
        cell.source = solution.source
    cells: list[Notebook] = []
    for cell in done.cells:
        if cell.cell_type == "code":
            keys = re.findall(r"""\breveal\(\s*["']([^"']+)["']""", cell.source)
            cells += [new_code_cell(f"{SKIP}skip({key!r})") for key in keys]
        cells.append(cell)
    done.cells = cells
    return done


def unsolved(ran: Notebook, exercises: int) -> list[str]:
    """Return what breaks, is not called right, or is not kept in a solved lesson."""
    found, right = broken(ran), set[int]()
    for cell in code_cells(ran):
        shown = printed(cell)
        for number, said in re.findall(r"^Exercise (\d+): (.*)$", shown, re.MULTILINE):
            right |= {int(number)} if said == "right." else set()
            found += [] if said == "right." else [f"check({number}) says: {said}"]
        keeps = len(re.findall(r"^\s*keep\(", cell.source, re.MULTILINE))
        kept = len(re.findall(r"^Kept: ", shown, re.MULTILINE))
        found += [f"a keep does not keep: {shown}"] if keeps != kept else []
    missing = set(range(1, exercises + 1)) - right
    return found + [f"check({number}) never says right" for number in sorted(missing)]


def folded_otherwise(notebook: Notebook, solutions: Notebook) -> list[str]:
    """Return each way out, folded below a learner's cell, that is not the solution."""
    found = []
    by_place = dict(zip(map(id, yours(notebook)), yours(solutions), strict=True))
    for cell, after in zip(notebook.cells, notebook.cells[1:], strict=False):
        solution = by_place.get(id(cell))
        if solution is None or after.cell_type != "markdown":
            continue
        for code in FOLDED.findall(after.source):
            if code.strip() != solution.source.strip():
                found.append(f"{code.strip()!r} is not {solution.source.strip()!r}")
    return found
