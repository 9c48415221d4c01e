"""A run, or a list of runs, as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from mingraph_lite.schema.in_short import brief
from mingraph_lite.schema.jsonable import write_json
from mingraph_lite.schema.lines import Problem
from mingraph_lite.schema.retelling import marks_of
from mingraph_lite.schema.signs import in_one_line
from mingraph_lite.trace import RunSummary, Trace, TracedRun
from mingraph_lite.traces.layout import Layout, sheet
from mingraph_lite.traces.retold import Line, Retold

__all__: Final = [
    "ended",
    "line_in_words",
    "list_in_words",
    "problems_in_words",
    "rounds_in_words",
    "run_in_words",
]

_MOST_PROBLEMS: Final = 10
_ID: Final = 16
_COUNTED: Final = re.compile(r"(?: \(\d{1,4}\)|-\d{1,4})\Z")
_WIDEST: Final = 60
"""What stands before the question leaves room for it, whatever a file says."""


def list_in_words(trace: Trace, layout: Layout) -> list[str]:
    """The runs of a file, a line each, and what is wrong with the file."""
    text = ["No runs."]
    if trace.runs:
        rows = [("", "run", "ended", "rounds", "tokens", "model", "question")]
        rows += [(str(place), *_listed(run)) for place, run in enumerate(trace.runs, 1)]
        text = [layout.cut(line) for line in sheet(rows, right=(0, 3, 4))]
    return [*text, *problems_in_words(trace.problems, layout)]


def _listed(run: RunSummary) -> tuple[str, str, str, str, str, str]:
    return (
        _short(in_one_line(run.id)),
        brief(ended(run), _WIDEST),
        str(run.rounds),
        _count(run.tokens),
        brief(in_one_line(run.model or "?"), _WIDEST),
        in_one_line(run.question or "?"),
    )


def _short(id: str) -> str:
    """The beginning of a long id, and the number behind it that tells it apart."""
    if len(id) <= _ID:
        return id
    number = _COUNTED.search(id)
    end = number[0] if number else ""
    return brief(id.removesuffix(end), _ID - len(end)) + end


def problems_in_words(problems: Sequence[Problem], layout: Layout) -> Iterator[str]:
    """What is wrong with a file, below what it says."""
    if not problems:
        return
    yield ""
    what = "line has" if len(problems) == 1 else "lines have"
    yield f"{len(problems)} {what} a problem, and what cannot be read is left out:"
    most = len(problems) if layout.whole else _MOST_PROBLEMS
    for problem in problems[:most]:
        yield from layout.under(f"line {problem.line} ", problem.what, 2)
    if len(problems) > most:
        yield f"  and {len(problems) - most:,} more (--whole lists them all)"


def ended(run: RunSummary) -> str:
    """How a run ended: the outcome, and the word of its end where that says more."""
    if run.finish is None or run.finish == run.reason:
        return run.reason
    return f"{run.reason}: {in_one_line(run.finish)}"


def rounds_in_words(run: RunSummary) -> str:
    """How many rounds a run had."""
    return f"{run.rounds} {'round' if run.rounds == 1 else 'rounds'}"


def run_in_words(run: TracedRun, layout: Layout) -> list[str]:
    """One run from the top, each line with its number in the trace."""
    retold = Retold(run)
    text = [*_heading(run, retold, layout)]
    step = 0
    for line in run.lines:
        if line["event"] == "step_start" and line["step"] != step:
            step = line["step"]
            text += ["", f"[step {step}]"]
        for label, words in line_in_words(line, retold):
            text += layout.under(f"{line['seq']:>5}  {label:<10} ", words)
        text += _marks(line, layout)
    if run.reason == "incomplete":
        text += ["", "The run has no end here: it was killed, or it is still running."]
    return text


def _heading(run: TracedRun, retold: Retold, layout: Layout) -> Iterator[str]:
    tokens = "tokens not counted" if run.tokens is None else f"{run.tokens:,} tokens"
    head = f"Run {run.id}: {ended(run)}, {rounds_in_words(run)}, {tokens}"
    yield from layout.under("", head)
    first = run.lines[0] if run.lines else {}
    settings = first.get("settings")
    settings = settings if isinstance(settings, Mapping) else {}
    others = [
        f"{key}={write_json(value)}"
        for key, value in settings.items()
        if key != "system_prompt" and value is not None
    ]
    about = {
        "question": retold.question or run.question,
        "model": run.model,
        "started": run.started,
        "prompt": retold.prompt,
        "settings": ", ".join(others),
    }
    for name, words in about.items():
        if words:
            beside = layout.unbroken if name == "started" else layout.under
            yield from beside(f"{name:<9} ", words, 2)
    for name, (seq, words) in retold.described.items():
        said = f"{name}: {words} (on the menu in line {seq})"
        yield from layout.under(f"{'tool':<9} ", said, 2)


def line_in_words(line: Line, retold: Retold) -> list[tuple[str, str]]:
    """What a line says, as labels and texts; nothing where others say it already."""
    write = _WRITTEN.get(line["event"])
    if write is None:
        return [(line["event"], write_json(retold.followed(line.get("payload"))))]
    try:
        return write(line, retold)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return [(line["event"], write_json({**line}))]


def _card(line: Line, retold: Retold) -> list[tuple[str, str]]:
    because = f", because {line['because']}" if line["because"] else ""
    return [("card", f"{line['name']}{because}")]


def _call(line: Line, retold: Retold) -> list[tuple[str, str]]:
    spans = [
        f"{'' if of == 'folder' else of + ' '}{_places(start, end)}"
        for of, start, end in line["reads"]
    ]
    return [("reads out", ", ".join(spans) or "nothing")]


def _places(start: int, end: int) -> str:
    return f"line {end}" if end - start == 1 else f"lines {start + 1} to {end}"


def _reply(line: Line, retold: Retold) -> list[tuple[str, str]]:
    content = retold.text(line["content"])
    told = [content] if content else []
    numbers = retold.numbers.get(line["seq"], ())
    for number, call in zip(numbers, line["tool_calls"], strict=False):
        beside = f" (sent as {retold.text(call['raw'])})" if call.get("raw") else ""
        told.append(f"#{number} {retold.call(call)}{beside}")
    text = [("reply", "\n".join(told) or "(nothing)")]
    if line.get("refusal"):
        text.append(("refuses", retold.text(line["refusal"])))
    if line.get("reasoning"):
        text.append(("thinks", retold.text(line["reasoning"])))
    text += [("note", retold.text(note)) for note in line.get("notes", ())]
    counts = [
        f"{name} {line[key]}"
        for name, key in _TOKENS.items()
        if line.get(key) is not None
    ]
    return [*text, ("tokens", ", ".join(counts))] if counts else text


def _slip(line: Line, retold: Retold) -> list[tuple[str, str]]:
    return [("runs", f"#{retold.numbers[line['seq']][0]} {retold.call(line)}")]


def _answer(label: str) -> _Writer:
    def write(line: Line, retold: Retold) -> list[tuple[str, str]]:
        number = retold.numbers[line["seq"]][0]
        return [(label, f"#{number} {retold.text(line['content'])}")]

    return write


def _message(line: Line, retold: Retold) -> list[tuple[str, str]]:
    if "of" in line:
        return []  # the line it refers to has said it
    return [(f"+ {line['role']}", retold.text(line["content"]))]


def _retry(line: Line, retold: Retold) -> list[tuple[str, str]]:
    error, wait = line["error"], f"again in {line['wait']:.3g} s"
    tried = f"try {line['tries']} failed, {wait}: {error['type']}: {error['text']}"
    return [("retry", tried)]


def _finish(line: Line, retold: Retold) -> list[tuple[str, str]]:
    text = [("finish", str(line["reason"]))]
    if line["answer"] is not None:
        text.append(("answer", retold.text(line["answer"])))
    if line.get("error"):
        text.append(("error", retold.text(line["error"])))
    lost = [f"{name} missed {count}" for name, count in line.get("lost", {}).items()]
    return [*text, ("lost", ", ".join(lost))] if lost else text


def _marks(line: Line, layout: Layout) -> Iterable[str]:
    """What of a line is cut, masked or a stand-in."""
    for mark in marks_of(line):
        said = f"{mark.at} is {mark}"
        yield from layout.under(f"{'':5}  {'(marked)':<10} ", said)


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


type _Writer = Callable[[Line, Retold], list[tuple[str, str]]]

_TOKENS: Final = {
    "in": "input_tokens",
    "out": "output_tokens",
    "reasoning": "reasoning_tokens",
    "cached": "cached_tokens",
}
_WRITTEN: Final[Mapping[str, _Writer]] = {
    "run_start": lambda line, retold: [("question", retold.question)],
    "step_start": lambda line, retold: [],
    "card_start": _card,
    "model_call": _call,
    "model_reply": _reply,
    "tool_call": _slip,
    "tool_return": _answer("returned"),
    "tool_error": _answer("error"),
    "message_added": _message,
    "retry": _retry,
    "warning": lambda line, retold: [("warning", retold.text(line["text"]))],
    "finish": _finish,
}
