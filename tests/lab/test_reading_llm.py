"""The seven rules of the reading model, and the table of broken loops."""

import ast
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mingraph_lite import Agent, LastN, LineCut, ToolRegistry
from mingraph_lite.lab import ReadingLLM, reading_llm
from mingraph_lite.lab.scenarios import get_weather, to_fahrenheit
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)

QUESTION = "What's the temperature in Paris and in Tokyo, in Fahrenheit?"
ANSWER = "Paris: 18 = 64°F, Tokyo: 24 = 75°F"
TOOLS = (get_weather, to_fahrenheit)


def ask(question: str, *tools: Callable[..., Any], slips: int = 9) -> tuple[str, int]:
    """What an agent on this model answers, and with how many calls."""
    llm = ReadingLLM(slips)
    agent = Agent(llm, tools or TOOLS, "")
    return agent.run(question)["answer"], llm.calls


def hear(*messages: Message, tools: Sequence[Callable[..., Any]] = TOOLS) -> str:
    """What it says to these messages: a text, or its slips."""
    reply = ReadingLLM().generate(messages, ToolRegistry(tools).menu()).message
    return reply.content or ", ".join(f"{c.id} {c}" for c in reply.tool_calls)


def slips(*calls: ToolCall) -> AssistantMessage:
    return AssistantMessage("", calls)


PARIS = ToolCall("get_weather", {"city": "Paris"}, "call_1")
TOKYO = ToolCall("get_weather", {"city": "Tokyo"}, "call_2")
ASKED = UserMessage(QUESTION)
PASSED = slips(PARIS, TOKYO)
P18 = ToolMessage("18", "call_1", "get_weather")
T24 = ToolMessage("24", "call_2", "get_weather")


def broken_loop(keep: Callable[..., Sequence[Message]], tools: Any = TOOLS) -> str:
    """Run a loop that keeps of a round what `keep(folder, reply, answers)` gives."""
    llm, registry = ReadingLLM(), ToolRegistry(tools)
    folder: Sequence[Message] = [ASKED]
    while True:
        reply = llm.generate(folder, registry.menu()).message
        if not reply.tool_calls:
            return reply.content
        calls = reply.tool_calls
        answers = [ToolMessage(str(registry.run(c)), c.id, c.name) for c in calls]
        folder = keep(list(folder), reply, answers)


def swapped(answers: list[ToolMessage]) -> list[ToolMessage]:
    ids = [answer.tool_call_id for answer in reversed(answers)]
    return [
        ToolMessage(a.content, i, a.name) for a, i in zip(answers, ids, strict=True)
    ]


LOOPS = {
    "whole": (lambda f, r, a: [*f, r, *a], ANSWER),
    "question missing": (
        lambda f, r, a: [*f[1:], r, *a],
        "Nobody has read me a question.",
    ),
    "cut to the last two": (
        lambda f, r, a: [*f, r, *a][-2:],
        "Nobody has read me a question.",
    ),
    "answers missing": (
        lambda f, r, a: [*f, r],
        "I am still waiting for the answer to call_1, call_2.",
    ),
    "the second answer missing": (
        lambda f, r, a: [*f, r, *a[:1]],
        "I am still waiting for the answer to call_2.",
    ),
    "reply not appended": (
        lambda f, r, a: [*f, *a],
        "The answer '18' is for call_1: no such slip is open.",
    ),
    "answers before their reply": (
        lambda f, r, a: [*f, *a, r],
        "The answer '18' is for call_1: no such slip is open.",
    ),
    "an answer doubled": (
        lambda f, r, a: [*f, r, *a, a[-1]],
        "The answer '24' is for call_2: no such slip is open.",
    ),
    "reply doubled": (
        lambda f, r, a: [*f, r, r, *a],
        "I hear the slip call_1 twice.",
    ),
    "ids swapped": (
        lambda f, r, a: [*f, r, *swapped(a)],
        "Paris: 24 = 64°F, Tokyo: 18 = 75°F",
    ),
}


