"""`python3 start.py`, from its first line to Ctrl-C."""

import http.client
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
from urllib.parse import urlsplit

import psutil
import pytest

from launcher.page import page_inputs
from launcher.place import Place
from launcher.ports import ask_for
from start import Trouble
from tests.launcher.folder import ROOT, package, start_in

PATIENCE = 120
MAPPED = "::ffff:"  # how a socket for both families writes the address of the older one


@dataclass
class Visit:
    """What was seen while all was up, and after it stopped."""

    said: str
    lessons: str
    page: str
    statuses: dict[str, int]
    shown: bytes
    kernels: dict
    second: tuple[int, list[str]]
    listening: set[tuple[str, int]]
    copy: dict
    status: int
    left: list[psutil.Process]
    free: list[int]
    homes: list[dict[str, str]]


def environment_of_tests(place: Place) -> None:
    """Make a .venv that finds what the running one has installed.

    Why not a link to it? The package that is installed must be the copy's own.
    """
    venv.create(place.venv, symlinks=os.name != "nt")
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    lines = [f"import site; site.addsitedir({path!r})\n" for path in sorted(paths)]
    base = {"base": str(place.venv), "platbase": str(place.venv)}
    inside = Path(sysconfig.get_path("purelib", scheme="venv", vars=base))
    (inside / "tests.pth").write_text("".join(lines))
    origin = {"url": place.root.as_uri(), "dir_info": {"editable": True}}
    package(inside, "mingraph_lite", "0.1.0", origin=origin)
    # JupyterLab looks for its page and its settings where its Python lives.
    for name in ("share/jupyter", "etc/jupyter"):
        shutil.copytree(
            Path(sys.prefix, name),
            place.venv / name,
            copy_function=os.symlink,
            ignore=shutil.ignore_patterns("overrides.json"),
        )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A copy of the project in which everything is installed and built.

    Whether the page works is asked in tests/playground; here it is only handed out.
    """
    place = Place(tmp_path_factory.mktemp("house"))
    for name in ("start.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, place.root)
    for name in ("notebooks", "launcher"):
        shutil.copytree(
            ROOT / name,
            place.root / name,
            ignore=shutil.ignore_patterns("__pycache__", ".*"),
        )
    for name in ("index.html", "package.json"):
        place.playground.mkdir(exist_ok=True)
        shutil.copy(ROOT / "playground" / name, place.playground)
    environment_of_tests(place)
    place.lessons.mkdir()
    # A learner's own, by the name of one of Python's: JupyterLab must not import it.
    (place.lessons / "random.py").write_text("")
    place.dist.mkdir()
    shutil.copy(place.playground / "index.html", place.dist)
    (place.dist / ".built-from").write_text(place.fingerprint(page_inputs(place)))
    return place


def settings_of_somebody_else(home: Path) -> dict[str, str]:
    """Write what a learner may have; the environment that names it.

    Any of it would show: a page elsewhere, a password, another kernel, a Python that
    stumbles over a module of the wrong name, a terminal of few letters.
    """
    config = {
        "base_url": "/theirs/",
        "port": 1,
        "password": "theirs",
        "token": "theirs",
    }
    kernel = {"argv": ["/theirs"], "display_name": "theirs", "language": "python"}
    files = {
        ".jupyter/jupyter_server_config.json": json.dumps(
            {"ServerApp": config, "IdentityProvider": {"token": "theirs"}}
        ),
        ".jupyter/jupyter_server_config.py": "raise SystemExit('theirs was read')",
        ".local/share/jupyter/kernels/python3/kernel.json": json.dumps(kernel),
        "data/kernels/python3/kernel.json": json.dumps(kernel),
        "modules/jupyterlab.py": "raise SystemExit('theirs was imported')",
    }
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / ".jupyter"),
        "JUPYTER_PATH": str(home / "data"),
        "JUPYTER_TOKEN": "theirs",
        "PYTHONPATH": str(home / "modules"),
        "PYTHONIOENCODING": "ascii",
        "PIP_NO_INDEX": "1",  # nothing is missing; if something were, pip would go out
    }


def files_in(folder: Path) -> dict[str, str]:
    """Read all files of a folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def two_ports_in_a_row() -> int:
    """Find a free port whose next one is free, for the page."""
    for first in range(20000 + os.getpid() % 20000, 65000, 2):
        with suppress(Trouble):
            ask_for(first + 1)
            return ask_for(first)
    raise AssertionError("no two free ports in a row")


def read_lines(process: subprocess.Popen) -> tuple[queue.Queue, threading.Thread]:
    """Read in a thread, so that waiting for a line ends."""
    lines = queue.Queue()

    def read() -> None:
        with process.stdout:
            for line in process.stdout:
                lines.put(line)
        lines.put("")

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    return lines, reader


def addresses(lines: queue.Queue) -> tuple[str, dict[str, str]]:
    """Read until both addresses are said: the words, and the two."""
    found, said, end = {}, "", time.monotonic() + PATIENCE
    while len(found) < 2:
        line = lines.get(timeout=max(0, end - time.monotonic()))
        said += line
        assert line, f"start.py ended and had said:\n{said}"
        if match := re.fullmatch(r"  (Lessons|Playground) +(http://\S+)\n", line):
            found[match[1]] = match[2]
    return said, found


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
def visit(house: Place) -> Visit:
    """Start, look around, start once more beside it, press Ctrl-C."""
    port = two_ports_in_a_row()
    command = [sys.executable, house.root / "start.py", "--no-browser"]
    theirs = settings_of_somebody_else(house.root / "home")
    homes = [files_in(house.root / "home")]
    process = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | theirs,
    )
    family = [psutil.Process(process.pid)]
    lines, reader = read_lines(process)
    try:
        said, found = addresses(lines)
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
        kernels = get(f"http://127.0.0.1:{port}/api/kernelspecs{token}")[1]
        shown = get(page)[1]
        heard = listening(family)
        second = start_in(house.root, "--no-browser", "lessons", "04")
        process.send_signal(signal.SIGINT)
        status = process.wait(PATIENCE)
        left = psutil.wait_procs(family[1:], timeout=PATIENCE)[1]
        free = [ask_for(urlsplit(address).port) for address in (lessons, page)]
    finally:
        for one in reversed(family):
            with suppress(psutil.NoSuchProcess):
                one.kill()
        process.wait()
        reader.join(PATIENCE)
    homes.append(files_in(house.root / "home"))
    return Visit(
        said,
        lessons,
        page,
        statuses,
        shown,
        json.loads(kernels),
        second,
        heard,
        json.loads((house.lessons / "00_start_here.ipynb").read_text("utf-8")),
        status,
        left,
        free,
        homes,
    )


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


def test_a_second_start_beside_it_offers_the_same_address(visit):
    status, lines = visit.second
    address = visit.lessons.replace("00_start_here", "04_cards")

    assert (status, lines[-2]) == (0, f"  Lessons     {address}")
    assert lines[0].startswith("The lessons are open already")


def test_offline_nothing_is_installed_where_what_is_there_will_do(visit):
    assert "Installing" not in visit.said
    assert visit.said.startswith("Starting JupyterLab ...\n")


# H14. Right: the same, and the learner's files are left as they are.
def test_what_a_learner_has_of_their_own_changes_nothing_and_is_not_changed(
    visit, house
):
    specs = visit.kernels["kernelspecs"]
    started = [spec["spec"]["argv"][0] for spec in specs.values()]

    assert (visit.kernels["default"], list(specs)) == ("python3", ["python3"])
    assert started != ["/theirs"]
    assert visit.homes[0] == visit.homes[1]
