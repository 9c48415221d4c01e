"""The one form in which a notebook is kept, so that a diff shows only what changed."""

import json
import re
import warnings
from difflib import unified_diff
from pathlib import Path

import nbformat
from nbformat.warnings import DuplicateCellId, MissingIDFieldWarning

__all__ = ["WIDGET_VIEW", "differences", "normal_form", "parse", "text"]

type Notebook = nbformat.NotebookNode

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
KEPT_CELL_METADATA = {"slideshow", "tags"}
# A stored view points at a widget of a run that is over; its text stands beside it.
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def parse(written: str) -> Notebook:
    """Read a notebook, with ids or without: normal form names its cells anew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateCellId)
        warnings.simplefilter("ignore", MissingIDFieldWarning)
        return nbformat.reads(written, as_version=4)


def normal_form(notebook: Notebook) -> Notebook:
    """Return a copy that holds nothing of the machine or the day it was run on."""
    copy = nbformat.from_dict(json.loads(json.dumps(notebook)))
    copy.nbformat, copy.nbformat_minor = 4, 5
    kept = {k: v for k, v in copy.metadata.items() if k not in {"widgets", "toc"}}
    copy.metadata = nbformat.from_dict(
        kept | {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    count = 0
    for cell, name in zip(copy.cells, _ids(copy), strict=True):
        cell.id = name
        cell.source = cell.source.strip("\n")
        cell.metadata = {
            k: v for k, v in cell.metadata.items() if k in KEPT_CELL_METADATA
        }
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _outputs(cell.outputs, count)
    return copy


def text(notebook: Notebook) -> str:
    """Return the bytes of the file, as text."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def differences(path: Path) -> str:
    """Return what a file would change in its normal form, as a diff; "" for nothing."""
    before = path.read_bytes().decode("utf-8")
    after = text(normal_form(parse(before)))
    if before == after:
        return ""
    lines = unified_diff(
        before.splitlines(), after.splitlines(), "now", "normal form", lineterm="", n=1
    )
    # Two files that differ in line ends alone have no line to show.
    return "\n".join(lines) or "line ends"


def _ids(notebook: Notebook) -> list[str]:
    """Name each cell after its heading and its place below it."""
    ids, heading, counts = [], "top", dict[str, int]()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            found = re.findall(r"^#{1,6}\s+(.+)$", cell.source, re.MULTILINE)
            if found:
                slug = re.sub(r"[^a-z0-9]+", "-", found[0].lower()).strip("-")
                heading = slug[:40].strip("-") or "top"
        counts[heading] = counts.get(heading, 0) + 1
        ids.append(f"{heading}-{counts[heading]:02d}")
    return ids


def _outputs(outputs: list[Notebook], count: int) -> list[Notebook]:
    """Join what was printed in pieces, and drop what belongs to one run."""
    joined: list[Notebook] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type == "stream":
            if last and last.output_type == "stream" and last.name == output.name:
                last.text += output.text
                continue
        elif output.output_type != "error":
            output.data.pop(WIDGET_VIEW, None)
            if output.output_type == "execute_result":
                output.execution_count = count
        joined.append(output)
    return joined
