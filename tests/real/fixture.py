"""The real model as fixtures: two servers, up for the whole test run."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0


@dataclass(frozen=True)
class LlamaServer:
    """A running server: its base URL, the name of its model, and its process."""

    base_url: str
    model: str
    process: subprocess.Popen[bytes]


@contextmanager
def running(key: str | None = None, *, tools: bool = False) -> Iterator[LlamaServer]:
    """Start a server of one's own, ready to answer; it ends with the block.

    With `tools` its template tells the model which tools there are.
    """
    command = [sys.executable, "-m", "tests.real.llama_server"]
    command += ["--key", key] if key else []
    command += ["--tools"] if tools else []
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=log
        ) as process,
    ):
        try:
            assert process.stdout is not None
            address = process.stdout.readline().decode().strip()
            if not (address and _is_ready(f"{address}/health", process)):
                log.seek(0)
                raise RuntimeError(f"The model server did not start: {log.read()}")
            yield LlamaServer(f"{address}/v1", "smollm2", process)
        finally:
            process.kill()


@pytest.fixture(scope="session")
def llama_server() -> Iterator[LlamaServer]:
    """A small real model on loopback, shared by all tests that ask for it."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def tool_server() -> Iterator[LlamaServer]:
    """Give the same model with native tools."""
    with running(tools=True) as server:
        yield server


def _is_ready(url: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers; False if it ended, or took far too long."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except urllib.error.HTTPError as error:
            error.close()  # 503: it is loading the model
        except OSError:
            pass  # not listening yet
        time.sleep(0.05)
    return False
