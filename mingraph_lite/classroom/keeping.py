"""my_agent.py: what a learner wrote, from lesson to lesson.

A file of Python like any other. What is kept anew takes the place of what had its
name; nothing is overwritten without a copy, my_agent.before_04.py.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from mingraph_lite.classroom.definitions import CannotKeep
from mingraph_lite.classroom.pages import with_pieces
from mingraph_lite.classroom.patience import NoEnd, patience
from mingraph_lite.classroom.sources import OWN_FILE, Piece

__all__: Final = ["FILE", "HEAD", "read_own", "write_down"]

FILE: Final = f"{OWN_FILE}.py"
HEAD: Final = '"""My agent, written lesson by lesson: keep(...) adds what I wrote."""\n'


def write_down(folder: Path, pieces: Sequence[Piece], lesson: str) -> str | None:
    """Write pieces into my_agent.py.

    Gives the name of the copy of the file as it was, if there is one now. Raises
    CannotKeep, and leaves the file alone, where the new one would not run or cannot be
    written.
    """
    path = folder / FILE
    try:
        before = path.read_bytes() if path.exists() else None
        old = _text(before)
        new = with_pieces(HEAD if old is None else old, pieces)
        if new == old:
            return None
        _try(new, path)
        folder.mkdir(parents=True, exist_ok=True)
        copy = _copy(folder, before, lesson) if before is not None else None
        ends = "\r\n" if b"\r\n" in (before or b"") else "\n"
        _replace(path, new.replace("\n", ends).encode())
    except OSError as error:
        raise CannotKeep(
            f"{FILE} cannot be written in this folder: {error.strerror}."
        ) from None
    _forget_the_old_one(path)
    return copy


def read_own(folder: Path | None) -> str:
    """What stands in my_agent.py; nothing where there is none to be read."""
    path = None if folder is None else folder / FILE
    try:
        return (_text(path.read_bytes()) or "") if path else ""
    except (OSError, CannotKeep):
        return ""


def _text(written: bytes | None) -> str | None:
    """The file with our line ends, whoever saved it."""
    if written is None:
        return None
    try:
        text = written.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CannotKeep(
            f"{FILE} is not in UTF-8. Save it so, or rename it and begin anew."
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _try(text: str, path: Path) -> None:
    """Run the file once, elsewhere: what cannot be imported must not be written."""
    before = sys.modules.get(OWN_FILE)
    # A dataclass looks its own module up.
    trial = sys.modules[OWN_FILE] = ModuleType(OWN_FILE)
    trial.__file__ = str(path)
    try:
        with patience():
            exec(compile(text, FILE, "exec", dont_inherit=True), vars(trial))
    except (Exception, NoEnd, SystemExit) as error:
        # Whatever a learner's own lines raise: the file stays as it was.
        raise CannotKeep(
            f"With it, {FILE} would not run: {type(error).__name__}: {error}."
        ) from error
    finally:
        sys.modules.pop(OWN_FILE, None)
        if before is not None:
            sys.modules[OWN_FILE] = before


def _copy(folder: Path, written: bytes, lesson: str) -> str:
    """Keep what is there under another name, and give that name."""
    stem = f"{OWN_FILE}.before_{lesson[:2]}"
    for copy in sorted(folder.glob(f"{OWN_FILE}.before_*.py")):
        if copy.read_bytes() == written:
            return copy.name
    free = (n for n in _names(stem) if not (folder / n).exists())
    copy = folder / next(free)
    _replace(copy, written)
    return copy.name


def _names(stem: str) -> Iterable[str]:
    yield f"{stem}.py"
    count = 2
    while True:
        yield f"{stem}-{count}.py"
        count += 1


def _replace(path: Path, written: bytes) -> None:
    """Write a file whole, or not at all."""
    draft = path.with_name(f"{path.name}.draft")
    try:
        draft.write_bytes(written)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _forget_the_old_one(path: Path) -> None:
    """Let the next import see the new file, even within the same second."""
    sys.modules.pop(OWN_FILE, None)
    compiled = Path(importlib.util.cache_from_source(str(path)))
    compiled.unlink(missing_ok=True)
    importlib.invalidate_caches()
