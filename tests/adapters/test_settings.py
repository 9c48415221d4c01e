"""Which model the environment names, with environments that are plain dicts."""

import inspect
import json
import pydoc
import re
from typing import Any

import pytest

from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.adapters.setting_names import ADDRESS_ENDINGS, KEYS, NAMES
from mingraph_lite.adapters.settings import model_from_env
from mingraph_lite.adapters.transports import Request
from mingraph_lite.messages import UserMessage
from tests.adapters.wire import FixedTransport, answering, completion

LOCAL = "http://127.0.0.1:8080/v1"
KEY = "sk-a-secret-that-nobody-may-see"


def asked(environ: dict[str, str], **options: Any) -> tuple[Any, Request, list[str]]:
    """The model, the request it sends, and what was told."""
    message = {"role": "assistant", "content": "Mild."}
    transport: FixedTransport = answering({**completion(message), "message": message})
    told: list[str] = []
    model = model_from_env(
        environ, announce=told.append, transport=transport, **options
    )
    assert model.generate([UserMessage("How warm is it?")]).message.content == "Mild."
    return model, transport.requests[0], told


@pytest.mark.parametrize(
    ("environ", "url", "key", "told"),
    [
        (
            {"OPENAI_BASE_URL": LOCAL},
            f"{LOCAL}/chat/completions",
            None,
            f"Asking OpenAIChat('mine', '{LOCAL}'), "
            "as MINGRAPH_MODEL and OPENAI_BASE_URL say.",
        ),
        (
            {"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": KEY},
            f"{LOCAL}/chat/completions",
            f"Bearer {KEY}",
            f"Asking OpenAIChat('mine', '{LOCAL}'), "
            "as MINGRAPH_MODEL and OPENAI_BASE_URL say.",
        ),
        (
            {"OPENAI_API_KEY": KEY},
            "https://api.openai.com/v1/chat/completions",
            f"Bearer {KEY}",
            "Asking OpenAIChat('mine', 'https://api.openai.com/v1'), "
            "as MINGRAPH_MODEL and OPENAI_API_KEY say.",
        ),
        (
            {"OLLAMA_HOST": "127.0.0.1:11434"},
            "http://127.0.0.1:11434/api/chat",
            None,
            "Asking OllamaChat('mine', 'http://127.0.0.1:11434'), "
            "as MINGRAPH_MODEL and OLLAMA_HOST say.",
        ),
    ],
    ids=["an address", "an address and a key", "a key", "an Ollama"],
)
def test_the_environment_names_a_model(environ, url, key, told):
    _, request, heard = asked({"MINGRAPH_MODEL": "mine", **environ})
    assert (request.url, request.headers.get("Authorization")) == (url, key)
    assert json.loads(request.body)["model"] == "mine"
    assert heard == [told]


@pytest.mark.parametrize(
    ("names", "url"),
    [
        ("base ollama key", f"{LOCAL}/chat/completions"),
        ("base ollama", f"{LOCAL}/chat/completions"),
        ("ollama key", "http://127.0.0.1:11434/api/chat"),
    ],
)
def test_an_address_wins_over_a_key_alone_and_openais_name_over_ollamas(names, url):
    every = {
        "base": ("OPENAI_BASE_URL", LOCAL),
        "ollama": ("OLLAMA_HOST", "127.0.0.1"),
        "key": ("OPENAI_API_KEY", KEY),
    }
    environ = dict(every[name] for name in names.split())
    _, request, _ = asked({"MINGRAPH_MODEL": "mine", **environ})
    assert request.url == url
    assert ("Authorization" in request.headers) is (names == "base ollama key")


@pytest.mark.parametrize(
    ("environ", "said", "lacking"),
    [
        (
            {},
            "nothing",
            "MINGRAPH_MODEL, and OPENAI_BASE_URL or OLLAMA_HOST or OPENAI_API_KEY",
        ),
        ({"OPENAI_API_KEY": KEY}, "OPENAI_API_KEY", "MINGRAPH_MODEL"),
        (
            {"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": KEY},
            "OPENAI_BASE_URL, OPENAI_API_KEY",
            "MINGRAPH_MODEL",
        ),
        (
            {"MINGRAPH_MODEL": "mine", "OPENAI_BASE_URL": "", "OLLAMA_HOST": " "},
            "MINGRAPH_MODEL",
            "OPENAI_BASE_URL or OLLAMA_HOST or OPENAI_API_KEY",
        ),
    ],
)
def test_what_is_missing_is_said_with_an_example_and_no_key(environ, said, lacking):
    with pytest.raises(ValueError, match="The environment names no model") as caught:
        model_from_env(environ)
    assert str(caught.value) == (
        f"The environment names no model. It says: {said}. It lacks: {lacking}. "
        "Say which in the environment, for a server on this machine such as "
        "llama.cpp's: OPENAI_BASE_URL=http://127.0.0.1:8080/v1 and "
        "MINGRAPH_MODEL=its-name. For Ollama: OLLAMA_HOST=127.0.0.1:11434 and "
        "MINGRAPH_MODEL=its-name. Where a key is needed: OPENAI_API_KEY."
    )


