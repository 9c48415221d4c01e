import copy
import json
import os
from pathlib import Path

import pytest

from mingraph_lite import Agent, KeepAll, ScriptedLLM
from mingraph_lite.lab.scenarios import get_weather, paris_and_tokyo
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import LastN, Summarise
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage
from mingraph_lite.observers import Announcer, Recorder
from mingraph_lite.trace import TraceRecorder, read_trace
from tests.trace.written import agent, announced, lines_of, named, recorder, written

PARIS = ToolCall("get_weather", {"city": "Paris"}, "c1")
LONG = "This is long. " * 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def test_each_announcement_is_a_line_in_its_order(path):
    heard = Recorder()
    observers = [recorder(path), heard]
    paris_and_tokyo.agent(observers=observers).run(paris_and_tokyo.question)
    lines = lines_of(path)
    assert [(e.seq, e.step, e.name) for e in heard.events] == [
        (line["seq"], line["step"], line["event"]) for line in lines
    ]
    assert {tuple(line)[:5] for line in lines} == {
        ("run", "seq", "step", "event", "ms")
    }
    assert [line["ms"] for line in lines[:3]] == [125.0, 250.0, 375.0]


def test_the_first_line_says_what_was_run(path):
    folder = KeepAll([UserMessage("Hello."), AssistantMessage("Hello!")])
    agent("18", path=path, prompt="Be brief.", memory=folder, max_steps=3).run("Go")
    first = lines_of(path)[0]
    assert first == {
        "run": "run",
        "seq": 1,
        "step": 0,
        "event": "run_start",
        "ms": 125.0,
        "format": 1,
        "package": "0.1.0",
        "started": "2023-11-14T22:13:20.500+00:00",
        "agent": "agent",
        "announced_as": "run-1",
        "model": {"name": None, "adapter": "ScriptedLLM"},
        "settings": {
            "system_prompt": "Be brief.",
            "max_steps": 3,
            "max_total_tokens": None,
            "max_cost": None,
            "max_seconds": None,
            "memory": "KeepAll",
            "tool_failures": "raise",
            "streamed": False,
        },
        "question": "Go",
        "folder": [
            {"role": "user", "content": "Hello."},
            {"role": "assistant", "content": "Hello!"},
        ],
    }


def test_a_reply_is_written_with_all_that_stands_on_its_envelope(path):
    reply = LLMResponse(
        AssistantMessage("18"),
        reasoning="It says so.",
        usage=Usage(374, 124, None, 3),
        finish_reason="stop",
        model="a model",
        notes=("no id",),
    )
    agent(reply, path=path).run("Go")
    assert named(lines_of(path), "model_reply") == [
        {
            "content": "18",
            "tool_calls": [],
            "reasoning": "It says so.",
            "refusal": None,
            "notes": ["no id"],
            "finish_reason": "stop",
            "model": "a model",
            "input_tokens": 374,
            "output_tokens": 124,
            "reasoning_tokens": None,
            "cached_tokens": 3,
        }
    ]


def test_a_call_and_what_it_returned_are_written_with_their_ticket(path):
    agent(PARIS, "18", path=path, tools=[get_weather]).run("Go")
    lines = lines_of(path)
    assert named(lines, "tool_call") == [
        {
            "id": "c1",
            "name": "get_weather",
            "arguments": {"city": "Paris"},
            "raw": None,
            "problem": None,
        }
    ]
    assert named(lines, "tool_return") == [
        {"content": "18", "tool_call_id": "c1", "name": "get_weather", "value": "18"}
    ]


def test_a_tool_that_fails_is_written_with_its_error(path):
    def boom() -> str:
        """Fail."""
        raise ConnectionError("no route")

    with pytest.raises(ConnectionError):
        agent(ToolCall("boom", {}, "c1"), path=path, tools=[boom]).run("Go")
    lines = lines_of(path)
    assert named(lines, "tool_error") == [
        {
            "content": "Error: ConnectionError in boom: no route",
            "tool_call_id": "c1",
            "name": "boom",
            "error": {"type": "ConnectionError", "text": "no route"},
        }
    ]
    assert named(lines, "finish") == [
        {
            "answer": None,
            "reason": "failed",
            "lost": {},
            "error": "ConnectionError: no route",
        }
    ]


