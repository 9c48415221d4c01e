"""What a reply's text may hide: what is taken off, what is run, what stays text."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters.reply_text.notations import NOTATIONS, SIGNS, Notation
from mingraph_lite.adapters.reply_text.read_text import read_text
from mingraph_lite.adapters.streams import DeltaRelay
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import ToolCall
from mingraph_lite.observers import ConsoleLogger
from mingraph_lite.views.frames import as_text, frames
from tests.adapters.models import (
    CUT,
    QUESTION,
    Heard,
    agent_answers,
    ollama,
    only_call,
    openai,
)
from tests.adapters.wire import (
    answering,
    as_lines,
    asking,
    calling,
    chunk,
    completion,
    in_turn,
    streaming,
)
from tests.lines import grows_with_its_input

TOWN = {"type": "string"}
MENU = [
    {
        "type": "function",
        "function": {
            "name": "temperature",
            "description": "How warm it is.",
            "parameters": {
                "type": "object",
                "properties": {
                    "town": TOWN,
                    "days": {"type": "integer"},
                    "units": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    }
]
OSLO = '{"name": "temperature", "arguments": {"town": "Oslo"}}'
ROME = '{"name": "temperature", "arguments": {"town": "Rome"}}'
CALL = f"<tool_call>{OSLO}</tool_call>"
ONE = (
    "the reply holds more than one action. Send one, and the next when its result is "
    "there."
)
TO_OSLO = ToolCall("temperature", {"town": "Oslo"}, id="call_1")
TO_ROME = ToolCall("temperature", {"town": "Rome"}, id="call_2")


def read(text: Any, reason: str = "stop", menu: Any = MENU, **beside: Any) -> Any:
    return openai().parse(completion({"content": text, **beside}, reason), menu)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def in_every_way(text: str, reason: str = "stop") -> LLMResponse:
    """One reply whole and streamed, of both adapters: they agree, and on what is heard.

    What was heard since the last attempt is the text of the response, but for spaces
    that stood before what was taken off.
    """
    want = read(text, reason)
    message = {"message": {"content": text}, "done": True, "done_reason": reason}
    assert ollama(answering(message)).generate(QUESTION, MENU) == want
    for size in (1, 3, 7, len(text) or 1):
        chunks = [chunk({"content": piece}) for piece in pieces(text, size)]
        lines = [{"message": {"content": piece}} for piece in pieces(text, size)]
        last = {"message": {}, "done": True, "done_reason": reason}
        for model in (
            openai(streaming(*chunks, chunk({}, reason))),
            ollama(as_lines(*lines, last)),
        ):
            heard = Heard()
            assert model.generate(QUESTION, MENU, on_text_delta=heard) == want
            said = want.message.content
            assert heard.text == said or heard.text.rstrip() == said
    return want


LEFT = {"thought": "Oslo is colder.", "call": "", "control": "Oslo is colder."}


@pytest.mark.parametrize("row", NOTATIONS, ids=lambda row: row.name)
def test_each_mark_of_the_table_has_one_of_the_signs(row: Notation) -> None:
    without = [m for m in (*row.begins, *row.ends) if not set(m) & set(SIGNS)]
    assert without == []


# H01, A15: each notation of the table is taken off, and what it holds is not lost.
@pytest.mark.parametrize("row", NOTATIONS, ids=lambda row: row.name)
def test_H01_A15_each_row_of_the_table_is_read_as_it_says(row: Notation) -> None:
    response = in_every_way(row.example)
    calls = (TO_OSLO,) if row.kind == "call" else ()
    assert (response.message.content, response.message.tool_calls) == (
        LEFT[row.kind],
        calls,
    )
    assert response.reasoning == ("18 is C" if row.kind == "thought" else None)
    assert row.source
    if row.kind == "call":
        note = f"The call of temperature came as text, in the notation {row.name}."
        assert response.notes == (note,)


BAR = "｜"
DEEPSEEK = (
    f"<{BAR}tool▁calls▁begin{BAR}>"
    + "\n".join(
        f"<{BAR}tool▁call▁begin{BAR}>function<{BAR}tool▁sep{BAR}>temperature\n"
        f'```json\n{{"town": "{town}"}}\n```<{BAR}tool▁call▁end{BAR}>'
        for town in ("Oslo", "Rome")
    )
    + f"<{BAR}tool▁calls▁end{BAR}><{BAR}end▁of▁sentence{BAR}>"
)
XML = "<function=temperature>\n<parameter=town>\nOslo\n</parameter>\n</function>"
HARMONY = (
    '<|channel|>analysis<|message|>say {"town": 1}<|end|><|start|>assistant'
    "<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant<|channel|>"
    "commentary to=functions.temperature<|channel|>commentary<|message|>"
    '{"town": "Oslo"}<|call|>'
)


# H01: a call in any notation is run; the text around a tagged one stays.
@pytest.mark.parametrize(
    ("text", "left", "calls"),
    [
        (f"Let me look.\n{CALL}", "Let me look.", (TO_OSLO,)),
        (f"{CALL}\nThen I answer.", "Then I answer.", (TO_OSLO,)),
        (f"{CALL}\n<tool_call>{ROME}</tool_call>", "", (TO_OSLO, TO_ROME)),
        (f"<tool_call>{OSLO}\n{ROME}</tool_call>", "", (TO_OSLO, TO_ROME)),
        (f"<tool_call>[{OSLO}, {ROME}]</tool_call>", "", (TO_OSLO, TO_ROME)),
        (f"Hm. <tool_call>\n{OSLO}", "Hm.", (TO_OSLO,)),
        (f"<tool_call>\n```json\n{OSLO}\n```\n</tool_call>", "", (TO_OSLO,)),
        (f"<tool_call>\n{XML}\n</tool_call>", "", (TO_OSLO,)),
        (XML, "", (TO_OSLO,)),
        (
            "<tool_call>temperature\n<arg_key>town</arg_key>\n"
            "<arg_value>Oslo</arg_value>\n</tool_call>",
            "",
            (TO_OSLO,),
        ),
        (f"<|python_tag|>{OSLO}; {ROME}<|eom_id|>", "", (TO_OSLO, TO_ROME)),
        ('<|python_tag|>temperature.call(town="Oslo")', "", (TO_OSLO,)),
        (f"[TOOL_CALLS][{OSLO}, {ROME}]</s>", "", (TO_OSLO, TO_ROME)),
        (
            '[TOOL_CALLS]temperature[ARGS]{"town": "Oslo"}'
            '[TOOL_CALLS]temperature[ARGS]{"town": "Rome"}',
            "",
            (TO_OSLO, TO_ROME),
        ),
        (DEEPSEEK, "", (TO_OSLO, TO_ROME)),
        (HARMONY, "Let me look.", (TO_OSLO,)),
        (f"```json\n{OSLO}\n```", "", (TO_OSLO,)),
        (f"{OSLO}<|im_end|>", "", (TO_OSLO,)),
        (f"[{OSLO}]", "", (TO_OSLO,)),
        ('[temperature(town="Oslo")]', "", (TO_OSLO,)),
        (
            '{"type": "function", "function": {"name": "functions.Temperature", '
            '"parameters": {"town": "Oslo"}}}',
            "",
            (ToolCall("Temperature", {"town": "Oslo"}, id="call_1"),),
        ),
        (f'Say "<tool_call>" then: {CALL}', 'Say "<tool_call>" then:', (TO_OSLO,)),
        (
            f"<tool_call>{OSLO.replace('Oslo', '</tool_call>')}</tool_call>",
            "",
            (ToolCall("temperature", {"town": "</tool_call>"}, id="call_1"),),
        ),
    ],
)
def test_H01_a_call_in_the_text_is_a_call(text: str, left: str, calls: Any) -> None:
    message = in_every_way(text).message
    assert (message.content, message.tool_calls) == (left, calls)


# H01: what is quoted, or names no tool of the menu without a tag, stays text.
@pytest.mark.parametrize(
    "text",
    [
        f"Qwen writes `{CALL}` for it.",
        f"Qwen writes ``{CALL}``.",
        f"Like this:\n```\n{CALL}\n```\nClear?",
        f"Like this:\n~~~xml\n{CALL}\n~~~",
        f'Write "{CALL}" to call.',
        f"Write “{CALL}” to call.",
        f'He said "first {CALL} and then more" to me.',
        '{"name": "Oslo", "arguments": {}}',
        f"The tool takes {OSLO}",
        f"{OSLO} is what I would send.",
        '{"name": "temperature", "description": "x", "parameters": {"a": {}}}',
        '{"name": "temperature"}',
        f'[{OSLO}, {{"name": "Oslo", "arguments": {{}}}}]',
        '[temperature("Oslo")]',
        '[weather(town="Oslo")]',
        "[1] Oslo is cold.",
        '{"answer": "<tool_call> and </think> are tags"}',
        "The <tool_call> tag begins a call.",
        "The <|im_end|> token ends a turn.",
        "<s>old</s>",
        "  Oslo \n",
    ],
)
def test_H01_what_is_no_call_stays_as_it_was(text: str) -> None:
    response = in_every_way(text)
    assert (response.message.content, response.message.tool_calls) == (text, ())


# H01, A05: what cannot be read, or is a bare list, is a slip that says so.
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"[{OSLO}, {ROME}]", ONE),
        (f"{OSLO}\n{ROME}", ONE),
        ('[temperature(town="Oslo"), temperature(town="Rome")]', ONE),
        (f"<tool_call>{OSLO[:-9]}</tool_call>", "cannot be read"),
        (OSLO[:-4], "cannot be read"),
        ('<function=temperature><parameter=town>{"a": 1}', "cannot be read"),
        (
            f'<{BAR}tool▁call▁begin{BAR}>function<{BAR}tool▁sep{BAR}>temperature\n{{"a"',
            "cannot be read",
        ),
        (
            '<tool_call>{"name": "temperature", "arguments": {"town": 1, "town": 2}}'
            "</tool_call>",
            "twice in one object",
        ),
    ],
)
def test_H01_what_can_only_be_guessed_is_not_run(text: str, problem: str) -> None:
    response = in_every_way(text)
    call = only_call(response)
    assert (response.message.content, call.name, call.arguments) == (
        "",
        "temperature",
        {},
    )
    assert problem in (call.problem or "")


def test_H01_a_tag_without_a_name_stays_text_with_a_note() -> None:
    text = '<tool_call>{"city": {"name": "Paris"}}</tool_call>'
    response = in_every_way(text)
    assert response.message.content == text
    assert response.notes == (
        f"What begins like a call in the notation <tool_call> stays text: '{text}'.",
    )


# H01, H12: a call that was cut off in the text is a cut call, never an answer.
@pytest.mark.parametrize(
    ("text", "left", "name"),
    [
        ('<tool_call>{"na', "", "unnamed_tool"),
        (CALL, "", "temperature"),
        (f"Look. {CALL[:50]}", "Look.", "temperature"),
        (OSLO[:30], "", "temperature"),
        (f"[{OSLO[:30]}", "", "temperature"),
        ("<|channel|>commentary to=functions.temp", "", "unnamed_tool"),
    ],
)
def test_H01_a_call_that_was_cut_off_is_not_an_answer(
    text: str, left: str, name: str
) -> None:
    response = in_every_way(text, "length")
    call = only_call(response)
    assert (response.message.content, call.name, call.problem) == (left, name, CUT)


# H01: parameters between tags are what the menu says they are.
def test_H01_a_parameter_between_tags_gets_the_type_of_the_menu() -> None:
    text = (
        "<tool_call><function=temperature><parameter=town>7</parameter>"
        '<parameter=days>3</parameter><parameter=units>["C"]</parameter>'
        "</function></tool_call>"
    )
    call = only_call(in_every_way(text))
    assert call.arguments == {"town": "7", "days": 3, "units": ["C"]}


# H01: calls in their own key win; the text's call goes only where it repeats them.
@pytest.mark.parametrize(("town", "left"), [("Oslo", "Hi"), ("Rome", f"Hi {CALL}")])
def test_H01_a_call_that_came_twice_is_one(town: str, left: str) -> None:
    sent = calling("temperature", json.dumps({"town": town}))
    message = read(f"Hi {CALL}", tool_calls=[sent]).message
    call = ToolCall("temperature", {"town": town}, id="c1")
    assert (message.content, message.tool_calls) == (left, (call,))


def test_H01_the_old_key_for_one_call_is_read_whole_and_streamed() -> None:
    old = {"name": "temperature", "arguments": '{"town": "Oslo"}'}
    whole = read(None, "function_call", function_call=old)
    streamed = openai(
        streaming(
            chunk({"function_call": {"name": "temperature", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"town": '}}),
            chunk({"function_call": {"arguments": '"Oslo"}'}}, "function_call"),
        )
    ).generate(QUESTION, MENU, on_text_delta=Heard())
    assert whole == streamed
    assert whole.message.tool_calls == (TO_OSLO,)
    assert whole.notes == ("The call came under the old key 'function_call'.",)


def temperatures() -> ToolRegistry:
    tools = ToolRegistry()

    @tools.add
    def temperature(town: str = "nowhere") -> str:
        """How warm it is."""
        return f"18 in {town}"

    return tools


@pytest.mark.parametrize("tools_as", ["native", "json"])
def test_H01_the_tool_runs_and_listeners_hear_where_the_slip_came_from(
    tools_as: Any,
) -> None:
    said: list[str] = []
    replies = (completion({"content": CALL}), completion({"content": "18"}))
    model = openai(in_turn(*replies), tools_as=tools_as)
    agent = Agent(model, temperatures(), "", observers=[ConsoleLogger(said.append)])
    drawn = [as_text(frame) for frame in frames(agent, {"question": "Oslo?"})]
    note = "The call of temperature came as text, in the notation <tool_call>."
    assert f"  note: {note}" in said
    assert "  returned: 18 in Oslo" in said
    assert sum(f"note on the reply: {note}" in text for text in drawn) == 1


# A15: thoughts at the start are reasoning; what is left is the answer.
@pytest.mark.parametrize(
    ("text", "reason", "reasoning", "left"),
    [
        ("18 is C\n</think>\nOslo is colder.", "stop", "18 is C", "Oslo is colder."),
        ("18 is C[/THINK]Oslo is colder.", "stop", "18 is C", "Oslo is colder."),
        ("</think>\n\nOslo.", "stop", None, "Oslo."),
        ("\n <Think>18</Think>\n\nOslo.", "stop", "18", "Oslo."),
        ("<think>a</think><think>b</think>Oslo.", "stop", "a\nb", "Oslo."),
        ("<|im_start|>assistant\n<think>a</think>Oslo.", "stop", "a", "Oslo."),
        ("<think>18 is C and then", "length", "18 is C and then", ""),
        ("<think>18 is C and then", "stop", "18 is C and then", ""),
        ('<think></think>{"name":"get_temp"}', "stop", None, '{"name":"get_temp"}'),
        ("<think>say `</think>` here</think>O", "stop", "say `</think>` here", "O"),
        (f"<think>{CALL}</think>No.", "stop", CALL, "No."),
        (f"I could {CALL}\n</think>No.", "stop", f"I could {CALL}", "No."),
    ],
)
def test_A15_thoughts_are_taken_off_first(
    text: str, reason: str, reasoning: str | None, left: str
) -> None:
    response = in_every_way(text, reason)
    assert (response.reasoning, response.message.content) == (reasoning, left)
    assert response.message.tool_calls == ()


@pytest.mark.parametrize(
    "text",
    [
        "Write `<think>x</think>` in your template.",
        "Write <think>x</think> in your template.",
        "Close it with `</think>`.",
        'Close it with "</think>" then.',
        "```\n</think>\n```",
    ],
)
def test_A15_a_text_that_speaks_of_the_tag_is_unchanged(text: str) -> None:
    response = in_every_way(text)
    assert (response.reasoning, response.message.content) == (None, text)


# A14: reasoning in a field and in the text is not doubled, and neither is lost.
@pytest.mark.parametrize(
    ("field", "want"), [("18 is C\n", "18 is C\n"), ("Rome", "Rome\n18 is C")]
)
def test_A14_reasoning_in_a_field_and_in_the_text_counts_once(
    field: str, want: str
) -> None:
    response = read("<think>18 is C</think>Oslo.", reasoning=field)
    assert (response.reasoning, response.message.content) == (want, "Oslo.")


def test_A15_a_thought_that_shows_late_makes_what_was_heard_void() -> None:
    heard = Heard()
    chunks = ("18 is C", "\n</thi", "nk>\nOs", "lo.")
    openai(
        streaming(*(chunk({"content": c}) for c in chunks), chunk({}, "stop"))
    ).generate(QUESTION, MENU, on_text_delta=heard)
    assert (heard.attempts, heard.pieces) == (2, ["Os", "lo."])


def test_A15_text_is_heard_as_early_as_it_is_sure() -> None:
    heard = Heard()
    chunks = ("<thi", "nk>a</think>", "\nOslo", " is <", "b>cold", "</b>. {", "}")
    openai(
        streaming(*(chunk({"content": c}) for c in chunks), chunk({}, "stop"))
    ).generate(QUESTION, MENU, on_text_delta=heard)
    assert heard.pieces == ["Oslo", " is ", "<b>cold", "</b>. {", "}"]
    assert heard.attempts == 1


# H19: thoughts go first, then the action is read; a list of actions is refused.
@pytest.mark.parametrize(
    ("text", "call"),
    [
        (f'<think>I could say {{"answer":"warm"}}</think>{OSLO}', TO_OSLO),
        (f'I could say {{"answer":"warm"}}\n</think>\n{OSLO}', TO_OSLO),
        (f"<|channel|>analysis<|message|>{{}}<|end|>{OSLO}<|return|>", TO_OSLO),
        (CALL, TO_OSLO),
        (f"```json\n{OSLO}\n```", TO_OSLO),
        (f"[{OSLO}]", TO_OSLO),
        (f"[{OSLO}, {ROME}]", replace(TO_OSLO, problem=ONE)),
        (f"Both: [{OSLO}, {ROME}]", replace(TO_OSLO, problem=ONE)),
    ],
)
def test_H19_an_action_is_read_behind_thoughts_and_in_lists(
    text: str, call: ToolCall
) -> None:
    reply = completion({"content": text})
    assert only_call(openai(tools_as="json").parse(reply, MENU)) == call


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('<think>{"name": "x"}</think>{"answer": "18"}', "18"),
        ('{"answer": "18"}<|im_end|>', "18"),
        ('{"answer": "<tool_call> is a tag"}', "<tool_call> is a tag"),
        ('[{"answer": "18"}]', "18"),
        ('[{"name": "Oslo"}, {}]', '[{"name": "Oslo"}, {}]'),
    ],
)
def test_H19_an_answer_is_read_behind_thoughts_too(text: str, left: str) -> None:
    response = openai(tools_as="json").parse(completion({"content": text}), MENU)
    assert (response.message.content, response.message.tool_calls) == (left, ())


def test_H19_a_list_of_actions_that_was_cut_off_is_no_answer() -> None:
    reply = completion({"content": '[{"name": "temperature", "ar'}, "length")
    assert only_call(openai(tools_as="json").parse(reply, MENU)).problem == CUT


# H13, A13: tokens and prefixes that cling to a name are cut off; nothing is guessed.
@pytest.mark.parametrize(
    ("sent", "cut"),
    [
        ("temperature<|channel|>commentary", "<|channel|>commentary"),
        ("functions.temperature<|channel|>json", "<|channel|>json"),
        ("<|constrain|>temperature", "<|constrain|>"),
        (f"temperature<{BAR}tool▁sep{BAR}>", f"<{BAR}tool▁sep{BAR}>"),
        ("temperature</s>", "</s>"),
        ("temperature [/INST]", "[/INST]"),
        ("temperature<|im_end|>\n<|im_start|>", "<|im_end|> <|im_start|>"),
        ("Temperature</tool_call>", "</tool_call>"),
        ("default_api.temperature", ""),
        ("default_api:temperature", ""),
        ("tools.temperature", ""),
        ("functions.functions.temperature", ""),
    ],
)
def test_H13_what_clings_to_a_name_is_cut_off_with_a_note(sent: str, cut: str) -> None:
    entry = calling(sent, '{"town": "Oslo"}')
    (answer,) = agent_answers(temperatures(), asking(entry))
    assert (answer.name, answer.content) == ("temperature", "18 in Oslo")
    assert temperatures().find(sent).name == "temperature"
    notes = openai().parse(completion(asking(entry))).notes
    name = "Temperature" if sent[0] == "T" else "temperature"
    want = (f"The name {name} came with '{cut}', which was cut off.",)
    assert notes == (want if cut else ())


@pytest.mark.parametrize(
    "sent", ["temp<b>erature", "temperature!", "my.temperature", "tool_temperature"]
)
def test_H13_no_name_is_guessed_at(sent: str) -> None:
    (answer,) = agent_answers(temperatures(), asking(calling(sent, "{}")))
    assert answer.content.startswith("Error: No tool named")


PIECES = [
    *(mark for row in NOTATIONS for mark in (*row.begins, *row.ends)),
    *(row.example for row in NOTATIONS if row.kind != "control"),
    *(OSLO, ROME, "```", "```json\n", "`", "~~~", "\n", " ", "\n\n", '"', "“", "”"),
    *("Oslo", "is cold.", "<", "[", "{", "}", "]", "<to", "[TO", "</", "<|", ": "),
]


@pytest.mark.properties
def test_A15_H01_a_stream_is_its_reply_however_it_is_cut() -> None:
    chance = random.Random(7)
    for _ in range(1500):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 8)))
        reason, menu = chance.choice(["stop", "length"]), chance.choice([(), MENU])
        count = chance.choice([0, 2, 5, len(text)])
        ends = sorted(chance.randint(0, len(text)) for _ in range(count))
        cuts = itertools.pairwise([0, *ends, len(text)])
        chunks = [chunk({"content": text[a:b]}) for a, b in cuts]
        heard = Heard()
        model = openai(streaming(*chunks, chunk({}, reason)))
        response = model.generate(QUESTION, menu, on_text_delta=heard)
        assert response == read(text, reason, menu), text
        said = response.message.content
        assert heard.text == said or heard.text.rstrip() == said, text


@pytest.mark.properties
@pytest.mark.parametrize(
    "piece",
    [
        *(row.example for row in NOTATIONS),
        *(mark for row in NOTATIONS if row.kind == "call" for mark in row.begins),
        *(OSLO, "`a", "\n```\na", '"', "</think>", '<tool_call>"', "<|channel|>"),
    ],
)
def test_H01_twice_as_much_text_is_twice_the_work(piece: str) -> None:
    def whole(n: int) -> Any:
        return lambda: read_text(f"Oslo {piece * 4 * n}", MENU)

    def streamed(n: int) -> Any:
        def listen() -> None:
            relay = DeltaRelay(Heard(), MENU)
            for _ in range(n):
                relay.pass_on(piece)

        return listen

    assert grows_with_its_input(whole)
    assert grows_with_its_input(streamed)
