"""No six characters in a row of a key, in any output of any kind."""

from __future__ import annotations

import base64
import contextlib
import copy
import dataclasses
import io
import json
import logging
import pickle
import random
import socket
import string
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.adapters.headers import Headers
from mingraph_lite.adapters.keys import Key, checked_key
from mingraph_lite.adapters.transports import Request
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.fake_server import FakeServer
from mingraph_lite.messages import UserMessage
from mingraph_lite.schema.hiding import NO_SECRETS, hidden
from mingraph_lite.schema.jsonable import jsonable
from tests.adapters.models import QUESTION, openai
from tests.adapters.test_transports import serving
from tests.adapters.wire import FixedTransport, answering, completion, streaming

KEY = "sk-Zq7Wm2Xv9Lt4Rb8Nc3Hd6Jf1Kg5P"


def shows(text: str, key: str = KEY) -> list[str]:
    """The pieces of a key that a text shows."""
    pieces = (key[at : at + 6] for at in range(len(key) - 5))
    return [piece for piece in pieces if piece in text]


# H11: what comes along when a key is pasted is taken off.
@pytest.mark.parametrize(
    "typed",
    [
        KEY,
        f"  {KEY}\n",
        f'"{KEY}"',
        f"'{KEY}'",
        f"\u201c{KEY}\u201d",
        f"Bearer {KEY}",
        f"bearer  {KEY}",
        f"Authorization: Bearer {KEY}",
        f"export OPENAI_API_KEY={KEY}",
        f'export OPENAI_API_KEY="{KEY}"',
        f"GROQ_API_KEY = '{KEY}'",
        f"$env:OPENAI_API_KEY='{KEY}'",
        f'"{KEY}",',
        f'"Bearer {KEY}"',
        f"\ufeff{KEY}\u200b",
    ],
)
def test_H11_a_key_is_cleaned_of_what_is_pasted_with_it(typed: str) -> None:
    key = checked_key(typed)
    assert key is not None
    assert key.reveal() == KEY


@pytest.mark.parametrize("typed", [None, "", "  ", '""', "Bearer ", "OPENAI_API_KEY="])
def test_nothing_is_no_key(typed: str | None) -> None:
    assert checked_key(typed) is None


@pytest.mark.parametrize("typed", ["x", "none", "EMPTY", "ollama", "lm-studio", "key"])
def test_a_word_where_no_key_is_needed_is_sent(typed: str) -> None:
    assert checked_key(typed) == Key(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "your-key-here",
        "YOUR_API_KEY",
        "your-openai-api-key",
        "sk-your-key-here",
        "sk-...",
        "<key>",
        "<your key>",
        "[paste key here]",
        "{api_key}",
        "${OPENAI_API_KEY}",
        "$OPENAI_API_KEY",
        "%OPENAI_API_KEY%",
        "insert-your-key-here",
        "xxxxxxxx",
        "sk-xxxxxxxx",
    ],
)
def test_H11_what_a_manual_writes_in_place_of_a_key_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="what a manual writes"):
        checked_key(typed)


@pytest.mark.parametrize("given", [5, [KEY], KEY.encode(), Path(KEY), {"key": KEY}])
def test_G05_what_is_no_text_is_no_key_and_not_shown(given: Any) -> None:
    with pytest.raises(ValueError, match="The key is no text") as caught:
        openai(answering({}), api_key=given)
    assert not shows(str(caught.value))


@pytest.mark.parametrize("typed", [f"{KEY[:9]}\n{KEY[9:]}", f"{KEY} x", "sk-\u2014"])
def test_what_no_key_is_is_refused_unseen(typed: Any) -> None:
    with pytest.raises(ValueError, match="Copy it again") as caught:
        checked_key(typed)
    assert not shows(str(caught.value))


