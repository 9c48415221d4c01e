"""What a reader changes: kept, marked, compared, taken back, and never run unasked."""

import json

from playwright.sync_api import Page, expect

from tests.playground.conftest import OpenPage
from tests.playground.reading import (
    FIRST,
    READY,
    messages_to_workers,
    press,
    replace_tools,
    run_to_end,
    sentence,
    status,
    wait_until,
    wait_until_idle,
    wait_until_ready,
)

OTHER = "one_by_one"
PROMPT = "Use the tools. Never do the arithmetic yourself."
TOOLS = '''\
import js

js.console.log("ran")


def get_weather(city: str) -> str:
    """Always the same."""
    return "30"


def to_fahrenheit(celsius: float) -> int:
    """Convert."""
    return round(celsius * 9 / 5 + 32)
'''
BROKEN = "def get_weather(city: str) -> str:\n    return (\n"


def question(page: Page):
    page.get_by_role("tab", name="Question").click()
    return page.get_by_role("textbox", name="Question")


def editor_text(page: Page) -> str:
    """Read what stands in the editor."""
    page.get_by_role("tab", name="Tools").click()
    return page.get_by_role("textbox", name="tools.py").inner_text()


def tabs(page: Page) -> list[str]:
    """Read the names of the tabs that say what a run is made of."""
    tabs = page.get_by_role("tablist", name="What the run is made of")
    return tabs.get_by_role("tab").all_inner_texts()


def marked(page: Page) -> list[str | None]:
    """Name the scenarios that the menu calls edited."""
    options = page.get_by_label("Scenario").locator("option", has_text="(edited)")
    return [option.get_attribute("value") for option in options.all()]


def choose(page: Page, name: str) -> None:
    page.get_by_label("Scenario").select_option(name)
    wait_until_idle(page)
    expect(sentence(page)).to_have_text(FIRST)


def tools_sent(page: Page) -> list[str | None]:
    """Name the tools of each run that Python was asked to begin, null for its own."""
    sent = map(json.loads, messages_to_workers(page))
    setups = [message["setup"] for message in sent if message["type"] == "turn"]
    return [setup["tools"] for setup in setups if setup]


def test_edits_are_kept_over_a_scenario_and_a_reload_and_taken_back_one_by_one(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain)
    wait_until_ready(page)
    first = page.get_by_label("Scenario").input_value()
    came = question(page).input_value()
    question(page).fill("And in Oslo?")
    page.get_by_label("Most rounds").fill("7")
    replace_tools(page, TOOLS)
    assert tabs(page) == ["Question edited", "Tools edited", "Script"]
    choose(page, OTHER)
    assert tabs(page) == ["Question", "Tools", "Script"]
    assert marked(page) == [first]

    page.reload()
    wait_until_ready(page)
    assert (marked(page), tabs(page)[:2]) == (
        [first],
        ["Question edited", "Tools edited"],
    )
    assert question(page).input_value() == "And in Oslo?"
    assert page.get_by_label("Most rounds").input_value() == "7"
    assert '"30"' in editor_text(page)

    press(page, "Take back")  # the tools: their tab is open
    assert tabs(page)[:2] == ["Question edited", "Tools"]
    question(page)
    page.get_by_role("button", name="Take back", exact=True).first.click()
    assert question(page).input_value() == came
    assert page.get_by_label("Most rounds").input_value() == "7"
    press(page, "Take back")
    assert (tabs(page)[0], marked(page)) == ("Question", [])


