"""What the tests stand on, and their two lanes."""

import contextlib
import importlib
import os
import re
import signal
from collections.abc import Callable, Sequence

from launcher.alone import alone
from launcher.installing import install, need_of_extra, need_of_package
from launcher.making_venv import apt_install
from launcher.node import find_npm
from launcher.page import build_page
from launcher.place import Place
from launcher.processes import Children, run
from start import Trouble, say

__all__ = ["LANES", "pytest_arguments", "run_tests", "test_environment"]

LANES = {
    # No browser, no Node, no page, no model; and no random cases, which take long.
    "quick": ["-m", "not slow and not properties"],
    "whole": [],
}
WORKERS = ["-n", "2", "--dist", "loadfile"]  # files that share a fixture stay together


def pytest_arguments(lane: str, own: Sequence[str]) -> list[str]:
    """Put a lane's options before the caller's own, which win."""
    chosen = [] if any(re.match(r"-m", x) for x in own) else LANES[lane]
    # A debugger needs the terminal, and so no workers; -n says how many itself; and
    # of a -k or -m that is wrong a worker says nothing but that it failed.
    alone = r"-n|--numprocesses|--dist|--pdb|--trace|no:xdist|-pno:xdist|-k|-m$"
    workers = [] if any(re.match(alone, x) for x in own) else WORKERS
    return [*workers, *chosen, *own]


def run_tests(place: Place, children: Children, lane: str, own: Sequence[str]) -> int:
    """Install what the tests need, and let pytest have the last lines."""
    with alone(place):
        install(place, children, need_of_package(place, "the tests", "test"))
        missing = prepare_all(place, children) if lane == "whole" else 0
    command = [str(place.python), "-m", "pytest", *pytest_arguments(lane, own)]
    # SIGINT lets pytest end its fixtures, and with them the servers they started.
    tests = children.start(
        command, signal.SIGINT, cwd=place.root, env=test_environment(place)
    )
    return tests.wait() or missing


def prepare_all(place: Place, children: Children) -> int:
    """Prepare what slow tests stand on, and count what is missing."""
    missing = 0
    engines = (find_browser, find_firefox, find_webkit)
    for prepare in (install_weights, *engines, find_npm, build_page):
        try:
            prepare(place, children)
        except Trouble as trouble:
            if os.environ.get("CI", "false").lower() not in ("", "0", "false"):
                raise
            # Said here and not at the end: the last lines are pytest's.
            say(f"NOT EVERYTHING CAN BE TESTED: {trouble}")
            missing += 1
    return missing


def install_weights(place: Place, children: Children) -> None:
    """Install a small model's weights: the rest would be compiled."""
    need = need_of_extra(place, "a small model", "weights", deep=False)
    install(place, children, need)


def test_environment(place: Place) -> dict[str, str]:
    """Return the environment in which tests print the same on every machine."""
    environment = importlib.import_module("tests.notebooks.fixed_environment")
    return dict(environment.lesson_environment(os.environ), PATH=place.path())


def find_browser(place: Place, children: Children) -> str:
    """Find Chromium or Chrome, or install one: Debian's, else Playwright's."""
    find_chromium = importlib.import_module("tests.browsers").find_chromium
    with contextlib.suppress(LookupError):
        return find_chromium()
    if apt_install(place, children, "chromium"):
        with contextlib.suppress(LookupError):
            return find_chromium()
    command = [str(place.python), "-m", "playwright", "install", "chromium"]
    with contextlib.suppress(Trouble):
        run(place, children, "Installing a browser", command)
    try:
        return find_chromium()
    except LookupError as missing:
        raise Trouble(str(missing)) from None


def find_firefox(place: Place, children: Children) -> object:
    """Find Firefox, or install Debian's."""
    finding = importlib.import_module("tests.engines.finding")
    packages = finding.FIREFOX_PACKAGES
    return find_or_install(place, children, finding.find_firefox, packages)


def find_webkit(place: Place, children: Children) -> object:
    """Find what drives WebKit and a screen for it, or install Debian's."""
    finding = importlib.import_module("tests.engines.finding")
    packages = finding.WEBKIT_PACKAGES
    return find_or_install(place, children, finding.find_webkit, packages)


def find_or_install(
    place: Place, children: Children, find: Callable[[], object], packages: str
) -> object:
    """Find an engine; where it is missing, install these packages and look again."""
    with contextlib.suppress(LookupError):
        return find()
    apt_install(place, children, packages)
    try:
        return find()
    except LookupError as missing:
        raise Trouble(str(missing)) from None
