"""From a server's message to an `LLMResponse`.

Servers that follow one API on paper differ in the mail. What differs is mended here,
once, so that whoever asked sees clean values only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from mingraph_lite.adapters.error_replies import Unusable
from mingraph_lite.adapters.reply_text.bare_calls import Found
from mingraph_lite.adapters.reply_text.read_text import read_text
from mingraph_lite.adapters.strict_json import as_object, brief
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.endings import cut_note, ending_of, given_reason, is_cut_off
from mingraph_lite.llm import LLMResponse, Menu, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.schema.jsonable import valid_text

__all__: Final = [
    "REASONING_NAMES",
    "Content",
    "is_cut_off",
    "read_content",
    "read_message",
    "token_count",
]

REASONING_NAMES: Final = ("reasoning_content", "reasoning", "thinking")
"""DeepSeek and LM Studio; vLLM and OpenRouter; Ollama."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a message's content holds, sorted by who it is for."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    notes: tuple[str, ...] = ()


def read_content(content: object) -> Content:
    """The text of a message's content: a string, or a list of parts.

    Parts that are no text (sound, pictures) are left out with a note. Mistral sends the
    reasoning as a part, OpenAI's newer API the refusal.
    """
    if isinstance(content, str):
        return Content(content)
    texts, reasoning, refusals, notes = [], [], [], []
    for part in content if isinstance(content, list) else [content] if content else []:
        if isinstance(part, str):
            part = {"type": "text", "text": part}
        whole, part = part, as_object(part)
        match part.get("type"):
            case "text" | "output_text" | "input_text":
                texts.append(_text_or_empty(part.get("text")))
            case "thinking" | "reasoning" as name:
                inner = part.get(name, part.get("text"))
                reasoning.append(read_content(inner).text)
            case "refusal":
                refusals.append(_text_or_empty(part.get("refusal")))
            case kind:
                words = "A part of the content that is no text was left out"
                notes.append(f"{words}: {brief(whole if kind is None else kind)}.")
    return Content("".join(texts), "".join(reasoning), "".join(refusals), tuple(notes))


def read_message(
    message: dict[str, Any],
    *,
    finish_reason: object,
    model: object,
    usage: Usage | None,
    menu: Menu = (),
    bare: bool = True,
) -> LLMResponse:
    """The response for one message, whichever server it came from.

    Tool calls decide whether tools are run, not the finish reason: many servers send
    calls and say "stop". Where there is a refusal and no text, the refusal is the text.
    Without `menu`, or where `bare` is False, a text that is a call as a whole, with no
    tag around it, stays text.
    """
    reason = valid_text(given_reason(finish_reason) or "") or None
    if ending_of(reason) == "error":
        raise Unusable(
            f"broke off with the finish reason {brief(reason)}.", retryable=True
        )
    content = read_content(message.get("content"))
    refusal = valid_text(content.refusal or _text_or_empty(message.get("refusal")))
    cut_off = is_cut_off(reason)
    calls, notes = _calls_beside(message, cut_off=cut_off)
    hidden = read_text(content.text, menu, cut_off=cut_off, sent=calls, bare=bare)
    if hidden.calls:
        calls, more = _calls_in_text(hidden.calls, cut_off=cut_off)
        notes += more
    notes += hidden.notes
    if cut_off:
        notes += (cut_note(reason),)
    text = valid_text(hidden.text)
    return LLMResponse(
        AssistantMessage(text if text or calls else refusal, calls),
        reasoning=_reasoning(message, content, hidden.reasoning) or None,
        usage=usage,
        finish_reason=reason,
        model=valid_text(_text_or_empty(model)) or None,
        refusal=refusal or None,
        notes=content.notes + tuple(map(valid_text, notes)),
    )


def _calls_beside(
    message: dict[str, Any], *, cut_off: bool
) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    """The calls in a key of their own; the old key counts where the new one is empty.

    From before there were tool calls, a message held one `function_call`.
    """
    if message.get("tool_calls"):
        return read_tool_calls(message["tool_calls"], cut_off=cut_off)
    old = as_object(message.get("function_call"))
    if not old.get("name"):
        return (), ()
    calls, notes = read_tool_calls([{"function": old}], cut_off=cut_off)
    return calls, (*notes, "The call came under the old key 'function_call'.")


def _calls_in_text(
    found: Sequence[Found], *, cut_off: bool
) -> tuple[tuple[ToolCall, ...], tuple[str, ...]]:
    calls, notes = read_tool_calls([f.entry for f in found], cut_off=cut_off)
    return tuple(
        call
        if cut_off or f.problem is None
        else replace(call, problem=f.problem, raw=f.raw and valid_text(f.raw))
        for call, f in zip(calls, found, strict=True)
    ), notes


def token_count(value: object) -> int | None:
    """A number of tokens, or None: an unknown count is not zero.

    What counts in floats writes 12.0.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**53 else None


def _reasoning(message: dict[str, Any], content: Content, in_text: str) -> str:
    """The reasoning under whichever names; sent twice, it counts once."""
    elsewhere = [read_content(message.get(name)).text for name in REASONING_NAMES]
    texts = list(dict.fromkeys(t for t in (content.reasoning, *elsewhere) if t))
    if in_text and in_text not in [text.strip() for text in texts]:
        texts.append(in_text)
    return valid_text("\n".join(texts))


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""
