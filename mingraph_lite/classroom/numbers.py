"""Numbers in a sentence, however they are written."""

from __future__ import annotations

import re
from typing import Final

__all__: Final = ["number_of", "numbers_in"]

_ONES: Final = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
    *("seventeen", "eighteen", "nineteen"),
]
_TENS: Final = [
    *("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
]
_WORDS: Final = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, start=2)
}
_IN_WORDS: Final = re.compile(
    rf"\b({'|'.join(_TENS)})[ -]({'|'.join(_ONES[1:10])})\b"
    rf"|\b({'|'.join([*_ONES, *_TENS])})\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?:(?<![\w.])(-|\u2212|minus )|(?<![\w.]))(\d+(?:\.\d+)?)(?![\w.]*\d)",
    re.IGNORECASE,
)


_ALONE: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")


def number_of(text: object) -> float | None:
    """The number that a text is, in digits or words; None where it says anything else.

    "four", "4.0" and " 4 " are the same number, "about 4" is none.
    """
    if text is None or isinstance(text, bool):
        return None
    digits = _IN_WORDS.sub(_in_digits, str(text).strip())
    digits = re.sub("^(?:minus |\u2212)", "-", digits, flags=re.IGNORECASE)
    return float(digits) if _ALONE.fullmatch(digits) else None


def numbers_in(text: str) -> list[float]:
    """The numbers that a text names, in digits or words, up to 99 in words.

    "-18", "minus 18" and "minus eighteen" are the same number.
    """
    digits = _IN_WORDS.sub(_in_digits, str(text))
    return [
        float(number) * (-1 if minus else 1)
        for minus, number in _NUMBER.findall(digits)
    ]


def _in_digits(found: re.Match[str]) -> str:
    tens, ones, alone = found.groups()
    words = [alone] if alone else [tens, ones]
    return str(sum(_WORDS[word.lower()] for word in words))
