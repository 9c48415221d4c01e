"""Secrets hidden in other texts, in each of their forms."""

from __future__ import annotations

import base64
import html
import json
import string
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote, quote_plus

__all__: Final = ["NO_SECRETS", "SHORTEST", "forms_of", "hidden", "hidden_in"]

SHORTEST: Final = 6
"""So many characters in a row of a key are shown nowhere.

A shorter key, such as "x" or "none", is given where none is needed: it is no secret.
"""

NO_SECRETS: Final = {
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
        form[at : at + SHORTEST]
        for secret in secrets
        if len(secret) >= SHORTEST and secret.lower() not in NO_SECRETS
        for form in (each.translate(_SMALL) for each in forms_of(secret))
        for at in range(len(form) - SHORTEST + 1)
    }
    if not pieces:
        return text
    shown: list[str] = []
    rest = 0
    small = text.translate(_SMALL)
    for at in range(len(text) - SHORTEST + 1):
        if small[at : at + SHORTEST] in pieces:
            if at > rest or not shown:
                shown += [text[rest:at], "***"]
            rest = at + SHORTEST
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


def forms_of(secret: str) -> set[str]:
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