def test_G05_a_key_is_shown_by_nothing_and_stored_nowhere() -> None:
    secret = {"X-Gateway": KEY[::-1]}
    transport = answering({"error": "no"}, status=401)
    for model in (
        openai(transport, api_key=KEY, headers=secret),
        OllamaChat("m", transport=transport, headers=secret),
    ):
        with pytest.raises(ModelError) as caught:
            model.generate(QUESTION)
        provider = model._provider
        request = transport.requests[-1]
        seen = [
            caught.value,
            model,
            vars(model),
            jsonable(model),
            copy.deepcopy(model),
            vars(copy.copy(model)),
            provider,
            dataclasses.asdict(dataclasses.replace(provider, clock=None)),
            request,
            dataclasses.asdict(request),
            jsonable(request),
            jsonable(vars(model)),
            request.headers,
            f"{request.headers!s:>5}",
        ]
        assert not shows(repr(seen) + " ".join(map(str, seen)))
        assert not shows(repr(seen), secret["X-Gateway"])
        with pytest.raises(TypeError, match=r"not pickled|pickle"):
            pickle.dumps(provider.headers)


def test_a_transport_reads_the_headers_like_a_dict() -> None:
    headers = Request("POST", "http://h", {"A": "1", "B": "2"}, b"", 1.0).headers
    assert isinstance(headers, Headers)
    assert dict(headers) == {**headers} == {"A": "1", "B": "2"} == headers
    assert ("A" in headers, headers["B"], headers.get("C"), len(headers)) == (
        True,
        "2",
        None,
        2,
    )


# H05: headers= are carried and win over ours, whatever the case of their letters.
@pytest.mark.parametrize(
    ("headers", "sent"),
    [
        ({"X-Tenant": "7"}, {"Authorization": f"Bearer {KEY}", "X-Tenant": "7"}),
        ({"authorization": "Basic abc"}, {"authorization": "Basic abc"}),
        ({"Authorization": None, "api-key": KEY}, {"api-key": KEY}),
    ],
)
def test_H05_headers_are_carried(headers: Any, sent: dict[str, str]) -> None:
    transport = answering(completion({"content": "hi"}))
    openai(transport, api_key=KEY, headers=headers).generate(QUESTION)
    json_type = {"Content-Type": "application/json"}
    assert transport.requests[0].headers == {**json_type, **sent}


# H05: a query in the base URL is carried behind the endpoint's path.
def test_H05_a_query_is_carried_behind_the_endpoint() -> None:
    transport = answering(completion({"content": "hi"}))
    base = "https://mine.openai.azure.com/openai/deployments/d?api-version=2024-10-21"
    OpenAIChat("m", base, KEY, transport=transport).generate(QUESTION)
    request = transport.requests[0]
    assert request.url == base.replace("?", "/chat/completions?")
    assert request.headers == {"Content-Type": "application/json", "api-key": KEY}


# H17: both adapters wait long for a server near by, and as long as they are told.
@pytest.mark.parametrize(
    ("host", "timeout", "streamed", "waited"),
    [
        ("http://127.0.0.1:1", None, False, 600),
        ("http://192.168.1.5:1", None, True, 600),
        ("https://api.example.com", None, True, 60),
        ("https://api.example.com", None, False, 300),
        ("http://127.0.0.1:1", 5.0, False, 5.0),
    ],
)
def test_H17_the_patience_fits_the_address(
    host: str, timeout: float | None, streamed: bool, waited: float
) -> None:
    message = {"role": "assistant", "content": "hi"}
    transport = answering({**completion(message), "message": message})
    for model in (
        OpenAIChat("m", host, transport=transport, timeout=timeout),
        OllamaChat("m", host, transport=transport, timeout=timeout),
    ):
        model.generate(QUESTION, on_text_delta=str if streamed else None)
    assert [request.timeout for request in transport.requests] == [waited, waited]


def test_H05_an_ollama_behind_a_proxy_gets_headers_too() -> None:
    transport = answering({"message": {"content": "hi"}})
    OllamaChat("m", transport=transport, headers={"X-Key": KEY}).generate(QUESTION)
    assert transport.requests[0].headers == {
        "Content-Type": "application/json",
        "X-Key": KEY,
    }


@pytest.mark.parametrize("headers", [{"X Y": KEY}, {"X": f"{KEY}\r\nY: 1"}, {"X": 5}])
@pytest.mark.parametrize("make", [openai, lambda **more: OllamaChat("m", **more)])
def test_a_header_that_cannot_be_is_refused_unseen(make: Any, headers: Any) -> None:
    with pytest.raises(ValueError, match="headers= has") as caught:
        make(headers=headers)
    assert not shows(str(caught.value))


