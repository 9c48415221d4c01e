"""Who is listening: the loop announces, listeners hear, and nothing changes.

Think of a railway station. The announcer on the platform says what happened and does
not know who is there. With nobody there the train leaves at the same minute.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from mingraph_lite.errors import FinishReason, ListenerFailed
from mingraph_lite.llm import LLMResponse, Menu
from mingraph_lite.messages import Message, ToolCall, ToolMessage
from mingraph_lite.schema.frozen import ReadOnly
from mingraph_lite.schema.in_short import brief, shown

__all__: Final = [
    "Announcer",
    "ConsoleLogger",
    "Event",
    "Observer",
    "Recorder",
    "RunId",
    "Sealed",
    "key_of",
]

_LONGEST: Final = 80
_LONGEST_ERROR: Final = 1000  # a path stands in it, and is whole
_LOST: Final = "What it hears is lost as long as that is so; it is told once in a run."


class RunId(str):
    """The name of a run: one object for each run.

    Two agents may both be at their "run-1", and one listener may hear both of them: it
    knows by the object which of them speaks.
    """

    __slots__ = ()


def key_of(run_id: str) -> object:
    """What tells a run from others of its name, as long as it lasts."""
    return id(run_id) if type(run_id) is RunId else run_id


class Sealed(Protocol):
    """A text that is to be shown nowhere."""

    def reveal(self) -> str:
        """The text, for looking for it in others."""
        ...


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

    A listener that fails loses what it did not hear, and the run goes on. `strict` is
    the opposite rule, for an audit log that must not lose a line: the run ends.
    """

    strict: bool = False

    def keep_secret(self, secrets: Sequence[Sealed]) -> None:
        """What the models of a run hold that is to be shown nowhere.

        It comes before the run starts. It is no announcement: what is announced is
        kept and shown, and these must not be.
        """

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
        """The run is over; `errors.FinishReason` lists the reasons.

        Where a listener has failed, also said: `lost`, how many announcements each has
        missed.
        """


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

    A listener that raises is reported as a warning in the log, once for each kind of
    failure and once for each file that fails it, and changes nothing else: one that
    could stop the run would be part of the run. Only one that is `strict` may:
    ListenerFailed is raised when all others have heard. While the run is `ending` it
    is counted alone, for a run ends once.
    """

    def __init__(
        self, observers: Iterable[Observer], *, run_id: str, agent: str
    ) -> None:
        self.observers: tuple[Observer, ...] = tuple(observers)
        self.run_id: str = RunId(run_id)
        self.agent = agent
        self.step: int = 0
        self.ending: bool = False
        self._seq = 0
        self._end: Event | None = None
        self._told: list[object] = []
        self._failures: dict[tuple[int, str, str], int] = {}

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
                    broken = self._failed(observer, name, error) or broken
            if broken is not None and not self.ending:
                raise broken

    def share(self, secrets: Sequence[Sealed]) -> None:
        """Hand over what is to be shown nowhere, to listeners that want to know."""
        for observer in self.observers:
            try:
                if keep := getattr(observer, "keep_secret", None):
                    keep(secrets)
            except Exception as error:
                if broken := self._failed(observer, "keep_secret", error):
                    raise broken from error

    def warn(self, text: str) -> None:
        """Say that something is not as it should be, to listeners and in the log."""
        _log(text)
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
        order = sorted(self.observers, key=_is_strict, reverse=True)
        for observer in order[len(self._told) :]:
            self._told.append(self._tell(observer, self._end, error))
            failed = self._told[-1]
            if answer is not None and isinstance(failed, ListenerFailed):
                raise failed
        self._sum_up()

    def _stamped(self, name: str, payload: dict[str, Any]) -> Event:
        self._seq += 1
        said = ReadOnly(payload)
        return Event(self.run_id, self._seq, self.step, self.agent, name, said)

    def _stamped_end(self, answer: str | None, reason: str) -> Event:
        lost: dict[str, int] = {}
        for (place, _, _), count in self._failures.items():
            name = self._name(place)
            lost[name] = lost.get(name, 0) + count
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
            return self._failed(observer, event.name, failure)

    def _failed(
        self, observer: Observer, moment: str, error: Exception
    ) -> ListenerFailed | None:
        """Count a failure, warn of the first of its kind; the error of a strict one."""
        places = range(len(self.observers))
        place = next(n for n in places if self.observers[n] is observer)
        file, what = _told_of(error)
        # A file that cannot be written is one failure, whatever the moment.
        kind = (place, file or moment, type(error).__name__)
        count = self._failures[kind] = self._failures.get(kind, 0) + 1
        text = f"{type(observer).__name__} failed on {moment}: {what}"
        if count == 1:
            _log(f"{text}. {_LOST}" if file else text, error)
        if not _is_strict(observer):
            return None
        failed = ListenerFailed(
            f"{text}. It is strict, so the run ends with it. Mend the listener, or "
            "allow it to miss something with strict=False."
        )
        failed.__cause__ = error
        return failed

    def _sum_up(self) -> None:
        """Say in the log how often what was warned of once has happened."""
        for place in range(len(self.observers)):
            counts = {
                f"{moment} ({kind})": count
                for (where, moment, kind), count in self._failures.items()
                if where == place
            }
            if any(count > 1 for count in counts.values()):
                each = ", ".join(f"{count} x {what}" for what, count in counts.items())
                _log(f"{self._name(place)} failed {sum(counts.values())} times: {each}")
        self._failures.clear()

    def _name(self, place: int) -> str:
        """A listener by the name of its class; the second of a class is numbered."""
        kinds = [type(observer).__name__ for observer in self.observers[: place + 1]]
        count = kinds.count(kinds[-1])
        return kinds[-1] if count == 1 else f"{kinds[-1]} {count}"


def _is_strict(observer: object) -> bool:
    try:
        return getattr(observer, "strict", False) is True
    except Exception:  # to be looked at is a listener's own code too
        return False


def _told_of(error: Exception) -> tuple[str, str]:
    """The file that an error is of, or nothing, and what the error says."""
    try:
        if isinstance(error, OSError) and error.filename is not None:
            return repr(error.filename), brief(str(error), _LONGEST_ERROR)
    except Exception:  # to be looked at is somebody else's code too
        return "", shown(error)
    return "", shown(error)


def _log(text: str, error: Exception | None = None) -> None:
    import logging  # takes long to load, for what seldom happens

    logging.getLogger(__name__).warning("%s", text, exc_info=error)


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

    What the terminal has no sign for becomes a question mark: on some systems it knows
    250 signs, and an arrow is not among them.
    """

    def __init__(self, write: Callable[[str], object] = print) -> None:
        self._out = write

    def _write(self, text: str) -> None:
        text = text.replace("\n", "\n    ")  # what goes on stays below its beginning
        try:
            self._out(text)
        except UnicodeEncodeError as error:
            self._out(_without_odd_signs(text, self._out, error))

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


def _without_odd_signs(text: str, write: object, error: UnicodeEncodeError) -> str:
    known = getattr(sys.stdout, "encoding", None) if write is print else error.encoding
    # "charmap" is how Python calls each of the code pages, whichever it is.
    codec = known if known and known != "charmap" else "ascii"
    return text.encode(codec, "replace").decode(codec)


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
