"""Reading replies: from a server's message to the envelope, `LLMResponse`.

Servers that follow one API on paper differ in the mail. What differs is mended here,
once, so that cards, memory and listeners see clean values only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from mingraph_lite.adapters.strict_json import brief, valid_text
from mingraph_lite.adapters.tool_calls import read_slips
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage

__all__: Final = [
    "REASONING_NAMES",
    "Body",
    "Spoken",
    "Unusable",
    "count",
    "is_cut_off",
    "may_succeed_later",
    "raise_if_error",
    "read_message",
    "spoken",
    "table",
]

type Body = dict[str, Any]
"""A JSON object, as it stands in the body of a request or of a reply."""

_CUT_OFF_REASONS: Final = {"length", "max_tokens", "model_length"}
"""How OpenAI and Ollama, gateways to Anthropic and Gemini, and Mistral name it."""

REASONING_NAMES: Final = ("reasoning_content", "reasoning", "thinking")
"""DeepSeek and LM Studio; vLLM and OpenRouter; Ollama."""

_MEANT: Final = {
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


def table(value: object) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def raise_if_error(reply: object) -> None:
    """Raise Unusable for an error that travels with status 200.

    Gateways do that when they learn of an error after they have answered. It is graded
    by the code it names, like the status it should have been.
    """
    error = table(reply).get("error")
    if not error:
        return
    told = error if isinstance(error, dict) else {"message": error}
    words = brief(told.get("message") or told, 200)
    for code in (told.get("code"), told.get("status")):
        if (status := _status(code)) is not None:
            raise Unusable(f"answered error {status}: {words}.", status=status)
    kinds = f"{_string(told.get('code'))} {_string(told.get('type'))}".lower()
    meant = next((_MEANT[word] for word in _MEANT if word in kinds), None)
    raise Unusable(f"answered an error: {words}.", status=meant)


def _status(code: object) -> int | None:
    """The status a code stands for; some gateways send it as text."""
    if isinstance(code, str) and re.fullmatch("[1-5][0-9]{2}", code):
        return int(code)
    return code if isinstance(code, int) and 100 <= code < 600 else None


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a message's content holds, sorted by who it is for."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    notes: tuple[str, ...] = ()


def spoken(content: object) -> Spoken:
    """The text of a message's content: a string, or a list of parts.

    Parts that are no text (sound, pictures) are left out with a note. Mistral sends the
    reasoning as a part, OpenAI's newer API the refusal.
    """
    if isinstance(content, str):
        return Spoken(content)
    texts, reasoning, refusals, notes = [], [], [], []
    for part in content if isinstance(content, list) else [content] if content else []:
        part = {"type": "text", "text": part} if isinstance(part, str) else table(part)
        match part.get("type"):
            case "text" | "output_text":
                texts.append(_string(part.get("text")))
            case "thinking" | "reasoning" as name:
                inner = part.get(name, part.get("text"))
                reasoning.append(spoken(inner).text)
            case "refusal":
                refusals.append(_string(part.get("refusal")))
            case kind:
                notes.append(f"a part of the content was no text: {brief(kind)}")
    return Spoken("".join(texts), "".join(reasoning), "".join(refusals), tuple(notes))


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
    """The envelope for one message, whichever server it came from.

    Slips decide whether tools are run, not the finish reason: many servers send slips
    and say "stop". Where there is a refusal and no text, the refusal is the text.
    """
    reason = valid_text(_string(finish_reason)) or None
    if reason == "error":
        raise Unusable("broke off with the finish reason 'error'.", retryable=True)
    said = spoken(message.get("content"))
    refusal = valid_text(said.refusal or _string(message.get("refusal")))
    cut_off = is_cut_off(reason)
    calls, notes = read_slips(message.get("tool_calls"), cut_off=cut_off)
    if cut_off:
        notes += ("the reply was cut off by the output limit",)
    text = valid_text(said.text)
    return LLMResponse(
        AssistantMessage(text if text or calls else refusal, calls),
        reasoning=_reasoning(message, said) or None,
        usage=usage,
        finish_reason=reason,
        model=valid_text(_string(model)) or None,
        refusal=refusal or None,
        notes=said.notes + notes,
    )


def count(value: object) -> int | None:
    """A number of tokens, or None: an unknown count is not zero."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**53 else None


def _reasoning(message: dict[str, Any], said: Spoken) -> str:
    """The reasoning under whichever names; told twice, it counts once."""
    told = [said.reasoning, *(spoken(message.get(n)).text for n in REASONING_NAMES)]
    return valid_text("\n".join(dict.fromkeys(text for text in told if text)))


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
