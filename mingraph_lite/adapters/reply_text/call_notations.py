"""Rows of the table: how calls are written."""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.reply_text.call_texts import (
    read_json_calls,
    read_named_calls,
    read_python_calls,
    read_tagged_calls,
)
from mingraph_lite.adapters.reply_text.model_calls import (
    read_gemma_calls,
    read_keyed_calls,
)
from mingraph_lite.adapters.reply_text.notation import Notation

__all__: Final = ["CALL_ROWS"]

_JSON: Final = '{"name": "temperature", "arguments": {"town": "Oslo"}}'
_VLLM: Final = "vLLM docs, Tool Calling"


def _spelled(*tokens: str) -> tuple[str, ...]:
    """DeepSeek's tokens as its template writes them, and in two ways of plain bars."""
    barred = [token.replace("｜", "|") for token in tokens]
    return (*tokens, *barred, *(token.replace("▁", "_") for token in barred))


CALL_ROWS: Final = (
    Notation(
        "<tool_call>",
        f"Qwen docs, function calling: Hermes; {_VLLM}: glm45",
        "call",
        (
            "<tool_call>",
            "<|tool_call_start|>",
            "<function_call>",
            "<seed:tool_call>",
            "<longcat_tool_call>",
        ),
        (
            "</tool_call>",
            "<|tool_call_end|>",
            "</function_call>",
            "</seed:tool_call>",
            "</longcat_tool_call>",
        ),
        f"<tool_call>{_JSON}</tool_call>",
        (read_json_calls, read_tagged_calls, read_python_calls),
    ),
    Notation(
        "<function=…>",
        "Llama docs, prompt format 3.1: user-defined functions",
        "call",
        ("<function=", "<function name=", "<function(", "<function/"),
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
        _spelled(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁call▁begin｜>",
            "function<｜tool▁sep｜>",
        ),
        _spelled("<｜tool▁calls▁end｜>", "<｜tool▁call▁end｜>"),
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>temperature<｜tool▁sep｜>"
        '{"town": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        (read_named_calls,),
    ),
    Notation(
        "DeepSeek's DSML",
        "DeepSeek model cards, encoding of calls",
        "call",
        _spelled(
            "<｜DSML｜function_calls>", "<｜DSML｜tool_calls>", "<｜DSML｜invoke name="
        ),
        _spelled(
            "</｜DSML｜function_calls>", "</｜DSML｜tool_calls>", "</｜DSML｜invoke>"
        ),
        '<｜DSML｜function_calls><｜DSML｜invoke name="temperature"><｜DSML｜parameter '
        'name="town" string="true">Oslo</｜DSML｜parameter></｜DSML｜invoke>'
        "</｜DSML｜function_calls>",
        (read_tagged_calls,),
    ),
    Notation(
        "Kimi's calls",
        f"{_VLLM}: kimi_k2",
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
    Notation(
        "Gemma's calls",
        "FunctionGemma docs, formatting and best practices",
        "call",
        ("<start_function_call>", "<|tool_call>"),
        ("<end_function_call>", "<tool_call|>"),
        "<start_function_call>call:temperature{town:<escape>Oslo<escape>}"
        "<end_function_call>",
        (read_gemma_calls, read_json_calls, read_tagged_calls, read_python_calls),
    ),
    Notation(
        "<|tools_prefix|>",
        "Apertus model card, chat template",
        "call",
        ("<|tools_prefix|>",),
        ("<|tools_suffix|>",),
        '<|tools_prefix|>[{"temperature": {"town": "Oslo"}}]<|tools_suffix|>',
        (read_json_calls, read_keyed_calls),
    ),
    Notation(
        "a fence of its own",
        "Gemma docs, meme generator: function calls explained",
        "call",
        ("```tool_code", "```tool_call"),
        ("```",),
        '```tool_code\ntemperature(town="Oslo")\n```',
        (read_json_calls, read_python_calls),
        needs_menu=True,
    ),
    Notation(
        "<tools>",
        "vllm-project/vllm#32926",
        "call",
        ("<tools>", "<tool>"),
        ("</tools>", "</tool>"),
        f"<tools>{_JSON}</tools>",
        (read_json_calls,),
        needs_menu=True,
    ),
    Notation(
        "functools",
        "Phi model cards, tool use",
        "call",
        ("functools[{", "functools [{"),
        (),
        f"functools[{_JSON}]",
        (read_json_calls,),
        needs_menu=True,
        keeps=2,
    ),
    Notation(
        "Action:",
        "Cohere docs, Command R: tool use prompt format",
        "call",
        ("Action: ```json", "Action:```json", "Action:\n```json"),
        ("```",),
        'Action: ```json\n[{"tool_name": "temperature", "parameters": '
        '{"town": "Oslo"}}]\n```',
        (read_json_calls,),
        needs_menu=True,
    ),
    Notation(
        "✿FUNCTION✿",
        "Qwen docs, function calling: other templates",
        "call",
        ("✿FUNCTION✿:",),
        ("✿RESULT✿", "✿RETURN✿"),
        '✿FUNCTION✿: temperature\n✿ARGS✿: {"town": "Oslo"}',
        (read_named_calls,),
    ),
    Notation(
        "Functionary's recipient",
        "MeetKai/functionary README, prompt templates v2 and v3.2",
        "call",
        ("<|from|>assistant\n<|recipient|>", "<|recipient|>", ">>>"),
        ("<|stop|>",),
        '>>>temperature\n{"town": "Oslo"}',
        (read_named_calls,),
        needs_menu=True,
    ),
)
