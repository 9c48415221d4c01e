"""What a line of a trace says of each announcement.

A long text is said once. Where it comes again stands the line that has it, by its
number in the run: `{"line": 7, "at": "content"}`. A message that was announced before
it was put into the folder is `"of"` that line. What the model was read are places in
the folder, counted from the system prompt, and in full only what stands nowhere in it.

Why not the whole folder at every call? Ten rounds would say the first line ten times,
and the reader looks for what is new.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

from mingraph_lite.cards import Card, Finished
from mingraph_lite.errors import MingraphError
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.memory import Reading
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observation import error_text, plain_text
from mingraph_lite.observers import Event
from mingraph_lite.own_cards import are_slips, fields_of, kind_of, step_of
from mingraph_lite.schema.class_source import rule_of, source_of
from mingraph_lite.schema.in_short import BRIEF, shown
from mingraph_lite.schema.jsonable import dump_json, valid_text
from mingraph_lite.schema.places import ReadOut

__all__: Final = ["ROLES", "Body", "Telling", "Who", "who_of"]

type Body = dict[str, Any]
type _Writer = Callable[[Mapping[str, Any], int], Body]

type Who = Literal["system", "user", "model", "tool", "other"]
"""Who says something, as views draw it."""

_WHO: Final[Mapping[type, Who]] = {
    SystemMessage: "system",
    UserMessage: "user",
    AssistantMessage: "model",
    ToolMessage: "tool",
}

ROLES: Final[Mapping[Who, str]] = {
    "system": "system",
    "user": "user",
    "model": "assistant",
    "tool": "tool",
    "other": "other",
}
"""The field's words for who says something."""

_PLAIN: Final = (int, float, bool, type(None))
_USAGE: Final = ("input_tokens", "output_tokens", "reasoning_tokens", "cached_tokens")


def who_of(message: object) -> Who:
    """Who said it: a message of one's own counts as the kind it is made of."""
    for kind in type(message).__mro__:
        if kind in _WHO:
            return _WHO[kind]
    return "other"


