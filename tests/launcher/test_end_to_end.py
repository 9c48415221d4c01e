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
from playwright.sync_api import sync_playwright

from launcher.page import page_inputs
from launcher.place import Place
from launcher.ports import ask_for
from start import Trouble
from tests.browsers import LAUNCH_ARGS, find_chromium
from tests.launcher.folder import ROOT, package, start_in

PATIENCE = 120
MAPPED = "::ffff:"  # how a socket for both families writes the address of the older one


# What a lesson may hold: a reveal, and a link to what is read next.
LOOKED_AT = """
import os
reveal = lambda key, measure: print(key, measure(), os.environ["MINGRAPH_PROJECTOR"])
---
reveal("two and two are", lambda: 2 + 2)
---
from IPython.display import HTML
HTML('<a href="package/cards.py#line=7">cards.py</a>')
"""
SIZES = """() => ["code-font-size", "content-font-size1"].map((name) =>
  getComputedStyle(document.body).getPropertyValue("--jp-" + name))"""


@dataclass
class Look:
    """What a browser showed of the lessons, with --projector."""

    sizes: list[str]
    one_document: bool
    side_panels: list[bool]
    dialogs: int
    folded: str
    revealed: str
    read_next: str
    asked: list[str]


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
    look: Look
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
    lines.insert(0, f"{place.root}\n")  # before an installation of the project's own
    base = {"base": str(place.venv), "platbase": str(place.venv)}
    inside = Path(sysconfig.get_path("purelib", scheme="venv", vars=base))
    (inside / "tests.pth").write_text("".join(lines))
    origin = {"url": place.root.as_uri(), "dir_info": {"editable": True}}
    package(inside, "mingraph_lite", "0.1.0", origin=origin)
    # JupyterLab looks for its page and its settings where its Python lives, and hands
    # out nothing that a link leads away from there.
    for name in ("share/jupyter", "etc/jupyter"):
        shutil.copytree(
            Path(sys.prefix, name),
            place.venv / name,
            ignore=shutil.ignore_patterns("overrides.json"),
        )


def lesson_to_look_at(path: Path) -> None:
    """Write a lesson of the cells above."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "source": source.strip(),
            "outputs": [],
            "execution_count": None,
        }
        for number, source in enumerate(LOOKED_AT.split("---"))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}}
    whole |= {"nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(whole), encoding="utf-8")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A copy of the project in which everything is installed and built.

    Whether the page works is asked in tests/playground; here it is only handed out.
    """
    place = Place(tmp_path_factory.mktemp("house"))
    for name in ("start.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, place.root)
    for name in ("notebooks", "launcher", "mingraph_lite"):
        shutil.copytree(
            ROOT / name,
            place.root / name,
            ignore=shutil.ignore_patterns("__pycache__", ".*"),
        )
    for name in ("index.html", "package.json"):
        place.playground.mkdir(exist_ok=True)
        shutil.copy(ROOT / "playground" / name, place.playground)
    lesson_to_look_at(place.notebooks / "90_looked_at.ipynb")
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


def look_at(lessons: str) -> Look:
    """Take a lesson by Shift+Enter alone, then follow its link."""
    asked: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        page = chromium.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(60_000)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(lessons.replace("00_start_here", "90_looked_at"))
        # A cell that is run before the kernel is idle is not run at all.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        cells = page.locator(".jp-Cell")
        folded = cells.nth(1).inner_text()
        cells.nth(0).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        cells.nth(0).get_by_text("[1]:").wait_for()
        page.keyboard.press("Shift+Enter")
        cells.nth(1).get_by_text("two and two are 4").wait_for()
        page.keyboard.press("Shift+Enter")
        page.get_by_role("link", name="cards.py").wait_for()
        look = Look(
            sizes=page.evaluate(SIZES),
            one_document="/doc/tree/" in page.url,
            side_panels=[
                page.locator(f"#jp-{side}-stack").is_visible()
                for side in ("left", "right")
            ],
            dialogs=page.locator(".jp-Dialog, .Toastify__toast").count(),
            folded=folded,
            revealed=cells.nth(1).inner_text(),
            read_next="",
            asked=asked,
        )
        page.get_by_role("link", name="cards.py").click()
        page.get_by_text("Ln 8, Col 1").wait_for()  # where the cursor is
        look.read_next = page.locator(".jp-FileEditor .cm-line").nth(7).inner_text()
        chromium.close()
    return look


@pytest.fixture(scope="module")
def visit(house: Place) -> Visit:
    """Start, look around, start once more beside it, press Ctrl-C."""
    port = two_ports_in_a_row()
    command = [sys.executable, house.root / "start.py", "--no-browser", "--projector"]
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
        look = look_at(lessons)
        family += set(family[0].children(recursive=True)) - {*family}  # a kernel
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
        look,
        status,
        left,
        free,
        homes,
    )


def test_the_first_lesson_is_opened_by_its_token_alone(visit):
    address = urlsplit(visit.lessons)

    assert (address.hostname, address.path) == (
        "127.0.0.1",
        "/doc/tree/00_start_here.ipynb",
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
            if "reveal(" in "".join(cell["source"]):
                cell["metadata"]["jupyter"] = {"source_hidden": True}

    assert visit.copy["cells"] == lesson["cells"]


def test_a_class_sees_one_document_in_large_type_and_nothing_beside_it(visit):
    look = visit.look
    here = (visit.lessons.partition("/doc/")[0], "data:", "blob:")

    assert (look.one_document, look.side_panels, look.dialogs) == (
        True,
        [False, False],
        0,
    )
    assert look.sizes == ["20px", "20px"]
    assert [url for url in look.asked if not url.startswith(here)] == []
    assert [url for url in look.asked if "news" in url] == []


def test_a_reveal_shows_none_of_its_code_and_runs_with_shift_enter(visit):
    assert "reveal" not in visit.look.folded
    assert "2 + 2" not in visit.look.revealed
    assert visit.look.revealed.strip().endswith("two and two are 4 1")


def test_a_lessons_link_opens_the_package_at_its_line(visit):
    lines = (ROOT / "mingraph_lite/cards.py").read_text("utf-8").splitlines()

    assert visit.look.read_next == lines[7]


def test_the_playground_is_handed_out_beside_the_lessons(visit):
    page = urlsplit(visit.page)

    assert (page.hostname, page.path, page.query) == ("127.0.0.1", "/", "size=large")
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
