"""How a reply ended, and what that makes of it.

    the server's word for it              the ending    what the loop makes of it
    stop, end_turn, COMPLETE, eos …       "end"         its text is the answer
    tool_calls, tool_use …                "slips"       its slips are run
    length, MAX_TOKENS, model_length …    "cut"         never an answer: ReplyCutOff;
                                                          each slip in it is answered
    content_filter, SAFETY, refusal …     "refusal"     ModelRefused, asked once; no
                                                          slip of it is run
    error, abort, MALFORMED_… …           "error"       ModelError; asked again

Slips decide over "end" and "slips": many servers pass slips and say "stop". A word that
is not in the table is read by its parts ("max_new_tokens" is a limit), and else counts
as an ordinary end, so that a new name for it breaks nothing. What stands for no word
("", "null") counts as not given.

Why not ask whether the text looks whole? Half a sentence may end in a full stop; only
the server knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from mingraph_lite.errors import ModelError, ReplyCutOff

__all__: Final = [
    "CUT_NOTE",
    "CUT_SLIP",
    "ENDINGS",
    "WINDOW_NOTE",
    "Ending",
    "KnownReason",
    "broken_off",
    "cut_note",
    "cut_off",
    "ending_of",
    "given_reason",
    "is_cut_off",
    "withheld",
]

type Ending = Literal["end", "slips", "cut", "refusal", "error"]

CUT_NOTE: Final = "The reply was cut off by the output limit."
WINDOW_NOTE: Final = "The reply was cut off: the model's window is full."
"""Stand beside a cut reply, for who reads along."""

CUT_SLIP: Final = (
    "the reply was cut off by the output limit. Send the call again, shorter."
)
"""What is wrong with each slip of a cut reply: the last may look whole and be half."""

_LONGEST_QUOTED: Final = 200


@dataclass(frozen=True, slots=True)
class KnownReason:
    """One finish reason: its ending, who sends it, where that is written."""

    word: str
    ending: Ending
    sent_by: str
    source: str


_OPENAI: Final = "OpenAI API reference, chat completion object"
_ANTHROPIC: Final = "Anthropic docs, Handling stop reasons"
_GEMINI: Final = "Gemini API reference, FinishReason"
_BEDROCK: Final = "Amazon Bedrock API reference, Converse stopReason"
_TITAN: Final = "Amazon Bedrock user guide, Titan text models"
_COHERE: Final = "Cohere API reference, chat finish_reason"
_WATSONX: Final = "IBM watsonx-ai-node-sdk, TextChatResultChoice and TextGenResult"
_TGI: Final = "huggingface/text-generation-inference, docs/openapi.json"
_LLAMA: Final = "ggml-org/llama.cpp, tools/server/README.md"
_LITELLM: Final = "BerriAI/litellm#22138"
_XAI: Final = "xai-org/xai-proto, FinishReason"

ENDINGS: Final = (
    KnownReason("stop", "end", "OpenAI and most others", _OPENAI),
    KnownReason("end_turn", "end", "Anthropic, Bedrock", _ANTHROPIC),
    KnownReason("stop_sequence", "end", "Anthropic, Cohere, TGI", _ANTHROPIC),
    KnownReason("complete", "end", "Cohere", _COHERE),
    KnownReason("eos", "end", "Together, llama.cpp", "openai/openai-dotnet#267"),
    KnownReason("eos_token", "end", "TGI, watsonx", _TGI),
    KnownReason("word", "end", "llama.cpp", _LLAMA),
    KnownReason("finish", "end", "Amazon Titan", _TITAN),
    KnownReason("stop_criteria_met", "end", "Amazon Titan", _TITAN),
    KnownReason("tool_calls", "slips", "OpenAI and most others", _OPENAI),
    KnownReason("function_call", "slips", "OpenAI, before tools", _OPENAI),
    KnownReason("tool_use", "slips", "Anthropic, Bedrock", _ANTHROPIC),
    KnownReason("tool_call", "slips", "Cohere", _COHERE),
    KnownReason("length", "cut", "OpenAI, Ollama and most others", _OPENAI),
    KnownReason("max_tokens", "cut", "Anthropic, Gemini, Cohere", _ANTHROPIC),
    KnownReason(
        "max_output_tokens", "cut", "OpenAI", "OpenAI API reference, responses"
    ),
    KnownReason("model_length", "cut", "Mistral", "laravel/ai#955"),
    KnownReason("model_context_window_exceeded", "cut", "Anthropic, Z.AI", _ANTHROPIC),
    KnownReason("compaction", "cut", "Anthropic", "BerriAI/litellm#27101"),
    KnownReason("pause_turn", "cut", "Anthropic", _ANTHROPIC),
    KnownReason("error_limit", "cut", "Cohere", _COHERE),
    KnownReason("limit", "cut", "llama.cpp", _LLAMA),
    KnownReason("token_limit", "cut", "watsonx", _WATSONX),
    KnownReason("time_limit", "cut", "watsonx, xAI", _WATSONX),
    KnownReason("max_len", "cut", "xAI", _XAI),
    KnownReason("max_context", "cut", "xAI", _XAI),
    KnownReason("content_filter", "refusal", "OpenAI, Azure", _OPENAI),
    KnownReason("refusal", "refusal", "Anthropic", _ANTHROPIC),
    KnownReason("safety", "refusal", "Gemini", _GEMINI),
    KnownReason("recitation", "refusal", "Gemini", _GEMINI),
    KnownReason("language", "refusal", "Gemini", _GEMINI),
    KnownReason("blocklist", "refusal", "Gemini", _GEMINI),
    KnownReason("prohibited_content", "refusal", "Gemini", _GEMINI),
    KnownReason("spii", "refusal", "Gemini", _GEMINI),
    KnownReason("model_armor", "refusal", "Vertex AI", "Vertex AI docs, FinishReason"),
    KnownReason("image_safety", "refusal", "Gemini", _GEMINI),
    KnownReason("image_prohibited_content", "refusal", "Gemini", _GEMINI),
    KnownReason("image_recitation", "refusal", "Gemini", _GEMINI),
    KnownReason("guardrail_intervened", "refusal", "Bedrock", _BEDROCK),
    KnownReason("content_filtered", "refusal", "Bedrock", _BEDROCK),
    KnownReason("error_toxic", "refusal", "Cohere", _COHERE),
    KnownReason("sensitive", "refusal", "Z.AI", "Z.AI API reference, chat completion"),
    KnownReason("error", "error", "Mistral, OpenRouter, Together", "laravel/ai#955"),
    KnownReason("other", "error", "Gemini", _GEMINI),
    KnownReason("malformed_function_call", "error", "Gemini", _LITELLM),
    KnownReason("malformed_response", "error", "Gemini", _LITELLM),
    KnownReason("too_many_tool_calls", "error", "Gemini", _LITELLM),
    KnownReason("unexpected_tool_call", "error", "Gemini", "mozilla-ai/any-llm#1202"),
    KnownReason("missing_thought_signature", "error", "Gemini", _GEMINI),
    KnownReason("no_image", "error", "Gemini", _GEMINI),
    KnownReason("image_other", "error", "Gemini", _GEMINI),
    KnownReason("malformed_model_output", "error", "Bedrock", _BEDROCK),
    KnownReason("malformed_tool_use", "error", "Bedrock", _BEDROCK),
    KnownReason(
        "insufficient_system_resource",
        "error",
        "DeepSeek",
        "DeepSeek API reference, chat completion",
    ),
    KnownReason(
        "network_error", "error", "Z.AI", "Z.AI API reference, chat completion"
    ),
    KnownReason("timeout", "error", "Cohere", _COHERE),
    KnownReason("user_cancel", "error", "Cohere", _COHERE),
    KnownReason("cancelled", "error", "watsonx", _WATSONX),
    KnownReason("abort", "error", "vLLM, SGLang", "vllm-project/vllm#57082"),
    KnownReason("repetition", "error", "vLLM", "BerriAI/litellm#27101"),
    KnownReason("load", "error", "Ollama", "can1357/oh-my-pi#7465"),
    KnownReason("unload", "error", "Ollama", "Ollama API docs, unload a model"),
)
"""Each known word, in lower case and with "_" between its parts."""

_ENDING_OF: Final[dict[str, Ending]] = {row.word: row.ending for row in ENDINGS}

_PARTS: Final[dict[Ending, re.Pattern[str]]] = {
    "refusal": re.compile(
        "safety|filter|block|moderat|guard|refus|polic|prohibit|censor|sensitive|harm"
    ),
    "error": re.compile("err(or)?$|error|fail|abort|cancel|malformed|invalid|overload"),
    "cut": re.compile("length|limit|truncat|max|incomplete|exceed|budget"),
}
"""What a word outside the table has in it that tells its ending, the first that fits.

