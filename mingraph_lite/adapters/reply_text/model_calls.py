"""Calls in notations that one family of models writes."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mingraph_lite.adapters.reply_text.call_texts import Read
from mingraph_lite.adapters.strict_json import Body, NotJSON, next_value

__all__: Final = ["read_gemma_calls", "read_keyed_calls"]

_GEMMA: Final = re.compile(r"\s*call:(?P<name>[\w.:-]{1,80})\s*(?=\{)")
_TEXT_MARK: Final = re.compile(r"<escape>|<\|\"\|>")
_KEY: Final = re.compile(r"(?<=[{,])\s*([A-Za-z_][\w-]*)\s*:")


def read_gemma_calls(text: str, closed: bool) -> Read:
    """`call:` and the name, then bare keys and texts between marks of their own."""
    named = _GEMMA.match(text)
    if named is None:
        return None
    end = re.compile(r"<end_function_call>|<tool_call\|>").search(text, named.end())
    stop = end.start() if end else len(text)
    parts = _TEXT_MARK.split(text[named.end() : stop])
    written = "".join(
        json.dumps(part) if place % 2 else _KEY.sub(r'"\1":', part)
        for place, part in enumerate(parts)
    )
    try:
        arguments, length = next_value(written, 0)
    except NotJSON:
        return None
    if written[length:].strip():
        return None
    return [{"function": {"name": named["name"], "arguments": arguments}}], stop


def read_keyed_calls(text: str, closed: bool) -> Read:
    """A list of objects, each with the tool's name as its one key."""
    at = len(text) - len(text.lstrip())
    try:
        value, end = next_value(text, at)
    except NotJSON:
        return None
    listed = value if isinstance(value, list) else [value]
    calls = [call for entry in listed for call in _keyed(entry)]
    return (calls, end) if calls and len(calls) == len(listed) else None


def _keyed(entry: Any) -> list[Body]:
    if not isinstance(entry, dict) or len(entry) != 1:
        return []
    ((name, arguments),) = entry.items()
    if not isinstance(arguments, dict):
        return []
    return [{"function": {"name": name, "arguments": arguments}}]
