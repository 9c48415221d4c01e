"""The command that reads a trace: python -m mingraph_lite.trace."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from mingraph_lite.schema.in_short import brief
from mingraph_lite.schema.jsonable import jsonable
from mingraph_lite.schema.signs import in_one_line
from mingraph_lite.trace import RunSummary, Trace, TracedRun, read_trace
from mingraph_lite.traces.comparing import compare
from mingraph_lite.traces.in_words import list_in_words, run_in_words
from mingraph_lite.traces.layout import NARROWEST, WIDTH, Layout
from mingraph_lite.traces.many_runs import table_of
from mingraph_lite.traces.terminal import Trouble, note, written
from mingraph_lite.traces.wrong_line import first_wrong_line

__all__: Final = ["main"]

_PROGRAM: Final = "python -m mingraph_lite.trace"
_WIDEST: Final = 60
_MOST_QUESTIONS: Final = 10
_USAGE: Final = """
what to write, with FILE as the name of a file that a TraceRecorder has written:

  FILE                       which runs there are
  FILE 1                     the first of them, line by line
  FILE -1 --wrong            the last of them: where did it go wrong?
  FILE 1 2                   what is different in the second
  FILE 1 2 --with FILE2      what is different in the second run of another file
  FILE --table               how the runs of each question went, counted
  FILE 1 --table --right 64 --right 75
                             ... those of the first run's question: how many of
                             them said 64 and 75

as in: python -m mingraph_lite.trace traces/weather.jsonl -1 --wrong

