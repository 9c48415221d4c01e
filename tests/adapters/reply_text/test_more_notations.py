"""Notations of single models, quotations of other kinds, and what stands between."""

from __future__ import annotations

import json

import pytest

from mingraph_lite.messages import ToolCall
from tests.adapters.models import openai
from tests.adapters.reply_text.test_notations import (
    CALL,
    MENU,
    OSLO,
    ROME,
    TO_OSLO,
    TO_ROME,
    in_every_way,
)
from tests.adapters.wire import completion

BOTH = (TO_OSLO, TO_ROME)


def as_json(text: str, reason: str = "stop") -> tuple[str, tuple[ToolCall, ...]]:
    reply = completion({"content": text}, reason)
    message = openai(tools_as="json").parse(reply, MENU).message
    return message.content, message.tool_calls


DSML = (
    '<{b}DSML{b}function_calls>\n<{b}DSML{b}invoke name="temperature">\n'
    '<{b}DSML{b}parameter name="town" string="true">Oslo</{b}DSML{b}parameter>\n'
    '<{b}DSML{b}parameter name="days" string="false">3</{b}DSML{b}parameter>\n'
    "</{b}DSML{b}invoke>\n</{b}DSML{b}function_calls>"
)
FOR_DAYS = ToolCall("temperature", {"town": "Oslo", "days": 3}, id="call_1")
ARGUMENTS = '{"town": "Oslo"}'
GLM = "<arg_key>town</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"


# H01: one text for each way to write a call that some model has.
@pytest.mark.parametrize("as_action", [False, True], ids=["native", "json"])
@pytest.mark.parametrize(
    ("text", "left", "calls"),
    [
        (DSML.format(b="｜"), "", (FOR_DAYS,)),
        (DSML.format(b="|"), "", (FOR_DAYS,)),
        (f"Hm.\n\n{DSML.format(b='｜')}<｜end▁of▁sentence｜>", "Hm.", (FOR_DAYS,)),
        (
            "<|tool_calls_begin|><|tool_call_begin|>temperature<|tool_sep|>"
            f"{ARGUMENTS}<|tool_call_end|><|tool_calls_end|>",
            "",
            (TO_OSLO,),
        ),
        (
            "<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>temperature\n"
            f"```json\n{ARGUMENTS}\n```<|tool▁call▁end|><|tool▁calls▁end|>",
            "",
            (TO_OSLO,),
        ),
        (
            f"function<｜tool▁sep｜>temperature\n```json\n{ARGUMENTS}\n```"
            "<｜tool▁call▁end｜>",
            "",
            (TO_OSLO,),
        ),
        (f"<tool_call>temperature<tool_sep>\n{GLM}", "", (TO_OSLO,)),
        (
            f"<tool_calls>\n<tool_call>temperature<tool_sep>\n{GLM}\n</tool_calls>",
            "",
            (TO_OSLO,),
        ),
        (f"<tool_calls><tool_call>{OSLO}</tool_call></tool_calls>", "", (TO_OSLO,)),
        (f"<tool_call>\n{OSLO}\n<tool_call>", "", (TO_OSLO,)),
        (
            "<function=temperature>\n<parameter=town>\nOslo\n</parameter>\n"
            "</function>\n</tool_call>",
            "",
            (TO_OSLO,),
        ),
        (f"<function(temperature)>{ARGUMENTS}</function>", "", (TO_OSLO,)),
        (f"<function/temperature>{ARGUMENTS}</function>", "", (TO_OSLO,)),
        (f'<function name="temperature">{ARGUMENTS}</function>', "", (TO_OSLO,)),
        (f"<function=temperature,{ARGUMENTS}</function>", "", (TO_OSLO,)),
        (f"<tools>\n{OSLO}\n</tools>", "", (TO_OSLO,)),
        (f"<longcat_tool_call>{OSLO}</longcat_tool_call>", "", (TO_OSLO,)),
        (f"functools[{OSLO}, {ROME}]", "", BOTH),
        (f"Action: ```json\n[{OSLO}]\n```", "", (TO_OSLO,)),
        (
            '<|tool_call>call:temperature{town:<|"|>Oslo<|"|>}<tool_call|>',
            "",
            (TO_OSLO,),
        ),
        (
            '```tool_code\nprint(temperature(town="Oslo"))\n'
            'temperature(town="Rome")\n```',
            "",
            BOTH,
        ),
        (f"```tool_call\n{OSLO}\n```", "", (TO_OSLO,)),
        (
            f"<|from|>assistant\n<|recipient|>temperature\n<|content|>{ARGUMENTS}"
            "<|stop|>",
            "",
            (TO_OSLO,),
        ),
        (
            f" to=functions.temperature<|channel|>commentary <|constrain|>json"
            f"<|message|>{ARGUMENTS}<|call|>",
            "",
            (TO_OSLO,),
        ),
        (f"commentary to=functions.temperature json{ARGUMENTS}", "", (TO_OSLO,)),
        (f"{OSLO}\n</tool_call>", "", (TO_OSLO,)),
        (f'{{"tool_calls": [{OSLO}]}}', "", (TO_OSLO,)),
        (f"{CALL}[|endofturn|]", "", (TO_OSLO,)),
        (f"I look. {CALL} It's cold?", "I look. It's cold?", (TO_OSLO,)),
        (f"a {CALL}b", "a b", (TO_OSLO,)),
    ],
)
def test_H01_a_call_in_the_words_of_one_model(
    text: str, left: str, calls: tuple[ToolCall, ...], as_action: bool
) -> None:
    if as_action:
        assert as_json(text) == (left, calls)
    else:
        message = in_every_way(text).message
        assert (message.content, message.tool_calls) == (left, calls)


