"""A learner's copies are renewed while untouched, never written over."""

import json
import os
import shutil
from pathlib import Path

import pytest

from launcher.copies import copy_lessons, find_lesson
from launcher.place import Place
from start import Trouble
from tests.launcher.folder import notebook, script, start_in


def brought(place: Place) -> list[str]:
    """Bring the copies up to date: what was said."""
    said = []
    copy_lessons(place, said.append)
    return said


def changed(path: Path, **cell: object) -> None:
    """Change the last cell of a notebook."""
    whole = json.loads(path.read_text("utf-8"))
    whole["cells"][-1].update(cell)
    path.write_text(json.dumps(whole), encoding="utf-8")


@pytest.fixture
def copy(place: Place) -> Path:
    """The learner's copy of lesson 04."""
    notebook(place.notebooks / "04_cards.ipynb")
    assert brought(place) == []
    return place.lessons / "04_cards.ipynb"


def newer(place: Place) -> None:
    notebook(place.notebooks / "04_cards.ipynb", "2 + 2")


NEWER = "Lesson 04 is newer than your copy: python3 start.py fresh 04"
MAY_BE = "Lesson 04 may be newer than your copy: python3 start.py fresh 04"
RENEWED = "04_cards.ipynb was untouched, and is now the newer one."


def test_a_copy_holds_the_lesson_and_no_outputs(place):
    notebook(place.notebooks / "00_start_here.ipynb", widgets={"state": {}}, kept=1)

    copies = copy_lessons(place)

    assert copies == [place.lessons / "00_start_here.ipynb"]
    text = {"cell_type": "markdown", "id": "text", "metadata": {}, "source": ["Grüße"]}
    code = {"cell_type": "code", "id": "sum", "metadata": {}, "source": ["1 + 1"]}
    assert json.loads(copies[0].read_text("utf-8")) == {
        "cells": [text, code | {"outputs": [], "execution_count": None}],
        "metadata": {"kept": 1},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    assert sorted(os.listdir(place.lessons)) == [
        ".copies.json",
        "00_start_here.ipynb",
    ]


def test_an_untouched_copy_is_replaced_when_its_lesson_is_newer(place, copy):
    newer(place)

    assert brought(place) == [RENEWED]
    assert "2 + 2" in copy.read_text("utf-8")
    assert brought(place) == []


def test_a_copy_that_jupyterlab_only_wrote_anew_is_untouched(place, copy):
    whole = json.loads(copy.read_text("utf-8"))
    whole["metadata"]["kernelspec"] = {"name": "python3"}
    whole["cells"][-1].update(source="1 + 1", metadata={"trusted": True})
    copy.write_text(json.dumps(whole, indent=4), encoding="utf-8")
    newer(place)

    assert brought(place) == [RENEWED]


@pytest.mark.parametrize(
    "touch",
    [
        {"source": "1 + 1 + 1"},
        {"execution_count": 1},
        {"outputs": [{"output_type": "stream", "name": "stdout", "text": "mine"}]},
        {"cell_type": "markdown", "attachments": {"drawing.png": {}}},
    ],
    ids=lambda touch: next(iter(touch)),
)
def test_a_copy_that_was_edited_or_merely_run_is_never_written_over(place, copy, touch):
    changed(copy, **touch)
    before = copy.read_bytes()

    assert brought(place) == []
    newer(place)

    assert brought(place) == [NEWER]
    assert brought(place) == [NEWER]
    assert copy.read_bytes() == before


def test_nothing_more_is_said_once_a_fresh_copy_is_there(place, copy):
    changed(copy, source="mine")
    newer(place)
    assert start_in(place.root, "fresh", "04") == (
        0,
        ["Your copy: my_lessons/04_cards-2.ipynb"],
    )

    assert brought(place) == []


def test_a_fresh_copy_that_is_untouched_is_renewed_as_well(place, copy):
    changed(copy, source="mine")
    start_in(place.root, "fresh", "04")
    newer(place)

    assert brought(place) == [f"04_cards-2{RENEWED.removeprefix('04_cards')}"]
    assert "mine" in copy.read_text("utf-8")


# What a question asks for is not on the screen before it.

REVEAL = 'reveal("sum", lambda: 1 + 1)'
FOLDED = {"source_hidden": True}


def last_cell(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))["cells"][-1]


@pytest.mark.parametrize(
    ("source", "folded"),
    [
        (REVEAL, True),
        ("said = ask()\n" + REVEAL, True),
        ("from mingraph_lite.classroom import predict, reveal", False),
        ("unreveal(1)", False),
        ("slips.reveal(1)", False),
    ],
)
def test_the_code_of_a_reveal_is_folded_away_and_no_other(place, source, folded):
    lesson = notebook(place.notebooks / "04_cards.ipynb", source)
    solution = notebook(place.notebooks / "solutions/04_cards.ipynb", source)
    brought(place)

    copy = last_cell(place.lessons / "04_cards.ipynb")
    assert copy["metadata"] == ({"jupyter": FOLDED} if folded else {})
    assert copy["source"] == last_cell(lesson)["source"]
    assert last_cell(place.lessons / "solutions/04_cards.ipynb") == last_cell(solution)


