from pathlib import Path

import pytest

from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.observers import Announcer
from mingraph_lite.trace import read_trace
from mingraph_lite.traces.in_words import list_in_words, run_in_words
from mingraph_lite.traces.layout import Layout
from tests.trace.written import recorder
from tests.traces.recorded import PARIS, RIGHT, the_run, write

LAYOUT = Layout(width=90)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def boom(city: str) -> str:
    """Fail."""
    raise ConnectionError("no route")


def test_a_run_is_shown_line_by_line(path):
    reply = LLMResponse(
        AssistantMessage("It is 64°F."),
        reasoning="18 is 64.",
        usage=Usage(453, 80, None, None),
        notes=("no id",),
    )
    run = the_run(path, [PARIS, reply])
    assert "\n".join(run_in_words(run, Layout(width=80))) == (
        """\
Run run: answered, 2 rounds, 533 tokens
  question  How warm is it in Paris, in Fahrenheit?
  model     ScriptedLLM
  started   2023-11-14T22:13:20.500+00:00
  prompt    Use the tools.
  settings  max_steps=10, memory="KeepAll", tool_failures="raise",
            streamed=false
  tool      get_weather: The temperature in a city, in degrees Celsius. (on the
            menu in line 5)
  tool      to_fahrenheit: Convert degrees Celsius to degrees Fahrenheit. (on
            the menu in line 5)
    1  question   How warm is it in Paris, in Fahrenheit?
    3  card       CallingModel

[step 1]
    5  reads out  lines 1 to 2
    6  reply      #1 get_weather(city="Paris")
    8  card       RunningTools, because the reply passed one slip
    9  runs       #1 get_weather(city="Paris")
   10  returned   #1 18
   12  card       CallingModel, because every slip has its answer

[step 2]
   14  reads out  lines 1 to 4
   15  reply      It is 64°F.
   15  thinks     18 is 64.
   15  note       no id
   15  tokens     in 453, out 80
   17  card       Finished, because the reply passed no slip
   18  finish     answered
   18  answer     It is 64°F."""
    )


def test_a_tool_that_failed_ends_what_is_shown_with_its_error(path):
    run = the_run(path, [ToolCall("boom", {"city": "Oslo"}, "c1")], tools=[boom])
    assert run_in_words(run, LAYOUT)[-4:] == [
        '    9  runs       #1 boom(city="Oslo")',
        "   10  error      #1 Error: ConnectionError in boom: no route",
        "   12  finish     failed",
        "   12  error      ConnectionError: no route",
    ]


def test_a_run_that_was_killed_is_shown_up_to_there(path):
    the_run(path, [PARIS, "18"])
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:9]), encoding="utf-8")
    text = run_in_words(read_trace(path).run("run"), LAYOUT)
    assert text[0] == "Run run: incomplete, 1 round, tokens not counted"
    assert text[-3:] == [
        '    9  runs       #1 get_weather(city="Paris")',
        "",
        "The run has no end here: it was killed, or it is still running.",
    ]


def test_a_long_text_is_cut_with_its_length_told_and_whole_on_demand(path):
    run = the_run(path, ["long " * 100])
    cut = [line for line in run_in_words(run, LAYOUT) if "characters in all" in line]
    assert [line.partition("(")[2] for line in cut] == ["500 characters in all)"] * 2
    whole = "\n".join(run_in_words(run, Layout(width=90, whole=True)))
    assert whole.count("long") == 200
    assert "characters in all" not in whole


def test_signs_that_move_a_terminal_are_written_out(path):
    run = the_run(path, ["\x1b[31mred\u202e\r\nnext"])
    shown = "\n".join(run_in_words(run, LAYOUT))
    assert "    6  reply      \\x1b[31mred\\u202e\n                  next\n" in shown


def test_what_is_masked_and_cut_is_marked(path):
    observer = recorder(path, secrets=["sesame-opens"], longest=30)
    announcer = Announcer([observer], run_id="r", agent="a")
    announcer.announce("warning", text="The word is sesame-opens, " + "." * 40)
    assert run_in_words(read_trace(path).run("run"), LAYOUT)[1:4] == [
        "    1  warning    The word is ***, .............… [cut: 57 characters in all]",
        "       (marked)   text is masked",
        "       (marked)   text is cut of 57 characters",
    ]


def test_an_announcement_of_ones_own_is_shown_with_what_it_says(path):
    announcer = Announcer([recorder(path)], run_id="r", agent="a")
    announcer.announce("tick", at="noon")
    text = run_in_words(read_trace(path).run("run"), LAYOUT)
    assert text[1] == '    1  tick       {"at": "noon"}'


def test_a_line_that_says_not_what_it_should_is_shown_as_it_is(path):
    line = '{"run": "r", "seq": 1, "step": 0, "event": "finish", "ms": 0}'
    path.write_text(f"{line}\n")
    text = run_in_words(read_trace(path).run("r"), LAYOUT)
    assert text[1] == f"    1  finish     {line}"


def test_signs_of_two_places_are_counted_as_two(path):
    run = the_run(path, ["\u4e8c\u5341\u4e00 " * 20, "18"])
    lines = [line for line in run_in_words(run, LAYOUT) if "\u4e8c" in line]
    assert [line.count("\u4e8c") for line in lines] == [10, 10] * 2


def test_a_date_is_not_broken_in_a_narrow_terminal(path):
    lines = run_in_words(the_run(path, RIGHT), Layout(40))
    at = lines.index("  started")
    assert lines[at + 1] == "    2023-11-14T22:13:20.500+00:00"


@pytest.mark.parametrize(
    ("id", "listed"),
    [
        ("weather-of-berlin", "weather-of-berl…"),
        ("weather-of-berlin (2)", "weather-of-… (2)"),
        ("weather-of-berlin-12", "weather-of-b…-12"),
        ("weather (2)", "weather (2)"),
    ],
)
def test_a_long_id_keeps_the_number_that_tells_it_apart(path, id, listed):
    write(path, RIGHT)
    text = path.read_text(encoding="utf-8").replace('"run": "run"', f'"run": "{id}"')
    path.write_text(text, encoding="utf-8")
    assert listed in list_in_words(read_trace(path), LAYOUT)[1]
