import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.errors import (
    CostLimitReached,
    LimitReached,
    ModelError,
    StepLimitReached,
    TimeLimitReached,
    TokenLimitReached,
)
from mingraph_lite.limits import Limits, Price, Spent, estimated
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observers import Recorder
from mingraph_lite.recovery import Retries
from tests.desks import laid_out
from tests.schema.adding import registry

PRICE = Price(input=3.0, output=15.0, cached=0.3)
LOOK = ToolCall("look", {"place": "Paris"})
NAN = float("nan")


def look(place: str) -> str:
    return f"nothing new in {place}"


class Clock:
    """A clock that is moved by hand."""

    def __init__(self, *readings: float) -> None:
        self.readings = list(readings)

    def __call__(self) -> float:
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def asking(usage: Usage | None = None, times: int = 20) -> list[LLMResponse]:
    """A model that asks for the same again and again."""
    return [LLMResponse(AssistantMessage("", (LOOK,)), usage=usage)] * times


def agent(script, **options) -> Agent:
    options = {"retries": Retries(most=0)} | options
    return Agent(ScriptedLLM(script), registry(look), "", **options)


def stopped(script, **options) -> tuple[LimitReached, Agent, Recorder]:
    """The limit that a run reaches, its agent and what was announced."""
    recorder = Recorder()
    a = agent(script, observers=[recorder], **options)
    with pytest.raises(LimitReached) as raised:
        a.run("What is new?")
    return raised.value, a, recorder


# What a call costs, with the sums worked by hand


@pytest.mark.parametrize(
    ("price", "usage", "cost"),
    [
        # 1000 * 3 + 200 * 15 = 6000 per million
        (PRICE, Usage(1000, 200), 0.006),
        # 400 fresh * 3 + 600 cached * 0.3 + 200 * 15 = 1200 + 180 + 3000
        (PRICE, Usage(1000, 200, cached_tokens=600), 0.00438),
        # all of it cached: 1000 * 0.3
        (PRICE, Usage(1000, 0, cached_tokens=1000), 0.0003),
        # no price of its own for cached input: 1000 * 3 + 200 * 15
        (Price(3.0, 15.0), Usage(1000, 200, cached_tokens=600), 0.006),
        # cached input for nothing: 400 * 3 + 200 * 15
        (Price(3.0, 15.0, 0.0), Usage(1000, 200, cached_tokens=600), 0.0042),
        # reasoning is part of the output and not paid twice: 200 * 15
        (PRICE, Usage(0, 200, reasoning_tokens=150), 0.003),
        # unknown input, of which 600 are known to be cached: 600 * 0.3 + 200 * 15
        (PRICE, Usage(None, 200, cached_tokens=600), 0.00318),
        # unknown output: 1000 * 3
        (PRICE, Usage(1000, None), 0.003),
        (PRICE, Usage(), 0.0),
    ],
)
def test_a_call_costs_its_fresh_its_cached_and_its_written_tokens(price, usage, cost):
    assert price.of(usage) == pytest.approx(cost, abs=1e-15)


@pytest.mark.parametrize(
    ("usages", "tokens", "uncounted"),
    [
        ([Usage(10, 5)], 15, 0),
        ([Usage(10, 5), Usage(20, 7)], 42, 0),
        ([Usage(0, 0)], 0, 0),
        ([None], 0, 1),
        ([Usage()], 0, 1),
        ([Usage(10, None)], 10, 1),
        ([Usage(None, 5)], 5, 1),
        ([Usage(10, 5, 4, 8)], 15, 0),
        ([Usage(10, 5), None, Usage(None, 5)], 20, 2),
    ],
)
def test_a_count_that_is_unknown_stays_unknown(usages, tokens, uncounted):
    spent = Spent(began=0.0)
    for usage in usages:
        spent.add(usage, None)
    assert spent == Spent(0.0, tokens, 0.0, uncounted)


# Which limit, and what it says


def wish() -> str:
    return 'The model last asked for look(place="Paris").'


EVERYTHING = Limits(steps=3, tokens=100, cost=0.5, seconds=60, price=PRICE)


