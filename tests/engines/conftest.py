"""The built page with a script that watches it, on two hosts, in one browser a file."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from launcher.page import page_server
from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from tests.browsers import NoBrowser
from tests.engines.reader import Browser, Reader
from tests.engines.steps import load, play_to_the_end
from tests.playground.conftest import dist, plain_server, serving

__all__ = ["dist"]  # the built page, a fixture of the playground's own tests

WATCH = Path(__file__).with_name("watch.js")


@pytest.fixture(scope="session")
def watched(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the page in which our script stands before its own.

    Why not have the driver put it there? WebKit's cannot.
    """
    copy = tmp_path_factory.mktemp("watched") / "dist"
    shutil.copytree(dist, copy)
    shutil.copy(WATCH, copy)
    for kept in copy.glob("index.html*"):  # compressed ones too
        kept.unlink()
    page = (dist / "index.html").read_text(encoding="utf-8")
    before, head, after = page.partition("<head>")
    assert head, "the page has no head to put a script into"
    ours = f"{before}{head}<script src=./{WATCH.name}></script>{after}"
    (copy / "index.html").write_text(ours, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def isolated(watched: Path) -> Iterator[str]:
    """Give the address of the page with the headers that start.py sends."""
    with serving(page_server(watched)) as address:
        yield address


@pytest.fixture(scope="module")
def plain(watched: Path) -> Iterator[str]:
    """Give the address of the page on a host that sends no special header."""
    with serving(plain_server(watched)) as address:
        yield address


def not_here(missing: NoBrowser) -> NoReturn:
    """Fail where everything must be tested, and elsewhere say what is left out."""
    if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
        raise missing
    pytest.skip(str(missing))


class OnePage:
    """The page of a file's tests, booted once; and again after a test that failed."""

    def __init__(self, browser: Browser, address: str, spare: int) -> None:
        self.reader = Reader(browser)
        self.address = address
        self.boots = 1 + spare
        self.whole = False
        self.never = ""

    @contextmanager
    def lent(self) -> Iterator[Reader]:
        """Give the page with Python ready and a run finished; look for errors after."""
        assert not self.never, f"it did not load before, so not again: {self.never}"
        if not self.whole:
            self._load()
        self.whole = False
        yield self.reader
        assert self.reader.broken() == []
        self.whole = True

    def _load(self) -> None:
        try:
            load(self.reader, self.address)
            play_to_the_end(self.reader)
            self.reader.wait_for("noted.boots", self.boots)
        except AssertionError as failed:  # waited for long enough once
            self.never = str(failed)
            raise


@pytest.fixture(scope="module")
def one_page(
    browser: Browser, isolated: str, request: pytest.FixtureRequest
) -> OnePage:
    """Give the page of a file, which says in SPARE how many Pythons wait beside."""
    return OnePage(browser, isolated, request.module.SPARE)


@pytest.fixture
def page(one_page: OnePage) -> Iterator[Reader]:
    """Give the page as a reader has it, once a run was finished on it."""
    with one_page.lent() as reader:
        yield reader


@pytest.fixture
def replies() -> ReplyQueue:
    """Give the queue from which `endpoint` answers, for a test to fill."""
    return ReplyQueue(models=("tiny",))


@pytest.fixture
def seen() -> list[ClientRequest]:
    """Give the list of what `endpoint` was asked."""
    return []


@pytest.fixture
def endpoint(replies: ReplyQueue, seen: list[ClientRequest]) -> Iterator[FakeServer]:
    """Give a model server on another origin."""
    with FakeServer(replies, on_request=seen.append) as server:
        yield server
