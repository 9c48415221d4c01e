"""The playground: built, and handed out."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from launcher.alone import alone
from launcher.failures import JobFailed, below, last_lines
from launcher.inherited import for_npm
from launcher.installing import install, need_of_extra
from launcher.node import find_npm
from launcher.page_server import PAGE_TYPES, page_server
from launcher.place import Place
from launcher.ports import HOST
from launcher.processes import Children, Enough, run
from start import Trouble

__all__ = ["PAGE_TYPES", "bring_up_page", "build_page", "page_inputs", "page_server"]

# Vite takes these for a pattern or a part of an address.
ODD = set("#?[]{}") | (set() if os.name == "nt" else set(":\\"))
MADE = {"node_modules", "dist", "build", "__pycache__"}
REGISTRY = "npm's registry"
NETWORK = re.compile(
    r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT"
    r"|code E5\d\d|network timeout|attempt \d+ failed"
)


def bring_up_page(
    place: Place, children: Children, port: int, ready: Callable[[str], None]
) -> None:
    """Build the page where it is old, and serve it."""
    with alone(place):
        install(place, children, need_of_extra(place, "what builds the page", "page"))
        build_page(place, children)
    server = page_server(place.dist, port)
    ready(f"http://{HOST}:{port}/")
    server.serve_forever()


def build_page(place: Place, children: Children) -> None:
    """Let npm build the page, unless these very files built it."""
    if not (place.playground / "package.json").exists():
        raise Trouble(
            "playground/package.json is missing: get the whole project again."
        )
    built, wanted = place.dist / ".built-from", place.fingerprint(page_inputs(place))
    if stamped(built, wanted):
        return
    if odd := set(str(place.root)) & ODD:
        raise Trouble(
            f"the page cannot be built in a folder whose path holds {min(odd)}: move "
            "the folder, then start again."
        )
    npm = find_npm(place, children)
    options = {"cwd": place.playground, "env": for_npm(os.environ, place)}
    packages = [place.playground / f"package{part}.json" for part in ("", "-lock")]
    # `npm ci` and the build empty these folders first, so a half-made one has no stamp.
    installed = place.playground / "node_modules/.installed"
    listed = place.fingerprint(packages)
    if not stamped(installed, listed):
        install_packages(place, children, npm, **options)
        installed.write_text(listed)
    built.unlink(missing_ok=True)
    build = [npm, "run", "build"]
    run(place, children, "Building the playground", build, **options)
    built.write_text(wanted)


def install_packages(
    place: Place, children: Children, npm: str, **options: object
) -> None:
    """Let npm fetch its packages, and name a bad network at once."""
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier"]
    # At this level its log says what is being fetched, for whoever looks on.
    command = [npm, "ci", *quiet, "--include=dev", "--loglevel=http"]
    doing = "Installing the packages of the page"
    registry = Registry()
    try:
        listening = {"heard": registry.hear, "waiting": waits_for}
        run(place, children, doing, command, **listening, **options)
    except JobFailed as failed:
        words = last_lines(failed.log, 40)
        final = [line for line in words if line.startswith("npm err")]
        if not (registry.dead() or any(map(NETWORK.search, final))):
            raise
        telling = below(failed.log, place, about=NETWORK)
        raise Trouble(
            f"{REGISTRY} was not reached: check the network, then start again (what is "
            f"there already is kept).{telling}"
        ) from None


class Registry:
    """What npm's log tells of its registry.

    npm fetches some eighty packages, fifteen at a time, and waits for each of them: of
    a registry that never answers it would be convinced after minutes.
    """

    def __init__(self) -> None:
        self.failed_in_a_row = 0

    def dead(self) -> bool:
        """Tell whether more have failed than are asked for at once."""
        return self.failed_in_a_row > 15

    def hear(self, line: str) -> str | None:
        """Name trouble with the network at once, and know when it ends."""
        if re.search(r"npm http fetch GET [23]\d\d ", line):
            self.failed_in_a_row = 0
        if not NETWORK.search(line):
            return None
        self.failed_in_a_row += 1
        if self.dead():
            raise Enough
        return f"{REGISTRY} does not answer; trying again"


def waits_for(last: str) -> str:
    """Say what is waited for while npm says nothing."""
    return f"no answer from {REGISTRY} yet"


def page_inputs(place: Place) -> list[Path]:
    """List every file the page is made of."""
    versions = (place.root / "pyproject.toml", place.constraints)
    files = [path for path in versions if path.exists()]
    for top in (place.playground, place.root / "mingraph_lite", place.notebooks):
        for folder, inner, names in os.walk(top):
            inner[:] = [name for name in inner if name not in MADE and name[0] != "."]
            files += [Path(folder, name) for name in names if name[0] != "."]
    return sorted(files)


def stamped(stamp: Path, wanted: str) -> bool:
    """Tell whether this was finished before, from the very same inputs."""
    return stamp.exists() and stamp.read_text() == wanted
