"""What can go wrong, as one tree.

MingraphError
├── ModelMistake          the slip is wrong; the model can mend it if it is told
│   ├── ToolArgsError         the arguments do not fit the tool
│   └── UnknownToolError      no tool has that name
├── LimitReached          the run was stopped before there was an answer
│   ├── StepLimitReached      too many rounds
│   ├── TokenLimitReached     too many tokens
│   ├── CostLimitReached      too much money
│   └── TimeLimitReached      too many seconds
├── ModelError            the model could not be asked, or gave nothing usable
│   ├── ContextOverflow       the prompt is longer than the model can read
│   └── ReplyCutOff           the reply ended at a limit, not where the model meant to
├── ModelRefused          the model declined to answer
├── ScriptExhausted       a scripted model was asked more often than it has replies
├── LineCut               a model that reads was called too often for one run
├── ToolDefinitionError   a function cannot be put on the menu
├── RunInProgress         an agent was started while it was running
├── ListenerFailed        a listener that must not lose anything could not hear
└── Interrupted           somebody stopped the run

Why one tree? So that `except MingraphError` catches all that is ours, and nothing
that is a bug in a tool. A failing tool keeps its own exception, whatever it is.
Each message says what happened, what exists and what to do.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

__all__: Final = [
    "ContextOverflow",
    "CostLimitReached",
    "FinishReason",
    "Interrupted",
    "LimitReached",
    "LineCut",
    "ListenerFailed",
    "MingraphError",
    "ModelError",
    "ModelMistake",
    "ModelRefused",
    "ReplyCutOff",
    "RunInProgress",
    "ScriptExhausted",
    "StepLimitReached",
    "TimeLimitReached",
    "TokenLimitReached",
    "ToolArgsError",
    "ToolDefinitionError",
    "UnknownToolError",
]

type FinishReason = Literal[
    "answered",
    "refused",
    "step limit",
    "token limit",
    "cost limit",
    "time limit",
    "failed",
    "interrupted",
    "abandoned",
    "paused",
]
"""Why a run ended, as its finish is announced."""


class MingraphError(Exception):
    """Any error that this package raises on purpose."""


class ModelMistake(MingraphError):
    """A slip that the model filled in badly and can mend."""


class ToolArgsError(ModelMistake):
    """Arguments that do not fit the tool.

    A tool may raise it too.
    """


class UnknownToolError(ModelMistake):
    """A call for a tool that is not on the menu."""


class LimitReached(MingraphError):
    """A run that ended without an answer because a limit was reached.

    `reason` is its name in the finish announcement, `because` what was used up. A limit
    of one's own without a reason is a failure like any other.
    """

    reason: ClassVar[FinishReason] = "failed"

    def __init__(self, message: str, *, because: str = "") -> None:
        super().__init__(message)
        self.because = because


class StepLimitReached(LimitReached):
    """More rounds would be needed than `max_steps` allows."""

    reason: ClassVar[FinishReason] = "step limit"


class TokenLimitReached(LimitReached):
    """The run has used up the tokens of `max_total_tokens`."""

    reason: ClassVar[FinishReason] = "token limit"


class CostLimitReached(LimitReached):
    """The run has used up the money of `max_cost`."""

    reason: ClassVar[FinishReason] = "cost limit"


class TimeLimitReached(LimitReached):
    """The run has used up the seconds of `max_seconds`."""

    reason: ClassVar[FinishReason] = "time limit"


class ModelError(MingraphError):
    """The model could not be asked, or gave nothing usable.

    `retryable` says whether the same request may succeed later, `retry_after` after
    how many seconds at the earliest (0: at once; None: the server did not say).
    `tries` is how often the model was asked.
    """

    def __init__(
        self, message: str, *, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
        self.tries = 1

    def __str__(self) -> str:
        message = super().__str__()
        return message if self.tries == 1 else f"{message} (Tried {self.tries} times.)"


class ContextOverflow(ModelError):
    """A prompt that is longer than the model's window.

    `prompt_tokens` is how long it was, `context_window` how much fits, both in tokens,
    and None where the server did not say. The same prompt never fits later.
    """

    def __init__(
        self,
        message: str,
        *,
        prompt_tokens: int | None = None,
        context_window: int | None = None,
    ) -> None:
        super().__init__(message)
        self.prompt_tokens = prompt_tokens
        self.context_window = context_window


class ReplyCutOff(ModelError):
    """A reply that ended at a limit, and so is no answer.

    `half` is the text that came.
    """

    def __init__(self, message: str, *, half: str = "") -> None:
        super().__init__(message)
        self.half = half


class ModelRefused(MingraphError):
    """The model declined to answer; the message is what it said.

    A provider's filter that declines the request is one too: it is not asked again.
    `half` is the text that came beside it, as where a filter breaks a reply off.
    """

    def __init__(self, message: str, *, half: str = "") -> None:
        super().__init__(message)
        self.half = half


class ScriptExhausted(MingraphError):
    """A scripted model was asked once more than it has replies."""


class LineCut(MingraphError):
    """A model that reads was called too often for one run."""


class ToolDefinitionError(MingraphError):
    """A function that cannot be offered to a model, and why."""


class RunInProgress(MingraphError):
    """An agent was asked to run two questions at once."""


class ListenerFailed(MingraphError):
    """A strict listener failed, which ends the run.

    Its own error is the cause.
    """


class Interrupted(MingraphError):
    """Somebody stopped the run while it waited for its model."""