@pytest.mark.parametrize(
    ("step", "spent", "now", "kind", "used", "option"),
    [
        (4, Spent(5.0), 5.0, StepLimitReached, "3 rounds", "max_steps"),
        (
            3,
            Spent(5.0, tokens=120),
            5.0,
            TokenLimitReached,
            "120 of 100 tokens",
            "max_total_tokens",
        ),
        (
            3,
            Spent(5.0, cost=0.5125),
            5.0,
            CostLimitReached,
            "0.5125 of 0.5 spent",
            "max_cost",
        ),
        (
            3,
            Spent(5.0),
            66.25,
            TimeLimitReached,
            "61.25 of 60 seconds",
            "max_seconds",
        ),
        # What nobody counted is said where somebody may wonder about the count.
        (
            3,
            Spent(5.0, tokens=120, uncounted=1),
            5.0,
            TokenLimitReached,
            "120 of 100 tokens (1 reply came without counts)",
            "max_total_tokens",
        ),
        (
            3,
            Spent(5.0, cost=0.5125, uncounted=2),
            5.0,
            CostLimitReached,
            "0.5125 of 0.5 spent (2 replies came without counts)",
            "max_cost",
        ),
        (
            4,
            Spent(5.0, uncounted=2),
            5.0,
            StepLimitReached,
            "3 rounds",
            "max_steps",
        ),
        # The first in the order of the list is the one that is named.
        (4, Spent(5.0, 120, 9.0), 99.0, StepLimitReached, "3 rounds", "max_steps"),
    ],
)
def test_a_limit_says_what_was_used_up_what_was_wanted_and_how_to_allow_more(
    step, spent, now, kind, used, option
):
    error = EVERYTHING.reached(step, spent, now, wish)
    assert (type(error), error.because, str(error)) == (
        kind,
        f"the limit is reached: {used}",
        f'No answer after {used}. The model last asked for look(place="Paris"). '
        f"Allow more with {option}=…, or read in the folder what the model could "
        "not get.",
    )


def test_one_call_is_said_in_the_singular():
    error = Limits(steps=1).reached(2, Spent(0.0), 0.0, wish)
    assert error.because == "the limit is reached: 1 round"
    assert str(error).startswith("No answer after 1 round. The model last")


@pytest.mark.parametrize(
    ("step", "spent", "now", "reached"),
    [
        (3, Spent(5.0), 5.0, False),
        (3, Spent(5.0, tokens=99), 5.0, False),
        (3, Spent(5.0, tokens=100), 5.0, True),
        (3, Spent(5.0, cost=0.4999), 5.0, False),
        (3, Spent(5.0, cost=0.5), 5.0, True),
        (3, Spent(5.0), 64.9, False),
        (3, Spent(5.0), 65.0, True),
        # A clock that is put back takes no time, and none that was owed.
        (3, Spent(5.0), -900.0, False),
        # What nobody counted is no reason to stop.
        (3, Spent(5.0, uncounted=9), 5.0, False),
    ],
)
def test_a_limit_is_reached_when_all_of_it_is_used_up(step, spent, now, reached):
    assert (EVERYTHING.reached(step, spent, now, wish) is not None) is reached


def test_where_no_limit_is_given_only_calls_are_counted():
    spent = Spent(0.0, tokens=10**9, cost=10.0**9)
    assert Limits().reached(10, spent, 10.0**9, wish) is None
    assert isinstance(Limits().reached(11, spent, 0.0, wish), StepLimitReached)


# D01. Right: max_steps model calls and no more, one finish, every slip answered.
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"max_steps": 0},
            "max_steps is 0; an agent needs at least 1 round.",
        ),
        (
            {"max_steps": NAN},
            "max_steps is nan; an agent needs at least 1 round.",
        ),
        (
            {"max_total_tokens": 0},
            "max_total_tokens is 0, and no call could be made. "
            "Give a number above 0; None is no limit.",
        ),
        (
            {"max_cost": -0.5, "price": PRICE},
            "max_cost is -0.5, and no call could be made. "
            "Give a number above 0; None is no limit.",
        ),
        (
            {"max_seconds": NAN},
            "max_seconds is nan, and no call could be made. "
            "Give a number above 0; None is no limit.",
        ),
        (
            {"max_cost": 0.5},
            "A limit on money needs the price of the model: "
            "price=Price(input=…, output=…), per million tokens.",
        ),
    ],
)
def test_D01_a_limit_that_cannot_be_kept_is_refused_at_once(options, message):
    with pytest.raises(ValueError, match=r"max_|money") as raised:
        agent(["18"], **options)
    assert str(raised.value) == message


# Limits in a run


@pytest.mark.parametrize(
    ("options", "usage", "kind", "reason", "calls", "used"),
    [
        ({"max_steps": 1}, None, StepLimitReached, "step limit", 1, "1 round"),
        ({"max_steps": 3}, None, StepLimitReached, "step limit", 3, "3 rounds"),
        (
            {"max_total_tokens": 100},
            Usage(40, 10),
            TokenLimitReached,
            "token limit",
            2,
            "100 of 100 tokens",
        ),
        (
            {"max_cost": 0.01, "price": PRICE},
            Usage(1000, 100),  # 3000 + 1500 per million
            CostLimitReached,
            "cost limit",
            3,
            "0.0135 of 0.01 spent",
        ),
        (
            {"max_seconds": 5, "clock": Clock(100, 101, 102, 105)},
            None,
            TimeLimitReached,
            "time limit",
            2,
            "5 of 5 seconds",
        ),
        (
            # It stands still, is put back, and then jumps an hour ahead.
            {"max_seconds": 5, "clock": Clock(100, 100, 20, 3700)},
            None,
            TimeLimitReached,
            "time limit",
            2,
            "3600 of 5 seconds",
        ),
    ],
)
def test_D01_a_run_that_reaches_a_limit_ends_once_with_its_slips_answered(
    options, usage, kind, reason, calls, used
):
    error, a, recorder = stopped(asking(usage), **options)
    assert (type(error), error.because) == (kind, f"the limit is reached: {used}")
    assert a.llm.calls == calls
    assert [dict(e.payload) for e in recorder.events if e.name == "finish"] == [
        {"answer": None, "reason": reason}
    ]
    assert [e.payload["step"] for e in recorder.events if e.name == "step_start"] == [
        *range(1, calls + 1)
    ]
    answers = [m.content for m in a.memory.folder if isinstance(m, ToolMessage)]
    assert answers == ["nothing new in Paris"] * calls


