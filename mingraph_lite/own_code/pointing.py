"""Where in a learner's file something went wrong."""

from __future__ import annotations

import linecache
import re
from types import FrameType, TracebackType
from typing import Final

from mingraph_lite.errors import Interrupted
from mingraph_lite.messages import ToolCall, ToolMessage
from mingraph_lite.observation import error_text, without_text
from mingraph_lite.observers import Observer
from mingraph_lite.own_code import sleeping
from mingraph_lite.own_code.tools_file import TOOLS_FILE, ToolNotAdded
from mingraph_lite.schema.in_short import brief
from mingraph_lite.views.frame_types import Pointed

__all__: Final = ["Places", "line_now", "place_of_change", "pointed"]

_LONGEST: Final = 2000
"""Of an error; the folder has a long one whole, and folds it."""


def pointed(error: BaseException) -> Pointed | None:
    """The innermost line of the file that an error came through; None without one.

    A syntax error points at its own line, a function that cannot be a tool at its
    first. A stop is called a stop, and one in a sleep is called that.
    """
    error = _carried(error)
    if isinstance(error, ToolNotAdded):
        return _at(error.line, str(error))
    if isinstance(error, SyntaxError) and error.filename == TOOLS_FILE:
        number = error.lineno if isinstance(error.lineno, int) else 1
        return _at(number or 1, f"{type(error).__name__}: {error.msg}")
    line, asleep = _innermost(error.__traceback__)
    if line is None:
        return None
    if isinstance(error, KeyboardInterrupt | Interrupted):
        return _at(line, "stopped in a sleep" if asleep else "stopped here")
    return _at(line, error_text(error))


def place_of_change(changed: str) -> Pointed | None:
    """The line that takes away or changes what is named so; None where none is found.

    It is looked for by its words: what was changed is noticed when the code that did it
    is over, and no traceback leads there.
    """
    name = re.escape(changed.rpartition(".")[2])
    line = _line_like(
        rf"\.{name}\s*=(?!=)|\bdel\b.*\b{name}\b|attr\(.*[\"']{name}[\"']"
        rf"|\[[\"']{name}[\"']\]\s*=(?!=)"
    )
    return None if line is None else _at(line, f"this changes {changed}")


class Places(Observer):
    """Hears what tools raised, and knows where."""

    def __init__(self) -> None:
        self._errors: list[BaseException] = []
        self._unreadable: list[Pointed] = []

    def on_tool_return(
        self, call: ToolCall, value: object, message: ToolMessage
    ) -> None:
        """Hear of a value that no text can be made of: of its class, or its tool."""
        if kind := without_text(message.content):
            line = _line_like(rf"^\s*class\s+{re.escape(kind)}\b") or _line_like(
                rf"^\s*(async\s+)?def\s+{re.escape(call.name)}\b"
            )
            what = f"a value of type {kind} has no readable form"
            if line is not None:
                self._unreadable.append(_at(line, what))

    def on_tool_error(
        self, call: ToolCall, error: BaseException, message: ToolMessage
    ) -> None:
        """Hear what one slip came to."""
        self.add(error)

    def add(self, error: BaseException) -> None:
        """Hear of an error, once: the one of a tool may end the run too."""
        error = _carried(error)
        if not any(error is known for known in self._errors):
            self._errors.append(error)

    def take(self) -> list[Pointed]:
        """Where they happened, of those that came through the file."""
        errors, self._errors = self._errors, []
        places, self._unreadable = self._unreadable, []
        return places + [
            place for error in errors if (place := pointed(error)) is not None
        ]


def line_now(frame: FrameType | None) -> int | None:
    """The line of the file that this frame, or who called it, is at."""
    while frame is not None and frame.f_code.co_filename != TOOLS_FILE:
        frame = frame.f_back
    return None if frame is None else frame.f_lineno


def _carried(error: BaseException) -> BaseException:
    """The error itself: a generator carries a StopIteration out inside of another."""
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
        return error.__cause__
    return error


def _innermost(step: TracebackType | None) -> tuple[int | None, bool]:
    line, asleep = None, False
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file == TOOLS_FILE:
            line, asleep = step.tb_lineno, False
        elif file == sleeping.__file__:
            asleep = True
        step = step.tb_next
    return line, asleep


def _line_like(pattern: str) -> int | None:
    looked_for = re.compile(pattern)
    for number, line in enumerate(linecache.getlines(TOOLS_FILE), 1):
        if looked_for.search(line):
            return number
    return None


def _at(line: int, what: str) -> Pointed:
    text = linecache.getline(TOOLS_FILE, line).strip()
    what = brief(what, _LONGEST)
    return {"file": TOOLS_FILE, "line": line, "text": text, "what": what}
