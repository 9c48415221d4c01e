"""Reads what models without tools write: an action, an answer, or half.

The two forms that it may write stand in `actions`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.adapters.replies import is_cut_off
from mingraph_lite.adapters.reply_text.bare_calls import ONE_AT_A_TIME, is_one_json
from mingraph_lite.adapters.strict_json import (
    GrowingJSON,
    NotJSON,
    brief,
    first_object,
    next_value,
    opens_too_many_levels,
    read_json,
)
from mingraph_lite.adapters.tool_calls import OPENS_AN_OBJECT, read_tool_calls
from mingraph_lite.endings import ending_of
from mingraph_lite.errors import ModelError
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import AssistantMessage
from mingraph_lite.schema.jsonable import valid_text, write_json

__all__: Final = ["as_actions"]

_BEGINS_AN_ANSWER: Final = re.compile(r'\{\s*"answer"\s*:\s*"')
_BEGINS_AN_OBJECT: Final = re.compile(r"""(?:\[\s*)?\{\s*(?:["']|\Z)""")
_BEGINS_AN_ACTION: Final = re.compile(r'\{\s*"(?:answer|name)"\s*:')
_NAMES_A_TOOL: Final = re.compile(r'(?:\[\s*)?\{\s*"name"\s*:\s*"([^"]*)"')
_BROKEN_END: Final = re.compile(r'"\s*\}\s*(?:```)?\s*\Z')
"""The end of an answer whose own quotes were not escaped."""


def as_actions(response: LLMResponse) -> LLMResponse:
    """The response with the action that its text holds: one tool call, or the answer.

    Text that holds no action is taken as the answer, with a note. A call that was begun
    and is no complete object is one with a problem, not an answer. So is a list of
    several, since each may need the result of the one before. Any other object that was
    begun and never closed is half of something, whatever the server says of its end:
    ModelError, to be asked again. (Not ReplyCutOff, since no limit was named that could
    be raised.)
    """
    text = response.message.content
    if response.message.tool_calls or response.refusal:
        return response
    action, around, several = _first_action(text)
    if "name" in action and ("arguments" in action or not around):
        problem = ONE_AT_A_TIME if several else None
        response = _with_tool_call(response, action, problem)
        note = _note_on_text("action", around)
    elif "answer" in action:
        answer = action["answer"]
        text = valid_text(answer) if isinstance(answer, str) else write_json(answer)
        response = replace(response, message=AssistantMessage(text))
        note = _note_on_text("answer", around)
    elif not is_one_json(text) and (
        begun := _NAMES_A_TOOL.match(begin := _past_fence(text))
    ):
        # The whole text stands in for the arguments, so that the model is told of it.
        action = {"name": begun[1], "arguments": text}
        return _with_tool_call(response, action, None)
    elif _is_unclosed(text) and ending_of(response.finish_reason) in {"end", "slips"}:
        raise ModelError(
            f"The model's reply is JSON that was never closed: {brief(text)}. "
            "Ask again, or allow longer replies.",
            retryable=True,
            retry_after=0,
        )
    elif begun := _BEGINS_AN_ANSWER.match(begin := _past_fence(text)):
        rest, ends = _BROKEN_END.subn("", begin[begun.end() :])
        response = replace(response, message=AssistantMessage(_as_text(rest)))
        note = "The answer is no valid JSON." if ends else "The answer is not whole."
    else:
        note = f"The reply holds no action, so it is the answer: {brief(text)}."
    return replace(response, notes=(*response.notes, note)) if note else response


def _first_action(text: str) -> tuple[dict[str, Any], str, bool]:
    """The first object in a text, what stands around it, and whether there are more.

    Calls may also come as a list.
    """
    if found := first_object(text):
        before, action, after = found
        several = OPENS_AN_OBJECT.search(after) is not None
        return action, (before + after).strip(), several
    start = text.find("[")
    if start < 0 or opens_too_many_levels(text):
        return {}, "", False
    try:
        listed, end = next_value(text, start)
    except NotJSON:
        return {}, "", False
    actions = [action for action in listed if isinstance(action, dict)]
    meant = [action for action in actions if {"name", "arguments"} <= action.keys()]
    if not meant and len(listed) == 1:
        meant = [action for action in actions if "answer" in action]
    around = (text[:start] + text[end:]).strip()
    return (meant[0], around, len(listed) > 1) if meant else ({}, "", False)


def _is_unclosed(text: str) -> bool:
    """Whether an action, or any object where it should be, was begun and not closed."""
    begin = _past_fence(text)
    if not (begun := _BEGINS_AN_OBJECT.match(begin) or _BEGINS_AN_ACTION.search(begin)):
        return False
    brackets = GrowingJSON()
    brackets.add(begin[begun.start() :])
    return brackets.is_open()


def _past_fence(text: str) -> str:
    return re.sub(r"\A```\w*\s*", "", text.strip())


def _note_on_text(what: str, around: str) -> str | None:
    return f"Text around the {what} was left out: {brief(around)}." if around else None


def _with_tool_call(
    response: LLMResponse, action: Mapping[str, Any], problem: str | None
) -> LLMResponse:
    (call,), notes = read_tool_calls(
        [{"function": action}], cut_off=is_cut_off(response.finish_reason)
    )
    if problem is not None:
        call = replace(call, problem=problem)
    message = AssistantMessage("", (call,))
    return replace(response, message=message, notes=(*response.notes, *notes))


def _as_text(rest: str) -> str:
    """What an answer that is no JSON holds, its escapes undone where that is sure."""
    try:
        return valid_text(str(read_json(f'"{rest}"')))
    except NotJSON:
        return rest
