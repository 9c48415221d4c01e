"""Secrets hidden in other texts, in each of their forms.

A text is read as a reader would read it: what is written `\\u0043`, `\\x43`, `&#67;`,
`&#x43;`, `%43` or `%2543` is a C, and a quote behind backslashes a quote, each letter
in its own way or all of them. Beside that, base64 and hex of a secret are looked for,
for what follows or stands before it in what was encoded; all in small or capital
letters.

Not looked for is what nobody does by accident: a secret backwards, letter by letter
with something between, encrypted, compressed, or encoded twice over, such as the base64
of its base64.
"""

from __future__ import annotations

import base64
import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

__all__: Final = [
    "NO_SECRETS",
    "SHORTEST",
    "STARS",
    "Pieces",
    "Span",
    "Wholes",
    "hidden",
    "hidden_in",
    "is_known_as_secret",
    "spelt_out",
    "starred",
]

type Span = tuple[int, int]
"""A beginning and an end in a text."""

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

STARS: Final = "***"

_SMALL: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_ESCAPED: Final = re.compile(
    r"""\\+u\{?(?P<unicode>[0-9a-f]{4,6})\}?"""
    r"""|\\+x(?P<byte>[0-9a-f]{2})"""
    r"""|%(?:25)*(?P<url>[0-9a-f]{2})"""
    r"""|&(?:amp;)*\#x0*(?P<hex>[0-9a-f]{1,6});?"""
    r"""|&(?:amp;)*\#0*(?P<decimal>[0-9]{1,7});?"""
    r"""|&(?:amp;)*(?P<named>amp|lt|gt|quot|apos);"""
    r"""|\\+(?P<space>[nrt])"""
    r"""|\\+(?P<sign>["'/`])"""
    r"""|(?P<slash>\\+)""",
    re.IGNORECASE,
)
_SPELT: Final = re.compile(
    r"\\+u(?P<unicode>[0-9a-f]{4})|\\+x(?P<byte>[0-9a-f]{2})|%(?:25)*(?P<url>[0-9a-f]{2})",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(r"[^\w.~-]")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def is_known_as_secret(text: str) -> bool:
    """Whether a key is one, and not what stands where none is needed."""
    return len(text) >= SHORTEST and text.lower() not in NO_SECRETS


class Pieces:
    """Secrets, found by each six characters in a row of a form."""

    __slots__ = ("_blocks", "_has_signs", "_pieces")

    def __init__(self, secrets: Iterable[str]) -> None:
        known = [*filter(is_known_as_secret, secrets)]
        pieces: set[str] = set()
        blocks: set[str] = set()
        for secret in known:
            for form in {secret, _unescaped(secret)}:
                # Five at every second place: six in a row hold one of these.
                blocks |= _cut_up(form, 5, every=2)
                pieces |= _cut_up(form, SHORTEST)
            for form in _forms_of(secret):
                # In code nobody reads a few letters: seventeen in a row hold one.
                blocks |= _cut_up(form, SHORTEST, every=12)
                pieces |= _cut_up(form, SHORTEST)
        self._pieces = frozenset(pieces)
        self._blocks: tuple[str, ...] = tuple(blocks)
        self._has_signs = any(map(_SIGN.search, known))

    def __repr__(self) -> str:
        return f"Pieces({len(self._pieces)})"

    def may_be_in(self, text: str) -> bool:
        """Whether there may be any, found out fast."""
        if not self._blocks:
            return False
        return _may_be_in(text, self._blocks, self._has_signs)

    def covered(self, text: str) -> list[Span]:
        """Where in a text they stand."""
        if not self.may_be_in(text):
            return []
        return [
            (places[at], places[at + SHORTEST])
            for plain, places in _readings(text, self._has_signs)
            for at in self._places(plain)
        ]

    def _places(self, text: str) -> list[int]:
        small = _small(text)
        ends = range(SHORTEST, len(small) + 1)
        return [
            end - SHORTEST
            for end in ends
            if small[end - SHORTEST : end] in self._pieces
        ]


class Wholes:
    """Texts that are found as a whole: anywhere, or between words."""

    __slots__ = ("_blocks", "_has_signs", "_pattern")

    def __init__(self, anywhere: Iterable[str], words: Iterable[str]) -> None:
        parts, bounded = [*anywhere], [*words]
        known = [*parts, *bounded]
        choices = [re.escape(text) for text in parts]
        choices += [rf"(?<!\w){re.escape(text)}(?!\w)" for text in bounded]
        self._pattern = re.compile("|".join(choices)) if choices else None
        # In a line of JSON it may stand as JSON writes it.
        written = {*known, *(json.dumps(t, ensure_ascii=False)[1:-1] for t in known)}
        self._blocks: tuple[str, ...] = tuple({_small(text[:12]) for text in written})
        self._has_signs = any(map(_SIGN.search, known))

    def __repr__(self) -> str:
        return f"Wholes({len(self._blocks)})"

    def may_be_in(self, text: str) -> bool:
        """Whether there may be any, found out fast."""
        if not self._blocks:
            return False
        return _may_be_in(text, self._blocks, self._has_signs)

    def covered(self, text: str) -> list[Span]:
        """Where in a text they stand."""
        if self._pattern is None or not self.may_be_in(text):
            return []
        return [
            (places[found.start()], places[found.end()])
            for plain, places in _readings(text, self._has_signs)
            for found in self._pattern.finditer(plain)
        ]


def _cut_up(form: str, length: int, every: int = 1) -> set[str]:
    small = _small(form)
    return {small[at : at + length] for at in range(0, len(small) - length + 1, every)}


def _may_be_in(text: str, blocks: Sequence[str], has_signs: bool) -> bool:
    if any(map(_small(text).__contains__, blocks)):
        return True
    if not _is_escaped(text, has_signs):
        return False
    return any(map(_small(_unescaped(text)).__contains__, blocks))


def _small(text: str) -> str:
    """In small letters as far as ASCII has them: each stays in its place."""
    return text.lower() if text.isascii() else text.translate(_SMALL)


def _is_escaped(text: str, has_signs: bool) -> bool:
    """Whether letters may be written another way, and quotes where that matters."""
    if "%" in text or "&" in text:
        return True
    if "\\" not in text:
        return False
    if has_signs:
        return True
    return any(map(text.__contains__, ("\\u", "\\U", "\\x", "\\X")))


def _readings(text: str, has_signs: bool) -> Iterator[tuple[str, Sequence[int]]]:
    """The text as it stands and as it is read, with the places of its letters."""
    yield text, range(len(text) + 1)
    if _is_escaped(text, has_signs):
        yield _read(text)


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text with *** for each six characters in a row of a secret."""
    return starred(text, Pieces(secrets).covered(text))


def hidden_in(value: Any, secrets: list[str]) -> Any:
    """The same for each text in a value of JSON."""
    pieces = Pieces(secrets)
    return _each_text(value, lambda text: starred(text, pieces.covered(text)))


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_each_text(each, change) for each in value]
        case dict():
            return {
                change(name): _each_text(each, change) for name, each in value.items()
            }
    return value


def starred(text: str, spans: Iterable[Span]) -> str:
    """The text with *** for what lies between these beginnings and ends."""
    shown: list[str] = []
    rest = 0
    for start, end in sorted(spans):
        if start > rest or not shown:
            shown += [text[rest:start], STARS]
        rest = max(rest, end)
    return "".join([*shown, text[rest:]])


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_letter, text)


def _letter(found: re.Match[str]) -> str:
    kind, written = str(found.lastgroup), str(found[found.lastgroup or 0])
    if kind == "sign":
        return written
    if kind == "space":
        return {"n": "\n", "r": "\r", "t": "\t"}[written.lower()]
    if kind == "slash":
        return "\\"
    if kind == "named":
        return _NAMED[written.lower()]
    number = int(written, 10 if kind == "decimal" else 16)
    return chr(number) if number < 0x110000 else "\N{REPLACEMENT CHARACTER}"


def spelt_out(text: str) -> tuple[str, list[int]] | None:
    """A text with letters written as `%3D` or `\\u003d`, as `_read` gives it.

    Quotes behind backslashes stay as they are: they tell where a value ends. None where
    no letter is written so.
    """
    if "%" in text or "\\u" in text or "\\x" in text:
        return _read(text, _SPELT) if _SPELT.search(text) else None
    return None


def _read(text: str, written: re.Pattern[str] = _ESCAPED) -> tuple[str, list[int]]:
    """The text as it is read, and where each of its letters begins; the end too."""
    plain: list[str] = []
    places: list[int] = []
    rest = 0
    for found in written.finditer(text):
        plain += [text[rest : found.start()], _letter(found)]
        places += [*range(rest, found.start()), found.start()]
        rest = found.end()
    return "".join([*plain, text[rest:]]), [*places, *range(rest, len(text) + 1)]


def _forms_of(secret: str) -> set[str]:
    """The secret as base64 and hex, and as a URL writes letters beyond ASCII."""
    data = secret.encode("utf-8", "surrogatepass")
    forms = {data.hex(), quote(data, safe="")}
    # What stands before it in what was encoded shifts it by none, one or two bytes.
    for shift, unsure in ((0, 0), (1, 2), (2, 3)):
        encoded = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
        sure = encoded[unsure : len(encoded) - 1]
        forms |= {sure, sure.replace("+", "-").replace("/", "_")}
    return forms
