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
from typing import Any, Final

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

__all__: Final = ["Frame", "as_text", "frames"]

type Frame = dict[str, Any]
"""Keys: number, card, picked_by, because, lines, events, outcome, sentence."""

_BRIEF: Final = 200
"""A frame repeats no long text: the folder's lines hold it, once."""

_KINDS: Final = {"CallingModel": "calling", "RunningTools": "running"}
_WHO: Final[Mapping[type, str]] = {
    SystemMessage: "system",
    UserMessage: "user",
    AssistantMessage: "model",
    ToolMessage: "tool",
}


def frames(agent: Agent, state: Question) -> Iterator[Frame]:
    """Play a run card by card, and give a frame at each stop.

    One `next()` runs one card. An error of the run does not escape, nor does an
    interrupt: the last frame holds it as its outcome. Closing the generator stops the
    run, its slips answered.
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
    except BaseException as problem:  # sys.exit in a tool would end a whole page
        error = problem
    finally:
        steps.close()
    yield drawing.closing(heard, error)


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
    """What the frames so far have numbered and counted."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._cards = 0
        self._lines = 0
        self._last: Card | None = None
        self._numbers: dict[str, int] = {}
        prompt = agent.system_prompt
        self._earlier: list[Message] = [SystemMessage(prompt)] if prompt else []
        self._earlier += agent.memory.folder

    def stop(self, card: Card, heard: Recorder) -> Frame:
        """A card in the hand, before it runs."""
        self._cards += 1
        news = self._news(heard)
        frame = {
            "number": self._cards,
            "card": self._card(card),
            "picked_by": type(self._last).__name__ if self._last else None,
            "because": getattr(card, "because", ""),
            **news,
            "outcome": None,
            "sentence": f"holding: {type(card).__name__} | {self._folder_has()}",
        }
        self._last = card
        return frame

    def closing(self, heard: Recorder, error: BaseException | None) -> Frame:
        """No card in the hand: how the run ended."""
        ends = [e.payload["reason"] for e in heard.events if e.name == "finish"]
        reason = str(ends[0]) if ends else "failed"
        over = error is None and reason != "abandoned"
        return {
            "number": None,
            "card": None,
            "picked_by": None,
            "because": "",
            **self._news(heard),
            "outcome": {
                "reason": reason,
                "answer": getattr(self._last, "answer", None) if over else None,
                "error": _error_text(error) if error else None,
            },
            "sentence": f"run over: {reason} | {self._folder_has()}",
        }

    def _news(self, heard: Recorder) -> dict[str, Any]:
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
        return {"lines": lines, "events": events}

    def _line(self, message: Any, added_by: str | None) -> dict[str, Any]:
        slips = [
            {"number": self._number(call.id), "call": str(call)}
            for call in getattr(message, "tool_calls", ())
        ]
        ticket = getattr(message, "tool_call_id", None)
        return {
            "who": _WHO[type(message)],
            "text": message.content,
            "slips": slips,
            "answers": None if ticket is None else self._number(ticket),
            "added_by": added_by,
        }

    def _number(self, id: str) -> int:
        return self._numbers.setdefault(id, len(self._numbers) + 1)

    def _card(self, card: Card) -> dict[str, Any]:
        step = getattr(card, "step", None)
        return {
            "name": type(card).__name__,
            "kind": _kind(card),
            "rule": (inspect.getdoc(card) or "").partition("\n")[0],
            "fields": [[name, self._field(name, v)] for name, v in _fields(card)],
            "source": _source(type(card)),  # type: ignore[arg-type]
            "round": step if isinstance(step, int) else None,
        }

    def _field(self, name: str, value: object) -> str:
        if name == "step" and isinstance(value, int):
            return f"{value} of at most {self._agent.limits.steps}"
        if isinstance(value, tuple) and all(isinstance(v, ToolCall) for v in value):
            return ", ".join(f"#{self._number(call.id)}" for call in value)
        return _shown(value)

    def _event(self, event: Event) -> dict[str, Any]:
        usage = getattr(event.payload.get("response"), "usage", None)
        return {
            "seq": event.seq,
            "step": event.step,
            "name": event.name,
            "what": _brief(self._what(event.name, event.payload)),
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
                return _WHO[type(payload["message"])]
            case "tool_call":
                return self._slip(payload["call"])
            case "tool_return" | "tool_error":
                message = payload["message"]
                return f"#{self._number(message.tool_call_id)} {message.content}"
            case "finish":
                return str(payload["reason"])
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

    def _slip(self, call: ToolCall) -> str:
        return f"#{self._number(call.id)} {call}"

    def _folder_has(self) -> str:
        return f"folder has {_messages(self._lines)}"


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
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"


def _error_text(error: BaseException) -> str:
    text = plain_text(error)  # str() may fail, and half a character is no JSON
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _kind(card: Card) -> str:
    """Which of the views' shapes fits: a card may say so itself with `kind`."""
    if isinstance(card, Finished):
        return "stopped" if card.answer is None else "finished"
    return getattr(card, "kind", _KINDS.get(type(card).__name__, "other"))


def _fields(card: Card) -> list[tuple[str, object]]:
    if not is_dataclass(card):
        held = getattr(card, "__dict__", {})
        return [(name, value) for name, value in held.items() if name != "because"]
    # What a card does not print, such as its `because`, is not drawn as a field.
    names = [field.name for field in fields(card) if field.repr]
    return [(name, getattr(card, name)) for name in names]


@cache
def _source(card: type) -> str:
    try:
        return textwrap.dedent(inspect.getsource(card))
    except (OSError, TypeError):
        return ""  # defined where no source is kept, such as in an exec


def _line_text(line: Mapping[str, Any]) -> str:
    slips = [f"#{slip['number']} {slip['call']}" for slip in line["slips"]]
    number = [] if line["answers"] is None else [f"#{line['answers']}"]
    said = "  ".join([*number, *([line["text"]] if line["text"] else []), *slips])
    return f"{line['who']:<7} {said or '(said nothing)'}"


def _card_text(frame: Frame) -> Sequence[str]:
    card, outcome = frame["card"], frame["outcome"]
    if card is None:
        end = outcome["error"] or json.dumps(outcome["answer"], ensure_ascii=False)
        return ["The card", f"  none: {outcome['reason']}: {end}"]
    lines = ["The card", f"  {card['name']}: {card['rule']}"]
    lines += [f"  {name} = {value}" for name, value in card["fields"]]
    if frame["picked_by"]:
        lines.append(f"  picked by {frame['picked_by']} because {frame['because']}")
    return lines
