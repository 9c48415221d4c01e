"""A clock that is handed in, and a model that reckons with what it hears of it."""

import pytest

from mingraph_lite import Agent, KeepAll, LastN
from mingraph_lite.lab.clock import ReckoningLLM, now_on
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)

NOON, AGO = "Is it noon already?", "How long ago did I ask that?"


def agent(memory, *seconds: float) -> Agent:
    clock = iter(seconds)
    return Agent(ReckoningLLM(), [now_on(lambda: next(clock))], "", memory=memory)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "00:00:00"), (42322.9, "11:45:22"), (86399, "23:59:59")]
)
def test_the_tool_shows_the_time_of_the_clock_it_was_given(seconds, shown):
    assert now_on(lambda: seconds)() == shown


@pytest.mark.parametrize(
    ("seconds", "answer"), [(43199, "Not yet."), (43200, "Yes, it is.")]
)
def test_noon_is_a_question_of_the_clock(seconds, answer):
    assert agent(None, seconds).run(NOON) == {"answer": answer}


def test_how_long_ago_needs_the_old_reading_and_a_fresh_one():
    asked = agent(KeepAll(), 42322, 42363)
    asked.run(NOON)
    assert asked.run(AGO) == {
        "answer": "41 seconds ago: 11:45:22, and now 11:46:03.",
    }
    readings = [m.content for m in asked.memory.folder if isinstance(m, ToolMessage)]
    assert readings == ["11:45:22", "11:46:03"]


def test_without_the_old_reading_it_says_so():
    asked = agent(LastN(3), 42322, 42363)
    asked.run(NOON)
    answer = {"answer": "It is 11:46:03. When you asked, I was not told."}
    assert asked.run(AGO) == answer


def test_it_passes_a_slip_with_the_next_number():
    folder = [
        UserMessage(NOON),
        AssistantMessage("", (ToolCall("now", {}, "call_1"),)),
        ToolMessage("11:45:22", "call_1", "now"),
        AssistantMessage("Not yet."),
        UserMessage(AGO),
    ]
    menu = [{"function": {"name": "now"}}]
    said = ReckoningLLM().generate(folder, menu).message
    assert said.tool_calls == (ToolCall("now", {}, "call_2"),)


def test_it_complains_in_words():
    llm = ReckoningLLM()
    assert llm.generate([]).message.content == "Nobody has read me a question."
    said = llm.generate([UserMessage(NOON)]).message.content
    assert said == "There is no clock on my menu."
