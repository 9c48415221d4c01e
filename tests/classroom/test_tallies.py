"""A run and its tally are compared with a right one, and told apart by one sentence."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from mingraph_lite.classroom.checks.tallies import (
    Run,
    names,
    wrong_lists,
    wrong_notes,
    wrong_run,
)
from mingraph_lite.lab.scenarios import (
    add_and_upper,
    never_satisfied,
    paris_and_tokyo,
    weather_slip,
)
from mingraph_lite.messages import ToolMessage

PARIS = weather_slip(1, "Paris")
KEYS = ("turns", "tool_calls", "results", "answer", "reason")

type Loop = Callable[..., Mapping[str, Any]]


def silent(kind, text):
    """Nobody listens."""


def right(llm, tools, folder, limit=5, note=silent):
    tally = {"turns": 0, "tool_calls": [], "results": [], "answer": None, "reason": "-"}
    for _ in range(limit):
        tally["turns"] += 1
        note("asked", "")
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            tally["answer"] = reply.content
            break
        for call in reply.tool_calls:
            tally["tool_calls"].append(call)
            tally["results"].append(tools.run(call))
            note("ran", "")
            text = str(tally["results"][-1])
            folder.append(ToolMessage(text, call.id, call.name))
    note("over", "")
    return tally


def with_other(**values: object) -> Loop:
    """The right loop, with other values in its tally."""
    return lambda *handed_in, **more: {**right(*handed_in, **more), **values}


@pytest.mark.parametrize(
    "entry",
    [
        PARIS,
        'get_weather(city="Paris")',
        {"name": "get_weather", "arguments": {"city": "Paris"}},
        {"tool": "get_weather", "args": PARIS.arguments, "id": "call_1"},
        ("get_weather", {"city": "Paris"}),
        "get_weather({'city': 'Paris'})",
        ["get_weather", "Paris"],
    ],
    ids=["slip", "text", "dict", "other keys", "tuple", "own text", "values"],
)
def test_a_call_may_be_written_down_in_any_form_that_names_it(entry):
    assert names(entry, PARIS)
    assert not names(entry, weather_slip(1, "Tokyo"))


@pytest.mark.parametrize("entry", ["get_weather", ["get_weather"], None, 18])
def test_what_does_not_say_with_what_names_no_call(entry):
    assert not names(entry, PARIS)


@pytest.mark.parametrize("result", ["18", 18, ToolMessage("18", "call_1", "weather")])
def test_a_result_may_be_kept_raw_or_as_text(result):
    tally = {"tool_calls": (PARIS,), "results": (result,)}
    assert wrong_lists(tally, [PARIS], [18]) is None


@pytest.mark.parametrize("options", [{}, {"slips": 1}, {"slips": 1, "limit": 2}])
def test_the_right_loop_is_right_in_every_situation(options):
    for scenario in (paris_and_tokyo, add_and_upper, never_satisfied):
        assert wrong_run(right, right, scenario, KEYS, **options) is None
        assert wrong_notes(right, right, scenario) is None


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"turns": 4}, "The model was asked 3 times, and the tally says turns: 4."),
        ({"results": []}, "4 errands ran, and results has 0 in it."),
        (
            {"results": ["24", "18", 64, 75]},
            "results[0] is '24', and get_weather(city=\"Paris\") brought '18'.",
        ),
        (
            {"tool_calls": "all"},
            "tool_calls is a list of all that came, and this is 'all'.",
        ),
        (
            {"answer": None},
            "The model said 'Paris: 18 = 64°F, Tokyo: 24 = 75°F', "
            "and answer says None.",
        ),
    ],
)
def test_the_first_wrong_thing_is_said(values, said):
    assert wrong_run(with_other(**values), right, paris_and_tokyo, KEYS) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"answer": "Stopped"},
            "After 5 turns there is no answer, and answer says 'Stopped': who reads it "
            "takes it for one.",
        ),
        ({"reason": None}, "There is no answer, and reason does not say why."),
    ],
)
def test_an_answer_where_there_is_none_is_told(values, said):
    assert wrong_run(with_other(**values), right, never_satisfied, KEYS) == said


def test_notes_may_have_kinds_of_their_own_and_be_given_by_name():
    def renamed(llm, tools, folder, note):
        def named(kind, text):
            note(kind=kind.upper(), text=None)

        return right(llm, tools, folder, note=named)

    assert wrong_notes(renamed, right, paris_and_tokyo) is None


def test_a_run_hears_after_how_many_errands_each_note_came():
    assert Run(right, add_and_upper, noted=True).notes == [
        ("asked", "", 0),
        ("ran", "", 1),
        ("ran", "", 2),
        ("asked", "", 2),
        ("over", "", 2),
    ]
