import json

import pytest

from mingraph_lite.classroom.guesses import (
    FILE,
    UNREADABLE,
    Guess,
    read_guesses,
    write_guesses,
)

GUESS = Guess("4", "as I counted", "How many?")


def test_guesses_are_read_as_they_were_written(tmp_path):
    guesses = {"calls": GUESS, "next": Guess(None, "", "Which?")}
    write_guesses(tmp_path, "01_while_true", guesses)
    assert read_guesses(tmp_path, "01_while_true") == guesses


def test_each_lesson_has_its_own_guesses(tmp_path):
    write_guesses(tmp_path, "01_while_true", {"calls": GUESS})
    write_guesses(tmp_path, "04_cards", {"calls": Guess("5")})
    write_guesses(tmp_path, "04_cards", {})
    assert read_guesses(tmp_path, "01_while_true") == {"calls": GUESS}
    assert read_guesses(tmp_path, "04_cards") == {}
    assert list(json.loads((tmp_path / FILE).read_text())) == ["01_while_true"]


def test_without_a_folder_nothing_is_written_or_read():
    write_guesses(None, "01_while_true", {"calls": GUESS})
    assert read_guesses(None, "01_while_true") == {}


@pytest.mark.parametrize("text", ["{", "[]", "\u00e4 no json", ""])
def test_a_file_that_cannot_be_read_is_laid_aside_before_it_is_written(text, tmp_path):
    (tmp_path / FILE).write_text(text, encoding="latin-1")
    assert read_guesses(tmp_path, "01_while_true") == {}
    write_guesses(tmp_path, "01_while_true", {"calls": GUESS})
    assert read_guesses(tmp_path, "01_while_true") == {"calls": GUESS}
    assert (tmp_path / UNREADABLE).read_text(encoding="latin-1") == text


def test_what_somebody_wrote_into_the_file_by_hand_breaks_nothing(tmp_path):
    kept = {"01": {"a": {"text": 4}, "b": "4", "c": {}}, "02": []}
    (tmp_path / FILE).write_text(json.dumps(kept))
    assert read_guesses(tmp_path, "01") == {"a": Guess("4"), "c": Guess(None)}
    assert read_guesses(tmp_path, "02") == {}


def test_a_folder_that_is_not_there_is_made(tmp_path):
    write_guesses(tmp_path / "mine", "01", {"calls": GUESS})
    assert read_guesses(tmp_path / "mine", "01") == {"calls": GUESS}


def test_nothing_but_the_guesses_is_left_beside_them(tmp_path):
    write_guesses(tmp_path, "01", {"calls": GUESS})
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
