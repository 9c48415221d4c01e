"""Our own my_agent.py, made of the solutions of all lessons."""

from __future__ import annotations

from typing import Any, Final

from mingraph_lite.classroom.exercises import Exercise, Lesson
from mingraph_lite.classroom.keeping import HEAD
from mingraph_lite.classroom.loading import load, names_of_lessons
from mingraph_lite.classroom.pages import with_pieces
from mingraph_lite.classroom.sources import Piece, pieces_of

__all__: Final = ["our_agent", "our_pieces", "what_we_keep"]


def our_agent() -> str:
    """The file that a learner has who solved every exercise as we did."""
    text = HEAD
    for lesson in map(load, names_of_lessons()):
        for name, exercise in what_we_keep(lesson).items():
            text = with_pieces(text, our_pieces(exercise, name))
    return text


def what_we_keep(lesson: Lesson) -> dict[str, Exercise]:
    """What a lesson keeps, each with the exercise that makes it."""
    return {name: each for each in lesson.exercises for name in each.keeps}


def our_pieces(exercise: Exercise, name: str) -> list[Piece]:
    """Our solution of an exercise, as it is written into my_agent.py."""
    solution: Any = exercise.solution
    if isinstance(solution, tuple | list):
        found = [one for one in solution if getattr(one, "__name__", "") == name]
        if not found:
            raise ValueError(f"No part of the solution is named {name}.")
        solution = found[0]
    return pieces_of(name, solution)
