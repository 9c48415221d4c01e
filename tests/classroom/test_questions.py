"""What test_asking leaves open: prompts that run, votes, guesses on file."""

import re

import pytest

from mingraph_lite.classroom import Classroom, Lesson
from mingraph_lite.classroom.guesses import FILE

CHOICES = {
    "three calls": "Two rounds of errands, then the answer.",
    "one call": "Each reply can pass slips, and slips need another call.",
    "two calls": "The second reply passes one more slip.",
}
LESSON = Lesson("adding", sentences={"calls": CHOICES, "sum": {"4": "Two and two."}})


class Learner:
    """A room whose files lie in one folder, and what it said last."""

    def __init__(self, folder, capsys, *, flag=True):
        self._capsys = capsys
        keep = {"MINGRAPH_KEEP_IN": str(folder)}
        self.room = Classroom(keep | ({"MINGRAPH_LEARNER": "1"} if flag else {}))
        self.room.open(LESSON)

    def said(self, name, *values, **named):
        self._capsys.readouterr()
        getattr(self.room, name)(*values, **named)
        return self._capsys.readouterr().out


@pytest.fixture
def learner(tmp_path, capsys):
    return Learner(tmp_path, capsys)


def copied(prompt):
    """The calls that a prompt shows, as a learner would copy them."""
    return re.findall(r"\b(?:choose|skip|vote)\([^()]*\)", prompt)


@pytest.mark.parametrize(
    ("ask", "answers"),
    [
        (
            ("calls", "How many?", list(CHOICES)),
            [
                "Noted: one call. Now run the next cell.\n",
                "Skipped. The next cell shows what happens.\n",
            ],
        ),
        (
            ("sum", "What is 2 + 2?"),
            [
                "Noted: 100. Now run the next cell.\n",
                "Skipped. The next cell shows what happens.\n",
            ],
        ),
    ],
)
def test_what_a_prompt_shows_can_be_copied_and_runs(ask, answers, learner, capsys):
    prompt = learner.said("predict", *ask)
    said = []
    for line in copied(prompt):
        exec(line, {n: getattr(learner.room, n) for n in ("choose", "skip")})
        said.append(capsys.readouterr().out)
    assert said == answers


def test_a_text_is_asked_for_as_a_text(learner):
    prompt = learner.said("predict", "word", "Which word?", kind="text")
    assert prompt == (
        "Which word?\n"
        'Your turn, in a new cell: choose("word", "…"), with your text; '
        'or skip("word").\n'
    )
    learner.said("choose", "word", "PARIS")
    assert learner.said("reveal", "word", lambda: "Paris") == (
        "Measured: Paris\nYou said: PARIS, and so it is.\n"
    )


@pytest.mark.parametrize("guess", ["four", "4.0", 4, " 4 "])
def test_a_number_is_one_number_however_it_is_typed(guess, learner):
    learner.said("predict", "sum", "What is 2 + 2?")
    assert learner.said("choose", "sum", guess).startswith("Noted: 4.")
    assert learner.said("reveal", "sum", lambda: 4.0) == (
        "Measured: 4.0\nYou said: 4, and so it is.\nTwo and two.\n"
    )


@pytest.mark.parametrize("guess", ["about 4", "many", "", None, True, [4]])
def test_a_guess_of_the_wrong_kind_is_told_so_and_not_noted(guess, learner):
    learner.said("predict", "sum", "What is 2 + 2?")
    assert learner.said("choose", "sum", guess) == (
        f"{guess!r} is no number.\n"
        'Your turn, in a new cell: choose("sum", 100), or another number; '
        'or skip("sum").\n'
    )
    assert learner.said("reveal", "sum", lambda: 4).startswith("First your guess.")


def test_why_comes_back_beside_the_reveal(learner):
    learner.said("predict", "sum", "What is 2 + 2?")
    learner.said("choose", "sum", 5, "  as I feel ")
    assert learner.said("reveal", "sum", lambda: 4) == (
        "Measured: 4\nYou said: 5.\nYou wrote: as I feel\nTwo and two.\n"
    )


def test_a_vote_is_shown_as_bars_and_tells_no_fact(learner):
    learner.said("predict", "calls", "How many?", list(CHOICES))
    assert learner.said("vote", "calls", [12, 0, 1]) == (
        f"How many?\n  one call     {'█' * 24} 12\n  two calls    0\n"
        "  three calls  ██ 1\n13 votes, before the reveal.\n"
    )


def test_a_vote_on_a_number_says_how_often_each_was_said(learner):
    learner.said("predict", "sum", "What is 2 + 2?")
    assert learner.said("vote", "sum", {4: 1}) == (
        f"What is 2 + 2?\n  4  {'█' * 24} 1\n1 vote, before the reveal.\n"
    )


