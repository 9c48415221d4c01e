"""The front door opens under Pythons we have never seen."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import start
from tests.launcher.folder import ROOT, calls, script, start_in


def test_an_old_python_can_read_the_file_and_import_what_it_imports():
    tree = ast.parse((ROOT / "start.py").read_text("utf-8"), feature_version=(3, 6))
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    names = {alias.name.partition(".")[0] for node in imports for alias in node.names}

    assert names - sys.stdlib_module_names == set()
    assert names & {"tomllib", "dataclasses", "zoneinfo", "graphlib"} == set()


def test_what_follows_needs_nothing_that_is_installed():
    files = sorted((ROOT / "launcher").glob("*.py"))
    trees = [ast.parse(file.read_text("utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    tops = {name.partition(".")[0] for name in names}

    # pip is in every .venv, and is asked for inside the one function that needs it.
    assert tops - sys.stdlib_module_names == {"launcher", "start", "pip"}
    code = "import sys; sys.path[:0] = [{!r}]; import launcher.command_line"
    subprocess.run(
        [sys.executable, "-S", "-I", "-c", code.format(str(ROOT))], check=True
    )


def test_a_python_that_is_found_but_fails_is_passed_over(tmp_path):
    shim = script(tmp_path / "python3.13", "exit 127")
    old = script(tmp_path / "python3", "echo 3 11 1")
    silent = script(tmp_path / "python3.12", "true")
    pythons = [str(shim), str(tmp_path / "absent"), str(old), str(silent)]

    assert start.find_python([*pythons, sys.executable]) == (sys.executable, None)


def test_a_python_that_does_not_answer_is_named_and_passed_over(
    tmp_path, monkeypatch, capsys
):
    slow = script(tmp_path / "python3.13", "exec sleep 600")
    monkeypatch.setattr(start, "PATIENCE", 0.2)

    assert start.find_python([str(slow), sys.executable]) == (sys.executable, None)
    sentence = f"{slow} does not answer; looking for another Python ...\n"
    assert capsys.readouterr().out == sentence


def test_the_running_python_comes_first_then_the_path_then_pyenv(tmp_path, monkeypatch):
    one, two, pyenv = (tmp_path / name for name in ("one", "two", "pyenv"))
    for folder in (one, two):
        script(folder / "python3.13", "exit 127")
    script(two / "python3.14", "exit 127")
    for version in ("3.9.18", "3.11.7", "3.12.1", "3.13.0"):
        script(pyenv / "versions" / version / "bin/python", "exit 127")
    monkeypatch.setenv("PATH", f"{one}{os.pathsep}{two}")
    monkeypatch.setenv("PYENV_ROOT", str(pyenv))

    assert list(start.candidates()) == [
        sys.executable,
        str(two / "python3.14"),
        str(one / "python3.13"),
        str(two / "python3.13"),
        str(pyenv / "versions/3.13.0/bin/python"),
        str(pyenv / "versions/3.12.1/bin/python"),
    ]


def test_a_pyenv_that_cannot_be_read_is_passed_over(tmp_path, monkeypatch):
    def refused(self: Path, pattern: str) -> None:
        raise PermissionError(13, "refused", str(self))

    monkeypatch.setattr(Path, "glob", refused)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert list(start.candidates()) == [sys.executable]


def test_without_a_new_enough_python_one_sentence_says_which_is_needed(
    tmp_path, monkeypatch
):
    old = script(tmp_path / "python3", "echo 3 11 1")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(start.Trouble) as trouble:
        start.find_python([str(old)], this=(3, 6))

    assert str(trouble.value) == (
        "Python 3.12 or newer is needed; this is 3.6, and no newer one was found on "
        "the path or in pyenv: install one (python.org has it), then start again."
    )


def test_trouble_is_one_line_and_a_status_never_a_traceback(place):
    file = place.root / "start.py"
    text = file.read_text("utf-8")
    file.write_text(text.replace("PYTHON_NEEDED = (3, 12)", "PYTHON_NEEDED = (3, 99)"))
    script(place.python, "exit 1")

    status, lines = start_in(place.root)

    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith("start.py: Python 3.99 or newer is needed; this is ")


def test_a_python_that_can_make_environments_is_preferred_to_one_that_cannot(tmp_path):
    bare = script(tmp_path / "python3", "echo 3 13 0")
    pythons = [str(bare), sys.executable]

    assert start.find_python(pythons) == (sys.executable, None)
    assert start.find_python([str(bare)]) == (str(bare), "python3.13-venv")


# uv


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A uv that finds a Python once it has installed one."""
    python = script(tmp_path / "brought", "echo 3 12 1")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return script(
        tmp_path / "bin/uv",
        'echo "$@" >> "$0.calls"',
        '[ "$2" = install ] && touch "$0.done"',
        f'[ -e "$0.done" ] && echo {python}',
    )


