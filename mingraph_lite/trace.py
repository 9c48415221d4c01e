"""A run in a file, for who was not there.

With a model in the loop the failing run may be the only one, and asking again does not
bring it back. So recording is on before anybody knows that something is wrong:

    agent = Agent(llm, tools, prompt, observers=[TraceRecorder("traces/weather.jsonl")])

Each announcement is a line, a JSON object. It begins with the run, the number of the
announcement in it, the round, what was announced, and the milliseconds since the run
began; `telling` has what follows. The first line of a run says what was run: format,
package, model and settings. A run without a last line, `finish`, was cut off by a
crash or a kill.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.observers import Event, Observer
from mingraph_lite.schema.appending import append
from mingraph_lite.schema.line_file import FileListener, LineFile, iso
from mingraph_lite.schema.lines import Problem, read_line
from mingraph_lite.schema.listing import Listing, Outcome, RunSummary, what_is_odd
from mingraph_lite.schema.opening import opened
from mingraph_lite.schema.retelling import normalise, told_at
from mingraph_lite.schema.run_id import key_of
from mingraph_lite.schema.signs import plain
from mingraph_lite.schema.sorting import Sorting
from mingraph_lite.telling import Body, Telling

__all__: Final = [
    "FORMAT",
    "Outcome",
    "RunSummary",
    "Trace",
    "TraceRecorder",
    "TracedRun",
    "normalise",
    "read_trace",
]

FORMAT: Final = 1
"""Which version of the format a run's first line says."""


