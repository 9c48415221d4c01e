"""One reply out of the chunks of an OpenAI stream.

Text is simply joined. Calls are the hard part: they come in fragments that say which
call they belong to by `index`, by `id`, by both or by neither, as each server likes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, Final

from mingraph_lite.adapters.error_replies import raise_if_error
from mingraph_lite.adapters.replies import REASONING_NAMES, read_content
from mingraph_lite.adapters.streams import DeltaRelay, broken_stream
from mingraph_lite.adapters.strict_json import (
    Body,
    DoubledKey,
    GrowingJSON,
    as_object,
)
from mingraph_lite.adapters.tool_calls import unknown_keys

__all__: Final = ["merge_chunks"]


def merge_chunks(chunks: Iterable[Body | None], relay: DeltaRelay) -> Body:
    """The whole reply; raises Unusable if the stream broke off.

    It is whole when a finish reason or `[DONE]` (None here) was seen: some servers send
    only one of the two.
    """
    merged = _MergedReply(relay)
    done = False
    for chunk in chunks:
        if chunk is None:
            done = True
        else:
            merged.add(chunk)
    relay.end()
    if not done and merged.finish_reason is None:
        raise broken_stream()
    return merged.reply()


@dataclass
class _UnfinishedCall:
    """One tool call while its fragments come in."""

    place: int
    index: int | None
    id: str | None
    name: str | None = None
    arguments: GrowingJSON | None = None
    unknown: Body = field(default_factory=dict)
    beside: Body = field(default_factory=dict)
    doubled_key: str | None = None

    def function(self) -> Body:
        """The function as it would stand in a reply in one piece."""
        made = {**self.unknown, "name": self.name}
        if self.arguments is not None:
            made["arguments"] = str(self.arguments)
        if (key := self.doubled_key) is None:
            return made
        return DoubledKey([(key, None), (key, None), *made.items()])

    def is_whole(self) -> bool:
        """Whether the arguments so far are a complete JSON value."""
        return self.arguments is not None and self.arguments.is_whole()


type _Label = int | str | None
_ANY: Final = ""
"""Stands for whatever index or id a call has; no id is empty."""


class _UnfinishedCalls:
    """The calls of a reply, and the last one that an index and an id may mean.

    Why not look through them? With thousands of calls in one reply, each fragment
    would be compared with each call.
    """

    def __init__(self) -> None:
        self.calls: list[_UnfinishedCall] = []
        # The places of the calls under an index and an id, as heaps, the last on top.
        self._places: dict[tuple[_Label, _Label], list[int]] = {}

    def add(self, index: int | None, id: str | None) -> _UnfinishedCall:
        """A new call."""
        call = _UnfinishedCall(len(self.calls), index, id)
        self.calls.append(call)
        self._list(call)
        return call

    def last(self, index: int | None, id: str | None) -> _UnfinishedCall | None:
        """The last call that these do not contradict; None says nothing of either."""
        indexes: tuple[_Label, ...] = (_ANY,) if index is None else (index, None)
        ids: tuple[_Label, ...] = (_ANY,) if id is None else (id, None)
        place = max(self._top(one, other) for one in indexes for other in ids)
        return self.calls[place] if place >= 0 else None

    def label(self, call: _UnfinishedCall, index: int | None, id: str | None) -> None:
        """Give a call the index and the id that it has not yet."""
        before = call.index, call.id
        call.index = index if call.index is None else call.index
        call.id = call.id or id
        if (call.index, call.id) != before:
            self._list(call)

    def _list(self, call: _UnfinishedCall) -> None:
        for index in (call.index, _ANY):
            for id in (call.id, _ANY):
                heappush(self._places.setdefault((index, id), []), -call.place)

    def _top(self, index: _Label, id: _Label) -> int:
        """The last place under these, or -1."""
        heap = self._places.get((index, id), [])
        while heap:
            call = self.calls[-heap[0]]
            if index in (call.index, _ANY) and id in (call.id, _ANY):
                return -heap[0]
            heappop(heap)  # it has another index or id by now
        return -1


@dataclass
class _MergedReply:
    """A reply that grows chunk by chunk."""

    relay: DeltaRelay
    head: Body = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    beside: Body = field(default_factory=dict)
    unfinished: _UnfinishedCalls = field(default_factory=_UnfinishedCalls)
    finish_reason: object = None
    begun: bool = False

    def add(self, chunk: Body) -> None:
        """Take in one chunk.

        The last one often has token counts and no choices; where two chunks have
        counts, the later ones are meant, not their sum.
        """
        raise_if_error(chunk)
        for name in ("model", "usage"):
            if chunk.get(name) is not None:
                self.head[name] = chunk[name]
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return
        choice = as_object(choices[0])
        raise_if_error(choice)
        self.begun = True
        if choice.get("finish_reason") is not None:
            self.finish_reason = choice["finish_reason"]
        self._add_delta(as_object(choice.get("delta")))

    def _add_delta(self, delta: Body) -> None:
        content = delta.get("content")
        if content:
            self.parts.extend(content if isinstance(content, list) else [content])
            self.relay.pass_on(read_content(content).text)
        if isinstance(signature := delta.get("extra_content"), dict):
            self.beside |= signature
        for name in (*REASONING_NAMES, "refusal"):
            text = delta.get(name)
            if isinstance(text, str):
                self.texts.setdefault(name, []).append(text)
        fragments = delta.get("tool_calls")
        for fragment in fragments if isinstance(fragments, list) else []:
            self._add_fragment(as_object(fragment))

    def _add_fragment(self, fragment: Body) -> None:
        function = as_object(fragment.get("function", fragment))
        index, id, name = (
            _if_of_type(int, fragment.get("index")),
            _if_of_type(str, fragment.get("id")) or None,
            _if_of_type(str, function.get("name")) or None,
        )
        call = self._call_for(index, id, name)
        self.unfinished.label(call, index, id)
        # Some servers repeat the whole name on each fragment, so names are not joined.
        call.name = call.name or name
        call.unknown |= {key: function[key] for key in unknown_keys(function)}
        if function is fragment.get("function"):
            call.beside |= fragment
        if isinstance(function, DoubledKey):
            call.doubled_key = function.key
        arguments = function.get("arguments")
        if arguments is None:
            return
        if not isinstance(arguments, str):
            # As it came, NaN too: where calls are read, what cannot be run is found.
            arguments = json.dumps(arguments, ensure_ascii=False)
        call.arguments = call.arguments or GrowingJSON()
        call.arguments.add(arguments)

    def _call_for(
        self, index: int | None, id: str | None, name: str | None
    ) -> _UnfinishedCall:
        """The call that a fragment continues, or a new one.

        It continues the last call that its index and id do not contradict. Where it
        has no id and names a tool again, it is a new call if the one it would continue
        has another name or all its arguments: some servers give every call index 0.
        """
        call = self.unfinished.last(index, id)
        if call is None:
            return self.unfinished.add(index, id)
        named_again = name is not None and call.name is not None
        if id is not None and call.id == id:
            named_again = False
        if named_again and (name != call.name or call.is_whole()):
            return self.unfinished.add(index, id)
        return call

    def reply(self) -> Body:
        """What the server would have sent in one piece."""
        if not self.begun:
            return {**self.head, "choices": []}
        message: Body = {name: "".join(pieces) for name, pieces in self.texts.items()}
        if self.beside:
            message["extra_content"] = self.beside
        plain = all(isinstance(part, str) for part in self.parts)
        message["content"] = "".join(self.parts) if plain else self.parts
        calls = self.unfinished.calls
        if all(call.index is not None for call in calls):
            calls = sorted(calls, key=lambda call: call.index or 0)
        message["tool_calls"] = [
            {**call.beside, "id": call.id, "function": call.function()}
            for call in calls
        ]
        choice = {"message": message, "finish_reason": self.finish_reason}
        return {**self.head, "choices": [choice]}


def _if_of_type[T](kind: type[T], value: object) -> T | None:
    return value if isinstance(value, kind) and not isinstance(value, bool) else None
