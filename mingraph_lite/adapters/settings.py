"""Which model the environment names: the one place where settings are read.

    export OPENAI_BASE_URL=http://127.0.0.1:8080/v1
    export MINGRAPH_MODEL=the-name-your-server-lists

No model has its name in this package: names die, and yours is on your server's list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from mingraph_lite.adapters import OllamaChat, OpenAIChat, ollama_base, openai_base
from mingraph_lite.adapters.addresses import is_this_machine, key_header
from mingraph_lite.adapters.keys import Key, checked_key, sealed
from mingraph_lite.adapters.setting_names import (
    API_TYPE,
    AZURE,
    AZURE_KEYS,
    DEPLOYMENTS,
    KEYS,
    MODEL,
    NAMES,
    OLLAMA,
    OPENAI,
    TOOLS_AS,
    VERSIONS,
    addresses_of,
    misspelt,
)
from mingraph_lite.llm import LLM

__all__: Final = ["model_from_env"]

_OLLAMA_PORT: Final = 11434

_ADVICE: Final = (
    "Say which in the environment, for a server on this machine such as llama.cpp's: "
    "OPENAI_BASE_URL=http://127.0.0.1:8080/v1 and MINGRAPH_MODEL=its-name. "
    "For Ollama: OLLAMA_HOST=127.0.0.1:11434 and MINGRAPH_MODEL=its-name. "
    "Where a key is needed: OPENAI_API_KEY."
)

type _Found = Mapping[str, Key]
"""What is set, out of sight: an address may hold a password, too."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The variable that says where the model is, and the address it means."""

    variable: str
    url: str


def model_from_env(
    environ: Mapping[str, str] | None = None,
    *,
    announce: Callable[[str], object] = print,
    **options: Any,
) -> LLM:
    """The model that the environment names; `announce` hears which, never the key.

    Where it is, the first of these says that is set:

    1. OPENAI_BASE_URL, or its older name OPENAI_API_BASE, or one of other tools' such
       as OPENAI_API_BASE_URL or OPENAI_HOST, or AZURE_OPENAI_ENDPOINT (AZURE_API_BASE)
       with OPENAI_API_VERSION, AZURE_OPENAI_API_VERSION or AZURE_API_VERSION. With the
       key of the provider at that address, else OPENAI_API_KEY, if there is one.
    2. OLLAMA_HOST, or OLLAMA_BASE_URL or OLLAMA_API_BASE: that Ollama, without a key.
    3. A key alone: OPENAI_API_KEY, or ANTHROPIC_, CEREBRAS_, COHERE_, DEEPSEEK_,
       FIREWORKS_, GEMINI_, GOOGLE_, GROQ_, MISTRAL_, MOONSHOT_, NVIDIA_, OPENROUTER_,
       PERPLEXITY_, TOGETHER_ or XAI_API_KEY: its provider, or where that provider's
       own variable says, such as GROQ_BASE_URL. `setting_names` lists all.

    Why does a key alone come last? Whoever names an address means it, and a forgotten
    key must not send a question to a server that costs money. A provider's key goes to
    that provider only. Names of one setting that disagree are an error, and so are keys
    alone of two providers, and OPENAI_API_TYPE=azure without Azure's address.

    MINGRAPH_MODEL is the model's name; without it, OPENAI_MODEL, OLLAMA_MODEL or
    AZURE_OPENAI_DEPLOYMENT (or …_NAME), whichever belongs to the place.
    MINGRAPH_TOOLS_AS is native (the default) or json, for models that know no tools; an
    Ollama is then asked through its OpenAI-compatible API. An empty variable counts as
    unset; quotes around a key, "Bearer " and "export NAME=" before it are taken off.
    `options` go to the model as they are and win over the environment. Raises
    ValueError where the settings name no model.

    Without `environ` it is this process's. Why is that no default? `help()` prints
    defaults, and the keys in them.
    """
    environ = os.environ if environ is None else environ
    found, names = _settings_in(environ), list(environ)
    environ = {}  # no frame of a traceback shows what it held
    if "api_key" in options:
        options["api_key"] = sealed(options["api_key"])
    place = _place_in(found)
    name = None if place is None else _model_name(found, place)
    if place is None or name is None:
        raise ValueError(_missing_settings(found, place, names))
    make = _ollama_chat if place.variable in OLLAMA else _openai_chat
    variable, model = name
    llm = make(found, place, model, options)
    says = dict.fromkeys((variable, place.variable))
    verb = "say" if len(says) > 1 else "says"
    announce(f"Asking {llm!r}, as {' and '.join(says)} {verb}.")
    return llm


def _settings_in(environ: Mapping[str, str]) -> _Found:
    """What is set, in the order of the list; raises nothing."""
    texts = ((name, environ.get(name, "").strip().strip("\"'")) for name in NAMES)
    return {name: Key(text) for name, text in texts if text}


def _place_in(found: _Found) -> _Place | None:
    """Where the model is; None where nothing says so."""
    for names, read in ((OPENAI, openai_base), (OLLAMA, _address_to_call)):
        places = [
            _Place(name, _read_setting(name, found, read))
            for name in names
            if name in found
        ]
        if places:
            return _agreed(places, "name different servers")
    if _says_azure(found):
        return None
    keys = [_home_of(name, found) for name in KEYS if name in found]
    return _agreed(keys, "belong to different providers") if keys else None


def _says_azure(found: _Found) -> bool:
    return API_TYPE in found and found[API_TYPE].reveal().lower().startswith("azure")


