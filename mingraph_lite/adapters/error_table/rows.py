"""Errors known by their codes or words, and what helps.

A new kind of error of a provider is a new row here, with the public source it was seen
in. The first that fits counts, so what says more stands further up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from mingraph_lite.adapters.error_table.sizes import SENTENCES

__all__: Final = [
    "IN_VAIN",
    "KEY",
    "MAY_PASS",
    "NAMED_ROWS",
    "NAMES",
    "ErrorRow",
    "at",
]

KEY: Final = "{key}"
"""Stands for advice on the key, which depends on whether there was one."""
NAMES: Final = "Check the base URL and the model's name, {model}."
IN_VAIN: Final = "The same request will fail again."

_FAULTS: Final = frozenset(range(500, 600))
MAY_PASS: Final = frozenset({408, 409, 425, 429}) | _FAULTS


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One kind of error: what it is known by, and what helps.

    Where `statuses` are given, one of them must be there (0 stands for an error that
    names none); where `codes` or `words` are given, one of them. `codes` are parts of
    codes and types, in lower case with underscores, `words` a pattern.
    """

    name: str
    source: str
    retry: bool = False
    advice: str = ""
    statuses: frozenset[int] = frozenset()
    codes: tuple[str, ...] = ()
    words: str = ""
    becomes: Literal["error", "overflow", "refusal"] = "error"

    def fits(self, status: int | None, codes: str, words: str) -> bool:
        """Whether an error with this status, these codes and these words is meant."""
        if self.statuses and (status or 0) not in self.statuses:
            return False
        if not (self.codes or self.words):
            return True
        if any(code in codes for code in self.codes):
            return True
        return bool(self.words and re.search(self.words, words, re.IGNORECASE))


def at(statuses: Iterable[int]) -> frozenset[int]:
    """These statuses."""
    return frozenset(statuses)


_TOOLS_AS_JSON: Final = (
    'This server takes no tools for this model. OpenAIChat(…, tools_as="json") puts '
    "the menu into the prompt instead; or choose a model that knows tools."
)