def test_an_empty_variable_counts_as_unset():
    empty = {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": "  ", "MINGRAPH_TOOLS_AS": ""}
    model, request, _ = asked(
        {**empty, "MINGRAPH_MODEL": " mine ", "OLLAMA_HOST": "127.0.0.1\n"}
    )
    assert (repr(model), request.headers.get("Authorization")) == (
        "OllamaChat('mine', 'http://127.0.0.1:11434')",
        None,
    )


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:5000", "http://127.0.0.1:5000"),
        (":5000", "http://127.0.0.1:5000"),
        ("[::]:5000", "http://127.0.0.1:5000"),
        ("[::1]", "http://[::1]:11434"),
        ("big.example", "http://big.example:11434"),
        ("https://big.example", "https://big.example"),
        ("http://big.example:5000/ollama/", "http://big.example:5000/ollama"),
        ("http://localhost:11434/v1", "http://localhost:11434"),
    ],
)
def test_an_ollama_is_called_at_what_its_own_variable_says(host, address):
    environ = {"MINGRAPH_MODEL": "mine", "OLLAMA_HOST": host}
    assert asked(environ)[0].host == address


@pytest.mark.parametrize(
    ("environ", "kind", "url"),
    [
        ({"OPENAI_BASE_URL": LOCAL}, OpenAIChat, f"{LOCAL}/chat/completions"),
        (
            {"OLLAMA_HOST": "127.0.0.1", "OPENAI_API_KEY": KEY},
            OpenAIChat,
            "http://127.0.0.1:11434/v1/chat/completions",
        ),
    ],
)
@pytest.mark.parametrize("place", ["environ", "options"])
def test_tools_can_be_told_as_json(environ, kind, url, place):
    environ = {"MINGRAPH_MODEL": "mine", **environ}
    options = {}
    if place == "environ":
        environ["MINGRAPH_TOOLS_AS"] = "JSON"
    else:
        options["tools_as"] = "json"
    model, request, _ = asked(environ, **options)
    assert (type(model), model.tools_as, request.url) == (kind, "json", url)
    assert "Authorization" not in request.headers


