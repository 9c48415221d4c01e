import sys
from types import ModuleType

import pytest

from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Classroom,
    Exercise,
    Lesson,
    expect_error,
)

CHOICES = {
    "three calls": "Two rounds of errands, then the answer.",
    "one call": "Each reply can pass slips, and slips need another call.",
    "two calls": "The second reply passes one more slip.",
}
HOW = (
    'Your turn, in a new cell: choose("calls", 1), or another number up to 3; or '
    'skip("calls").'
)


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path, monkeypatch):
    """A learner's guesses are kept where the kernel runs."""
    monkeypatch.chdir(tmp_path)


def three() -> str:
    return "three calls"


def learner_room() -> Classroom:
    room = Classroom({"MINGRAPH_LEARNER": "1"})
    room.predict("calls", "How many calls?", CHOICES)
    return room


def add_one(answer: object) -> str | None:
    assert callable(answer)
    got = answer(1)
    if got is None:
        return f"{STILL_THE_STUB}: it returns nothing."
    return None if got == 2 else f"add_one(1) is 2, yours gives {got}."


ADDING = Lesson(
    "adding",
    sentences={"calls": CHOICES, "sum": {"11": "That glues texts together."}},
    exercises=(
        Exercise(
            check=add_one,
            stub=lambda number: None,
            solution=lambda number: number + 1,
            mistakes={"add_one(1) is 2, yours gives 1.": lambda number: number},
            hints=("What is one more than 1?", "Return number + 1."),
        ),
    ),
)


def open_room(lesson: Lesson = ADDING) -> Classroom:
    room = Classroom({})
    room.open(lesson)
    return room


def test_a_question_shows_its_choices_in_places_fixed_by_the_key(capsys):
    Classroom({}).predict("calls", "How many calls?", CHOICES)
    assert capsys.readouterr().out == (
        f"How many calls?\n  1  one call\n  2  two calls\n  3  three calls\n{HOW}\n"
    )


def test_the_place_of_the_right_choice_differs_from_key_to_key():
    places = set()
    for key in "abcdefgh":
        room = Classroom({})
        room.predict(key, "How many calls?", CHOICES)
        places.add(room.predictions[key].choices.index("three calls"))
    assert places == {0, 1, 2}


def test_without_a_learner_the_fact_and_its_sentence_are_shown(capsys):
    room = Classroom({})
    room.predict("calls", "How many calls?", CHOICES)
    capsys.readouterr()
    room.reveal("calls", three)
    assert capsys.readouterr().out == (
        "Measured: three calls\nTwo rounds of errands, then the answer.\n"
    )


def test_a_learner_who_has_not_answered_is_told_how_and_nothing_is_measured(capsys):
    room = learner_room()
    capsys.readouterr()
    measured = []
    room.reveal("calls", lambda: measured.append("ran"))
    assert (measured, capsys.readouterr().out) == ([], f"First your guess. {HOW}\n")


def test_the_learner_flag_is_read_when_a_cell_runs(capsys):
    environ: dict[str, str] = {}
    room = Classroom(environ)
    room.predict("calls", "How many calls?", CHOICES)
    environ["MINGRAPH_LEARNER"] = "1"
    capsys.readouterr()
    room.reveal("calls", three)
    assert capsys.readouterr().out == f"First your guess. {HOW}\n"


@pytest.mark.parametrize("guess", [1, "one call"])
def test_a_wrong_choice_gets_the_fact_and_the_sentence_of_that_choice(guess, capsys):
    room = learner_room()
    room.choose("calls", guess)
    capsys.readouterr()
    room.reveal("calls", three)
    assert capsys.readouterr().out == (
        "Measured: three calls\nYou said: one call.\n"
        "Each reply can pass slips, and slips need another call.\n"
    )


def test_a_right_choice_is_called_right(capsys):
    room = learner_room()
    room.choose("calls", 3)
    capsys.readouterr()
    room.reveal("calls", three)
    assert capsys.readouterr().out == (
        "Measured: three calls\nYou said: three calls, and so it is.\n"
        "Two rounds of errands, then the answer.\n"
    )


