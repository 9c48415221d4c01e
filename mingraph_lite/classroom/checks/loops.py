"""What a learner's loop did in one run, and what is wrong.

    run = watch(loop, ReadingLLM(), [get_weather], [UserMessage("…")], limit=3)
    run.answer, run.said, run.folder
    wrong_with(run)      None, or one sentence

Why not compare the answer alone? A loop can come to the right answer and leave a
folder behind that no provider takes, or run each errand twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mingraph_lite.classroom.spies import Spy
from mingraph_lite.errors import LineCut
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.llm import LLM, LLMResponse
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    no_message,
    problems,
)

__all__: Final = ["LoopRun", "NeverEnough", "watch", "wrong_with"]

_WHOLE: Final = re.compile(r"(?<=\d)\.0(?=[,)])")
"""A tool that takes a number gets 18 as 18.0; the slip said 18."""


@dataclass
class LoopRun:
    """What happened in one run of a loop.

    `start` is the folder as it was handed in, `folder` the same one afterwards.
    """

    start: list[Message]
    folder: list[Any]
    heard: list[list[Message]]
    menus: list[Sequence[Any]] = field(default_factory=list)
    said: list[AssistantMessage] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    gave: dict[str, str] = field(default_factory=dict)
    answer: object = None
    has_no_end: bool = False

    @property
    def passed(self) -> list[ToolCall]:
        """The slips that the model passed, in order."""
        return [call for reply in self.said for call in reply.tool_calls]


class NeverEnough(ReadingLLM):
    """A model that passes one more slip, whatever it has heard."""

    def generate(self, messages: Sequence[Message], menu: Any = ()) -> LLMResponse:
        """Pass the first slips again, under new numbers."""
        reply = super().generate(messages[:1], menu).message
        numbered = enumerate(reply.tool_calls, start=1)
        slips = [replace(call, id=f"call_{self.calls}_{n}") for n, call in numbered]
        return LLMResponse(AssistantMessage("One more.", tuple(slips)))


def watch(
    loop: Callable[..., object],
    llm: LLM,
    functions: Sequence[Callable[..., Any]],
    folder: Sequence[Message],
    **limit: int,
) -> LoopRun:
    """Run a loop, and note what it did; a model without an end is cut off."""
    spy, handed_in = Spy(), list(folder)
    run = LoopRun(list(folder), handed_in, spy.heard, spy.menus, spy.said)
    try:
        run.answer = loop(spy.model(llm), spy.tools(*functions), handed_in, **limit)
    except LineCut:
        run.has_no_end = True
    run.ran = [_WHOLE.sub("", errand) for errand in spy.ran]
    run.gave = dict(zip(run.ran, map(str, spy.gave), strict=False))
    return run


def wrong_with(run: LoopRun, *, ended_by_limit: bool = False) -> str | None:
    """What is wrong with a run, in one sentence; None where it is whole."""
    return next(_faults(run, ended_by_limit), None)


def _faults(run: LoopRun, ended_by_limit: bool) -> Iterator[str]:
    """The mistakes, those first from which others follow."""
    yield from _asking(run)
    if not ended_by_limit:
        yield from _ending(run)
    yield from _replies(run)
    yield from _errands(run)
    yield from _answers(run)
    if problems(run.folder) and not problems(run.start):
        yield (
            "An answer stands in the folder before the reply that passed its slip: "
            "append the reply first."
        )
    if len(run.folder) != len(run.start) + len(run.said) + len(run.passed):
        yield (
            "The folder holds more than was said: the question, each reply, and one "
            "answer for each slip."
        )
    if run.has_no_end:
        yield f"The model was asked {len(run.said)} times, and there was no end."
    if not ended_by_limit:
        yield from _handing_back(run)


def _asking(run: LoopRun) -> Iterator[str]:
    if not run.said:
        yield "The model that was handed in is never asked: llm.generate(…)."
        return
    if not run.menus[0]:
        yield "The model is asked without the menu: llm.generate(folder, tools.menu())."
    for number, heard in enumerate(run.heard, start=1):
        if any(message not in heard for message in run.start):
            yield (
                f"At call {number} the question is not read out: read out the whole "
                "folder, each time."
            )
    if run.folder == run.start and len(run.heard[-1]) > len(run.start):
        yield (
            "The messages went into another list. Whoever handed in the folder finds "
            "nothing new in it: append to folder itself."
        )


def _ending(run: LoopRun) -> Iterator[str]:
    if any(not reply.tool_calls for reply in run.said[:-1]):
        yield (
            "The model is asked again after a reply without slips: its tool_calls are "
            "(). That reply was the answer."
        )
    last = run.said[-1]
    if last.tool_calls and not run.has_no_end:
        if last.content:
            yield (
                "A reply can hold a text and slips. It ends the loop only if it passes "
                "no slip."
            )
        calls = "1 call" if len(run.said) == 1 else f"{len(run.said)} calls"
        yield (
            f"It ended after {calls}, though the last reply passed slips. The model "
            "decides how many rounds there are."
        )


def _replies(run: LoopRun) -> Iterator[str]:
    for message in run.folder:
        if isinstance(message, ToolMessage) and not isinstance(message.content, str):
            yield "An answer slip holds no text: put str(…) around what the tool gave."
        if wrong := no_message(message):
            yield f"In the folder lies something that cannot be read out: {wrong}."
    for number, reply in enumerate(run.said, start=1):
        times = run.folder.count(reply)
        if times > run.said.count(reply) + run.start.count(reply):
            yield f"Reply {number} is {times} times in the folder. Once is enough."
        if times:
            continue
        if reply.tool_calls:
            yield (
                f"The folder lacks reply {number}, the one that passed "
                f"{reply.tool_calls[0]}: append it."
            )
        yield "The folder lacks the last reply: append it before you hand it back."


def _errands(run: LoopRun) -> Iterator[str]:
    passed = [str(call) for call in run.passed]
    for reply in run.said:
        slips = [str(call) for call in reply.tool_calls]
        for slip in slips:
            if run.ran.count(slip) < passed.count(slip):
                if slip != slips[0] and slips[0] in run.ran:
                    first = (
                        "Only the first slip"
                        if slip == slips[1]
                        else f"Only the first {slips.index(slip)} slips"
                    )
                    were = "was" if slip == slips[1] else "were"
                    yield f"{first} of a reply {were} run: {slip} was not."
                yield f"{slip} was passed, and never run with tools.run(call)."
    for errand in run.ran:
        if run.ran.count(errand) > passed.count(errand):
            times = run.ran.count(errand)
            yield f"{errand} was run {times} times: run it once for each slip."


def _answers(run: LoopRun) -> Iterator[str]:
    answers = [m for m in run.folder if isinstance(m, ToolMessage)]
    numbers = {call.id for call in run.passed}
    for call in run.passed:
        own = [m for m in answers if m.tool_call_id == call.id]
        strange = [m for m in answers if m.tool_call_id not in numbers]
        if not own and strange and not run.start.count(strange[0]):
            yield (
                f"An answer has the number {strange[0].tool_call_id!r}, and no slip "
                "has it: the answer takes its slip's number, call.id."
            )
        if not own:
            yield f"The folder lacks the answer to {call}: append a ToolMessage."
        elif len(own) > 1:
            yield f"{call} was answered {len(own)} times in the folder."
        elif own[0].content != run.gave[str(call)]:
            yield (
                f"Under the number of {call} stands something else than what the tool "
                "gave for it."
            )
        elif own[0].name != call.name:
            yield f"The answer to {call} has the name {own[0].name!r}: take call.name."


def _handing_back(run: LoopRun) -> Iterator[str]:
    said = run.said[-1].content
    if run.answer is None:
        yield "It hands back nothing: return the text of the last reply."
    elif isinstance(run.answer, AssistantMessage | LLMResponse):
        yield "It hands back the whole reply: the answer is its text, reply.content."
    elif run.answer != said:
        yield f"It hands back {run.answer!r:.60}, not the text of the last reply."
