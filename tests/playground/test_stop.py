"""Stop, whatever Python is doing."""

import pytest
from playwright.sync_api import Page, expect

from mingraph_lite.lab.fake_server import ClientRequest, FakeServer
from mingraph_lite.lab.reply_source import ReplyQueue
from mingraph_lite.lab.wire import error
from tests.playground.conftest import OpenPage
from tests.playground.reading import (
    FIRST,
    READY,
    folder,
    press,
    replace_tools,
    run_to_end,
    sentence,
    starts,
    status,
    wait_until,
    wait_until_idle,
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
    """Press Stop; the page waits for Python no longer than a second.

    The page's own timers are asked: by the clock, a busy machine takes what it needs.
    """
    # Python that would obey is not ended because this machine is busy.
    obeys = "Python starts again" not in words
    page.evaluate("slow => [waited, slowness] = [[], slow]", 20 if obeys else 1)
    press(page, "Stop")
    expect(sentence(page)).to_contain_text("run over")
    page.evaluate("slowness = 1")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.locator("[data-notice=info]")).to_contain_text(words)
    assert max(page.evaluate("window.waited"), default=0) < WITHIN_A_SECOND


def run_once_more(page: Page) -> None:
    """A working Python comes back and runs a scenario to its end."""
    expect(status(page)).to_have_text(READY)
    wait_until_idle(page)
    page.get_by_label("Scenario").select_option("one_by_one")
    expect(sentence(page)).to_have_text(FIRST)
    run_to_end(page, "run over: answered | folder has 10 messages")


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
    stop_and_wait(page, "Interrupted in the middle of a computation.")
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
    stop_and_wait(
        page, "Interrupted in the middle of a computation. Python starts again."
    )
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
    stop_and_wait(
        page, "Interrupted in the middle of a computation. Python starts again."
    )
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
    stop_and_wait(
        page, "Interrupted while waiting for the model; the request was cut off."
    )
    assert folder(page) == before
    assert status(page).inner_text() == READY
    press(page, "Change the model…")
    press(page, "Disconnect the model")
    expect(page.get_by_role("button", name="Connect a model…")).to_be_visible()
    run_once_more(page)


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
    expect(page.locator(".pg-why summary")).to_contain_text("answered 503.")
    wait_until(page, "performance.getEntriesByName('pausing').length")
    stop_and_wait(page, "Interrupted while waiting")
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
    stop_and_wait(page, "Interrupted between two cards.")
    run_once_more(page)


# Blocks the thread itself: no interrupt gets in, whatever the page does.
BLOCKS = """\
import js

def get_weather(city: str) -> str:
    \"\"\"Waits for a bell that nobody rings.\"\"\"
    bell = js.Int32Array.new(js.SharedArrayBuffer.new(4))
    return js.Atomics.wait(bell, 0, 0, 60_000)
"""
ASLEEP = """\
import time

def get_weather(city: str) -> str:
    \"\"\"Takes its time.\"\"\"
    time.sleep(60)
    return "18"
"""


def start_the_tools(page: Page, code: str) -> None:
    """Hold a run in its tools, and have them run."""
    wait_until_ready(page)
    replace_tools(page, code)
    press(page, "Next card")
    expect(sentence(page)).to_have_text("holding: RunningTools | folder has 3 messages")
    press(page, "Next card")
    expect(page.locator(".desk .count").last).to_have_text("card 2, running")


def test_what_cannot_be_interrupted_costs_one_start_and_the_next_python_comes_up(
    open_page: OpenPage, isolated: str
) -> None:
    page = open_page(isolated)
    before = starts(page)
    start_the_tools(page, BLOCKS)
    wait_until(page, "window.place?.line === 6")  # there the thread is held
    stop_and_wait(page, "Interrupted in the middle of a computation.")
    expect(page.locator("[data-notice=info]")).to_contain_text("tools.py, line 6")
    run_once_more(page)
    assert starts(page) == before + 1


