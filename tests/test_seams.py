"""What a user hands in fits, and nothing breaks where two of them meet."""

import logging
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier, Event, Thread, current_thread

import pytest

import mingraph_lite
from mingraph_lite import (
    Agent,
    AssistantMessage,
    CostLimitReached,
    KeepAll,
    LLMResponse,
    ModelError,
    Observer,
    Recorder,
    RunInProgress,
    ScriptedLLM,
    TokenLimitReached,
    ToolCall,
    ToolMessage,
    ToolRegistry,
    UserMessage,
)
from mingraph_lite.cards import Card, RunningTools
from mingraph_lite.limits import Price
from mingraph_lite.messages import problems
from mingraph_lite.observers import Announcer
from mingraph_lite.recovery import Retries
from mingraph_lite.schema.handed_in import in_words
from tests.lines import struck

PACKAGE = str(Path(mingraph_lite.__file__).parent)
PARIS = ToolCall("look", {"city": "Paris"}, "call_1")
ROME = ToolCall("look", {"city": "Rome"}, "call_2")


def look(city):
    """What is new in a city."""
    if city == "Rome":
        raise OSError("no line")
    return f"nothing new in {city}"


@dataclass(frozen=True)
class AskingHuman(Card):
    tools: RunningTools

    def run(self, desk):
        return self.tools


def ends_of(recorder, run_id):
    return [
        event.payload["reason"]
        for event in recorder.events
        if event.run_id == run_id and event.name == "finish"
    ]


# Two threads, one agent


class AskingOnce:
    """A model without a memory of its own, so that any thread may ask it."""

    def generate(self, messages, menu):
        if isinstance(messages[-1], ToolMessage):
            return LLMResponse(AssistantMessage("Nothing."))
        return LLMResponse(AssistantMessage("", (PARIS,)))


def by_run(agent):
    return agent.run("New?")["answer"]


def by_steps(agent):
    last = None
    for card in agent.steps("New?"):
        last = card
    return last.answer


def tried(ask, agent):
    try:
        return ask(agent)
    except RunInProgress:
        return "in progress"
    except BaseException as error:
        return repr(error)


@pytest.mark.parametrize(
    "asking",
    [(by_run,) * 4, (by_steps,) * 4, (by_run, by_steps) * 2],
    ids=["run", "steps", "both"],
)
def test_many_threads_on_one_agent_get_an_answer_or_are_told(asking):
    agent = Agent(AskingOnce(), [look], "")
    gate, outcomes = Barrier(len(asking)), []

    def ask_often(ask):
        for _ in range(200):
            gate.wait(60)  # all begin at the same moment, each time
            outcomes.append(tried(ask, agent))

    # Daemons: a thread that hangs fails this test, and does not hang the others.
    threads = [Thread(target=ask_often, args=(ask,), daemon=True) for ask in asking]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(before)
    assert [thread.is_alive() for thread in threads] == [False] * len(threads)
    assert {*outcomes} <= {"Nothing.", "in progress"}
    assert len(outcomes) == 200 * len(asking)
    assert agent.run("New?") == {"answer": "Nothing."}
    assert problems(agent.memory.folder) == []


class WaitingOnce(Observer):
    """A listener that holds up the end of a run until another thread has been there."""

    def __init__(self):
        self.reached, self.go_on = Event(), Event()

    def on_finish(self, reason):
        if reason == "abandoned":
            self.reached.set()
            self.go_on.wait(10)


def test_a_thread_whose_run_is_being_ended_by_another_is_told():
    listener = WaitingOnce()
    agent = Agent(AskingOnce(), [look], "", observers=[listener])
    steps = agent.steps("New?")
    next(steps)
    other = Thread(target=by_run, args=(agent,), daemon=True)
    other.start()
    assert listener.reached.wait(10)
    try:
        with pytest.raises(RunInProgress):
            next(steps)
    finally:
        listener.go_on.set()
        other.join(10)
    assert not other.is_alive()


def test_a_thread_whose_run_was_ended_before_its_first_card_is_told():
    reached, go_on = Event(), Event()

    def clock():
        if current_thread() is other:
            reached.set()
            go_on.wait(0.5)  # whoever asks meanwhile may have to wait for this
        return 0.0

    agent = Agent(AskingOnce(), [look], "", clock=clock)
    other = Thread(target=by_run, args=(agent,), daemon=True)
    steps = agent.steps("New?")
    other.start()
    assert reached.wait(10)
    try:
        with pytest.raises(RunInProgress):
            next(steps)
    finally:
        go_on.set()
        other.join(10)
    assert not other.is_alive()


