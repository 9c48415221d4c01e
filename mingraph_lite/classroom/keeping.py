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
from mingraph_lite.classroom.pages import names_in, with_pieces, written_as
from mingraph_lite.classroom.patience import NoEnd, patience
from mingraph_lite.classroom.sources import OWN_FILE, Piece

__all__: Final = ["FILE", "HEAD", "read_own", "trouble_with", "write_down"]

FILE: Final = f"{OWN_FILE}.py"
HEAD: Final = '"""My agent, written lesson by lesson: keep(...) adds what I wrote."""\n'


def write_down(folder: Path, pieces: Sequence[Piece], lesson: str) -> str | None:
    """Write pieces into my_agent.py.

    Gives the name of a copy of the file as it was, where something is replaced that no
    copy holds yet. Raises CannotKeep, and leaves the file alone, where the new one
    would not run or cannot be written.
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
        safe = old is None or _in_copies(folder, old, new)
        copy = None if safe else _copy(folder, before or b"", lesson)
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


def trouble_with(folder: Path | None) -> str | None:
    """What keeps a lesson from what was kept before it, and what to do about it."""
    if folder is None:
        return None
    try:
        names_in(_text((folder / FILE).read_bytes()) or "")
    except FileNotFoundError:
        return (
            f"There is no {FILE} here, and later lessons begin with it. take_ours(), "
            "of mingraph_lite.classroom, puts ours there."
        )
    except OSError as error:
        return f"{FILE} cannot be read in this folder: {error.strerror}."
    except CannotKeep as error:
        return str(error)
    return None


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


def _in_copies(folder: Path, old: str, new: str) -> bool:
    """Whether a copy holds all that the new file has no more."""
    copies = [_text(p.read_bytes()) or "" for p in _copies(folder)]
    return all(
        any(written_as(copy, name) == was for copy in copies)
        for name in names_in(old)
        if (was := written_as(old, name)) != written_as(new, name)
    )


def _copies(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{OWN_FILE}.before_*.py"))


def _copy(folder: Path, written: bytes, lesson: str) -> str:
    """Keep what is there under another name, and give that name."""
    stem = f"{OWN_FILE}.before_{lesson[:2]}"
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
