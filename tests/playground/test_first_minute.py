"""What a stranger meets in the first minute: who answers, what to press, and help."""

import re
import tomllib
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.playground.conftest import ROOT, OpenPage
from tests.playground.reading import (
    press,
    replace_tools,
    sentence,
    wait_until_idle,
    wait_until_ready,
)

SCRIPT = "Answers: a script, the same lines whatever you ask"


def groups(page: Page) -> list[str]:
    """Read the groups of the menu."""
    return page.locator(".pg-menu optgroup").evaluate_all(
        "(all) => all.map((each) => each.label)"
    )


def to_the_end(page: Page) -> None:
    """Press Next card until there is no other."""
    marks = page.locator(".mark")
    while marks.last.inner_text() != "over":
        turned = marks.count()
        press(page, "Next card")
        expect(marks.nth(turned)).to_be_attached()


def test_the_menu_has_groups_with_faults_last(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    kinds = ["A model that reads", "Scripts", "What can go wrong"]
    found = groups(page)
    assert found == [kind for kind in kinds if kind in found]
    assert found[-2:] == kinds[-2:]


def test_each_scenario_says_who_answers(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    for name in ("never_satisfied", "tool_fails"):
        page.get_by_label("Scenario").select_option(name)
        expect(page.locator(".pg-answers")).to_have_text(SCRIPT)
    expect(page.locator(".pg-what")).not_to_be_empty()


def test_the_first_line_says_what_one_holds_and_what_to_press(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    first = page.locator(".pg-first")
    expect(first).to_have_text(
        "You hold the card CallingModel: it asks the model. "
        "Guess, then press Next card."
    )
    press(page, "Next card")
    expect(first).to_have_text(
        "Next card runs the card you hold, and hands you the one after it."
    )
    press(page, "Back")
    expect(first).to_have_text(
        "You look at an earlier card. Nothing is run until you are back."
    )
    press(page, "Next card")
    to_the_end(page)
    expect(first).to_contain_text("The run is over.")


def test_the_first_line_leads_to_the_question_that_stands_below_the_desk_on_a_phone(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    page.set_viewport_size({"width": 390, "height": 844})
    choice = page.locator(".pg-ask").get_by_role("radio").first
    expect(choice).not_to_be_in_viewport()
    page.get_by_role("link", name="Guess", exact=True).click()
    expect(choice).to_be_focused()
    expect(choice).to_be_in_viewport()
    assert page.url.endswith("/")  # a reload does not jump


def test_the_arrows_turn_cards_before_anything_was_clicked_and_not_in_a_text(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    marks, now = page.locator(".mark"), page.locator(".mark[aria-current=step]")
    page.keyboard.press("ArrowRight")
    expect(marks).to_have_count(2)
    page.keyboard.press("ArrowLeft")
    expect(now).to_have_text("call")
    page.get_by_role("textbox", name="Question", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("tab", name="Question").focus()
    page.keyboard.press("ArrowRight")
    expect(now).to_have_text("call")


def test_a_tool_that_takes_its_time_has_a_clock(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    slow = "import time\n\ndef get_weather(city: str) -> str:\n    time.sleep(60)\n"
    replace_tools(page, slow)
    press(page, "Next card")
    expect(sentence(page)).to_contain_text("holding: RunningTools")
    press(page, "Next card")
    expect(sentence(page)).to_have_text(re.compile(r"RunningTools is running, \d+ s"))
    press(page, "Stop")
    wait_until_idle(page)
    expect(sentence(page)).to_contain_text("run over: interrupted")


def test_help_opens_over_the_page_and_gives_the_keyboard_back(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    button = page.get_by_role("button", name="Help", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="What this is")
    expect(dialog).to_be_visible()
    for word in ("folder", "card", "slip", "desk", "trace", "Home, End"):
        expect(dialog).to_contain_text(word)
    expect(dialog).to_contain_text("mingraph_lite 0.1.0, on Python 3.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()


def test_help_links_only_to_what_is_there(
    open_page: OpenPage, plain: str, dist: Path
) -> None:
    page = open_page(plain)
    press(page, "Help")
    links = page.get_by_role("dialog").get_by_role("link")
    expect(links).to_have_count(2)
    named = [link.get_attribute("href") or "" for link in links.all()]
    assert [name for name in named if not (dist / name).is_file()] == []


def test_help_says_of_the_licence_what_the_project_says(
    open_page: OpenPage, plain: str
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = open_page(plain)
    press(page, "Help")
    chosen = "license" in project
    none = page.get_by_text("No licence has been chosen for mingraph_lite yet.")
    expect(none).to_have_count(0 if chosen else 1)


@pytest.mark.parametrize("closed", [True, False])
def test_help_says_what_a_plain_host_leaves_open_and_only_there(
    open_page: OpenPage, plain: str, closed: bool
) -> None:
    page = open_page(plain)
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.method)
        policy = {"content-security-policy": "default-src 'self'"} if closed else {}
        route.fulfill(status=200, headers=policy)

    page.route("**/assets/worker*.js", answer)
    with page.expect_response("**/assets/worker*.js"):
        press(page, "Help")
    note = page.get_by_text("This host sends no policy for Python's worker")
    expect(note).to_have_count(0 if closed else 1)
    assert asked == ["HEAD"]


def seconds(state: str) -> int:
    """Read how many seconds are still announced."""
    found = re.fullmatch(
        r"Python starts again, (?:about (\d+) s|any moment now)", state
    )
    assert found, state
    return int(found[1] or 0)


def test_python_can_be_restarted_and_counts_down(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain)
    wait_until_ready(page)
    held: list[Route] = []
    page.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    press(page, "Restart Python")
    state = page.locator(".pg-state")
    expect(state).to_contain_text("Python starts again, ")
    first = state.inner_text()
    expect(state).not_to_have_text(first)
    assert seconds(state.inner_text()) < seconds(first)


def test_the_next_question_is_ready_to_be_typed_over(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    page.get_by_role("tab", name="Tools").click()
    to_the_end(page)
    press(page, "Ask again on this folder")
    field = page.get_by_role("textbox", name="Question", exact=True)
    expect(field).to_be_focused()
    selected = "(field) => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field.evaluate(selected) == field.input_value() != ""
