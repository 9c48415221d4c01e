"""What went wrong, in a sentence with the words below it."""

import errno
import re
from pathlib import Path

from launcher.place import Place
from start import Trouble

__all__ = ["JobFailed", "below", "cause_in", "last_lines", "sentence_of"]

AGAIN = "then start again (what is there already is kept)"
FULL = f"The disk is full: make room on it, {AGAIN}."
READ_ONLY = (
    "The disk is read-only: copy the project to a folder of your own, and start there."
)

# What pip and npm say that never is the point.
CHATTER = re.compile(
    r"WARNING: Location .* is ignored|\[notice\]|npm notice"
    r"|npm error A complete log|npm error\s*$"
)
CAUSES = {
    r"No space left on device|ENOSPC|Disk quota exceeded|EDQUOT": FULL,
    r"Read-only file system|EROFS": READ_ONLY,
    r"Permission denied|EACCES|EPERM": (
        "Something may not be read or written by you: the words below name it. Give "
        f"yourself the right, or copy the project to a folder of your own, {AGAIN}."
    ),
}


class JobFailed(Trouble):
    """Something we started has failed; its words stand below."""

    def __init__(self, doing: str, log: Path, place: Place) -> None:
        self.log = log
        sentence = cause_in(log) or f"{doing} failed."
        super().__init__(sentence + below(log, place))


def sentence_of(error: OSError, place: Place) -> str:
    """Say in a plain sentence what the system refused."""
    named = error.filename or place.root
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FULL
    if error.errno == errno.EROFS:
        return f"{named} cannot be written. {READ_ONLY}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return (
            f"{named} may not be read or written by you: give yourself the right, or "
            f"copy the project to a folder of your own, {AGAIN}."
        )
    return str(error)


def cause_in(log: Path) -> str | None:
    """Find the plain cause that a log names, if it names one."""
    words = "\n".join(last_lines(log, 40))
    found = (said for pattern, said in CAUSES.items() if re.search(pattern, words))
    return next(found, None)


def last_lines(log: Path, count: int = 12) -> list[str]:
    """Return the last lines of a log that tell something."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [x.rstrip() for x in lines if x.strip() and not CHATTER.match(x)][-count:]


def below(log: Path, place: Place, about: re.Pattern[str] | None = None) -> str:
    """Set the last lines of a log, or those about it, below."""
    lines = last_lines(log, 200)
    if about:
        lines = [line for line in lines if about.search(line)][-3:]
    else:  # npm lists all that it has fetched, for those who look on while it does
        lines = [line for line in lines if not line.startswith("npm http")][-12:]
    shown = "".join(f"\n    {line}" for line in lines)
    return f" All it said is in {place.shown(log)}, which ends so:{shown}"
