"""How bytes travel: one request out, one response in, whatever carries them.

An adapter builds a `Request` and reads a `Response`; a transport is any function from
one to the other. A script hands it to urllib3, the page in the browser to `fetch`, a
test to three lines of its own.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mingraph_lite.adapters.headers import Headers
from mingraph_lite.adapters.hiding import without_frames
from mingraph_lite.adapters.on_the_way import explained, wants_a_login
from mingraph_lite.adapters.routes import Route, route_to

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

__all__: Final = [
    "Request",
    "Response",
    "Transport",
    "Urllib3Transport",
    "urllib3_transport",
]

_CONNECT_SECONDS: Final = 10.0
_END_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent.

    `timeout` is the longest silence in seconds, not the whole time. The headers are
    kept out of `repr`, since one of them may be the key.
    """

    method: str
    url: str
    headers: Headers | Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float

    def __post_init__(self) -> None:
        if not isinstance(self.headers, Headers):
            object.__setattr__(self, "headers", Headers(self.headers))


@dataclass(frozen=True, slots=True)
class Response:
    """What comes back.

    Header names are kept in lower case, and the body comes piece by piece. An error
    while the body still travels is raised by `chunks`, as ModelError. What a server
    says may hold the key, so `repr` shows none of it. `way` names, for an error, who
    stood in between and may have answered instead.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    chunks: Iterator[bytes] = field(repr=False)
    way: str = ""

    def __post_init__(self) -> None:
        # A transport of one's own may hand them on as the server wrote them.
        low = {str(name).lower(): value for name, value in self.headers.items()}
        object.__setattr__(self, "headers", low)


type Transport = Callable[[Request], Response]
"""Carries one request; raises ModelError where no response can be had.

A ConnectionError or a TimeoutError that one of your own lets through becomes one.
"""


class Urllib3Transport:
    """Carries requests with urllib3, over connections that stay open between them.

    No retry, no redirect. Whoever asks decides on retries, and announces them; a
    redirect would take the key to a host that nobody chose. One exception: servers hang
    up a connection that was idle for long, and may do so just when it is used again. A
    request is sent once more, on a fresh connection, where an old one ended within a
    second and without a byte: then the server has not read it.

    A connection whose reply was not read to its end is closed. The others are closed
    with `close()`, or when nothing holds this any more. Proxies and certificates come
    from the environment, see `routes`. Threads may share one.
    """

    def __init__(self) -> None:
        self._managers: dict[Route, PoolManager] = {}
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Response:
        """Send one request, and give its response as soon as it begins."""
        route = route_to(request.url)
        manager = self._manager_for(route)

        def send() -> BaseHTTPResponse:
            return _send(manager, request)

        reply = without_frames(
            send, lambda error: explained(error, request.url, request.timeout, route)
        )
        if reply.status == 407 and route.proxy:
            reply.close()
            raise wants_a_login(route)
        # Looked up by name, a header that came twice is one with a comma.
        headers = {name: reply.headers[name] for name in reply.headers}
        # Through https nobody in between can answer.
        way = route.by if request.url.startswith("http:") else ""
        pieces = _read_pieces(reply, request, route)
        return Response(reply.status, headers, pieces, way)

    def __reduce__(self) -> tuple[type[Urllib3Transport], tuple[()]]:
        # A copy opens connections of its own.
        return Urllib3Transport, ()

    def close(self) -> None:
        """Close the connections that are idle; the next request opens another."""
        with self._lock:
            managers = list(self._managers.values())
            self._managers.clear()
        for manager in managers:
            # `clear` alone leaves them to the garbage collector.
            for name in manager.pools.keys():  # noqa: SIM118
                if pool := manager.pools.get(name):
                    pool.close()
            manager.clear()

    def _manager_for(self, route: Route) -> PoolManager:
        from mingraph_lite.adapters.connections import open_manager

        with self._lock:
            if route not in self._managers:
                self._managers[route] = open_manager(route)
            return self._managers[route]


def urllib3_transport(request: Request) -> Response:
    """Carry one request with urllib3, on a connection of its own."""
    return Urllib3Transport()(request)


def _send(manager: PoolManager, request: Request) -> BaseHTTPResponse:
    import urllib3

    from mingraph_lite.adapters.connections import was_stale

    seconds = urllib3.Timeout(
        connect=min(request.timeout, _CONNECT_SECONDS), read=request.timeout
    )
    while True:
        try:
            return manager.request(
                request.method,
                request.url,
                body=request.body,
                headers=dict(request.headers.items()),
                timeout=seconds,
                retries=False,
                redirect=False,
                preload_content=False,
            )
        except urllib3.exceptions.ProtocolError as error:
            # A fresh connection is never stale, so this ends.
            if not was_stale(error):
                raise


def _read_pieces(
    reply: BaseHTTPResponse, request: Request, route: Route
) -> Iterator[bytes]:
    """The body as it arrives: each read hands out what is there and waits no longer."""
    has_begun = False

    def read() -> bytes:
        return reply.read1(65536)

    def explain(error: BaseException) -> BaseException:
        return explained(
            error, request.url, request.timeout, route, has_begun=has_begun
        )

    try:
        while piece := without_frames(read, explain):
            has_begun = True
            yield piece
    except GeneratorExit:
        _take_in_the_end(reply)
        raise
    finally:
        # One that was read to its end has given its connection back before.
        reply.close()


def _take_in_the_end(reply: BaseHTTPResponse) -> None:
    """Read the mark that ends a stream, where it came with the last that was read.

    Who listens to a stream stops at its last event, one step before. No more than a
    moment is waited for the mark: without it the connection is closed, that is all.
    """
    socket = getattr(getattr(reply, "connection", None), "sock", None)
    if socket is None:
        return
    usual = socket.gettimeout()
    with contextlib.suppress(Exception):
        socket.settimeout(_END_SECONDS)
        reply.read1(1)
        socket.settimeout(usual)
