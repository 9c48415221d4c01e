"""Where a script is, as the folder of a request tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mingraph_lite.adapters.replies import read_content
from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.lab.wire import ServerReply
from mingraph_lite.llm import Reply, ScriptedLLM

__all__: Final = ["tries_due", "turns_since_the_question"]

_RESULT_AS_TEXT: Final = re.compile(r"Result of \S+: ")
"""How a tool's result reaches models that know no tools: as words of the user."""


def turns_since_the_question(messages: Sequence[Body], as_actions: bool) -> int:
    """How many times the model has spoken since the last question."""
    turn = 0
    for message in reversed(messages):
        if message.get("role") == "assistant":
            turn += 1
        elif message.get("role") == "user":
            text = read_content(message.get("content")).text
            if not (as_actions and _RESULT_AS_TEXT.match(text)):
                break
    return turn


def tries_due(
    script: Sequence[Reply], turn: int, as_actions: bool
) -> tuple[list[Reply], int]:
    """The tries for this turn, and which call of the reply is due as an action.

    Told as actions, a reply with two calls is two replies.
    """
    for tries, actions in _rounds(script):
        replies = actions if as_actions else 1
        if turn < replies:
            return tries if turn == 0 else tries[-1:], turn
        turn -= replies
    return [], 0


def _rounds(script: Sequence[Reply]) -> Iterator[tuple[list[Reply], int]]:
    """The script in rounds: the tries up to a reply that is kept, and its actions."""
    tries: list[Reply] = []
    for reply in script:
        tries.append(reply)
        if actions := _actions_in(reply):
            yield tries, actions
            tries = []
    if tries:
        yield tries, 1


def _actions_in(reply: Reply) -> int:
    """As how many actions a reply is told; 0 where nothing of it stays in a folder."""
    if callable(reply) and not isinstance(reply, ServerReply):
        return 1  # nobody knows before it is asked
    try:
        message = ScriptedLLM([reply]).generate(()).message
    except Exception:  # a script may raise anything, on purpose
        return 0
    return len(message.tool_calls) or int(bool(message.content.strip()))
