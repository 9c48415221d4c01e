"""Lessons, found by their name."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Final

from mingraph_lite.classroom import lessons
from mingraph_lite.classroom.exercises import Lesson
from mingraph_lite.classroom.words import unknown

__all__: Final = ["load", "names_of_lessons"]


def load(name: str) -> Lesson:
    """Read what the lesson of this name asks; raises ValueError where there is none."""
    module = f"{lessons.__name__}.{name}"
    try:
        found = importlib.import_module(module).LESSON
    except ModuleNotFoundError as error:
        if error.name != module:  # a lesson that is there needs what is not
            raise
        raise ValueError(unknown("lesson", name, names_of_lessons())) from None
    assert isinstance(found, Lesson)
    return found


def names_of_lessons() -> list[str]:
    """The names of all lessons, in their order."""
    return sorted(module.name for module in pkgutil.iter_modules(lessons.__path__))
