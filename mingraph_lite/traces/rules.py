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

from mingraph_lite.observation import without_text
from mingraph_lite.traces.names import never_asked_for
from mingraph_lite.traces.numbers import (
    amounts_in,
    counts_in,
    digits_behind,
    glued_in,
    numbers_in,
    words_in,
)
from mingraph_lite.traces.relied_on import has_gap, without_marks

__all__: Final = [
    "Kind",
    "Menu",
    "Said",
    "Slip",
    "Wrong",
    "failed",
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
_RAISED: Final = re.compile(
    r"Error: (?:[\w.]+ in .+?: |.*Mend the call\.\Z)", re.DOTALL
)
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

    `answers` is the number of the slip that it answers, `is_error` whether that was
    announced as an error; None where nobody announced anything.
    """

    place: int
    who: str
    text: str
    slips: tuple[Slip, ...]
    answers: int | None
    is_error: bool | None = None


class Wrong(NamedTuple):
    """What is wrong at a place, and with which slip.

    Where that cannot be decided, `asks` is the question that a person can answer.
    """

    place: int
    kind: Kind
    says: str
    slip: int | None
    asks: str | None = None


class _Heard:
    """The numbers and words that were said, but for what the model said.

    Signs are put aside: "3 degrees below zero" says what a tool gave as -3. `others`
    is what was said beside the question, and `is_whole` whether none of it is missing.
    """

    def __init__(self, question: str, known: Iterable[str], is_whole: bool) -> None:
        self.numbers: set[float] = set()
        self.words: set[str] = set()
        self.others: list[str] = []
        self.is_whole = is_whole
        lost = "what is cut or masked" if is_whole else "a line that is missing"
        self._doubt = f"Or did {lost} here?"
        self.add(question, question=True)
        for text in known:
            self.add(text)

    def add(self, text: str, *, question: bool = False) -> None:
        self.is_whole &= not has_gap(text)
        left = without_marks(text)
        self.numbers.update(amounts_in(left), glued_in(left), words_in(left))
        self.words.update(word.casefold() for word in re.findall(r"\w+", left))
        if not question:
            self.others.append(left)

    def unheard(self, spoken: Iterable[float]) -> list[float]:
        """Those that nobody said, not even with more digits behind the point."""
        new = [number for number in spoken if abs(number) not in self.numbers]
        finite = [number for number in self.numbers if isfinite(number)]
        rounded = {
            digits: {float(round(number, digits)) for number in finite}
            for digits in set(map(digits_behind, new))
        }
        return [x for x in new if abs(x) not in rounded[digits_behind(x)]]

    def doubt(self) -> str | None:
        """What to ask of a word that is not among these."""
        return None if self.is_whole else self._doubt


class _Slips:
    """The slips so far, and what each slip of the run got."""

    def __init__(self, said: Iterable[Said]) -> None:
        self.answers = {x.answers: x for x in said if x.answers is not None}
        self.passed: dict[tuple[str, str], int] = {}
        self.got: dict[tuple[str, str], set[str]] = {}
        for slip in (slip for line in said for slip in line.slips):
            if (answer := self.answers.get(slip.number)) and not failed(answer):
                self.got.setdefault(_call(slip), set()).add(answer.text)

    def add(self, slip: Slip) -> None:
        """Keep a slip that is not to be passed again; an error is a reason to."""
        answer = self.answers.get(slip.number)
        if answer is None or not failed(answer):
            self.passed.setdefault(_call(slip), slip.number)

    def arguments(self) -> str:
        return "\n".join(arguments for _, arguments in self.passed)


def _call(slip: Slip) -> tuple[str, str]:
    return slip.name, slip.arguments


def failed(line: Said) -> bool:
    """Whether an answer is an error, and no text of a tool that reads like one."""
    if line.is_error is None:
        return _RAISED.match(line.text) is not None
    return line.is_error or without_text(line.text) is not None


def wrong_lines(
    said: Sequence[Said],
    question: str,
    known: Iterable[str] = (),
    menu: Menu = _NONE,
    *,
    is_whole: bool = True,
) -> Iterator[Wrong]:
    """Each line with something wrong, or with something to ask, from the top.

    `known` is what stood there before, but for what the model said: its prompt, its
    menu, earlier questions and answers. What the model may take from nowhere are the
    parameters that have a default. Where a line is missing, and the run not whole,
    nobody can say what was never said.
    """
    slips, heard = _Slips(said), _Heard(question, known, is_whole)
    for line in said:
        for slip in line.slips:
            yield from _with_slip(line.place, slip, slips, heard, menu)
            slips.add(slip)
            heard.numbers.update(amounts_in(_chosen(slip, menu)))
        if line.who == "tool" or (line.who == "user" and line.text != question):
            heard.add(line.text)
        if line.who == "tool":
            yield from _with_answer(line)
        elif line.who == "model" and not line.slips:
            yield from _with_reply(line, question, heard, slips)


def _with_slip(
    place: int, slip: Slip, slips: _Slips, heard: _Heard, menu: Menu
) -> Iterator[Wrong]:
    call, number = _call(slip), slip.number
    answer = slips.answers.get(number)
    is_unfit = answer is None and not _fits(slip, menu)
    if slip.problem or (answer and _is_to_mend(answer)) or is_unfit:
        why = f"slip #{number} cannot be run as the model sent it"
        yield Wrong(place, "cannot be run", why, number)
    elif call in slips.passed:
        why = f"slip #{number} asks again for what #{slips.passed[call]} got"
        asks = None
        if has_gap(slip.arguments):
            asks = "Or do they differ in what is cut or masked here?"
        elif len(slips.got.get(call, ())) > 1:
            asks = "Was that to wait for another answer? The answers differ."
        yield Wrong(place, "asked before", why, number, asks)
    elif (value := _from_nowhere(slip, heard, menu)) is not None:
        why = f"slip #{number} says {value}, which nobody has said"
        yield Wrong(place, "from nowhere", why, number, heard.doubt())


def _is_to_mend(answer: Said) -> bool:
    return failed(answer) and answer.text.endswith(_MENDS)


def _with_answer(line: Said) -> Iterator[Wrong]:
    if failed(line) and not _is_to_mend(line):
        why = f"the tool failed, and slip #{line.answers} says so"
        cut = "Or could the slip not be run? What it says is cut."
        asks = cut if "[cut: " in line.text and has_gap(line.text) else None
        yield Wrong(line.place, "tool failed", why, line.answers, asks)
    elif len(line.text) > _LONG:
        why = f"the tool answered with {len(line.text):,} characters"
        yield Wrong(line.place, "too long", why, line.answers)


def _with_reply(
    line: Said, question: str, heard: _Heard, slips: _Slips
) -> Iterator[Wrong]:
    text = without_marks(line.text)
    spoken, counts = numbers_in(text), counts_in(text)
    new = heard.unheard(spoken)
    if new:
        first = next((number for number in new if number not in counts), new[0])
        why = f"it says {spoken[first]}, and no tool has said that"
        count = "Does it count something, or is it a time of day?"
        asks = heard.doubt() or (count if first in counts else None)
        yield Wrong(line.place, "unheard number", why, None, asks)
        return
    asked, others = slips.arguments(), "\n".join(heard.others)
    is_whole = heard.is_whole and not has_gap(asked)
    name = never_asked_for(question, line.text, asked, others) if is_whole else None
    if name is not None:
        yield Wrong(line.place, "left out", f"it says nothing of {name}", None)


def _fits(slip: Slip, menu: Menu) -> bool:
    """Whether a slip that nobody ran names a tool and its parameters."""
    if not menu or (has_gap(slip.arguments) and not _object(slip.arguments)):
        return True
    if (schema := menu.get(slip.name)) is None:
        return False
    arguments, taken = _object(slip.arguments), schema.get("properties", {})
    needed = schema.get("required", ())
    return all(name in arguments for name in needed) and all(
        name in taken for name in arguments
    )


def _chosen(slip: Slip, menu: Menu) -> str:
    """The arguments of parameters that have a default: the model may choose them."""
    given, required = _object(slip.arguments), menu.get(slip.name, {}).get("required")
    if required is None:
        return ""
    return json.dumps([given[name] for name in given if name not in required])


def _from_nowhere(slip: Slip, heard: _Heard, menu: Menu) -> str | None:
    """An argument of which no number and no name was said before."""
    required = menu.get(slip.name, {}).get("required")
    for name, value in _object(slip.arguments).items():
        if required is not None and name not in required:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        if has_gap(text):
            continue  # what was said there is not known
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