def test_what_changed_is_told_in_signs_and_in_words(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.get_by_role("textbox", name="System prompt").fill("Use the tools.\nGuess.")
    press(page, "Show what changed")
    lines = page.get_by_role("list", name="What changed").get_by_role("listitem")
    expect(lines).to_have_text(
        [
            f"\N{MINUS SIGN}taken away: {PROMPT}",
            "+added: Use the tools.",
            "+added: Guess.",
        ]
    )
    assert page.locator(".pg-diff del").all_inner_texts() == [
        " Never do the arithmetic yourself"
    ]
    press(page, "Hide what changed")
    expect(lines).to_have_count(0)


def test_all_is_taken_back_at_once_and_brought_back_once(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    came = question(page).input_value()
    question(page).fill("And in Oslo?")
    replace_tools(page, TOOLS)
    press(page, "Take back all edits")
    assert (question(page).input_value(), tabs(page)[1]) == (came, "Tools")
    expect(page.get_by_role("button", name="Take back all edits")).to_have_count(0)
    press(page, "Bring them back")
    assert question(page).input_value() == "And in Oslo?"
    assert '"30"' in editor_text(page)
    expect(page.get_by_role("button", name="Bring them back")).to_have_count(0)


def test_the_keyboard_stays_where_a_field_is_taken_back(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    question(page).fill("And in Oslo?")
    page.get_by_role("button", name="Take back", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Bring it back")).to_be_focused()
    page.keyboard.press("Enter")
    assert question(page).input_value() == "And in Oslo?"


def test_undo_in_the_editor_goes_over_take_back_and_never_into_another_scenario(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    came = editor_text(page)
    replace_tools(page, TOOLS)
    press(page, "Take back")
    assert editor_text(page) == came
    editor = page.get_by_role("textbox", name="tools.py")
    editor.focus()
    page.keyboard.press("Control+z")
    assert '"30"' in editor_text(page)

    choose(page, OTHER)
    other = editor_text(page)
    editor.focus()
    page.keyboard.press("Control+z")
    assert (editor_text(page), tabs(page)[1]) == (other, "Tools")


def test_a_quick_typist_loses_no_letter(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    came = editor_text(page)
    page.get_by_role("textbox", name="tools.py").press("Control+End")
    typed = "# each letter stays where it was typed, and none comes twice"
    page.keyboard.type(typed)
    assert editor_text(page).endswith(typed)
    press(page, "Take back")
    assert editor_text(page) == came


def test_edited_code_waits_for_a_press_whatever_is_opened(
    fresh_page: OpenPage, plain: str
) -> None:
    said: list[str] = []
    page = fresh_page(plain)
    page.on("console", lambda message: said.append(message.text))
    wait_until_ready(page)
    first = page.get_by_label("Scenario").input_value()
    replace_tools(page, TOOLS)
    page.reload()
    wait_until_ready(page)
    choose(page, OTHER)
    choose(page, first)
    page.wait_for_timeout(300)  # a message that comes at all has come by then
    assert (said, set(tools_sent(page))) == ([], {None})
    press(page, "Next card")
    expect(page.locator(".mark")).to_have_count(2)
    wait_until_idle(page)
    assert (said, tools_sent(page)[-1]) == (["ran"], TOOLS)


def test_after_a_syntax_error_every_button_answers_and_the_next_card_is_card_1(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    first = page.get_by_label("Scenario").input_value()
    notice = page.locator("[data-notice=trouble]")
    replace_tools(page, BROKEN)
    for button in ("Next card", "Next card", "Reset", "Play", "Back", "Reset"):
        page.get_by_role("button", name=button, exact=True).click(
            force=button == "Back"
        )
        wait_until_idle(page)
        expect(notice).to_contain_text("tools.py, line 2")
        expect(page.get_by_role("button", name="Play")).to_be_visible()

    choose(page, OTHER)
    expect(notice).to_have_count(0)
    choose(page, first)
    expect(notice).to_have_count(0)
    press(page, "Next card")
    expect(notice).to_contain_text("tools.py, line 2")
    replace_tools(page, TOOLS)
    press(page, "Next card")
    expect(sentence(page)).to_have_text(FIRST)
    expect(page.locator(".mark")).to_have_count(1)
    expect(notice).to_have_count(0)

    replace_tools(page, BROKEN)
    press(page, "Reset")
    expect(notice).to_contain_text("tools.py, line 2")
    press(page, "Take back")
    press(page, "Next card")
    expect(sentence(page)).to_have_text(FIRST)
    run_to_end(page, "run over: answered | folder has 9 messages")
    assert status(page).inner_text() == READY


def test_an_edit_during_a_run_counts_from_reset_and_moves_nothing(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.set_viewport_size({"width": 1280, "height": 900})  # no need to scroll to it
    page.get_by_role("tab", name="Tools").click()
    press(page, "Next card")
    expect(page.locator(".mark")).to_have_count(2)
    hint = page.get_by_text("Press Reset, and the next run has it.")
    expect(hint).to_have_count(0)
    places = (
        "[...document.querySelectorAll('.pg-tabs, .cm-content, .buttons, .pg-trace')]"
    )
    where = f"{places}.map((each) => JSON.stringify(each.getBoundingClientRect()))"
    before = page.evaluate(where)
    page.get_by_role("textbox", name="tools.py").press("Control+End")
    page.keyboard.type("# so")
    expect(hint).to_be_visible()
    assert page.evaluate(where) == before
    press(page, "Reset")
    expect(hint).to_have_count(0)
    expect(sentence(page)).to_have_text(FIRST)
    assert tools_sent(page)[-1].endswith("# so")


def test_a_run_takes_the_rounds_that_were_set_and_begins_with_no_others(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    choose(page, "never_satisfied")
    rounds = page.get_by_label("Most rounds")
    notice = page.locator("[data-notice=trouble]")
    for wrong in ("0", "2001", "2.5", ""):
        rounds.fill(wrong)
        said = page.get_by_role("alert")
        expect(said).to_contain_text("takes a whole number from 1 to 2000.")
        press(page, "Next card")
        expect(notice).to_have_text(said.inner_text())
        expect(page.locator(".mark")).to_have_count(1)
    rounds.fill("2")
    expect(page.get_by_role("alert")).to_have_count(0)
    run_to_end(page, "run over: step limit | folder has 6 messages")
    expect(notice).to_have_count(0)


def test_another_tab_is_heard_of_and_a_full_storage_said(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    first = page.get_by_label("Scenario").input_value()
    kept = json.dumps({"texts": {"question": "Oslo?"}, "from": {"question": "?"}})
    page.evaluate(
        """([names, kept]) => names.forEach((name) => {
          const key = `mingraph-lite edits of ${name}`;
          localStorage.setItem(key, kept);
          dispatchEvent(new StorageEvent('storage', {key}));
        })""",
        [[first, OTHER], kept],
    )
    expect(page.get_by_text("Another tab has edits of this too.")).to_be_visible()
    assert marked(page) == [OTHER]
    assert tabs(page)[0] == "Question"
    choose(page, OTHER)
    assert question(page).input_value() == "Oslo?"
    expect(page.get_by_text("has changed since you edited it")).to_be_visible()

    page.evaluate(
        """() => {
          window.setItem = Storage.prototype.setItem;
          Storage.prototype.setItem = () => {
            throw new DOMException('full', 'QuotaExceededError');
          };
        }"""
    )
    question(page).fill("Rome?")
    expect(page.get_by_text("Your browser has no room left")).to_be_visible()
    page.evaluate("() => { Storage.prototype.setItem = window.setItem; }")
    question(page).fill("Rome!")
    expect(page.get_by_text("Your browser has no room left")).to_have_count(0)
    page.evaluate("localStorage.clear()")
    wait_until(page, "localStorage.length === 0")


def test_enter_indents_as_the_code_there_does(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    replace_tools(page, "def tool():")
    editor = page.get_by_role("textbox", name="tools.py")
    editor.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.type("pass")
    expect(page.locator(".cm-line")).to_have_text(["def tool():", "    pass"])
