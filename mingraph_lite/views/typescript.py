"""The types of what views draw, in TypeScript, for the page.

    python -m mingraph_lite.views.typescript playground/src/frame.ts
    python -m mingraph_lite.views.typescript playground/src/frame_shapes.ts
    python -m mingraph_lite.views.typescript playground/src/question.ts
    python -m mingraph_lite.views.typescript playground/src/lines.ts

Why made and not written? A field that only one of the two sides knows would be a hole
in the picture; so a test and the page's type check find it first. The shapes are the
same types as data: with them the page looks at what its Python hands it, where code of
a learner's may have had its hands in.
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
    "frame_shapes.ts": (Frame,),
    "question.ts": (Question,),
    "lines.ts": (Lines,),
}
"""Which file of the page has the types, or shapes, that which forms lead to."""

_COMMAND: Final = "python -m mingraph_lite.views.typescript playground/src/"
_PLAIN: Final = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}

type _Shape = str | dict[str, Any]
"""Plain, or the name of a type; else `list`, `record`, `either`, `oneOf`, `fields`."""

type _Named = dict[str, tuple[Any, _Shape]]


def typescript(file: str, *kinds: Any) -> str:
    """The file that has these types and every named type that they lead to."""
    named: _Named = {}
    for kind in kinds:
        _shape(kind, named)
    stem, _, shapes = file.removesuffix(".ts").partition("_")
    head = f"// Made of mingraph_lite/views/{stem}_types.py by `{_COMMAND}{file}`\n"
    if shapes:
        return (
            f"{head}{_SHAPES}{''.join(map(_shape_as_data, named, named.values()))}}}\n"
        )
    declared = [_declaration(name, *each) for name, each in named.items()]
    return "\n".join([head, *declared])


def _shape(kind: Any, named: _Named) -> _Shape:
    """A type where it is used; one that has a name is noted on the way."""
    inner, origin = get_args(kind), get_origin(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if is_typeddict(kind) or isinstance(kind, TypeAliasType):
        name: str = kind.__name__
        if name not in named:
            named[name] = kind, ""  # its place: before the types that it leads to
            named[name] = kind, _shape_of_named(kind, named)
        return name
    if origin is Literal:
        return {"oneOf": list(inner)}
    if origin in (Union, UnionType):
        return {"either": [_shape(each, named) for each in inner]}
    if origin is list:
        return {"list": _shape(inner[0], named)}
    if origin is dict and inner[0] is str:
        return {"record": _shape(inner[1], named)}
    raise TypeError(
        f"{kind!r} has no form in TypeScript here. Known are str, int, bool, None, "
        "list, dict with str as its key, Literal, TypedDict, a named type, and unions "
        "of these. Use one of them, or teach it to mingraph_lite/views/typescript.py."
    )


def _shape_of_named(kind: Any, named: _Named) -> _Shape:
    if isinstance(kind, TypeAliasType):
        return _shape(kind.__value__, named)
    hints = get_type_hints(kind).items()
    return {"fields": {name: _shape(hint, named) for name, hint in hints}}


def _written(shape: _Shape) -> str:
    """A shape as a type."""
    match shape:
        case "integer":
            return "number"
        case str():
            return shape
        case {"oneOf": values}:
            return " | ".join(map(json.dumps, values))
        case {"either": shapes}:
            return " | ".join(map(_written, shapes))
        case {"list": each}:
            return f"Array<{_written(each)}>"
    return f"Record<string, {_written(shape['record'])}>"


def _declaration(name: str, kind: Any, shape: _Shape) -> str:
    if isinstance(kind, TypeAliasType):
        return f"export type {name} = {_written(shape)}\n"
    assert isinstance(shape, dict)
    fields = [f"  {key}: {_written(each)}\n" for key, each in shape["fields"].items()]
    said = inspect.cleandoc(kind.__doc__ or "").splitlines()
    doc = ["/**\n", *(f" * {line}".rstrip() + "\n" for line in said), " */\n"]
    head = f"export interface {name} {{\n"
    return "".join([*(doc if said else []), head, *fields, "}\n"])


_SHAPES: Final = """\
import type { Shape } from './python/shape'

export const SHAPES: Record<string, Shape> = {
"""


def _shape_as_data(name: str, named: tuple[Any, _Shape]) -> str:
    _, shape = named
    if isinstance(shape, str) or "fields" not in shape:
        return f"  {name}: {json.dumps(shape)},\n"
    fields = [
        f"    {key}: {json.dumps(each)},\n" for key, each in shape["fields"].items()
    ]
    return f"  {name}: {{ fields: {{\n{''.join(fields)}  }} }},\n"


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) == 2 else "")
    if place.name not in MADE:
        commands = "\n".join(_COMMAND + file for file in MADE)
        sys.exit(f"Say which file to write, as here:\n{commands}")
    made = typescript(place.name, *MADE[place.name])
    place.write_text(made, encoding="utf-8", newline="\n")