def quotations(key: str) -> list[str]:
    """A key as servers repeat it."""
    data = key.encode()
    return [
        key,
        f"{key[:8]}...{key[-4:]}",
        f"{key[:8]}*****{key[-8:]}",
        quote(f"?{key}=&", safe=""),
        json.dumps(json.dumps(f"key: {key}")),
        base64.b64encode(data).decode(),
        base64.b64encode(b":" + data).decode(),
        base64.b64encode(b"user:" + data + b"tail").decode(),
        base64.urlsafe_b64encode(b"Bearer " + data).decode(),
        data.hex(),
        f"{key[:7]}\n{key[7:]}",
        f"Bearer {key}Bearer {key}",
        key.upper(),
        key.lower(),
    ]


# H20: a property, over random keys and random quotations.
def test_H20_no_six_characters_of_a_key_are_left() -> None:
    dice = random.Random(20)
    signs = string.ascii_letters + string.digits + "-_.~+/=!$&'()*,;:@\"\\<>%"
    for _ in range(300):
        key = "".join(dice.choices(signs, k=dice.randint(6, 80)))
        around = "".join(dice.choices(signs + " \n", k=40))
        for said in quotations(key):
            text = hidden(f"{around}{said}{around}"[dice.randint(0, 30) :], [key])
            assert not shows(text, key)
            encoded = base64.b64encode(key.encode()).decode()[:-4]
            assert encoded == "" or len(encoded) < 6 or encoded not in text


# What manuals of local servers give as a key hides no word of an advice or address.
@pytest.mark.parametrize("word", ["x", "none", "EMPTY", "abcde", *sorted(NO_SECRETS)])
def test_G05_a_word_that_is_no_key_hides_no_words(word: str) -> None:
    said = f"model '{word}' not found, try pulling it first"
    transport = answering({"error": {"message": said}}, status=404)
    model = OpenAIChat(word, f"http://{word}:11434", word, transport=transport)
    with pytest.raises(ModelError) as caught:
        model.generate(QUESTION)
    assert said in str(caught.value)
    assert f"ollama pull {word}" in str(caught.value)
    assert "***" not in str(caught.value)


# A key that is an ordinary word is hidden in errors, and in nothing that a model says.
@pytest.mark.parametrize("streamed", [False, True])
def test_G05_a_key_that_is_a_word_garbles_no_answer(streamed: bool) -> None:
    said = "Your password1 is weak; the server is fine."
    for transport in (
        streaming({"choices": [{"delta": {"content": said}}]}),
        answering(completion({"content": said})),
    ):
        heard: list[str] = []
        reply = openai(transport, api_key="password1").generate(
            QUESTION, on_text_delta=heard.append if streamed else None
        )
        assert reply.message.content == said
        assert "".join(heard) == (said if streamed else "")


def test_G05_our_own_advice_is_not_hidden_by_a_key_that_is_a_word() -> None:
    transport = answering({"error": "wrong: Check the key"}, status=401)
    with pytest.raises(ModelError) as caught:
        openai(transport, api_key="Check-the-key").generate(QUESTION)
    assert str(caught.value).endswith("Check the key.")


def test_what_holds_nothing_secret_stays_as_it_is() -> None:
    text = "Nothing to see: x none EMPTY"
    assert hidden(text, [KEY, "x", "none", "EMPTY", ""]) == text
    assert hidden("", [KEY]) == ""


