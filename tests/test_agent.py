import gc
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import get_args

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.agent import _next
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.errors import (
    CostLimitReached,
    FinishReason,
    Interrupted,
    ModelError,
    ModelRefused,
    RunInProgress,
    ScriptExhausted,
    StepLimitReached,
    TimeLimitReached,
    TokenLimitReached,
    ToolArgsError,
)
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.limits import Limits, Price
from mingraph_lite.llm import LLMResponse, Reply, Usage
from mingraph_lite.memory import KeepAll, LastN, Summarise
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
    transcript,
)
from mingraph_lite.observers import Observer, Recorder
from mingraph_lite.recovery import Retries
from tests.schema.adding import registry

PROMPT = "Use the tools."
PARIS = ToolCall("get_weather", {"city": "Paris"})
TOKYO = ToolCall("get_weather", {"city": "Tokyo"})
NOT_RUN = "not run: stopped"
UNKNOWN = "stopped while it ran: outcome unknown"


def get_weather(city: str) -> str:
    return {"Paris": "18", "Tokyo": "24"}[city]


def agent(*script: Reply, tools: Sequence[Callable[..., object]] = (), **options):
    options.setdefault("retries", Retries(most=0))
    return Agent(ScriptedLLM(script), registry(get_weather, *tools), PROMPT, **options)


def call(name: str, id: str = "", **arguments: object) -> ToolCall:
    return ToolCall(name, arguments, id)


def raising(error: BaseException, name: str = "boom") -> Callable[[], str]:
    """A tool that fails in just this way."""

    def boom() -> str:
        raise error

    boom.__name__ = name
    return boom


def ok() -> str:
    return "fine"


def said(agent: Agent) -> list[Message]:
    return list(agent.memory.folder)


def results(agent: Agent) -> list[tuple[str, str]]:
    """Each answer slip of the folder: its number and its text."""
    return [
        (message.tool_call_id, message.content)
        for message in agent.memory.folder
        if isinstance(message, ToolMessage)
    ]


class RequestKeeper:
    """A model that keeps each request as it was, and answers by a script."""

    def __init__(self, *script: Reply) -> None:
        self.script = ScriptedLLM(script)
        self.requests: list[list[Message]] = []

    def generate(self, messages, menu=(), on_text_delta=None) -> LLMResponse:
        self.requests.append(list(messages))
        return self.script.generate(messages, menu, on_text_delta)


# The cards of a run


def test_each_card_hands_back_the_next_until_the_run_is_finished():
    assert list(agent([PARIS, TOKYO], PARIS, "18 and 24").steps("How warm?")) == [
        CallingModel(1),
        RunningTools(
            (
                call("get_weather", "call_1", city="Paris"),
                call("get_weather", "call_2", city="Tokyo"),
            ),
            1,
            because="the reply passed two slips",
        ),
        CallingModel(2, because="every slip has its answer"),
        RunningTools(
            (call("get_weather", "call_3", city="Paris"),),
            2,
            because="the reply passed one slip",
        ),
        CallingModel(3, because="every slip has its answer"),
        Finished("18 and 24", "answered", because="the reply passed no slip"),
    ]


def test_a_card_is_handed_out_before_it_runs():
    ran: list[str] = []

    def note(text: str) -> str:
        ran.append(text)
        return "noted"

    a = agent(call("note", text="milk"), "Done.", tools=[note])
    seen = [
        (type(card).__name__, a.llm.calls, list(ran), len(said(a)))
        for card in a.steps("Note: milk")
    ]
    assert seen == [
        ("CallingModel", 0, [], 1),
        ("RunningTools", 1, [], 2),
        ("CallingModel", 1, ["milk"], 3),
        ("Finished", 2, ["milk"], 4),
    ]
    assert len(said(a)) == 4


def test_the_last_card_has_not_run_while_it_is_in_the_hand():
    recorder = Recorder()
    steps = agent("18", observers=[recorder]).steps("How warm?")
    assert [next(steps), next(steps)] == [
        CallingModel(1),
        Finished("18", "answered", because="the reply passed no slip"),
    ]
    assert "finish" not in recorder.names()
    with pytest.raises(StopIteration):
        next(steps)
    assert recorder.names()[-1] == "finish"


def test_run_takes_the_same_cards_as_steps():
    ran, stepped = Recorder(), Recorder()
    agent(PARIS, "18", observers=[ran]).run("How warm?")
    list(agent(PARIS, "18", observers=[stepped]).steps("How warm?"))
    assert ran.events == stepped.events


def test_a_run_answers_the_question():
    assert agent(PARIS, "It is 18.").run({"question": "How warm?"}) == {
        "answer": "It is 18."
    }


def test_a_text_is_short_for_a_state_with_a_question():
    short, long = agent(PARIS, "18"), agent(PARIS, "18")
    assert short.run("How warm?") == long.run({"question": "How warm?"})
    assert said(short) == said(long)


def test_the_rest_of_the_state_is_somebody_elses():
    state = {"question": "How warm?", "step": 7, "answer": "old"}
    assert agent("18").run(state) == {"answer": "18"}
    assert state == {"question": "How warm?", "step": 7, "answer": "old"}


BAD_STATES = [
    "",
    "  \n",
    {},
    {"question": ""},
    {"question": None},
    {"question": 3},
    {"Question": "How warm?"},
    None,
    3,
    ["How warm?"],
    ("question", "How warm?"),
    b"How warm?",
]


