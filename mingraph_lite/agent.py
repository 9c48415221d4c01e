"""The whole loop: run the card, take the one it gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import GEN_CREATED, GEN_RUNNING, getgeneratorstate
from itertools import count
from threading import RLock, get_ident
from typing import Any, Final, Literal, TypedDict

from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.desk import Desk
from mingraph_lite.errors import FinishReason, Interrupted, RunInProgress
from mingraph_lite.limits import Limits, Price
from mingraph_lite.llm import LLM, TextListener
from mingraph_lite.memory import KeepAll, Memory
from mingraph_lite.observers import Announcer, Observer
from mingraph_lite.own_cards import (
    Before,
    check_before,
    check_that_it_fits,
    is_card,
    laid_before,
    step_of,
)
from mingraph_lite.record import RunRecord
from mingraph_lite.recovery import Retries
from mingraph_lite.schema.handed_in import (
    in_words,
    must_be,
    must_be_called,
    must_offer,
)
from mingraph_lite.tools import ToolRegistry, Tools, as_registry

__all__: Final = ["Agent", "Answer", "Question"]

type Question = str | Mapping[str, object]
"""`{"question": "…"}`, or the text alone for short."""

_NONE: Final[Before] = {}


class Answer(TypedDict):
    """What a run gives that came to an answer."""

    answer: str


@dataclass(eq=False)
class _Run:
    """A run that may not be over, and the thread that began another and ended it."""

    desk: Desk
    cards: Generator[Card]
    handed_out: Generator[Card] = field(init=False)
    ended_by: int | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether it was left before its end, or never begun."""
        ended = self.desk.ended
        return ended is None or ended[1] in {"abandoned", "paused"}


