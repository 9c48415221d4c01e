"""What a learner's reader makes of files, torn ones among them.

A line is torn where its process was killed while it wrote. The next run appends behind
it, so a torn line may stand anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.words import count_of

__all__: Final = ["wrong_reading"]

_ONE: Final = {"event": "tool_return", "content": "18", "number": "call_1"}
_TWO: Final = {"event": "model_reply", "content": "a}\n{b", "reasoning": None}
_THREE: Final = {"event": "finish", "answer": "18", "reason": "answered"}
_CUT: Final = '{"event": "tool_call", "argum'
# Torn behind its first bracket: it ends as a whole line does.
_TORN: Final = '{"event": "tool_call", "arguments": {"city": "Paris"}'

_CASES: Final[Sequence[tuple[str, Sequence[object]]]] = (
    ("A file of three whole lines", (_ONE, _TWO, _THREE)),
    ("The last line is torn", (_ONE, _TWO, _CUT)),
    ("The last line is torn behind a bracket", (_ONE, _TWO, _TORN)),
    ("A torn line stands in the middle", (_ONE, _TORN + "\n", _TWO, _THREE)),
    ("The first line is torn", (_TORN + "\n", _TWO)),
    ("The only line is torn", (_TORN,)),
    ("The file is empty", ()),
)


def wrong_reading(read: Callable[[Path], Any]) -> str | None:
    """The first file that it reads wrong."""
    for what, parts in _CASES:
        whole = [part for part in parts if isinstance(part, dict)]
        if wrong := _wrong_file(read, what, parts, whole):
            return wrong
    return None


def _wrong_file(
    read: Callable[[Path], Any],
    what: str,
    parts: Sequence[object],
    whole: list[dict[str, Any]],
) -> str | None:
    text = "".join(p if isinstance(p, str) else f"{json.dumps(p)}\n" for p in parts)
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        path.write_text(text, encoding="utf-8")
        try:
            got = read(path)
        except ValueError as error:
            return _raised(what, parts, error)
        if path.read_text(encoding="utf-8") != text:
            return "The file is not what it was. Who reads it leaves it as it is."
    return _wrong_list(got, what, whole)


def _raised(what: str, parts: Sequence[object], error: ValueError) -> str:
    name = type(error).__name__
    if _CUT in parts:  # what every reader meets that looks at no line first
        return (
            f"{STILL_THE_STUB}, or the error gets out all the same. {what}: it "
            f"raises {name}, and nobody reads any line."
        )
    return f"{what}: it still reaches json.loads, which raises {name}."


def _wrong_list(got: Any, what: str, whole: list[dict[str, Any]]) -> str | None:
    if got is None:
        return f"{what}: it hands back nothing. Is a return missing?"
    if not isinstance(got, list | tuple):
        kind = type(got).__name__
        return f"{what}: what it hands back is of kind {kind}, and no list."
    lines = list(got)
    if lines == whole:
        return None
    odd = [line for line in lines if not isinstance(line, dict)]
    if odd:
        return f"{what}: {odd[0]!r:.40} is in the list. Only lines that were read."
    if len(lines) < len(whole):
        lost = count_of(len(whole) - len(lines), "whole line")
        return f"{what}: {lost} of {len(whole)} did not come back."
    if len(lines) > len(whole):
        return f"{what}: {len(lines)} came back, and {len(whole)} are whole."
    return f"{what}: the lines that came back are not those of the file, in its order."
