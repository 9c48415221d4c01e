"""What a lesson asks: questions, and exercises that know their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from mingraph_lite.classroom.arranging import Arrangement

__all__: Final = [
    "STILL_THE_STUB",
    "Exercise",
    "Lesson",
    "Prediction",
    "Sentences",
]

type Sentences = Mapping[str, str]
"""What is said to the learner who chose a text."""

STILL_THE_STUB: Final = "This is still as it came"
"""How the sentence for an untouched stub begins."""

_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True)
class Exercise:
    """A task that knows right answers and the usual mistakes.

    `check(answer)` returns None for a right answer, else one sentence that names the
    mistake. It judges what was asked and nothing else: it tries several inputs, and
    listens to what ran. `mistakes` maps each such sentence to an answer that earns it,
    `also_right` a name to another answer that is right; tests hand all of them in.

    `keeps` names what `keep` may write down once this check has said right. Where lines
    are to be ordered, `arrangement` has them, and the check gets the code as one text.
    """

    check: Callable[[Any], str | None] = field(repr=False)
    stub: object = field(repr=False)
    solution: object = field(repr=False)
    mistakes: Mapping[str, object] = field(repr=False)
    hints: tuple[str, str]
    also_right: Mapping[str, object] = field(default=_EMPTY, repr=False)
    keeps: tuple[str, ...] = ()
    arrangement: Arrangement | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Lesson:
    """What a notebook asks: sentences for its predictions, and its exercises."""

    name: str
    sentences: Mapping[str, Sentences] = _EMPTY
    exercises: tuple[Exercise, ...] = ()


@dataclass(frozen=True)
class Prediction:
    """A question asked before the code that answers it runs.

    Without choices a value is typed: a number, or where `kind` says so, a text.
    """

    question: str
    choices: tuple[str, ...]
    sentences: Sentences = field(repr=False)
    kind: str = "number"
