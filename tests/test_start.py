"""start.py is the front door: it has to open on machines we have never seen."""

import ast
import http.client
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from tests.browsers import NoBrowser, find_chromium

ROOT = Path(__file__).resolve().parents[1]
SENTENCE_OF_PAGE = "The lessons work; the playground does not: "


def script(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return path


def notebook(path: Path, **metadata: object) -> Path:
    shown = {"output_type": "execute_result", "data": {"text/plain": ["2"]}}
    cell = {"cell_type": "code", "id": "sum", "metadata": {}, "source": ["1 + 1"]}
    cells = [
        {"cell_type": "markdown", "id": "text", "metadata": {}, "source": ["Grüße"]},
        cell | {"outputs": [shown], "execution_count": 1},
    ]
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


@pytest.fixture
def house(tmp_path: Path) -> ModuleType:
    """start.py in a folder of its own, with a .venv whose python notes its calls."""
    folder = tmp_path / "house"
    folder.mkdir()
    shutil.copy(ROOT / "start.py", folder)
    (folder / "pyproject.toml").write_text(
        '[project.optional-dependencies]\npage = ["build>=1.2", "hatchling"]\n'
    )
    script(folder / ".venv/bin/python", 'echo "$@" >> "$0.calls"')
    spec = importlib.util.spec_from_file_location("start_here", folder / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calls(program: Path) -> list[str]:
    noted = program.with_name(program.name + ".calls")
    return noted.read_text().splitlines() if noted.exists() else []


def start_in(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Run the folder's start.py as a learner would; its status and its lines."""
    done = subprocess.run(
        [sys.executable, folder / "start.py", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout.splitlines()


def refuse(package: str) -> bool:
    return False


# Which Python


def test_an_old_python_can_read_the_file_and_import_what_it_imports():
    tree = ast.parse((ROOT / "start.py").read_text("utf-8"), feature_version=(3, 6))
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    names = {alias.name.partition(".")[0] for node in imports for alias in node.names}

    assert names - sys.stdlib_module_names == set()
    assert names & {"tomllib", "dataclasses", "zoneinfo", "graphlib"} == set()


def test_a_python_that_is_found_but_fails_is_passed_over(house, tmp_path):
    shim = script(tmp_path / "python3.13", "exit 127")
    old = script(tmp_path / "python3", "echo 3 11 1")
    silent = script(tmp_path / "python3.12", "true")
    pythons = [str(shim), str(tmp_path / "absent"), str(old), str(silent)]

    assert house.find_python([*pythons, sys.executable], refuse) == sys.executable


def test_the_running_python_comes_first_then_the_path_then_pyenv(
    house, tmp_path, monkeypatch
):
    one, two, pyenv = (tmp_path / name for name in ("one", "two", "pyenv"))
    for folder in (one, two):
        script(folder / "python3.13", "exit 127")
    script(two / "python3.14", "exit 127")
    for version in ("3.9.18", "3.11.7", "3.12.1", "3.13.0"):
        script(pyenv / "versions" / version / "bin/python", "exit 127")
    monkeypatch.setenv("PATH", f"{one}{os.pathsep}{two}")
    monkeypatch.setenv("PYENV_ROOT", str(pyenv))

    assert list(house.candidates()) == [
        sys.executable,
        str(two / "python3.14"),
        str(one / "python3.13"),
        str(two / "python3.13"),
        str(pyenv / "versions/3.13.0/bin/python"),
        str(pyenv / "versions/3.12.1/bin/python"),
    ]


def test_without_a_new_enough_python_one_sentence_says_which_is_needed(house, tmp_path):
    old = script(tmp_path / "python3", "echo 3 11 1")

    with pytest.raises(house.Trouble) as trouble:
        house.find_python([str(old)], refuse, this=(3, 6))

    assert str(trouble.value) == (
        "Python 3.12 or newer is needed; this is 3.6, and no newer one was found on "
        "the path or in pyenv: install one (python.org has it), then start again."
    )


def test_trouble_is_one_line_and_a_status_never_a_traceback(house):
    file = house.ROOT / "start.py"
    text = file.read_text("utf-8")
    file.write_text(text.replace("PYTHON_NEEDED = (3, 12)", "PYTHON_NEEDED = (3, 99)"))
    shutil.rmtree(house.VENV)

    status, lines = start_in(house.ROOT)

    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith("start.py: Python 3.99 or newer is needed; this is ")


def test_debians_missing_package_is_installed_where_that_is_allowed(house, tmp_path):
    bare = script(tmp_path / "python3", "echo 3 13 0")
    asked = []

    def allow(package: str) -> bool:
        asked.append(package)
        return True

    assert house.find_python([str(bare)], allow) == str(bare)
    assert asked == ["python3.13-venv"]


def test_debians_missing_package_is_named_where_it_is_not(house, tmp_path):
    bare = script(tmp_path / "python3", "echo 3 13 0")

    with pytest.raises(house.Trouble) as trouble:
        house.find_python([str(bare)], refuse)

    assert str(trouble.value) == (
        f"{bare} cannot make a virtual environment: install Debian's python3.13-venv "
        "(sudo apt-get install python3.13-venv), then start again."
    )


def test_a_python_that_can_make_environments_is_preferred_to_one_that_cannot(
    house, tmp_path
):
    bare = script(tmp_path / "python3", "echo 3 13 0")

    assert house.find_python([str(bare), sys.executable], refuse) == sys.executable


# .venv


def test_only_a_whole_environment_counts_as_one(house, tmp_path):
    made = tmp_path / "half"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)

    assert house.venv_works(Path(sys.executable))
    assert not house.venv_works(made / "bin/python")
    assert not house.venv_works(tmp_path / "absent/bin/python")
    assert not house.venv_works(script(tmp_path / "broken/bin/python", "exit 1"))


def test_a_half_made_environment_is_made_anew(house):
    script(house.PYTHON, "exit 1")
    (house.ROOT / "pyproject.toml").unlink()

    status, lines = start_in(house.ROOT, "notebooks")

    assert lines[0] == "The .venv that is here does not work, so it is made anew."
    assert house.venv_works(house.PYTHON)
    assert (status, lines[-1].startswith("start.py: ")) == (1, True)


def test_what_is_installed_is_not_installed_again(house):
    children = house.Children()
    house.install(children, "the lessons", "-e", ".[lessons]")
    house.install(children, "the lessons", "-e", ".[lessons]")

    pip = "-m pip install --no-input --progress-bar=off --disable-pip-version-check"
    assert calls(house.PYTHON) == [f"{pip} -e .[lessons]"]

    (house.ROOT / "pyproject.toml").write_text("# another range\n")
    house.install(children, "the lessons", "-e", ".[lessons]")

    assert calls(house.PYTHON) == [f"{pip} -e .[lessons]"] * 2


def test_an_installation_that_failed_is_tried_again(house):
    script(
        house.PYTHON, 'echo again >> "$0.calls"', "echo no room on the disk", "exit 1"
    )
    said = []
    for _ in range(2):
        with pytest.raises(house.Trouble) as trouble:
            house.install(house.Children(), "the lessons", "-e", ".[lessons]")
        said.append(str(trouble.value))

    assert calls(house.PYTHON) == ["again", "again"]
    assert (
        said
        == [
            "Installing the lessons failed (no room on the disk): "
            "build/logs/installing-the-lessons.log has the whole story."
        ]
        * 2
    )


def test_without_a_network_the_sentence_says_so(house):
    script(
        house.PYTHON, "echo 'WARNING: Retrying (Retry(total=0)) after ...'", "exit 1"
    )

    with pytest.raises(house.Trouble) as trouble:
        house.install(house.Children(), "the lessons", "-e", ".[lessons]")

    assert str(trouble.value) == (
        "pip reached no package index, so the lessons cannot be installed: check the "
        "network, then start again (what is there already is kept)."
    )


# The learner's copies


def test_a_copy_holds_the_lesson_and_no_outputs(house, tmp_path):
    notebook(tmp_path / "notebooks/00_start_here.ipynb", widgets={"state": {}}, kept=1)

    copies = house.copy_lessons(tmp_path / "notebooks", tmp_path / "mine")

    assert copies == [tmp_path / "mine/00_start_here.ipynb"]
    text = {"cell_type": "markdown", "id": "text", "metadata": {}, "source": ["Grüße"]}
    code = {"cell_type": "code", "id": "sum", "metadata": {}, "source": ["1 + 1"]}
    assert json.loads(copies[0].read_text("utf-8")) == {
        "cells": [text, code | {"outputs": [], "execution_count": None}],
        "metadata": {"kept": 1},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    assert os.listdir(tmp_path / "mine") == ["00_start_here.ipynb"]


def test_a_copy_that_is_there_is_never_written_over(house, tmp_path):
    lessons, mine = tmp_path / "notebooks", tmp_path / "mine"
    notebook(lessons / "00_start_here.ipynb")
    notebook(lessons / "01_while_true.ipynb")
    script(lessons / "solutions/00_start_here.py", "new")
    script(lessons / "data/runs/first.jsonl", "new")
    script(mine / "00_start_here.ipynb", "mine")
    script(mine / "solutions/00_start_here.py", "mine")

    house.copy_lessons(lessons, mine)

    found = {p.relative_to(mine).as_posix(): p for p in mine.rglob("*") if p.is_file()}
    assert sorted(found) == [
        "00_start_here.ipynb",
        "01_while_true.ipynb",
        "data/runs/first.jsonl",
        "solutions/00_start_here.py",
    ]
    texts = {name: path.read_text("utf-8") for name, path in found.items()}
    assert texts["00_start_here.ipynb"] == "#!/bin/sh\nmine\n"
    assert texts["solutions/00_start_here.py"] == "#!/bin/sh\nmine\n"


def test_fresh_gives_another_copy_beside_the_first(house):
    notebook(house.ROOT / "notebooks/04_cards.ipynb")

    answers = [start_in(house.ROOT, "fresh", number) for number in ("04", "4", "04")]

    assert answers == [
        (0, ["Your copy: my_lessons/04_cards.ipynb"]),
        (0, ["Your copy: my_lessons/04_cards-2.ipynb"]),
        (0, ["Your copy: my_lessons/04_cards-3.ipynb"]),
    ]
    assert len(os.listdir(house.ROOT / "my_lessons")) == 3


def test_fresh_names_the_lessons_that_exist(house):
    notebook(house.ROOT / "notebooks/00_start_here.ipynb")
    notebook(house.ROOT / "notebooks/04_cards.ipynb")

    sentence = "start.py: There is no lesson '99': choose from 00, 04."
    assert start_in(house.ROOT, "fresh", "99") == (1, [sentence])


# The playground


@pytest.fixture
def npm(house: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A playground to build, and an npm that notes its calls."""
    folder = house.PLAYGROUND
    script(folder / "src/main.ts", "first")
    for name in ("package.json", "package-lock.json"):
        (folder / name).write_text("{}")
    script(tmp_path / "bin/node", "echo v22.12.0")
    npm = script(
        tmp_path / "bin/npm",
        'echo "$1 $2" >> "$0.calls"',
        'if [ "$1" = ci ]; then rm -rf node_modules; mkdir node_modules; exit; fi',
        "rm -rf dist; mkdir dist; echo page > dist/index.html",
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return npm


CI, BUILD = "ci --no-audit", "run build"


def test_the_page_is_built_once_and_again_when_a_source_changes(house, npm):
    house.build_page(house.Children())
    house.build_page(house.Children())

    assert calls(npm) == [CI, BUILD]

    script(house.PLAYGROUND / "src/main.ts", "second")
    house.build_page(house.Children())

    assert calls(npm) == [CI, BUILD, BUILD]


def test_a_page_or_packages_left_half_made_are_made_again(house, npm):
    house.build_page(house.Children())
    (house.DIST / ".built-from").unlink()
    (house.PLAYGROUND / "node_modules/.installed").unlink()
    house.build_page(house.Children())

    assert calls(npm) == [CI, BUILD, CI, BUILD]


def test_what_a_build_leaves_behind_is_not_taken_for_a_source(house, npm):
    left = ("node_modules/a.js", "dist/a.js", "build/a.js", "src/.a.js.swp")
    for name in left:
        script(house.PLAYGROUND / name, "made")

    names = [path.relative_to(house.ROOT).as_posix() for path in house.page_inputs()]

    assert names == [
        "playground/package-lock.json",
        "playground/package.json",
        "playground/src/main.ts",
        "pyproject.toml",
    ]


def test_a_failed_build_is_one_sentence_beside_the_lessons(house, npm, capsys):
    script(npm, '[ "$1" = ci ] && mkdir node_modules && exit', "echo no type", "exit 2")

    house.page_beside(house.Children(), 18000)

    assert capsys.readouterr().out.splitlines()[-1] == (
        SENTENCE_OF_PAGE + "Building the playground failed (no type): "
        "build/logs/building-the-playground.log has the whole story."
    )


def test_without_a_playground_the_lessons_go_on(house, capsys):
    house.page_beside(house.Children(), 18000)

    assert capsys.readouterr().out.splitlines()[-1] == (
        SENTENCE_OF_PAGE
        + "playground/package.json is missing: get the whole project again."
    )


@pytest.fixture
def get(house: ModuleType, tmp_path: Path) -> Iterator[Callable[[str], tuple]]:
    """Ask a running page server for a path: status, type, the three headers."""
    page = tmp_path / "dist"
    for name in ("index.html", "a.js", "b.mjs", "c.wasm", "d.whl", "e.json", "f.css"):
        script(page / name, "content")
    script(page / "inner/file.txt", "content")
    script(tmp_path / "secret.json", "content")
    server = house.page_server(page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def ask(path: str) -> tuple:
        with closing(http.client.HTTPConnection(*server.server_address)) as connection:
            connection.request("GET", path)
            reply = connection.getresponse()
            return reply.status, reply.headers

    yield ask
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_page_server_names_each_type_as_browsers_want_it(get):
    paths = ("/", "/a.js", "/b.mjs", "/c.wasm", "/d.whl", "/e.json", "/f.css")

    assert {path: get(path)[1]["Content-Type"] for path in paths} == {
        "/": "text/html",
        "/a.js": "text/javascript",
        "/b.mjs": "text/javascript",
        "/c.wasm": "application/wasm",
        "/d.whl": "application/zip",
        "/e.json": "application/json",
        "/f.css": "text/css",
    }


def test_the_page_server_isolates_the_page_and_lets_nothing_grow_stale(get):
    headers = get("/")[1]

    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert headers["Cache-Control"] == "no-cache"


def test_the_page_server_gives_one_folder_away_and_lists_none(get):
    paths = ("/inner/file.txt", "/inner/", "/absent.js", "/../secret.json")

    assert [get(path)[0] for path in paths] == [200, 404, 404, 404]


def test_the_page_server_listens_on_this_machine_alone(house, tmp_path):
    with house.page_server(tmp_path) as server:
        assert server.server_address[0] == "127.0.0.1"
        assert server.server_port > 0


# The tests


@pytest.fixture
def tests(house, npm, monkeypatch, capfd) -> Callable[[int], tuple[int, list[str]]]:
    """Run `start.py test` on a pytest that ends so: the status and the last lines."""
    script(npm.with_name("chromium"), "echo Chromium 156")
    monkeypatch.delenv("CI", raising=False)

    def test(pytest_status: int) -> tuple[int, list[str]]:
        script(
            house.PYTHON,
            '[ "$2" = pip ] && exit',
            "echo pytest says",
            f"exit {pytest_status}",
        )
        status = house.test(house.parse(["test", "-x"]), house.Children())
        return status, capfd.readouterr().out.splitlines()

    return test


def test_all_is_well_when_pytest_says_so_and_nothing_is_missing(tests):
    status, lines = tests(0)

    assert (status, lines[-1]) == (0, "pytest says")
    assert [line for line in lines if line.startswith("NOT EVERYTHING")] == []
    assert tests(1)[0] == 1


@pytest.mark.parametrize("pytest_status", [0, 1])
def test_what_is_missing_is_told_first_and_the_last_lines_are_pytests(
    house, tests, pytest_status
):
    (house.PLAYGROUND / "package.json").unlink()
    told = "playground/package.json is missing: get the whole project again."

    status, lines = tests(pytest_status)

    assert status == 1
    assert lines[-2:] == [f"NOT EVERYTHING CAN BE TESTED: {told}", "pytest says"]


def test_what_is_missing_ends_the_tests_before_they_begin_under_ci(
    house, tests, monkeypatch
):
    (house.PLAYGROUND / "package.json").unlink()
    monkeypatch.setenv("CI", "true")

    with pytest.raises(house.Trouble, match=r"package\.json is missing"):
        tests(0)


# Ports and processes


@pytest.fixture
def taken() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


def test_a_port_that_is_taken_is_refused_before_anything_is_done(house, taken):
    sentence = f"start.py: Port {taken} is not free: choose another one with --port."

    assert start_in(house.ROOT, "--port", str(taken)) == (1, [sentence])


def test_a_port_nobody_asked_for_is_looked_for_until_one_is_free(house, taken):
    assert house.free_port(taken) > taken


WAITING = """
import signal, time, start_here as start
children = start.Children()
for number in start.LEAVING:
    signal.signal(number, start.leave)
try:
    children.start(["sh", "-c", "sleep 600 & echo started; wait"])
    time.sleep(600)
finally:
    children.stop()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_leaving_takes_the_children_of_our_children_along(house, number):
    (house.ROOT / "start.py").rename(house.ROOT / "start_here.py")
    command = [sys.executable, "-c", WAITING]

    with subprocess.Popen(command, cwd=house.ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"started\n"
        process.send_signal(number)
        # The pipe stays open for as long as any process holds it: an orphan would show.
        assert process.communicate(timeout=60)[0] == b""

    assert process.returncode == 128 + number


def test_leaving_while_a_child_is_being_started_takes_it_along(house):
    (house.ROOT / "start.py").rename(house.ROOT / "start_here.py")
    waiting = """["sh", "-c", "sleep 600 & echo started; wait"]"""
    early = "preexec_fn=lambda: os.kill(os.getppid(), signal.SIGTERM)"
    code = WAITING.replace(waiting, f'["sleep", "600"], {early}')
    command = [sys.executable, "-c", "import os" + code]

    with subprocess.Popen(command, cwd=house.ROOT, stdout=subprocess.PIPE) as process:
        assert process.communicate(timeout=60)[0] == b""

    assert process.returncode == 128 + signal.SIGTERM


def test_nothing_is_started_once_all_was_stopped(house):
    children = house.Children()
    children.stop()

    with pytest.raises(house.Trouble):
        children.start(["true"])


# What the README and CI say


def test_ci_runs_the_command_of_the_readme(tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    show = "import os, sys\nprint(sys.argv[1:], os.environ['CI'])\n"
    (tmp_path / "start.py").write_text(show)
    environment = {k: v for k, v in os.environ.items() if k != "CI"}
    command = [tmp_path / ".ci/run", "-x"]

    shown = subprocess.check_output(command, env=environment, text=True)

    assert shown == "['test', '-x'] true\n"
    assert "\npython3 start.py test\n" in (ROOT / "README.md").read_text("utf-8")


def test_the_run_in_the_readme_prints_what_stands_below_it():
    text = (ROOT / "README.md").read_text("utf-8")
    code, shown = text.partition("```python\n")[2].split("```\n\n```\n")[:2]
    expected = shown.partition("```")[0]

    done = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert done == expected
    assert len([line for line in code.splitlines() if line]) <= 15


def test_a_browser_that_does_not_start_is_passed_over(tmp_path):
    note = script(tmp_path / "chromium-browser", "echo get the snap", "exit 1")
    good = script(tmp_path / "chromium", "echo Chromium 156")

    assert find_chromium([str(note), "/absent", str(good)]) == str(good)


def test_without_a_browser_the_message_says_how_to_get_one():
    with pytest.raises(NoBrowser, match="install Debian's chromium, or run"):
        find_chromium([])
