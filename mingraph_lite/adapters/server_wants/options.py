"""The options of a model, checked for their kind."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body

__all__: Final = [
    "checked_extra",
    "checked_flag",
    "checked_options",
    "checked_place",
    "put_in",
    "set_by_caller",
]

_KINDS: Final = {
    "temperature": (float, "a number", 0.7),
    "max_tokens": (int, "a whole number above 0", 500),
    "seed": (int, "a whole number", 7),
    "reasoning_effort": (str, "a text", "low"),
}


def checked_options(**options: object) -> Body:
    """The options that were given; TypeError or ValueError for one of a wrong kind."""
    for name, value in options.items():
        kind, words, example = _KINDS[name]
        if value is not None and not _is_a(kind, value):
            raise TypeError(
                f"{name} is {value!r:.80}. It is {words}, such as {example!r}, or None "
                "where the server is to decide."
            )
    if isinstance(most := options.get("max_tokens"), int) and most < 1:
        raise ValueError(f"max_tokens is {most}. It is a whole number above 0.")
    return {name: value for name, value in options.items() if value is not None}


def checked_extra(extra: Any, name: str = "extra") -> Body:
    """What else is sent, by name."""
    if extra is None:
        return {}
    if not isinstance(extra, Mapping) or not all(isinstance(k, str) for k in extra):
        raise TypeError(
            f"{name} is {extra!r:.80}. It is a dict of fields and their values, "
            'such as {"top_p": 0.9}.'
        )
    return dict(extra)


def checked_flag(name: str, value: object) -> bool:
    """True or False as it was given; TypeError for anything else."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r:.80}. It is True or False.")
    return value


def checked_place(model: str, timeout: float | None) -> None:
    """Refuse a name that is none, and a time-out that no wait can have."""
    if not isinstance(model, str):
        raise TypeError(
            f"The model is {model!r:.80}. It is its name, as the server lists it."
        )
    if timeout is None:
        return
    if not _is_a(float, timeout):
        raise TypeError(
            f"timeout is {timeout!r:.80}. It is a number of seconds, such as 30, or "
            "None where the address is to decide."
        )
    if timeout <= 0:
        raise ValueError(f"timeout is {timeout!r}. It is a number of seconds above 0.")


def put_in(body: Mapping[str, Any], extra: Mapping[str, Any]) -> Body:
    """The body with more fields; None leaves one out."""
    return {
        name: value
        for name, value in {**body, **extra}.items()
        if not (name in extra and value is None)
    }


def set_by_caller(
    options: Mapping[str, Any], extra: Mapping[str, Any] | None, name: str = "extra"
) -> dict[str, str]:
    """The fields that the caller set, each with the words that set it."""
    by_name = {option: f"{option}=" for option in options}
    more = {
        k: f'{name}={{"{k}": …}}' for k, v in (extra or {}).items() if v is not None
    }
    return {**by_name, **more}


def _is_a(kind: type, value: object) -> bool:
    if isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, int | float) and isfinite(value)
    return isinstance(value, kind)
