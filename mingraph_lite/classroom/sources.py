"""The source of what stands in a cell, and what it needs.

What it needs is found by its names: functions and classes beside it come along,
literals too, what can be imported is imported. All else is refused by name.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import symtable
import sys
import textwrap
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

__all__: Final = ["CannotKeep", "Piece", "pieces_of"]

OWN_FILE: Final = "my_agent"
_LONGEST_LITERAL: Final = 200


class CannotKeep(Exception):
    """Why something cannot be written down."""


class Piece:
    """A definition as it is written down."""

    def __init__(self, name: str, source: str, imports: tuple[str, ...] = ()) -> None:
        self.name, self.source, self.imports = name, source, imports

    def __repr__(self) -> str:
        return f"Piece({self.name!r})"


def pieces_of(name: str, thing: object) -> list[Piece]:
    """The pieces that make a thing, what it needs first.

    Raises CannotKeep with what cannot come along.
    """
    found: dict[str, Piece] = {}
    _collect(name, thing, found)
    return list(found.values())


def _collect(name: str, thing: object, found: dict[str, Piece]) -> None:
    source = _source(name, thing)
    found[name] = Piece(name, source)  # before what it needs: two may need each other
    around = _globals_of(thing)
    imports = []
    for needed in sorted(_globals_in(source) - {name}):
        if needed in found or (needed not in around and hasattr(builtins, needed)):
            continue
        if needed not in around:
            raise CannotKeep(f"{name} uses {needed}, and nothing has that name.")
        line = _import_line(needed, around[needed])
        if line is not None:
            imports.append(line)
        elif _is_own(around[needed], thing):
            _collect(needed, around[needed], found)
        elif getattr(around[needed], "__module__", None) != OWN_FILE:
            found[needed] = _literal(name, needed, around[needed])
    own = found.pop(name)
    found[name] = Piece(name, own.source, tuple(line for line in imports if line))


def _source(name: str, thing: object) -> str:
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        raise CannotKeep(
            f"{name} is {_kind(thing)}. A function or a class can be kept."
        )
    try:
        source = textwrap.dedent(inspect.getsource(thing)).rstrip()
    except (OSError, TypeError):
        raise CannotKeep(f"The source of {name} cannot be found.") from None
    if thing.__name__ == "<lambda>":
        raise CannotKeep(f"{name} is a lambda. Write it with def, and it can be kept.")
    defined = thing.__name__
    return source if defined == name else f"{source}\n\n\n{name} = {defined}"


def _globals_of(thing: Any) -> Mapping[str, object]:
    if inspect.isfunction(thing):
        if thing.__closure__:
            free = ", ".join(thing.__code__.co_freevars)
            raise CannotKeep(f"{thing.__name__} was made inside a function: {free}.")
        return thing.__globals__
    return vars(sys.modules[thing.__module__])


def _globals_in(source: str) -> set[str]:
    """The names that code takes from around it, its own definitions aside."""
    used: set[str] = set()
    made: set[str] = set()

    def look(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            top = table.get_type() == "module"
            if top and symbol.is_assigned():
                made.add(symbol.get_name())
            if symbol.is_referenced() and (top or symbol.is_global()):
                used.add(symbol.get_name())
        for child in table.get_children():
            look(child)

    look(symtable.symtable(source, "<kept>", "exec"))
    return used - made


def _import_line(name: str, value: Any) -> str | None:
    """How it is imported; "" where it needs none, None where it cannot be."""
    if isinstance(value, ModuleType):
        whole = value.__name__
        return f"import {whole}" if whole == name else f"import {whole} as {name}"
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or module in ("__main__", OWN_FILE):
        return None
    real = getattr(value, "__qualname__", name)
    home = sys.modules.get(module)
    if "." in real or getattr(home, real, None) is not value or not _has_a_name(module):
        return None
    renamed = "" if real == name else f" as {name}"
    return f"from {module} import {real}{renamed}"


def _has_a_name(module: str) -> bool:
    """Whether it can stand in an import: a lesson's file begins with digits."""
    return all(part.isidentifier() for part in module.split("."))


def _is_own(value: Any, thing: Any) -> bool:
    """Whether it was defined beside the thing, in the same notebook or file."""
    definition = inspect.isfunction(value) or inspect.isclass(value)
    return definition and value.__module__ == thing.__module__


def _literal(user: str, name: str, value: object) -> Piece:
    written = repr(value)
    try:
        same = len(written) <= _LONGEST_LITERAL and ast.literal_eval(written) == value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise CannotKeep(
            f"{user} uses {name}, {_kind(value)} of this notebook, which cannot come "
            f"along. Hand it in as a parameter, or build it inside of {user}."
        )
    return Piece(name, f"{name} = {written}")


def _kind(value: object) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'AEIOUaeiou' else 'a'} {kind}"
