"""What differs between two runs, step by step.

Ids and times are put aside; of all else only what differs is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from mingraph_lite.schema.jsonable import write_json
from mingraph_lite.trace import RunSummary, TracedRun, normalise
from mingraph_lite.traces.in_words import ended, line_in_words, rounds_in_words
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.retold import Retold, summary_of

__all__: Final = ["Comparison", "Difference", "compare"]

_PLACES: Final = {"run", "seq", "step", "event", "announced_as", "of", "place"}
"""Where a line stands and what it is called: a line more would change them all."""


_UNSAID: Final = {"asides", "folder", "menu", "model", "settings"}
"""What the words of a line leave out, and what may yet make two runs differ."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A line that differs, or that one of the runs has alone.

    `first` and `second` are its number in each; `changed` has each key that differs,
    with what both say. Of a line that one has alone it has what that one says. `says`
    is the same in words: - for the first run, + for the second, then what and which.
    """

    step: int
    event: str
    first: int | None
    second: int | None
    changed: Mapping[str, tuple[Any, Any]]
    says: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Comparison:
    """Two runs and their differences, in the order of the steps."""

    first: RunSummary
    second: RunSummary
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        return "\n".join(self.in_words(Layout()))

    def as_data(self) -> dict[str, Any]:
        """All of it for a program."""
        return {
            "first": asdict(self.first),
            "second": asdict(self.second),
            "differences": [asdict(each) for each in self.differences],
        }

    def in_words(self, layout: Layout) -> list[str]:
        """Only what differs: - is the first run, + the second."""
        text = layout.under("", _heading("-", self.first))
        text += layout.under("", _heading("+", self.second))
        if not self.differences:
            return [*text, "", "They differ in nothing but ids and times."]
        step = None
        for each in self.differences:
            if each.step != step:
                step = each.step
                text += ["", f"[step {step}]" if step else "[before the first step]"]
            text += _in_words(each, layout)
        return text


def compare(first: TracedRun, second: TracedRun) -> Comparison:
    """What differs between two runs, but for ids and times."""
    one, two = Retold(first), Retold(second)
    ones, twos = _by_step(one), _by_step(two)
    differences = [
        _difference(a, b, one, two)
        for step in sorted(ones.keys() | twos.keys())
        for a, b in _paired(ones.get(step, []), twos.get(step, []))
        if _changed(a or {}, b or {})
    ]
    return Comparison(summary_of(first), summary_of(second), tuple(differences))


type _Line = Mapping[str, Any]


def _by_step(retold: Retold) -> dict[int, list[_Line]]:
    """The lines by step, texts followed and ids numbered.

    A line that files what another has said says nothing more.
    """
    steps: dict[int, list[_Line]] = {}
    for line in normalise([retold.followed(line) for line in retold.lines]):
        if line["event"] != "message_added" or "of" not in line:
            steps.setdefault(line["step"], []).append(line)
    return steps


def _paired(
    one: Sequence[_Line], two: Sequence[_Line]
) -> Iterator[tuple[_Line | None, _Line | None]]:
    """Each line beside the one that is the same moment of the other run."""
    kinds = [_kind(line) for line in one], [_kind(line) for line in two]
    for _, start, end, other, stop in SequenceMatcher(
        None, *kinds, False
    ).get_opcodes():
        here, there = one[start:end], two[other:stop]
        if [_event(line) for line in here] == [_event(line) for line in there]:
            yield from zip(here, there, strict=True)
        else:
            yield from ((line, None) for line in here)
            yield from ((None, line) for line in there)


def _event(line: _Line) -> str:
    return str(line["event"])


def _difference(
    a: _Line | None, b: _Line | None, one: Retold, two: Retold
) -> Difference:
    line = a or b or {}
    first = None if a is None else int(a["seq"])
    second = None if b is None else int(b["seq"])
    before = line_in_words(one.at(first), one) if first else []
    after = line_in_words(two.at(second), two) if second else []
    says = [("-", *said) for said in before if said not in after]
    says += [("+", *said) for said in after if said not in before]
    changed = _changed(a or {}, b or {})
    unsaid = [
        (mark, key, value if isinstance(value, str) else write_json(value))
        for key, values in changed.items()
        for mark, value in zip("-+", values, strict=True)
        if value is not None
        and (not says or (a and b and key.partition(".")[0] in _UNSAID))
    ]
    says += unsaid
    return Difference(line["step"], line["event"], first, second, changed, tuple(says))


def _kind(line: _Line) -> tuple[str, ...]:
    """What makes two lines the same moment of two runs."""
    return str(line["event"]), str(line.get("name", "")), str(line.get("role", ""))


def _changed(one: _Line, two: _Line) -> dict[str, tuple[Any, Any]]:
    changed: dict[str, tuple[Any, Any]] = {}
    for key in dict.fromkeys([*one, *two]):
        a, b = one.get(key), two.get(key)
        if key in _PLACES or a == b:
            continue
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            within = _changed(a, b)
            changed |= {f"{key}.{name}": both for name, both in within.items()}
        else:
            changed[key] = (a, b)
    return changed


def _heading(mark: str, run: RunSummary) -> str:
    return f"{mark} run {run.id}: {ended(run)}, {rounds_in_words(run)}"


def _in_words(each: Difference, layout: Layout) -> Iterator[str]:
    places = {"-": each.first, "+": each.second}
    for mark, label, words in _apart(each.says, layout):
        yield from layout.under(f"{mark} {places[mark]:>4}  {label:<10} ", words, 2)


type _Said = tuple[str, str, str]


def _apart(says: Sequence[_Said], layout: Layout) -> list[_Said]:
    """What both say under one label, so that it can be seen where they part."""
    shown = list(says)
    firsts = {said[1]: at for at, said in enumerate(says) if said[0] == "-"}
    for at, (mark, label, words) in enumerate(says):
        if mark == "+" and label in firsts:
            first = firsts.pop(label)
            one, other = layout.parting(says[first][2], words)
            shown[first], shown[at] = ("-", label, one), ("+", label, other)
    return shown
