"""The learner's own copies, and what of them may be renewed.

A copy that nobody has touched is renewed by itself when its lesson is. One that was
touched is never written over: where its lesson is newer, that is said.
What that means is decided in `cells`.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from launcher.cells import content, folds, seen
from launcher.making_venv import real_folder
from launcher.own_agent import OWN, lacking
from launcher.place import Place
from start import Trouble, say

__all__ = [
    "Notes",
    "copy_again",
    "copy_lessons",
    "find_lesson",
    "first_copy",
    "guessed_in",
    "write_whole",
]

NOTES = ".copies.json"
GUESSES = "my_guesses.json"


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


def first_copy(place: Place) -> str | None:
    """Name the first lesson that the learner has a copy of."""
    names = sorted(path.name for path in lessons_of(place))
    return next((name for name in names if (place.lessons / name).exists()), None)


def find_lesson(place: Place, lesson: str) -> Path:
    """Find a lesson by its number, or a milestone by its own: 01, 01b."""
    known = {number_of(path.name): path for path in sorted(lessons_of(place))}
    wanted = lesson.lower()
    notebook = known.get(wanted) or known.get("0" + wanted)
    if notebook is None:
        numbers = ", ".join(known) or "none yet"
        raise Trouble(f"There is no lesson {lesson!r}: choose from {numbers}.")
    return notebook


def guessed_in(place: Place, lesson: str) -> bool:
    """Tell whether guesses are kept of this lesson: all of its copies share them."""
    try:
        kept = json.loads((place.lessons / GUESSES).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(kept, dict) and find_lesson(place, lesson).stem in kept


def number_of(name: str) -> str:
    """Take the number from a lesson's name."""
    return name.partition("_")[0]


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
    whole = content(place, source)
    present, folded = seen(source.name, whole), folds(source.name, whole)
    copies = [first, *first.parent.glob(f"{first.stem}-[0-9]*{first.suffix}")]
    for copy in copies:
        name = copy.relative_to(place.lessons).as_posix()
        now = seen(copy.name, copy.read_bytes()) if copy.is_file() else ""
        if now == present:
            notes.written[name] = present
            if folded and not folds(copy.name, copy.read_bytes()):
                # A copy from before reveals were folded. Why not count what is folded
                # as seen? Then unfolding one would be an edit.
                write_copy(place, notes, source, copy)
        elif now and now == notes.written.get(name):
            write_copy(place, notes, source, copy)
            tell(f"{name} was untouched, and is now the newer one.")
    names = [copy.relative_to(place.lessons).as_posix() for copy in copies]
    if first.name == OWN:
        words = lacking(source, first)
    elif present in map(notes.written.get, names):
        words = None
    else:
        words = newer(names[0], known=names[0] in notes.written)
    if words:
        tell(words)


def newer(name: str, *, known: bool) -> str:
    """Say that there is a newer one, as far as we know."""
    verb = "is newer than your copy" if known else "may be newer than your copy"
    if "/" in name or not name.endswith(".ipynb"):
        return f"{name} {verb}: rename yours, and the next start brings the new one."
    number = number_of(name)
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
