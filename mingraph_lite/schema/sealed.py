"""A text out of sight, until somebody asks for it by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, Protocol

__all__: Final = ["Key", "Sealed", "all_sealed"]


class Key:
    """A secret that no `repr` shows, revealed where a header is written.

    Copies are the same key, and a pickle refuses it: a file is no place for a key.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        # Held by a function, since whatever walks through attributes passes by one.
        self._text: Callable[[], str] = lambda: text

    def reveal(self) -> str:
        """The key as text: for a header, and for looking for it in other texts."""
        return self._text()

    def __repr__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.reveal() == other.reveal()

    def __hash__(self) -> int:
        return hash(self.reveal())

    def __copy__(self) -> Key:
        return self

    def __deepcopy__(self, memo: object) -> Key:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not pickled. Make the model anew where it is needed.")


class Sealed(Protocol):
    """A text that is to be shown nowhere."""

    def reveal(self) -> str:
        """The text, for looking for it in others."""
        ...


def all_sealed(given: Any) -> list[Key]:
    """What somebody hands out as secrets, each out of sight; what is none is left out.

    Who hands them out may be a model or a listener of one's own.
    """
    found: list[Key] = []
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    for each in given:
        try:
            text = each if isinstance(each, str) else each.reveal()
        except Exception:  # whatever it is, nobody can look for it in a text
            continue
        if isinstance(text, str):
            found.append(Key(text))
    return found
