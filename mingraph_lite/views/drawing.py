"""A run drawn stop by stop, from its cards and announcements."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypedDict

from mingraph_lite.cards import Card
from mingraph_lite.messages import ToolCall
from mingraph_lite.observation import error_text, plain_text
from mingraph_lite.observers import Recorder
from mingraph_lite.own_cards import are_slips, fields_of, kind_of, step_of
from mingraph_lite.schema.class_source import rule_of, source_of
from mingraph_lite.schema.in_short import brief, shown
from mingraph_lite.schema.jsonable import valid_text, write_json
from mingraph_lite.telling import who_of
from mingraph_lite.views.frame_types import (
    CardKind,
    CardShown,
    Frame,
    Happening,
    Line,
    Outcome,
    Reading,
    Slip,
)
from mingraph_lite.views.happenings import Happenings
from mingraph_lite.views.readings import Readings
from mingraph_lite.views.shown import messages

__all__: Final = ["Drawing", "closing_frame"]


class _News(TypedDict):
    """What of a frame is new whichever card is in the hand."""

    lines: list[Line]
    asides: list[Line]
    readings: list[Reading]
    events: list[Happening]


class Drawing:
    """What the frames so far have numbered, counted and told."""

    def __init__(self, earlier: Iterable[Any], most_steps: int | None = None) -> None:
        """`earlier` is what was said before the run; `most_steps` may limit it."""
        self._most_steps = most_steps
        self._cards = 0
        self._lines = 0
        self._last: Card | None = None
        self._numbers: dict[str, int] = {}
        # Read once in a run: it takes as long as ten cards.
        self._source_of = cache(source_of)
        self._told: dict[str, str] = {}
        self._earlier = list(earlier)
        self._happenings = Happenings(self._number)
        self._readings = Readings(lambda message: self._line(message, None))

    def stop(self, card: Card, heard: Recorder) -> Frame:
        """A card in the hand, before it runs."""
        self._cards += 1
        frame: Frame = {
            **self._news(heard),
            "number": self._cards,
            "card": self._card(card),
            "picked_by": type(self._last).__name__ if self._last else None,
            "because": plain_text(getattr(card, "because", "")),
            "outcome": None,
            "printed": "",
            "pointed": [],
            "sentence": f"holding: {type(card).__name__} | {_has(self._lines)}",
        }
        self._last = card
        return frame

    def closing(self, heard: Recorder, error: BaseException | None) -> Frame:
        """No card in the hand: how the run ended."""
        ends = [event.payload for event in heard.events if event.name == "finish"]
        end = ends[0] if ends else {}
        # A card of one's own may finish with a word of its own: it is shown as it is.
        reason = str(end.get("reason", "failed"))
        over = error is None and reason not in ("abandoned", "paused")
        answer = getattr(self._last, "answer", end.get("answer")) if over else None
        outcome: Outcome = {
            "reason": reason,
            "answer": None if answer is None else plain_text(answer),
            "error": error_text(error) if error else None,
        }
        news = self._news(heard)
        return closing_frame(outcome, self._lines, news)

    def _news(self, heard: Recorder) -> _News:
        """What was said, read aloud and announced since the last frame."""
        kind = kind_of(self._last) if self._last else None
        news: _News = {"lines": [], "asides": [], "readings": [], "events": []}
        for message in self._earlier:
            news["lines"].append(self._filed(message, None))
        self._earlier = []
        for event in heard.events:
            place = None
            if event.name == "message_added":
                place = self._lines
                news["lines"].append(self._filed(event.payload["message"], kind))
            elif event.name == "model_call":
                said: Any = event.payload
                reading, asides = self._readings.heard(
                    said["messages"], said["menu"], event.step
                )
                news["readings"].append(reading)
                news["asides"] += asides
            news["events"].append(self._happenings.of(event, place))
        self._happenings.rest()
        heard.events.clear()
        return news

    def _filed(self, message: object, added_by: CardKind | None) -> Line:
        """One more line of the folder."""
        line = self._line(message, added_by)
        self._readings.file(message, line)
        self._happenings.file(message, self._lines)
        self._lines += 1
        return line

    def _line(self, message: Any, added_by: CardKind | None) -> Line:
        ticket = getattr(message, "tool_call_id", None)
        text = getattr(message, "content", message)
        return {
            "who": who_of(message),
            "text": valid_text(text) if isinstance(text, str) else shown(text),
            "slips": [self._slip(c) for c in getattr(message, "tool_calls", ())],
            "answers": None if ticket is None else self._number(ticket),
            "added_by": added_by,
        }

    def _slip(self, call: ToolCall) -> Slip:
        return {
            "number": self._number(call.id),
            "name": call.name,
            "arguments": write_json(call.arguments),
            "call": brief(str(call)),
            "raw": None if call.raw is None else valid_text(call.raw),
            "problem": None if call.problem is None else valid_text(call.problem),
        }

    def _number(self, id: str) -> int:
        return self._numbers.setdefault(id, len(self._numbers) + 1)

    def _card(self, card: Card) -> CardShown:
        return {
            "name": type(card).__name__,
            "kind": kind_of(card),
            "rule": rule_of(card),
            "fields": {name: self._field(name, v) for name, v in fields_of(card)},
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
        if name == "step" and isinstance(value, int) and self._most_steps is not None:
            return f"{value} of at most {self._most_steps}"
        if isinstance(value, Card):
            return self._held(value)
        if are_slips(value):
            return self._slips(value)
        return shown(value)

    def _held(self, card: Card) -> str:
        """A card that another one holds: its name, and its slips or its own card."""
        values = [value for _, value in fields_of(card)]
        for value in values:
            if value and are_slips(value):
                return f"{type(card).__name__} {self._slips(value)}"
        held = next((value for value in values if isinstance(value, Card)), None)
        name = type(card).__name__
        return name if held is None else f"{name} holding {self._held(held)}"

    def _slips(self, calls: Iterable[ToolCall]) -> str:
        return ", ".join(f"#{self._number(call.id)}" for call in calls)


def closing_frame(outcome: Outcome, folder: int, news: _News | None = None) -> Frame:
    """The frame of a run that is over: nothing in the hand."""
    none: _News = {"lines": [], "asides": [], "readings": [], "events": []}
    return {
        **(news or none),
        "number": None,
        "card": None,
        "picked_by": None,
        "because": "",
        "outcome": outcome,
        "printed": "",
        "pointed": [],
        "sentence": f"run over: {outcome['reason']} | {_has(folder)}",
    }


def _has(folder: int) -> str:
    return f"folder has {messages(folder)}"