@pytest.mark.parametrize(("keep", "said"), LOOPS.values(), ids=list(LOOPS))
def test_each_broken_loop_is_told_from_a_whole_one(keep: Any, said: str) -> None:
    assert broken_loop(keep) == said


@pytest.mark.parametrize(
    "keep",
    [lambda f, r, a: f, lambda f, r, a: [f[0], *[*f, r, *a][1:][-3:]]],
    ids=["nothing appended", "question and last three only"],
)
def test_a_loop_without_an_end_is_cut_after_thirty_calls(keep: Any) -> None:
    with pytest.raises(LineCut, match="30 calls, no end: the line is cut"):
        broken_loop(keep)


def test_rule_1_no_question() -> None:
    assert hear() == "Nobody has read me a question."
    assert hear(PASSED, P18, T24) == "Nobody has read me a question."


def test_rule_4_the_newest_question_names_whom_to_look_up() -> None:
    then = [ASKED, PASSED, P18, T24, UserMessage("And in Oslo, please?")]
    assert hear(*then) == 'call_3 get_weather(city="Oslo")'


def test_rule_4_the_wish_for_a_unit_holds_for_the_next_question() -> None:
    oslo = ToolCall("get_weather", {"city": "Oslo"}, "call_3")
    then = [ASKED, PASSED, P18, T24, UserMessage("And in Oslo?"), slips(oslo)]
    told = ToolMessage("4", "call_3", "get_weather")
    assert hear(*then, told) == "call_4 to_fahrenheit(celsius=4)"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How warm is it in New York and São Paulo?", ["New York", "São Paulo"]),
        ("Can I swim in Oslo? Or in Rome?", ["Oslo", "Rome"]),
        ("Paris is nice. How warm is it in Baden-Baden?", ["Baden-Baden"]),
        ("Is it cold in Ürümqi and Łódź?", ["Ürümqi", "Łódź"]),
        ("And in Saint-Étienne?", ["Saint-Étienne"]),
        ("How warm is it in Paris,Tokyo/Oslo?", ["Paris", "Tokyo", "Oslo"]),
        ("What of “the moon”?", ["the moon"]),
        ('What of "the moon"?', ["the moon"]),
        ("In Paris, in Paris and in Paris?", ["Paris"]),
        ("Is it 20 Celsius in Bern?", ["Bern"]),
        ("How warm is it in Örebro and in Évora?", ["Örebro", "Évora"]),
    ],
)
def test_rule_4_names(question: str, names: list[str]) -> None:
    wanted = [f'call_{n} get_weather(city="{x}")' for n, x in enumerate(names, 1)]
    assert hear(UserMessage(question), tools=[get_weather]) == ", ".join(wanted)


def get_population(city: str) -> str:
    """How many people live in a city."""
    return "2 million"


def test_rule_5_the_tool_whose_noun_stands_in_the_question() -> None:
    tools = (get_weather, get_population)
    assert ask("The population of Paris?", *tools) == ("Paris: 2 million", 2)
    assert ask("How is it in Paris?", *tools) == ("Paris: 18", 2)
    both = "The weather in Paris, and its population?"
    assert ask(both, *tools) == ("Paris: 18, Paris: 2 million", 2)


def test_rule_5_a_tool_of_ones_own_is_called() -> None:
    def shout(text: str, mark: str = "!") -> str:
        """The text in capital letters."""
        return text.upper() + mark

    assert ask('Say "hello".', shout) == ("hello: HELLO!", 2)


def test_rule_5_slips_says_how_many_at_once() -> None:
    assert [ask(QUESTION, slips=n) for n in (1, 2, 9)] == [
        (ANSWER, 5),
        (ANSWER, 3),
        (ANSWER, 3),
    ]
    many = "How warm is it in Paris, Tokyo, Rome, Oslo and Bern, in Fahrenheit?"
    assert ask(many)[1] == 3


