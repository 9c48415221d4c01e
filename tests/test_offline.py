import socket
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.offline.sitecustomize import LOG
from tests.notebooks.running import run

LEAVE = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
LOOK_UP = "import socket; socket.getaddrinfo('example.org', 443)"


@pytest.fixture
def log(tmp_path, monkeypatch) -> Path:
    """A list of refused attempts of its own, as this test asks for them."""
    path = tmp_path / "refused"
    monkeypatch.setenv(LOG, str(path))
    return path


@pytest.mark.parametrize(
    ("act", "attempt"),
    [
        (
            lambda: socket.create_connection(("192.0.2.1", 80), timeout=1),
            "socket.getaddrinfo '192.0.2.1'",
        ),
        (
            lambda: socket.socket().connect(("192.0.2.1", 80)),
            "socket.connect '192.0.2.1'",
        ),
        (
            lambda: socket.getaddrinfo("example.org", 443),
            "socket.getaddrinfo 'example.org'",
        ),
        (
            lambda: socket.gethostbyname("example.org"),
            "socket.gethostbyname 'example.org'",
        ),
        (
            lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(
                b"?", ("192.0.2.1", 53)
            ),
            "socket.sendto '192.0.2.1'",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_test_cannot_leave_this_machine(act, attempt, log):
    with pytest.raises(RuntimeError, match="was refused"):
        act()
    assert log.read_text() == f"{attempt}\n"


def test_loopback_is_open(log):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with socket.create_connection(address) as client:
            assert client.getpeername() == address
    assert not log.exists()


@pytest.mark.parametrize("code", [LEAVE, LOOK_UP])
def test_a_process_started_by_a_test_cannot_leave_this_machine(code, log):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, len(log.read_text().splitlines())) == (1, 1)
    assert "OutsideNetwork" in done.stderr


def test_a_kernel_cannot_leave_this_machine(log, tmp_path):
    cell = nbformat.v4.new_code_cell(LOOK_UP)
    ran = run(nbformat.v4.new_notebook(cells=[cell]), tmp_path, allow_errors=True)
    assert [output.ename for output in ran.cells[0].outputs] == ["OutsideNetwork"]
    assert log.read_text() == "socket.getaddrinfo 'example.org'\n"
