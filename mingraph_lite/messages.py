"""What is said: four kinds of message, and the slips models pass.

The names are the field's. A `ToolCall` is the slip: "run get_weather, city = Paris",
with a ticket number (`id`). A `ToolMessage` is the answer slip with the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final

from mingraph_lite.schema.frozen import ReadOnly, read_only
from mingraph_lite.schema.inside import UNSEEN
from mingraph_lite.schema.jsonable import write_json

__all__: Final = [
    "KINDS",
    "NOT_RUN",
    "AssistantMessage",
    "Extra",
    "Message",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "UserMessage",
    "no_message",
    "open_slips",
    "problems",
    "transcript",
]


@dataclass(frozen=True, slots=True)
class Extra:
    """What a server wants back with a call or a message.

    `sent` goes back to the `address` it came from, and to no other: a signature, say,
    that only that server understands.
    """

    address: str
    sent: Mapping[str, object] = field(hash=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.address, str) and isinstance(self.sent, Mapping)):
            raise TypeError(
                f"An Extra got {self.address!r:.80} and {self.sent!r:.80}. It holds "
                "the address of a server and a dict of what that server sent."
            )
        object.__setattr__(self, "sent", read_only(self.sent))


def _check_extra(extra: object) -> None:
    if extra is not None and not isinstance(extra, Extra):
        raise TypeError(
            f"The extra is {extra!r:.80}. It is an Extra(address, sent), or None."
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request by the model to run one tool.

    `id` may be empty when a model sends none; the loop then gives one. `raw` keeps the
    arguments as they were sent where that differs from `arguments`. A call that cannot
    be run as sent says why in `problem`, and is answered with it instead of being run.
    `extra` is for the server that sent the call, and for no reader.
    """

    name: str
    arguments: Mapping[str, object] = field(hash=False)  # they may hold anything
    id: str = ""
    _: KW_ONLY
    raw: str | None = field(default=None, repr=False)
    problem: str | None = field(default=None, repr=False)
    extra: Extra | None = field(
        default=None, repr=False, compare=False, metadata=UNSEEN
    )

    def __post_init__(self) -> None:
        _check_extra(self.extra)
        if type(self.arguments) is ReadOnly:
            return  # the arguments of another slip, which gets a new number here
        if not isinstance(self.arguments, Mapping):
            raise TypeError(
                f"The arguments of {self.name} are {self.arguments!r}. "
                'A slip names them: ToolCall("get_weather", {"city": "Paris"}).'
            )
        # Card, folder and listeners hold the same slip: none may change it for all.
        object.__setattr__(self, "arguments", read_only(self.arguments))

    def __str__(self) -> str:
        pairs = (f"{key}={write_json(value)}" for key, value in self.arguments.items())
        return f"{self.name}({', '.join(pairs)})"


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """What the model is told about its job, before all else."""

    content: str


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person asks."""

    content: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model said: text, slips, or both."""

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    _: KW_ONLY
    extra: Extra | None = field(
        default=None, repr=False, compare=False, metadata=UNSEEN
    )

    def __post_init__(self) -> None:
        _check_extra(self.extra)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one call, under the same number."""

    content: str
    tool_call_id: str
    name: str


type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


def transcript(folder: Iterable[Message]) -> list[Message]:
    """The folder with its ids renumbered, so that two runs can be compared.

    Ids become "#1", "#2", … in the order in which they first appear.
    """
    numbers: dict[str, str] = {}

    def renumbered(id: str) -> str:
        return numbers.setdefault(id, f"#{len(numbers) + 1}")

    lines: list[Message] = []
    for message in folder:
        match message:
            case AssistantMessage(tool_calls=calls):
                calls = tuple(replace(call, id=renumbered(call.id)) for call in calls)
                lines.append(replace(message, tool_calls=calls))
            case ToolMessage(tool_call_id=id):
                lines.append(replace(message, tool_call_id=renumbered(id)))
            case _:
                lines.append(message)
    return lines


def open_slips(folder: Iterable[Message]) -> list[ToolCall]:
    """The slips of a folder that have no answer, in order."""
    slips: dict[str, ToolCall] = {}
    for message in folder:
        if isinstance(message, AssistantMessage):
            slips |= {call.id: call for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            slips.pop(message.tool_call_id, None)
    return list(slips.values())


_END: Final = object()
KINDS: Final = (SystemMessage, UserMessage, AssistantMessage, ToolMessage)
NOT_RUN: Final = "not run: stopped"
"""The answer to a slip that nobody has run."""


def problems(folder: Iterable[Message]) -> list[str]:
    """What providers refuse in a folder, a sentence each; an empty list is in order.

    Each slip has a number of its own, and its answer before anything else is said.
    The answers to one reply may come in any order. Why not also ask for a user message
    first? A folder may begin with a greeting, and hardly a provider minds.
    """
    found: list[str] = []
    numbers: set[str] = set()
    answered: set[str] = set()
    waiting: list[str] = []  # the slips of the last reply that have no answer yet
    asked = 0  # and where it stands
    for place, message in enumerate((*folder, _END)):  # at its end nothing waits either
        here = f"folder[{place}]"
        wrong = None if message is _END else no_message(message)
        if wrong:
            found.append(f"{here}: {wrong}.")
        if isinstance(message, ToolMessage):
            if wrong:
                continue
            id = message.tool_call_id
            if id in waiting:
                waiting.remove(id)
                answered.add(id)
            elif id in answered:
                found.append(f"{here}: the slip {id!r} is answered a second time.")
            else:
                found.append(f"{here}: no slip just before has the number {id!r}.")
            continue
        found += [f"folder[{asked}]: the slip {id!r} has no answer." for id in waiting]
        waiting = []
        if isinstance(message, AssistantMessage) and not wrong:
            asked, waiting = place, [call.id for call in message.tool_calls]
            found += [f"{here}: {fault}" for fault in _faults(message, numbers)]
            numbers.update(waiting)
        elif isinstance(message, SystemMessage) and place:
            found.append(f"{here}: a system message stands first or nowhere.")
    return found


def no_message(thing: object) -> str | None:
    """Why a thing cannot stand in a folder, or None where it can."""
    if not isinstance(thing, KINDS):
        return f"a {type(thing).__name__} is no message"
    if wrong := _no_text(thing, "content"):
        return f"its {wrong}"
    if isinstance(thing, ToolMessage) and (
        wrong := _no_text(thing, "tool_call_id") or _no_text(thing, "name")
    ):
        return f"its {wrong}"
    if isinstance(thing, AssistantMessage):
        calls: object = thing.tool_calls
        if not isinstance(calls, Sequence) or not all(map(_is_call, calls)):
            return f"its tool_calls are {calls!r}, which are no ToolCalls"
        for call in calls:
            if wrong := _no_text(call, "id") or _no_text(call, "name"):
                return f"of a call the {wrong}"
    return None


def _no_text(thing: object, name: str) -> str | None:
    value = getattr(thing, name)
    return None if isinstance(value, str) else f"{name} is {value!r}, which is no text"


def _is_call(thing: object) -> bool:
    return isinstance(thing, ToolCall)


def _faults(reply: AssistantMessage, numbers: set[str]) -> Iterator[str]:
    """What is wrong with a reply by itself, after slips with these numbers."""
    if not reply.tool_calls and not reply.content.strip():
        yield "the reply says nothing: it has no text and no slip."
    ids = [call.id for call in reply.tool_calls]
    for place, id in enumerate(ids):
        if not id:
            yield "a slip has no number."
        elif id in numbers or id in ids[:place]:
            yield f"the number {id!r} is used a second time."
