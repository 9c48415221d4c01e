"""Rows of the table: how thoughts are marked, and harmony's channels."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.reply_text.call_texts import read_named_calls
from mingraph_lite.adapters.reply_text.notation import Notation

__all__: Final = ["THOUGHT_ROWS"]


def _thought(
    begins: str, ends: str, source: str, *, closes_alone: bool = True
) -> Notation:
    example = f"{begins}18 is C{ends}Oslo is colder."
    return Notation(
        begins, source, "thought", (begins,), (ends,), example, (), False, closes_alone
    )


_HARMONY: Final = "OpenAI cookbook, harmony response format"
_CHANNEL: Final = ("<|start|>assistant<|channel|>", "<|channel|>")


def _on_channel(rest: str, after: str = "") -> tuple[str, ...]:
    return tuple(f"{after}{channel}{rest}" for channel in _CHANNEL)


THOUGHT_ROWS: Final = (
    _thought("<think>", "</think>", "huggingface/smolagents#921"),
    _thought("<thinking>", "</thinking>", "antoinezambelli/forge#113"),
    _thought("<thought>", "</thought>", "EXAONE Deep model card"),
    _thought("<reasoning>", "</reasoning>", "OpenRouter docs, reasoning tokens"),
    _thought("<seed:think>", "</seed:think>", "Seed-OSS model card"),
    _thought("[THINK]", "[/THINK]", "Mistral docs, reasoning: prompt format"),
    _thought("◁think▷", "◁/think▷", "Moonshot docs, thinking models"),
    _thought("<|START_THINKING|>", "<|END_THINKING|>", "Cohere docs, prompt format"),
    _thought(
        "<|begin_of_thought|>",
        "<|end_of_thought|>",
        "NovaSky-AI/SkyThought, system prompt",
    ),
    _thought("<|thinking|>", "<|/thinking|>", "GLM model cards, chat template"),
    _thought("<longcat_think>", "</longcat_think>", "LongCat model card"),
    Notation(
        "Granite's words",
        "vLLM docs, Reasoning Outputs: granite",
        "thought",
        ("Here is my thought process:", "Here's my thought process:"),
        ("Here is my response:", "Here's my response:"),
        "Here is my thought process: 18 is C Here is my response: Oslo is colder.",
        needs_end=True,
    ),
    _thought("<unused94>", "<unused95>", "MedGemma model card", closes_alone=False),
    _thought("<|channel>thought", "<channel|>", "Gemma docs, thinking mode"),
    Notation(
        "harmony's analysis",
        _HARMONY,
        "thought",
        _on_channel("analysis<|message|>", "<|end|>")
        + _on_channel("analysis<|message|>"),
        ("<|end|>", "<|return|>", "<|start|>", "<|channel|>"),
        "<|channel|>analysis<|message|>18 is C<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Oslo is colder.<|return|>",
        anywhere=True,
    ),
    Notation(
        "harmony's call",
        _HARMONY,
        "call",
        _on_channel("commentary to=", "<|end|>")
        + _on_channel("analysis to=", "<|end|>")
        + _on_channel("commentary to=")
        + _on_channel("analysis to=")
        + ("<|end|><|start|>assistant to=", "<|start|>assistant to=")
        + ("to=functions.",),
        ("<|call|>", "<|end|>", "<|return|>"),
        "<|channel|>commentary to=functions.temperature "
        '<|constrain|>json<|message|>{"town": "Oslo"}<|call|>',
        (read_named_calls,),
    ),
    Notation(
        "harmony's final",
        _HARMONY,
        "control",
        _on_channel("final<|message|>", "<|end|>")
        + _on_channel("commentary<|message|>", "<|end|>")
        + _on_channel("final<|message|>")
        + _on_channel("commentary<|message|>"),
        (),
        "<|channel|>final<|message|>Oslo is colder.<|return|>",
        anywhere=True,
    ),
)
