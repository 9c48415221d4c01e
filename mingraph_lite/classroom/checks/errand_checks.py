"""What is wrong with errands, in one sentence.

Why so many kinds of failure? A tool raises what it likes, and errands that know one
kind by name leave slips open at the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from mingraph_lite.classroom.checks.answer_words import (
    wrong_failed,
    wrong_not_run,
    wrong_to_mend,
)
from mingraph_lite.classroom.checks.errand_runs import (
    READINGS,
    Done,
    Errands,
    errands_of,
    failures,
    slips,
)
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.words import count_of
from mingraph_lite.errors import ModelMistake
from mingraph_lite.messages import ToolCall, ToolMessage, no_message

__all__: Final = ["in_turn", "wrong_errands"]

_BAD: Final = ToolCall("get_weather", {"town": "Paris"}, "call_8")
_UNKNOWN: Final = ToolCall("get_wether", {"city": "Rome"}, "call_9")
_TO_MEND: Final = {_BAD.id: "city|town|arg|param", _UNKNOWN.id: "tool|name|get_w|menu"}
"""A word that says what is wrong with each of these slips."""


def wrong_errands(errands: Errands, most: int = 3) -> str | None:
    """What is wrong with errands that run up to so many slips; None where they do."""
    for calls, failing in _cases(most):
        done = errands_of(errands, calls, failing)
        wrong = next(_faults(done), None)
        if wrong and _is_theirs(done):
            assert done.raised is not None
            raise done.raised
        if wrong:
            return wrong
    return _wrong_with_ctrl_c(errands)


def _cases(most: int) -> Iterator[tuple[tuple[ToolCall, ...], dict[str, Exception]]]:
    good = slips("Paris", "Tokyo", "Rome")
    first = [("Tokyo", failure) for failure in failures()]
    if most == 1:
        yield good[:1], {}
        yield from ((good[1:2], {city: error}) for city, error in first[:1])
        yield (_BAD,), {}
        yield (_UNKNOWN,), {}
        yield from ((good[1:2], {city: error}) for city, error in first[1:])
        return
    yield good, {}
    yield from ((good, {city: error}) for city, error in first)
    yield (_BAD, *good[:2], _UNKNOWN), {}
    yield (_BAD, *good), {"Tokyo": failures()[0]}
    yield good, dict(zip(["Tokyo", "Rome"], failures(), strict=False))
    yield good, {"Paris": failures()[0]}
    yield good[:1], {"Paris": failures()[0]}


def _is_theirs(done: Done) -> bool:
    """Whether it raised something that no tool raised, before anything was done."""
    return (
        done.raised is not None
        and done.raised is not done.failure
        and not isinstance(done.raised, ModelMistake)
        and not done.told
        and not done.ran
    )


def _faults(done: Done) -> Iterator[str]:
    """The mistakes, those first from which others follow."""
    if not done.told and not done.ran and done.raised is None:
        yield f"{STILL_THE_STUB}: nothing was run, and nobody was told."
    if done.folder[: len(done.start)] != done.start:
        yield "What stood in the folder before is gone. It only grows: append."
    for thing in done.told:
        if not isinstance(thing, ToolMessage):
            kind = type(thing).__name__
            yield f"In the folder lies a {kind}; an answer slip is a ToolMessage."
        elif wrong := no_message(thing):
            yield f"An answer slip cannot be read out: {wrong}."
    yield from _raising(done)
    yield from _running(done)
    yield from _numbers(done)
    yield from _leaving(done)
    yield from _words(done)


def _raising(done: Done) -> Iterator[str]:
    """Who was not told, or told of what never happened."""
    raised, kind = done.raised, type(done.raised).__name__
    if done.failure is None and isinstance(raised, ModelMistake):
        yield (
            f"A bad slip ends the run with {kind}. The model can mend it: answer the "
            "slip, and go on."
        )
    if done.failure is None and raised is not None:
        yield (
            f"No tool failed, and it raised {kind}: {raised}. Raise only where there "
            "is something to raise."
        )
    if done.failure is not None and raised is None:
        name = type(done.failure).__name__
        yield f"The tool raised {name}, and the caller heard nothing of it."


def _leaving(done: Done) -> Iterator[str]:
    """Whether the caller gets the tool's own error."""
    if done.failure is not None and done.raised is not done.failure:
        name, kind = type(done.failure).__name__, type(done.raised).__name__
        yield (
            f"The tool raised {name}, and the caller gets {kind}: {done.raised}. Hand "
            "on the tool's own error."
        )


