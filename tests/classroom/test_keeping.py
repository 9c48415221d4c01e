import importlib
import sys

import pytest

from mingraph_lite.classroom import keeping
from mingraph_lite.classroom.definitions import CannotKeep
from mingraph_lite.classroom.keeping import (
    FILE,
    HEAD,
    read_own,
    trouble_with,
    write_down,
)
from mingraph_lite.classroom.sources import Piece

ONE = Piece("loop", "def loop():\n    return 1")
TWO = Piece("loop", "def loop():\n    return 2")
TOOL = Piece("my_tool", "def my_tool():\n    return 3")


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


def test_the_first_thing_kept_makes_the_file(tmp_path):
    assert write_down(tmp_path, [ONE], "01_while_true") is None
    assert names(tmp_path) == [FILE]
    assert (tmp_path / FILE).read_text() == f"{HEAD}\n\n{ONE.source}\n"


def test_the_file_as_it_was_is_copied_before_it_is_written(tmp_path):
    write_down(tmp_path, [ONE], "01_while_true")
    before = (tmp_path / FILE).read_bytes()
    assert write_down(tmp_path, [TWO], "05_errors") == "my_agent.before_05.py"
    assert (tmp_path / "my_agent.before_05.py").read_bytes() == before


def test_two_keeps_in_one_lesson_lose_nothing(tmp_path):
    write_down(tmp_path, [ONE, TOOL], "01_while_true")
    other = Piece("my_tool", "def my_tool():\n    return 4")
    copies = [write_down(tmp_path, [p], "01_while_true") for p in (TWO, other)]
    # The first copy holds the old tool too: one for a lesson is enough.
    assert copies == ["my_agent.before_01.py", None]
    before = (tmp_path / "my_agent.before_01.py").read_text()
    assert "return 1" in before
    assert "return 3" in before


def test_what_only_comes_in_addition_needs_no_copy(tmp_path):
    write_down(tmp_path, [ONE], "01_while_true")
    assert write_down(tmp_path, [TOOL], "01_while_true") is None
    assert names(tmp_path) == [FILE]


def test_the_same_again_writes_nothing(tmp_path):
    write_down(tmp_path, [ONE], "01_while_true")
    assert write_down(tmp_path, [ONE], "01_while_true") is None
    assert names(tmp_path) == [FILE]


def test_going_to_and_fro_makes_no_endless_copies(tmp_path):
    for _ in range(5):
        for piece in (ONE, TWO):
            write_down(tmp_path, [piece], "01_while_true")
    assert names(tmp_path) == ["my_agent.before_01-2.py", "my_agent.before_01.py", FILE]


def test_the_next_import_sees_what_was_kept_even_at_once(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    seen = []
    for piece in (ONE, TWO, ONE):
        write_down(tmp_path, [piece], "01_while_true")
        seen.append(importlib.import_module("my_agent").loop())
    sys.modules.pop("my_agent")
    assert seen == [1, 2, 1]


def test_windows_line_ends_stay(tmp_path):
    (tmp_path / FILE).write_bytes(b"# mine\r\nx = 1\r\n")
    write_down(tmp_path, [ONE], "01_while_true")
    assert (tmp_path / FILE).read_bytes() == (
        b"# mine\r\nx = 1\r\n\r\n\r\ndef loop():\r\n    return 1\r\n"
    )
    assert write_down(tmp_path, [ONE], "01_while_true") is None


def test_a_mark_at_the_beginning_of_the_file_is_no_slip(tmp_path):
    (tmp_path / FILE).write_bytes(b"\xef\xbb\xbfx = 1\n")
    write_down(tmp_path, [ONE], "01_while_true")
    assert (tmp_path / FILE).read_text().startswith("x = 1\n")


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (b"def loop(:\n", "my_agent.py cannot be read: line 1, invalid syntax."),
        (b"x = '\xe4'\n", "my_agent.py is not in UTF-8."),
        (b"1 / 0\n", "would not run: ZeroDivisionError: division by zero."),
        (b"raise SystemExit('bye')\n", "would not run: SystemExit: bye."),
        (b"while True:\n    pass\n", "would not run: NoEnd: it took"),
        (b"import nowhere_at_all\n", "would not run: ModuleNotFoundError: No module"),
    ],
)
def test_a_file_that_does_not_run_stays_as_it_is(there, why, tmp_path):
    (tmp_path / FILE).write_bytes(there)
    with pytest.raises(CannotKeep) as caught:
        write_down(tmp_path, [ONE], "01_while_true")
    assert why in str(caught.value)
    assert (tmp_path / FILE).read_bytes() == there
    assert names(tmp_path) == [FILE]


def test_trying_the_file_leaves_the_learners_own_import_alone(tmp_path, monkeypatch):
    mine = object()
    monkeypatch.setitem(sys.modules, "my_agent", mine)
    with pytest.raises(CannotKeep):
        write_down(tmp_path, [Piece("loop", "loop = 1 / 0")], "01_while_true")
    assert sys.modules["my_agent"] is mine


def test_a_folder_that_is_not_there_is_made(tmp_path):
    write_down(tmp_path / "my" / "lessons", [ONE], "01_while_true")
    assert names(tmp_path / "my" / "lessons") == [FILE]


def test_a_folder_that_cannot_be_written_is_told_without_its_path(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CannotKeep) as caught:
        write_down(tmp_path / "file", [ONE], "01_while_true")
    assert str(caught.value) == (
        "my_agent.py cannot be written in this folder: File exists."
    )


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(tmp_path, monkeypatch):
    write_down(tmp_path, [ONE], "01_while_true")
    before = (tmp_path / FILE).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeping.os, "replace", full)
    with pytest.raises(CannotKeep, match="No space left on device"):
        write_down(tmp_path, [TWO], "01_while_true")
    assert (names(tmp_path), (tmp_path / FILE).read_bytes()) == ([FILE], before)


def test_reading_the_file_copes_with_what_is_there(tmp_path):
    assert (read_own(None), read_own(tmp_path)) == ("", "")
    (tmp_path / FILE).write_bytes(b"x = 1\r\n")
    assert read_own(tmp_path) == "x = 1\n"
    (tmp_path / FILE).write_bytes(b"\xff\xff")
    assert read_own(tmp_path) == ""


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (
            None,
            "There is no my_agent.py here, and later lessons begin with it. "
            "take_ours(), of mingraph_lite.classroom, puts ours there.",
        ),
        (
            b"def loop()\n    return 1\n",
            "my_agent.py cannot be read: line 1, expected ':'. Mend that line, or "
            "rename the file and begin with ours: take_ours().",
        ),
        (
            b"x = '\xe9'\n",
            "my_agent.py is not in UTF-8. Save it so, or rename it and begin anew.",
        ),
        (b"def loop():\n    return 1\n", None),
    ],
)
def test_a_file_that_a_lesson_cannot_begin_with_is_told(tmp_path, written, told):
    if written is not None:
        (tmp_path / FILE).write_bytes(written)
    assert trouble_with(tmp_path) == told
    assert trouble_with(None) is None
