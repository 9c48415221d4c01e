"""What a reply's text may hide: thoughts, calls and control tokens.

A server without a parser for its model hands on what the model wrote. `NOTATIONS` says
how each kind looks; `read_text` takes it off and gives what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mingraph_lite.adapters.reply_text.call_texts import (
    Reader,
    read_json_calls,
    read_named_calls,
    read_python_calls,
    read_tagged_calls,
)
from mingraph_lite.schema.tool_names import CONTROL_TOKENS

__all__: Final = ["CALLS", "NOTATIONS", "THOUGHTS", "Notation", "marks", "one_of"]


@dataclass(frozen=True, slots=True)
class Notation:
    """One way to write into a text what is no answer.

    A thought is looked for at the start of a text only, since an answer may speak of
    the tag; `anywhere` is for tokens of which no answer speaks unquoted. A call counts
    wherever it stands unquoted; the readers are tried in turn. Where `ends` is
    missing, a thought goes to the end of the text, a call as far as it can be read.
    """

    name: str
    source: str
    kind: Literal["thought", "call", "control"]
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    example: str
    readers: tuple[Reader, ...] = ()
    anywhere: bool = False
    closes_alone: bool = False  # templates write the opening tag themselves


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


_JSON: Final = '{"name": "temperature", "arguments": {"town": "Oslo"}}'
_TAGS: Final = "<parameter=town>Oslo</parameter></function>"
_VLLM: Final = "vLLM docs, Tool Calling"

NOTATIONS: Final = (
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
        + ("<|end|><|start|>assistant to=", "<|start|>assistant to="),
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
    Notation(
        "<tool_call>",
        "Qwen docs, function calling: Hermes; vLLM docs, Tool Calling: glm45",
        "call",
        ("<tool_call>", "<|tool_call_start|>", "<|tool_call>", "<function_call>"),
        ("</tool_call>", "<|tool_call_end|>", "<tool_call|>", "</function_call>"),
        f"<tool_call>{_JSON}</tool_call>",
        (read_json_calls, read_tagged_calls, read_python_calls),
    ),
    Notation(
        "<function=…>",
        "Llama docs, prompt format 3.1: user-defined functions",
        "call",
        ("<function=",),
        ("</function>",),
        '<function=temperature>{"town": "Oslo"}</function>',
        (read_tagged_calls,),
    ),
    Notation(
        "<invoke>",
        f"{_VLLM}: minimax_m1",
        "call",
        (
            "<minimax:tool_call>",
            "<function_calls>",
            "<tool_calls>",
            "<TOOLCALL>",
            "<invoke name=",
        ),
        (
            "</minimax:tool_call>",
            "</function_calls>",
            "</tool_calls>",
            "</TOOLCALL>",
            "</invoke>",
        ),
        '<minimax:tool_call><invoke name="temperature"><parameter name="town">Oslo'
        "</parameter></invoke></minimax:tool_call>",
        (read_json_calls, read_tagged_calls, read_python_calls),
    ),
    Notation(
        "<|python_tag|>",
        "Llama docs, prompt format 3.1: JSON based tool calling",
        "call",
        ("<|python_tag|>",),
        ("<|eom_id|>", "<|eot_id|>"),
        '<|python_tag|>{"name": "temperature", "parameters": {"town": "Oslo"}}',
        (read_json_calls, read_python_calls),
    ),
    Notation(
        "Llama 4's Python",
        "Llama docs, prompt format 4: zero-shot function calling",
        "call",
        ("<|python_start|>",),
        ("<|python_end|>",),
        '<|python_start|>[temperature(town="Oslo")]<|python_end|>',
        (read_json_calls, read_python_calls),
    ),
    Notation(
        "[TOOL_CALLS]",
        "Mistral docs, tokenization: tool calling",
        "call",
        ("[TOOL_CALLS]",),
        ("[/TOOL_CALLS]", "</s>"),
        f"[TOOL_CALLS][{_JSON}]",
        (read_json_calls, read_named_calls),
    ),
    Notation(
        "[TOOL_REQUEST]",
        "LM Studio docs, Tool Use: default tool use support",
        "call",
        ("[TOOL_REQUEST]",),
        ("[END_TOOL_REQUEST]",),
        f"[TOOL_REQUEST]{_JSON}[END_TOOL_REQUEST]",
        (read_json_calls,),
    ),
    Notation(
        "DeepSeek's calls",
        "DeepSeek model cards, tool call",
        "call",
        (
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁call▁begin｜>",
        ),
        ("<｜tool▁calls▁end｜>", "<｜tool▁call▁end｜>"),
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>temperature<｜tool▁sep｜>"
        '{"town": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        (read_named_calls,),
    ),
    Notation(
        "Kimi's calls",
        "vLLM docs, Tool Calling: kimi_k2",
        "call",
        (
            "<|tool_calls_section_begin|><|tool_call_begin|>",
            "<|tool_calls_section_begin|>",
            "<|tool_call_begin|>",
        ),
        ("<|tool_calls_section_end|>", "<|tool_call_end|>"),
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.temperature:0"
        '<|tool_call_argument_begin|>{"town": "Oslo"}<|tool_call_end|>'
        "<|tool_calls_section_end|>",
        (read_named_calls,),
    ),
    Notation(
        "<|tool_call|>",
        f"{_VLLM}: granite; Phi model cards",
        "call",
        ("<|tool_call|>", "<|START_ACTION|>", "<|action_start|><|plugin|>"),
        ("<|/tool_call|>", "</|tool_call|>", "<|END_ACTION|>", "<|action_end|>"),
        f"<|tool_call|>[{_JSON}]<|/tool_call|>",
        (read_json_calls,),
    ),
    *(
        Notation(
            *(token.text, token.source, "control", (token.text,), ()),
            f"Oslo is colder.{token.text}",
        )
        for token in CONTROL_TOKENS
    ),
)
"""What is taken off a text, row by row.

A thought becomes reasoning, and nothing in it is run. A call is run, whether or not
its tool is on the menu: the loop says what there is. A control token is dropped at the
start and the end of a text. All of it stays text inside of a quotation: backticks, a
fenced block, or quotation marks.
"""

THOUGHTS: Final = tuple(row for row in NOTATIONS if row.kind == "thought")
CALLS: Final = tuple(row for row in NOTATIONS if row.kind == "call")


def one_of(texts: Iterable[str]) -> str:
    """A pattern for any of these texts, the longest that fits."""
    return "|".join(map(re.escape, sorted({*texts}, key=len, reverse=True)))


def marks(rows: Sequence[Notation]) -> re.Pattern[str]:
    """Finds where something of these rows begins; the group's number is the row's."""
    groups = (f"({one_of(row.begins)})" for row in rows)
    return re.compile("|".join(groups), re.IGNORECASE)
