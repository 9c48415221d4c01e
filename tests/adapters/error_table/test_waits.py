"""How long a server asks to wait, wherever it says so."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite.adapters.error_table.waits import asked_wait, seconds_in
from tests.adapters.models import fails
from tests.adapters.wire import answering, streaming

NEW_YEAR = 1767225600.0  # Thu, 01 Jan 2026 00:00:00 GMT


def wait(status: int = 429, body: Any = None, **headers: str) -> float | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    transport = answering(body or {}, status=status, headers=named)
    return fails(transport, clock=lambda: NEW_YEAR).retry_after


# D07. Right: the seconds or the date; never negative; what is no time is not said.
@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0", 0.0),
        ("1.5", 1.5),
        (" 7 ", 7.0),
        ("86400", 86400.0),
        ("Thu, 01 Jan 2026 00:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 00:00:30 -0000", 30.0),
        ("Thursday, 01-Jan-26 00:00:30 GMT", 30.0),
        ("Wed, 31 Dec 2025 00:00:30 GMT", 0.0),
        ("-3", None),  # no time at all, and not "at once"
        ("2, 5", 5.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1e400", None),
        ("2026", 2026.0),
    ],
)
def test_D07_retry_after_is_read_in_seconds_or_as_a_date(
    value: str, seconds: float | None
) -> None:
    assert wait(retry_after=value) == seconds


def words(text: str) -> dict[str, Any]:
    return {"error": {"message": text}}


# H06: a wait in a field or in the words counts like the header.
@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (words("Please try again in 7.66s. Visit us."), 7.66),
        (words("Please try again in 1m2s."), 62.0),
        (words("Please try again in 250ms."), 0.25),
        (words("Please try again in 1h2m3.5s."), 3723.5),
        (words("Please retry after 26 seconds."), 26.0),
        (words("Please retry in 21.4s."), 21.4),
        (words("Try again in 2 minutes."), 120.0),
        (words("Please wait 10 seconds before the next request."), 10.0),
        (words("Please try again later."), None),
        (words("Please try again in a while, 3 models are busy."), None),
        ([{"error": {"details": [{"retryDelay": "21s"}], "message": "m"}}], 21.0),
        ([{"error": {"details": [{"retryDelay": "21.5s"}], "message": "m"}}], 21.5),
        ({"error": {"message": "m", "retry_after": 3}}, 3.0),
        ({"error": {"message": "m", "retry_after": "3.5"}}, 3.5),
        ({"error": {"message": "m", "retry_after": -3}}, None),
        ({"error": {"message": "m", "retry_after": True}}, None),
        ({"error": {"details": [{"retryDelay": {"seconds": 21}}]}}, 21.0),
        (words("Retry after: 7"), 7.0),
        (words("Slow down; retry_after=4"), 4.0),
        (words("Retry your request after 12 seconds"), 12.0),
        ({"error": {"message": "m", "retry_after_ms": 1500}}, 1.5),
        ({"error": "Model x is currently loading", "estimated_time": 20.5}, 20.5),
        (
            {"error": {"message": "m", "metadata": {"headers": {"Retry-After": "4"}}}},
            4.0,
        ),
        (
            {
                "error": {
                    "message": "m",
                    "metadata": {"headers": {"X-RateLimit-Reset": "1767225660000"}},
                }
            },
            60.0,
        ),
    ],
)
def test_H06_a_wait_may_stand_in_the_body(body: Any, seconds: float | None) -> None:
    assert wait(body=body) == seconds


def test_H06_a_wait_may_stand_in_a_stream() -> None:
    body = {"error": {"code": 429, "message": "Please try again in 7.66s."}}
    assert fails(streaming(body)).retry_after == 7.66


def test_of_several_waits_the_longest_is_meant() -> None:
    body = words("Please try again in 7.66s.")
    assert wait(body=body, retry_after="2") == 7.66
    assert wait(body=body, retry_after="9") == 9.0
    assert wait(retry_after="1", retry_after_ms="1200") == 1.2


# They come with each reply; only with 429, and with nothing else said, do they count.
def test_headers_that_tell_of_a_budget_count_with_429_alone() -> None:
    reset = {"x_ratelimit_reset_requests": "6m0s"}
    tokens = {
        "x_ratelimit_reset_requests": "6m0s",
        "x_ratelimit_remaining_requests": "12",
        "x_ratelimit_reset_tokens": "1.57s",
        "x_ratelimit_remaining_tokens": "0",
    }
    assert wait(**reset) == 360.0
    assert wait(503, **reset) is None
    assert wait(retry_after="2", **reset) == 2.0
    assert wait(**tokens) == 1.57
    assert wait(x_ratelimit_reset="1767225612") == 12.0
    assert wait(ratelimit_reset="12") == 12.0
    assert wait(anthropic_ratelimit_tokens_reset="2026-01-01T00:00:20Z") == 20.0
    assert wait(x_ms_retry_after_ms="2500") == 2.5


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [
        ("21s", 21.0),
        ("6m0s", 360.0),
        ("250ms", 0.25),
        ("26 seconds", 26.0),
        ("1 hour", 3600.0),
        ("2 days", 172800.0),
        ("7.66", 7.66),
        ("soon", None),
        ("3 lemons", None),
        ("", None),
    ],
)
def test_a_duration_is_read(duration: str, seconds: float | None) -> None:
    assert seconds_in(duration) == seconds


def test_long_words_are_searched_once() -> None:
    text = "again in 1m" * 700
    assert asked_wait({}, {}, text, 0.0, too_many=True) in {None, 60.0}


# D07: where the wait is too long to be waited for, the sentence says how long it is.
def test_D07_the_sentence_says_how_long_the_wait_is() -> None:
    error = fails(answering({}, status=429, headers={"retry-after": "86400"}))
    assert str(error).endswith("The same request may succeed in 86400 seconds.")
