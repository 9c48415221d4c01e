"""Proxies and certificates from the environment, on loopback.  Field case H07."""

from __future__ import annotations

import base64
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from shutil import which

import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.routes import Route, route_to
from mingraph_lite.adapters.transports import Request, Urllib3Transport
from mingraph_lite.errors import ModelError
from mingraph_lite.messages import UserMessage

HOSTED = "http://models.example/v1/chat/completions"
PASSWORD = "pa:ss@w0rd-long"
LOGIN = "me:pa%3Ass%40w0rd-long"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme.upper()}_PROXY", raising=False)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.delenv("REQUEST_METHOD", raising=False)


class Proxy(BaseHTTPRequestHandler):
    """Answers for every server, and writes down what it was asked."""

    seen: list[tuple[str, str, str | None]]
    status = 200

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        login = self.headers["Proxy-Authorization"]
        self.seen.append((self.command, self.path, login))
        self.send_response(self.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_CONNECT = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def listening(
    status: int = 200, tls: ssl.SSLContext | None = None
) -> Iterator[tuple[int, list[tuple[str, str, str | None]]]]:
    """A server on a free port, and what it was asked."""
    handler = type("Handler", (Proxy,), {"seen": [], "status": status})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port, handler.seen  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def ask(url: str) -> int:
    request = Request("POST", url, {"Content-Type": "text/plain"}, b"{}", 10.0)
    transport = Urllib3Transport()
    try:
        response = transport(request)
        list(response.chunks)
    finally:
        transport.close()
    return response.status


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_H07_a_proxy_is_asked_and_gets_its_login(
    name: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening() as (port, seen):
        monkeypatch.setenv(name, f"{scheme}{LOGIN}@127.0.0.1:{port}")
        assert ask(HOSTED) == 200
    basic = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    assert seen == [("POST", HOSTED, f"Basic {basic}")]


# H07: loopback never goes through a proxy.
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_H07_this_machine_is_never_asked_by_a_proxy(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening() as (port, seen), listening() as (proxy_port, passed):
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy_port}")
        assert ask(f"http://{host}:{port}/v1") == 200
    assert (seen, passed) == ([("POST", "/v1", None)], [])


@pytest.mark.parametrize(
    ("url", "no_proxy", "proxied"),
    [
        (HOSTED, "", True),
        (HOSTED, "other.example", True),
        (HOSTED, "models.example", False),
        (HOSTED, "other.example, .example", False),
        (HOSTED, "example", False),
        (HOSTED, "*", False),
        (HOSTED, "ls.example", True),
        ("http://models.example:81/v1", "models.example:81", False),
        ("http://models.example:82/v1", "models.example:81", True),
        ("http://10.1.2.3:8080/v1", "10.0.0.0/8", False),
        ("http://11.1.2.3/v1", "10.0.0.0/8, nonsense/8", True),
        ("http://[fd00::1]:8080/v1", "fd00::/8", False),
        ("http://[::1]:8080/v1", "", False),
        ("http://box.localhost/v1", "", False),
    ],
)
def test_H07_no_proxy_names_hosts_endings_ports_and_networks(
    url: str, no_proxy: str, proxied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy.example:8080")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    expected = Route("http://proxy.example:8080", "HTTP_PROXY") if proxied else Route()
    assert route_to(url) == expected


def test_H07_small_letters_win_and_a_visitor_of_a_cgi_program_sets_no_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://large.example")
    monkeypatch.setenv("http_proxy", "http://small.example")
    assert route_to(HOSTED).proxy == "http://small.example"
    monkeypatch.delenv("http_proxy")
    monkeypatch.setenv("REQUEST_METHOD", "POST")
    assert route_to(HOSTED).proxy == ""


# H07: an error on the way names the proxy, without its password.
@pytest.mark.parametrize(
    ("url", "status", "words", "retryable"),
    [
        (HOSTED, 407, "refuses the user name and password (407). Give it in ", False),
        ("https://models.example/v1", 407, "refuses the user name and password", False),
        ("https://models.example/v1", 403, "answered 403 on the way to ", False),
        ("https://models.example/v1", 502, "answered 502 on the way to ", True),
    ],
)
def test_H07_an_error_of_the_proxy_names_it(
    url: str, status: int, words: str, retryable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(status) as (port, seen):
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://{LOGIN}@127.0.0.1:{port}")
        with pytest.raises(ModelError) as caught:
            ask(url)
    shown = str(caught.value)
    assert words in shown
    assert shown.startswith(f"The proxy http://127.0.0.1:{port} ")
    assert f"{url.partition('://')[0].upper()}_PROXY" in shown
    assert "w0rd" not in shown
    assert caught.value.retryable is retryable
    assert len(seen) == 1


# H07: over plain http a proxy may answer in the server's place; the error names both.
@pytest.mark.parametrize("status", [403, 502, 503, 504])
def test_H07_an_error_over_http_names_the_proxy_too(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(status) as (port, _):
        monkeypatch.setenv("HTTP_PROXY", f"http://{LOGIN}@127.0.0.1:{port}")
        with pytest.raises(ModelError) as caught:
            OpenAIChat("m", "http://models.example/v1").generate([UserMessage("?")])
    way = f"{HOSTED} (by the proxy http://127.0.0.1:{port}, HTTP_PROXY) "
    assert str(caught.value).startswith(f"{way}answered {status} ")
    assert caught.value.retryable is (status > 500)


# A connection that is taken and then silent was sent no request: it is asked again.
def test_a_handshake_that_hangs_is_no_model_that_computes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1/chat/completions"
        transport = Urllib3Transport()
        with pytest.raises(ModelError) as caught:
            transport(Request("POST", url, {}, b"{}", 0.1))
        transport.close()
    assert str(caught.value) == (
        f"{url} took the connection, but agreed on no encryption. Does the server "
        "speak http, or is it very busy?"
    )
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        (
            "socks5h://me:w0rd-long@127.0.0.1:9",
            "speaks socks5h, which is not supported",
        ),
        ("socks4://127.0.0.1:9", "The proxy socks4://127.0.0.1:9 (HTTP_PROXY) speaks"),
        ("http://me:w0rd-long@127.0.0.1:many", "HTTP_PROXY is no address of a proxy."),
        ("http://", "HTTP_PROXY is no address of a proxy."),
        ("http://me:w0rd-long@127.0.0.1:9", "(HTTP_PROXY) cannot be reached"),
    ],
)
def test_H07_a_proxy_that_cannot_be_used_is_named(
    proxy: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(ModelError) as caught:
        ask(HOSTED)
    assert words in str(caught.value)
    assert "w0rd" not in str(caught.value)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that a company signed for itself, and its key beside it."""
    if which("openssl") is None:
        pytest.skip("openssl makes the certificate of this test")
    folder = tmp_path_factory.mktemp("company")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=company "
        "-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem"
    )
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder


def tls(company: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(company / "cert.pem", company / "key.pem")
    return context


@pytest.mark.parametrize(
    "name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]
)
def test_H07_a_certificate_that_a_company_signed_is_trusted_when_named(
    name: str, company: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(tls=tls(company)) as (port, _):
        url = f"https://127.0.0.1:{port}/v1"
        with pytest.raises(ModelError) as caught:
            ask(url)
        monkeypatch.setenv(name, str(company / "cert.pem"))
        assert ask(url) == 200
    assert str(caught.value) == (
        f"{url} shows a certificate that nobody signed whom this system knows, or that "
        "is not for this name or day (self-signed certificate). A company's own is "
        "named by a file in PEM: SSL_CERT_FILE=company.pem."
    )


@pytest.fixture(scope="module")
def older_company(company: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A company's certificate, and one that it signed, as many an older one made it."""
    folder = tmp_path_factory.mktemp("older")
    (folder / "who").write_text("subjectAltName=IP:127.0.0.1")
    new = "openssl req -newkey rsa:2048 -nodes"
    for command in (
        f"{new} -x509 -days 2 -subj /CN=company -keyout own.key -out own.pem",
        f"{new} -subj /CN=server -keyout key.pem -out asked",
        "openssl x509 -req -days 2 -in asked -CA own.pem -CAkey own.key "
        "-CAcreateserial -extfile who -out cert.pem",
    ):
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder


# H07: an older company's own lacks what Python 3.13 insists on, and pip and curl do
# not, so installing works. Right: where a variable names it, it is trusted.
def test_H07_an_older_certificate_of_a_company_is_trusted_when_named(
    older_company: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(older_company / "own.pem"))
    with listening(tls=tls(older_company)) as (port, _):
        assert ask(f"https://127.0.0.1:{port}/v1") == 200


def test_H07_a_folder_of_certificates_is_read(
    company: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = company / "cert.pem"
    command = ["openssl", "x509", "-hash", "-noout", "-in", str(certificate)]
    name = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (tmp_path / f"{name.strip()}.0").write_bytes(certificate.read_bytes())
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    with listening(tls=tls(company)) as (port, _):
        assert ask(f"https://127.0.0.1:{port}/v1") == 200


@pytest.mark.parametrize(
    ("content", "what"),
    [(None, "does not exist"), ("no PEM", "holds no certificates in PEM")],
)
@pytest.mark.parametrize(
    "name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]
)
def test_H07_a_file_that_holds_no_certificates_is_named(
    name: str,
    content: str | None,
    what: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "company.pem"
    if content:
        path.write_text(content)
    monkeypatch.setenv(name, str(path))
    with pytest.raises(ModelError) as caught:
        ask("https://127.0.0.1:9/v1")
    assert str(caught.value).startswith(f"{name} names {str(path)!r}, which {what}.")
    assert not caught.value.retryable


def test_H07_a_server_that_speaks_http_is_not_asked_over_https() -> None:
    with listening() as (port, _), pytest.raises(ModelError) as caught:
        ask(f"https://127.0.0.1:{port}/v1")
    assert str(caught.value).endswith("Does the server speak http?")
    assert not caught.value.retryable
