"""One line more at the end of a file.

Several threads and processes may write to one file.

The file is opened, written and closed for each line, so that whoever is killed leaves
all that came before. The line goes out in one write to a descriptor that appends, while
the file is locked where the system has locks. Where the last writer died in the middle
of a line, the next one ends that line first; nothing is ever cut off.
"""

from __future__ import annotations

import os
from typing import Final

__all__: Final = ["append"]

_FLAGS: Final = (
    os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)  # no \r\n
)
_END: Final = b"\n"
_LOCKED: Final = 1 << 40  # a byte that no file has, for a lock that hinders no reader


def append(path: str, line: bytes) -> None:
    """Put a line, with its line end, at the end of the file; make it if needed."""
    try:
        file = os.open(path, _FLAGS, 0o666)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        file = os.open(path, _FLAGS, 0o666)
    try:
        _lock(file)
        if _is_torn(file):
            line = _END + line
        written = os.write(file, line)
        while written < len(line):  # a full disk raises at the next write
            written += os.write(file, line[written:])
    finally:
        _unlock(file)
        os.close(file)


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

        def _lock(file: int) -> None:
            """There are no locks here: one write a line has to do."""

        def _unlock(file: int) -> None:
            """Nothing was locked."""

    else:

        def _lock(file: int) -> None:
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

    def _lock(file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except (OSError, AttributeError):
            return  # a file system or a browser without: one write has to do

    def _unlock(file: int) -> None:
        """To close the file unlocks it."""
