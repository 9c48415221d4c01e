import json
import os
import re
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
from tests.lines import grows_with_its_input
from tests.trace.written import agent, recorder

HEAD = '{"run": "a", "seq": %d, "step": 0, "event": "%s", "ms": 1'
GOOD = [
    HEAD % (1, "run_start") + ', "format": 1, "question": "Go"}',
    HEAD % (2, "card_start") + "}",
    HEAD % (3, "step_start") + "}",
    HEAD % (4, "model_reply") + ', "input_tokens": 5, "output_tokens": null}',
    HEAD % (5, "warning") + ', "text": "Tromsø"}',
]
DEEP = "[" * 3000 + "]" * 3000
TORN = '{"event":"tool_ret'
TORN_AND_ON = json.dumps((TORN + GOOD[4])[:60])
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
            "\n".join([*GOOD[:4], TORN + GOOD[4]]) + "\n",
            [(5, f"has 1 whole behind what {BEGINS} {TORN_AND_ON}")],
        ),
        (
            "\n".join([*GOOD, f'{HEAD % (6, "warning")}, "n": {"9" * 5000}}}']),
            [(6, "has a number of more digits than Python reads")],
        ),
        (
            "\n".join([*GOOD, f'{HEAD % (6, "warning")}, "n": {DEEP}}}']),
            [(6, "is nested too deep")],
        ),
        (
            "\n".join([GOOD[0], HEAD % (2**60, "x") + "}", *GOOD[1:]]),
            [(2, f"is no line of a trace: its 'seq' is {2**60}")],
        ),
        (
            "\n".join([GOOD[0], "\0" * 99, *GOOD[1:]]),
            [(2, f"{BEGINS} {json.dumps(chr(0) * 60)}")],
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


def test_half_a_character_is_replaced_and_told(path):
    line = HEAD % (1, "run_start") + ', "format": 1, "question": "a \\ud83d b"}'
    trace = read_trace(file_of(path, line))
    assert trace.runs[0].question == "a \ufffd b"
    whole = "has half a character, which is read as \ufffd"
    assert trace.problems == (Problem(1, whole),)
    emoji = line.replace("ud83d", "ud83d\\ude00")
    assert read_trace(file_of(path, emoji)).runs[0].question == "a \U0001f600 b"
    assert read_trace(path).problems == ()


AS_OURS = "it is read as format 1, as far as it goes"
NEWER = (
    "is of format 2, which is newer than this mingraph_lite: it reads format 1. What "
    "is new in it is not understood, the rest is shown. A newer mingraph_lite reads "
    "all of it"
)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ('"format": 2, ', NEWER),
        (
            '"format": "1", ',
            "is of format '1'; it is read as format 1, as far as it goes",
        ),
        (
            '"format": true, ',
            "is of format True; it is read as format 1, as far as it goes",
        ),
        ("", "says no format; it is read as format 1, as far as it goes"),
    ],
)
def test_another_format_is_told_once_and_read_as_far_as_it_goes(path, given, what):
    lines = [GOOD[0].replace('"format": 1, ', given), *GOOD[1:]]
    trace = read_trace(file_of(path, "\n".join(lines * 2)))
    assert trace.problems == (Problem(1, what),)
    assert [run.question for run in trace.runs] == ["Go", "Go"]
    if what is NEWER:
        with pytest.raises(ValueError, match="line 1: is of format 2, which is newer"):
            read_trace(path, strict=True)
    else:
        assert read_trace(path, strict=True).problems == trace.problems
    assert len(trace.run("a").lines) == 5


def test_runs_of_one_id_that_overlap_are_read_apart_and_told(path):
    lines = [*GOOD[:3], *GOOD[:2], *GOOD[3:], *GOOD[2:]]
    trace = read_trace(file_of(path, "\n".join(lines)))
    expected = tuple(map(json.loads, GOOD))
    assert [trace.run(run.id).lines for run in trace.runs] == [expected] * 2
    (problem,) = trace.problems
    assert str(problem).startswith("line 4: begins a run while another of the id 'a'")
    with pytest.raises(ValueError, match="line 4: begins a run while another"):
        read_trace(path, strict=True)


def test_a_line_of_many_objects_is_read_once(path):
    def job(count: int):
        welded = "".join(HEAD % (n, "warning") + "}" for n in range(1, count + 1))
        file = file_of(path.with_suffix(f".{count}"), welded)
        return lambda: read_trace(file).run("a").lines

    assert [line["seq"] for line in job(3)()] == [1, 2, 3]
    assert grows_with_its_input(job)


@pytest.mark.parametrize(
    "later", ["", "\n".join(GOOD[:2]), GOOD[0].replace('"a"', '"b"') + "\n", "x" * 999]
)
def test_a_file_that_was_cut_or_replaced_since_says_so(path, later):
    trace = read_trace(file_of(path, "\n".join(GOOD)))
    file_of(path, later)
    with pytest.raises(LookupError, match="is not what it was when its runs were"):
        trace.run("a")


def test_a_file_that_is_gone_since_is_said_to_be_missing(path):
    trace = read_trace(file_of(path, "\n".join(GOOD)))
    path.unlink()
    with pytest.raises(FileNotFoundError, match="There is no trace"):
        trace.run("a")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_or_a_device_is_refused_before_it_is_waited_for(path):
    os.mkfifo(path)
    for name in (path, "/dev/zero"):
        with pytest.raises(OSError, match="is a pipe or a device, and is read"):
            read_trace(name)


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


def test_a_line_that_was_taken_out_is_told_and_strict_refuses_it(path):
    agent("18", "19", path=path).run("Go")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4] + lines[5:]))
    what = "line 5: goes on with seq 6 of run 'run', and seq 5 is missing"
    assert [str(problem) for problem in read_trace(path).problems] == [what]
    with pytest.raises(ValueError, match=re.escape(f"{path}, {what}.")):
        read_trace(path, strict=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")
def test_a_run_that_was_forked_in_its_middle_is_told(path):
    def fork() -> str:
        """Go on in two processes."""
        children.append(os.fork())
        return "ok"

    children: list[int] = []
    try:
        agent(ToolCall("fork", {}, "a"), "18", tools=[fork], path=path).run("Go")
    finally:
        if children == [0]:
            os._exit(0)
    os.waitpid(children[0], 0)
    [problem] = read_trace(path).problems
    assert problem.what.startswith("has seq 10 of run 'run'")
    assert "one was forked in the middle of it" in problem.what
