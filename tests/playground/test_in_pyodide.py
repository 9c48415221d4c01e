"""The rooms of the house pass their own tests inside the page's Python."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.playground.conftest import PLAYGROUND, ROOT, build_environment, building

TESTS = ROOT / "tests"
PACKAGE = ROOT / "mingraph_lite"
PATIENCE = 1800  # seconds after which Python in here hangs; a good run takes one minute
# What these rooms are for needs sockets, Jupyter, a terminal or the page's sources.
NOT_IN_A_PAGE = {
    *("command_line", "fake_server", "habits", "official_clients"),
    *("keep_alive", "keys", "question_list", "routes", "transports"),
    *("lines_to_order", "plots", "question_card", "typescript", "widgets"),
}


def files_of_rooms() -> list[str]:
    """Name the test files of what is at the top of the package, and of its folders."""
    at_the_top = {room.stem for room in PACKAGE.glob("*.py")}
    folders = [path.name for path in PACKAGE.iterdir() if path.is_dir()]
    found = [
        *(file for file in TESTS.glob("test_*.py") if is_of(at_the_top, file)),
        *(file for folder in folders for file in (TESTS / folder).rglob("test_*.py")),
    ]
    return sorted(
        file.relative_to(TESTS).as_posix()
        for file in found
        if not is_of(NOT_IN_A_PAGE, file)
    )


def is_of(rooms: set[str], file: Path) -> bool:
    """Tell whether a test file is named after one of these rooms."""
    return any(f"{file.stem}_".startswith(f"test_{room}_") for room in rooms)


def run_node(*command: str) -> str:
    node = shutil.which("node")
    assert node, "Node is missing: the playground's tests need it."
    done = subprocess.run(
        [node, *command],
        env=build_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_rooms_pass_their_own_tests_inside_pyodide(
    dist: Path, record_property: Callable[[str, object], None]
) -> None:
    with building():
        made = run_node(str(PLAYGROUND / "scripts" / "python-files.mjs"), "--tests")
    runner = str(TESTS / "playground" / "pyodide_tests.mjs")
    printed = run_node(runner, made.strip().splitlines()[-1], *files_of_rooms())
    said, _, last = printed.strip().rpartition("\n")
    report = json.loads(last)

    assert report["platform"] == "emscripten"
    assert report["status"] == 0, said
    assert report["files"] == [f"tests/{name}" for name in files_of_rooms()]
    assert report["collected"] != []
    assert report["outcomes"] == dict.fromkeys(report["collected"], "passed")
    record_property("tests passed inside Pyodide", len(report["outcomes"]))
