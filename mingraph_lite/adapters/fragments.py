"""Tool calls that come in fragments: put together, or doubted.

Fragments say which call they belong to by `index`, by `id`, by both or by neither, as
each server likes. The rules, in this order:

- A fragment with a whole name of the menu begins a call, unless it repeats the name of
  a call with its id, or of one without an id whose arguments are not whole yet.
- A fragment without a name goes on with the call of its id, else with that of its
  index, whatever its id, else with the last one.
- Halves of a name are joined where the whole is on the menu and neither half is.
- Arguments are put together by `growing_arguments`.

Why not run what is nearest? A call that lost its arguments would run on defaults that
nobody chose: where something was sent that fits no call, the call is answered with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from mingraph_lite.adapters.growing_arguments import GrowingArguments, is_object
from mingraph_lite.adapters.server_wants.beside import SIGNATURE_KEYS
from mingraph_lite.adapters.strict_json import Body, DoubledKey, as_object
from mingraph_lite.adapters.tool_calls import InDoubt, unknown_keys
from mingraph_lite.schema.tool_names import bare_name

__all__: Final = ["Fragments", "join_beside"]

_OF_A_CALL: Final = {"index", "id", "type", "function"}
_BESIDE_ALONE: Final = {"index", "id", "type", *SIGNATURE_KEYS}


class Fragments:
    """The calls of one reply while their fragments come in."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._menu = _MenuNames(names)
        self._calls = _UnfinishedCalls()

    def add(self, fragment: Body) -> None:
        """Take in one fragment, whichever of the two shapes it has."""
        # What comes beside a call may come in a piece of its own.
        alone = fragment.keys() <= _BESIDE_ALONE
        envelope = alone or "function" in fragment
        function = as_object(fragment.get("function", {} if alone else fragment))
        index, id, name = (
            _index(fragment.get("index")),
            _text(fragment.get("id")),
            _text(function.get("name")),
        )
        call = self._call_for(index, id, name)
        self._calls.label(call, index, id)
        if name is not None:
            call.name = self._menu.grown(call.name, name, call.has_arguments())
        call.unknown |= {key: function[key] for key in unknown_keys(function)}
        if envelope:
            beside = {k: v for k, v in fragment.items() if k not in _OF_A_CALL}
            join_beside(call.beside, beside)
            call.signed |= {k: v for k, v in function.items() if k in SIGNATURE_KEYS}
        if isinstance(function, DoubledKey):
            call.doubled_key = function.key
        if (arguments := function.get("arguments")) is not None:
            call.arguments.add(arguments)

    def calls(self) -> list[Body]:
        """The calls as they would stand in a reply in one piece."""
        calls = self._calls.calls
        if all(call.index is not None for call in calls):
            calls = sorted(calls, key=lambda call: call.index or 0)
        calls = _with_their_orphans(calls)
        self._doubt_the_empty_ones(calls)
        return [call.as_sent() for call in calls]

    def _call_for(
        self, index: int | None, id: str | None, name: str | None
    ) -> _UnfinishedCall:
        """The call that a fragment continues, or a new one."""
        fits = self._calls.last(index, id)
        call = fits or self._calls.of_index(index)
        if call is None:
            return self._calls.add(index, id)
        if name is None or self._menu.joins(call.name, name, call.has_arguments()):
            return call
        if fits is None:
            return self._calls.add(index, id)
        if fits.name is None or self._menu.grows(fits.name, name):
            return fits
        other = name != fits.name
        if id is not None and fits.id == id:
            other = other and self._menu.has(name)
        else:
            other = other or fits.arguments.is_whole()
        return self._calls.add(index, id) if other else fits

    def _doubt_the_empty_ones(self, calls: list[_UnfinishedCall]) -> None:
        """Doubt a call without arguments where the next one may be the rest of it.

        The next one of its index, that is, if it brings arguments and names the same
        tool again, or none that is on the menu.
        """
        before: dict[int | None, _UnfinishedCall] = {}
        for call in calls:
            empty = before.pop(call.index, None)
            if not call.has_arguments():
                before[call.index] = call
            elif empty is not None and empty.name is not None:
                again = call.name is None or _plain(call.name) == _plain(empty.name)
                strange = bool(self._menu) and not self._menu.has(call.name or "")
                came = call.arguments.text()
                if (again or strange) and came.strip() != "{}":
                    empty.doubt = empty.doubt or came


