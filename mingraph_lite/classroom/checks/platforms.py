"""A platform that a learner wrote, with listeners of whom one fails.

    wrong_platform(SafePlatform)     None, or one sentence

Why so many kinds of failure? A listener is somebody else's code and raises what it
likes; a platform that knows one kind by name falls at the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from mingraph_lite.classroom.checks.listeners import wrong_beginning
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.words import listed

__all__: Final = ["Notes", "Overheard", "Trips", "wrong_platform"]

_EVENTS: Final = [
    ("model_reply", "slips"),
    ("tool_call", "get_weather"),
    ("tool_return", 0),
    ("finish", None),
]
"""An errand that brought 0, and a run without an answer: they are told as well."""


class Overheard(RuntimeError):
    """An error of a listener's own, which nobody knows by name."""


class Notes:
    """A listener that keeps what it hears."""

    def __init__(self, order: list[object] | None = None) -> None:
        self.told: list[tuple[object, object]] = []
        self._order = order

    def hear(self, event: object, detail: object) -> None:
        """Keep it."""
        self.told.append((event, detail))
        if self._order is not None:
            self._order.append(self)


class Trips(Notes):
    """A listener that fails at some of its events."""

    def __init__(self, error: BaseException, *at: int) -> None:
        super().__init__()
        self._error, self._at = error, at

    def hear(self, event: object, detail: object) -> None:
        """Keep it, and fail where it is time."""
        super().hear(event, detail)
        if not self._at or len(self.told) in self._at:
            raise self._error


def _errors() -> list[Exception]:
    return [
        ValueError("I have tripped"),
        KeyError("tokens"),
        TypeError("unsupported operand type(s) for +: 'int' and 'str'"),
        ZeroDivisionError("division by zero"),
        Overheard("the disk is full"),
    ]


def wrong_platform(kind: Any) -> str | None:
    """What is wrong with a platform on which one listener may fail."""
    return (
        _wrong_lost_at_first(kind)
        or _wrong_calm(kind)
        or next(filter(None, (_wrong_trip(kind, error) for error in _errors())), None)
        or _wrong_always(kind)
        or _wrong_ctrl_c(kind)
    )


def _say(platform: Any, events: Sequence[tuple[object, object]]) -> None:
    for event, detail in events:
        platform.announce(event, detail)


def _wrong_lost_at_first(kind: Any) -> str | None:
    def loses(platform: Any) -> None:
        with suppress(Exception):  # that it comes out is found out later
            platform.announce(*_EVENTS[0])

    two = kind(Trips(ValueError("I have tripped"))), kind()
    return wrong_beginning(two, "platforms", "lost", loses)


def _wrong_calm(kind: Any) -> str | None:
    order: list[object] = []
    first, second = Notes(order), Notes(order)
    platform = kind(first, second)
    _say(kind(), _EVENTS)
    _say(platform, _EVENTS)
    if not first.told and not second.told and platform.lost:
        return (
            "Nobody hears anything, and all of it counts as lost: hear takes the event "
            "and the detail."
        )
    for place, one in (("first", first), ("second", second)):
        if not one.told:
            return f"With two listeners, the {place} hears nothing."
        for event, detail in _EVENTS:
            if event not in [heard for heard, _ in one.told] and len(one.told) < 4:
                return (
                    f"Nobody hears {event!r} where its detail is {detail!r}: it is "
                    "told, whatever the detail."
                )
        if one.told != _EVENTS:
            return (
                f"After {len(_EVENTS)} announcements the {place} of two listeners has "
                f"heard {listed(str(event) for event, _ in one.told)}."
            )
    if order[:2] != [first, second]:
        return "The listeners hear it in another order than they stand."
    if platform.lost != 0:
        return f"Nobody failed, and lost is {platform.lost!r}."
    return None


def _wrong_trip(kind: Any, error: Exception) -> str | None:
    name = type(error).__name__
    before, trips, behind = Notes(), Trips(error, 3), Notes()
    platform = kind(before, trips, behind)
    try:
        _say(platform, _EVENTS)
    except Exception as raised:
        if raised is error and platform.lost:
            return "It counts what was lost, and raises all the same."
        if raised is error and isinstance(error, ValueError):
            return (
                f"{STILL_THE_STUB}, or does what it did: a listener raises "
                f"{name}, and it goes on into the loop."
            )
        if raised is error:
            return f"A listener raises {name}, and it goes on into the loop."
        if isinstance(raised, NameError | AttributeError):
            raise
        return (
            f"A listener raises {name}, and the loop gets {type(raised).__name__}: "
            f"{raised}."
        )
    if len(behind.told) < len(_EVENTS):
        return (
            f"One listener fails at its third event, and the one behind it has heard "
            f"{len(behind.told)} of {len(_EVENTS)}. After a failure the for goes on "
            "with the next listener."
        )
    if len(trips.told) < len(_EVENTS):
        return (
            f"The listener that failed once has heard {len(trips.told)} of "
            f"{len(_EVENTS)}. It stays on the platform, and hears the rest."
        )
    for one in (before, trips, behind):
        if one.told != _EVENTS:
            return (
                f"Of {len(_EVENTS)} announcements a listener has heard "
                f"{len(one.told)}: each is said once."
            )
    return _wrong_lost(platform, 1)


def _wrong_lost(platform: Any, failed: int) -> str | None:
    if platform.lost == failed:
        return None
    times = "once" if failed == 1 else f"{failed} times"
    return (
        f"A listener failed {times}, and lost is {platform.lost!r}: "
        "count each announcement that was lost."
    )


def _wrong_always(kind: Any) -> str | None:
    """Two that fail each time: neither is tried again, and each loss is counted."""
    broken = Trips(KeyError("x")), Trips(ValueError("y"))
    behind = Notes()
    platform = kind(*broken, behind)
    _say(platform, _EVENTS)
    for one in (*broken, behind):
        if one.told != _EVENTS:
            return (
                f"With listeners that fail each time, one has heard {len(one.told)} "
                f"events of {len(_EVENTS)}: each is said once, to each."
            )
    return _wrong_lost(platform, 2 * len(_EVENTS))


def _wrong_ctrl_c(kind: Any) -> str | None:
    stopped = KeyboardInterrupt()
    try:
        _say(kind(Trips(stopped, 2)), _EVENTS)
    except KeyboardInterrupt:
        return None
    return (
        "Somebody stops the run while a listener hears (Ctrl-C raises "
        "KeyboardInterrupt), and it goes on. Catch Exception: it leaves that one alone."
    )
