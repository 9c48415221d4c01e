"""A trace that cannot be written is told once, and a gap is counted."""

import errno
import os
from pathlib import Path

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.trace import TraceRecorder, read_trace
from mingraph_lite.transcripts import Transcript
from tests.trace.written import lines_of, named

LOST = "What it hears is lost as long as that is so; it is told once in a run."


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_trace_that_cannot_be_written_is_told_once_with_its_path(tmp_path, caplog):
    folder = tmp_path / "gone"
    observer = TraceRecorder(folder / "trace.jsonl")
    folder.write_text("a file where the folder should be")
    for _ in range(2):
        Agent(ScriptedLLM(["18"]), [], "", observers=[observer]).run("Go")
    path = f"{observer.path!r}"
    why = f"[Errno {errno.ENOTDIR}] {os.strerror(errno.ENOTDIR)}: {path}"
    assert (
        warned(caplog)
        == [
            f"TraceRecorder failed on run_start: {why}. {LOST}",
            f"TraceRecorder failed 9 times: 9 x {path} (NotADirectoryError)",
        ]
        * 2
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no disk here is full")
def test_a_full_disk_is_told_with_the_path(caplog):
    observers = [TraceRecorder("/dev/full"), Transcript("/dev/full")]
    Agent(ScriptedLLM(["18"]), [], "", observers=observers).run("Go")
    why = f"[Errno {errno.ENOSPC}] {os.strerror(errno.ENOSPC)}: '/dev/full'"
    assert warned(caplog) == [
        f"TraceRecorder failed on run_start: {why}. {LOST}",
        f"Transcript failed on finish: {why}. {LOST}",
        "TraceRecorder failed 9 times: 9 x '/dev/full' (OSError)",
    ]


def test_a_file_that_can_be_written_again_ends_with_how_much_it_lacks(tmp_path, caplog):
    heard = 0

    class Moving(TraceRecorder):
        """Its folder is away for three lines."""

        def on_event(self, event):
            nonlocal heard
            heard += 1
            folder, away = Path(self.path).parent, Path(self.path).parents[1] / "away"
            if heard == 3:
                folder.rename(away)
                folder.touch()
            if heard == 6:
                folder.unlink()
                away.rename(folder)
            super().on_event(event)

    observer = Moving(tmp_path / "in" / "trace.jsonl")
    Agent(ScriptedLLM(["18"]), [], "", observers=[observer]).run("Go")
    lines = lines_of(Path(observer.path))
    assert [line["seq"] for line in lines] == [1, 2, 6, 7, 8, 9]
    assert named(lines, "finish")[0]["lost"] == {"Moving": 3}
    assert [problem.what for problem in read_trace(observer.path).problems] == [
        f"goes on with seq 6 of run '{lines[0]['run']}', and seq 3 to 5 are missing, "
        "which could not be written: the run's end counts it as lost"
    ]
    assert [text.partition(":")[0] for text in warned(caplog)] == [
        "Moving failed on card_start",
        "Moving failed 3 times",
    ]
