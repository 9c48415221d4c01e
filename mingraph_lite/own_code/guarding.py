"""Keeps a learner's code from asking, ending or taking away Python."""

from __future__ import annotations

import builtins
import logging
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NoReturn

from mingraph_lite.own_code.printing import Printed

__all__: Final = ["BuiltinsChanged", "CannotHere", "Guard"]

# What the package warns of is announced; without a listener here it is printed too.
_LOGGER: Final = logging.getLogger("mingraph_lite")
_SILENT: Final = logging.NullHandler()


class CannotHere(RuntimeError):
    """Something that Python can do elsewhere."""


class BuiltinsChanged(RuntimeError):
    """Code has changed what every module stands on; it is put back."""


def _ask(*_: object, **__: object) -> NoReturn:
    raise CannotHere(
        "input() cannot ask here: nobody sits at this Python's keyboard. Put what it "
        "would ask for into the question, or into a variable of tools.py."
    )


def _stop_and_look(*_: object, **__: object) -> NoReturn:
    raise CannotHere(
        "breakpoint() cannot open a debugger here. Step through the run card by card, "
        "and print() what you want to see."
    )


def _end(*_: object) -> NoReturn:
    raise CannotHere(
        "os._exit() and os.abort() would end Python itself, and every run with it. "
        "Raise an error instead: it ends the run alone."
    )


class Guard:
    """Stands in for what a page does not have.

    Raises BuiltinsChanged afterwards where the code took or changed one of Python's
    own functions. They are put back first, since even words need them; so nothing here
    calls one on the way out, and this is no `contextmanager`, which calls `next`.
    """

    def __init__(self, printed: Printed, sleep: Callable[[float], None]) -> None:
        self._printed = printed
        self._sleep = sleep

    def __enter__(self) -> None:
        """Put all in place."""
        self._own = vars(builtins)
        self._whole = dict(self._own)
        self._streams = sys.stdout, sys.stderr
        self._real = sys.breakpointhook, time.sleep, os._exit, os.abort
        sys.stdout = sys.stderr = self._printed
        sys.breakpointhook = _stop_and_look
        time.sleep = self._sleep  # type: ignore[assignment]
        os._exit = os.abort = _end  # type: ignore[assignment]
        _LOGGER.addHandler(_SILENT)
        self._heard, _LOGGER.propagate = _LOGGER.propagate, False
        self._own["input"] = _ask

    def __exit__(self, *_: object) -> None:
        """Put all back."""
        changed = _changed(self._whole, self._own)
        self._own.update(self._whole)
        sys.stdout, sys.stderr = self._streams
        sys.breakpointhook, time.sleep, os._exit, os.abort = self._real
        _LOGGER.removeHandler(_SILENT)
        _LOGGER.propagate = self._heard
        if changed is not None:
            raise BuiltinsChanged(f"builtins.{changed}") from None


def _changed(whole: dict[str, Any], own: dict[str, Any]) -> str | None:
    """The name of what is gone or another."""
    for name in whole:
        if name != "input" and (name not in own or own[name] is not whole[name]):
            return name
    return None
