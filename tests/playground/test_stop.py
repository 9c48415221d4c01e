"""Stop, whatever Python is doing."""

import pytest
from playwright.sync_api import Page, expect

from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.scripts import ReplyQueue
from mingraph_lite.lab.wire import error
from tests.playground.conftest import OpenPage
from tests.playground.reading import (
    READY,
    folder,
    press,
    replace_tools,
    sentence,
    status,
    wait_for_end,
    wait_until_ready,
)
from tests.playground.test_model import connect

FOREVER = """\
def get_weather(city: str) -> str:
    \"\"\"Never comes back.\"\"\"
    while True:
        pass
"""
WITHIN_A_SECOND = 1_000


def stop_and_wait(page: Page, words: str) -> None:
    """Press Stop; the page must be out of "running" within a second."""
    press(page, "Stop")
    over = page.locator(".desk .say", has_text="run over")
    over.wait_for(timeout=WITHIN_A_SECOND)
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.locator("[data-notice=info]")).to_contain_text(words)


def run_once_more(page: Page) -> None:
    """A working Python comes back and runs a scenario to its end."""
    expect(status(page)).to_have_text(READY)
    page.get_by_label("Scenario").select_option("one_by_one")
    press(page, "Play")
    wait_for_end(page, "run over: answered | folder has 10 messages")


def compute_without_end(page: Page) -> list[str]:
    wait_until_ready(page)
    replace_tools(page, FOREVER)
    press(page, "Next card")
    expect(sentence(page)).to_have_text("holding: RunningTools | folder has 3 messages")
    before = folder(page)
    press(page, "Next card")
    expect(page.locator(".desk .count").last).to_have_text("card 2, running")
    return before


def test_an_endless_tool_is_interrupted_where_the_page_is_isolated(
    open_page: OpenPage, isolated: str
) -> None:
    page = open_page(isolated)
    assert page.evaluate("crossOriginIsolated")
    before = compute_without_end(page)
    stop_and_wait(page, "Stopped in the middle of a computation.")
    assert folder(page)[:3] == before
    # The same Python goes on: it was interrupted, not ended.
    assert status(page).inner_text() == READY
    run_once_more(page)


def test_an_endless_tool_is_ended_where_the_page_is_plain(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    assert not page.evaluate("crossOriginIsolated")
    before = compute_without_end(page)
    stop_and_wait(page, "Stopped in the middle of a computation. Python starts again.")
    assert folder(page) == before
    assert (
        sentence(page).inner_text() == "run over: interrupted | folder has 3 messages"
    )
    run_once_more(page)


def test_a_tool_that_swallows_the_interrupt_is_ended_all_the_same(
    open_page: OpenPage, isolated: str
) -> None:
    page = open_page(isolated)
    wait_until_ready(page)
    stubborn = (
        "def get_weather(city: str) -> str:\n"
        '    """Never comes back, and never lets go."""\n'
        "    while True:\n"
        "        try:\n"
        "            while True:\n"
        "                pass\n"
        "        except BaseException:\n"
        "            pass\n"
    )
    replace_tools(page, stubborn)
    press(page, "Next card")
    expect(sentence(page)).to_have_text("holding: RunningTools | folder has 3 messages")
    press(page, "Next card")
    expect(page.locator(".desk .count").last).to_have_text("card 2, running")
    stop_and_wait(page, "Stopped in the middle of a computation. Python starts again.")
    run_once_more(page)


@pytest.mark.parametrize("where", ["isolated", "plain"])
def test_a_call_that_waits_for_its_model_is_cut_off(
    open_page: OpenPage,
    endpoint: FakeServer,
    replies: ReplyQueue,
    request: pytest.FixtureRequest,
    where: str,
) -> None:
    page = open_page(request.getfixturevalue(where))
    wait_until_ready(page)
    connect(page, endpoint)
    before = folder(page)
    press(page, "Next card")
    assert replies.kept_waiting.wait(60)
    stop_and_wait(page, "Stopped while waiting for the model. The request was cut off.")
    assert folder(page) == before
    assert status(page).inner_text() == READY
    press(page, "Change the model…")
    press(page, "Use the script again")
    expect(page.get_by_role("button", name="Connect a model…")).to_be_visible()
    run_once_more(page)


# Why not wait_for_function? It evaluates a text, which the page's own rules forbid.
PAUSING = """() => new Promise((paused) => {
  const seen = () => performance.getEntriesByName('pausing').length;
  const look = () => seen() ? paused() : again();
  const again = () => setTimeout(look, 20);
  look();
})"""


def test_a_pause_before_another_try_is_cut_off(
    open_page: OpenPage,
    plain: str,
    endpoint: FakeServer,
    replies: ReplyQueue,
    seen: list[ClientRequest],
) -> None:
    replies.add(error(503, "The model is busy.", "overloaded", retry_after=20))
    page = open_page(plain)
    wait_until_ready(page)
    connect(page, endpoint)
    press(page, "Next card")
    expect(page.locator(".why summary")).to_contain_text("answered 503.")
    page.evaluate(PAUSING)
    stop_and_wait(page, "Stopped while waiting for the model.")
    assert status(page).inner_text() == READY
    posts = [request for request in seen if request.method == "POST"]
    assert len(posts) == 1


def test_a_run_that_plays_is_stopped_between_two_cards(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.get_by_label("Scenario").select_option("never_satisfied")
    press(page, "Play")
    expect(page.locator(".mark")).to_have_count(3)
    stop_and_wait(page, "Stopped")
    run_once_more(page)
