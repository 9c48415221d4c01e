"""What a loop does at its limit, and with a dead tool.

    wrong_at_the_limit(NoAnswer, loop)      None, or one sentence
    wrong_when_it_fails(loop)

Why ask a second question? A folder with an open slip looks whole until somebody goes on
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mingraph_lite.agent import Agent
from mingraph_lite.classroom.checks.errand_runs import failures, weather_tools
from mingraph_lite.classroom.checks.left_behind import GONE, wrong_left
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.patience import NoEnd
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.classroom.words import count_of
from mingraph_lite.errors import ModelMistake, ScriptExhausted
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.lab.scenarios import get_weather, never_satisfied, to_fahrenheit
from mingraph_lite.llm import LLM, LLMResponse, ScriptedLLM
from mingraph_lite.messages import (
    Message,
    ToolCall,
    UserMessage,
    open_slips,
    problems,
)

__all__: Final = ["no_exception", "wrong_at_the_limit", "wrong_when_it_fails"]

_QUESTION: Final = "What's the temperature in Paris and in Tokyo, in Fahrenheit?"
_NEXT: Final = "And how warm is it in Rome?"

type _Loop = Callable[..., object]


@dataclass
class _Run:
    """One run of a learner's loop, and how it ended."""

    spy: Spy
    folder: list[Any]
    answer: object = None
    raised: BaseException | None = None

    @property
    def calls(self) -> int:
        """How often the model was called."""
        return len(self.spy.heard)


def _run_of(
    loop: _Loop,
    llm: LLM,
    folder: Sequence[Message],
    failing: Mapping[str, BaseException] | None = None,
    **limit: int,
) -> _Run:
    """Let a loop run on this folder, with a tool that fails for some cities."""
    spy = Spy()
    run = _Run(spy, list(folder))
    tools = weather_tools(failing or {}, spy)
    try:
        run.answer = loop(spy.model(llm), tools, run.folder, **limit)
    except NoEnd:
        raise
    except Exception as error:
        run.raised = error
    return run


def no_exception(kind: object) -> str | None:
    """What is wrong with the class that is raised where there is no answer."""
    if isinstance(kind, type) and issubclass(kind, Exception):
        if kind.__module__ != "builtins":
            return None
        return (
            f"{kind.__name__} is a class that Python has already, and it fits every "
            "failure. Make one of your own: class NoAnswer(Exception)."
            if kind is Exception
            else f"{kind.__name__} is a class that Python has already, and a tool may "
            "raise it. Make one of your own: class NoAnswer(Exception)."
        )
    return "NoAnswer is a class made from Exception: class NoAnswer(Exception)."


def wrong_at_the_limit(no_answer: Any, loop: _Loop) -> str | None:
    """What is wrong with a loop that is to raise at its limit; None where it does."""
    return (
        _wrong_good_run(no_answer, loop)
        or _wrong_short_run(no_answer, loop)
        or _wrong_own_limit(no_answer, loop)
    )


def _wrong_good_run(no_answer: Any, loop: _Loop) -> str | None:
    agent = Agent(ReadingLLM(), [get_weather, to_fahrenheit], "")
    wanted = agent.run(_QUESTION)["answer"]
    for slips, enough in ((9, 3), (1, 5)):
        run = _run_of(
            loop, ReadingLLM(slips=slips), [UserMessage(_QUESTION)], limit=enough
        )
        if isinstance(run.raised, no_answer) and run.calls < enough:
            return f"It gives up after {run.calls} of the {enough} calls it may make."
        if run.raised is not None and run.calls < enough:
            raise run.raised
        if run.raised is not None:
            return (
                f"With limit={enough}, reply {enough} is the answer, and it raises "
                f"{type(run.raised).__name__}."
            )
        if not run.calls:
            return f"{STILL_THE_STUB}: the model is never asked."
        if len(run.folder) < 2:
            return (
                "The folder that was handed in is as it was: append to it, and make no "
                "folder of your own."
            )
        twice = [ran for ran in run.spy.ran if run.spy.ran.count(ran) > 1]
        if twice:
            return f"{twice[0]} ran {run.spy.ran.count(twice[0])} times for one slip."
        if run.answer != wanted:
            return f"On a good run it ends with {run.answer!r}, and not {wanted!r}."
        if found := problems(run.folder):
            return f"A good run leaves this behind: {found[0]}"
    return None


def _wrong_short_run(no_answer: Any, loop: _Loop) -> str | None:
    run = _run_of(loop, ReadingLLM(slips=1), [UserMessage(_QUESTION)], limit=2)
    name = type(run.raised).__name__
    if isinstance(run.answer, BaseException) or run.answer is no_answer:
        return "At the limit it hands NoAnswer back, like an answer. Raise it."
    if run.raised is None and run.calls > 2:
        return f"With limit=2 it calls the model {run.calls} times. Who counts?"
    if run.raised is None and run.answer is None:
        return (
            f"{STILL_THE_STUB}, or as good as: at the limit it hands back None, and "
            "says nothing."
        )
    if run.raised is None:
        return f"At the limit it hands back {run.answer!r}, which passes for an answer."
    if not isinstance(run.raised, no_answer):
        return f"At the limit it raises {name}, and NoAnswer was asked for."
    if run.calls != 2:
        return f"With limit=2 it calls the model {run.calls} times, and gives up."
    if left := open_slips(run.folder):
        return f"At the limit it leaves the slip {left[0]} without an answer."
    # The last reply may be left out: its slips would have no answer.
    return wrong_left([UserMessage(_QUESTION)], run.folder, run.calls - 1)


