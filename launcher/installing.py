"""pip, and when it has nothing to do."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from launcher.failures import JobFailed, below, cause_in
from launcher.inherited import for_pip
from launcher.place import Place
from launcher.processes import Children, run
from launcher.requirements import (
    Find,
    asked_for,
    builds_the_package,
    installed_from,
    missing,
)
from start import Trouble, say

__all__ = ["Need", "install", "look_for_room", "need_of_extra", "need_of_package"]

type Free = Callable[[Path], int]

INDEX = "Python's package index"
MEGABYTES = 600  # of .venv with the lessons, and of the page with what builds it
NETWORK = re.compile(
    r"Retrying \(|ConnectionError|NewConnection|NameResolution|[Tt]imed out"
    r"|ProxyError|SSLError|connection broken|HTTP error [45]"
)
WORKING = re.compile(r"Installing collected|Successfully|Attempting|Stored|Created")
# What pip says when the tested versions have no file for this Python or system.
NO_FILE = re.compile(
    r"No matching distribution|ResolutionImpossible|conflicting dependencies"
    r"|Failed to build|Failed building|metadata-generation-failed"
)


@dataclass(frozen=True)
class Need:
    """Something that has to be installed, and what it is called."""

    what: str
    lines: tuple[str, ...]
    own: bool = False  # and the package in this folder with it
    deep: bool = True  # with all that the lines need themselves


def need_of_package(place: Place, what: str, *extras: str) -> Need:
    """Ask for the package in this folder, with some of its extras."""
    lines = (*asked_for(place, *extras), *builds_the_package(place))
    return Need(what, lines, own=True)


def need_of_extra(place: Place, what: str, extra: str, *, deep: bool = True) -> Need:
    """Ask for what an extra lists, without the package."""
    return Need(what, tuple(asked_for(place, extra, core=False)), deep=deep)


def install(
    place: Place, children: Children, need: Need, find: Find = distribution
) -> None:
    """Let pip install what is needed, unless what is installed will do.

    Why not simply `pip install -e .[lessons]`? That asks the network, out of our
    hearing, for what builds the package, although only its folder may have moved; and
    it takes the package out of .venv and puts it back, while a learner may import it.
    """
    if missing(need.lines, deep=need.deep, find=find):
        if not anything_installed(place):
            look_for_room(place)
        throw_out_halves(place)
        install_lines(place, children, need)
    if need.own and not installed_from(place, find):
        here = ["--no-deps", "--no-build-isolation", "-e", "."]
        run_pip(place, children, "Installing mingraph_lite", here)


def install_lines(place: Place, children: Children, need: Need) -> None:
    """Install the tested versions, or others where those are not had."""
    doing = f"Installing {need.what}"
    asked = [*([] if need.deep else ["--no-deps"]), *need.lines]
    constraints = ["-c", place.constraints.name] if place.constraints.exists() else []
    try:
        run_pip(place, children, doing, [*constraints, *asked])
    except JobFailed as failed:
        words = failed.log.read_text(encoding="utf-8", errors="replace")
        if cause_in(failed.log):
            raise
        if NETWORK.search(words):
            raise no_network(need.what, failed.log, place) from None
        if not (constraints and NO_FILE.search(words)):
            raise
        say("The tested versions cannot be had for this Python; trying others ...")
        run_pip(place, children, doing, ["--prefer-binary", *asked])


def anything_installed(place: Place) -> bool:
    """Tell whether anything of ours was installed here before."""
    return any(place.venv.glob("[Ll]ib*/**/pydantic"))


def no_network(what: str, log: Path, place: Place) -> Trouble:
    """Name the network as the cause."""
    words = below(log, place, about=NETWORK)
    return Trouble(
        f"{INDEX} was not reached, so {what} cannot be installed: check the network, "
        f"then start again (what is there already is kept).{words}"
    )


def run_pip(place: Place, children: Children, doing: str, arguments: list[str]) -> None:
    """Run pip with our settings, and name a bad network at once."""
    pip = [str(place.python), "-m", "pip"]
    quiet = ["--no-input", "--progress-bar=off", "--disable-pip-version-check"]
    run(
        place,
        children,
        doing,
        [*pip, "install", *quiet, *arguments],
        heard=bad_network,
        waiting=waits_for,
        env=for_pip(os.environ, pip_files(pip)),
    )


def bad_network(line: str) -> str | None:
    """Say so as soon as pip has trouble with the network."""
    return f"{INDEX} does not answer; trying again" if NETWORK.search(line) else None


def waits_for(last: str) -> str:
    """Tell waiting for the index from unpacking what it has sent."""
    nothing = f"no answer from {INDEX} yet"
    return f"still at it: {last}" if WORKING.match(last) else nothing


def pip_files(pip: list[str]) -> str:
    """Ask pip what its configuration files say."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        command = [*pip, "config", "list"]
        nowhere = subprocess.DEVNULL
        return subprocess.check_output(command, stderr=nowhere, timeout=10).decode()
    return ""


def free_on_disk(folder: Path) -> int:
    """Return the free bytes on a folder's disk."""
    return shutil.disk_usage(folder).free


def look_for_room(place: Place, free: Free = free_on_disk) -> None:
    """Refuse to begin where the first installation cannot end."""
    here = free(place.root) // 1_000_000
    if here < MEGABYTES:
        raise Trouble(
            f"The first installation takes about {MEGABYTES} MB, and {here} MB are "
            f"free on the disk of {place.root}: make room, then start again."
        )


def throw_out_halves(place: Place) -> None:
    """Remove the notes of half-installed packages, which pip would take for whole."""
    for note in place.venv.glob("lib*/python*/site-packages/*.dist-info"):
        if not (note / "RECORD").exists():
            shutil.rmtree(note)
