"""The processes we start, so that none outlives us."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from launcher.failures import JobFailed, last_lines
from launcher.place import Place
from start import LEAVING, Trouble, say

__all__ = ["Children", "Enough", "Process", "Progress", "run"]

type Process = subprocess.Popen[bytes]

PULSE = 1.0  # seconds between two looks at a log
SILENCE = 5.0  # nobody waits for longer without a word


class Enough(Exception):
    """A job will fail, by what was heard: do not wait."""


class Children:
    """The processes we started, so that none outlives us."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: list[tuple[Process, int]] = []
        self.stopping = False

    def start(
        self, command: Sequence[str], stop_with: int = signal.SIGTERM, **options: Any
    ) -> Process:
        """Start a process in its own group: Ctrl-C is ours to pass."""
        if os.name == "nt":
            options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
        else:
            options["start_new_session"] = True
        with undisturbed(), self.lock:
            if self.stopping:
                raise Trouble("stopped before it was done.")
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
            self.running.append((process, stop_with))
        return process

    def stop(self) -> None:
        """End all of them, and start no more."""
        with self.lock:
            self.stopping = True
        self.end([(p, how) for p, how in self.running if p.poll() is None])

    def end(self, alive: Sequence[tuple[Process, int]]) -> None:
        """Ask these groups to end, and end those that do not."""
        for process, stop_with in alive:
            signal_group(process, stop_with)
        for process, _ in alive:
            for _ in range(3):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(SILENCE)
                    break
                say("Still stopping ...")
            signal_group(process, getattr(signal, "SIGKILL", None))
            process.wait()


def signal_group(process: Process, number: int | None) -> None:
    """Reach npm's children and pytest's workers too, not only the first process."""
    if os.name == "nt":
        subprocess.call(["taskkill", "/T", "/F", "/PID", str(process.pid)])
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Put Ctrl-C off: a process not listed yet would stay behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is ever interrupted
        return
    came: list[int] = []
    kept = {n: signal.signal(n, lambda n, _: came.append(n)) for n in LEAVING}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    for number in came[:1]:
        os.kill(os.getpid(), number)


def still_at(last: str) -> str:
    """Say that a job goes on, although it has said nothing new."""
    return f"still at it: {last}" if last else "still at it"


def run(
    place: Place,
    children: Children,
    doing: str,
    command: Sequence[str],
    *,
    heard: Callable[[str], str | None] = lambda line: None,
    waiting: Callable[[str], str] = still_at,
    **options: Any,
) -> None:
    """Run something that takes a while, and say how it goes.

    Each new line of its log goes through `heard`, which may have something to say, and
    may have heard enough; `waiting` says what is waited for while there are none.
    """
    say(f"{doing} ...")
    log = place.log_of(doing)
    with open(log, "wb") as file:
        # What can be inherited is the lock of `alone`, and no other file.
        output = {"stdout": file, "stderr": subprocess.STDOUT, "close_fds": False}
        process = children.start(command, **{"cwd": place.root, **output, **options})
    progress = Progress(log, waiting)
    with open(log, encoding="utf-8", errors="replace") as lines:
        try:
            while status_within(process, PULSE) is None:
                for words in filter(None, map(heard, lines)):
                    progress.say_once(words)
                progress.tick()
        except Enough:
            # npm takes its time to leave, and what it leaves half made is made anew.
            children.end([(process, getattr(signal, "SIGKILL", signal.SIGTERM))])
    if process.returncode:
        raise JobFailed(doing, log, place)
    progress.say("done")


def status_within(process: Process, seconds: float) -> int | None:
    """Wait a little for a process to end."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


class Progress:
    """What is said while a job runs, every few seconds."""

    def __init__(
        self,
        log: Path,
        waiting: Callable[[str], str] = still_at,
        clock: Callable[[], float] = time.monotonic,
        write: Callable[[str], None] = say,
    ) -> None:
        self.log, self.waiting, self.clock, self.write = log, waiting, clock, write
        self.began = self.told = clock()
        self.last, self.once = "", set[str]()

    def tick(self) -> None:
        """Say the log's last words when it is time."""
        if self.clock() - self.told < SILENCE:
            return
        lines = last_lines(self.log, 1)
        new = bool(lines) and lines[-1].strip() != self.last
        self.last = lines[-1].strip() if lines else ""
        self.say(self.last if new else self.waiting(self.last))

    def say_once(self, words: str) -> None:
        """Say what is worth a line, but not for each package."""
        if words not in self.once:
            self.once.add(words)
            self.say(words)

    def say(self, words: str) -> None:
        """Say a line, cut to the terminal."""
        self.told = self.clock()
        room = max(shutil.get_terminal_size().columns - 11, 20)
        self.write(f"{self.told - self.began:6.0f} s  {words[:room]}")
