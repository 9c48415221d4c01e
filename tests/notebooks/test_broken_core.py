import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.notebooks.fixed_environment import OFFLINE, ROOT
from tests.notebooks.kernels import NBVAL_ALONE

CARDS = "04_cards.ipynb"
BREAKS = {
    "the loop ends after the errands": (
        "cards.py",
        'CallingModel(self.step + 1, because="every slip has its answer")',
        'Finished("done", "answered", because="every slip has its answer")',
    ),
    "rounds are not counted": (
        "cards.py",
        "CallingModel(self.step + 1,",
        "CallingModel(1,",
    ),
    "the folder is read out without the question": (
        "desk.py",
        "self.add(UserMessage(question))",
        "self.add(UserMessage(''))",
    ),
    "an answer slip loses its number": (
        "desk.py",
        "ToolMessage(plain_text(value), call.id, call.name)",
        'ToolMessage(plain_text(value), "", call.name)',
    ),
}


def compare(notebook, package, folder):
    """Let nbval compare a lesson with a package of our own; count what it found."""
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    done = subprocess.run(
        [
            *[sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            *["-c", os.devnull, "--rootdir", str(folder)],
            *[*NBVAL_ALONE, f"notebooks/{notebook}"],
        ],
        cwd=folder,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, [package, OFFLINE, ROOT]))}
        | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    count = dict.fromkeys(["failed", "passed"], 0)
    found = re.findall(r"(\d+) (failed|passed)", done.stdout.splitlines()[-1])
    return count | {word: int(number) for number, word in found}


def copy_of_the_package(folder):
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "mingraph_lite", folder / "mingraph_lite", ignore=ignore)
    return folder


def test_an_unbroken_copy_of_the_core_leaves_the_lesson_green(tmp_path):
    package = copy_of_the_package(tmp_path / "package")
    assert compare(CARDS, package, tmp_path)["failed"] == 0


@pytest.mark.parametrize(("file", "line", "broken"), BREAKS.values(), ids=list(BREAKS))
def test_one_broken_line_of_the_core_turns_a_cell_red(file, line, broken, tmp_path):
    package = copy_of_the_package(tmp_path / "package")
    source = (package / "mingraph_lite" / file).read_text()
    assert source.count(line) == 1
    (package / "mingraph_lite" / file).write_text(source.replace(line, broken))
    count = compare(CARDS, package, tmp_path)
    # The setup cell still passes: a meaning broke, not an import.
    assert count["failed"] > 0 < count["passed"]
