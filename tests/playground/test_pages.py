"""The page that tests share comes back as it came, whatever a test did with it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.playground.conftest import Models, OpenPage
from tests.playground.pages import Pages, changes, left_over, put_back, state
from tests.playground.reading import (
    messages_to_workers,
    press,
    replace_tools,
    run_to_end,
    wait_until_idle,
)

NOBODY = "http://127.0.0.1:9"  # nothing listens on port 9
KEY = "sk-canary-90d1"
END = "run over: answered | folder has 9 messages"
SCRIPT = "paris_and_tokyo"


def connect(page: Page) -> None:
    """Connect a model that cannot be reached, and ask it."""
    press(page, "Connect a model…")
    page.get_by_label("Base URL").fill(f"{NOBODY}/v1")
    page.get_by_label("Model", exact=True).fill("tiny")
    page.get_by_label("Key").fill(KEY)
    press(page, "Connect")
    press(page, "Connect anyway")
    run_to_end(page, "run over: failed | folder has 2 messages")


def leave_the_dialog_open(page: Page) -> None:
    press(page, "Connect a model…")
    page.get_by_label("Base URL").fill("half an addr")


def ask(page: Page, question: str) -> None:
    page.get_by_role("textbox", name="Question").fill(question)


def type_long_tools(page: Page) -> None:
    replace_tools(page, "\n" * 200)
    page.get_by_role("textbox", name="tools.py").press("Control+End")


def choose(page: Page, name: str) -> None:
    page.get_by_label("Scenario").select_option(name)
    wait_until_idle(page)


def edit_two_scenarios(page: Page) -> None:
    """Leave an edit behind in one scenario, and every field edited in another."""
    ask(page, "?")
    choose(page, SCRIPT)
    ask(page, "What?")
    page.get_by_label("System prompt").fill("")
    page.get_by_label("Most rounds").fill("")
    replace_tools(page, "")


def take_back_an_edit(page: Page) -> None:
    """Leave the offer to bring it back."""
    ask(page, "?")
    press(page, "Take back")


def lose_python(page: Page) -> None:
    press(page, "Next card")
    wait_until_idle(page)
    press(page, "Restart Python")


def guess(page: Page) -> None:
    page.locator(".ask .choice").first.click()
    press(page, "That is my guess")


USES: dict[str, Callable[[Page], object]] = {
    "another scenario": lambda page: page.get_by_label("Scenario").select_option(
        "html_page"
    ),
    "a question typed": lambda page: ask(page, "?"),
    "edits of two scenarios": edit_two_scenarios,
    "an edit taken back": take_back_an_edit,
    "tools typed": lambda page: replace_tools(page, "def get_weather():\n    ..."),
    "long tools": type_long_tools,
    "tools that cannot run": lambda page: (
        replace_tools(page, "def ("),
        press(page, "Next card"),
    ),
    "a card turned": lambda page: press(page, "Next card"),
    "a run over": lambda page: run_to_end(page, END),
    "a look back": lambda page: (run_to_end(page, END), page.keyboard.press("Home")),
    "another question in the folder": lambda page: (
        run_to_end(page, END),
        press(page, "Ask again on this folder"),
    ),
    "a script": lambda page: choose(page, SCRIPT),
    "another Python": lose_python,
    "a guess about another question": lambda page: (ask(page, "?"), guess(page)),
    "another speed": lambda page: page.get_by_label("Speed of Play").select_option(
        "fast"
    ),
    "another tab": lambda page: page.get_by_role("tab", name="Frame").click(),
    "a fold": lambda page: (
        choose(page, SCRIPT),
        page.get_by_role("tab", name="Script").click(),
        page.get_by_text("Show what it will say").click(),
    ),
    "a model": connect,
    "a dialog": leave_the_dialog_open,
    "a help": lambda page: press(page, "Help"),
    "large text": lambda page: press(page, "Large text"),
    "dark colours by hand": lambda page: press(page, "Use dark colours"),
    "dark colours": lambda page: page.emulate_media(color_scheme="dark"),
    "a narrow window": lambda page: page.set_viewport_size(
        {"width": 390, "height": 800}
    ),
    "the focus": lambda page: page.get_by_role("tab", name="Tools").focus(),
}


@pytest.mark.parametrize("use", USES.values(), ids=list(USES))
def test_what_a_test_did_with_the_page_is_seen_and_undone(
    open_page: OpenPage, plain: str, models: Models, use: Callable[[Page], object]
) -> None:
    page = open_page(plain)
    as_it_came = state(page)
    if use is connect:
        models.add(NOBODY)
    use(page)
    assert changes(as_it_came, state(page)) != []
    put_back(page)
    assert left_over(page, as_it_came) == []
    assert messages_to_workers(page) == []


def test_a_page_that_was_put_back_knows_no_key_and_runs_as_before(
    open_page: OpenPage, plain: str, models: Models
) -> None:
    models.add(NOBODY)
    page = open_page(plain)
    run_to_end(page, END)
    first_run = state(page)
    put_back(page)
    connect(page)
    put_back(page)
    press(page, "Connect a model…")
    page.get_by_label("Base URL").fill(f"{NOBODY}/v1")
    key = page.get_by_label("Key")
    expect(key).to_have_attribute("placeholder", "empty if it needs none")
    put_back(page)
    run_to_end(page, END)
    assert left_over(page, first_run) == []


def test_a_page_with_a_guess_about_a_scenario_as_it_came_is_not_shared_any_more(
    module_pages: Pages, plain: str
) -> None:
    page = module_pages.share(plain)
    guess(page)
    assert module_pages.put_back() == []
    assert page.is_closed()
    assert module_pages.share(plain) is not page
    assert module_pages.put_back() == []
    assert module_pages.seen()[:2] == (set(), [])
