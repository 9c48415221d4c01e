"""How long a job takes, in the time the processor worked on it."""

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

type Clock = Callable[[], float]
"""Gives seconds; only differences mean something."""

type Run = Callable[[], int]
"""Takes all the steps of a job and says how often its tool was run."""

type Job = Callable[[int], Run]
"""Makes all ready for so many steps; that is not timed."""

MILLION: Final = 1_000_000
ENOUGH: Final = 10.0
"""Seconds after which a figure gets no other round: some peers take a minute each."""


@dataclass(frozen=True)
class Figure:
    """Microseconds for one step, the best of so many rounds."""

    microseconds: float
    rounds: int


type Row = Mapping[int, Figure]
"""A figure for each number of steps."""


def figures(
    jobs: Mapping[str, Job], counts: Sequence[int], rounds: int, clock: Clock
) -> tuple[dict[str, Row], dict[str, Exception]]:
    """Time all jobs; a job that fails has its error instead of figures.

    Why does a round take each job once, and not each job all its rounds? A busy moment
    of the machine would then fall on one job alone and spoil its ratio to the others.
    """
    taken: dict[str, dict[int, list[float]]]
    taken = {name: {steps: [] for steps in counts} for name in jobs}
    errors: dict[str, Exception] = {}
    for _ in range(rounds):
        for name in list(taken):
            try:
                _add_round(jobs[name], taken[name], clock)
            except Exception as error:
                # A peer is somebody else's code: it may be missing or have changed.
                errors[name] = error
                del taken[name]
    return {name: _best(taken[name]) for name in taken}, errors


def _add_round(job: Job, taken: Mapping[int, list[float]], clock: Clock) -> None:
    for steps, seconds in taken.items():
        if sum(seconds) < ENOUGH:
            seconds.append(_seconds(job(steps), steps, clock))


def _best(taken: Mapping[int, list[float]]) -> Row:
    return {
        steps: Figure(min(seconds) * MILLION / steps, len(seconds))
        for steps, seconds in taken.items()
    }


def _seconds(run: Run, steps: int, clock: Clock) -> float:
    gc.collect()  # the garbage of what was measured before is not this one's
    began = clock()
    runs = run()
    seconds = clock() - began
    if runs != steps:
        raise RuntimeError(
            f"The tool was run {runs} times in {steps} steps, so this is another job. "
            "Make it the job that tests/bench/peers.py describes."
        )
    return seconds
