"""What a run was, after it: a tally that nobody can change.

Why not count along, in variables of the loop? All of it stands in the folder and in
what the desk has spent already. A tally is a way to read them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mingraph_lite.errors import FinishReason
from mingraph_lite.limits import Spent
from mingraph_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage

__all__: Final = ["RunRecord", "tally"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What one run was: rounds, errands, answer and price.

    `turns` counts the model's replies in the folder. `results` are the texts of the
    answer slips, in the order of `tool_calls`, None for a slip that has no answer yet.
    `answer` and `reason` are None while the run goes on. `tokens` and `cost` are those
    since the run began or was taken up again; `cost` is None where no price is known.
    Of the tokens `estimated_tokens` are an estimate, made where a limit needed one;
    `uncounted` replies came without token counts.
    """

    turns: int
    tool_calls: tuple[ToolCall, ...]
    results: tuple[str | None, ...]
    answer: str | None
    reason: FinishReason | None
    tokens: int
    cost: float | None
    estimated_tokens: int
    uncounted: int


def tally(
    lines: Iterable[Message],
    answer: str | None,
    reason: FinishReason | None,
    spent: Spent,
    *,
    priced: bool,
) -> RunRecord:
    """The record of the run that added these lines to the folder."""
    lines = list(lines)
    replies = [line for line in lines if isinstance(line, AssistantMessage)]
    calls = tuple(call for reply in replies for call in reply.tool_calls)
    texts = {m.tool_call_id: m.content for m in lines if isinstance(m, ToolMessage)}
    return RunRecord(
        len(replies),
        calls,
        tuple(texts.get(call.id) for call in calls),
        answer,
        reason,
        spent.tokens,
        spent.cost if priced else None,
        spent.estimated,
        spent.uncounted,
    )
