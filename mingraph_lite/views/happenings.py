"""What was announced, in few words, and where the rest stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolMessage, UserMessage
from mingraph_lite.observation import plain_text
from mingraph_lite.observers import Event
from mingraph_lite.schema.in_short import brief, shown
from mingraph_lite.schema.jsonable import valid_text, write_json
from mingraph_lite.telling import who_of
from mingraph_lite.views.frame_types import Happening
from mingraph_lite.views.shown import messages

__all__: Final = ["Happenings"]


class Happenings:
    """Puts announcements into words, and knows which line holds them in full.

    A question, a reply and an answer are announced before they are filed; so each
    waits here for its line. `number` gives a slip's number on the page.
    """

    def __init__(self, number: Callable[[str], int]) -> None:
        self._number = number
        self._slips: dict[str, int] = {}
        self._newest_question: tuple[object, int] | None = None
        self._asked: tuple[object, Happening] | None = None
        self._reply: tuple[LLMResponse, Happening] | None = None
        self._answers: dict[int, Happening] = {}

    def file(self, message: Any, place: int) -> None:
        """Know one more line of the folder, and which announcement was about it."""
        for call in getattr(message, "tool_calls", ()):
            self._slips[call.id] = place
        if isinstance(message, UserMessage):
            self._newest_question = (message.content, place)
            if self._asked and self._asked[0] == message.content:
                self._found(self._asked[1], place)
        elif isinstance(message, ToolMessage) and id(message) in self._answers:
            self._found(self._answers.pop(id(message)), place)
        elif self._reply and _is_of(message, self._reply[0]):
            self._found(self._reply[1], place)
            self._reply = None

    def of(self, event: Event, place: int | None = None) -> Happening:
        """One announcement; `place` is the line that it is about, where it is known."""
        payload: Mapping[str, Any] = event.payload
        text = self._what(event.name, payload)
        what = brief(text)
        happening: Happening = {
            "seq": event.seq,
            "step": event.step,
            "name": event.name,
            "what": what,
            "whole": None if what == text else valid_text(text),
            "line": None,
            "value": None,
            "notes": [],
            "reasoning": None,
            "finish_reason": None,
            "model": None,
            "tokens_in": None,
            "tokens_out": None,
            "tokens_reasoning": None,
            "tokens_cached": None,
        }
        match event.name:
            case "tool_call":
                place = self._slips.get(payload["call"].id)
            case "run_start":
                self._asked = (payload["question"], happening)
            case "model_reply":
                _tell_of(payload["response"], happening)
                self._reply = (payload["response"], happening)
            case "tool_return":
                message = payload["message"]
                self._answers[id(message)] = happening
                happening["value"] = _value(payload["value"], message.content)
            case "tool_error":
                self._answers[id(payload["message"])] = happening
        if place is not None:
            self._found(happening, place)
        return happening

    def rest(self) -> None:
        """No line comes any more: what a frame holds is not changed later."""
        if self._asked and self._asked[1]["line"] is None and self._newest_question:
            # A run that goes on from a card files no question: it was asked before.
            question, place = self._newest_question
            if question == self._asked[0]:
                self._found(self._asked[1], place)
        self._asked = self._reply = None
        self._answers.clear()

    def _found(self, happening: Happening, place: int) -> None:
        happening["line"] = place
        happening["whole"] = None

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
                return f"reads out {messages(len(payload['messages']))}"
            case "model_reply":
                return _reply(payload["response"])
            case "message_added":
                return who_of(payload["message"])
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
                return ", ".join(f"{k}={shown(v)}" for k, v in payload.items())


def _reply(response: LLMResponse) -> str:
    calls = response.message.tool_calls
    if not calls:
        return response.message.content or response.refusal or ""
    # The slips have no ticket numbers yet: the loop gives them when it files them.
    return f"passes {', '.join(call.name for call in calls)}"


def _tell_of(response: LLMResponse, happening: Happening) -> None:
    """What stands on the envelope of a reply, and never in the folder."""
    usage = response.usage or Usage()
    happening["notes"] = [brief(note) for note in response.notes]
    happening["reasoning"] = _text(response.reasoning)
    happening["finish_reason"] = _text(response.finish_reason)
    happening["model"] = _text(response.model)
    happening["tokens_in"] = usage.input_tokens
    happening["tokens_out"] = usage.output_tokens
    happening["tokens_reasoning"] = usage.reasoning_tokens
    happening["tokens_cached"] = usage.cached_tokens


def _is_of(message: object, response: LLMResponse) -> bool:
    """Whether a line is this reply: its slips may have got other numbers."""
    if not isinstance(message, AssistantMessage):
        return False
    said = response.message
    texts = (said.content, response.refusal)
    same_slips = len(message.tool_calls) == len(said.tool_calls)
    return same_slips and message.content in texts


def _value(value: object, line: str) -> str | None:
    """What a tool gave back, as JSON, as far as its line does not say it."""
    if isinstance(value, str):
        return None if valid_text(value) == line else write_json(value)
    written = write_json(value)
    return "" if written == line else written


def _text(value: object) -> str | None:
    return None if value is None else valid_text(str(value))