@pytest.mark.parametrize(
    ("address", "kind"), [("OPENAI_BASE_URL", OpenAIChat), ("OLLAMA_HOST", OllamaChat)]
)
def test_options_win_over_the_environment(address, kind):
    environ = {"MINGRAPH_MODEL": "mine", "MINGRAPH_TOOLS_AS": "json", address: LOCAL}
    model, request, _ = asked(environ, tools_as="native", timeout=5.0)
    assert (type(model), request.timeout) == (kind, 5.0)


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"MINGRAPH_TOOLS_AS": "xml"}, "MINGRAPH_TOOLS_AS is 'xml'; it is native or"),
        ({"OPENAI_BASE_URL": "ftp://x"}, "OPENAI_BASE_URL: 'ftp://x' is no address"),
        ({"OPENAI_API_KEY": "sk-“x”"}, "OPENAI_API_KEY: The key holds characters"),
        (
            {"OPENAI_BASE_URL": f"http://me:{KEY}@x.example"},
            "OPENAI_BASE_URL: The address holds a user name or a key",
        ),
        (
            {"OPENAI_BASE_URL": "", "OLLAMA_HOST": f"me:{KEY}@x.example"},
            "OLLAMA_HOST: The address holds a user name or a key",
        ),
        (
            {"OPENAI_BASE_URL": "", "OLLAMA_HOST": "127.0.0.1:many"},
            "OLLAMA_HOST: 'http://127.0.0.1:many' is no address",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_named_without_its_secret(environ, words):
    environ = {"MINGRAPH_MODEL": "mine", "OPENAI_BASE_URL": LOCAL, **environ}
    with pytest.raises(ValueError, match="^" + re.escape(words)) as caught:
        model_from_env(environ)
    assert KEY not in str(caught.value)


def test_a_pasted_endpoint_without_a_path_stays_as_it_was_meant():
    environ = {
        "MINGRAPH_MODEL": "mine",
        "OPENAI_BASE_URL": "http://127.0.0.1:8080/chat/completions",
    }
    assert asked(environ)[1].url == "http://127.0.0.1:8080/chat/completions"


def test_it_prints_which_model_is_asked_and_never_the_key(capsys):
    environ = {"MINGRAPH_MODEL": "mine", "OPENAI_API_KEY": KEY}
    model = model_from_env(environ)
    shown = capsys.readouterr().out + repr(model)
    assert "https://api.openai.com/v1" in shown
    assert KEY not in shown


def test_the_environment_of_the_process_is_read_when_asked(monkeypatch):
    for name in ("OPENAI_API_KEY", "OLLAMA_HOST", "MINGRAPH_TOOLS_AS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", LOCAL)
    monkeypatch.setenv("MINGRAPH_MODEL", "first")
    first = model_from_env(announce=str)
    monkeypatch.setenv("MINGRAPH_MODEL", "second")
    assert (first.model, model_from_env(announce=str).model) == ("first", "second")


AZURE = "https://mine.openai.azure.com"
GROQ = "https://api.groq.com/openai/v1"


# H11: known names are followed, and a key goes to its own provider only.
@pytest.mark.parametrize(
    ("environ", "url", "bearer"),
    [
        ({"OPENAI_API_BASE": LOCAL, "OPENAI_API_KEY": KEY}, LOCAL, KEY),
        ({"OPENAI_API_BASE": LOCAL, "OPENAI_BASE_URL": f"{LOCAL}/"}, LOCAL, None),
        ({"OPENAI_BASE_URL": '"https://api.groq.com/openai"'}, GROQ, None),
        (
            {
                "OPENAI_BASE_URL": "https://api.groq.com",
                "OPENAI_API_KEY": KEY,
                "GROQ_API_KEY": "gsk-own-key",
            },
            GROQ,
            "gsk-own-key",
        ),
        ({"OPENAI_BASE_URL": GROQ, "OPENAI_API_KEY": KEY}, GROQ, KEY),
        (
            {"OPENAI_BASE_URL": "https://api.openai.com", "GROQ_API_KEY": KEY},
            "https://api.openai.com/v1",
            None,
        ),
        ({"OPENAI_BASE_URL": LOCAL, "MISTRAL_API_KEY": KEY}, LOCAL, None),
        (
            {"GEMINI_API_KEY": KEY, "GOOGLE_API_KEY": "AIza"},
            KEYS["GEMINI_API_KEY"],
            KEY,
        ),
        # A provider's own variable says where its key belongs.
        ({"GROQ_API_KEY": KEY, "GROQ_BASE_URL": LOCAL}, LOCAL, KEY),
        ({"GROQ_API_KEY": KEY, "GROQ_API_BASE": "https://api.groq.com"}, GROQ, KEY),
        ({"GOOGLE_API_KEY": KEY, "GEMINI_BASE_URL": LOCAL}, LOCAL, KEY),
        (
            {"MISTRAL_API_KEY": KEY, "MISTRAL_ENDPOINT": LOCAL, "OPENAI_HOST": LOCAL},
            LOCAL,
            KEY,
        ),
        ({"OPENAI_BASE_URL": LOCAL, "GROQ_BASE_URL": GROQ}, LOCAL, None),
        ({"OPENAI_API_KEY": f"'{KEY}'"}, "https://api.openai.com/v1", KEY),
        ({"OPENAI_API_KEY": f"Bearer {KEY}"}, "https://api.openai.com/v1", KEY),
        (
            {"OPENAI_API_KEY": f'export OPENAI_API_KEY="{KEY}"'},
            "https://api.openai.com/v1",
            KEY,
        ),
        *(({name: KEY}, url, KEY) for name, url in KEYS.items()),
    ],
)
def test_H11_a_key_goes_where_the_environment_says(environ, url, bearer):
    _, request, told = asked({"MINGRAPH_MODEL": "mine", **environ})
    sent = request.headers.get("Authorization")
    assert (request.url, sent) == (
        f"{url}/chat/completions",
        bearer and f"Bearer {bearer}",
    )
    assert KEY not in told[0]


# H11: each name that tools have for an address is followed, and none goes past the key.
@pytest.mark.parametrize("name", [f"OPENAI_{ending}" for ending in ADDRESS_ENDINGS])
def test_H11_each_known_name_of_an_address_is_followed(name):
    environ = {"MINGRAPH_MODEL": "mine", "OPENAI_API_KEY": KEY, name: LOCAL}
    _, request, told = asked(environ)
    assert request.url == f"{LOCAL}/chat/completions"
    assert told[0].endswith(f"as MINGRAPH_MODEL and {name} say.")


# H11: what the older client called Azure goes to Azure, or nowhere.
@pytest.mark.parametrize("kind", ["azure", "azure_ad", "Azure"])
def test_H11_an_api_of_azures_type_is_not_asked_at_openai(kind):
    environ = {
        "MINGRAPH_MODEL": "mine",
        "OPENAI_API_KEY": KEY,
        "OPENAI_API_TYPE": kind,
    }
    with pytest.raises(ValueError, match=r"It lacks: AZURE_OPENAI_ENDPOINT\."):
        model_from_env(environ)
    gateway = "https://models.company.example"
    _, request, _ = asked({**environ, "OPENAI_API_BASE": gateway})
    assert request.url == f"{gateway}/openai/v1/chat/completions"
    assert request.headers["api-key"] == KEY


# H05: litellm's names of Azure's settings.
def test_H05_azure_is_found_by_its_other_names():
    environ = {
        "MINGRAPH_MODEL": "mine",
        "AZURE_API_BASE": AZURE,
        "AZURE_API_KEY": KEY,
        "AZURE_API_VERSION": "2024-10-21",
    }
    _, request, _ = asked(environ)
    path = "openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert request.url == f"{AZURE}/{path}"
    assert request.headers["api-key"] == KEY


# H05: a deployment's address names the model.
def test_H05_the_address_of_a_deployment_names_it():
    address = f"{AZURE}/openai/deployments/my%20own?api-version=2024-10-21"
    environ = {"AZURE_OPENAI_ENDPOINT": address, "AZURE_OPENAI_API_KEY": KEY}
    model, request, told = asked(environ)
    assert model.model == "my own"
    assert request.url == address.replace("?", "/chat/completions?")
    assert told[0].endswith("as AZURE_OPENAI_ENDPOINT says.")


# H11: two addresses that disagree are an error that names both, and shows no key.
@pytest.mark.parametrize(
    ("environ", "names"),
    [
        (
            {"OPENAI_BASE_URL": LOCAL, "OPENAI_API_BASE": "https://api.openai.com/v1"},
            ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ),
        (
            {"OPENAI_BASE_URL": LOCAL, "AZURE_OPENAI_ENDPOINT": AZURE},
            ("OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"),
        ),
        (
            {"OLLAMA_HOST": "127.0.0.1", "OLLAMA_BASE_URL": "http://big.example:11434"},
            ("OLLAMA_HOST", "OLLAMA_BASE_URL"),
        ),
        (
            {"OPENAI_API_KEY": KEY, "GROQ_API_KEY": KEY},
            ("OPENAI_API_KEY", "GROQ_API_KEY"),
        ),
        (
            {"OPENAI_API_KEY": "", "XAI_API_KEY": KEY}
            | {"XAI_BASE_URL": LOCAL, "XAI_HOST": "http://other"},
            ("XAI_BASE_URL", "XAI_HOST"),
        ),
    ],
)
def test_H11_names_that_disagree_are_an_error(environ, names):
    with pytest.raises(ValueError, match="Unset one of them") as caught:
        model_from_env({"MINGRAPH_MODEL": "mine", "OPENAI_API_KEY": KEY, **environ})
    assert str(caught.value).startswith(" and ".join(names))
    assert KEY not in str(caught.value)


# H05: Azure's header and version.
@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, "/openai/v1/chat/completions"),
        (
            {"OPENAI_API_VERSION": "2024-10-21"},
            "/openai/deployments/mine/chat/completions?api-version=2024-10-21",
        ),
        (
            {"AZURE_OPENAI_API_VERSION": "preview"},
            "/openai/v1/chat/completions?api-version=preview",
        ),
        (
            {"MINGRAPH_MODEL": "", "AZURE_OPENAI_DEPLOYMENT": "mine"},
            "/openai/v1/chat/completions",
        ),
    ],
)
@pytest.mark.parametrize("host", [AZURE, "https://models.company.example"])
def test_H05_azure_is_asked_with_its_header_and_version(environ, url, host):
    settings = {"AZURE_OPENAI_ENDPOINT": f"{host}/", "AZURE_OPENAI_API_KEY": KEY}
    _, request, _ = asked({"MINGRAPH_MODEL": "mine", **settings, **environ})
    assert request.url == host + url
    assert request.headers == {"Content-Type": "application/json", "api-key": KEY}


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        (
            {"OLLAMA_BASE_URL": "http://localhost:11434", "OLLAMA_MODEL": "tiny"},
            "Asking OllamaChat('tiny', 'http://localhost:11434'), "
            "as OLLAMA_MODEL and OLLAMA_BASE_URL say.",
        ),
        (
            {"OLLAMA_API_BASE": "http://localhost:11434", "MINGRAPH_MODEL": "mine"},
            "Asking OllamaChat('mine', 'http://localhost:11434'), "
            "as MINGRAPH_MODEL and OLLAMA_API_BASE say.",
        ),
        (
            {"OPENAI_BASE_URL": LOCAL, "OPENAI_MODEL": "tiny"},
            f"Asking OpenAIChat('tiny', '{LOCAL}'), "
            "as OPENAI_MODEL and OPENAI_BASE_URL say.",
        ),
        (
            {
                "OLLAMA_HOST": "0.0.0.0",
                "OLLAMA_BASE_URL": "http://localhost:11434",
                "OLLAMA_MODEL": "tiny",
            },
            "Asking OllamaChat('tiny', 'http://127.0.0.1:11434'), "
            "as OLLAMA_MODEL and OLLAMA_HOST say.",
        ),
    ],
)
def test_H11_other_tools_names_of_a_model_and_its_place_are_followed(environ, told):
    assert asked(environ)[2] == [told]


