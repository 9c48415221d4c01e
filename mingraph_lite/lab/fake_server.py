"""A chat API with nobody behind it: scripted models on this machine.

    python -m mingraph_lite.lab.fake_server

It speaks OpenAI's chat completions API, so that any client can be tried on a model that
fails on purpose: the name of a scenario or of a fault is the name of the model. A page
in a browser may call it too. It never listens beyond this machine.
"""

from __future__ import annotations

import argparse
import contextlib
import hmac
import signal
import socket
import socketserver
import sys
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self

from mingraph_lite.lab.conversations import Scripts
from mingraph_lite.lab.faults import FAULTS
from mingraph_lite.lab.scenarios import SCENARIOS, Scenario
from mingraph_lite.lab.wire import Sent, error

__all__: Final = ["EVERYTHING", "FOR_PAGES", "Server", "main", "serve"]

EVERYTHING: Final[dict[str, Scenario]] = {**SCENARIOS, **FAULTS}
_LOOPBACK: Final = "127.0.0.1"
_PORT: Final = 8321

# Any page may call, as there is nothing here that a page must not know.
FOR_PAGES: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Expose-Headers": "Retry-After",
}


class Server:
    """An endpoint that is up, at `url`.

    `close` stops it, or the end of a `with`.
    """

    def __init__(self, line: _Line) -> None:
        self._line = line
        self.url = f"http://{_LOOPBACK}:{line.server_port}/v1"
        self._thread = Thread(target=line.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Hang up on every client and free the port."""
        self._line.hang_up()
        self._thread.join()


def serve(
    scenarios: Iterable[Scenario] = tuple(EVERYTHING.values()),
    *,
    port: int = 0,
    default: str = "paris_and_tokyo",
    key: str | None = None,
    delay: float = 0.0,
) -> Server:
    """Start an endpoint in a thread of its own; port 0 takes a free one.

    `default` answers requests that name no model. With a `key`, requests without it are
    refused. `delay` is the wait in seconds between the pieces of a stream.
    """
    return Server(_Line(Scripts(scenarios, default), port, key, delay))


class _Line(ThreadingHTTPServer):
    """The listening socket, and every connection that is open."""

    request_queue_size = 64  # a whole class connects at once

    def __init__(
        self, scripts: Scripts, port: int, key: str | None, delay: float
    ) -> None:
        self.scripts, self.key, self.delay = scripts, key, delay
        self.stopping = Event()
        self._open: dict[Thread, socket.socket] = {}
        super().__init__((_LOOPBACK, port), _Conversation)

    def server_bind(self) -> None:
        """Bind without asking the network for the name of this machine."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = _LOOPBACK, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve the connection in a thread, and remember both.

        A daemon, so that a client that stays connected keeps no program from ending.
        """
        self._open = {t: line for t, line in self._open.items() if t.is_alive()}
        thread = Thread(
            target=self.process_request_thread,
            args=(request, client_address),
            daemon=True,
        )
        self._open[thread] = request
        thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that went away in the middle."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def hang_up(self) -> None:
        """Stop listening, and close what is open."""
        self.stopping.set()
        self.shutdown()
        for thread, connection in self._open.items():
            with contextlib.suppress(OSError):  # the client may be faster
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()
        self.server_close()


class _Conversation(BaseHTTPRequestHandler):
    """One connection; a client may send several requests over it."""

    server: _Line
    protocol_version = "HTTP/1.1"
    server_version = "mingraph_lite"
    disable_nagle_algorithm = True  # or the pieces of a stream wait for each other

    def do_OPTIONS(self) -> None:
        """Let a page ask whether it may call."""
        self._begin(204)
        self.end_headers()

    def do_GET(self) -> None:
        """Tell which models there are."""
        self._send(self._reply("GET", b""))

    def do_POST(self) -> None:
        """Give the next reply of a script."""
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            self.send_error(411)
        else:
            self._send(self._reply("POST", self.rfile.read(max(length, 0))))

    def _reply(self, method: str, body: bytes) -> Sent:
        told = self.headers.get("Authorization", "")
        if self.server.key is not None and not hmac.compare_digest(
            told.encode(), f"Bearer {self.server.key}".encode()
        ):
            return error(401, "The key is not right.", "invalid_api_key")
        path = self.path.partition("?")[0]
        match method, path:
            case "POST", "/v1/chat/completions":
                return self.server.scripts.answer(body, told)
            case "GET", "/v1/models":
                return self.server.scripts.models()
            case "GET", _ if path.startswith("/v1/models/"):
                return self.server.scripts.model(path.removeprefix("/v1/models/"))
        return error(
            404,
            f"There is no {method} {path}. There are: POST /v1/chat/completions, "
            "GET /v1/models.",
            "not_found",
        )

    def _begin(self, status: int) -> None:
        self.send_response(status)
        for name, value in FOR_PAGES.items():
            self.send_header(name, value)

    def _send(self, sent: Sent) -> None:
        self._begin(sent.status)
        self.send_header("Content-Type", sent.content_type)
        for name, value in sent.headers.items():
            self.send_header(name, value)
        if len(sent.pieces) == 1 and not sent.cut:
            self.send_header("Content-Length", str(len(sent.pieces[0])))
            self.end_headers()
            self.wfile.write(sent.pieces[0])
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, piece in enumerate(sent.pieces):
            if number and self.server.stopping.wait(self.server.delay):
                break
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        # Without the end mark, the client knows that the stream is not whole.
        self.close_connection = sent.cut or self.server.stopping.is_set()
        if not self.close_connection:
            self.wfile.write(b"0\r\n\r\n")

    def send_error(
        self, code: int, message: str | None = None, explain: str | None = None
    ) -> None:
        """Refuse what is no request, in the shape of the API."""
        self.close_connection = True
        self.request_version = self.protocol_version  # whatever it was that came
        told = message or HTTPStatus(code).phrase
        self._send(error(code, f"{told}.", "bad_request"))

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal for the one line with the address."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until Ctrl-C or a polite request to end."""
    options = argparse.ArgumentParser(
        prog="python -m mingraph_lite.lab.fake_server",
        description="Scripted models behind OpenAI's chat API, on this machine only.",
    )
    options.add_argument("--port", type=int, default=_PORT, help="0 takes a free one")
    options.add_argument(
        "--scenario",
        default="paris_and_tokyo",
        choices=EVERYTHING,
        metavar="NAME",
        help=f"for requests that name no model; one of {', '.join(EVERYTHING)}",
    )
    options.add_argument("--key", help="refuse requests without this key")
    options.add_argument(
        "--delay", type=float, default=0.0, help="seconds between pieces of a stream"
    )
    chosen = options.parse_args(arguments)
    stopped = Event()
    for polite in (signal.SIGINT, signal.SIGTERM):
        signal.signal(polite, lambda *_: stopped.set())
    try:
        server = serve(
            port=chosen.port,
            default=chosen.scenario,
            key=chosen.key,
            delay=chosen.delay,
        )
    except (OSError, OverflowError) as problem:
        raise SystemExit(
            f"Port {chosen.port} cannot be used: {problem}. "
            "Give another with --port; --port 0 takes a free one."
        ) from None
    with server:
        print(f"Scripted models at {server.url} (Ctrl-C stops it)", flush=True)
        stopped.wait()


if __name__ == "__main__":
    main()
