"""How long a server asks to wait before the next try.

Header, field or sentence: several may stand in one reply, and the longest is meant. A
wait is never negative and never NaN; what is no time is as if it had not been said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

__all__: Final = ["WAIT_FIELDS", "asked_wait", "seconds_in"]

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = (
    r"\d{1,12}(?:\.\d{1,12})?\s?"
    r"(?:milliseconds?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|h|days?|d)"
    r"(?![a-z])"
)
_PIECE: Final = re.compile(r"(\d+(?:\.\d+)?)\s?([a-z]+)")
_IN_WORDS: Final = re.compile(
    r"(?:again|retry|retrying|wait|reset|resets|available)\s"
    r"(?:(?:again|in|after|for|at least|about|your|the|this|request)\s){0,4}"
    rf"((?:{_DURATION}[\s,]{{0,2}}){{1,4}})",
    re.IGNORECASE,
)
"""OpenAI and Groq: "try again in 1m2.5s"; Azure: "retry after 26 seconds"; Gemini:
"retry in 21.4s"."""

_BY_NAME: Final = re.compile(
    r"retry[-_ ]after['\"`]?\s?[:=]\s?['\"`]?(\d{1,9}(?:\.\d{1,9})?)(?![\w.:])",
    re.IGNORECASE,
)
"""A header's name quoted in the words, with a number and no unit."""

WAIT_FIELDS: Final = {
    "retrydelay": 1.0,
    "retry_delay": 1.0,
    "retry_after": 1.0,
    "retry-after": 1.0,
    "retryafter": 1.0,
    "retry_after_seconds": 1.0,
    "retryafterseconds": 1.0,
    "retry_after_ms": 0.001,
    "retryafterms": 0.001,
    "estimated_time": 1.0,
}
"""Fields of an error's body that hold a wait, in lower case, and what one of it is."""

_LONGEST: Final = 100
"""No time that is told in a header or field is longer."""

_RESETS: Final = ("requests", "tokens", "requests-day", "tokens-minute")
_IN_MS: Final = ("retry-after-ms", "x-ms-retry-after-ms")
_ALSO_RESETS: Final = ("x-ratelimit-reset", "ratelimit-reset")
_ANTHROPIC: Final = ("requests", "tokens", "input-tokens", "output-tokens")


def asked_wait(
    headers: Mapping[str, str],
    fields: Mapping[str, object],
    words: str,
    now: float,
    *,
    too_many: bool,
) -> float | None:
    """The seconds to wait at the least, or None where nothing is said.

    `too_many` is for a 429: there the headers that tell when a budget is full again
    count too, if nothing else is said, since they come with every reply and then mean
    something else.
    """
    hints = [*_in_headers(headers, now), *_in_fields(fields, now)]
    hints += [seconds_in(found) for found in _IN_WORDS.findall(words)]
    hints += [seconds_in(found) for found in _BY_NAME.findall(words)]
    known = _possible(hints)
    if not known and too_many:
        known = _possible(_until_reset(headers, now))
    return max(known, default=None)


def seconds_in(duration: str) -> float | None:
    """The seconds in "21s", "6m0s", "1m2.5s", "250ms", "26 seconds" or "7.66"."""
    text = duration.strip().lower()
    try:
        return float(text)
    except ValueError:
        pass
    total = None
    for number, unit in _PIECE.findall(text):
        short = "ms" if unit.startswith(("ms", "mil")) else unit[0]
        if short not in _UNITS:
            return None
        total = (total or 0.0) + float(number) * _UNITS[short]
    return total


def _possible(hints: list[float | None]) -> list[float]:
    return [max(hint, 0.0) for hint in hints if hint is not None and hint < math.inf]


def _in_headers(headers: Mapping[str, str], now: float) -> Iterator[float | None]:
    # A header that came twice is one with a comma; so is a date.
    value = headers.get("retry-after", "")[:_LONGEST]
    yield _from_date(value, now)
    yield from (_seconds(part) for part in value.split(","))
    for name in _IN_MS:
        in_ms = _seconds(headers.get(name, ""))
        yield None if in_ms is None else in_ms / 1000


def _in_fields(fields: Mapping[str, object], now: float) -> Iterator[float | None]:
    for name, unit in WAIT_FIELDS.items():
        value = fields.get(name)
        if isinstance(value, dict):
            value = value.get("seconds")  # a Duration, as protobuf writes it in parts
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield float(value) * unit if 0 <= value < 1e15 else None
        elif isinstance(value, str) and len(value) < _LONGEST:
            seconds = seconds_in(value)
            yield None if seconds is None else seconds * unit
            yield _from_date(value, now)
    yield _from_moment(str(fields.get("x-ratelimit-reset", "")), now)


def _until_reset(headers: Mapping[str, str], now: float) -> list[float | None]:
    """When the budgets that are used up are full again.

    With 429 a budget whose rest is told, and is not 0, is not the one.
    """
    hints = [_from_moment(headers.get(name, ""), now) for name in _ALSO_RESETS]
    for budget in _RESETS:
        if headers.get(f"x-ratelimit-remaining-{budget}", "0").strip() == "0":
            told = headers.get(f"x-ratelimit-reset-{budget}", "")
            hints.append(seconds_in(told) if len(told) < 40 else None)
    for budget in _ANTHROPIC:
        prefix = f"anthropic-ratelimit-{budget}"
        if headers.get(f"{prefix}-remaining", "0").strip() == "0":
            hints.append(_from_iso(headers.get(f"{prefix}-reset", ""), now))
    return hints


def _from_moment(value: str, now: float) -> float | None:
    """From a moment in seconds or milliseconds since 1970, or from a few seconds."""
    if not _is_number(value):
        return None
    number = float(value)
    if number > 1e11:
        number /= 1000
    return number - now if number > 1e9 else number


def _from_iso(value: str, now: float) -> float | None:
    """From a moment as RFC 3339 writes it."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}", value.strip()):
        return None
    try:
        when = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now


def _from_date(value: str, now: float) -> float | None:
    if not re.search(r"[a-z]{3}.*:", value, re.IGNORECASE):
        return None  # lenient readers of dates take "-3" for a year
    try:
        when = parsedate_to_datetime(value.strip())
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


def _seconds(text: str) -> float | None:
    """The seconds that a number names; one below 0 names none."""
    seconds = float(text) if _is_number(text) else None
    return seconds if seconds is None or seconds >= 0 else None


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\s*-?\d{1,15}(?:\.\d{1,15})?\s*", text))
