"""The socket of the fake server: who may ask, how it answers.

What the reply is, others decide: a source of replies, and the server that is played.
"""

from __future__ import annotations

import contextlib
import hmac
import socket
import socketserver
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from mingraph_lite.adapters.strict_json import brief, read_json
from mingraph_lite.lab.played import PlayedServer
from mingraph_lite.lab.reply_source import ReplySource
from mingraph_lite.lab.wire import HOST, ServerReply, error, model_list, unknown_model

__all__: Final = ["CORS_HEADERS", "ClientRequest", "Listener", "RequestListener"]

_PATIENCE: Final = 0.5
"""Seconds that all open requests together have to end, once the server closes."""

_LONGEST_BODY: Final = 32 * 2**20
"""No folder comes near it; memory is taken for a whole body before its first byte."""

# Any page may call, as there is nothing here that a page must not know. The headers are
# named one by one, as strict servers do: a page that sends another is kept out.
CORS_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Expose-Headers": "Retry-After",
}


@dataclass(frozen=True)
class ClientRequest:
    """One request as the server received it.

    `headers` are the names in lower case. Whatever may hold the key is kept out of
    `repr`.
    """

    method: str
    path: str
    authorization: str | None = field(repr=False)
    headers: frozenset[str]
    body: bytes = field(repr=False)

    def json(self) -> Any:
        """The body, where it is JSON."""
        return read_json(self.body.decode())


type RequestListener = Callable[[ClientRequest], object]
"""Is handed each request, before it is answered."""


class Listener(ThreadingHTTPServer):
    """The listening socket, and every connection that is open."""

    request_queue_size = 64  # a whole class connects at once

    def __init__(
        self,
        source: ReplySource,
        played: PlayedServer | None,
        port: int,
        key: str | None,
        delay: float,
        on_request: RequestListener | None,
    ) -> None:
        self.source, self.played = source, played
        self.base = "/v1" if played is None else played.server.base
        self.key, self.delay = key, delay
        self.on_request = on_request
        self.stopping = Event()
        self._open: dict[Thread, socket.socket] = {}
        super().__init__((HOST, port), _Connection)

    def server_bind(self) -> None:
        """Bind without asking the network for the name of this machine."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

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
        """Stop listening, and close what is open.

        A script that is busy without end is left alone: its thread is a daemon.
        """
        self.stopping.set()
        self.shutdown()
        self.source.let_go()
        for connection in self._open.values():
            with contextlib.suppress(OSError):  # the client may be faster
                connection.shutdown(socket.SHUT_RDWR)
        until = monotonic() + _PATIENCE
        for thread in self._open:
            thread.join(max(until - monotonic(), 0))
        self.server_close()


class _Connection(BaseHTTPRequestHandler):
    """One connection; a client may send several requests over it."""

    server: Listener
    protocol_version = "HTTP/1.1"
    server_version = "mingraph_lite"
    disable_nagle_algorithm = True  # or the pieces of a stream wait for each other

    def do_OPTIONS(self) -> None:
        """Let a page ask whether it may call."""
        if self._body() is not None:
            self._begin(204)
            self.end_headers()

    def do_GET(self) -> None:
        """Answer any method: what there is, or that it is not there."""
        body = self._body()
        if body is None:
            return
        if self.server.on_request is not None:
            self.server.on_request(self._received(body))
        self._send(self._reply(body))

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def _body(self) -> bytes | None:
        """The body of the request; None where it has been refused."""
        length = self.headers.get("Content-Length")
        if length is None:
            if self.command != "POST" and "Transfer-Encoding" not in self.headers:
                return b""
            self.send_error(411, "The request has no Content-Length. Send one")
        elif not length.isdecimal():
            self.send_error(400, f"The Content-Length {brief(length)} is no number")
        elif len(length) > 20 or int(length) > _LONGEST_BODY:
            self.send_error(
                413, f"The body is too long. The longest is {_LONGEST_BODY} bytes"
            )
        else:
            return self.rfile.read(int(length))
        return None

    def _received(self, body: bytes) -> ClientRequest:
        return ClientRequest(
            self.command,
            self.path,
            self.headers.get("Authorization"),
            frozenset(name.lower() for name in self.headers),
            body,
        )

    def _reply(self, body: bytes) -> ServerReply:
        key = self.headers.get("Authorization", "")
        if not self._may_ask(key):
            return self._error(401, "The key is not right.", "invalid_api_key")
        source, (path, _, query) = self.server.source, self.path.partition("?")
        played, base = self.server.played, self.server.base
        if self.command == "POST" and played is not None and played.serves(path):
            return played.reply(body, path, query, dict(self.headers.items()))
        if path.startswith(f"{base}/"):
            path = f"/v1{path.removeprefix(base)}"
        match self.command, path:
            case "POST", "/v1/chat/completions":
                return source.reply(body, key)
            case "GET" | "HEAD", "/v1/models":
                return model_list(source.models.values())
            case "GET" | "HEAD", _ if path.startswith("/v1/models/"):
                name = path.removeprefix("/v1/models/")
                if name in source.models:
                    return ServerReply.json(source.models[name])
                return unknown_model(name, source.models)
            case "GET" | "HEAD", "/api/tags" if played is not None:
                return played.model_list()
        return self._error(
            404,
            f"There is no {self.command} {path}. There are: "
            f"POST {base}/chat/completions, GET {base}/models.",
            "not_found",
        )

    def _may_ask(self, key: str) -> bool:
        wanted = self.server.key
        if wanted is None:
            return True
        sent = [key]
        if self.server.played is not None:
            sent.append(f"Bearer {self.headers.get('api-key', '')}")
        right = f"Bearer {wanted}".encode()
        return any(hmac.compare_digest(each.encode(), right) for each in sent)

    def _error(self, status: int, words: str, code: str) -> ServerReply:
        if self.server.played is not None:
            return self.server.played.error(status, words, self.path)
        return error(status, words, code)

    def _begin(self, status: int) -> None:
        self.send_response(status)
        for name, value in CORS_HEADERS.items():
            self.send_header(name, value)

    def _send(self, reply: ServerReply) -> None:
        self._begin(reply.status)
        self.send_header("Content-Type", reply.content_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if len(reply.pieces) == 1 and not reply.cut:
            self.send_header("Content-Length", str(len(reply.pieces[0])))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.pieces[0])
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, piece in enumerate(reply.pieces):
            if number and self.server.stopping.wait(self.server.delay):
                break
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        # Without the end mark, the client knows that the stream is not whole.
        self.close_connection = reply.cut or self.server.stopping.is_set()
        if not self.close_connection:
            self.wfile.write(b"0\r\n\r\n")

    def send_error(
        self, code: int, message: str | None = None, explain: str | None = None
    ) -> None:
        """Refuse what is no request, in the shape of the API."""
        self.close_connection = True
        self.request_version = self.protocol_version  # whatever it was that came
        words = message or HTTPStatus(code).phrase
        self._send(error(code, f"{words}.", "bad_request"))

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal for the one line with the address."""
