"""The folder and the card, mounted on a bare page."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from mingraph_lite.views.sheets import VIEWS
from tests.browser.desk import MOUNT, PAGE, Mount
from tests.browsers import LAUNCH_ARGS, find_chromium


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps its log to itself."""

    def log_message(self, *_: object) -> None:
        pass


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


@pytest.fixture
def mount(browser: Browser, address: str) -> Iterator[Mount]:
    """Open a page with the view mounted; what breaks in it fails the test."""
    broken: list[str] = []
    pages: list[Page] = []

    def open_page(width: int = 860, height: int = 700, **options: Any) -> Page:
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        pages.append(page)
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.on("requestfailed", lambda request: broken.append(request.url))
        page.goto(address)
        page.evaluate(MOUNT)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert broken == []
