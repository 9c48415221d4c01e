"""Whether a listener leaves a line for each announcement, at once.

Each announcement of a run is handed to it, and after each the file is looked at: a run
may be killed at any moment, and what is not in the file by then is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.words import count_of
from mingraph_lite.lab.scenarios import already_fahrenheit
from mingraph_lite.observers import Event, Observer, Recorder

__all__: Final = ["announced", "wrong_listener", "wrong_writing"]

_AS_JSON: Final = "JSON is what json.dumps makes of the dict."


def wrong_listener(kind: Any) -> str | None:
    """What is wrong with a class that should be made from Observer."""
    if isinstance(kind, Observer):
        return "Hand in the class itself, without brackets behind it."
    if not isinstance(kind, type) or not issubclass(kind, Observer):
        return "Hand in your class, made from Observer: class LineWriter(Observer)."
    return None


def wrong_writing(kind: Callable[[Path], Observer], told: Sequence[Any]) -> str | None:
    """What is wrong with what it writes; `told` are the lines of one run."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        try:
            grown = _sizes_after_each(kind(path), path, told)
        except OSError as error:
            return (
                f"Opening the file raised {type(error).__name__}: {error.strerror}. "
                'Open it to append, with "a", whether it is there or not.'
            )
        if grown[-1] is None:
            return (
                f"{STILL_THE_STUB}, or it writes elsewhere: after a whole run there is "
                "no file at self.path."
            )
        return _wrong_file(path, told) or _wrong_growth(grown) or _second(kind, path)


@cache
def announced() -> tuple[Event, ...]:
    """The announcements of a run in which each moment of the listener comes."""
    recorder = Recorder()
    already_fahrenheit.agent(observers=[recorder]).run(already_fahrenheit.question)
    return tuple(recorder.events)


def _moments() -> list[Event]:
    heard = ("model_reply", "tool_return", "finish")
    return [event for event in announced() if event.name in heard]


def _sizes_after_each(
    listener: Observer, path: Path, told: Sequence[Any]
) -> list[int | None]:
    """How many lines stand in the file after each announcement; None without one."""
    sizes: list[int | None] = []
    for event in announced():
        listener.on_event(event)
        if event in _moments():
            there = path.exists()
            sizes.append(path.read_bytes().count(b"\n") if there else None)
    assert len(sizes) == len(told)
    return sizes


def _wrong_file(path: Path, told: Sequence[Any]) -> str | None:
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = [line for line in text.split("\n") if line.strip()]
    if wrong := _no_lines(text, lines, len(told)):
        return wrong
    for number, (line, wanted) in enumerate(zip(lines, told, strict=True), start=1):
        if wrong := _wrong_line(number, line, wanted):
            return wrong
    return None


def _no_lines(text: str, lines: list[str], most: int) -> str | None:
    """What is wrong with the lines, whatever they say."""
    if not lines:
        return "The file is empty after a whole run."
    if lines[0].strip() == "{":
        return "One announcement takes several lines: leave the indent out."
    if lines[0].startswith("{'"):
        return f"Line 1 is how Python shows a dict: {lines[0][:24]}… {_AS_JSON}"
    if len(lines) == 1 and text.count('"event"') > 1:
        return (
            'All announcements stand on one line. A line end goes behind each: + "\\n".'
        )
    if not text.endswith("\n"):
        return (
            "Behind the last line is no line end, so nobody can tell it from a torn "
            'one. Write "\\n" behind each.'
        )
    if len(lines) < most and len(lines) == 1:
        return (
            f"After {most} announcements the file has 1 line: each took the place of "
            'the one before. Open it with "a", to append.'
        )
    if len(lines) != most:
        return f"{most} announcements, and {count_of(len(lines), 'line')}: one each."
    return None


def _wrong_line(number: int, line: str, wanted: Mapping[str, Any]) -> str | None:
    try:
        got = json.loads(line)
    except ValueError:
        return f"Line {number} is no JSON: {line[:30]}… {_AS_JSON}"
    if not isinstance(got, dict):
        return f"Line {number} is JSON of a {type(got).__name__}. Hand json.dumps line."
    for key, value in wanted.items():
        if key not in got:
            return f"Line {number} does not say {key}."
        if got[key] != value:
            return f"Line {number} says {key} {got[key]!r}, and it was {value!r}."
    return None


def _wrong_growth(grown: Sequence[int | None]) -> str | None:
    for count, size in enumerate(grown, start=1):
        if (size or 0) < count:
            return (
                f"After {count_of(count, 'announcement')} the file has "
                f"{count_of(size or 0, 'line')}. Who is killed there leaves no more: "
                "open, write and close for each line."
            )
    return None


def _second(kind: Callable[[Path], Observer], path: Path) -> str | None:
    """What becomes of the first run where a second writes to the same file."""
    before = path.read_bytes()
    listener = kind(path)
    for event in announced():
        listener.on_event(event)
    after = path.read_bytes()
    if not after.startswith(before) or len(after) == len(before):
        return (
            "A second run wrote to the same file, and the first one's lines are gone."
        )
    return None
