"""Where a thing stands among others, and what was read out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final

__all__: Final = ["Places", "ReadOut", "Span"]

type Span = list[Any]
"""Things in a row: which kind, the first place, the place behind the last."""


class Places:
    """Things in their order, and where each stands.

    `key` gives what equal things share, and None for one that is equal to none.
    """

    def __init__(self, key: Callable[[object], object]) -> None:
        self._key = key
        self._kept: list[object] = []  # an object that is gone leaves its id to others
        # Hardly a message stands twice: a list for each would be most of the memory.
        self._by_object: dict[int, int] = {}
        self._again: dict[int, list[int]] = {}
        self._by_value: dict[object, int] = {}
        self._looked_at = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, thing: object) -> int:
        """Know one more; the place where it stands."""
        place = len(self._kept)
        self._kept.append(thing)
        if (first := self._by_object.setdefault(id(thing), place)) != place:
            self._again.setdefault(id(thing), [first]).append(place)
        return place

    def of_object(self, thing: object, after: int) -> int | None:
        """Where this very thing stands; of several places the next one."""
        if (places := self._again.get(id(thing))) is None:
            return self._by_object.get(id(thing))
        return places[min(bisect_right(places, after - 1), len(places) - 1)]

    def of_equal(self, thing: object) -> int | None:
        """The first place of one that is equal."""
        for place in range(self._looked_at, len(self._kept)):
            if (kept := self._key(self._kept[place])) is not None:
                self._by_value.setdefault(kept, place)
        self._looked_at = len(self._kept)
        found = self._key(thing)
        return None if found is None else self._by_value.get(found)


class ReadOut:
    """What is read out, as spans of where it stands.

    What stands nowhere is an aside, and stands among the asides from then on. `first`
    is what stands at the first place of the folder, where it is read out first, even
    as another object.
    """

    def __init__(self, key: Callable[[object], object]) -> None:
        self.folder = Places(key)
        self.first: object = None
        self.last: Sequence[Any] = ()
        self._asides = Places(key)
        self._spans: list[Span] = []

    def of(self, things: Sequence[Any], goes_on: bool) -> tuple[list[Span], list[Any]]:
        """The spans, and what of it is new; `goes_on` is whether `last` grew to it."""
        spans = [span.copy() for span in self._spans] if goes_on else []
        past = len(self.last) if goes_on else 0
        news: list[Any] = []
        for place, thing in enumerate(things[past:], past):
            of, where, is_new = self._where(thing, place, spans)
            if is_new:
                news.append(thing)
            if spans and spans[-1][0] == of and spans[-1][2] == where:
                spans[-1][2] += 1
            else:
                spans.append([of, where, where + 1])
        self.last, self._spans = things, spans
        return spans, news

    def _where(
        self, thing: object, place: int, spans: list[Span]
    ) -> tuple[str, int, bool]:
        if place == 0 and self.first is not None and thing == self.first:
            return "folder", 0, False
        before: Span = spans[-1] if spans else ["", 0, 0]
        for of, side in (("folder", self.folder), ("asides", self._asides)):
            after = before[2] if before[0] == of else 0
            if (where := side.of_object(thing, after)) is not None:
                return of, where, False
        # A memory may hand out copies: a copy of a line is none of its own.
        for of, side in (("copies", self.folder), ("asides", self._asides)):
            if (where := side.of_equal(thing)) is not None:
                return of, where, False
        return "asides", self._asides.add(thing), True
