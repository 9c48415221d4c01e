"""Tool calls that are not whole yet, and which one is meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from mingraph_lite.adapters.growing_arguments import GrowingArguments
from mingraph_lite.adapters.strict_json import Body, DoubledKey
from mingraph_lite.adapters.tool_calls import InDoubt

__all__: Final = ["UnfinishedCall", "UnfinishedCalls"]

type _Label = int | str | None
_ANY: Final = ""
"""Stands for whatever index or id a call has; no id is empty."""


@dataclass(eq=False)
class UnfinishedCall:
    """One tool call while its fragments come in.

    `doubt` is what came and may belong to it.
    """

    place: int
    index: int | None
    id: str | None
    name: str | None = None
    arguments: GrowingArguments = field(default_factory=GrowingArguments)
    unknown: Body = field(default_factory=dict)
    beside: Body = field(default_factory=dict)
    signed: Body = field(default_factory=dict)
    doubled_key: str | None = None
    doubt: str | None = None

    def has_arguments(self) -> bool:
        """Whether anything stands in the place of the arguments."""
        return bool(self.arguments.pieces or self.unknown)

    def as_sent(self) -> Body:
        """The call as it would stand in a reply in one piece."""
        return {**self.beside, "id": self.id, "function": self._function()}

    def _function(self) -> Body:
        made = {**self.signed, **self.unknown, "name": self.name}
        if self.doubt is not None:
            return InDoubt({**made, "arguments": self.doubt})
        if self.arguments.came:
            made["arguments"] = self.arguments.text()
        if (key := self.doubled_key) is None:
            return made
        return DoubledKey([(key, None), (key, None), *made.items()])


class UnfinishedCalls:
    """The calls of a reply, found by their index and id.

    Why not look through them? With thousands of calls in one reply, each fragment
    would be compared with each call.
    """

    def __init__(self) -> None:
        self.calls: list[UnfinishedCall] = []
        # The places of the calls under an index and an id, as heaps, the last on top.
        self._places: dict[tuple[_Label, _Label], list[int]] = {}

    def add(self, index: int | None, id: str | None) -> UnfinishedCall:
        """A new call."""
        call = UnfinishedCall(len(self.calls), index, id)
        self.calls.append(call)
        self._list(call)
        return call

    def last(self, index: int | None, id: str | None) -> UnfinishedCall | None:
        """The last call that these do not contradict; None says nothing of either."""
        indexes: tuple[_Label, ...] = (_ANY,) if index is None else (index, None)
        ids: tuple[_Label, ...] = (_ANY,) if id is None else (id, None)
        return self._at(max(self._top(one, other) for one in indexes for other in ids))

    def of_index(self, index: int | None) -> UnfinishedCall | None:
        """The last call of an index, whatever its id; of any, where none is given."""
        if index is None:
            return self.calls[-1] if self.calls else None
        return self._at(max(self._top(index, _ANY), self._top(None, _ANY)))

    def label(self, call: UnfinishedCall, index: int | None, id: str | None) -> None:
        """Give a call the index and the id that it has not yet."""
        before = call.index, call.id
        call.index = index if call.index is None else call.index
        call.id = call.id or id
        if (call.index, call.id) != before:
            self._list(call)

    def _at(self, place: int) -> UnfinishedCall | None:
        return self.calls[place] if place >= 0 else None

    def _list(self, call: UnfinishedCall) -> None:
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
