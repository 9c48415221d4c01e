"""A line for each question, and the questions that went another way."""

import copy
import json
import pickle
from contextlib import suppress
from pathlib import Path

import pytest

import mingraph_lite
from mingraph_lite import (
    Agent,
    ListenerFailed,
    MingraphError,
    ScriptedLLM,
    transcripts,
)
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.lab.faults import ALL_SCENARIOS, DECK
from mingraph_lite.lab.scenarios import never_satisfied, paris_and_tokyo
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall
from mingraph_lite.observers import Announcer, Recorder
from mingraph_lite.recovery import Retries
from mingraph_lite.schema.lines import Problem
from mingraph_lite.trace import TraceRecorder, read_trace
from mingraph_lite.transcripts import (
    QuestionLine,
    Transcribed,
    Transcript,
    Unusual,
    read_transcript,
    unusual,
)
from tests.trace.written import lines_of

STARTED = "2023-11-14T22:13:20.500+00:00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "questions.jsonl"


def transcript(path: Path, **options) -> Transcript:
    return Transcript(path, **{"now": lambda: 1_700_000_000.5, **options})


def agent(path: Path, *script, prompt: str = "", **options) -> Agent:
    return Agent(
        ScriptedLLM(script), [], prompt, observers=[transcript(path)], **options
    )


def asked(rounds: int, question: str = "Go", **more) -> QuestionLine:
    known = {"started": STARTED, "prompt": "", "answer": "18", "reason": "answered"}
    counts = {"error": None, "rounds": rounds, "errands": 0, "tokens": None}
    return QuestionLine(**{**known, **counts, "question": question, **more})


def test_a_question_is_one_line_with_prompt_answer_and_rounds(path):
    observers = [transcript(path)]
    paris_and_tokyo.agent(observers=observers).run(paris_and_tokyo.question)
    assert lines_of(path) == [
        {
            "started": STARTED,
            "question": "What's the temperature in Paris and in Tokyo, in Fahrenheit?",
            "prompt": "Use the tools. Never do the arithmetic yourself.",
            "answer": "Paris: 64°F, Tokyo: 75°F",
            "reason": "answered",
            "error": None,
            "rounds": 3,
            "errands": 4,
            "tokens": None,
        }
    ]


def test_a_question_without_an_answer_says_how_it_ended(path):
    def boom() -> str:
        """Fail."""
        raise ConnectionError("no route")

    with pytest.raises(MingraphError):
        never_satisfied.agent(observers=[transcript(path)]).run("Go")
    breaks = Agent(
        ScriptedLLM([ToolCall("boom", {})]), [boom], "", observers=[transcript(path)]
    )
    with pytest.raises(ConnectionError):
        breaks.run("Go")
    none = {"answer": None, "prompt": never_satisfied.system_prompt}
    assert read_transcript(path).lines == (
        asked(10, **none, reason="step limit", errands=10),
        asked(
            1,
            answer=None,
            reason="failed",
            error="ConnectionError: no route",
            errands=1,
        ),
    )


def test_tokens_are_counted_as_far_as_the_server_does(path):
    def reply(*counts: int | None) -> LLMResponse:
        return LLMResponse(AssistantMessage("18"), usage=Usage(*counts))

    for script in ([reply(374, 124)], [reply(None, 7)], ["18"]):
        agent(path, *script).run("Go")
    assert [line.tokens for line in read_transcript(path).lines] == [498, 7, None]


@pytest.mark.parametrize("name", {**ALL_SCENARIOS, **DECK})
def test_a_transcript_and_a_trace_tell_the_same_of_every_scenario(path, tmp_path, name):
    scenario = {**ALL_SCENARIOS, **DECK}[name]
    trace = tmp_path / "trace.jsonl"
    observers = [transcript(path), TraceRecorder(trace)]
    patient = Retries(sleep=[].append, chance=lambda: 0.0)
    with suppress(MingraphError, OSError):
        scenario.agent(observers=observers, retries=patient).run(scenario.question)
    (line,), (run,) = read_transcript(path).lines, read_trace(trace).runs
    assert (line.question, line.answer, line.reason, line.rounds, line.tokens) == (
        run.question,
        run.answer,
        run.finish,
        run.rounds,
        run.tokens,
    )
    called = [
        x for x in read_trace(trace).run(run.id).lines if x["event"] == "tool_call"
    ]
    assert line.errands == len(called)


