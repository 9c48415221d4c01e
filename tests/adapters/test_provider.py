"""One request to one address: status, headers, key, and bodies that are none."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from mingraph_lite.adapters.provider import Provider
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError
from tests.adapters.models import IN_VAIN, LATER, NAMES, QUESTION, URL, fails, openai
from tests.adapters.wire import (
    SSE_TYPE,
    FixedTransport,
    answering,
    chunk,
    completion,
    events,
    streaming,
)


# D08: a status comes with what to do; what may pass is in test_error_replies.
@pytest.mark.parametrize(
    ("status", "key", "advice"),
    [
        (401, "sk-1234", "Check the key."),
        (403, None, "Give a key: api_key=…."),
        (404, None, NAMES),
        (429, None, LATER),
        (422, None, IN_VAIN),
    ],
)
def test_D08_a_status_comes_with_advice(status: int, key: Any, advice: str) -> None:
    error = fails(answering({"detail": "no"}, status=status), api_key=key)
    assert str(error).endswith(f": 'no'. {advice}")


def test_D08_an_error_from_the_transport_comes_through_as_it_is() -> None:
    reset = ModelError("connection reset", retryable=True)

    def breaks(request: Request) -> Response:
        raise reset

    def breaks_later(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            yield b'{"choices": '
            raise reset

        return Response(200, {}, pieces())

    assert fails(breaks) is reset
    assert fails(breaks_later) is reset


HUNG_UP = "closed the connection before the reply was complete."
SILENT = (
    "sent nothing for 7 seconds. It may still be computing, so it is not asked again "
    "by itself. A slow model needs a larger timeout=…."
)
STOPPED = (
    "began a reply and then sent nothing for 7 seconds. A slow model needs a larger "
    "timeout=…."
)


# D08, H17. Right: connections that a transport of one's own loses are errors of the
# same kind, and as retryable, as those that ours loses.
@pytest.mark.parametrize(
    ("lost", "at_once", "later"),
    [
        (ConnectionResetError(104, "reset"), (HUNG_UP, True), (HUNG_UP, True)),
        (BrokenPipeError(), (HUNG_UP, True), (HUNG_UP, True)),
        (TimeoutError("read"), (SILENT, False), (STOPPED, True)),
    ],
)
def test_D08_a_connection_that_a_transport_of_ones_own_loses(
    lost: OSError, at_once: tuple[str, bool], later: tuple[str, bool]
) -> None:
    def breaks(request: Request) -> Response:
        raise lost

    def breaks_later(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            yield b'{"choices": '
            raise lost

        return Response(200, {}, pieces())

    for transport, (words, retryable) in ((breaks, at_once), (breaks_later, later)):
        error = fails(transport, timeout=7)
        assert (str(error), error.retryable) == (f"{URL} {words}", retryable)


def test_D08_a_refusal_that_breaks_off_keeps_its_status() -> None:
    def refuses(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            yield b"slow down"
            raise ConnectionResetError

        return Response(429, {}, pieces())

    assert str(fails(refuses)).startswith(f"{URL} answered 429 Too Many Requests")


def test_a_bug_in_a_transport_of_ones_own_stays_what_it_is() -> None:
    def buggy(request: Request) -> Response:
        raise FileNotFoundError("cassette.json")

    with pytest.raises(FileNotFoundError, match="cassette"):
        openai(buggy).generate(QUESTION)


def test_a_redirect_is_not_followed_and_says_where_it_leads() -> None:
    error = fails(answering({}, status=307, headers={"location": "https://x/v1"}))
    assert "It sends on to 'https://x/v1'." in str(error)


def test_a_connection_is_closed_even_if_it_was_not_read_to_its_end() -> None:
    closed: list[bool] = []

    def pieces() -> Iterator[bytes]:
        try:
            yield events(chunk({"content": "Oslo"}, "stop"))
            yield b"more"
        finally:
            closed.append(True)

    body = pieces()
    openai(lambda request: Response(200, SSE_TYPE, body)).generate(QUESTION)
    assert closed == [True]


# A17: each is a ModelError, graded, that says what came and what to do.
@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            b'{"choices":[]}',
            "application/json",
            "answered no choices, but these keys: 'choices'. "
            "Check that the base URL is that of a chat completions API.",
        ),
        (
            b'{"choices":[{"message":null}]}',
            "application/json",
            "answered a choice without a message, but with these keys: 'message'; "
            f"beside it: 'choices'. {NAMES}",
        ),
        (
            b"",
            "application/json",
            "answered no JSON but an empty body (content type application/json). "
            "Check the base URL: most servers want /v1 at its end.",
        ),
        (
            b"<!doctype html><title>Gateway</title>" + b"<p>" * 1000,
            "text/html",
            "answered no JSON but a page titled 'Gateway' (content type text/html). A "
            "proxy, tunnel, firewall or web site answered, not the model's API. "
            "Check the base URL: most servers want /v1 at its end.",
        ),
        (
            b"[1, 2]",
            "application/json",
            f"answered '[1, 2]', which is no JSON object. {NAMES}",
        ),
    ],
)
@pytest.mark.parametrize("listen", [None, lambda piece: None])
def test_A17_what_is_no_completion_is_said_with_address_and_advice(
    body: bytes, kind: str, words: str, listen: Any
) -> None:
    transport = FixedTransport(body, headers={"content-type": kind})
    with pytest.raises(ModelError) as caught:
        openai(transport).generate(QUESTION, on_text_delta=listen)
    assert str(caught.value) == f"{URL} {words}"
    assert not caught.value.retryable


def test_A17_a_body_that_breaks_off_may_succeed_later() -> None:
    error = fails(FixedTransport(b'{"choices": [{"message": {"content": "Os'))
    assert str(error) == (
        f"{URL} answered JSON that is broken or cut off: "
        f'\'{{"choices": [{{"message": {{"content": "Os\'. {LATER}'
    )
    assert error.retryable


def test_a_body_nested_without_end_is_no_reply() -> None:
    error = fails(FixedTransport(b'{"choices":' + b"[" * 100_000))
    assert "broken or cut off" in str(error)


# A06: what is sent is strict JSON, made so once: a bug is an error here, not there.
def test_A06_a_payload_that_is_no_strict_json_is_not_sent() -> None:
    transport = answering({})
    provider = Provider(URL, "m", None, transport, 60.0, time.time)
    with pytest.raises(ValueError, match="not JSON compliant"):
        provider.ask({"top_p": math.nan}, dict, streamed=False)
    assert transport.requests == []


# G06: only Content-Type is sent, and Authorization where there is a key.
@pytest.mark.parametrize(
    ("key", "headers"),
    [
        (None, {"Content-Type": "application/json"}),
        ("", {"Content-Type": "application/json"}),
        (
            " sk-1\n",
            {"Content-Type": "application/json", "Authorization": "Bearer sk-1"},
        ),
    ],
)
def test_G06_only_two_headers_are_sent(key: Any, headers: Any) -> None:
    transport = answering(completion({"content": "hi"}))
    openai(transport, api_key=key).generate(QUESTION)
    request = transport.requests[0]
    assert (request.method, request.url, request.headers) == ("POST", URL, headers)


KEY = "sk-very-secret-0123456789"


@pytest.mark.parametrize(
    "transport",
    [
        answering({"error": f"wrong key {KEY}"}, status=401),
        FixedTransport(f"wrong key {KEY}".encode(), status=500),
        answering({"error": {"message": f"wrong key {KEY}", "code": 401}}),
        answering({KEY: 1}),
        FixedTransport(f"<p>{KEY}</p>".encode()),
        *(
            FixedTransport(b"x" * n + KEY.encode(), status=500)
            for n in range(170, 200, 3)
        ),
        *(FixedTransport(b"x" * n + KEY.encode()) for n in range(50, 80, 3)),
        streaming({"error": KEY}),
        answering({}, status=307, headers={"location": f"https://x/?key={KEY}"}),
    ],
)
def test_the_key_is_shown_nowhere(transport: FixedTransport) -> None:
    model = openai(transport, api_key=KEY)
    with pytest.raises(ModelError) as caught:
        model.generate(QUESTION)
    shown = f"{caught.value} {model!r} {vars(model)} {transport.requests[0]!r}"
    assert KEY[:8] not in shown


def test_a_key_with_signs_that_no_key_has_is_refused_unseen() -> None:
    with pytest.raises(ValueError, match="Copy it again") as caught:
        openai(api_key="sk-“secret”")
    assert "secret" not in str(caught.value)
