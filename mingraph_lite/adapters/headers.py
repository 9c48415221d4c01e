"""The headers of a request, of which only names are shown."""

from __future__ import annotations

import re
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Final

from mingraph_lite.adapters.keys import Key, sealed
from mingraph_lite.schema.told_secrets import password_in, without_scheme

__all__: Final = ["Headers", "checked_headers", "sealed_headers", "secrets_in"]

_PLAIN_HEADERS: Final = {
    "accept",
    "anthropic-version",
    "content-type",
    "http-referer",
    "openai-beta",
    "referer",
    "user-agent",
    "x-title",
}
"""Their values are known to everybody, and are not looked for in a server's words."""


class Headers:
    """The headers of a request; `repr` shows their names only.

    Read like a dict, and made one by `dict(…)` where the request is written. Why is it
    no Mapping? What shows or stores a mapping shows its values.
    """

    __slots__ = ("_held",)

    def __init__(self, held: Mapping[str, str | Key]) -> None:
        self._held: dict[str, Key] = {
            name: value if isinstance(value, Key) else Key(value)
            for name, value in held.items()
        }

    def __repr__(self) -> str:
        return repr(self._held)

    def __copy__(self) -> Headers:
        return self

    def __deepcopy__(self, memo: object) -> Headers:
        return self

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __getitem__(self, name: str) -> str:
        return self._held[name].reveal()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Headers | Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def get[T](self, name: str, default: T = None) -> str | T:  # type: ignore[assignment]
        """The value of a header, or the default."""
        found = self._held.get(name)
        return default if found is None else found.reveal()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._held.keys()

    def values(self) -> ValuesView[str]:
        """The values, which may be secret."""
        return {name: self[name] for name in self}.values()

    def items(self) -> ItemsView[str, str]:
        """Names and values, which may be secret."""
        return {name: self[name] for name in self}.items()


def sealed_headers(given: object) -> dict[str, Key | None] | str:
    """Additional headers, their values out of sight; raises nothing.

    Of what is no mapping, only its kind is left, for the error.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return type(given).__name__
    return {name: sealed(value) for name, value in given.items()}


def checked_headers(held: Mapping[str, Key | None] | str) -> dict[str, Key | None]:
    """Headers that can be sent; ValueError for a name or a value that none can have."""
    if isinstance(held, str):
        raise TypeError(
            f"headers= is of the kind {held}. It is a dict of names and values, such "
            'as {"X-Title": "lessons"}.'
        )
    for name, key in held.items():
        if not (isinstance(name, str) and re.fullmatch(r"[!#$%&'*+.^_`|~\w-]+", name)):
            raise ValueError(f"headers= has {name!r}, which is no name of a header.")
        if key and not _is_header_value(key):
            raise ValueError(
                f"headers= has a value for {name!r} that no header can carry: it is "
                "one line of plain text."
            )
    return dict(held)


def _is_header_value(key: Key) -> bool:
    return key.reveal().isprintable() and key.reveal().isascii()


def secrets_in(name: str, key: Key) -> list[str]:
    """What of a header must be shown nowhere."""
    if name.lower() in _PLAIN_HEADERS:
        return []
    secret = without_scheme(key.reveal())
    return [secret, *filter(None, [password_in(secret)])]
