"""What a guess or a vote says, however it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mingraph_lite.classroom.exercises import Prediction
from mingraph_lite.classroom.numbers import number_of

__all__: Final = ["chosen", "same", "votes_by_text"]


def same(guess: str, fact: str) -> bool:
    """Whether two texts say the same: "4", "four" and "4.0" are one number."""
    one, other = number_of(guess), number_of(fact)
    return guess.casefold() == fact.casefold() or (one is not None and one == other)


def chosen(asked: Prediction, guess: object) -> str | None:
    """The choice that a guess names, by its place or its text; or the typed value."""
    if guess is None or isinstance(guess, bool):
        return None
    text, number = str(guess).strip(), number_of(guess)
    if asked.choices:
        if number is not None and number in range(1, len(asked.choices) + 1):
            return asked.choices[int(number) - 1]
        return next((c for c in asked.choices if c.casefold() == text.casefold()), None)
    if asked.kind == "text":
        return text or None
    return None if number is None else _written(number)


def votes_by_text(asked: Prediction, counts: object) -> dict[str, int] | None:
    """The counts by what was voted for; None where they are no votes.

    One count for each choice, in their order; or a dict, whose keys say what each count
    is for, as a guess would.
    """
    if isinstance(counts, Mapping):
        named = [(chosen(asked, key), count) for key, count in counts.items()]
    elif asked.choices and isinstance(counts, Iterable):
        given = list(counts)
        if len(given) != len(asked.choices):
            return None
        named = list(zip(asked.choices, given, strict=True))
    else:
        return None
    votes = dict.fromkeys(asked.choices, 0)
    for text, count in named:
        if text is None or not _is_count(count):
            return None
        votes[text] = votes.get(text, 0) + count
    return votes


def _is_count(count: object) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and count >= 0


def _written(number: float) -> str:
    return str(int(number)) if number.is_integer() else str(number)
