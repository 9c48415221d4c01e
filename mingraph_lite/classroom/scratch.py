"""Files that a lesson writes, gone with its kernel."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

__all__: Final = ["scratch"]


@cache
def _folder() -> TemporaryDirectory[str]:
    """The folder, for as long as Python runs.

    Why not one that a cell makes? Run again, that cell would take away what later ones
    have written.
    """
    return TemporaryDirectory(prefix="lesson-")


def scratch(name: str) -> Path:
    """The path of a file where nothing stands yet, also when a cell runs again."""
    if name in ("", ".", "..") or Path(name).name != name:
        raise ValueError(f"{name!r} is no name of a file. Give one, such as 'a.jsonl'.")
    path = Path(_folder().name, name)
    path.unlink(missing_ok=True)
    return path