class Telling:
    """What the lines of one run have said: none says it again."""

    def __init__(self) -> None:
        self._texts: dict[str, Body] = {}
        self._slips: dict[int, tuple[Body, object]] = {}
        self._reads = ReadOut(_key)
        self._folder = self._reads.folder
        self._announced: dict[int, tuple[int, object]] = {}
        self._question: tuple[str, int] | None = None
        self._reply: tuple[LLMResponse, int] | None = None
        self._menu: Any = None
        self._classes: dict[type, _Class] = {}
        self._sources: dict[str, str] = {}
        self._writers: dict[str, tuple[frozenset[str], _Writer]] = {
            "run_start": (
                frozenset({"question", "model", "settings", "folder"}),
                self._run_start,
            ),
            "card_start": (frozenset({"card"}), self._card_start),
            "step_start": (frozenset({"step"}), lambda said, seq: {}),
            "model_call": (frozenset({"messages", "menu"}), self._model_call),
            "model_reply": (frozenset({"response"}), self._model_reply),
            "retry": (frozenset({"error", "tries", "wait"}), self._retry),
            "message_added": (frozenset({"message"}), self._message_added),
            "tool_call": (frozenset({"call"}), self._tool_call),
            "tool_return": (
                frozenset({"call", "value", "message"}),
                self._tool_return,
            ),
            "tool_error": (frozenset({"call", "error", "message"}), self._tool_error),
            "warning": (frozenset({"text"}), lambda said, seq: {"text": said["text"]}),
            "finish": (
                frozenset({"answer", "reason", "lost"}),
                self._finish,
            ),
        }

    def body(self, event: Event) -> Body:
        """What stands in the line behind its stamp.

        An announcement of one's own, or one of ours that says something else than it
        used to, stands there as it is, under `payload`.
        """
        said = event.payload
        known = self._writers.get(event.name)
        if known is None:
            return _payload(said)
        keys, write = known
        try:
            body = write(said, event.seq)
        except (AttributeError, KeyError, TypeError):
            return _payload(said)
        if said.keys() <= keys:
            return body
        return {**body, **_payload({k: v for k, v in said.items() if k not in keys})}

    def _said(self, text: Any, seq: int, at: str) -> Any:
        """A text, or where it stands already."""
        if type(text) is not str:
            return valid_text(text) if isinstance(text, str) else {"shown": shown(text)}
        if len(text) <= BRIEF:
            return text
        here = {"line": seq, "at": at}
        where = self._texts.setdefault(text, here)
        return text if where is here else where

    def _run_start(self, said: Mapping[str, Any], seq: int) -> Body:
        question = said["question"]
        self._question = (question, seq)
        settings = dict(said.get("settings", {}))
        prompt = settings.get("system_prompt")
        if isinstance(prompt, str) and prompt:
            self._reads.first = SystemMessage(prompt)
            self._folder.add(self._reads.first)
            self._texts.setdefault(
                prompt, {"line": seq, "at": "settings.system_prompt"}
            )
        folder = list(said.get("folder", ()))
        for message in folder:
            self._folder.add(message)
        return {
            "model": dict(said.get("model", {})),
            "settings": settings,
            "question": self._said(question, seq, "question"),
            "folder": [
                self._message(message, seq, f"folder.{place}")
                for place, message in enumerate(folder)
            ],
        }

    def _card_start(self, said: Mapping[str, Any], seq: int) -> Body:
        card = said["card"]
        kind = type(card)
        if kind not in self._classes:
            self._classes[kind] = _Class(rule_of(card), source_of(kind))
        known = self._classes[kind]
        source = known.source
        body: Body = {
            "name": kind.__name__,
            "kind": kind_of(card),
            "rule": known.rule,
            "fields": _fields(card),
            "round": step_of(card),
            "because": plain_text(getattr(card, "because", "")),
        }
        if isinstance(card, Finished) and card.answer is None:
            # What it raises after the end was announced.
            error = card.error or MingraphError(f"No answer: {card.reason}.")
            body["error"] = error_text(error)
        if self._sources.get(kind.__name__) != source:
            self._sources[kind.__name__] = body["source"] = source
        return body

    def _model_call(self, said: Mapping[str, Any], seq: int) -> Body:
        messages = said["messages"]
        grew = isinstance(messages, Reading) and messages.goes_on(self._reads.last)
        reads, news = self._reads.of(messages, grew)
        body: Body = {"reads": reads}
        if news:
            body["asides"] = [
                self._message(message, seq, f"asides.{place}")
                for place, message in enumerate(news)
            ]
        menu = said["menu"]
        if self._menu is None or (menu is not self._menu and menu != self._menu):
            body["menu"] = list(menu)
        self._menu = menu
        return body

    def _model_reply(self, said: Mapping[str, Any], seq: int) -> Body:
        response: LLMResponse = said["response"]
        message, usage = response.message, response.usage or Usage()
        self._reply = (response, seq)
        self._announced[id(message)] = (seq, message)
        return {
            "content": self._said(message.content, seq, "content"),
            "tool_calls": self._calls(message.tool_calls, seq, "tool_calls"),
            "reasoning": self._or_none(response.reasoning, seq, "reasoning"),
            "refusal": self._or_none(response.refusal, seq, "refusal"),
            "notes": list(response.notes),
            "finish_reason": response.finish_reason,
            "model": response.model,
            **{name: getattr(usage, name) for name in _USAGE},
        }

    def _or_none(self, text: Any, seq: int, at: str) -> Any:
        return None if text is None else self._said(text, seq, at)

    def _retry(self, said: Mapping[str, Any], seq: int) -> Body:
        error = said["error"]
        return {
            "error": _error(error),
            "tries": said["tries"],
            "wait": said["wait"],
        }

    def _message_added(self, said: Mapping[str, Any], seq: int) -> Body:
        message = said["message"]
        body: Body = {"place": len(self._folder), "role": ROLES[who_of(message)]}
        self._folder.add(message)
        announced = self._announced.pop(id(message), None)
        if announced is not None:
            return {**body, "of": announced[0]}
        if body["role"] == "user" and self._question is not None:
            question, line = self._question
            if message.content == question and type(question) is str:
                self._question = None
                return {**body, "of": line}
        if body["role"] == "assistant" and (renumbered := self._renumbered(message)):
            return {**body, **renumbered}
        return {**body, **self._message(message, seq, "")}

    def _renumbered(self, message: Any) -> Body | None:
        """A reply whose slips got other numbers, or names, when it was filed."""
        if self._reply is None:
            return None
        response, seq = self._reply
        old, new = response.message.tool_calls, message.tool_calls
        if response.message.content != message.content or len(old) != len(new):
            return None
        for one, other in zip(old, new, strict=True):
            same = one.arguments is other.arguments and one.problem == other.problem
            if not (same and one.raw == other.raw):
                return None
        return {"of": seq, "calls": [{"id": c.id, "name": c.name} for c in new]}

    def _tool_call(self, said: Mapping[str, Any], seq: int) -> Body:
        return self._call(said["call"], seq, "")

    def _tool_return(self, said: Mapping[str, Any], seq: int) -> Body:
        body = self._answer(said["message"], seq)
        value, content = said["value"], said["message"].content
        if type(value) is str and len(value) <= BRIEF:
            return {**body, "value": value}
        if isinstance(value, str):
            if valid_text(value) == content:
                return {**body, "value": None, "value_in": "content"}
        elif len(content) > BRIEF and _is_json_of(value, content):
            return {**body, "value": None, "value_in": "content, as JSON"}
        return {**body, "value": value}

    def _tool_error(self, said: Mapping[str, Any], seq: int) -> Body:
        body = self._answer(said["message"], seq)
        return {**body, "error": _error(said["error"])}

    def _answer(self, message: Any, seq: int) -> Body:
        self._announced[id(message)] = (seq, message)
        return {
            "content": self._said(message.content, seq, "content"),
            "tool_call_id": message.tool_call_id,
            "name": message.name,
        }

    def _finish(self, said: Mapping[str, Any], seq: int) -> Body:
        return {
            "answer": self._or_none(said["answer"], seq, "answer"),
            "reason": said["reason"],
            "lost": dict(said.get("lost", {})),
        }

    def _message(self, message: Any, seq: int, at: str) -> Body:
        """A message in full, but for texts that stand somewhere already."""
        role, dot = ROLES[who_of(message)], "." if at else ""
        text = getattr(message, "content", message)
        body: Body = {
            "role": role,
            "content": self._said(text, seq, f"{at}{dot}content"),
        }
        if calls := getattr(message, "tool_calls", ()):
            body["tool_calls"] = self._calls(calls, seq, f"{at}{dot}tool_calls")
        if hasattr(message, "tool_call_id"):
            body["tool_call_id"] = message.tool_call_id
            body["name"] = getattr(message, "name", "")
        return body

    def _calls(self, calls: Iterable[ToolCall], seq: int, at: str) -> list[Body]:
        return [
            self._call(call, seq, f"{at}.{place}") for place, call in enumerate(calls)
        ]

    def _call(self, call: ToolCall, seq: int, at: str) -> Body:
        body: Body = {"id": call.id, "name": call.name, "arguments": call.arguments}
        if any(_is_long(value) for value in call.arguments.values()):
            here = {"line": seq, "at": f"{at}.arguments" if at else "arguments"}
            # Kept with it: arguments that are gone leave their id to others.
            kept = self._slips.setdefault(id(call.arguments), (here, call.arguments))
            where = kept[0]
            if where is not here:
                body["arguments"], body["same_as"] = None, where
        body["raw"] = self._or_none(call.raw, seq, f"{at}.raw" if at else "raw")
        body["problem"] = call.problem
        return body