@pytest.mark.parametrize("said", quotations(KEY))
@pytest.mark.parametrize(
    "wrap",
    [
        lambda said: answering({"error": {"message": f"wrong {said}"}}, status=401),
        lambda said: FixedTransport(f"wrong {said}".encode(), status=500),
        lambda said: answering({"error": {"message": said, "code": 429}}),
        lambda said: FixedTransport(f"<p>{said}</p>".encode()),
        lambda said: streaming({"error": {"message": said}}),
        lambda said: answering({"detail": [{"msg": said, "input": said}]}, status=422),
        lambda said: answering({}, status=307, headers={"location": f"/?k={said}"}),
        *(
            lambda said, n=n: FixedTransport((b"x" * n + said.encode()), status=502)
            for n in (150, 185, 190, 193, 196, 199, 1990)
        ),
        *(
            lambda said, n=n: FixedTransport(b"x " * n + said.encode())
            for n in (30, 36, 39)
        ),
    ],
)
def test_H20_a_server_that_repeats_the_key_shows_none_of_it(
    wrap: Any, said: str
) -> None:
    for model in (
        openai(wrap(said), api_key=KEY),
        OllamaChat("m", transport=wrap(said), headers={"X": f"Bearer {KEY}"}),
    ):
        with pytest.raises(ModelError) as caught:
            model.generate(QUESTION, on_text_delta=str)
        assert not shows(str(caught.value))


IN_A_NOTEBOOK = """
import os
from mingraph_lite.adapters import OpenAIChat, OllamaChat
from mingraph_lite.adapters.settings import model_from_env
from mingraph_lite.messages import UserMessage

def secret(name):
    return os.environ[name]

def settings(**more):
    os.environ.update(more)

def ask(url, **more):
    model = OpenAIChat("m", url, api_key=secret("THE_KEY"), **more)
    model.generate([UserMessage("?")])
"""


def shown_by_a_notebook(mode: str, *lines: str) -> str:
    """All that an IPython shell prints for these lines, tracebacks included."""
    shells = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell()
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        shell.run_line_magic("colors", "nocolor")
        shell.run_line_magic("xmode", mode)
        for line in (IN_A_NOTEBOOK, *lines):
            shell.run_cell(line)
    return out.getvalue()


def quoting(page: Any, body: bytes) -> None:
    said = f"wrong key {KEY}, {KEY[:8]}...{KEY[-4:]}"
    page.send_response(401)
    page.send_header("Content-Length", str(len(said)))
    page.end_headers()
    page.wfile.write(said.encode())


def broken(page: Any, body: bytes) -> None:
    page.wfile.write(f"{KEY} is no status line\r\n".encode())
    page.close_connection = True


def an_error_with_200(page: Any, body: bytes) -> None:
    said = json.dumps({"error": {"message": f"wrong key {KEY}"}})
    page.send_response(200)
    page.send_header("Content-Type", "application/json")
    page.send_header("Content-Length", str(len(said)))
    page.end_headers()
    page.wfile.write(said.encode())


def sent(kind: str, said: str) -> Any:
    def answer(page: Any, body: bytes) -> None:
        page.send_response(200)
        page.send_header("Content-Type", kind)
        page.send_header("Content-Length", str(len(said)))
        page.end_headers()
        page.wfile.write(said.encode())

    return answer


IN_200: list[Any] = [
    sent("application/json", json.dumps({"choices": [{"error": {"message": KEY}}]})),
    sent("application/json", json.dumps({"choices": [{KEY: 1}]})),
    sent("application/json", f'{{"a": "{KEY}'),
    sent("text/html", f"<!doctype html><title>{KEY}</title>"),
    sent("text/plain", KEY),
    sent(f"text/plain; {KEY}", "x"),
    sent("text/event-stream", f'data: {{"error": "{KEY}"}}\n\n'),
    sent("text/event-stream", f"data: {KEY}\n\n"),
    sent("application/x-ndjson", f'{{"error": "{KEY}"}}\n'),
]


def all_that_frames_hold(error: BaseException) -> str:
    """What can be read in the variables of our frames, and in their attributes."""
    seen: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            for value in list(trace.tb_frame.f_locals.values()):
                names = [n for n in dir(value) if not n.startswith("__")]
                inside = [getattr(value, name, None) for name in names]
                seen += [repr(value), *map(repr, inside)]
        trace = trace.tb_next
    return " ".join(seen)