def test_H05_azures_address_under_openais_older_name_is_azures():
    environ = {
        "MINGRAPH_MODEL": "mine",
        "OPENAI_API_BASE": f"{AZURE}/openai",
        "OPENAI_API_VERSION": "2024-10-21",
        "OPENAI_API_KEY": KEY,
    }
    _, request, _ = asked(environ)
    path = "openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert request.url == f"{AZURE}/{path}"
    assert request.headers == {"Content-Type": "application/json", "api-key": KEY}


def test_H05_azures_key_alone_lacks_an_address():
    environ = {"MINGRAPH_MODEL": "mine", "AZURE_OPENAI_API_KEY": KEY}
    with pytest.raises(
        ValueError, match=r"It lacks: AZURE_OPENAI_ENDPOINT\."
    ) as caught:
        model_from_env(environ)
    assert KEY not in str(caught.value)


# what tells how it is called shows nothing of this process.
def test_help_shows_no_key_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert KEY not in pydoc.render_doc(model_from_env)
    assert KEY not in str(inspect.signature(model_from_env))


def test_without_an_environment_it_is_that_of_the_process(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", LOCAL)
    monkeypatch.setenv("MINGRAPH_MODEL", "mine")
    told = []
    model_from_env(announce=told.append)
    assert told == [
        f"Asking OpenAIChat('mine', '{LOCAL}'), "
        "as MINGRAPH_MODEL and OPENAI_BASE_URL say."
    ]


# A name that is nearly one of ours is told, and never its value.
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("OPENAI_BASEURL", "OPENAI_BASE_URL"),
        ("OPENAI_KEY", "OPENAI_API_KEY"),
        ("openai_api_key", "OPENAI_API_KEY"),
        ("ollama-host", "OLLAMA_HOST"),
        ("MINGRAPH_MODEL_NAME", "MINGRAPH_MODEL"),
        ("GROQ_KEY", None),
        ("PATH", None),
        ("HTTP_PROXY", None),
        ("MODEL", None),
    ],
)
def test_a_name_that_is_nearly_right_is_told(name, meant):
    with pytest.raises(ValueError, match="names no model") as caught:
        model_from_env({name: KEY})
    near = f" {name} is not read: did you mean {meant}? Say which" if meant else ". Say"
    assert near in str(caught.value)
    assert KEY not in str(caught.value)
