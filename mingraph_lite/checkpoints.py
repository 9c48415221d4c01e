"""Where a run is kept so that it can go on.

A card becomes plain JSON, and that becomes the same card again. Lists, texts and
numbers stand as they are; each JSON object has one key, a tag that says what it was:

    {"RunningTools": {"calls": {"tuple": [{"ToolCall": {…}}]}, "step": 1, …}}
    {"dict": {"city": "Paris"}}

Why not pickle? What it reads can make it run anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from inspect import isclass
from typing import Any, Final

from mingraph_lite import errors
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.errors import MingraphError
from mingraph_lite.messages import KINDS, AssistantMessage, Extra, ToolCall
from mingraph_lite.schema.frozen import ReadOnly, ReadOnlyList
from mingraph_lite.schema.jsonable import DEEPEST

__all__: Final = ["card_from_dict", "card_to_dict"]

type _Kinds = Mapping[str, type[Any]]

_CARDS: Final = (CallingModel, RunningTools, Finished)
_RAISED: Final = tuple(filter(isclass, map(vars(errors).get, errors.__all__)))
_OURS: Final[_Kinds] = {
    kind.__name__: kind
    for kind in (*_CARDS, *KINDS, ToolCall, Extra, *_RAISED, tuple, dict)
}
_WITH_EXTRA: Final = (ToolCall, AssistantMessage)
_MOST_LEVELS: Final = 2 * DEEPEST  # the deepest arguments, and some cards around them


def card_to_dict(card: Card) -> dict[str, Any]:
    """The card as plain JSON; TypeError where it holds what JSON cannot.

    A card of one's own is a dataclass. It may hold texts, numbers, True, False, None,
    lists, tuples, dicts, calls, messages, cards, and errors of this package.
    """
    if not _is_card_class(type(card)):
        raise TypeError(
            f"{card!r} cannot be kept: a card is an object of a dataclass that has a "
            "run. Write @dataclass(frozen=True) above its class."
        )
    written: dict[str, Any] = _write(card, type(card).__name__)
    return written


def card_from_dict(saved: Mapping[str, Any], *own_cards: type[Any]) -> Card:
    """The card that was kept; `own_cards` are the classes of one's own that are in it.

    Raises ValueError for what `card_to_dict` did not write, or not of these classes.
    """
    kinds = dict(_OURS)
    for kind in own_cards:
        if not _is_card_class(kind):
            raise TypeError(
                f"card_from_dict got {kind!r} among the classes of your own cards. "
                "Each is a dataclass that has a run."
            )
        if kinds.setdefault(kind.__name__, kind) is not kind:
            raise ValueError(
                f"Two classes are named {kind.__name__}, of {kind.__module__} and of "
                f"{kinds[kind.__name__].__module__}. Give one of them another name."
            )
    if not isinstance(saved, Mapping):
        raise TypeError(
            f"card_from_dict reads a dict of card_to_dict and got {saved!r:.80}. "
            "If it is a JSON text, hand in json.loads(text)."
        )
    card = _read(dict(saved), kinds)
    if not _is_card_class(type(card)):
        raise ValueError(f"A {type(card).__name__} was kept here, which is no card.")
    made: Card = card
    return made


def _is_card_class(kind: object) -> bool:
    return isinstance(kind, type) and is_dataclass(kind) and hasattr(kind, "run")


def _write(value: Any, place: str, depth: int = 1) -> Any:
    """The value as JSON. `place` is where it stands, for whoever must be told."""
    kind = type(value)
    if kind in (str, int, bool, type(None)) or (kind is float and math.isfinite(value)):
        return value
    if depth > _MOST_LEVELS:
        raise _cannot_keep(place, f"more than {_MOST_LEVELS} levels deep")
    if kind in (list, ReadOnlyList, tuple):
        items = [_write(i, f"{place}[{at}]", depth + 1) for at, i in enumerate(value)]
        return {"tuple": items} if kind is tuple else items
    if kind in (dict, ReadOnly):
        if odd := [key for key in value if type(key) is not str]:
            raise _cannot_keep(place, f"a dict with the key {odd[0]!r}")
        named = {key: (f"{place}[{key!r}]", item) for key, item in value.items()}
        tag = "dict"
    else:
        facts = _facts(value, place)
        named = {name: (f"{place}.{name}", fact) for name, fact in facts.items()}
        tag = kind.__name__
    return {tag: {name: _write(i, at, depth + 1) for name, (at, i) in named.items()}}


def _facts(thing: Any, place: str) -> dict[str, Any]:
    """What a card, a call, a message or an error holds, by name."""
    kind = type(thing)
    ours = _OURS.get(kind.__name__)
    if ours is not kind and (ours or not _is_card_class(kind)):
        raise _cannot_keep(place, f"{thing!r:.80}")
    names = _names(kind)
    if isinstance(thing, MingraphError):
        facts = {name: getattr(thing, name) for name in names if name != "message"}
        return {"message": "".join(map(str, thing.args[:1])), **facts}
    if beside := vars(thing).keys() - names if hasattr(thing, "__dict__") else ():
        raise _cannot_keep(place, f"a card with {min(beside)!r}, which is no field")
    facts = {name: getattr(thing, name) for name in names}
    # Hardly a server wants anything back: a card without it reads as it always did.
    return {
        name: v
        for name, v in facts.items()
        if kind not in _WITH_EXTRA or name != "extra" or v is not None
    }


def _names(kind: type[Any]) -> list[str]:
    if issubclass(kind, MingraphError):
        return ["message", *vars(kind(""))]
    return [field.name for field in fields(kind)]


def _cannot_keep(place: str, what: str) -> TypeError:
    return TypeError(
        f"{place} cannot be kept: it is {what}. What a card holds can be kept where it "
        "is a text, a number, True, False, None, a list, a tuple, a dict, a call, a "
        "message, an error of this package or a dataclass card under a name of its own."
    )


def _read(saved: Any, kinds: _Kinds, depth: int = 1) -> Any:
    """The value that was written."""
    if not isinstance(saved, list | dict):
        return saved
    if depth > _MOST_LEVELS:
        raise _not_kept(f"it is more than {_MOST_LEVELS} levels deep")
    if isinstance(saved, list):
        return [_read(item, kinds, depth + 1) for item in saved]
    if len(saved) != 1:
        raise _not_kept(f"an object has the keys {[*saved]} and not one alone, its tag")
    [(tag, inside)] = saved.items()
    if tag not in kinds:
        cards = ", ".join(name for name, kind in kinds.items() if _is_card_class(kind))
        raise ValueError(
            f"{tag!r} was kept, which is not known. Known cards: {cards}. "
            f"Hand in its class: card_from_dict(saved, {tag})."
        )
    if tag == "tuple" and isinstance(inside, list):
        return tuple(_read(inside, kinds, depth))
    if tag == "tuple" or not isinstance(inside, dict):
        raise _not_kept(f"{tag!r} stands above {inside!r:.80}")
    items = {name: _read(item, kinds, depth + 1) for name, item in inside.items()}
    return items if tag == "dict" else _make(kinds[tag], items)


def _make(kind: type[Any], facts: dict[str, Any]) -> Any:
    """The card, call, message or error that holds these facts."""
    name, has = kind.__name__, _names(kind)
    if kind in _WITH_EXTRA:
        facts.setdefault("extra", None)
    if {*facts} != {*has}:
        raise ValueError(
            f"{name} was kept with {', '.join(facts) or 'nothing'}, and now has "
            f"{', '.join(has) or 'nothing'}: its class has changed since. "
            "Change what was kept, or start the run anew."
        )
    if issubclass(kind, MingraphError):
        error = kind(facts.pop("message"))
        vars(error).update(facts)
        return error
    given = {f.name: facts.pop(f.name) for f in fields(kind) if f.init}
    try:
        made = kind(**given)
    except Exception as error:
        raise ValueError(
            f"{name} was kept and cannot be made again: {error}"
        ) from error
    for field, fact in facts.items():
        object.__setattr__(made, field, fact)  # a card is frozen
    return made


def _not_kept(what: str) -> ValueError:
    return ValueError(
        f"This is no card that was kept: {what}. Hand in what card_to_dict gave."
    )
