"""Lessons compared without a kernel: quick enough to break the package often.

    python -m tests.notebooks.in_a_shell

Each line that it is handed is a JSON list: a file of the package, a line of it, what
that line becomes, and the notebooks to run. It answers each with where the first of
them is no longer what is stored, or null. It forks, so that what every lesson stands
on is loaded once; the package itself is loaded anew for each line.
"""

# ruff: noqa: T201  # it talks through a pipe

import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

__all__ = ["PACKAGE", "first_red"]

PACKAGE = Path(__file__).resolve().parents[2] / "mingraph_lite"
KEPT_LOADED = (
    *("IPython", "anywidget", "ipywidgets", "nbformat", "pydantic", "traitlets"),
    *("urllib3", "difflib", "logging", "random", "symtable"),
)


class Broken(SourceFileLoader):
    """Loads a file of the package with one line of it changed."""

    def __init__(self, name: str, path: str, line: str, broken: str) -> None:
        super().__init__(name, path)
        self._line, self._broken = line, broken

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed text; what was compiled before is not looked at."""
        source = Path(self.path).read_text("utf-8")
        assert source.count(self._line) == 1, f"{self._line!r} in {self.path}"
        return compile(source.replace(self._line, self._broken), self.path, "exec")


class Breaks:
    """Finds one file of the package broken, and leaves all others to Python."""

    def __init__(self, file: str, line: str, broken: str) -> None:
        parts = Path(file).with_suffix("").parts
        self._name = ".".join((PACKAGE.name, *parts))
        self._change = line, broken

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Give the broken file where it is asked for."""
        if name != self._name:
            return None
        found = PathFinder.find_spec(name, path, target)
        assert found is not None
        assert found.origin is not None
        loader = Broken(name, found.origin, *self._change)
        return importlib.util.spec_from_file_location(
            name, found.origin, loader=loader
        )


def first_red(paths: Iterable[Path]) -> str | None:
    """Where the first notebook is not what is stored: the notebook, and its cell."""
    import nbformat

    for path in paths:
        notebook = nbformat.reads(path.read_text("utf-8"), as_version=4)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        where = path.parent.name + "/" + path.name
        os.chdir(path.parent)
        shell = _shell(path.parent)
        for number, cell in enumerate(cells, start=1):
            if wrong := _wrong(shell, cell):
                return f"{where}, code cell {number}: {wrong}"
        _forget(shell)
    return None


def _wrong(shell: Any, cell: Any) -> str:
    """How a cell differs from what is stored; "" where it does not."""
    from IPython.utils.capture import capture_output

    shell.displayhook.shown = []
    with capture_output() as shown:
        result = shell.run_cell(cell.source, store_history=True)
    if result.error_before_exec or result.error_in_exec:
        error = result.error_before_exec or result.error_in_exec
        return f"{type(error).__name__}: {error}"
    bundles = [*(output.data for output in shown.outputs), *shell.displayhook.shown]
    said = [shown.stdout, *map(_texts, bundles)]
    streams = [out for out in cell.outputs if out.output_type == "stream"]
    stored = ["".join(out.text for out in streams if out.name == "stdout")]
    stored += [_texts(out.data) for out in cell.outputs if "data" in out]
    return "" if said == stored else f"{said} is not {stored}"


def _texts(data: Mapping[str, Any]) -> str:
    """What is read of an output: the texts, not the pictures and views."""
    return "\n".join(str(v) for k, v in sorted(data.items()) if k.startswith("text/"))


def _shell(folder: Path) -> Any:
    """IPython without a kernel, as a cell would find it."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Kept(DisplayHook):
        """Keeps what a cell's last line shows, as a notebook does."""

        def write_output_prompt(self) -> None:
            """Print no Out[1] before it."""

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
            """Keep it in all its forms."""
            self.shown.append(format_dict)

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "nocolor"
    InteractiveShell.clear_instance()
    sys.path.insert(0, str(folder))
    return InteractiveShell.instance(config=settings, displayhook_class=Kept)


def _forget(shell: Any) -> None:
    """Let the next notebook begin as in a kernel of its own."""
    shell.reset(new_session=False)
    sys.modules.pop("my_agent", None)
    room = sys.modules["mingraph_lite.classroom.asking"].room
    room.open(type(room.current)("no lesson"))


def _answer(request: list[Any]) -> str | None:
    file, line, broken, notebooks = request
    if file:
        sys.meta_path.insert(0, Breaks(file, line, broken))  # type: ignore[arg-type]
    try:
        return first_red(Path(notebook) for notebook in notebooks)
    except Exception as error:
        return f"before any cell: {type(error).__name__}: {error}"


def _in_a_fork(request: list[Any]) -> str | None:
    """Answer in a process that ends with it, so that nothing broken stays."""
    with tempfile.TemporaryDirectory() as folder:
        return _forked(request, folder)


def _forked(request: list[Any], folder: str) -> str | None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        tempfile.tempdir = folder  # what it leaves there, it will not take away
        os.close(read)
        with os.fdopen(write, "w") as pipe:
            json.dump(_answer(request), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer: str | None = json.loads(pipe.read() or '"it died"')
    os.waitpid(child, 0)
    return answer


def main() -> None:
    """Answer line by line until there are no more."""
    for name in KEPT_LOADED:
        importlib.import_module(name)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a cell writes around Python is no answer
    for line in sys.stdin:
        print(json.dumps(_in_a_fork(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
