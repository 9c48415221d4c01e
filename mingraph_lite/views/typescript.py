"""The types of what views draw, in TypeScript, for the page.

    python -m mingraph_lite.views.typescript playground/src/frame.ts
    python -m mingraph_lite.views.typescript playground/src/question.ts
    python -m mingraph_lite.views.typescript playground/src/lines.ts

Why made and not written? A field that only one of the two sides knows would be a hole
in the picture; so a test and the page's type check find it first.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    TypeAliasType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from mingraph_lite.views.frame_types import Frame, Panel
from mingraph_lite.views.lines_types import Lines
from mingraph_lite.views.question_types import Question

__all__: Final = ["MADE", "typescript"]

MADE: Final[dict[str, tuple[Any, ...]]] = {
    "frame.ts": (Frame, Panel),
    "question.ts": (Question,),
    "lines.ts": (Lines,),
}
"""Which file of the page has the types that which forms lead to."""

_COMMAND: Final = "python -m mingraph_lite.views.typescript playground/src/"
_PLAIN: Final = {str: "string", int: "number", bool: "boolean", NoneType: "null"}


def typescript(file: str, *kinds: Any) -> str:
    """The file that declares these types and every named type that they lead to."""
    declared: dict[str, str] = {}
    for kind in kinds:
        _written(kind, declared)
    source = f"mingraph_lite/views/{file.removesuffix('.ts')}_types.py"
    head = f"// Made of {source} by `{_COMMAND}{file}`\n"
    return "\n".join([head, *declared.values()])


def _written(kind: Any, declared: dict[str, str]) -> str:
    """A type where it is used; one that has a name is declared on the way."""
    inner, origin = get_args(kind), get_origin(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if is_typeddict(kind) or isinstance(kind, TypeAliasType):
        name: str = kind.__name__
        if name not in declared:
            declared[name] = ""  # its place: before the types that it leads to
            declared[name] = _declaration(kind, declared)
        return name
    if origin is Literal:
        return " | ".join(json.dumps(value) for value in inner)
    if origin in (Union, UnionType):
        return " | ".join(_written(each, declared) for each in inner)
    if origin is list:
        return f"Array<{_written(inner[0], declared)}>"
    if origin is dict and inner[0] is str:
        return f"Record<string, {_written(inner[1], declared)}>"
    raise TypeError(
        f"{kind!r} has no form in TypeScript here. Known are str, int, bool, None, "
        "list, dict with str as its key, Literal, TypedDict, a named type, and unions "
        "of these. Use one of them, or teach it to mingraph_lite/views/typescript.py."
    )


def _declaration(kind: Any, declared: dict[str, str]) -> str:
    if isinstance(kind, TypeAliasType):
        value = _written(kind.__value__, declared)
        return f"export type {kind.__name__} = {value}\n"
    fields = [
        f"  {name}: {_written(hint, declared)}\n"
        for name, hint in get_type_hints(kind).items()
    ]
    said = inspect.cleandoc(kind.__doc__ or "").splitlines()
    doc = ["/**\n", *(f" * {line}".rstrip() + "\n" for line in said), " */\n"]
    head = f"export interface {kind.__name__} {{\n"
    return "".join([*(doc if said else []), head, *fields, "}\n"])


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) == 2 else "")
    if place.name not in MADE:
        commands = "\n".join(_COMMAND + file for file in MADE)
        sys.exit(f"Say which file to write, as here:\n{commands}")
    made = typescript(place.name, *MADE[place.name])
    place.write_text(made, encoding="utf-8", newline="\n")
