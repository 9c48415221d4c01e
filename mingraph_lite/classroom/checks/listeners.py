"""Listeners that a learner wrote.

wrong_count(Accounts, right)             a listener with one `hear`
wrong_sheet(Tally)                       one with a method a moment
wrong_beginning(one, other, …)           a number that each counts for itself, from 0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Final

from mingraph_lite.agent import Agent
from mingraph_lite.classroom.checks.announced import SITUATIONS, Said, said_in
from mingraph_lite.classroom.checks.errand_runs import weather_tools
from mingraph_lite.classroom.checks.tallies import wrong_lists
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.classroom.words import count_of, listed
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.llm import LLM
from mingraph_lite.messages import ToolCall
from mingraph_lite.observers import Event, Observer

__all__: Final = [
    "no_listener",
    "wrong_beginning",
    "wrong_count",
    "wrong_sheet",
]

_TWO: Final = "What's the temperature in Paris and in Tokyo, in Fahrenheit?"


def no_listener(kind: Any, name: str, method: str) -> str | None:
    """What is wrong with what should be a class of listeners."""
    if not isinstance(kind, type):
        return f"Hand in the class itself: {name}, without brackets behind it."
    if not callable(getattr(kind, method, None)):
        return f"{kind.__name__} has no {method}: nobody could tell it anything."
    return None


def wrong_beginning(
    two: tuple[Any, Any], what: str, name: str, act: Callable[[Any], object]
) -> str | None:
    """What is wrong with a number that each of two counts for itself, from 0 on."""
    one, other = two
    if not hasattr(one, name):
        return f"{type(one).__name__} has no {name}: who asks for it finds no number."
    first = getattr(one, name)
    amiss = f"At the start {name} is {first!r:.40}; it is a number, and begins at 0."
    if not isinstance(first, int | float):
        return amiss
    act(one)
    if getattr(other, name) != first:
        return f"Two {what} count into the same number: self.{name}, each its own."
    return None if first == 0 else amiss


# One `hear`, which asks what just happened

_EVENTS: Final = ("model_reply", "tool_call", "tool_return", "finish")
_BROUGHT: Final[tuple[object, ...]] = (0, "", [], False, None)
"""What a tool may give, and what an `if` takes for nothing."""


def wrong_count(kind: Any, right: Callable[..., object]) -> str | None:
    """What is wrong with a listener that counts the errands that came back."""
    runs = [said_in(right, situation) for situation in SITUATIONS]
    whole, failed, down = runs[0], runs[3], runs[5]
    listener, beside = kind(), kind()
    two = listener, beside
    if wrong := wrong_beginning(two, "listeners", "errands", partial(_tell, whole)):
        return wrong
    counts = [listener.errands, *(_count(kind, said) for said in (failed, down))]
    wrong = _wrong_number(counts, [said.events for said in (whole, failed, down)])
    if counts == [0, 0, 0]:
        return _misspelt_event(kind) or wrong
    return wrong or _wrong_nothing(kind, whole)


def _misspelt_event(kind: Any) -> str | None:
    """A text in `hear` that looks like an event and is none."""
    texts = getattr(getattr(kind.hear, "__code__", None), "co_consts", ())
    for text in texts:
        if not isinstance(text, str) or text in _EVENTS:
            continue
        if get_close_matches(text, _EVENTS, n=1, cutoff=0.7):
            return (
                f"No event is called {text!r}. The events are "
                f"{listed(map(repr, _EVENTS))}."
            )
    return None


def _wrong_nothing(kind: Any, said: Said) -> str | None:
    """Whether an errand counts that brought what looks like nothing."""
    for value in _BROUGHT:
        told = [
            (event, value if event == "tool_return" else detail, lay)
            for event, detail, lay in said.told
        ]
        if _count(kind, replace(said, told=told)) != said.events.count("tool_return"):
            return (
                f"An errand that brought {value!r} has come back too: count each "
                "'tool_return', whatever its detail is."
            )
    return None


def _wrong_number(counts: list[object], runs: list[list[str]]) -> str | None:
    """What is wrong with what was counted in these runs."""
    if counts == [0, 0, 0]:
        return f"{STILL_THE_STUB}, or it counts nothing: errands stays 0."
    if counts == [run.count("tool_call") for run in runs]:
        return (
            "An errand whose tool failed was begun, and brought nothing back. Count "
            "the event 'tool_return'."
        )
    for words, events in (
        ("every announcement", _EVENTS),
        (
            "'tool_call' and 'tool_return', each errand twice",
            ("tool_call", "tool_return"),
        ),
        ("all but 'tool_return'", ("model_reply", "tool_call", "finish")),
        ("'model_reply'", ("model_reply",)),
        ("'finish'", ("finish",)),
    ):
        if counts == [sum(map(run.count, events)) for run in runs]:
            return f"It counts {words}. An errand has come back at 'tool_return'."
    for run, count in zip(runs, counts, strict=True):
        if count != (wanted := run.count("tool_return")):
            return (
                f"Of {count_of(len(run), 'announcement')}, {wanted} were "
                f"'tool_return', and errands is {count!r}."
            )
    return None


def _tell(said: Said, listener: Any) -> None:
    for event, detail, _ in said.told:
        listener.hear(event, detail)


def _count(kind: Any, said: Said) -> object:
    listener = kind()
    _tell(said, listener)
    return listener.errands


# One method a moment, on the package's agent


def wrong_sheet(kind: Any) -> str | None:
    """What is wrong with a listener that keeps the tally of lesson 02."""
    if not isinstance(kind, type):
        return "Hand in the class itself: Tally, without brackets behind it."
    if not issubclass(kind, Observer):
        return f"{kind.__name__} is no Observer: class {kind.__name__}(Observer)."
    if wrong := _wrong_parameters(kind):
        return wrong
    for words, llm, failing in (
        ("With two cities", ReadingLLM(), {}),
        ("With one slip in a reply", ReadingLLM(slips=1), {}),
        ("With a tool that fails", ReadingLLM(), {"Tokyo": TimeoutError("down")}),
    ):
        if wrong := _wrong_run(kind, llm, failing):
            whole = wrong.startswith((STILL_THE_STUB, "No announcement"))
            return wrong if whole else f"{words}: {wrong}"
    return None


_METHODS: Final = tuple(f"on_{event}" for event in _EVENTS)
"""Those of the moments that a lesson has spoken of; an Observer has more."""


def _wrong_parameters(kind: Any) -> str | None:
    """What is wrong with the parameters of a method, each named as a detail."""
    for name, method in vars(kind).items():
        ours = vars(Observer).get(name) if name.startswith("on_") else None
        if ours is None or name == "on_event" or not inspect.isfunction(method):
            continue
        details = list(inspect.signature(ours).parameters)[1:]
        own = list(inspect.signature(method).parameters.values())
        if not own or own[0].name in details:
            return f"{name} has no self: def {name}(self, …)."
        for one in own[1:]:
            free = one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
            if not free and one.default is one.empty and one.name not in details:
                that = "that" if len(details) == 1 else "one of these"
                return (
                    f"{name} is handed {listed(details)}: call the parameter {that}, "
                    f"and not {one.name}."
                )
    return None


class _Heeded(Observer):
    """Passes on what it hears, and keeps the first error instead of losing it."""

    def __init__(self, listener: Any) -> None:
        self._listener = listener
        self.error: Exception | None = None

    def on_event(self, event: Event) -> None:
        """Let the learner's listener hear it."""
        try:
            self._listener.on_event(event)
        except Exception as error:
            self.error = self.error or error


