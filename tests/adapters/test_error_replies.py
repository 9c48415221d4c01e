"""Which reply is an error, what is told of it, and whether it is asked again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mingraph_lite.adapters.transports import Response
from mingraph_lite.errors import ModelError
from tests.adapters.models import IN_VAIN, LATER, NAMES, URL, fails, openai
from tests.adapters.wire import answering, chunk, completion, streaming

OVERLOADED = {"message": "overloaded", "code": 502}


def as_error(message: Any, code: Any, kind: Any = None) -> dict[str, Any]:
    """An error as a gateway tells it."""
    return {"message": message, "code": code, "type": kind}


# D08: 408, 409, 429 and 5xx may be tried again, and no other; waiting is as asked.
@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        *((s, False) for s in (301, 307, 400, 401, 403, 404, 413, 422)),
        *((s, True) for s in (408, 409, 429, 500, 502, 503, 504, 529, 599)),
    ],
)
def test_D08_only_what_may_pass_is_worth_a_retry(status: int, retryable: bool) -> None:
    error = fails(answering({"error": {"message": "no"}}, status=status))
    assert error.retryable == retryable
    assert f"{URL} answered {status}" in str(error)
    assert ": 'no'." in str(error)


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("Thu, 01 Jan 1970 00:00:05 GMT", 0.0),
        ("-3", None),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_D08_a_server_says_how_long_to_wait_in_seconds_or_by_date(
    value: str, want: Any
) -> None:
    transport = answering({}, status=429, headers={"retry-after": value})
    assert fails(transport, clock=lambda: 10.0).retry_after == want


def test_a_refusal_is_told_even_if_its_page_breaks_off() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"<h1>Bad gateway"
        raise ModelError("connection reset", retryable=True)

    error = fails(lambda request: Response(502, {}, pieces()))
    assert "answered 502 Bad Gateway: '<h1>Bad gateway'." in str(error)


# A17: each is a ModelError, graded, that says what came and what to do.
def test_A17_an_error_with_status_200_is_graded_by_its_code() -> None:
    sent = {"message": "Provider returned error", "code": 429}
    error = fails(answering({"choices": None, "usage": None, "error": sent}))
    assert str(error) == f"{URL} answered error 429: 'Provider returned error'. {LATER}"
    assert error.retryable


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (as_error("m", 400), f"error 400: 'm'. {IN_VAIN}"),
        (as_error("m", "401"), "error 401: 'm'. Give a key: api_key=…."),
        (as_error("m", 404), f"error 404: 'm'. {NAMES}"),
        (as_error("m", "503"), f"error 503: 'm'. {LATER}"),
        (as_error("m", "rate_limit_exceeded"), f"an error: 'm'. {LATER}"),
        (as_error("m", None, "server_error"), f"an error: 'm'. {LATER}"),
        (
            as_error("m", "invalid_api_key", "invalid_request_error"),
            "an error: 'm'. Give a key: api_key=….",
        ),
        (
            as_error("m", "model_not_found", "invalid_request_error"),
            f"an error: 'm'. {NAMES}",
        ),
        ("model not found", f"an error: 'model not found'. {NAMES}"),
        ([1], f"an error: '[1]'. {NAMES}"),
        (as_error({"deep": 1}, 10**4000), f"an error: '{{\"deep\": 1}}'. {NAMES}"),
    ],
)
def test_A17_an_error_is_graded_by_its_number_or_its_words_and_says_what_to_do(
    error: Any, words: str
) -> None:
    with pytest.raises(ModelError) as caught:
        openai().parse({"error": error})
    assert str(caught.value) == f"{URL} answered {words}"
    assert caught.value.retryable == words.endswith(LATER)
    assert str(fails(streaming({"error": error}))) == f"{URL} answered {words}"


@pytest.mark.parametrize(
    "transport",
    [
        answering({"choices": [{"error": OVERLOADED, "message": {"content": ""}}]}),
        streaming(chunk({"content": "Os"}), {"error": OVERLOADED}),
    ],
)
def test_A17_an_error_may_stand_in_the_choice_or_in_the_stream(transport: Any) -> None:
    error = fails(transport)
    assert (error.retryable, "502: 'overloaded'" in str(error)) == (True, True)


def test_A17_a_reply_that_ends_in_an_error_may_succeed_later() -> None:
    error = fails(answering(completion({"content": "Os"}, "error")))
    assert str(error) == f"{URL} broke off with the finish reason 'error'. {LATER}"
    assert error.retryable
