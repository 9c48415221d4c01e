"""Cards of one's own: laid before others, and gone on from.

The loop takes the card that it is given. A card that nobody of ours hands out can stand
before one that we do: it holds that card, and hands it back, or another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeGuard, get_args

from mingraph_lite.cards import Card, Finished
from mingraph_lite.memory import Memory
from mingraph_lite.messages import ToolCall, open_slips
from mingraph_lite.schema.handed_in import in_words, must_be_called

__all__: Final = [
    "Before",
    "CardKind",
    "are_slips",
    "check_before",
    "check_that_it_fits",
    "fields_of",
    "is_card",
    "kind_of",
    "laid_before",
    "step_of",
]

type CardKind = Literal["calling", "running", "finished", "stopped", "human", "other"]
"""Which of the situations that are drawn a card is."""

_KINDS: Final[tuple[CardKind, ...]] = get_args(CardKind.__value__)
_OURS: Final = {"CallingModel": "calling", "RunningTools": "running"}

type Before = Mapping[type[Card], Callable[[Any], Card]]
"""Which card is laid before which: `{RunningTools: AskingHuman}`."""


def is_card(value: object) -> bool:
    """Whether it can be played: a class has a run too, and is no card until called."""
    return hasattr(value, "run") and not isinstance(value, type)


def laid_before(card: Card, came_from: Card | None, before: Before) -> Card:
    """The card to play first: one that is laid before this one, or this one.

    A card that was laid before another hands that one back, and is not laid again. A
    laid card may have one laid before it, too, each kind once.
    """
    open_kinds = [kind for kind in before if isinstance(kind, type)]
    while kinds := [k for k in type(card).__mro__ if k in open_kinds]:
        open_kinds.remove(kinds[0])
        laid = before[kinds[0]](card)
        if not is_card(laid):
            raise TypeError(
                f"before[{kinds[0].__name__}] gave {in_words(laid)}, which is no card. "
                "Hand in a card class that takes the card it stands before."
            )
        if type(laid) is type(came_from):
            return card
        card = laid
    return card


def _and_held(card: object) -> Iterator[object]:
    """A card, and the cards it was laid before."""
    while card is not None:
        yield card
        own = getattr(card, "__dict__", {})
        names = [f.name for f in fields(card)] if is_dataclass(card) else own
        held = (getattr(card, name, None) for name in names)
        card = next((value for value in held if isinstance(value, Card)), None)


def step_of(card: object) -> int | None:
    """The round a card falls in; that of the card it holds where it says none."""
    for one in _and_held(card):
        if isinstance(step := getattr(one, "step", None), int):
            return step
    return None


def kind_of(card: Card) -> CardKind:
    """Which of the views' shapes fits: a card may say so itself with `kind`."""
    if isinstance(card, Finished):
        return "stopped" if card.answer is None else "finished"
    made_of: type = type(card)
    said = getattr(card, "kind", None) or _kind_of_ours(made_of)
    return next((kind for kind in _KINDS if kind == said), "other")


@lru_cache(maxsize=256)
def _kind_of_ours(card: type) -> str | None:
    """The kind of the card of ours that a class is made of, looked up once."""
    ours = (_OURS.get(kind.__name__) for kind in card.__mro__)
    return next(filter(None, ours), None)


def are_slips(value: object) -> TypeGuard[tuple[ToolCall, ...]]:
    """Whether a value is a tuple of tool calls."""
    return isinstance(value, tuple) and all(isinstance(v, ToolCall) for v in value)


def fields_of(card: object) -> list[tuple[str, object]]:
    """What a card holds, by name; a card read from a trace has it told."""
    if isinstance(told := getattr(card, "told_fields", None), Mapping):
        return list(told.items())
    if not is_dataclass(card) or isinstance(card, type):
        held = getattr(card, "__dict__", {})
        return [(name, value) for name, value in held.items() if name != "because"]
    return [(name, getattr(card, name)) for name in _printed(type(card))]


@lru_cache(maxsize=256)
def _printed(card: type[Any]) -> list[str]:
    """The fields that a card prints; its `because` is none of them."""
    return [field.name for field in fields(card) if field.repr]


def check_that_it_fits(card: object, memory: Memory) -> None:
    """Refuse to go on from a card with another folder than it was paused with."""
    advice = (
        "Go on with the folder that was saved with it: memory=KeepAll(messages). A "
        "memory that saves itself needs agent.pause() where the run is left."
    )
    name = type(card).__name__
    if not memory.folder:
        raise ValueError(f"The folder is empty, so {name} cannot go on. {advice}")
    unanswered = {(call.id, call.name) for call in open_slips(memory.folder)}
    for one in _and_held(card):
        for call in getattr(one, "calls", ()):
            if isinstance(call, ToolCall) and (call.id, call.name) not in unanswered:
                raise ValueError(
                    f"{name} holds the slip {call.id!r}, which is not open in the "
                    f"folder, so it cannot go on. {advice}"
                )


def check_before(before: object) -> None:
    """Refuse what does not say which card is laid before which; raises TypeError."""
    if not isinstance(before, Mapping):
        raise TypeError(
            f"before is {in_words(before)}. It says which card is laid before which: "
            "before={RunningTools: AskingHuman}."
        )
    for kind, lay in before.items():
        if not (isinstance(kind, type) and issubclass(kind, Card)):
            raise TypeError(
                f"before has the key {in_words(kind)}, which is no card class. "
                "Write before={RunningTools: AskingHuman}."
            )
        must_be_called(
            lay,
            f"before[{kind.__name__}]",
            "Hand in a card class; a second one is laid before the first, as in "
            "{RunningTools: Asking, Asking: Logging}.",
        )
