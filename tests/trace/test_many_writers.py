"""Several threads and processes write to one file."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.lab.scenarios import get_weather
from mingraph_lite.messages import ToolCall
from mingraph_lite.observers import Announcer
from mingraph_lite.trace import TraceRecorder, read_trace
from tests.trace.written import lines_of

LINES = 200
SIZES = [1, 300, 5_000, 200_000]


def write(recorder: TraceRecorder, who: int) -> None:
    """Lines of 1 byte to 200 KB, as one run; few of them are long."""
    announcer = Announcer([recorder], run_id="r", agent=str(who))
    for n in range(LINES):
        size = SIZES[3 if n % 50 == who else n % 3]
        announcer.announce("tick", who=who, n=n, text="x" * size)


def check(path: Path, writers: int) -> None:
    """Every line is whole, and each announcement is there once."""
    lines = [line["payload"] for line in lines_of(path)]
    assert sorted((line["who"], line["n"]) for line in lines) == [
        (who, n) for who in range(writers) for n in range(LINES)
    ]
    trace = read_trace(path, strict=True)
    assert len(trace.runs) == writers
    for run in trace.runs:
        seqs = [line["seq"] for line in trace.run(run.id).lines]
        assert seqs == list(range(1, LINES + 1))


@pytest.mark.parametrize("shared", [True, False])
def test_E03_8_threads_write_to_one_file(tmp_path, shared):
    path = tmp_path / "trace.jsonl"
    one = TraceRecorder(path)
    with ThreadPoolExecutor(8) as pool:
        done = [
            pool.submit(write, one if shared else TraceRecorder(path), who)
            for who in range(8)
        ]
        for each in done:
            each.result()
    check(path, 8)


def in_a_child(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return child


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")
def test_E03_4_processes_write_to_one_file(tmp_path):
    path = tmp_path / "trace.jsonl"
    children = [
        in_a_child(lambda who=who: write(TraceRecorder(path), who)) for who in range(4)
    ]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    check(path, 4)


def test_E03_agents_of_several_threads_share_one_recorder(tmp_path):
    path = tmp_path / "trace.jsonl"
    recorder = TraceRecorder(path)

    def ask(n: int) -> None:
        slip = ToolCall("get_weather", {"city": "Paris"}, f"c{n}")
        agent = Agent(
            ScriptedLLM([slip, f"{n}"]), [get_weather], "", observers=[recorder]
        )
        agent.run(f"Question {n}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(24)))
    trace = read_trace(path, strict=True)
    assert sorted((run.question, run.answer) for run in trace.runs) == sorted(
        (f"Question {n}", str(n)) for n in range(24)
    )
    for run in trace.runs:
        lines = trace.run(run.id).lines
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        answered = [x["tool_call_id"] for x in lines if x["event"] == "tool_return"]
        assert answered == [f"c{run.answer}"]


def test_E08_a_return_is_paired_with_its_call_by_its_ticket(tmp_path):
    path = tmp_path / "trace.jsonl"

    def slow(text: str) -> str:
        """Say it."""
        return text

    slips = [ToolCall("slow", {"text": text}, f"c{text}") for text in "abc"]
    agent = Agent(
        ScriptedLLM([slips, "done"]), [slow], "", observers=[TraceRecorder(path)]
    )
    agent.run("Go")
    lines = lines_of(path)
    calls = {x["id"]: x for x in lines if x["event"] == "tool_call"}
    returns = [x for x in lines if x["event"] == "tool_return"]
    assert [(x["tool_call_id"], x["name"], x["content"]) for x in returns] == [
        ("ca", "slow", "a"),
        ("cb", "slow", "b"),
        ("cc", "slow", "c"),
    ]
    assert [calls[x["tool_call_id"]]["arguments"] for x in returns] == [
        {"text": text} for text in "abc"
    ]


def test_a_run_that_ends_while_a_line_is_written_is_written_after_it(tmp_path):
    path = tmp_path / "trace.jsonl"

    class Nested(TraceRecorder):
        """Hears another announcement in the middle of one, as from a collected run."""

        def _about(self, event):
            Announcer([self], run_id="other", agent="b").announce("tick")
            return super()._about(event)

    Announcer([Nested(path)], run_id="r", agent="a").announce("run_start", question="")
    assert [line["event"] for line in lines_of(path)] == ["run_start", "tick"]
