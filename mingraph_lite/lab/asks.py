"""Questions put before a run; the run itself answers them.

A choice is never marked as right here. What is right is measured on the run that the
reader has just seen, whatever they changed in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mingraph_lite.lab import measures
from mingraph_lite.lab.measures import Frames, Measured

__all__: Final = [
    "ANSWERS_TO_THE_FIRST_REPLY",
    "CONVERSIONS",
    "ENDING",
    "FIRST_WRONG_LINE",
    "LONGEST_READING",
    "MODEL_CALLS",
    "RUNS_OF_THE_FIRST_REPLY",
    "TREATMENT",
    "Ask",
]


@dataclass(frozen=True)
class Ask:
    """A question with its choices, and how its answer is measured.

    What is measured may be none of the choices: an edited run can do what nobody
    foresaw, and is told all the same. Only a question about the ending has an answer
    where somebody stopped the run.
    """

    question: str
    choices: tuple[str, ...]
    measure: Callable[[Frames], Measured]
    about_the_ending: bool = False

    def measured(self, frames: Frames) -> Measured | None:
        """The answer, as this run gave it; None where it was stopped before that."""
        outcome = frames[-1]["outcome"] if frames else None
        stopped = outcome is not None and outcome["reason"] == "interrupted"
        return None if stopped and not self.about_the_ending else self.measure(frames)


_COUNTS: Final = ("1", "2", "3", "4", "5")

MODEL_CALLS: Final = Ask(
    "How many times will the model be called?", _COUNTS, measures.model_calls
)
CONVERSIONS: Final = Ask(
    "How many conversions will the model ask for?",
    ("0", "1", "2", "3"),
    measures.conversions,
)
ENDING: Final = Ask(
    "How will this run end?",
    (
        "with an answer",
        "at the limit on rounds",
        "with an error",
        "somebody stopped it",
    ),
    measures.ending,
    about_the_ending=True,
)
FIRST_WRONG_LINE: Final = Ask(
    "Which is the first line of the folder in which something is wrong?",
    ("line 3", "line 4", "line 5", "line 6", "line 7", "line 9", "none"),
    measures.first_wrong_line,
)
TREATMENT: Final = Ask(
    "What will the loop do about it?",
    (
        "ask the same again",
        "ask again, then give up with an error",
        "end with an error at once",
        "go on with what came",
    ),
    measures.treatment,
)
RUNS_OF_THE_FIRST_REPLY: Final = Ask(
    "How many slips of the first reply will be run?",
    ("0", "1", "2"),
    measures.runs_of_the_first_reply,
)
ANSWERS_TO_THE_FIRST_REPLY: Final = Ask(
    "How many slips of the first reply will get an answer of their own?",
    ("0", "1", "2"),
    measures.answers_to_the_first_reply,
)
LONGEST_READING: Final = Ask(
    "How many characters will the model be read in its longest call?",
    (
        "fewer than 1,000",
        "1,000 to 10,000",
        "10,000 to 100,000",
        "more than 100,000",
    ),
    measures.longest_reading,
)
