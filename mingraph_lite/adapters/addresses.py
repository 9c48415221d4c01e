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

__all__: Final = ["ollama_base", "openai_base"]


def openai_base(address: str) -> str:
    """The base URL of an OpenAI-compatible server, such as http://localhost:1234/v1.

    A missing scheme is added, slashes too many and a pasted endpoint are taken off. An
    address without any path gets the usual /v1; who really means none pastes the whole
    endpoint. Raises ValueError for what cannot be mended.
    """
    return _base(address, "openai")


def ollama_base(address: str) -> str:
    """The address of an Ollama server, such as http://127.0.0.1:11434.

    Pasted endpoints are taken off. Raises ValueError for what cannot be mended.
    """
    return _base(address, "ollama")


@functools.cache
def _rules() -> dict[str, Any]:
    text = Path(__file__).with_name("addresses.json").read_text(encoding="utf-8")
    rules: dict[str, Any] = json.loads(text)
    return rules


def _base(address: str, kind: Literal["openai", "ollama"]) -> str:
    rules = _rules()
    before, named, after = address.strip(rules["around"]).partition("://")
    scheme, rest = (before.lower(), after) if named else ("", before)
    authority, path, more = re.findall("(?s)([^/?#]*)([^?#]*)(.*)", rest)[0]
    if "@" in authority:
        # Not quoted: what stands before the @ is a secret.
        raise ValueError(
            "The address holds a user name or a key before the @. "
            "Leave it out of the address and give it as api_key=…."
        )
    if len(more) > 1:
        raise ValueError(
            "The address goes on after a ? or #. Give it up to there: the name of the "
            "endpoint is put behind it."
        )
    host, port = _split_port(authority)
    path = re.sub("/{2,}", "/", path).removesuffix("/")
    scheme = scheme or ("http" if _is_at_home(host) else "https")
    if not (host and scheme in rules["schemes"] and re.fullmatch(rules["path"], path)):
        raise ValueError(
            f"{address!r} is no address of a model server. "
            "One looks like http://localhost:11434/v1."
        )
    return f"{scheme}://{host}{port}{_without_endpoint(path, **rules[kind])}"


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


def _is_at_home(host: str) -> bool:
    return any(re.fullmatch(pattern, host) for pattern in _rules()["at_home"])


def _without_endpoint(path: str, endpoints: list[str], default_path: str) -> str:
    if not path:
        return default_path
    found = (ending for ending in endpoints if path.endswith(ending))
    return path.removesuffix(next(found, ""))
