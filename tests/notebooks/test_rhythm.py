import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mingraph_lite.classroom import Arrangement, Exercise, Lesson, load
from mingraph_lite.classroom.loading import names_of_lessons
from tests.notebooks.rhythm import HEAD, Rhythm, complaints, rhythm, row, yours
from tests.notebooks.running import lessons, read
from tests.summary import rows

LINES = Arrangement(lines=("a = 1", "b = 2"), extra="c = 3")
LESSON = Lesson(
    "small",
    exercises=(Exercise(lambda a: None, "", "", {}, ("", ""), arrangement=LINES),),
)


def own(source):
    return new_code_cell(source, metadata={"tags": ["yours"]})


def prose(words):
    return new_markdown_cell(" ".join(["word"] * words))


def measured(cells, solved=()):
    notebook = new_notebook(cells=list(cells))
    return rhythm(notebook, new_notebook(cells=list(solved)), LESSON)


def test_reading_is_200_words_of_prose_or_100_of_code_a_minute():
    cells = [prose(400), new_code_cell(" ".join(["x"] * 50))]
    assert measured(cells) == Rhythm(2.5, 0, 0, 2, 2.5, 1, None)


def test_doing_is_two_minutes_for_each_line_that_is_not_there_already():
    found = measured(
        [own("def loop():\n    pass")], [own("def loop():\n\n    a = 1\n    return a")]
    )
    assert (found.lines, found.doing, found.first_own) == (2, 4.0, 1)


def test_a_line_of_ones_own_is_written_once_and_taken_along():
    stub, whole = own("def loop():\n    ..."), "def loop():\n    a = 1\n    b = 2"
    found = measured([own(""), stub], [own("for _ in x:\n    a = 1"), own(whole)])
    assert (found.lines, found.doing) == (3, 6.0)


def test_a_guess_a_view_and_each_line_to_order_are_half_a_minute():
    cells = [
        new_code_cell('predict("a", "Which?")'),
        new_code_cell("FolderAndCard(start)"),
        own("arrange(1)"),
    ]
    found = measured(cells, [own('arrange(1, "a b")')])
    assert (found.lines, found.doing, found.stretch_cells) == (0, 2.5, 0)


def test_what_stands_in_more_is_not_counted():
    cells = [prose(200), new_markdown_cell("## More"), prose(900), own("x")]
    assert measured(cells).minutes == 1


def test_what_is_folded_away_is_a_click_and_its_code_is_not_read():
    folded = "<details><summary>Stuck?</summary>\n\n```python\na = 1\n```\n</details>"
    found = measured([prose(100), new_markdown_cell(folded), prose(200)])
    assert (found.stretch_cells, found.stretch_minutes) == (1, 1.0)
    assert found.reading == 1.5 + 1 / 200


def test_a_lesson_without_rhythm_is_told_all_of_it():
    notebook = new_notebook(cells=[prose(8000)])
    slow = Rhythm(40.0, 4.0, 2, 9, 3.5, 7, 11)
    assert complaints(notebook, slow) == [
        "the title line does not say: about 44.0 (40.0 reading, 4.0 doing)",
        "44.0 minutes (35)",
        "9% of it doing (40%)",
        "9 cells without doing, from cell 7 (8)",
        "3.5 minutes without doing (3.0)",
        "the first own line in cell 11 (10)",
    ]


def test_a_lesson_with_rhythm_is_not_told_anything():
    title = new_markdown_cell("Level ● · about 30 minutes (14 reading, 16 doing) · x")
    for reading in (14.2, 14.5, 13.5):
        calm = Rhythm(reading, 16.0, 6, 8, 3.0, 4, 10)
        assert complaints(new_notebook(cells=[title]), calm) == []


def test_the_rows_of_a_run_stand_below_their_head():
    report = pytest.TestReport(
        "t", ("f", 1, "t"), {}, "passed", None, "teardown",
        user_properties=[("table", ("head", "b")), ("table", ("head", "a"))],
    )  # fmt: skip
    other = pytest.TestReport("t", ("f", 1, "t"), {}, "passed", None, "call")
    assert rows([report, other]) == ["head", "a", "b"]
    assert rows([other]) == []


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_each_lesson_has_its_rhythm(path, record_property):
    notebook, solved = read(path), read(path.parent / "solutions" / path.name)
    known = path.stem in names_of_lessons()
    lesson = load(path.stem) if known else Lesson(path.stem)
    assert len(yours(notebook)) == len(yours(solved))
    found = rhythm(notebook, solved, lesson)
    record_property("table", (HEAD, row(path.stem, found)))
    wrong = complaints(notebook, found)
    if re.match(r"\d\db_", path.stem):  # a milestone sets the scene before one writes
        wrong = [text for text in wrong if not text.startswith("the first own line")]
    assert wrong == []
