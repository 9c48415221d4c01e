"""The names of a question that an answer does not say.

A name that is missing tells little: "In which city is the Louvre?" is answered well
without it. Only of "Paris and Tokyo", with Paris alone asked for and told, is Tokyo
left out for sure.
"""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.traces.relied_on import has_gap

__all__: Final = ["left_out", "never_asked_for"]

_NAME: Final = re.compile(r"(?<=[^\s.?!:] )(?!Fahrenheit|Celsius)[A-ZÀ-Þ]\w+")
_PAIR: Final = re.compile(r"\b([A-ZÀ-Þ]\w+),? and (?:[a-z]+ )?([A-ZÀ-Þ]\w+)")
_CHOOSES: Final = re.compile(
    r"\b(?:which|who|where|between|either|or|than)\b"
    r"|^\s*(?:is|are|was|were|do|does|did|has|have|can)\b",
    re.IGNORECASE,
)
"""A question about two that may be answered with one of them, or with yes."""


def left_out(question: str, reply: str) -> list[str]:
    """The names of a question that are not in a reply, as far as that can be seen."""
    said = reply.casefold()
    names = [] if has_gap(reply) else _NAME.findall(question)
    return [name for name in names if name.casefold() not in said]


def never_asked_for(question: str, reply: str, asked: str, others: str) -> str | None:
    """One of two names, where only the other was asked for, and is in the reply.

    `asked` is what the slips say, `others` what was said beside the question.
    """
    if _CHOOSES.search(question):
        return None
    left = left_out(question, reply)
    asked, others = asked.casefold(), others.casefold()
    for pair in _PAIR.findall(question):
        for name, other in (pair, pair[::-1]):
            is_new = name in left and name.casefold() not in asked + others
            if is_new and other not in left and other.casefold() in asked:
                return str(name)
    return None
