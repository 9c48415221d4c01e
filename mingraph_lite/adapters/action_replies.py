"""From a text to its action: a call, or the answer.

Small models write about the form that they were asked for: another key, a fence, some
words around it. What can be read without guessing is read; of the rest they are told.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from mingraph_lite.adapters.reply_text.bare_calls import (
    ONE_AT_A_TIME,
    is_on_menu,
    is_one_json,
)
from mingraph_lite.adapters.reply_text.call_texts import as_call, python_calls
from mingraph_lite.adapters.reply_text.quotations import Quotations
from mingraph_lite.adapters.strict_json import (
    GrowingJSON,
    NotJSON,
    brief,
    next_value,
    opens_too_many_levels,
    read_json,
)
from mingraph_lite.adapters.tool_calls import OPENS_AN_OBJECT, read_tool_calls
from mingraph_lite.endings import ending_of, is_cut_off
from mingraph_lite.errors import ModelError
from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import AssistantMessage
from mingraph_lite.schema.jsonable import valid_text, write_json
from mingraph_lite.schema.tool_names import plain_name

__all__: Final = ["as_actions"]

_BEGINS_AN_ANSWER: Final = re.compile(r'\{\s*"answer"\s*:\s*(?=")')
_BEGINS_AN_OBJECT: Final = re.compile(r"""(?:\[\s*)?\{\s*(?:["']|\Z)""")
_BEGINS_AN_ACTION: Final = re.compile(r'\{\s*"(?:answer|name)"\s*:')
_BROKEN_END: Final = re.compile(r'"\s*\}\s*(?:```)?\s*\Z')
"""The end of an answer whose own quotes were not escaped."""
_NAMES_A_TOOL: Final = re.compile(
    r"""(?:\[\s*)?\{\s*["']name["']\s*:\s*["']([^"'\n]*)["']"""
)
_FENCE: Final = re.compile(r"\A\s*(?:```|~~~)\w*\s*")
_FENCE_BEFORE: Final = re.compile(
    r"(?:```|~~~)[ \t]*(?:json\w*|tool_\w+)?\s*\Z", re.IGNORECASE
)
_TAG_BEFORE: Final = re.compile(r"<[^<>\n]{1,40}>\s*\Z")
_TAG_BEHIND: Final = re.compile(r"\s*</[^<>\n]{1,40}>")
_BRACKET: Final = re.compile(r"[{\[]")
_IN_PROSE: Final = re.compile(r"[{\[]\s*[^\s\"'{}\[\]]")
"""A bracket that words stand in, as in {Oslo, Rome}: it opens no JSON."""
_LONGEST_TRY: Final = 8


@dataclass(frozen=True, slots=True)
class _Action:
    """What a text holds: a call or an answer, and what stands around it."""

    call: Mapping[str, Any] | None = None
    answer: str | None = None
    around: str = ""
    problem: str | None = None


def as_actions(response: LLMResponse, menu: Menu = ()) -> LLMResponse:
    """The response with the action that its text holds: one tool call, or the answer.

    Text that holds no action is taken as the answer, with a note. An action that was
    begun and is no complete object is a call with a problem, not an answer. So are
    several, an answer and an action among them: each may need the result of the one
    before. What prose only quotes, in code or quotation marks, is no action. Any other
    object that was begun and never closed is half of something, whatever the server
    says of its end: ModelError, to be asked again. (Not ReplyCutOff, since no limit was
    named that could be raised.)
    """
    text = response.message.content
    if response.message.tool_calls or response.refusal:
        return response
    if action := _first_action(text, menu):
        note = None
        if action.call is not None:
            response = _with_tool_call(response, action.call, action.problem)
            note = _note_on_text("action", action.around)
        elif action.answer is not None:
            response = replace(response, message=AssistantMessage(action.answer))
            note = _note_on_text("answer", action.around)
    elif not is_one_json(text) and (begun := _NAMES_A_TOOL.match(_past_fence(text))):
        # The whole text stands in for the arguments, so that the model is told of it.
        call = {"name": begun[1], "arguments": text}
        return _with_tool_call(response, call, None)
    elif said := _answer_in_broken_json(text):
        response = replace(response, message=AssistantMessage(said[0]))
        note = said[1]
    elif _is_unclosed(text) and ending_of(response.finish_reason) in {"end", "slips"}:
        raise ModelError(
            f"The model's reply is JSON that was never closed: {brief(text)}. "
            "Ask again, or allow longer replies.",
            retryable=True,
            retry_after=0,
        )
    elif begun := _BEGINS_AN_ANSWER.match(begin := _past_fence(text)):
        half = AssistantMessage(_unescaped(begin[begun.end() + 1 :]))
        response, note = replace(response, message=half), "The answer is not whole."
    elif is_cut_off(response.finish_reason):
        note = "The reply holds no whole action."  # nor is half a text the answer
    else:
        note = f"The reply holds no action, so it is the answer: {brief(text)}."
    return replace(response, notes=(*response.notes, note)) if note else response


def _first_action(text: str, menu: Menu) -> _Action | None:
    """The action of a text: its first whole object or list, if that is one."""
    found = _first_value(text)
    if found is None:
        return _as_python(text, menu)
    start, value, end = found
    before, after = text[:start], text[end:]
    around = (before + after).strip()
    if around.strip("`~ \n") and _is_quoted(text, start, end):
        return None
    listed = value if isinstance(value, list) else [value]
    alone = not around and isinstance(value, dict)
    actions = [_as_action(v, menu, alone=alone) for v in listed]
    meant = [action for action in actions if action is not None]
    calls = [action for action in meant if action.call is not None]
    if isinstance(value, list) and not calls and len(listed) > 1:
        return None
    if not meant:
        return None
    several = len(listed) > 1
    action = (calls or meant)[0]
    if action.call is not None:
        several = several or OPENS_AN_OBJECT.search(after) is not None
    elif (later := _first_value(after)) and isinstance(later[1], dict):
        then = _as_action(later[1], menu)
        if then and then.call and is_on_menu(menu, then.call.get("name")):
            action, several = then, True
    return replace(
        action, around=around, problem=ONE_AT_A_TIME if several else action.problem
    )


def _first_value(text: str) -> tuple[int, Any, int] | None:
    """The first object or list of JSON, and where it stands; words in brackets none.

    Where a bracket opens JSON that is not complete, later ones are not tried: they may
    lie inside an object that was cut off.
    """
    if opens_too_many_levels(text):
        return None
    at = 0
    for _ in range(_LONGEST_TRY):
        bracket = _BRACKET.search(text, at)
        if bracket is None:
            return None
        try:
            value, end = next_value(text, bracket.start())
        except NotJSON:
            if not _IN_PROSE.match(text, bracket.start()):
                return None
            at = bracket.end()
            continue
        if isinstance(value, dict) or any(isinstance(v, dict) for v in value):
            return bracket.start(), value, end
        at = end
    return None


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether prose only speaks of an object; a fence right around it is no quote."""
    quotations = Quotations(text)
    if quotations.code_end(start) is not None:
        return _FENCE_BEFORE.search(text, max(0, start - 80), start) is None
    before = _TAG_BEFORE.search(text, max(0, start - 80), start)
    behind = _TAG_BEHIND.match(text, end)
    start = before.start() if before else start
    return quotations.has_marks_around(start, behind.end() if behind else end, 0)


def _as_action(value: Any, menu: Menu, *, alone: bool = False) -> _Action | None:
    """An object as a call or an answer; other keys beside them mean nothing."""
    if not isinstance(value, dict):
        return None
    name = value.get("name")
    if isinstance(name, str) and not is_on_menu(menu, name):
        if name == "answer" and "arguments" in value:
            given = value["arguments"]
            inner = given.get("answer", given) if isinstance(given, dict) else given
            return _Action(answer=_as_text(inner))
        if "answer" in value and "arguments" not in value:
            return _Action(answer=_as_text(value["answer"]))
    if name is None:
        answer = next((k for k in value if k.lower() == "answer"), None)
        if answer is not None:
            return _Action(answer=_as_text(value[answer]))
    if "name" in value and "arguments" in value:
        return None if _is_data(value, menu) else _Action(call=value)
    return _in_other_words(value, menu) or (
        _Action(call=value) if alone and _names_alone(value) else None
    )


def _is_data(value: Mapping[str, Any], menu: Menu) -> bool:
    """Whether a name that is like no tool's, and nothing beside it, is no call at all.

    A name that was meant for a tool goes on, and is answered with the tools there are.
    """
    name = value["name"]
    if value["arguments"] or not menu or not isinstance(name, str):
        return False
    names = [plain_name(entry["function"]["name"]) for entry in menu]
    plain = plain_name(name[:100])
    return plain not in names and not get_close_matches(plain, names)


def _names_alone(value: Mapping[str, Any]) -> bool:
    """Whether it names a tool, and is none of the menu's entries."""
    return "name" in value and not {"description", "parameters"} <= value.keys()


def _in_other_words(value: dict[str, Any], menu: Menu) -> _Action | None:
    """A call of a tool on the menu under the keys of some other notation."""
    if len(value) == 1 and isinstance(listed := value.get("tool_calls"), list):
        calls = [_as_action(v, menu) for v in listed]
        first = next((c for c in calls if c and c.call), None)
        several = ONE_AT_A_TIME if len(listed) > 1 else None
        return first and replace(first, problem=several)
    if "description" in value or "description" in (value.get("function") or ()):
        return None
    call = as_call(value, needs_arguments=True)
    if call is None or not is_on_menu(menu, call["function"].get("name")):
        return None
    named: dict[str, Any] = call["function"]
    return _Action(call=named)


def _as_python(text: str, menu: Menu) -> _Action | None:
    """A list of calls in Python, as Llama writes them, if it is all of the text."""
    text = text.strip()
    calls = python_calls(text) if text.startswith("[") and text[-1] == "]" else None
    if not calls or not all(is_on_menu(menu, c["function"]["name"]) for c in calls):
        return None
    problem = ONE_AT_A_TIME if len(calls) > 1 else None
    return _Action(call=calls[0]["function"], problem=problem)


def _as_text(answer: Any) -> str:
    """An answer in words; null says nothing."""
    if answer is None:
        return ""
    return valid_text(answer) if isinstance(answer, str) else write_json(answer)


def _past_fence(text: str) -> str:
    return _FENCE.sub("", text.strip())


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


def _answer_in_broken_json(text: str) -> tuple[str, str] | None:
    """An answer that is whole though its JSON is not, and a note on that."""
    begin = _past_fence(text)
    if (begun := _BEGINS_AN_ANSWER.match(begin)) is None:
        return None
    with contextlib.suppress(NotJSON):
        whole, end = next_value(begin, begun.end())
        if not begin[end:].strip("`~ \n"):
            return valid_text(whole), "The object around the answer is not closed."
    rest, ends = _BROKEN_END.subn("", begin[begun.end() + 1 :])
    return (_unescaped(rest), "The answer is no valid JSON.") if ends else None


def _unescaped(rest: str) -> str:
    """What a text without its end holds, its escapes undone where that is sure."""
    try:
        return valid_text(str(read_json(f'"{rest}"')))
    except NotJSON:
        return rest


def _is_unclosed(text: str) -> bool:
    """Whether an action, or any object where it should be, was begun and not closed."""
    begin = _past_fence(text)
    if not (begun := _BEGINS_AN_OBJECT.match(begin) or _BEGINS_AN_ACTION.search(begin)):
        return False
    brackets = GrowingJSON()
    brackets.add(begin[begun.start() :])
    return brackets.is_open()
