"""What a run may cost, in calls, tokens, money and seconds.

How many rounds a run takes is up to the model; how many it may take is said here. A
limit is looked at before a model call, since a call is what costs. Reaching one raises:
no text such as "Stopped" ever stands where an answer should.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mingraph_lite.errors import (
    CostLimitReached,
    LimitReached,
    StepLimitReached,
    TimeLimitReached,
    TokenLimitReached,
)
from mingraph_lite.llm import Usage

__all__: Final = ["Limits", "Price", "Spent"]

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in money per million tokens.

    Cached input may be cheaper.
    """

    input: float
    output: float
    cached: float | None = None

    def of(self, usage: Usage) -> float:
        """What one call cost, as far as its tokens are known."""
        cached = usage.cached_tokens or 0
        # Where the input is unknown, what was cached of it is all that is known.
        fresh = max(0, (usage.input_tokens or 0) - cached)
        rate = self.input if self.cached is None else self.cached
        paid = fresh * self.input + cached * rate
        return (paid + (usage.output_tokens or 0) * self.output) / _MILLION


@dataclass(slots=True)
class Spent:
    """What a run has cost so far.

    `uncounted` is how many replies came without token counts: `tokens` and `cost` are
    then too low, and nobody can say by how much: a limit says so when it is reached.
    """

    began: float
    tokens: int = 0
    cost: float = 0.0
    uncounted: int = 0

    def add(self, usage: Usage | None, price: Price | None) -> None:
        """Count one reply."""
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            self.uncounted += 1
        if usage is not None:
            self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
            self.cost += price.of(usage) if price else 0.0

    def beside(self) -> str:
        """What tokens and cost do not show, for behind either of them."""
        replies = "1 reply" if self.uncounted == 1 else f"{self.uncounted} replies"
        return f" ({replies} came without counts)" if self.uncounted else ""


@dataclass(frozen=True, slots=True)
class Limits:
    """The ceilings of a run; None is no ceiling.

    Money needs a `price`.
    """

    steps: int = 10
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        # Asked this way around, since nothing is more than NaN, nor less.
        if not self.steps >= 1:
            raise ValueError(
                f"max_steps is {self.steps}; an agent needs at least 1 model call."
            )
        for name in ("tokens", "cost", "seconds"):
            ceiling = getattr(self, name)
            if not (ceiling is None or ceiling > 0):
                raise ValueError(
                    f"max_{name} is {ceiling}, and no call could be made. "
                    "Give a number above 0; None is no limit."
                )
        if self.cost is not None and self.price is None:
            raise ValueError(
                "A limit on money needs the price of the model: "
                "price=Price(input=…, output=…), per million tokens."
            )

    def reached(
        self, step: int, spent: Spent, now: float, last_wish: Callable[[], str]
    ) -> LimitReached | None:
        """The limit that forbids a model call in this round, as its error."""
        seconds = now - spent.began
        kind: type[LimitReached]
        if step > self.steps:
            calls = "1 model call" if self.steps == 1 else f"{self.steps} model calls"
            kind, used, option = StepLimitReached, calls, "max_steps"
        elif self.tokens is not None and spent.tokens >= self.tokens:
            used = f"{spent.tokens} of {self.tokens} tokens{spent.beside()}"
            kind, option = TokenLimitReached, "max_tokens"
        elif self.cost is not None and spent.cost >= self.cost:
            used = f"{spent.cost:.6g} of {self.cost:.6g} spent{spent.beside()}"
            kind, option = CostLimitReached, "max_cost"
        elif self.seconds is not None and seconds >= self.seconds:
            used = f"{seconds:.6g} of {self.seconds:.6g} seconds"
            kind, option = TimeLimitReached, "max_seconds"
        else:
            return None
        return kind(
            f"No answer after {used}. {last_wish()} Allow more with {option}=…, or "
            "read in the folder what the model could not get.",
            because=f"the limit is reached: {used}",
        )
