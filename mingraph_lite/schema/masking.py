"""What is secret, kept out of whatever is written down.

By value: the texts that are known to be secret, in each form in which they may come
back. By name: what stands behind `api_key`, `Authorization`, `PASSWORD` and their like,
whoever wrote it there, and what stands before the @ of an address.

Why ask twice, `suspects` and then `masked`? Nearly every line is free of both, and to
find that out must cost next to nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from mingraph_lite.schema.hiding import NO_SECRETS, SHORTEST, forms_of, hidden

__all__: Final = ["Mask", "is_secret_name"]

_STARS: Final = "***"
_NAME: Final = (
    r"[\w-]*(?:api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key"
    r"|client[_-]?secret|password|passwd|passphrase"
    r"|(?:auth|access|refresh|bearer|session|id)[_-]?token)"
    r"|(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]*key|x-[\w-]*token"
)
_SECRET_NAME: Final = re.compile(rf"(?:{_NAME}|token|secret|pwd)", re.IGNORECASE)
_NAMED: Final = re.compile(
    rf"""(?<![\w-])((?:{_NAME})\\*["']?\s*[:=]\s*\\*["']?)"""
    r"""((?:bearer|basic|token)\s+)?([^\s"'\\&,;}>)]+)""",
    re.IGNORECASE,
)
_USER: Final = re.compile(r"(://)[^/\s\"'@]+@")
_A_TOKEN: Final = re.compile(r"token\W")
"""Counts of tokens stand in every reply, and are no secret."""

_HINTS: Final = (
    "key",
    "secret",
    "passw",
    "passphrase",
    "pwd",
    "authorization",
    "cookie",
)
"""What a line has in it, in small letters, if anything in it is named as a secret."""


def is_secret_name(name: str) -> bool:
    """Whether a key of an object says that its value is a secret."""
    return _SECRET_NAME.fullmatch(name) is not None


class Mask:
    """Knows what is secret, and shows it nowhere itself."""

    __slots__ = ("_blocks", "_known", "_short")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: set[str] = set()
        self._short: set[str] = set()
        self._blocks: tuple[str, ...] = ()
        self.add(secrets, even_short=True)

    def __repr__(self) -> str:
        return f"Mask({len(self._known) + len(self._short)} secrets)"

    def add(self, secrets: Iterable[str], *, even_short: bool = False) -> None:
        """Know more texts; short ones count where somebody says that they do.

        A key such as "x" or "none" is given where none is needed.
        """
        before = len(self._known) + len(self._short)
        for secret in filter(None, secrets):
            if len(secret) >= SHORTEST and secret.lower() not in NO_SECRETS:
                self._known.add(secret)
            elif even_short:
                self._short.add(secret)
        if len(self._known) + len(self._short) == before:
            return
        blocks = {secret.lower() for secret in self._short}
        for form in (f for secret in self._known for f in forms_of(secret)):
            for written in {form, json.dumps(form, ensure_ascii=False)[1:-1]}:
                small = written.lower()
                blocks |= {
                    small[at : at + SHORTEST]
                    for at in range(0, len(small) - SHORTEST + 1, SHORTEST)
                }
        self._blocks = tuple(blocks)

    def suspects(self, line: str) -> bool:
        """Whether a line of JSON may hold something to be masked."""
        small = line.lower()
        for block in self._blocks:
            if block in small:
                return True
        for hint in _HINTS:
            if hint in small:
                return True
        if "token" in small and _A_TOKEN.search(small):
            return True
        return "://" in small and "@" in small

    def masked(self, text: str) -> str:
        """The text with *** for what is secret in it."""
        shown = hidden(text, self._known) if self._known else text
        for secret in self._short:
            shown = shown.replace(secret, _STARS)
        shown = _NAMED.sub(rf"\1\2{_STARS}", shown)
        return _USER.sub(rf"\1{_STARS}@", shown)
