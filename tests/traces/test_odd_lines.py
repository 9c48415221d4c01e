"""A trace whose lines say not what they should is read as far as it goes."""

import json
import random
from typing import Any

import pytest

from mingraph_lite.trace import read_trace
from mingraph_lite.traces.comparing import compare
from mingraph_lite.traces.in_words import list_in_words, run_in_words
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.many_runs import table_of
from mingraph_lite.traces.wrong_line import first_wrong_line
from mingraph_lite.views.from_trace import frames_of
from tests.traces.recorded import FOR_EVER, IN_THE_HEAD, RIGHT, write

STAMPS = {"run", "seq", "step", "event", "ms"}
ODD: list[Any] = [
    *(None, 3, "x", [], {}, [[1]], [{"a": 1}]),
    *({"line": 999, "at": "a"}, {"line": 1, "at": "question"}),
]
LISTS = {"properties": ["city"], "required": 3}


def mangled(line: str, chance: random.Random) -> str:
    """The line with some of what it says gone, and some of it something else."""
    said = json.loads(line)
    for key in said.keys() - STAMPS:
        if chance.random() < 0.15:
            said[key] = chance.choice(ODD)
        elif chance.random() < 0.05:
            del said[key]
    return json.dumps(said)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_lines_say_each_view_shows_what_is_left(tmp_path, seed):
    path = write(tmp_path / "t.jsonl", RIGHT, IN_THE_HEAD, FOR_EVER, max_steps=3)
    chance = random.Random(seed)
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [mangled(line, chance) for line in lines if chance.random() > 0.08]
    path.write_text("\n".join(kept), encoding="utf-8")
    trace = read_trace(path)
    runs = [trace.run(run.id) for run in trace.runs]
    assert len(runs) >= 3
    for run in runs:
        # Whatever a line is shown as, its number is there for whoever looks it up.
        shown = "\n".join(run_in_words(run, Layout()))
        replies = [x["seq"] for x in run.lines if x["event"] == "model_reply"]
        assert all(f"{seq:>5}  " in shown for seq in replies)
        assert str(first_wrong_line(run)).count("\n\n") == 4
        assert compare(run, run).differences == ()
        assert table_of([run], ["64"]).n == 1


@pytest.mark.parametrize(
    ("event", "odd"),
    [
        ("run_start", {"marks": [{"at": "question", "what": "cut", "length": "long"}]}),
        ("run_start", {"marks": [{"at": 3, "what": ["cut"]}, "cut", None]}),
        ("run_start", {"settings": {"system_prompt": 10**400, "max_steps": []}}),
        ("model_call", {"menu": [{"function": {"name": "x", "parameters": "none"}}]}),
        (
            "model_call",
            {"menu": [{"function": {"name": "get_weather", "parameters": LISTS}}]},
        ),
        ("model_call", {"reads": [["folder", 0, 10**300]], "menu": 3}),
        ("model_reply", {"input_tokens": 10**4000, "output_tokens": 10**4000}),
        ("model_reply", {"content": "9" * 400, "tool_calls": []}),
        ("message_added", {"of": 999}),
        ("tool_return", {"tool_call_id": [], "content": "\x1b[2J\x00"}),
        ("finish", {"reason": "failed", "error": "a\x00b: c", "answer": None}),
        ("finish", {"reason": "x" * 10_000}),
        ("retry", {"wait": 10**400, "tries": 1, "error": {"type": 1, "text": 2}}),
        ("retry", {"wait": 1e999}),
        ("\x1b[2J", {"payload": {"n": 1e999}}),
    ],
)
def test_a_line_that_says_what_it_should_not_is_shown(tmp_path, event, odd):
    path = write(tmp_path / "t.jsonl", RIGHT)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    known = [line for line in lines if line["event"] == event] or lines[3:4]
    for line in known:
        line |= {"event": event, **odd}
    text = "\n".join(map(json.dumps, lines)).replace("Infinity", "1e999")
    path.write_text(text, encoding="utf-8")
    trace = read_trace(path)
    assert trace.problems == ()
    run = trace.run("run")
    assert all("\x1b" not in line for line in run_in_words(run, Layout()))
    assert str(first_wrong_line(run)).count("\n\n") == 4
    assert compare(run, run).differences == ()
    assert table_of([run], ["64"]).n == 1
    assert max(map(len, list_in_words(trace, Layout()))) <= 100
    assert json.dumps(list(frames_of(run)), allow_nan=False).isascii()
