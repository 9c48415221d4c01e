"""One line more at the end of a file.

Several threads and processes may write to one file.

The file is opened, written and closed for each line, so that whoever is killed leaves
all that came before. The line goes out in one write to a descriptor that appends, while
the file is locked where the system has locks. Where the last writer died in the middle
of a line, the next one ends that line first; nothing is ever cut off.

A lock may be held by somebody who was stopped, or whose Ctrl-C came at a bad moment.
So it is waited for a while and no longer: one write is whole enough without.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

__all__: Final = ["append"]

_FLAGS: Final = (
    os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)  # no \r\n
)
_END: Final = b"\n"
_LOCKED: Final = 1 << 40  # a byte that no file has, for a lock that hinders no reader
_WAITS: Final = (*(0,) * 20, *(0.001,) * 100, *(0.01,) * 90)
"""Seconds between two tries to lock: about one in all."""

_given_up: Final[set[str]] = set()
"""Files that somebody holds for so long that the next line does not wait again."""


def append(
    path: str, line: bytes, *, sleep: Callable[[float], object] = time.sleep
) -> None:
    """Put a line, with its line end, at the end of the file; make it if needed.

    `sleep` waits between two tries to lock it, should somebody else be writing.
    """
    held: list[int] = []
    try:
        file = _opened(path, held)
        _lock(file, path, sleep)
        if _is_torn(file):
            line = _END + line
        written = os.write(file, line)
        while written < len(line):  # a full disk raises at the next write
            written += os.write(file, line[written:])
    finally:
        if held:
            try:
                # To close it unlocks it too, but for a child that was forked meanwhile.
                _unlock(held[0])
            finally:
                os.close(held[0])


def _opened(path: str, held: list[int]) -> int:
    """Open the file into a list that knows what is to be closed.

    Why not `file = os.open(…)`? A Ctrl-C may come when it is open and has no name yet.
    """
    try:
        held += map(os.open, [path], [_FLAGS], [0o666])
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        held += map(os.open, [path], [_FLAGS], [0o666])
    return held[0]


def _is_torn(file: int) -> bool:
    """Whether the last line has no end; only the last byte is read."""
    try:
        os.lseek(file, -1, os.SEEK_END)
    except OSError:
        return False  # an empty file, a pipe and a terminal have no end to look at
    return os.read(file, 1) != _END


try:
    import fcntl
except ImportError:
    try:
        import msvcrt
    except ImportError:

        def _lock(file: int, path: str, sleep: Callable[[float], object]) -> None:
            """There are no locks here: one write a line has to do."""

        def _unlock(file: int) -> None:
            """Nothing was locked."""

    else:

        def _lock(file: int, path: str, sleep: Callable[[float], object]) -> None:
            try:
                os.lseek(file, _LOCKED, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
            except OSError:
                return  # busy for ten seconds, or no file: written without

        def _unlock(file: int) -> None:
            try:
                os.lseek(file, _LOCKED, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
            except OSError:
                return
else:

    def _lock(file: int, path: str, sleep: Callable[[float], object]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if path not in _given_up:
                _wait(file, path, sleep)
        except (OSError, AttributeError):
            return  # a file system or a browser without: one write has to do
        else:
            _given_up.discard(path)

    def _wait(file: int, path: str, sleep: Callable[[float], object]) -> None:
        """Try again and again, and in the end write without."""
        for seconds in _WAITS:
            sleep(seconds)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:
                return
            return
        _given_up.add(path)

    def _unlock(file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_UN)
        except (OSError, AttributeError):
            return
