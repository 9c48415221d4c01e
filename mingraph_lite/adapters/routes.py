"""Which way a request takes: proxies and certificates from the environment.

Honoured are the variables that pip, curl and requests know:

    HTTPS_PROXY, HTTP_PROXY, ALL_PROXY    in small letters too, which win; in a CGI
                                          program HTTP_PROXY is a visitor's header, and
                                          only the small one counts
    NO_PROXY                              hosts, their endings, host:port, networks such
                                          as 10.0.0.0/8, and * for all
    REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE    who may sign a server's certificate: the first
    SSL_CERT_FILE, SSL_CERT_DIR           that is set counts, instead of the system's

This machine is never reached through a proxy. The environment is read for each request.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from mingraph_lite.adapters.addresses import is_this_machine
from mingraph_lite.adapters.keys import Key
from mingraph_lite.errors import ModelError

if TYPE_CHECKING:
    from ssl import SSLContext

__all__: Final = ["Route", "route_to", "tls_context"]

_CERTIFICATES: Final = (
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one request, and the variables that say so.

    `proxy` is shown in errors; its user name and password are in `login`.
    """

    proxy: str = ""
    proxy_variable: str = ""
    login: Key | None = field(default=None, repr=False)
    certificates: str = ""
    certificates_variable: str = ""
    secure: bool = False

    @property
    def by(self) -> str:
        """The proxy in the words of an error, or nothing."""
        return f" (by the proxy {self.proxy}, {self.proxy_variable})" * bool(self.proxy)


def route_to(url: str) -> Route:
    """The way to an address, as the environment says at this moment.

    Raises ModelError for a proxy that cannot be used.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ModelError(f"{url} cannot be used: {error}.") from None
    variable, proxy = ("", None) if is_this_machine(url) else _proxy_for(parts)
    secure = parts.scheme == "https"
    certificates_variable = next((n for n in _CERTIFICATES if os.environ.get(n)), "")
    certificates = os.environ.get(certificates_variable, "")
    if proxy is None:
        return Route("", "", None, certificates, certificates_variable, secure)
    if (shown := _shown(proxy)) is None:
        raise ModelError(
            f"{variable} is no address of a proxy. One looks like "
            "http://proxy.example:8080."
        )
    scheme = shown.partition("://")[0]
    if scheme not in {"http", "https"}:
        raise ModelError(
            f"The proxy {shown} ({variable}) speaks {scheme}, which is not supported "
            "here. Name one that speaks http, or put the server's name into NO_PROXY."
        )
    secure = secure or scheme == "https"
    login = _login_of(proxy)
    return Route(shown, variable, login, certificates, certificates_variable, secure)


def _proxy_for(parts: SplitResult) -> tuple[str, Key | None]:
    """The variable that counts, and the proxy it names: out of sight, it may be secret.

    Nothing in here raises, so no traceback shows what the variables hold.
    """
    from urllib import request

    found = request.getproxies_environment()
    host = parts.netloc.rpartition("@")[2]
    # Public since 3.4, and not in every list of types.
    goes_by = request.proxy_bypass_environment(host, found)  # type: ignore[attr-defined]
    if goes_by or _is_in_a_network(host, found.get("no", "")):
        return "", None
    for scheme in (parts.scheme, "all"):
        if proxy := found.get(scheme, "").strip():
            names = (f"{scheme}_proxy", f"{scheme.upper()}_PROXY")
            variable = next((n for n in names if n in os.environ), names[1])
            return variable, Key(proxy if "://" in proxy else f"http://{proxy}")
    return "", None


def _is_in_a_network(host: str, no_proxy: str) -> bool:
    """Whether NO_PROXY names a network, such as 10.0.0.0/8, that holds this number."""
    number = host.rpartition("]")[0].lstrip("[") or host.partition(":")[0]
    try:
        ip = ipaddress.ip_address(number)
    except ValueError:
        return False
    for entry in no_proxy.split(","):
        try:
            if "/" in entry and ip in ipaddress.ip_network(entry.strip(), strict=False):
                return True
        except ValueError:
            continue
    return False


def _shown(proxy: Key) -> str | None:
    """The address of a proxy without name and password; None for what is none."""
    try:
        parts = urlsplit(proxy.reveal())
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return None
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{port}" if host else None


def _login_of(proxy: Key) -> Key | None:
    login, at, _ = urlsplit(proxy.reveal()).netloc.rpartition("@")
    return Key(unquote(login)) if at else None


def tls_context(route: Route) -> SSLContext:
    """Who may sign a certificate on this way; ModelError names a variable in vain."""
    import ssl

    from urllib3.util.ssl_ import create_urllib3_context

    context = create_urllib3_context()
    if not route.certificates:
        context.load_default_certs()
        return context
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    path = route.certificates
    wrong = ""
    try:
        context.load_verify_locations(**_kind_of(path))
    except FileNotFoundError:
        wrong = "which does not exist"
    except OSError:  # an SSLError is one
        wrong = "which holds no certificates in PEM"
    if wrong:
        raise ModelError(
            f"{route.certificates_variable} names {path!r}, {wrong}. Name a file of "
            "certificates, or unset it to trust those that this system knows."
        )
    return context


def _kind_of(path: str) -> Mapping[str, Any]:
    if os.path.isdir(path):
        return {"capath": path}
    return {"cafile": path}
