"""What listeners failed to hear, counted and told without its secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mingraph_lite.errors import ListenerFailed
from mingraph_lite.schema.in_short import brief, shown
from mingraph_lite.schema.masking import Mask

__all__: Final = ["Failures", "is_strict", "log"]

_LOGGER: Final = "mingraph_lite.observers"
_LONGEST: Final = 1000  # a path stands in it, and is whole
_LOST: Final = "What it hears is lost as long as that is so; it is told once in a run."


class Failures:
    """How often each listener failed, at which moments, and how."""

    def __init__(self, listeners: Sequence[object], mask: Mask) -> None:
        self._listeners = listeners
        self._mask = mask
        self._counts: dict[tuple[int, str, str], int] = {}

    def add(
        self, listener: object, moment: str, error: Exception, said: object = None
    ) -> ListenerFailed | None:
        """Count one, tell the first of its kind; the error of a strict listener.

        `said` is what the listener could not hear: its error may well quote it.
        """
        places = range(len(self._listeners))
        place = next(n for n in places if self._listeners[n] is listener)
        file, what = _told_of(error)
        # A file that cannot be written is one failure, whatever the moment.
        kind = (place, file or moment, type(error).__name__)
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count == 1:
            self._learn_from(said)
        name, said_of_it = type(listener).__name__, self._mask.masked(what)
        text = f"{self._mask.masked(name)} failed on {moment}: {said_of_it}"
        if count == 1:
            log(f"{text}. {_LOST}" if file else text, self._mask, error)
        if not is_strict(listener):
            return None
        failed = ListenerFailed(
            f"{text}. It is strict, so the run ends with it. Mend the listener, or "
            "allow it to miss something with strict=False."
        )
        # A traceback shows the cause, and what it says.
        failed.__cause__ = None if _tells_a_secret(error, self._mask) else error
        return failed

    def _learn_from(self, said: object) -> None:
        try:
            told = self._mask.masked_and_told(repr(said))[1]
        except Exception:  # what cannot be shown is quoted by nobody
            return
        self._mask.learn(told)

    def lost(self) -> dict[str, int]:
        """How many announcements each listener has missed."""
        lost: dict[str, int] = {}
        for (place, _, _), count in self._counts.items():
            name = self._name(place)
            lost[name] = lost.get(name, 0) + count
        return lost

    def sum_up(self) -> None:
        """Say in the log how often what was warned of once has happened."""
        for place in range(len(self._listeners)):
            counts = {
                f"{moment} ({kind})": count
                for (where, moment, kind), count in self._counts.items()
                if where == place
            }
            if any(count > 1 for count in counts.values()):
                each = ", ".join(f"{count} x {what}" for what, count in counts.items())
                times = sum(counts.values())
                each = self._mask.masked(each)  # a path may stand in it
                log(f"{self._name(place)} failed {times} times: {each}", self._mask)
        self._counts.clear()

    def _name(self, place: int) -> str:
        """A listener by the name of its class; the second of a class is numbered."""
        kinds = [type(listener).__name__ for listener in self._listeners[: place + 1]]
        count = kinds.count(kinds[-1])
        return self._mask.masked(kinds[-1] if count == 1 else f"{kinds[-1]} {count}")


def _told_of(error: Exception) -> tuple[str, str]:
    """The file that an error is of, or nothing, and what the error says."""
    try:
        if isinstance(error, OSError) and error.filename is not None:
            return repr(error.filename), brief(str(error), _LONGEST)
    except Exception:  # to be looked at is somebody else's code too
        return "", shown(error)
    return "", shown(error)


def is_strict(listener: object) -> bool:
    """Whether a listener must not miss anything."""
    try:
        return getattr(listener, "strict", False) is True
    except Exception:  # to be looked at is a listener's own code too
        return False


def log(text: str, mask: Mask, error: Exception | None = None) -> None:
    """Warn in the log, of an error too; where that tells a secret, what is left of it.

    The text is masked by whoever knows which part of it is somebody else's.
    """
    import logging  # takes long to load, for what seldom happens

    if error is not None and _tells_a_secret(error, mask):
        text, error = f"{text}\n{mask.masked(_traceback(error))}", None
    logging.getLogger(_LOGGER).warning("%s", text, exc_info=error)


def _tells_a_secret(error: Exception, mask: Mask) -> bool:
    told = _traceback(error)
    return mask.masked(told) != told


def _traceback(error: Exception) -> str:
    import traceback  # as seldom

    return "".join(traceback.format_exception(error))
