"""What opening the page costs, beside a page that only loads the same Pyodide.

    python -m tests.bench.page [--rounds N] [--only ROW] [--json FILE]

Run it after `npm run build`, from the project's folder. Every round takes every row
once, so that a busy moment of the machine falls on all of them. Cold is the first visit
of a fresh browser context, warm the second of the same one.

A row is a function that gets a `Visitor` and gives figures by name; a name that says
what it is held against ("warm: opened") stands in `AGAINST`.
"""

import argparse
import gzip
import json
import statistics
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from launcher.page import page_server
from tests.bench.machine import load
from tests.browsers import LAUNCH_ARGS, find_chromium

__all__ = ["ROWS", "Figures", "Row", "Visitor", "measure", "report"]

DIST: Final = Path(__file__).parents[2] / "playground" / "dist"
PATIENCE: Final = 120_000  # milliseconds; a good visit takes three seconds

type Figures = Mapping[str, float]
"""Milliseconds, or bytes where the name says so."""

type Row = Callable[[Visitor], Figures]

BARE_PAGE: Final = """<!doctype html>
<title>Pyodide alone</title>
<script type="module" src="bare.js"></script>
"""
BARE_SCRIPT: Final = """
const worker = new Worker('bare-worker.js', { type: 'module' })
worker.onmessage = () => performance.mark('run-over')
"""
BARE_WORKER: Final = """
import { loadPyodide } from './PYTHON/pyodide.mjs'
const indexURL = new URL('PYTHON/', import.meta.url).href
const python = await loadPyodide({ indexURL })
postMessage(python.runPython('1 + 1'))
"""
# What a reader does as fast as it can be done: press Next until the run is over.
# A page's own rules forbid to evaluate texts, so this is a script of the visit.
TO_THE_END: Final = """
setInterval(() => {
  const marks = document.querySelectorAll('.mark')
  if (marks.length && marks[marks.length - 1].textContent === 'over') {
    const marked = performance.getEntriesByName('bench-over').length
    if (!marked) performance.mark('bench-over')
    return
  }
  for (const button of document.querySelectorAll('button'))
    if (button.textContent.includes('Next card')) button.click()
}, 4)
"""
MARKED: Final = """name => new Promise((done) => {
  const look = () => {
    const [mark] = performance.getEntriesByName(name)
    if (mark) done(mark.startTime)
    else setTimeout(look, 4)
  }
  look()
})"""


@dataclass(frozen=True)
class Visitor:
    """Opens pages as a reader would, in a browser, and looks at their marks."""

    browser: Browser
    address: str
    folder: Path

    @contextmanager
    def context(self, script: str = "") -> Iterator[BrowserContext]:
        """Give a context that was never here, which runs this script in each page."""
        context = self.browser.new_context(viewport={"width": 1280, "height": 720})
        context.set_default_timeout(PATIENCE)
        if script:
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


def marked(page: Page, name: str) -> float:
    """Wait for a mark of a page; gives its time."""
    return float(page.evaluate(MARKED, name))


def weight(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def zipped(file: Path) -> int:
    return len(gzip.compress(file.read_bytes())) if file.is_file() else 0


def bare(visitor: Visitor) -> Figures:
    """Pyodide alone: it computes 1 + 1."""
    with visitor.context() as context:
        cold, warm = (visitor.visit(context, "bare.html", "run-over") for _ in range(2))
    return {"cold: Pyodide alone": cold[0], "warm: Pyodide alone": warm[0]}


def opened(visitor: Visitor) -> Figures:
    """Our page, from its address to the end of the first run."""
    marks = "python-ready", "bench-over"
    figures = {}
    with visitor.context(TO_THE_END) as context:
        for visit in ("cold", "warm"):
            ready, over = visitor.visit(context, "", *marks)
            figures[f"{visit}: Python ready"] = ready
            figures[f"{visit}: first run over"] = over
    return figures


def weighed(visitor: Visitor) -> Figures:
    """What both bring over the line at the first visit."""
    figures = {}
    for name, path, mark in (
        ("Pyodide alone", "bare.html", "run-over"),
        ("our page", "", "python-ready"),
    ):
        with visitor.context() as context:
            found = visitor.bytes_of(context, path, mark)
        figures |= {f"{name}: {what}": value for what, value in found.items()}
    return figures


ROWS: Final[Mapping[str, Row]] = {"bare": bare, "opened": opened, "bytes": weighed}
AGAINST: Final[Mapping[str, str]] = {
    f"{visit}: {what}": f"{visit}: Pyodide alone"
    for visit in ("cold", "warm")
    for what in ("Python ready", "first run over")
}
LIMITS: Final[Mapping[str, float]] = {"warm: first run over": 1.3}
"""How many times what it is held against a figure may be."""


def measure(
    visitor: Visitor, rows: Mapping[str, Row], rounds: int
) -> dict[str, list[float]]:
    """Take each row once a round; gives all figures by name."""
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for row in rows.values():
            for name, value in row(visitor).items():
                found.setdefault(name, []).append(value)
    return found


def report(found: Mapping[str, Sequence[float]]) -> list[str]:
    """Give a line for each figure: its median, all rounds, and its ratio."""
    return [
        told(name, values, found.get(AGAINST.get(name, "")))
        for name, values in found.items()
    ]


def told(name: str, values: Sequence[float], base: Sequence[float] | None) -> str:
    each = " ".join(f"{value:,.0f}" for value in values)
    line = f"{name:<40}{statistics.median(values):>13,.0f}   ({each})"
    if base is None:
        return line
    ratios = [ours / theirs for ours, theirs in zip(values, base, strict=True)]
    ratio = statistics.median(values) / statistics.median(base)
    line = f"{line:<84} x{ratio:.2f} ({' '.join(f'{each:.2f}' for each in ratios)})"
    if (most := LIMITS.get(name)) is None:
        return line
    return f"{line} limit {most:g}: {'holds' if ratio <= most else 'OVER'}"


@contextmanager
def visitor(dist: Path) -> Iterator[Visitor]:
    """Serve the built page, with Pyodide alone beside it, and start a browser."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for path in dist.iterdir():
            (folder / path.name).symlink_to(path)
        python = next(dist.glob("python-*")).name
        (folder / "bare.html").write_text(BARE_PAGE)
        (folder / "bare.js").write_text(BARE_SCRIPT)
        (folder / "bare-worker.js").write_text(BARE_WORKER.replace("PYTHON", python))
        server = stack.enter_context(page_server(folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        yield Visitor(browser, f"http://127.0.0.1:{server.server_port}/", folder)
        browser.close()


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="python -m tests.bench.page")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", choices=ROWS, action="append")
    options.add_argument("--json", metavar="FILE", type=Path)
    options.add_argument("--dist", type=Path, default=DIST, help="a built page")
    chosen = options.parse_args(arguments)
    rows = {name: ROWS[name] for name in chosen.only or ROWS}
    say = partial(print, flush=True)
    say(f"milliseconds, median of {chosen.rounds} rounds; load average {load()}")
    with visitor(chosen.dist) as there:
        found = measure(there, rows, chosen.rounds)
    for line in report(found):
        say(line)
    say(f"load average after: {load()}")
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
