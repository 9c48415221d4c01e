"""The frames of a trace are those of the live run."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mingraph_lite import Agent, KeepAll, LastN, ScriptedLLM, Summarise
from mingraph_lite.cards import Card, RunningTools
from mingraph_lite.lab.faults import ALL_SCENARIOS, DECK
from mingraph_lite.lab.scenarios import get_weather, paris_and_tokyo
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage
from mingraph_lite.recovery import Retries
from mingraph_lite.trace import TracedRun, TraceRecorder, read_trace
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import frames
from mingraph_lite.views.from_trace import frames_of
from tests.trace.written import recorder

LONG = "This is long. " * 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def patient() -> Retries:
    return Retries(sleep=[].append, chance=lambda: 0.0)


def traced(path: Path, place: int = 0) -> TracedRun:
    trace = read_trace(path, strict=True)
    return trace.run(trace.runs[place].id)


def both(agent: Agent, path: Path, question: str = "Go") -> tuple[list[Frame], ...]:
    """The frames of a live run, and those of its trace."""
    agent.observers = (*agent.observers, recorder(path))
    live = list(frames(agent, question))
    return live, list(frames_of(traced(path)))


@pytest.mark.parametrize("name", {**ALL_SCENARIOS, **DECK})
@pytest.mark.parametrize("failures", ["raise", "answer"])
def test_every_scenario_has_the_frames_of_its_live_run(path, name, failures):
    scenario = {**ALL_SCENARIOS, **DECK}[name]
    agent = scenario.agent(retries=patient(), tool_failures=failures)
    live, told = both(agent, path, scenario.question)
    assert told == live


@dataclass(frozen=True)
class Asking(Card):
    """Ask somebody first."""

    card: RunningTools
    notes: tuple[str, ...] = ("a", "b")
    text: str = LONG
    secret: object = field(default=None, repr=False)
    kind = "human"

    def run(self, desk):
        desk.announcer.announce("asked", calls=self.card.calls, about={1, 2}, n=3)
        return self.card


class Plain(Card):
    def __init__(self, held):
        super().__init__(because="made by hand")
        object.__setattr__(self, "held", held)

    def run(self, desk):
        return self.held


@pytest.mark.parametrize("card", [Asking, Plain])
def test_cards_of_ones_own_are_drawn_as_they_were(path, card):
    agent = paris_and_tokyo.agent(before={RunningTools: card})
    live, told = both(agent, path, paris_and_tokyo.question)
    assert told == live
    assert card.__name__ in {frame["card"]["name"] for frame in told if frame["card"]}


class Copying(KeepAll):
    """A memory that hands out copies, backwards, and says one line twice."""

    def messages(self):
        lines = [copy.copy(message) for message in super().messages()]
        return [*lines, copy.copy(lines[0])] if len(lines) > 1 else lines


@pytest.mark.parametrize(
    "memory",
    [
        lambda: KeepAll([UserMessage("Go"), AssistantMessage("18"), UserMessage("Go")]),
        lambda: LastN(3),
        lambda: Summarise(ScriptedLLM(["They talked."] * 9), keep=1, over=2),
        Copying,
        lambda: Copying([UserMessage("Go"), AssistantMessage("18")]),
    ],
)
def test_what_memories_read_out_is_drawn_as_it_was(path, memory):
    slips = [ToolCall("get_weather", {"city": city}) for city in ("Paris", "Tokyo")]
    script = [*slips, [*slips], "Go"]
    agent = Agent(ScriptedLLM(script), [get_weather], LONG, memory=memory())
    live, told = both(agent, path)
    assert told == live


def test_every_kind_of_long_text_is_drawn_as_it_was(path):
    def look(city: str) -> dict[str, object]:
        """Look it up."""
        return {"said": LONG + "said", "n": 3}

    def echo(text: str) -> str:
        """Say it again."""
        return text

    slips = (
        ToolCall("look", {"city": LONG + "city"}, "a", raw=LONG),
        ToolCall("echo", {"text": LONG}, "a"),
        ToolCall("nowhere", {}, "", problem=LONG),
    )
    reply = LLMResponse(
        AssistantMessage(LONG, slips), LONG, Usage(5, 4, 3, 2), "tool_calls", "m"
    )
    agent = Agent(ScriptedLLM([reply, LONG]), [look, echo], LONG)
    live, told = both(agent, path, LONG)
    assert told == live


def test_a_run_that_goes_on_from_a_card_is_drawn_as_it_was(path):
    agent = Agent(
        ScriptedLLM([ToolCall("get_weather", {"city": "Paris"}), "18"]),
        [get_weather],
        "",
        observers=[recorder(path)],
    )
    steps = agent.steps("Go")
    card = [next(steps), next(steps)][-1]
    agent.pause()
    live = list(frames(agent, card))
    assert list(frames_of(traced(path, 1))) == live
    assert [f["outcome"] for f in frames_of(traced(path, 0))][-1] == {
        "reason": "paused",
        "answer": None,
        "error": None,
    }


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError(), StopIteration(3)])
def test_a_run_that_broke_off_is_drawn_as_it_was(path, error):
    def boom() -> str:
        """Fail."""
        raise error

    agent = Agent(ScriptedLLM([ToolCall("boom", {})]), [boom], "")
    agent.observers = (recorder(path),)
    live: list[Frame] = []
    try:
        live.extend(frames(agent, "Go"))
    except KeyboardInterrupt:
        assert isinstance(error, KeyboardInterrupt)
    told = list(frames_of(traced(path)))
    assert told[: len(live)] == live
    assert told[-1]["outcome"] is not None
    assert told[-1]["outcome"]["error"]


def test_a_run_that_was_killed_has_the_frames_up_to_there(path):
    live, told = both(paris_and_tokyo.agent(), path, paris_and_tokyo.question)
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        path.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
        trace = read_trace(path)
        for run in trace.runs:
            part = list(frames_of(trace.run(run.id)))
            assert part == live[: len(part)]
    assert told == live


@pytest.mark.parametrize(
    "value", [[*range(100)], {f"city {n}": n for n in range(50)}, ["Paris"] * 50]
)
@pytest.mark.parametrize("longest", [30, 90])
def test_a_long_value_that_was_cut_is_a_return_like_others(path, value, longest):
    def look() -> object:
        """Look at much."""
        return value

    asked = Agent(ScriptedLLM([ToolCall("look", {}, "a"), "Seen."]), [look], "")
    asked.observers = (recorder(path, longest=longest),)
    live = list(frames(asked, "Go"))
    told = list(frames_of(traced(path)))
    [returned] = [e for f in live for e in f["events"] if e["name"] == "tool_return"]
    [again] = [e for f in told for e in f["events"] if e["seq"] == returned["seq"]]
    whole = json.dumps(value, ensure_ascii=False)
    cut = f"#1 {whole[:longest]}… [cut: {len(whole):,} characters in all]"
    notes = [f"content: cut of {len(whole):,} characters"]
    assert again == {**returned, "what": cut, "value": None, "notes": notes}


def test_what_was_cut_or_masked_is_drawn_with_a_note(path):
    def talk() -> str:
        """Talk."""
        return "a secret word " + "word " * 100

    observer = TraceRecorder(path, secrets=["secret word"], longest=200)
    agent = Agent(
        ScriptedLLM([ToolCall("talk", {}), "18"]), [talk], "", observers=[observer]
    )
    live = list(frames(agent, "Go"))
    told = list(frames_of(traced(path)))
    notes = [
        note for frame in told for event in frame["events"] for note in event["notes"]
    ]
    assert "content: masked" in notes
    assert "content: cut of 506 characters" in notes
    assert len(live) == len(told)
    line = told[2]["lines"][0]["text"]
    assert line.startswith("a *** word word")
    assert line.endswith("… [cut: 506 characters in all]")


def spoiled(lines: list[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    """The lines of a run, each key of each of them gone or of another kind once."""
    for place, line in enumerate(lines):
        for key in list(line)[5:]:
            for odd in (None, 5, "x", [], {}):
                yield [*lines[:place], {**line, key: odd}, *lines[place + 1 :]]
            rest = {k: v for k, v in line.items() if k != key}
            yield [*lines[:place], rest, *lines[place + 1 :]]
        yield [*lines[:place], *lines[place + 1 :]]


def test_E04_a_line_of_wrong_types_is_drawn_and_breaks_nothing(path):
    both(paris_and_tokyo.agent(), path, paris_and_tokyo.question)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    drawn = [len(list(frames_of(each))) for each in spoiled(lines[:14] + lines[-2:])]
    assert len(drawn) > 300
    assert min(drawn) >= 2
