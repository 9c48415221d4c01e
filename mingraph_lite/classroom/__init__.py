"""A lesson that asks before it tells, and checks what you write."""

from mingraph_lite.classroom.asking import (
    STILL_THE_STUB,
    Classroom,
    Exercise,
    Lesson,
    Prediction,
    Sentences,
    check,
    choose,
    expect_error,
    hint,
    lesson,
    load,
    predict,
    reveal,
    room,
    skip,
)

__all__ = [
    "STILL_THE_STUB",
    "Classroom",
    "Exercise",
    "Lesson",
    "Prediction",
    "Sentences",
    "check",
    "choose",
    "expect_error",
    "hint",
    "lesson",
    "load",
    "predict",
    "reveal",
    "room",
    "skip",
]