def test_a_long_text_is_written_once(path):
    def echo(text: str) -> str:
        """Say it again."""
        return text

    slip = ToolCall("echo", {"text": LONG}, "c1")
    script = [slip, LONG, "18"]
    asked = agent(*script, path=path, tools=[echo], prompt=LONG)
    assert asked.run("Go") == {"answer": LONG}
    asked.run(LONG)
    text = path.read_text(encoding="utf-8")
    first, second = (len(t.split(LONG)) - 1 for t in text.split('"run": "run-2"', 1))
    # Of the prompt, and of the slip's arguments, which are no text of their own.
    assert first == 2
    assert second == 2
    assert [line["content"] for line in named(lines_of(path), "tool_return")] == [
        {"line": 1, "at": "settings.system_prompt"}
    ]


def test_what_is_read_out_are_places_and_what_stands_nowhere_is_said_once(path):
    summary = ScriptedLLM(["They talked."])
    memory = Summarise(summary, keep=1, over=2)
    script = [PARIS, ToolCall("get_weather", {"city": "Tokyo"}, "c2"), "18"]
    agent(*script, path=path, tools=[get_weather], memory=memory, prompt="P").run("Go")
    calls = named(lines_of(path), "model_call")
    assert [call["reads"] for call in calls[:1]] == [[["folder", 0, 2]]]
    assert sum("menu" in call for call in calls) == 1
    asides = [aside for call in calls for aside in call.get("asides", ())]
    assert len(asides) == 1
    assert "They talked." in asides[0]["content"]


def test_a_memory_that_hands_out_copies_repeats_no_text(path):
    class Copying(LastN):
        def messages(self):
            return [copy.copy(message) for message in super().messages()]

    agent(PARIS, "18", path=path, tools=[get_weather], memory=Copying(9)).run("Go")
    calls = named(lines_of(path), "model_call")
    assert [call["reads"] for call in calls] == [[["copies", 0, 1]], [["copies", 0, 3]]]


def test_a_card_says_its_source_once_in_a_run(path):
    agent(PARIS, "18", path=path, tools=[get_weather]).run("Go")
    cards = named(lines_of(path), "card_start")
    assert [(card["name"], "source" in card) for card in cards] == [
        ("CallingModel", True),
        ("RunningTools", True),
        ("CallingModel", False),
        ("Finished", True),
    ]
    assert cards[1]["fields"] == {"calls": {"slips": ["c1"]}, "step": 1}
    assert cards[2]["because"] == "every slip has its answer"


def test_each_run_gets_an_id_of_its_own(path):
    observer = TraceRecorder(path)
    for _ in range(2):
        Agent(ScriptedLLM(["18"]), [], "", observers=[observer]).run("Go")
    runs = read_trace(path).runs
    assert len({run.id for run in runs}) == 2
    assert {line["announced_as"] for line in named(lines_of(path), "run_start")} == {
        "run-1"
    }


def test_runs_of_one_name_that_take_turns_are_told_apart(path):
    observer = recorder(path)
    agents = [
        Agent(ScriptedLLM([PARIS, "18"]), [get_weather], "", observers=[observer])
        for _ in range(2)
    ]
    steps = [each.steps(f"Question {n}") for n, each in enumerate(agents)]
    for _ in range(4):
        for each in steps:
            next(each)
    for each in steps:
        assert next(each, None) is None
    trace = read_trace(path)
    assert [(run.id, run.question, run.reason) for run in trace.runs] == [
        ("run", "Question 0", "answered"),
        ("run-2", "Question 1", "answered"),
    ]
    for run in trace.runs:
        seqs = [line["seq"] for line in trace.run(run.id).lines]
        assert seqs == list(range(1, len(seqs) + 1))


def test_an_announcement_of_ones_own_is_written_under_its_name(path):
    assert announced(path, "tick", at="all", n=3, event=None) == {
        "run": "run",
        "seq": 1,
        "step": 0,
        "event": "tick",
        "ms": 125.0,
        "payload": {"at": "all", "n": 3, "event": None},
    }


def test_what_an_announcement_says_more_is_written_too(path):
    line = written(recorder(path), path, "warning", text="late", since=3)
    assert (line["text"], line["payload"]) == ("late", {"since": 3})


