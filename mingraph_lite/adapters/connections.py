"""Connections of urllib3 that keep secrets and know when they are stale.

urllib3 itself is imported at the first request: in a browser there are no sockets.
"""

from __future__ import annotations

import base64
import functools
import time
from typing import TYPE_CHECKING, Any, Final

from mingraph_lite.adapters.routes import Route, tls_context

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool, PoolManager

__all__: Final = ["NO_HANDSHAKE", "open_manager", "was_stale"]

NO_HANDSHAKE: Final = "no handshake"
"""What stands in the error where a connection was taken, and then nothing was said."""

_AT_ONCE: Final = 1.0
"""A server that hung up before it read a request is found out within these seconds."""


class _Stale(ConnectionResetError):
    """A connection that was used before ended without a byte of this reply."""


class _Reused:
    """Tells a stale connection from a server that fails, and says nothing in a log."""

    # `http.client` prints all headers where a program sets this for all connections.
    debuglevel = 0
    replies = 0
    sent_at = 0.0

    def connect(self) -> None:
        from urllib3.exceptions import ConnectTimeoutError

        self.replies = 0
        try:
            super().connect()  # type: ignore[misc]
        except TimeoutError:
            # Else it would count as a request that was sent and not answered.
            raise ConnectTimeoutError(self, NO_HANDSHAKE) from None

    def request(self, *args: Any, **options: Any) -> None:
        self.sent_at = time.monotonic()
        super().request(*args, **options)  # type: ignore[misc]

    def getresponse(self) -> Any:
        try:
            response = super().getresponse()  # type: ignore[misc]
        except ConnectionError:  # http.client's RemoteDisconnected is one
            if self.replies and time.monotonic() - self.sent_at < _AT_ONCE:
                raise _Stale from None
            raise
        self.replies += 1
        return response


@functools.cache
def _pools() -> dict[str, type[HTTPConnectionPool]]:
    """urllib3's pools of connections, with ours in them."""
    from http.client import HTTPResponse

    import urllib3
    from urllib3.connection import HTTPConnection, HTTPSConnection

    class Reply(HTTPResponse):
        """A reply; lines that are no header are dropped, or a warning quotes them."""

        def begin(self) -> None:
            super().begin()
            self.msg.defects.clear()
            self.msg.set_payload("")

    class Connection(_Reused, HTTPConnection):
        """A connection over http."""

        response_class = Reply

    class SecureConnection(_Reused, HTTPSConnection):
        """A connection over https."""

        response_class = Reply

    class Pool(urllib3.HTTPConnectionPool):
        ConnectionCls = Connection

    class SecurePool(urllib3.HTTPSConnectionPool):
        ConnectionCls = SecureConnection

    return {"http": Pool, "https": SecurePool}


def open_manager(route: Route) -> PoolManager:
    """The pools of connections for one way; ModelError where it cannot be had."""
    import urllib3

    context = tls_context(route) if route.secure else None
    manager: PoolManager
    if route.proxy:
        manager = urllib3.ProxyManager(
            route.proxy,
            proxy_headers=_login_header(route),
            proxy_ssl_context=context,
            ssl_context=context,
            maxsize=8,
        )
    else:
        manager = urllib3.PoolManager(ssl_context=context, maxsize=8)
    manager.pool_classes_by_scheme = _pools()
    return manager


def was_stale(error: Exception) -> bool:
    """Whether a request came too late: its connection was hung up before."""
    return any(isinstance(each, _Stale) for each in error.args)


def _login_header(route: Route) -> dict[str, str]:
    if route.login is None:
        return {}
    basic = base64.b64encode(route.login.reveal().encode()).decode()
    return {"Proxy-Authorization": f"Basic {basic}"}
