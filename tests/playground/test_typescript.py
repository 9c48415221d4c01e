"""The parts of the page without a page."""

from pathlib import Path

from tests.playground.conftest import npm


def test_the_parts_in_typescript_do_what_their_tests_say(dist: Path) -> None:
    done = npm("test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_parts_in_typescript_are_clean_for_their_linter_and_formatter(
    dist: Path,
) -> None:
    done = npm("run", "lint")
    assert done.returncode == 0, done.stdout + done.stderr