@pytest.mark.parametrize("state", BAD_STATES)
@pytest.mark.parametrize("start", [Agent.run, Agent.steps])
def test_a_state_without_a_question_is_refused_before_anything_happens(start, state):
    recorder = Recorder()
    a = agent("18", observers=[recorder])
    with pytest.raises(ValueError, match=r"^A run needs a question") as raised:
        start(a, state)
    assert str(raised.value) == (
        f"A run needs a question and got {state!r}. "
        'Write run("…") or run({"question": "…"}).'
    )
    assert (said(a), recorder.events, a.llm.calls) == ([], [], 0)


def test_a_refused_state_leaves_an_unfinished_run_alone():
    a = agent(PARIS, "18")
    steps = a.steps("How warm?")
    next(steps)
    with pytest.raises(ValueError, match="A run needs a question"):
        a.run("")
    assert [type(card) for card in steps] == [RunningTools, CallingModel, Finished]
    assert said(a)[-1] == AssistantMessage("18")


# B06. Right: the text and the slips of one reply are both kept.
def test_B06_text_and_slips_of_one_reply_are_both_kept():
    both = LLMResponse(AssistantMessage("I'll check both.", (PARIS, TOKYO)))
    a = agent(both, "18 and 24")
    a.run("How warm?")
    assert said(a)[1] == AssistantMessage(
        "I'll check both.",
        (
            call("get_weather", "call_1", city="Paris"),
            call("get_weather", "call_2", city="Tokyo"),
        ),
    )


def test_an_agent_says_its_name_its_tools_and_its_memory():
    assert repr(agent(name="guide")) == (
        "Agent('guide', ToolRegistry(get_weather), KeepAll(0 messages))"
    )


def test_the_answer_comes_in_pieces_to_who_asked_for_them():
    pieces: list[str] = []
    a = agent(PARIS, "It is 18.", on_text_delta=pieces.append)
    assert (a.run("How warm?"), pieces) == (
        {"answer": "It is 18."},
        ["It ", "is ", "18."],
    )


# What is no card


@dataclass(frozen=True)
class Handing(Card):
    """Hands back what it is given."""

    what: object

    def run(self, desk):
        return self.what


@dataclass(frozen=True)
class Ending(Finished):
    """A last card that hands back what it is given all the same."""

    what: object = None

    def run(self, desk):
        return self.what


@pytest.mark.parametrize("card", [Handing, partial(Ending, "18", "answered")])
@pytest.mark.parametrize(
    "what", [CallingModel, "CallingModel", 7, False, ToolMessage("18", "a", "ok")]
)
def test_a_card_that_hands_back_no_card_is_named(card, what):
    card = card(what=what)
    with pytest.raises(TypeError) as raised:
        _next(card, None)
    assert str(raised.value) == (
        f"{type(card).__name__} handed back {what!r}, which is no card. "
        "Each way out of its run returns the next card; Finished ends the run."
    )


def test_only_the_last_card_may_hand_back_none():
    with pytest.raises(TypeError, match=r"^Handing handed back None, which is no card"):
        _next(Handing(None), None)
    assert _next(Ending("18", "answered"), None) is None


def test_whatever_can_be_run_is_a_card():
    class Waiting:
        def run(self, desk):
            return None

    waiting = Waiting()
    assert _next(Handing(waiting), None) is waiting


# The limit


# D01. Right: max_steps model calls and no more, one finish, every slip answered.
@pytest.mark.parametrize("limit", [1, 3])
def test_D01_a_model_that_never_stops_is_asked_just_as_often_as_allowed(limit):
    recorder = Recorder()
    a = agent(*[PARIS] * 9, max_steps=limit, observers=[recorder])
    with pytest.raises(StepLimitReached):
        a.run("How warm?")
    assert a.llm.calls == limit
    assert [e.payload["step"] for e in recorder.events if e.name == "step_start"] == [
        *range(1, limit + 1)
    ]
    assert [dict(e.payload) for e in recorder.events if e.name == "finish"] == [
        {"answer": None, "reason": "step limit"}
    ]
    assert [text for _, text in results(a)] == ["18"] * limit
    assert problems(said(a)) == []


def test_the_limit_says_how_often_and_what_for_the_model_was_asked():
    a = agent(*[[PARIS, TOKYO]] * 9, max_steps=3)
    with pytest.raises(StepLimitReached, match="after 3 rounds") as raised:
        a.run("How warm?")
    assert f"{PARIS}, {TOKYO}" in str(raised.value)


def test_D01_an_answer_in_the_last_allowed_step_is_an_answer():
    a = agent(PARIS, TOKYO, "18 and 24", max_steps=3)
    assert a.run("How warm?") == {"answer": "18 and 24"}


def test_the_limit_is_ten_calls_unless_said_otherwise():
    a = agent(*[PARIS] * 20)
    with pytest.raises(StepLimitReached):
        a.run("How warm?")
    assert a.llm.calls == 10


def test_every_run_may_use_the_whole_limit():
    a = agent(PARIS, "18", TOKYO, "24", max_steps=2)
    assert [a.run("Paris?"), a.run("Tokyo?")] == [{"answer": "18"}, {"answer": "24"}]


# The folder


def test_the_folder_holds_all_that_was_said_and_no_prompt():
    a = agent([PARIS, TOKYO], "18 and 24")
    a.run("How warm?")
    assert said(a) == [
        UserMessage("How warm?"),
        AssistantMessage(
            "",
            (
                call("get_weather", "call_1", city="Paris"),
                call("get_weather", "call_2", city="Tokyo"),
            ),
        ),
        ToolMessage("18", "call_1", "get_weather"),
        ToolMessage("24", "call_2", "get_weather"),
        AssistantMessage("18 and 24"),
    ]


def test_each_agent_has_a_folder_of_its_own():
    first, second = agent("18"), agent("24")
    first.run("Paris?")
    assert (len(said(first)), said(second)) == (2, [])


