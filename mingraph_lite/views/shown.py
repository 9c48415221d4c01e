"""Cards, messages and values in the few words of a picture."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import textwrap
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Final, TypeGuard, get_args

from mingraph_lite.cards import Card, Finished
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.jsonable import valid_text
from mingraph_lite.views.frame_types import CardKind, Who

__all__: Final = [
    "are_slips",
    "brief",
    "fields_of",
    "kind_of",
    "messages",
    "rule_of",
    "shown",
    "source_of",
    "who_of",
]

_BRIEF: Final = 200
"""A frame repeats no long text: the folder's lines hold it, once."""

_KINDS: Final[tuple[CardKind, ...]] = get_args(CardKind.__value__)
_OURS: Final = {"CallingModel": "calling", "RunningTools": "running"}
_WHO: Final[Mapping[type, Who]] = {
    SystemMessage: "system",
    UserMessage: "user",
    AssistantMessage: "model",
    ToolMessage: "tool",
}


def shown(value: object) -> str:
    """Any value in a few words, the same in every run."""
    if isinstance(value, str):
        return brief(value)
    try:
        text = repr(value)
    except Exception:
        # A value that cannot be shown is no reason to stop the run it belongs to.
        text = f"<{type(value).__name__}>"
    return brief(re.sub(r" at 0x[0-9a-fA-F]+", "", text))


def brief(text: str) -> str:
    """The beginning of a long text."""
    # Cut first: the cut may leave half a character.
    return valid_text(text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…")


def messages(count: int, what: str = "message") -> str:
    """A count in words."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def kind_of(card: Card) -> CardKind:
    """Which of the views' shapes fits: a card may say so itself with `kind`."""
    if isinstance(card, Finished):
        return "stopped" if card.answer is None else "finished"
    ours = (_OURS.get(kind.__name__) for kind in type(card).__mro__)
    said = getattr(card, "kind", None) or next(filter(None, ours), None)
    return next((kind for kind in _KINDS if kind == said), "other")


def who_of(message: object) -> Who:
    """Who said it: a message of one's own is drawn as the kind it is made of."""
    for kind in type(message).__mro__:
        if kind in _WHO:
            return _WHO[kind]
    return "other"


def are_slips(value: object) -> TypeGuard[tuple[ToolCall, ...]]:
    """Whether a value is a tuple of tool calls."""
    return isinstance(value, tuple) and all(isinstance(v, ToolCall) for v in value)


def rule_of(card: Card) -> str:
    """The first line of its docstring; what a dataclass writes by itself is none."""
    doc = inspect.getdoc(card) or ""
    return "" if doc.startswith(f"{type(card).__name__}(") else doc.partition("\n")[0]


def fields_of(card: object) -> list[tuple[str, object]]:
    """What a card holds, by name."""
    if not is_dataclass(card) or isinstance(card, type):
        held = getattr(card, "__dict__", {})
        return [(name, value) for name, value in held.items() if name != "because"]
    # What a card does not print, such as its `because`, is not drawn as a field.
    names = [field.name for field in fields(card) if field.repr]
    return [(name, getattr(card, name)) for name in names]


def source_of(card: type) -> str:
    """The code of a card's class; empty where nobody kept it."""
    try:
        return textwrap.dedent(inspect.getsource(card))
    except (OSError, TypeError):
        return _source_in_a_cell(card)


def _source_in_a_cell(card: type) -> str:
    """The code of a class of a notebook, which has no file; its methods know a cell."""
    codes = [getattr(value, "__code__", None) for value in vars(card).values()]
    for code in filter(None, codes):
        lines = linecache.getlines(code.co_filename)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:
            continue  # a cell may hold more than Python
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == card.__name__:
                above = node.decorator_list
                first = above[0].lineno if above else node.lineno
                last = node.end_lineno or first
                if first <= code.co_firstlineno <= last:
                    return textwrap.dedent("".join(lines[first - 1 : last]))
    return ""  # defined where no source is kept, such as in an exec
