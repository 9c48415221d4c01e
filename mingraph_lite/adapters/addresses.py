"""One right address from what people paste.

The page uses these functions as they stand, before its first request.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

__all__: Final = ["mixed_content", "ollama_base", "openai_base"]

_OPENAI_ENDPOINTS: Final = (
    "/chat/completions",
    "/completions",
    "/models",
    "/responses",
)
_OLLAMA_ENDPOINTS: Final = (
    "/api/chat",
    "/api/generate",
    "/api/tags",
    "/api",
    "/v1/chat/completions",
    "/v1",
)


def openai_base(address: str) -> str:
    """The base URL of an OpenAI-compatible server, such as http://localhost:1234/v1.

    A missing scheme is added, slashes too many and a pasted endpoint are taken off. An
    address without any path gets the usual /v1; who really means none pastes the whole
    endpoint. Raises ValueError for what cannot be mended.
    """
    parts = _split(address)
    path = _without(_OPENAI_ENDPOINTS, parts.path)
    if not parts.path:
        path = "/v1"
    return urlunsplit(parts._replace(path=path))


def ollama_base(address: str) -> str:
    """The address of an Ollama server, such as http://127.0.0.1:11434.

    Pasted endpoints are taken off. Raises ValueError for what cannot be mended.
    """
    parts = _split(address)
    return urlunsplit(parts._replace(path=_without(_OLLAMA_ENDPOINTS, parts.path)))


def mixed_content(page: str, base_url: str) -> str | None:
    """Why a browser will not let this page call that server, or None if it will.

    A page on https may call plain http on this machine only.
    """
    server = urlsplit(base_url)
    secure = urlsplit(page).scheme == "https"
    if not secure or server.scheme != "http" or _is_this_machine(server.hostname or ""):
        return None
    return (
        f"The page is on https and {server.netloc} on plain http, so browsers block "
        "the call. Use a server on this machine (localhost), give the server https, or "
        "open the page over http."
    )


def _split(address: str) -> SplitResult:
    text = address.strip()
    if "://" not in text:
        text = f"{_likely_scheme(text)}://{text}"
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  # reading it checks it
    except ValueError as error:
        raise ValueError(f"{address!r} is no address: {error}.") from None
    if parts.username is not None or parts.password is not None:
        # Not quoted: what stands before the @ is a secret.
        raise ValueError(
            "The address holds a user name or a key before the @. "
            "Leave it out of the address and give it as api_key=…."
        )
    if parts.scheme not in {"http", "https"} or not re.fullmatch(
        r"[^\s/?#@\\]+", parts.netloc
    ):
        raise ValueError(
            f"{address!r} is no address of a model server. "
            "One looks like http://localhost:11434/v1."
        )
    if parts.query or parts.fragment:
        raise ValueError(
            "The address goes on after a ? or #. Give it up to there: the name of the "
            "endpoint is put behind it."
        )
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    return parts._replace(netloc=parts.netloc.lower(), path=path)


def _likely_scheme(text: str) -> str:
    """What to put before an address without a scheme: nobody has https at home."""
    host = re.sub(r":\d+$", "", re.split(r"[/?#]", text, maxsplit=1)[0])
    host = host.strip("[]").lower()
    try:
        at_home = ipaddress.ip_address(host).is_private
    except ValueError:
        at_home = "." not in host or host.endswith((".local", ".localhost", ".lan"))
    return "http" if at_home else "https"


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _without(endings: tuple[str, ...], path: str) -> str:
    for ending in endings:
        if path.endswith(ending):
            return path.removesuffix(ending)
    return path
