import json
from dataclasses import replace
from pathlib import Path

import pytest

from mingraph_lite.messages import ToolCall
from mingraph_lite.traces.comparing import Comparison, Difference, compare
from mingraph_lite.traces.layout import Layout
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


LONG = "All of this is the same in both. " * 30
WIDE = Layout(1000)


def shown_of(comparison: Comparison, layout: Layout = WIDE) -> list[str]:
    """The lines of what is shown that say where two texts part."""
    return [line for line in comparison.in_words(layout) if "differs after" in line]


def two_replies(folder: Path, *texts: str) -> Comparison:
    name = f"{len(list(folder.iterdir()))}.jsonl"
    return compare(*runs(folder / name, *([text] for text in texts)))


def test_long_texts_are_shown_where_they_differ(tmp_path):
    texts = [f"{LONG}It is {n} degrees.{' More.' * 200}" for n in (64, 65)]
    comparison = two_replies(tmp_path, *texts)
    assert comparison.differences[0].says == (
        ("-", "reply", texts[0]),
        ("+", "reply", texts[1]),
    )
    where = "(differs after 997 of 2,207 characters)"
    assert shown_of(comparison)[:2] == [
        f"  {mark}    6  reply      {where} …{text[917:1127]}…"
        for mark, text in zip("-+", texts, strict=True)
    ]
    assert " It is 64 degrees. More." in texts[0][917:1127]
    assert shown_of(comparison, Layout(100, whole=True)) == []


def test_a_text_that_ends_where_the_other_goes_on_is_shown_at_its_end(tmp_path):
    first, second, *_ = shown_of(two_replies(tmp_path, LONG, f"{LONG}And more."))
    assert "(differs after 990 of 990 characters) …" in first
    assert "(differs after 990 of 999 characters) …" in second
    assert (first[-13:], second[-23:]) == ("same in both.", "same in both. And more.")


def test_what_differs_early_or_fits_is_shown_from_its_beginning(tmp_path):
    early = two_replies(tmp_path, f"64 {LONG}", f"65 {LONG}")
    assert shown_of(early) == []
    assert "reply      64 All of this" in str(early)
    short = "x" * 270
    assert shown_of(two_replies(tmp_path, f"{short}64", f"{short}65")) == []


def tool_with(about: str):
    def look(text: str) -> str:
        return text

    look.__doc__ = about
    return look


def test_prompts_menus_and_arguments_are_shown_where_they_differ(path, tmp_path):
    def one_run(name: str, last: str):
        slip = ToolCall("look", {"text": LONG + last}, "c1")
        options = {"tools": [tool_with(LONG + last)], "question": f"Is it {last}?"}
        (run,) = runs(tmp_path / name, [slip, "Yes."], **options)
        settings = {**run.lines[0]["settings"], "system_prompt": LONG + last}
        first = {**run.lines[0], "settings": settings}
        return replace(run, lines=(first, *run.lines[1:]))

    shown = shown_of(compare(one_run("t", "64"), one_run("u", "65")))
    labels = [line.split()[2] for line in shown]
    assert {*labels} == {"settings.system_prompt", "menu", "reply", "runs", "returned"}
    assert [("64" in line, "65" in line) for line in shown] == [
        (line[2] == "-", line[2] == "+") for line in shown
    ]
