"""What went wrong on the way to a server, and what helps."""

from __future__ import annotations

import re
from typing import Final

from mingraph_lite.adapters.connections import NO_HANDSHAKE
from mingraph_lite.adapters.routes import Route
from mingraph_lite.errors import ModelError

__all__: Final = ["explained", "left_unexplained", "wants_a_login"]

_HUNG_UP: Final = "closed the connection before the reply was complete."
_REASON: Final = re.compile(r"verify failed: ([^(]+) \(")


def explained(
    error: BaseException,
    url: str,
    timeout: float,
    route: Route,
    *,
    has_begun: bool = False,
) -> BaseException:
    """The error to raise for one of urllib3; Ctrl-C stays what it is."""
    from urllib3 import exceptions

    where = f"{url}{route.by}"
    seconds = "1 second" if timeout == 1 else f"{timeout:g} seconds"
    match error:
        case ModelError():
            return error
        case _ if not isinstance(error, Exception):
            return error
        case exceptions.ProxyError():
            return _at_the_proxy(error, url, route)
        case exceptions.ConnectTimeoutError() if NO_HANDSHAKE in error.args:
            what = (
                "took the connection, but agreed on no encryption. Does the server "
                "speak http, or is it very busy?"
            )
        case exceptions.ConnectTimeoutError() | exceptions.NewConnectionError():
            what = "cannot be reached. Is the server running, and the address right?"
        case exceptions.TimeoutError() | TimeoutError() if has_begun:
            what = _stopped(seconds)
        case exceptions.TimeoutError() | TimeoutError():
            return ModelError(f"{where} {_silent(seconds)}")
        case exceptions.SSLError():
            return _with_certificates(error, where, route)
        case exceptions.LocationValueError():
            return ModelError(f"{url} cannot be used: {error}")
        case exceptions.HTTPError() | OSError():
            what = _HUNG_UP
        case _:
            # Not its words: they may quote a header.
            return ModelError(f"{where} cannot be asked: {type(error).__name__}.")
    return ModelError(f"{where} {what}", retryable=True)


def left_unexplained(
    error: BaseException, url: str, timeout: float, *, has_begun: bool = False
) -> ModelError | None:
    """The error for a lost connection that a transport of one's own let through.

    None for anything else: that is a bug of the transport, and stays what it is.
    """
    if isinstance(error, ConnectionError):
        return ModelError(f"{url} {_HUNG_UP}", retryable=True)
    if not isinstance(error, TimeoutError):
        return None
    say = _stopped if has_begun else _silent
    return ModelError(f"{url} {say(f'{timeout:g} seconds')}", retryable=has_begun)


def _silent(seconds: str) -> str:
    return (
        f"sent nothing for {seconds}. It may still be computing, so it is not asked "
        "again by itself. A slow model needs a larger timeout=…."
    )


def _stopped(seconds: str) -> str:
    return (
        f"began a reply and then sent nothing for {seconds}. A slow model needs a "
        "larger timeout=…."
    )


def _at_the_proxy(error: Exception, url: str, route: Route) -> ModelError:
    """What a proxy did, by the status it answered where it answered one."""
    from urllib3 import exceptions

    cause = error.args[1] if len(error.args) > 1 else None
    status = re.search("failed: ([0-9]{3})", str(cause))
    if status is None:
        if isinstance(cause, exceptions.SSLError):
            return _with_certificates(cause, f"The proxy {route.proxy}", route)
        return ModelError(
            f"The proxy {route.proxy} ({route.proxy_variable}) cannot be reached, or "
            f"hung up, on the way to {url}. Is its address right, and does the "
            "server's name belong into NO_PROXY?",
            retryable=True,
        )
    if status[1] == "407":
        return wants_a_login(route)
    return ModelError(
        f"The proxy {route.proxy} ({route.proxy_variable}) answered {status[1]} on the "
        f"way to {url}. Ask whoever runs it, or put the server's name into "
        "NO_PROXY.",
        retryable=status[1].startswith("5"),
    )


def wants_a_login(route: Route) -> ModelError:
    """The error for a proxy that asks who is there."""
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
    reason = _REASON.search(str(error))
    words = f" ({reason[1]})" if reason else ""
    return ModelError(
        f"{where} shows a certificate that nobody signed whom {known}, or that is not "
        f"for this name or day{words}. A company's own is named by a file in PEM: "
        "SSL_CERT_FILE=company.pem."
    )
