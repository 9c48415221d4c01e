"""Visits to a page in a browser: what a row of `tests.bench.page` measures with."""

import gzip
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request

__all__ = ["PATIENCE", "Figures", "Row", "TooLate", "Visitor", "marked"]

PATIENCE: Final = 120_000  # milliseconds; a good visit takes three seconds

type Figures = Mapping[str, float]
"""Milliseconds, or bytes where the name says so."""

type Row = Callable[[Visitor], Figures]

# The first mark of this name that is not older; null where none came in time. A page's
# own rules forbid to evaluate texts, so this asks again and again.
MARKED: Final = """([name, since, patience]) => new Promise((done) => {
  const end = performance.now() + patience
  const look = () => {
    const marks = performance.getEntriesByName(name)
    const mark = marks.find(({ startTime }) => startTime >= since)
    if (mark) done(mark.startTime)
    else if (performance.now() > end) done(null)
    else setTimeout(look, 4)
  }
  look()
})"""
MARKS: Final = """() => performance.getEntriesByType('mark')
  .map(({ name, startTime }) => `${name} at ${Math.round(startTime)}`)"""


class TooLate(AssertionError):
    """Something that a row waits for did not come, and the row ends here."""


@dataclass(frozen=True)
class Visitor:
    """Opens pages as a reader would, in a browser, and looks at their marks."""

    browser: Browser
    address: str
    folder: Path

    @contextmanager
    def context(self, *scripts: str) -> Iterator[BrowserContext]:
        """Give a context that was never here, which runs these in each page."""
        context = self.browser.new_context(viewport={"width": 1280, "height": 720})
        context.set_default_timeout(PATIENCE)
        for script in scripts:
            context.add_init_script(script)
        with context:
            yield context

    def visit(self, context: BrowserContext, path: str, *marks: str) -> list[float]:
        """Open a page, and give when each of these was marked, from its opening on."""
        page = context.new_page()
        page.goto(self.address + path)
        times = [marked(page, name) for name in marks]
        page.close()
        return times

    def bytes_of(self, context: BrowserContext, path: str, mark: str) -> Figures:
        """Give what a visit brings over the line, and what it is unpacked."""
        requests: list[Request] = []
        context.on("requestfinished", lambda request: requests.append(request))
        page = context.new_page()
        page.goto(self.address + path)
        marked(page, mark)
        asked = [(each.url, each.sizes()["responseBodySize"]) for each in requests]
        files = [self.folder / urlsplit(url).path.lstrip("/") for url, _ in asked]
        files = [file / "index.html" if file.is_dir() else file for file in files]
        return {
            "bytes sent": sum(size for _, size in asked),
            "bytes unpacked": sum(map(weight, files)),
            "bytes where all is gzip": sum(map(zipped, files)),
            "requests": len(asked),
        }


def marked(
    page: Page, name: str, since: float = 0, patience: float = PATIENCE
) -> float:
    """Wait for a mark of a page that is not older than this; gives its time."""
    time = page.evaluate(MARKED, [name, since, patience])
    if time is None:
        marks = ", ".join(page.evaluate(MARKS)) or "nothing"
        raise TooLate(
            f"{page.url} did not mark {name!r} within {patience / 1000:g} s. It marked "
            f"{marks}. Open it in a browser and see where it stands."
        )
    return float(time)


def weight(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def zipped(file: Path) -> int:
    return len(gzip.compress(file.read_bytes())) if file.is_file() else 0