def _home_of(key: str, found: _Found) -> _Place:
    """Where a provider's key belongs, which a variable of that provider may say."""
    named = [
        _Place(name, _read_setting(name, found, openai_base))
        for name in addresses_of(key)
        if name in found and name not in OPENAI
    ]
    url = _agreed(named, "name different servers").url if named else KEYS[key]
    return _Place(key, url)


def _agreed(places: list[_Place], what: str) -> _Place:
    """The first of several that say the same; ValueError where one says another."""
    first = places[0]
    for other in places[1:]:
        if not _is_same(first.url, other.url):
            raise ValueError(
                f"{first.variable} and {other.variable} {what}: {first.url} and "
                f"{other.url}. Unset one of them, or say which is meant with "
                "OPENAI_BASE_URL alone."
            )
    return first


def _is_same(url: str, other: str) -> bool:
    here, there = urlsplit(url), urlsplit(other)
    # Azure's address may come with or without the path of a deployment.
    if key_header(url) and key_header(other):
        return here.netloc == there.netloc
    # This machine has several names.
    if is_this_machine(url) and is_this_machine(other):
        return (here.port, here.path) == (there.port, there.path)
    return url == other


def _model_name(found: _Found, place: _Place) -> tuple[str, str] | None:
    """The variable that names the model, and the name."""
    if place.variable in OLLAMA:
        others: Iterable[str] = ("OLLAMA_MODEL",)
    elif _is_azure(found, place):
        others = (*DEPLOYMENTS, "OPENAI_MODEL")
    else:
        others = ("OPENAI_MODEL",)
    names = (name for name in (MODEL, *others) if name in found)
    name = next(names, None)
    if name is not None:
        return name, found[name].reveal()
    # A deployment's address names it.
    deployment = re.search("/deployments/([^/]+)$", urlsplit(place.url).path)
    return (place.variable, unquote(deployment[1])) if deployment else None


def _openai_chat(
    found: _Found, place: _Place, model: str, options: Mapping[str, Any]
) -> LLM:
    settings: dict[str, Any] = {"tools_as": _tools_as(found)}
    azure = _is_azure(found, place)
    if azure:
        settings["base_url"] = _azure_base(found, place.url, model)
    elif place.variable in OPENAI:
        # As it was given: a pasted endpoint may say that there is no path at all.
        settings["base_url"] = found[place.variable].reveal()
    else:
        settings["base_url"] = place.url
    key = None if "api_key" in options else _key_for(found, place, azure=azure)
    if key is not None:
        settings["api_key"] = key
        if azure and key_header(place.url) is None:  # behind a company's own name
            settings["headers"] = {"api-key": key, "Authorization": None}
    return OpenAIChat(model, **{**settings, **options})


def _is_azure(found: _Found, place: _Place) -> bool:
    known = place.variable in AZURE or _says_azure(found)
    return known or key_header(place.url) is not None


def _key_for(found: _Found, place: _Place, *, azure: bool) -> Key | None:
    """The key that belongs to an address: its provider's, else OpenAI's name for any.

    A key is never taken to a provider that is not its own.
    """
    host = urlsplit(place.url).netloc
    own = [
        name
        for name in KEYS
        if name in found and urlsplit(_home_of(name, found).url).netloc == host
    ]
    names = [*(AZURE_KEYS if azure else own), "OPENAI_API_KEY"]
    name = next((name for name in names if name in found), None)
    return None if name is None else _read_setting(name, found, checked_key)


def _azure_base(found: _Found, url: str, model: str) -> str:
    """The address of an Azure deployment, in the way that its API's version wants.

    A dated version is asked at the deployment's own path; without a date, or without a
    version, the newer path is asked, where the body names the deployment.
    """
    parts = urlsplit(url)
    if key_header(url) is None and parts.path == "/v1":
        parts = parts._replace(path="/openai/v1")
    version = next((found[name].reveal() for name in VERSIONS if name in found), None)
    if version and not parts.query:
        if re.match("[0-9]{4}-", version) and parts.path == "/openai/v1":
            parts = parts._replace(path=f"/openai/deployments/{quote(model, safe='')}")
        parts = parts._replace(query=f"api-version={quote(version)}")
    return urlunsplit(parts)


def _ollama_chat(
    found: _Found, place: _Place, model: str, options: Mapping[str, Any]
) -> LLM:
    if options.get("tools_as", _tools_as(found)) == "native":
        rest = {name: value for name, value in options.items() if name != "tools_as"}
        return OllamaChat(model, **{"host": place.url, **rest})
    settings = {"base_url": f"{place.url}/v1", "tools_as": "json"}
    return OpenAIChat(model, **{**settings, **options})


def _tools_as(found: _Found) -> str:
    way = found[TOOLS_AS].reveal().lower() if TOOLS_AS in found else "native"
    if way not in {"native", "json"}:
        raise ValueError(f"{TOOLS_AS} is {way!r}; it is native or json.")
    return way


def _read_setting[T](name: str, found: _Found, read: Callable[[str], T]) -> T:
    """What a setting means; an error about it begins with its name."""
    try:
        return read(found[name].reveal())
    except ValueError as error:
        wrong = str(error)
    # Raised where no frame shows what the variable holds.
    raise ValueError(f"{name}: {wrong}") from None


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


def _missing_settings(found: _Found, place: _Place | None, names: Iterable[str]) -> str:
    missing = [] if MODEL in found else [MODEL]
    if place is None and (_says_azure(found) or set(AZURE_KEYS) & found.keys()):
        missing.append(AZURE[0])
    elif place is None:
        missing.append("OPENAI_BASE_URL or OLLAMA_HOST or OPENAI_API_KEY")
    return (
        f"The environment names no model. It says: {', '.join(found) or 'nothing'}. "
        f"It lacks: {', and '.join(missing)}. {misspelt(names)}{_ADVICE}"
    )
