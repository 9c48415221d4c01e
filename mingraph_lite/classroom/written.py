"""Answers made of lines: a learner's, or ours with words exchanged."""

from __future__ import annotations

import warnings
from types import FunctionType
from typing import Any, Final

__all__: Final = ["function_of", "replaced", "written"]


def written(code: str, **names: object) -> dict[str, Any]:
    """Run lines and give what they define, these names included.

    Raises SyntaxError where they are no Python.
    """
    made: dict[str, Any] = {"__name__": "__lines__", **names}
    with warnings.catch_warnings():
        # A return in a finally, say: what Python thinks of it is no error of ours.
        warnings.simplefilter("ignore", SyntaxWarning)
        lines = compile(code, "<your lines>", "exec", dont_inherit=True)
    exec(lines, made)
    return made


def function_of(code: str, name: str, **names: object) -> FunctionType:
    """Run lines that define a function, and give that function.

    Its globals are these names. Raises SyntaxError where it is no Python, ValueError
    where it defines no such function.
    """
    found = written(code, **names).get(name)
    if not isinstance(found, FunctionType):
        raise ValueError(f"These lines define no function {name}.")
    return found


def replaced(code: str, *texts: str) -> str:
    """The lines with some of their texts exchanged: old, new, old, new.

    Raises ValueError for an old text that is not there.
    """
    for old, new in zip(texts[::2], texts[1::2], strict=True):
        if old not in code:
            raise ValueError(f"There is nothing to exchange: no {old!r}.")
        code = code.replace(old, new)
    return code