def test_skipping_shows_the_fact(capsys):
    room = learner_room()
    room.skip("calls")
    capsys.readouterr()
    room.reveal("calls", three)
    assert capsys.readouterr().out == (
        "Measured: three calls\nTwo rounds of errands, then the answer.\n"
    )


def test_a_question_asked_again_keeps_the_guess(capsys):
    room = learner_room()
    room.choose("calls", 1)
    room.predict("calls", "How many calls?", CHOICES)
    capsys.readouterr()
    room.reveal("calls", three)
    assert "You said: one call." in capsys.readouterr().out


def test_choices_given_as_a_list_find_their_sentences_in_the_lesson(capsys):
    room = open_room()
    room.predict("calls", "How many calls?", list(CHOICES))
    capsys.readouterr()
    room.reveal("calls", three)
    assert capsys.readouterr().out == (
        "Measured: three calls\nTwo rounds of errands, then the answer.\n"
    )


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        (2, "You said: 2, and so it is.\n"),
        (11, "You said: 11.\nThat glues texts together.\n"),
        (3, "You said: 3.\n"),
    ],
)
def test_a_typed_guess_is_compared_with_what_was_measured(guess, said, capsys):
    room = open_room()
    room.predict("sum", "What is 1 + 1?")
    room.choose("sum", guess)
    capsys.readouterr()
    room.reveal("sum", lambda: 1 + 1)
    assert capsys.readouterr().out == f"Measured: 2\n{said}"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            lambda room: room.choose("cals", 1),
            "No question 'cals' here. There is: calls. Did you mean 'calls'?\n",
        ),
        (
            lambda room: room.choose("calls", 4),
            f"4 is no answer to 'calls'.\n{HOW}\n",
        ),
        (
            lambda room: room.skip("next"),
            "No question 'next' here. There is: calls.\n",
        ),
        (
            lambda room: room.check(3, None),
            "No exercise '3' here. There is: none.\n",
        ),
        (
            lambda room: room.hint(1),
            "No exercise '1' here. There is: none.\n",
        ),
    ],
    ids=["key", "choice", "skip", "check", "hint"],
)
def test_a_slip_of_the_learner_is_told_and_stops_nothing(answer, told, capsys):
    room = learner_room()
    capsys.readouterr()
    answer(room)
    assert capsys.readouterr().out == told


@pytest.mark.parametrize(
    ("choices", "wrong"),
    [
        (["3", "4"], "none that is a bare number"),
        (["one call"], "Give two or more"),
        (["no", "three calls, as each reply passes a slip"], "differ too much"),
    ],
)
def test_choices_that_give_the_answer_away_stop_their_author(choices, wrong):
    with pytest.raises(ValueError, match=wrong):
        Classroom({}).predict("calls", "How many?", dict.fromkeys(choices, "Because."))


def test_a_choice_without_a_sentence_stops_its_author():
    with pytest.raises(ValueError, match="adding has sentences for three calls"):
        open_room().predict("calls", "How many calls?", ["one call", "no calls"])


def test_a_fact_that_is_not_among_the_choices_stops_its_author():
    room = Classroom({})
    room.predict("calls", "How many calls?", CHOICES)
    with pytest.raises(ValueError, match="'calls' measured '5'"):
        room.reveal("calls", lambda: 5)


def test_a_reveal_without_its_question_says_which_cell_to_run():
    with pytest.raises(ValueError, match="Run the cell with predict"):
        Classroom({}).reveal("calls", three)


def test_a_right_answer_is_right(capsys):
    open_room().check(1, ADDING.exercises[0].solution)
    assert capsys.readouterr().out == "Exercise 1: right.\n"


def test_a_wrong_answer_is_told_which_mistake_it_is(capsys):
    open_room().check(1, lambda number: number)
    assert capsys.readouterr().out == (
        "Exercise 1: not yet. add_one(1) is 2, yours gives 1.\n"
    )


