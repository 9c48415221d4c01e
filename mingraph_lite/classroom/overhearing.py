"""The package's log, shown below the cell that runs."""

from __future__ import annotations

from typing import Final

__all__: Final = ["show_log"]

_PACKAGE: Final = __name__.partition(".")[0]


def show_log() -> None:
    """Print what the package logs, each warning behind `log:`, from now on.

    Why print it? Without a reader a log goes to stderr, with a traceback; here the line
    alone is looked at.
    """
    import logging  # takes long to load, for what few lessons need

    class Below(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            print("log:", record.getMessage())

    below = Below()
    below.name = "below the cell"
    log = logging.getLogger(_PACKAGE)
    # Called again, it takes the place of what it put there: no line appears twice.
    log.handlers = [h for h in log.handlers if h.name != below.name] + [below]
