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
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from mingraph_lite.classroom.definitions import CannotKeep, is_definition, source_of
from mingraph_lite.schema.handed_in import kind_of

__all__: Final = ["OWN_FILE", "Piece", "pieces_of"]

OWN_FILE: Final = "my_agent"
_LESSONS: Final = f"{__package__}.lessons."
_LONGEST_LITERAL: Final = 200


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


def _collect(name: str, thing: Any, found: dict[str, Piece]) -> None:
    source = source_of(name, thing)
    found[name] = Piece(name, source)  # before what it needs: two may need each other
    around = _globals_of(thing)
    imports = []
    for needed in sorted(_globals_in(source) - {name}):
        if needed in found or _is_pythons(needed, around):
            continue
        if needed not in around:
            raise CannotKeep(f"{name} uses {needed}, and nothing has that name.")
        value = around[needed]
        if is_definition(value) and _is_in_the_file(value, thing):
            if value.__name__ != needed:
                found[needed] = _alias(name, needed, value.__name__, found)
            continue  # under its own name it is in the file
        line = _import_line(needed, value)
        if line is not None:
            imports.append(line)
        elif is_definition(value) and value.__module__ == thing.__module__:
            _collect(needed, value, found)
        else:
            found[needed] = _literal(name, needed, value)
    del found[name]
    found[name] = Piece(name, source, tuple(imports))


def _is_in_the_file(value: Any, thing: Any) -> bool:
    """Whether an earlier lesson has kept it: it was imported from there, or is ours."""
    home: str = value.__module__
    earlier = home.startswith(_LESSONS) and home != str(thing.__module__)
    return home == OWN_FILE or earlier


def _globals_of(thing: Any) -> Mapping[str, object]:
    """The names around a definition."""
    if inspect.isclass(thing):
        home = sys.modules.get(thing.__module__)
        return {} if home is None else vars(home)
    function = inspect.unwrap(thing)
    if function.__closure__:
        free = ", ".join(function.__code__.co_freevars)
        raise CannotKeep(
            f"{thing.__name__} was made inside of another function, and needs its "
            f"{free}. Define it in a cell of its own, and hand that in as a parameter."
        )
    names: Mapping[str, object] = function.__globals__
    return names


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


def _is_pythons(name: str, around: Mapping[str, object]) -> bool:
    """Whether every module has it: `len`, or `__name__`.

    A notebook wraps Python's `open` in one that guards its own channels.
    """
    if name.startswith("__") and name.endswith("__"):
        return True
    wrapped = getattr(around.get(name), "__wrapped__", None)
    is_a_guard = wrapped is not None and wrapped is getattr(builtins, name, None)
    return hasattr(builtins, name) and (name not in around or is_a_guard)


def _alias(user: str, name: str, there: str, found: Mapping[str, Piece]) -> Piece:
    """Another name for what is in the file; not for what is just being replaced."""
    if there in found:
        raise CannotKeep(
            f"{user} uses {name}, which is the {there} of {OWN_FILE}.py, and the new "
            f"{there} would take its place. Give the new one another name."
        )
    return Piece(name, f"{name} = {there}")


def _import_line(name: str, value: Any) -> str | None:
    """How it is imported; None where it cannot be."""
    if isinstance(value, ModuleType):
        whole = value.__name__
        if whole == OWN_FILE:
            raise CannotKeep(
                f"{name} is {OWN_FILE}.py itself, which cannot import itself. Write "
                f"`from {OWN_FILE} import …` with the names that you use."
            )
        return f"import {whole}" if whole == name else f"import {whole} as {name}"
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or module in ("__main__", OWN_FILE):
        return None
    real = str(getattr(value, "__qualname__", name))
    home = sys.modules.get(module)
    if "." in real or getattr(home, real, None) is not value or not _has_a_name(module):
        return None
    renamed = "" if real == name else f" as {name}"
    return f"from {module} import {real}{renamed}"


def _has_a_name(module: str) -> bool:
    """Whether it can stand in an import: a lesson's file begins with digits."""
    return all(part.isidentifier() for part in module.split("."))


def _literal(user: str, name: str, value: object) -> Piece:
    written = repr(value)
    try:
        same = len(written) <= _LONGEST_LITERAL and ast.literal_eval(written) == value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise CannotKeep(
            f"{user} uses {name}, {kind_of(value)} of this notebook, which cannot come "
            f"along. Hand it in as a parameter, or build it inside of {user}."
        )
    return Piece(name, f"{name} = {written}")