# A memory that fails


class FullFolder(KeepAll):
    """A memory that takes no answer slip."""

    def add(self, message):
        if isinstance(message, ToolMessage):
            raise OSError("the disk is full")
        super().add(message)


def play(agent):
    agent.run("New?")


def leave(agent):
    steps = agent.steps("New?")
    next(steps)
    next(steps)
    steps.close()


def leave_to_the_next_run(agent):
    steps = agent.steps("New?")
    next(steps)
    next(steps)
    agent.run("And now?")


@pytest.mark.parametrize(
    ("end", "reason"),
    [(play, "failed"), (leave, "abandoned"), (leave_to_the_next_run, "abandoned")],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_memory_that_fails_on_answers_does_not_hide_the_end(end, reason):
    heard = Recorder()
    model = ScriptedLLM([[PARIS, ROME], "Nothing."])
    agent = Agent(model, [look], "", memory=FullFolder(), observers=[heard])
    with pytest.raises(OSError, match="the disk is full"):
        end(agent)
    assert ends_of(heard, "run-1") == [reason]


def test_a_memory_that_fails_on_what_was_open_before_does_not_hide_the_end():
    heard = Recorder()
    memory = FullFolder([UserMessage("New?"), AssistantMessage("", (PARIS,))])
    agent = Agent(ScriptedLLM(["No."]), [look], "", memory=memory, observers=[heard])
    with pytest.raises(OSError, match="the disk is full"):
        agent.run("And now?")
    assert heard.names() == ["run_start", "finish"]
    assert ends_of(heard, "run-1") == ["failed"]


# Ctrl-C at every line


class CutOnce:
    """A model whose first stream breaks off."""

    def __init__(self):
        self.asked = 0

    def generate(self, messages, menu, on_text_delta):
        self.asked += 1
        on_text_delta("I look ")
        if self.asked == 1:
            raise ModelError("The stream was cut.", retryable=True)
        if isinstance(messages[-1], ToolMessage):
            return LLMResponse(AssistantMessage("I look no more."))
        return LLMResponse(AssistantMessage("I look up.", (PARIS, ROME)))


class Screen:
    def __init__(self):
        self.text = ""

    def __call__(self, text):
        self.text += text

    def new_attempt(self):
        self.text = ""


def is_ours(code):
    return code.co_filename.startswith(PACKAGE)


def struck_run(ask, at):
    """An agent whose run was struck at its nth line, its listener, and the lines."""
    heard = Recorder()
    agent = Agent(
        CutOnce(),
        [look],
        "",
        observers=[heard],
        retries=Retries(sleep=lambda seconds: None),
        on_text_delta=Screen(),
        before={RunningTools: AskingHuman},
        tool_failures="answer",
    )

    lines = struck(lambda: ask(agent), at, is_ours)
    return agent, heard, lines


# D04. Right: what began ends once, for each listener, and the folder can go on.
@pytest.mark.properties
@pytest.mark.parametrize("ask", [by_run, by_steps])
def test_D04_an_interrupt_at_any_line_is_heard_once_with_all_parts_of_ones_own(ask):
    _, whole, lines = struck_run(ask, at=0)
    assert ends_of(whole, "run-1") == ["answered"]
    assert {"retry", "tool_return", "tool_error"} <= {*whole.names()}
    wrong = []
    for at in range(1, lines + 1):
        agent, heard, _ = struck_run(ask, at)
        agent.llm = ScriptedLLM(["Again."])
        answer = agent.run("Again?")
        begun = [(e.run_id, e.name) for e in heard.events].count(("run-1", "run_start"))
        ends = ends_of(heard, "run-1")
        once = len(ends) == 1 if begun else len(ends) <= 1
        if problems(agent.memory.folder) or answer != {"answer": "Again."} or not once:
            wrong.append((at, problems(agent.memory.folder), answer, begun, ends))
    assert lines > 500
    assert wrong == []


# Listeners and announcements


class Pieces(list):
    """A text listener that is empty, and so counts as no for an `or`."""

    def __call__(self, text):
        self.append(text)


@pytest.mark.parametrize("whose", ["agent", "run"])
def test_a_text_listener_that_is_an_empty_list_hears_all_the_same(whose):
    heard, beside = Pieces(), Pieces()
    model = ScriptedLLM(["Nothing new."])
    if whose == "agent":
        Agent(model, [], "", on_text_delta=heard).run("New?")
    else:
        agent = Agent(model, [], "", on_text_delta=beside)
        agent.run("New?", on_text_delta=heard)
    assert (heard, beside) == (["Nothing ", "new."], [])


class OfYesterday(Observer):
    """A listener that takes less than is announced today."""

    def __init__(self):
        self.heard = []

    def on_tool_return(self, call):
        self.heard.append(call.name)

    def on_finish(self, answer):
        self.heard.append(answer)

    def on_step_start(self):
        self.heard.append("a step")


def test_a_listener_that_lacks_a_keyword_is_not_deaf(caplog):
    listener = OfYesterday()
    model = ScriptedLLM([PARIS, "Nothing."])
    Agent(model, [look], "", observers=[listener]).run("New?")
    assert listener.heard == ["a step", "look", "a step", "Nothing."]
    assert caplog.messages == []


def test_an_announcement_may_have_a_name_and_a_self_of_its_own():
    heard = Recorder()
    announcer = Announcer([heard], run_id="r", agent="guide")
    announcer.announce("moved", name="Ann", self="here")
    [event] = heard.events
    assert (event.name, event.payload) == ("moved", {"name": "Ann", "self": "here"})


# H24. Right: an event holds a copy of a tool's list.
@pytest.mark.parametrize(
    ("begun", "later"),
    [
        (lambda: ["rain"], lambda value: value.append("sun")),
        (lambda: {"sky": ["rain"]}, lambda value: value["sky"].append("sun")),
        (lambda: ("rain", ["wind"]), lambda value: value[1].append("sun")),
    ],
    ids=["list", "dict", "tuple"],
)
def test_H24_an_event_keeps_what_a_tool_gave_whatever_becomes_of_it(begun, later):
    given, heard = [], Recorder()

    def forecast():
        given.append(begun())
        return given[-1]

    model = ScriptedLLM([ToolCall("forecast", {}), "Fine."])
    Agent(model, [forecast], "", observers=[heard]).run("New?")
    later(given[0])
    [event] = [event for event in heard.events if event.name == "tool_return"]
    value = event.payload["value"]
    assert value == (list(begun()) if isinstance(begun(), tuple) else begun())


# Limits where nothing is counted


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        ({"max_total_tokens": 1}, TokenLimitReached),
        ({"max_cost": 1e-9, "price": Price(1.0, 1.0)}, CostLimitReached),
    ],
    ids=["tokens", "money"],
)
@pytest.mark.parametrize("listener", [None, Screen()], ids=["whole", "streamed"])
def test_a_limit_where_nothing_is_counted_warns_at_the_first_reply_and_stops(
    limits, error, listener
):
    heard, model = Recorder(), ScriptedLLM([PARIS, "Nothing."])
    agent = Agent(
        model, [look], "", observers=[heard], on_text_delta=listener, **limits
    )
    with pytest.raises(error):
        agent.run("New?")
    names = heard.names()
    assert model.calls == 1
    assert names.count("warning") == 1
    assert names.index("warning") < names.index("model_reply")
    assert agent.last_run.estimated_tokens == agent.last_run.tokens > 1


