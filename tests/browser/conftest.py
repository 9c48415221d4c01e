"""The folder and the card, mounted on a bare page."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from mingraph_lite.views.sheets import VIEWS
from tests.browser.desk import MOUNT, PAGE, Mount
from tests.browsers import LAUNCH_ARGS, find_chromium


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps its log to itself, and whose files can be kept."""

    def log_message(self, *_: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("page")
    for path in (*VIEWS.glob("*.js"), *VIEWS.glob("*.css")):
        shutil.copy(path, folder)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        yield chromium
        chromium.close()


class Desks:
    """Opens pages with the view mounted; notes what breaks in them."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self._address = address
        self._kept: Page | None = None
        self._taken = False
        self._own: list[Page] = []
        self._broken: list[str] = []

    def open(self, width: int = 860, height: int = 700, **options: Any) -> Page:
        """Open the address anew; what has options of its own has a page of its own."""
        size: ViewportSize = {"width": width, "height": height}
        if options or self._taken:
            page = self._page(viewport=size, **options)
            self._own.append(page)
        else:
            page = self._kept = self._kept or self._page()
            self._taken = True
            page.set_viewport_size(size)
            page.mouse.move(-1, -1)  # it would hover where the last test left it
        page.goto(self._address)
        page.evaluate(MOUNT)
        return page

    def _page(self, **options: Any) -> Page:
        page = self._browser.new_page(**options)
        page.on("pageerror", lambda error: self._broken.append(str(error)))
        page.on("requestfailed", lambda request: self._broken.append(request.url))
        return page

    def close(self) -> list[str]:
        """Close all but the page that is kept; tell what broke since the last time."""
        for page in self._own:
            page.close()
        if self._kept and self._taken:
            self._kept.goto("about:blank")  # what it still does must not be the next's
        broken, self._broken = self._broken, []
        self._own, self._taken = [], False
        return broken


@pytest.fixture(scope="module")
def desks(browser: Browser, address: str) -> Desks:
    """Give what opens the pages of a module: a page takes longer than most tests."""
    return Desks(browser, address)


@pytest.fixture
def mount(desks: Desks) -> Iterator[Mount]:
    """Open a page with the view mounted; what breaks in it fails the test."""
    yield desks.open
    assert desks.close() == []