def test_D01_an_answer_that_uses_up_the_limit_is_an_answer():
    reply = LLMResponse(AssistantMessage("Nothing."), usage=Usage(90, 10))
    a = agent([reply], max_steps=1, max_total_tokens=100)
    assert a.run("What is new?") == {"answer": "Nothing."}


UNCOUNTED = (
    "The model sends no token counts. For {} an estimate is counted: "
    "one token for every 4 bytes of text."
)


def test_replies_without_counts_are_estimated_and_that_is_said_at_the_first(caplog):
    error, a, recorder = stopped(asking(Usage(), times=9), max_total_tokens=300)
    warned = [e.payload["text"] for e in recorder.events if e.name == "warning"]
    assert warned == [UNCOUNTED.format("max_total_tokens")]
    assert [record.getMessage() for record in caplog.records] == warned
    assert recorder.names().index("warning") < recorder.names().index("tool_call")
    assert type(error) is TokenLimitReached
    assert a.last_run.estimated_tokens == a.last_run.tokens >= 300
    assert a.llm.calls == a.last_run.uncounted
    assert f"of 300 tokens ({a.last_run.tokens} tokens are estimated" in str(error)


def test_money_is_estimated_where_nothing_is_counted():
    options = {"max_cost": 1.0, "price": Price(1_000_000, 0)}
    error, a, _ = stopped(asking(None, times=9), **options)
    assert (type(error), a.llm.calls) == (CostLimitReached, 1)
    written = estimated([], (), asking()[0]).output_tokens
    assert a.last_run.cost == a.last_run.tokens - written


def test_an_estimate_counts_four_bytes_as_a_token_and_says_nothing_without_a_limit(
    caplog,
):
    said = LLMResponse(AssistantMessage("é" * 4), reasoning="abcd")
    assert estimated([UserMessage("12345"), UserMessage("678")], (), said) == Usage(
        2, 3
    )
    a = agent(["Nothing."])
    a.run("What is new?")
    assert (a.last_run.tokens, a.last_run.uncounted, caplog.records) == (0, 1, [])


def test_only_the_half_that_is_not_counted_is_estimated():
    spent = Spent(0.0)
    spent.add(Usage(10, None), PRICE, Usage(99, 7))
    assert spent == Spent(0.0, 17, PRICE.of(Usage(10, 7)), 1, 7)


def test_every_run_has_the_whole_limit():
    reply = LLMResponse(AssistantMessage("Nothing."), usage=Usage(90, 10))
    a = agent([reply, reply], max_total_tokens=100)
    assert [a.run("What is new?"), a.run("And now?")] == [{"answer": "Nothing."}] * 2


# Limits while the model is asked again, and for whoever else asks


def busy(seconds):
    return ModelError("busy", retryable=True, retry_after=seconds)


def test_a_wait_that_would_go_past_the_time_limit_is_not_begun():
    now, waits = [0.0], []

    def sleep(seconds):
        waits.append(seconds)
        now[0] += seconds

    retries = Retries(most=5, sleep=sleep, chance=lambda: 0)
    a = agent(
        [busy(4), busy(4), busy(4), "noon"],
        max_seconds=10,
        clock=lambda: now[0],
        retries=retries,
    )
    with pytest.raises(ModelError, match=r"^busy \(Tried 3 times\.\)$"):
        a.run("What time is it?")
    assert waits == [4, 4]


def test_an_empty_reply_that_used_up_the_tokens_is_not_asked_for_again():
    empty = LLMResponse(AssistantMessage(""), usage=Usage(90, 20))
    a = agent(
        [empty, empty, "noon"],
        max_total_tokens=100,
        retries=Retries(most=5, sleep=lambda seconds: None),
    )
    with pytest.raises(ModelError, match="The model said nothing"):
        a.run("What time is it?")
    assert a.llm.calls == 1


def test_whoever_asks_at_the_desk_is_held_to_the_limits():
    spent = LLMResponse(AssistantMessage("long"), usage=Usage(90, 20))
    desk, recorder = laid_out(spent, "more", limits=Limits(tokens=100))
    assert desk.ask([UserMessage("Sum up.")]) == spent
    with pytest.raises(TokenLimitReached, match="110 of 100 tokens"):
        desk.ask([UserMessage("Sum up.")])
    assert recorder.names() == ["model_call", "model_reply"]
