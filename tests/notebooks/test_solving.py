"""Each lesson, taken by who solves everything and by who writes nothing."""

import shutil

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mingraph_lite.classroom import load
from mingraph_lite.classroom.loading import names_of_lessons
from tests.notebooks.predictions import broken, learner
from tests.notebooks.rewrite import OUR_AGENT
from tests.notebooks.running import code_cells, lessons, printed, read, run
from tests.notebooks.solving import folded_otherwise, solved, unsolved

OPEN = """\
from mingraph_lite.classroom import *
from mingraph_lite.classroom import Exercise, Lesson, room
def one_more(answer):
    return None if answer(1) == 2 else "Not one more."
task = Exercise(one_more, None, None, {}, ("", ""), keeps=("loop",))
room.open(Lesson("07_small", exercises=(task,)))"""
STUB, SOLUTION = "def loop(n):\n    return n", "def loop(n):\n    return n + 1"
CHECK, KEEP = "check(1, loop)", "keep('loop', loop)"


def own(source):
    return new_code_cell(source, metadata={"tags": ["yours"]})


def small(*sources):
    cells = [new_code_cell(source) for source in [OPEN, *sources]]
    cells.insert(1, own(STUB))
    return new_notebook(cells=cells)


def solutions(source=SOLUTION):
    return new_notebook(cells=[new_code_cell(OPEN), own(source)])


def way_out(code):
    text = f"<details><summary>Stuck?</summary>\n\n```python\n{code}\n```\n</details>"
    return new_markdown_cell(text)


def ran(notebook, folder):
    return run(notebook, folder, learner(folder), allow_errors=True)


def test_a_small_lesson_is_solved(tmp_path):
    asks = "predict('sum', 'What is 1 + 1?')", "reveal('sum', lambda: 2)"
    done = ran(solved(small(*asks, CHECK, KEEP), solutions()), tmp_path)
    assert unsolved(done, 1) == []
    assert "Measured: 2" in "".join(map(printed, code_cells(done)))


def test_what_is_not_solved_is_named(tmp_path):
    done = ran(solved(small(CHECK, KEEP, "1 / 0"), solutions(STUB)), tmp_path)
    assert unsolved(done, 1) == [
        "breaks with ZeroDivisionError: 1 / 0",
        "check(1) says: not yet. Not one more.",
        "a keep does not keep: Not kept: exercise 1 comes first. Its check says when: "
        "check(1, loop).\n",
        "check(1) never says right",
    ]


def test_another_number_of_solutions_than_of_cells_is_refused():
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        solved(small(), new_notebook(cells=[]))


def test_a_way_out_that_is_not_the_solution_is_named():
    notebook = small()
    notebook.cells.insert(2, way_out(SOLUTION))
    assert folded_otherwise(notebook, solutions()) == []
    assert folded_otherwise(notebook, solutions(STUB)) == [
        f"{SOLUTION!r} is not {STUB!r}"
    ]


def beside_a_lesson(folder):
    """Lay into a folder what a learner finds beside a lesson."""
    shutil.copy(OUR_AGENT, folder)
    shutil.copytree(OUR_AGENT.parent / "data", folder / "data")


def pair(path):
    return read(path), read(path.parent / "solutions" / path.name)


def count_of_exercises(path):
    known = path.stem in names_of_lessons()
    return len(load(path.stem).exercises) if known else 0


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_each_lesson_can_be_solved_with_its_solutions(path, tmp_path):
    beside_a_lesson(tmp_path)
    done = ran(solved(*pair(path)), tmp_path)
    assert unsolved(done, count_of_exercises(path)) == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_each_way_out_is_the_solution(path):
    assert folded_otherwise(*pair(path)) == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_shift_and_enter_alone_lead_through_each_lesson_and_progress_says_so(
    path, tmp_path
):
    beside_a_lesson(tmp_path)
    done = ran(read(path), tmp_path)
    assert broken(done) == []
    count = count_of_exercises(path)
    said = [p for cell in code_cells(done) if "Questions answered:" in (p := printed(cell))]
    assert ["Questions answered: 0 of" in text for text in said] == [True]
    if "b_" not in path.stem:  # a milestone tries what my_agent.py holds
        assert f"Exercises right: 0 of {count}." in said[0]
    assert not (tmp_path / "my_guesses.json").exists()
    assert (tmp_path / "my_agent.py").read_text() == OUR_AGENT.read_text()