# H01: no arguments at all; the name alone counts only where it is on the menu.
@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>{name}</tool_call>",
        "[TOOL_CALLS]{name}",
        "[TOOL_CALLS]{name}[ARGS]",
        "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜><｜tool▁call▁end｜>",
        "<|channel|>commentary to=functions.{name}<|message|><|call|>",
    ],
)
def test_H01_a_call_without_arguments(text: str) -> None:
    message = in_every_way(text.format(name="temperature")).message
    want = (ToolCall("temperature", {}, id="call_1"),)
    assert (message.content, message.tool_calls) == ("", want)
    assert in_every_way(text.format(name="so")).message.tool_calls == ()


MENU_ENTRY = json.dumps(MENU[0])


# H01: what is quoted, or only looks like a call, stays text; with JSON actions too.
@pytest.mark.parametrize("as_action", [False, True], ids=["native", "json"])
@pytest.mark.parametrize(
    "text",
    [
        f"On écrit « {CALL} » alors.",
        f"You write “ {CALL} ” then.",
        f"写「{CALL}」。",
        f"> {CALL}\n\nis a call.",
        f"1. > {CALL}\n\nis a call.",
        f"Write `{CALL}` to call.",
        f"So:\n```xml\n{CALL}\n```\n",
        "Put it between <tool_call> and </tool_call> please.",
        f"<tools>{MENU_ENTRY}</tools>",
        MENU_ENTRY,
        '```tool_code\nlook(town="Oslo")\n```',
        "```tool_code\nprint(1)\n```",
        ">>> print({})",
        "analysis of the towns: Oslo is colder.",
        "Here is my thought process: first Oslo, then Rome.",
        "Write `assistantfinal` there.",
        "It costs <s>20</s>",
    ],
)
def test_H01_what_is_quoted_stays_text(text: str, as_action: bool) -> None:
    if as_action:
        assert as_json(text) == (text, ())
    else:
        message = in_every_way(text).message
        assert (message.content, message.tool_calls) == (text, ())


