"""Which run a line of a file is of.

Its id says so, as long as each run has one of its own. Where an id was handed in twice
there are two runs of one name: one after the other as a rule, since the first is over
or was killed. Where they overlap, a line is of the run that has come so far: lines are
counted, and times never run back. Two that have come equally far leave a line in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.schema.lines import Problem
from mingraph_lite.schema.listing import Listing

__all__: Final = ["Sorting"]

_MOST: Final = 8
"""So many unfinished runs of one id may go on; the others were killed."""


class Sorting:
    """The runs of a file, while it is read from the top."""

    def __init__(self) -> None:
        self.listings: dict[str, Listing] = {}
        self._namesakes: dict[str, _Namesakes] = {}

    def add(self, line: Mapping[str, Any], number: int, offset: int, at: int) -> None:
        """Put a line to its run; `offset` and `at` are where it stands in the file."""
        id = line["run"]
        known = self._namesakes.get(id)
        if known is None:
            known = self._namesakes[id] = _Namesakes()
        if not known.runs or (line["event"] == "run_start" and known.runs[-1].offsets):
            self._begin(id, known)
        known.run_of(line, number).add(line, number, offset, at)

    def _begin(self, id: str, known: _Namesakes) -> None:
        count = len(known.runs)
        name = f"{id} ({count + 1})" if count else id
        while name in self.listings:  # somebody has handed in this very name
            count += 1
            name = f"{id} ({count + 1})"
        listing = self.listings[name] = Listing(name, id)
        known.begin(listing)

    def problems(self, spoiled: Iterable[int] = ()) -> Iterator[Problem]:
        """Where runs of one id overlap, and where the lines of one have a gap.

        `spoiled` are lines of the file that could not be read, in their order.
        """
        left = list(spoiled)
        for id, known in self._namesakes.items():
            if known.overlap is not None:
                yield known.overlap.problem(id)
                continue  # whose line is missing nobody knows
            for run in known.runs:
                if run.gaps is not None:
                    yield from run.gaps.problems(run.name, run.lost, left)


@dataclass(slots=True)
class _Overlap:
    """The lines in which runs of one id come by turns."""

    first: int
    last: int
    doubtful: list[int]

    def problem(self, id: str) -> Problem:
        """What is told of it."""
        what = (
            f"begins a run while another of the id {id!r} goes on, up to line "
            f"{self.last}. They are told apart by their seq"
        )
        if self.doubtful:
            some = ", ".join(map(str, self.doubtful[:3]))
            more = "" if len(self.doubtful) <= 3 else " and others"
            line = "line" if len(self.doubtful) == 1 else "lines"
            what += f"; {line} {some}{more} may be of either"
        return Problem(
            self.first, f"{what}. Give each an id of its own: leave out run_id"
        )


@dataclass(slots=True)
class _Namesakes:
    """The runs of one id, in the order in which they began.

    `going` are those that are known to go on, `quiet` those that were unfinished when
    the next began: killed, most likely. `doubtful` are lines that one of them may have
    said, should it turn out to be alive.
    """

    runs: list[Listing] = field(default_factory=list)
    going: list[Listing] = field(default_factory=list)
    quiet: list[Listing] = field(default_factory=list)
    began: int = 0
    doubtful: list[int] = field(default_factory=list)
    overlap: _Overlap | None = None

    def begin(self, run: Listing) -> None:
        """One more run."""
        left = [r for r in (*self.quiet, *self.going) if r.last is None]
        self.quiet = left[-_MOST:]
        self.runs.append(run)
        self.going = [run]
        self.doubtful = []
        self.began = 0

    def run_of(self, line: Mapping[str, Any], number: int) -> Listing:
        """The run that a line is of."""
        self.began = self.began or number
        if len(self.going) > 1:
            unfinished = [run for run in self.going if run.last is None]
            self.going = unfinished or self.going[-1:]
        if not self.quiet and len(self.going) == 1:
            return self.going[0]
        found = [run for run in self.going if _goes_on(run, line)]
        others = [run for run in self.quiet if _goes_on(run, line)]
        if found and others:
            self.doubtful.append(number)
        if not found and others:
            self._wake(others[-1], number)
            return others[-1]
        if len(found) > 1 and self.overlap is not None:
            self.overlap.doubtful.append(number)
        if len(self.going) > 1 and self.overlap is not None:
            self.overlap.last = number
        return min(found or self.going, key=lambda run: _distance(run, line))

    def _wake(self, run: Listing, number: int) -> None:
        """A run that was thought to be killed goes on."""
        self.quiet.remove(run)
        self.going.insert(0, run)
        if self.overlap is None:
            self.overlap = _Overlap(self.began, number, [])
        self.overlap.last = number
        self.overlap.doubtful += self.doubtful
        self.doubtful = []


def _goes_on(run: Listing, line: Mapping[str, Any]) -> bool:
    """Whether it is the next line of a run."""
    is_next = run.last is None and run.seq + 1 == line["seq"]
    return is_next and bool(run.ms <= line["ms"])


def _distance(run: Listing, line: Mapping[str, Any]) -> tuple[bool, int, float]:
    """How far a line is from where a run has come; none goes back."""
    ahead = line["seq"] - run.seq
    return ahead <= 0, abs(ahead), abs(line["ms"] - run.ms)
