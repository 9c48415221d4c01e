"""How servers say that a prompt does not fit, with which numbers.

Each row is one server's sentence. `prompt` is how long the prompt was, `window` how
much fits, in tokens, each where the sentence has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__: Final = ["SENTENCES", "Sentence", "sizes_in"]

_N: Final = r"\(?~?(?P<{}>\d[\d,]{{0,14}})\)?"
_PROMPT, _WINDOW = _N.format("prompt"), _N.format("window")


@dataclass(frozen=True, slots=True)
class Sentence:
    """How one server says that a prompt is too long."""

    name: str
    source: str
    pattern: str

    def found_in(self, words: str) -> re.Match[str] | None:
        """The place where it stands."""
        return re.search(self.pattern, words, re.IGNORECASE | re.DOTALL)


SENTENCES: Final = (
    Sentence(
        "vLLM, DeepSeek, OpenRouter: prompt and reply counted apart",
        "vllm-project/vllm#20409",
        rf"context length (?:is|of) {_WINDOW} tokens?.{{0,80}}?requested (?:about )?"
        rf"[\d,]+ tokens.{{0,5}}?\({_PROMPT} (?:in the messages|in the prompt|"
        r"of text input|in your prompt)",
    ),
    Sentence(
        "SGLang: prompt and reply together",
        "sgl-project/sglang, managers/tokenizer_manager.py",
        rf"maximum context length of {_WINDOW} tokens.{{0,60}}?total of [\d,]+ tokens: "
        rf"{_PROMPT} tokens from the input",
    ),
    Sentence(
        "OpenAI",
        "langchain-ai/langchain#24058",
        rf"maximum context length (?:is|of) {_WINDOW} tokens?.{{0,120}}?(?:resulted in|"
        r"requested|request has|contains|has|you have)(?: about| a total of)? "
        rf"{_PROMPT} (?:input )?tokens",
    ),
    Sentence(
        "xAI",
        "cline/cline#3120",
        rf"maximum prompt length is {_WINDOW}.{{0,40}}?contains {_PROMPT} tokens",
    ),
    Sentence(
        "Anthropic",
        "earendil-works/pi#102",
        rf"prompt is too long: {_PROMPT} tokens > {_WINDOW}",
    ),
    Sentence(
        "Anthropic: prompt and reply together",
        "stackblitz/bolt.new#7422",
        rf"exceed context limit: {_PROMPT} \+ [\d,]+ > {_WINDOW}",
    ),
    Sentence(
        "Gemini",
        "Google AI documentation, Troubleshooting",
        rf"input token count {_PROMPT} exceeds the maximum number of tokens allowed "
        rf"{_WINDOW}",
    ),
    Sentence(
        "Gemini, without the length",
        "Google AI documentation, Troubleshooting",
        rf"input token count exceeds the maximum number of tokens allowed {_WINDOW}",
    ),
    Sentence(
        "Vertex AI",
        "Google Cloud documentation, API errors",
        rf"input token count is {_PROMPT} but (?:the )?model only supports up to "
        rf"{_WINDOW}",
    ),
    Sentence(
        "Cohere",
        "Cohere documentation, Errors",
        rf"too many tokens: .{{1,160}}?limit for this model is {_WINDOW} tokens",
    ),
    Sentence(
        "Workers AI",
        "Cloudflare documentation, Workers AI errors",
        rf"tokens {_PROMPT} exceeded this model context window limit {_WINDOW}",
    ),
    Sentence(
        "DashScope",
        "Alibaba Cloud documentation, Error messages",
        rf"range of input length should be \[\d+, {_WINDOW}",
    ),
    Sentence(
        "Mistral",
        "Mistral documentation, Error codes",
        rf"prompt contains {_PROMPT} tokens.{{0,60}}?too large for model with "
        rf"{_WINDOW} maximum",
    ),
    Sentence(
        "llama.cpp",
        "ggml-org/llama.cpp#15780",
        rf"request {_PROMPT} tokens\)? exceeds the available context size {_WINDOW}",
    ),
    Sentence(
        "llama.cpp from Python",
        "rllm-team/rllm#55",
        rf"requested tokens {_PROMPT} exceed context window of {_WINDOW}",
    ),
    Sentence(
        "LM Studio",
        "lmstudio-ai/lmstudio-bug-tracker#546",
        rf"keep the first {_PROMPT} tokens when.{{0,120}}?length of only {_WINDOW}",
    ),
    Sentence(
        "LM Studio, newer",
        "lmstudio-ai/lmstudio-bug-tracker#1620",
        rf"n_keep: {_PROMPT}\s*>=\s*n_ctx: {_WINDOW}",
    ),
    Sentence(
        "SGLang",
        "sgl-project/sglang#8096",
        rf"input \({_PROMPT} tokens\) is longer than the model's context length "
        rf"\({_WINDOW} tokens",
    ),
    Sentence(
        "SGLang, newer",
        "sgl-project/sglang#4048",
        rf"input length {_PROMPT} tokens\)? exceeds the maximum allowed length "
        rf"{_WINDOW}",
    ),
    Sentence(
        "vLLM: what the model was trained on",
        "Gabesarch/grounded-rl#16",
        rf"prompt \(length {_PROMPT} is longer than the maximum model length of "
        rf"{_WINDOW}",
    ),
    Sentence(
        "Text Generation Inference, prompt alone",
        "huggingface/text-generation-inference#937",
        rf"must have less than {_WINDOW} tokens\. given: {_PROMPT}",
    ),
    Sentence(
        "Text Generation Inference",
        "huggingface/chat-ui#340",
        rf"must be <= {_WINDOW}\. given: {_PROMPT} `?inputs",
    ),
    Sentence(
        "vLLM: prompt and reply named apart",
        "vllm-project/vllm, VLLMValidationError",
        rf"passed {_PROMPT} input tokens.{{0,160}}?context length is (?:only )?"
        rf"{_WINDOW}",
    ),
    Sentence(
        "GitHub Copilot",
        "jjleng/copilot-more#35",
        rf"prompt token count of {_PROMPT} exceeds the limit of {_WINDOW}",
    ),
    Sentence(
        "GitHub Models",
        "GitHub documentation, Prototyping with AI models",
        rf"request body too large for .{{1,80}}? model. max size: {_WINDOW} tokens",
    ),
    Sentence(
        "Cerebras",
        "Cerebras documentation, Error codes",
        rf"current length is {_PROMPT} while limit is {_WINDOW}",
    ),
    Sentence(
        "Fireworks",
        "Fireworks documentation, Error codes",
        rf"prompt is too long: {_PROMPT}, model maximum context length: {_WINDOW}",
    ),
    Sentence(
        "Moonshot",
        "Moonshot documentation, Error codes",
        rf"exceeded model token limit: {_WINDOW}(?: \(requested: {_PROMPT}\))?",
    ),
    Sentence(
        "OpenAI and Groq: more than a minute allows",
        "ITSpecialist111/ai_automation_suggester#61",
        rf"request too large for .{{1,120}}?limit:? {_WINDOW}, requested:? {_PROMPT}",
    ),
    Sentence(
        "sentences without numbers",
        "nano-step/nano-brain#208, Amazon Bedrock documentation",
        r"input is too long for|prompt is too long|prompt too long|"
        r"exceeds? (?:the |maximum |max |model'?s? )*(?:available )?context"
        r"|(?:context|input)[ _](?:length|size|window)[ _](?:is )?exceed"
        r"|exceed\w* (?:the )?(?:this |maximum |max |model'?s? )*(?:context|input) "
        r"(?:length|window|size)"
        r"|reduce the length of (?:the|your) (?:messages|prompt|input)"
        r"|prompt exceeds max"
        r"|too many (?:input )?tokens in|context window exceeds limit"
        r"|content\b[^.]{0,20}: string too long"  # counted in characters
        r"|input length [\d,]+ exceeds (?:the )?maximum"
        r"|(?:prompt|input|request|messages)\b[^.]{0,60}(?:does|do) not fit "
        r"(?:in|into|within) (?:the )?(?:model'?s )?context"
        r"|exceed(?:s|ed)? (?:the )?(?:model'?s )?maximum (?:allowed )?(?:prompt|input)"
        r" (?:length|tokens)|contextwindowexceedederror|too large for model with"
        r"|(?:maximum|model's|model) (?:context|prompt) length is|token limit exceeded"
        r"|context (?:window|length|size) of [\d,]+(?: tokens)? (?:is |was )?exceeded",
    ),
)


_NUMBER: Final = re.compile(r"(?<![\w.-])\d(?:,?\d){1,14}(?![\w.]\w)")
_OF_THE_PROMPT: Final = re.compile(
    r"(?:prompt|input|messages)(?: tokens?| length| size)?[^.\d]{0,6}(\d[\d,]{2,14})|"
    r"(\d[\d,]{2,14})(?: tokens)?(?: in| of| from| for)?(?: the| your)? "
    r"(?:prompt|input|messages)",
    re.IGNORECASE,
)
_OF_THE_WINDOW: Final = re.compile(
    r"(?:context|window)[^.\d]{0,40}(\d[\d,]{2,14})", re.IGNORECASE
)
_STATUSES: Final = {400, 413, 422, 429, 500}


def sizes_in(words: str, fields: Mapping[str, object]) -> tuple[int | None, int | None]:
    """How long the prompt was and how much fits, as far as the server says so."""
    found: dict[str, int] = {}
    for sentence in SENTENCES:
        if match := sentence.found_in(words):
            groups = match.groupdict()
            found = {
                name: int(number.replace(",", ""))
                for name, number in groups.items()
                if number
            }
            break
    if not found and "string too long" not in words:
        found = _two_numbers(words) or _numbers_by_name(words)
    named = {"prompt": "n_prompt_tokens", "window": "n_ctx"}
    for name, field in named.items():
        value = fields.get(field)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            found[name] = value
    return found.get("prompt"), found.get("window")


def _two_numbers(words: str) -> dict[str, int]:
    """The sizes in a sentence that no row knows.

    What does not fit is longer than what does: of two numbers the larger is the prompt.
    """
    told = {int(number.replace(",", "")) for number in _NUMBER.findall(words)}
    sizes = sorted(told - _STATUSES)
    if len(sizes) != 2:
        return {}
    return {"window": sizes[0], "prompt": sizes[1]}


def _numbers_by_name(words: str) -> dict[str, int]:
    """The sizes that stand beside their names, where the reply is counted in, too."""
    prompt, window = _OF_THE_PROMPT.search(words), _OF_THE_WINDOW.search(words)
    if prompt is None or window is None:
        return {}
    named = {"prompt": prompt[1] or prompt[2], "window": window[1]}
    return {name: int(number.replace(",", "")) for name, number in named.items()}
