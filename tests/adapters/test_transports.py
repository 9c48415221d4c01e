"""urllib3's transport on a tiny server, on loopback."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.on_the_way import explained
from mingraph_lite.adapters.routes import Route
from mingraph_lite.adapters.transports import Request, urllib3_transport
from mingraph_lite.errors import ModelError
from mingraph_lite.messages import UserMessage
from tests.adapters.wire import chunk, completion, events

type Answer = Callable[[BaseHTTPRequestHandler, bytes], None]

KEY = "sk-very-secret"


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A server that lets `answer` write each reply; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def post(url: str, *, timeout: float = 30.0) -> Request:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    return Request("POST", url, headers, b'{"n": 1}', timeout)


def failure(request: Request) -> ModelError:
    """The error of a request, whether it comes at once or with the body."""
    with pytest.raises(ModelError) as caught:
        list(urllib3_transport(request).chunks)
    assert KEY not in str(caught.value)
    assert request.url in str(caught.value)
    return caught.value


def begin(page: BaseHTTPRequestHandler, length: int | None, status: int = 200) -> None:
    page.send_response(status)
    page.send_header("Content-Type", "application/json")
    if length is not None:
        page.send_header("Content-Length", str(length))
    page.end_headers()


def test_a_request_arrives_whole_and_so_does_the_response() -> None:
    seen: list[object] = []

    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        seen.append((page.command, page.path, page.headers["Authorization"], body))
        begin(page, 11, status=418)
        page.wfile.write('{"a": "é"}'.encode())

    with serving(answer) as address:
        response = urllib3_transport(post(f"{address}/v1/chat/completions"))
        assert b"".join(response.chunks) == '{"a": "é"}'.encode()
    assert seen == [("POST", "/v1/chat/completions", f"Bearer {KEY}", b'{"n": 1}')]
    assert response.status == 418
    assert response.headers["content-type"] == "application/json"


def test_pieces_are_handed_out_as_they_come() -> None:
    may_go_on = threading.Event()

    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        begin(page, None)
        page.wfile.write(b"first")
        may_go_on.wait()
        page.wfile.write(b"second")

    with serving(answer) as address:
        chunks = urllib3_transport(post(address)).chunks
        assert next(chunks) == b"first"
        may_go_on.set()
        assert list(chunks) == [b"second"]


def test_a_stream_is_heard_and_its_server_may_keep_the_connection_open() -> None:
    heard_all = threading.Event()

    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        page.send_response(200)
        page.send_header("Content-Type", "text/event-stream")
        page.end_headers()
        page.wfile.write(events(chunk({"content": "Os"}), chunk({"content": "lo"})))
        heard_all.wait()

    deltas: list[str] = []
    with serving(answer) as address:
        model = OpenAIChat("m", address, KEY)
        response = model.generate([UserMessage("?")], on_text_delta=deltas.append)
        heard_all.set()
    assert (response.message.content, deltas) == ("Oslo", ["Os", "lo"])


def test_a_refused_connection_may_succeed_later() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        error = failure(post(url))
    assert str(error) == (
        f"{url} cannot be reached. Is the server running, and the address right?"
    )
    assert error.retryable


# H17: a time-out says how long was waited and how to wait longer; what may still be
# computed is not asked again by itself.
@pytest.mark.parametrize("sent", [None, b"", b'{"choices": '])
def test_H17_a_server_that_is_silent_for_too_long_is_not_asked_on_top(
    sent: bytes | None,
) -> None:
    over = threading.Event()

    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        if sent is not None:
            begin(page, 100)
            page.wfile.write(sent)
        over.wait()

    with serving(answer) as address:
        try:
            error = failure(post(address, timeout=0.05))
        finally:
            over.set()
    computing = (
        "sent nothing for 0.05 seconds. It may still be computing, so it is not asked "
        "again by itself."
    )
    broken_off = "began a reply and then sent nothing for 0.05 seconds."
    what = broken_off if sent else computing
    assert str(error) == f"{address} {what} A slow model needs a larger timeout=…."
    assert error.retryable is bool(sent)


@pytest.mark.parametrize(("timeout", "told"), [(1, "1 second"), (1.5, "1.5 seconds")])
def test_H17_one_second_is_one(timeout: float, told: str) -> None:
    error = explained(TimeoutError(), "http://127.0.0.1:1", timeout, Route())
    assert str(error).startswith(f"http://127.0.0.1:1 sent nothing for {told}. ")


def promised_more(page: BaseHTTPRequestHandler, body: bytes) -> None:
    begin(page, 100)
    page.wfile.write(b'{"choices": ')


def left_a_chunk_open(page: BaseHTTPRequestHandler, body: bytes) -> None:
    page.protocol_version = "HTTP/1.1"
    page.send_response(200)
    page.send_header("Transfer-Encoding", "chunked")
    page.end_headers()
    page.wfile.write(b"5\r\nfirst\r\n")
    page.close_connection = True


def hung_up_at_once(page: BaseHTTPRequestHandler, body: bytes) -> None:
    page.close_connection = True


@pytest.mark.parametrize("answer", [promised_more, left_a_chunk_open, hung_up_at_once])
def test_a_connection_that_closes_early_gives_no_reply(answer: Answer) -> None:
    with serving(answer) as address:
        error = failure(post(address))
    assert str(error) == (
        f"{address} closed the connection before the reply was complete."
    )
    assert error.retryable


def test_a_redirect_takes_the_key_nowhere() -> None:
    visited: list[str] = []

    def elsewhere(page: BaseHTTPRequestHandler, body: bytes) -> None:
        visited.append(page.path)
        begin(page, 2)
        page.wfile.write(b"{}")

    with serving(elsewhere) as other:

        def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
            page.send_response(307)
            page.send_header("Location", f"{other}/v1")
            page.send_header("Content-Length", "0")
            page.end_headers()

        with serving(answer) as address:
            response = urllib3_transport(post(address))
            assert list(response.chunks) == []
            with pytest.raises(ModelError, match=f"sends on to '{other}/v1'"):
                OpenAIChat("m", address, KEY).generate([UserMessage("?")])
    assert response.status == 307
    assert visited == []


@pytest.mark.parametrize("url", ["http://", "http://[::1", "nonsense://host/"])
def test_an_address_that_is_none_is_said_and_not_tried_again(url: str) -> None:
    error = failure(post(url))
    assert not error.retryable


def test_a_failed_attempt_is_one_attempt() -> None:
    attempts: list[bytes] = []

    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        attempts.append(body)
        begin(page, 0, status=503)

    with serving(answer) as address:
        assert urllib3_transport(post(address)).status == 503
    assert attempts == [b'{"n": 1}']


# D07. Right: a header that came twice is read with both its values.
def test_D07_a_header_that_comes_twice_is_one_with_a_comma() -> None:
    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        page.send_response(429)
        page.send_header("Retry-After", "2")
        page.send_header("Retry-After", "5")
        page.send_header("Content-Length", "2")
        page.end_headers()
        page.wfile.write(b"{}")

    with serving(answer) as address:
        response = urllib3_transport(post(address))
        assert (*response.chunks,) == (b"{}",)
    assert response.headers["retry-after"] == "2, 5"


def test_only_the_headers_of_the_request_carry_anything_of_ours() -> None:
    seen: list[str] = []
    reply = completion({"content": "hi"})

    def answer(page: BaseHTTPRequestHandler, body: bytes) -> None:
        seen.extend(name.lower() for name in page.headers)
        text = json.dumps(reply).encode()
        begin(page, len(text))
        page.wfile.write(text)

    with serving(answer) as address:
        OpenAIChat("m", address).generate([UserMessage("?")])
    # The last four are those of any HTTP client.
    http = {"host", "accept-encoding", "content-length", "user-agent"}
    assert set(seen) == {"content-type", *http}


def test_importing_the_adapters_imports_no_network_library() -> None:
    code = (
        "import sys, mingraph_lite.adapters, mingraph_lite.adapters.transports\n"
        "assert 'urllib3' not in sys.modules, 'urllib3 was imported'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
