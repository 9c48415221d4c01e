"""Each lesson's checks, on every answer that the lesson itself knows."""

import sys
from collections.abc import Iterator
from types import FunctionType

import pytest

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson, load
from mingraph_lite.classroom.judging import judged
from mingraph_lite.classroom.loading import names_of_lessons
from mingraph_lite.classroom.ours import our_agent, our_pieces, what_we_keep
from mingraph_lite.classroom.pages import names_in

LESSONS = {name: load(name) for name in names_of_lessons()}


def entries(lesson: Lesson) -> Iterator[tuple[str, Exercise, object, str | None]]:
    """What is handed in under which name, and the sentence that it should get."""
    for number, exercise in enumerate(lesson.exercises, start=1):
        yield f"{number}, stub", exercise, exercise.stub, STILL_THE_STUB
        yield f"{number}, solution", exercise, exercise.solution, None
        for name, answer in exercise.also_right.items():
            yield f"{number}, also right: {name}", exercise, answer, None
        for sentence, answer in exercise.mistakes.items():
            yield f"{number}, mistake: {sentence}", exercise, answer, sentence


ENTRIES = [
    pytest.param(exercise, answer, sentence, id=f"{name}, {entry}")
    for name, lesson in LESSONS.items()
    for entry, exercise, answer, sentence in entries(lesson)
]


@pytest.mark.parametrize(("exercise", "answer", "sentence"), ENTRIES)
def test_each_answer_that_a_lesson_knows_gets_its_sentence_and_asked_again_too(
    exercise, answer, sentence
):
    said = judged(exercise, answer)
    # In the page's Python, which takes five times as long, once is enough.
    again = said if sys.platform == "emscripten" else judged(exercise, answer)
    # What an answer used up the first time may be gone: another mistake, then.
    assert again == said or (again in exercise.mistakes and said is not None)
    if sentence == STILL_THE_STUB:
        said = (said or "")[: len(STILL_THE_STUB)]
    assert said == sentence


@pytest.mark.parametrize("name", LESSONS)
def test_each_lesson_file_carries_the_name_of_its_lesson(name):
    assert LESSONS[name].name == name


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize(
    "answer", [None, 4, "text", (), (None, None), [], {}, print, object]
)
def test_no_check_takes_a_thing_of_another_kind_for_an_answer(name, answer):
    for exercise in LESSONS[name].exercises:
        assert judged(exercise, answer) is not None


@pytest.mark.parametrize("name", LESSONS)
def test_what_a_lesson_keeps_is_in_its_solutions_under_that_name(name):
    for kept, exercise in what_we_keep(LESSONS[name]).items():
        assert kept in names_in(our_pieces(exercise, kept)[-1].source)


@pytest.mark.parametrize("name", LESSONS)
def test_lines_to_order_are_the_usual_solution_and_one_line_too_many(name):
    for exercise in LESSONS[name].exercises:
        lines = exercise.arrangement
        if lines is not None:
            assert exercise.solution == lines.solution
            assert len(set(lines.pieces.values())) == len(lines.lines) + 1
            with_extra = [*lines.lines, lines.extra]
            assert all(line.count("«") == line.count("»") for line in with_extra)
            assert "«" not in lines.extra


def test_our_agent_holds_what_all_lessons_keep_and_runs():
    kept = [name for lesson in LESSONS.values() for name in what_we_keep(lesson)]
    made = {"__name__": "my_agent"}
    exec(compile(our_agent(), "my_agent.py", "exec"), made)
    assert [name for name in kept if name not in made] == []
    assert [
        name for name in kept if not isinstance(made[name], FunctionType | type)
    ] == []
