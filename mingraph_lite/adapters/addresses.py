"""One right address from what people paste.

What is taken off, what is added and which machines are near stands in `addresses.json`.
The page reads it too: it holds the key, so it decides by itself where that goes, and
asks no Python, which may run anybody's code. One table of cases holds both to one rule.

Each pattern in there is for a whole text. `authority` and `path` let through only what
every program reads as the same address: no 127.1, no dots that climb, no letters that
look like others.
"""

from __future__ import annotations

import functools
import ipaddress
import json
import re
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import unquote

from mingraph_lite.adapters.hiding import unseen

__all__: Final = [
    "endpoint",
    "is_this_machine",
    "key_header",
    "ollama_base",
    "openai_base",
    "patience",
]


def openai_base(address: str) -> str:
    """The base URL of an OpenAI-compatible server, such as http://localhost:1234/v1.

    A missing scheme is added, slashes too many and a pasted endpoint are taken off. An
    address without any path gets the usual /v1, or what its host is known to want; who
    really means none pastes the whole endpoint. A query such as ?api-version=… stays.
    Raises ValueError for what cannot be mended, and for a key in the query.
    """
    read, address = unseen(functools.partial(_base, kind="openai"), address), ""
    return read()


def ollama_base(address: str) -> str:
    """The address of an Ollama server, such as http://127.0.0.1:11434.

    Pasted endpoints are taken off. Raises ValueError for what cannot be mended.
    """
    read, address = unseen(functools.partial(_base, kind="ollama"), address), ""
    return read()


def endpoint(base: str, path: str) -> str:
    """The address of an endpoint under a base URL: a query comes behind its path."""
    address, mark, query = base.partition("?")
    return f"{address}{path}{mark}{query}"


@functools.lru_cache
def patience(url: str, *, streamed: bool) -> float:
    """The seconds of silence that a server is given, where nobody says how many.

    600 on this machine and in a private network, where a small computer may work on a
    large model. Elsewhere 60, and 300 for a reply in one piece: it comes when the last
    word is thought of, and reasoning takes minutes.
    """
    near = _is_one_of("at_home", _host_in(url))
    choices: list[float] = _rules()["near_patience" if near else "far_patience"]
    return choices[0] if streamed else choices[1]


def is_this_machine(url: str) -> bool:
    """Whether a URL leads to this very machine."""
    host = _host_in(url)
    return host == "0.0.0.0" or _is_one_of("this_machine", host)


@functools.lru_cache
def key_header(url: str) -> str | None:
    """The header in which this host wants the key; None for the usual one."""
    row = _known_host(_host_in(url), "")
    return None if row is None else row.get("key_header")


def _host_in(url: str) -> str:
    authority = re.sub(r"^[a-z]+://", "", url.lower()).partition("/")[0]
    authority = authority.partition("?")[0].rpartition("@")[2]
    return re.sub(r":[0-9]*$", "", authority)


@functools.cache
def _rules() -> dict[str, Any]:
    text = Path(__file__).with_name("addresses.json").read_text(encoding="utf-8")
    rules: dict[str, Any] = json.loads(text)
    return rules


def _base(address: str, kind: Literal["openai", "ollama"]) -> str:
    rules = _rules()
    if not isinstance(address, str):
        # Not quoted: it may be a key in the wrong place.
        raise TypeError(
            f"The address is {type(address).__name__}, not text. "
            "One looks like http://localhost:11434/v1."
        )
    if re.fullmatch(rules["a_key"], address.strip(rules["around"])):
        raise ValueError(
            "The address looks like a key. The address comes first and looks like "
            "http://localhost:11434/v1; the key is given as api_key=…."
        )
    before, named, after = address.strip(rules["around"]).partition("://")
    scheme, rest = (before.lower(), after) if named else ("", before)
    authority, path, more = re.findall("(?s)([^/?#]*)([^?#]*)(.*)", rest)[0]
    if "@" in authority:
        # Not quoted: what stands before the @ is a secret.
        raise ValueError(
            "The address holds a user name or a key before the @. "
            "Leave it out of the address and give it as api_key=…."
        )
    query = more if kind == "openai" and len(more) > 1 else more[1:]
    if "#" in query or (query and kind == "ollama"):
        raise ValueError(
            "The address goes on after a ? or #. Give it up to there: the name of the "
            "endpoint is put behind it."
        )
    if _holds_a_key(query):
        raise ValueError(
            "The address holds a key after the ?. Leave it out of the address, which "
            "is shown in many places, and give it as api_key=… or headers={…}."
        )
    host, port = _split_port(authority)
    path = re.sub("/{2,}", "/", path).removesuffix("/")
    scheme = scheme or ("http" if _is_one_of("at_home", host) else "https")
    if not (
        host
        and scheme in rules["schemes"]
        and re.fullmatch(rules["path"], path)
        and re.fullmatch(rules["query"], query)
    ):
        raise ValueError(
            f"{address!r} is no address of a model server. "
            "One looks like http://localhost:11434/v1."
        )
    path = _without_endpoint(path, **rules[kind])
    if kind == "openai":
        path = _path_of_a_known_host(host, port, path)
    return f"{scheme}://{host}{port}{path}{query}"


def _holds_a_key(query: str) -> bool:
    """Whether a name in a query says that its value is a secret."""
    names = (pair.partition("=")[0] for pair in re.split("[?&;]", query))
    secret = re.compile(_rules()["secret_names"])
    return any(secret.fullmatch(unquote(name).lower()) for name in names)


def _path_of_a_known_host(host: str, port: str, path: str) -> str:
    row = _known_host(host, port)
    return row["path"] if row and path in row["instead_of"] else path


def _known_host(host: str, port: str) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = _rules()["hosts"]
    for row in rows:
        if re.fullmatch(row["host"], host) or re.fullmatch(row["host"], host + port):
            return row
    return None


def _split_port(authority: str) -> tuple[str, str]:
    """The host in its short form, and its port with the colon; both empty if wrong."""
    # Asked before it is made small: the sign for Kelvin would become a k.
    ascii = authority.isascii() and authority.lower()
    found = re.fullmatch(_rules()["authority"], ascii or "")
    if found is None:
        return "", ""
    host, port = found[1], int(found[2] or 0)
    try:
        if host.startswith("["):
            host = f"[{_in_hex(ipaddress.IPv6Address(host[1:-1]))}]"
        for label in host.split("."):
            if label.startswith("xn--"):
                label.encode().decode("idna")  # browsers refuse one that says nothing
    except ValueError:
        return "", ""
    if port > 65535:
        return "", ""
    return host, f":{port}" if found[2] else ""


def _in_hex(ip: ipaddress.IPv6Address) -> str:
    """As URLs write it: newer Pythons write ::ffff:1.2.3.4 for ::ffff:102:304."""
    if ip.ipv4_mapped is None:
        return ip.compressed
    high, low = divmod(int(ip.ipv4_mapped), 2**16)
    return f"::ffff:{high:x}:{low:x}"


def _is_one_of(list_name: str, host: str) -> bool:
    return any(re.fullmatch(pattern, host) for pattern in _rules()[list_name])


def _without_endpoint(path: str, endpoints: list[str], default_path: str) -> str:
    if not path:
        return default_path
    found = (ending for ending in endpoints if path.endswith(ending))
    return path.removesuffix(next(found, ""))
