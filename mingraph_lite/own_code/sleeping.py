"""A sleep that can be seen and stopped."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

__all__: Final = ["Stopped", "sleep_that_can_be_stopped"]

_SLICE: Final = 0.05
_LONGEST: Final = 86_400 * 365

type _Sleep = Callable[[float], None]
type _Tell = Callable[[FrameType | None, bool], None]


class Stopped(KeyboardInterrupt):
    """Somebody stopped a sleep.

    Why not `errors.Interrupted`? That is an Exception, and a tool that catches every
    Exception would sleep on.
    """


def sleep_that_can_be_stopped(
    wait: Callable[[float, FrameType | None], bool],
    tell: _Tell,
    real: _Sleep = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> _Sleep:
    """A `time.sleep` for code of one's own.

    `tell` hears where it sleeps, and that it woke. `wait` sleeps in a way of its own,
    and gives False where it cannot; then the real sleep is cut into slices, so that an
    interrupt gets in. What is no length is refused in CPython's words: not every
    Python that is compiled for a browser refuses it.
    """

    def sleep(seconds: float, /) -> None:
        _check_length(seconds)
        if not 0 < seconds < _LONGEST:
            return real(seconds)
        frame = sys._getframe(1)
        tell(frame, True)
        end = clock() + seconds
        if not wait(seconds, frame):
            while (left := end - clock()) > 0:
                real(min(left, _SLICE))
        tell(frame, False)
        return None

    return sleep


def _check_length(seconds: object) -> None:
    if not isinstance(seconds, int | float):
        if hasattr(seconds, "__index__"):
            return
        raise TypeError(
            f"'{type(seconds).__name__}' object cannot be interpreted as an integer"
        )
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
