"""A run on the page, card by card and to its end."""

from playwright.sync_api import Page, expect

from tests.playground.conftest import OpenPage
from tests.playground.reading import (
    FIRST,
    card,
    folder,
    play_fast,
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
# The reading model shows its working, a script says the line that it has.
ANSWER = "model Paris: 18 = 64°F, Tokyo: 24 = 75°F"
SCRIPT = "paris_and_tokyo"
SCRIPTED = "model Paris: 64°F, Tokyo: 75°F"

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
    ("Run over", "run over: answered | folder has 9 messages", []),
]
END = STOPS[-1][1]


COLDER = '''\
COLD = "-3"


def get_weather(city: str) -> str:
    """Always the same."""
    return COLD


def to_fahrenheit(celsius: float) -> int:
    """Convert."""
    return round(celsius * 9 / 5 + 32)
'''


def choose(page: Page, scenario: str) -> None:
    """Pick a scenario, and wait until its run is held."""
    page.get_by_label("Scenario").select_option(scenario)
    wait_until_idle(page)
    expect(sentence(page)).to_have_text(FIRST)


def test_a_run_goes_card_by_card_with_the_button_and_with_the_key(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)  # at the first scenario, which chosen again begins anew
    expect(page.get_by_label("Scenario")).to_have_value("reading")
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
    play_fast(page)
    wait_for_end(page, END)
    trace = page.get_by_role("region", name="Trace")
    end = ["3", "finish", "answered", UNKNOWN, UNKNOWN]
    assert trace.locator("tbody tr").last.inner_text().split("\t") == end
    trace.press("Home")  # only the rows around those in sight are drawn
    first = trace.locator("[data-row='0']")
    expect(first).to_be_attached()
    start = ["0", "run_start", QUESTION[5:], UNKNOWN, UNKNOWN]
    assert first.inner_text().split("\t") == start
    assert not page.get_by_role("button", name="Next card").is_enabled()

    press(page, "Reset")
    expect(sentence(page)).to_have_text(FIRST)
    assert folder(page) == [SYSTEM, QUESTION]


def test_a_script_says_its_lines_whatever_it_is_asked_and_told(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    choose(page, SCRIPT)
    page.get_by_role("textbox", name="Question").fill("Who is there?")
    replace_tools(page, COLDER)
    run_to_end(page, END)
    assert folder(page) == [
        *(SYSTEM, "user Who is there?", WEATHER, "tool #1 -3", "tool #2 -3"),
        *(CONVERT, "tool #3 64", "tool #4 75", SCRIPTED),
    ]


def test_edited_tools_and_texts_are_what_runs(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    asked = "What's the temperature in Paris, in Fahrenheit?"
    page.get_by_role("textbox", name="Question").fill(asked)
    page.get_by_role("textbox", name="System prompt").fill("Be brief.")
    replace_tools(page, COLDER)
    expect(page.get_by_role("tab", name="Tools")).to_have_text("Tools edited")
    run_to_end(page, "run over: answered | folder has 7 messages")
    assert folder(page) == [
        *("system Be brief.", f"user {asked}"),
        *('model #1 get_weather(city="Paris")', "tool #1 -3"),
        *("model #2 to_fahrenheit(celsius=-3)", "tool #2 27"),
        "model Paris: -3 = 27°F",
    ]

    press(page, "Take back all edits")
    expect(page.get_by_role("tab", name="Tools")).to_have_text("Tools")


def test_a_fault_of_the_deck_is_picked_and_ends_as_it_should(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    choose(page, "html_page")
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
    run_to_end(page, END)
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == 390
    for tab in ("Tools", "Script", "Question", "Frame"):
        page.get_by_role("tab", name=tab).click()
        assert page.evaluate(width) == 390, tab
    press(page, "Connect a model…")
    assert page.evaluate(width) == 390