# H20: an error with 200, whole or streamed, leaves none of its words in a frame.
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("answer", [quoting, broken, an_error_with_200, *IN_200])
def test_H20_no_frame_of_an_error_holds_the_key(answer: Any, streamed: bool) -> None:
    listener = str if streamed else None
    with serving(answer) as url:
        for model in (
            OpenAIChat("m", url, KEY),
            OpenAIChat("m", url, KEY, tools_as="json"),
            OllamaChat("m", url, headers={"Authorization": f"Bearer {KEY}"}),
        ):
            with pytest.raises(ModelError) as caught:
                model.generate(QUESTION, on_text_delta=listener)
            assert not shows(all_that_frames_hold(caught.value))
            assert not shows(str(caught.value))
            assert caught.value.__context__ is None


# H20: urllib3 would warn of lines that are no headers, and quote them.
def test_H20_a_header_that_is_none_is_quoted_in_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def answer(page: Any, body: bytes) -> None:
        page.wfile.write(f"HTTP/1.1 401 {KEY}\r\n{KEY}\r\n\r\n".encode())
        page.close_connection = True

    refused = pytest.raises(ModelError)
    with caplog.at_level(logging.DEBUG), serving(answer) as url, refused as caught:
        OpenAIChat("m", url, KEY).generate(QUESTION)
    assert not shows(caplog.text + str(caught.value))


# H20: frames are shown with their variables, and no variable shows the key.
@pytest.mark.parametrize("mode", ["Verbose", "Context", "Plain"])
@pytest.mark.parametrize("answer", [quoting, broken, an_error_with_200, None])
def test_H20_a_notebook_that_shows_frames_shows_no_key(
    mode: str, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    if answer is None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
            shown = shown_by_a_notebook(mode, f"ask({url!r})")
    else:
        with serving(answer) as url:
            shown = shown_by_a_notebook(mode, f"ask({url!r})")
    assert "ModelError" in shown
    assert not shows(shown)


@pytest.mark.parametrize(
    "line",
    [
        "ask('ftp://x')",
        "ask('http://127.0.0.1', tools_as='xml')",
        "OpenAIChat('m', 'h', headers={'X': secret('THE_KEY') + chr(10)})",
        "OpenAIChat('m', 'h', api_key=secret('THE_KEY') + chr(10) + 'x')",
        "OpenAIChat('m', 'h', api_key='<' + secret('THE_KEY') + '>')",
        "OpenAIChat('m', secret('THE_KEY'))",
        "OpenAIChat('m', 'http://me:' + secret('THE_KEY') + '@h')",
        "OpenAIChat('m', 'http://h/v1?token=' + secret('THE_KEY'))",
        "OllamaChat('m', 'http://me:' + secret('THE_KEY') + '@h')",
        "settings(OPENAI_API_KEY=secret('THE_KEY')); model_from_env()",
        "settings(OPENAI_API_KEY='<' + secret('THE_KEY') + '>', MINGRAPH_MODEL='m'); "
        "model_from_env()",
        "settings(MINGRAPH_MODEL='m', OPENAI_BASE_URL='ftp://x'); model_from_env()",
        "settings(MINGRAPH_MODEL='m', OPENAI_BASE_URL='http://a:'+secret('THE_KEY')+"
        "'@h'); model_from_env()",
    ],
)
def test_H20_a_refused_setting_shows_no_key_in_its_frames(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MINGRAPH_MODEL"):
        monkeypatch.setenv(name, "")
    shown = shown_by_a_notebook("Verbose", line)
    assert "ValueError" in shown
    assert not shows(shown)


def test_H20_logs_show_no_key(
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("http.client.HTTPConnection.debuglevel", 1)
    refused = pytest.raises(ModelError)
    with caplog.at_level(logging.DEBUG), serving(quoting) as url, refused:
        OpenAIChat("m", url, KEY).generate([UserMessage("?")])
    shown = capsys.readouterr()
    assert not shows(shown.out + shown.err + caplog.text)


def test_G05_an_interrupt_during_a_call_brings_no_frames_that_hold_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with FakeServer() as server:
        monkeypatch.setattr("http.client.HTTPConnection.getresponse", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            OpenAIChat("m", server.url, KEY).generate([UserMessage("?")])
    files = {str(entry.path) for entry in caught.traceback}
    assert not [file for file in files if "urllib3" in file or "http" in file]
    assert caught.value.__context__ is None
