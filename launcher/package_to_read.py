"""The package's files, laid where a lesson can link to them.

JupyterLab opens what lies below the folder it was started in, which is the learner's.
So what lessons name as their next reading lies there too, in `package/`: byte for byte,
so that line numbers agree, and read-only. Its name keeps it from being imported in the
package's place.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from launcher.copies import Notes, write_whole
from launcher.place import Place
from start import say

__all__ = ["lay_package"]

FOLDER = "package"
LEFT_OUT = "classroom"  # it holds the answers to what the lessons ask
READ_ONLY, WRITABLE = 0o444, 0o644
ABOUT = """\
# The package, to be read

These are copies of the files that `from mingraph_lite import …` reads, line for line.
Changing one changes nothing in a lesson, so they are read-only; each start lays them
anew. The originals are in `mingraph_lite/`, beside `start.py`.
"""


def lay_package(place: Place, tell: Callable[[str], None] = say) -> None:
    """Lay the files anew, and leave what is not ours."""
    files = files_to_read(place)
    folder = place.lessons / FOLDER
    if not files:
        return
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        tell(taken(FOLDER))
        return
    folder.mkdir(exist_ok=True)
    notes = Notes.of(folder)
    try:
        for name in [*notes.written]:
            if name not in files:
                remove(notes, folder, name)
        for name, whole in files.items():
            if not lay(notes, folder, name, whole):
                tell(taken(f"{FOLDER}/{name}"))
    finally:
        notes.save()


def files_to_read(place: Place) -> dict[str, bytes]:
    """Read all modules but those that give answers away.

    The package's own `__init__` is left out too: without it nothing here looks like
    a package that was installed.
    """
    unread = {Path("__init__.py")}
    modules = [p.relative_to(place.package) for p in place.package.rglob("*.py")]
    chosen = [m for m in modules if m.parts[0] != LEFT_OUT and m not in unread]
    files = {m.as_posix(): (place.package / m).read_bytes() for m in sorted(chosen)}
    return {"README.md": ABOUT.encode(), **files} if files else {}


def lay(notes: Notes, folder: Path, name: str, whole: bytes) -> bool:
    """Lay one file, unless something of the learner's is in its place."""
    path = folder / name
    if path.resolve() != folder.resolve() / name:  # a link would lead us elsewhere
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return False
    present = hashlib.sha256(whole).hexdigest()
    if os.path.lexists(path):
        now = state_of(path)
        if now not in (present, notes.written.get(name)):
            return False
        if now == present:
            path.chmod(READ_ONLY)
            notes.written[name] = present
            return True
        path.chmod(WRITABLE)  # Windows replaces no file that is read-only
    write_whole(path, whole)
    path.chmod(READ_ONLY)
    notes.written[name] = present
    return True


def remove(notes: Notes, folder: Path, name: str) -> None:
    """Take a file away that the package has no more, if it is as we laid it."""
    path = folder / name
    if state_of(path) == notes.written.pop(name) and not path.is_symlink():
        path.chmod(WRITABLE)
        path.unlink()


def state_of(path: Path) -> str:
    """Boil down a file; a folder is none of ours."""
    if not path.is_file():
        return "not ours"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def taken(name: str) -> str:
    """Say that something stands where ours would be."""
    return f"{name} is yours, and stays: rename it, and the next start brings ours."
