"""A lesson that asks before it tells, and checks what you write.

In reading order:

    asking        what a notebook calls: one learner's place in one lesson
    questions     predict, choose, vote, reveal
    workbook      arrange, check, hint, keep
    exercises     what a lesson asks, as data
    arranging     lines to order, with blanks and one line too many
    spies         tools and models that note what ran
    tallies       a run and its tally, compared with a right one
    patience      a loop without an end, ended
    numbers       numbers in a sentence, however they are written
    guesses       what a learner guessed, kept on this machine
    sources       the source of what a learner wrote, and all that it needs
    keeping       my_agent.py
    ours          our own my_agent.py, made of the solutions
    reading_on    which lines of the package to read now
    surroundings  for a learner or for a test, with pictures or in text
    words         how counts and lists are said
    lessons/      what each lesson asks
"""

from typing import Final

from mingraph_lite.classroom.arranging import Arrangement, function_of
from mingraph_lite.classroom.asking import Classroom, expect_error, load, room
from mingraph_lite.classroom.exercises import (
    STILL_THE_STUB,
    Exercise,
    Lesson,
    Prediction,
    Sentences,
)
from mingraph_lite.classroom.numbers import numbers_in
from mingraph_lite.classroom.spies import Spy

__all__: Final = [
    "STILL_THE_STUB",
    "Arrangement",
    "Classroom",
    "Exercise",
    "Lesson",
    "Prediction",
    "Sentences",
    "Spy",
    "arrange",
    "check",
    "choose",
    "expect_error",
    "function_of",
    "hint",
    "keep",
    "lesson",
    "load",
    "now_read",
    "numbers_in",
    "predict",
    "progress",
    "reveal",
    "room",
    "skip",
    "start_over",
    "take_ours",
    "vote",
]

lesson = room.lesson
predict = room.predict
choose = room.choose
skip = room.skip
vote = room.vote
reveal = room.reveal
arrange = room.arrange
check = room.check
hint = room.hint
keep = room.keep
take_ours = room.take_ours
progress = room.progress
now_read = room.now_read
start_over = room.start_over