@pytest.mark.parametrize("where", ["isolated", "plain"])
def test_a_sleep_is_called_a_sleep_and_costs_no_start_where_python_can_wait(
    open_page: OpenPage, request: pytest.FixtureRequest, where: str
) -> None:
    page = open_page(request.getfixturevalue(where))
    before = starts(page)
    start_the_tools(page, ASLEEP)
    stop_and_wait(page, "Interrupted in a sleep.")
    notice = page.locator("[data-notice=info]")
    expect(notice).to_contain_text("tools.py, line 5")
    expect(notice).to_contain_text("time.sleep(60)")
    # How the page wakes Python is no print of the learner's.
    expect(page.locator(".desk .printed")).to_have_count(0)
    run_once_more(page)
    assert starts(page) == before


def test_an_isolated_page_without_shared_memory_loads_and_stops_the_other_way(
    fresh_page: OpenPage, isolated: str
) -> None:
    def as_in_webkit(page: Page) -> None:
        page.add_init_script("delete window.SharedArrayBuffer")

    page = fresh_page(isolated, before=as_in_webkit)
    start_the_tools(page, FOREVER)
    assert page.evaluate("[crossOriginIsolated, typeof SharedArrayBuffer]") == [
        True,
        "undefined",
    ]
    stop_and_wait(
        page, "Interrupted in the middle of a computation. Python starts again."
    )
    expect(page.locator("[data-notice=info]")).to_contain_text("tools.py, line")
    run_once_more(page)
    assert starts(page) == 2


def test_a_spare_python_takes_over_where_there_is_memory_for_two(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain, memory="")
    wait_until_ready(page)
    run_to_end(page, "run over: answered | folder has 9 messages")
    wait_until(page, "performance.getEntriesByName('python-spare-ready').length")
    press(page, "Reset")
    expect(sentence(page)).to_have_text(FIRST)
    start_the_tools(page, FOREVER)
    stop_and_wait(page, "Interrupted in the middle of a computation.")
    # It was there already: nobody waits for it.
    assert status(page).inner_text() == READY
    assert starts(page) == 2


def test_another_scenario_picked_while_a_stop_is_at_work_is_left_alone(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    before = starts(page)
    start_the_tools(page, FOREVER)
    press(page, "Stop")
    page.get_by_label("Scenario").select_option("one_by_one")
    expect(status(page)).to_have_text(READY)
    expect(sentence(page)).to_have_text(FIRST)
    run_to_end(page, "run over: answered | folder has 10 messages")
    assert starts(page) == before + 1


CANNOT_BEGIN = """\
import inspect, mingraph_lite.agent
{broken} = None


def get_weather(city: str) -> str:
    \"\"\"Is never asked.\"\"\"
    return "18"
"""
END = "run over: answered | folder has 9 messages"


def test_a_python_whose_package_a_tool_broke_starts_again_and_the_reason_stays(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    before = starts(page)
    wait_until_ready(page)
    replace_tools(page, CANNOT_BEGIN.format(broken="mingraph_lite.agent.Agent"))
    press(page, "Next card")
    wait_until(page, f"window.starts === {before + 1}")
    wait_until_ready(page)
    expect(page.locator("[data-notice=trouble]")).to_have_text(
        "Python broke down and starts again. It said: tools.py has changed "
        "mingraph_lite.agent.Agent, which this page stands on. Take that line back, or "
        "it happens again. It was at tools.py, line 2: "
        "mingraph_lite.agent.Agent = None"
    )
    press(page, "Take back")
    run_to_end(page, END)
    assert starts(page) == before + 1


def test_restart_python_is_the_way_out_where_a_tool_broke_something_else(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    before = starts(page)
    wait_until_ready(page)
    replace_tools(page, CANNOT_BEGIN.format(broken="inspect.signature"))
    trouble = page.locator("[data-notice=trouble]")
    press(page, "Next card")
    expect(trouble).to_contain_text("'NoneType' object is not callable")
    press(page, "Take back")
    press(page, "Reset")
    expect(trouble).to_contain_text("'NoneType' object is not callable")
    press(page, "Restart Python")
    wait_until_ready(page)
    run_to_end(page, END)
    assert starts(page) == before + 1
