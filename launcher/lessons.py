"""The lessons in JupyterLab, and the playground beside them."""

import secrets
import threading
import time
import webbrowser
from dataclasses import dataclass
from functools import partial

from launcher.alone import alone, hold, holder
from launcher.copies import copy_lessons, find_lesson, first_copy
from launcher.failures import below, sentence_of
from launcher.installing import install, need_of_package
from launcher.jupyter import PortTaken, start_jupyter
from launcher.package_to_read import lay_package
from launcher.page import bring_up_page
from launcher.place import Place
from launcher.ports import LESSONS, ask_for, next_free
from launcher.processes import Children, Process
from launcher.running import Running, forget, note, open_already
from start import Trouble, say

__all__ = ["Wish", "announce", "open_lessons"]


@dataclass(frozen=True)
class Wish:
    """What the learner asked for on the command line."""

    lesson: str | None = None
    port: int | None = None
    browser: bool = True
    projector: bool = False


def open_lessons(place: Place, children: Children, wish: Wish) -> int:
    """Open JupyterLab on a lesson, then bring up the playground beside it."""
    chosen = find_lesson(place, wish.lesson).name if wish.lesson else None
    with alone(place, instead=lambda: open_already(place)) as running:
        if running:
            return offer(place, running, chosen, wish)
        mine = hold(place.build / "lessons.lock")
        install(place, children, need_of_package(place, "the lessons", "lessons"))
        copies = copy_lessons(place)
        lay_package(place)
        jupyter, running = start_somewhere(place, children, wish)
        note(place, running)
    try:
        first = chosen or (copies[0].name if copies else None)
        announce("Lessons", running.address(first), wish.browser)
        say("Stop everything with Ctrl-C.")
        beside = (place, children, running.port + 1, running.projector)
        threading.Thread(target=page_beside, args=beside, daemon=True).start()
        return wait_for(jupyter, place)
    finally:
        forget(place)
        if mine:
            mine.close()


def offer(place: Place, running: Running, lesson: str | None, wish: Wish) -> int:
    """Name the one that is open: two would write the same files."""
    if start := holder(place.build / "lessons.lock"):
        say(
            "The lessons are open already. To stop them, press Ctrl-C where they were "
            f"started (process {start})."
        )
    else:
        process = running.process
        say(
            f"JupyterLab still runs from a start.py that was killed (process {process}"
            f"). Go on with it, or end it (kill {process}) and start again."
        )
    if wish.projector and not running.projector:
        say("Their type is the usual one: --projector counts once they are stopped.")
    announce("Lessons", running.address(lesson or first_copy(place)), wish.browser)
    return 0


def start_somewhere(
    place: Place, children: Children, wish: Wish
) -> tuple[Process, Running]:
    """Start JupyterLab at the port that is wished for, or at the first it gets."""
    token, projector = secrets.token_hex(24), wish.projector
    wanted = ask_for(wish.port) if wish.port else next_free(LESSONS)
    while True:
        try:
            jupyter = start_jupyter(place, children, wanted, token, projector=projector)
            return jupyter, Running(jupyter.pid, wanted, token, projector)
        except PortTaken:  # by whoever looked for one at the same moment
            if wish.port:
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


def page_beside(
    place: Place, children: Children, port: int, projector: bool = False
) -> None:
    """Bring up the playground; its trouble must not become the lessons'."""
    try:
        announce_it = partial(announce_page, projector=projector)
        bring_up_page(place, children, next_free(port), announce_it)
    except (Trouble, OSError) as trouble:
        words = sentence_of(trouble, place) if isinstance(trouble, OSError) else trouble
        if not children.stopping:
            say(f"The lessons work; the playground does not: {words}")


def announce_page(address: str, *, projector: bool) -> None:
    """Print where the playground is; the browser shows the lessons already."""
    large = "?size=large" if projector else ""
    announce("Playground", address + large, browser=False)


def announce(what: str, address: str, browser: bool) -> None:
    """Print an address that is up, and open it unless declined."""
    say(f"\n  {what:<11} {address}\n")
    if browser:
        # In a thread, because a browser that lives in the terminal would hold us up.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
