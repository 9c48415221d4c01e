"""How a question is put in text: lines that can be copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mingraph_lite.classroom.exercises import Exercise, Prediction
from mingraph_lite.classroom.words import count_of

__all__: Final = [
    "bars",
    "guess_first",
    "how_to_answer",
    "how_to_check",
    "how_to_vote",
    "numbered",
]

_WIDEST_BAR: Final = 24


def numbered(asked: Prediction) -> list[str]:
    """The choices, each with the number that chooses it."""
    return [f"  {n}  {text}" for n, text in enumerate(asked.choices, start=1)]


def how_to_answer(key: str, asked: Prediction) -> str:
    """Say how to answer a question in a cell."""
    return f"Your turn, in a new cell: {_calls(key, asked)}"


def guess_first(key: str, asked: Prediction, *, on_a_card: bool) -> str:
    """Ask for the guess that a reveal waits for."""
    if not on_a_card:
        return f"First your guess. {how_to_answer(key, asked)}"
    how = "Press" if asked.choices else "Type"
    return (
        f"First your guess. {how} it on the card above, then run this cell again.\n"
        f"(Or in a new cell: {_calls(key, asked)})"
    )


def _calls(key: str, asked: Prediction) -> str:
    # No guess of anybody: an example that is the answer would give it away.
    example, other = "100", "or another number"
    if asked.choices:
        example, other = "1", f"or another number up to {len(asked.choices)}"
    elif asked.kind == "text":
        example, other = '"…"', "with your text"
    return f'choose("{key}", {example}), {other}; or skip("{key}").'


def how_to_check(number: int, exercise: Exercise) -> str:
    """The line that checks an exercise, as far as it can be known."""
    if exercise.arrangement is not None:
        return f"check({number})"
    if len(exercise.keeps) > 1:
        return f"check({number}, ({', '.join(exercise.keeps)}))"
    return f"check({number}, {exercise.keeps[0] if exercise.keeps else '...'})"


def how_to_vote(key: str, asked: Prediction) -> str:
    """Say how to hand in what a class voted."""
    if not asked.choices:
        return f'Say how often each was said: vote("{key}", {{10: 7, 20: 3}}).'
    zeros = ", ".join("0" for _ in asked.choices)
    return (
        f"Give one count for each of the {len(asked.choices)} choices, in their order: "
        f'vote("{key}", [{zeros}]).'
    )


def bars(votes: Mapping[str, int]) -> list[str]:
    """A bar for each count, and how many votes there are in all."""
    most = max(votes.values(), default=0)
    wide = max((len(text) for text in votes), default=0)
    return [
        *(f"  {text:<{wide}}  {_bar(n, most)}{n}" for text, n in votes.items()),
        f"{count_of(sum(votes.values()), 'vote')}, before the reveal.",
    ]


def _bar(count: int, most: int) -> str:
    wide = round(_WIDEST_BAR * count / max(most, 1))
    return "█" * max(wide, 1) + " " if count else ""
