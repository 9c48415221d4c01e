"""Texts that are a call as a whole, without a tag.

JSON in an answer may be anything, so such a text is a call only where it holds nothing
else and names a tool that is on the menu.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from mingraph_lite.adapters.reply_text.call_texts import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    as_call,
    python_calls,
)
from mingraph_lite.adapters.strict_json import (
    Body,
    NotJSON,
    brief,
    next_value,
    opens_too_many_levels,
)
from mingraph_lite.llm import Menu
from mingraph_lite.schema.tool_names import bare_name, plain_name

__all__: Final = [
    "ONE_AT_A_TIME",
    "Found",
    "bare_calls",
    "is_on_menu",
    "is_one_json",
    "unreadable",
    "without_fence",
]

ONE_AT_A_TIME: Final = (
    "the reply holds more than one action. Send one, and the next when its result is "
    "there."
)


@dataclass(frozen=True, slots=True)
class Found:
    """A call as servers send it, or why it cannot run."""

    entry: Body
    problem: str | None = None
    raw: str | None = None

    @property
    def name(self) -> str:
        """The name that the model wrote, for a sentence."""
        sent = self.entry["function"].get("name")
        name = bare_name(sent)[0] if isinstance(sent, str) else ""
        return " ".join(name.split()) or "no tool"


def unreadable(name: str | None, text: str) -> Found:
    """A call of which no more than the name can be read."""
    problem = (
        f"the call came as text that cannot be read: {brief(text)}. "
        "Send it again, its arguments as one JSON object."
    )
    return Found({"function": {"name": name}}, problem, text)


_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})[^\s`]*\s")
_BETWEEN: Final = re.compile(r"[\s;,]*")
_BEGUN: Final = re.compile(
    rf'[\[\s]*\{{\s*"(?:{"|".join(NAME_KEYS)})"\s*:\s*"([^"]{{1,80}})"\s*'
    rf'(?:$|,\s*(?:$|"(?:{"|".join(ARGUMENT_KEYS)})?))'
)
_LISTED_AS: Final = ("tool_calls", "tool_call", "function_call")
_CALL_KEYS: Final = {*NAME_KEYS, *ARGUMENT_KEYS, "id", "type"}
_PYTHON: Final = re.compile(r"\[\s*[A-Za-z_]\w*\(")


def without_fence(text: str) -> str:
    """The text, or what stands in the one fence around all of it."""
    text = text.strip()
    if (fence := _FENCE.match(text)) and text.endswith(fence[1]):
        inside = text[fence.end() : -len(fence[1])].strip()
        return text if fence[1] in inside else inside
    return text


def is_one_json(text: str) -> bool:
    """Whether a text is one JSON object or list, as a whole."""
    values = _values(without_fence(text))
    return values is not None and len(values) == 1


def bare_calls(text: str, menu: Menu) -> list[Found] | None:
    """The call that a text is as a whole, if its tool is on the menu; else None.

    Several are one call that cannot be run: which comes first may decide the others.
    What begins as a call and is no whole object cannot be run either.
    """
    text = without_fence(text)
    if not text.startswith(("{", "[")):
        return None
    values = _values(text)
    calls = _python(text) if values is None else [_as_call(v) for v in _flat(values)]
    if calls is None:
        return _begun(text, menu)
    named = [Found(call) for call in calls if call and _is_on(menu, call)]
    if not named or len(named) < len(calls):
        return None
    if len(named) == 1:
        return named
    return [Found({"function": {"name": named[0].name}}, ONE_AT_A_TIME, text)]


def _values(text: str) -> list[Any] | None:
    """The objects and lists that a text is, one behind the other."""
    if not text.startswith(("{", "[")) or opens_too_many_levels(text):
        return None
    values, at = [], 0
    while at < len(text):
        if text[at] not in "{[":
            return None
        try:
            value, end = next_value(text, at)
        except NotJSON:
            return None
        values.append(value)
        between = _BETWEEN.match(text, end)
        at = between.end() if between else end
    return values


def _flat(values: list[Any]) -> list[Any]:
    """Each object; a list stands for what it holds, also under `tool_calls`."""
    flat = []
    for value in values:
        if isinstance(value, dict) and len(value) == 1:
            value = next((value[k] for k in _LISTED_AS if k in value), value)
        flat += value if type(value) is list else [value]
    return flat


def _as_call(value: Any) -> Body | None:
    """A call with nothing beside it: a tool's entry on the menu looks like one."""
    inner = value.get("function", value) if isinstance(value, dict) else None
    inner = inner if isinstance(inner, dict) else value
    if not isinstance(inner, dict) or set(inner) - _CALL_KEYS:
        return None
    if sum(key in inner for key in ARGUMENT_KEYS) != 1:
        return None
    return as_call(value, needs_arguments=True)


def _python(text: str) -> list[Body | None] | None:
    calls = python_calls(text) if _PYTHON.match(text) and text[-1] == "]" else None
    return None if calls is None else [*calls]


def _is_on(menu: Menu, call: Body) -> bool:
    return is_on_menu(menu, call["function"].get("name"))


def is_on_menu(menu: Menu, name: object) -> bool:
    """Whether a name is that of one tool on the menu, whatever clings to it."""
    names = [str(entry["function"]["name"]) for entry in menu]
    if not isinstance(name, str):
        return False
    return name in names or [*map(plain_name, names)].count(plain_name(name)) == 1


def _begins_whole(text: str) -> bool:
    """Whether a whole value stands at the start, and other words behind it."""
    if opens_too_many_levels(text):
        return False
    try:
        next_value(text, 0)
    except NotJSON:
        return False
    return True


def _begun(text: str, menu: Menu) -> list[Found] | None:
    """A call that breaks off, or is no JSON from some place on."""
    begun = _BEGUN.match(text)
    if begun is None or not is_on_menu(menu, begun[1]) or _begins_whole(text):
        return None
    return [unreadable(begun[1], text)]
