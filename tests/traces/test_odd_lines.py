"""A trace whose lines say not what they should is read as far as it goes."""

import json
import random
from typing import Any

import pytest

from mingraph_lite.trace import read_trace
from mingraph_lite.traces.comparing import compare
from mingraph_lite.traces.in_words import run_in_words
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.many_runs import table_of
from mingraph_lite.traces.wrong_line import first_wrong_line
from tests.traces.recorded import FOR_EVER, IN_THE_HEAD, RIGHT, write

STAMPS = {"run", "seq", "step", "event", "ms"}
ODD: list[Any] = [
    *(None, 3, "x", [], {}, [[1]], [{"a": 1}]),
    *({"line": 999, "at": "a"}, {"line": 1, "at": "question"}),
]


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
