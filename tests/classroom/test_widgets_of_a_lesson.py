"""The cards that a learner presses, pressed as the page presses them."""

import pytest

from mingraph_lite.classroom import (
    Arrangement,
    Classroom,
    Exercise,
    Lesson,
    function_of,
    questions,
    workbook,
)
from mingraph_lite.classroom.surroundings import Surroundings
from mingraph_lite.views.lines_to_order import LinesToOrder
from mingraph_lite.views.question_card import QuestionCard

CHOICES = {"one call": "It takes two.", "two calls": "Slip, then answer."}
LINES = Arrangement(
    header="def double(number):",
    lines=("result = «number» * 2", "return result"),
    extra="number.clear()",
)


def doubles(code):
    double = function_of(code, "double")
    return None if double(4) == 8 else "double(4) is 8."


LESSON = Lesson(
    "07_testing",
    sentences={"calls": CHOICES, "sum": {"4": "Two and two."}, "word": {}},
    exercises=(Exercise(doubles, "", LINES.solution, {}, ("", ""), arrangement=LINES),),
)


@pytest.fixture
def shown(monkeypatch):
    """What is put below a cell, in a notebook of a learner."""
    found = []
    monkeypatch.setattr(Surroundings, "shows_cards", True)
    for module in (questions, workbook):
        monkeypatch.setattr(module, "show", found.append)
    return found


@pytest.fixture
def room(tmp_path, shown):
    room = Classroom({"MINGRAPH_LEARNER": "1", "MINGRAPH_KEEP_IN": str(tmp_path)})
    room.open(LESSON)
    return room


def press(card, **what):
    """What the page sends when something is pressed."""
    card._handle_custom_msg(what, [])


def state(card, *keys):
    return [card.question[key] for key in keys]


def lines_of(*letters_and_fills):
    return [
        {"letter": letter, "depth": 0, "fills": list(fills)}
        for letter, fills in letters_and_fills
    ]


def letters():
    found = {line: letter for letter, line in LINES.pieces.items()}
    return found["result = ____ * 2"], found["return result"]


def test_a_question_is_a_card_with_the_prompt_as_its_text(room, shown, capsys):
    room.predict("calls", "How many?", list(CHOICES))
    (card,) = shown
    assert isinstance(card, QuestionCard)
    assert state(card, "question", "number", "guess", "fact", "told") == (
        ["How many?", "1 of 3", None, None, ""]
    )
    assert repr(card).splitlines()[-1].startswith("Your turn, in a new cell: choose(")
    assert capsys.readouterr().out == ""


def test_nothing_in_the_card_gives_the_answer_away(room, shown):
    room.predict("calls", "How many?", list(CHOICES))
    told = str(shown[0].question) + repr(shown[0])
    assert [s for s in CHOICES.values() if s in told] == []


def test_a_press_is_the_guess_that_the_reveal_knows(room, shown):
    room.predict("calls", "How many?", list(CHOICES))
    press(shown[0], act="guess", value="one call", why=" as I feel ")
    assert state(shown[0], "guess", "why", "note") == ["one call", "as I feel", ""]
    room.reveal("calls", lambda: "two calls")
    assert state(shown[1], "guess", "why", "fact", "told") == (
        ["one call", "as I feel", "two calls", "It takes two."]
    )
    assert repr(shown[1]) == (
        "Measured: two calls\nYou said: one call.\nYou wrote: as I feel\nIt takes two."
    )


def test_a_press_on_skip_opens_the_reveal(room, shown):
    room.predict("calls", "How many?", list(CHOICES))
    press(shown[0], act="skip")
    assert state(shown[0], "guess", "skipped") == [None, True]
    room.reveal("calls", lambda: "two calls")
    assert state(shown[1], "fact", "told") == ["two calls", "Slip, then answer."]


def test_once_revealed_the_card_above_says_where_and_not_what(room, shown):
    room.predict("calls", "How many?", list(CHOICES))
    room.choose("calls", "one call")
    assert state(shown[0], "note") == [""]
    for _ in range(2):  # a reveal that is run again says the same
        room.reveal("calls", lambda: "two calls")
        assert state(shown[0], "guess", "fact", "note") == [
            *("one call", None, "Measured below")
        ]
    assert [card.question["note"] for card in shown[1:]] == ["", ""]
    room.predict("calls", "How many?", list(CHOICES))
    assert state(shown[-1], "guess", "note") == ["one call", ""]


def test_a_skipped_card_says_where_it_was_measured_too(room, shown):
    room.predict("calls", "How many?", list(CHOICES))
    press(shown[0], act="skip")
    room.reveal("calls", lambda: "none of the choices")
    assert state(shown[0], "skipped", "note") == [True, "Skipped, measured below"]


def test_a_guess_by_text_is_shown_on_the_card(room, shown):
    room.predict("sum", "What is 2 + 2?")
    room.choose("sum", "four", "counted")
    assert state(shown[0], "guess", "why") == ["4", "counted"]


@pytest.mark.parametrize("typed", ["about 4", "many", " "])
def test_a_guess_of_the_wrong_kind_is_told_on_the_card(typed, room, shown, capsys):
    room.predict("sum", "What is 2 + 2?")
    press(shown[0], act="guess", value=typed, why="")
    assert state(shown[0], "guess", "note") == [
        None,
        f"{typed!r} is no number. Type one, like 4.",
    ]
    room.reveal("sum", lambda: 4)
    assert capsys.readouterr().out.startswith("First your guess.")
    press(shown[0], act="guess", value="four", why="")
    assert state(shown[0], "guess", "note") == ["4", ""]


