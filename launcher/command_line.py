"""Which command was meant."""

import argparse
from pathlib import Path

import start
from launcher.alone import alone
from launcher.constraints import write_constraints
from launcher.copies import copy_again, guessed_in
from launcher.failures import sentence_of
from launcher.installing import install, need_of_package
from launcher.lessons import Wish, announce, open_lessons
from launcher.making_venv import ensure, inside
from launcher.page import bring_up_page
from launcher.place import Place
from launcher.ports import PAGE, ask_for, next_free
from launcher.processes import Children
from launcher.running import open_already
from launcher.testing import run_tests, test_environment
from start import Trouble, say

__all__ = ["main", "parse"]


def main(arguments: list[str], root: Path) -> int:
    """Run one command, and leave no process behind."""
    place, children = Place(root), Children()
    options = parse(arguments)
    try:
        offered = options.command == "lessons" and open_already(place)
        if options.port is not None and not offered:
            ask_for(options.port)  # before anything is made that takes a while
        if options.command not in WITHOUT_VENV and not inside(place):
            ensure(place, children)
            return start.hand_over(str(place.python), arguments)
        return COMMANDS[options.command](options, place, children)
    except Trouble as trouble:
        say(f"start.py: {trouble}")
        return 1
    except OSError as error:
        say(f"start.py: {sentence_of(error, place)}")
        return 1
    finally:
        children.stop()


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; what follows `test` is for pytest."""
    parser = argparse.ArgumentParser(
        prog="start.py",
        description=start.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", default="lessons", choices=list(COMMANDS))
    parser.add_argument("lesson", nargs="?", help="its number, such as 04")
    parser.add_argument("--port", type=int, help="where to listen")
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    parser.add_argument(
        "--projector", action="store_true", help="type that a class can read"
    )
    wants_help = {"-h", "--help"} & {*arguments}
    testing = arguments[:1] == ["test"] and not wants_help
    options = parser.parse_args(arguments[:1] if testing else arguments)
    options.lane = "quick" if arguments[1:2] == ["quick"] else "whole"
    options.for_pytest = arguments[2 if options.lane == "quick" else 1 :]
    if options.command == "fresh" and not options.lesson:
        parser.error("a lesson's number goes with fresh: python3 start.py fresh 04")
    if options.lesson and options.command not in ("fresh", "lessons"):
        parser.error(f"no lesson's number goes with {options.command}")
    if options.projector and options.command != "lessons":
        parser.error(f"--projector goes with the lessons, not with {options.command}")
    return options


# The commands


def lessons(options: argparse.Namespace, place: Place, children: Children) -> int:
    """Open a lesson in JupyterLab, and the playground beside."""
    browser = not options.no_browser
    wish = Wish(options.lesson, options.port, browser, options.projector)
    return open_lessons(place, children, wish)


def playground(options: argparse.Namespace, place: Place, children: Children) -> int:
    """Bring up the playground alone."""
    with alone(place):
        install(place, children, need_of_package(place, "the package"))
    port = options.port or next_free(PAGE)

    def ready(address: str) -> None:
        announce("Playground", address, not options.no_browser)
        say("Stop with Ctrl-C.")

    bring_up_page(place, children, port, ready)
    return 0


def fresh(options: argparse.Namespace, place: Place, children: Children) -> int:
    """Give the learner one lesson once more."""
    say(f"Your copy: {place.shown(copy_again(place, options.lesson))}")
    if guessed_in(place, options.lesson):
        say("Its guesses are those you made before: start_over() in it forgets them.")
    return 0


def test(options: argparse.Namespace, place: Place, children: Children) -> int:
    """Install what a lane of the tests needs and run it."""
    return run_tests(place, children, options.lane, options.for_pytest)


def notebooks(options: argparse.Namespace, place: Place, children: Children) -> int:
    """Run all notebooks and write them in their normal form."""
    with alone(place):
        install(place, children, need_of_package(place, "the tests", "test"))
    command = [str(place.python), "-m", "tests.notebooks.rewrite"]
    environment = test_environment(place)
    return children.start(command, cwd=place.root, env=environment).wait()


def constraints(options: argparse.Namespace, place: Place, children: Children) -> int:
    """Write down the versions that are tested from now on."""
    write_constraints(place, children)
    return 0


COMMANDS = {
    "lessons": lessons,
    "playground": playground,
    "fresh": fresh,
    "test": test,
    "notebooks": notebooks,
    "constraints": constraints,
}
WITHOUT_VENV = {"fresh", "constraints"}
