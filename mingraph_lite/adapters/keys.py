"""Keys: cleaned when given, shown by nothing.

A key is text for one moment only, when a header is written. Everywhere else it is a
`Key`, because a notebook may show any variable of any frame: `%xmode Verbose` does.
"""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.schema.sealed import Key

__all__: Final = ["Key", "checked_key", "sealed"]

_NO_TEXT: Final = "\0"
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


def sealed(value: object) -> Key | None:
    """A key as it was given, out of sight; raises nothing.

    So no frame of a traceback shows it. What is no text becomes a key that
    `checked_key` refuses.
    """
    if value is None or isinstance(value, Key):
        return value
    return Key(value if isinstance(value, str) else _NO_TEXT)


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
    if key.reveal() == _NO_TEXT:
        return "The key is no text. Give it as one str, such as api_key='sk-…'."
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