class TraceRecorder(FileListener["_Running"], Observer):
    """Writes every announcement into a file, as it comes.

    The file is opened and closed for each line: a run that is killed leaves all that
    came before. It is only ever appended to, several runs, threads and processes may
    write to one, and each run gets an id of its own; `run_id` gives it where it must
    be the same each time, as a text or a function without arguments. What models keep
    secret is masked, and so are `secrets`, and what stands under a name such as
    `password`. What is longer than `longest` characters is cut. `clock` gives seconds,
    `now` seconds since 1970. A file that cannot be written is told in the log, once in
    a run and with its path, and the last line says how many lines are lost; with
    `strict=True` the first of them ends the run.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        run_id: str | Callable[[], str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        secrets: Iterable[str] = (),
        longest: int = 300_000,
        strict: bool = False,
    ) -> None:
        self._file = LineFile(path, secrets, longest, "trace", self._write)
        self.path: str = self._file.path
        self.strict = strict
        if not (run_id is None or isinstance(run_id, str) or callable(run_id)):
            raise TypeError(
                f"run_id is {run_id!r}. Give a text, or a function that gives one."
            )
        if not (callable(clock) and callable(now)):
            raise TypeError("clock and now are functions that give seconds.")
        self._new_id = run_id if callable(run_id) else _ids(run_id)
        self._clock, self._now = clock, now
        self._runs: dict[object, _Running] = {}

    def _write(self, event: Event) -> None:
        key = key_of(event.run_id)
        began = event.name == "run_start"
        if began:
            self._forget_ended()
        if began or key not in self._runs:
            self._runs[key] = _Running(
                str(self._new_id()), self._clock(), event.run_id, Telling()
            )
        run = self._runs[key]
        if run.end is event:
            return  # it is written
        line: Body = {
            "run": run.id,
            "seq": event.seq,
            "step": event.step,
            "event": event.name,
            "ms": round((self._clock() - run.began) * 1000, 3),
        }
        if began:
            line |= self._about(event)
        line |= run.telling.body(event)
        if event.name == "finish":
            line["error"] = run.error
        end = event if event.name == "finish" else None
        try:
            append(self.path, self._file.line(line))
        except Exception:
            run.end = end
            raise
        run.end = end

    def _forget_ended(self) -> None:
        """Not at their end itself: where a Ctrl-C struck, that is announced again."""
        for key in [key for key, run in self._runs.items() if run.end is not None]:
            del self._runs[key]

    def _about(self, event: Event) -> Body:
        package = sys.modules.get(__name__.partition(".")[0])
        return {
            "format": FORMAT,
            "package": getattr(package, "__version__", None),
            "started": iso(self._now()),
            "agent": event.agent,
            "announced_as": str(event.run_id),
        }


@dataclass(slots=True)
class _Running:
    """A run that is being written; `announced` keeps its name from being reused."""

    id: str
    began: float
    announced: str
    telling: Telling
    error: str | None = None
    end: Event | None = None


def _ids(given: str | None) -> Callable[[], str]:
    """A name for each run: a new one, or the one that was given, then numbered."""
    if given is None:
        return lambda: os.urandom(8).hex()
    names = iter(_numbered(given))
    return lambda: next(names)


def _numbered(given: str) -> Iterator[str]:
    yield given
    number = 2
    while True:
        yield f"{given}-{number}"
        number += 1


@dataclass(frozen=True)
class TracedRun(RunSummary):
    """One run with its lines, as they stand in the file."""

    lines: tuple[Mapping[str, Any], ...] = field(repr=False)

    def told(self, value: Any) -> Any:
        """A value of a line; where it only says which line has it, that one's.

        Raises LookupError where that line is not there.
        """
        return told_at({line["seq"]: line for line in self.lines}, value)


class Trace:
    """The runs of a file, listed.

    The lines of one are read when they are asked for. Of the `problems` those of
    `formats` are told of whole runs: they are not written as this package does it.
    """

    def __init__(
        self,
        path: str,
        listings: Iterable[Listing],
        problems: Iterable[Problem],
        formats: Iterable[Problem] = (),
    ) -> None:
        self.path = path
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.formats: tuple[Problem, ...] = tuple(formats)
        self._listings = {listing.name: listing for listing in listings}
        self.runs: tuple[RunSummary, ...] = tuple(
            RunSummary(**listing.summary()) for listing in self._listings.values()
        )

    def __repr__(self) -> str:
        return f"Trace({len(self.runs)} runs, {len(self.problems)} problems)"

    def run(self, id: str) -> TracedRun:
        """One run with its lines.

        LookupError where there is none of that name, or no longer is.
        """
        if id not in self._listings:
            known = ", ".join(map(plain, list(self._listings)[:20])) or "none"
            raise LookupError(f"No run {id!r} in {self.path}. Runs in it: {known}.")
        listing = self._listings[id]
        return TracedRun(**listing.summary(), lines=tuple(self._lines(listing)))

    def _lines(self, listing: Listing) -> Iterator[Mapping[str, Any]]:
        objects: list[dict[str, Any]] = []
        last = -1
        with opened(self.path, _missing(self.path)) as file:
            for offset, place in zip(listing.offsets, listing.places, strict=True):
                if offset != last:  # a line of many objects is read once
                    file.seek(offset)
                    objects, _ = read_line(file.readline())
                    last = offset
                line = objects[place] if place < len(objects) else {}
                if what_is_odd(line) or line["run"] != listing.id:
                    raise LookupError(
                        f"{self.path!r} is not what it was when its runs were listed: "
                        f"at byte {offset} stands no line of run {listing.id!r}. It "
                        "was cut or replaced; list it again with read_trace."
                    )
                yield line


def read_trace(path: str | os.PathLike[str], *, strict: bool = False) -> Trace:
    """List the runs of a file, line by line, with no more than a line in memory.

    Lines that are no lines of a trace are skipped and stand in `problems`; so does what
    else is odd, such as a line that is missing or a format that is newer than this
    package. With `strict=True`
    the first raises ValueError, unless it is a format that is merely not said.
    """
    name = os.fspath(path)
    sorting = Sorting()
    problems: list[Problem] = []
    formats: dict[str, Problem] = {}
    newer: Problem | None = None
    offset = 0
    with opened(name, _missing(name)) as file:
        for number, raw in enumerate(file, 1):
            objects, wrong = read_line(raw)
            for place, line in enumerate(objects):
                if odd := what_is_odd(line):
                    wrong = odd
                    continue
                sorting.add(line, number, offset, place)
                if line["event"] == "run_start" and (odd := _odd_format(line)):
                    told = formats.setdefault(odd, Problem(number, odd))
                    newer = newer or (told if _is_newer(line.get("format")) else None)
            if wrong:
                problems.append(Problem(number, wrong))
            if strict and (problems or newer):
                break
            offset += len(raw)
    problems += sorting.problems([problem.line for problem in problems])
    if strict and (lost := [*problems, *([newer] if newer else [])]):
        raise ValueError(f"{name}, {min(lost, key=_number)}.")
    problems = sorted([*problems, *formats.values()], key=_number)
    return Trace(name, sorting.listings.values(), problems, formats.values())


def _missing(path: str) -> str:
    return (
        f"There is no trace {path!r}. One is written where an agent has "
        f"observers=[TraceRecorder({path!r})]."
    )


def _odd_format(line: Mapping[str, Any]) -> str | None:
    """What is told of a format that is not ours."""
    value = line.get("format")
    if type(value) is int and value == FORMAT:
        return None
    what = f"is of format {value!r:.60}" if "format" in line else "says no format"
    if _is_newer(value):
        return (
            f"{what}, which is newer than this mingraph_lite: it reads format {FORMAT}."
            " What is new in it is not understood, the rest is shown. A newer "
            "mingraph_lite reads all of it"
        )
    return f"{what}; it is read as format {FORMAT}, as far as it goes"


def _is_newer(format: object) -> bool:
    return type(format) is int and format > FORMAT


def _number(problem: Problem) -> int:
    return problem.line


if __name__ == "__main__":
    from mingraph_lite.traces.command_line import main

    raise SystemExit(main())
