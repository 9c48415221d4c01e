"""From what a server calls a tool call to a `ToolCall`.

A call that can be read only by guessing is not run. It carries a `problem`, in words
for the model, so that it is answered and the model can send it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mingraph_lite.adapters.server_wants.beside import SIGNATURE_KEYS, beside_call
from mingraph_lite.adapters.strict_json import (
    DoubledKey,
    NotJSON,
    brief,
    doubled_key,
    first_object,
    has_unsafe_number,
    read_json,
    too_deep,
)
from mingraph_lite.endings import CUT_SLIP
from mingraph_lite.messages import ToolCall
from mingraph_lite.schema.jsonable import jsonable, valid_text, write_json
from mingraph_lite.schema.tool_names import bare_name

__all__: Final = [
    "OPENS_AN_OBJECT",
    "InDoubt",
    "legal_name",
    "read_tool_calls",
    "unknown_keys",
]

_NAMELESS: Final = "unnamed_tool"
_KNOWN_KEYS: Final = {
    *("name", "arguments", "id", "type", "index", "description"),
    *SIGNATURE_KEYS,
}
OPENS_AN_OBJECT: Final = re.compile(r'\{\s*["}]')
"""Finds a second object, whole or not, behind a first one."""

_WRAPPING: Final = re.compile(r"(?:\s|```\w*|</?[|\w.-]+>)*+")
"""A fence, or tags, around what is meant: nothing that says anything."""

_NOTATION: Final = re.compile(r"""["=\\]|:\s*+\S""")
"""What stands in front of an object that is a part of something, and not in prose."""

_GOES_ON: Final = re.compile(r"""\s*+[,:"']|[^"]*+"\s*+:""")
"""How a text goes on behind an object that was closed too early."""


class InDoubt(dict[str, Any]):
    """A function whose arguments may be its own, or another's."""


def read_tool_calls(
    sent: object, *, cut_off: bool = False
) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """The calls of one reply, each with an id of its own, and notes about them.

    In a reply that was cut off every call has a problem: the last one may look whole
    and still be half of what the model meant.
    """
    entries = sent if isinstance(sent, list) else [sent] if sent else []
    calls: list[ToolCall] = []
    notes: list[str] = []
    for entry in entries:
        call, beside = _read_tool_call(entry)
        calls.append(replace(call, problem=CUT_SLIP) if cut_off else call)
        notes.extend(beside)
    return _with_ids(calls), tuple(notes)


def legal_name(name: object) -> str:
    """The name in letters, digits, _ and -: providers refuse messages with another.

    Spaces, the "functions." that some models put in front and control tokens are
    dropped; each other illegal character becomes "_".
    """
    bare, _ = bare_name(name if isinstance(name, str) else "")
    return re.sub(r"[^a-zA-Z0-9_-]", "_", bare)[:64] or _NAMELESS


def _read_tool_call(entry: object) -> tuple[ToolCall, list[str]]:
    outer: dict[str, Any] = entry if isinstance(entry, dict) else {}
    # A few servers leave the "function" envelope away and send name and arguments bare.
    function = outer.get("function", outer)
    function = function if isinstance(function, dict) else {}
    named = function.get("name")
    name = legal_name(named)
    bare, cut = bare_name(named if isinstance(named, str) else "")
    read = _read_arguments(function.get("arguments"))
    if isinstance(function, DoubledKey):
        problem = _doubled_key_problem("the call holds", function.key)
        read = replace(read, problem=problem)
    elif isinstance(function, InDoubt):
        read = replace(read, problem=_doubt_problem(function["arguments"]))
    elif misplaced := _misplaced_arguments(outer, function):
        read = replace(read, problem=misplaced)
    if name != bare:
        read = replace(read, problem=_name_problem(bare))
    id = outer.get("id")
    as_sent_differs = read.problem or read.left_out
    call = ToolCall(
        name,
        {} if read.problem else read.value,
        valid_text(id).strip() if isinstance(id, str) else "",
        raw=_raw_arguments(function.get("arguments")) if as_sent_differs else None,
        problem=read.problem,
        extra=beside_call(outer),
    )
    notes = [f"The name {name} came with {brief(cut)}, which was cut off."] * bool(cut)
    if read.left_out:
        words = f"Text around the arguments of {name} was left out"
        notes.append(f"{words}: {read.left_out}.")
    return call, notes


def unknown_keys(function: Mapping[str, Any]) -> list[str]:
    """Which keys of a call hold something, and are none that a call has."""
    return [key for key in function if key not in _KNOWN_KEYS and function[key]]


