"""Open the lessons, or check that all of it works.

  python3 start.py              the lessons in JupyterLab, and the playground beside
  python3 start.py lessons 04   the same, opened on lesson 04
  python3 start.py --projector  the same, in type that a class can read
  python3 start.py playground   the playground alone
  python3 start.py fresh 04     a new copy of lesson 04, beside the one you have
  python3 start.py test quick   check what needs no browser, no Node and no page
  python3 start.py test         check everything; what follows goes to pytest
  python3 start.py notebooks    for authors: run the notebooks, store their outputs
  python3 start.py constraints  for authors: write constraints.txt anew

The lessons you open are copies, in my_lessons/, so nothing you do there can break them.
"""

# Standard library only, in the words of Python 3.6: on an old Python this file must
# still be able to say which one is needed. All that follows runs on Python 3.12 or
# newer, and is in launcher/.

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHON_NEEDED = (3, 12)

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, a polite kill, a closed terminal
LEAVING = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]

# What a shell may hold that breaks another Python, or changes what a lesson shows:
# PYTHONOPTIMIZE takes away the docstrings that a menu of tools is made of.
FOREIGN = (
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONPLATLIBDIR",
    "PYTHONUSERBASE",
    "PYTHONEXECUTABLE",
    "__PYVENV_LAUNCHER__",
    "PYTHONOPTIMIZE",
    "PYTHONWARNINGS",
    "PYTHONINSPECT",
    "PYTHONSTARTUP",
)


class Trouble(Exception):
    """What went wrong and what to do about it, in a sentence."""


def main(arguments: list) -> int:
    """Go on in launcher/, under a Python that is new enough."""
    listen()
    try:
        foreign = [name for name in FOREIGN if os.environ.pop(name, None) is not None]
        if sys.version_info < PYTHON_NEEDED:
            return hand_over(python_to_go_on_with(), arguments)
        if foreign:  # this very process still has them
            return hand_over(sys.executable, arguments)
    except (Trouble, OSError) as trouble:
        say(f"start.py: {trouble}")
        return 1
    from launcher.command_line import main as go_on

    return go_on(arguments, ROOT)


def python_to_go_on_with() -> str:
    """Name .venv's Python, else the first that is new enough."""
    own = python_of(ROOT / ".venv")
    if venv_works(own):
        return str(own)
    return find_python(candidates())[0]


def hand_over(python: str, arguments: list) -> int:
    """Let another Python run this same file in our place."""
    command = [python, str(ROOT / "start.py"), *arguments]
    if os.name == "nt":  # where exec would hand the terminal back too early
        return subprocess.call(command)
    if sys.stdout:  # closed by whoever started us
        sys.stdout.flush()
    # A Ctrl-C between two Pythons waits until the second listens to it.
    signal.pthread_sigmask(signal.SIG_BLOCK, LEAVING)
    return os.execv(command[0], command)


# Leaving


def listen() -> None:
    """Take Ctrl-C and its kin from here on."""
    for number in LEAVING:
        signal.signal(number, leave)
    if os.name != "nt":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, LEAVING)


def leave(number: int, _: object) -> None:
    """Take Ctrl-C as an exit: each `finally` stops what it started."""
    for another in LEAVING:  # an impatient second Ctrl-C would leave orphans
        signal.signal(another, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # not by print, which we may have interrupted
        os.write(1, b"\nStopping ...\n")
    sys.exit(128 + number)


# A Python that is new enough

# A file counts only once it has answered: pyenv's shims sit on the path and can fail.
PROBE = """
import importlib.util, sys
print(*sys.version_info[:2], int(importlib.util.find_spec("ensurepip") is not None))
"""
VENV_PROBE = f"""
import sys, importlib.metadata
pip = importlib.metadata.files("pip")  # its list of files is the last that pip writes
sys.exit(sys.version_info < {PYTHON_NEEDED} or sys.prefix == sys.base_prefix or not pip)
"""
PATIENCE = 8  # seconds for one Python to answer; nobody looks at silence for longer


def python_of(venv: Path) -> Path:
    """Name the Python of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def venv_works(python: Path) -> bool:
    """Tell whether this environment is whole and its Python new enough."""
    try:
        # No end to this patience: what is only slow must not be made anew.
        asking = [str(python), "-c", VENV_PROBE]
        process = subprocess.Popen(asking, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    return patiently(process, "waiting for .venv's Python ...") == 0


def candidates():
    """Name what may do: this Python, those on the path, pyenv's."""
    yield sys.executable
    for name in ("python3.14", "python3.13", "python3.12", "python3"):
        for folder in os.get_exec_path():
            found = shutil.which(name, path=folder)
            if found:
                yield found
    # Not Path.home(), which raises where a user has no home.
    pyenv = Path(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"))
    found = []
    with contextlib.suppress(OSError):  # it may be somebody else's
        found = sorted(map(str, pyenv.glob("versions/3.1[2-9]*/bin/python")))
    yield from reversed(found)


def probe(python: str):
    """Ask a Python for its version, and whether it makes environments."""
    command = [python, "-c", PROBE]
    try:
        answer = subprocess.check_output(
            command, stderr=subprocess.DEVNULL, timeout=PATIENCE
        )
        major, minor, ensurepip = map(int, answer.split())
    except subprocess.TimeoutExpired:
        say(f"{python} does not answer; looking for another Python ...")
        return None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return (major, minor), bool(ensurepip)


def find_python(pythons, this: tuple = sys.version_info[:2]):
    """Choose the first that is new enough and can make an environment.

    Beside it stands None, or the Debian package without which it can make none.
    """
    unable = None
    for python in pythons:
        version, able = probe(python) or ((0, 0), False)
        if version >= PYTHON_NEEDED and able:
            return python, None
        if version >= PYTHON_NEEDED:
            unable = unable or (python, "python{}.{}-venv".format(*version))
    found = unable or python_from_uv()
    if found is None:
        raise Trouble(
            "Python {}.{} or newer is needed; this is {}.{}, and no newer one was "
            "found on the path or in pyenv: install one (python.org has it), then "
            "start again.".format(*PYTHON_NEEDED, *this)
        )
    return found


def python_from_uv():
    """Let uv name or bring a Python, where there is a uv."""
    uv = shutil.which("uv")
    if uv is None:
        return None
    wanted = "{}.{}".format(*PYTHON_NEEDED)
    find = [uv, "python", "find", "--no-project", ">=" + wanted]
    for bring in ([], [uv, "python", "install", wanted]):
        if bring:
            say(f"Letting uv bring Python {wanted} ...")
            patiently(subprocess.Popen(bring, stdin=subprocess.DEVNULL), "not yet ...")
        try:
            answer = subprocess.check_output(
                find, stderr=subprocess.DEVNULL, timeout=PATIENCE
            )
        except (OSError, subprocess.SubprocessError):
            continue
        python = answer.decode().strip()
        version, able = probe(python) or ((0, 0), False)
        if version >= PYTHON_NEEDED and able:
            return python, None
    return None


def patiently(process, words: str) -> int:
    """Wait for a process, and say so every few seconds."""
    try:
        while True:
            try:
                return process.wait(5)
            except subprocess.TimeoutExpired:
                say(words)
    finally:
        if process.poll() is None:
            process.kill()


def say(words: str) -> None:
    """Print at once, also into a pipe; what the terminal cannot show is replaced."""
    try:
        try:
            print(words, flush=True)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding or "ascii"
            print(words.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:  # nobody reads on: leave, and say no more
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
