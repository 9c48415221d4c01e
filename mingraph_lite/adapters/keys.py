"""Keys: cleaned when given, shown by nothing, hidden in other texts.

A key is text for one moment only, when a header is written. Everywhere else it is a
`Key`, because a notebook may show any variable of any frame: `%xmode Verbose` does.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    ValuesView,
)
from typing import Any, Final, NoReturn
from urllib.parse import quote, quote_plus

__all__: Final = [
    "Headers",
    "Key",
    "checked_headers",
    "checked_key",
    "hidden",
    "hidden_in",
    "sealed",
    "sealed_headers",
    "secrets_in",
]

_PIECE: Final = 6
"""So many characters in a row of a key are shown nowhere.

A shorter key, such as "x" or "none", is given where none is needed: it is no secret.
"""

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

_AROUND: Final = " \t\n\r\f\v\u00a0\u200b\u2028\u2029\ufeff"
_QUOTES: Final = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb"
_IN_FRONT: Final = re.compile(
    r"(?:export\s+|set\s+|\$env:)?[A-Za-z][A-Za-z0-9_]*(?:KEY|TOKEN)\s*=(?!=)"
    r"|authorization\s*:|bearer(?=\s)",
    re.IGNORECASE,
)
"""What comes along when a key is copied from a shell, a file or a request."""

_NO_KEY: Final = re.compile(
    r"[<\[{(].*[>\]})]"
    r"|.*\.\.\..*"
    r"|\$\{?\w+\}?|%\w+%"
    r"|(?:.*[^a-z])?(?:your|insert|paste|enter|replace)[^a-z].*(?:key|token).*"
    r"|(?:sk-)?x{4,}",
    re.IGNORECASE,
)
"""What a manual writes where the key goes."""


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


def sealed(value: object) -> Key | None:
    """A key as it was given, out of sight; raises nothing.

    So no frame of a traceback shows it. What is no text becomes a key that
    `checked_key` refuses.
    """
    if value is None or isinstance(value, Key):
        return value
    return Key(value) if isinstance(value, str) else Key("\0")


def checked_key(given: Key | str | None) -> Key | None:
    """The key without what comes along when it is pasted; None where there is none.

    Taken off are spaces, quotes, a leading "Bearer " and `export NAME=`. Raises
    ValueError for what no key is, such as the "<your key>" of a manual.
    """
    given = sealed(given)
    if given is None:
        return None
    if wrong := _what_is_wrong(given):
        raise ValueError(wrong)
    return Key(text) if (text := _cleaned(given.reveal())) else None


def _cleaned(text: str) -> str:
    before = None
    while text != before:
        before = text
        text = text.strip(_AROUND)
        if text[-1:] in {",", ";"} and text[-2:-1] in _QUOTES:
            text = text[:-1]
        text = text.strip(_QUOTES)
        if found := _IN_FRONT.match(text):
            text = text[found.end() :]
    return "" if text.lower() == "bearer" else text


def _what_is_wrong(key: Key) -> str | None:
    """Why this is no key, in words that do not quote it."""
    text = _cleaned(key.reveal())
    if len(text) < 200 and _NO_KEY.fullmatch(text):
        return (
            "The key is what a manual writes in its place, not a key. Put your own "
            "there, or leave it out where the server needs none."
        )
    if not (text.isascii() and text.isprintable()) or " " in text:
        return (
            "The key holds characters that no key has, such as a space, a line break "
            "or a typographic sign. Copy it again."
        )
    return None


def sealed_headers(given: Mapping[str, Any] | None) -> dict[str, Key | None]:
    """Additional headers, their values out of sight; raises nothing."""
    items = given.items() if isinstance(given, Mapping) else ()
    return {name: sealed(value) for name, value in items}


def checked_headers(held: Mapping[str, Key | None]) -> dict[str, Key | None]:
    """Headers that can be sent; ValueError for a name or a value that none can have."""
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
    scheme, space, rest = key.reveal().strip().partition(" ")
    if not space or scheme.lower() not in {"bearer", "basic", "token"}:
        return [key.reveal()]
    return [rest]


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text with *** for each six characters in a row of a secret.

    It is looked for in each form in which a server may repeat it: as it is, as JSON or
    HTML or a URL writes it, in base64 and in hex.
    """
    pieces = {
        form[at : at + _PIECE]
        for secret in secrets
        if len(secret) >= _PIECE
        for form in _forms(secret)
        for at in range(len(form) - _PIECE + 1)
    }
    if not pieces:
        return text
    shown: list[str] = []
    rest = 0
    for at in range(len(text) - _PIECE + 1):
        if text[at : at + _PIECE] in pieces:
            if at > rest or not shown:
                shown += [text[rest:at], "***"]
            rest = at + _PIECE
    return "".join([*shown, text[rest:]])


def hidden_in(value: Any, secrets: list[str]) -> Any:
    """The same for each text in a value of JSON."""
    match value:
        case str():
            return hidden(value, secrets)
        case list():
            return [hidden_in(each, secrets) for each in value]
        case dict():
            return {
                hidden(name, secrets): hidden_in(each, secrets)
                for name, each in value.items()
            }
    return value


def _forms(secret: str) -> set[str]:
    """The secret in each form in which it may come back."""
    data = secret.encode()
    forms = {
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        repr(secret)[1:-1],
        html.escape(secret),
        data.hex(),
        data.hex().upper(),
    }
    # What stands before it in what was encoded shifts it by none, one or two bytes.
    for shift, unsure in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
        sure = encoded[unsure : len(encoded) - 1]
        forms |= {sure, sure.replace("+", "-").replace("/", "_")}
    return forms
