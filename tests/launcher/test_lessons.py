"""One JupyterLab for one folder, announced when it answers us."""

import http.server
import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from launcher import lessons
from launcher.alone import hold
from launcher.jupyter import PortTaken, set_defaults, start_jupyter
from launcher.jupyter import command as jupyter_command
from launcher.lessons import Wish, open_lessons, start_somewhere
from launcher.running import Running, answers, forget, note, open_already
from start import Trouble
from tests.launcher.folder import calls, notebook, script, start_in

TOKEN = "ours"


@contextmanager
def jupyter(token: str = TOKEN) -> Iterator[int]:
    """Answer as JupyterLab does: by its token, else with 403."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.headers["Authorization"] == f"token {token}"
            self.send_response(200 if known else 403)
            self.end_headers()
            self.wfile.write(json.dumps({"started": "now"}).encode())

        def log_message(self, *_: object) -> None:
            """Say nothing: pytest shows what matters."""

    with socketserver.TCPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_jupyterlab_that_is_not_ours_does_not_count():
    with jupyter("theirs") as port:
        assert not answers(port, TOKEN)
        assert answers(port, "theirs")
    assert not answers(port, "theirs")


def test_what_runs_is_noted_for_us_alone_and_forgotten(place):
    with jupyter() as port:
        running = Running(4711, port, TOKEN)
        note(place, running)
        note(place, running)
        assert open_already(place) == running

    file = place.build / "jupyter/running.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert open_already(place) is None  # it does not answer any more
    forget(place)
    assert not file.exists()
    forget(place)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"process": 1}'])
def test_a_note_that_cannot_be_read_is_none(place, text):
    forget(place)
    note(place, Running(1, 1, ""))
    (place.build / "jupyter/running.json").write_text(text)

    assert open_already(place) is None


def test_a_start_beside_a_running_one_offers_its_address(place):
    notebook(place.notebooks / "04_cards.ipynb")
    kept = hold(place.build / "lessons.lock")
    process = (place.build / "lessons.lock").read_text()
    script(place.python, "exit 1")  # nothing may be asked of it

    with jupyter() as port:
        note(place, Running(4711, port, TOKEN))
        told = start_in_venv(place, "lessons", "04", "--port", str(port))

    kept.close()
    assert told == [
        "The lessons are open already. To stop them, press Ctrl-C where they were "
        f"started (process {process}).",
        "",
        f"  Lessons     http://127.0.0.1:{port}/doc/tree/04_cards.ipynb?token=ours",
        "",
    ]


def test_a_jupyterlab_that_a_killed_start_has_left_is_named_not_killed(place):
    with jupyter() as port:
        note(place, Running(4711, port, TOKEN))
        told = start_in_venv(place)
        assert answers(port, TOKEN)

    assert told[0] == (
        "JupyterLab still runs from a start.py that was killed (process 4711). Go on "
        "with it, or end it (kill 4711) and start again."
    )
    assert told[2] == f"  Lessons     http://127.0.0.1:{port}/lab?token=ours"


def test_a_second_start_opens_what_the_first_one_did(place):
    for name in ("04_cards.ipynb", "00_start_here.ipynb"):
        notebook(place.notebooks / name)
        notebook(place.lessons / name)
    with jupyter() as port:
        note(place, Running(4711, port, TOKEN))
        told = start_in_venv(place)

    first = f"http://127.0.0.1:{port}/doc/tree/00_start_here.ipynb?token=ours"
    assert told[2] == f"  Lessons     {first}"


def test_a_wish_for_larger_type_beside_a_running_one_is_not_passed_over(place):
    larger = "Their type is the usual one: --projector counts once they are stopped."
    with jupyter() as port:
        note(place, Running(4711, port, TOKEN))
        usual = start_in_venv(place, "--projector")
        note(place, Running(4711, port, TOKEN, projector=True))
        large = start_in_venv(place, "--projector")

    assert usual[1] == larger
    assert larger not in large


def test_larger_type_goes_with_the_lessons_alone(place):
    status, lines = start_in(place.root, "playground", "--projector")

    assert (status, lines[-1]) == (
        2,
        "start.py: error: --projector goes with the lessons, not with playground",
    )


def start_in_venv(place, *arguments: str) -> list[str]:
    """Run the lessons command past the hand-over, which needs a real .venv."""
    file = place.root / "launcher/command_line.py"
    text = file.read_text("utf-8")
    file.write_text(text.replace("WITHOUT_VENV = {", 'WITHOUT_VENV = {"lessons", '))
    status, lines = start_in(place.root, *arguments, "--no-browser")
    assert status == 0
    return lines


def test_a_lesson_that_does_not_exist_is_named_before_anything_is_done(place, children):
    notebook(place.notebooks / "04_cards.ipynb")

    with pytest.raises(Trouble, match="There is no lesson '99': choose from 04"):
        open_lessons(place, children, Wish(lesson="99"))

    assert calls(place.python) == []


# JupyterLab's start


def test_a_jupyterlab_is_there_once_it_answers_to_our_token(place, children):
    place.lessons.mkdir()
    script(place.python, "exec sleep 600")
    answers = iter([False, False, True])
    asked = []

    def ours(port: int, token: str) -> bool:
        asked.append((port, token))
        return next(answers)

    assert start_jupyter(place, children, 9, TOKEN, ours).poll() is None
    assert asked == [(9, TOKEN)] * 3


def test_type_for_a_class_lasts_as_long_as_its_switch(place, children):
    place.lessons.mkdir()
    script(place.python, 'echo "$MINGRAPH_PROJECTOR" > ../told', "exec sleep 600")
    told = []
    for projector in (False, True, False):
        (place.root / "told").unlink(missing_ok=True)

        def ours(port: int, token: str) -> bool:
            return (place.root / "told").exists()

        start_jupyter(place, children, 9, TOKEN, ours, projector=projector)
        style = (place.build / "jupyter/custom/custom.css").read_text("utf-8")
        switch = (place.root / "told").read_text().strip()
        told.append((switch, "font-size1: 20px" in style, "PlaceholderText" in style))

    assert told == [("", False, True), ("1", True, True), ("", False, True)]


def test_nothing_asks_for_news_and_our_style_is_found(place):
    line = jupyter_command(place, 9)
    settings = place.venv / "share/jupyter/lab/settings/overrides.json"
    set_defaults(place, projector=False)

    assert json.loads(settings.read_text("utf-8")) == {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        }
    }
    found = place.build / "jupyter/custom"
    assert {
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings=static_custom_path={found}",
    } <= set(line)


def test_a_jupyterlab_that_fails_shows_the_last_lines_of_its_log(place, children):
    place.lessons.mkdir()
    script(place.python, "echo Traceback", "echo 'ImportError: no tornado'", "exit 1")

    with pytest.raises(Trouble) as trouble:
        start_jupyter(place, children, 1, TOKEN)

    assert str(trouble.value) == (
        "JupyterLab did not start. If a part of .venv is missing, delete .venv and "
        "start again. All it said is in build/logs/jupyter.log, which ends so:\n"
        "    Traceback\n    ImportError: no tornado"
    )


def test_a_port_that_another_took_meanwhile_is_left_for_the_next(
    place, children, monkeypatch
):
    place.lessons.mkdir()
    said = "the Jupyter server could not be started because port 9 is not available."
    script(place.python, f"echo 'ERROR: {said}'", "exit 1")
    with pytest.raises(PortTaken):
        start_jupyter(place, children, 9, TOKEN)

    tried = []

    def start(place, children, port, token, *, projector):
        assert projector
        tried.append(port)
        if len(tried) == 1:
            raise PortTaken("gone")
        return children.start(["true"])

    monkeypatch.setattr(lessons, "start_jupyter", start)
    running = start_somewhere(place, children, Wish(projector=True))[1]
    assert running.port == tried[1] > tried[0]
    assert running.projector


def test_a_jupyterlab_that_ends_by_itself_shows_its_last_lines(place, children):
    place.log_of("jupyter").write_text("Killed\n")

    with pytest.raises(Trouble) as trouble:
        lessons.wait_for(children.start(["false"]), place)

    assert str(trouble.value).startswith("JupyterLab stopped by itself. ")
    assert str(trouble.value).endswith("\n    Killed")
