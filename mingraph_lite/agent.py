"""The whole loop: run the card, take the one it gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping
from inspect import GEN_RUNNING, getgeneratorstate
from itertools import count
from typing import Final, TypedDict

from mingraph_lite.cards import CallingModel, Card, Finished
from mingraph_lite.desk import Desk
from mingraph_lite.errors import FinishReason, Interrupted, RunInProgress
from mingraph_lite.limits import Limits, Price
from mingraph_lite.llm import LLM, TextListener
from mingraph_lite.memory import KeepAll, Memory
from mingraph_lite.observers import Announcer, Observer
from mingraph_lite.recovery import Retries
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["Agent", "Answer", "Question"]

type Question = str | Mapping[str, object]
"""`{"question": "…"}`, or the text alone for short."""


class Answer(TypedDict):
    """What a run gives that came to an answer."""

    answer: str


class Agent:
    """A model that calls tools in a loop until it answers.

    `max_steps` counts model calls; tokens, money (with the `price` of the model) and
    seconds can be limited too. What a server does not count, a limit on tokens or money
    does not see. `retries` says how a failed model call is tried again, `clock` gives
    seconds. Why is `memory` None and not `KeepAll()`? A default is built once, when
    Python reads the `def`: all agents would share one folder. `observers` hear each
    announcement and change nothing. `new_run_id` names a run; by default runs are
    counted, so that the same code gives the same trace.
    """

    def __init__(
        self,
        llm: LLM,
        tools: ToolRegistry,
        system_prompt: str,
        *,
        memory: Memory | None = None,
        observers: Iterable[Observer] = (),
        max_steps: int = 10,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        max_seconds: float | None = None,
        price: Price | None = None,
        retries: Retries | None = None,
        clock: Callable[[], float] = time.monotonic,
        name: str = "agent",
        on_text_delta: TextListener | None = None,
        new_run_id: Callable[[], str] | None = None,
    ) -> None:
        self.llm = llm
        self.tools = tools
        self.system_prompt = system_prompt
        self.memory: Memory = KeepAll() if memory is None else memory
        self.observers: tuple[Observer, ...] = tuple(observers)
        self.limits: Limits = Limits(
            max_steps, max_tokens, max_cost, max_seconds, price
        )
        self.retries: Retries = retries or Retries()
        self.clock = clock
        self.name = name
        self.on_text_delta = on_text_delta
        runs = count(1)
        self._new_run_id = new_run_id or (lambda: f"run-{next(runs)}")
        self._unfinished: Generator[Card] | None = None

    def __repr__(self) -> str:
        return f"Agent({self.name!r}, {self.tools!r}, {self.memory!r})"

    def run(self, state: Question) -> Answer:
        """Answer a question: `{"question": str}` in, `{"answer": str}` out.

        Raises LimitReached where there is no answer within the limits, ModelRefused,
        ModelError after its last try, and what a failing tool raised.
        """
        for card in self.steps(state):
            last = card
        assert isinstance(last, Finished)  # no other card ends a run
        assert last.answer is not None  # without an answer it has raised
        return {"answer": last.answer}

    def steps(
        self, state: Question, *, observers: Iterable[Observer] = ()
    ) -> Generator[Card]:
        """Hand out each card before it runs; one `next()` runs one card.

        `observers` listen to this run only. A run that was left unfinished is closed
        when the next one starts.
        """
        question = _question(state)
        self._close_unfinished()
        announcer = Announcer(
            (*observers, *self.observers), run_id=self._new_run_id(), agent=self.name
        )
        desk = Desk(
            self.llm,
            self.tools,
            self.memory,
            self.system_prompt,
            announcer,
            self.limits,
            self.retries,
            self.clock,
            self.on_text_delta,
        )
        self._unfinished = _play(desk, question)
        return self._unfinished

    def _close_unfinished(self) -> None:
        if self._unfinished is None:
            return
        if getgeneratorstate(self._unfinished) == GEN_RUNNING:
            raise RunInProgress(
                f"Agent {self.name!r} is in the middle of a card. A tool that needs an "
                "agent needs one of its own."
            )
        self._unfinished.close()


def _play(desk: Desk, question: str) -> Generator[Card]:
    """Play the cards of one run; on every way out the desk is left in order."""
    reason: FinishReason = "interrupted"  # by what is no Exception: Ctrl-C, a cancel
    try:
        desk.start(question)
        card: Card | None = CallingModel(1)
        while card is not None:
            desk.announcer.announce("card_start", card=card)
            yield card
            card = _next(card, desk)
    except GeneratorExit:
        reason = "abandoned"
        raise
    except Interrupted:
        raise
    except Exception:
        reason = "failed"
        raise
    finally:
        desk.finish(None, reason)


def _next(card: Card, desk: Desk) -> Card | None:
    """The card that this one hands back; only Finished may hand back none."""
    following = card.run(desk)
    # A class has a run too, but is no card until it is called.
    is_card = hasattr(following, "run") and not isinstance(following, type)
    if is_card or (following is None and isinstance(card, Finished)):
        return following
    raise TypeError(
        f"{type(card).__name__} handed back {following!r}, which is no card. "
        "Each way out of its run returns the next card; Finished ends the run."
    )


def _question(state: Question) -> str:
    question = state.get("question") if isinstance(state, Mapping) else state
    if not isinstance(question, str) or not question.strip():
        raise ValueError(
            f"A run needs a question and got {state!r}. "
            'Write run("…") or run({"question": "…"}).'
        )
    return question