def test_what_a_reveals_cell_says_of_itself_is_kept_beside_the_fold(place):
    lesson = notebook(place.notebooks / "04_cards.ipynb", REVEAL)
    changed(lesson, metadata={"tags": ["a"], "jupyter": {"outputs_hidden": False}})
    brought(place)

    assert last_cell(place.lessons / "04_cards.ipynb")["metadata"] == {
        "tags": ["a"],
        "jupyter": {"outputs_hidden": False, "source_hidden": True},
    }


def test_unfolding_a_reveal_is_no_edit(place):
    notebook(place.notebooks / "04_cards.ipynb", REVEAL)
    brought(place)
    changed(place.lessons / "04_cards.ipynb", metadata={})
    notebook(place.notebooks / "04_cards.ipynb", REVEAL + "  # newer")

    assert brought(place) == [RENEWED]


def test_an_untouched_copy_from_before_reveals_were_folded_is_folded_quietly(place):
    notebook(place.notebooks / "04_cards.ipynb", REVEAL)
    brought(place)
    copy = place.lessons / "04_cards.ipynb"
    changed(copy, metadata={})

    assert brought(place) == []
    assert last_cell(copy)["metadata"] == {"jupyter": FOLDED}

    changed(copy, metadata={}, execution_count=1)
    assert brought(place) == []
    assert last_cell(copy)["metadata"] == {}  # it was run, and is the learner's


def test_a_copy_from_before_there_were_notes_counts_as_edited(place, copy):
    (place.lessons / ".copies.json").unlink()
    newer(place)
    before = copy.read_bytes()

    assert brought(place) == [MAY_BE]
    assert copy.read_bytes() == before


def test_a_copy_from_before_there_were_notes_that_equals_the_lesson_is_untouched(
    place, copy
):
    (place.lessons / ".copies.json").unlink()
    assert brought(place) == []
    newer(place)

    assert brought(place) == [RENEWED]


@pytest.mark.parametrize("notes", ["", "[]", "{", '{"04_cards.ipynb": 4}'])
def test_notes_that_cannot_be_read_make_no_copy_untouched(place, copy, notes):
    changed(copy, source="mine")
    (place.lessons / ".copies.json").write_text(notes)

    brought(place)

    assert "mine" in copy.read_text("utf-8")


def test_a_copy_that_is_no_notebook_any_more_is_left_alone(place, copy):
    copy.write_text("mine")

    assert brought(place) == []
    assert copy.read_text() == "mine"


def test_solutions_and_data_follow_the_same_rule(place):
    names = ("solutions/04_cards.ipynb", "data/runs/a.jsonl", "data/runs/b.jsonl")
    solution, *data = (place.notebooks / name for name in names)
    notebook(solution)
    for path in data:
        script(path, "first")
    script(place.notebooks / "data/.leftover", "of a tool")
    assert brought(place) == []
    (place.lessons / names[2]).write_text("mine")
    notebook(solution, "2 + 2")
    for path in data:
        script(path, "second")

    assert brought(place) == [
        "data/runs/a.jsonl was untouched, and is now the newer one.",
        "data/runs/b.jsonl is newer than your copy: rename yours, and the next start "
        "brings the new one.",
        "solutions/04_cards.ipynb was untouched, and is now the newer one.",
    ]
    assert (place.lessons / names[0]).read_bytes() == solution.read_bytes()
    assert (place.lessons / names[1]).read_bytes() == data[0].read_bytes()
    assert (place.lessons / names[2]).read_text() == "mine"
    assert not (place.lessons / "data/.leftover").exists()


def test_an_agent_of_the_learners_own_is_kept_without_a_word(place):
    script(place.notebooks / "my_agent.py", "ours")
    brought(place)
    mine = place.lessons / "my_agent.py"
    assert mine.exists()
    mine.write_text("mine")
    script(place.notebooks / "my_agent.py", "newer")

    assert brought(place) == []
    assert mine.read_text() == "mine"


OURS = """
from mingraph_lite.cards import Card

def loop(llm, tools, folder, limit=10): ...

class Waiting(Card): ...

play = _quiet = loop
"""


@pytest.mark.parametrize(
    ("mine", "missing"),
    [
        ("def loop(): ...", "Waiting and play"),
        ("def loop(): ...\nclass Waiting: ...", "play"),
        ("", "Waiting, loop and play"),
        ("from agents import play, loop\nWaiting: type = object", None),
        ("def loop(:", None),
        ("\0", None),
    ],
)
def test_an_older_agent_of_the_learners_is_kept_and_what_it_lacks_is_named(
    place, mine, missing
):
    ours, theirs = place.notebooks / "my_agent.py", place.lessons / "my_agent.py"
    script(ours)
    brought(place)
    theirs.write_text(mine)
    ours.write_text(OURS)

    said = (
        f"Your my_agent.py has no {missing} yet: a lesson that needs more than you "
        "have kept brings ours with take_ours."
    )
    assert brought(place) == ([said] if missing else [])
    assert theirs.read_text() == mine


