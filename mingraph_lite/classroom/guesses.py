"""What a learner guessed and why, kept on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

__all__: Final = ["FILE", "UNREADABLE", "Guess", "read_guesses", "write_guesses"]

FILE: Final = "my_guesses.json"
UNREADABLE: Final = "my_guesses.unreadable.json"


@dataclass(frozen=True)
class Guess:
    """An answer given before the code ran; None where it was skipped.

    `question` tells whether a guess on file was an answer to what is asked today.
    """

    text: str | None
    why: str = ""
    question: str = ""


def read_guesses(folder: Path | None, lesson: str) -> dict[str, Guess]:
    """The guesses of one lesson, as far as the file can be read."""
    kept = _all(folder).get(lesson, {})
    return {
        key: _guess(one)
        for key, one in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(one, dict)
    }


def write_guesses(
    folder: Path | None, lesson: str, guesses: Mapping[str, Guess]
) -> None:
    """Keep the guesses of one lesson, and leave those of others.

    Raises OSError where nothing can be written. A file that cannot be read is laid
    aside, not lost.
    """
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / FILE).exists() and _read(folder) is None:
        os.replace(folder / FILE, folder / UNREADABLE)
    kept = _all(folder)
    kept[lesson] = {key: asdict(guess) for key, guess in guesses.items()}
    if not guesses:
        del kept[lesson]
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    draft = folder / f"{FILE}.draft"
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, folder / FILE)


def _guess(one: Mapping[str, object]) -> Guess:
    text = one.get("text")
    return Guess(
        None if text is None else str(text),
        str(one.get("why", "")),
        str(one.get("question", "")),
    )


def _all(folder: Path | None) -> dict[str, object]:
    return (_read(folder) if folder else None) or {}


def _read(folder: Path) -> dict[str, object] | None:
    """The file, or None: it is not there, or is no such file of ours."""
    try:
        kept = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) else None
