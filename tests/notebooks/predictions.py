"""Run a lesson as a learner meets it: not answered yet, and with every choice."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.running import code_cells, kernel, printed

__all__ = [
    "Visit",
    "broken",
    "chosen",
    "facts",
    "learner",
    "unanswered",
    "unpaired",
    "visit",
]

type Notebook = nbformat.NotebookNode
type Asked = tuple[list[str], dict[str, str], str]
"""A question: its choices, its sentences, and the kind of what is typed."""

NOT_LISTED = {"number": "987654", "text": "something else"}

ASKED = (
    "import json\n"
    "from mingraph_lite.classroom import room\n"
    "print(json.dumps({key: [asked.choices, dict(asked.sentences), asked.kind]\n"
    "                  for key, asked in room.predictions.items()}))"
)
FORGET = "from mingraph_lite.classroom import start_over\nstart_over()"


def learner(kept: str | Path) -> dict[str, str]:
    """What a learner's kernel is told; what it keeps goes elsewhere than the lessons."""
    return {"MINGRAPH_LEARNER": "1", "MINGRAPH_KEEP_IN": str(kept)}



def _keys(cell: Notebook, name: str) -> list[str]:
    return re.findall(rf"\b{name}\(\s*[\"']([^\"']+)[\"']", cell.source)


def _where(notebook: Notebook, name: str) -> dict[str, int]:
    cells = enumerate(notebook.cells)
    return {
        key: place
        for place, cell in cells
        if cell.cell_type == "code"
        for key in _keys(cell, name)
    }


def _measured(cell: Notebook) -> list[str]:
    return re.findall(r"^Measured: (.*)$", printed(cell), re.MULTILINE)


def unpaired(notebook: Notebook) -> list[str]:
    """Return what is asked and not revealed in a later cell, or the reverse."""
    asked, revealed = _where(notebook, "predict"), _where(notebook, "reveal")
    found = [f"{key} is asked only" for key in asked.keys() - revealed.keys()]
    found += [f"{key} is revealed only" for key in revealed.keys() - asked.keys()]
    found += [
        f"{key} is revealed before a learner can answer"
        for key in asked.keys() & revealed.keys()
        if revealed[key] <= asked[key]
    ]
    return sorted(found)


def facts(notebook: Notebook) -> dict[str, str]:
    """Return what each reveal measured, as stored in the notebook."""
    return {
        key: fact
        for cell in code_cells(notebook)
        for key, fact in zip(_keys(cell, "reveal"), _measured(cell), strict=True)
    }


@dataclass(frozen=True)
class Visit:
    """A lesson as stored, as met by who answers nothing, and with every choice."""

    stored: Notebook
    met: Notebook
    answered: Notebook
    asked: dict[str, Asked]
    tried: dict[int, tuple[str, str]]
    """Where each choice was tried in the answered one: the key, and the choice."""


def visit(notebook: Notebook, folder: Path) -> Visit:
    """Run a lesson twice, in one kernel that forgets the first time.

    Nothing is written beside the lesson.
    """
    with (
        TemporaryDirectory() as kept,
        kernel(folder, learner(kept), allow_errors=True) as run_in_it,
    ):
        met = run_in_it(notebook)
        last = run_in_it(new_notebook(cells=[new_code_cell(ASKED)])).cells[0]
        asked = json.loads(printed(last))
        run_in_it(new_notebook(cells=[new_code_cell(FORGET)]))
        answered, tried = _with_every_choice(notebook, asked)
        return Visit(notebook, met, run_in_it(answered), asked, tried)


def _with_every_choice(
    notebook: Notebook, asked: Mapping[str, Asked]
) -> tuple[Notebook, dict[int, tuple[str, str]]]:
    """Put each choice, and the reveal once more, before each reveal."""
    answered, tried = nbformat.from_dict(notebook), dict[int, tuple[str, str]]()
    answered.cells = []
    for cell in notebook.cells:
        for key in _keys(cell, "reveal") if cell.cell_type == "code" else []:
            choices, sentences, kind = asked[key]
            for text in choices or [*sentences, NOT_LISTED[kind]]:
                answered.cells.append(_cell(f"choose({key!r}, {text!r})"))
                answered.cells.append(_cell(cell.source))
                tried[len(answered.cells) - 1] = key, text
        answered.cells.append(cell)
    return answered, tried


def unanswered(seen: Visit) -> list[str]:
    """Return which outputs of a first meeting tell the fact before the guess."""
    stored, questions = facts(seen.stored), _where(seen.stored, "predict")
    found, cells = broken(seen.met), seen.met.cells
    for key, place in _where(seen.stored, "reveal").items():
        if "First your guess." not in printed(cells[place]):
            found.append(f"{key} does not ask for a guess first")
        choices, sentences, _ = seen.asked[key]
        for number, cell in enumerate(cells[: place + 1]):
            if cell.cell_type == "code" and number != questions[key]:
                # Before the question a word of the answer may stand by chance; after
                # it, it tells. A typed answer is often a bare number.
                near = bool(choices) and number > questions[key]
                if _tells(printed(cell), stored[key], sentences, near=near):
                    told = f"cell {number + 1} tells {stored[key]!r} before {key}"
                    found.append(told)
    return found


def _tells(shown: str, fact: str, sentences: dict[str, str], *, near: bool) -> bool:
    return (
        fact in [line.strip("'\"") for line in shown.splitlines()]
        or f"Measured: {fact}\n" in shown
        or sentences.get(fact, "Measured:") in shown
        or (near and re.search(rf"\b{re.escape(fact)}\b", shown) is not None)
    )


def chosen(seen: Visit) -> list[str]:
    """Return which choices do not get the fact and their own sentence."""
    # A learner who answers runs the reveal again: its cell must bear that.
    stored, found = facts(seen.stored), broken(seen.answered)
    for place, (key, text) in seen.tried.items():
        sentence = seen.asked[key][1].get(text, "")
        right = ", and so it is." if text == stored[key] else "."
        wanted = f"Measured: {stored[key]}\nYou said: {text}{right}\n{sentence}"
        shown = printed(seen.answered.cells[place])
        if wanted.rstrip("\n") not in shown:
            found.append(f"{key}, {text!r}: {shown!r}")
    return found


def _cell(source: str) -> Notebook:
    return new_code_cell(f"from mingraph_lite.classroom import choose\n{source}")


def broken(ran: Notebook) -> list[str]:
    """Return which cells break."""
    return [
        f"breaks with {output.ename}: {cell.source}"
        for cell in code_cells(ran)
        for output in cell.outputs
        if output.output_type == "error"
    ]
