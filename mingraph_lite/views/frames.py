"""A run as a list of pictures, for any view.

A frame is plain JSON and holds only what is new since the frame before: the card in the
hand before it runs, the folder lines and announcements that the last card added. A view
that has the first n frames knows what happened up to there, and nothing of what comes.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final, TypeGuard, get_args

from mingraph_lite.agent import Agent, Question
from mingraph_lite.cards import Card, Finished
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observation import plain_text
from mingraph_lite.observers import Event, Recorder
from mingraph_lite.own_cards import step_of
from mingraph_lite.schema.jsonable import valid_text
from mingraph_lite.views.frame_types import (
    CardKind,
    CardShown,
    Frame,
    Happening,
    Line,
    Outcome,
    Slip,
    Who,
)

__all__: Final = ["as_text", "broken", "frames"]

_BRIEF: Final = 200
"""A frame repeats no long text: the folder's lines hold it, once."""

_KINDS: Final[tuple[CardKind, ...]] = get_args(CardKind.__value__)
_OURS: Final = {"CallingModel": "calling", "RunningTools": "running"}
_WHO: Final[Mapping[type, Who]] = {
    SystemMessage: "system",
    UserMessage: "user",
    AssistantMessage: "model",
    ToolMessage: "tool",
}


def frames(agent: Agent, state: Question | Card) -> Iterator[Frame]:
    """Play a run card by card, and give a frame at each stop.

    From a card instead of a question it goes on where a run was paused.

    One `next()` runs one card. The last frame holds an error of the run as its
    outcome, and the error does not escape. What is no Exception, such as Ctrl-C, is
    drawn too, and raised again as soon as another frame is asked for: a loop over
    questions ends with it, a view that stops at the frame without a card does not.
    Closing the generator stops the run, its slips answered.
    """
    heard = Recorder()
    # Before the drawing: an unfinished run is closed here, and adds its last lines.
    steps = agent.steps(state, observers=[heard])
    drawing = _Drawing(agent)
    error: BaseException | None = None
    try:
        for card in steps:
            yield drawing.stop(card, heard)
    except GeneratorExit:
        raise
    except BaseException as problem:
        error = problem
    finally:
        steps.close()
    yield drawing.closing(heard, error)
    if error is not None and not isinstance(error, Exception):
        raise error


def broken(problem: BaseException, before: Iterable[Frame]) -> Frame:
    """The last frame of a run whose own frames broke off after these."""
    error = _error_text(problem)
    if isinstance(problem, StopIteration):
        error = "the frames ended before the run did"
    return _closing(
        {
            "reason": "failed" if isinstance(problem, Exception) else "interrupted",
            "answer": None,
            "error": error,
        },
        folder=sum(len(frame["lines"]) for frame in before),
    )


def as_text(frame: Frame, before: Iterable[Frame] = ()) -> str:
    """The picture of a frame as text: the folder, the card, and the sentence.

    `before` are the frames that came earlier; their lines are in the folder too.
    """
    earlier = [line for old in before for line in old["lines"]]
    lines = [f"  {_line_text(line)}" for line in earlier]
    mark = "+" if earlier else " "
    lines += [f"{mark} {_line_text(line)}" for line in frame["lines"]]
    return "\n".join(["The folder", *lines, *_card_text(frame), frame["sentence"]])


