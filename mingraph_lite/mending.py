"""An old folder, put in order before it goes on.

What other programs stored, and what a crash left behind, may be a folder that no
provider takes. It is mended once, where it is handed in, and what was done is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import itemgetter
from typing import Final

from mingraph_lite.messages import (
    KINDS,
    NOT_RUN,
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    no_message,
)

__all__: Final = ["checked", "mended"]

type _Slip = tuple[int, int]
"""Where its reply stands in the folder, and which of its calls it is."""

type _Answer = tuple[int, ToolMessage]
"""Where an answer stands in the folder, and what it says."""


def checked(messages: Iterable[Message], taker: str) -> list[Message]:
    """The messages as a list; TypeError, in the name of who takes them, for others."""
    one = isinstance(messages, (str, bytes, Mapping, *KINDS))
    if one or hasattr(messages, "folder") or not isinstance(messages, Iterable):
        raise TypeError(
            f"{taker} takes a list of messages and got {_brief(messages)}. "
            f"{_advice(messages)}"
        )
    said = list(messages)
    for place, thing in enumerate(said):
        if wrong := no_message(thing):
            raise TypeError(
                f"{taker} takes messages; messages[{place}]: {wrong}. {_advice(thing)}"
            )
    return said


def _brief(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _advice(thing: object) -> str:
    """What to do with a thing that is no list of messages, or none of them."""
    if isinstance(thing, str | bytes | Mapping):
        return (
            "What was stored is read by from_openai of mingraph_lite.adapters: "
            "from_openai(dicts), from_openai(json.loads(text))."
        )
    if hasattr(thing, "folder"):
        return "Hand in what a memory holds: memory.folder."
    if isinstance(thing, KINDS) and not no_message(thing):
        return "Put it into a list: [message]."
    return 'A message is made like UserMessage("…") or AssistantMessage("…", (call,)).'


def mended(folder: Iterable[Message]) -> tuple[list[Message], list[str]]:
    """The folder in order, and what was done to it, a sentence each.

    `messages.problems` finds nothing in it but the open slips of a last reply, where a
    paused run goes on. All that user and model said stays, in its order.
    """
    said = list(folder)
    answers, numbers = _answers(said), _numbers(said)
    spoken = [place for place, line in enumerate(said) if _stays(line)]
    lines: list[Message] = []
    for place in spoken:
        line = said[place]
        if isinstance(line, AssistantMessage) and line.tool_calls:
            may_wait = place == spoken[-1]
            lines += _group(line, place, answers, numbers, may_wait)
        else:
            lines.append(line)
    return lines, list(_what_is_done(said, spoken, answers, numbers))


def _stays(line: Message) -> bool:
    """Whether a line keeps its place; an answer goes where its call is."""
    if isinstance(line, AssistantMessage):
        return bool(line.tool_calls or line.content.strip())
    return isinstance(line, UserMessage)


def _group(
    reply: AssistantMessage,
    place: int,
    answers: Mapping[_Slip, _Answer],
    numbers: Mapping[_Slip, str],
    may_wait: bool,
) -> list[Message]:
    """A reply and the answers to its slips, each under the number it has now."""
    calls: list[ToolCall] = []
    found: list[_Answer] = []
    missing: list[Message] = []
    for at, call in enumerate(reply.tool_calls):
        number = numbers[place, at]
        calls.append(replace(call, id=number))
        if answer := answers.get((place, at)):
            line, said = answer
            named = said.name or call.name  # many programs store no name with it
            found.append((line, replace(said, tool_call_id=number, name=named)))
        elif not may_wait:
            missing.append(ToolMessage(NOT_RUN, number, call.name))
    there = [message for _, message in sorted(found, key=itemgetter(0))]
    return [replace(reply, tool_calls=tuple(calls)), *there, *missing]


def _answers(said: Sequence[Message]) -> dict[_Slip, _Answer]:
    """The answer to each slip that has one.

    An answer belongs to the nearest slip before it that waits under its number: many
    programs count anew in each reply. Only one whose number comes later for the first
    time belongs to a slip behind it.
    """
    answers: dict[_Slip, _Answer] = {}
    waiting: dict[str, list[_Slip]] = {}  # under each number, the nearest one last
    early: dict[str, list[_Answer]] = {}
    for place, line in enumerate(said):
        if isinstance(line, AssistantMessage):
            for at, call in reversed([*enumerate(line.tool_calls)]):
                waiting.setdefault(call.id, []).append((place, at))
        elif isinstance(line, ToolMessage):
            slips = waiting.get(line.tool_call_id)
            if slips:
                answers[slips.pop()] = (place, line)
            elif slips is None and line.tool_call_id:
                early.setdefault(line.tool_call_id, []).append((place, line))
    for number, found in early.items():
        answers |= dict(zip(sorted(waiting.get(number, ())), found, strict=False))
    return answers


def _numbers(said: Sequence[Message]) -> dict[_Slip, str]:
    """A number for each slip: its own, unless it has none or an earlier one has it."""
    sent = {
        (place, at): call.id
        for place, line in enumerate(said)
        if isinstance(line, AssistantMessage)
        for at, call in enumerate(line.tool_calls)
    }
    taken, used = {*sent.values()}, {""}
    free = (number for n in count(1) if (number := f"call_{n}") not in taken)
    numbers: dict[_Slip, str] = {}
    for slip, number in sent.items():
        numbers[slip] = next(free) if number in used else number
        used.add(number)
    return numbers


def _what_is_done(
    said: Sequence[Message],
    spoken: Sequence[int],
    answers: Mapping[_Slip, _Answer],
    numbers: Mapping[_Slip, str],
) -> Iterator[str]:
    """What `mended` does to each line of a folder, in words."""
    asked_by = {answer: place for (place, _), (answer, _) in answers.items()}
    stays = {*spoken}
    current = -1  # the line behind which an answer stands where it should
    for place, line in enumerate(said):
        here = f"folder[{place}]"
        current = place if place in stays else current
        match line:
            case ToolMessage(_, id) if place not in asked_by:
                yield f"{here}: an answer to {id!r} dropped: no slip waits for it"
            case ToolMessage(_, id) if asked_by[place] != current:
                yield f"{here}: an answer to {id!r} moved behind its call"
            case SystemMessage():
                yield f"{here}: a system message dropped: an Agent reads out its own"
            case AssistantMessage() if place not in stays:
                yield f"{here}: a reply dropped that has no text and no slip"
            case AssistantMessage():
                for at, call in enumerate(line.tool_calls):
                    number = numbers[place, at]
                    if number != call.id:
                        yield f"{here}: the slip {call.id!r} renumbered {number!r}"
                    if (place, at) not in answers and place != spoken[-1]:
                        yield f"{here}: the slip {number!r} answered {NOT_RUN!r}"
