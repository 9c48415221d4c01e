"""`python3 start.py`, once from its first line to Ctrl-C, as a learner meets it."""

import http.client
import importlib.util
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
import venv
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120
MAPPED = "::ffff:"  # how a socket for both families writes the address of the older one


@dataclass
class Visit:
    """What was seen while all was up, and after it was told to stop."""

    lessons: str
    page: str
    statuses: dict[str, int]
    shown: bytes
    listening: set[tuple[str, int]]
    copy: dict
    status: int
    left: list[psutil.Process]
    free: list[int]


def environment_of_tests(folder: Path) -> None:
    """Make a .venv that finds what the running one has installed.

    Why not a link to it? start.py keeps its notes in .venv, and these belong to a
    folder that is gone after the test.
    """
    venv.create(folder, symlinks=os.name != "nt")
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    lines = [f"import site; site.addsitedir({path!r})\n" for path in sorted(paths)]
    base = {"base": str(folder), "platbase": str(folder)}
    inside = Path(sysconfig.get_path("purelib", scheme="venv", vars=base))
    (inside / "tests.pth").write_text("".join(lines))
    # JupyterLab looks for its page and its settings where its Python lives.
    shutil.copytree(
        Path(sys.prefix, "share/jupyter"),
        folder / "share/jupyter",
        copy_function=os.symlink,
        ignore=shutil.ignore_patterns("overrides.json"),
    )


