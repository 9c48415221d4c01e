"""Connections that stay open between the calls of a run, and leave nothing behind."""

from __future__ import annotations

import copy
import gc
import pickle
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.transports import (
    Request,
    Urllib3Transport,
    urllib3_transport,
)
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.fake_server import FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from mingraph_lite.messages import ToolCall, UserMessage

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class Doorman:
    """A server on loopback whose connections are served by a plain function.

    `serve` gets the socket and the number of the connection, counted from 1.
    """

    def __init__(self, serve: Callable[[socket.socket, int], None]) -> None:
        self.accepted = 0
        self._serve = serve
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}/v1"
        self._threads = [threading.Thread(target=self._listen)]
        self._threads[0].start()

    def _listen(self) -> None:
        while True:
            try:
                guest, _ = self._door.accept()
            except OSError:
                return
            self.accepted += 1
            thread = threading.Thread(target=self._attend, args=(guest, self.accepted))
            self._threads.append(thread)
            thread.start()

    def _attend(self, guest: socket.socket, number: int) -> None:
        guest.settimeout(10)  # so that a test that fails ends
        with guest:
            self._serve(guest, number)

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def attended(serve: Callable[[socket.socket, int], None]) -> Iterator[Doorman]:
    doorman = Doorman(serve)
    try:
        yield doorman
    finally:
        doorman.close()


def request_on(guest: socket.socket) -> bytes:
    """One whole request with a body of one byte; empty when the client hung up."""
    data = b""
    while not data.endswith(b"\r\n\r\n!") and (piece := guest.recv(65536)):
        data += piece
    return data


def answer_each(guest: socket.socket, number: int) -> None:
    while request_on(guest):
        guest.sendall(OK)


def post(url: str) -> Request:
    return Request("POST", url, {}, b"!", 30.0)


def counting(server: FakeServer) -> list[object]:
    """The connections that a FakeServer accepts from now on."""
    accepted: list[object] = []
    usual = server._listener.process_request

    def process(request: object, client: object) -> None:
        accepted.append(client)
        usual(request, client)

    server._listener.process_request = process  # type: ignore[method-assign]
    return accepted


@pytest.mark.parametrize("streamed", [False, True])
def test_a_run_of_three_calls_uses_one_connection(streamed: bool) -> None:
    def now() -> str:
        """The time."""
        return "noon"

    replies = [ToolCall("now", {}), ToolCall("now", {}), "It is noon."]
    deltas: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with FakeServer(ReplyQueue(*replies)) as server:
            accepted = counting(server)
            model = OpenAIChat("tiny", server.url)
            tools = ToolRegistry()
            tools.add(now)
            agent = Agent(
                model,
                tools,
                "Be brief.",
                on_text_delta=deltas.append if streamed else None,
            )
            assert agent.run({"question": "?"}) == {"answer": "It is noon."}
            assert len(accepted) == 1
            del agent, model
            gc.collect()


def test_streams_that_were_heard_to_their_end_share_a_connection() -> None:
    with FakeServer(ReplyQueue("one", "two", "three")) as server:
        accepted = counting(server)
        model = OpenAIChat("tiny", server.url)
        for _ in range(3):
            model.generate([UserMessage("?")], on_text_delta=str)
    assert len(accepted) == 1


def test_each_call_of_the_function_has_a_connection_of_its_own() -> None:
    with attended(answer_each) as server:
        for _ in range(2):
            assert list(urllib3_transport(post(server.url)).chunks) == [b"ok"]
        gc.collect()
    assert server.accepted == 2


def test_a_reply_that_was_left_unread_does_not_give_its_connection_back() -> None:
    def promise_more(guest: socket.socket, number: int) -> None:
        request_on(guest)
        guest.sendall(
            OK.replace(b"Length: 2", b"Length: 9" if number == 1 else b"Length: 2")
        )
        guest.recv(1)

    with attended(promise_more) as server:
        transport = Urllib3Transport()
        first = transport(post(server.url)).chunks
        assert next(first) == b"ok"
        first.close()  # type: ignore[attr-defined]
        assert list(transport(post(server.url)).chunks) == [b"ok"]
        transport.close()
    assert server.accepted == 2


def test_a_connection_that_the_server_closed_between_two_calls_is_no_failure() -> None:
    def answer_once(guest: socket.socket, number: int) -> None:
        request_on(guest)
        guest.sendall(OK)

    with attended(answer_once) as server:
        transport = Urllib3Transport()
        for _ in range(3):
            assert list(transport(post(server.url)).chunks) == [b"ok"]
        transport.close()
    assert server.accepted == 3


def test_a_connection_closed_just_as_it_is_used_again_is_no_failure() -> None:
    requests: list[int] = []

    def hang_up_on_the_second(guest: socket.socket, number: int) -> None:
        while request_on(guest):
            requests.append(number)
            if requests == [1, 1]:
                return
            guest.sendall(OK)

    with attended(hang_up_on_the_second) as server:
        transport = Urllib3Transport()
        for _ in range(3):
            assert list(transport(post(server.url)).chunks) == [b"ok"]
        transport.close()
    assert requests == [1, 1, 2, 2]


def test_a_server_that_fails_on_a_fresh_connection_is_asked_once() -> None:
    requests: list[int] = []

    def hang_up(guest: socket.socket, number: int) -> None:
        requests.append(len(request_on(guest)))

    closed = pytest.raises(ModelError, match="closed the connection")
    with attended(hang_up) as server, closed as caught:
        Urllib3Transport()(post(server.url))
    assert caught.value.retryable
    assert len(requests) == 1


def test_a_server_that_breaks_off_its_reply_is_not_asked_again() -> None:
    requests: list[int] = []

    def break_off(guest: socket.socket, number: int) -> None:
        while request_on(guest):
            requests.append(number)
            if len(requests) == 2:
                guest.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                return
            guest.sendall(OK)

    with attended(break_off) as server:
        transport = Urllib3Transport()
        assert list(transport(post(server.url)).chunks) == [b"ok"]
        with pytest.raises(ModelError, match="closed the connection"):
            list(transport(post(server.url)).chunks)
        transport.close()
    assert requests == [1, 1]


def test_threads_share_a_transport() -> None:
    answers: list[list[bytes]] = []
    with attended(answer_each) as server:
        transport = Urllib3Transport()

        def ask() -> None:
            for _ in range(20):
                answers.append(list(transport(post(server.url)).chunks))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        transport.close()
    assert answers == [[b"ok"]] * 80
    assert server.accepted <= 4


def test_a_model_that_goes_away_hangs_up() -> None:
    gone = threading.Event()

    def answer_and_wait(guest: socket.socket, number: int) -> None:
        while request_on(guest):
            guest.sendall(OK)
        gone.set()

    with warnings.catch_warnings(), attended(answer_and_wait) as server:
        warnings.simplefilter("error")
        transport = Urllib3Transport()
        list(transport(post(server.url)).chunks)
        del transport
        gc.collect()
        assert gone.wait(10)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_a_copy_opens_connections_of_its_own(
    copied: Callable[[Urllib3Transport], Urllib3Transport],
) -> None:
    with attended(answer_each) as server:
        first = Urllib3Transport()
        second = copied(first)
        for transport in (first, second, first, second):
            assert list(transport(post(server.url)).chunks) == [b"ok"]
        first.close()
        second.close()
    assert server.accepted == 2
