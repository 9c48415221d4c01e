"""What a question card holds: plain JSON, for notebook and page.

The page's types are made of these; after a change of them write them again:

    python -m mingraph_lite.views.typescript playground/src/question.ts
"""

from __future__ import annotations

from typing import Final, TypedDict

__all__: Final = ["Question"]


class Question(TypedDict):
    """One question: asked, guessed, skipped, voted on or revealed.

    `choices` are texts in their fixed places; where there are none, a value is typed.
    `guess` and `fact` are such texts, or what was typed and what was measured. `number`
    is "1 of 3", or empty. `why` is what the learner wrote for themselves. `votes` has a
    count for each choice. `told` is the sentence after the reveal, so it is empty until
    there is a `fact`. `note` is what is said about a guess of the wrong kind; of a
    question that is answered, it says where its fact stands.
    """

    key: str
    question: str
    choices: list[str]
    number: str
    guess: str | None
    skipped: bool
    why: str
    votes: list[int] | None
    fact: str | None
    told: str
    note: str
