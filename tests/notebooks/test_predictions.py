import re

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.predictions import chosen, facts, unanswered, unpaired, visit
from tests.notebooks.running import code_cells, lessons, printed, read, run

IMPORT = "from mingraph_lite.classroom import predict, reveal"
ASK = """predict("calls", "How many calls?", {
    "one call": "A slip needs an answer, and the answer another call.",
    "two calls": "One to pass the slip, one to read its answer.",
})"""
REVEAL = 'reveal("calls", lambda: "two calls")'
TYPED = 'predict("sum", "What is 1 + 1?")'
SUM = 'reveal("sum", lambda: 1 + 1)'


def lesson(tmp_path, *sources):
    """A notebook as its author stores it: run without a learner."""
    cells = [new_code_cell(source) for source in [IMPORT, *sources]]
    return run(new_notebook(cells=cells), tmp_path)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return lesson(tmp_path_factory.mktemp("good"), ASK, REVEAL, TYPED, SUM, "'end'")


@pytest.fixture(scope="module")
def seen():
    """Each lesson as a learner sees it, who answers nothing, then everything."""
    return {path.name: visit(read(path), path.parent) for path in lessons()}


def test_every_lesson_measures_each_question_it_asks():
    assert {p.name: u for p in lessons() if (u := unpaired(read(p)))} == {}


def that_ask():
    """The lessons but for the milestones, which try what was learned before."""
    return [path for path in lessons() if "b_" not in path.stem]


def test_every_lesson_asks_two_or_three_times():
    asked = {path.name: len(facts(read(path))) for path in that_ask()}
    assert {name: n for name, n in asked.items() if n not in (2, 3)} == {}


def test_every_lesson_asks_once_at_least_for_a_typed_answer():
    typed = r'choose\("\w+", (?:100\), or another number;|"…"\), with your text;)'
    asks = {path.name: re.search(typed, printed_by(path)) for path in that_ask()}
    assert {name for name, found in asks.items() if not found} == set()


def printed_by(path):
    return "\n".join(printed(cell) for cell in code_cells(read(path)))


def test_no_lesson_tells_a_fact_before_the_learner_guessed(seen):
    found = {name: unanswered(each) for name, each in seen.items()}
    assert {name: tells for name, tells in found.items() if tells} == {}


def test_each_choice_in_each_lesson_gets_its_own_sentence(seen):
    found = {name: chosen(each) for name, each in seen.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_a_lesson_that_asks_first_is_not_named(good, tmp_path):
    assert unpaired(good) == []
    assert facts(good) == {"calls": "two calls", "sum": "2"}
    seen = visit(good, tmp_path)
    assert (unanswered(seen), chosen(seen)) == ([], [])


def test_a_cell_that_tells_the_fact_too_early_is_named(tmp_path):
    early = lesson(tmp_path, ASK, "'it takes two calls'", REVEAL)
    assert unanswered(visit(early, tmp_path)) == [
        "cell 3 tells 'two calls' before calls"
    ]


def test_a_reveal_that_does_not_wait_for_the_guess_is_named(tmp_path):
    hasty = lesson(tmp_path, ASK, f"print('Measured: two calls')\n0 and {REVEAL}")
    assert unanswered(visit(hasty, tmp_path)) == [
        "calls does not ask for a guess first",
        "cell 3 tells 'two calls' before calls",
    ]


def test_a_reveal_that_cannot_run_again_is_named(tmp_path):
    once = lesson(tmp_path, ASK, "once = iter(['two calls'])", f"next(once)\n{REVEAL}")
    found = [text.partition(":")[0] for text in chosen(visit(once, tmp_path))]
    assert found == [
        "breaks with StopIteration",
        "breaks with StopIteration",
        "calls, 'two calls'",
    ]


def test_a_question_nobody_answers_is_named():
    cells = [new_code_cell(source) for source in [ASK, SUM]]
    assert unpaired(new_notebook(cells=cells)) == [
        "calls is asked only",
        "sum is revealed only",
    ]


def test_a_question_answered_in_its_own_cell_is_named():
    cells = [new_code_cell(f"{ASK}\n{REVEAL}")]
    assert unpaired(new_notebook(cells=cells)) == [
        "calls is revealed before a learner can answer"
    ]


def test_a_choice_that_does_not_get_its_sentence_is_named(tmp_path):
    room = "room = __import__('mingraph_lite').classroom.room"
    deaf = lesson(tmp_path, ASK, room, f"room.skip('calls')\n{REVEAL}")
    shown = "Skipped. The next cell shows what happens.\n\nMeasured: two calls\n"
    right = "One to pass the slip, one to read its answer."
    assert chosen(visit(deaf, tmp_path)) == [
        f"calls, 'one call': {shown + right!r}",
        f"calls, 'two calls': {shown + right!r}",
    ]


def test_an_error_in_a_learners_cell_is_told_with_its_line(tmp_path):
    """Only a kernel knows the lines of its cells, so one is asked."""
    ran = lesson(
        tmp_path,
        "from mingraph_lite.classroom import Exercise, Lesson, room\n"
        "task = Exercise(lambda f: f(), None, None, {}, ('', ''))\n"
        "room.open(Lesson('tasks', exercises=(task,)))",
        "def shaky():\n    text = '1'\n    return 1 + text",
        "room.check(1, shaky)",
    )
    assert printed(ran.cells[-1]) == (
        "Exercise 1: not yet. Your code raised TypeError: "
        "unsupported operand type(s) for +: 'int' and 'str'\n"
        "  in line 3 of its cell: return 1 + text\n"
    )