class _Drawing:
    """What the frames so far have numbered, counted and told."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._cards = 0
        self._lines = 0
        self._last: Card | None = None
        self._numbers: dict[str, int] = {}
        # Read once in a run: it takes as long as ten cards.
        self._source_of = cache(_source)
        self._told: dict[str, str] = {}
        prompt = agent.system_prompt
        self._earlier: list[Message] = [SystemMessage(prompt)] if prompt else []
        self._earlier += agent.memory.folder

    def stop(self, card: Card, heard: Recorder) -> Frame:
        """A card in the hand, before it runs."""
        self._cards += 1
        lines, events = self._news(heard)
        frame: Frame = {
            "number": self._cards,
            "card": self._card(card),
            "picked_by": type(self._last).__name__ if self._last else None,
            "because": plain_text(getattr(card, "because", "")),
            "lines": lines,
            "events": events,
            "outcome": None,
            "sentence": f"holding: {type(card).__name__} | {_has(self._lines)}",
        }
        self._last = card
        return frame

    def closing(self, heard: Recorder, error: BaseException | None) -> Frame:
        """No card in the hand: how the run ended."""
        ends = [e.payload["reason"] for e in heard.events if e.name == "finish"]
        # A card of one's own may finish with a word of its own: it is shown as it is.
        reason = str(ends[0]) if ends else "failed"
        over = error is None and reason not in ("abandoned", "paused")
        answer = getattr(self._last, "answer", None) if over else None
        outcome: Outcome = {
            "reason": reason,
            "answer": None if answer is None else plain_text(answer),
            "error": _error_text(error) if error else None,
        }
        lines, events = self._news(heard)
        return _closing(outcome, self._lines, lines, events)

    def _news(self, heard: Recorder) -> tuple[list[Line], list[Happening]]:
        """The lines and announcements since the last frame."""
        kind = _kind(self._last) if self._last else None
        lines = [self._line(message, None) for message in self._earlier]
        self._earlier = []
        events = []
        for event in heard.events:
            if event.name == "message_added":
                lines.append(self._line(event.payload["message"], kind))
            events.append(self._event(event))
        heard.events.clear()
        self._lines += len(lines)
        return lines, events

    def _line(self, message: Any, added_by: CardKind | None) -> Line:
        ticket = getattr(message, "tool_call_id", None)
        text = getattr(message, "content", message)
        return {
            "who": _who(message),
            "text": valid_text(text) if isinstance(text, str) else _shown(text),
            "slips": [self._slip(c) for c in getattr(message, "tool_calls", ())],
            "answers": None if ticket is None else self._number(ticket),
            "added_by": added_by,
        }

    def _slip(self, call: ToolCall) -> Slip:
        return {
            "number": self._number(call.id),
            "call": str(call),
            "raw": None if call.raw is None else _brief(call.raw),
            "problem": None if call.problem is None else _brief(call.problem),
        }

    def _number(self, id: str) -> int:
        return self._numbers.setdefault(id, len(self._numbers) + 1)

    def _card(self, card: Card) -> CardShown:
        return {
            "name": type(card).__name__,
            "kind": _kind(card),
            "rule": _rule(card),
            "fields": {name: self._field(name, v) for name, v in _fields(card)},
            "source": self._news_of_source(type(card)),
            "round": step_of(card),
        }

    def _news_of_source(self, card: type) -> str | None:
        """The source, where the frames so far do not say it: it is long.

        A notebook may define a class again, so that its name has another source now.
        """
        source = self._source_of(card)
        if self._told.get(card.__name__) == source:
            return None
        self._told[card.__name__] = source
        return source

    def _field(self, name: str, value: object) -> str:
        if name == "step" and isinstance(value, int):
            return f"{value} of at most {self._agent.limits.steps}"
        if isinstance(value, Card):
            return self._held(value)
        if _are_slips(value):
            return self._slips(value)
        return _shown(value)

    def _held(self, card: Card) -> str:
        """A card that another one holds: its name, and its slips or its own card."""
        values = [value for _, value in _fields(card)]
        for value in values:
            if value and _are_slips(value):
                return f"{type(card).__name__} {self._slips(value)}"
        held = next((value for value in values if isinstance(value, Card)), None)
        name = type(card).__name__
        return name if held is None else f"{name} holding {self._held(held)}"

    def _slips(self, calls: Iterable[ToolCall]) -> str:
        return ", ".join(f"#{self._number(call.id)}" for call in calls)

    def _event(self, event: Event) -> Happening:
        response = event.payload.get("response")
        usage = getattr(response, "usage", None)
        return {
            "seq": event.seq,
            "step": event.step,
            "name": event.name,
            "what": _brief(self._what(event.name, event.payload)),
            "notes": [_brief(note) for note in getattr(response, "notes", ())],
            "tokens_in": getattr(usage, "input_tokens", None),
            "tokens_out": getattr(usage, "output_tokens", None),
        }

    def _what(self, name: str, payload: Mapping[str, Any]) -> str:
        """An announcement in a few words."""
        match name:
            case "run_start":
                return str(payload["question"])
            case "card_start":
                return type(payload["card"]).__name__
            case "step_start":
                return f"round {payload['step']}"
            case "model_call":
                return f"reads out {_messages(len(payload['messages']))}"
            case "model_reply":
                return self._reply(payload["response"])
            case "message_added":
                return _who(payload["message"])
            case "tool_call":
                call = payload["call"]
                return f"#{self._number(call.id)} {call}"
            case "tool_return" | "tool_error":
                message = payload["message"]
                return f"#{self._number(message.tool_call_id)} {message.content}"
            case "finish":
                return str(payload["reason"])
            case "warning":
                return str(payload["text"])
            case "retry":
                wait, text = payload["wait"], plain_text(payload["error"])
                return f"try {payload['tries']} failed, again in {wait:.3g} s: {text}"
            case _:
                return ", ".join(f"{k}={_shown(v)}" for k, v in payload.items())

    def _reply(self, response: LLMResponse) -> str:
        calls = response.message.tool_calls
        if not calls:
            return response.message.content or response.refusal or ""
        # The slips have no ticket numbers yet: the loop gives them when it files them.
        return f"passes {', '.join(call.name for call in calls)}"


def _closing(
    outcome: Outcome,
    folder: int,
    lines: Sequence[Line] = (),
    events: Sequence[Happening] = (),
) -> Frame:
    """The frame of a run that is over: nothing in the hand."""
    return {
        "number": None,
        "card": None,
        "picked_by": None,
        "because": "",
        "lines": [*lines],
        "events": [*events],
        "outcome": outcome,
        "sentence": f"run over: {outcome['reason']} | {_has(folder)}",
    }


def _shown(value: object) -> str:
    """Any value in a few words, the same in every run."""
    if isinstance(value, str):
        return _brief(value)
    try:
        text = repr(value)
    except Exception:
        # A value that cannot be shown is no reason to stop the run it belongs to.
        text = f"<{type(value).__name__}>"
    return _brief(re.sub(r" at 0x[0-9a-fA-F]+", "", text))


def _brief(text: str) -> str:
    # Cut first: the cut may leave half a character.
    return valid_text(text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…")


def _error_text(error: BaseException) -> str:
    if isinstance(error.__cause__, StopIteration) and isinstance(error, RuntimeError):
        error = error.__cause__  # which no generator can raise as itself
    text = plain_text(error)  # str() may fail, and half a character is no JSON
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _has(folder: int) -> str:
    return f"folder has {_messages(folder)}"


def _kind(card: Card) -> CardKind:
    """Which of the views' shapes fits: a card may say so itself with `kind`."""
    if isinstance(card, Finished):
        return "stopped" if card.answer is None else "finished"
    ours = (_OURS.get(kind.__name__) for kind in type(card).__mro__)
    said = getattr(card, "kind", None) or next(filter(None, ours), None)
    return next((kind for kind in _KINDS if kind == said), "other")