class Agent:
    """A model that calls tools in a loop until it answers.

    `tools` are a ToolRegistry or a list of functions. `max_steps` counts rounds;
    tokens, money (with the `price` of the model) and seconds can be limited too, and
    where a server counts no tokens, an estimate does. `before` lays a card of one's
    own before another: `{RunningTools: AskingHuman}` plays `AskingHuman(card)` where a
    card hands back a RunningTools. `tool_failures="answer"` tells the model of a tool
    that failed, and goes on; else the caller is told. `retries` says how a failed
    model call is tried again, `clock` gives seconds. Why is `memory` None and not
    `KeepAll()`? A default is built once, when Python reads the `def`: all agents would
    share one folder. `observers` hear each announcement and change nothing.
    `new_run_id` names a run; by default runs are counted, so that the same code gives
    the same trace.

    An agent runs one question at a time. Threads need an agent each.
    """

    def __init__(
        self,
        llm: LLM,
        tools: Tools,
        system_prompt: str,
        *,
        memory: Memory | None = None,
        observers: Iterable[Observer] = (),
        max_steps: int = 10,
        max_total_tokens: int | None = None,
        max_cost: float | None = None,
        max_seconds: float | None = None,
        price: Price | None = None,
        retries: Retries | None = None,
        clock: Callable[[], float] = time.monotonic,
        name: str = "agent",
        on_text_delta: TextListener | None = None,
        new_run_id: Callable[[], str] | None = None,
        before: Before | None = None,
        tool_failures: Literal["raise", "answer"] = "raise",
    ) -> None:
        runs = count(1)
        self.llm = llm
        self.tools: ToolRegistry = as_registry(tools)
        self.system_prompt = system_prompt
        self.memory: Memory = KeepAll() if memory is None else memory
        self.observers: tuple[Observer, ...] = _listeners(observers)
        self.limits: Limits = Limits(
            max_steps, max_total_tokens, max_cost, max_seconds, price
        )
        self.retries: Retries = Retries() if retries is None else retries
        self.clock = clock
        self.name = name
        self.on_text_delta = on_text_delta
        self.before: Before = _NONE if before is None else before
        self.tool_failures = tool_failures
        self._new_run_id: Callable[[], str] = (
            (lambda: f"run-{next(runs)}") if new_run_id is None else new_run_id
        )
        self._lock = RLock()
        self._last: _Run | None = None
        self._check()

    def __repr__(self) -> str:
        return f"Agent({self.name!r}, {self.tools!r}, {self.memory!r})"

    def __getstate__(self) -> dict[str, object]:
        """What a copy is made of: it has no run of its own yet."""
        return {**self.__dict__, "_lock": None, "_last": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()

    @property
    def last_run(self) -> RunRecord | None:
        """What the last run was, or the run that goes on is so far; None before."""
        return self._last.desk.record if self._last else None

    def run(
        self,
        state: Question | Card,
        *,
        observers: Iterable[Observer] = (),
        on_text_delta: TextListener | None = None,
    ) -> Answer:
        """Answer a question: `{"question": str}` in, `{"answer": str}` out.

        Goes on from a card as `steps` does. Raises LimitReached where there is no
        answer within the limits, ModelRefused, ReplyCutOff where the answer is not
        whole, any other ModelError after its last try, RunInProgress where the agent is
        running, and what a failing tool raised.
        """
        run = self._begin(state, observers, on_text_delta, self._to_the_end)
        try:
            last = next(run.handed_out, None)
        except _EscapedStop as escaped:
            raise escaped.error from None
        if last is None or run.is_cut_short:
            raise self._ended_by_another_run()  # another thread was quicker
        assert isinstance(last, Finished)  # no other card ends a run
        assert last.answer is not None  # without an answer it has raised
        return {"answer": last.answer}

    def steps(
        self,
        state: Question | Card,
        *,
        observers: Iterable[Observer] = (),
        on_text_delta: TextListener | None = None,
    ) -> Generator[Card]:
        """Hand out each card before it runs; one `next()` runs one card.

        `observers` and `on_text_delta` listen to this run only. A run that was left
        unfinished is ended when the next one starts, or at once where it was opened
        with `closing`:

            with closing(agent.steps("How warm is it?")) as cards:
                for card in cards: …

        From a card instead of a question it goes on where a run was paused, with the
        folder that was there then. The rounds go on counting; tokens, money and time
        start anew.
        """
        return self._begin(state, observers, on_text_delta, self._one_by_one).handed_out

    def pause(self) -> None:
        """End an unfinished run with its slips left open, for `steps(card)`."""
        with self._alone():
            self._end_unfinished("paused")

    def _begin(
        self,
        state: Question | Card,
        observers: Iterable[Observer],
        on_text_delta: TextListener | None,
        hand_out: Callable[[_Run], Generator[Card]],
    ) -> _Run:
        question = None if is_card(state) else _question(state)
        if question is None:
            check_that_it_fits(state, self.memory)
        if on_text_delta is None:
            on_text_delta = self.on_text_delta
        _check_text_listener(on_text_delta)
        announcer = Announcer(
            (*_listeners(observers), *self.observers),
            run_id=self._new_run_id(),
            agent=self.name,
        )
        with self._alone():
            self._end_unfinished("abandoned" if question is not None else "paused")
            desk = Desk(
                self.llm,
                self.tools,
                self.memory,
                self.system_prompt,
                announcer,
                self.limits,
                self.retries,
                self.clock,
                on_text_delta,
                self.tool_failures,
            )
            run = _Run(desk, _play(desk, question, state, self.before))
            run.handed_out = hand_out(run)
            self._last = run
            return run

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While one thread ends a run and begins another, the others are told so.

        Why not let them wait? A listener that hears the end may wait for one of them.
        """
        locked = False
        try:
            locked = self._lock.acquire(blocking=False)
            if not locked:
                raise self._in_progress()
            yield
        finally:
            if locked:
                self._lock.release()

    def _one_by_one(self, run: _Run) -> Generator[Card]:
        """The cards as they come; a run that another thread ended says so."""
        try:
            yield from run.cards
        except ValueError as error:
            if _is_of_a_card(error):
                raise
            raise self._ended_by_another_run() from None
        if run.is_cut_short and run.ended_by not in {None, get_ident()}:
            raise self._ended_by_another_run()

    def _to_the_end(self, run: _Run) -> Generator[Card]:
        """The last card alone: all the while, others are told of a run in progress."""
        last: Card | None = None
        run.desk.leaving = "interrupted"  # by Ctrl-C between two cards
        try:
            for card in run.cards:
                last = card
        except ValueError as error:
            if _is_of_a_card(error):
                raise
            raise self._ended_by_another_run() from None
        finally:
            run.cards.close()
        if last is not None:
            yield last

    def _end_unfinished(self, reason: FinishReason) -> None:
        """End the last run in this thread, if it is not over; never from inside."""
        run = self._last
        if run is None:
            return
        generators = (run.cards, run.handed_out)
        if GEN_RUNNING in map(getgeneratorstate, generators):
            raise self._in_progress()
        begun = getgeneratorstate(run.cards) != GEN_CREATED
        run.desk.leaving, run.ended_by = reason, get_ident()
        try:
            run.cards.close()
        except ValueError:
            if getgeneratorstate(run.cards) == GEN_RUNNING:
                raise self._in_progress() from None  # it went on at this very moment
            raise
        if begun:  # its own end may have been struck by an interrupt
            run.desk.finish(None, "interrupted")

    def _in_progress(self) -> RunInProgress:
        return RunInProgress(
            f"Agent {self.name!r} is in the middle of a run, and runs one question at "
            "a time. A tool or a thread that needs an agent needs one of its own."
        )

    def _ended_by_another_run(self) -> RunInProgress:
        return RunInProgress(
            f"Another thread began a run of agent {self.name!r}, which ended this one. "
            "Give each thread an agent of its own."
        )

    def _check(self) -> None:
        """Refuse wrong kinds where they are handed in."""
        must_offer(
            self.llm,
            "The llm",
            "generate",
            "Hand in an object with generate(messages, menu), or ScriptedLLM([…]).",
        )
        must_be(self.system_prompt, str, "The system prompt", 'For none write "".')
        must_offer(
            self.memory,
            "The memory",
            "folder add messages",
            "Hand in KeepAll(), LastN(n), or an object with these three.",
        )
        must_offer(self.retries, "retries", "wait sleep", "Hand in Retries(most=…).")
        must_be(self.name, str, "The name", "Give a text.")
        must_be_called(
            self.clock, "The clock", "Hand in a function that gives seconds."
        )
        must_be_called(
            self._new_run_id, "new_run_id", "Hand in a function that gives a text."
        )
        _check_text_listener(self.on_text_delta)
        if self.tool_failures not in ("raise", "answer"):
            raise ValueError(
                f"tool_failures is {in_words(self.tool_failures)}; it is 'raise' or "
                "'answer'."
            )
        check_before(self.before)


def _question(state: object) -> str:
    question = state.get("question") if isinstance(state, Mapping) else state
    if not isinstance(question, str) or not question.strip():
        raise ValueError(
            f"A run needs a question and got {state!r}. "
            'Write run("…") or run({"question": "…"}).'
        )
    return question


def _listeners(observers: Iterable[Observer]) -> tuple[Observer, ...]:
    if not isinstance(observers, Iterable) or isinstance(observers, str | Observer):
        raise TypeError(
            f"observers is {in_words(observers)}. Hand in a list: observers=[…]."
        )
    listeners = tuple(observers)
    for listener in listeners:
        must_offer(
            listener,
            "A listener",
            "on_event",
            "Derive it from Observer, or give it on_event(event).",
        )
    return listeners


def _check_text_listener(listener: object) -> None:
    if listener is not None:
        must_be_called(listener, "on_text_delta", "Hand in a function of a text.")


def _is_of_a_card(error: ValueError) -> bool:
    """Whether a card raised it; else another thread is closing the cards just now."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is not None


class _EscapedStop(RuntimeError):
    """Carries a StopIteration out of a generator, which cannot raise one itself."""

    def __init__(self, error: StopIteration) -> None:
        super().__init__("StopIteration was raised inside of a card")
        self.error = error


def _play(
    desk: Desk, question: str | None, state: Any, before: Before
) -> Generator[Card]:
    """Play the cards of one run; on every way out the desk is left in order."""
    reason: FinishReason = "interrupted"  # by what is no Exception: Ctrl-C, a cancel
    error: BaseException | None = None
    try:
        card: Card | None
        if question is not None:
            desk.start(question)
            card = laid_before(CallingModel(1), None, before)
        else:
            card = state
            desk.go_on(step_of(state) or 0)
            if isinstance(state, CallingModel):
                desk.answer_open_slips()  # nobody else would, and providers refuse them
        while card is not None:
            desk.announcer.announce("card_start", card=card)
            yield card
            card = _next(card, desk, before)
    except GeneratorExit:
        reason = desk.leaving
        raise
    except StopIteration as stop:
        reason, error = "failed", stop
        raise _EscapedStop(stop) from stop
    except BaseException as problem:
        error = problem
        if isinstance(problem, Exception) and not isinstance(problem, Interrupted):
            reason = "failed"
        raise
    finally:
        desk.finish(None, reason, error)
        del error  # it holds this frame, which would hold it


def _next(card: Card, desk: Desk, before: Before = _NONE) -> Card | None:
    """The card that this one hands back; only Finished may hand back none."""
    following = card.run(desk)
    if following is None and isinstance(card, Finished):
        return None
    if following is None or not is_card(following):
        raise TypeError(
            f"{type(card).__name__} handed back {following!r}, which is no card. "
            "Each way out of its run returns the next card; Finished ends the run."
        )
    if (before or type(card) is not RunningTools) and type(following) is CallingModel:
        desk.answer_open_slips()  # a card of one's own may have left some
    return laid_before(following, card, before) if before else following
