"""The numbers of a text, however they are written.

    18, 18.5, 1e-05        as programs write them
    -3, minus 3            with a sign, of any kind; the dash of 16-18 is none
    1,250  1 250  1'250    grouped in threes, by a comma, a narrow space or a quote
    18,5                   a decimal comma: what groups is followed by three digits
    18°C, 18%, $18         with what they count beside them
    1.250,5  1,250.5       both: the last is the decimal sign

Where dots and commas make no number of it, as in 2.11.2026, each part is one. The
marks of a numbered list are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from typing import Final, NamedTuple

__all__: Final = [
    "Number",
    "amounts_in",
    "counts_in",
    "digits_behind",
    "found_in",
    "glued_in",
    "numbers_in",
    "says_number",
    "words_in",
]

_NUMBER: Final = re.compile(
    r"(?<![A-Za-z_\d])(\d+(?:['\u2019\u00a0\u2009\u202f]\d{3}(?!\d)|[.,]\d+)*)"
    r"([eE][-+]?\d+\b)?"
)
_DASHES: Final = "-\u2010\u2011\u2012\u2013\u2212"
_SIGN: Final = re.compile(
    rf"(?<![\w)\]])[{_DASHES}]\Z|(?<!\d )\b(?:minus|negative)\s\Z", re.IGNORECASE
)
_LONGEST_SIGN: Final = 12
_NARROW: Final = re.compile(r"['\u2019\u00a0\u2009\u202f]")
_WHOLE: Final = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,2}(?:\.\d{3}){2,}")
_DECIMAL: Final = re.compile(
    r"(\d+)[.,](\d+)|(\d{1,3}(?:,\d{3})+)\.(\d+)|(\d{1,3}(?:\.\d{3})+),(\d+)"
)
_LIST_MARK: Final = re.compile(r"(?m)^[^\S\n]*(\d+)[.)][^\S\n]+(?=\S)")
_UNIT: Final = re.compile(r"[^\W\d_]+|[^\w\s]")
_SAME: Final = {"celsius": "c", "fahrenheit": "f", "percent": "%"}
_SAYS_NOTHING: Final = {"°", "º", "degree", "degrees"}
_LONGEST_UNIT: Final = 80
_GLUED: Final = re.compile(r"(?<=[A-Za-z_])\d+")
_MEASURED: Final = re.compile(r"\s?(?:[°º%€$£¥]|[CFK]\b|\d)")
_HIGHEST_COUNT: Final = 12
_WORDS: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_WORDED: Final = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


class Number(NamedTuple):
    """A number as it is written, and where that ends."""

    value: float
    written: str
    end: int


def found_in(text: str) -> Iterator[Number]:
    """Each number of a text, in order."""
    for match in _NUMBER.finditer(text):
        digits, power = match[1], match[2] or ""
        value = _value(digits, power)
        if value is None:
            for part in re.finditer(r"\d+", digits):
                end = match.start() + part.end()
                yield Number(float(part[0]), part[0], end)
        else:
            sign = _sign(text, match.start())
            yield Number(-value if sign else value, sign + match[0], match.end())


def _sign(text: str, start: int) -> str:
    """What makes a number one below zero, or nothing."""
    # Hardly a number has one: whether it can is asked first, of what is just before.
    word = text[max(start - 6, 0) : max(start - 1, 0)].lower()
    if text[start - 1 : start] not in _DASHES and word not in ("minus", "ative"):
        return ""
    found = _SIGN.search(text[max(start - _LONGEST_SIGN, 0) : start])
    return found[0] if found else ""


def _value(digits: str, power: str) -> float | None:
    if digits.isdecimal():
        return float(digits + power)
    digits = _NARROW.sub("", digits)
    if digits.isdecimal() or _WHOLE.fullmatch(digits):
        return float(re.sub("[.,]", "", digits) + power)
    if (decimal := _DECIMAL.fullmatch(digits)) is None:
        return None
    whole, rest = filter(None, decimal.groups())
    return float(f"{re.sub('[.,]', '', whole)}.{rest}{power}")


def numbers_in(text: str) -> dict[float, str]:
    """The numbers of a text with how they are written; those of a list are none."""
    return {number.value: number.written for number in found_in(_unlisted(text))}


def _unlisted(text: str) -> str:
    """The text without the marks of its lists: 1, or one more than the mark before."""
    parts: list[str] = []
    rest = last = 0
    for mark in _LIST_MARK.finditer(text):
        number = int(mark[1][:9])
        if number in (1, last + 1):
            parts.append(text[rest : mark.start()])
            rest, last = mark.end(), number
    return " ".join([*parts, text[rest:]])


def amounts_in(text: str) -> Iterator[float]:
    """What a text may mean by its numbers, signs aside: [18,24] are two as well."""
    for number in found_in(text):
        yield abs(number.value)
        if "," in number.written:
            yield from (float(part) for part in re.findall(r"\d+", number.written))


def glued_in(text: str) -> Iterator[float]:
    """The numbers right behind a letter, as the 22 of 2026-11-30T22:00."""
    yield from (float(part) for part in _GLUED.findall(text))


def words_in(text: str) -> Iterator[float]:
    """The numbers that are written as words, up to twelve."""
    for word in _WORDED.findall(text):
        yield float(_WORDS.index(word.lower()))


def counts_in(text: str) -> set[float]:
    """Small whole numbers that measure nothing, as the 2 of "both 2 cities"."""
    text = _unlisted(text)
    counts, others = set[float](), set[float]()
    for number in found_in(text):
        before = text[: number.end - len(number.written)][-1:]
        is_count = number.written.isdecimal() and number.value <= _HIGHEST_COUNT
        is_measured = before in {*"$€£¥"} or _MEASURED.match(text, number.end)
        (counts if is_count and not is_measured else others).add(number.value)
    return counts - others


def digits_behind(number: float) -> int:
    """How many digits stand behind the point: none in 18.0, five in 1e-05."""
    if not isfinite(number):
        return 0
    _, _, behind = f"{Decimal(repr(number)).normalize():f}".partition(".")
    return len(behind)


def says_number(answer: str, wanted: str) -> bool | None:
    """Whether an answer says a number, with what it counts.

    None where no one number is wanted, but some other text.
    """
    wanted = wanted.strip().rstrip(".")
    numbers = [*found_in(wanted)]
    if len(numbers) != 1 or not wanted.startswith(numbers[0].written):
        return None
    first = numbers[0]
    unit = _unit(wanted[first.end :])
    return any(
        number.value == first.value and _unit(text[number.end :])[: len(unit)] == unit
        for text in [_unlisted(answer)]
        for number in found_in(text)
    )


def _unit(text: str) -> list[str]:
    """The words and signs behind a number, those alike that mean the same."""
    words = _UNIT.findall(text[:_LONGEST_UNIT].casefold())
    return [_SAME.get(word, word) for word in words if word not in _SAYS_NOTHING]