def _misplaced_arguments(
    outer: Mapping[str, Any], function: Mapping[str, Any]
) -> str | None:
    """What is wrong with a call that has no arguments, and something in their stead.

    To run the tool on nothing would be a guess, and to take whatever is there as the
    arguments would be another.
    """
    if function.get("arguments") is not None:
        return None
    if found := unknown_keys(function):
        names = ", ".join(brief(key, 40) for key in found[:12])
        return (
            f'the call holds no "arguments", but {names}. '
            'Send the arguments under the name "arguments".'
        )
    if function is not outer and outer.get("arguments"):
        return (
            'the "arguments" stand beside the function. Send them inside it, next to '
            "its name."
        )
    return None


def _doubled_key_problem(what_holds: str, key: str) -> str:
    return (
        f"{what_holds} the key {brief(key, 40)} twice in one object, and which of the "
        "two is meant cannot be known. Send it once."
    )


def _doubt_problem(came: str) -> str:
    return (
        "the call came in pieces, and whether these are its arguments cannot be known: "
        f"{brief(came)}. Send it again, with all its arguments."
    )


def _name_problem(bare: str) -> str:
    if not bare:
        return "the call names no tool. Send it again with the tool's exact name."
    return (
        f"the call named {brief(bare)}, which cannot be a tool's name. "
        "Send it again with the tool's exact name."
    )


def _raw_arguments(arguments: object) -> str | None:
    if arguments is None or isinstance(arguments, str):
        return arguments and valid_text(arguments)
    try:
        return valid_text(json.dumps(arguments, ensure_ascii=False))
    except ValueError:
        # Python writes no number of more than 4300 digits.
        return write_json(arguments)


def _with_ids(calls: list[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls with ids that differ; a good id stays as it came.

    Answers are matched to calls by id, and some servers send none, or one for all.
    """
    sent = {call.id for call in calls}
    used: set[str] = set()
    numbered, free = [], 0
    for place, call in enumerate(calls, start=1):
        id = call.id
        if not id or id in used:
            # Every number from this place up to the last one given is taken.
            free = max(free + 1, place)
            while (id := f"call_{free}") in sent or id in used:
                free += 1
        used.add(id)
        numbered.append(replace(call, id=id))
    return tuple(numbered)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """What was made of the arguments as they were sent."""

    value: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None
    left_out: str | None = None


def _read_arguments(sent: object) -> _Arguments:
    """The arguments of one call: an object, the text of one, or nothing at all.

    Text around one complete object (a code fence, a word of prose) is left out with a
    note. Two objects are a problem, and so is an object that may be a part of broken
    arguments: running on either would be a guess. An empty one counts only where
    nothing but a fence or a tag is around it. What is no JSON (Python's quotes, a comma
    too many, an empty fence) is never mended.
    """
    if isinstance(sent, str) and sent.strip():
        return _arguments_from_text(sent)
    # Servers send "", null, or no key for a tool without parameters. PHP writes an
    # empty object as [].
    if sent is None or sent == [] or isinstance(sent, str):
        return _Arguments()
    return _arguments_from_value(sent)


def _arguments_from_text(text: str) -> _Arguments:
    try:
        value = read_json(text)
    except NotJSON:
        return _arguments_among_words(text)
    # Some servers encode twice: a text that holds the text of an object.
    if isinstance(value, str):
        return _arguments_among_words(value) if value.strip() else _Arguments()
    return _read_arguments(value)


def _arguments_among_words(text: str) -> _Arguments:
    found = first_object(text)
    if found is None or not _stands_alone(*found):
        return _Arguments(
            problem=f"the arguments are not valid JSON: {brief(text)}. "
            "Send one JSON object."
        )
    before, value, after = found
    if OPENS_AN_OBJECT.search(after):
        return _Arguments(
            problem="the arguments hold more than one JSON object. "
            "Send each in a call of its own."
        )
    read = _arguments_from_value(value)
    around = (before + after).strip()
    if read.problem or not around:
        return read
    return replace(read, left_out=brief(around))


def _stands_alone(before: str, value: dict[str, Any], after: str) -> bool:
    """Whether an object is all that was meant, or a part of broken arguments."""
    if _WRAPPING.fullmatch(before) and _WRAPPING.fullmatch(after):
        return True
    if OPENS_AN_OBJECT.search(after):
        return True  # two objects: told so
    if not value or _NOTATION.search(before) or _GOES_ON.match(after):
        return False
    return not (before.strip() and after[:1].isalnum())


def _arguments_from_value(value: object) -> _Arguments:
    if not isinstance(value, dict):
        kind = {list: "a list", bool: "true or false"}.get(type(value), "a number")
        return _Arguments(
            problem=f"the arguments are {kind}. Send one JSON object, "
            'such as {"name": "value"}.'
        )
    if too_deep(value):
        return _Arguments(problem="the arguments are nested too deep. Send them flat.")
    if (key := doubled_key(value)) is not None:
        return _Arguments(problem=_doubled_key_problem("the arguments hold", key))
    if has_unsafe_number(value):
        return _Arguments(
            problem="the arguments hold NaN, Infinity or a number too large for JSON. "
            "Send finite numbers."
        )
    return _Arguments(jsonable(value))