def test_an_agent_that_is_still_ours_is_renewed_and_those_before_it_are_kept(place):
    ours, theirs = place.notebooks / "my_agent.py", place.lessons / "my_agent.py"
    script(ours)
    brought(place)
    older = place.lessons / "my_agent.before_04.py"
    older.write_text("mine")
    ours.write_text(OURS)

    assert brought(place) == ["my_agent.py was untouched, and is now the newer one."]
    assert (theirs.read_text(), older.read_text()) == (OURS, "mine")


def test_fresh_gives_another_copy_beside_the_first(place):
    notebook(place.notebooks / "04_cards.ipynb")

    answers = [start_in(place.root, "fresh", number) for number in ("04", "4", "04")]

    assert answers == [
        (0, ["Your copy: my_lessons/04_cards.ipynb"]),
        (0, ["Your copy: my_lessons/04_cards-2.ipynb"]),
        (0, ["Your copy: my_lessons/04_cards-3.ipynb"]),
    ]
    assert len(list(place.lessons.glob("*.ipynb"))) == 3


def test_fresh_says_how_guesses_made_before_are_forgotten(place):
    for name in ("01_while_true", "04_cards"):
        notebook(place.notebooks / f"{name}.ipynb")
    place.lessons.mkdir(exist_ok=True)
    guesses = place.lessons / "my_guesses.json"
    guesses.write_text('{"01_while_true": {}}')
    forgets = "Its guesses are those you made before: start_over() in it forgets them."

    guessed = start_in(place.root, "fresh", "1")
    others = start_in(place.root, "fresh", "04")
    guesses.write_text("[")
    unreadable = start_in(place.root, "fresh", "04")

    assert guessed == (0, ["Your copy: my_lessons/01_while_true.ipynb", forgets])
    assert others == (0, ["Your copy: my_lessons/04_cards.ipynb"])
    assert unreadable == (0, ["Your copy: my_lessons/04_cards-2.ipynb"])


def test_fresh_names_the_lessons_that_exist(place):
    notebook(place.notebooks / "00_start_here.ipynb")
    notebook(place.notebooks / "04_cards.ipynb")

    sentence = "start.py: There is no lesson '99': choose from 00, 04."
    assert start_in(place.root, "fresh", "99") == (1, [sentence])


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("01", "01_while_true"),
        ("1", "01_while_true"),
        ("01b", "01b_milestone"),
        ("1B", "01b_milestone"),
        ("10", "10_done"),
    ],
)
def test_a_milestone_has_a_number_of_its_own(place, number, name):
    for one in ("10_done", "01b_milestone", "01_while_true"):
        notebook(place.notebooks / f"{one}.ipynb")

    assert find_lesson(place, number) == place.notebooks / f"{name}.ipynb"
    assert start_in(place.root, "fresh", number) == (
        0,
        [f"Your copy: my_lessons/{name}.ipynb"],
    )


@pytest.mark.parametrize("number", ["0", "1c", "b", "", "_", "while"])
def test_numbers_that_are_none_are_told_all_in_order(place, number):
    for one in ("10_done", "01b_milestone", "01_while_true"):
        notebook(place.notebooks / f"{one}.ipynb")

    with pytest.raises(Trouble) as trouble:
        find_lesson(place, number)
    assert str(trouble.value) == (
        f"There is no lesson {number!r}: choose from 01, 01b, 10."
    )


def test_a_newer_milestone_is_named_by_its_number(place):
    for one in ("01b_milestone", "01_while_true"):
        notebook(place.notebooks / f"{one}.ipynb")
    brought(place)
    changed(place.lessons / "01b_milestone.ipynb", source="mine")
    notebook(place.notebooks / "01b_milestone.ipynb", "2 + 2")

    assert brought(place) == [
        "Lesson 01b is newer than your copy: python3 start.py fresh 01b"
    ]


def test_what_stands_where_the_copies_should_be_is_named(place):
    notebook(place.notebooks / "04_cards.ipynb")
    place.lessons.write_text("mine")
    with pytest.raises(Trouble, match="my_lessons is a file, where a folder is needed"):
        copy_lessons(place)

    place.lessons.unlink()
    place.lessons.symlink_to(place.root / "absent")
    with pytest.raises(Trouble, match=r"my_lessons is a link to .* is not there"):
        copy_lessons(place)


# H15. Right: what cannot be printed is replaced, and the work goes on.
def test_a_terminal_that_knows_few_letters_ends_nothing(place):
    notebook(place.notebooks / "04_→_✓.ipynb")
    root = place.root.rename(place.root.with_name("Übungen→"))

    for encoding in ("cp1252", "ascii"):
        shutil.rmtree(root / "my_lessons", ignore_errors=True)
        status, lines = start_in(root, "fresh", "04", PYTHONIOENCODING=encoding)
        assert (status, lines) == (0, ["Your copy: my_lessons/04_?_?.ipynb"])
