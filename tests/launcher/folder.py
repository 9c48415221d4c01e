"""What these tests build with: scripts that note their calls, notebooks, packages."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, PathDistribution
from pathlib import Path

__all__ = [
    "ROOT",
    "calls",
    "notebook",
    "package",
    "packages",
    "refuse",
    "script",
    "start_in",
]

ROOT = Path(__file__).resolve().parents[2]


def script(path: Path, *lines: str) -> Path:
    """Write a shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return path


def calls(program: Path) -> list[str]:
    """Read what a script has noted, but for pip's own settings."""
    noted = program.with_name(program.name + ".calls")
    lines = noted.read_text().splitlines() if noted.exists() else []
    return [line for line in lines if line != "-m pip config list"]


def start_in(
    folder: Path, *arguments: str, **environment: str
) -> tuple[int, list[str]]:
    """Run a folder's start.py; its status and its lines."""
    done = subprocess.run(
        [sys.executable, folder / "start.py", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        env=os.environ | environment,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace").splitlines()


def refuse(package: str) -> bool:
    """Install nothing."""
    return False


def notebook(path: Path, source: str = "1 + 1", **metadata: object) -> Path:
    """Write a lesson of a text and a cell that was run."""
    shown = {"output_type": "execute_result", "data": {"text/plain": ["2"]}}
    cell = {"cell_type": "code", "id": "sum", "metadata": {}, "source": [source]}
    cells = [
        {"cell_type": "markdown", "id": "text", "metadata": {}, "source": ["Grüße"]},
        cell | {"outputs": [shown], "execution_count": 1},
    ]
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def package(
    folder: Path,
    name: str,
    version: str,
    *requires: str,
    extras: tuple[str, ...] = (),
    whole: bool = True,
    origin: Mapping[str, object] | None = None,
) -> Path:
    """Write what pip leaves of a package, but for the package itself."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Provides-Extra: {extra}" for extra in extras]
    lines += [f"Requires-Dist: {line}" for line in requires]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    if whole:
        (info / "RECORD").write_text(f"{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
    return info


def packages(folder: Path) -> Callable[[str], Distribution]:
    """Look packages up in this folder alone."""

    def find(name: str) -> Distribution:
        for info in folder.glob(f"{name.replace('-', '_')}-*.dist-info"):
            return PathDistribution(info)
        raise PackageNotFoundError(name)

    return find
