"""What clings to a tool's name, and the name without it.

Models write a namespace before a name, or go on behind it with the tokens that only
their template should know. Registry and adapters clean a name by this one rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__: Final = ["CONTROL_TOKENS", "PREFIXES", "Mark", "bare_name", "plain_name"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A text that no answer means, and where it was seen."""

    text: str
    source: str


PREFIXES: Final = (
    Mark("to=", "OpenAI cookbook, harmony response format: recipients"),
    Mark("functions.", "OpenAI cookbook, harmony response format: namespaces"),
    Mark("functions:", "vLLM docs, Tool Calling: kimi_k2"),
    Mark("tools.", "aaif-goose/goose#6352"),
    Mark("default_api.", "Gemini API docs, function calling: generated Python"),
    Mark("default_api:", "Gemini API docs, function calling: declared names"),
)
"""What models write before a name; each ends with a sign that no name may hold."""

CONTROL_TOKENS: Final = (
    Mark("<|im_end|>", "Qwen docs, ChatML"),
    Mark("<|im_start|>assistant", "Qwen docs, ChatML"),
    Mark("<|im_start|>", "Qwen docs, ChatML"),
    Mark("<|endoftext|>", "Qwen docs, control tokens"),
    Mark("</s>", "Mistral docs, tokenization: control tokens"),
    Mark("[/INST]", "Mistral docs, tokenization: control tokens"),
    Mark("[/TOOL_CALLS]", "Mistral docs, tokenization: control tokens"),
    Mark("<|eot_id|>", "Llama docs, prompt format 3.1"),
    Mark("<|eom_id|>", "Llama docs, prompt format 3.1"),
    Mark("<|begin_of_text|>", "Llama docs, prompt format 3.1"),
    Mark("<|end_of_text|>", "Llama docs, prompt format 3.1"),
    Mark(
        "<|start_header_id|>assistant<|end_header_id|>", "Llama docs, prompt format 3.1"
    ),
    Mark("<|eot|>", "Llama docs, prompt format 4"),
    Mark("<|eom|>", "Llama docs, prompt format 4"),
    Mark("<end_of_turn>", "Gemma docs, formatting"),
    Mark("<start_of_turn>model", "Gemma docs, formatting"),
    Mark("<eos>", "Gemma docs, formatting"),
    Mark("<|end|>", "OpenAI cookbook, harmony; Phi model cards"),
    Mark("<|return|>", "OpenAI cookbook, harmony response format"),
    Mark("<|call|>", "OpenAI cookbook, harmony response format"),
    Mark("<|start|>assistant", "OpenAI cookbook, harmony response format"),
    Mark("<|assistant|>", "Phi model cards; GLM model cards"),
    Mark("<|observation|>", "GLM model cards, chat template"),
    Mark("<|user|>", "GLM model cards, chat template"),
    Mark("<|end_of_role|>", "Granite model cards, chat template"),
    Mark("<｜end▁of▁sentence｜>", "DeepSeek model cards, chat template"),
    Mark("<｜begin▁of▁sentence｜>", "DeepSeek model cards, chat template"),
    Mark("<｜Assistant｜>", "DeepSeek model cards, chat template"),
    Mark("<|END_OF_TURN_TOKEN|>", "Cohere docs, prompt format"),
    Mark("<|START_RESPONSE|>", "Cohere docs, prompt format"),
    Mark("<|END_RESPONSE|>", "Cohere docs, prompt format"),
    Mark("<|end▁of▁sentence|>", "DeepSeek model cards, with bars of another kind"),
    Mark("<|end_of_sentence|>", "DeepSeek model cards, with bars of another kind"),
    Mark("<s>", "Mistral docs, tokenization: control tokens"),
    Mark("[|endofturn|]", "EXAONE model cards, chat template"),
    Mark("[|assistant|]", "EXAONE model cards, chat template"),
    Mark("[e~[", "MiniMax-M2 model card, chat template"),
    Mark("<|stop|>", "MeetKai/functionary README, prompt templates v2"),
    Mark("<|recipient|>all\n<|content|>", "MeetKai/functionary README, v2"),
    Mark("<|begin_of_solution|>", "NovaSky-AI/SkyThought, system prompt"),
    Mark("<|end_of_solution|>", "NovaSky-AI/SkyThought, system prompt"),
)
"""What a template writes around a turn, and some servers leave in the text."""

_KNOWN: Final = "|".join(re.escape(token.text) for token in CONTROL_TOKENS)
_MARKUP: Final = re.compile(
    r"(?:<[|｜][^<>]{0,80}>?|</?[A-Za-z_][\w:]{0,40}>|\[/?[A-Z][A-Z_]{2,30}\]"
    rf"|<\|?$|{_KNOWN})\s*"
)
"""Any token of a template, known or not: no tool's name may hold one."""


def bare_name(sent: str) -> tuple[str, str]:
    """The name without what clings to it, and the control tokens that were cut off.

    Tokens before the name are dropped; at the first one behind it the name ends, with
    all that follows. Spaces and known prefixes are dropped too, and nothing is guessed.
    """
    text, at = sent.strip(), 0
    while before := _MARKUP.match(text, at):
        at = before.end()
    behind = _MARKUP.search(text, at)
    end = behind.start() if behind else len(text)
    cut = " … ".join(part for part in (text[:at].strip(), text[end:]) if part)
    return _without_prefixes(text[at:end]), cut


def plain_name(name: str) -> str:
    """The bare name in small letters, to find the tool that is meant."""
    return bare_name(name)[0].lower()


def _without_prefixes(name: str) -> str:
    at, before = 0, -1
    lowered = name.lower()
    while before != at:
        before = at
        while at < len(name) and name[at].isspace():
            at += 1
        for prefix in PREFIXES:
            if lowered.startswith(prefix.text, at):
                at += len(prefix.text)
    return name[at:].strip()
