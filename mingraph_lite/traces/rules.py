"""What a program can find wrong with a line of the folder.

One rule for all: the page asks on the frames of a run which line is the first, the
reader of a trace asks on its lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Literal, NamedTuple

from mingraph_lite.traces.numbers import amounts_in, numbers_in

__all__: Final = [
    "Kind",
    "Menu",
    "Said",
    "Slip",
    "Wrong",
    "numbers_in",
    "wrong_lines",
]

type Kind = Literal[
    "cannot be run",
    "asked before",
    "from nowhere",
    "tool failed",
    "too long",
    "unheard number",
    "left out",
]
"""What can be wrong with a line, in a word for programs."""

type Menu = Mapping[str, Mapping[str, Any]]
"""The schema of the parameters of each tool, by its name."""

_NONE: Final[Menu] = {}

_WORD: Final = re.compile(r"[A-ZÀ-Þ]\w+")
_NAME: Final = re.compile(r"(?<=[^\s.?!:] )(?!Fahrenheit|Celsius)[A-ZÀ-Þ]\w+")
_MENDS: Final = "Mend the call."
_LONG: Final = 2000


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip with its number.

    `arguments` is their JSON, `call` the name and them as one writes it.
    """

    number: int
    name: str
    arguments: str
    call: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """One line of the folder.

    `answers` is the number of the slip that it answers.
    """

    place: int
    who: str
    text: str
    slips: tuple[Slip, ...]
    answers: int | None


class Wrong(NamedTuple):
    """What is wrong at a place, and with which slip."""

    place: int
    kind: Kind
    says: str
    slip: int | None


class _Heard:
    """The numbers and words that were said, but for what the model said.

    Signs are put aside: "3 degrees below zero" says what a tool gave as -3.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.numbers: set[float] = set()
        self.words: set[str] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        self.numbers.update(amounts_in(text))
        self.words.update(word.casefold() for word in re.findall(r"\w+", text))


def wrong_lines(
    said: Sequence[Said], question: str, known: Iterable[str] = (), menu: Menu = _NONE
) -> Iterator[Wrong]:
    """Each line with something wrong, from the top.

    `known` is what stood there before, but for what the model said: its prompt, its
    menu, earlier questions and answers. What the model may take from nowhere are the
    parameters that have a default.
    """
    answers = {line.answers: line.text for line in said if line.answers is not None}
    passed: dict[tuple[str, str], int] = {}
    heard = _Heard([question, *known])
    for line in said:
        for slip in line.slips:
            yield from _with_slip(line.place, slip, answers, passed, heard, menu)
        if line.who in ("tool", "user"):
            heard.add(line.text)
        if line.who == "tool":
            yield from _with_answer(line)
        elif line.who == "model" and not line.slips:
            yield from _with_reply(line, question, heard)


def _with_slip(
    place: int,
    slip: Slip,
    answers: Mapping[int, str],
    passed: dict[tuple[str, str], int],
    heard: _Heard,
    menu: Menu,
) -> Iterator[Wrong]:
    call, number = (slip.name, slip.arguments), slip.number
    answer = answers.get(number, "")
    is_unfit = number not in answers and not _fits(slip, menu)
    if slip.problem or answer.endswith(_MENDS) or is_unfit:
        why = f"slip #{number} cannot be run as the model sent it"
        yield Wrong(place, "cannot be run", why, number)
    elif call in passed:
        why = f"slip #{number} asks again for what #{passed[call]} got"
        yield Wrong(place, "asked before", why, number)
    elif (value := _from_nowhere(slip, heard, menu)) is not None:
        why = f"slip #{number} says {value}, which nobody has said"
        yield Wrong(place, "from nowhere", why, number)
    passed.setdefault(call, number)


def _with_answer(line: Said) -> Iterator[Wrong]:
    if line.text.startswith("Error:") and not line.text.endswith(_MENDS):
        why = f"the tool failed, and slip #{line.answers} says so"
        yield Wrong(line.place, "tool failed", why, line.answers)
    elif len(line.text) > _LONG:
        why = f"the tool answered with {len(line.text):,} characters"
        yield Wrong(line.place, "too long", why, line.answers)


def _with_reply(line: Said, question: str, heard: _Heard) -> Iterator[Wrong]:
    known = heard.numbers
    rounded = {float(round(number)) for number in known if isfinite(number)}
    spoken = numbers_in(line.text)
    new = [spoken[number] for number in spoken if abs(number) not in known | rounded]
    left = [name for name in _NAME.findall(question) if name not in line.text]
    if new:
        why = f"it says {new[0]}, and no tool has said that"
        yield Wrong(line.place, "unheard number", why, None)
    elif left:
        yield Wrong(line.place, "left out", f"it says nothing of {left[0]}", None)


def _fits(slip: Slip, menu: Menu) -> bool:
    """Whether a slip that nobody ran names a tool and its parameters."""
    if not menu:
        return True
    if (schema := menu.get(slip.name)) is None:
        return False
    arguments, taken = _object(slip.arguments), schema.get("properties", {})
    needed = schema.get("required", ())
    return all(name in arguments for name in needed) and all(
        name in taken for name in arguments
    )


def _from_nowhere(slip: Slip, heard: _Heard, menu: Menu) -> str | None:
    """An argument of which no number and no name was said before."""
    required = menu.get(slip.name, {}).get("required")
    for name, value in _object(slip.arguments).items():
        if required is not None and name not in required:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        said_numbers = {*amounts_in(text)}
        said_words = {word.casefold() for word in _WORD.findall(text)}
        is_known = said_numbers & heard.numbers or said_words & heard.words
        if (said_numbers or said_words) and not is_known:
            return json.dumps(value, ensure_ascii=False)
    return None


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
