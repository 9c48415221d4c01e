"""What holds in every test: no network beyond loopback, one environment, no skips."""

import os
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.notebooks.fixed_environment import lesson_environment

# Importing it shuts the network in this process; PYTHONPATH does it in every other.
from tests.notebooks.offline.sitecustomize import LOG
from tests.summary import compared, counted, rows, slowest

os.environ.update(lesson_environment(os.environ))
for name in ("MINGRAPH_LEARNER", "MINGRAPH_KEEP_IN"):
    os.environ.pop(name, None)

# What needs a browser, Node, a real model, or many seconds, the slowest first.
SLOW = (
    "tests/playground/test_in_pyodide.py",
    "tests/browser/test_a_learner.py",
    "tests/engines/test_webkit.py",
    "tests/playground/test_stop.py",
    "tests/playground/test_layout.py",
    "tests/engines/",
    "tests/playground/",
    "tests/browser/",
    "tests/real/",
    "tests/launcher/",
    "tests/notebooks/test_broken_core.py",
    "tests/notebooks/test_solving.py",
    "tests/notebooks/test_predictions.py",
    "tests/notebooks/test_keeping_in_a_kernel.py",
    "tests/notebooks/test_form.py",
    "tests/bench/test_page_rows.py",
    "tests/trace/test_killed.py",
    "tests/test_types.py",
    "tests/lab/test_official_clients.py",
    "tests/lab/test_habits.py",
    "tests/lab/test_fake_server.py",
    "notebooks/solutions/",
    "tests/notebooks/test_kernels.py",
    "tests/test_conftest.py",
)
# What is quick enough for the quick lane, yet should not be the last to begin.
LONG = (
    "tests/notebooks/",
    "tests/test_house.py",
    "tests/lab/",
    "tests/adapters/",
    "tests/test_agent_properties.py",
    "notebooks/",
)


def place(nodeid: str) -> int:
    """Tell how early a test is handed out: the first beginning that fits counts."""
    order = SLOW + LONG
    return next((n for n, start in enumerate(order) if nodeid.startswith(start)), 99)


def attempts(log: Path | None = None) -> list[str]:
    """Return the refused network attempts of this process and those it started."""
    log = log or Path(os.environ[LOG])
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def attempts_of_all() -> list[str]:
    """Return the refused attempts of the whole run, of all its workers."""
    logs = sorted(Path(os.environ[LOG]).parent.glob("refused*"))
    return [attempt for log in logs for attempt in attempts(log)]


@pytest.fixture(autouse=True)
def no_attempt_to_leave_this_machine() -> Iterator[None]:
    """Fail a test that asked for the network, even if its code hid the refusal."""
    before = len(attempts())
    yield
    assert attempts()[before:] == [], "this test asked for the network"


class EveryItem:
    """Hooks for all items, notebook cells too, which no conftest stands above."""

    @pytest.hookimpl(tryfirst=True)  # `-m` chooses by these marks
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Mark what is slow; for workers, put first what takes longest."""
        for item in items:
            if item.nodeid.startswith(SLOW):
                item.add_marker("slow")
        if hasattr(config, "workerinput"):
            items.sort(key=lambda item: place(item.nodeid))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """In CI, turn a skipped test into a failed one."""
        report = yield
        _fail_if_skipped(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Iterator[None]:
        """In CI, turn a skipped file into a failed one."""
        report = yield
        _fail_if_skipped(report)
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run in which a notebook cell hid a refused attempt."""
        if attempts_of_all() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say what asked for the network, what was counted, and what took long."""
        for attempt in attempts_of_all():
            terminalreporter.write_line(f"refused: {attempt}", red=True)
        reports = [
            report
            for kind in terminalreporter.stats.values()
            for report in kind
            if isinstance(report, pytest.TestReport)
        ]
        parts = [compared(reports), counted(reports), rows(reports), slowest(reports)]
        for line in chain.from_iterable(parts):
            terminalreporter.write_line(line)


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    if in_ci and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure in CI: {report.longrepr}"


def pytest_configure(config: pytest.Config) -> None:
    """Give this process its own list of refused attempts, in the folder of this run."""
    if LOG not in os.environ:
        folder = tempfile.mkdtemp(prefix="mingraph-lite-")
        os.environ[LOG] = str(Path(folder, "refused"))
    if worker := getattr(config, "workerinput", {}).get("workerid"):
        # One list for all would blame this worker's attempt on another's test.
        os.environ[LOG] += f"-{worker}"
    # xdist would hand out first what has most tests; what takes longest has few.
    config.option.loadscopereorder = False
    config.pluginmanager.register(EveryItem(), "mingraph-every-item")
    if config.getoption("nbval", default=False):
        config.pluginmanager.import_plugin("tests.notebooks.kernels")