def test_an_agent_uses_the_memory_it_is_handed_even_an_empty_one():
    memory = KeepAll()
    a = agent("18", memory=memory)
    a.run("Paris?")
    assert a.memory is memory
    assert list(memory.folder) == [UserMessage("Paris?"), AssistantMessage("18")]


def test_the_model_hears_the_prompt_and_then_the_folder():
    llm = RequestKeeper(PARIS, "18")
    Agent(llm, registry(get_weather), PROMPT).run("Paris?")
    assert llm.requests == [
        [SystemMessage(PROMPT), UserMessage("Paris?")],
        [
            SystemMessage(PROMPT),
            UserMessage("Paris?"),
            AssistantMessage("", (call("get_weather", "call_1", city="Paris"),)),
            ToolMessage("18", "call_1", "get_weather"),
        ],
    ]


def test_without_a_prompt_the_model_hears_the_folder_alone():
    llm = RequestKeeper("Hi.")
    Agent(llm, registry(), "").run("Hello")
    assert llm.requests == [[UserMessage("Hello")]]


def test_the_second_question_finds_the_first_in_the_folder():
    a = agent(PARIS, "18", lambda messages, menu: f"I heard {len(messages)} messages")
    a.run("Paris?")
    assert a.run("What did I ask?") == {"answer": "I heard 6 messages"}
    assert [type(m).__name__ for m in said(a)] == [
        "UserMessage",
        "AssistantMessage",
        "ToolMessage",
        "AssistantMessage",
        "UserMessage",
        "AssistantMessage",
    ]


def test_the_model_is_shown_the_menu_each_time():
    menus = []

    def reply(messages, menu):
        menus.append([entry["function"]["name"] for entry in menu])
        return PARIS if len(menus) == 1 else "18"

    agent(reply, reply, tools=[ok]).run("Paris?")
    assert menus == [["get_weather", "ok"]] * 2


