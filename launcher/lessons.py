"""The lessons in JupyterLab, and the playground beside them."""

import secrets
import threading
import time
import webbrowser

from launcher.alone import alone, hold, holder
from launcher.copies import copy_lessons, find_lesson
from launcher.failures import below, sentence_of
from launcher.installing import install, need_of_package
from launcher.jupyter import PortTaken, start_jupyter
from launcher.page import bring_up_page
from launcher.place import Place
from launcher.ports import LESSONS, ask_for, next_free
from launcher.processes import Children, Process
from launcher.running import Running, forget, note, open_already
from start import Trouble, say

__all__ = ["announce", "open_lessons"]


def open_lessons(
    place: Place,
    children: Children,
    lesson: str | None,
    port: int | None,
    browser: bool,
) -> int:
    """Open JupyterLab on a lesson, then bring up the playground beside it."""
    chosen = find_lesson(place, lesson).name if lesson else None
    with alone(place):
        if running := open_already(place):
            offer(place, running, chosen, browser)
            return 0
        mine = hold(place.build / "lessons.lock")
        install(place, children, need_of_package(place, "the lessons", "lessons"))
        copies = copy_lessons(place)
        jupyter, running = start_somewhere(place, children, port)
        note(place, running)
    try:
        first = chosen or (copies[0].name if copies else None)
        announce("Lessons", running.address(first), browser)
        say("Stop everything with Ctrl-C.")
        beside = (place, children, running.port + 1)
        threading.Thread(target=page_beside, args=beside, daemon=True).start()
        return wait_for(jupyter, place)
    finally:
        forget(place)
        if mine:
            mine.close()


def offer(place: Place, running: Running, lesson: str | None, browser: bool) -> None:
    """Name the JupyterLab that is open already; a second one would write beside it."""
    start = holder(place.build / "lessons.lock")
    say(
        f"The lessons are open already: end them with Ctrl-C where process {start} runs."
        if start
        else "JupyterLab still runs from a start.py that was killed: process "
        f"{running.process}. Go on with it, or end it (kill {running.process}) and "
        "start again."
    )
    announce("Lessons", running.address(lesson), browser)


def start_somewhere(
    place: Place, children: Children, port: int | None
) -> tuple[Process, Running]:
    """Start JupyterLab at this port, or at one that is free until it has one."""
    token = secrets.token_hex(24)
    wanted = ask_for(port) if port else next_free(LESSONS)
    while True:
        try:
            jupyter = start_jupyter(place, children, wanted, token)
            return jupyter, Running(jupyter.pid, wanted, token)
        except PortTaken:  # by whoever looked for one at the same moment
            if port:
                raise
            wanted = next_free(wanted + 1)


def wait_for(jupyter: Process, place: Place) -> int:
    """Come back when JupyterLab has ended, which it should not by itself."""
    while jupyter.poll() is None:
        time.sleep(0.5)
    if jupyter.returncode:
        words = below(place.log_of("jupyter"), place)
        raise Trouble(f"JupyterLab stopped by itself.{words}")
    say("JupyterLab was shut down.")
    return 0


def page_beside(place: Place, children: Children, port: int) -> None:
    """Bring up the playground; its trouble must not become the lessons'."""
    try:
        ready = lambda address: announce("Playground", address, browser=False)  # noqa: E731
        bring_up_page(place, children, next_free(port), ready)
    except (Trouble, OSError) as trouble:
        words = sentence_of(trouble, place) if isinstance(trouble, OSError) else trouble
        if not children.stopping:
            say(f"The lessons work; the playground does not: {words}")


def announce(what: str, address: str, browser: bool) -> None:
    """Print an address when it is up, and open it where that was not declined."""
    say(f"\n  {what:<11} {address}\n")
    if browser:
        # In a thread, because a browser that lives in the terminal would hold us up.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