def test_two_agents_that_are_both_at_run_1_have_a_line_each(path):
    both = transcript(path)
    agents = [
        Agent(ScriptedLLM([ToolCall("x", {}), name]), [], "", observers=[both])
        for name in ("one", "two")
    ]
    runs = [agent.steps("Go") for agent in agents]
    for _ in range(9):
        for run in runs:
            next(run, None)
    lines = read_transcript(path).lines
    assert [(line.answer, line.rounds, line.errands) for line in lines] == [
        ("one", 2, 1),
        ("two", 2, 1),
    ]


def test_it_changes_nothing_and_a_run_heard_in_the_middle_is_left_out(path):
    alone, heard = Recorder(), Recorder()
    paris_and_tokyo.agent(observers=[alone]).run(paris_and_tokyo.question)
    observers = [transcript(path), heard]
    paris_and_tokyo.agent(observers=observers).run(paris_and_tokyo.question)
    assert heard.names() == alone.names()
    announcer = Announcer([transcript(path)], run_id="r", agent="a")
    announcer.announce("step_start", step=2)
    announcer.announce_finish("18", "answered")
    assert len(lines_of(path)) == 1


@pytest.mark.parametrize("place", ["slip", "raw", "reasoning", "value", "menu"])
def test_what_a_run_tells_to_be_secret_anywhere_is_masked_as_in_its_trace(path, place):
    key = "Zq81LmNo90PqRs"

    def look(api_key: str = key if place == "menu" else "") -> dict[str, str]:
        """Look."""
        return {"db_token": key} if place == "value" else {}

    said = json.dumps({"api_key": key})
    slip = ToolCall(
        "look",
        {"api_key": key} if place == "slip" else {},
        "c1",
        raw=said if place == "raw" else None,
    )
    thought = f"api_key={key}" if place == "reasoning" else None
    script = [
        LLMResponse(AssistantMessage("", (slip,)), reasoning=thought),
        f"The key {key} works.",
    ]
    trace = path.with_name("trace.jsonl")
    observers = [transcript(path), TraceRecorder(trace)]
    Agent(ScriptedLLM(script), [look], "", observers=observers).run("Go")
    answers = [lines_of(each)[-1]["answer"] for each in (path, trace)]
    assert answers == ["The key *** works."] * 2


def test_E07_what_is_secret_stands_in_no_line(path):
    def gone(url: str) -> str:
        """Fail."""
        raise ConnectionError(f"no route to http://user:hunter22@host?api_key={KEY}")

    def send(request):
        raise ConnectionError(f"refused {KEY}")

    KEY = "canary-1234567890abcdef"
    known = transcript(path, secrets=["my-own-secret"])
    llm = OpenAIChat("m", base_url="http://localhost:1/v1", api_key=KEY, transport=send)
    with suppress(Exception):
        at_once = Retries(sleep=lambda seconds: None)
        asked = Agent(llm, [], "", observers=[known], retries=at_once)
        asked.run(f"Is {KEY} or my-own-secret right?")
    slip = ToolCall("gone", {"url": "x"}, "c1")
    with suppress(ConnectionError):
        Agent(ScriptedLLM([slip]), [gone], KEY, observers=[known]).run("Go")
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") == 2
    assert [s for s in (KEY, "my-own-secret", "hunter22") if s in text] == []


def test_a_question_whose_line_a_ctrl_c_struck_is_written_all_the_same(
    path, monkeypatch
):
    def struck(*given, **more):
        monkeypatch.setattr(transcripts, "append", append)
        raise KeyboardInterrupt

    append = transcripts.append
    monkeypatch.setattr(transcripts, "append", struck)
    with pytest.raises(KeyboardInterrupt):
        agent(path, "It is 18.").run("How warm is it?")
    assert [line["question"] for line in lines_of(path)] == ["How warm is it?"]


def test_a_long_text_is_cut_and_says_how_long_it_was(path):
    agent(path, "y" * 20_000, prompt="x" * 20_000).run("Go")
    (line,) = lines_of(path)
    assert len(line["prompt"]) < 10_100
    assert line["answer"].endswith("… [cut: 20,000 characters in all]")
    assert [(mark["at"], mark["what"]) for mark in line["marks"]] == [
        ("prompt", "cut"),
        ("answer", "cut"),
    ]


