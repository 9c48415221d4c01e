"""Arrange, check, keep and take_ours, as a learner calls them."""

import re
import sys

import pytest

from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Arrangement,
    Classroom,
    Exercise,
    Lesson,
    function_of,
)
from mingraph_lite.classroom.keeping import FILE
from mingraph_lite.classroom.loading import load, names_of_lessons
from mingraph_lite.classroom.ours import our_agent, what_we_keep
from mingraph_lite.classroom.words import listed

LINES = Arrangement(
    header="def double(number):",
    lines=("result = «number» * 2", "return result"),
    extra="number.clear()",
)


def doubles(code):
    double = function_of(code, "double")
    return None if double(4) == 8 else f"double(4) is 8, yours gives {double(4)}."


def add_one(answer):
    if answer is None:
        return f"{STILL_THE_STUB}: there is no function."
    return None if answer(1) == 2 else "add_one(1) is 2."


def both(answer):
    if not isinstance(answer, tuple):
        return "Hand in both."
    return None if len(answer) == 2 else "Two are asked for."


def loop(number):
    return number + 1


class Waiting:
    pass


class Errands(Waiting):
    pass


def task(check, solution, **more):
    stub = more.pop("stub", None)
    return Exercise(check, stub, solution, {}, ("One.", "Two."), **more)


LESSON = Lesson(
    "07_testing",
    exercises=(
        task(add_one, loop, keeps=("loop",)),
        task(doubles, LINES.solution, stub="", arrangement=LINES),
        task(both, (Waiting, Errands), keeps=("Waiting", "Errands")),
        task(add_one, loop),
    ),
)


class Learner:
    """A room in a folder of its own; `do` gives what it printed."""

    def __init__(self, environ, capsys):
        self.room, self._capsys = Classroom(environ), capsys
        self.room.open(LESSON)

    def do(self, name, *values):
        self._capsys.readouterr()
        getattr(self.room, name)(*values)
        return self._capsys.readouterr().out

    def run(self, line):
        """Run a line that was printed."""
        self._capsys.readouterr()
        exec(line, {n: getattr(self.room, n) for n in ("arrange", "check", "keep")})
        return self._capsys.readouterr().out


@pytest.fixture(autouse=True)
def as_in_a_notebook(monkeypatch):
    """Where nothing that a cell defines can be imported."""
    monkeypatch.setattr(
        "mingraph_lite.classroom.sources._has_a_name", lambda name: name != __name__
    )


@pytest.fixture
def learner(tmp_path, capsys):
    yield Learner({"MINGRAPH_KEEP_IN": str(tmp_path)}, capsys)
    sys.modules.pop("my_agent", None)


def letters():
    return {line: letter for letter, line in LINES.pieces.items()}


def right_order():
    return f"{letters()['result = ____ * 2']} {letters()['return result']}"


# Lines to order


def test_lines_are_shown_and_their_prompt_can_be_copied_and_runs(learner):
    shown = learner.do("arrange", 2)
    assert shown == (
        "def double(number):\n"
        + "".join(f"  {a}  {line}\n" for a, line in LINES.pieces.items())
        + "Your turn, in a new cell: the letters in order, a > for each level of\n"
        "indentation, one line left out; then the blanks, from top to bottom:\n"
        'arrange(2, "a >b >>c", "…")\n'
        "check(2)\n"
    )
    arranged, checked = map(learner.run, shown.splitlines()[-2:])
    assert arranged.startswith("def double(number):\n    ")
    assert arranged.endswith("Placed. Now check(2).\n")
    assert checked == "Exercise 2: not yet. A blank is still empty.\n"


def test_lines_in_order_are_right(learner):
    assert learner.do("arrange", 2, right_order(), "number") == (
        "def double(number):\n    result = number * 2\n    return result\n"
        "Placed. Now check(2).\n"
    )
    assert learner.do("check", 2) == "Exercise 2: right.\n"


