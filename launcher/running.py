"""Which JupyterLab of this folder is open already."""

import contextlib
import http.client
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from launcher.place import Place
from launcher.ports import HOST

__all__ = ["Running", "answers", "forget", "note", "open_already"]


@dataclass(frozen=True)
class Running:
    """A JupyterLab on this folder, and how it is reached."""

    process: int
    port: int
    token: str
    projector: bool = False

    def address(self, notebook: str | None) -> str:
        """Give the address of a notebook, or of the list of files.

        Under `doc` JupyterLab shows one document and no side bars, its simple
        interface. Why not by its setting startMode? That counts once the side bars are
        there, and brings a learner who has left it back at each reload.
        """
        page = f"doc/tree/{notebook}" if notebook else "lab"
        return f"http://{HOST}:{self.port}/{page}?token={self.token}"


def record(place: Place) -> Path:
    """Name the file that says what is running."""
    return place.build / "jupyter" / "running.json"


def note(place: Place, running: Running) -> None:
    """Write down what runs, to be found if we are killed."""
    path = record(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(running), file)


def forget(place: Place) -> None:
    """Strike it out: nothing runs any more."""
    with contextlib.suppress(OSError):
        record(place).unlink()


def open_already(place: Place) -> Running | None:
    """Return the JupyterLab of this folder that still answers."""
    try:
        running = Running(**json.loads(record(place).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return running if answers(running.port, running.token) else None


def answers(port: int, token: str) -> bool:
    """Ask for what only our own JupyterLab tells to our own token.

    http.client asks no proxy on the way.
    """
    connection = http.client.HTTPConnection(HOST, port, timeout=3)
    try:
        headers = {"Authorization": f"token {token}"}
        connection.request("GET", "/api/status", headers=headers)
        reply = connection.getresponse()
        return reply.status == 200 and "started" in json.loads(reply.read())
    except (OSError, ValueError, TypeError, http.client.HTTPException):
        return False
    finally:
        connection.close()
