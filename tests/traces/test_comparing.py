import json
from pathlib import Path

import pytest

from mingraph_lite.messages import ToolCall
from mingraph_lite.traces.comparing import Difference, compare
from tests.traces.recorded import IN_THE_HEAD, MISREAD, PARIS, RIGHT, runs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def test_runs_that_differ_in_ids_and_times_alone_differ_in_nothing(path):
    other = [
        ToolCall("get_weather", {"city": "Paris"}, "x9"),
        ToolCall("to_fahrenheit", {"celsius": 18}, "x7"),
        "It is 64°F in Paris.",
    ]
    comparison = compare(*runs(path, RIGHT, other))
    assert comparison.differences == ()
    assert str(comparison) == (
        """\
- run run: answered, 3 rounds
+ run run-2: answered, 3 rounds

They differ in nothing but ids and times."""
    )


def test_only_what_differs_is_shown_under_its_step(path):
    assert str(compare(*runs(path, IN_THE_HEAD, MISREAD))) == (
        """\
- run run: answered, 2 rounds
+ run run-2: answered, 2 rounds

[step 2]
  -   15  reply      It is 65°F in Paris.
  +   15  reply      It is 18°F in Paris.
  -   17  fields.answer It is 65°F in Paris.
  +   17  fields.answer It is 18°F in Paris.
  -   18  answer     It is 65°F in Paris.
  +   18  answer     It is 18°F in Paris."""
    )


def test_steps_are_aligned_where_one_run_has_more_in_one(path):
    twice = [
        [PARIS, ToolCall("get_weather", {"city": "Tokyo"}, "c2")],
        "It is 64°F in Paris.",
    ]
    text = str(compare(*runs(path, [PARIS, "It is 64°F in Paris."], twice)))
    assert text.split("\n\n", 1)[1] == (
        """\
[step 1]
  -    6  reply      #1 get_weather(city="Paris")
  +    6  reply      #1 get_weather(city="Paris")
                     #2 get_weather(city="Tokyo")
  -    8  card       RunningTools, because the reply passed one slip
  +    8  card       RunningTools, because the reply passed two slips
  +   12  runs       #2 get_weather(city="Tokyo")
  +   13  returned   #2 24

[step 2]
  -   14  reads out  lines 1 to 4
  +   17  reads out  lines 1 to 5"""
    )


def test_a_longer_run_shows_what_it_has_alone(path):
    differences = compare(*runs(path, MISREAD, RIGHT)).differences
    assert [(d.event, d.first, d.second) for d in differences if d.step == 3] == [
        ("model_call", None, 23),
        ("model_reply", None, 24),
        ("card_start", None, 26),
        ("finish", None, 27),
    ]


def test_a_difference_is_data_for_a_program(path):
    comparison = compare(*runs(path, IN_THE_HEAD, MISREAD))
    said = ("It is 65°F in Paris.", "It is 18°F in Paris.")
    assert comparison.differences[0] == Difference(
        2,
        "model_reply",
        15,
        15,
        {"content": said},
        (("-", "reply", said[0]), ("+", "reply", said[1])),
    )
    data = json.loads(json.dumps(comparison.as_data()))
    assert (data["first"]["id"], data["second"]["id"]) == ("run", "run-2")
    assert data["differences"][0]["changed"] == {"content": [*said]}


def test_a_long_text_that_both_have_is_no_difference_wherever_it_stands(path):
    long = "It is 64°F in Paris. " * 30
    shifted = [PARIS, PARIS, long]
    comparison = compare(*runs(path, [PARIS, long], shifted))
    answers = [d for d in comparison.differences if d.event == "finish"]
    assert [(d.first is None, d.second is None) for d in answers] == [
        (False, True),
        (True, False),
    ]
    assert {d.says[-1][2] for d in answers} == {long}


def test_of_settings_only_those_that_differ_are_shown(path, tmp_path):
    (one,) = runs(path, RIGHT)
    (two,) = runs(tmp_path / "u.jsonl", RIGHT, max_steps=5)
    assert [d.changed for d in compare(one, two).differences] == [
        {"settings.max_steps": (10, 5)}
    ]
