"""The page in WebKit, which has no shared memory and cannot hold Python in a wait."""

from collections.abc import Iterator

import pytest

from tests.browsers import NoBrowser
from tests.engines import steps
from tests.engines.conftest import not_here
from tests.engines.finding import find_webkit
from tests.engines.reader import Reader
from tests.engines.webkit import WebKit, running_webkit
from tests.playground.reading import READY

SPARE = 0  # a second Python would take memory that phones do not have


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKit]:
    try:
        programs = find_webkit()
    except NoBrowser as missing:
        not_here(missing)
    with running_webkit(programs, tmp_path_factory.mktemp("webkit")) as webkit:
        webkit.resize(1280, 720)
        yield webkit


def test_the_isolated_page_runs_without_shared_memory(page: Reader) -> None:
    asked = "[crossOriginIsolated, typeof SharedArrayBuffer]"
    assert page.browser.evaluate(asked) == [True, "undefined"]


def test_a_script_is_run_card_by_card_and_looked_back_on(page: Reader) -> None:
    with steps.starts(page, 0):
        sentences = steps.every_sentence()
        assert steps.turn_each_card(page) == sentences
        assert steps.go_back(page) == sentences[-2:]


def test_a_run_that_plays_is_stopped_between_two_cards(page: Reader) -> None:
    with steps.starts(page, 0):
        stopped = steps.stop_between_two_cards(page)
        assert stopped == ("Interrupted between two cards.", READY)
        steps.play_to_the_end(page)


def test_the_page_says_why_no_model_can_be_connected(page: Reader) -> None:
    with steps.starts(page, 0):
        said = steps.ask_for_a_model_in_vain(page)
    assert "cannot hold Python while the page waits for a reply" in said


def test_a_tool_that_sleeps_is_ended_and_python_comes_back(page: Reader) -> None:
    with steps.starts(page, 1):
        said, _ = steps.stop_a_tool(page, steps.SLEEPING, "asleep in line 6")
        assert said == (
            "Interrupted in a sleep. Python starts again. "
            "tools.py, line 6: time.sleep(600)"
        )
        steps.play_to_the_end(page)


def test_an_endless_tool_is_ended_and_python_starts_again(page: Reader) -> None:
    with steps.starts(page, 1):
        stopped = steps.stop_a_tool(page, steps.ENDLESS, "at line 3")
        assert stopped == (
            "Interrupted in the middle of a computation. Python starts again. "
            "tools.py, line 3: while True: ...",
            "Python starts again",
        )
    # Nobody waits for it: that it comes back is seen above, and it takes long here.


def test_the_page_runs_on_a_plain_host(browser: WebKit, plain: str) -> None:
    reader = Reader(browser)
    steps.load(reader, plain)
    assert browser.evaluate("crossOriginIsolated") is False
    steps.play_to_the_end(reader)
    assert reader.broken() == []
