"""Whether a learner's loop is right, on models that differ.

`loop_by_hand` takes one without a limit, `whole_loop` one that also ends by itself.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, Final

from mingraph_lite.classroom.checks.loops import LoopRun, NeverEnough, watch, wrong_with
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.numbers import numbers_in
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.lab.scenarios import get_weather, to_fahrenheit, weather_slip
from mingraph_lite.llm import LLM, LLMResponse, ScriptedLLM
from mingraph_lite.messages import AssistantMessage, Message, UserMessage

__all__: Final = ["NO_FUNCTION", "loop_by_hand", "no_limit", "whole_loop"]

_TOOLS: Final = (get_weather, to_fahrenheit)
_TWO: Final = UserMessage("What's the weather in Paris and in Tokyo, in Fahrenheit?")
_THREE: Final = UserMessage(
    "What's the weather in Paris, in Tokyo and in Oslo, in Fahrenheit?"
)
_NINE_CALLS: Final = UserMessage(
    "What's the weather in Paris, Tokyo, Oslo, Rome, Lima and Quito, in Fahrenheit?"
)
_READINGS: Final = {18, 24, 64, 75}
"""What the tools give for Paris and Tokyo."""
_STOPPED: Final = re.compile(
    r"(?i)stop|limit|end|after|enough|gave up|give up|no\b|not\b|n't\b|too|only|so far"
    r"|call|turn|round|time|max|until|without"
)
"""Words for having stopped: with one of them a reading is what came so far."""
NO_FUNCTION: Final = "Hand in the function itself, without brackets behind its name."


def _talks_and_asks() -> ScriptedLLM:
    """A model that says something beside its slip."""
    slip = AssistantMessage("Let me look.", (weather_slip(1, "Paris"),))
    return ScriptedLLM([LLMResponse(slip), "18 degrees."])


def _good_runs() -> list[tuple[LLM, Sequence[Message]]]:
    """Models and folders with which a loop comes to an answer."""
    earlier: list[Message] = [
        UserMessage("What's the weather in Paris?"),
        AssistantMessage("Paris: 18"),
        UserMessage("And what's the weather in Tokyo?"),
    ]
    return [
        (ReadingLLM(slips=1), [_TWO]),
        (ReadingLLM(), [_TWO]),
        (ReadingLLM(slips=2), [_THREE]),
        (ReadingLLM(), [_THREE]),
        (ReadingLLM(slips=1), [_NINE_CALLS]),
        (_talks_and_asks(), [UserMessage("What's the weather in Paris?")]),
        (ReadingLLM(), earlier),
    ]


def loop_by_hand(answer: Any) -> str | None:
    """What is wrong with a loop that has no limit, or None."""
    if not callable(answer):
        return NO_FUNCTION
    for llm, folder in _good_runs():
        run = watch(answer, llm, _TOOLS, folder)
        if len(run.said) < 2 and run.answer is None and run.folder == run.start:
            return f"{STILL_THE_STUB}: it asks once, and hands back nothing."
        if wrong := wrong_with(run):
            return wrong
    return None


def whole_loop(answer: Any) -> str | None:
    """What is wrong with a loop that has its limit, or None."""
    if not callable(answer):
        return NO_FUNCTION
    if wrong := no_limit(answer):
        return wrong
    run = watch(answer, ReadingLLM(slips=1), _TOOLS, [_TWO], limit=10)
    if not run.said and run.answer is None:
        return f"{STILL_THE_STUB}: it asks nobody, and hands back nothing."
    return wrong_with(run) or _counts_its_calls(answer) or _other_runs(answer)


def no_limit(answer: Any) -> str | None:
    """A sentence where it cannot be called with a limit, or without one."""
    try:
        takes = inspect.signature(answer).parameters
    except ValueError:  # one that is written in C, as int is
        return "Hand in a function of your own, written with def."
    own = takes.get("limit")
    passed_on = any(one.kind is one.VAR_KEYWORD for one in takes.values())
    if (own is None and not passed_on) or (own and own.default is own.empty):
        return "It takes no limit of its own: def loop(llm, tools, folder, limit=10)."
    return None


def _other_runs(answer: Any) -> str | None:
    for llm, folder in _good_runs():
        if wrong := wrong_with(watch(answer, llm, _TOOLS, folder, limit=9)):
            return wrong
    return None


def _counts_its_calls(answer: Any) -> str | None:
    """What is wrong at the limit: with an answer just in time, and with none."""
    for limit in (3, 1):
        try:
            run = watch(answer, NeverEnough(), _TOOLS, [_TWO], limit=limit)
        except Exception as error:
            # Whatever a learner raises at the limit on purpose.
            if type(error) in (NameError, TypeError, AttributeError):
                raise
            return _raises(error)
        if run.has_no_end:
            return f"With limit={limit} it never stops: nothing counts the calls."
        if len(run.said) != limit:
            return (
                f"With limit={limit} it makes {_calls(len(run.said))}, when the model "
                "never stops asking."
            )
        if run.folder[-1] == run.said[-1]:
            return (
                "At the limit the last slips have no answer: give up after the "
                "errands, not before them."
            )
        if wrong := wrong_with(run, ended_by_limit=True):
            return wrong
        if wrong := _no_text_of_its_own(run):
            return wrong
    run = watch(answer, ReadingLLM(), _TOOLS, [_TWO], limit=3)
    if run.answer != run.said[-1].content:
        return "With limit=3 the third reply may still be the answer: hand it back."
    if watch(answer, NeverEnough(), _TOOLS, [_TWO]).has_no_end:
        return "Without a limit handed in it never stops: give limit a default."
    return None


def _no_text_of_its_own(run: LoopRun) -> str | None:
    """What is wrong with what came back at the limit: it is no answer of anybody."""
    said = run.answer
    if not isinstance(said, str) or not said.strip():
        return (
            f"At the limit it hands back {said!r:.60}: let it be a text that says so."
        )
    if said == run.said[-1].content:
        return "At the limit it hands back what the model said last, as an answer."
    if said in run.gave.values():
        return f"At the limit it hands back {said!r}, which a tool gave, as an answer."
    if _READINGS & {*numbers_in(said)} and not _STOPPED.search(said):
        return (
            f"At the limit it hands back {said!r:.60}, as if that were the answer: let "
            "it say that it stopped."
        )
    return None


def _raises(error: Exception) -> str:
    return (
        f"At the limit it raises {type(error).__name__}. Lesson 05 goes there; for now "
        "hand back a text."
    )


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"
