"""Whatever a model says and whoever listens, the folder stays in order."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from mingraph_lite import Agent, ScriptedLLM, ToolRegistry
from mingraph_lite.errors import Interrupted, MingraphError, ModelError, ToolArgsError
from mingraph_lite.llm import LLMResponse
from mingraph_lite.memory import KeepAll, LastN, Reading, Summarise
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
    transcript,
)
from mingraph_lite.observers import ConsoleLogger, Observer, Recorder
from mingraph_lite.recovery import Retries
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import frames
from tests.properties import cases

pytestmark = pytest.mark.properties


@pytest.fixture(autouse=True, scope="module")
def _broken_listeners_are_not_logged() -> Iterator[None]:
    """Thousands of warnings that no test here reads."""
    logger = logging.getLogger("mingraph_lite.observers")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


def greet(name: str, times: int = 1) -> str:
    return f"Hello {name}! " * times


def picky(word: str) -> str:
    raise ToolArgsError(f"{word!r} is not polite.")


def broken() -> str:
    raise RuntimeError("disk")


def stopped() -> str:
    raise KeyboardInterrupt


def halted() -> str:
    raise Interrupted("Stopped by hand.")


TOOLS = (greet, picky, broken, stopped, halted)

texts = st.text(max_size=12)
ids = st.sampled_from(["", "", "a", "b", "call_1", "call_2", "call_3"])
arguments = st.dictionaries(
    st.sampled_from(["name", "times", "word", "city"]),
    st.one_of(texts, st.integers(-2, 3), st.none(), st.lists(texts, max_size=2)),
    max_size=3,
)
slips = st.builds(
    ToolCall,
    st.sampled_from(["greet"] * 4 + ["picky", "broken", "stopped", "halted", "gone"]),
    arguments | st.just({"name": "Ada"}),
    ids,
    problem=st.none() | st.none() | st.just("is no JSON."),
)
replies = st.one_of(
    texts,
    slips,
    st.lists(slips, min_size=1, max_size=4),
    st.builds(
        LLMResponse,
        st.builds(AssistantMessage, texts, st.lists(slips, max_size=3).map(tuple)),
        reasoning=texts,
        refusal=st.none() | st.none() | texts,
    ),
    st.builds(LLMResponse, st.just(AssistantMessage("")), refusal=texts),
    st.builds(ModelError, texts, retryable=st.booleans()),
)
scripts = st.lists(replies, max_size=6)


class Broken(Observer):
    def on_event(self, event):
        raise RuntimeError(event.name)


class Meddler(Observer):
    def on_model_call(self, messages, menu):
        for entry in menu:
            entry.clear()

    def on_tool_call(self, call):
        call.arguments.update(name="Mallory")

    def on_event(self, event):
        super().on_event(event)
        event.payload.clear()


def quiet() -> ConsoleLogger:
    return ConsoleLogger(lambda line: None)


listeners = st.lists(
    st.sampled_from([Recorder, Broken, Meddler, quiet, Observer]), max_size=4
)


AT_ONCE = Retries(most=2, sleep=lambda seconds: None, chance=lambda: 0.5)


def play(script, make_listeners=(), *, max_steps=4, runs=1, memory=None):
    """An agent that has run, how each run ended, and what each request was."""
    requests = []

    class Keeper(ScriptedLLM):
        def generate(self, messages, menu=(), on_text_delta=None):
            requests.append((list(messages), list(menu)))
            return super().generate(messages, menu, on_text_delta)

    registry = ToolRegistry()
    for tool in TOOLS:
        registry.add(tool)
    agent = Agent(
        Keeper(script),
        registry,
        "Be polite.",
        memory=memory,
        observers=[make() for make in make_listeners],
        max_steps=max_steps,
        retries=AT_ONCE,
    )
    ends = [ended(lambda n=n: agent.run(f"Question {n}")) for n in range(runs)]
    return agent, ends, requests


def ended(run: Callable[[], object]) -> object:
    try:
        return run()
    except (Exception, KeyboardInterrupt) as error:
        return type(error), str(error)


class Digest:
    """A model that makes every summary the same."""

    def generate(self, messages, menu=()):
        return LLMResponse(AssistantMessage("They talked."))


memories = (
    st.just(KeepAll)
    | st.integers(1, 6).map(lambda n: partial(LastN, n))
    | st.integers(1, 6).map(lambda n: partial(Summarise, Digest(), keep=n, over=n))
)


@cases(scripts, st.integers(1, 4), st.integers(1, 3), memories)
def test_every_slip_has_its_answer_whatever_the_model_says(script, limit, runs, make):
    agent, _, requests = play(script, max_steps=limit, runs=runs, memory=make())
    folder = list(agent.memory.folder)
    assert problems(folder) == []
    assert [problems(messages) for messages, _ in requests] == [[]] * len(requests)
    # And the answers come in the order in which the slips were passed.
    passed = [call.id for m in folder for call in getattr(m, "tool_calls", ())]
    assert [m.tool_call_id for m in folder if isinstance(m, ToolMessage)] == passed


@cases(scripts, listeners, st.integers(1, 2))
def test_with_any_listeners_the_run_is_the_same(script, make_listeners, runs):
    alone, ends, requests = play(script, runs=runs)
    heard, ends_heard, requests_heard = play(script, make_listeners, runs=runs)
    assert list(heard.memory.folder) == list(alone.memory.folder)
    assert ends_heard == ends
    assert requests_heard == requests


# D01. Right: max_steps model calls and no more, one finish, every slip answered.
@cases(scripts, st.integers(1, 5))
def test_D01_the_model_is_never_asked_more_often_than_allowed(script, limit):
    recorder = Recorder()
    _, _, requests = play(script, [lambda: recorder], max_steps=limit)
    asked, retried = (recorder.names().count(n) for n in ("model_call", "retry"))
    assert asked <= limit
    assert len(requests) == asked + retried
    assert retried <= asked * AT_ONCE.most


# D08. Right: each retry is announced, and adds nothing to folder and steps.
@cases(scripts)
def test_D08_a_retry_asks_the_same_again_and_nothing_empty_is_filed(script):
    recorder = Recorder()
    agent, _, requests = play(script, [lambda: recorder], runs=2)
    asked = [n for n in recorder.names() if n in {"model_call", "retry"}]
    same = [later == earlier for earlier, later in pairwise(requests)]
    assert same == [name == "retry" for name in asked[1:]]
    assert problems(agent.memory.folder) == []


@cases(scripts)
def test_the_folder_only_grows(script):
    agent, _, requests = play(script, runs=2)
    lines = [messages[1:] for messages, _ in requests] + [list(agent.memory.folder)]
    for shorter, longer in pairwise(lines):
        assert longer[: len(shorter)] == shorter


@cases(scripts)
def test_every_run_is_announced_from_its_start_to_one_end(script):
    recorder = Recorder()
    agent, ends, _ = play(script, [lambda: recorder])
    assert [event.seq for event in recorder.events] == [
        *range(1, len(recorder.events) + 1)
    ]
    names = recorder.names()
    assert (names[0], names[-1], names.count("finish")) == ("run_start", "finish", 1)
    answer = recorder.events[-1].payload["answer"]
    assert isinstance(ends[0], dict) == (answer is not None)
    said = [e.payload["message"] for e in recorder.events if e.name == "message_added"]
    assert said == list(agent.memory.folder)


@cases(scripts, st.integers(0, 8))
def test_a_run_left_at_any_card_leaves_a_valid_folder(script, cards):
    agent, _, _ = play(script, runs=0)
    steps = agent.steps("Question")
    with suppress(MingraphError, RuntimeError, KeyboardInterrupt, StopIteration):
        for _ in range(cards):
            next(steps)
    ended(lambda: agent.run("Another"))
    assert problems(agent.memory.folder) == []


@cases(scripts, st.integers(1, 4))
def test_the_frames_of_a_run_hold_its_folder_and_its_end(script, limit):
    alone, ends, _ = play(script, max_steps=limit)
    drawn_agent, _, _ = play(script, max_steps=limit, runs=0)
    drawn: list[Frame] = []
    with suppress(KeyboardInterrupt):  # drawn first, and then raised
        drawn.extend(frames(drawn_agent, "Question 0"))
    assert list(drawn_agent.memory.folder) == list(alone.memory.folder)
    lines = [line for frame in drawn for line in frame["lines"]]
    assert [line["text"] for line in lines] == [
        "Be polite.",
        *(message.content for message in alone.memory.folder),
    ]
    outcome = drawn[-1]["outcome"]
    assert [frame["outcome"] for frame in drawn[:-1]] == [None] * (len(drawn) - 1)
    if isinstance(ends[0], dict):
        assert ends[0] == {"answer": outcome["answer"]}
    else:
        kind, text = ends[0]
        error = f"{kind.__name__}: {text}" if text else kind.__name__
        assert (outcome["answer"], outcome["error"]) == (None, error)


@cases(scripts, st.permutations(["u", "v", "w", "x", "y", "z"]))
def test_other_ids_give_the_same_transcript(script, names):
    agent, _, _ = play(script)
    folder = list(agent.memory.folder)
    renamed: dict[str, str] = {}

    def other(id: str) -> str:
        return renamed.setdefault(id, f"{names[0]}{len(renamed)}")

    twin = []
    for message in folder:
        if isinstance(message, AssistantMessage):
            calls = tuple(
                ToolCall(c.name, c.arguments, other(c.id), problem=c.problem)
                for c in message.tool_calls
            )
            twin.append(AssistantMessage(message.content, calls))
        elif isinstance(message, ToolMessage):
            id = other(message.tool_call_id)
            twin.append(ToolMessage(message.content, id, message.name))
        else:
            twin.append(message)
    assert transcript(twin) == transcript(folder)


@cases(st.text())
def test_the_pieces_of_a_text_joined_are_the_text(text):
    pieces: list[str] = []
    ScriptedLLM([text]).generate([], (), pieces.append)
    assert "".join(pieces) == text


@cases(
    st.lists(st.integers(0, 3)),
    st.lists(st.integers(0, 3)),
    st.lists(st.integers(0, 3)),
    st.slices(12),
)
def test_a_reading_is_the_list_it_was_made_of(head, lines, later, part):
    def line(number):
        return UserMessage(str(number))

    said = [line(n) for n in lines]
    reading = Reading(said, tuple(line(n) for n in head))
    expected = [line(n) for n in [*head, *lines]]
    said += [line(n) for n in later]
    assert list(reading) == expected
    assert reading == expected
    assert len(reading) == len(expected)
    assert reading[part] == expected[part]
    for place in range(-len(expected), len(expected)):
        assert reading[place] == expected[place]
