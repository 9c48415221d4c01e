"""What a run was, measured on its frames.

A frame is plain JSON, as `views.frames` gives it. Nothing here knows what a scenario
was written to do: an edited question, another tool or a real model is measured alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.traces.rules import Said, Slip, wrong_lines

__all__: Final = [
    "Frames",
    "Measured",
    "answers_to_the_first_reply",
    "conversions",
    "ending",
    "first_wrong_line",
    "longest_reading",
    "model_calls",
    "runs_of_the_first_reply",
    "treatment",
]

type Frames = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Measured:
    """What was found: `fact` as a choice, `told` in a sentence."""

    fact: str
    told: str


@dataclass
class _Run:
    """The lines and announcements of one run; earlier runs may stand before it."""

    lines: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    earlier: list[Mapping[str, Any]] = field(default_factory=list)
    events: list[Mapping[str, Any]] = field(default_factory=list)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""

    @staticmethod
    def of(frames: Frames) -> _Run:
        run = _Run()
        run.events = [event for frame in frames for event in frame["events"]]
        lines = [line for frame in frames for line in frame["lines"]]
        asked = [e["line"] for e in run.events if e["name"] == "run_start"]
        start = asked[0] if asked and asked[0] is not None else 0
        run.lines, run.earlier = list(enumerate(lines, 1))[start:], lines[:start]
        run.question = lines[start]["text"] if lines else ""
        run.outcome = frames[-1]["outcome"] or {} if frames else {}
        return run

    def named(self, name: str) -> list[Mapping[str, Any]]:
        return [event for event in self.events if event["name"] == name]

    @property
    def slips(self) -> list[Mapping[str, Any]]:
        return [slip for _, line in self.lines for slip in line["slips"]]

    @property
    def answers(self) -> dict[int, str]:
        """The text under each number that is answered."""
        tools = [line for _, line in self.lines if line["answers"] is not None]
        return {line["answers"]: line["text"] for line in tools}

    @property
    def first_slips(self) -> list[int]:
        """The numbers of the first reply that passed slips."""
        passed = (line["slips"] for _, line in self.lines if line["slips"])
        return [slip["number"] for slip in next(passed, [])]


def model_calls(frames: Frames) -> Measured:
    """How often the model was called."""
    run = _Run.of(frames)
    again = len(run.named("retry"))
    count = len(run.named("model_call")) + again
    told = f"The model was called {_times(count)}."
    if again:
        told += f" {_times(again).capitalize()} it was asked again after a failed try."
    return Measured(str(count), f"{told} {_ended(run)}")


def conversions(frames: Frames) -> Measured:
    """How many slips asked for a conversion."""
    calls = [s["call"] for s in _Run.of(frames).slips if s["name"] == "to_fahrenheit"]
    told = "The model asked for no conversion."
    if calls:
        told = f"The model asked for {len(calls)}: {', '.join(calls)}."
    return Measured(str(len(calls)), f"{told} Now read its answer, number by number.")


def ending(frames: Frames) -> Measured:
    """How the run ended, as one of four ways."""
    run = _Run.of(frames)
    reason = run.outcome.get("reason", "")
    ways = {"answered": "with an answer", "step limit": "at the limit on rounds"}
    ways |= {"interrupted": "somebody stopped it", "abandoned": "somebody stopped it"}
    return Measured(ways.get(reason, "with an error"), _ended(run))


def treatment(frames: Frames) -> Measured:
    """What the loop did about a call of the model that went wrong."""
    run = _Run.of(frames)
    again, error = len(run.named("retry")), run.outcome.get("error")
    if again and error:
        fact = "ask again, then give up with an error"
        told = f"The loop asked again {_times(again)}, and then gave up."
    elif again:
        fact = "ask the same again"
        told = f"The loop asked the same again {_times(again)}, and went on."
    elif error:
        fact = "end with an error at once"
        told = "The loop ended with an error, without another try."
    else:
        fact = "go on with what came"
        told = "No call of the model failed, and the loop went on with what came."
    return Measured(fact, told)


def runs_of_the_first_reply(frames: Frames) -> Measured:
    """How many slips of the first reply were run."""
    run = _Run.of(frames)
    lines = {place - 1: line for place, line in run.lines}
    back = {lines[e["line"]]["answers"] for e in run.named("tool_return")}
    ran = [number for number in run.first_slips if number in back]
    told = f"Of the first reply {_slips(ran)} run, and {_answered(run)}."
    return Measured(str(len(ran)), told)


def answers_to_the_first_reply(frames: Frames) -> Measured:
    """How many slips of the first reply got an answer of their own."""
    run = _Run.of(frames)
    own = [number for number in run.first_slips if number in run.answers]
    return Measured(str(len(own)), f"Of the first reply, {_answered(run)}.")


def longest_reading(frames: Frames) -> Measured:
    """How many characters the model was read at most in one call."""
    sides = {
        "folder": [line for frame in frames for line in frame["lines"]],
        "aside": [line for frame in frames for line in frame["asides"]],
    }
    lengths = [
        sum(
            len(line["text"])
            for span in reading["spans"]
            for line in sides[span["of"]][span["start"] : span["end"]]
        )
        for frame in frames
        for reading in frame["readings"]
    ]
    most = max(lengths, default=0)
    calls = sum(length > most / 2 for length in lengths)
    steps = ("fewer than 1,000", "1,000 to 10,000", "10,000 to 100,000")
    bounds = zip((1_000, 10_000, 100_000), steps, strict=True)
    fact = next((step for bound, step in bounds if most < bound), "more than 100,000")
    told = f"The longest call was read {most:,} characters"
    return Measured(fact, f"{told}; {_calls(calls)} read more than half of that.")


def first_wrong_line(frames: Frames) -> Measured:
    """The first line in which something is wrong, as far as lines can tell."""
    run = _Run.of(frames)
    ends = {"tool_return": False, "tool_error": True}
    errors = {e["line"] + 1: ends[e["name"]] for e in run.events if e["name"] in ends}
    said = [_said(place, line, errors.get(place)) for place, line in run.lines]
    menus = [reading["menu"] or () for frame in frames for reading in frame["readings"]]
    offered = {tool["name"]: tool for menu in menus for tool in menu}
    heard = [line["text"] for line in run.earlier if line["who"] != "model"]
    heard += [tool["description"] for tool in offered.values()]
    schemas = {
        name: json.loads(tool["parameters"] or "{}") for name, tool in offered.items()
    }
    for wrong in wrong_lines(said, run.question, heard, schemas):
        if wrong.asks is None:
            line = f"line {wrong.place}"
            return Measured(line, f"{line.capitalize()} is the first: {wrong.says}.")
    return Measured("none", "No line of this run shows that something is wrong.")


def _said(place: int, line: Mapping[str, Any], is_error: bool | None) -> Said:
    keys = ("number", "name", "arguments", "call", "problem")
    slips = tuple(Slip(*(slip[key] for key in keys)) for slip in line["slips"])
    return Said(place, line["who"], line["text"], slips, line["answers"], is_error)


def _ended(run: _Run) -> str:
    reason = run.outcome.get("reason", "")
    if reason == "answered":
        return "Then a reply passed no slip, and the run ended with an answer."
    if reason == "step limit":
        rounds = len(run.named("step_start"))
        return f"The limit ended the run after {_count(rounds, 'round')}."
    if reason in ("interrupted", "abandoned"):
        return "Then somebody stopped the run."
    return "The run ended with an error, and without an answer."


def _answered(run: _Run) -> str:
    own = [number for number in run.first_slips if number in run.answers]
    has, whose = ("has", "its") if len(own) == 1 else ("have", "their")
    return f"{_count(len(own), 'slip')} {has} an answer of {whose} own"


def _slips(numbers: Sequence[int]) -> str:
    return f"{_count(len(numbers), 'slip')} {'was' if len(numbers) == 1 else 'were'}"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def _calls(number: int) -> str:
    return "one call was" if number == 1 else f"{number} calls were"


def _times(number: int) -> str:
    return {0: "not once", 1: "once", 2: "twice"}.get(number, f"{number} times")
