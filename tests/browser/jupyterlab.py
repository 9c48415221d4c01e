"""JupyterLab on lessons, for a browser to look at."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from launcher.cells import content
from launcher.place import Place
from tests.notebooks.fixed_environment import ROOT, lesson_environment

__all__ = ["classroom", "copies", "jupyterlab"]

SETTINGS = {
    # It would ask whether to ask for news.
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # Cells out of sight stay on the page, so that a test can go to them.
    "notebook-extension/tracker": {"windowingMode": "none"},
}


def address_of(server: subprocess.Popen[bytes], notes: Path, log: Path) -> str:
    """Wait until JupyterLab has noted where it is, and answers there."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and server.poll() is None:
        for note in notes.glob("jpserver-*.json"):
            with contextlib.suppress(OSError, ValueError):  # half written, or too early
                url = json.loads(note.read_text(encoding="utf-8"))["url"]
                with urllib.request.urlopen(url + "api", timeout=5):
                    return url
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")


@contextlib.contextmanager
def jupyterlab(folder: Path, lesson: Path) -> Iterator[str]:
    """Serve one lesson from a folder, with nothing of this user's in it."""
    (folder / "lessons").mkdir()
    shutil.copy(lesson, folder / "lessons")
    for own_work in lesson.parent.glob("my_agent.py"):  # what a lesson begins with
        shutil.copy(own_work, folder / "lessons")
    with served(folder, {}) as address:
        yield address


@contextlib.contextmanager
def classroom(folder: Path, *, projector: bool = False) -> Iterator[str]:
    """Serve a folder of lessons as start.py does, for a learner."""
    (folder / "lessons").mkdir(exist_ok=True)
    style = folder / "own" / "config" / "custom" / "custom.css"
    style.parent.mkdir(parents=True)
    sheets = ["classroom.css", *(["projector.css"] if projector else [])]
    texts = [(ROOT / "launcher" / name).read_text(encoding="utf-8") for name in sheets]
    style.write_text("\n".join(texts), encoding="utf-8")
    flags = {"MINGRAPH_LEARNER": "1", "MINGRAPH_PROJECTOR": str(int(projector))}
    with served(folder, flags, "--LabApp.custom_css=True") as address:
        yield address


def copies(folder: Path, *names: str) -> Path:
    """Give a learner copies of what stands in notebooks, in a folder of their own."""
    folder.mkdir(parents=True)
    for name in names:
        copy = content(Place(ROOT), ROOT / "notebooks" / name)
        (folder / name).write_bytes(copy)
    return folder


@contextlib.contextmanager
def served(folder: Path, flags: Mapping[str, str], *options: str) -> Iterator[str]:
    """Start JupyterLab on the folder's lessons, and stop it."""
    lessons, own = folder / "lessons", folder / "own"
    for name, values in SETTINGS.items():
        settings = own / "config" / "lab" / "user-settings" / "@jupyterlab" / name
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.with_suffix(".jupyterlab-settings").write_text(
            json.dumps(values), encoding="utf-8"
        )
    places = {
        "JUPYTER_CONFIG_DIR": own / "config",
        "JUPYTER_DATA_DIR": own / "data",
        "JUPYTER_RUNTIME_DIR": own / "runtime",
        "IPYTHONDIR": own / "ipython",
    }
    log = folder / "lab.log"
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        # Where the port is taken, by another worker say, it takes the next.
        *("--ip=127.0.0.1", f"--port={20_000 + os.getpid() % 20_000}"),
        *("--IdentityProvider.token=", "--LabApp.news_url=None"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        f"--ServerApp.root_dir={lessons}",
        *options,
    ]
    paths = {name: str(path) for name, path in places.items()}
    env = lesson_environment(os.environ) | paths | flags
    with (
        log.open("wb") as out,
        subprocess.Popen(command, env=env, stdout=out, stderr=out) as server,
    ):
        try:
            yield address_of(server, places["JUPYTER_RUNTIME_DIR"], log)
        finally:
            server.terminate()
            server.wait(30)
