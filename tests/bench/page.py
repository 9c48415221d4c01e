"""What the page costs, beside a page that only loads the same Pyodide.

    python -m tests.bench.page [--rounds N] [--only ROW] [--json FILE]

Run it after `npm run build`, from the project's folder. Every round takes every row
once, so that a busy moment of the machine falls on all of them. A round takes about
three minutes, most of it for the long run of "steps". Cold is the first visit of a
fresh browser context, warm the second of the same one.

A row is a function that gets a `Visitor` and gives figures by name. What a figure is
held against in the same round stands in `AGAINST`, its limits in `TIMES` and `MOST`.
"""

import argparse
import json
import statistics
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from playwright.sync_api import expect, sync_playwright

from launcher.page import page_server
from tests.bench.machine import load
from tests.bench.page_steps import KINDS, LONG, SHORT, stepped
from tests.bench.page_stops import stopped
from tests.bench.page_visits import PATIENCE, Figures, Row, Visitor
from tests.browsers import LAUNCH_ARGS, find_chromium

__all__ = ["ROWS", "measure", "report"]

DIST: Final = Path(__file__).parents[2] / "playground" / "dist"

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


ROWS: Final[Mapping[str, Row]] = {
    "bare": bare,
    "opened": opened,
    "bytes": weighed,
    "stops": stopped,
    "steps": stepped,
}
AGAINST: Final[Mapping[str, str]] = {
    **{
        f"{visit}: {what}": f"{visit}: Pyodide alone"
        for visit in ("cold", "warm")
        for what in ("Python ready", "first run over")
    },
    **{
        f"stop: ready, {spare}": "warm: Pyodide alone"
        for spare in ("no spare", "a spare")
    },
    **{f"{LONG:,} frames: {step}": f"{SHORT} frames: {step}" for step, _ in KINDS},
}
TIMES: Final[Mapping[str, float]] = {"warm: first run over": 1.3}
"""How many times what it is held against a figure may be."""
MOST: Final[Mapping[str, float]] = {
    "stop: a loop": 1_000,
    "stop: a sleep": 1_000,
    "stop: ready, a spare": 2_000,
    **{f"{LONG:,} frames: {step}": 50 for step, _ in KINDS},
}
"""What a figure may be, in milliseconds, on a machine that does nothing else."""


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
    middle = statistics.median(values)
    parts = [f"{name:<40}{middle:>13,.0f}   ({each})"]
    if base is not None:
        ratios = [ours / theirs for ours, theirs in zip(values, base, strict=True)]
        ratio = middle / statistics.median(base)
        parts.append(f"x{ratio:.2f} ({' '.join(f'{each:.2f}' for each in ratios)})")
        parts += held_to(TIMES.get(name), ratio)
    parts += held_to(MOST.get(name), middle)
    return f"{parts[0]:<84} {' '.join(parts[1:])}".rstrip()


def held_to(limit: float | None, value: float) -> list[str]:
    if limit is None:
        return []
    return [f"limit {limit:,g}: {'holds' if value <= limit else 'OVER'}"]


@contextmanager
def visitor(dist: Path) -> Iterator[Visitor]:
    """Serve the built page, with Pyodide alone beside it, and start a browser."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for path in dist.resolve().iterdir():
            (folder / path.name).symlink_to(path)
        python = next(dist.glob("python-*")).name
        (folder / "bare.html").write_text(BARE_PAGE)
        (folder / "bare.js").write_text(BARE_SCRIPT)
        (folder / "bare-worker.js").write_text(BARE_WORKER.replace("PYTHON", python))
        expect.set_options(timeout=PATIENCE)
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
