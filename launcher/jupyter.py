"""JupyterLab as a classroom, with its own settings and nobody else's.

What we set are defaults and a style, both written anew at each start. What a learner
sets in JupyterLab is stored elsewhere, and counts more.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from launcher.failures import below, last_lines
from launcher.inherited import for_jupyter
from launcher.place import Place
from launcher.ports import HOST
from launcher.processes import Children, Process, Progress
from launcher.running import answers
from start import Trouble, say

__all__ = ["PortTaken", "command", "set_defaults", "start_jupyter"]

PATIENCE = 120
DOING = "Starting JupyterLab"

# Nothing asks what nobody came for: no news, please.
DEFAULTS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}
STYLES = Path(__file__).parent


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
        # Our style; under JUPYTER_NO_CONFIG it is looked for in an empty folder.
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings=static_custom_path={custom(place)}",
        *root,
    ]


def start_jupyter(
    place: Place,
    children: Children,
    port: int,
    token: str,
    ours: Callable[[int, str], bool] = answers,
    *,
    projector: bool = False,
) -> Process:
    """Start JupyterLab and come back when it answers to our token."""
    set_defaults(place, projector=projector)
    say(f"{DOING} ...")
    log = place.log_of("jupyter")
    with open(log, "wb") as file:
        jupyter = children.start(
            command(place, port),
            cwd=place.lessons,
            env=for_jupyter(os.environ, place, token, projector=projector),
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


def set_defaults(place: Place, *, projector: bool) -> None:
    """Write what JupyterLab begins with; a start without the switch undoes it."""
    settings = place.venv / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(DEFAULTS))
    styles = ["classroom.css", *(["projector.css"] if projector else [])]
    text = "\n".join((STYLES / name).read_text("utf-8") for name in styles)
    custom(place).mkdir(parents=True, exist_ok=True)
    (custom(place) / "custom.css").write_text(text, encoding="utf-8")


def custom(place: Place) -> Path:
    """Name the folder of our style, which is JupyterLab's word for it."""
    return place.build / "jupyter" / "custom"
