"""Whoever is killed while it writes leaves all that came before."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from mingraph_lite.observers import Announcer
from mingraph_lite.schema.appending import append
from mingraph_lite.trace import TraceRecorder, read_trace
from tests.trace.written import agent

KILLS = 100

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


def write_until_killed(path: Path, seed: int, begun: int) -> None:
    """What a child does: lines of 300 bytes to 200 KB, as fast as it can."""
    sizes = random.Random(seed)
    announcer = Announcer([TraceRecorder(path)], run_id="r", agent="a")
    announcer.announce("run_start", question=str(seed))
    os.write(begun, b"!")
    while True:
        length = round(300 * 667 ** sizes.random())
        announcer.announce("tick", text="x" * length)


def killed(path: Path, seed: int, after: float) -> None:
    """Let a child write for so many seconds, and kill it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write_until_killed(path, seed, writing)
        finally:
            os._exit(1)
    os.read(reading, 1)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)
    assert os.WTERMSIG(status) == signal.SIGKILL


def test_a_run_killed_100_times_loses_at_most_its_last_line(tmp_path):
    moments = random.Random(7)
    path = tmp_path / "trace.jsonl"
    for seed in range(KILLS):
        killed(path, seed, moments.uniform(0, 0.008))
        if seed % 10 == 9:  # a file for ten, each of whom goes on where one was killed
            trace = read_trace(path)
            assert [run.question for run in trace.runs] == [
                str(n) for n in range(seed - 9, seed + 1)
            ]
            for run in trace.runs:
                # Every line that is there is whole, and none is missing in between.
                lines = trace.run(run.id).lines
                assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
            assert len(trace.problems) <= 10  # each lost its last line at most
            agent("18", path=path).run("And now?")
            after = read_trace(path)
            assert (after.runs[-1].question, after.runs[-1].reason) == (
                "And now?",
                "answered",
            )
            assert after.problems == trace.problems
            path.unlink()


@pytest.mark.parametrize("kept", [1, 17, 90, -1])
def test_E04_the_next_writer_ends_a_torn_line_and_cuts_nothing_off(tmp_path, kept):
    path = tmp_path / "trace.jsonl"
    agent("18", path=path).run("Go")
    whole = path.read_bytes()
    torn = whole.splitlines()[-1][:kept]
    path.write_bytes(whole + torn)
    agent("19", path=path).run("Again?")
    assert path.read_bytes().startswith(whole + torn + b"\n{")
    trace = read_trace(path)
    assert [problem.line for problem in trace.problems] == [whole.count(b"\n") + 1]
    assert [run.question for run in trace.runs] == ["Go", "Again?"]


def test_a_line_that_lacks_nothing_but_its_end_is_whole(tmp_path):
    path = tmp_path / "trace.jsonl"
    agent("18", path=path).run("Go")
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    agent("19", path=path).run("Again?")
    assert read_trace(path).problems == ()


def test_a_short_write_is_completed(tmp_path, monkeypatch):
    path = tmp_path / "trace.jsonl"
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:7]))
    append(str(path), b"a long line that is written in parts\n")
    append(str(path), b"another\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"a long line that is written in parts\nanother\n"


def test_a_line_that_does_not_fit_on_the_disk_is_reported_and_ended(
    tmp_path, monkeypatch
):
    path = tmp_path / "trace.jsonl"
    real, room = os.write, iter([5])

    def full(file, data):
        if (left := next(room, 0)) == 0:
            raise OSError(28, "No space left on device")
        return real(file, data[:left])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        append(str(path), b"a line\n")
    monkeypatch.undo()
    append(str(path), b"another\n")
    assert path.read_bytes() == b"a lin\nanother\n"


def test_a_writer_never_reads_the_file_again(tmp_path, monkeypatch):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"x" * 1_000_000 + b"\n")
    real, read = os.read, []
    monkeypatch.setattr(os, "read", lambda file, n: read.append(n) or real(file, n))
    append(str(path), b"a line\n")
    monkeypatch.undo()
    assert read == [1]


def test_a_pipe_has_no_end_to_look_at_and_is_written_all_the_same():
    if not os.path.exists("/dev/fd"):
        pytest.skip("no names for what is open")
    reading, writing = os.pipe()
    append(f"/dev/fd/{writing}", b"a line\n")
    assert os.read(reading, 100) == b"a line\n"
    os.close(reading)
    os.close(writing)
