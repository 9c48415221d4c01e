"""Which line a learner's code is at, told while it runs.

Python that computes cannot be asked, and where it cannot be interrupted it has to be
ended: then what was told last is all that is known. Telling each line would slow a loop
down many times over, so lines that run again and again fall silent until another one
is met; a loop of millions of rounds costs next to nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Final

__all__: Final = ["Watch"]

_NAME: Final = "mingraph_lite"
_LINE: Final = sys.monitoring.events.LINE
_IDS: Final = (3, 4)
"""0, 1, 2 and 5 are spoken for: debugger, coverage, profiler, optimizer."""

_AT_ONCE: Final = 20
"""So many lines of a turn are told as they come."""
_LISTEN: Final = 0.005
_PAUSE: Final = 0.1
_HOT: Final = 100
"""A line met so often while listening is not heard again until the next time."""


class Watch:
    """Tells the number of the line that watched code is at.

    `tell` is called at once for the first lines, then for each line every 100 ms at
    most, and when it falls silent. Of two loops that take turns more quickly than
    that, it may be the other one that was told.
    """

    def __init__(
        self,
        tell: Callable[[int], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._tool: int | None = None
        self._watched: list[CodeType] = []
        self._left = _AT_ONCE
        self._hits: dict[int, int] = {}
        self._quiet_from = self._again_at = 0.0

    def on(self, codes: Iterable[CodeType]) -> Watch:
        """Watch these code objects and no others, in a `with`."""
        self._watched = list(codes)
        return self

    def __enter__(self) -> None:
        """Begin to watch; where two others watch already, nothing is told."""
        if self._tool is not None:
            self.__exit__()  # an interrupt struck the end of the last turn
        free = (id for id in _IDS if sys.monitoring.get_tool(id) is None)
        self._tool = next(free, None)
        if self._tool is None:
            return
        self._left = _AT_ONCE
        self._listen(self._clock())
        sys.monitoring.use_tool_id(self._tool, _NAME)
        sys.monitoring.register_callback(self._tool, _LINE, self._line)
        for code in self._watched:
            sys.monitoring.set_local_events(self._tool, code, _LINE)

    def __exit__(self, *_: object) -> None:
        """Watch no more."""
        # Why no `contextmanager`? It calls `next`, which a learner may have taken away.
        tool, self._tool = self._tool, None
        # Code may have freed the id, and another may have taken it since.
        if tool is None or sys.monitoring.get_tool(tool) != _NAME:
            return
        for code in self._watched:
            sys.monitoring.set_local_events(tool, code, 0)
        sys.monitoring.register_callback(tool, _LINE, None)
        sys.monitoring.free_tool_id(tool)

    def _line(self, code: CodeType, line: int) -> object:
        now = self._clock()
        if now >= self._again_at:
            self._tell(line)
            self._listen(now)
            sys.monitoring.restart_events()
            self._hits[line] = 1
            return None
        hits = self._hits[line] = self._hits.get(line, 0) + 1
        if hits == 1 or self._left:
            self._left = max(0, self._left - 1)
            self._tell(line)
        if hits < _HOT or now < self._quiet_from:
            return None
        self._tell(line)
        return sys.monitoring.DISABLE

    def _listen(self, now: float) -> None:
        self._hits.clear()
        self._quiet_from, self._again_at = now + _LISTEN, now + _PAUSE