def _running(done: Done) -> Iterator[str]:
    cities = [str(c.arguments["city"]) for c in done.calls if c not in (_BAD, _UNKNOWN)]
    at = next((n for n, city in enumerate(cities, 1) if city in done.failing), None)
    wanted, ran = cities[:at], done.ran
    twice = [city for city in ran if ran.count(city) > 1]
    if twice:
        yield f"The errand for {twice[0]} ran {ran.count(twice[0])} times, not once."
    if ran != wanted and ran[: len(wanted)] == wanted:
        yield f"Errands after the failure are not run; these ran: {', '.join(ran)}."
    if ran != wanted and sorted(ran) == sorted(wanted):
        yield f"{', '.join(ran)} ran, in this order: keep the order of the slips."
    if ran != wanted:
        left = ", ".join(city for city in wanted if city not in ran)
        yield (
            f"{', '.join(ran) or 'No errand'} ran, and {left or 'no other'} should "
            "have: nothing before it had failed."
        )


def _numbers(done: Done) -> Iterator[str]:
    """Whether each slip has one answer, in the order of the slips."""
    told = [message.tool_call_id for message in done.told]
    wanted = [call.id for call in done.calls]
    open_ones = [number for number in wanted if number not in told]
    strange = [number for number in told if number not in wanted]
    if strange:
        yield f"An answer has the number {strange[0]!r}, and no slip has it: call.id."
    name = type(done.failure).__name__
    twice = [number for number in told if told.count(number) > 1]
    if open_ones and twice:
        yield (
            f"{told.count(twice[0])} answers have the number {twice[0]!r}, and "
            f"{open_ones[0]!r} has none: each slip's answer has its own."
        )
    if open_ones and done.failure is not None and len(done.calls) == 1:
        yield f"The tool raised {name}, and its slip has no answer."
    if open_ones and done.failure is not None:
        yield (
            f"The tool raised {name}, and {len(wanted) - len(open_ones)} of "
            f"{len(wanted)} slips have an answer when it leaves."
        )
    if open_ones:
        call = next(call for call in done.calls if call.id == open_ones[0])
        yield f"The slip {call} has no answer."
    if len(told) > len(wanted):
        yield f"{len(told)} answers for {count_of(len(wanted), 'slip')}: one each."
    if told != wanted:
        yield f"The answers are for {', '.join(told)}: keep the order of the slips."


def _words(done: Done) -> Iterator[str]:
    """What is wrong with what the answer slips say."""
    told = {message.tool_call_id: message for message in done.told}
    fallen = False  # whether an errand before this one has failed
    for call in done.calls:
        said, failure = told[call.id].content, done.failed(call)
        if told[call.id].name != call.name:
            yield f"On an answer stands {told[call.id].name!r}; the tool: {call.name}."
        if fallen:
            wrong = wrong_not_run(call, said, len(done.calls))
        elif failure or call in (_BAD, _UNKNOWN):
            wrong = wrong_failed(call, said, failure)
            wrong = wrong or wrong_to_mend(call, said, _TO_MEND.get(call.id, ""))
        else:
            gave = str(READINGS[str(call.arguments["city"])])
            wrong = f"{call} gave {gave}, and its answer says {said!r}."
            wrong = "" if said == gave else wrong
        fallen = fallen or failure is not None
        if wrong:
            yield wrong


def _wrong_with_ctrl_c(errands: Errands) -> str | None:
    stopped = KeyboardInterrupt()
    done = errands_of(errands, slips("Tokyo"), {"Tokyo": stopped})
    if done.raised is stopped:
        return None
    if done.raised is not None:
        return (
            "Somebody stops the run while a tool runs (Ctrl-C raises "
            f"KeyboardInterrupt), and {type(done.raised).__name__} comes out in its "
            "place. Let it pass as it is."
        )
    return (
        "Somebody stops the run while a tool runs (Ctrl-C raises KeyboardInterrupt), "
        "and it goes on. Catch Exception: it leaves that one alone."
    )


def in_turn(run_slip: Callable[[Any, Any, Any], object]) -> Errands:
    """Errands out of a function that runs a single slip."""

    def errands(tools: Any, calls: Sequence[ToolCall], folder: Any) -> None:
        for call in calls:
            run_slip(tools, call, folder)

    return errands
