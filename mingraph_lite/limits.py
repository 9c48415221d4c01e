"""What a run may cost, in calls, tokens, money and seconds.

How many rounds a run takes is up to the model; how many it may take is said here. A
limit is looked at before a model call, since a call is what costs. Reaching one raises:
no text such as "Stopped" ever stands where an answer should.

What a server does not count is estimated where a limit needs it: one token for every 4
bytes of text, read out or said. That is near for English, too low for code and many
other languages, and marked as an estimate wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from mingraph_lite.errors import (
    CostLimitReached,
    LimitReached,
    StepLimitReached,
    TimeLimitReached,
    TokenLimitReached,
)
from mingraph_lite.llm import LLMResponse, Menu, Usage
from mingraph_lite.messages import AssistantMessage, Message
from mingraph_lite.schema.handed_in import in_words, must_be
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["Limits", "Price", "Spent", "estimated", "is_counted"]

_MILLION: Final = 1_000_000
_BYTES_A_TOKEN: Final = 4


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

    `uncounted` is how many replies came without token counts. `estimated` is how many
    of the `tokens` stand in for those counts; they are in `cost` too. Without a limit
    on tokens or money nothing is estimated, and both are too low.
    """

    began: float
    tokens: int = 0
    cost: float = 0.0
    uncounted: int = 0
    estimated: int = 0

    def add(
        self, usage: Usage | None, price: Price | None, estimate: Usage | None = None
    ) -> None:
        """Count one reply; `estimate` stands in for what was not counted of it."""
        if not is_counted(usage):
            self.uncounted += 1
            if estimate is not None:
                usage, stands_in = _filled(usage or Usage(), estimate)
                self.estimated += stands_in
        if usage is not None:
            self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
            self.cost += price.of(usage) if price else 0.0

    def beside(self) -> str:
        """What tokens and cost do not show, for behind either of them."""
        if not self.uncounted:
            return ""
        replies = "1 reply" if self.uncounted == 1 else f"{self.uncounted} replies"
        known = f"{self.estimated} tokens are estimated: " if self.estimated else ""
        return f" ({known}{replies} came without counts)"


def is_counted(usage: Usage | None) -> bool:
    """Whether a server said both how much it read and how much it wrote."""
    return not (
        usage is None or usage.input_tokens is None or usage.output_tokens is None
    )


def _filled(usage: Usage, estimate: Usage) -> tuple[Usage, int]:
    """The counts, with the estimate where there is none, and how much that is."""
    missing = {
        name: getattr(estimate, name) or 0
        for name in ("input_tokens", "output_tokens")
        if getattr(usage, name) is None
    }
    return replace(usage, **missing), sum(missing.values())


def estimated(messages: Iterable[Message], menu: Menu, response: LLMResponse) -> Usage:
    """The tokens of one call by the length of its text; see the top of this file."""
    read = sum(map(_bytes_of, messages)) + _length(write_json(menu) if menu else "")
    said = _bytes_of(response.message) + _length(response.reasoning or "")
    return Usage(-(-read // _BYTES_A_TOKEN), -(-said // _BYTES_A_TOKEN))


def _bytes_of(message: Message) -> int:
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return _length(message.content) + sum(_length(str(call)) for call in calls)


def _length(text: str) -> int:
    return len(text.encode(errors="replace"))


_OPTIONS: Final = {
    "tokens": "max_total_tokens",
    "cost": "max_cost",
    "seconds": "max_seconds",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The ceilings of a run; None is no ceiling.

    `steps` counts rounds: a model call that begins one, and its errands. What a card
    asks the model besides counts as tokens, money and time. Money needs a `price`.
    """

    steps: int = 10
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        must_be(self.steps, int | float, "max_steps", "Give a number.")
        # Asked this way around, since nothing is more than NaN, nor less.
        if not self.steps >= 1:
            raise ValueError(
                f"max_steps is {self.steps}; an agent needs at least 1 round."
            )
        for name, option in _OPTIONS.items():
            ceiling = getattr(self, name)
            if ceiling is None:
                continue
            must_be(ceiling, int | float, option, "Give a number; None is no limit.")
            if not ceiling > 0:
                raise ValueError(
                    f"{option} is {ceiling}, and no call could be made. "
                    "Give a number above 0; None is no limit."
                )
        if not (self.price is None or isinstance(self.price, Price)):
            raise TypeError(
                f"The price is {in_words(self.price)}. "
                "Give Price(input=…, output=…), per million tokens."
            )
        if self.cost is not None and self.price is None:
            raise ValueError(
                "A limit on money needs the price of the model: "
                "price=Price(input=…, output=…), per million tokens."
            )

    @property
    def need_counts(self) -> str:
        """The options that look at tokens or money, in words; "" if there are none."""
        wanted = {"max_total_tokens": self.tokens, "max_cost": self.cost}
        return " and ".join(name for name, limit in wanted.items() if limit is not None)

    def reached(
        self, step: int, spent: Spent, now: float, last_wish: Callable[[], str]
    ) -> LimitReached | None:
        """The limit that forbids a model call in this round, as its error."""
        seconds = now - spent.began
        kind: type[LimitReached]
        if step > self.steps:
            rounds = "1 round" if self.steps == 1 else f"{self.steps} rounds"
            kind, used, option = StepLimitReached, rounds, "max_steps"
        elif self.tokens is not None and spent.tokens >= self.tokens:
            used = f"{spent.tokens} of {self.tokens} tokens{spent.beside()}"
            kind, option = TokenLimitReached, "max_total_tokens"
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
