"""One command, two lanes: the quick one needs pytest alone."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from launcher import command_line, testing
from launcher.place import Place
from launcher.processes import Children
from start import Trouble
from tests.browsers import NoBrowser, find_chromium
from tests.engines.finding import find_webkit
from tests.launcher.folder import ROOT, calls, script

TWO = ["-n", "2", "--dist", "loadfile"]
NOT_SLOW = ["-m", "not slow and not properties"]


@pytest.mark.parametrize(
    ("own", "quick", "whole"),
    [
        ([], [*TWO, *NOT_SLOW], TWO),
        (["-x", "-k", "not page"], NOT_SLOW, []),
        (["-n", "8"], NOT_SLOW, []),
        (["-n0"], NOT_SLOW, []),
        (["--numprocesses=8"], NOT_SLOW, []),
        (["-m", "lesson03"], [], []),
        (["--pdb"], NOT_SLOW, []),
        (["-p", "no:xdist"], NOT_SLOW, []),
        (["--maxfail=1"], [*TWO, *NOT_SLOW], TWO),
    ],
)
def test_a_lane_gives_way_to_what_the_caller_says(own, quick, whole):
    assert testing.pytest_arguments("quick", own) == [*quick, *own]
    assert testing.pytest_arguments("whole", own) == [*whole, *own]


@pytest.mark.parametrize(
    ("line", "lane", "rest"),
    [
        (["test"], "whole", []),
        (["test", "-x", "quick"], "whole", ["-x", "quick"]),
        (["test", "quick"], "quick", []),
        (["test", "quick", "-n", "4", "tests"], "quick", ["-n", "4", "tests"]),
    ],
)
def test_what_follows_the_lane_is_for_pytest(line, lane, rest):
    options = command_line.parse(line)

    assert (options.lane, options.for_pytest) == (lane, rest)


@pytest.fixture
def tests(
    place: Place, children: Children, tmp_path: Path, monkeypatch, capfd
) -> Callable[..., tuple[int, list[str]]]:
    """Run the tests with a pytest that ends so."""
    answers = {"chromium": "Chromium 156", "node": "v22.12.0", "npm": ""}
    answers |= {"firefox-esr": "Mozilla Firefox 153", "WebKitWebDriver": "", "Xvfb": ""}
    for name, says in answers.items():
        script(tmp_path / "bin" / name, f"echo {says}", "mkdir -p dist node_modules")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CI", raising=False)
    for name in ("package.json", "package-lock.json"):
        place.playground.mkdir(exist_ok=True)
        (place.playground / name).write_text("{}")

    def test(pytest_status: int, lane: str = "whole") -> tuple[int, list[str]]:
        script(
            place.python,
            'echo "$@" >> "$0.calls"',
            '[ "$2" = pip ] && exit',
            "echo pytest says",
            f"exit {pytest_status}",
        )
        status = testing.run_tests(place, children, lane, ["-x"])
        return status, capfd.readouterr().out.splitlines()

    return test


def test_all_is_well_when_pytest_says_so_and_nothing_is_missing(tests):
    status, lines = tests(0)

    assert (status, lines[-1]) == (0, "pytest says")
    assert [line for line in lines if line.startswith("NOT EVERYTHING")] == []
    assert tests(1)[0] == 1


@pytest.mark.parametrize("pytest_status", [0, 1])
def test_what_is_missing_is_told_first_and_the_last_lines_are_pytests(
    place, tests, pytest_status
):
    (place.playground / "package.json").unlink()
    told = "playground/package.json is missing: get the whole project again."

    status, lines = tests(pytest_status)

    assert status == 1
    assert lines[-2:] == [f"NOT EVERYTHING CAN BE TESTED: {told}", "pytest says"]


def test_what_is_missing_ends_the_tests_before_they_begin_under_ci(
    place, tests, monkeypatch
):
    (place.playground / "package.json").unlink()
    monkeypatch.setenv("CI", "true")

    with pytest.raises(Trouble, match=r"package\.json is missing"):
        tests(0)


def test_the_quick_lane_prepares_no_browser_no_node_no_page_and_no_model(
    place, tests, monkeypatch
):
    (place.playground / "package.json").unlink()
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    status, lines = tests(0, "quick")

    assert (status, lines[-1]) == (0, "pytest says")
    asked = [line for line in calls(place.python) if not line.startswith("-m pip")]
    assert asked == ["-m pytest -n 2 --dist loadfile -m not slow and not properties -x"]


def test_ci_runs_the_command_of_the_readme(tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    show = "import os, sys\nprint(sys.argv[1:], os.environ['CI'])\n"
    (tmp_path / "start.py").write_text(show)
    environment = {k: v for k, v in os.environ.items() if k != "CI"}
    command = [tmp_path / ".ci/run", "-x"]

    shown = subprocess.check_output(command, env=environment, text=True)

    assert shown == "['test', '-x'] true\n"
    assert "\npython3 start.py test\n" in (ROOT / "README.md").read_text("utf-8")


def test_a_browser_that_does_not_start_is_passed_over(tmp_path):
    note = script(tmp_path / "chromium-browser", "echo get the snap", "exit 1")
    good = script(tmp_path / "chromium", "echo Chromium 156")

    assert find_chromium([str(note), "/absent", str(good)]) == str(good)


def test_without_a_browser_the_message_says_how_to_get_one():
    with pytest.raises(NoBrowser, match="install Debian's chromium, or run"):
        find_chromium([])


ENGINES = [
    (
        testing.find_firefox,
        {"firefox-esr": "echo Mozilla Firefox 153"},
        "firefox-esr",
        "No Firefox that starts was found, so the page is not tried in it: install "
        "Debian's firefox-esr.",
    ),
    (
        testing.find_webkit,
        {"WebKitWebDriver": "", "Xvfb": ""},
        "webkit2gtk-driver xvfb",
        "No WebKitWebDriver and no Xvfb on the path, so the page is not tried in "
        "WebKit: install Debian's webkit2gtk-driver and xvfb.",
    ),
]


@pytest.fixture
def path(tmp_path: Path, monkeypatch) -> Path:
    """Give the one folder in which programs are looked for."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


@pytest.mark.parametrize(("find", "programs", "packages", "told"), ENGINES)
def test_an_engine_that_is_missing_is_installed_and_found(
    place, children, path, monkeypatch, find, programs, packages, told
):
    asked = []

    def installed(place: Place, children: Children, wanted: str) -> bool:
        asked.append(wanted)
        for name, says in programs.items():
            script(path / name, says)
        return True

    monkeypatch.setattr(testing, "apt_install", installed)

    found = [find(place, children), find(place, children)]

    assert asked == [packages]
    assert found[0] == found[1]
    assert str(path) in str(found)


@pytest.mark.parametrize(("find", "programs", "packages", "told"), ENGINES)
def test_where_nothing_can_be_installed_the_engine_and_its_packages_are_named(
    place, children, path, monkeypatch, find, programs, packages, told
):
    monkeypatch.setattr(testing, "apt_install", lambda *_: False)

    with pytest.raises(Trouble) as trouble:
        find(place, children)

    assert str(trouble.value) == told


def test_a_screen_alone_is_asked_for_where_the_driver_is_there(path):
    script(path / "WebKitWebDriver")

    with pytest.raises(NoBrowser, match=r"^No Xvfb on the path"):
        find_webkit()


def test_help_is_our_own_also_behind_test(capsys):
    with pytest.raises(SystemExit) as left:
        command_line.parse(["test", "quick", "--help"])

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("usage: start.py ")