RUN is the place of a run in the list (1 is the first, -1 the last), its id, or
as much of the beginning of its id as no other has. What a line says is cut
where it is long, and --whole shows all. Exit code: 0, or 2 where a file or a
run cannot be read.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read a trace as the arguments say; the exit code."""
    asked = _parser().parse_args(arguments)
    return written(_PROGRAM, lambda: _text(asked))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Read a trace: list its runs, show one, compare two, find the "
        "first wrong line.",
        epilog=_USAGE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="what TraceRecorder has written")
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", help="none: list; one: show; two: compare"
    )
    parser.add_argument(
        "--with",
        dest="other",
        metavar="FILE2",
        help="the second run is of this file; alone, it has the same RUN as the first",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--wrong",
        action="store_true",
        help="look for the first wrong line, from top to bottom",
    )
    what.add_argument(
        "--table", action="store_true", help="the runs of each question, counted"
    )
    parser.add_argument(
        "--right",
        action="append",
        default=[],
        metavar="TEXT",
        help="with --table: a right answer to the one question says this; several: "
        "all of them; --right=-3°C where it begins with a dash",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument(
        "--whole", action="store_true", help="cut nothing, however long it is"
    )
    return parser


def _text(asked: argparse.Namespace) -> str:
    """What is to be printed."""
    _check(asked)
    listed = not (asked.runs or asked.table or asked.wrong or asked.json)
    trace = _read(asked.file, noted=not listed)  # a list has all that is odd below it
    data, words = _made(asked, trace)
    if asked.json:
        # Only ASCII: whatever the terminal knows, a program reads the same.
        return json.dumps(jsonable(data()), indent=2)
    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return "\n".join(words(Layout(max(columns, NARROWEST), asked.whole)))


def _check(asked: argparse.Namespace) -> None:
    most = 1 if asked.wrong or asked.table else 2
    if len(asked.runs) > most:
        raise Trouble(
            f"{len(asked.runs)} runs were named, and here at most {most} can be. "
            "None lists all, one is shown, two are compared."
        )
    if asked.other and (asked.wrong or asked.table or not asked.runs):
        raise Trouble(
            "--with names the file of a second run to compare. Name a run of each: "
            "FILE RUN RUN2 --with FILE2."
        )
    if asked.right and not asked.table:
        raise Trouble("--right says what a right answer is, for --table. Add --table.")


type _Made = tuple[Callable[[], Any], Callable[[Layout], list[str]]]
"""The same as data and as words; only one of them is needed."""


def _made(asked: argparse.Namespace, trace: Trace) -> _Made:
    if asked.table:
        question = _found(trace, asked.runs[0]).question if asked.runs else None
        if asked.right and not asked.runs:
            _check_one_question(trace)
        groups = _questions(trace, question if asked.runs else ...)
        tables = [table_of(runs, asked.right) for runs in groups]
        return (
            lambda: {"tables": [asdict(table) for table in tables]},
            lambda layout: [
                line
                for at, table in enumerate(tables)
                for line in ([""] if at else []) + table.in_words(layout)
            ],
        )
    if asked.wrong:
        run = _found(trace, asked.runs[0] if asked.runs else _only(trace))
        walk = first_wrong_line(run)
        return walk.as_data, walk.in_words
    if not asked.runs:
        return lambda: _listed(trace), lambda layout: list_in_words(trace, layout)
    first = _found(trace, asked.runs[0])
    if len(asked.runs) == 1 and not asked.other:
        return lambda: _shown(first), lambda layout: run_in_words(first, layout)
    second = _found(_read(asked.other) if asked.other else trace, asked.runs[-1])
    comparison = compare(first, second)
    return comparison.as_data, comparison.in_words


def _read(path: str, *, noted: bool = True) -> Trace:
    """The runs of a file; a file without a line of a trace is refused."""
    trace = read_trace(path)
    for problem in trace.formats if noted else ():
        note(_PROGRAM, f"{path}, {problem}.")
    if trace.problems and not trace.runs:
        raise Trouble(f"{path!r} is no trace: {trace.problems[0]}.")
    return trace


def _found(trace: Trace, name: str) -> TracedRun:
    """The run that a name, a beginning of one or a place means."""
    runs = [run.id for run in trace.runs]
    found = [id for id in runs if id == name]
    if not found and name.lstrip("-").isdecimal():
        place = int(name)
        if 0 < abs(place) <= len(runs):
            found = [runs[place - 1 if place > 0 else place]]
    found = found or [id for id in runs if id.startswith(name)]
    if len(found) == 1:
        return _run(trace, found[0])
    many = f"{len(found)} runs begin with" if found else "There is no run"
    known = ", ".join(found[:10] or runs[:10]) or "none"
    more = ", …" if len(found or runs) > 10 else ""
    raise Trouble(
        f"{many} {name!r} in {trace.path!r}. There: {known}{more}. "
        "Give more of an id, or a place such as 1 or -1."
    )


def _run(trace: Trace, id: str) -> TracedRun:
    try:
        return trace.run(id)
    except LookupError as gone:  # the file is another one by now
        raise Trouble(str(gone)) from None


def _only(trace: Trace) -> str:
    """The one run of a file, where none is named."""
    if len(trace.runs) == 1:
        return trace.runs[0].id
    raise Trouble(
        f"{trace.path!r} has {len(trace.runs)} runs. Say in which to look: FILE RUN "
        "--wrong, with a place such as 1 or -1."
    )


def _check_one_question(trace: Trace) -> None:
    """One right answer belongs to one question."""
    firsts: dict[str | None, int] = {}
    for place, run in enumerate(trace.runs, 1):
        firsts.setdefault(run.question, place)
    if len(firsts) < 2:
        return
    known = [
        f"{place} ({brief(in_one_line(question or '(no question)'), _WIDEST)})"
        for question, place in [*firsts.items()][:_MOST_QUESTIONS]
    ]
    more = ", …" if len(firsts) > _MOST_QUESTIONS else ""
    raise Trouble(
        f"--right says what a right answer to one question is, and {trace.path!r} has "
        f"runs of {len(firsts)}. Name a run of the one you mean, as in FILE 1 "
        f"--table --right 64: "
        f"{', '.join(known)}{more}."
    )


def _questions(trace: Trace, question: Any) -> Iterator[Iterator[TracedRun]]:
    """The runs of each question, or those of one."""
    asked = dict.fromkeys(run.question for run in trace.runs)
    if not asked:
        raise Trouble(f"{trace.path!r} has no runs to count.")
    for each in asked:
        if question is ... or each == question:
            yield _asked(trace, each)


def _asked(trace: Trace, question: str | None) -> Iterator[TracedRun]:
    for run in trace.runs:
        if run.question == question:
            yield _run(trace, run.id)


def _listed(trace: Trace) -> dict[str, Any]:
    return {
        "file": trace.path,
        "runs": [asdict(run) for run in trace.runs],
        "problems": [asdict(problem) for problem in trace.problems],
    }


def _shown(run: RunSummary) -> dict[str, Any]:
    return asdict(run)
