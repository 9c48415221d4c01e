"""The situations that everybody shares: each runs to the end that it promises."""

from contextlib import suppress

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.errors import ScriptExhausted, StepLimitReached
from mingraph_lite.lab import scenarios
from mingraph_lite.lab.scenarios import (
    SCENARIOS,
    Scenario,
    add_and_upper,
    already_fahrenheit,
    get_weather,
    never_satisfied,
    one_by_one,
    paris_and_tokyo,
    reading,
    to_fahrenheit,
)
from mingraph_lite.messages import ToolCall, ToolMessage
from mingraph_lite.observers import Recorder


def heard(agent: Agent) -> list[str]:
    """What the tools answered, in order."""
    return [m.content for m in agent.memory.folder if isinstance(m, ToolMessage)]


@pytest.mark.parametrize(
    ("scenario", "calls", "answers", "answer"),
    [
        (paris_and_tokyo, 3, ["18", "24", "64", "75"], "Paris: 64°F, Tokyo: 75°F"),
        (one_by_one, 4, ["18", "24", "64", "75"], "Paris: 64°F, Tokyo: 75°F"),
        (already_fahrenheit, 3, ["18", "24", "64"], "Paris: 64°F, Tokyo: 24°F"),
        (
            add_and_upper,
            2,
            ["15", "HELLO"],
            "10 and 5 make 15, and hello becomes HELLO.",
        ),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_scenario_runs_to_the_answer_it_promises(scenario, calls, answers, answer):
    agent = scenario.agent()
    assert agent.run(scenario.question) == {"answer": answer}
    assert (agent.llm.calls, heard(agent)) == (calls, answers)
    with pytest.raises(ScriptExhausted):
        agent.llm.generate([])


@pytest.mark.parametrize("limit", [1, 10, 50])
def test_the_model_that_never_stops_runs_into_any_usual_limit(limit):
    agent = never_satisfied.agent(max_steps=limit)
    with pytest.raises(StepLimitReached):
        agent.run(never_satisfied.question)
    assert (agent.llm.calls, heard(agent)) == (limit, ["18"] * limit)


def test_why_tokyo_comes_out_wrong_is_on_the_envelope_alone():
    recorder = Recorder()
    agent = already_fahrenheit.agent(observers=[recorder])
    agent.run(already_fahrenheit.question)
    thoughts = [
        event.payload["response"].reasoning
        for event in recorder.events
        if event.name == "model_reply"
    ]
    assert thoughts == [
        None,
        None,
        "Tokyo's 24 must be Fahrenheit already. Nothing to convert.",
    ]
    assert "already" not in "".join(m.content for m in agent.memory.folder)


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=list(SCENARIOS))
def test_each_call_gives_a_fresh_script_registry_and_agent(scenario):
    first = scenario.agent(max_steps=50)
    before = scenario.llm().generate([])
    with suppress(StepLimitReached):
        first.run(scenario.question)
    second = scenario.agent()
    assert scenario.llm().generate([]) == before
    assert (second.llm.calls, list(second.memory.folder)) == (0, [])
    assert second.tools is not first.tools
    assert second.tools.menu() == first.tools.menu() == scenario.registry().menu()


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=list(SCENARIOS))
def test_a_script_asks_only_for_what_is_on_the_menu(scenario):
    recorder = Recorder()
    agent = scenario.agent(max_steps=50, observers=[recorder])
    with suppress(StepLimitReached):
        agent.run(scenario.question)
    assert "tool_error" not in recorder.names()
    assert not any(
        answer.startswith(("Error", "no reading")) for answer in heard(agent)
    )


def test_the_scenarios_are_found_by_their_names():
    public = {
        name: thing
        for name, thing in vars(scenarios).items()
        if isinstance(thing, Scenario)
    }
    assert public == {"reading": reading, **SCENARIOS}
    assert {name: scenario.name for name, scenario in SCENARIOS.items()} == {
        name: name for name in SCENARIOS
    }
    assert set(SCENARIOS) < set(scenarios.__all__)


def test_the_reading_scenario_answers_what_the_tools_say():
    first, second = reading.agent(), reading.agent()
    answer = {"answer": "Paris: 18 = 64°F, Tokyo: 24 = 75°F"}
    assert first.run(reading.question) == answer
    assert (first.llm.calls, second.llm.calls) == (3, 0)
    assert (reading.kind, list(reading.script())) == ("reading", [])
    assert reading.tools == paris_and_tokyo.tools
    assert reading.question == paris_and_tokyo.question


def test_no_two_scenarios_have_the_same_title():
    titles = [scenario.title for scenario in SCENARIOS.values()]
    assert sorted(set(titles)) == sorted(titles)


def test_a_scenario_prints_its_name():
    assert repr(paris_and_tokyo) == "Scenario('paris_and_tokyo')"


def test_an_agent_of_a_scenario_takes_the_options_of_any_agent():
    recorder = Recorder()
    agent = paris_and_tokyo.agent(observers=[recorder], name="guide", max_steps=3)
    agent.run(paris_and_tokyo.question)
    assert {event.agent for event in recorder.events} == {"guide"}
    assert (agent.limits.steps, agent.system_prompt) == (
        3,
        paris_and_tokyo.system_prompt,
    )


def test_another_model_may_be_put_into_a_scenario():
    agent = paris_and_tokyo.agent(
        ScriptedLLM([ToolCall("get_weather", {"city": "Rome"}), "Unknown."])
    )
    assert agent.run("Rome?") == {"answer": "Unknown."}
    assert heard(agent) == ["no reading for Rome"]


def test_the_source_of_the_tools_runs_as_it_is_shown():
    space: dict[str, object] = {}
    exec(paris_and_tokyo.tools_source(), space)
    assert space["get_weather"]("Tokyo") == "24"
    assert space["to_fahrenheit"](24) == 75


@pytest.mark.parametrize(
    ("city", "reading"),
    [("Paris", "18"), ("Tokyo", "24"), ("paris", "no reading for paris")],
)
def test_a_reading_is_a_bare_number(city, reading):
    assert get_weather(city) == reading


@pytest.mark.parametrize(
    ("celsius", "fahrenheit"), [(18, 64), (24, 75), (0, 32), (-40, -40), (100.0, 212)]
)
def test_celsius_becomes_fahrenheit(celsius, fahrenheit):
    assert to_fahrenheit(celsius) == fahrenheit
