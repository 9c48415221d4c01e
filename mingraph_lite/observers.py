"""Who is listening: the loop announces, listeners hear, and nothing changes.

Think of a railway station. The announcer on the platform says what happened and does
not know who is there. With nobody there the train leaves at the same minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from mingraph_lite.errors import FinishReason, ListenerFailed
from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import Message, ToolCall, ToolMessage
from mingraph_lite.schema.failures import Failures, is_strict, log
from mingraph_lite.schema.frozen import ReadOnly
from mingraph_lite.schema.hearing import misspelt, taken_by
from mingraph_lite.schema.hiding import is_known_as_secret
from mingraph_lite.schema.masking import Mask, checked_secrets, names_on
from mingraph_lite.schema.run_id import RunId
from mingraph_lite.schema.sealed import Key, Sealed, all_sealed
from mingraph_lite.schema.terminal import put

__all__: Final = [
    "Announcer",
    "ConsoleLogger",
    "Event",
    "Observer",
    "Recorder",
    "RunId",
    "Sealed",
]

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

    def __repr__(self) -> str:
        mask = self.run_id.mask if isinstance(self.run_id, RunId) else Mask()
        held = zip(self._fields, self, strict=True)
        said = ", ".join(f"{name}={value!r}" for name, value in held)
        return mask.masked_throughout(f"Event({said})")[0]


class Observer:
    """A listener: override the moments you care about, the rest pass by.

    Why one method a moment, and not one method with an `if`? The `if` would be the note
    on the desk again: every listener would start by asking what just happened. Who
    wants everything, such as a recorder, overrides `on_event` alone.

    A listener that fails loses what it did not hear, and the run goes on. `strict` is
    the opposite rule, for an audit log that must not lose a line: the run ends.
    """

    strict: bool = False

    def keep_secret(self, secrets: Sequence[Sealed]) -> None:
        """What models and listeners of a run hold that is to be shown nowhere.

        It comes before the run starts. It is no announcement: what is announced is
        kept and shown, and these must not be.
        """

    def known_secrets(self) -> Sequence[Sealed]:
        """What this listener was told to show nowhere: the others keep it too."""
        return ()

    def keep_error(self, run_id: str, error: str) -> None:
        """What ended a run, in a line, for who writes down its end.

        It comes before `on_finish`, and whoever called the run gets the error itself.
        """

    def on_event(self, event: Event) -> None:
        """Hear any announcement; by default, pass it to the method of its name.

        The method gets what it has a parameter for: an announcement may say more one
        day, and a listener of today still hears it.
        """
        moment = getattr(self, f"on_{event.name}", None)
        if moment is not None:
            moment(**taken_by(moment, event.payload))

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
        """The run is over; `errors.FinishReason` lists the reasons.

        Where a listener has failed, also said: `lost`, how many announcements each has
        missed.
        """


class Announcer:
    """Stamps each announcement and lets every listener hear it, once.

    A listener that raises is reported as a warning in the log, once for each kind of
    failure, and changes nothing else: one that could stop the run would be part of the
    run. Only one that is `strict` may: ListenerFailed is raised when all others have
    heard. While the run is `ending` it is counted alone, for a run ends once.
    """

    def __init__(
        self, observers: Iterable[Observer], *, run_id: str, agent: str
    ) -> None:
        # One that is handed in twice, to the agent and to the run, hears all once.
        self.observers: tuple[Observer, ...] = tuple(
            {id(o): o for o in observers}.values()
        )
        self._mask = Mask()
        self.run_id: str = RunId(run_id, self._mask)
        self.agent = agent
        self.step: int = 0
        self.ending: bool = False
        self._seq = 0
        self._end: Event | None = None
        self._told: list[object] = []
        self._failures = Failures(self.observers, self._mask)
        for observer in self.observers:
            kind: type = type(observer)
            _warn_of_misspelt(kind)

    def announce(self, name: str, /, **payload: object) -> None:
        """Say what happened to everyone on the platform."""
        if name == "step_start":
            self.step = int(str(payload["step"]))
        if self.observers:
            event = self._stamped(name, payload)
            broken: ListenerFailed | None = None
            for observer in self.observers:
                try:
                    observer.on_event(event)
                except Exception as error:
                    # A listener is somebody else's code. It may fail; the run may not.
                    broken = self._failed(observer, event, error) or broken
            if broken is not None and not self.ending:
                raise broken

    def share(self, secrets: Sequence[Sealed]) -> None:
        """Hand over what is to be shown nowhere, to listeners that want to know.

        Shorter words than a key may be come from listeners alone: a model is given "x"
        where it needs none.
        """
        known = [s for s in all_sealed(secrets) if is_known_as_secret(s.reveal())]
        for observer in self.observers:
            known += self._asked(observer, "known_secrets")
        self._mask.keep(known)
        if known:
            for observer in self.observers:
                self._asked(observer, "keep_secret", tuple(known))

    def _asked(
        self, observer: Observer, method: str, *handed_in: Sequence[Sealed]
    ) -> list[Key]:
        """What a listener says of secrets, where it has such a method."""
        try:
            ask = getattr(observer, method, None)
            return all_sealed(ask(*handed_in) if ask else ())
        except Exception as error:
            broken = self._failures.add(observer, method, error)
        if broken is not None:
            raise broken
        return []

    def warn(self, text: str) -> None:
        """Say that something is not as it should be, to listeners and in the log."""
        log(self._mask.masked(text), self._mask)
        self.announce("warning", text=text)

    def announce_finish(
        self, answer: str | None, reason: str, error: str | None = None
    ) -> None:
        """Say that the run is over, to each listener once, strict ones first.

        Called again, it goes on where an interrupt struck it: nobody hears it twice.
        Where a strict one fails to hear of an answer, that is raised, and the others
        are told nothing yet: they hear what the run has come to when called again.
        """
        if self._end is None or self._end.payload["reason"] != reason:
            self._end = self._stamped_end(answer, reason)
        order = sorted(self.observers, key=is_strict, reverse=True)
        for observer in order[len(self._told) :]:
            self._told.append(self._tell(observer, self._end, error))
            failed = self._told[-1]
            if answer is not None and isinstance(failed, ListenerFailed):
                raise failed
        self._failures.sum_up()

    def _stamped(self, name: str, payload: dict[str, Any]) -> Event:
        self._seq += 1
        said = ReadOnly(payload)
        return Event(self.run_id, self._seq, self.step, self.agent, name, said)

    def _stamped_end(self, answer: str | None, reason: str) -> Event:
        lost = self._failures.lost()
        if self._end is not None:
            self._seq -= 1  # it takes the place of an end that was not told to all
        said: dict[str, object] = {"answer": answer, "reason": reason}
        if lost:
            said["lost"] = ReadOnly(lost)
        return self._stamped("finish", said)

    def _tell(self, observer: Observer, event: Event, error: str | None) -> object:
        """Let one listener hear the end; nothing follows the line where it has."""
        try:
            if error is not None and (keep := getattr(observer, "keep_error", None)):
                keep(event.run_id, error)
            hear: Callable[[Event], object] = observer.on_event
            return hear(event)
        except Exception as failure:
            return self._failed(observer, event, failure)

    def _failed(
        self, observer: Observer, event: Event, error: Exception
    ) -> ListenerFailed | None:
        return self._failures.add(observer, event.name, error, event.payload)


@lru_cache(maxsize=512)
def _warn_of_misspelt(listener: type) -> None:
    """Say what a class of listeners will never hear; once, for that is remembered."""
    try:
        wrong = misspelt(listener, Observer)
    except Exception:  # to be looked at is a listener's own code too
        return
    for name, meant in wrong:
        log(
            f"{listener.__name__} has a method {name}, and the loop announces no "
            f"{name.removeprefix('on_')}. Did you mean {meant}?",
            Mask(),
        )


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
    """Prints a run round by round.

    What models keep secret is not shown, nor are `secrets`, nor what stands under a
    name such as `password`.
    """

    def __init__(
        self,
        write: Callable[[str], object] = print,
        *,
        secrets: Iterable[str] = (),
    ) -> None:
        self._out = write
        secrets = checked_secrets(secrets)
        self._secrets = tuple(map(Key, secrets))
        self._mask = Mask(secrets)
        self._menu: Menu = ()

    def __repr__(self) -> str:
        return "ConsoleLogger()"

    def keep_secret(self, secrets: Sequence[Sealed]) -> None:
        """Know what must not be shown."""
        self._mask.keep(secrets)

    def known_secrets(self) -> Sequence[Sealed]:
        """What was handed in."""
        return self._secrets

    def _write(self, text: str) -> None:
        text = self._masked(text)
        put(text.replace("\n", "\n    "), self._out)  # below its beginning

    def _masked(self, text: str) -> str:
        if not self._mask.suspects(text):
            return text
        text, told = self._mask.masked_throughout(text)
        self._mask.learn(told)
        return text

    def on_run_start(
        self, question: str, settings: Mapping[str, object] | None = None
    ) -> None:
        """Know what question and system prompt tell to be secret; neither is shown."""
        self._masked(str(question))
        self._masked(str((settings or {}).get("system_prompt", "")))

    def on_step_start(self, step: int) -> None:
        """Head a new round."""
        self._write(f"[step {step}]")

    def on_model_call(self, messages: Sequence[Message], menu: Menu) -> None:
        """Know the names on the menu: they are shown, whatever a text tells of them."""
        if menu is not self._menu:
            self._menu = menu
            self._mask.spare(names_on(menu))

    def on_model_reply(self, response: LLMResponse) -> None:
        """Print what the model said or asked for, and what it cost."""
        # Read first: what it tells to be secret may stand in the reply.
        reasoning = self._masked(response.reasoning) if response.reasoning else ""
        said = [repr(response.message.content)] if response.message.content else []
        if response.message.tool_calls:
            names = ", ".join(call.name for call in response.message.tool_calls)
            said.append(f"(asks for {names})")
        if response.refusal and response.refusal != response.message.content:
            said.append(f"(refuses: {response.refusal})")
        self._write(f"  reply: {' '.join(said) or '(nothing)'}{_tokens(response)}")
        if reasoning:
            self._write(f"  reasoning: {reasoning}")
        for note in response.notes:
            self._write(f"  note: {note}")

    def on_retry(self, error: Exception, tries: int, wait: float) -> None:
        """Print that the model is asked again."""
        self._write(f"  try {tries} failed: {error} Again in {wait:.3g} s.")

    def on_tool_call(self, call: ToolCall) -> None:
        """Print the slip, and what came where that was read as something else."""
        self._write(f"  call {call}")
        if call.raw is not None:
            raw = self._masked(call.raw)  # half a key is no key that is found
            cut = raw[:_LONGEST] + "…" * (len(raw) > _LONGEST)
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