@pytest.mark.parametrize(
    ("reading", "answer"),
    [
        ("25", "Paris: 25 = 77°F"),
        ("-4", "Paris: -4 = 25°F"),
        ("18.0", "Paris: 18.0 = 64°F"),
        ("18°C", "Paris: 18°C = 64°F"),
        ("Error: 503", "Paris: Error: 503"),
        ("about 20", "Paris: about 20"),
        ("declined", "Paris: declined"),
    ],
)
def test_rule_6_only_a_whole_number_is_converted(reading: str, answer: str) -> None:
    def weather(city: str) -> str:
        """The temperature in a city."""
        return reading

    assert (
        ask("Paris? I mean Paris, in Fahrenheit", weather, to_fahrenheit)[0] == answer
    )


def test_rule_6_a_refused_conversion_is_said_as_such() -> None:
    turn = ToolCall("to_fahrenheit", {"celsius": 18}, "call_2")
    told = [slips(PARIS), P18, slips(turn), ToolMessage("declined", "call_2", "")]
    question = UserMessage("How warm is it in Paris, in Fahrenheit?")
    assert hear(question, *told) == "Paris: 18 = declined"


def test_rule_6_two_cities_with_one_number_are_converted_once() -> None:
    def weather(city: str) -> str:
        """The temperature in a city."""
        return "20"

    question = "How warm are Paris and Tokyo, in Fahrenheit?"
    answer = "Paris: 20 = 68°F, Tokyo: 20 = 68°F"
    question = question.replace("warm are", "warm is it in")
    assert ask(question, weather, to_fahrenheit) == (answer, 3)


NO_NAME, NO_TOOL = "name (it has a capital letter)", "tool that takes one text"


@pytest.mark.parametrize(
    ("question", "tools", "lack"),
    [
        ("What is 2 + 2?", TOOLS, NO_NAME),
        ("what is the weather in oslo", TOOLS, NO_NAME),
        ("And in Oslo?", (), NO_TOOL),
        ("2 + 2", (), NO_TOOL),
    ],
)
def test_it_says_what_it_cannot_do_and_what_it_can(
    question: str, tools: Any, lack: str
) -> None:
    said = hear(UserMessage(question), tools=tools)
    can = "I look up names with a tool."
    assert said == f"I find no {lack}. {can} You asked: {question}"


@pytest.mark.parametrize("question", ["Oslo", " Oslo?", "Oslo!\n"])
def test_a_word_that_stands_alone_is_looked_up(question: str) -> None:
    said = hear(UserMessage(question), tools=TOOLS)
    assert said == 'call_1 get_weather(city="Oslo")'


def test_it_remembers_nothing_between_two_calls() -> None:
    llm, menu = ReadingLLM(), ToolRegistry(TOOLS).menu()
    first = llm.generate([ASKED], menu)
    llm.generate([ASKED, PASSED, P18, T24], menu)
    assert llm.generate([ASKED], menu) == first


def test_a_memory_that_reads_out_too_little_makes_it_ask_again() -> None:
    llm = ReadingLLM(slips=1)
    agent = Agent(llm, TOOLS, "", memory=LastN(2), max_steps=50)
    with pytest.raises(LineCut):
        agent.run(QUESTION)


def test_it_stays_short_enough_to_be_read() -> None:
    """Eighty lines, counted without blank ones, docstrings and imports."""
    source = Path(inspect.getfile(reading_llm)).read_text(encoding="utf-8")
    tree = ast.parse(source)
    counted = {n for n, line in enumerate(source.splitlines(), 1) if line.strip()}
    for node in ast.walk(tree):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text or isinstance(node, ast.Import | ast.ImportFrom):
            counted -= set(range(node.lineno, (node.end_lineno or 0) + 1))
    assert len(counted) <= 80