FIND = "python find --no-project >=3.12"


def test_uv_brings_a_python_where_none_is_new_enough(uv, tmp_path):
    old = script(tmp_path / "python3", "echo 3 11 1")

    assert start.find_python([str(old)]) == (str(tmp_path / "brought"), None)
    assert calls(uv) == [FIND, "python install 3.12", FIND]


def test_uv_installs_nothing_where_it_knows_a_python(uv, tmp_path):
    uv.with_name("uv.done").touch()

    assert start.find_python([]) == (str(tmp_path / "brought"), None)
    assert calls(uv) == [FIND]


def test_uv_is_not_asked_where_a_plain_python_will_do(uv):
    start.find_python([sys.executable])

    assert calls(uv) == []


# What a shell may hold


def test_settings_that_break_another_python_are_not_passed_on(place):
    names = ("PYTHONPATH", "PYTHONOPTIMIZE", "PYTHONWARNINGS", "PYTHONUSERBASE")
    script(place.python, '[ "$1" = -c ] || env | grep ^PYTHON | sort')

    settings = dict.fromkeys(names, "") | {"PYTHONPATH": "/absent", "PYTHONUTF8": "1"}
    status, lines = start_in(place.root, "notebooks", **settings)

    found = {line.partition("=")[0] for line in lines}
    assert (status, found & {*names}, found & {"PYTHONUTF8"}) == (
        0,
        set(),
        {"PYTHONUTF8"},
    )


def test_a_home_that_is_set_for_another_python_does_no_harm(place):
    script(place.python, 'echo "${PYTHONHOME-no home}"')

    # This Python lives where the name says, so it starts; .venv's would not.
    assert start_in(place.root, "notebooks", PYTHONHOME=sys.base_prefix) == (
        0,
        ["no home", "no home"],
    )


# Leaving


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_is_heard_while_a_python_is_looked_for(place, number):
    file = place.root / "start.py"
    text = file.read_text("utf-8")
    file.write_text(text.replace("PYTHON_NEEDED = (3, 12)", "PYTHON_NEEDED = (3, 99)"))
    # By then its parent has left the moment in which it would leave an orphan.
    script(place.python, "sleep 0.3", "echo searching", "exec sleep 600")
    command = [sys.executable, file]

    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"searching\n"
        process.send_signal(number)
        assert process.communicate(timeout=60)[0] == b"\nStopping ...\n"

    assert process.returncode == 128 + number


def test_ctrl_c_between_two_pythons_waits_for_the_second(place):
    """It comes as one gives way to the other."""
    code = (
        "import os, signal, start\n"
        "execv = os.execv\n"
        "def at_the_worst_moment(*command):\n"
        "    for number in start.LEAVING:  # as the system does for the second\n"
        "        signal.signal(number, signal.SIG_DFL)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    execv(*command)\n"
        "os.execv = at_the_worst_moment\n"
        "start.listen()\n"
        "start.hand_over(start.sys.executable, ['fresh', '04'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=place.root, capture_output=True, timeout=60
    )

    assert (done.returncode, done.stdout) == (130, b"\nStopping ...\n")
    assert done.stderr == b""
