"""The built page is handed out packed, as browsers want it, to this machine alone."""

import gzip
import http.client
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from email.message import Message
from pathlib import Path

import pytest

from launcher.page import page_server
from tests.launcher.folder import script

PYTHON = "python-0123456789ab"
WORKER = "/assets/worker-GTYuG1CF.js"
NAMES = ("index.html", "a.js", "b.mjs", "c.wasm", "d.whl", "e.json", "f.css")
FOR_GOOD = "public, max-age=31536000, immutable"
WALLS = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    f"connect-src http://HOST/{PYTHON}/; worker-src 'none'"
)

type Reply = tuple[int, Message, bytes]
type Ask = Callable[..., Reply]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a built page, beside a file that is not part of it."""
    page = tmp_path / "dist"
    inner = ("inner/file.txt", f"{PYTHON}/pyodide.mjs", WORKER[1:], "assets/worker.js")
    for name in (*NAMES, *inner):
        script(page / name, "content")
    script(tmp_path / "secret.json", "content")
    return page


@pytest.fixture
def ask(folder: Path) -> Iterator[Ask]:
    """Ask a running page server: status, headers and body."""
    server = page_server(folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()

    def ask(path: str, method: str = "GET", **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http.client.HTTPConnection(*server.server_address)) as connection:
            connection.request(method, path, headers=named)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()

    yield ask
    server.shutdown()
    thread.join()
    server.server_close()


def test_it_names_each_type_as_browsers_want_it(ask):
    paths = ("/", *(f"/{name}" for name in NAMES[1:]))

    assert {path: ask(path)[1]["Content-Type"] for path in paths} == {
        "/": "text/html",
        "/a.js": "text/javascript",
        "/b.mjs": "text/javascript",
        "/c.wasm": "application/wasm",
        "/d.whl": "application/zip",
        "/e.json": "application/json",
        "/f.css": "text/css",
    }


def test_it_isolates_the_page_whatever_it_answers(ask):
    for path in ("/", WORKER, "/absent.js"):
        headers = ask(path)[1]
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"


def test_only_what_is_named_by_its_content_may_be_kept(ask):
    paths = ("/", "/a.js", f"/{PYTHON}/pyodide.mjs", WORKER, "/assets/worker.js")
    gone = f"/{PYTHON}/absent.mjs"

    assert {path: ask(path)[1]["Cache-Control"] for path in (*paths, gone)} == {
        "/": "no-cache",
        "/a.js": "no-cache",
        f"/{PYTHON}/pyodide.mjs": FOR_GOOD,
        WORKER: FOR_GOOD,
        "/assets/worker.js": "no-cache",
        gone: "no-cache",
    }


def test_it_gives_one_folder_away_and_lists_none(ask):
    paths = ("/inner/file.txt", "/inner/", "/absent.js", "/../secret.json", "/a.js/")

    assert [ask(path)[0] for path in paths] == [200, 404, 404, 404, 404]


def test_it_listens_on_this_machine_alone(tmp_path):
    with page_server(tmp_path) as server:
        assert server.server_address[0] == "127.0.0.1"
        assert server.server_port > 0


# Packed


def test_a_browser_that_unpacks_gets_text_and_code_packed(ask, folder):
    content = (folder / "c.wasm").read_bytes()
    for path in ("/", "/a.js", "/b.mjs", "/c.wasm", "/e.json", "/f.css"):
        status, headers, body = ask(path, Accept_Encoding="gzip, deflate, br")
        sent = headers["Content-Encoding"], headers["Vary"], headers["Content-Length"]
        assert (status, *sent) == (200, "gzip", "Accept-Encoding", str(len(body)))
        assert gzip.decompress(body) == content


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0", "gzipped"])
def test_any_other_gets_the_file_as_it_is(ask, folder, accepted):
    status, headers, body = ask("/c.wasm", Accept_Encoding=accepted)

    assert (status, headers["Content-Encoding"], headers["Vary"], body) == (
        200,
        None,
        "Accept-Encoding",
        (folder / "c.wasm").read_bytes(),
    )


def test_what_is_packed_already_is_not_packed_again(ask, folder):
    _, headers, body = ask("/d.whl", Accept_Encoding="gzip")

    found = headers["Content-Encoding"], headers["Vary"], body
    assert found == (None, None, (folder / "d.whl").read_bytes())


def test_a_head_tells_what_would_come(ask):
    whole = ask("/c.wasm", Accept_Encoding="gzip")
    head = ask("/c.wasm", "HEAD", Accept_Encoding="gzip")

    assert head[1]["Content-Length"] == str(len(whole[2]))
    assert (head[0], head[1]["Content-Encoding"], head[2]) == (200, "gzip", b"")


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_what_has_not_changed_is_not_sent_again(ask, folder, encoding):
    known = ask("/a.js", Accept_Encoding=encoding)[1]["Last-Modified"]
    again = {"Accept_Encoding": encoding, "If_Modified_Since": known}

    status, headers, body = ask("/a.js", **again)
    kind = headers["Content-Encoding"], headers["Vary"]
    assert (status, *kind, body) == (304, None, "Accept-Encoding", b"")

    (folder / "a.js").write_text("other")
    later = (folder / "a.js").stat().st_mtime + 5
    os.utime(folder / "a.js", (later, later))
    status, headers, body = ask("/a.js", **again)
    text = gzip.decompress(body) if encoding == "gzip" else body
    assert (status, text) == (200, b"other")


@pytest.mark.parametrize("when", ["yesterday", "", "Thu, 99 Nov 1999 00:00:00 GMT"])
def test_a_date_that_is_none_is_passed_over(ask, when):
    asked = {"Accept_Encoding": "gzip", "If_Modified_Since": when}
    assert ask("/a.js", **asked)[0] == 200


# Walls


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:80", "[::1]:8000"])
def test_the_file_that_holds_python_has_a_policy_of_its_own(ask, host):
    headers = ask(WORKER, Host=host)[1]

    assert headers["Content-Security-Policy"] == WALLS.replace("HOST", host)


def test_no_way_to_write_its_name_leads_around_that_policy(ask):
    ways = (f"{WORKER}?1", "/assets/%77orker-GTYuG1CF.js", f"//{WORKER[1:]}")
    for way in ways:
        status, headers, _ = ask(way, Host="localhost")
        policy = WALLS.replace("HOST", "localhost")
        assert (status, headers["Content-Security-Policy"]) == (200, policy)


def test_the_page_itself_has_no_policy_but_its_own(ask):
    for path in ("/", "/a.js", f"/{PYTHON}/pyodide.mjs"):
        assert ask(path)[1]["Content-Security-Policy"] is None


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:80", "127.0.0.1.evil.example"),
        *("localhost.evil.example", "10.0.0.1", "0.0.0.0", "[::2]", "a b", "[", ":80"),
        *("evil.example@localhost:x", "127.0.0.1; worker-src *"),
    ],
)
def test_a_name_that_is_not_of_this_machine_gets_no_page(ask, host):
    for path in ("/", WORKER, "/d.whl", "/absent"):
        status, headers, body = ask(path, Host=host, Accept_Encoding="gzip")
        told = b"on its own machine: ask for 127.0.0.1." in body
        assert (status, headers["Content-Security-Policy"], told) == (421, None, True)


def test_whoever_names_no_host_is_on_this_machine(folder):
    server = page_server(folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    with closing(http.client.HTTPConnection(*server.server_address)) as connection:
        connection.putrequest("GET", WORKER, skip_host=True)
        connection.endheaders()
        reply = connection.getresponse()
        address = f"127.0.0.1:{server.server_port}"
        policy = reply.headers["Content-Security-Policy"]
    server.shutdown()
    thread.join()
    server.server_close()

    assert (reply.status, policy) == (200, WALLS.replace("HOST", address))