def test_a_strict_one_hands_no_answer_over_that_it_could_not_write(path):
    path.mkdir()
    observer = transcript(path / "t.jsonl", strict=True)
    (path / "t.jsonl").mkdir()
    with pytest.raises(ListenerFailed, match="Transcript failed on finish"):
        Agent(ScriptedLLM(["18"]), [], "", observers=[observer]).run("Go")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"path": ""}, TypeError, "The path of a transcript is ''"),
        ({"path": "a\0b"}, ValueError, r"no name of a file has a \\0 in it"),
        ({"path": "."}, IsADirectoryError, r"Name a file in it, such as ./transcript"),
        ({"path": "t", "secrets": "key"}, TypeError, "secrets is one text"),
        ({"path": "t", "longest": 0}, ValueError, "longest is 0"),
        ({"path": "t", "now": 5}, TypeError, "now is a function"),
    ],
)
def test_what_cannot_be_a_transcript_is_refused_where_it_is_made(given, error, words):
    with pytest.raises(error, match=words):
        Transcript(**given)


def test_a_copied_agent_writes_into_the_same_file(path):
    first = agent(path, "18")
    again = copy.deepcopy(first)
    first.run("Go")
    again.run("Go on")
    assert [x.question for x in read_transcript(path).lines] == ["Go", "Go on"]
    with pytest.raises(TypeError, match="A Transcript is not pickled"):
        pickle.dumps(first.observers[0])


def test_whatever_is_no_line_of_a_transcript_is_told_with_its_number(path):
    agent(path, "18").run("Go")
    good = path.read_text(encoding="utf-8")
    odd = json.dumps({**json.loads(good), "rounds": "3", "more": 1})
    path.write_text(f'{good}{odd}\n[1]\n{{"question": 1}}\n{good}{{"sta', "utf-8")
    odd_line = "is no line of a transcript: its"
    torn = 'breaks off or is no JSON, and begins "{\\"sta"'
    assert read_transcript(path) == Transcribed(
        (asked(1), asked(1)),
        (
            Problem(2, f"{odd_line} 'rounds' is '3'"),
            Problem(3, "is '[1]', which is no JSON object"),
            Problem(4, f"{odd_line} 'started' is missing"),
            Problem(6, torn),
        ),
    )


def test_a_missing_transcript_is_said_to_be_missing(path):
    with pytest.raises(
        FileNotFoundError, match=r"There is no transcript .*Transcript\("
    ):
        read_transcript(path)


def test_many_rounds_and_few_are_listed_the_farthest_out_first():
    usual = [asked(n) for n in (3, 3, 3, 4, 3, 3, 4, 3)]
    odd = [asked(6, "a long way"), asked(10, "round in circles"), asked(1, "skipped")]
    found = unusual([*usual, *odd])
    assert found == Unusual(11, 3, 2, 5, (odd[1], odd[0]), (odd[2],))
    assert str(found) == (
        """\
11 questions, median 3 rounds, usual are 2 to 5:
  many   10 rounds  2023-11-14T22:13:20  answered: round in circles
  many    6 rounds  2023-11-14T22:13:20  answered: a long way
  few     1 round   2023-11-14T22:13:20  answered: skipped"""
    )


def test_one_round_more_or_less_is_usual_and_one_huge_run_hides_no_other():
    alike = [asked(3)] * 9
    assert unusual([*alike, asked(4), asked(2)]).many == ()
    assert unusual([*alike, asked(4), asked(2)]).few == ()
    both = unusual([*alike, asked(5000), asked(5)])
    assert [line.rounds for line in both.many] == [5000, 5]


def test_of_too_few_lines_nothing_is_said():
    few = unusual([asked(n) for n in (1, 1, 1, 1, 1, 1, 99)])
    assert few == Unusual(7, None, None, None, (), ())
    assert str(few) == "7 questions: too few to say what is unusual. It takes 8."
    assert str(unusual([])).startswith("0 questions: too few")


def test_where_none_is_unusual_it_says_so():
    assert str(unusual([asked(2)] * 8)) == (
        "8 questions, median 2 rounds, usual are 1 to 3: none is unusual."
    )


def test_the_runs_of_a_trace_are_looked_through_the_same_way(tmp_path):
    path = tmp_path / "trace.jsonl"
    observer = TraceRecorder(path)
    slip = ToolCall("x", {})
    for script in [["18"]] * 8 + [[slip, slip, slip, "18"]]:
        Agent(ScriptedLLM(script), [], "", observers=[observer]).run("Go")
    runs = read_trace(path).runs
    assert unusual(runs).many == (runs[-1],)


def test_the_package_offers_it():
    assert mingraph_lite.Transcript is Transcript
