"""A tools.py that is no file: text that a learner edits."""

from __future__ import annotations

import io
import linecache
from collections.abc import Callable, Iterator
from itertools import takewhile
from types import CodeType, FunctionType
from typing import Any, Final

from mingraph_lite.errors import ToolDefinitionError
from mingraph_lite.lab import scenarios
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["TOOLS_FILE", "ToolNotAdded", "ToolsFile"]

TOOLS_FILE: Final = "tools.py"


class ToolNotAdded(ToolDefinitionError):
    """A function that cannot be a tool; `line` is where it begins."""

    def __init__(self, error: Exception, line: int) -> None:
        super().__init__(str(error))
        self.line = line


class ToolsFile:
    """The text of a tools.py, and what is made of it.

    It may use what the module of the scenarios has, as the tools there do.
    """

    def __init__(self, text: str) -> None:
        # An editor may put a mark in front that Python takes for a strange letter.
        self.text = text.removeprefix("\ufeff")
        self.codes: list[CodeType] = []

    def remember(self) -> None:
        """Let tracebacks and `inspect` find these lines under the file's name."""
        # As Python counts them: `splitlines` also splits at a form feed and others.
        lines = io.StringIO(self.text, newline=None).readlines()
        linecache.cache[TOOLS_FILE] = (len(self.text), None, lines, TOOLS_FILE)

    def compiled(self) -> CodeType:
        """The code; raises SyntaxError."""
        code = compile(self.text, TOOLS_FILE, "exec", dont_inherit=True)
        self.codes = list(_with_all_inside(code))
        return code

    def registry(self, code: CodeType) -> ToolRegistry:
        """Run the file, and put its functions on a menu; raises what it raises."""
        names: dict[str, Any] = dict(vars(scenarios)) | {"__name__": "tools"}
        exec(code, names)
        registry = ToolRegistry()
        for function, line in _functions_in(names):
            try:
                registry.add(function)
            except Exception as error:
                raise ToolNotAdded(error, line) from None
        return registry


def _functions_in(names: dict[str, Any]) -> Iterator[tuple[Callable[..., Any], int]]:
    """The functions of the file, each once in their order, and where they begin.

    A class is no tool, and what begins with an underscore is for the file itself.
    """
    seen = set[int]()
    for name, value in names.items():
        if name.startswith("_") or isinstance(value, type) or id(value) in seen:
            continue
        own = [f for f in _and_wrapped(value) if f.__code__.co_filename == TOOLS_FILE]
        if own:
            seen.add(id(value))
            yield value, _first_line(own[0])


def _and_wrapped(value: Any) -> Iterator[FunctionType]:
    """A function, and those that its decorators stand before."""
    for _ in range(100):  # they may stand before each other
        if isinstance(value, FunctionType):
            yield value
        if not callable(value) or not hasattr(value, "__wrapped__"):
            return
        value = value.__wrapped__


def _first_line(function: FunctionType) -> int:
    """The line with its name: a decorator stands above it."""
    first = function.__code__.co_firstlineno
    lines = linecache.getlines(TOOLS_FILE)[first - 1 :]
    above = takewhile(lambda line: line.lstrip().startswith("@"), lines)
    return first + sum(1 for _ in above)


def _with_all_inside(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_all_inside(constant)
