"""The first wrong line of a run tells whose problem it is.

    1. a wrong slip                       look at the prompt and the tool's description
    2. a right slip, a wrong answer       look at the tool
    3. right answers, a wrong reply       the model; look at what the answers left open
    4. it never finished                  look at what it kept asking for

A run is read from top to bottom. What a program can decide is decided by the same rule
that the page asks; what needs a person is a question, with the lines to look at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mingraph_lite.trace import TracedRun
from mingraph_lite.traces.asking import questions_about
from mingraph_lite.traces.findings import (
    Case,
    Evidence,
    Finding,
    step_of,
    what_was_said,
)
from mingraph_lite.traces.in_words import rounds_in_words
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.retold import Retold
from mingraph_lite.traces.rules import Said, Wrong, failed, wrong_lines

__all__: Final = ["FirstWrongLine", "decided_in", "first_wrong_line"]

_LOOK: Final[Mapping[Case, tuple[str, str]]] = {
    1: ("A wrong slip", "Look at the prompt and at the tool's description."),
    2: ("A right slip, a wrong answer", "Look at the tool."),
    3: ("Right answers, a wrong reply", "The model's reasoning: what did it take?"),
    4: ("It never finished", "Look at what it kept asking for."),
}
_LOOK_ELSE: Final = "Look at what ended it: no limit did."
_CASES: Final[Mapping[str, Case]] = {
    "cannot be run": 1,
    "asked before": 1,
    "from nowhere": 1,
    "tool failed": 2,
    "too long": 2,
    "unheard number": 3,
    "left out": 3,
}
_LIMITS: Final = {"step limit", "token limit", "cost limit", "time limit"}


@dataclass(frozen=True)
class FirstWrongLine:
    """What was found in a run, from top to bottom.

    `at_a_limit` is whether a limit ended it.
    """

    run: str
    findings: tuple[Finding, ...]
    at_a_limit: bool = False

    @property
    def first(self) -> Finding | None:
        """The first line of which a program is sure that it is wrong."""
        return next((found for found in self.findings if found.sure), None)

    def __str__(self) -> str:
        return "\n".join(self.in_words(Layout()))

    def as_data(self) -> dict[str, Any]:
        """All of it for a program."""
        findings = [_as_data(found) for found in self.findings]
        first = None if self.first is None else _as_data(self.first)
        return {"run": self.run, "first": first, "findings": findings}

    def in_words(self, layout: Layout) -> list[str]:
        """The four cases, with what speaks for each."""
        text = layout.under("", _verdict(self.run, self.first))
        for case, (name, look) in _LOOK.items():
            of = [found for found in self.findings if found.case == case]
            told = list(_all_in_words(of, self.first, layout))
            none = " No line shows it." if not of else " Not before that line."
            text += ["", f"{case}. {name}?{'' if told else none}", *told]
            if any(found.sure for found in of):
                is_error = of[-1].kind == "never finished" and not self.at_a_limit
                text += layout.under("=> ", _LOOK_ELSE if is_error else look, 3)
        return text


def first_wrong_line(run: TracedRun) -> FirstWrongLine:
    """Read a run from top to bottom, and say what is wrong and what to ask."""
    retold = Retold(run)
    decided = list(decided_in(retold))
    places = {found.seq for found in decided}
    # The answer to a slip that could not be run says so, and that is right.
    places |= {
        evidence.seq
        for found in decided
        if found.kind == "cannot be run"
        for evidence in found.evidence
    }
    found = [*decided, *questions_about(retold, places)]
    findings = tuple(sorted(found, key=lambda one: one.seq))
    return FirstWrongLine(run.id, findings, run.finish in _LIMITS)


def decided_in(retold: Retold) -> Iterator[Finding]:
    """What a program can decide of a run, from the top."""
    stopped = retold.run.finish in _LIMITS or retold.run.reason == "incomplete"
    heard = [retold.prompt, *retold.earlier]
    heard += [about for _, about in retold.described.values()]
    numbers = [line["seq"] for line in retold.run.lines]
    is_whole = numbers == [*range(1, len(numbers) + 1)]
    for wrong in wrong_lines(
        retold.said, retold.question, heard, retold.menu, is_whole=is_whole
    ):
        # Asked again and again: that is why it never finished.
        is_sure = wrong.asks is None
        kept_asking = wrong.kind == "asked before" and stopped and is_sure
        case = 4 if kept_asking else _CASES[wrong.kind]
        says = f"{wrong.says[0].upper()}{wrong.says[1:]}."
        yield Finding(
            case,
            wrong.kind,
            wrong.place,
            step_of(retold, wrong.place),
            says if is_sure else f"{says} {wrong.asks}",
            tuple(_stands_on(wrong, retold)),
            sure=is_sure,
        )
    if retold.run.reason not in ("answered", "degraded") and retold.lines:
        yield _never_finished(retold)


def _stands_on(wrong: Wrong, retold: Retold) -> Iterator[Evidence]:
    """The line itself, and those that show that it is wrong."""
    at = next(place for place, x in enumerate(retold.said) if x.place == wrong.place)
    yield what_was_said(retold, retold.said[at])
    for said in retold.said:
        if said.place != wrong.place and _shows(wrong, said, said.place, retold):
            yield what_was_said(retold, said)


def _shows(wrong: Wrong, said: Said, place: int, retold: Retold) -> bool:
    match wrong.kind:
        case "cannot be run":
            return said.answers == wrong.slip
        case "asked before":
            first = _first_like(retold, wrong.slip or 0)
            return said.answers == first or any(x.number == first for x in said.slips)
        case "from nowhere" | "unheard number":
            return place < wrong.place and said.who in ("user", "tool")
        case "tool failed" | "too long":
            return any(slip.number == wrong.slip for slip in said.slips)
    return place < wrong.place and said.who == "user"


def _first_like(retold: Retold, number: int) -> int:
    """The number of the first slip that asked for the same, and got no error."""
    slip = retold.slips[number]
    errors = {said.answers for said in retold.said if failed(said)}
    return next(
        x.number
        for x in retold.slips.values()
        if (x.name, x.arguments) == (slip.name, slip.arguments)
        and x.number not in errors - {number}
    )


def _never_finished(retold: Retold) -> Finding:
    run, last = retold.run, retold.lines[-1]
    end = Evidence(last["seq"], str(last["event"]), _how(retold))
    asked = Counter(slip.call for said in retold.said for slip in said.slips)
    often = [
        Evidence(_first(retold, call), f"asked {count} times", call)
        for call, count in asked.most_common(5)
        if count > 1
    ]
    rounds = rounds_in_words(run)
    if run.reason == "incomplete":
        says = f"It has no end after {rounds}: it was killed, or it is still running."
    elif run.finish in _LIMITS:
        says = f"The {run.finish} stopped it after {rounds}."
    else:
        says = f"It ended without an answer after {rounds}: {run.finish}."
    if run.finish in _LIMITS and not often and asked:
        says += " No slip was repeated."
    return Finding(
        4, "never finished", last["seq"], last["step"], says, (end, *often), sure=True
    )


def _how(retold: Retold) -> str:
    """The end as the last line tells it, with the error there was."""
    last = retold.lines[-1]
    errors = [line.get("error") for line in retold.lines if line.get("error")]
    if last["event"] != "finish":
        return f"the last line there is, in step {last['step']}"
    said = [str(last.get("reason"))]
    told = [error for error in errors if isinstance(error, str)]
    return ": ".join([*said, *told[-1:]])


def _first(retold: Retold, call: str) -> int:
    places = [x.place for x in retold.said for slip in x.slips if slip.call == call]
    return places[0]


def _verdict(run: str, first: Finding | None) -> str:
    if first is None:
        return (
            f"Run {run}: a program finds no wrong line. Answer each ? from top to "
            "bottom: the first no is the first wrong line."
        )
    return (
        f"Run {run}: line {first.seq}, in step {first.step}, is the first that a "
        f"program finds wrong: case {first.case}. Where you answer a ? before it with "
        "no, that line is the first."
    )


def _all_in_words(
    of: Sequence[Finding], first: Finding | None, layout: Layout
) -> Iterator[str]:
    """The findings of a case; questions only as far as the first wrong line."""
    kinds: dict[str, list[Finding]] = {}
    for found in of:
        if found.sure:
            kinds.setdefault(found.kind, []).append(found)
    for found in of:
        if not found.sure and (first is None or found.seq < first.seq):
            yield from _in_words(found, layout)
        elif found.sure and found is kinds[found.kind][0]:
            yield from _in_words(found, layout)
            yield from _the_like(found, kinds[found.kind][1:], layout)


def _the_like(
    first: Finding, others: Sequence[Finding], layout: Layout
) -> Iterator[str]:
    """What else was found of a kind: more in that very line, and the lines below."""
    for other in others:
        if other.seq == first.seq:
            yield from layout.under("! ", f"And in that line: {other.says}", 3)
    places = dict.fromkeys(str(x.seq) for x in others if x.seq != first.seq)
    if places:
        what = "line" if len(places) == 1 else "lines"
        like = f"And the like in {what} {', '.join(places)}."
        yield from layout.under("! ", like, 3)


def _in_words(found: Finding, layout: Layout) -> list[str]:
    mark = "!" if found.sure else "?"
    head = f"{mark} line {found.seq}, step {found.step}: "
    text = layout.under(head, found.says, 3)
    for seq, what, said in found.evidence:
        text += layout.under(f"line {seq} {what}: ", said, 7)
    return text


def _as_data(found: Finding) -> dict[str, Any]:
    evidence = [each._asdict() for each in found.evidence]
    return {**asdict(found), "evidence": evidence}
