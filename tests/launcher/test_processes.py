"""Nothing we start outlives us, and one start.py at a time installs."""

import os
import signal
import subprocess
import sys
import time

import pytest

from launcher.alone import alone, hold, holder
from launcher.failures import sentence_of
from start import Trouble
from tests.launcher.folder import notebook, script, start_in

WAITING = """
import signal, time, start
from launcher.processes import Children
children = Children()
start.listen()
try:
    children.start(["sh", "-c", "sleep 600 & echo started; wait"])
    time.sleep(600)
finally:
    children.stop()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_leaving_takes_the_children_of_our_children_along(place, number):
    command = [sys.executable, "-c", WAITING]

    with subprocess.Popen(command, cwd=place.root, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"started\n"
        process.send_signal(number)
        # The pipe stays open for as long as any process holds it: an orphan would show.
        assert process.communicate(timeout=60)[0] == b"\nStopping ...\n"

    assert process.returncode == 128 + number


def test_leaving_while_a_child_is_being_started_takes_it_along(place):
    waiting = """["sh", "-c", "sleep 600 & echo started; wait"]"""
    early = "preexec_fn=lambda: os.kill(os.getppid(), signal.SIGTERM)"
    code = WAITING.replace(waiting, f'["sleep", "600"], {early}')
    command = [sys.executable, "-c", "import os" + code]

    with subprocess.Popen(command, cwd=place.root, stdout=subprocess.PIPE) as process:
        assert process.communicate(timeout=60)[0] == b"\nStopping ...\n"

    assert process.returncode == 128 + signal.SIGTERM


def test_ctrl_c_is_heard_while_something_is_installed(place):
    """Making .venv stands for pip and npm: `run` waits for all."""
    script(place.python, "exit 1")
    venv = place.root / "launcher/making_venv.py"
    slow = """["sh", "-c", "echo at it; exec sleep 600"]"""
    text = venv.read_text("utf-8")
    venv.write_text(text.replace('[python, "-m", "venv", str(place.venv)]', slow))
    command = [sys.executable, place.root / "start.py", "notebooks"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("Making .venv"):
                process.send_signal(signal.SIGINT)
                break
        assert process.communicate(timeout=60)[0] == "\nStopping ...\n"

    assert process.returncode == 130


def test_nothing_is_started_once_all_was_stopped(children):
    children.stop()

    with pytest.raises(Trouble):
        children.start(["true"])


# One at a time


def test_a_second_start_waits_with_a_sentence_while_another_one_installs(place, capsys):
    first = hold(place.build / "installing.lock")
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if sum(slept) == 7:
            first.close()

    with alone(place, sleep=sleep):
        assert hold(place.build / "installing.lock") is None

    assert holder(place.build / "installing.lock") is None
    me = os.getpid()
    assert capsys.readouterr().out.splitlines() == [
        f"Another start.py is installing (process {me}); waiting ...",
        f"     5 s  still waiting for process {me} ...",
    ]


def test_a_second_start_waits_no_longer_than_for_the_address_of_the_first(place):
    first = hold(place.build / "installing.lock")
    found = iter([None, None, "address"])

    with alone(place, lambda: next(found), sleep=lambda seconds: None) as running:
        assert running == "address"

    first.close()
    with alone(place, lambda: None) as running:
        assert running is None


def test_the_lock_of_a_killed_start_is_gone_with_it(place):
    code = "import start, launcher.alone as a, time, pathlib\n"
    code += "kept = a.hold(pathlib.Path('build/x.lock')); print(1, flush=True)\n"
    command = [sys.executable, "-c", code + "time.sleep(600)"]
    lock = place.build / "x.lock"

    with subprocess.Popen(command, cwd=place.root, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert holder(lock) == str(process.pid)
        process.kill()

    assert holder(lock) is None


def test_what_a_killed_start_was_installing_keeps_the_lock_to_its_end(place):
    code = "from launcher.alone import alone; from launcher.place import Place\n"
    code += "from launcher.processes import Children, run; from pathlib import Path\n"
    code += "place = Place(Path.cwd())\n"
    code += "with alone(place): run(place, Children(), 'Job', ['sh', '-c', JOB])\n"
    job = "echo $$ > job; exec sleep 600"
    command = [sys.executable, "-c", code.replace("JOB", repr(job))]
    lock, note = place.build / "installing.lock", place.root / "job"

    with subprocess.Popen(command, cwd=place.root, stdout=subprocess.PIPE) as process:
        while not (note.exists() and note.read_text().strip()):
            time.sleep(0.05)
        process.kill()
        process.wait()
        assert holder(lock) is not None
        os.kill(int(note.read_text()), signal.SIGKILL)

    while holder(lock) is not None:  # the system takes a moment
        time.sleep(0.05)
    assert holder(lock) is None


def test_the_environment_another_start_has_made_meanwhile_is_not_made_again(place):
    """What the first is making is not removed by the second."""
    script(place.python, "exit 1")
    command = [sys.executable, place.root / "start.py", "notebooks"]
    first = hold(place.build / "installing.lock")

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        told = process.stdout.readline()
        script(place.python, "[ $1 = -c ] || echo went on")
        first.close()
        rest = process.communicate(timeout=60)[0]

    assert told.startswith("Another start.py is installing (process ")
    assert (process.returncode, rest) == (0, "went on\n")


# What the system refuses


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "x"), "The disk is full: make room on it, then start again"),
        (OSError(30, "x", "/a"), "/a cannot be written. The disk is read-only: copy"),
        (PermissionError(13, "x", "/a"), "/a may not be read or written by you: give"),
        (FileNotFoundError(2, "gone", "/a"), "[Errno 2] gone: '/a'"),
    ],
)
def test_what_the_system_refuses_is_told_plainly(place, error, sentence):
    assert sentence_of(error, place).startswith(sentence)


def test_a_folder_that_is_full_of_something_else_is_no_traceback(place):
    notebook(place.notebooks / "04_cards.ipynb")
    place.lessons.mkdir()
    (place.lessons / ".copies.json.draft").mkdir()

    status, lines = start_in(place.root, "fresh", "04")

    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith("start.py: [Errno 21] Is a directory: ")