@pytest.mark.parametrize("order", [["b", "a"], ("b", "a")])
def test_an_order_may_be_a_list(order, learner):
    assert learner.do("arrange", 2, order).endswith("Placed. Now check(2).\n")


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (("z",), "There is no line z."),
        (("a >",), "A > stands before no line."),
        ((7,), "'7' is no line."),
        (("a a",), "Line a stands in it twice."),
    ],
)
def test_an_order_that_cannot_be_read_is_told_and_changes_nothing(order, said, learner):
    learner.do("arrange", 2, right_order(), "number")
    told = learner.do("arrange", 2, *order)
    assert said in told
    assert told.endswith("\nThe order you had before it stays.\n")
    assert learner.do("check", 2) == "Exercise 2: right.\n"


def test_a_fill_that_is_no_text_is_taken_as_it_is_written(learner):
    learner.do("arrange", 2, right_order(), 4)
    assert learner.do("check", 2) == "Exercise 2: right.\n"


def test_a_fill_for_no_blank_is_told(learner):
    assert learner.do("arrange", 2, right_order(), "number", 5) == (
        "There is no blank left for 5.\n"
    )


@pytest.mark.parametrize("order", ["", "  "])
def test_an_empty_order_shows_the_lines(order, learner):
    assert learner.do("arrange", 2, order).endswith("check(2)\n")


def test_checking_before_arranging_is_the_stub(learner):
    assert learner.do("check", 2) == (
        f"Exercise 2: not yet. {STILL_THE_STUB}: no line has its place.\n"
    )


def test_lines_that_are_no_python_are_told_with_their_number(learner):
    learner.do("arrange", 2, f"{right_order()[0]} >>{right_order()[-1]}", "number")
    assert learner.do("check", 2) == (
        "Exercise 2: not yet. Python cannot read line 3: return result "
        "(unexpected indent).\n"
    )


@pytest.mark.parametrize(
    ("blank", "said"),
    [
        (
            "1 / 0",
            "Your lines raised ZeroDivisionError: division by zero\n  in line 2: ",
        ),
        ("result", "Line 2 uses result before any line has made it: "),
        ("nobody", "Line 2 uses nobody, and no line makes it: "),
    ],
)
def test_lines_that_raise_are_told_with_their_number(blank, said, learner):
    learner.do("arrange", 2, right_order(), blank)
    in_quotes = "\n  (A text of yours stands in quotes.)" * (blank == "nobody")
    assert learner.do("check", 2) == (
        f"Exercise 2: not yet. {said}result = {blank} * 2{in_quotes}\n"
    )


def test_lines_that_have_no_end_are_stopped(capsys, tmp_path):
    lines = Arrangement(lines=("while True:", "    pass"), extra="x", header="def f():")
    learner = Learner({}, capsys)
    check = lambda code: function_of(code, "f")()  # noqa: E731
    learner.room.open(Lesson("x", exercises=(task(check, "", arrangement=lines),)))
    order = " ".join(
        f"{'>' * (line == 'pass')}{a}"
        for a, line in sorted(lines.pieces.items(), key=lambda at: at[1] == "pass")
        if line != "x"
    )
    learner.do("arrange", 1, order)
    assert learner.do("check", 1) == (
        "Exercise 1: not yet. Your code was stopped: it took 20,000 steps and had no "
        "end.\n"
    )


def test_handing_in_an_order_says_where_it_belongs(learner):
    assert learner.do("check", 2, right_order()) == (
        "Exercise 2 takes what you arranged: arrange(2),\nthen check(2).\n"
    )


def test_an_exercise_without_lines_says_how_it_is_checked(learner):
    assert learner.do("arrange", 1, "a") == (
        "Exercise 1 has no lines to order.\nHand in what you wrote: check(1, loop).\n"
    )


# Checks


@pytest.mark.parametrize(
    ("number", "how"),
    [(1, "check(1, loop)"), (3, "check(3, (Waiting, Errands))"), (4, "check(4, ...)")],
)
def test_a_check_without_an_answer_says_how_to_hand_it_in(number, how, learner):
    assert learner.do("check", number) == f"Hand in what you wrote: {how}.\n"


def test_the_dots_of_a_prompt_are_no_answer(learner):
    assert learner.run("check(4, ...)") == "Hand in what you wrote: check(4, ...).\n"


def test_two_answers_side_by_side_are_a_pair(learner):
    assert learner.do("check", 3, Waiting, Errands) == "Exercise 3: right.\n"


