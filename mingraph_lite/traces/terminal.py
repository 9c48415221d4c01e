"""What a command finds, written out, or one sentence about why not."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mingraph_lite.schema.signs import plain

__all__: Final = ["Trouble", "note", "written"]

_READS_NO_MORE: Final = {errno.EPIPE, errno.EINVAL}  # the latter on Windows


class Trouble(Exception):
    """What keeps a command from doing what was asked."""


def written(program: str, text: Callable[[], str]) -> int:
    """Make the text and print it; the exit code of the command."""
    with suppress(AttributeError):  # a stream of a notebook or a test
        for stream in (sys.stdout, sys.stderr):
            # What a terminal has no sign for becomes a question mark.
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        found = text()
    except (Trouble, OSError) as problem:
        return _refused(program, _in_words(problem))
    except KeyboardInterrupt:  # a large file, and somebody has waited enough
        return 130
    try:
        print(found, flush=True)
    except OSError as error:
        # Python flushes once more at its end, and would complain then.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno in _READS_NO_MORE:
            return 0  # `| head` has read enough
        why = error.strerror or str(error)
        return _refused(program, f"What was found cannot be written: {why}.")
    return 0


def note(program: str, text: str) -> None:
    """Say something beside what was asked for."""
    with suppress(OSError):  # where nobody hears it either
        print(f"{program}: {plain(text)}".replace("\n", " "), file=sys.stderr)


def _refused(program: str, why: str) -> int:
    note(program, why)
    return 2


def _in_words(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror and problem.filename:
        return f"{problem.filename!r} cannot be read: {problem.strerror}."
    return str(problem)
