"""Run a notebook on this interpreter, as nbval does."""

from collections.abc import Mapping
from os import environ
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager

from tests.notebooks.environment import ROOT, lesson_environment
from tests.notebooks.normal_form import parse

__all__ = ["code_cells", "lessons", "notebooks", "printed", "read", "run"]

type Notebook = nbformat.NotebookNode

NOTEBOOKS = ROOT / "notebooks"


def lessons() -> list[Path]:
    """Return the lessons in their order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def notebooks() -> list[Path]:
    """Return all notebooks: the lessons, then their solutions."""
    return lessons() + sorted(NOTEBOOKS.glob("solutions/*.ipynb"))


def read(path: Path) -> Notebook:
    """Read a notebook file."""
    return parse(path.read_text(encoding="utf-8"))


def code_cells(notebook: Notebook) -> list[Notebook]:
    """Return the cells that run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell: Notebook) -> str:
    """Return all that a cell shows as text."""
    parts = []
    before = None
    for output in cell.outputs:
        if output.output_type == "stream" and before == "stream":
            parts[-1] += output.text  # one print, sent in two pieces by a busy kernel
        elif output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type == "error":
            parts.append(f"{output.ename}: {output.evalue}")
        else:
            parts += [str(v) for kind, v in output.data.items() if kind[:5] != "image"]
        before = output.output_type
    return "\n".join(parts)


class ThisPython(AsyncKernelManager):
    """Starts the interpreter that runs the tests, whatever is installed beside it."""

    def _kernel_spec_manager_default(self) -> NbvalKernelspecManager:
        return NbvalKernelspecManager()


def run(
    notebook: Notebook,
    folder: Path,
    extra: Mapping[str, str] | None = None,
    *,
    allow_errors: bool = False,
) -> Notebook:
    """Return a copy of `notebook` with the outputs of a fresh run in `folder`."""
    copy = nbformat.from_dict(notebook)
    client = NotebookClient(
        copy,
        kernel_name=CURRENT_ENV_KERNEL_NAME,
        kernel_manager_class=ThisPython,
        resources={"metadata": {"path": str(folder)}},
        allow_errors=allow_errors,
        timeout=120,
    )
    client.execute(env=lesson_environment(environ) | dict(extra or {}))
    return copy
