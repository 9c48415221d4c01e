"""The page as a reader meets it: built, served from this machine, in a real browser."""

import functools
import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import (
    Page,
    expect,
    sync_playwright,
)

from launcher.page import PAGE_TYPES, page_server
from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from tests.browsers import LAUNCH_ARGS, find_chromium
from tests.playground.pages import Pages
from tests.playground.reading import PATIENCE, origin

ROOT = Path(__file__).parents[2]
PLAYGROUND = ROOT / "playground"
DIST = PLAYGROUND / "dist"
SOURCES = (
    *(PLAYGROUND / name for name in ("index.html", "package-lock.json")),
    *(PLAYGROUND / name for name in ("vite.config.ts", "python-packages.txt")),
    *(PLAYGROUND / name for name in ("src", "scripts", "notices")),
    ROOT / "constraints.txt",
    ROOT / "mingraph_lite",
)


def build_environment() -> dict[str, str]:
    """Return the environment for a build, which may ask the package registries."""
    kept = dict(os.environ)
    kept.pop("PYTHONPATH", None)
    return kept


def npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run npm in the playground's folder."""
    command = [shutil.which("npm") or "npm", *arguments]
    return subprocess.run(
        command, cwd=PLAYGROUND, env=build_environment(), capture_output=True, text=True
    )


def newest(paths: tuple[Path, ...]) -> float:
    files = [
        file
        for path in paths
        for file in (path.rglob("*") if path.is_dir() else [path])
        if file.is_file() and file.suffix != ".pyc"
    ]
    return max(file.stat().st_mtime for file in files)


@contextmanager
def building() -> Iterator[None]:
    """Be the only one who builds: two builds at once write into one folder."""
    (PLAYGROUND / "build").mkdir(exist_ok=True)
    with FileLock(PLAYGROUND / "build" / ".lock"):
        yield


@pytest.fixture(scope="session")
def dist() -> Path:
    """Give the built page; builds it where it is missing or older than its sources."""
    page = DIST / "index.html"
    with building():
        if page.exists() and page.stat().st_mtime >= newest(SOURCES):
            return DIST
        if not (PLAYGROUND / "node_modules" / "vite").exists():
            installed = npm("ci")
            assert installed.returncode == 0, installed.stdout + installed.stderr
        built = npm("run", "build")
        assert built.returncode == 0, built.stdout + built.stderr
    return DIST


@contextmanager
def serving(server: http.server.HTTPServer) -> Iterator[str]:
    """Serve until the end of the block; gives the address."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# Python starts dozens of times here. V8 would compile it twice, the second time for a
# speed that a few cards never earn back.
COMPILED_ONCE = "--js-flags=--liftoff-only"


class PlainPage(http.server.SimpleHTTPRequestHandler):
    """What any static host does: no header of its own."""

    extensions_map = PAGE_TYPES

    def log_message(self, *_: object) -> None:
        """Say nothing: pytest shows what matters."""


def plain_server(folder: Path) -> http.server.HTTPServer:
    """Make a server of one folder, as any static host is one."""
    handler = functools.partial(PlainPage, directory=str(folder))
    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)


@pytest.fixture(scope="session")
def isolated(dist: Path) -> Iterator[str]:
    """Give the address of the page with the headers that start.py sends."""
    with serving(page_server(dist)) as address:
        yield address


@pytest.fixture(scope="session")
def plain(dist: Path) -> Iterator[str]:
    """Give the address of the page on a host that sends no special header."""
    with serving(plain_server(dist)) as address:
        yield address


@pytest.fixture(scope="module")
def module_pages() -> Iterator[Pages]:
    """Give a browser for each module.

    Why not one for all? While Playwright is there, no other test may run an event loop
    of its own, and a worker goes on to any file.
    """
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*LAUNCH_ARGS, COMPILED_ONCE]
        )
        yield Pages(browser)
        browser.close()


type OpenPage = Callable[..., Page]
type Models = set[str]


@pytest.fixture
def models() -> Models:
    """Give the origins that a test has the page connect to, for it to add to."""
    return set()


@pytest.fixture
def pages(
    module_pages: Pages,
    models: Models,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> Iterator[Pages]:
    """Give the pages of this test, and compare whom they asked at its end."""
    failed = request.session.testsfailed
    yield module_pages
    left = None
    try:
        if request.session.testsfailed == failed:
            left = module_pages.put_back()
    finally:
        if left != []:  # who knows what the page does after a test that failed
            module_pages.drop()
        asked, broken, boots = module_pages.seen()
        record_property("starts of Python in a page", boots)
    assert (asked, broken, left or []) == (models, [], [])


@pytest.fixture
def open_page(pages: Pages) -> OpenPage:
    """Give a function that opens an address in the one booted page of this module."""
    return pages.share


@pytest.fixture
def fresh_page(pages: Pages) -> OpenPage:
    """Give a function that opens an address in a page of the test's own.

    It is for tests of loading, restarting, and first visits: each starts Python anew.
    """
    return pages.open


@pytest.fixture
def replies() -> ReplyQueue:
    """Give the queue from which `endpoint` answers, for a test to fill."""
    return ReplyQueue(models=("tiny", "small"))


@pytest.fixture
def seen() -> list[ClientRequest]:
    """Give the list of what `endpoint` was asked."""
    return []


@pytest.fixture
def endpoint(
    models: Models, replies: ReplyQueue, seen: list[ClientRequest]
) -> Iterator[FakeServer]:
    """Give a model server on another origin, with CORS as strict ones have it."""
    with FakeServer(replies, on_request=seen.append) as server:
        models.add(origin(server.url))
        yield server
