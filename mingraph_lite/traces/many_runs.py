"""Many runs of one question in a table, with its sample size.

One run shows what can happen, many show how often. Where a right answer is known, the
wrong ones are split by what went before them, for each has a mend of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from mingraph_lite.schema.signs import in_one_line
from mingraph_lite.trace import RunSummary, TracedRun
from mingraph_lite.traces.in_words import ended
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.numbers import numbers_in, says_number
from mingraph_lite.traces.relied_on import has_gap
from mingraph_lite.traces.retold import Retold, summary_of
from mingraph_lite.traces.wrong_line import decided_in

__all__: Final = ["Right", "Row", "Table", "Way", "table_of"]

type Way = Literal[
    "by tool", "in the head", "invented", "undecided", "no number", "no answer"
]
"""How a run came to the numbers of its answer."""

type Right = Sequence[str] | Callable[[str], bool]
"""What a right answer says, all of it, or what tells whether it is right."""

_IN_WORDS: Final[dict[Way, str]] = {
    "by tool": "every number came from a tool",
    "in the head": "arithmetic in the head: a number that no tool gave",
    "invented": "lookup skipped, numbers invented",
    "undecided": "a number of which only a person can tell",
    "no number": "no number in the answer",
}


@dataclass(frozen=True, slots=True)
class Row:
    """Runs that came to their end in one way.

    `right` is None where nobody can say.
    """

    way: Way
    says: str
    runs: int
    right: int | None


@dataclass(frozen=True)
class Table:
    """The runs of one question: how they went, what they took.

    `ended` counts how they ended, `rows` how they came to their answers. `rounds` and
    `tokens` are medians over all of them, as far as they are known.
    """

    question: str | None
    models: tuple[str, ...]
    n: int
    right: int | None
    ended: dict[str, int]
    rows: tuple[Row, ...]
    rounds: float | None
    tokens: float | None

    def __str__(self) -> str:
        return "\n".join(self.in_words(Layout()))

    def in_words(self, layout: Layout) -> list[str]:
        """The table as text, its sample size in the heading."""
        head = f"n = {self.n}"
        if self.right is not None:
            head += f", right: {self.right} of {self.n}"
        text = layout.under("", f"{in_one_line(self.question or '(no question)')}")
        text += layout.under("", f"{head}   model: {', '.join(self.models) or '?'}")
        ends = (f"{count} {end}" for end, count in self.ended.items())
        text += layout.under("", f"ended: {', '.join(ends)}")
        counted = self.right is not None
        names = ["", "right", "wrong"] if counted else ["", "runs"]
        rows = [names, *(_cells(row, counted) for row in self.rows)]
        text += ["", *layout.sheet(rows, right=(1, 2)), ""]
        rounds, tokens = _many(self.rounds, "round"), _many(self.tokens, "token")
        return [*text, f"median: {rounds}, {tokens}"]


def table_of(runs: Iterable[TracedRun], right: Right = ()) -> Table:
    """Count the runs of one question.

    `right` are the texts that a right answer says, "64" and "75", or a function that
    takes the answer. Raises ValueError for runs of several questions, or none.
    """
    is_right = _judge(right)
    counts: Counter[tuple[Way, str]] = Counter()
    rights: Counter[tuple[Way, str]] = Counter()
    listed: list[RunSummary] = []
    for run in runs:
        listed.append(summary_of(run))
        way = _way(run)
        counts[way] += 1
        rights[way] += is_right is not None and is_right(run.answer or "")
    _check(listed)
    order = sorted(counts, key=lambda way: (_ORDER.index(way[0]), way[1]))
    rows = [Row(*way, counts[way], rights[way] if is_right else None) for way in order]
    tokens = [run.tokens for run in listed if run.tokens is not None]
    return Table(
        listed[0].question,
        tuple(sorted({run.model for run in listed if run.model})),
        len(listed),
        rights.total() if is_right else None,
        dict(Counter(map(ended, listed)).most_common()),
        tuple(rows),
        median(run.rounds for run in listed),
        median(tokens) if tokens else None,
    )


_ORDER: Final[tuple[Way, ...]] = (*_IN_WORDS, "no answer")


def _check(listed: Sequence[RunSummary]) -> None:
    if not listed:
        raise ValueError("There are no runs to count. Hand in runs of a trace.")
    asked = dict.fromkeys(run.question for run in listed)
    if len(asked) > 1:
        first, second, *_ = asked
        raise ValueError(
            f"These are runs of {len(asked)} questions, such as {first!r} and "
            f"{second!r}. Hand in those of one."
        )


def _judge(right: Right) -> Callable[[str], bool] | None:
    if callable(right):
        return right
    if isinstance(right, str):
        raise TypeError(f"right is one text. Hand in a list: right=[{right!r}].")
    return (
        (lambda answer: all(_says(answer, text) for text in right)) if right else None
    )


def _says(answer: str, text: str) -> bool:
    """Whether an answer says a text; 64 is not said by 164."""
    if (said := says_number(answer, text)) is not None:
        return said
    whole = rf"(?<!\w){re.escape(text.casefold())}(?!\w)"
    return re.search(whole, answer.casefold()) is not None


def _way(run: TracedRun) -> tuple[Way, str]:
    if run.answer is None:
        return "no answer", f"no answer: {in_one_line(run.finish or run.reason)}"
    is_there = has_gap(run.answer) or numbers_in(run.answer)
    way = _way_to_numbers(run, run.answer) if is_there else "no number"
    return way, _IN_WORDS[way] + (" (degraded)" if run.reason == "degraded" else "")


def _way_to_numbers(run: TracedRun, answer: str) -> Way:
    retold = Retold(run)
    found = list(decided_in(retold))
    sure = {each.kind for each in found if each.sure}
    if "from nowhere" in sure:
        return "invented"
    if "unheard number" in sure:
        looked_up = any(said.who == "tool" for said in retold.said)
        return "in the head" if looked_up else "invented"
    asked = {each.kind for each in found} - sure
    is_open = has_gap(answer) or asked & {"from nowhere", "unheard number"}
    return "undecided" if is_open else "by tool"


def _cells(row: Row, counted: bool) -> list[str]:
    if not counted:
        return [row.says, str(row.runs)]
    right = row.right or 0
    return [row.says, str(right) if right else "-", str(row.runs - right or "-")]


def _many(value: float | None, what: str) -> str:
    number = "?" if value is None else f"{value:,g}"
    return f"{number} {what}{'' if value == 1 else 's'}"