# A15: thoughts whose tokens or tags look another way.
@pytest.mark.parametrize(
    ("text", "reason", "left", "thought"),
    [
        ('<think type="deep">a</think>Oslo.', "stop", "Oslo.", "a"),
        ("<THINK\n>a</THINK>Oslo.", "stop", "Oslo.", "a"),
        ("analysisI look.assistantfinalOslo.", "stop", "Oslo.", "I look."),
        ("We look.assistantfinalOslo.", "stop", "Oslo.", "We look."),
        ("assistantfinalOslo.", "stop", "Oslo.", None),
        (
            "analysisA.assistantanalysisB.assistantfinalOslo.",
            "stop",
            "Oslo.",
            "A.\nB.",
        ),
        ("analysisWe need to look", "length", "", "We need to look"),
        ("Here's my thought process: a", "length", "", "a"),
    ],
)
def test_A15_thoughts_of_other_looks(
    text: str, reason: str, left: str, thought: str | None
) -> None:
    response = in_every_way(text, reason)
    assert (response.message.content, response.reasoning) == (left, thought)


def test_A15_thoughts_and_call_of_a_text_without_its_tokens() -> None:
    text = (
        f"analysisI look.assistantcommentary to=functions.temperature json{ARGUMENTS}"
    )
    response = in_every_way(text)
    assert (response.reasoning, response.message.tool_calls) == ("I look.", (TO_OSLO,))


# H01: a call in a tag that Python would read and JSON does not is told to the model.
def test_H01_a_call_in_single_quotes_is_answered() -> None:
    text = OSLO.replace('"', "'")
    for call in (
        in_every_way(f"<tool_call>{text}</tool_call>").message.tool_calls[0],
        as_json(text)[1][0],
    ):
        assert (call.name, dict(call.arguments)) == ("temperature", {})
        assert call.problem is not None


PROBLEM = (
    "the reply holds more than one action. Send one, and the next when its result is "
    "there."
)


# H19: one action in other words is read; an answer beside an action is refused.
@pytest.mark.parametrize(
    ("text", "left", "problem"),
    [
        ('{"name": "temperature", "parameters": {"town": "Oslo"}}', "", None),
        ('{"tool": "temperature", "args": {"town": "Oslo"}}', "", None),
        ('{"action": "temperature", "action_input": {"town": "Oslo"}}', "", None),
        (f'{{"type": "function", "function": {OSLO}}}', "", None),
        ('[temperature(town="Oslo")]', "", None),
        (f"Of {{Oslo, Rome}} and [1]: {OSLO}", "", None),
        (f"```JSON\n{OSLO}\n```", "", None),
        (f'{{"answer": "warm"}}\n{OSLO}', "", PROBLEM),
        (f'{OSLO}\n{{"answer": "warm"}}', "", PROBLEM),
        (f'{{"tool_calls": [{OSLO}, {ROME}]}}', "", PROBLEM),
    ],
)
def test_H19_an_action_in_other_words(
    text: str, left: str, problem: str | None
) -> None:
    content, (call,) = as_json(text)
    assert (content, call.name, call.problem) == (left, "temperature", problem)
    assert problem or dict(call.arguments) == {"town": "Oslo"}


# H19: which key holds the answer, and an answer that says nothing.
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"name": null, "answer": "x"}', "x"),
        ('{"Answer": "x"}', "x"),
        ('{"name": "answer", "arguments": {"answer": "x"}}', "x"),
        ('{"name": "answer", "arguments": "x"}', "x"),
        ('{"answer": "x", "arguments": {"a": 1}}', "x"),
        ('{"answer": null}', ""),
        ('{"answer": [1, 2]}', "[1, 2]"),
        ('{"answer": "x"', "x"),
        (f'{{"answer": {json.dumps(OSLO)}}}', OSLO),
    ],
)
def test_H19_an_answer_under_other_keys(text: str, left: str) -> None:
    assert as_json(text) == (left, ())
