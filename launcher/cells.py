"""What of a notebook is copied, and what of it a learner can see.

What is touched? JupyterLab writes a notebook anew when it is only opened: other line
ends, other metadata. So not the bytes are compared but what a learner can see: the
kinds, sources, attachments and outputs of the cells. Outputs count, and so a copy that
was merely run is touched: they may hold an answer on a question card, or a run of
a minute, and a lesson that is newer is no reason to lose them.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from launcher.place import Place

__all__ = ["content", "folds", "seen"]

REVEALS = re.compile(r"(?<![\w.])reveal\(")


def content(place: Place, source: Path) -> bytes:
    """Return a lesson without what answers its own questions.

    Those are its outputs, and the code of each reveal: that is folded away, and runs
    all the same.
    """
    if source.suffix != ".ipynb" or source.parent != place.notebooks:
        return source.read_bytes()
    notebook = json.loads(source.read_text(encoding="utf-8"))
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
            if REVEALS.search(in_one_piece(cell["source"])):
                fold(cell)
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def fold(cell: dict[str, Any]) -> None:
    """Hide a cell's code behind three dots, as JupyterLab's own menu does."""
    cell.setdefault("metadata", {}).setdefault("jupyter", {})["source_hidden"] = True


def folds(name: str, content: bytes) -> bool:
    """Tell whether any code of this notebook is folded away."""
    if not name.endswith(".ipynb"):
        return False
    cells = json.loads(content)["cells"]
    marks = [cell.get("metadata", {}).get("jupyter", {}) for cell in cells]
    return any(mark.get("source_hidden") for mark in marks)


def seen(name: str, content: bytes) -> str:
    """Boil down what a learner can see of a file."""
    visible = content
    if name.endswith(".ipynb"):
        try:
            cells = json.loads(content)["cells"]
            visible = repr([visible_in(cell) for cell in cells]).encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            visible = content  # not a notebook any more, so touched
    return hashlib.sha256(visible).hexdigest()


def visible_in(cell: dict[str, Any]) -> tuple[Any, ...]:
    """Take from a cell what can be seen."""
    return (
        cell["cell_type"],
        in_one_piece(cell["source"]),
        in_one_piece(cell.get("attachments") or {}),
        in_one_piece(cell.get("outputs") or []),
        cell.get("execution_count"),
    )


def in_one_piece(value: Any) -> Any:
    """Join texts that are stored line by line, as JupyterLab may."""
    if isinstance(value, list):
        if value and all(isinstance(part, str) for part in value):
            return "".join(value)
        return [in_one_piece(part) for part in value]
    if isinstance(value, dict):
        return sorted((k, in_one_piece(v)) for k, v in value.items())
    return value
