"""The learner's own copies, and what of them may be renewed.

A copy that nobody has touched is renewed by itself when its lesson is. One that was
touched is never written over: where its lesson is newer, that is said.

What is touched? JupyterLab writes a notebook anew when it is only opened: other line
ends, other metadata. So not the bytes are compared but what a learner can see: the
kinds, sources, attachments and outputs of the cells. Outputs count, and so a copy that
was merely run is touched: they may hold an answer on a question card, or a run of
a minute, and a lesson that is newer is no reason to lose them.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.making_venv import real_folder
from launcher.place import Place
from start import Trouble, say

__all__ = ["copy_again", "copy_lessons", "find_lesson"]

NOTES = ".copies.json"
OWN = "my_agent.py"  # `keep` writes it: it is meant to differ from ours


@dataclass
class Notes:
    """What each copy was when it was written, kept beside the copies."""

    path: Path
    written: dict[str, str]

    @classmethod
    def of(cls, lessons: Path) -> "Notes":
        """Read the notes; copies from before there were any count as touched."""
        path = lessons / NOTES
        try:
            written = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            written = {}
        return cls(path, written if isinstance(written, dict) else {})

    def save(self) -> None:
        """Write the notes, whole or not at all."""
        text = json.dumps(self.written, indent=1, sort_keys=True) + "\n"
        write_whole(self.path, text.encode())


def copy_lessons(place: Place, tell: Callable[[str], None] = say) -> list[Path]:
    """Bring the copies up to date, and return the lessons' own."""
    real_folder(place.lessons)
    place.lessons.mkdir(exist_ok=True)
    notes = Notes.of(place.lessons)
    try:
        for source in sources(place):
            bring_up_to_date(place, notes, source, tell)
    finally:
        notes.save()
    return [place.lessons / path.name for path in sorted(lessons_of(place))]


def copy_again(place: Place, lesson: str) -> Path:
    """Copy one lesson under the next free name: 04_cards.ipynb, 04_cards-2.ipynb."""
    real_folder(place.lessons)
    source = find_lesson(place, lesson)
    copy, count = place.lessons / source.name, 1
    while copy.exists():
        count += 1
        copy = place.lessons / f"{source.stem}-{count}.ipynb"
    place.lessons.mkdir(exist_ok=True)
    notes = Notes.of(place.lessons)
    write_copy(place, notes, source, copy)
    notes.save()
    return copy


def find_lesson(place: Place, lesson: str) -> Path:
    """Find a lesson by its number."""
    known = sorted(lessons_of(place))
    prefix = lesson.zfill(2) + "_"
    notebook = next((path for path in known if path.name.startswith(prefix)), None)
    if notebook is None:
        numbers = ", ".join(path.name[:2] for path in known) or "none yet"
        raise Trouble(f"There is no lesson {lesson!r}: choose from {numbers}.")
    return notebook


def lessons_of(place: Place) -> Iterator[Path]:
    """List the lessons as they are written."""
    return place.notebooks.glob("*.ipynb")


def sources(place: Place) -> list[Path]:
    """List all that a learner gets a copy of."""
    files = [*lessons_of(place), *place.notebooks.glob("*.py")]
    for folder in ("solutions", "data"):
        inner = (place.notebooks / folder).rglob("*")
        files += [p for p in inner if p.is_file() and not hidden(p, place.notebooks)]
    return sorted(files)


def hidden(path: Path, top: Path) -> bool:
    """Tell whether a file is what a tool left behind."""
    return any(x[0] == "." or x == "__pycache__" for x in path.relative_to(top).parts)


def bring_up_to_date(
    place: Place, notes: Notes, source: Path, tell: Callable[[str], None]
) -> None:
    """Copy what is missing, renew what is untouched, name what is newer."""
    first = place.lessons / source.relative_to(place.notebooks)
    if not os.path.lexists(first):
        write_copy(place, notes, source, first)
        return
    present = seen(source.name, content(place, source))
    copies = [first, *first.parent.glob(f"{first.stem}-[0-9]*{first.suffix}")]
    for copy in copies:
        name = copy.relative_to(place.lessons).as_posix()
        now = seen(copy.name, copy.read_bytes()) if copy.is_file() else ""
        if now == present:
            notes.written[name] = present
        elif now and now == notes.written.get(name):
            write_copy(place, notes, source, copy)
            tell(f"{name} was untouched, and is now the newer one.")
    names = [copy.relative_to(place.lessons).as_posix() for copy in copies]
    if present not in map(notes.written.get, names) and first.name != OWN:
        tell(newer(names[0], known=names[0] in notes.written))


def newer(name: str, *, known: bool) -> str:
    """Say that there is a newer one, as far as we know."""
    verb = "is newer than your copy" if known else "may be newer than your copy"
    if "/" in name or not name.endswith(".ipynb"):
        return f"{name} {verb}: rename yours, and the next start brings the new one."
    number = name[:2]
    return f"Lesson {number} {verb}: python3 start.py fresh {number}"


def write_copy(place: Place, notes: Notes, source: Path, copy: Path) -> None:
    """Write a copy and note what it was."""
    whole = content(place, source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    write_whole(copy, whole)
    name = copy.relative_to(place.lessons).as_posix()
    notes.written[name] = seen(copy.name, whole)


def write_whole(path: Path, content: bytes) -> None:
    """Name a file when whole: half a copy would count as touched."""
    draft = path.with_name(path.name + ".draft")
    draft.write_bytes(content)
    os.replace(draft, path)


def content(place: Place, source: Path) -> bytes:
    """Return a lesson without the outputs that it asks about."""
    if source.suffix != ".ipynb" or source.parent != place.notebooks:
        return source.read_bytes()
    notebook = json.loads(source.read_text(encoding="utf-8"))
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def seen(name: str, content: bytes) -> str:
    """Boil down what a learner can see of a file."""
    visible = content
    if name.endswith(".ipynb"):
        try:
            cells = json.loads(content)["cells"]
            visible = repr([visible_in(cell) for cell in cells]).encode()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            visible = content  # not a notebook any more, so touched
    return hashlib.sha256(visible).hexdigest()


def visible_in(cell: dict[str, Any]) -> tuple[Any, ...]:
    """Take from a cell what can be seen."""
    return (
        cell["cell_type"],
        in_one_piece(cell["source"]),
        in_one_piece(cell.get("attachments") or {}),
        in_one_piece(cell.get("outputs") or []),
        cell.get("execution_count"),
    )


def in_one_piece(value: Any) -> Any:
    """Join texts that are stored line by line, as JupyterLab may."""
    if isinstance(value, list):
        if value and all(isinstance(part, str) for part in value):
            return "".join(value)
        return [in_one_piece(part) for part in value]
    if isinstance(value, dict):
        return sorted((k, in_one_piece(v)) for k, v in value.items())
    return value