def test_an_answer_that_raises_is_told_its_line(capsys):
    def shaky(number):
        return number + "1"

    line = shaky.__code__.co_firstlineno + 1
    open_room().check(1, shaky)
    assert capsys.readouterr().out == (
        "Exercise 1: not yet. Your code raised TypeError: "
        "unsupported operand type(s) for +: 'int' and 'str'\n"
        f'  in line {line} of its cell: return number + "1"\n'
    )


def test_an_answer_of_another_shape_is_told_as_such(capsys):
    open_room().check(1, 2)
    assert capsys.readouterr().out.startswith(
        "Exercise 1: not yet. The check could not use this answer. AssertionError: "
    )


def test_hints_come_one_by_one_and_end_at_the_solution(capsys):
    room = open_room()
    for _ in range(3):
        room.hint(1)
    assert capsys.readouterr().out == (
        "Hint 1 of 2: What is one more than 1?\n"
        "Hint 2 of 2: Return number + 1.\n"
        "No more hints. A solution is in solutions/adding.ipynb.\n"
    )


def test_an_expected_error_is_printed(capsys):
    with expect_error(LookupError):
        {}["Paris"]
    assert capsys.readouterr().out == "KeyError: 'Paris'\n"


def test_an_error_that_does_not_come_is_an_error():
    with (
        pytest.raises(AssertionError, match="LookupError was expected, but nothing"),
        expect_error(LookupError),
    ):
        pass


def test_another_error_than_expected_is_an_error():
    with (
        pytest.raises(AssertionError, match="but ZeroDivisionError came: division by"),
        expect_error(LookupError),
    ):
        1 / 0  # noqa: B018


def test_opening_a_lesson_finds_it_by_name(capsys, monkeypatch):
    module = ModuleType("mingraph_lite.classroom.lessons.adding")
    module.LESSON = ADDING
    monkeypatch.setitem(sys.modules, module.__name__, module)
    room = Classroom({})
    room.lesson("adding")
    assert (room.current, capsys.readouterr().out) == (
        ADDING,
        "Lesson adding: 1 exercise.\n",
    )


def test_opening_the_same_lesson_again_forgets_nothing(capsys):
    room = open_room()
    room.predict("sum", "What is 1 + 1?")
    room.choose("sum", 2)
    room.lesson("adding")
    capsys.readouterr()
    room.reveal("sum", lambda: 2)
    assert capsys.readouterr().out == "Measured: 2\nYou said: 2, and so it is.\n"


@pytest.mark.parametrize("guess", [2, "2", 2.0, " 2 "])
def test_a_choice_is_named_by_its_place_however_it_is_written(guess, capsys):
    room = learner_room()
    second = room.predictions["calls"].choices[1]
    capsys.readouterr()
    room.choose("calls", guess)
    assert capsys.readouterr().out == f"Noted: {second}. Now run the next cell.\n"


@pytest.mark.parametrize("guess", [True, None, "", "  ", [1]])
def test_what_names_no_choice_is_not_noted(guess, capsys):
    room = learner_room()
    capsys.readouterr()
    room.choose("calls", guess)
    assert capsys.readouterr().out == f"{guess!r} is no answer to 'calls'.\n{HOW}\n"


def test_a_typed_guess_that_is_wrong_gets_the_sentence_of_the_fact(capsys):
    room = open_room()
    room.predict("sum", "What is 1 + 1?", ())
    room.choose("sum", 3)
    capsys.readouterr()
    room.reveal("sum", lambda: 2)
    assert capsys.readouterr().out == "Measured: 2\nYou said: 3.\n"


def test_a_key_that_is_no_text_is_told_apart(capsys):
    room = learner_room()
    capsys.readouterr()
    room.choose(1, "calls")
    assert capsys.readouterr().out == "No question '1' here. There is: calls.\n"


def test_an_exercise_may_be_named_by_a_text(capsys):
    room = open_room()
    capsys.readouterr()
    room.check("1", lambda number: number + 1)
    assert capsys.readouterr().out == "Exercise 1: right.\n"
