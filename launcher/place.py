"""Where everything is."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from start import python_of

__all__ = ["Place"]


@dataclass(frozen=True)
class Place:
    """The project's folder, and what has its place in it."""

    root: Path

    @property
    def venv(self) -> Path:
        """The virtual environment that everything runs in."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The Python of .venv."""
        return python_of(self.venv)

    @property
    def scripts(self) -> Path:
        """The folder of .venv's commands."""
        return self.python.parent

    @property
    def notebooks(self) -> Path:
        """The lessons as they are written."""
        return self.root / "notebooks"

    @property
    def lessons(self) -> Path:
        """The learner's copies."""
        return self.root / "my_lessons"

    @property
    def package(self) -> Path:
        """The package that the lessons are about."""
        return self.root / "mingraph_lite"

    @property
    def playground(self) -> Path:
        """What the page is built from."""
        return self.root / "playground"

    @property
    def dist(self) -> Path:
        """The page, once it is built."""
        return self.playground / "dist"

    @property
    def build(self) -> Path:
        """What can be thrown away: logs, locks, JupyterLab's own files."""
        return self.root / "build"

    @property
    def constraints(self) -> Path:
        """The versions that were tested."""
        return self.root / "constraints.txt"

    def log_of(self, doing: str) -> Path:
        """Name the file that keeps what a long job says."""
        name = re.sub(r"\W+", "-", doing.partition(" with ")[0].lower())
        folder = self.build / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{name}.log"

    def shown(self, path: Path) -> str:
        """Name a file as seen from the project's folder."""
        return path.relative_to(self.root).as_posix()

    def path(self) -> str:
        """Give the PATH on which .venv's commands come first."""
        return os.pathsep.join([str(self.scripts), os.environ.get("PATH", os.defpath)])

    def fingerprint(self, files: list[Path]) -> str:
        """Boil files down to a line that changes when they do."""
        digest = hashlib.sha256()
        for path in files:
            digest.update(os.path.relpath(path, self.root).encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()
