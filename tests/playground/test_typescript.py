"""The parts of the page without a page."""

from pathlib import Path

from tests.playground.conftest import npm


def test_the_parts_in_typescript_do_what_their_tests_say(dist: Path) -> None:
    done = npm("test")
    assert done.returncode == 0, done.stdout + done.stderr
