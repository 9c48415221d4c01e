"""Firefox, driven by puppeteer-core in a Node of its own."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Firefox", "running_firefox"]

SCRIPT = Path(__file__).with_suffix(".mjs")


class Firefox:
    """Says each command in a line, and reads what comes of it in another."""

    def __init__(self, node: subprocess.Popen[str]) -> None:
        self._node = node

    def open(self, address: str) -> None:
        self._tell("open", address)

    def evaluate(self, expression: str) -> Any:
        return self._tell("evaluate", expression)

    def click(self, x: float, y: float) -> None:
        self._tell("click", x, y)

    def type(self, text: str) -> None:
        self._tell("type", text)

    def select_all(self) -> None:
        self._tell("selectAll")

    def resize(self, width: int, height: int) -> None:
        self._tell("resize", width, height)

    def picture(self, path: Path) -> None:
        self._tell("picture", str(path))

    def _tell(self, name: str, *values: object) -> Any:
        self._node.stdin.write(json.dumps({"do": name, "with": values}) + "\n")
        self._node.stdin.flush()
        line = self._node.stdout.readline()
        assert line, "Firefox, or the Node that drives it, has ended"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]


@contextmanager
def running_firefox(path: str, folder: Path) -> Iterator[Firefox]:
    """Run a Firefox without a window, whose profile is kept in this folder."""
    profile = folder / "profile"
    profile.mkdir()
    command = [shutil.which("node") or "node", str(SCRIPT), path, str(profile)]
    with (
        open(folder / "firefox.log", "w", encoding="utf-8") as log,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
        ) as node,
    ):
        try:
            yield Firefox(node)
        finally:
            node.stdin.close()  # at the end of its input it closes Firefox
            try:
                node.wait(20)
            except subprocess.TimeoutExpired:
                node.terminate()
