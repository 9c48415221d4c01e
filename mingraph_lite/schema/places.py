"""Where a thing stands among others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Final

__all__: Final = ["Places"]


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
