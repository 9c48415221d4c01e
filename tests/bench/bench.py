"""All measures, and the text and figures they end in.

A benchmark measures and does not judge: a figure over its limit is said to be over, and
nothing fails. Whatever makes a figure different in another run is handed in, so that a
test can compare the text as a whole.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from mingraph_lite.observers import Recorder
from tests.bench.calls import CALLS, CHECKED, REGISTRY
from tests.bench.growth import (
    LENGTH,
    LongRun,
    Peak,
    growth,
    heard_by,
    play,
    traced_peak,
)
from tests.bench.machine import load, machine
from tests.bench.measure import ENOUGH, MILLION, Clock, Job, Row, figures
from tests.bench.ours import AGENT, CARDS, OURS, RECORDER, SILENT, TRACED
from tests.bench.peers import PEERS
from tests.bench.replies import OURS as OPENAI_CHAT
from tests.bench.replies import STREAMED, WHOLE
from tests.bench.replies import THEIRS as OPENAI_CLIENT
from tests.bench.table import heads, line, reason, row
from tests.bench.traces import (
    BARE,
    LISTED,
    LOADED,
    RECORDED,
    WRITING,
    big_file,
    in_a_process_of_its_own,
)

type Say = Callable[[str], object]
type Told = Iterator[tuple[str, float, str]]
"""What was measured, its value, its unit."""

# What the project allows itself; a figure without an entry is held against nothing. The
# first two are for a card: what others call a node is one card, and a step has two.
LIMITS: Final[Mapping[str, float]] = {
    AGENT: 10.0,
    SILENT: 12.0,
    TRACED: 120.0,
    "a line of a trace": MILLION / 30_000,
    "read_trace: peak of memory": 150.0,
    f"{AGENT}: whole run": 1.0,
    f"{AGENT}: last 1,000 steps": 30.0,
    f"{AGENT}: last steps to first": 1.5,
    f"{AGENT}: peak of memory": 20.0,
    "import mingraph_lite": 0.3,
}
LONG_RUNS: Final[Mapping[str, LongRun]] = {
    AGENT: heard_by(),
    RECORDER: heard_by(Recorder),
}
# Inside the new interpreter, so that its own start is not counted.
TIMED_IMPORT: Final = (
    "import time; began = time.process_time(); import {}; "
    "print(time.process_time() - began)"
)


def in_a_fresh_interpreter(code: str) -> str:
    """What a new Python prints when it runs this code."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@dataclass(frozen=True)
class Bench:
    """What is measured, how often, and with what."""

    peers: Mapping[str, Job] = field(default_factory=lambda: PEERS)
    counts: tuple[int, ...] = (200, 2_000)
    rounds: int = 5
    long_run: int = 5_000
    stretch: int = 1_000
    calls: int = 10_000
    replies: int = 500
    chunks: int = 2_000
    lines: int = 20_000
    trace: int = 300_000_000
    process: Callable[[str, Path], tuple[float, float]] = in_a_process_of_its_own
    clock: Clock = time.process_time
    peak: Peak = traced_peak
    interpreter: Callable[[str], str] = in_a_fresh_interpreter
    machine: Callable[[], str] = machine
    load: Callable[[], str] = load

    def names(self) -> list[str]:
        """What can be measured by itself."""
        return [*OURS, *self.peers, *SECTIONS]

    def run(self, say: Say, only: str | None = None) -> dict[str, Any]:
        """Measure; say each part as soon as it is known, and give all figures."""
        about, before = self.machine(), self.load()
        say(f"{about}\nload average before: {before}")
        say(f"CPU time, best of {self.rounds} rounds")
        found = {} if only in SECTIONS else _steps(self, say, only)
        for name, section in SECTIONS.items():
            if only in {None, name}:
                found[name] = _said(*section(self), say)
        after = self.load()
        say(f"\nload average after: {after}")
        return {"machine": about, "load": [before, after], **found}


def _said(title: str, told: Told, say: Say) -> dict[str, Any]:
    say(f"\n{title}")
    found = {}
    for what, value, unit in told:
        most = LIMITS.get(what)
        say(line(what, value, unit, most))
        found[what] = {"value": value, "unit": unit, "limit": most}
    return found


def _steps(bench: Bench, say: Say, only: str | None) -> dict[str, Any]:
    """The table of our loop and its peers, and what ours may cost."""
    jobs = {**OURS, **bench.peers}
    if only is not None:  # the ratios need the first two, whatever is wanted
        jobs = {name: jobs[name] for name in (CARDS, AGENT, only)}
    rows, errors = figures(jobs, bench.counts, bench.rounds, bench.clock)
    for name in errors.keys() & OURS.keys():
        raise errors[name]
    reasons = {name: reason(name, error) for name, error in errors.items()}
    say(f"\nA step: the model is asked once, one tool is run\n{heads(bench.counts)}")
    for name, found in rows.items():
        say(row(name, found, rows[AGENT], rows[CARDS]))
    for told in reasons.values():
        say(told)
    say(f"* fewer rounds: none begins after {ENOUGH:g} s of a figure's time")
    most = bench.counts[-1]
    limited = (
        (name, found[most].microseconds / 2, "µs a card")
        for name, found in rows.items()
        if name in LIMITS
    )
    return {
        "steps": {name: _plain(found) for name, found in rows.items()},
        "without figures": reasons,
        "limits": _said(f"Our card, two a step, in a run of {most:,}", limited, say),
    }


