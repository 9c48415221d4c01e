import json
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from mingraph_lite import MingraphError, ToolCall
from mingraph_lite.lab.faults import FAULTS
from mingraph_lite.lab.scenarios import get_weather, never_satisfied, paris_and_tokyo
from mingraph_lite.recovery import Retries
from mingraph_lite.schema.lines import Problem
from mingraph_lite.trace import RunSummary, normalise, read_trace
from tests.trace.written import agent, recorder

HEAD = '{"run": "a", "seq": %d, "step": 0, "event": "%s", "ms": 1'
GOOD = [
    HEAD % (1, "run_start") + ', "format": 1, "question": "Go"}',
    HEAD % (2, "card_start") + "}",
    HEAD % (3, "step_start") + "}",
    HEAD % (4, "model_reply") + ', "input_tokens": 5, "output_tokens": null}',
    HEAD % (5, "warning") + ', "text": "Tromsø"}',
]
TORN = '{"event":"tool_ret'
BEGINS = "breaks off or is no JSON, and begins"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def file_of(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("\n".join(GOOD) + "\n", []),
        ("\n".join(GOOD), []),
        ("\r\n".join(GOOD) + "\r\n", []),
        ("\ufeff" + "\n".join(GOOD) + "\n", []),
        ("\n\n".join(GOOD) + "\n\n", []),
        ("\n".join([*GOOD, TORN]), [(6, f"{BEGINS} {json.dumps(TORN)}")]),
        ("\n".join([*GOOD, TORN]) + "\n\n", [(6, f"{BEGINS} {json.dumps(TORN)}")]),
        (
            "\n".join([*GOOD[:2], TORN, *GOOD[2:]]) + "\n",
            [(3, f"{BEGINS} {json.dumps(TORN)}")],
        ),
        ("\n".join(["null", *GOOD]), [(1, "is 'null', which is no JSON object")]),
        ("\n".join(["[1]", *GOOD]), [(1, "is '[1]', which is no JSON object")]),
        (
            "\n".join(['{"event":5}', *GOOD]),
            [(1, "is no line of a trace: its 'run' is missing")],
        ),
        (
            "\n".join([HEAD.replace("%d", '"1"') % "x" + "}", *GOOD]),
            [(1, "is no line of a trace: its 'seq' is '1'")],
        ),
        (
            "\n".join([*GOOD[:3], GOOD[3] + GOOD[4]]) + "\n",
            [(4, "has 2 objects without a line end between them")],
        ),
        (
            "\n".join([*GOOD[:4], GOOD[4] + TORN]) + "\n",
            [(5, f"has 1 whole, and what follows {BEGINS} {json.dumps(TORN)}")],
        ),
        (
            "\n".join([*GOOD, HEAD % (6, "warning") + ', "n": NaN}']),
            [(6, f"{BEGINS} {json.dumps((HEAD % (6, 'warning'))[:60])}")],
        ),
    ],
)
def test_E04_all_good_lines_are_read_and_bad_ones_are_reported(path, text, problems):
    trace = read_trace(file_of(path, text))
    assert [(p.line, p.what) for p in trace.problems] == problems
    assert trace.run("a").lines == tuple(map(json.loads, GOOD))
    assert trace.runs == (
        RunSummary("a", "Go", None, None, "incomplete", None, None, 1, 5),
    )


def test_E04_a_line_that_is_no_utf_8_is_reported(path):
    path.write_bytes(("\n".join(GOOD) + "\n").encode() + b'{"run": "\xff"}\n')
    assert read_trace(path).problems == (Problem(6, "is no UTF-8 at byte 9"),)


def test_E04_an_empty_file_has_no_runs(path):
    trace = read_trace(file_of(path, ""))
    assert (trace.runs, trace.problems) == ((), ())
    assert repr(trace) == "Trace(0 runs, 0 problems)"


def test_E04_strict_reading_raises_at_the_first_bad_line(path):
    file_of(path, "\n".join([GOOD[0], "null", *GOOD[1:], TORN]))
    with pytest.raises(ValueError, match="line 2: is 'null', which is no JSON object"):
        read_trace(path, strict=True)


def test_a_missing_file_is_said_to_be_missing(path):
    with pytest.raises(FileNotFoundError, match="There is no trace"):
        read_trace(path)


def test_a_run_that_is_not_there_is_answered_with_those_that_are(path):
    trace = read_trace(file_of(path, "\n".join(GOOD)))
    with pytest.raises(LookupError, match=r"No run 'b' in .* Runs in it: a\."):
        trace.run("b")


def finished(path: Path, scenario, **options) -> RunSummary:
    patient = Retries(sleep=[].append, chance=lambda: 0.0)
    options = {"retries": patient, **options}
    asked = scenario.agent(observers=[recorder(path)], **options)
    with suppress(MingraphError, ConnectionError):
        asked.run(scenario.question)
    return read_trace(path).runs[0]