def _wrong_own_limit(no_answer: Any, loop: _Loop) -> str | None:
    asked = [UserMessage(never_satisfied.question)]
    run = _run_of(loop, never_satisfied.llm(), asked)
    if isinstance(run.raised, ScriptExhausted):
        return "Without a limit= it never stops: def …(llm, tools, folder, limit=10)."
    if run.raised is not None and not isinstance(run.raised, no_answer):
        raise run.raised
    if run.raised is not None:
        return _wrong_without_limit(no_answer, loop)
    return "Without a limit= it ends in another way than with one."


def _wrong_without_limit(no_answer: Any, loop: _Loop) -> str | None:
    run = _run_of(loop, ReadingLLM(), [UserMessage(_QUESTION)])
    if isinstance(run.raised, no_answer):
        return (
            f"Without a limit= it gives up after {count_of(run.calls, 'call')}, before "
            "the answer: def …(llm, tools, folder, limit=10)."
        )
    return None


def wrong_when_it_fails(loop: _Loop) -> str | None:
    """What is wrong with a loop whose tool fails, or whose model errs."""
    return (
        _wrong_mistake(loop)
        or _wrong_failure(loop)
        or _wrong_ctrl_c(loop)
        or _wrong_model(loop)
    )


def _wrong_mistake(loop: _Loop) -> str | None:
    good = ToolCall("get_weather", {"city": "Paris"}, "call_2")
    for bad in (
        ToolCall("get_weather", {"town": "Paris"}, "call_1"),
        ToolCall("get_wether", {"city": "Paris"}, "call_1"),
    ):
        llm = ScriptedLLM([bad, good, "It is 18 degrees."])
        run = _run_of(loop, llm, [UserMessage("How warm is it in Paris?")])
        if isinstance(run.raised, ModelMistake):
            return (
                f"The model passed {bad}, and the run ended. It can mend that: answer "
                "the slip, and go on."
            )
        if run.raised is not None:
            raise run.raised
        if run.answer != "It is 18 degrees.":
            return f"After a slip that was mended it ends with {run.answer!r}."
        if found := problems(run.folder):
            return f"After a slip that was mended the folder is not whole: {found[0]}"
    return None


def _wrong_failure(loop: _Loop) -> str | None:
    for city in ("Paris", "Tokyo"):
        for failure in failures():
            run = _run_of(loop, ReadingLLM(), [UserMessage(_QUESTION)], {city: failure})
            name = type(failure).__name__
            if run.raised is None:
                return (
                    f"The tool raised {name}, and the caller of the loop gets "
                    f"{run.answer!r}."
                )
            if run.raised is not failure:
                kind = type(run.raised).__name__
                return f"The tool raised {name}, and the loop's caller gets {kind}."
            if run.calls != 1:
                return f"After {name} the model was called again: {run.calls} calls."
            if wrong := _wrong_next(loop, run.folder):
                return wrong
            if wrong := wrong_left([UserMessage(_QUESTION)], run.folder, run.calls):
                return f"After {name}: {wrong}"
    return None


def _wrong_ctrl_c(loop: _Loop) -> str | None:
    stopped = KeyboardInterrupt()
    try:
        run = _run_of(loop, ReadingLLM(), [UserMessage(_QUESTION)], {"Paris": stopped})
    except KeyboardInterrupt:
        return None
    came = type(run.raised).__name__ if run.raised else repr(run.answer)
    return (
        "Somebody stops the run while a tool runs (Ctrl-C raises KeyboardInterrupt), "
        f"and the loop's caller gets {came}. Let it pass as it is."
    )


class _Down:
    """A model whose server cannot be reached."""

    def generate(self, *_: object) -> LLMResponse:
        raise ConnectionError("the model's server is down")


def _wrong_model(loop: _Loop) -> str | None:
    run = _run_of(loop, _Down(), [UserMessage(_QUESTION)])
    if run.raised is not None:
        return None
    return (
        "The model's server is down (ConnectionError), and the loop's caller gets "
        f"{run.answer!r}, which passes for an answer."
    )


def _wrong_next(loop: _Loop, folder: Sequence[Any]) -> str | None:
    """What is wrong with a folder that a failed run left behind."""
    run = _run_of(loop, ReadingLLM(), [*folder, UserMessage(_NEXT)])
    if run.raised is not None:
        raise run.raised
    if list(run.folder[: len(folder)]) != list(folder):
        return GONE
    if "Rome: 21" in str(run.answer) and not problems(run.folder):
        return None
    found = problems(folder) or [""]
    return (
        "After a failed run the next question is asked on the same folder. The model "
        f"says: {run.answer} {found[0]}"
    ).strip()
