"""Wrong kinds are refused where they are handed in, in one sentence.

Later is too late: a class handed in for an object fails rounds away from the line that
has to be changed.
"""

from __future__ import annotations

from typing import Any, Final

__all__: Final = ["in_words", "kind_of", "must_be", "must_be_called", "must_offer"]


def in_words(value: object) -> str:
    """What somebody handed in, short and the same in every run."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if value is None or isinstance(value, str | int | float):
        text = repr(value)
        return text if len(text) <= 60 else f"{text[:59]}…"
    name = getattr(value, "__name__", None)
    kind = type(value).__name__
    if callable(value) and isinstance(name, str):
        return f"the {kind.replace('_or_method', '')} {name}"
    if isinstance(value, list | dict | tuple) and not value:
        return f"an empty {kind}"
    return kind_of(value)


def kind_of(value: object) -> str:
    """What kind of thing it is, with its article: a list, an int."""
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'AEIOUaeiou' else 'a'} {kind}"


def must_offer(value: object, what: str, names: str, advice: str) -> None:
    """Refuse a value without these attributes; raises TypeError with the advice."""
    missing = [name for name in names.split() if not _offers(value, name)]
    if isinstance(value, type):
        got = f"{in_words(value)}, and an object of it is needed: {value.__name__}(…)"
        raise TypeError(f"{what} is {got}.")
    if missing:
        lacks = " and no ".join(missing)
        raise TypeError(f"{what} is {in_words(value)}, which has no {lacks}. {advice}")


def _offers(value: object, name: str) -> bool:
    try:
        return hasattr(value, name)
    except Exception:  # somebody's __getattr__ fails: later, where it is used
        return True


def must_be(value: object, kind: Any, what: str, advice: str) -> None:
    """Refuse a value of another kind; raises TypeError with the advice.

    True is a number for Python and none here.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{what} is {in_words(value)}. {advice}")


def must_be_called(value: object, what: str, advice: str) -> None:
    """Refuse what cannot be called; raises TypeError with the advice."""
    if not callable(value):
        raise TypeError(f"{what} is {in_words(value)}. {advice}")
