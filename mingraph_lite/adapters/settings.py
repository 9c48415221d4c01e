"""Which model the environment names: the one place where settings are read.

    export OPENAI_BASE_URL=http://127.0.0.1:8080/v1
    export MINGRAPH_MODEL=the-name-your-server-lists

No model has its name in this package: names die, and yours is on your server's list.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from mingraph_lite.adapters import OllamaChat, OpenAIChat, ollama_base, openai_base
from mingraph_lite.adapters.keys import checked_key
from mingraph_lite.llm import LLM

__all__: Final = ["model_from_env"]

_MODEL: Final = "MINGRAPH_MODEL"
_TOOLS_AS: Final = "MINGRAPH_TOOLS_AS"
_ADDRESSES: Final = ("OPENAI_BASE_URL", "OLLAMA_HOST", "OPENAI_API_KEY")
"""The first that is set says where the model is."""

_OLLAMA_PORT: Final = 11434

_ADVICE: Final = (
    "Say which in the environment, for a server on this machine such as llama.cpp's: "
    "OPENAI_BASE_URL=http://127.0.0.1:8080/v1 and MINGRAPH_MODEL=its-name. "
    "For Ollama: OLLAMA_HOST=127.0.0.1:11434 and MINGRAPH_MODEL=its-name. "
    "Where a key is needed: OPENAI_API_KEY."
)


def model_from_env(
    environ: Mapping[str, str] = os.environ,
    *,
    announce: Callable[[str], object] = print,
    **options: Any,
) -> LLM:
    """The model that the environment names; `announce` hears which, never the key.

    MINGRAPH_MODEL is its name. Where it is, the first of these says that is set:

    1. OPENAI_BASE_URL: that server, with OPENAI_API_KEY if there is one.
    2. OLLAMA_HOST: that Ollama, which gets no key.
    3. OPENAI_API_KEY alone: OpenAI.

    Why does a key alone come last? Whoever names an address means it, and a forgotten
    key must not send a question to a server that costs money.

    MINGRAPH_TOOLS_AS is native (the default) or json, for models that know no tools; an
    Ollama is then asked through its OpenAI-compatible API. An empty variable counts as
    unset. `options` go to the model as they are and win over the environment. Raises
    ValueError where the settings name no model.
    """
    names = (_MODEL, _TOOLS_AS, *_ADDRESSES)
    found = {name: text for name in names if (text := environ.get(name, "").strip())}
    where = next((name for name in _ADDRESSES if name in found), None)
    if where is None or _MODEL not in found:
        raise ValueError(_missing_settings(found))
    make = _ollama_chat if where == "OLLAMA_HOST" else _openai_chat
    llm = make(found, options)
    announce(f"Asking {llm!r}, as {_MODEL} and {where} say.")
    return llm


def _openai_chat(found: Mapping[str, str], options: Mapping[str, Any]) -> LLM:
    settings: dict[str, Any] = {"tools_as": _tools_as(found)}
    if "OPENAI_BASE_URL" in found:
        settings["base_url"] = _checked_setting("OPENAI_BASE_URL", found, openai_base)
    if "OPENAI_API_KEY" in found:
        settings["api_key"] = _checked_setting("OPENAI_API_KEY", found, checked_key)
    return OpenAIChat(found[_MODEL], **{**settings, **options})


def _ollama_chat(found: Mapping[str, str], options: Mapping[str, Any]) -> LLM:
    host = _address_to_call(_checked_setting("OLLAMA_HOST", found, _address_to_call))
    if options.get("tools_as", _tools_as(found)) == "native":
        rest = {name: value for name, value in options.items() if name != "tools_as"}
        return OllamaChat(found[_MODEL], **{"host": host, **rest})
    settings = {"base_url": f"{host}/v1", "tools_as": "json"}
    return OpenAIChat(found[_MODEL], **{**settings, **options})


def _tools_as(found: Mapping[str, str]) -> str:
    way = found.get(_TOOLS_AS, "native").lower()
    if way not in {"native", "json"}:
        raise ValueError(f"{_TOOLS_AS} is {way!r}; it is native or json.")
    return way


def _checked_setting[T](
    name: str, found: Mapping[str, str], check: Callable[[str], T]
) -> str:
    """The setting as it was given; an error about it begins with its name."""
    try:
        check(found[name])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return found[name]


def _address_to_call(host: str) -> str:
    """The address of an Ollama, from what also says where its server listens.

    So it may be a bare name, a port, or 0.0.0.0, which means all of this machine.
    """
    whole = "://" in host
    host = f"0.0.0.0{host}" if host.startswith(":") else host
    parts = urlsplit(ollama_base(host if whole else f"http://{host}"))
    name = parts.hostname or ""
    name = "127.0.0.1" if name in {"0.0.0.0", "::"} else name
    name = f"[{name}]" if ":" in name else name
    port = parts.port or (None if whole else _OLLAMA_PORT)
    netloc = name if port is None else f"{name}:{port}"
    return urlunsplit(parts._replace(netloc=netloc))


def _missing_settings(found: Mapping[str, str]) -> str:
    missing = [] if _MODEL in found else [_MODEL]
    if not any(name in found for name in _ADDRESSES):
        missing.append(" or ".join(_ADDRESSES))
    return (
        f"The environment names no model. It says: {', '.join(found) or 'nothing'}. "
        f"It lacks: {', and '.join(missing)}. {_ADVICE}"
    )