# A memory that reads out something broken


class Forgetful(KeepAll):
    """A memory that loses every answer slip."""

    def messages(self):
        return [m for m in super().messages() if not isinstance(m, ToolMessage)]


def test_what_a_memory_reads_out_broken_is_reported_once_and_not_mended(caplog):
    read, heard = [], Recorder()

    def first(messages, menu):
        read.append(list(messages))
        return PARIS

    def then(messages, menu):
        read.append(list(messages))
        return "Nothing."

    model = ScriptedLLM([first, first, then])
    agent = Agent(model, [look], "", memory=Forgetful(), observers=[heard])
    agent.run("New?")
    assert read[1] == [UserMessage("New?"), AssistantMessage("", (PARIS,))]
    assert len(read[2]) == 3
    [said] = [e.payload["text"] for e in heard.events if e.name == "warning"]
    assert said.startswith("What Forgetful reads out is not in order")
    assert [(r.levelno, r.message) for r in caplog.records] == [(logging.WARNING, said)]


# Wrong kinds

WRONG = [
    *[("llm", llm) for llm in (None, "gpt", ScriptedLLM, lambda messages, menu: "No")],
    *[
        ("tools", tools)
        for tools in (None, look, "look", [None], ["look"], {"l": look})
    ],
    *[("tools", tools) for tools in (ToolRegistry, [ToolRegistry()], 3)],
    *[("system_prompt", prompt) for prompt in (None, 3, b"Be brief.", ["Be brief."])],
    *[("memory", memory) for memory in ([], KeepAll, "all", [UserMessage("New?")])],
    *[("observers", who) for who in (Recorder(), [Recorder], [print], 3, None, "who")],
    *[("max_steps", steps) for steps in (None, "3", 0, -1, True, math.nan)],
    *[("max_total_tokens", tokens) for tokens in ("9", 0, -1, True, math.nan)],
    *[("max_cost", cost) for cost in ("9", 0, 1.0, True)],
    *[("max_seconds", seconds) for seconds in ("9", 0, math.nan)],
    *[("price", price) for price in (3, (1, 2), Price)],
    *[("retries", retries) for retries in (3, Retries, "never")],
    *[("clock", clock) for clock in (None, 0.0)],
    *[("name", name) for name in (None, 3)],
    *[("on_text_delta", hear) for hear in ("print", [])],
    *[("new_run_id", new) for new in ("run-1", 1, "", 0)],
    ("before", AskingHuman),
    ("before", [(RunningTools, AskingHuman)]),
    ("before", {"RunningTools": AskingHuman}),
    ("before", {int: AskingHuman}),
    ("before", {RunningTools: None}),
    ("before", {RunningTools: [AskingHuman, AskingHuman]}),
    ("before", {RunningTools: AskingHuman(RunningTools((), 1))}),
    *[("tool_failures", way) for way in (None, "ignore", True)],
]