def _who(message: object) -> Who:
    """Who said it: a message of one's own is drawn as the kind it is made of."""
    for kind in type(message).__mro__:
        if kind in _WHO:
            return _WHO[kind]
    return "other"


def _are_slips(value: object) -> TypeGuard[tuple[ToolCall, ...]]:
    return isinstance(value, tuple) and all(isinstance(v, ToolCall) for v in value)


def _rule(card: Card) -> str:
    """The first line of its docstring; what a dataclass writes by itself is none."""
    doc = inspect.getdoc(card) or ""
    return "" if doc.startswith(f"{type(card).__name__}(") else doc.partition("\n")[0]


def _fields(card: object) -> list[tuple[str, object]]:
    if not is_dataclass(card) or isinstance(card, type):
        held = getattr(card, "__dict__", {})
        return [(name, value) for name, value in held.items() if name != "because"]
    # What a card does not print, such as its `because`, is not drawn as a field.
    names = [field.name for field in fields(card) if field.repr]
    return [(name, getattr(card, name)) for name in names]


def _source(card: type) -> str:
    try:
        return textwrap.dedent(inspect.getsource(card))
    except (OSError, TypeError):
        return ""  # defined where no source is kept, such as in an exec


def _line_text(line: Line) -> str:
    slips = [_slip_text(slip) for slip in line["slips"]]
    number = [] if line["answers"] is None else [f"#{line['answers']}"]
    said = "  ".join([*number, *([line["text"]] if line["text"] else []), *slips])
    return f"{line['who']:<7} {said or '(said nothing)'}"


def _slip_text(slip: Slip) -> str:
    sent = [f"sent as {slip['raw']!r}"] if slip["raw"] else []
    why = [f"cannot be run: {slip['problem']}"] if slip["problem"] else []
    beside = f" ({'; '.join([*sent, *why])})" if sent or why else ""
    return f"#{slip['number']} {slip['call']}{beside}"


def _card_text(frame: Frame) -> Sequence[str]:
    card, outcome = frame["card"], frame["outcome"]
    lines = ["The card"]
    if card:
        lines.append(f"  {card['name']}: {card['rule']}")
        lines += [f"  {name} = {value}" for name, value in card["fields"].items()]
    elif outcome:
        end = outcome["error"] or json.dumps(outcome["answer"], ensure_ascii=False)
        lines.append(f"  none: {outcome['reason']}: {end}")
    if frame["picked_by"]:
        lines.append(f"  picked by {frame['picked_by']} because {frame['because']}")
    notes = [note for event in frame["events"] for note in event["notes"]]
    return [*lines, *(f"  note on the reply: {note}" for note in notes)]
