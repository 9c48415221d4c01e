"""From pieces of bytes to text, wherever they were cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mingraph_lite.adapters.error_replies import Unusable
from mingraph_lite.adapters.streams import server_sent_events
from tests.adapters.models import (
    LATER,
    NAMES,
    QUESTION,
    URL,
    fails,
    listened_to,
    openai,
)
from tests.adapters.wire import FixedTransport, as_events, chunk, events, streaming
from tests.lines import grows_with_its_input


def then_silence(*pieces: bytes) -> Iterator[bytes]:
    """A body after which the connection stays open, and nothing more comes."""
    yield from pieces
    raise AssertionError("read on after [DONE]")


# A20: comments and empty events are passed over; [DONE] ends the reading.
def test_A20_keep_alives_are_passed_over_and_DONE_ends_the_reading() -> None:
    os, lo = (json.dumps(chunk({"content": text})) for text in ("Os", "lo"))
    body = (
        ": OPENROUTER PROCESSING\n\n"
        f"id: 7\ndata: {os}\n\n"
        ": ping\n\n:\n"
        "data: : keepalive\n\n"
        "event: ping\n\ndata:\n\n"
        f"data:{lo}\n\n"
        "data: [DONE]\n\n"
    )
    response, deltas = listened_to(openai(as_events(then_silence(body.encode()))))
    assert (response.message.content, deltas) == ("Oslo", ["Os", "lo"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_A20_lines_may_end_in_three_ways(end: str) -> None:
    body = events(chunk({"content": "Oslo"}, "stop")).replace(b"\n", end.encode())
    assert listened_to(openai(FixedTransport(body, headers={})))[1] == ["Oslo"]


def test_A20_an_event_may_be_spread_over_data_lines() -> None:
    spread = json.dumps(chunk({"content": "Oslo"}, "stop"), indent=1)
    body = "".join(f"data: {line}\n" for line in spread.split("\n")) + "\n"
    transport = as_events(body.encode())
    assert openai(transport).generate(QUESTION).message.content == "Oslo"


@pytest.mark.parametrize(
    "line", ['"x",', "7,", '{"a": [1, 2]},', '"\\\\",', "]", '"', ""]
)
def test_H24_an_event_of_twice_as_many_lines_is_twice_the_work(line: str) -> None:
    def job(lines: int) -> Any:
        spread = ["data: [", *[f"data: {line}"] * lines]

        def read() -> None:
            with pytest.raises(Unusable):
                list(server_sent_events(spread))

        return read

    assert grows_with_its_input(job)


def test_A20_what_is_read_line_by_line_is_what_is_read_at_once() -> None:
    value = {
        "text": 'a "quoted" [word] \\ and {more}',
        "list": [1, {"x": None}],
        "n": 7,
    }
    for indent in (0, 1, None):
        lines = json.dumps(value, indent=indent).split("\n")
        spread = [*(f"data: {line}" for line in lines), "", "data: [DONE]"]
        assert list(server_sent_events(spread)) == [value, None]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("{oops", "sent an event that is no JSON: '{oops'."),
        ("7", "sent '7' in the stream, which is no object."),
    ],
)
def test_A20_an_event_that_is_no_json_is_no_reply(data: str, words: str) -> None:
    error = fails(as_events(f"data: {data}\n\ndata: [DONE]\n\n".encode()))
    assert str(error) == f"{URL} {words} {NAMES}"


def test_a_finish_reason_without_DONE_ends_a_stream() -> None:
    whole = streaming(chunk({"content": "Os"}), chunk({}, "stop"), done=False)
    assert openai(whole).generate(QUESTION).message.content == "Os"


@pytest.mark.parametrize("missing", [0, 20])
def test_a_stream_without_finish_reason_and_DONE_was_cut_off(missing: int) -> None:
    body = events(chunk({"content": "Os"}), done=False)
    error = fails(as_events(body[: len(body) - missing]))
    assert str(error) == (
        f"{URL} cut off the stream before the reply was complete. {LATER}"
    )
    assert error.retryable


TROMSO = "Tromso: \u2705 -4\u00b0C \u2028 \u0085 \U0001f9e3"


# A22: all cuts give the same text; one inside a character at the end is an error.
def test_A22_a_character_may_be_cut_by_a_read() -> None:
    body = events(chunk({"content": TROMSO}, "stop"))
    for at in range(len(body) + 1):
        transport = as_events([body[:at], body[at:]])
        assert openai(transport).generate(QUESTION).message.content == TROMSO


def test_A22_a_stream_that_ends_inside_a_character_was_cut_off() -> None:
    body = events(chunk({"content": TROMSO}, "stop"), done=False)
    inside = body.index("\u2705".encode()) + 1
    error = fails(as_events(body[:inside]))
    assert str(error) == f"{URL} cut off the stream inside a character. {LATER}"


def test_A22_bytes_that_are_not_utf8_are_said() -> None:
    error = fails(as_events([b"data: \xff\xfe", b"\n\n"]))
    assert str(error) == f"{URL} sent bytes that are not UTF-8. {NAMES}"


# B10: half characters are replaced once; a proper pair is one character.
def test_B10_an_escaped_pair_is_one_character_even_in_two_pieces() -> None:
    body = rb'{"choices": [{"message": {"content": "\ud83d\udc4d \udce9"}}]}'
    response = openai(FixedTransport(body)).generate(QUESTION)
    assert response.message.content == "\U0001f44d \ufffd"
    pieces = (
        rb'data: {"choices": [{"delta": {"content": "ok \ud83d"}}]}' + b"\n\n"
        rb'data: {"choices": [{"delta": {"content": "\udc4d"}}]}' + b"\n\n"
        rb'data: {"choices": [{"delta": {"content": "\ud83d"}}]}' + b"\n\n"
        b"data: [DONE]\n\n"
    )
    response, deltas = listened_to(openai(as_events(pieces)))
    assert response.message.content == "ok \U0001f44d\ufffd"
    assert deltas == ["ok ", "\U0001f44d", "\ufffd"]