def wanted(error):
    """Whether an error is a wrong kind's, told in one or two sentences."""
    sentences = re.findall(r"[.?!](?=\s|$)", str(error))
    named = isinstance(error, TypeError | ValueError | mingraph_lite.MingraphError)
    return named and str(error).endswith(".") and 1 <= len(sentences) <= 2


@pytest.mark.parametrize(("name", "value"), WRONG, ids=in_words)
def test_a_wrong_kind_is_refused_where_it_is_handed_in(name, value):
    fits = {"llm": ScriptedLLM([]), "tools": [], "system_prompt": ""}
    with pytest.raises((TypeError, ValueError, mingraph_lite.MingraphError)) as caught:
        Agent(**{**fits, name: value})
    assert wanted(caught.value), str(caught.value)


@pytest.mark.parametrize("start", [Agent.run, Agent.steps])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("state", state) for state in (None, 3, "", {}, RunningTools, [])],
        *[("observers", who) for who in (Recorder(), [Recorder], 3)],
        *[("on_text_delta", hear) for hear in ("print", [], 3)],
    ],
    ids=in_words,
)
def test_a_wrong_kind_for_one_run_is_refused_before_the_run_begins(start, name, value):
    heard = Recorder()
    agent = Agent(ScriptedLLM(["No."]), [], "", observers=[heard])
    given: Mapping = {"state": "New?", name: value}
    with pytest.raises((TypeError, ValueError)) as caught:
        start(agent, **given)
    assert wanted(caught.value), str(caught.value)
    assert (heard.events, len(agent.memory.folder)) == ([], 0)


@pytest.mark.parametrize("way", ["abandoned", "paused"])
def test_a_listener_at_the_end_of_a_run_may_wait_for_a_thread_that_asks_too(way):
    outcomes = []

    class Asking(Observer):
        def on_finish(self, answer, reason):
            if reason == way:
                other = Thread(target=ask_in_another_thread, daemon=True)
                other.start()
                other.join(10)

    def ask_in_another_thread():
        try:
            outcomes.append(agent.run("And I?"))
        except RunInProgress as refusal:
            outcomes.append(type(refusal))

    agent = Agent(ScriptedLLM(["x"] * 3), [], "", observers=[Asking()])
    steps = agent.steps("New?")
    next(steps)
    if way == "paused":
        agent.pause()
    else:
        agent.run("And now?")
    assert outcomes == [RunInProgress]


def is_to_the_end(code):
    return code.co_name == "_to_the_end"


def test_an_interrupt_between_two_cards_of_run_ends_it_at_once():
    heard = Recorder()
    agent = Agent(ScriptedLLM([PARIS, "fine"]), [look], "", observers=[heard])
    # At its 7th line it has RunningTools in its hand and takes the next card.

    def ask():
        with pytest.raises(KeyboardInterrupt):
            agent.run("New?")

    assert struck(ask, 7, is_to_the_end) == 7
    assert ends_of(heard, "run-1") == ["interrupted"]
    assert problems(agent.memory.folder) == []
