"""Runs pytest inside Pyodide and gives what came of each test, as JSON.

`files`, the names of test files, is put among the globals by pyodide_tests.mjs.
"""

import json
import os
import sys

import pytest

HOUSE = "/house"
SETTINGS = """[pytest]
filterwarnings = error
markers = properties
"""


class Listener:
    """Writes down which tests there are, and how each of them ended."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.collected: list[str] = []
        self.outcomes: dict[str, str] = {}

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self.files.add(item.nodeid.partition("::")[0])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected = [item.nodeid for item in session.items]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.outcomes.get(report.nodeid, "passed") == "passed":
            self.outcomes[report.nodeid] = report.outcome


def run(names: list[str]) -> str:
    os.chdir(HOUSE)
    sys.path.insert(0, HOUSE)
    with open("pytest.ini", "w", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    listener = Listener()
    paths = [f"tests/{name}" for name in names]
    # The conftest of this house guards sockets and browsers, which are not in here.
    # With pytest's own tracebacks, one of a thousand frames takes minutes here.
    options = ["-q", "--tb=native", "--noconftest", "-p", "no:cacheprovider"]
    # Many random cases would find here what they find outside, in ten times the time.
    options += ["-m", "not properties"]
    status = int(pytest.main([*options, *paths], plugins=[listener]))
    report = {"platform": sys.platform, "status": status}
    return json.dumps(report | vars(listener) | {"files": sorted(listener.files)})


run(list(globals()["files"]))
