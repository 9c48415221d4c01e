"""No Ctrl-C, fork or stopped neighbour makes a recorder wait for ever."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.schema import appending
from mingraph_lite.trace import TraceRecorder, read_trace
from tests.trace.written import agent

fcntl = pytest.importorskip("fcntl")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


def open_files() -> int:
    """How many descriptors this process holds."""
    held = 0
    for number in range(256):
        try:
            os.fstat(number)
        except OSError:
            continue
        held += 1
    return held


@pytest.mark.parametrize(
    "moment", ["append", "_opened", "_lock", "_is_torn", "_unlock"]
)
def test_a_ctrl_c_at_any_moment_of_a_line_leaves_nothing_locked(tmp_path, moment):
    path = tmp_path / "trace.jsonl"
    asked = agent("18", "18", path=path)

    def ctrl_c(frame, event, argument):
        """What a signal does when a function is entered."""
        if event == "call" and frame.f_code is getattr(appending, moment).__code__:
            sys.settrace(None)
            raise KeyboardInterrupt

    before, tracing = open_files(), sys.gettrace()
    sys.settrace(ctrl_c)
    try:
        with pytest.raises(KeyboardInterrupt):
            asked.run("Go")
    finally:
        sys.settrace(tracing)
    assert open_files() == before
    with path.open("ab") as file:  # raises where it is still locked
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    asked.run("And now?")
    assert read_trace(path).runs[-1].reason == "answered"


STRUCK = """
import random, signal, sys
from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.trace import TraceRecorder

def struck(*_):
    global is_armed
    if is_armed:
        is_armed = False
        raise KeyboardInterrupt

def ask():
    Agent(ScriptedLLM(["ok"] * 9), [], "", observers=[recorder]).run("q")

is_armed, moments, hits = False, random.Random(3), 0
recorder = TraceRecorder(sys.argv[1])
signal.signal(signal.SIGALRM, struck)
while hits < 300:
    is_armed = True
    try:
        signal.setitimer(signal.ITIMER_REAL, moments.uniform(0.00005, 0.002))
        ask()
        is_armed = False
    except KeyboardInterrupt:
        hits += 1
    is_armed = False
ask()
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="it sets a timer")
def test_after_300_real_ctrl_cs_the_recorder_still_writes(tmp_path):
    path = tmp_path / "trace.jsonl"
    subprocess.run([sys.executable, "-c", STRUCK, str(path)], check=True, timeout=60)
    trace = read_trace(path)
    assert (trace.runs[-1].question, trace.runs[-1].reason) == ("q", "answered")
    # The end of a run that a Ctrl-C struck is no run of its own.
    assert [run.id for run in trace.runs if is_a_stray_end(trace.run(run.id))] == []


def is_a_stray_end(run) -> bool:
    """An end that stands alone, though its run had told of its beginning."""
    return [line["event"] for line in run.lines] == ["finish"] and (
        run.lines[0]["seq"] > 2
    )


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_is_not_kept_waiting_by_a_thread_of_its_parent(tmp_path):
    path = tmp_path / "trace.jsonl"
    entered, leave = threading.Event(), threading.Event()

    def slow_id() -> str:
        """Names a run while the recorder is busy with its first line."""
        if threading.current_thread() is not threading.main_thread():
            entered.set()
            leave.wait()
            return "of the parent"
        return "of the child"

    recorder = TraceRecorder(path, run_id=slow_id)

    def ask():
        Agent(ScriptedLLM(["18"]), [], "", observers=[recorder]).run("Go")

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    assert entered.wait(20)
    child = forked(ask)
    _, status = os.waitpid(child, 0)
    leave.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0
    assert [(run.id, run.reason) for run in read_trace(path).runs] == [
        ("of the child", "answered"),
        ("of the parent", "answered"),
    ]


def forked(act) -> int:
    """A child that does this, and is ended where it hangs."""
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
            act()
            os._exit(0)
        finally:
            os._exit(1)
    return child


@forks
def test_a_child_that_inherits_the_open_file_holds_no_lock_on_it(tmp_path, monkeypatch):
    path = tmp_path / "trace.jsonl"
    reading, writing = os.pipe()
    children = []

    def write(file, line):
        """Fork while the file is locked; the child only waits."""
        if not children:
            children.append(forked(lambda: os.read(reading, 1)))
        return os.write(file, line)

    with monkeypatch.context() as patched:
        patched.setattr(appending, "os", _with(os, write=write))
        appending.append(str(path), b"first\n")
    waits = []
    appending.append(str(path), b"second\n", sleep=waits.append)
    os.write(writing, b"!")
    os.waitpid(children[0], 0)
    os.close(reading)
    os.close(writing)
    assert (waits, path.read_bytes()) == ([], b"first\nsecond\n")


class _with:
    """A module with one function of our own."""

    def __init__(self, module, **changed):
        self._module = module
        self.__dict__.update(changed)

    def __getattr__(self, name):
        return getattr(self._module, name)


def test_whoever_holds_the_lock_for_a_second_is_waited_for_once(tmp_path):
    path = tmp_path / "trace.jsonl"
    waits: list[float] = []
    with path.open("ab") as neighbour:
        fcntl.flock(neighbour, fcntl.LOCK_EX)
        appending.append(str(path), b"1\n", sleep=waits.append)
        assert 0.9 < sum(waits) < 1.1
        appending.append(str(path), b"2\n", sleep=waits.append)
        assert 0.9 < sum(waits) < 1.1
    appending.append(str(path), b"3\n", sleep=waits.append)  # it is free again
    waits.clear()

    def let_go(seconds):
        waits.append(seconds)
        if len(waits) == 30:
            neighbour.close()

    with path.open("ab") as neighbour:
        fcntl.flock(neighbour, fcntl.LOCK_EX)
        appending.append(str(path), b"4\n", sleep=let_go)
    assert (len(waits), path.read_bytes()) == (30, b"1\n2\n3\n4\n")
