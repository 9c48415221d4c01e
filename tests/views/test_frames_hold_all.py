"""What a trace, a diff or a replay needs is in the frames: in full, and once."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.lab.faults import ALL_SCENARIOS
from mingraph_lite.lab.scenarios import Scenario
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    transcript,
)
from mingraph_lite.observers import Recorder
from mingraph_lite.recovery import Retries
from mingraph_lite.views.frame_types import Frame, Line
from mingraph_lite.views.frames import as_text, frames


def long(mark: str) -> str:
    """A text like no other."""
    return "".join(f"{mark}{n}, " for n in range(200))


LONG = long("")


class Run:
    """A run as it was heard, and as its frames tell it after a way through JSON."""

    def __init__(self, agent: Agent, question: str) -> None:
        self.agent, self.heard = agent, Recorder()
        agent.observers = (*agent.observers, self.heard)
        self.text = json.dumps(list(frames(agent, question)))
        self.frames: list[Frame] = json.loads(self.text)
        self.lines = [line for frame in self.frames for line in frame["lines"]]
        self.asides = [line for frame in self.frames for line in frame["asides"]]
        self.events = [event for frame in self.frames for event in frame["events"]]
        slips = [slip for line in self.lines for slip in line["slips"]]
        self.names = {slip["number"]: slip["name"] for slip in slips}

    def payloads(self, name: str) -> list[Any]:
        return [event.payload for event in self.heard.events if event.name == name]

    def told(self, name: str) -> list[Any]:
        return [event for event in self.events if event["name"] == name]

    def rebuilt(self, line: Line) -> Message:
        """The message of which a line was drawn."""
        if line["who"] == "system":
            return SystemMessage(line["text"])
        if line["who"] == "user":
            return UserMessage(line["text"])
        if line["who"] == "tool":
            assert line["answers"] is not None
            number = line["answers"]
            return ToolMessage(line["text"], f"#{number}", self.names[number])
        calls = [
            ToolCall(
                slip["name"],
                json.loads(slip["arguments"]),
                f"#{slip['number']}",
                raw=slip["raw"],
                problem=slip["problem"],
            )
            for slip in line["slips"]
        ]
        return AssistantMessage(line["text"], tuple(calls))

    def readings(self) -> Iterator[tuple[list[Message], list[tuple[str, str, Any]]]]:
        """What each call was read: its messages and its menu."""
        menu: list[tuple[str, str, Any]] = []
        for reading in (r for frame in self.frames for r in frame["readings"]):
            if reading["menu"] is not None:
                menu = [
                    (tool["name"], tool["description"], json.loads(tool["parameters"]))
                    for tool in reading["menu"]
                ]
            sides = {"folder": self.lines, "aside": self.asides}
            yield (
                [
                    self.rebuilt(line)
                    for span in reading["spans"]
                    for line in sides[span["of"]][span["start"] : span["end"]]
                ],
                menu,
            )

    def returned(self, event: Any) -> object:
        """What a tool gave back."""
        text = self.lines[event["line"]]["text"]
        if event["value"] is None:
            return text
        return json.loads(event["value"] or text)


def numbered(messages: Any, folder: list[Message]) -> list[Message]:
    """Messages with their ids as they are numbered in the whole folder."""
    ids: dict[str, str] = {}
    for old, new in zip(folder, transcript(folder), strict=True):
        for one, other in zip(
            getattr(old, "tool_calls", ()), getattr(new, "tool_calls", ()), strict=True
        ):
            ids[one.id] = other.id
    known = {id(old): new for old, new in zip(folder, transcript(folder), strict=True)}
    return [known.get(id(message), message) for message in messages]


def played(scenario: Scenario) -> Run:
    agent = scenario.agent(retries=Retries(sleep=[].append), max_steps=60)
    return Run(agent, scenario.question)


def full() -> Run:
    """A run in which each kind of text is long."""

    def look(city: str) -> dict[str, object]:
        """Look it up."""
        return {"said": long("said"), "n": 3}

    reply = LLMResponse(
        AssistantMessage(
            long("reply"), (ToolCall("look", {"city": long("city")}, "a"),)
        ),
        reasoning=long("reasoning"),
        usage=Usage(5, 4, 3, 2),
        finish_reason="tool_calls",
        model="the model",
    )
    last = LLMResponse(AssistantMessage("Done."), finish_reason="stop")
    return Run(
        Agent(ScriptedLLM([reply, last]), [look], long("prompt")), long("question")
    )


RUNS = {name: lambda s=s: played(s) for name, s in ALL_SCENARIOS.items()}
RUNS["everything is long"] = full
each_run = pytest.mark.parametrize("name", RUNS)


@each_run
def test_each_message_of_the_folder_is_rebuilt_from_the_frames(name: str) -> None:
    run = RUNS[name]()
    prompt = [SystemMessage(run.agent.system_prompt)]
    assert [run.rebuilt(line) for line in run.lines] == [
        *prompt,
        *transcript(run.agent.memory.folder),
    ]


@each_run
def test_what_each_call_was_read_is_rebuilt_from_the_frames(name: str) -> None:
    run = RUNS[name]()
    folder = list(run.agent.memory.folder)
    assert list(run.readings()) == [
        (
            numbered(call["messages"], folder),
            [
                (f["name"], f["description"], f["parameters"])
                for f in (entry["function"] for entry in call["menu"])
            ],
        )
        for call in run.payloads("model_call")
    ]


@each_run
def test_each_envelope_is_rebuilt_from_the_frames(name: str) -> None:
    run = RUNS[name]()
    assert [
        (
            event["reasoning"],
            Usage(
                event["tokens_in"],
                event["tokens_out"],
                event["tokens_reasoning"],
                event["tokens_cached"],
            ),
            event["finish_reason"],
            event["model"],
        )
        for event in run.told("model_reply")
    ] == [
        (r.reasoning, r.usage or Usage(), r.finish_reason, r.model)
        for r in (heard["response"] for heard in run.payloads("model_reply"))
    ]


@each_run
def test_what_each_tool_gave_back_is_rebuilt_from_the_frames(name: str) -> None:
    run = RUNS[name]()
    given = [heard["value"] for heard in run.payloads("tool_return")]
    assert [run.returned(event) for event in run.told("tool_return")] == given


@each_run
def test_each_announcement_says_its_whole_text_or_the_line_that_does(name: str) -> None:
    run = RUNS[name]()
    for event in run.events:
        if event["what"].endswith("…"):
            assert (event["whole"] is None) == (event["line"] is not None)
        if event["name"] in ("tool_return", "tool_error"):
            line = run.lines[event["line"]]
            said = f"#{line['answers']} {line['text']}"
            assert said.startswith(event["what"].removesuffix("…"))


@each_run
def test_no_long_text_stands_twice_in_the_frames_of_a_run(name: str) -> None:
    run = RUNS[name]()
    # The answer is the last line too; a view that shows the ending alone needs it.
    run.frames[-1]["outcome"]["answer"] = None  # type: ignore[index]
    long = Counter(text for text in texts(run.frames) if len(text) > 200)
    assert [text for text, times in long.items() if times > 1] == []
    pieces = Counter(text[at : at + 200] for text in long for at in (0, len(text) // 2))
    inside = [p for p in pieces if sum(text.count(p) for text in long) > 1]
    assert inside == []


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def test_a_long_call_is_cut_in_the_frame_and_whole_as_text() -> None:
    run = full()
    slip, city = run.lines[2]["slips"][0], long("city")
    assert len(slip["call"]) == 200
    assert slip["arguments"] == json.dumps({"city": city})
    assert f'#1 look(city="{city}")\n' in as_text(run.frames[1], run.frames[:1])


def test_a_reply_that_nobody_files_says_its_whole_text() -> None:
    reply = LLMResponse(AssistantMessage(LONG), finish_reason="length")
    run = Run(Agent(ScriptedLLM([reply]), [], ""), "Go")
    (told,) = run.told("model_reply")
    assert (told["whole"], told["line"], told["finish_reason"]) == (
        LONG,
        None,
        "length",
    )


@pytest.mark.parametrize(
    ("value", "line", "written"),
    [
        ("64", "64", None),
        (64, "64", ""),
        (None, "null", ""),
        ({"a": [1]}, '{"a": [1]}', ""),
        ("\ud800", "\ufffd", None),
    ],
)
def test_a_value_is_written_down_as_far_as_its_line_does_not_say_it(
    value: object, line: str, written: str | None
) -> None:
    def look() -> Any:
        """Look it up."""
        return value

    run = Run(Agent(ScriptedLLM([ToolCall("look", {}), "Done."]), [look], ""), "Go")
    (told,) = run.told("tool_return")
    assert (run.lines[told["line"]]["text"], told["value"]) == (line, written)


def test_a_run_that_goes_on_from_a_card_knows_the_line_of_its_question() -> None:
    agent = Agent(ScriptedLLM(["Hi."]), [], "Be brief.")
    paused = next(agent.steps(LONG))
    agent.pause()
    run = Run(agent, paused)  # type: ignore[arg-type]
    (told,) = run.told("run_start")
    assert (told["line"], told["whole"]) == (1, None)
