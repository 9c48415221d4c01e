"""What a notebook may not hold, as functions that return their complaints."""

import re
import statistics
import tempfile
from pathlib import Path

import nbformat

from tests.notebooks.fixed_environment import ROOT
from tests.notebooks.running import code_cells, printed

__all__ = ["form", "shape"]

type Notebook = nbformat.NotebookNode

# Each switches off a comparison, or shows outputs that nbval does not see as stored.
BANNED_IN_SOURCE = {
    "a marker that keeps nbval from comparing": r"(?i)nbval[-_](skip|ignore|raises)",
    "Output as a context, which nbval does not follow": r"with\s+.*\bOutput\b",
    "clear_output, which nbval does not follow": r"\bclear_output\b",
    "update_display, which nbval does not follow": r"\bupdate_display\b",
    "a time measured by the clock": r"%%?time",
}
BANNED_TAGS = r"(?i)nbval[-_]|raises-exception|skip-execution"
FOLDERS = "|".join(["home", "root", "tmp", "usr", "var", "opt", "mnt", "Users"])
BANNED_IN_OUTPUT = {
    "an address": r"\b0x[0-9a-fA-F]+",
    "an absolute path": rf"(?<![\w.:/])/(?:{FOLDERS})/|\b[A-Z]:\\\w",
    "a warning": r"\b\w*Warning:",
    "a colour code": "\x1b",
}
HERE = (str(ROOT), str(Path.home()), tempfile.gettempdir())


def form(notebook: Notebook) -> list[str]:
    """Return what would keep nbval from comparing, or machines from agreeing."""
    found = []
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("the kernelspec is not python3")
    cells = code_cells(notebook)
    counts = [cell.execution_count for cell in cells]
    if counts != list(range(1, len(cells) + 1)):
        found.append(f"execution counts run {counts}")
    for number, cell in enumerate(cells, start=1):
        found += [f"code cell {number}: {what}" for what in _cell(cell)]
    return found


def _cell(cell: Notebook) -> list[str]:
    shown, tags = printed(cell), " ".join(cell.metadata.get("tags", []))
    found = [what for what, seen in BANNED_IN_SOURCE.items() if _in(seen, cell.source)]
    found += [what for what, seen in BANNED_IN_OUTPUT.items() if _in(seen, shown)]
    if any(path in shown for path in HERE):
        found.append("a path of this machine")
    if _in(BANNED_TAGS, tags):
        found.append(f"a tag that keeps nbval from comparing: {tags}")
    if any(output.get("name") == "stderr" for output in cell.outputs):
        found.append("text on stderr")
    if any(output.output_type == "error" for output in cell.outputs):
        found.append("an error; let expect_error print it")
    return found


def shape(notebook: Notebook) -> list[str]:
    """Return where a lesson loses its rhythm: small cells, prose between them."""
    lengths = [_length(cell.source) for cell in code_cells(notebook)]
    found = [f"a code cell of {n} lines (25)" for n in lengths if n > 25]
    if lengths and statistics.median(lengths) > 5:
        found.append(f"a median code cell of {statistics.median(lengths)} lines (5)")
    kinds = "".join(cell.cell_type[0] for cell in notebook.cells)
    for row in re.finditer("c{3,}", kinds):
        found.append(
            f"{len(row.group())} code cells in a row, from cell {row.start() + 1}"
        )
    return found


def _in(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


def _length(source: str) -> int:
    return sum(1 for line in source.splitlines() if line.strip())