def _wrong_run(kind: Any, llm: LLM, failing: Mapping[str, Exception]) -> str | None:
    listener, beside, right = kind(), kind(), _Sheet()
    heeded = _Heeded(listener)
    tools = weather_tools(failing, Spy())
    agent = Agent(llm, tools, "", observers=[right, heeded])
    with suppress(TimeoutError):
        agent.run(_TWO)
    if heeded.error is not None:
        raise heeded.error
    sheet = getattr(listener, "sheet", None)
    if not isinstance(sheet, dict):
        return f"its sheet is {sheet!r:.40}, and a dict is wanted."
    if any(_lists(beside.sheet)):
        return "two tallies write on the same sheet: make it in __init__."
    wrong = _wrong_entries(sheet, right)
    return wrong and (_misspelt(kind) or wrong)


def _misspelt(kind: Any) -> str | None:
    """A method that no announcement calls, and that looks as if one should."""
    for name, method in vars(kind).items():
        near = get_close_matches(name, _METHODS, n=1, cutoff=0.7)
        if not inspect.isfunction(method) or hasattr(Observer, name):
            continue
        if near:
            return f"No announcement calls {name}. Did you mean {near[0]}?"
        if name == "hear" or name.startswith("on_"):
            return (
                f"No announcement calls {name}. An Observer has one method a moment, "
                f"of its name: {listed(_METHODS)}."
            )
    return None


def _lists(sheet: dict[str, Any]) -> Iterator[Any]:
    return (sheet.get(key) for key in ("turns", "tool_calls", "results"))


def _wrong_entries(sheet: dict[str, Any], right: _Sheet) -> str | None:
    wanted = ("turns", "tool_calls", "results", "answer", "reason")
    lacking = [key for key in wanted if key not in sheet]
    if lacking:
        return f"the sheet says nothing under {listed(map(repr, lacking))}."
    if sheet["turns"] == 0:
        return (
            f"{STILL_THE_STUB}, or no turn is counted: after {right.turns} replies "
            "turns is 0."
        )
    if sheet["turns"] != right.turns:
        return (
            f"the model replied {count_of(right.turns, 'time')}, and the sheet says "
            f"turns: {sheet['turns']!r}."
        )
    if sheet["tool_calls"] == [] == sheet["results"]:
        return f"after {count_of(len(right.calls), 'errand')} both lists are empty."
    calls, results = len(sheet["tool_calls"]), len(sheet["results"])
    if results == len(right.calls) < len(right.begun) == calls:
        return (
            "an errand that failed has a call on the sheet and no result, so the lists "
            "slip out of step. Take both from on_tool_return."
        )
    if wrong := wrong_lists(sheet, right.calls, right.values):
        return wrong
    if (sheet["answer"], sheet["reason"]) != right.end:
        said = sheet["answer"], sheet["reason"]
        return f"it ended with {right.end!r:.60}, and the sheet says {said!r:.60}."
    return None


class _Sheet(Observer):
    """What a right tally has."""

    def __init__(self) -> None:
        self.turns = 0
        self.begun: list[ToolCall] = []
        self.calls: list[ToolCall] = []
        self.values: list[object] = []
        self.end: tuple[object, object] = (None, None)

    def on_model_reply(self, response: object) -> None:
        self.turns += 1

    def on_tool_call(self, call: ToolCall) -> None:
        self.begun.append(call)

    def on_tool_return(self, call: ToolCall, value: object, message: object) -> None:
        self.calls.append(call)
        self.values.append(value)

    def on_finish(self, answer: str | None, reason: str) -> None:
        self.end = answer, reason
