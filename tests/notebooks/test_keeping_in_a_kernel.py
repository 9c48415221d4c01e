"""What only a kernel has: functions and classes that stand in cells."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.predictions import broken, learner
from tests.notebooks.running import printed, run

OPEN = """\
from mingraph_lite.classroom import *
from mingraph_lite.classroom import Exercise, Lesson, room
anything = Exercise(lambda answer: None, None, None, {}, ("", ""),
                    keeps=("loop", "Card", "Waiting", "Errands"))
room.open(Lesson("07_testing", exercises=(anything,)))
"""


def ran(folder, *sources, allow_errors=False, **extra):
    """Run cells as a learner does; give what each printed."""
    cells = [new_code_cell(dedent(source)) for source in [OPEN, *sources]]
    environ = learner(folder) | extra
    done = run(new_notebook(cells=cells), folder, environ, allow_errors=allow_errors)
    assert broken(done) == []
    return [printed(cell) for cell in done.cells[1:]]


def imported(folder, code):
    """What a fresh kernel finds in the file."""
    cells = [new_code_cell(code)]
    return printed(run(new_notebook(cells=cells), folder).cells[0])


def kept(name):
    return f"Kept: {name}, yours, in my_agent.py.\n"


@pytest.fixture(scope="module")
def in_cells(tmp_path_factory):
    """One kernel in which a learner defines, defines anew, and keeps."""
    folder = tmp_path_factory.mktemp("in_cells")
    said = ran(
        folder,
        """
        import math
        from dataclasses import dataclass
        LIMIT = 3
        def helper(n):
            return math.floor(n)
        """,
        "def loop(n):\n    return 0",
        "def loop(n):\n    # the second one\n    return helper(n) + LIMIT",
        "check(1, loop)\nkeep('loop', loop)",
        """
        @dataclass
        class Card:
            step: int = 1
        """,
        """
        !true
        @dataclass(frozen=True)
        class Card:
            calls: tuple
            step: int = LIMIT
        """,
        "check(1, Card)\nkeep('Card', Card)",
        """
        class Waiting(Exception):
            pass
        class Errands(Waiting):
            def run(self):
                return Card((1,)), loop(1.5)
        """,
        "check(1, Waiting, Errands)",
        "keep('Waiting', Waiting)\nkeep('Errands', Errands)",
        "from my_agent import Errands as kept\nkept().run()",
        "progress()",
    )
    return folder, said


def test_what_stands_in_cells_is_kept(in_cells):
    _, said = in_cells
    found = [text for text in said if "Kept:" in text]
    # Each comes in addition: nothing is replaced, so no copy is made.
    assert found == [
        "Exercise 1: right.\n" + kept("loop"),
        "Exercise 1: right.\n" + kept("Card"),
        kept("Waiting") + kept("Errands"),
    ]


def test_the_second_definition_of_a_name_is_the_one_that_is_written(in_cells):
    folder, _ = in_cells
    text = (folder / "my_agent.py").read_text()
    assert "# the second one" in text
    assert text.count("class Card") == 1
    assert "calls: tuple" in text


def test_the_same_kernel_imports_what_it_kept(in_cells):
    _, said = in_cells
    assert said[-2] == "(Card(calls=(1,), step=3), 4)"
    assert "In my_agent.py of yours: loop, Card, Waiting, Errands." in said[-1]


def test_a_fresh_kernel_imports_it(in_cells):
    folder, _ = in_cells
    code = "from my_agent import *\nErrands().run(), issubclass(Waiting, Exception)"
    assert imported(folder, code) == "((Card(calls=(1,), step=3), 4), True)"


def test_starting_over_takes_names_guesses_and_pictures_away(tmp_path):
    said = ran(
        tmp_path,
        "import ipywidgets\nslider = ipywidgets.IntSlider()\nmine = 4",
        "predict('sum', 'What is 2 + 2?')\nchoose('sum', 5)",
        "start_over()",
        "'mine' in globals(), 'room' in globals(), 'start_over' in globals()",
        OPEN + "from ipywidgets.widgets import widget\nlen(widget._instances)",
        "predict('sum', 'What is 2 + 2?')\nreveal('sum', lambda: 4)",
    )
    assert said[2] == "Lesson 07_testing is as at the start. Run it from its first cell.\n"
    assert said[3] == "(False, False, False)"
    assert said[4] == "0"
    assert "First your guess." in said[5]


def test_without_the_flag_a_kernel_shows_text_and_writes_nothing(tmp_path):
    cells = [
        OPEN,
        "predict('sum', 'What is 2 + 2?')",
        "choose('sum', 4)",
        "def loop():\n    return 1\ncheck(1, loop)\nkeep('loop', loop)",
    ]
    cells = [new_code_cell(source) for source in cells]
    done = run(new_notebook(cells=cells), tmp_path)
    assert [out.output_type for cell in done.cells for out in cell.outputs] == (
        ["stream"] * 3
    )
    assert list(tmp_path.iterdir()) == []


def test_a_card_is_shown_with_its_whole_text_beside_it(tmp_path):
    long = "How many times is the model asked, " * 6 + "all in all?"
    cells = [OPEN, f"predict('sum', {long!r})", "vote('sum', {4: 1})"]
    cells = [new_code_cell(source) for source in cells]
    done = run(new_notebook(cells=cells), tmp_path, learner(tmp_path))
    data = done.cells[1].outputs[0].data
    assert data["text/plain"].startswith(f"{long}\nYour turn, in a new cell: choose(")
    assert "application/vnd.jupyter.widget-view+json" in data


def test_now_read_opens_the_lines_in_a_notebook(tmp_path):
    cells = [OPEN, "from mingraph_lite import Agent\nnow_read(Agent)"]
    cells = [new_code_cell(source) for source in cells]
    done = run(new_notebook(cells=cells), tmp_path, learner(tmp_path))
    data = done.cells[1].outputs[0].data
    assert data["text/plain"].startswith("Now read: mingraph_lite/agent.py, Agent, li")
    assert '<a href="package/agent.py' in data["text/html"]
    assert "class Agent" in data["text/html"]


def test_a_script_keeps_too(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        OPEN.replace("import *", "import check, keep")
        + "def loop():\n    return 1\ncheck(1, loop)\nkeep('loop', loop)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | learner(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Exercise 1: right.\n" + kept("loop")
