"""Tool calls that come in fragments: put together, or doubted.

Fragments say which call they belong to by `index`, by `id`, by both or by neither, as
each server likes. The rules, in this order:

- A fragment with a whole name of the menu begins a call, unless it repeats the name of
  a call with its id, or of one without an id whose arguments are not whole yet.
- A fragment without a name goes on with the call of its id, else with that of its
  index, whatever its id, else with the last one.
- Halves of a name are joined where the whole is on the menu and neither half is.
- Arguments are put together by `growing_arguments`. Where a name came again with each
  piece, those are one call that are whole only together.

Why not run what is nearest? A call that lost its arguments would run on defaults that
nobody chose: where something was sent that fits no call, the call is answered with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from mingraph_lite.adapters.growing_arguments import GrowingArguments, is_object
from mingraph_lite.adapters.server_wants.beside import SIGNATURE_KEYS
from mingraph_lite.adapters.strict_json import Body, DoubledKey, as_object
from mingraph_lite.adapters.tool_calls import unknown_keys
from mingraph_lite.adapters.unfinished_calls import UnfinishedCall, UnfinishedCalls
from mingraph_lite.schema.tool_names import bare_name

__all__: Final = ["Fragments", "join_beside"]

_OF_A_CALL: Final = {"index", "id", "type", "function"}
_BESIDE_ALONE: Final = {"index", "id", "type", *SIGNATURE_KEYS}


class Fragments:
    """The calls of one reply while their fragments come in."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._menu = _MenuNames(names)
        self._calls = UnfinishedCalls()

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
        calls = _with_repeated_names(_with_their_orphans(calls))
        self._doubt_the_empty_ones(calls)
        return [call.as_sent() for call in calls]

    def _call_for(
        self, index: int | None, id: str | None, name: str | None
    ) -> UnfinishedCall:
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

    def _doubt_the_empty_ones(self, calls: list[UnfinishedCall]) -> None:
        """Doubt a call without arguments where the next one may be the rest of it.

        The next one of its index, that is, if it brings arguments and names the same
        tool again, or none that is on the menu.
        """
        before: dict[int | None, UnfinishedCall] = {}
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


def _with_repeated_names(calls: list[UnfinishedCall]) -> list[UnfinishedCall]:
    """The calls, those made one whose name was repeated with each piece.

    Beyond doubt are calls of one name and one index in a row, all of them pieces of one
    object, and none of them whole by itself.
    """
    told: list[UnfinishedCall] = []
    for _, group in groupby(calls, key=lambda call: (call.index, call.name)):
        first, *others = group
        whole = _whole_only_together([first, *others]) if others else None
        if whole is None:
            told.extend([first, *others])
        else:
            first.arguments = whole
            told.append(first)
    return told


def _whole_only_together(calls: list[UnfinishedCall]) -> GrowingArguments | None:
    """The arguments that these say together; None where one says something alone."""
    together = GrowingArguments()
    for call in calls:
        if call.unknown or (call.has_arguments() and call.arguments.is_whole()):
            return None
        if not call.has_arguments() and call is not calls[0]:
            return None
        for piece in call.arguments.pieces:
            together.add(piece)
    return together if is_object(together.text()) else None


def _with_their_orphans(calls: list[UnfinishedCall]) -> list[UnfinishedCall]:
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