def start_of(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("start_of_copy", folder / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def note_as_done(start: ModuleType) -> None:
    """Let start.py note that all is installed and built, from a pip that does nothing.

    Whether the page works is asked in tests/playground; here it is only handed out.
    """
    start.SCRIPTS.mkdir(parents=True)
    start.PYTHON.write_text("#!/bin/sh\n")
    start.PYTHON.chmod(0o755)
    children = start.Children()
    start.install(children, "the lessons", "-e", ".[lessons]")
    start.install(children, "what builds the playground", *start.page_requirements())
    start.PYTHON.unlink()
    start.DIST.mkdir()
    shutil.copy(start.PLAYGROUND / "index.html", start.DIST)
    built = start.fingerprint(start.page_inputs())
    (start.DIST / ".built-from").write_text(built)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A copy of the project in which everything is installed and built."""
    folder = tmp_path_factory.mktemp("house")
    for name in ("start.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    for name in ("index.html", "package.json"):
        (folder / "playground").mkdir(exist_ok=True)
        shutil.copy(ROOT / "playground" / name, folder / "playground")
    start = start_of(folder)
    note_as_done(start)
    environment_of_tests(start.VENV)
    return start


def two_ports_in_a_row(start: ModuleType) -> int:
    """Find a port that is free, and the next one too: start.py takes both."""
    for first in range(20000 + os.getpid() % 20000, 65000, 2):
        with suppress(start.Trouble):
            start.free_port(first + 1, others=0)
            return start.free_port(first, others=0)
    raise AssertionError("no two free ports in a row")


def read_lines(process: subprocess.Popen) -> tuple[queue.Queue, threading.Thread]:
    """Read on in a thread, so that waiting for a line has an end."""
    lines = queue.Queue()

    def read() -> None:
        with process.stdout:
            for line in process.stdout:
                lines.put(line)
        lines.put("")

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    return lines, reader


def addresses(lines: queue.Queue) -> dict[str, str]:
    """Read until both addresses are said; what was said before them, if it ends."""
    found, said, end = {}, "", time.monotonic() + PATIENCE
    while len(found) < 2:
        line = lines.get(timeout=max(0, end - time.monotonic()))
        said += line
        assert line, f"start.py ended and had said:\n{said}"
        if match := re.fullmatch(r"  (Lessons|Playground) +(http://\S+)\n", line):
            found[match[1]] = match[2]
    return found


def get(address: str) -> tuple[int, bytes]:
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)) as line:
        line.request("GET", address.removeprefix(f"http://{parts.netloc}"))
        reply = line.getresponse()
        return reply.status, reply.read()


def listening(processes: list[psutil.Process]) -> set[tuple[str, int]]:
    """Return every address and port at which these processes take connections."""
    sockets = [s for p in processes for s in p.net_connections("inet")]
    waiting = [s.laddr for s in sockets if s.status == psutil.CONN_LISTEN]
    return {(address.ip.removeprefix(MAPPED), address.port) for address in waiting}


@pytest.fixture(scope="module")
def visit(house: ModuleType) -> Visit:
    """Start, look around, press Ctrl-C."""
    port = two_ports_in_a_row(house)
    command = [sys.executable, house.ROOT / "start.py", "--no-browser"]
    # Nothing that whoever runs the tests has set for their own Jupyter may matter.
    kept = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    home = house.ROOT / "home"
    home.mkdir()
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=kept | {"HOME": str(home)},
    )
    family = [psutil.Process(process.pid)]
    lines, reader = read_lines(process)
    try:
        found = addresses(lines)
        family += family[0].children(recursive=True)
        lessons, page = found["Lessons"], found["Playground"]
        without = lessons.partition("?")[0]
        files = f"http://127.0.0.1:{port}/api/contents"
        token = "?" + urlsplit(lessons).query
        asked = {
            "page": without,
            "files": files,
            "page, token": lessons,
            "files, token": files + token,
        }
        statuses = {what: get(address)[0] for what, address in asked.items()}
        shown = get(page)[1]
        heard = listening(family)
        process.send_signal(signal.SIGINT)
        status = process.wait(PATIENCE)
        left = psutil.wait_procs(family[1:], timeout=PATIENCE)[1]
        free = [house.free_port(urlsplit(a).port, others=0) for a in (lessons, page)]
    finally:
        for one in reversed(family):
            with suppress(psutil.NoSuchProcess):
                one.kill()
        process.wait()
        reader.join(PATIENCE)
    copy = json.loads((house.LESSONS / "00_start_here.ipynb").read_text("utf-8"))
    return Visit(lessons, page, statuses, shown, heard, copy, status, left, free)


def test_the_first_lesson_is_opened_by_its_token_alone(visit):
    address = urlsplit(visit.lessons)

    assert (address.hostname, address.path) == (
        "127.0.0.1",
        "/lab/tree/00_start_here.ipynb",
    )
    assert re.fullmatch(r"token=[0-9a-f]{48}", address.query)
    assert visit.statuses == {
        "page": 302,
        "files": 403,
        "page, token": 200,
        "files, token": 200,
    }


def test_the_lesson_that_is_opened_is_a_copy_without_outputs(visit):
    lesson = json.loads((ROOT / "notebooks/00_start_here.ipynb").read_text("utf-8"))
    for cell in lesson["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)

    assert visit.copy["cells"] == lesson["cells"]


def test_the_playground_is_handed_out_beside_the_lessons(visit):
    page = urlsplit(visit.page)

    assert (page.hostname, page.path) == ("127.0.0.1", "/")
    assert visit.shown == (ROOT / "playground/index.html").read_bytes()


def test_nobody_listens_beyond_this_machine(visit):
    ports = [urlsplit(address).port for address in (visit.lessons, visit.page)]

    assert visit.listening == {("127.0.0.1", port) for port in ports}


def test_a_socket_that_is_open_to_all_would_be_seen():
    with socket.create_server(("", 0)) as everywhere:
        port = everywhere.getsockname()[1]
        assert ("0.0.0.0", port) in listening([psutil.Process()])


def test_ctrl_c_ends_it_all_and_frees_both_ports(visit):
    ports = [urlsplit(address).port for address in (visit.lessons, visit.page)]

    assert (visit.status, visit.left, visit.free) == (
        128 + signal.SIGINT,
        [],
        ports,
    )
