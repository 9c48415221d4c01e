"""Secrets hidden in other texts, and in the frames of a traceback."""

from __future__ import annotations

import base64
import html
import json
import string
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import quote, quote_plus

__all__: Final = ["hidden", "hidden_in", "unseen", "without_frames"]

_PIECE: Final = 6
"""So many characters in a row of a key are shown nowhere.

A shorter key, such as "x" or "none", is given where none is needed: it is no secret.
"""

_NO_SECRETS: Final = {
    "api-key",
    "api_key",
    "apikey",
    "llama.cpp",
    "lm-studio",
    "lm_studio",
    "lmstudio",
    "localhost",
    "no-key",
    "no-key-needed",
    "no-key-required",
    "no_key",
    "not-needed",
    "not_needed",
    "not-required",
    "not-used",
    "ollama",
    "placeholder",
    "sk-no-key-required",
    "unused",
}
"""Longer words that manuals of local servers give as a key; they hide no advice."""

_SMALL: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text with *** for each six characters in a row of a secret.

    It is looked for in each form in which a server may repeat it: as it is, as JSON or
    HTML or a URL writes it, in base64 and in hex, in small or capital letters.
    """
    pieces = {
        form[at : at + _PIECE]
        for secret in secrets
        if len(secret) >= _PIECE and secret.lower() not in _NO_SECRETS
        for form in (each.translate(_SMALL) for each in _forms(secret))
        for at in range(len(form) - _PIECE + 1)
    }
    if not pieces:
        return text
    shown: list[str] = []
    rest = 0
    small = text.translate(_SMALL)
    for at in range(len(text) - _PIECE + 1):
        if small[at : at + _PIECE] in pieces:
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
    }
    # What stands before it in what was encoded shifts it by none, one or two bytes.
    for shift, unsure in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
        sure = encoded[unsure : len(encoded) - 1]
        forms |= {sure, sure.replace("+", "-").replace("/", "_")}
    return forms


def without_frames[T](
    act: Callable[[], T], explain: Callable[[BaseException], BaseException | None]
) -> T:
    """What `act` gives; what `explain` makes of an error is raised without its frames.

    Some notebooks show the variables of each frame, and some hold a header or a
    server's own words. So nothing that was explained leaves here with them: no cause
    and no context. What is explained by None leaves as it is.
    """
    try:
        return act()
    except BaseException as error:
        failure = explain(error)
        if failure is None:
            raise
    failure.__cause__ = failure.__context__ = None
    raise failure.with_traceback(None)


def unseen[A, T](act: Callable[[A], T], argument: A) -> Callable[[], T]:
    """A call to be made later; where it raises, no frame shows the argument."""

    def call() -> T:
        return act(argument)

    return lambda: without_frames(call, lambda error: error)
