"""What holds in every test: no network beyond loopback, one environment, no skips."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notebooks.environment import lesson_environment

# Importing it shuts the network in this process; PYTHONPATH does it in every other.
from tests.notebooks.offline.sitecustomize import LOG

os.environ.update(lesson_environment(os.environ))
os.environ.pop("MINGRAPH_LEARNER", None)


def attempts() -> list[str]:
    """Return the refused network attempts of this run, of all its processes."""
    log = Path(os.environ[LOG])
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@pytest.fixture(autouse=True)
def no_attempt_to_leave_this_machine() -> Iterator[None]:
    """Fail a test that asked for the network, even if its code hid the refusal."""
    before = len(attempts())
    yield
    assert attempts()[before:] == [], "this test asked for the network"


def compared(cells: list[str]) -> str:
    """Count the notebook cells that nbval compared, and their notebooks."""
    notebooks = {cell.partition("::")[0] for cell in cells}
    solutions = {notebook for notebook in notebooks if "/solutions/" in notebook}
    return (
        f"nbval compared {len(cells)} cells of {len(notebooks - solutions)} lessons"
        f" and {len(solutions)} solutions"
    )


class EveryItem:
    """Hooks for all items, notebook cells too, which no conftest stands above."""

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
        if attempts() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Say how many cells were compared, and what asked for the network."""
        for attempt in attempts():
            terminalreporter.write_line(f"refused: {attempt}", red=True)
        passed = terminalreporter.stats.get("passed", [])
        if cells := [r.nodeid for r in passed if ".ipynb::" in r.nodeid]:
            terminalreporter.write_line(compared(cells))


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    if in_ci and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure in CI: {report.longrepr}"


def pytest_configure(config: pytest.Config) -> None:
    """Give this run its own list of refused attempts."""
    if LOG not in os.environ:
        folder = tempfile.mkdtemp(prefix="mingraph-lite-")
        os.environ[LOG] = str(Path(folder, "refused"))
    config.pluginmanager.register(EveryItem(), "mingraph-every-item")