class _MenuNames:
    """The names on the menu, and their beginnings."""

    def __init__(self, names: Iterable[str]) -> None:
        self._whole = {_plain(name) for name in names}
        self._beginnings = {n[:end] for n in self._whole for end in range(1, len(n))}

    def __bool__(self) -> bool:
        return bool(self._whole)

    def has(self, name: str) -> bool:
        """Whether a tool has this name."""
        return _plain(name) in self._whole

    def joins(self, name: str | None, piece: str, has_arguments: bool) -> bool:
        """Whether a piece goes on with a name that is not whole yet."""
        if name is None or has_arguments or self.has(name) or self.has(piece):
            return False
        return _plain(name + piece) in self._whole | self._beginnings

    def grows(self, name: str, piece: str) -> bool:
        """Whether a piece is a name once more, with what was missing of it."""
        plain, longer = _plain(name), _plain(piece)
        known = longer in self._whole or longer in self._beginnings
        return plain not in self._whole and known and longer.startswith(plain)

    def grown(self, name: str | None, piece: str, has_arguments: bool) -> str:
        """The name after one more piece; a name that is repeated stays as it is."""
        if name is None or self.grows(name, piece):
            return piece
        return name + piece if self.joins(name, piece, has_arguments) else name


@dataclass(eq=False)
class _UnfinishedCall:
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


def _with_their_orphans(calls: list[_UnfinishedCall]) -> list[_UnfinishedCall]:
    """The calls, with the arguments that found none of them.

    Some servers count the fragments by `index`, and not the calls. With one name and
    one object in all, there is no doubt.
    """
    named = [call for call in calls if call.name is not None or call.unknown]
    orphans = [call for call in calls if call.name is None and not call.unknown]
    if not named or not orphans:
        return calls
    lost = [piece for orphan in orphans for piece in orphan.arguments.pieces]
    if not lost:
        return named
    if len(named) == 1:
        whole = GrowingArguments()
        for piece in (*named[0].arguments.pieces, *lost):
            whole.add(piece)
        if is_object(whole.text()):
            named[0].arguments = whole
        else:
            named[0].doubt = "".join(whole.pieces)
        return named
    doubtful = [call for call in named if not call.has_arguments()]
    for call in doubtful:
        call.doubt = "".join(lost)
    return named if doubtful else calls


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
        return self._at(max(self._top(one, other) for one in indexes for other in ids))

    def of_index(self, index: int | None) -> _UnfinishedCall | None:
        """The last call of an index, whatever its id; of any, where none is given."""
        if index is None:
            return self.calls[-1] if self.calls else None
        return self._at(max(self._top(index, _ANY), self._top(None, _ANY)))

    def label(self, call: _UnfinishedCall, index: int | None, id: str | None) -> None:
        """Give a call the index and the id that it has not yet."""
        before = call.index, call.id
        call.index = index if call.index is None else call.index
        call.id = call.id or id
        if (call.index, call.id) != before:
            self._list(call)

    def _at(self, place: int) -> _UnfinishedCall | None:
        return self.calls[place] if place >= 0 else None

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


def join_beside(known: Body, more: Body) -> None:
    """Add what stands beside: lists are joined, of anything else the last counts."""
    for key, value in more.items():
        before = known.get(key)
        if isinstance(before, list) and isinstance(value, list):
            before.extend(value)
        elif value is not None:
            known[key] = [*value] if isinstance(value, list) else value


def _plain(name: str) -> str:
    """A name in small letters, without what models put around it."""
    return bare_name(name)[0].lower()


def _index(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:9])
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return value or None if isinstance(value, str) else None
