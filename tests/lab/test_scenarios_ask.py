"""Each scenario asks its reader, and the run that follows answers."""

import json
from dataclasses import replace
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.lab import asks, measures
from mingraph_lite.lab.faults import DECK, FAULTS
from mingraph_lite.lab.measures import Measured
from mingraph_lite.lab.scenarios import Scenario, get_weather, reading, to_fahrenheit
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import Message, ToolCall
from mingraph_lite.recovery import Retries
from mingraph_lite.views.frames import frames

FACTS = {
    "reading": "3",
    "paris_and_tokyo": "3",
    "one_by_one": "4",
    "already_fahrenheit": "1",
    "never_satisfied": "at the limit on rounds",
    "add_and_upper": "2",
    "bad_arguments": "line 3",
    "unknown_tool": "line 3",
    "broken_json": "line 3",
    "cut_reply": "0",
    "cut_answer": "end with an error at once",
    "rate_limit": "ask the same again",
    "busy_server": "ask again, then give up with an error",
    "context_overflow": "end with an error at once",
    "html_page": "end with an error at once",
    "error_in_200": "ask the same again",
    "empty_reply": "ask the same again",
    "refusal": "end with an error at once",
    "tool_fails": "line 5",
    "tool_times_out": "with an error",
    "huge_result": "more than 100,000",
    "same_call": "line 6",
    "same_id": "2",
    "early_stop": "line 7",
    "invented_number": "line 9",
    "cut_stream": "ask the same again",
}
each = pytest.mark.parametrize("scenario", DECK.values(), ids=list(DECK))


def drawn(scenario: Scenario, question: str = "", **options: Any) -> Any:
    agent = scenario.agent(retries=Retries(sleep=[].append), **options)
    recorded = list(frames(agent, question or scenario.question))
    return json.loads(json.dumps(recorded))


def run_of(script: Any, question: str, *tools: Any, folder: Any = ()) -> Any:
    used = tools or (get_weather, to_fahrenheit)
    memory = KeepAll(folder)
    return list(frames(Agent(ScriptedLLM(script), used, "", memory=memory), question))


@each
def test_the_run_gives_the_answer_and_it_is_one_of_the_choices(
    scenario: Scenario,
) -> None:
    assert scenario.ask is not None
    found = scenario.measured(drawn(scenario))
    assert found is not None
    assert found.fact == FACTS[scenario.name]
    assert found.fact in scenario.ask.choices


@each
def test_before_its_run_a_scenario_says_what_to_look_at_and_not_the_answer(
    scenario: Scenario,
) -> None:
    assert scenario.ask is not None
    assert 40 < len(scenario.brief) < 170
    assert scenario.brief.endswith(".")
    assert scenario.ask.question.endswith("?")
    assert len(set(scenario.ask.choices)) == len(scenario.ask.choices) >= 3
    for told in (scenario.brief, scenario.ask.question):
        assert FACTS[scenario.name] not in told


def test_no_two_briefs_are_the_same() -> None:
    briefs = [scenario.brief for scenario in DECK.values()]
    assert sorted(set(briefs)) == sorted(briefs)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_after_its_run_a_fault_says_what_right_behaviour_looks_like(
    fault: Scenario,
) -> None:
    found = fault.measured(drawn(fault))
    assert found is not None
    assert found.told.endswith(f" About this fault: {fault.what}")


def test_a_scenario_without_a_question_measures_nothing() -> None:
    bare = Scenario("bare", "Bare", "Go", "", (), lambda: ["Hi."])
    assert bare.measured(drawn(bare)) is None


def test_an_edited_run_is_measured_as_it_went() -> None:
    oslo = drawn(reading, "How warm is it in Oslo, in Fahrenheit?")
    assert reading.measured(oslo) == Measured(
        "2",
        "The model was called twice. Then a reply passed no slip, and the run ended "
        "with an answer.",
    )


def test_a_fact_may_be_none_of_the_choices() -> None:
    script = [*[ToolCall("get_weather", {"city": f"City {n}"}) for n in range(7)], "."]
    counted = asks.MODEL_CALLS.measure(run_of(script, "Go"))
    assert counted.fact == "8"
    assert counted.fact not in asks.MODEL_CALLS.choices
    assert counted.told.startswith("The model was called 8 times.")


def test_a_call_that_failed_is_counted_too() -> None:
    counted = measures.model_calls(drawn(FAULTS["rate_limit"]))
    assert counted == Measured(
        "4",
        "The model was called 4 times. Once it was asked again after a failed try. "
        "Then a reply passed no slip, and the run ended with an answer.",
    )


def test_a_whole_run_has_no_wrong_line() -> None:
    assert measures.first_wrong_line(drawn(DECK["paris_and_tokyo"])) == Measured(
        "none", "No line of this run shows that something is wrong."
    )


def earlier() -> list[Message]:
    agent = FAULTS["invented_number"].agent()
    agent.run(FAULTS["invented_number"].question)
    return list(agent.memory.folder)


def test_what_an_earlier_run_did_wrong_is_not_counted() -> None:
    old = earlier()
    good = run_of(["Fine."], "And now?", folder=old)
    assert measures.first_wrong_line(good).fact == "none"
    bad = run_of(["It is 99."], "And now?", folder=old)
    assert measures.first_wrong_line(bad).fact == f"line {len(old) + 2}"


@pytest.mark.parametrize(
    ("stopped", "fact"),
    [("interrupted", "somebody stopped it"), ("abandoned", "somebody stopped it")],
)
def test_a_run_that_was_stopped_is_measured_up_to_there(
    stopped: str, fact: str
) -> None:
    recorded = drawn(reading)
    recorded[-1]["outcome"] = {"reason": stopped, "answer": None, "error": "Stop"}
    assert measures.ending(recorded) == Measured(fact, "Then somebody stopped the run.")


def test_of_a_run_that_was_stopped_only_its_ending_is_known() -> None:
    recorded = drawn(reading)
    recorded[-1]["outcome"] = {"reason": "interrupted", "answer": None, "error": "Stop"}
    assert reading.measured(recorded) is None
    assert replace(reading, ask=asks.ENDING).measured(recorded) == Measured(
        "somebody stopped it", "Then somebody stopped the run."
    )


def test_a_run_of_which_nothing_was_seen_is_measured_all_the_same() -> None:
    for name in measures.__all__:
        if name.islower():
            assert isinstance(getattr(measures, name)([]), Measured)
