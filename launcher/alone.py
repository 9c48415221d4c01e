"""One start.py at a time changes what all of them share.

A lock of the system's, not a file that is there or not: it is gone when its process
is, whatever that process died of.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from launcher.place import Place
from start import say

__all__ = ["alone", "hold", "holder"]

FAR = 1 << 20  # on Windows what is locked cannot be read: so not the first bytes


def lock(file: IO[str]) -> bool:
    """Take the lock on a file, if nobody has it."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # some network drives know no locks: there we do without
        return True
    return True


def hold(path: Path) -> IO[str] | None:
    """Take a lock until its file is closed; None if taken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "a+", encoding="utf-8")  # noqa: SIM115, the caller closes it
    if not lock(file):
        file.close()
        return None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def holder(path: Path) -> str | None:
    """Name the process that holds a lock; None where nobody does."""
    try:
        with open(path, "r+", encoding="utf-8") as file:
            return None if lock(file) else file.read(20).strip() or "unknown"
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def alone[T](
    place: Place,
    instead: Callable[[], T | None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[T | None]:
    """Wait until no other start.py installs here, then go on.

    Where `instead` finds something before that, it is handed out: no need to wait.
    """
    path = place.build / "installing.lock"
    waited, file = 0.0, None
    while (found := instead()) is None and (file := hold(path)) is None:
        if waited % 5 == 0:
            process = f"process {holder(path) or 'gone'}"
            told = f"{waited:6.0f} s  still waiting for {process} ..."
            first = f"Another start.py is installing ({process}); waiting ..."
            say(told if waited else first)
        sleep(0.5)
        waited += 0.5
    if file and os.name != "nt":
        # `run` hands it on: a pip that outlives a killed start still writes in .venv.
        os.set_inheritable(file.fileno(), True)
    with file or contextlib.nullcontext():
        yield instead() if found is None else found
