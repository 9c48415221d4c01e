"""A run in a list of runs, from its lines."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeGuard

from mingraph_lite.schema.gaps import Gaps

__all__: Final = ["Listing", "Outcome", "RunSummary", "what_is_odd"]

type Outcome = Literal["answered", "degraded", "stopped", "failed", "incomplete"]
"""How a run came out: "incomplete" is one without an end."""


@dataclass(frozen=True)
class RunSummary:
    """One run in a list of runs.

    `reason` is how it came out: "incomplete" is a run without an end. `finish` is the
    end as it was announced, such as "step limit". `tokens` are those read and written
    together, as far as they were counted; None is unknown.
    """

    id: str
    question: str | None
    model: str | None
    started: str | None
    reason: Outcome
    finish: str | None
    answer: str | None
    rounds: int
    tokens: int | None


_HEAD: Final = (
    ("run", str),
    ("seq", int),
    ("step", int),
    ("event", str),
    ("ms", int | float),
)


_LARGEST: Final = 2**53
"""Whole numbers beyond are none to whoever counts in floats."""


def what_is_odd(line: Mapping[str, Any]) -> str | None:
    """Why an object is no line of a trace."""
    for key, kind in _HEAD:
        value = line.get(key)
        if not isinstance(value, kind) or not _is_plain(value):
            what = "is missing" if key not in line else f"is {value!r:.60}"
            return f"is no line of a trace: its {key!r} {what}"
    return None


def _is_plain(value: object) -> bool:
    """No truth value, and no number that others cannot count on with."""
    if isinstance(value, int | float):
        return type(value) is not bool and abs(value) <= _LARGEST
    return True


@dataclass(slots=True)
class Listing:
    """What is known of a run while its file is read.

    `offsets` are where its lines begin in the file, `places` which object of the line
    is meant, should several be welded together. `seq`, `ms` and `number`, the line in
    the file, are how far it has come; `gaps` is where a seq is left out or goes back.
    """

    name: str
    id: str
    first: Mapping[str, Any] = field(default_factory=dict)
    last: Mapping[str, Any] | None = None
    reply: tuple[int, object] = (0, None)
    rounds: int = 0
    tokens: int | None = None
    seq: int = 0
    ms: float = 0
    number: int = 0
    gaps: Gaps | None = None
    lost: int = 0
    offsets: array[int] = field(default_factory=lambda: array("q"))
    places: array[int] = field(default_factory=lambda: array("I"))

    def add(
        self, line: Mapping[str, Any], number: int, offset: int, place: int
    ) -> None:
        """Know one more line of the run."""
        self.offsets.append(offset)
        self.places.append(place)
        seq = line["seq"]
        if seq != self.seq + 1:
            self.gaps = self.gaps or Gaps()
            self.gaps.add(self.seq, self.number, seq, number)
        self.seq, self.ms, self.number = seq, line["ms"], number
        match line["event"]:
            case "run_start":
                model = line.get("model")
                about = model if _is_dict(model) else {}
                name = about.get("name") or about.get("adapter")
                settings = line.get("settings")
                prompt = settings.get("system_prompt") if _is_dict(settings) else None
                same = _is_dict(line.get("question"))  # as long as it, and the same
                self.first = {
                    "question": _text(prompt if same else line.get("question")),
                    "model": _text(name),
                    "started": _text(line.get("started")),
                }
            case "step_start":
                self.rounds += 1
            case "model_reply":
                self.reply = line["seq"], line.get("content")
                for key in ("input_tokens", "output_tokens"):
                    count = line.get(key)
                    if type(count) is int and 0 <= count <= _LARGEST:
                        self.tokens = (self.tokens or 0) + count
            case "finish":
                answer = line.get("answer")
                if answer == {"line": self.reply[0], "at": "content"}:
                    answer = self.reply[1]  # a long text is said once
                self.lost = _most_lost(line.get("lost"))
                self.last = {
                    "finish": _text(line.get("reason")),
                    "answer": _text(answer),
                    "has_answer": answer is not None,
                }

    def summary(self) -> dict[str, Any]:
        """The fields of its RunSummary."""
        last = self.last or {}
        return {
            "id": self.name,
            "question": self.first.get("question"),
            "model": self.first.get("model"),
            "started": self.first.get("started"),
            "reason": self._outcome(),
            "finish": last.get("finish"),
            "answer": last.get("answer"),
            "rounds": self.rounds,
            "tokens": self.tokens,
        }

    def _outcome(self) -> Outcome:
        if self.last is None:
            return "incomplete"
        return _OUTCOMES.get(
            self.last["finish"], "answered" if self.last["has_answer"] else "stopped"
        )


_OUTCOMES: Final[Mapping[str, Outcome]] = {
    "degraded": "degraded",
    "failed": "failed",
    "refused": "failed",
}
"""What else ends without an answer was stopped: at a limit, or by somebody."""


def _most_lost(lost: object) -> int:
    """How much the listener has missed that missed most: who wrote is not said."""
    counts = lost.values() if _is_dict(lost) else ()
    return max((count for count in counts if type(count) is int), default=0)


def _is_dict(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
