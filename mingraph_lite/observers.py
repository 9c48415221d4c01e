"""Who is listening: the loop announces, listeners hear, and nothing changes.

Think of a railway station. The announcer on the platform says what happened and does
not know who is there. With nobody there the train leaves at the same minute.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from mingraph_lite.errors import FinishReason
from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import Message, ToolCall, ToolMessage
from mingraph_lite.schema.frozen import ReadOnly

__all__: Final = ["Announcer", "ConsoleLogger", "Event", "Observer", "Recorder"]

_LONGEST: Final = 80


class Event(NamedTuple):
    """One announcement, stamped: which run, which moment, what happened.

    `seq` counts the announcements of a run from 1. `step` is the round they fall into
    (one model call and its errands), 0 before the first.

    Why not a frozen dataclass, as elsewhere? Nine are made in a round, and this is
    built in a third of the time.
    """

    run_id: str
    seq: int
    step: int
    agent: str
    name: str
    payload: Mapping[str, object]


class Observer:
    """A listener: override the moments you care about, the rest pass by.

    Why one method a moment, and not one method with an `if`? The `if` would be the note
    on the desk again: every listener would start by asking what just happened. Who
    wants everything, such as a recorder, overrides `on_event` alone.
    """

    def on_event(self, event: Event) -> None:
        """Hear any announcement; by default, pass it to the method of its name.

        The method gets what it has a parameter for: an announcement may say more one
        day, and a listener of today still hears it.
        """
        moment = getattr(self, f"on_{event.name}", None)
        if moment is not None:
            moment(**_taken_by(moment, event.payload))

    def on_run_start(self, question: str) -> None:
        """A question was put into the folder's hands."""

    def on_card_start(self, card: object) -> None:
        """A card was picked up and has not run yet."""

    def on_step_start(self, step: int) -> None:
        """A new round begins: one model call and its errands."""

    def on_model_call(self, messages: Sequence[Message], menu: Menu) -> None:
        """These messages and this menu are about to be read out to the model."""

    def on_model_reply(self, response: LLMResponse) -> None:
        """The model replied; the whole envelope, reasoning and tokens included."""

    def on_retry(self, error: Exception, tries: int, wait: float) -> None:
        """The model call failed so many times and is made again after a wait."""

    def on_message_added(self, message: Message) -> None:
        """A message was put into the folder."""

    def on_tool_call(self, call: ToolCall) -> None:
        """A slip is about to be run."""

    def on_tool_return(
        self, call: ToolCall, value: object, message: ToolMessage
    ) -> None:
        """A tool gave back a value; `message` is what the model will read of it."""

    def on_tool_error(
        self, call: ToolCall, error: BaseException, message: ToolMessage
    ) -> None:
        """A slip could not be run or its tool failed; `message` is its answer."""

    def on_warning(self, text: str) -> None:
        """Something is not as it should be, and the run goes on all the same."""

    def on_finish(self, answer: str | None, reason: FinishReason) -> None:
        """The run is over; `errors.FinishReason` lists the reasons."""


def _taken_by(
    moment: Callable[..., object], payload: Mapping[str, object]
) -> Mapping[str, object]:
    """What of a payload a method takes."""
    function = getattr(moment, "__func__", moment)
    try:
        keywords = _keywords(function)
    except TypeError:  # an object that can be called and cannot be hashed
        keywords = _keywords.__wrapped__(function)
    if keywords is None or payload.keys() <= keywords:
        return payload
    return {name: value for name, value in payload.items() if name in keywords}


