"""What only a person can tell of a run, as questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mingraph_lite.traces.findings import (
    Case,
    Evidence,
    Finding,
    step_of,
    what_was_said,
)
from mingraph_lite.traces.names import left_out
from mingraph_lite.traces.numbers import found_in
from mingraph_lite.traces.relied_on import has_gap
from mingraph_lite.traces.retold import Retold
from mingraph_lite.traces.rules import Said, Slip

__all__: Final = ["questions_about"]

_UNITS: Final = {
    "Fahrenheit": r"[°º\d] ?F\b|Fahrenheit",
    "Celsius": r"[°º\d] ?C\b|Celsius",
    "Kelvin": r"\d ?K\b|Kelvin",
    "percent": r"%|percent",
    "miles": r"\bmi\b|mile",
    "kilometres": r"km\b|kilomet",
    "kilometers": r"km\b|kilomet",
    "dollars": r"\$|dollar|USD",
    "euros": "€|euro|EUR",
}
"""Units as a question says them, and how an answer may write them."""

_BARE: Final = re.compile(r"\s*-?\d+(?:[.,]\d+)*\s*")


def questions_about(retold: Retold, decided: set[int]) -> Iterator[Finding]:
    """A question for each line of the folder that nothing is decided of yet."""
    before: list[Said] = []
    asked: set[tuple[str, str]] = set()
    for said in retold.said:
        slip = retold.slips.get(said.answers or 0)
        about = (slip.call if slip else "", said.text)
        is_known = said.who == "tool" and about in asked
        asked.add(about)
        if said.place not in decided and not is_known:
            if said.who == "model" and said.slips:
                yield _of_slips(retold, said, before)
            elif said.who == "tool":
                yield _of_an_answer(retold, said)
            elif said.who == "model":
                yield _of_a_reply(retold, said, before)
        before.append(said)


def _question(
    case: Case, retold: Retold, seq: int, says: str, *of: Evidence
) -> Finding:
    step = step_of(retold, seq)
    return Finding(case, "question", seq, step, says, of, sure=False)


def _of_slips(retold: Retold, said: Said, before: list[Said]) -> Finding:
    """Whether these slips were the ones to pass."""
    says = "Is this what the question needs now: these tools, these arguments?"
    if len(said.slips) == 1:
        says = "Is this what the question needs now: this tool, these arguments?"
    # What is new since the reply before; the rest has been asked about there.
    replies = [at for at, line in enumerate(before) if line.who == "model"]
    news = before[replies[-1] + 1 :] if replies else []
    asked = [line for line in before if line.who == "user" and line not in news]
    heard = [what_was_said(retold, line) for line in [*asked, *news]]
    thought = _thoughts(retold, said)
    return _question(
        1, retold, said.place, says, what_was_said(retold, said), *thought, *heard
    )


def _of_an_answer(retold: Retold, said: Said) -> Finding:
    """Whether the tool said what it should, and whether that can be understood."""
    says = "Is this right, for what was asked?"
    slip = retold.slips.get(said.answers or 0)
    menu = _menu(retold, slip)
    if _BARE.fullmatch(said.text):
        says += " It is a bare number: what it counts has to be remembered"
        says += f", from line {menu[0].seq}." if menu else "."
    return _question(2, retold, said.place, says, what_was_said(retold, said), *menu)


def _menu(retold: Retold, slip: Slip | None) -> list[Evidence]:
    if slip is None or slip.name not in retold.described:
        return []
    seq, about = retold.described[slip.name]
    return [Evidence(seq, f"menu {slip.name}", about)]


def _of_a_reply(retold: Retold, said: Said, before: list[Said]) -> Finding:
    """Whether the reply says what the answers say."""
    says = "Does it say what the question asks, and what the answers say?"
    answers = [what_was_said(retold, line) for line in before if line.who == "tool"]
    if not answers:
        says = "Does it say what the question asks? No tool was asked before it."
    if retold.at(said.place).get("refusal"):
        says = "It declines. What in the question or in the prompt made it?"
    else:
        says = " ".join([says, *_missing(retold.question, said.text)])
    asked = [what_was_said(retold, line) for line in before if line.who == "user"]
    thought = _thoughts(retold, said)
    return _question(
        3,
        retold,
        said.place,
        says,
        what_was_said(retold, said),
        *thought,
        *asked,
        *answers,
    )


def _missing(question: str, reply: str) -> Iterator[str]:
    """What a reply does not say: often it need not, and a person sees that."""
    if left := left_out(question, reply):
        yield f"It says nothing of {left[0]}."
    says_an_amount = not has_gap(reply) and any(found_in(reply))
    for unit, written in _UNITS.items():
        is_asked = says_an_amount and re.search(rf"\b{unit}", question, re.IGNORECASE)
        if is_asked and not re.search(written, reply, re.IGNORECASE):
            yield f"The question says {unit}, and this does not."


def _thoughts(retold: Retold, said: Said) -> list[Evidence]:
    """What stands on the envelope of a reply, and in no folder."""
    reasoning = retold.at(said.place).get("reasoning")
    text = retold.text(reasoning) if reasoning else ""
    return [Evidence(said.place, "reasoning", text)] if text else []