NAMED_ROWS: Final = (
    ErrorRow(
        "a call that the server could not read",
        "groq/groq-typescript#28",
        retry=True,
        advice="The model wrote a call that the server could not read.",
        codes=("tool_use_failed", "output_parse_failed", "json_validate_failed"),
        words=r"failed to call a function|tool call validation failed|"
        r"error parsing tool call|failed to parse tool call",
    ),
    ErrorRow(
        "a content filter",
        "compl-ai/compl-ai#20, BerriAI/litellm#16231",
        advice="The provider's content filter declined the request. Ask in other "
        "words.",
        codes=(
            "content_filter",
            "responsibleaipolicyviolation",
            "content_policy_violation",
            "contentpolicyviolation",
            "moderation_blocked",
            "datainspectionfailed",
            "data_inspection_failed",
            "blocked_prompt",
        ),
        words=r"content management policy|contentpolicyviolationerror|"
        r"content exists risk|blocked by (?:the )?content filter|"
        r"flagged as potentially violating|requires moderation|"
        r"violates? (?:our |the )?(?:usage|content|safety) (?:policy|guidelines)|"
        r"responsibleaipolicyviolation|data may contain inappropriate content",
        becomes="refusal",
    ),
    ErrorRow(
        "a prompt beyond the window",
        "each in `sizes`, sentence by sentence",
        codes=(
            "context_length_exceeded",
            "context_window_exceeded",
            "exceed_context_size",
            "contextwindowexceeded",
            "model_max_prompt_tokens_exceeded",
            "tokens_limit_reached",
            "request_too_large",
        ),
        words="|".join(
            # Only one of them may match, so their names may not come twice.
            re.sub(r"\(\?P<\w+>", "(?:", sentence.pattern)
            for sentence in SENTENCES
        ),
        becomes="overflow",
    ),
    ErrorRow(
        "no money",
        "langchain-ai/langchainjs#1929, OpenRouter documentation, Errors",
        advice="The account behind the key has no credit left, or a limit on spending "
        "was reached: see the provider's billing page.",
        codes=(
            "insufficient_quota",
            "exceeded_current_quota",
            "billing_hard_limit",
            "billing_not_active",
            "insufficient_balance",
            "insufficient_credits",
            "insufficient_funds",
            "payment_required",
            "billing_error",
            "spend_limit",
        ),
        words=r"credit balance|insufficient (?:account )?(?:balance|credits?|funds)|"
        r"requires? more credits|billing hard limit|out of credits|"
        r"used all available credits|spending limit|specified api usage limits|"
        r"exceeded your monthly included credits|account is not active|"
        r"insufficient_quota|budget has been exceeded|余额不足|欠费",
    ),
    ErrorRow(
        "the budget of a day",
        "Gemini documentation, Rate limits; OpenRouter documentation, Limits",
        advice="The budget of this day or month is used up: come back later, or choose "
        "another model or plan.",
        statuses=at({0, 400, 403, 429}),
        codes=("perday", "per_day", "permonth", "daily_limit"),
        words=r"per[ _-]?day|\b[rt]pd\b|daily (?:request |token |usage )*"
        r"(?:limit|quota)|(?:weekly|monthly) (?:usage )?limit",
    ),
    ErrorRow(
        "tools are not taken",
        "langchain4j/langchain4j#3475, defilantech/LLMKube#126",
        advice=_TOOLS_AS_JSON,
        codes=("tools_not_supported", "tool_calling_not_supported"),
        words=r"(?:does not|doesn't|not) support (?:the |this )?(?:use of )?"
        r"(?:native )?['\"`]?(?:tools?\b|tool[ _](?:use|call|choice)|function)|"
        r"(?:tools?|tool[ _](?:use|choice|call(?:ing|s)?)|function[ _]call(?:ing|s)?|"
        r"functions)['\"`]?(?: parameter)?(?: is| are)?(?: currently)? not (?:yet )?"
        r"(?:supported|enabled|available|allowed|implemented)|"
        r"no support for (?:tools?|functions?)\b|"
        r"(?:tools|functions)['\"`]? (?:is|are) unsupported|"
        r"\btools: extra inputs are not permitted|"
        r"(?:unknown|unrecogni[sz]ed|unexpected|unsupported|extra)(?: \w+){1,4}?:?\s?"
        r"['\"`]?tools['\"`]?(?![\w.\[])|"
        r"unsupported.{0,30}['\"`]tools['\"`]|"
        r"enable-auto-tool-choice|tool-call-parser|"
        r"endpoints? (?:found )?that supports? tool|--jinja",
    ),
    ErrorRow(
        "no memory for the model",
        "ollama/ollama#10920",
        advice="This machine has too little memory for the model: choose a smaller "
        "one, or close other programs.",
        words=r"requires more (?:system |gpu )?memory|cudamalloc failed|"
        r"not enough (?:system )?memory|unable to allocate .{0,40}buffer",
    ),
    ErrorRow(
        "no model is loaded",
        "LM Studio documentation, REST API",
        advice="Load {model} in the server first.",
        words=r"no models? (?:is |are )?(?:currently )?loaded|lms load",
    ),
    ErrorRow(
        "the model is being loaded",
        "llama.cpp, tools/server/README; Hugging Face documentation, Inference API",
        retry=True,
        advice="The server is still loading the model.",
        statuses=at({0, 400}) | MAY_PASS,
        words=r"loading model|model is (?:currently |still )?loading|currently loading|"
        r"model is not ready|warming up|cold start",
    ),
    ErrorRow(
        "the model is not allowed to this key",
        "OpenAI documentation, Error codes; Google AI documentation, Troubleshooting",
        advice="The key is known, but may not use {model}: see what its project or "
        "plan allows.",
        statuses=at({0, 400, 401, 403, 404}),
        codes=("permission", "access_denied", "model_access", "accessdenied"),
        words=r"(?<!or you )(?:do(?:es)? not|don't|doesn't) have (?:access|permission)|"
        r"model access|not (?:authorized|allowed) to (?:access|use|invoke)|"
        r"api has not been used in project",
    ),
    ErrorRow(
        "no such model",
        "ollama/ollama documentation, API; OpenAI documentation, Error codes",
        advice=f"{NAMES}{{pull}}",
        codes=(
            "model_not_found",
            "model_not_exist",
            "deploymentnotfound",
            "model_decommissioned",
            "invalid_model",
        ),
        words=r"try pulling it first|model ['\"`]?[^\s'\"`]{1,120}['\"`]? "
        r"(?:is )?(?:not found|does not exist|was not found)|model not (?:found|exist)|"
        r"(?:no such|unknown|invalid) model\b|not a valid model|"
        r"has been (?:decommissioned|deprecated)|deployment .{0,40}does not exist|"
        r"no (?:allowed providers|endpoints) (?:are |found |available )?for",
    ),
    ErrorRow(
        "the place is not served",
        "crmne/ruby_llm#431",
        advice="The provider does not serve the country that the request came from: "
        "choose another.",
        codes=("unsupported_country",),
        words=r"(?:country|region|location).{0,40}not supported|"
        r"not available in your (?:country|region)",
    ),
    ErrorRow(
        "the key",
        "OpenAI documentation, Error codes; Google AI documentation, Troubleshooting",
        advice=KEY,
        statuses=at({0, 400, 401, 403}) | _FAULTS,
        codes=("api_key", "authentication", "unauthenticated", "unauthorized"),
        words=r"(?:incorrect|invalid|missing|expired|no|bad|wrong) api[ _-]?key|"
        r"api[ _-]?key (?:is )?(?:not valid|invalid|expired|missing|required)|"
        r"no auth credentials|authenticationerror|invalid (?:bearer )?token|"
        r"no connected db",  # litellm without a database: not the master key
    ),
    ErrorRow(
        "too much at once",
        "Google AI documentation, Rate limits; OpenAI documentation, Rate limits",
        retry=True,
        codes=(
            "rate_limit",
            "ratelimit",
            "too_many_requests",
            "toomanyrequests",
            "resource_exhausted",
            "throttl",
            "overloaded",
            "unavailable",
            "slow_down",
        ),
        words=r"resource_exhausted|ratelimiterror|rate[ -]limit(?:ed| reached| "
        r"exceeded)|too many requests|throttlingexception",
    ),
    ErrorRow(
        "no quota, and no time named",
        "continuedev/continue#10410",
        advice="The account behind the key has no quota for this: see the provider's "
        "billing page.",
        words=r"exceeded your current quota, please check your plan",
    ),
    ErrorRow(
        "overloaded",
        "Anthropic documentation, Errors; DeepSeek documentation, Error codes",
        retry=True,
        statuses=at({0, 400, 403}) | MAY_PASS,
        words=r"overloaded|at capacity|over capacity|"
        r"(?:server|model|engine)(?: is)?(?: currently)? busy|"
        r"high demand|capacity exceeded|queue is full|no healthy upstream",
    ),
    ErrorRow(
        "a template that cannot write these messages",
        "ggml-org/llama.cpp#11866",
        advice="The server's chat template cannot write these messages or tools: try "
        'tools_as="json", another template, or another model.',
        statuses=at({0, 400}) | _FAULTS,
        words=r"jinja|chat template|roles must alternate|raise_exception|"
        r"unable to generate parser for this template",
    ),
    ErrorRow(
        "a fault of the server, named",
        "OpenAI documentation, Error codes; openclaw/openclaw#84697",
        retry=True,
        statuses=at({0}),
        codes=("server_error", "internal", "timeout", "timed_out"),
        words=r"internal (?:server )?error|timed out|temporarily unavailable|"
        r"try again later|no slots? (?:is |are )?available|resource exhausted",
    ),
    ErrorRow(
        "nothing there by that name",
        "Anthropic documentation, Errors",
        advice=NAMES,
        statuses=at({0}),
        codes=("not_found",),
    ),
    ErrorRow(
        "the request's own fault, with a server's status",
        "BerriAI/litellm#16231",
        advice=IN_VAIN,
        statuses=at({0}) | _FAULTS,
        codes=("invalid_request", "badrequest", "bad_request", "invalid_argument"),
        words=r"badrequesterror|invalid_request_error|unprocessableentityerror|"
        r"unsupportedparamserror|notfounderror",
    ),
)
