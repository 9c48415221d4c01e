"""Run a notebook on this interpreter, as nbval does."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import environ
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbval.kernel import CURRENT_ENV_KERNEL_NAME

from tests.notebooks.fixed_environment import ROOT, lesson_environment
from tests.notebooks.kernels import ThisPython
from tests.notebooks.normal_form import WIDGET_VIEW, parse

__all__ = ["code_cells", "kernel", "lessons", "notebooks", "printed", "read", "run"]

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
            kinds = output.data.items()
            parts += [str(v) for kind, v in kinds if _is_text(kind)]
        before = output.output_type
    return "\n".join(parts)


def _is_text(kind: str) -> bool:
    """Whether somebody reads it; a card's text stands beside its view."""
    return kind[:5] != "image" and kind != WIDGET_VIEW


@contextmanager
def kernel(
    folder: Path, extra: Mapping[str, str] | None = None, *, allow_errors: bool = False
) -> Iterator[Callable[[Notebook], Notebook]]:
    """Start a kernel in `folder`; gives a function that runs a notebook in it.

    What it returns is a copy with the outputs. A second notebook finds what the first
    one left, unless its cells clear it away.
    """
    client = NotebookClient(
        nbformat.v4.new_notebook(),
        kernel_name=CURRENT_ENV_KERNEL_NAME,
        kernel_manager_class=ThisPython,
        resources={"metadata": {"path": str(folder)}},
        allow_errors=allow_errors,
        timeout=120,
        shutdown_kernel="immediate",
    )

    def run_in_it(notebook: Notebook) -> Notebook:
        client.nb = nbformat.from_dict(notebook)
        client.reset_execution_trackers()
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        return client.nb

    with client.setup_kernel(env=lesson_environment(environ) | dict(extra or {})):
        yield run_in_it


def run(
    notebook: Notebook,
    folder: Path,
    extra: Mapping[str, str] | None = None,
    *,
    allow_errors: bool = False,
) -> Notebook:
    """Return a copy of `notebook` with the outputs of a fresh run in `folder`."""
    with kernel(folder, extra, allow_errors=allow_errors) as run_in_it:
        return run_in_it(notebook)