@pytest.mark.parametrize("number", [0, 5, 1.5, "one", "²", None, True])
def test_an_exercise_that_is_not_there_is_told(number, learner):
    assert learner.do("check", number, loop) == (
        f"No exercise {str(number)!r} here. There is: 1, 2, 3, 4.\n"
    )


def test_an_answer_that_leaves_the_program_does_not(learner):
    assert learner.do("check", 1, lambda n: sys.exit("bye")).startswith(
        "Exercise 1: not yet. Your code raised SystemExit: bye\n"
    )


def test_an_answer_that_hides_every_error_in_a_loop_is_stopped(learner):
    def stubborn(number):
        while True:
            try:
                number()
            except Exception:
                continue

    assert learner.do("check", 1, stubborn) == (
        "Exercise 1: not yet. Your code was stopped: it took 20,000 steps and had no "
        "end.\n"
    )


# Keeping


def test_keeping_before_the_check_says_what_comes_first(learner, tmp_path):
    assert learner.do("keep", "loop", loop) == (
        "Not kept: exercise 1 comes first. Its check says when: check(1, loop).\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_what_was_checked_is_kept(learner, tmp_path):
    learner.do("check", 1, loop)
    assert learner.do("keep", "loop", loop) == "Kept: loop, yours, in my_agent.py.\n"
    assert "def loop(number):\n    return number + 1\n" in (tmp_path / FILE).read_text()


def test_another_than_the_checked_one_is_not_kept(learner, tmp_path):
    def other(number):
        return number + 1

    learner.do("check", 1, loop)
    assert learner.do("keep", "loop", other) == (
        "Not kept: this loop is not the one that was checked. Run check(1, loop)\n"
        "once more, then this cell.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_try_after_a_right_one_takes_nothing_away(learner):
    def wrong(n):
        return n

    learner.do("check", 1, loop)
    learner.do("check", 1, wrong)
    assert "is not the one that was checked" in learner.do("keep", "loop", wrong)
    assert learner.do("keep", "loop", loop).startswith("Kept: loop, yours")


def test_each_of_two_that_were_checked_together_is_kept(learner, tmp_path):
    learner.do("check", 3, (Waiting, Errands))
    assert learner.do("keep", "Errands", Errands).startswith("Kept: Errands, yours")
    assert learner.do("keep", "Waiting", Waiting).startswith("Kept: Waiting, yours")
    text = (tmp_path / FILE).read_text()
    assert text.index("class Waiting") < text.index("class Errands(Waiting)")
    assert text.count("class Waiting") == 1


def test_one_of_two_under_the_name_of_the_other_is_not_kept(learner):
    learner.do("check", 3, (Waiting, Errands))
    assert learner.do("keep", "Waiting", Errands) == (
        'Not kept: this is Errands. Say keep("Errands", Errands).\n'
    )


def test_a_lambda_that_is_right_is_not_kept_and_told_why(learner):
    answer = lambda number: number + 1  # noqa: E731
    learner.do("check", 1, answer)
    assert learner.do("keep", "loop", answer) == (
        "Not kept. loop is a lambda. Write it with def, and it can be kept.\n"
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((loop,), 'Say the name and what it is: keep("loop", loop).\n'),
        (("loop",), 'Say the name and what it is: keep("loop", loop).\n'),
        (
            ("lop", loop),
            "No thing to keep 'lop' here. There is: loop, Waiting, Errands. Did you "
            "mean 'loop'?\n",
        ),
        (
            (5, loop),
            "No thing to keep '5' here. There is: loop, Waiting, Errands.\n",
        ),
    ],
)
def test_a_keep_that_cannot_be_understood_is_told(values, said, learner):
    assert learner.do("keep", *values) == said


def test_without_the_flag_nothing_is_written(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learner = Learner({}, capsys)
    learner.do("check", 1, loop)
    assert learner.do("keep", "loop", loop) == (
        "loop would be kept in my_agent.py. Files are written under start.py.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_under_the_flag_it_is_written_where_the_kernel_runs(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    learner = Learner({"MINGRAPH_LEARNER": "1"}, capsys)
    learner.do("check", 1, loop)
    learner.do("keep", "loop", loop)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


# Ours


def test_ours_is_taken_one_by_one_or_all(learner, tmp_path):
    assert learner.do("take_ours", "loop") == "Kept: loop, ours, in my_agent.py.\n"
    assert learner.do("take_ours") == (
        "Kept: loop, ours, in my_agent.py.\n"
        "Kept: Waiting, ours, in my_agent.py.\n"
        "Kept: Errands, ours, in my_agent.py.\n"
    )


def kept_by_all():
    return [name for each in names_of_lessons() for name in what_we_keep(load(each))]


def test_where_the_file_is_gone_all_of_ours_is_taken(tmp_path, capsys, monkeypatch):
    monkeypatch.undo()  # our lessons' names are in modules, as they always are
    learner = Learner({"MINGRAPH_KEEP_IN": str(tmp_path)}, capsys)
    assert "There is no my_agent.py here" in learner.do("lesson", "02_state_as_dict")
    assert learner.do("take_ours") == (
        "There was no my_agent.py, so it gets all of ours.\n"
        + "".join(f"Kept: {n}, ours, in my_agent.py.\n" for n in kept_by_all())
    )
    assert (tmp_path / FILE).read_text(encoding="utf-8") == our_agent()
    assert learner.do("take_ours") == "Kept: tally_loop, ours, in my_agent.py.\n"
    assert learner.do("lesson", "02_state_as_dict").count("\n") == 1


def test_ours_that_is_unknown_is_told_with_those_of_all_lessons(learner):
    said = learner.do("take_ours", "lop")
    assert re.match(r"No thing to take 'lop' here\. There is: .*loop", said)


def test_a_lesson_that_keeps_nothing_says_so(capsys):
    Classroom({}).take_ours()
    assert capsys.readouterr().out == (
        f"This lesson keeps nothing. There is: {listed(kept_by_all())}.\n"
    )


def test_progress_says_what_is_right_and_whose_is_in_the_file(learner):
    learner.do("check", 1, loop)
    learner.do("keep", "loop", loop)
    learner.do("take_ours", "Waiting")
    assert learner.do("progress") == (
        "Questions answered: 0 of 0.\n"
        "Exercises right: 1 of 4.\n"
        "Still open: 2, 3, 4. hint(n) helps, twice.\n"
        "In my_agent.py of yours: loop; ours for Waiting, Errands.\n"
    )


def test_what_was_kept_before_the_kernel_began_anew_is_still_yours(
    learner, tmp_path, capsys
):
    def own(number):
        return 1 + number

    learner.do("check", 1, own)
    learner.do("keep", "loop", own)
    again = Learner({"MINGRAPH_KEEP_IN": str(tmp_path)}, capsys)
    assert "of yours: loop;" in again.do("progress")
    again.do("take_ours", "loop")
    assert "of yours: none;" in again.do("progress")


def test_progress_counts_checks_since_the_last_start_where_guesses_are_older(
    learner, tmp_path, capsys
):
    learner.do("predict", "sum", "What is 2 + 2?")
    learner.do("choose", "sum", 4)
    learner.do("check", 1, loop)
    assert "Exercises right: 1 of 4.\n" in learner.do("progress")
    again = Learner({"MINGRAPH_KEEP_IN": str(tmp_path)}, capsys)
    since = "Exercises right: 0 of 4. (Counted since the last start.)\n"
    assert since in again.do("progress")
    again.do("start_over")
    again.room.open(LESSON)
    assert "Exercises right: 0 of 4.\n" in again.do("progress")


def test_progress_says_that_my_agent_py_cannot_be_read_and_not_whose_it_holds(
    learner, tmp_path
):
    (tmp_path / FILE).write_text("def loop(:\n", encoding="utf-8")
    said = learner.do("progress").splitlines()[-1]
    assert said.startswith("my_agent.py cannot be read: line 1, ")
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    said = learner.do("progress").splitlines()[-1]
    assert said.startswith("my_agent.py cannot be read in this folder: ")


def test_starting_over_forgets_what_was_checked_and_keeps_the_file(learner, tmp_path):
    learner.do("check", 1, loop)
    learner.do("keep", "loop", loop)
    learner.do("start_over")
    learner.room.open(LESSON)
    assert "Exercises right: 0 of 4." in learner.do("progress")
    assert (tmp_path / FILE).exists()