@lru_cache(maxsize=512)
def _keywords(function: Callable[..., object]) -> frozenset[str] | None:
    """The keywords a function takes; None is any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY)


class Announcer:
    """Stamps each announcement and lets every listener hear it.

    A listener that raises is reported as a warning in the log and changes nothing else:
    one that could stop the run would be part of the run.
    """

    def __init__(
        self, observers: Iterable[Observer], *, run_id: str, agent: str
    ) -> None:
        self.observers: tuple[Observer, ...] = tuple(observers)
        self.run_id = run_id
        self.agent = agent
        self.step: int = 0
        self._seq = 0
        self._end: Event | None = None
        self._told: list[object] = []

    def announce(self, name: str, /, **payload: object) -> None:
        """Say what happened to everyone on the platform."""
        if name == "step_start":
            self.step = int(str(payload["step"]))
        if self.observers:
            event = self._stamped(name, payload)
            for observer in self.observers:
                _tell(observer, event)

    def warn(self, text: str) -> None:
        """Say that something is not as it should be, to listeners and in the log."""
        import logging  # takes long to load, for what seldom happens

        logging.getLogger(__name__).warning("%s", text)
        self.announce("warning", text=text)

    def announce_finish(self, answer: str | None, reason: str) -> None:
        """Say that the run is over, to each listener once.

        Called again, it goes on where an interrupt struck it: nobody hears it twice.
        """
        if self._end is None:
            payload: dict[str, object] = {"answer": answer, "reason": reason}
            self._end = self._stamped("finish", payload)
        for observer in self.observers[len(self._told) :]:
            self._told.append(_tell(observer, self._end))

    def _stamped(self, name: str, payload: dict[str, Any]) -> Event:
        self._seq += 1
        said = ReadOnly(payload)
        return Event(self.run_id, self._seq, self.step, self.agent, name, said)


def _tell(observer: Observer, event: Event) -> object:
    """Let one listener hear it; nothing follows the line where it has."""
    try:
        hear: Callable[[Event], object] = observer.on_event
        return hear(event)
    except Exception as error:
        # A listener is somebody else's code. It may fail; the run may not.
        import logging

        logging.getLogger(__name__).warning(
            "%s failed on %s: %r",
            type(observer).__name__,
            event.name,
            error,
            exc_info=True,
        )
        return None


class Recorder(Observer):
    """Keeps every announcement in a list, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __repr__(self) -> str:
        return f"Recorder({len(self.events)} events)"

    def on_event(self, event: Event) -> None:
        """Keep it."""
        self.events.append(event)

    def names(self) -> list[str]:
        """The names of what was announced, in order."""
        return [event.name for event in self.events]


class ConsoleLogger(Observer):
    """Prints a run round by round."""

    def __init__(self, write: Callable[[str], object] = print) -> None:
        self._write = write

    def on_step_start(self, step: int) -> None:
        """Head a new round."""
        self._write(f"[step {step}]")

    def on_model_reply(self, response: LLMResponse) -> None:
        """Print what the model said or asked for, and what it cost."""
        said = [repr(response.message.content)] if response.message.content else []
        if response.message.tool_calls:
            names = ", ".join(call.name for call in response.message.tool_calls)
            said.append(f"(asks for {names})")
        if response.refusal and response.refusal != response.message.content:
            said.append(f"(refuses: {response.refusal})")
        self._write(f"  reply: {' '.join(said) or '(nothing)'}{_tokens(response)}")
        if response.reasoning:
            self._write(f"  reasoning: {response.reasoning}")
        for note in response.notes:
            self._write(f"  note: {note}")

    def on_retry(self, error: Exception, tries: int, wait: float) -> None:
        """Print that the model is asked again."""
        self._write(f"  try {tries} failed: {error} Again in {wait:.3g} s.")

    def on_tool_call(self, call: ToolCall) -> None:
        """Print the slip, and what came where that was read as something else."""
        self._write(f"  call {call}")
        if call.raw is not None:
            cut = call.raw[:_LONGEST] + "…" * (len(call.raw) > _LONGEST)
            self._write(f"  sent as: {cut!r}")

    def on_tool_return(
        self, call: ToolCall, value: object, message: ToolMessage
    ) -> None:
        """Print what the model will read."""
        self._write(f"  returned: {message.content}")

    def on_tool_error(
        self, call: ToolCall, error: BaseException, message: ToolMessage
    ) -> None:
        """Print what went wrong."""
        self._write(f"  error: {message.content}")

    def on_warning(self, text: str) -> None:
        """Print what is not as it should be."""
        self._write(f"  warning: {text}")

    def on_finish(self, answer: str | None, reason: FinishReason) -> None:
        """Print how it ended."""
        self._write(f"[finish: {reason}]" + (f" {answer}" if answer else ""))


def _tokens(response: LLMResponse) -> str:
    """Token counts as far as they are known; a ? where the server did not count."""
    usage = response.usage
    if usage is None:
        return ""
    counts = {
        "in": usage.input_tokens,
        "out": usage.output_tokens,
        "reasoning": usage.reasoning_tokens,
    }
    shown = (f"{k}={'?' if n is None else n}" for k, n in counts.items())
    return f"   tokens {' '.join(shown)}"
