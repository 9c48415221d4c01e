"""Which questions took unusually many rounds, or few."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor
from statistics import median, quantiles
from typing import Final, Protocol

from mingraph_lite.schema.in_short import brief
from mingraph_lite.schema.signs import in_one_line

__all__: Final = ["FEWEST", "Asked", "Unusual", "unusual"]

FEWEST: Final = 8
"""Of fewer lines nobody can say what is usual."""

_SHOWN: Final = 60
_SECONDS: Final = 19
"""So long is a time to the second."""


class Asked(Protocol):
    """A line of a transcript, or a run of a trace."""

    @property
    def question(self) -> str | None:
        """What was asked."""
        ...

    @property
    def rounds(self) -> int:
        """How often the model was called for it."""
        ...


@dataclass(frozen=True)
class Unusual[A: Asked]:
    """The questions with unusually many rounds, and with unusually few.

    `n` is how many lines this stands on, `most` and `least` the rounds that are usual.
    Of too few lines nothing is said, and they are None.
    """

    n: int
    median: float | None
    least: int | None
    most: int | None
    many: tuple[A, ...]
    few: tuple[A, ...]

    def __str__(self) -> str:
        questions = "1 question" if self.n == 1 else f"{self.n} questions"
        if self.median is None or self.least is None or self.most is None:
            return f"{questions}: too few to say what is unusual. It takes {FEWEST}."
        usual = f"usual are {self.least} to {self.most}"
        rounds = "round" if self.median == 1 else "rounds"
        head = f"{questions}, median {self.median:g} {rounds}, {usual}"
        found = [("many", each) for each in self.many]
        found += [("few", each) for each in self.few]
        if not found:
            return f"{head}: none is unusual."
        return "\n".join([f"{head}:", *(_told(word, each) for word, each in found)])


def unusual[A: Asked](lines: Iterable[A]) -> Unusual[A]:
    """The questions whose rounds are unusually many or few, the farthest out first.

    Usual is what lies no more than one and a half times the distance of the quartiles
    outside of them, and no less than one round. Why not so many standard deviations
    from the mean? One run of fifty rounds moves both, and then nothing is unusual. Of
    fewer than eight lines nothing is said. Runs of a trace are taken too:
    `unusual(read_trace(path).runs)`.
    """
    asked = list(lines)
    if len(asked) < FEWEST:
        return Unusual(len(asked), None, None, None, (), ())
    rounds = [each.rounds for each in asked]
    low, _, high = quantiles(rounds, n=4, method="inclusive")
    reach = max(1.5 * (high - low), 1)
    least, most = max(ceil(low - reach), 1), floor(high + reach)
    few = sorted((a for a in asked if a.rounds < least), key=_rounds)
    many = sorted((a for a in asked if a.rounds > most), key=_rounds, reverse=True)
    return Unusual(len(asked), median(rounds), least, most, tuple(many), tuple(few))


def _rounds(asked: Asked) -> int:
    return asked.rounds


def _told(word: str, asked: Asked) -> str:
    """One of them, with what it is found by: the question may be that of all."""
    ended = in_one_line(str(getattr(asked, "reason", "?")))
    started = in_one_line(str(getattr(asked, "started", None) or "?"))[:_SECONDS]
    question = brief(in_one_line(asked.question or "?"), _SHOWN)
    rounds = "round " if asked.rounds == 1 else "rounds"
    return f"  {word:<4}  {asked.rounds:>3} {rounds}  {started}  {ended}: {question}"
