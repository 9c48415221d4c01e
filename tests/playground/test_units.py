"""The parts of the page without a page, and the core inside the page's Python."""

import json
import shutil
import subprocess
from pathlib import Path

from tests.playground.conftest import PLAYGROUND, ROOT, build_environment, npm

TESTS = ROOT / "tests"
PATIENCE = (
    1800  # seconds after which Python in here hangs; a good run takes two minutes
)
# What these modules are for needs Jupyter, sockets or a terminal; lessons hold data.
NOT_CORE = {
    "endpoint",
    "lessons",
    "plots",
    "transports",
    "views",
    "widgets",
}


def core_tests() -> list[str]:
    """Name the test files of the core's modules."""
    modules = {path.stem for path in (ROOT / "mingraph_lite").iterdir()} - NOT_CORE
    return sorted(
        path.name
        for path in TESTS.glob("test_*.py")
        if any(
            path.stem == f"test_{module}" or path.stem.startswith(f"test_{module}_")
            for module in modules
        )
    )


def test_the_parts_in_typescript_do_what_their_tests_say(dist: Path) -> None:
    done = npm("test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_core_passes_its_own_tests_inside_pyodide(dist: Path) -> None:
    node = shutil.which("node")
    assert node, "Node is missing: the playground's tests need it."
    environment = build_environment()

    def run(*command: str) -> str:
        done = subprocess.run(
            [node, *command],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    made = run(str(PLAYGROUND / "scripts" / "python-files.mjs"), "--tests")
    runner = str(TESTS / "playground" / "pyodide_tests.mjs")
    printed = run(runner, made.strip().splitlines()[-1], *core_tests())
    report = json.loads(printed.strip().splitlines()[-1])

    assert report["platform"] == "emscripten"
    assert report["status"] == 0, printed
    assert report["outcomes"] == dict.fromkeys(report["collected"], "passed")
    files = {name.partition("::")[0] for name in report["collected"]}
    assert files == {f"tests/{name}" for name in core_tests()}
