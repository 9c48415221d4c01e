"""The page in Firefox, which has all that Chromium has."""

from collections.abc import Iterator

import pytest

from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from tests.browsers import NoBrowser
from tests.engines import steps
from tests.engines.conftest import not_here
from tests.engines.finding import find_firefox
from tests.engines.firefox import Firefox, running_firefox
from tests.engines.reader import Reader
from tests.playground.reading import READY
from tests.playground.test_model import KEY

SPARE = 1  # it has the memory for a second Python, which takes over from an ended one


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    try:
        path = find_firefox()
    except NoBrowser as missing:
        not_here(missing)
    with running_firefox(path, tmp_path_factory.mktemp("firefox")) as firefox:
        firefox.resize(1280, 720)
        yield firefox


def test_the_isolated_page_has_memory_that_it_shares_with_python(page: Reader) -> None:
    asked = "[crossOriginIsolated, typeof SharedArrayBuffer]"
    assert page.browser.evaluate(asked) == [True, "function"]


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


def test_an_endless_tool_is_interrupted_and_the_same_python_goes_on(
    page: Reader,
) -> None:
    with steps.starts(page, 0):
        stopped = steps.stop_a_tool(page, steps.ENDLESS, "at line 3")
        assert stopped == (
            "Interrupted in the middle of a computation. "
            "tools.py, line 3: while True: ...",
            READY,
        )
        steps.play_to_the_end(page)


def test_a_live_model_answers_and_its_key_is_kept_nowhere(
    page: Reader,
    endpoint: FakeServer,
    replies: ReplyQueue,
    seen: list[ClientRequest],
) -> None:
    with steps.starts(page, 0):
        kept = steps.ask_a_live_model(page, endpoint, replies)
    asked = ("/v1/chat/completions", f"Bearer {KEY}")
    assert steps.posts(seen) == [asked, asked]
    assert (kept["databases"], kept["caches"]) == ([], [])
    assert "In Paris it is 18 °C." in kept["rest"]
    assert KEY not in kept["rest"]


def test_a_call_that_waits_for_its_model_is_cut_off(
    page: Reader, endpoint: FakeServer, replies: ReplyQueue
) -> None:
    with steps.starts(page, 0):
        stopped = steps.cut_off_a_call(page, endpoint, replies)
        assert stopped == (
            "Interrupted while waiting for the model; the request was cut off.",
            READY,
        )
        steps.play_to_the_end(page)


def test_a_tool_that_sleeps_is_woken_and_the_same_python_goes_on(page: Reader) -> None:
    with steps.starts(page, 0):
        stopped = steps.stop_a_tool(page, steps.SLEEPING, "asleep in line 6")
        assert stopped == (
            "Interrupted in a sleep. tools.py, line 6: time.sleep(600)",
            READY,
        )
        steps.play_to_the_end(page)


def test_a_tool_that_holds_its_thread_is_ended_and_another_python_comes_up(
    page: Reader,
) -> None:
    said = (
        "Interrupted in the middle of a computation. Python starts again. "
        "tools.py, line 7: return js.Atomics.wait(bell, 0, 0, 60_000)"
    )
    with steps.starts(page, 0):  # the spare takes over
        assert steps.stop_a_tool(page, steps.BLOCKING, "at line 7")[0] == said
    with steps.starts(page, 2):  # there is no spare now, and one again after a run
        assert steps.stop_a_tool(page, steps.BLOCKING, "at line 7")[0] == said
        steps.play_to_the_end(page)


def test_the_page_runs_on_a_plain_host(browser: Firefox, plain: str) -> None:
    reader = Reader(browser)
    steps.load(reader, plain)
    assert browser.evaluate("crossOriginIsolated") is False
    steps.play_to_the_end(reader)
    assert reader.broken() == []