def _plain(found: Row) -> dict[str, Any]:
    return {str(steps): asdict(figure) for steps, figure in found.items()}


def _growth(bench: Bench) -> tuple[str, Told]:
    """What the length of a run does to its steps and to memory."""
    steps, stretch = bench.long_run, bench.stretch

    def told() -> Told:
        for name, long_run in LONG_RUNS.items():
            times = growth(long_run, steps, stretch, bench.rounds, bench.clock)
            yield f"{name}: whole run", times.whole, "s"
            for place, seconds in (("first", times.first), ("last", times.last)):
                each = seconds * MILLION / stretch
                yield f"{name}: {place} {stretch:,} steps", each, "µs a step"
            yield f"{name}: last steps to first", times.last / times.first, "times"
            held = bench.peak(partial(play, long_run, steps)) / MILLION
            yield f"{name}: peak of memory", held, "MB"

    what = f"{2 * steps:,} messages of {LENGTH} characters"
    return f"A run of {what}; memory as tracemalloc counts it", told()


def _imports(bench: Bench) -> tuple[str, Told]:
    """What it takes until a fresh interpreter has our package."""

    def told() -> Told:
        for module in ("mingraph_lite", "pydantic.type_adapter"):
            code = TIMED_IMPORT.format(module)
            seconds = (float(bench.interpreter(code)) for _ in range(bench.rounds))
            yield f"import {module}", min(seconds), "s"

    return "An import in a fresh interpreter", told()


def _calls(bench: Bench) -> tuple[str, Told]:
    """What it takes to check the arguments of one call and run the tool."""

    def told() -> Told:
        rows, _ = figures(CALLS, (bench.calls,), bench.rounds, bench.clock)
        found = {name: row[bench.calls].microseconds for name, row in rows.items()}
        for name, microseconds in found.items():
            yield name, microseconds, "µs a call"
        yield f"{REGISTRY} to {CHECKED}", found[REGISTRY] / found[CHECKED], "times"

    return f"One of {bench.calls:,} calls of a tool with one text argument", told()


def _replies(bench: Bench) -> tuple[str, Told]:
    """What it takes to read one reply, and a stream chunk by chunk."""

    def told() -> Told:
        for what, jobs, count in (
            ("a reply", WHOLE, bench.replies),
            (f"a stream of {bench.chunks:,} chunks", STREAMED, bench.chunks),
        ):
            rows, errors = figures(jobs, (count,), bench.rounds, bench.clock)
            for error in errors.values():
                raise error
            found = {name: row[count].microseconds for name, row in rows.items()}
            for name, microseconds in found.items():
                yield f"{name}: {what}", microseconds, "µs each"
            share = found[OPENAI_CHAT] / found[OPENAI_CLIENT]
            yield f"{what}: ours to theirs", share, "times"

    return "A reply read from its bytes, for each reply and for each chunk", told()


def _traces(bench: Bench) -> tuple[str, Told]:
    """What it takes to write a line of a trace, and to list a big one."""

    def told() -> Told:
        rows, errors = figures(WRITING, (bench.lines,), bench.rounds, bench.clock)
        for error in errors.values():
            raise error
        found = {name: row[bench.lines].microseconds for name, row in rows.items()}
        yield BARE, found[BARE], "µs a line"
        yield "a line of a trace", found[RECORDED], "µs a line"
        yield "a trace in a second", MILLION / found[RECORDED], "lines"
        yield (
            "a line of a trace to its bare writing",
            found[RECORDED] / found[BARE],
            "times",
        )
        with big_file(bench.trace) as path:
            alone = bench.process(LOADED, path)
            listed = bench.process(LISTED, path)
        yield "json.loads of each line", alone[0], "s"
        yield "json.loads: peak of memory", alone[1], "MB"
        yield "read_trace", listed[0], "s"
        yield "read_trace: peak of memory", listed[1], "MB"
        yield "read_trace to json.loads", listed[0] / alone[0], "times"

    size = f"{bench.trace / MILLION:g} MB"
    return f"Lines of a trace, and a file of {size} listed", told()


SECTIONS: Final[Mapping[str, Callable[[Bench], tuple[str, Told]]]] = {
    "growth": _growth,
    "import": _imports,
    "calls": _calls,
    "replies": _replies,
    "traces": _traces,
}
