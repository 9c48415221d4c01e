"""What holds in every test holds where several workers share the tests, too."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.conftest import LONG, SLOW, EveryItem
from tests.notebooks.fixed_environment import OFFLINE, ROOT
from tests.notebooks.offline.sitecustomize import LOG
from tests.summary import HEAD, slowest

WORKERS = ["-p", "xdist", "-n", "2", "--dist", "loadfile"]
SKIPS = """
import pytest
def test_skips():
    pytest.skip("no browser")
"""
HIDES = """
import socket
def test_hides_that_it_asks_for_the_network():
    try:
        socket.getaddrinfo("example.org", 443)
    except RuntimeError:
        pass
"""
COUNTS = """
def test_counts(record_property):
    record_property("starts", 2)
def test_counts_again(record_property):
    record_property("starts", 1)
    record_property("note", "no number")
"""
MEET = """
import time
from pathlib import Path
def meet(mine, other):
    Path(mine).touch()
    while not Path(other).exists():
        time.sleep(0.01)
"""


def pytest_on(folder, how=(), files=(), /, one="", **environ):
    """Run pytest with this house's hooks, in a process of its own."""
    for name, source in {"test_one.py": one, **dict(files)}.items():
        (folder / name).write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    kept = {k: v for k, v in os.environ.items() if k not in {"CI", LOG}}
    paths = {"PYTHONPATH": os.pathsep.join([str(OFFLINE), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", *how],
        cwd=folder,
        # Each plugin that is installed would be imported once more.
        env=kept | paths | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} | environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_test_that_hides_a_refused_attempt_fails(tmp_path):
    code, said = pytest_on(tmp_path, one=HIDES)
    assert code == 1
    assert "this test asked for the network" in said
    assert "refused: socket.getaddrinfo 'example.org'" in said


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """What a run in CI says whose tests two workers share."""
    folder = tmp_path_factory.mktemp("shared")
    # The first two files go to a worker each, and wait for one another.
    guilty = f"from meeting import meet{HIDES}    meet('asked', 'seen')\n"
    innocent = (
        "from meeting import meet\ndef test_other():\n    meet('seen', 'asked')\n"
    )
    files = {"meeting.py": MEET, "test_other.py": innocent}
    more = {"test_that.py": COUNTS, "test_this.py": COUNTS, "test_what.py": SKIPS}
    return pytest_on(folder, WORKERS, files | more, one=guilty, CI="true")


def test_a_refused_attempt_is_blamed_on_the_worker_that_made_it(shared):
    code, said = shared
    assert (code, "1 failed, 6 passed, 1 error" in said) == (1, True)
    assert "ERROR at teardown of test_hides_that_it_asks" in said
    assert said.count("refused: socket.getaddrinfo 'example.org'") == 1


def test_a_worker_fails_a_skipped_test_in_ci(shared):
    assert "skipped, which is a failure in CI" in shared[1]


def test_what_tests_counted_is_summed_over_the_workers(shared):
    lines = shared[1].splitlines()
    assert "starts: 6" in lines
    parts = lines[lines.index(HEAD) + 1 :][:5]
    names = ["one", "other", "that", "this", "what"]
    assert sorted(part.split()[-1] for part in parts) == [f"test_{n}.py" for n in names]


@pytest.mark.parametrize("how", [[], WORKERS], ids=["alone", "workers"])
def test_a_refused_attempt_that_no_test_made_fails_the_run(how, tmp_path):
    at_import = HIDES.replace("def test_hides_that_it_asks_for_the_network():", "if 1:")
    code, said = pytest_on(tmp_path, how, one=f"{at_import}\ndef test(): pass\n")
    assert (code, "1 passed" in said) == (1, True)
    assert "refused: socket.getaddrinfo 'example.org'" in said


def test_a_skipped_test_fails_in_ci(tmp_path):
    code, said = pytest_on(tmp_path, one=SKIPS, CI="true")
    assert code == 1
    assert "skipped, which is a failure in CI" in said


def test_a_skipped_file_fails_in_ci(tmp_path):
    source = "import pytest\npytest.skip('no browser', allow_module_level=True)"
    code, said = pytest_on(tmp_path, one=source, CI="true")
    assert code != 0
    assert "skipped, which is a failure in CI" in said


def test_a_skipped_test_is_only_said_elsewhere(tmp_path):
    code, said = pytest_on(tmp_path, one=SKIPS)
    assert (code, "1 skipped" in said) == (0, True)


def test_a_run_ends_with_what_its_tests_counted_and_its_slowest_parts(tmp_path):
    code, said = pytest_on(tmp_path, one=COUNTS)
    *_, counts, head, part, last = said.splitlines()
    assert (code, counts, head) == (0, "starts: 3", HEAD)
    assert part.split()[1:] == ["2", "test_one.py"]
    assert last.startswith("2 passed in ")


def test_a_part_takes_the_set_up_calls_and_tear_down_of_all_its_tests():
    took = [("a.py::x", 0.25), ("a.py::x", 0.5), ("a.py::y", 1), ("b.ipynb::Cell 0", 2)]
    reports = [SimpleNamespace(nodeid=name, duration=n) for name, n in took]
    assert slowest(reports) == [
        "  seconds  tests  slowest parts",
        "      2.0      1  b.ipynb",
        "      1.8      2  a.py",
    ]
    assert len(slowest(reports, most=1)) == 2
    assert slowest([]) == []


def ordered(*names, **config):
    """Names in the order in which they are handed out, and those that are slow."""
    marked = []
    items = [
        SimpleNamespace(nodeid=name, add_marker=lambda _, n=name: marked.append(n))
        for name in names
    ]
    EveryItem().pytest_collection_modifyitems(SimpleNamespace(**config), items)
    return [item.nodeid for item in items], marked


def test_workers_are_handed_slow_files_first_each_in_its_own_order():
    names = [
        "tests/test_agent.py::b",
        "tests/test_agent.py::a",
        "tests/real/test_real_model.py::b",
        "tests/real/test_real_model.py::a",
        "notebooks/00_start_here.ipynb::Cell 0",
        f"{SLOW[0]}::a",
    ]
    slow = [names[5], names[2], names[3]]
    assert ordered(*names, workerinput={})[0] == [*slow, names[4], *names[:2]]
    assert ordered(*names) == (names, [names[2], names[3], names[5]])


def test_what_the_order_of_files_names_is_there():
    assert [name for name in SLOW + LONG if not (ROOT / name).exists()] == []
