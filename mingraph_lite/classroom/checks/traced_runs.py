"""Runs in traces, and what a learner's rule finds in their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mingraph_lite.agent import Agent
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.errors import StepLimitReached
from mingraph_lite.lab.scenarios import (
    already_fahrenheit,
    convert_slip,
    get_weather,
    never_satisfied,
    one_by_one,
    paris_and_tokyo,
    to_fahrenheit,
    weather_slip,
)
from mingraph_lite.lab.wrong_runs import play_wrong_runs
from mingraph_lite.llm import Reply, ScriptedLLM
from mingraph_lite.messages import ToolCall
from mingraph_lite.trace import TraceRecorder, read_trace

__all__: Final = ["lines_of", "wrong_end", "wrong_first_line"]

type _Lines = Sequence[Mapping[str, Any]]

_KILLED: Final = "a killed run"


def _one_city(
    *script: Reply,
    question: str = "How warm is it in Paris, in Fahrenheit?",
    lookup: Callable[[str], str] = get_weather,
) -> Callable[[TraceRecorder], None]:
    def play(recorder: TraceRecorder) -> None:
        tools: list[Callable[..., object]] = [lookup, to_fahrenheit]
        agent = Agent(ScriptedLLM(script), tools, "", observers=[recorder])
        agent.run(question)

    return play


def _with_its_unit() -> Callable[[str], str]:
    def get_weather(city: str) -> str:
        """The temperature in a city."""
        return "18°C"

    return get_weather


def _with_a_dead_tool(recorder: TraceRecorder) -> None:
    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        raise TimeoutError("the weather service is down")

    agent = Agent(ScriptedLLM([_PARIS]), [get_weather], "", observers=[recorder])
    with suppress(TimeoutError):
        agent.run("How warm is it in Paris?")


_PARIS: Final = weather_slip(1, "Paris")
_PLAYS: Final[Mapping[str, Callable[[TraceRecorder], None]]] = {
    "a good run": lambda one: _play(paris_and_tokyo, one),
    "a good run, one by one": lambda one: _play(one_by_one, one),
    "Tokyo's": lambda one: _play(already_fahrenheit, one),
    "asks for ever": lambda one: _play(never_satisfied, one),
    "one city": _one_city(_PARIS, convert_slip(2, 18), "64°F, from 18°C."),
    "one city, with its unit": _one_city(
        _PARIS, convert_slip(2, 18), "64°F, from 18°C.", lookup=_with_its_unit()
    ),
    "a number in the question": _one_city(
        convert_slip(1, 18), "That is 64°F.", question="What is 18°C in Fahrenheit?"
    ),
    "a part of a number": _one_city(_PARIS, "It is 8°F in Paris."),
    "one city, wrong": _one_city(_PARIS, "It is 65°F in Paris."),
    "a lucky guess": _one_city(
        convert_slip(1, 18), weather_slip(2, "Paris"), "It is 64°F in Paris."
    ),
    "no tool at all": _one_city("It is 70°F in Paris."),
    "a dead tool": _with_a_dead_tool,
    "a slip and a wrong reply": _one_city(
        ToolCall("to_fahrenheit", {"celsius": 30}, "call_1"), "It is 90°F."
    ),
}


def _play(scenario: Any, recorder: TraceRecorder) -> None:
    with suppress(StepLimitReached):
        scenario.agent(observers=[recorder]).run(scenario.question)


def lines_of(name: str) -> _Lines:
    """The lines of a run, by its name; "run-2" is the second that ends wrong.

    A rule may change what it is handed, so each time they are fresh.
    """
    return deepcopy(_recorded(name))


@cache
def _recorded(name: str) -> _Lines:
    with TemporaryDirectory() as folder:
        path = Path(folder, "runs.jsonl")
        recorder = TraceRecorder(path, run_id="run", clock=lambda: 0.0, now=lambda: 0.0)
        if name in _PLAYS:
            _PLAYS[name](recorder)
            return read_trace(path).run("run").lines
        play_wrong_runs(recorder)
        return read_trace(path).run(name).lines


def wrong_end(never_finished: Callable[[_Lines], Any]) -> str | None:
    """What is wrong with a rule that tells whether a run came to no answer."""
    ends: Sequence[tuple[str, _Lines, bool]] = (
        ("A run that answered", lines_of("a good run"), False),
        ("A run that a limit stopped", lines_of("asks for ever"), True),
        ("A run that was killed in its middle", _killed(14), True),
        ("A run that was killed behind its last reply", _killed(-2), True),
        ("A run that a tool's error ended", lines_of("a dead tool"), True),
        ("A wrong answer, but an answer", lines_of("Tokyo's"), False),
        ("A short run that answered", lines_of("no tool at all"), False),
        ("A run whose answer is an empty text", _answered_nothing(), False),
    )
    said = [_asked(never_finished, lines) for _, lines, _ in ends]
    if said == [None] * len(ends):
        return f"{STILL_THE_STUB}, or a return is missing: it hands back nothing."
    for (what, _, wanted), one in zip(ends, said, strict=True):
        if isinstance(one, str):
            return f"{what}: {one}"
        if bool(one) != wanted:
            says = "finished" if wanted else "did not"
            return f"{what}: your rule says that it {says}."
    return None


def _answered_nothing() -> _Lines:
    *before, last = lines_of("no tool at all")
    return [*before, {**last, "answer": ""}]


def _asked(rule: Callable[[_Lines], Any], lines: _Lines) -> Any:
    try:
        said = rule(lines)
    except KeyError as error:
        return f"its last line has no {error.args[0]!r}. .get gives None there."
    return f"it says {said!r}, and True or False was asked." if _is_odd(said) else said


def _is_odd(said: object) -> bool:
    return said is not None and not isinstance(said, bool | int)


def wrong_first_line(first_wrong: Callable[[_Lines], Any]) -> str | None:
    """What is wrong with a rule that gives the first wrong line, and its case."""
    # The slip of a good run that converts what get_weather has said:
    if first_wrong(lines_of("a good run")) in ((18, 1), [18, 1]):
        says = "a slip converts 18, which a tool has said in line 10, and your rule"
        if first_wrong(lines_of("no tool at all")) is None:
            return f"{STILL_THE_STUB}, or nothing is heard: {says} calls that wrong."
        return (
            f"A good run: {says} calls that wrong. Does heard hold what every "
            "tool_return has said?"
        )
    for what, lines, wanted in _wanted():
        if wrong := _wrong_find(first_wrong(lines), what, wanted, lines):
            return wrong
    return None


type _Find = tuple[int, int] | None


def _wanted() -> Sequence[tuple[str, _Lines, _Find]]:
    killed = _killed(14)
    return (
        ("A good run", lines_of("a good run"), None),
        ("A good run that asks one by one", lines_of("a good run, one by one"), None),
        ("A good run for one city", lines_of("one city"), None),
        (
            "A good run whose tool says 18°C, a number with its unit",
            lines_of("one city, with its unit"),
            None,
        ),
        (
            "The question says 18, and a slip converts it",
            lines_of("a number in the question"),
            None,
        ),
        _case("A reply says 76, which no tool has said", "run-3", 3),
        _case("A reply says 65, which no tool has said", "one city, wrong", 3),
        _case("A reply says 8, and what was heard is 18", "a part of a number", 3),
        _case("A reply says 70, and no tool was run", "no tool at all", 3),
        _case("A slip asks to convert a 10 that nobody has said", "run", 1),
        _case("A slip says 18 before any tool has said it", "a lucky guess", 1),
        _case(
            "A slip says 30, which nobody has said, and later a reply says 90",
            "a slip and a wrong reply",
            1,
        ),
        _case("A tool fails, and later a reply says 68", "run-2", 2),
        _case("A tool's error ends the run", "a dead tool", 2),
        _case("A limit stops the run", "asks for ever", 4),
        ("A run is killed in its middle", killed, (killed[-1]["seq"], 4)),
        (
            "Each number was said by a tool, so no program can tell",
            lines_of("Tokyo's"),
            None,
        ),
    )


def _killed(at: int) -> _Lines:
    return lines_of("a good run")[:at]


def _case(what: str, name: str, case: int) -> tuple[str, _Lines, _Find]:
    lines = lines_of(name)
    return what, lines, (_line_of(lines, case), case)


def _line_of(lines: _Lines, case: int) -> int:
    """The line of a case, in the runs of this file."""
    replies = [int(line["seq"]) for line in lines if line["event"] == "model_reply"]
    errors = [int(line["seq"]) for line in lines if line["event"] == "tool_error"]
    last = int(lines[-1]["seq"])
    return {1: replies[0], 2: (errors or [0])[0], 3: replies[-1], 4: last}[case]


def _wrong_find(got: Any, what: str, wanted: _Find, lines: _Lines) -> str | None:
    if got is None and wanted is None:
        return None
    if wanted is None:
        return f"{what}: there is nothing to find, and your rule says {_said(got)}."
    line, case = wanted
    if got is None:
        whose = " (That is never_finished, exercise 3.)" if case == 4 else ""
        says = f"that is line {line}, case {case}, and your rule finds nothing."
        return f"{what}: {says}{whose}"
    if not isinstance(got, tuple | list) or len(got) != 2:
        return f"{what}: it hands back {got!r:.40}. Hand back both: line['seq'], case."
    if [str(part) for part in got] != [str(part) for part in wanted]:
        return f"{what}: that is line {line}, case {case}, and not {_said(got)}."
    return None


def _said(got: Any) -> str:
    if isinstance(got, tuple | list) and len(got) == 2:
        return f"line {got[0]}, case {got[1]}"
    return repr(got)
