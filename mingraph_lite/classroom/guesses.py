"""What a learner guessed and why, kept on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

__all__: Final = ["FILE", "Guess", "read_guesses", "write_guesses"]

FILE: Final = "my_guesses.json"


@dataclass(frozen=True)
class Guess:
    """An answer given before the code ran; None where it was skipped."""

    text: str | None
    why: str = ""


def read_guesses(folder: Path | None, lesson: str) -> dict[str, Guess]:
    """The guesses of one lesson, as far as the file can be read."""
    kept = _all(folder).get(lesson, {})
    return {
        key: Guess(one.get("text"), str(one.get("why", "")))
        for key, one in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(one, dict)
    }


def write_guesses(
    folder: Path | None, lesson: str, guesses: Mapping[str, Guess]
) -> None:
    """Keep the guesses of one lesson, and leave those of others."""
    if folder is None:
        return
    kept = _all(folder)
    kept[lesson] = {key: asdict(guess) for key, guess in guesses.items()}
    if not guesses:
        del kept[lesson]
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    draft = folder / f"{FILE}.draft"
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, folder / FILE)


def _all(folder: Path | None) -> dict[str, object]:
    try:
        kept = json.loads((folder / FILE).read_text("utf-8")) if folder else {}
    except (OSError, ValueError):
        kept = {}
    return kept if isinstance(kept, dict) else {}
