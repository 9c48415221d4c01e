"""What lines of a trace say, read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

__all__: Final = ["Mark", "marks_of", "normalise", "told_at"]

_TIMES: Final = {"ms", "started", "package"}
_IDS: Final = {"id", "tool_call_id"}
_NOT_OURS: Final = {"arguments", "value", "payload", "settings", "menu", "model"}
"""What stands under these keys is somebody else's, whatever its keys are called."""


class Mark(NamedTuple):
    """What of a line is cut, masked, or a stand-in."""

    at: str
    what: str
    length: int | None

    def __str__(self) -> str:
        more = "" if self.length is None else f" of {self.length:,} characters"
        return f"{self.what}{more}"


def marks_of(line: Mapping[str, Any]) -> Iterator[Mark]:
    """The marks of a line; what says not what a mark should is none."""
    marks = line.get("marks")
    for mark in marks if isinstance(marks, list) else ():
        if not isinstance(mark, Mapping):
            continue
        at, what, length = mark.get("at"), mark.get("what"), mark.get("length")
        if isinstance(at, str) and isinstance(what, str):
            yield Mark(at, what, length if type(length) is int else None)


def told_at(lines: Mapping[int, Mapping[str, Any]], value: Any) -> Any:
    """A value of a line, or what it refers to: `{"line": 7, "at": "content"}`.

    Raises LookupError where that line is not there.
    """
    if not (isinstance(value, Mapping) and value.keys() == {"line", "at"}):
        return value
    found: Any = lines[value["line"]]
    for part in str(value["at"]).split("."):
        found = found[int(part) if isinstance(found, list) else part]
    return found


def normalise(lines: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lines without what differs from run to run, to compare two traces.

    Runs and slips are numbered in the order in which they come, "#1" being the first;
    times and the version of the package are gone.
    """
    numbers: dict[str, str] = {}
    runs: dict[str, str] = {}

    def number(known: dict[str, str], id: Any) -> Any:
        if not isinstance(id, str) or not id:
            return id
        return known.setdefault(id, f"#{len(known) + 1}")

    def part(value: Any) -> Any:
        if isinstance(value, list):
            return [part(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        return {key: under(key, item) for key, item in value.items()}

    def under(key: str, value: Any) -> Any:
        if key in _IDS:
            return number(numbers, value)
        if key == "slips" and isinstance(value, list):
            return [number(numbers, id) for id in value]
        return value if key in _NOT_OURS else part(value)

    normal = []
    for line in lines:
        kept = {key: value for key, value in line.items() if key not in _TIMES}
        run = number(runs, kept.pop("run", None))
        normal.append({"run": run, **part(kept)})
    return normal
