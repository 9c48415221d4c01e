"""What is said: four kinds of message, and the slips models pass.

The names are the field's. A `ToolCall` is the slip: "run get_weather, city = Paris",
with a ticket number (`id`). A `ToolMessage` is the answer slip with the same number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Final, NoReturn

__all__: Final = [
    "AssistantMessage",
    "Message",
    "ReadOnly",
    "ReadOnlyList",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "UserMessage",
    "read_only",
    "transcript",
]


class ReadOnly(dict[str, Any]):
    """A dict that refuses to be changed; `copy.deepcopy` gives one that can.

    Why not a MappingProxyType? JSON, `copy` and `pickle` refuse one, and it prints as
    something else than the dict that a model sent.
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            f"{dict(self)} is part of the run and cannot be changed. "
            "Change a copy: copy.deepcopy(…)."
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """Copies are plain dicts: a copy was not said by anyone."""
        return dict, (dict(self),)


class ReadOnlyList(list[Any]):
    """A list that refuses to be changed, as `ReadOnly` does."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            f"{list(self)} is part of the run and cannot be changed. "
            "Change a copy: copy.deepcopy(…)."
        )

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        """Copies are plain lists."""
        return list, (list(self),)


def read_only(value: Any, depth: int = 100) -> Any:
    """The same JSON value, refusing to be changed down to a depth no tool asks for.

    Why not a copy for each listener? A listener that changed its copy of a slip or of
    the menu would believe in a run that never was.
    """
    if depth and isinstance(value, Mapping):
        return ReadOnly({k: read_only(item, depth - 1) for k, item in value.items()})
    if depth and isinstance(value, list):
        return ReadOnlyList(read_only(item, depth - 1) for item in value)
    return value


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request by the model to run one tool.

    `id` may be empty when a model sends none; the loop then gives one. `raw` keeps the
    arguments as they were sent where that differs from `arguments`. A call that cannot
    be run as sent says why in `problem`, and is answered with it instead of being run.
    """

    name: str
    arguments: Mapping[str, object]
    id: str = ""
    _: KW_ONLY
    raw: str | None = field(default=None, repr=False)
    problem: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
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
        pairs = (
            f"{key}={json.dumps(value, ensure_ascii=False, default=repr)}"
            for key, value in self.arguments.items()
        )
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