A filter comes first: its reply is asked for once, and "blocked_by_error" is one too.
"""

_NOT_GIVEN: Final = {
    "",
    "null",
    "none",
    "nil",
    "undefined",
    "not_finished",
    "unspecified",
}
"""SGLang sends "" in each chunk, others "null"; watsonx and Gemini have a word."""

_WINDOW_IS_FULL: Final = {
    "model_length",
    "model_context_window_exceeded",
    "error_limit",
    "max_context",
    "compaction",
}
_PREFIX: Final = re.compile(r"^(?:finish_)?reason[._]")


def given_reason(sent: object) -> str | None:
    """The finish reason as it was sent, or None where none was given.

    SGLang's own API puts it into an object, under "type".
    """
    if isinstance(sent, dict):
        sent = sent.get("type")
    if not isinstance(sent, str) or _plain(sent) in _NOT_GIVEN:
        return None
    return sent


def ending_of(finish_reason: str | None) -> Ending:
    """How a reply with this finish reason ended, whatever its case."""
    if not isinstance(finish_reason, str):
        return "end"
    if (known := _ENDING_OF.get(finish_reason)) is not None:
        return known
    # Gemini's gateway joins two words: "content_filter: RECITATION".
    word = _plain(finish_reason)
    first, _, last = word.partition(":")
    if known := _ENDING_OF.get(last.strip("_")) or _ENDING_OF.get(first):
        return known
    return next((end for end, parts in _PARTS.items() if parts.search(word)), "end")


def is_cut_off(finish_reason: str | None) -> bool:
    """Whether a reply ended at a limit and not where the model meant to."""
    return ending_of(finish_reason) == "cut"


def cut_note(finish_reason: str | None) -> str:
    """What stands beside a reply that was cut off for this reason."""
    full = _plain(finish_reason or "") in _WINDOW_IS_FULL
    return WINDOW_NOTE if full else CUT_NOTE


def cut_off(finish_reason: str | None, text: str, *, reasoned: bool) -> ReplyCutOff:
    """The error for a cut reply without slips: what came, and which limit to raise."""
    if text.strip():
        came = f"It is no answer, and ends so: {_end_of(text)!r}."
    elif reasoned:
        came = "All there was went into the reasoning, and none was left for an answer."
    else:
        came = "Not a word of it came."
    return ReplyCutOff(
        f"The reply was cut off (finish reason: {finish_reason}). {came} "
        f"{_limit_to_raise(finish_reason, reasoned=reasoned)}",
        half=text,
    )


def withheld(finish_reason: str | None, text: str) -> str:
    """What a reply says that a filter has withheld, or broken off."""
    came = f" What came before that: {_end_of(text)!r}." if text.strip() else ""
    return (
        f"The reply was withheld by the server or its filter (finish reason: "
        f"{finish_reason}).{came} Ask in other words."
    )


def broken_off(finish_reason: str | None) -> ModelError:
    """The error for a reply that the server broke off, or spoiled."""
    return ModelError(
        f"The reply broke off with the finish reason {finish_reason!r}. "
        "The same request may succeed later.",
        retryable=True,
    )


def _plain(reason: str) -> str:
    """The word in lower case, without what some put before it: "FinishReason.STOP"."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", reason.strip()[:_LONGEST_QUOTED])
    return _PREFIX.sub("", re.sub(r"[\s-]+", "_", spaced).lower())


def _limit_to_raise(finish_reason: str | None, *, reasoned: bool) -> str:
    word = _plain(finish_reason or "")
    if word == "pause_turn":
        return "The server paused in the middle: ask again."
    if word == "time_limit":
        return "The server's time was up: ask for less, or raise its time limit."
    window = (
        "a larger window (num_ctx in the options of OllamaChat, or the server's own "
        "setting)"
    )
    if word in _WINDOW_IS_FULL:
        return f"The model's window is full: read out fewer messages, or give {window}."
    less = "Ask for less reasoning, or allow" if reasoned else "Allow"
    return (
        f"{less} longer replies: max_tokens= of OpenAIChat, num_predict in the options "
        f"of OllamaChat. Where the window is what is full, give {window}."
    )


def _end_of(text: str) -> str:
    words = " ".join(text[-4 * _LONGEST_QUOTED :].split())
    if len(words) <= _LONGEST_QUOTED:
        return words
    return "…" + words[1 - _LONGEST_QUOTED :]
