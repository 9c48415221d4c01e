import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.errors import StepLimitReached
from mingraph_lite.limits import Price
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage
from mingraph_lite.record import RunRecord

PARIS = ToolCall("get_weather", {"city": "Paris"}, "c1")
TOKYO = ToolCall("get_weather", {"city": "Tokyo"}, "c2")


def get_weather(city: str) -> str:
    return {"Paris": "18", "Tokyo": "24"}[city]


def agent(*script, **options) -> Agent:
    return Agent(ScriptedLLM(script), [get_weather], "", **options)


def test_after_a_run_its_record_says_what_it_was():
    asks = LLMResponse(AssistantMessage("", (PARIS, TOKYO)), usage=Usage(100, 20))
    says = LLMResponse(AssistantMessage("18 and 24"), usage=Usage(150, 10))
    a = agent(asks, says, price=Price(1.0, 10.0))
    a.run("How warm?")
    assert a.last_run == RunRecord(
        turns=2,
        tool_calls=(PARIS, TOKYO),
        results=("18", "24"),
        answer="18 and 24",
        reason="answered",
        tokens=280,
        cost=pytest.approx((250 * 1 + 30 * 10) / 1_000_000),
        estimated_tokens=0,
        uncounted=0,
    )


def test_without_a_price_nobody_knows_the_cost():
    a = agent("18")
    a.run("How warm?")
    assert a.last_run == RunRecord(1, (), (), "18", "answered", 0, None, 0, 1)


def test_before_the_first_run_there_is_no_record():
    assert agent("18").last_run is None


def test_in_the_middle_of_a_run_its_record_says_how_far_it_is():
    a = agent([PARIS, TOKYO], "18 and 24")
    steps = a.steps("How warm?")
    next(steps)
    next(steps)
    assert a.last_run == RunRecord(
        1, (PARIS, TOKYO), (None, None), None, None, 0, None, 0, 1
    )
    steps.close()
    assert (a.last_run.results, a.last_run.reason) == (
        ("not run: stopped",) * 2,
        "abandoned",
    )


def test_a_record_is_of_its_run_alone_and_stays_as_it_was():
    memory = KeepAll([UserMessage("Hello"), AssistantMessage("Hi.")])
    a = agent(PARIS, "18", "bye", memory=memory)
    a.run("How warm?")
    first = a.last_run
    memory.add(UserMessage("a note between two runs"))
    assert a.last_run == first
    a.run("Bye")
    assert (first.turns, a.last_run.turns, a.last_run.tool_calls) == (2, 1, ())
    with pytest.raises(AttributeError):
        first.turns = 3


def test_a_run_without_an_answer_has_a_record_too():
    a = agent(PARIS, "18", max_steps=1)
    with pytest.raises(StepLimitReached):
        a.run("How warm?")
    assert a.last_run == RunRecord(
        1, (PARIS,), ("18",), None, "step limit", 0, None, 0, 1
    )
