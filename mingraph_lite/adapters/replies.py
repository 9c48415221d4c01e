"""From a server's message to an `LLMResponse`.

Servers that follow one API on paper differ in the mail. What differs is mended here,
once, so that whoever asked sees clean values only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from mingraph_lite.adapters.strict_json import brief
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage
from mingraph_lite.schema.jsonable import valid_text

__all__: Final = [
    "REASONING_NAMES",
    "Body",
    "Content",
    "Unusable",
    "as_object",
    "is_cut_off",
    "may_succeed_later",
    "raise_if_error",
    "read_content",
    "read_message",
    "token_count",
]

type Body = dict[str, Any]
"""A JSON object, as it stands in the body of a request or of a reply."""

_CUT_OFF_REASONS: Final = {"length", "max_tokens", "model_length"}
"""How OpenAI and Ollama, gateways to Anthropic and Gemini, and Mistral name it."""

REASONING_NAMES: Final = ("reasoning_content", "reasoning", "thinking")
"""DeepSeek and LM Studio; vLLM and OpenRouter; Ollama."""

_STATUS_BY_WORD: Final = {
    "rate_limit": 429,
    "overloaded": 503,
    "unavailable": 503,
    "server_error": 500,
    "timeout": 408,
    "api_key": 401,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "context_length": 400,
    "invalid_request": 400,
}
"""Words in the code or type of an error that came without a number.

The first that is found counts: a type says less than a code.
"""


class Unusable(Exception):
    """What came back is no reply; says why.

    Whoever knows the address names it, and says what to do: `advice`, or what helps
    with the `status` that this should have been.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        advice: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.retryable = may_succeed_later(status) if status else retryable
        self.advice = advice


def may_succeed_later(status: int) -> bool:
    """Whether a status means "not now": a timeout, a conflict, too much, a fault."""
    return status in {408, 409, 429} or 500 <= status < 600


def as_object(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def raise_if_error(reply: object) -> None:
    """Raise Unusable for an error that travels with status 200.

    Gateways do that when they learn of an error after they have answered. It is graded
    by the code it names, like the status it should have been.
    """
    error = as_object(reply).get("error")
    if not error:
        return
    details = error if isinstance(error, dict) else {"message": error}
    words = brief(details.get("message") or details, 200)
    for code in (details.get("code"), details.get("status")):
        if (status := _status_of(code)) is not None:
            raise Unusable(f"answered error {status}: {words}.", status=status)
    names = [_text_or_empty(details.get(key)).lower() for key in ("code", "type")]
    found = (word for word in _STATUS_BY_WORD if word in " ".join(names))
    meant = next((_STATUS_BY_WORD[word] for word in found), None)
    raise Unusable(f"answered an error: {words}.", status=meant)


def _status_of(code: object) -> int | None:
    """The status a code stands for; some gateways send it as text."""
    if isinstance(code, str) and re.fullmatch("[1-5][0-9]{2}", code):
        return int(code)
    return code if isinstance(code, int) and 100 <= code < 600 else None


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
        part = as_object(part)
        match part.get("type"):
            case "text" | "output_text":
                texts.append(_text_or_empty(part.get("text")))
            case "thinking" | "reasoning" as name:
                inner = part.get(name, part.get("text"))
                reasoning.append(read_content(inner).text)
            case "refusal":
                refusals.append(_text_or_empty(part.get("refusal")))
            case kind:
                words = "A part of the content that is no text was left out"
                notes.append(f"{words}: {brief(kind)}.")
    return Content("".join(texts), "".join(reasoning), "".join(refusals), tuple(notes))


def is_cut_off(finish_reason: str | None) -> bool:
    """Whether the reply ended at the output limit and not where the model meant to."""
    return (finish_reason or "").lower() in _CUT_OFF_REASONS


def read_message(
    message: dict[str, Any],
    *,
    finish_reason: object,
    model: object,
    usage: Usage | None,
) -> LLMResponse:
    """The response for one message, whichever server it came from.

    Tool calls decide whether tools are run, not the finish reason: many servers send
    calls and say "stop". Where there is a refusal and no text, the refusal is the text.
    """
    reason = valid_text(_text_or_empty(finish_reason)) or None
    if reason == "error":
        raise Unusable("broke off with the finish reason 'error'.", retryable=True)
    content = read_content(message.get("content"))
    refusal = valid_text(content.refusal or _text_or_empty(message.get("refusal")))
    cut_off = is_cut_off(reason)
    calls, notes = read_tool_calls(message.get("tool_calls"), cut_off=cut_off)
    if cut_off:
        notes += ("The reply was cut off by the output limit.",)
    text = valid_text(content.text)
    return LLMResponse(
        AssistantMessage(text if text or calls else refusal, calls),
        reasoning=_reasoning(message, content) or None,
        usage=usage,
        finish_reason=reason,
        model=valid_text(_text_or_empty(model)) or None,
        refusal=refusal or None,
        notes=content.notes + notes,
    )


def token_count(value: object) -> int | None:
    """A number of tokens, or None: an unknown count is not zero."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**53 else None


def _reasoning(message: dict[str, Any], content: Content) -> str:
    """The reasoning under whichever names; sent twice, it counts once."""
    elsewhere = [read_content(message.get(name)).text for name in REASONING_NAMES]
    texts = dict.fromkeys(t for t in (content.reasoning, *elsewhere) if t)
    return valid_text("\n".join(texts))


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""
