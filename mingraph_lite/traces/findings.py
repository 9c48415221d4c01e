"""What was found in a run, with what it stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from mingraph_lite.traces.retold import Retold
from mingraph_lite.traces.rules import Kind, Said

__all__: Final = ["Case", "Evidence", "Finding", "step_of", "what_was_said"]

type Case = Literal[1, 2, 3, 4]
"""1 a wrong slip, 2 a wrong answer to it, 3 a wrong reply, 4 never finished."""


class Evidence(NamedTuple):
    """A line that a finding stands on, and what it says."""

    seq: int
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or a question to a person.

    `sure` is what a program has decided; for all else `says` is a question.
    """

    case: Case
    kind: Kind | Literal["never finished", "question"]
    seq: int
    step: int
    says: str
    evidence: tuple[Evidence, ...]
    sure: bool


def step_of(retold: Retold, seq: int) -> int:
    """The round of a line."""
    return int(retold.at(seq)["step"])


def what_was_said(retold: Retold, said: Said) -> Evidence:
    """A line of the folder as evidence."""
    match said.who:
        case "tool":
            asked = retold.slips.get(said.answers or 0)
            of = f" {asked.call}" if asked else ""
            return Evidence(said.place, f"answer #{said.answers}{of}", said.text)
        case "model":
            calls = [f"#{slip.number} {slip.call}" for slip in said.slips]
            text = "\n".join([*([said.text] if said.text else []), *calls])
            return Evidence(said.place, "reply", text or "(nothing)")
    return Evidence(said.place, "question" if said.who == "user" else "line", said.text)