@pytest.mark.parametrize(
    ("scenario", "reason", "finish", "rounds"),
    [
        (paris_and_tokyo, "answered", "answered", 3),
        (never_satisfied, "stopped", "step limit", 10),
        (FAULTS["tool_fails"], "failed", "failed", 1),
        (FAULTS["refusal"], "failed", "refused", 1),
    ],
)
def test_runs_are_listed_with_how_they_came_out(path, scenario, reason, finish, rounds):
    run = finished(path, scenario)
    assert (run.question, run.model) == (scenario.question, "ScriptedLLM")
    assert (run.reason, run.finish, run.rounds) == (reason, finish, rounds)
    assert run.started == "2023-11-14T22:13:20.500+00:00"


def test_a_run_that_was_left_is_stopped_and_one_that_was_killed_incomplete(path):
    steps = agent(ToolCall("x", {}), path=path).steps("Go")
    next(steps)
    assert read_trace(path).runs[0].reason == "incomplete"
    steps.close()
    assert read_trace(path).runs[0].reason == "stopped"
    assert read_trace(path).runs[0].finish == "abandoned"


def test_an_answer_that_is_degraded_is_listed_as_such(path):
    end = HEAD % (6, "finish") + ', "answer": "half", "reason": "degraded"}'
    assert read_trace(file_of(path, "\n".join([*GOOD, end]))).runs[0].reason == (
        "degraded"
    )


def test_runs_of_one_id_one_after_the_other_are_told_apart(path):
    text = "\n".join([*GOOD, *GOOD])
    trace = read_trace(file_of(path, text))
    assert [run.id for run in trace.runs] == ["a", "a (2)"]
    assert trace.run("a (2)").lines == trace.run("a").lines


def test_a_text_that_stands_elsewhere_is_found(path):
    long = "A long answer. " * 30
    agent(long, path=path).run("Go")
    run = read_trace(path).run("run")
    last = run.lines[-1]
    assert last["answer"] == {"line": 6, "at": "content"}
    assert run.told(last["answer"]) == long
    assert run.told("short") == "short"


def test_traces_of_the_same_run_are_the_same_without_ids_and_times(tmp_path):
    lines = []
    for ticket in ("call_1", "x-77"):
        path = tmp_path / f"{ticket}.jsonl"
        slip = ToolCall("get_weather", {"city": "Paris", "id": ticket[:1]}, ticket)
        options = {"run_id": None}
        asked = agent(slip, "18", path=path, tools=[get_weather])
        asked.observers = (recorder(path, **options),)
        asked.run("Go")
        trace = read_trace(path)
        lines.append(normalise(trace.run(trace.runs[0].id).lines))
    one, other = lines
    assert [line["event"] for line in one] == [line["event"] for line in other]
    slip = next(line for line in one if line["event"] == "tool_call")
    assert slip == {
        "run": "#1",
        "seq": 9,
        "step": 1,
        "event": "tool_call",
        "id": "#1",
        "name": "get_weather",
        "arguments": {"city": "Paris", "id": "c"},
        "raw": None,
        "problem": None,
    }
    own = {"arguments", "tool_calls", "content", "error"}
    strip = [{k: v for k, v in line.items() if k not in own} for line in one]
    assert strip == [{k: v for k, v in line.items() if k not in own} for line in other]


def test_E10_a_big_trace_is_listed_with_little_more_than_its_longest_line(path):
    filler = HEAD % (9, "warning") + ', "text": "%s"}\n'
    with path.open("w", encoding="utf-8") as file:
        for _ in range(30):
            file.write(filler % ("x" * 500_000))
        file.write("\n".join(GOOD))
    tracemalloc.start()
    trace = read_trace(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(trace.runs) == 2
    assert peak < 5 * 500_000  # of the 15 million characters of the file


def test_E10_one_run_is_read_without_the_others(path):
    other = GOOD[0].replace('"a"', '"b"')
    lines = [*GOOD[:2], other, *GOOD[2:], other.replace("run_start", "warning")]
    trace = read_trace(file_of(path, "\n".join(lines)))
    assert [run.id for run in trace.runs] == ["a", "b"]
    assert trace.run("a").lines == tuple(map(json.loads, GOOD))
    assert [line["event"] for line in trace.run("b").lines] == ["run_start", "warning"]


def test_a_long_answer_is_that_of_the_reply_that_said_it(path: Path) -> None:
    answer = "The answer is 64. " + "It is warm. " * 30
    agent(answer, path=path).run("Go")
    (run,) = read_trace(path).runs
    assert (run.reason, run.answer) == ("answered", answer)


def test_a_question_as_long_as_the_prompt_and_the_same_is_known(path: Path) -> None:
    question = "Why? " * 100
    agent("So.", path=path, prompt=question).run(question)
    assert read_trace(path).runs[0].question == question
