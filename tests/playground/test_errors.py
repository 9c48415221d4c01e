"""Where Python points in the learner's code, and how the ways to end are called."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.playground.conftest import OpenPage
from tests.playground.reading import (
    FIRST,
    press,
    replace_tools,
    run_to_end,
    sentence,
    wait_until_idle,
    wait_until_ready,
)

TOOLS = '''\
def get_weather(city: str) -> float:
    """Tell the temperature."""
    print("looking up", city)
    return 1 / len(city[7:])


def to_fahrenheit(celsius: float) -> int:
    """Convert."""
    return round(celsius * 9 / 5 + 32)
'''
LINE = "return 1 / len(city[7:])"
DIVIDED = "ZeroDivisionError: division by zero"


def notice(page: Page):
    return page.locator(".pg-notice-place")


def expect_marks(page: Page, *expected: tuple[str, str]) -> None:
    """Expect these lines of the editor marked, each with the reason behind it."""
    lines = page.locator(".pg-pointed-line")
    expect(lines).to_have_count(len(expected))
    found = [
        (each.inner_text(), each.get_attribute("data-what")) for each in lines.all()
    ]
    assert found == [*expected]


def cursor_line(page: Page) -> str:
    """Read the line of the editor that has the cursor."""
    expect(page.get_by_role("textbox", name="tools.py")).to_be_focused()
    return page.locator(".cm-activeLine").inner_text()


def next_card(page: Page) -> None:
    count = page.locator(".mark").count()
    press(page, "Next card")
    expect(page.locator(".mark")).to_have_count(count + 1)


def test_a_refusal_names_the_line_and_a_press_on_it_opens_the_editor_there(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    replace_tools(page, "def get_weather(city: str) -> str:\n    return (\n")
    press(page, "Next card")
    closed = "'(' was never closed"
    expect(notice(page)).to_have_text(f"tools.py, line 2: {closed}: return (")
    expect(page.locator(".pg-first")).to_have_text(
        "The run could not begin. The reason stands below the desk."
    )
    what = f"SyntaxError: {closed}"
    expect_marks(page, ("    return (", what))
    editor = page.get_by_role("textbox", name="tools.py")
    expect(editor).to_have_accessible_description(f"Line 2 is marked: {what}.")

    page.get_by_role("tab", name="Question").click()
    press(page, "tools.py, line 2")
    expect(page.get_by_role("tab", name="Tools")).to_have_attribute(
        "aria-selected", "true"
    )
    assert cursor_line(page) == "    return ("
    page.keyboard.press("Control+End")
    page.keyboard.type(")")
    expect(page.locator(".pg-pointed-line")).to_have_count(0)


def test_a_tool_that_raises_is_pointed_at_on_the_frames_where_it_did(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    replace_tools(page, TOOLS)
    next_card(page)
    expect_marks(page)
    next_card(page)
    expect_marks(page, ("    " + LINE, DIVIDED))
    expect(notice(page)).to_contain_text(f"tools.py, line 4: {LINE}, {DIVIDED}")
    press(page, "Back")
    expect(page.locator(".pg-pointed-line")).to_have_count(0)
    expect(notice(page)).to_have_text("")
    press(page, "Next card")
    expect(page.locator(".pg-pointed-line")).to_have_count(1)
    press(page, "tools.py, line 4")
    assert cursor_line(page) == "    " + LINE


def test_what_was_printed_is_a_row_of_the_trace(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    replace_tools(page, TOOLS.replace(LINE, "return 18"))
    next_card(page)
    next_card(page)
    rows = page.locator(".pg-trace tbody tr", has_text="printed")
    expect(rows).to_have_count(1)
    assert rows.locator("code").inner_text().splitlines()[0] == "looking up Paris"


def test_input_gets_a_sentence(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    replace_tools(page, TOOLS.replace(LINE, "return float(input())"))
    next_card(page)
    next_card(page)
    expect(notice(page)).to_contain_text("tools.py, line 4: return float(input())")
    expect(notice(page)).to_contain_text("input() cannot ask here")


def choose(page: Page, name: str) -> None:
    page.get_by_label("Scenario").select_option(name)
    wait_until_idle(page)
    expect(sentence(page)).to_have_text(FIRST)


def two_rounds(page: Page) -> None:
    page.get_by_label("Most rounds").fill("2")


def stopped(page: Page) -> None:
    press(page, "Play")
    expect(page.locator(".mark")).to_have_count(2)
    press(page, "Stop")


@pytest.mark.parametrize(
    ("scenario", "act", "word"),
    [
        ("paris_and_tokyo", None, "answered"),
        ("refusal", None, "refused"),
        ("never_satisfied", two_rounds, "step limit"),
        ("html_page", None, "failed"),
        ("paris_and_tokyo", stopped, "interrupted"),
    ],
)
def test_an_ending_has_one_word_wherever_it_is_said(
    open_page: OpenPage, plain: str, scenario: str, act, word: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    choose(page, scenario)
    if act:
        act(page)
    if act is not stopped:
        run_to_end(page, re.compile(f"^run over: {word} "))
    expect(sentence(page)).to_have_text(re.compile(f"^run over: {word} "))
    assert page.locator(".card .rule").inner_text() == f"The run is over: {word}."
    assert page.locator(".mark").last.get_attribute("title") == f"run over: {word}"
    last = page.locator(".pg-trace tbody tr").last.inner_text()
    assert last.split("\t")[1:3] == ["finish", word]
    if act is stopped:
        expect(page.locator("[data-notice=info]")).to_contain_text("Interrupted")


DEEP = '''\
class Deep:
    def __repr__(self):
        return repr(self)


def get_weather(city: str) -> str:
    """Tell the temperature."""
    return repr(Deep())
'''


def test_a_breakdown_of_python_itself_names_the_line_it_was_at(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain)
    wait_until_ready(page)
    replace_tools(page, DEEP)
    next_card(page)
    press(page, "Next card")
    expect(notice(page)).to_contain_text(
        "Python broke down and starts again. It said: Maximum call stack size "
        "exceeded. It was at tools.py, line 3: return repr(self)"
    )
    wait_until_idle(page)