def test_an_announcement_that_is_not_as_it_was_is_written_as_it_is(path):
    line = written(recorder(path), path, "tool_return", call=1, value=2, message=None)
    assert line["payload"] == {"call": 1, "value": 2, "message": None}


def test_lost_announcements_of_a_recorder_are_a_gap_and_a_count(path, monkeypatch):
    import mingraph_lite.trace as module

    real, calls = module.append, iter(range(100))

    def full_once(*given):
        if next(calls) == 3:
            raise OSError("no space left")
        real(*given)

    monkeypatch.setattr(module, "append", full_once)
    agent("18", path=path).run("Go")
    lines = lines_of(path)
    assert [line["seq"] for line in lines] == [1, 2, 3, 5, 6, 7, 8, 9]
    assert named(lines, "finish")[0]["lost"] == {"TraceRecorder": 1}


def test_a_strict_recorder_that_cannot_write_ends_the_run(tmp_path):
    from mingraph_lite import ListenerFailed

    folder = tmp_path / "gone"
    observer = TraceRecorder(folder / "trace.jsonl", strict=True)
    folder.write_text("a file where the folder should be")
    asked = Agent(ScriptedLLM(["18"]), [], "", observers=[observer])
    with pytest.raises(ListenerFailed, match="TraceRecorder failed on run_start"):
        asked.run("Go")


@pytest.mark.parametrize("name", ["a b/tracé.jsonl", "deep/er/trace.jsonl"])
def test_E06_a_trace_is_utf_8_with_plain_line_ends_whatever_its_name(tmp_path, name):
    path = tmp_path / name
    line = announced(path, "tick", text="Tromsø → \U0001f9e3")
    assert line["payload"] == {"text": "Tromsø → \U0001f9e3"}
    raw = path.read_bytes()
    assert "Tromsø → \U0001f9e3".encode() in raw
    assert b"\r" not in raw
    assert raw.endswith(b"}\n")


def test_a_file_is_never_left_open(path):
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    agent("18", path=path).run("Go")
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert before == after


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"path": ""}, TypeError, "The path of a trace is ''"),
        ({"path": 3}, TypeError, "The path of a trace is 3"),
        ({"path": os.curdir}, IsADirectoryError, "is a folder"),
        ({"path": "a\0b"}, ValueError, r"no name of a file has a \\0 in it"),
        ({"path": "t", "secrets": "key"}, TypeError, "secrets is one text"),
        ({"path": "t", "longest": 0}, ValueError, "longest is 0"),
    ],
)
def test_what_cannot_be_a_recorder_is_refused_where_it_is_made(given, error, words):
    with pytest.raises(error, match=words):
        TraceRecorder(**given)


def test_a_recorder_that_only_hears_the_middle_of_a_run_writes_it(path):
    observer = recorder(path)
    announcer = Announcer([observer], run_id="r", agent="a")
    announcer.announce("step_start", step=2)
    announcer.announce("warning", text="late")
    assert [(x["run"], x["step"], x["event"]) for x in lines_of(path)] == [
        ("run", 2, "step_start"),
        ("run", 2, "warning"),
    ]
    assert json.dumps(read_trace(path).runs[0].reason) == '"incomplete"'


def test_a_copied_agent_writes_into_the_same_file(path):
    asked = agent("18", path=path)
    again = copy.deepcopy(asked)
    asked.run("Go")
    again.run("Go on")
    assert [run.question for run in read_trace(path).runs] == ["Go", "Go on"]


@pytest.mark.parametrize(
    "wrong", [{"run_id": 7}, {"longest": 0}, {"longest": 2.5}, {"clock": 5}, {"now": 1}]
)
def test_a_recorder_refuses_what_would_spoil_its_lines(tmp_path, wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        TraceRecorder(tmp_path / "t.jsonl", **wrong)


def test_what_a_line_is_found_by_is_neither_cut_nor_masked(tmp_path):
    path = tmp_path / "t.jsonl"
    observer = TraceRecorder(path, run_id="a-run", longest=5, secrets=["a", "finish"])
    Agent(ScriptedLLM(["ok"]), [], "", observers=[observer]).run("Go on")
    (run,) = read_trace(path).runs
    assert (run.id, run.reason, run.rounds) == ("a-run", "answered", 1)
