"""JupyterLab, with its own settings and nobody else's."""

import json
import os
import subprocess
import time
from collections.abc import Callable

from launcher.failures import below, last_lines
from launcher.inherited import for_jupyter
from launcher.place import Place
from launcher.ports import HOST
from launcher.processes import Children, Process, Progress
from launcher.running import answers
from start import Trouble, say

__all__ = ["PortTaken", "command", "start_jupyter"]

PATIENCE = 120
DOING = "Starting JupyterLab"


class PortTaken(Trouble):
    """Somebody else was quicker at this port."""


def command(place: Place, port: int) -> list[str]:
    """Spell out how JupyterLab is started on the copies."""
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [
        # -P, or a random.py among the copies would be imported for Python's own.
        *[str(place.python), "-P", "-m", "jupyterlab"],
        *["--no-browser", f"--ip={HOST}"],
        *[f"--port={port}", "--ServerApp.port_retries=0"],
        f"--ServerApp.root_dir={place.lessons}",
        "--KernelSpecManager.allowed_kernelspecs=python3",
        # Nothing asks the network: no news, no update check, no list of extensions.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        *root,
    ]


def start_jupyter(
    place: Place,
    children: Children,
    port: int,
    token: str,
    ours: Callable[[int, str], bool] = answers,
) -> Process:
    """Start JupyterLab and come back when it answers to our token."""
    keep_quiet(place)
    say(f"{DOING} ...")
    log = place.log_of("jupyter")
    with open(log, "wb") as file:
        jupyter = children.start(
            command(place, port),
            cwd=place.lessons,
            env=for_jupyter(os.environ, place, token),
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    progress, end = Progress(log), time.monotonic() + PATIENCE
    while not ours(port, token):
        if jupyter.poll() is not None or time.monotonic() > end:
            if any("port" in x and "not available" in x for x in last_lines(log)):
                raise PortTaken(f"Port {port} is not free any more.")
            raise Trouble(
                "JupyterLab did not start. If a part of .venv is missing, delete .venv "
                f"and start again.{below(log, place)}"
            )
        progress.tick()
        time.sleep(0.1)
    return jupyter


def keep_quiet(place: Place) -> None:
    """Answer for the learner what JupyterLab would ask first: no news, please."""
    settings = place.venv / "share" / "jupyter" / "lab" / "settings"
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    overrides = {"@jupyterlab/apputils-extension:notification": quiet}
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(overrides))