class Forgetful(KeepAll):
    """Reads out the last line only, from a list that it uses again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.page: list[Message] = []

    def messages(self) -> list[Message]:
        self.page[:] = self.folder[-1:]
        return self.page


def test_a_listener_keeps_what_was_read_out_whatever_the_memory_does_next():
    recorder = Recorder()
    agent(PARIS, "18", memory=Forgetful(), observers=[recorder]).run("Paris?")
    heard = [
        list(event.payload["messages"])
        for event in recorder.events
        if event.name == "model_call"
    ]
    assert heard == [
        [SystemMessage(PROMPT), UserMessage("Paris?")],
        [SystemMessage(PROMPT), ToolMessage("18", "call_1", "get_weather")],
    ]


# Ticket numbers


def numbers(a: Agent) -> list[str]:
    return [
        call.id
        for message in a.memory.folder
        for call in getattr(message, "tool_calls", ())
    ]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ([["x", "y"]], ["x", "y"]),
        ([["", ""]], ["call_1", "call_2"]),
        ([["x", "x"]], ["x", "call_2"]),
        ([["x"], ["x"]], ["x", "call_2"]),
        ([["call_2", ""], ["call_2"]], ["call_2", "call_3", "call_4"]),
        ([["call_1"], ["", "call_1"]], ["call_1", "call_2", "call_3"]),
        ([["", "call_1"]], ["call_1", "call_2"]),
    ],
)
def test_an_id_is_kept_when_it_is_new_and_replaced_when_not(sent, kept):
    script = [[call("ok", id) for id in round] for round in sent]
    a = agent(*script, "Done.", tools=[ok])
    a.run("Go")
    assert numbers(a) == kept
    assert problems(said(a)) == []


def test_ids_are_new_in_the_second_run_too():
    a = agent(call("ok", "x"), "One.", call("ok", "x"), call("ok"), "Two.", tools=[ok])
    a.run("Go")
    a.run("Again")
    assert numbers(a) == ["x", "call_2", "call_3"]
    assert problems(said(a)) == []


def test_ids_are_new_in_a_folder_that_another_agent_began():
    memory = KeepAll()
    agent(call("ok", "x"), "One.", tools=[ok], memory=memory).run("Go")
    second = agent(call("ok", "x"), "Two.", tools=[ok], memory=memory)
    second.run("Again")
    assert numbers(second) == ["x", "call_2"]
    assert problems(said(second)) == []


def test_two_runs_with_other_ids_have_the_same_transcript():
    one = agent([call("ok", "a"), call("ok", "b")], call("ok"), "Done.", tools=[ok])
    two = agent([call("ok"), call("ok")], call("ok", "z"), "Done.", tools=[ok])
    one.run("Go")
    two.run("Go")
    assert said(one) != said(two)
    assert transcript(said(one)) == transcript(said(two))


# A13. Right: a name that can mean one tool runs it, under the tool's own name.
def test_A13_a_call_under_a_misspelt_name_is_filed_run_and_sent_under_the_right_one():
    llm = RequestKeeper(call(" get_weather ", "a", city="Paris"), "18")
    a = Agent(llm, registry(get_weather), PROMPT)
    assert a.run("Paris?") == {"answer": "18"}
    assert llm.requests[1][2:] == [
        AssistantMessage("", (call("get_weather", "a", city="Paris"),)),
        ToolMessage("18", "a", "get_weather"),
    ]


# What the model does wrong, and what a tool does


@pytest.mark.parametrize(
    ("slip", "answer"),
    [
        (
            call("get_weather", town="Paris"),
            "get_weather: city is missing",
        ),
        (
            call("get_wether", city="Paris"),
            "No tool named 'get_wether'",
        ),
        (
            ToolCall("get_weather", {}, raw="{'city", problem="is no JSON."),
            "get_weather: is no JSON.",
        ),
        (call("picky"), "Say please."),
    ],
    ids=["bad arguments", "unknown tool", "unreadable", "refused by the tool"],
)
def test_a_mistake_of_the_model_is_answered_and_the_loop_goes_on(slip, answer):
    recorder = Recorder()
    picky = raising(ToolArgsError("Say please."), "picky")
    a = agent([slip, PARIS], "18", tools=[picky], observers=[recorder])
    assert a.run("How warm?") == {"answer": "18"}
    (_, told), second = results(a)
    assert told.startswith(f"Error: {answer}")
    assert told.endswith(" Mend the call.")
    assert second == ("call_2", "18")
    assert problems(said(a)) == []
    assert [name for name in recorder.names() if name.startswith("tool")] == [
        "tool_call",
        "tool_error",
        "tool_call",
        "tool_return",
    ]


def test_a_call_with_a_problem_does_not_run():
    ran: list[str] = []

    def note() -> None:
        ran.append("note")

    a = agent(ToolCall("note", {}, problem="is cut off."), "Done.", tools=[note])
    a.run("Go")
    assert ran == []


# B05. Right: the other slips are answered, then the tool's own exception is raised.
def test_B05_a_failing_tool_is_answered_and_then_raised():
    error = RuntimeError("disk")
    recorder = Recorder()
    a = agent(
        [call("ok", "c1"), call("boom", "c2"), call("ok", "c3")],
        tools=[ok, raising(error)],
        observers=[recorder],
    )
    with pytest.raises(RuntimeError) as raised:
        a.run("Go")
    assert raised.value is error
    assert results(a) == [
        ("c1", "fine"),
        ("c2", "Error: RuntimeError in boom: disk"),
        ("c3", NOT_RUN),
    ]
    assert recorder.events[-1].payload == {"answer": None, "reason": "failed"}
    assert problems(said(a)) == []


@pytest.mark.parametrize(
    "error", [TypeError("x"), KeyError("city"), ModelError("busy"), OSError(2, "gone")]
)
def test_any_failure_of_a_tool_comes_through_as_it_is(error):
    a = agent(call("boom"), tools=[raising(error)])
    with pytest.raises(type(error)) as raised:
        a.run("Go")
    assert raised.value is error
    kind = type(error).__name__
    assert results(a) == [("call_1", f"Error: {kind} in boom: {error}")]


# H24. Right: a tool's StopIteration surfaces as itself; where cards are handed out, a
# generator can raise none, so it is the cause.
def test_H24_a_tool_that_raises_stop_iteration_fails_as_any_other():
    error = StopIteration("no more")
    a = agent(call("boom"), call("boom"), tools=[raising(error)])
    with pytest.raises(StopIteration) as raised:
        a.run("Go")
    assert raised.value is error
    with pytest.raises(RuntimeError) as wrapped:
        list(a.steps("Go"))
    assert wrapped.value.__cause__ is error
    assert problems(said(a)) == []


class Careless(ScriptedLLM):
    """A model that forgets to hand over a reply that is this text."""

    def generate(self, messages, menu=(), on_text_delta=None):
        response = super().generate(messages, menu, on_text_delta)
        return None if response.message.content == "(forgotten)" else response


def struck(seconds: float) -> None:
    raise KeyboardInterrupt


BUSY = ModelError("The server is busy.", retryable=True)
AT_ONCE = Retries(most=2, sleep=lambda seconds: None, chance=lambda: 0.0)
TWO_SLIPS = (PARIS, call("boom"))
TOKENS = LLMResponse(AssistantMessage("", (PARIS, TOKYO)), usage=Usage(250, 0))
REFUSED = {"refusal": "I can't help with that."}
# How a run that has had one round of slips breaks off in its second.
FAILURES = {
    "the server stays busy": ([BUSY] * 3, {}, ModelError),
    "an interrupt between two tries": (
        [BUSY],
        {"retries": Retries(sleep=struck)},
        KeyboardInterrupt,
    ),
    "nothing said": ([""] * 3, {}, ModelError),
    "no response": (["(forgotten)"], {}, TypeError),
    "a refusal": ([LLMResponse(AssistantMessage(""), **REFUSED)], {}, ModelRefused),
    "a request that was declined": ([ModelRefused("Filtered.")], {}, ModelRefused),
    "a refusal with slips": (
        [LLMResponse(AssistantMessage("", TWO_SLIPS), **REFUSED)],
        {},
        ModelRefused,
    ),
    "the step limit": ([[PARIS, TOKYO]], {"max_steps": 2}, StepLimitReached),
    "the token limit": ([TOKENS], {"max_total_tokens": 250}, TokenLimitReached),
    "the cost limit": (
        [TOKENS],
        {"max_cost": 250e-6, "price": Price(1.0, 1.0)},
        CostLimitReached,
    ),
    "the time limit": (
        [[PARIS, TOKYO]],
        {"max_seconds": 2.5, "clock": partial(next, count())},
        TimeLimitReached,
    ),
    "a failing tool": ([[PARIS, call("boom"), TOKYO]], {}, OSError),
    "a script that is over": ([ScriptExhausted("over")], {}, ScriptExhausted),
}


REASONS = {
    KeyboardInterrupt: "interrupted",
    ModelRefused: "refused",
    StepLimitReached: "step limit",
    TokenLimitReached: "token limit",
    CostLimitReached: "cost limit",
    TimeLimitReached: "time limit",
}


def test_the_tests_below_see_every_reason_for_an_end():
    seen = {*REASONS.values(), "failed", "answered", "abandoned", "paused"}
    assert seen == {*get_args(FinishReason.__value__)}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize(
    "memory",
    [
        *(KeepAll, partial(LastN, 1), partial(LastN, 4)),
        partial(Summarise, ScriptedLLM(["They talked."] * 99), keep=1, over=1),
    ],
)
def test_after_any_failure_the_next_run_sends_a_valid_folder(failure, memory):
    script, options, error = FAILURES[failure]
    recorder = Recorder()
    a = Agent(
        Careless([[PARIS, TOKYO], *script, PARIS, "It is 18."]),
        registry(get_weather, raising(OSError("disk"))),
        PROMPT,
        memory=memory(),
        observers=[recorder],
        **{"retries": AT_ONCE, **options},
    )
    with pytest.raises(error):
        a.run("How warm?")
    a.limits, a.clock = Limits(), lambda: 0.0
    assert a.run("And in Paris?") == {"answer": "It is 18."}
    requests = [
        list(e.payload["messages"]) for e in recorder.events if e.name == "model_call"
    ]
    assert [problems(request) for request in requests] == [[]] * len(requests)
    assert [r[0] for r in requests] == [SystemMessage(PROMPT)] * len(requests)
    assert problems(said(a)) == []
    assert said(a)[-4:] == [
        UserMessage("And in Paris?"),
        AssistantMessage("", (replace(PARIS, id=numbers(a)[-1]),)),
        ToolMessage("18", numbers(a)[-1], "get_weather"),
        AssistantMessage("It is 18."),
    ]
    reasons = [e.payload["reason"] for e in recorder.events if e.name == "finish"]
    assert reasons == [REASONS.get(error, "failed"), "answered"]


# B07. Right: a reply without text and slips is asked for again, and never filed.
def test_B07_a_model_that_says_nothing_leaves_the_folder_as_it_was():
    recorder = Recorder()
    a = agent(PARIS, *[""] * 3, "18", retries=AT_ONCE, observers=[recorder])
    steps = a.steps("Paris?")
    for _ in range(3):
        next(steps)
    before = said(a)
    with pytest.raises(ModelError, match=r"^The model said nothing: .*3 times\.\)$"):
        next(steps)
    assert said(a) == before
    assert recorder.names()[-4:] == ["model_call", "retry", "retry", "finish"]
    assert recorder.events[-1].payload == {"answer": None, "reason": "failed"}


# D08. Right: each retry is announced, and adds nothing to folder and steps.
def test_D08_a_try_that_works_leaves_no_trace_in_folder_and_steps():
    plain, patient = agent(PARIS, "18"), agent(BUSY, PARIS, "", "18", retries=AT_ONCE)
    cards = list(plain.steps("Paris?"))
    assert list(patient.steps("Paris?")) == cards
    assert said(patient) == said(plain)


# A18. Right: a refusal ends the run as one, and what the model said is kept.
def test_A18_a_refusal_ends_the_run_with_what_the_model_said():
    recorder = Recorder()
    reply = LLMResponse(AssistantMessage(""), **REFUSED)
    a = agent(PARIS, reply, observers=[recorder])
    with pytest.raises(ModelRefused, match=r"^I can't help with that\.$"):
        a.run("How warm?")
    assert said(a)[-1] == AssistantMessage("I can't help with that.")
    assert recorder.events[-1].payload == {"answer": None, "reason": "refused"}


# B01. Right: a call and its answers are read out together or not at all.
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_B01_a_short_memory_never_parts_a_call_from_its_answers(n):
    llm = RequestKeeper(*[[PARIS, TOKYO], PARIS] * 3)
    a = Agent(llm, registry(get_weather), PROMPT, memory=LastN(n), max_steps=6)
    with pytest.raises(StepLimitReached):
        a.run("How warm?")
    assert [problems(request) for request in llm.requests] == [[]] * 6
    assert [request[0] for request in llm.requests] == [SystemMessage(PROMPT)] * 6
    folder = said(a)
    ends = [1, 4, 6, 9, 11, 14]  # a round is the reply and one or two answers
    assert [r[-1] for r in llm.requests] == [folder[end - 1] for end in ends]
    assert len(folder) == 16


ENDINGS = {
    "a failing tool": (RuntimeError("disk"), "Error: RuntimeError in boom: disk"),
    "Ctrl-C": (KeyboardInterrupt(), UNKNOWN),
    "stop": (Interrupted("Stopped by hand."), UNKNOWN),
    "sys.exit": (SystemExit(1), UNKNOWN),
    "a cancelled task": (CancelledError(), UNKNOWN),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_after_a_run_that_broke_off_the_next_one_sends_a_valid_folder(ending):
    error, answer = ENDINGS[ending]
    llm = RequestKeeper([call("ok", "c1"), call("boom", "c2"), call("ok", "c3")], "Hi.")
    a = Agent(llm, registry(ok, raising(error)), PROMPT)
    with pytest.raises(type(error)):
        a.run("Go")
    assert a.run("hello again") == {"answer": "Hi."}
    assert problems(llm.requests[1]) == []
    assert llm.requests[1][3:] == [
        ToolMessage("fine", "c1", "ok"),
        ToolMessage(answer, "c2", "boom"),
        ToolMessage(NOT_RUN, "c3", "ok"),
        UserMessage("hello again"),
    ]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelError("No such model."), "failed"),
        (ScriptExhausted("empty"), "failed"),
        (OSError("no route"), "failed"),
        (Interrupted("Stopped by hand."), "interrupted"),
    ],
)
def test_a_model_that_fails_leaves_the_folder_as_it_was(error, reason):
    recorder = Recorder()
    a = agent(PARIS, error, "18", observers=[recorder])
    with pytest.raises(type(error)) as raised:
        a.run("Paris?")
    assert raised.value is error
    assert [type(message) for message in said(a)] == [
        UserMessage,
        AssistantMessage,
        ToolMessage,
    ]
    assert recorder.names().count("finish") == 1
    assert recorder.events[-1].payload == {"answer": None, "reason": reason}
    assert a.run("Again?") == {"answer": "18"}


# Interrupts

INTERRUPTS = [
    KeyboardInterrupt(),
    SystemExit(1),
    CancelledError(),
    Interrupted("Stopped by hand."),
]
BY_NAME = [type(error).__name__ for error in INTERRUPTS]


# D04. Right: what began says so, what did not says so, and the folder can go on.
@pytest.mark.parametrize("error", INTERRUPTS, ids=BY_NAME)
def test_D04_an_interrupted_tool_is_told_from_one_that_never_started(error):
    recorder = Recorder()
    a = agent(
        [call("ok", "c1"), call("boom", "c2"), call("ok", "c3")],
        tools=[ok, raising(error)],
        observers=[recorder],
    )
    with pytest.raises(type(error)) as raised:
        a.run("Go")
    assert raised.value is error
    assert results(a) == [("c1", "fine"), ("c2", UNKNOWN), ("c3", NOT_RUN)]
    assert recorder.names()[-4:] == [
        "tool_call",
        "message_added",
        "message_added",
        "finish",
    ]
    assert recorder.events[-1].payload == {"answer": None, "reason": "interrupted"}


def interrupted_in_the_second_round(reply, error, **options) -> list[str]:
    """What such a run announces; it leaves the folder as it was, and can go on."""
    recorder = Recorder()
    a = agent(PARIS, reply, "18", observers=[recorder], **options)
    steps = a.steps("Paris?")
    for _ in range(3):
        next(steps)
    before = said(a)
    with pytest.raises(type(error)) as raised:
        next(steps)
    assert raised.value is error
    assert said(a) == before
    assert recorder.events[-1].payload == {"answer": None, "reason": "interrupted"}
    names = recorder.names()
    assert a.run("Again?") == {"answer": "18"}
    return names


@pytest.mark.parametrize("error", INTERRUPTS, ids=BY_NAME)
def test_D04_an_interrupt_while_the_model_is_asked_leaves_the_folder_as_it_was(error):
    def wait(messages, menu):
        raise error

    names = interrupted_in_the_second_round(wait, error)
    assert names[-2:] == ["model_call", "finish"]


@pytest.mark.parametrize("error", INTERRUPTS, ids=BY_NAME)
def test_D04_an_interrupt_between_two_tries_leaves_the_folder_as_it_was(error):
    def wait(seconds):
        raise error

    names = interrupted_in_the_second_round(BUSY, error, retries=Retries(sleep=wait))
    assert names[-2:] == ["retry", "finish"]


class InterruptedAt(Observer):
    """A listener in whom Ctrl-C strikes, the first time it hears a certain moment."""

    def __init__(self, moment: str, error: BaseException) -> None:
        self.moment = moment
        self.error = error

    def on_event(self, event):
        if event.name == self.moment:
            self.moment = "never again"
            raise self.error


@pytest.mark.parametrize("error", INTERRUPTS[:3], ids=BY_NAME[:3])
@pytest.mark.parametrize(
    ("moment", "answers"),
    [
        ("run_start", []),
        ("card_start", []),
        ("step_start", []),
        ("model_call", []),
        ("model_reply", []),
        ("tool_call", [("call_1", NOT_RUN), ("call_2", NOT_RUN)]),
        ("tool_return", [("call_1", "18"), ("call_2", NOT_RUN)]),
        ("finish", [("call_1", "18"), ("call_2", "24")]),
    ],
)
def test_D04_an_interrupt_in_a_listener_leaves_a_folder_to_go_on_with(
    moment, answers, error
):
    listener, recorder = InterruptedAt(moment, error), Recorder()
    a = agent([PARIS, TOKYO], "18 and 24", "Hi.", observers=[recorder, listener])
    with pytest.raises(type(error)) as raised:
        a.run("How warm?")
    assert raised.value is error
    assert results(a) == answers
    assert problems(said(a)) == []
    assert recorder.names().count("finish") == 1
    # Once the answer is announced, the run is over, whatever happens in a listener.
    reason = "answered" if moment == "finish" else "interrupted"
    assert recorder.events[-1].payload["reason"] == reason


def test_D04_an_interrupt_in_a_listener_keeps_the_answer_to_a_mistake():
    listener = InterruptedAt("tool_error", KeyboardInterrupt())
    a = agent([call("no_such_tool"), PARIS], observers=[listener])
    with pytest.raises(KeyboardInterrupt):
        a.run("How warm?")
    (_, told), second = results(a)
    assert told.startswith("Error: No tool named 'no_such_tool'.")
    assert second == ("call_2", NOT_RUN)


def test_what_was_open_before_the_run_was_never_started():
    memory = KeepAll()
    memory.add(UserMessage("Go"))
    memory.add(AssistantMessage("", (call("ok", "a"), call("ok", ""))))
    agent("Hi.", memory=memory).run("Hello")
    assert list(memory.folder)[2:] == [
        ToolMessage(NOT_RUN, "a", "ok"),
        ToolMessage(NOT_RUN, "", "ok"),
        UserMessage("Hello"),
        AssistantMessage("Hi."),
    ]


# A run that is left before its end


def leave_by_a_new_run(a, steps):
    a.run("Hello")


def leave_by_closing(a, steps):
    steps.close()


def leave_by_closing_twice(a, steps):
    steps.close()
    steps.close()


def leave_by_a_new_run_after_closing(a, steps):
    steps.close()
    a.run("Hello")


WAYS_TO_LEAVE = [
    leave_by_a_new_run,
    leave_by_closing,
    leave_by_closing_twice,
    leave_by_a_new_run_after_closing,
]


@pytest.mark.parametrize("leave", WAYS_TO_LEAVE)
def test_a_run_that_is_left_has_its_slips_answered_and_says_abandoned(leave):
    recorder = Recorder()
    a = agent([PARIS, TOKYO], "Hi.", observers=[recorder])
    steps = a.steps("How warm?")
    next(steps)
    assert isinstance(next(steps), RunningTools)
    leave(a, steps)
    assert said(a)[2:4] == [
        ToolMessage(NOT_RUN, "call_1", "get_weather"),
        ToolMessage(NOT_RUN, "call_2", "get_weather"),
    ]
    assert problems(said(a)) == []
    assert [
        dict(event.payload)
        for event in recorder.events
        if (event.name, event.run_id) == ("finish", "run-1")
    ] == [{"answer": None, "reason": "abandoned"}]
    assert list(steps) == []


def test_a_run_that_is_forgotten_with_its_agent_says_abandoned():
    recorder, memory = Recorder(), KeepAll()
    a = agent([PARIS, TOKYO], observers=[recorder], memory=memory)
    steps = a.steps("How warm?")
    next(steps)
    next(steps)
    del a, steps
    gc.collect()
    assert recorder.events[-1].payload == {"answer": None, "reason": "abandoned"}
    assert recorder.names().count("finish") == 1
    assert problems(list(memory.folder)) == []


def test_a_run_that_was_never_started_changes_nothing():
    recorder = Recorder()
    a = agent("Hi.", observers=[recorder])
    steps = a.steps("How warm?")
    steps.close()
    del steps
    a.steps("And in Tokyo?")
    gc.collect()
    assert (said(a), recorder.events, a.llm.calls) == ([], [], 0)
    assert a.run("Hello") == {"answer": "Hi."}
    assert said(a) == [UserMessage("Hello"), AssistantMessage("Hi.")]


def test_a_run_that_ended_is_not_abandoned_by_the_next():
    recorder = Recorder()
    a = agent("18", "24", observers=[recorder])
    a.run("Paris?")
    a.run("Tokyo?")
    finishes = [dict(e.payload) for e in recorder.events if e.name == "finish"]
    assert finishes == [
        {"answer": "18", "reason": "answered"},
        {"answer": "24", "reason": "answered"},
    ]


def test_an_error_thrown_into_a_run_ends_it_in_order():
    a = agent([PARIS, TOKYO])
    steps = a.steps("How warm?")
    next(steps)
    next(steps)
    with pytest.raises(OSError, match=r"^gone$"):
        steps.throw(OSError("gone"))
    assert [text for _, text in results(a)] == [NOT_RUN, NOT_RUN]


# An agent in the middle of its own card

IN_PROGRESS = (
    "Agent 'agent' is in the middle of a run, and runs one question at a time. "
    "A tool or a thread that needs an agent needs one of its own."
)


def test_a_tool_that_starts_its_own_agent_is_told_that_it_cannot():
    agents: list[Agent] = []

    def ask_again() -> object:
        return agents[0].run("And again?")

    a = agent([call("ask_again"), PARIS], "Hi.", tools=[ask_again])
    agents.append(a)
    with pytest.raises(RunInProgress) as raised:
        a.run("Go")
    assert str(raised.value) == IN_PROGRESS
    assert results(a) == [
        ("call_1", f"Error: RunInProgress in ask_again: {IN_PROGRESS}"),
        ("call_2", NOT_RUN),
    ]
    assert a.run("Hello") == {"answer": "Hi."}
    assert problems(said(a)) == []


def test_a_tool_that_catches_the_refusal_can_go_on():
    agents: list[Agent] = []

    def ask_again() -> str:
        try:
            agents[0].steps("And again?")
        except RunInProgress as refusal:
            return str(refusal)
        return "started"

    a = agent(call("ask_again"), "Done.", tools=[ask_again])
    agents.append(a)
    assert a.run("Go") == {"answer": "Done."}
    assert results(a) == [("call_1", IN_PROGRESS)]


@pytest.mark.parametrize(
    "moment", ["run_start", "card_start", "model_call", "tool_call", "finish"]
)
def test_a_listener_that_starts_the_agent_it_listens_to_changes_nothing(moment):
    class Restarter(Observer):
        def on_event(self, event):
            if event.name == moment:
                a.run("And again?")

    plain = agent(PARIS, "18")
    a = agent(PARIS, "18", observers=[Restarter()])
    assert a.run("Paris?") == plain.run("Paris?")
    assert said(a) == said(plain)


def test_a_listener_that_starts_the_agent_while_a_run_is_left_changes_nothing():
    class Restarter(Observer):
        def on_finish(self, answer, reason):
            a.run("And again?")

    a = agent([PARIS, TOKYO], "Hi.", observers=[Restarter()])
    steps = a.steps("How warm?")
    next(steps)
    next(steps)
    assert a.run("Hello") == {"answer": "Hi."}
    assert problems(said(a)) == []


def test_a_tool_may_run_an_agent_of_its_own():
    def research(topic: str) -> object:
        return agent("24").run(topic)["answer"]

    a = agent(call("research", topic="Tokyo"), "It is 24.", tools=[research])
    assert a.run("Tokyo?") == {"answer": "It is 24."}
    assert results(a) == [("call_1", "24")]


# G03. Right: a run needs no event loop, and does not mind one.
def test_G03_an_agent_runs_inside_an_event_loop_as_anywhere():
    async def cell() -> object:
        return agent(PARIS, "18").run("Paris?")

    with pytest.raises(StopIteration) as returned:
        cell().send(None)
    assert returned.value.value == {"answer": "18"}


# Who listens to which run


def test_a_run_has_an_id_and_so_has_the_next():
    recorder = Recorder()
    a = agent("18", "24", observers=[recorder], name="guide")
    a.run("Paris?")
    a.run("Tokyo?")
    one_run = ["run_start", "message_added", "card_start", "step_start", "model_call"]
    one_run += ["model_reply", "message_added", "card_start", "finish"]
    assert [(e.run_id, e.seq, e.agent, e.name) for e in recorder.events] == [
        (run, seq, "guide", name)
        for run in ("run-1", "run-2")
        for seq, name in enumerate(one_run, start=1)
    ]


def test_run_ids_can_be_handed_in():
    recorder = Recorder()
    ids = (f"monday-{n}" for n in count(7))
    a = agent("18", "24", observers=[recorder], new_run_id=lambda: next(ids))
    a.run("Paris?")
    a.run("Tokyo?")
    assert {e.run_id for e in recorder.events} == {"monday-7", "monday-8"}


def test_a_listener_may_come_for_one_run_alone():
    always, once = Recorder(), Recorder()
    a = agent("18", "24", observers=[always])
    list(a.steps("Paris?", observers=[once]))
    a.run("Tokyo?")
    assert once.events == always.events[: len(once.events)]
    assert [e.payload["answer"] for e in once.events if e.name == "finish"] == ["18"]
    assert len(always.events) == 2 * len(once.events)


def test_a_listener_of_one_run_hears_before_those_of_the_agent():
    heard: list[tuple[str, str]] = []

    class Listener(Observer):
        def __init__(self, name: str) -> None:
            self.name = name

        def on_event(self, event):
            heard.append((event.name, self.name))

    a = agent("18", observers=[Listener("of the agent"), Listener("of the agent too")])
    list(a.steps("Paris?", observers=[Listener("of the run")]))
    order = ("of the run", "of the agent", "of the agent too")
    moments = [name for name, listener in heard if listener == "of the run"]
    assert heard == [(moment, name) for moment in moments for name in order]


def test_listeners_are_those_that_were_handed_in_at_the_start():
    first, late = Recorder(), Recorder()
    listeners = [first]
    a = agent("18", observers=listeners)
    listeners.append(late)
    a.run("Paris?")
    assert (len(first.events), late.events) == (9, [])


def test_the_paris_and_tokyo_run_is_announced_in_full():
    recorder = Recorder()
    paris_and_tokyo.agent(observers=[recorder]).run(paris_and_tokyo.question)
    a_round = ["step_start", "model_call", "model_reply", "message_added"]
    errand = ["tool_call", "tool_return", "message_added"]
    names = ["run_start", "message_added", "card_start"]
    names += [*a_round, "card_start", *errand, *errand, "card_start"]
    names += [*a_round, "card_start", *errand, *errand, "card_start"]
    names += [*a_round, "card_start", "finish"]
    steps = [0] * 3 + [1] * 12 + [2] * 12 + [3] * 6
    assert [(e.seq, e.step, e.name) for e in recorder.events] == [
        (seq, step, name)
        for seq, (step, name) in enumerate(zip(steps, names, strict=True), start=1)
    ]


def about_the_run() -> dict[str, object]:
    """What is told of a run beside its question, for whoever writes it down."""
    return {
        "model": {"name": None, "adapter": "ScriptedLLM"},
        "settings": {
            "system_prompt": PROMPT,
            "max_steps": 10,
            "max_total_tokens": None,
            "max_cost": None,
            "max_seconds": None,
            "memory": "KeepAll",
            "tool_failures": "raise",
            "streamed": False,
        },
        "folder": [],
    }


def test_every_announcement_says_what_happened():
    recorder = Recorder()
    slip = call("get_weather", "c1", city="Paris")
    reply = LLMResponse(AssistantMessage("", (slip,)), "Hm.", Usage(9, 4))
    a = agent(reply, "18", observers=[recorder])
    a.run("Paris?")
    asked, told = UserMessage("Paris?"), ToolMessage("18", "c1", "get_weather")
    first = [SystemMessage(PROMPT), asked]
    answer = AssistantMessage("18")
    running = RunningTools((slip,), 1, because="the reply passed one slip")
    again = CallingModel(2, because="every slip has its answer")
    done = Finished("18", "answered", because="the reply passed no slip")
    menu = a.tools.menu()
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("run_start", {"question": "Paris?", **about_the_run()}),
        ("message_added", {"message": asked}),
        ("card_start", {"card": CallingModel(1)}),
        ("step_start", {"step": 1}),
        ("model_call", {"messages": first, "menu": menu}),
        ("model_reply", {"response": reply}),
        ("message_added", {"message": reply.message}),
        ("card_start", {"card": running}),
        ("tool_call", {"call": slip}),
        ("tool_return", {"call": slip, "value": "18", "message": told}),
        ("message_added", {"message": told}),
        ("card_start", {"card": again}),
        ("step_start", {"step": 2}),
        ("model_call", {"messages": [*first, reply.message, told], "menu": menu}),
        ("model_reply", {"response": LLMResponse(answer)}),
        ("message_added", {"message": answer}),
        ("card_start", {"card": done}),
        ("finish", {"answer": "18", "reason": "answered"}),
    ]


def test_a_tools_value_error_keeps_its_cause():
    def boom() -> str:
        raise ValueError("no such city") from KeyError("Paris")

    a = agent(call("boom"), call("boom"), tools=[boom])
    with pytest.raises(ValueError, match="no such city") as raised:
        a.run("Go")
    assert type(raised.value.__cause__) is KeyError
    with pytest.raises(ValueError, match="no such city") as raised:
        list(a.steps("Go"))
    assert type(raised.value.__cause__) is KeyError
