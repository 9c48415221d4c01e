"""Where we are: a card for each situation of the loop.

    CallingModel ──the reply passes slips──▶ RunningTools
         ▲  │                                     │
         │  └──no slips, or the limit──▶ Finished │
         └───────────every slip answered──────────┘

Run the card in the hand and take the one it gives: that is the whole loop. No line of
it asks "where are we?", since the card in the hand is the answer.

Why not one function with an `if` for each situation? It works, and every new situation
edits it. A card is a page of the rulebook; a new one leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Final

from mingraph_lite.desk import Desk
from mingraph_lite.errors import (
    FinishReason,
    Interrupted,
    LimitReached,
    MingraphError,
    ModelMistake,
    ModelRefused,
)
from mingraph_lite.messages import ToolCall
from mingraph_lite.observation import plain_text

__all__: Final = ["CallingModel", "Card", "Finished", "RunningTools"]


@dataclass(frozen=True)
class Card:
    """One situation: `run` does its work and hands back the next card.

    `because` is why the card before picked this one, for whoever watches.
    """

    _: KW_ONLY
    because: str = field(default="", repr=False)

    def run(self, desk: Desk) -> Card | None:
        """Do what the card says; hand back the next card. Only Finished has none."""
        raise TypeError(f"{type(self).__name__} has no rule: give it a run(desk).")


@dataclass(frozen=True)
class CallingModel(Card):
    """Read out the folder; the reply decides which card is next."""

    step: int

    def run(self, desk: Desk) -> Card:
        """Ask once. Slips lead to RunningTools, a reply without slips to Finished."""
        try:
            response = desk.ask(desk.read_out(), desk.tools.menu(), self.step)
        except LimitReached as limit:
            return Finished(None, limit.reason, limit, because=limit.because)
        except ModelRefused as refusal:
            why = "the request was declined"
            return Finished(None, "refused", refusal, because=why)
        reply = desk.file(response)
        if response.refusal:
            said = response.message.content
            half = "" if said == response.refusal else said
            error = ModelRefused(response.refusal, half=half)
            return Finished(None, "refused", error, because="the reply is a refusal")
        if reply.tool_calls:
            why = f"the reply passed {_count(reply.tool_calls)}"
            return RunningTools(reply.tool_calls, self.step, because=why)
        return Finished(reply.content, "answered", because="the reply passed no slip")


@dataclass(frozen=True)
class RunningTools(Card):
    """Run each slip; file its answer under the same number."""

    calls: tuple[ToolCall, ...]
    step: int

    def run(self, desk: Desk) -> Card:
        """Answer every slip; a tool that fails is answered too, then raised or not."""
        for call in self.calls:
            desk.start_tool(call)
            try:
                value = desk.tools.run(call)
            except ModelMistake as mistake:
                # The model can mend this if it is told, so the loop goes on.
                text = f"Error: {plain_text(mistake)} Mend the call."
                desk.answer_error(call, mistake, text)
            except Interrupted:
                raise  # The tool did not fail: somebody stopped the run while it ran.
            except Exception as error:
                # No other slip would bring the tool back, so the caller is told.
                kind, text = type(error).__name__, plain_text(error)
                desk.answer_error(call, error, f"Error: {kind} in {call.name}: {text}")
                if desk.tool_failures == "raise":
                    raise
            else:
                desk.answer(call, value)
        return CallingModel(self.step + 1, because="every slip has its answer")


@dataclass(frozen=True)
class Finished(Card):
    """Hand over the answer; without one, say so by raising."""

    answer: str | None
    reason: FinishReason
    error: MingraphError | None = field(default=None, repr=False)

    def run(self, desk: Desk) -> None:
        """End the run; raises what kept it from an answer, where there is none.

        Why not an answer such as "Stopped"? Whoever reads it next cannot tell it from
        an answer without parsing the words.
        """
        desk.finish(self.answer, self.reason)
        if self.answer is None:
            raise self.error or MingraphError(f"No answer: {self.reason}.")


def _count(calls: Sequence[ToolCall]) -> str:
    words = {1: "one slip", 2: "two slips", 3: "three slips"}
    return words.get(len(calls), f"{len(calls)} slips")
