"""What a class says of itself: its rule and its code."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from typing import Final

__all__: Final = ["rule_of", "source_of"]


def rule_of(card: object) -> str:
    """The first line of its docstring; what a dataclass writes by itself is none."""
    doc = inspect.getdoc(card) or ""
    return "" if doc.startswith(f"{type(card).__name__}(") else doc.partition("\n")[0]


def source_of(card: type) -> str:
    """The code of a card's class; empty where nobody kept it.

    A class that was read from a trace brings its code along.
    """
    if isinstance(told := vars(card).get("__source__"), str):
        return told
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
