"""The lines in which a function or class was defined."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Iterator
from typing import Any, Final, TypeGuard

from mingraph_lite.classroom.surroundings import kernel
from mingraph_lite.schema.handed_in import kind_of

__all__: Final = ["CannotKeep", "is_definition", "source_of"]


class CannotKeep(Exception):
    """Why something cannot be written down."""


def is_definition(thing: object) -> TypeGuard[Any]:
    """Whether it is a function or a class, decorated or not."""
    return inspect.isfunction(inspect.unwrap(thing)) or inspect.isclass(thing)  # type: ignore[arg-type]


def source_of(name: str, thing: object) -> str:
    """How a function or class was written, under this name.

    Raises CannotKeep for everything else, and for what was written nowhere.
    """
    if not is_definition(thing):
        kind = kind_of(thing)
        raise CannotKeep(f"{name} is {kind}. A function or a class can be kept.")
    if thing.__name__ == "<lambda>":
        raise CannotKeep(f"{name} is a lambda. Write it with def, and it can be kept.")
    found = _of_class(thing) if inspect.isclass(thing) else _of_function(thing)
    if found is None:
        raise CannotKeep(
            f"The lines of {name} cannot be found. Define it in a cell, and run that."
        )
    defined = thing.__name__
    return found if defined == name else f"{found}\n\n\n{name} = {defined}"


def _of_function(function: Any) -> str | None:
    inner: Any = inspect.unwrap(function)
    try:
        found = textwrap.dedent(inspect.getsource(inner)).rstrip()
        first = ast.parse(found).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    # Python keeps the text of `python -c` under the file name that exec has, too.
    same = getattr(first, "name", None) == inner.__code__.co_name
    return found if same else None


def _of_class(thing: type) -> str | None:
    """Why by hand? Python looks in the module's file, and a notebook has none."""
    try:
        return textwrap.dedent(inspect.getsource(thing)).rstrip()
    except (OSError, TypeError):
        pass
    for text in _cells(thing):
        if (found := _class_in(text, thing.__name__)) is not None:
            return found
    return None


def _cells(thing: type) -> Iterator[str]:
    """The cells in which a class may stand: where its methods do, else the latest."""
    methods = [getattr(value, "__func__", value) for value in vars(thing).values()]
    for method in methods:
        if inspect.isfunction(method) and method.__module__ == thing.__module__:
            yield "".join(linecache.getlines(method.__code__.co_filename))
    shell = kernel()
    if shell is not None:
        # What was typed, made Python: a cell may hold a line of the shell too.
        for text in reversed(shell.user_ns.get("In", [])):
            yield shell.transform_cell(text)


def _class_in(text: str, name: str) -> str | None:
    """The last class of this name at the top of a text."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    found = [n for n in body if isinstance(n, ast.ClassDef) and n.name == name]
    if not found:
        return None
    first = min([found[-1].lineno, *(d.lineno for d in found[-1].decorator_list)])
    return "\n".join(text.split("\n")[first - 1 : found[-1].end_lineno]).rstrip()
