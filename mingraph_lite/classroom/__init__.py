"""A lesson that asks before it tells, and checks what you write.

In reading order:

    asking        what a notebook calls: one learner's place in one lesson
    exercises     what a lesson asks, as data
    loading       lessons, found by their name
    questions     predict, choose, vote, reveal
    answers       what a guess or a vote says, however it is written
    numbers       numbers in a sentence, however they are written
    guesses       what a learner guessed, kept on this machine
    prompts       how to answer in text: lines that can be copied and run
    workbook      arrange, check, hint, keep
    arranging     lines to order, with blanks and one line too many
    lines         these, as a picture and as text
    judging       what a check says of an answer, whatever the answer does
    patience      a loop without an end, ended
    plain         whether it can be called, and is done then
    spies         tools and models that note what ran
    written       answers made of lines of text
    checks/       what the checks of several lessons share
    definitions   the lines in which something was defined, in a cell or a file
    sources       these, and all that they need
    pages         definitions put into a file that others write in too
    keeping       my_agent.py
    ours          our own my_agent.py, made of the solutions
    reading_on    which lines of the package to read now
    scratch       files that a lesson writes, gone with its kernel
    overhearing   the package's log, below the cell
    surroundings  for a learner or for a test, with pictures or in text
    words         how counts and lists are said
    lessons/      what each lesson asks
"""

from typing import Final

from mingraph_lite.classroom.arranging import Arrangement
from mingraph_lite.classroom.asking import Classroom, expect_error, room
from mingraph_lite.classroom.exercises import (
    STILL_THE_STUB,
    Exercise,
    Lesson,
    Prediction,
    Sentences,
)
from mingraph_lite.classroom.loading import load
from mingraph_lite.classroom.numbers import numbers_in
from mingraph_lite.classroom.overhearing import show_log
from mingraph_lite.classroom.scratch import scratch
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.classroom.written import function_of, replaced, written

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
    "replaced",
    "reveal",
    "room",
    "scratch",
    "show_log",
    "skip",
    "start_over",
    "take_ours",
    "vote",
    "written",
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
