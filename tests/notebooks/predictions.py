"""Run a lesson as a learner meets it: not answered yet, and with every choice."""

import json
import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from tests.notebooks.running import code_cells, printed, run

__all__ = ["chosen", "facts", "meet", "unanswered", "unpaired"]

type Notebook = nbformat.NotebookNode

LEARNER = {"MINGRAPH_LEARNER": "1"}
ASKED = (
    "import json\n"
    "from mingraph_lite.classroom import room\n"
    "print(json.dumps({key: [asked.choices, dict(asked.sentences)]\n"
    "                  for key, asked in room.predictions.items()}))"
)


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


def meet(notebook: Notebook, folder: Path) -> Notebook:
    """Run as a learner who answers nothing; one more cell says what was asked."""
    copy = nbformat.from_dict(notebook)
    copy.cells = [*notebook.cells, new_code_cell(ASKED)]
    return run(copy, folder, LEARNER, allow_errors=True)


def unanswered(notebook: Notebook, ran: Notebook) -> list[str]:
    """Return which outputs of a first meeting tell the fact before the guess."""
    asked = json.loads(printed(ran.cells[-1]))
    stored, questions, found = (
        facts(notebook),
        _where(notebook, "predict"),
        _broken(ran),
    )
    for key, place in _where(notebook, "reveal").items():
        if "First your guess." not in printed(ran.cells[place]):
            found.append(f"{key} does not ask for a guess first")
        choices, sentences = asked[key]
        for number, cell in enumerate(ran.cells[: place + 1]):
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


def chosen(notebook: Notebook, met: Notebook, folder: Path) -> list[str]:
    """Return which choices do not get the fact and their own sentence."""
    asked = json.loads(printed(met.cells[-1]))
    answered, tried = nbformat.from_dict(notebook), dict[int, tuple[str, str, str]]()
    answered.cells = []
    for cell in notebook.cells:
        for key in _keys(cell, "reveal") if cell.cell_type == "code" else []:
            choices, sentences = asked[key]
            for text in choices or [*sentences, "something else"]:
                answered.cells.append(_cell(f"choose({key!r}, {text!r})"))
                answered.cells.append(_cell(cell.source))
                tried[len(answered.cells) - 1] = key, text, sentences.get(text, "")
        answered.cells.append(cell)
    ran = run(answered, folder, LEARNER, allow_errors=True)
    # A learner who answers runs the reveal again: its cell must bear that.
    stored, found = facts(notebook), _broken(ran)
    for place, (key, text, sentence) in tried.items():
        right = ", and so it is." if text == stored[key] else "."
        wanted = f"Measured: {stored[key]}\nYou said: {text}{right}\n{sentence}"
        if wanted.rstrip("\n") not in printed(ran.cells[place]):
            found.append(f"{key}, {text!r}: {printed(ran.cells[place])!r}")
    return found


def _cell(source: str) -> Notebook:
    return new_code_cell(f"from mingraph_lite.classroom import choose\n{source}")


def _broken(ran: Notebook) -> list[str]:
    return [
        f"breaks with {output.ename}: {cell.source}"
        for cell in code_cells(ran)
        for output in cell.outputs
        if output.output_type == "error"
    ]