def test_a_text_that_is_empty_is_told_on_the_card(room, shown):
    room.predict("word", "Which word?", kind="text")
    press(shown[0], act="guess", value=" ", why="")
    assert state(shown[0], "note") == ["' ' is no text. Type one, like a word."]


def test_a_vote_is_a_card_with_bars_and_takes_a_guess_too(room, shown):
    room.predict("calls", "How many?", list(CHOICES))
    room.vote("calls", {"two calls": 3, "one call": 1})
    places = shown[0].question["choices"]
    votes = [{"two calls": 3, "one call": 1}[text] for text in places]
    assert state(shown[1], "votes", "fact") == [votes, None]
    assert "4 votes, before the reveal." in repr(shown[1])
    press(shown[1], act="guess", value="one call", why="")
    assert [state(card, "guess") for card in shown] == [["one call"], ["one call"]]


def test_a_vote_on_a_number_is_text_since_the_card_has_no_bars_for_it(
    room, shown, capsys
):
    room.predict("sum", "What is 2 + 2?")
    room.vote("sum", {4: 3})
    assert len(shown) == 1
    assert "3 votes, before the reveal." in capsys.readouterr().out


def test_a_cell_that_runs_again_shows_the_guess_there_is(room, shown):
    room.predict("sum", "What is 2 + 2?")
    room.choose("sum", 4)
    room.predict("sum", "What is 2 + 2?")
    assert state(shown[1], "guess") == ["4"]


def test_a_long_text_is_kept_whole_beside_the_card(room, shown):
    question = "How many times is it asked, " * 20 + "all in all?"
    room.predict("sum", question)
    assert repr(shown[0]).startswith(question)


def test_lines_are_ordered_on_a_card_and_the_next_cell_says_the_same(
    room, shown, capsys
):
    room.arrange(1)
    (card,) = shown
    assert isinstance(card, LinesToOrder)
    assert repr(card).endswith("check(1)")
    first, last = letters()
    wrong = lines_of((last, []), (first, ["number"]))
    press(card, act="check", placed=wrong)
    said = card.lines["verdict"]
    assert card.lines["right"] is False
    room.check(1)
    assert said.startswith("Not yet. ")
    assert capsys.readouterr().out == f"Exercise 1: n{said[1:]}\n"
    press(card, act="check", placed=lines_of((first, ["number"]), (last, [])))
    assert (card.lines["right"], card.lines["verdict"]) == (True, "")
    room.check(1)
    assert capsys.readouterr().out == "Exercise 1: right.\n"
    room.progress()
    assert "Exercises right: 1 of 1." in capsys.readouterr().out


def test_lines_that_were_left_unchecked_are_those_that_the_next_cell_checks(
    room, shown, capsys
):
    room.arrange(1)
    first, last = letters()
    press(shown[0], act="put", placed=lines_of((first, ["number"]), (last, [])))
    assert shown[0].lines["verdict"] == ""
    room.check(1)
    assert capsys.readouterr().out == "Exercise 1: right.\n"


def test_the_line_above_stands_on_the_card(room, shown):
    room.arrange(1)
    assert shown[0].lines["header"] == "def double(number):"


@pytest.mark.parametrize(
    ("key", "choices", "how", "example"),
    [
        ("calls", list(CHOICES), "Press", "1), or another number up to 2"),
        ("sum", [], "Type", "100), or another number"),
    ],
)
def test_a_reveal_that_waits_for_a_guess_points_to_the_card(
    key, choices, how, example, room, shown, capsys
):
    room.predict(key, "How many?", choices)
    room.reveal(key, lambda: "two calls")
    assert len(shown) == 1
    assert capsys.readouterr().out == (
        f"First your guess. {how} it on the card above, then run this cell again.\n"
        f'(Or in a new cell: choose("{key}", {example}; or skip("{key}").)\n'
    )


@pytest.mark.parametrize(("flag", "classes"), [("1", ("mingraph", "large")), ("", ())])
def test_for_a_projector_both_cards_are_large(flag, classes, room, shown, monkeypatch):
    monkeypatch.setenv("MINGRAPH_PROJECTOR", flag)
    room.predict("sum", "What is 2 + 2?")
    room.arrange(1)
    assert [card._dom_classes for card in shown] == [classes, classes]


def test_a_blank_left_empty_on_the_card_is_told(room, shown):
    room.arrange(1)
    first, last = letters()
    press(shown[0], act="check", placed=lines_of((first, [""]), (last, [])))
    assert shown[0].lines["verdict"] == "Not yet. A blank is still empty."


def test_an_order_by_text_is_shown_on_the_card_and_so_is_its_check(room, shown):
    room.arrange(1)
    first, last = letters()
    room.arrange(1, f"{first} {last}", "number")
    assert [one["letter"] for one in shown[0].lines["placed"]] == [first, last]
    assert len(shown[0].lines["left_out"]) == 1
    room.check(1)
    assert (shown[0].lines["right"], shown[0].lines["verdict"]) == (True, "")


def test_an_order_with_fewer_fills_than_blanks_can_be_shown(room, shown):
    room.arrange(1)
    first, _ = letters()
    room.arrange(1, first)
    assert shown[0].lines["placed"] == [{"letter": first, "depth": 0, "fills": [""]}]
