"""Writing a trace line by line, and listing a big one.

A line is written beside the least that it can cost: to open the file, append the same
bytes and close it. A file is listed beside `json.loads` of each of its lines, which any
reader has to do that looks at all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from mingraph_lite.observers import Announcer, Observer
from mingraph_lite.trace import TraceRecorder
from tests.bench.measure import Job, Run

LINE: Final = "a text as long as a result or a short reply, in a few words. " * 5
LONG: Final = 5_000_000
"""A few lines of a big trace are so long."""

_FOLDER: Final = tempfile.TemporaryDirectory(prefix="bench-traces-")
_names: Final = count()


def new_file() -> Path:
    """A file that is not there yet; all of them are gone with this process."""
    return Path(_FOLDER.name) / f"{next(_names)}.jsonl"


def recorder() -> Observer:
    """A recorder with a file of its own."""
    return TraceRecorder(new_file())


def bare(lines: int) -> Run:
    """Open, append, close: the bytes of a line, made beforehand."""
    path = str(new_file())
    recorded(1)()
    line = (Path(_FOLDER.name) / f"{next(_names) - 1}.jsonl").read_bytes()

    def run() -> int:
        for _ in range(lines):
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            os.write(file, line)
            os.close(file)
        return lines

    return run


def recorded(lines: int) -> Run:
    """The same lines, announced and recorded."""
    path = new_file()
    announcer = Announcer([TraceRecorder(path)], run_id="run-1", agent="agent")

    def run() -> int:
        for _ in range(lines):
            announcer.announce("warning", text=LINE)
        return path.read_bytes().count(b"\n")

    return run


BARE: Final = "open, append, close"
RECORDED: Final = "TraceRecorder"
WRITING: Final[dict[str, Job]] = {BARE: bare, RECORDED: recorded}


@contextmanager
def big_file(size: int) -> Iterator[Path]:
    """A trace of about so many bytes: runs of common lines, and a few of 5 MB."""
    path = new_file()
    head = '{"run": "%d", "seq": %d, "step": 1, "event": "%s", "ms": 1.5'
    written = number = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            run, seq = divmod(number, 1_000)
            if seq == 0:
                line = (
                    head % (run, 1, "run_start") + ', "format": 1, "question": "Go"}\n'
                )
            else:
                text = "x" * LONG if size > 20 * LONG and number % 50_000 == 7 else LINE
                line = head % (run, seq + 1, "warning") + f', "text": "{text}"}}\n'
            written += file.write(line)
            number += 1
    try:
        yield path
    finally:
        path.unlink()


_MEASURED: Final = """
import json, sys, time
{imports}
def peak():
    try:
        with open("/proc/self/status") as status:
            told = dict(line.split(":", 1) for line in status)
        return int(told["VmHWM"].split()[0]) * 1024
    except (OSError, KeyError):
        import resource
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most * (1 if sys.platform == "darwin" else 1024)
began = time.process_time()
{act}
seconds = time.process_time() - began
print(json.dumps([seconds, peak() / 1e6]))
"""
# Why not ru_maxrss alone? On Linux it begins with the peak of whoever started the
# process, here that of the bench; VmHWM begins anew with each program.
LISTED: Final = _MEASURED.format(
    imports="from mingraph_lite.trace import read_trace",
    act="assert read_trace({path!r}, strict=True).runs",
)
LOADED: Final = _MEASURED.format(
    imports="",
    act='for line in open({path!r}, encoding="utf-8"):\n    json.loads(line)',
)


def in_a_process_of_its_own(code: str, path: Path) -> tuple[float, float]:
    """Seconds, and the most megabytes that the process held."""
    command = [sys.executable, "-c", code.replace("{path!r}", repr(str(path)))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes
