"""The command that reads a transcript: python -m mingraph_lite.transcripts."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from mingraph_lite.schema.in_short import brief
from mingraph_lite.schema.jsonable import jsonable
from mingraph_lite.schema.signs import in_one_line
from mingraph_lite.traces.in_words import problems_in_words
from mingraph_lite.traces.layout import NARROWEST, WIDTH, Layout, sheet
from mingraph_lite.traces.terminal import written
from mingraph_lite.transcripts import (
    QuestionLine,
    Transcribed,
    read_transcript,
    unusual,
)

__all__: Final = ["main"]

_PROGRAM: Final = "python -m mingraph_lite.transcripts"
_WIDEST: Final = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """List the questions of a file as the arguments say; the exit code."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Read a transcript: a line for each question, and below them those "
        "that took unusually many rounds, or few.",
    )
    parser.add_argument("file", metavar="FILE", help="what a Transcript has written")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    asked = parser.parse_args(arguments)
    return written(_PROGRAM, lambda: _text(asked.file, as_data=asked.json))


def _text(path: str, *, as_data: bool) -> str:
    read = read_transcript(path)
    if as_data:
        data = {**asdict(read), "unusual": asdict(unusual(read))}
        return json.dumps(jsonable(data), indent=2)
    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return "\n".join(_in_words(read, Layout(max(columns, NARROWEST))))


def _in_words(read: Transcribed, layout: Layout) -> Iterator[str]:
    if read.lines:
        rows = [("", "rounds", "errands", "tokens", "ended", "question", "answer")]
        rows += [(str(at), *_cells(line)) for at, line in enumerate(read.lines, 1)]
        yield from map(layout.cut, sheet(rows, right=(0, 1, 2, 3)))
        yield ""
    yield from map(layout.cut, str(unusual(read)).splitlines())
    yield from problems_in_words(read.problems, layout)


def _cells(line: QuestionLine) -> tuple[str, str, str, str, str, str]:
    return (
        str(line.rounds),
        str(line.errands),
        "?" if line.tokens is None else f"{line.tokens:,}",
        brief(in_one_line(line.reason), _WIDEST),
        brief(in_one_line(line.question), _WIDEST),
        in_one_line(line.answer or ""),
    )
