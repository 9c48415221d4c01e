"""A scripted run on the page, card by card and to its end."""

from playwright.sync_api import expect

from tests.playground.conftest import OpenPage
from tests.playground.reading import (
    FIRST,
    card,
    folder,
    press,
    replace_tools,
    run_to_end,
    sentence,
    wait_for_end,
    wait_until_idle,
    wait_until_ready,
)

SYSTEM = "system Use the tools. Never do the arithmetic yourself."
QUESTION = "user What's the temperature in Paris and in Tokyo, in Fahrenheit?"
WEATHER = 'model #1 get_weather(city="Paris") #2 get_weather(city="Tokyo")'
CONVERT = "model #3 to_fahrenheit(celsius=18) #4 to_fahrenheit(celsius=24)"
UNKNOWN = "\N{EN DASH}"
ANSWER = "model Paris: 64°F, Tokyo: 75°F"

STOPS = [
    ("CallingModel", FIRST, [SYSTEM, QUESTION]),
    ("RunningTools", "holding: RunningTools | folder has 3 messages", [WEATHER]),
    (
        "CallingModel",
        "holding: CallingModel | folder has 5 messages",
        ["tool #1 18", "tool #2 24"],
    ),
    ("RunningTools", "holding: RunningTools | folder has 6 messages", [CONVERT]),
    (
        "CallingModel",
        "holding: CallingModel | folder has 8 messages",
        ["tool #3 64", "tool #4 75"],
    ),
    ("Finished", "holding: Finished | folder has 9 messages", [ANSWER]),
    ("Nothing in hand", "run over: answered | folder has 9 messages", []),
]


def test_a_run_goes_card_by_card_with_the_button_and_with_the_key(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)  # at the first scenario, which chosen again begins anew
    expect(page.get_by_label("Scenario")).to_have_value("paris_and_tokyo")
    expected: list[str] = []
    for number, (name, words, added) in enumerate(STOPS):
        if number == 1:
            press(page, "Next card")
        elif number > 1:  # the button that was pressed has the focus
            page.keyboard.press("ArrowRight")
        expect(sentence(page)).to_have_text(words)
        expected += added
        assert (card(page), folder(page)) == (name, expected)

    page.keyboard.press("ArrowLeft")
    expect(sentence(page)).to_have_text(STOPS[-2][1])
    page.keyboard.press("Home")
    expect(sentence(page)).to_have_text(FIRST)
    assert folder(page) == [SYSTEM, QUESTION]


def test_play_runs_to_the_end_and_reset_begins_anew(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    press(page, "Play")
    wait_for_end(page, STOPS[-1][1])
    rows = page.locator(".pg-trace tbody tr").all_inner_texts()
    assert rows[0].split("\t") == ["0", "run_start", QUESTION[5:], UNKNOWN, UNKNOWN]
    assert rows[-1].split("\t") == ["3", "finish", "answered", UNKNOWN, UNKNOWN]
    assert not page.get_by_role("button", name="Next card").is_enabled()

    press(page, "Reset")
    expect(sentence(page)).to_have_text(FIRST)
    assert folder(page) == [SYSTEM, QUESTION]


def test_edited_tools_and_texts_are_what_runs(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.get_by_label("Scenario").select_option("paris_and_tokyo")
    wait_until_idle(page)
    page.get_by_role("textbox", name="Question").fill("Paris and Tokyo?")
    code = (
        "WARM = '30'\n\n"
        "def get_weather(city: str) -> str:\n"
        '    """Always the same."""\n'
        "    return WARM\n\n"
        "def to_fahrenheit(celsius: float) -> int:\n"
        '    """Convert."""\n'
        "    return round(celsius * 9 / 5 + 32)\n"
    )
    replace_tools(page, code)
    expect(page.get_by_role("tab", name="Tools")).to_have_text("Tools edited")
    run_to_end(page, STOPS[-1][1])
    assert folder(page) == [
        *(SYSTEM, "user Paris and Tokyo?", WEATHER, "tool #1 30", "tool #2 30"),
        *(CONVERT, "tool #3 64", "tool #4 75", ANSWER),
    ]

    press(page, "Take back all edits")
    expect(page.get_by_role("tab", name="Tools")).to_have_text("Tools")


def test_a_fault_of_the_deck_is_picked_and_ends_as_it_should(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.get_by_label("Scenario").select_option("html_page")
    run_to_end(page, "run over: failed | folder has 2 messages")
    assert folder(page) == [SYSTEM, QUESTION]
    expect(page.locator(".card")).to_contain_text("ModelError")


def test_a_mistake_in_the_tools_is_named_with_its_line(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    replace_tools(page, "def get_weather(city: str) -> str:\n    return (\n")
    press(page, "Next card")
    expect(page.locator("[data-notice=trouble]")).to_have_text(
        "tools.py, line 2: '(' was never closed: return ("
    )


def test_a_telephone_shows_the_whole_width(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.set_viewport_size({"width": 390, "height": 800})
    run_to_end(page, STOPS[-1][1])
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == 390
    for tab in ("Tools", "Script", "Question", "Frame"):
        page.get_by_role("tab", name=tab).click()
        assert page.evaluate(width) == 390, tab
    press(page, "Connect a model…")
    assert page.evaluate(width) == 390