def test_what_are_no_votes_is_told_with_a_line_that_runs(learner, capsys):
    learner.said("predict", "calls", "How many?", list(CHOICES))
    said = learner.said("vote", "calls", [7, 2])
    assert said == (
        "[7, 2] are no votes. Give one count for each of the 3 choices, in their "
        'order: vote("calls", [0, 0, 0]).\n'
    )
    exec(copied(said)[0], {"vote": learner.room.vote})
    assert "0 votes, before the reveal." in capsys.readouterr().out
    learner.said("predict", "sum", "What is 2 + 2?")
    assert learner.said("vote", "sum", 7) == (
        '7 are no votes. Say how often each was said: vote("sum", {10: 7, 20: 3}).\n'
    )


def test_a_vote_on_what_was_not_asked_is_told(learner):
    assert learner.said("vote", "cals", [1]) == (
        "No question 'cals' here. There is: none.\n"
    )


def test_a_guess_is_there_after_the_kernel_began_anew(learner, tmp_path, capsys):
    learner.said("predict", "sum", "What is 2 + 2?")
    learner.said("choose", "sum", 5, "as I feel")
    again = Learner(tmp_path, capsys)
    again.said("predict", "sum", "What is 2 + 2?")
    assert "You said: 5.\nYou wrote: as I feel\n" in again.said(
        "reveal", "sum", lambda: 4
    )


@pytest.mark.parametrize(
    "anew",
    [
        ("sum", "What is 3 + 3?"),
        ("sum", "What is 2 + 2?", {"it is four": "Yes.", "it is five": "No."}),
    ],
)
def test_a_guess_from_before_the_lesson_was_rewritten_is_forgotten(
    anew, learner, tmp_path, capsys
):
    learner.said("predict", "sum", "What is 2 + 2?")
    learner.said("choose", "sum", 5)
    again = Learner(tmp_path, capsys)
    again.said("predict", *anew)
    assert again.said("reveal", "sum", lambda: 6).startswith("First your guess.")


def test_a_folder_that_cannot_be_written_is_told_once_and_stops_nothing(
    tmp_path, capsys
):
    (tmp_path / "file").write_text("no folder")
    learner = Learner(tmp_path / "file", capsys)
    learner.said("predict", "sum", "What is 2 + 2?")
    assert learner.said("choose", "sum", 4) == (
        f"{FILE} cannot be written here: File exists.\n"
        "Your guesses are kept until this kernel ends.\n"
        "Noted: 4. Now run the next cell.\n"
    )
    assert learner.said("choose", "sum", 5) == "Noted: 5. Now run the next cell.\n"
    assert "You said: 5." in learner.said("reveal", "sum", lambda: 4)


def test_without_the_flag_no_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    room = Classroom({})
    room.predict("sum", "What is 2 + 2?")
    room.choose("sum", 4)
    assert list(tmp_path.iterdir()) == []


def test_a_learner_who_changed_the_code_is_told_what_it_measures(learner):
    learner.said("predict", "calls", "How many?", list(CHOICES))
    learner.said("choose", "calls", 1)
    assert learner.said("reveal", "calls", lambda: "nine calls") == (
        "Measured: nine calls, which is none of the choices. A cell above\n"
        "was changed, perhaps: what does your version say, and why?\n"
    )


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ({"kind": "int"}, "'sum' is of kind 'int'. Kinds: number, text."),
        ({"choices": "four"}, "Give the choices of 'sum' as a list of texts."),
    ],
)
def test_a_question_of_no_kind_stops_its_author(question, wrong, learner):
    with pytest.raises(ValueError, match=wrong):
        learner.said("predict", "sum", "What is 2 + 2?", **question)


def test_progress_counts_the_questions_that_were_answered(learner):
    learner.said("predict", "sum", "What is 2 + 2?")
    learner.said("predict", "calls", "How many?", list(CHOICES))
    learner.said("choose", "sum", 4)
    learner.said("skip", "calls")
    assert learner.said("progress") == (
        "Questions answered: 1 of 2.\nExercises right: 0 of 0.\n"
    )


def test_progress_says_that_a_question_further_down_is_still_to_come(learner):
    learner.said("predict", "sum", "What is 2 + 2?")
    learner.said("choose", "sum", 4)
    assert learner.said("progress") == (
        "Questions answered: 1 of 2, and 1 still to come.\nExercises right: 0 of 0.\n"
    )


def test_starting_over_forgets_the_guesses_on_file_too(learner, tmp_path, capsys):
    learner.said("predict", "sum", "What is 2 + 2?")
    learner.said("choose", "sum", 5)
    assert learner.said("start_over") == (
        "Lesson adding is as at the start. Run it from its first cell.\n"
        "The names of a script stay: run it anew.\n"
    )
    again = Learner(tmp_path, capsys)
    again.said("predict", "sum", "What is 2 + 2?")
    assert again.said("reveal", "sum", lambda: 4).startswith("First your guess.")


def test_starting_over_without_a_lesson_says_so_too(capsys):
    Classroom({}).start_over()
    assert capsys.readouterr().out.startswith("All is as at the start.")
