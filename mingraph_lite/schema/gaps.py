"""What the numbers of lines tell.

The announcements of a run are counted from 1, and each is a line. A line that was
never written or was taken out leaves a gap, and a run that two processes wrote, since
one was forked in the middle of it, has a number twice.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from mingraph_lite.schema.lines import Problem

__all__: Final = ["Gaps"]


@dataclass(slots=True)
class _Gap:
    """Numbers that are left out before a line; `behind` is the line before it."""

    line: int
    behind: int
    seqs: range
    late: int = 0


@dataclass(slots=True)
class _Back:
    """The first number that goes back, and how often one does in all."""

    line: int
    seq: int
    top: int
    is_late: bool
    count: int = 1


@dataclass(slots=True)
class Gaps:
    """Where the numbers of a run do not follow each other.

    `top` is the highest so far.
    """

    top: int = 0
    gaps: list[_Gap] = field(default_factory=list)
    back: _Back | None = None

    def add(self, before: int, behind: int, seq: int, line: int) -> None:
        """Know a line whose number is not the next; `behind` is the line before it."""
        self.top = max(self.top, before)
        if seq > self.top:
            if seq > self.top + 1:
                self.gaps.append(_Gap(line, behind, range(self.top + 1, seq)))
            return
        place = bisect_right(self.gaps, seq, key=_first) - 1
        is_late = place >= 0 and seq in self.gaps[place].seqs
        if is_late:
            self.gaps[place].late += 1
        if self.back is None:
            self.back = _Back(line, seq, self.top, is_late)
        else:
            self.back.count += 1

    def problems(self, id: str, lost: int, spoiled: list[int]) -> Iterator[Problem]:
        """What is told of it, once for each gap.

        `lost` is how many lines the run's end says could not be written. A line of
        `spoiled` that stands in a gap is what is missing, and is told already.
        """
        for gap in self.gaps:
            missing = len(gap.seqs) - gap.late
            first = bisect_left(spoiled, gap.behind)
            told = min(missing, bisect_right(spoiled, gap.line) - first)
            del spoiled[first : first + told]
            if missing > told:
                yield Problem(gap.line, _what(gap.seqs, id, missing <= lost))
                lost -= missing
        if self.back is not None:
            yield Problem(self.back.line, _of_back(self.back, id))


def _first(gap: _Gap) -> int:
    return gap.seqs.start


def _what(seqs: range, id: str, is_lost: bool) -> str:
    first, last = seqs[0], seqs[-1]
    one = first == last
    which = f"seq {first} is" if one else f"seq {first} to {last} are"
    lost = ", since it could not be written" if one else ", which could not be written"
    why = f"{lost}: the run's end counts it as lost" if is_lost else ""
    return f"goes on with seq {last + 1} of run {id!r}, and {which} missing{why}"


def _of_back(back: _Back, id: str) -> str:
    if back.seq < 1:
        what = "which is none: lines are counted from 1"
    elif back.is_late:
        what = f"which stands behind seq {back.top}, out of its order"
    else:
        what = (
            "which has come before. Two processes wrote this run, where one was forked "
            "in the middle of it, or a line was copied"
        )
    more = f" ({back.count - 1} more go back like that)" if back.count > 1 else ""
    return f"has seq {back.seq} of run {id!r}{more}, {what}"
