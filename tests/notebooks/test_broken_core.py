"""With one line of the package broken, a lesson's cell or check turns red."""

import json
import os
import subprocess
import sys

import pytest

from tests.notebooks.breaks import BREAKS
from tests.notebooks.fixed_environment import ROOT, lesson_environment
from tests.notebooks.running import notebooks


class Shells:
    """A process that compares notebooks with the package as it is, or broken."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.notebooks.in_a_shell"],
            cwd=ROOT,
            env=lesson_environment(os.environ | {"PYTHONPATH": str(ROOT)}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def red(self, paths, file="", line="", broken=""):
        """Return where the first of the notebooks turns red, or None."""
        request = [file, line, broken, [str(path) for path in paths]]
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self):
        self._process.communicate()


@pytest.fixture(scope="module")
def shells():
    found = Shells()
    yield found
    found.end()


def likely_first(number):
    """All notebooks, those of the lesson with this number first."""
    return sorted(notebooks(), key=lambda path: not path.name.startswith(number))


def test_thirty_lines_are_broken():
    assert len(BREAKS) >= 30
    assert len({file for file, *_ in BREAKS.values()}) >= 9


@pytest.mark.parametrize("path", notebooks(), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_an_unbroken_package_leaves_each_notebook_green(path, shells):
    """As nbval finds it too: a shell without a kernel shows the same."""
    assert shells.red([path]) is None


@pytest.mark.parametrize("name", BREAKS)
def test_one_broken_line_turns_a_cell_red(name, shells):
    file, line, broken, lesson = BREAKS[name]
    red = shells.red(likely_first(lesson), file, line, broken)
    assert red is not None
    # A meaning broke and not an import: the cell that opens the lesson still passes.
    assert ", code cell " in red
    assert ", code cell 1: " not in red


@pytest.mark.parametrize(
    ("source", "outputs", "where"),
    [
        ("1 + 1", [("text/plain", "2")], None),
        ("1 + 1", [("text/plain", "3")], "['', '2'] is not ['', '3']"),
        ("1 + 1;", [], None),
        ("print('a')\n2", [("text/plain", "2")], "['a\\n', '2'] is not ['', '2']"),
        ("None", [], None),
        ("1 / 0", [], "ZeroDivisionError: division by zero"),
        ("1 +", [], "SyntaxError: invalid syntax"),
    ],
)
def test_a_shell_compares_what_a_kernel_shows(source, outputs, where, shells, tmp_path):
    path = tmp_path / "small.ipynb"
    shown = [
        {"output_type": "execute_result", "execution_count": 1, "metadata": {},
         "data": dict([output])}
        for output in outputs
    ]  # fmt: skip
    cell = {"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {},
            "outputs": shown, "source": source}  # fmt: skip
    opened = {**cell, "id": "b", "outputs": [],
              "source": "import mingraph_lite.classroom"}  # fmt: skip
    written = {"cells": [opened, cell], "metadata": {}, "nbformat": 4,
               "nbformat_minor": 5}  # fmt: skip
    path.write_text(json.dumps(written))
    red = shells.red([path])
    assert red == where or red.startswith(
        f"{tmp_path.name}/small.ipynb, code cell 2: {where}"
    )


def test_a_line_that_is_not_in_the_file_is_told(shells):
    red = shells.red(notebooks()[:1], "cards.py", "no such line", "x")
    assert red.startswith("before any cell") or "AssertionError" in red
