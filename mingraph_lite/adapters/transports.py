"""How bytes travel: one request out, one response in, whatever carries them.

An adapter builds a `Request` and reads a `Response`; a transport is any function from
one to the other. A script hands it to urllib3, the page in the browser to `fetch`, a
test to three lines of its own.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mingraph_lite.adapters.keys import Headers
from mingraph_lite.adapters.routes import Route, route_to
from mingraph_lite.errors import ModelError

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
    says may hold the key, so `repr` shows none of it.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    chunks: Iterator[bytes] = field(repr=False)

    def __post_init__(self) -> None:
        # A transport of one's own may hand them on as the server wrote them.
        low = {str(name).lower(): value for name, value in self.headers.items()}
        object.__setattr__(self, "headers", low)


type Transport = Callable[[Request], Response]
"""Carries one request; raises ModelError where no response can be had."""


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

        reply = _without_frames(send, lambda error: _on_the_way(error, request, route))
        if reply.status == 407 and route.proxy:
            reply.close()
            raise _wants_a_login(route)
        # Looked up by name, a header that came twice is one with a comma.
        headers = {name: reply.headers[name] for name in reply.headers}
        return Response(reply.status, headers, _read_pieces(reply, request, route))

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


def _without_frames[T](
    act: Callable[[], T], explain: Callable[[Exception], ModelError]
) -> T:
    """What `act` gives; what it raises comes without its frames.

    Some notebooks show the variables of each frame, and urllib3's hold the headers. So
    nothing leaves here with them: no cause, no context, and no Ctrl-C either.
    """
    failure: BaseException
    try:
        return act()
    except Exception as error:
        failure = explain(error)
    except BaseException as error:
        failure = error.with_traceback(None)
        failure.__cause__ = failure.__context__ = None
    raise failure


def _read_pieces(
    reply: BaseHTTPResponse, request: Request, route: Route
) -> Iterator[bytes]:
    """The body as it arrives: each read hands out what is there and waits no longer."""
    has_begun = False

    def read() -> bytes:
        return reply.read1(65536)

    def explain(error: Exception) -> ModelError:
        return _on_the_way(error, request, route, has_begun=has_begun)

    try:
        while piece := _without_frames(read, explain):
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


def _on_the_way(
    error: Exception, request: Request, route: Route, *, has_begun: bool = False
) -> ModelError:
    """What went wrong on the way, in words that name the address and the next step."""
    from urllib3 import exceptions

    where, seconds = f"{request.url}{route.by}", f"{request.timeout:g} seconds"
    match error:
        case ModelError():
            return error
        case exceptions.ProxyError():
            return _at_the_proxy(error, request, route)
        case exceptions.ConnectTimeoutError() | exceptions.NewConnectionError():
            what = "cannot be reached. Is the server running, and the address right?"
        case exceptions.TimeoutError() | TimeoutError() if has_begun:
            what = (
                f"began a reply and then sent nothing for {seconds}. "
                "A slow model needs a larger timeout=…."
            )
        case exceptions.TimeoutError() | TimeoutError():
            return ModelError(
                f"{where} sent nothing for {seconds}. It may still be computing, so it "
                "is not asked again by itself. A slow model needs a larger timeout=…."
            )
        case exceptions.SSLError():
            return _with_certificates(error, where, route)
        case exceptions.LocationValueError():
            return ModelError(f"{request.url} cannot be used: {error}")
        case exceptions.HTTPError() | OSError():
            what = "closed the connection before the reply was complete."
        case _:
            # Not its words: they may quote a header.
            return ModelError(f"{where} cannot be asked: {type(error).__name__}.")
    return ModelError(f"{where} {what}", retryable=True)


def _at_the_proxy(error: Exception, request: Request, route: Route) -> ModelError:
    """What a proxy did, by the status it answered where it answered one."""
    from urllib3 import exceptions

    cause = error.args[1] if len(error.args) > 1 else None
    status = re.search("failed: ([0-9]{3})", str(cause))
    if status is None:
        if isinstance(cause, exceptions.SSLError):
            return _with_certificates(cause, f"The proxy {route.proxy}", route)
        return ModelError(
            f"The proxy {route.proxy} ({route.proxy_variable}) cannot be reached, or "
            f"hung up, on the way to {request.url}. Is its address right, and does the "
            "server's name belong into NO_PROXY?",
            retryable=True,
        )
    if status[1] == "407":
        return _wants_a_login(route)
    return ModelError(
        f"The proxy {route.proxy} ({route.proxy_variable}) answered {status[1]} on the "
        f"way to {request.url}. Ask whoever runs it, or put the server's name into "
        "NO_PROXY.",
        retryable=status[1].startswith("5"),
    )


def _wants_a_login(route: Route) -> ModelError:
    said = "refuses the user name and password" if route.login else "wants a login"
    return ModelError(
        f"The proxy {route.proxy} {said} (407). Give it in {route.proxy_variable}, as "
        "http://user:password@host:port, with %40 for an @ in the password."
    )


def _with_certificates(error: Exception, where: str, route: Route) -> ModelError:
    if "CERTIFICATE_VERIFY_FAILED" not in str(error):
        return ModelError(
            f"{where} cannot be used over https: {error}. Does the server speak http?"
        )
    known = (
        f"{route.certificates_variable}={route.certificates} holds"
        if route.certificates
        else "this system knows"
    )
    return ModelError(
        f"{where} shows a certificate that nobody signed whom {known}, or that is not "
        "for this name or day. A company's own is named by a file in PEM: "
        "SSL_CERT_FILE=company.pem."
    )
