"""JupyterLab on one lesson, for a browser to look at."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.notebooks.fixed_environment import lesson_environment

__all__ = ["jupyterlab"]

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
    lessons, own = folder / "lessons", folder / "own"
    lessons.mkdir()
    shutil.copy(lesson, lessons)
    for own_work in lesson.parent.glob("my_agent.py"):  # what a lesson begins with
        shutil.copy(own_work, lessons)
    for name, values in SETTINGS.items():
        settings = own / "config" / "lab" / "user-settings" / "@jupyterlab" / name
        settings.parent.mkdir(parents=True)
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
    ]
    env = lesson_environment(os.environ) | {k: str(v) for k, v in places.items()}
    with (
        log.open("wb") as out,
        subprocess.Popen(command, env=env, stdout=out, stderr=out) as server,
    ):
        try:
            yield address_of(server, places["JUPYTER_RUNTIME_DIR"], log)
        finally:
            server.terminate()
            server.wait(30)
