"""Names of calls that cannot be read as a whole."""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.adapters.reply_text.call_texts import read_named_calls
from mingraph_lite.adapters.reply_text.notation import Notation

__all__: Final = ["is_per_function", "name_in"]

_PER_FUNCTION: Final = re.compile(
    r"<(?:[｜|]DSML[｜|])?(?:function[= (/]|invoke)", re.IGNORECASE
)


def is_per_function(mark: str) -> bool:
    """Whether a tag opens one call, and holds the tool's name."""
    return _PER_FUNCTION.match(mark) is not None


_NAME_IN_JSON: Final = re.compile(
    r"""["'](?:name|tool_name|tool|function_name|function)["']\s*:\s*"""
    r"""["']([^"'\n]{1,80})["']"""
)
_NAME_IN_TAG: Final = re.compile(
    r"""\s*<(?:[｜|]DSML[｜|])?(?:function(?:=|\ name=|[(/])|invoke\ name=)["']?"""
    r"""([^"'<>\s{]{1,80})"""
)
_NAME_FIRST: Final = re.compile(
    r"\s*(?:function<[｜|]tool[▁_]sep[｜|]>)?([^\s<>\[\]{}｜|:]{1,80})[^{]{0,200}\{"
)


def name_in(row: Notation, inside: str) -> str | None:
    """The tool that a call names whose inside cannot be read."""
    head = inside.lstrip()[:1000]
    if head.startswith(("{", "[")):
        found = _NAME_IN_JSON.search(head)
    elif any(is_per_function(mark) for mark in row.begins):
        found = _NAME_IN_TAG.match("<function=" + head) or _NAME_IN_TAG.match(head)
    elif read_named_calls in row.readers:
        found = _NAME_FIRST.match(head)
    else:
        found = _NAME_IN_TAG.match(head)
    return found[1] if found else None
