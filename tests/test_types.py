"""What a user's type checker sees of the package."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests import own_program
from tests.notebooks.fixed_environment import ROOT

OWN = ROOT / "tests" / "own_program.py"
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("[!_t]*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Rooms of the core: each public name in them has a type that no checker has to guess.
CORE = {path.stem for path in (ROOT / "mingraph_lite").glob("*.py")}
# As pyright's own standard mode, and what a name of ours can do to its strict one.
STANDARD = {
    "typeCheckingMode": "standard",
    "reportPrivateUsage": "error",
    "reportUnknownArgumentType": "error",
    "reportUnknownMemberType": "error",
    "reportUnknownVariableType": "error",
    "reportUntypedFunctionDecorator": "error",
}


def program(text: str) -> str:
    """The python blocks of a page as one program.

    The first stands as it is. Each later one is the body of a function below it: it
    sees the names of the first, and may use them again for something else.
    """
    first, *later = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for number, block in enumerate(later, start=2):
        body = re.sub(r"^(?=.)", "    ", block, flags=re.MULTILINE)
        first += f"\n\ndef block_{number}() -> None:\n{body}"
    return first


def checked(*command: str, cwd: Path) -> tuple[int, str]:
    """What a checker says of files that lie outside the project."""
    where = {"PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=os.environ | where,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_program_of_ones_own_runs_as_it_is_typed():
    own = own_program
    assert own.answered(own.patient, "How warm?") == "It is 64."
    assert own.answered(own.hasty, "How warm?").startswith("No answer: ")
    assert own.recorder.names()[-1] == "finish"
    assert (own.boiling, own.back) == (212, 100)
    assert (own.counting.calls, own.counting.ended) == (1, "answered")


def test_the_blocks_of_a_page_become_one_program():
    page = (
        "# A page\n```python\nx = 1\n```\n```\nno python\n```\n"
        "```python\nfor y in [x]:\n\n    print(y)\n```\n"
    )
    assert program(page) == (
        "x = 1\n\n\ndef block_2() -> None:\n    for y in [x]:\n\n        print(y)\n"
    )


def test_H10_the_wheel_says_that_the_package_is_typed():
    # Right: py.typed is in the wheel, or no checker reads a single annotation.
    packed = WheelBuilder(str(ROOT)).recurse_included_files()
    assert "mingraph_lite/py.typed" in {file.distribution_path for file in packed}


@pytest.mark.slow
def test_H10_the_readme_and_programs_of_ones_own_are_clean_for_mypy(tmp_path):
    # Right: an added tool keeps its own type, the answer of a run is a text.
    (tmp_path / "readme.py").write_text(program(README), encoding="utf-8")
    (tmp_path / "own.py").write_text(OWN.read_text("utf-8"), encoding="utf-8")
    for path in PROGRAMS:
        (tmp_path / path.name).write_text(path.read_text("utf-8"), encoding="utf-8")
    # With the memory of the run that checks the package, it takes a second and not ten.
    remembered = ("--python-version=3.12", f"--cache-dir={ROOT / '.mypy_cache'}")
    strictly = ("mypy", "--strict", "--config-file=", *remembered)
    names = ["readme.py", "own.py", *(path.name for path in PROGRAMS)]
    assert checked(*strictly, *names, cwd=tmp_path) == (
        0,
        "Success: no issues found in 11 source files\n",
    )


@pytest.mark.slow
def test_H10_they_are_clean_for_pyright_and_no_public_name_is_guessed_at(tmp_path):
    # Right: nothing private is used, and no type is unknown.
    (tmp_path / "readme.py").write_text(program(README), encoding="utf-8")
    (tmp_path / "own.py").write_text(OWN.read_text("utf-8"), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(STANDARD))
    python = ("basedpyright", "--pythonpath", sys.executable)
    assert checked(*python, "--level", "error", cwd=tmp_path) == (
        0,
        "0 errors, 0 warnings, 0 notes\n",
    )
    report = ("--verifytypes", "mingraph_lite", "--ignoreexternal", "--outputjson")
    _, said = checked(*python, *report, cwd=tmp_path)
    names = json.loads(said)["typeCompleteness"]["symbols"]
    assert len(names) > 300
    assert [
        name["name"]
        for name in names
        if not name["isTypeKnown"] and name["name"].split(".")[1] in CORE
    ] == []


def test_the_package_is_typed() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-color-output"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert said.stdout.startswith("Success:"), said.stdout + said.stderr