class _Class(NamedTuple):
    """What a class of cards says of itself, looked up once: it takes long."""

    rule: str
    source: str


def _key(message: object) -> object:
    """What equal messages share; None for one that nothing can be told of."""
    calls = [
        (call.id, call.name, str(call), call.raw, call.problem)
        for call in getattr(message, "tool_calls", ())
    ]
    text, ticket = getattr(message, "content", None), ""
    if not isinstance(text, str):
        return None
    ticket = str(getattr(message, "tool_call_id", ""))
    return (who_of(message), text, ticket, getattr(message, "name", ""), *calls)


def _fields(card: object) -> Body:
    return {name: _field(value) for name, value in fields_of(card)}


def _field(value: object) -> object:
    """What a card holds: itself where JSON has it, else a tag with what is drawn."""
    if isinstance(value, Card):
        held = {"name": type(value).__name__, "fields": _fields(value)}
        return {"card": held}
    if are_slips(value):
        return {"slips": [call.id for call in value]}
    if type(value) in _PLAIN or (type(value) is str and len(value) <= BRIEF):
        return value
    return {"shown": shown(value)}


def _is_json_of(value: object, content: str) -> bool:
    try:
        return isinstance(value, list | dict) and dump_json(value) == content
    except Exception:  # its items() is somebody else's code, and may do anything
        return False


def _error(error: BaseException) -> Body:
    return {"type": type(error).__name__, "text": plain_text(error)}


def _payload(said: Mapping[str, Any]) -> Body:
    """What was said, and beside it what is drawn of what JSON holds another way."""
    body: Body = {"payload": dict(said)}
    odd = {k: shown(v) for k, v in said.items() if not _comes_back(v)}
    return {**body, "shown": odd} if odd else body


def _comes_back(value: object) -> bool:
    """Whether JSON gives back what is drawn like this value."""
    if type(value) in (*_PLAIN, str):
        return True
    try:
        return repr(json.loads(dump_json(value))) == repr(value)
    except Exception:  # its items() or repr() is somebody else's code
        return False


def _is_long(value: object) -> bool:
    if type(value) is str:
        return len(value) > BRIEF
    return type(value) not in _PLAIN
