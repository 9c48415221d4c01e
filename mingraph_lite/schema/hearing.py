"""How an announcement finds the method of its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final

__all__: Final = ["misspelt", "taken_by"]

_PREFIX: Final = "on_"


def taken_by(
    moment: Callable[..., object], payload: Mapping[str, object]
) -> Mapping[str, object]:
    """What of a payload a method takes."""
    function = getattr(moment, "__func__", moment)
    try:
        keywords = _keywords(function)
    except TypeError:  # an object that can be called and cannot be hashed
        keywords = _keywords.__wrapped__(function)
    if keywords is None or payload.keys() <= keywords:
        return payload
    return {name: value for name, value in payload.items() if name in keywords}


@lru_cache(maxsize=512)
def _keywords(function: Callable[..., object]) -> frozenset[str] | None:
    """The keywords a function takes; None is any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY)


def misspelt(listener: type, base: type) -> list[tuple[str, str]]:
    """Methods that hear nothing for a slip of the pen, each with what is meant.

    Only what is nearly the name of a known moment: any other may be an announcement of
    one's own, or one of a newer version. A class with both knows the right name, and
    means another with the wrong one; one that overrides `on_event` hears everything.
    """
    if getattr(listener, "on_event", None) is not getattr(base, "on_event", None):
        return []
    known = [name for name in vars(base) if name.startswith(_PREFIX)]
    own = [
        name
        for name in dir(listener)
        if name.startswith(_PREFIX)
        and not hasattr(base, name)
        and callable(getattr(listener, name))
    ]
    return [
        (name, meant)
        for name in own
        if (meant := _nearest(name, known)) is not None
        and not any(
            {name, meant} <= vars(made_of).keys() for made_of in listener.__mro__
        )
    ]


def _nearest(name: str, known: Iterable[str]) -> str | None:
    return next((right for right in known if _is_nearly(name, right)), None)


def _is_nearly(name: str, right: str) -> bool:
    """Whether each word is right but for one letter, or has an ending too many."""
    if name.replace("_", "").lower() == right.replace("_", ""):
        return True
    words, rights = name.split("_"), right.split("_")
    return len(words) == len(rights) and all(map(_is_one_slip, words, rights))


def _is_one_slip(word: str, right: str) -> bool:
    if word.startswith(right) and len(word) <= len(right) + 2:  # calls, returned
        return True
    pairs = zip(word, right, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
    if at is None:
        return abs(len(word) - len(right)) <= 1
    swapped = word[at : at + 2] == right[at : at + 2][::-1]
    return (
        word[at + 1 :] == right[at + 1 :]  # another letter
        or word[at + 1 :] == right[at:]  # one too many
        or word[at:] == right[at + 1 :]  # one too few
        or (swapped and word[at + 2 :] == right[at + 2 :])
    )
