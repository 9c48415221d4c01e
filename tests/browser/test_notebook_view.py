"""The folder and the card in JupyterLab, as a learner uses them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.browser.jupyterlab import jupyterlab
from tests.browsers import LAUNCH_ARGS, find_chromium
from tests.notebooks.fixed_environment import ROOT

LESSON = ROOT / "notebooks" / "04_cards.ipynb"
CELLS = """[...document.querySelectorAll(".jp-Cell")]
  .map((cell) => [cell.dataset.windowedListIndex,
                  cell.classList.contains("jp-mod-active")])"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    with jupyterlab(tmp_path, LESSON) as address:
        yield address


@pytest.fixture
def page(lab: str) -> Iterator[Page]:
    """The lesson in a browser, its kernel ready; it may ask the server only."""
    asked: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        page = chromium.new_page(viewport={"width": 1200, "height": 800})
        page.set_default_timeout(90_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda opened: asked.append(opened.url))
        page.goto(lab + "lab/tree/" + LESSON.name)
        # A click on Run that comes before the kernel is idle does nothing.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        yield page
        chromium.close()
    here = (lab, lab.replace("http", "ws"), "data:", "blob:")
    assert [url for url in asked if not url.startswith(here)] == []


def run_all(page: Page) -> Locator:
    """Run the lesson, and give its first picture: that of the cards made by hand."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    picture = page.locator(".mingraph").first
    picture.locator(".desk").scroll_into_view_if_needed()
    return picture


def box(button: Locator) -> object:
    """Where a button stands on the desk's page, however far that is scrolled."""
    return button.evaluate(
        "(b) => [b.offsetLeft, b.offsetTop, b.offsetWidth, b.offsetHeight]"
    )


def stored_text() -> str:
    """What the lesson's file keeps of its view: text, for readers without a kernel."""
    cells = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
    texts = [
        "".join(output["data"]["text/plain"])
        for cell in cells
        for output in cell.get("outputs", [])
        if "text/plain" in output.get("data", {})
    ]
    return next(text for text in texts if text.startswith("FolderAndCard("))


def test_a_learner_steps_through_a_run_in_a_notebook(page: Page) -> None:
    expect.set_options(timeout=30_000)
    expect(page.get_by_text(stored_text())).to_be_attached()

    picture = run_all(page)
    said = picture.locator(".say")
    picture.get_by_role("button", name="Reset").click()
    expect(said).to_have_text("holding: Waiting | folder has 1 message")

    picture.get_by_role("button", name="Next card").click()
    expect(said).to_have_text("holding: Errands | folder has 2 messages")
    expect(picture.locator(".card .name")).to_have_text("Errands")

    picture.locator(".desk").focus()
    before = page.evaluate(CELLS)
    for key, sentence in [
        ("ArrowRight", "holding: Waiting | folder has 4 messages"),
        ("ArrowRight", "holding: Errands | folder has 5 messages"),
        ("ArrowLeft", "holding: Waiting | folder has 4 messages"),
        ("Home", "holding: Waiting | folder has 1 message"),
        ("End", "holding: Errands | folder has 5 messages"),
    ]:
        page.keyboard.press(key)
        expect(said).to_have_text(sentence)
    # In command mode these would move on, add a cell, and delete one.
    for key in ["ArrowUp", "ArrowDown", "j", "k", "a", "b", "d", "d"]:
        page.keyboard.press(key)
    assert page.evaluate(CELLS) == before

    picture.get_by_role("button", name="Play").click()
    expect(said).to_have_text("run over: answered | folder has 8 messages")
    slider = picture.get_by_role("slider", name="Look back")
    expect(slider).to_have_attribute("aria-valuetext", "6")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("holding: HungUp | folder has 8 messages")
    expect(picture.locator(".mark[aria-current]")).to_have_text("HungUp")

    picture.get_by_role("button", name="Reset").click()
    expect(said).to_have_text("holding: Waiting | folder has 1 message")
    expect(picture.locator(".mark")).to_have_text(["Waiting"])


def test_a_double_click_runs_one_card_and_the_keyboard_stays_where_it_was(
    page: Page,
) -> None:
    expect.set_options(timeout=30_000)
    picture = run_all(page)
    marks = picture.locator(".mark")
    picture.get_by_role("button", name="Reset").click()
    expect(marks).to_have_text(["Waiting"])
    buttons = picture.locator(".buttons button:visible")
    assert buttons.evaluate_all("all => all.map((b) => [b.innerText, b.title])") == [
        ["Next card", "Run the card in the hand"],
        ["Back", "Look at the card before"],
        ["Play", "Run card after card to the end"],
        ["Reset", "Begin a fresh run"],
    ]
    places = [box(button) for button in buttons.all()]

    picture.get_by_role("button", name="Next card").dblclick()
    expect(marks).to_have_text(["Waiting", "Errands"])
    # Had the second click run a card, there would be one more now.
    picture.get_by_role("button", name="Next card").click()
    expect(marks).to_have_text(["Waiting", "Errands", "Waiting"])

    expect(picture.get_by_role("button", name="Next card")).to_be_focused()
    page.keyboard.press("Space")
    expect(marks).to_have_text(["Waiting", "Errands", "Waiting", "Errands"])
    assert [box(button) for button in buttons.all()] == places

    picture.get_by_role("button", name="Play").click()
    expect(marks.last).to_have_text("over")
    # It can be pressed no more, and the arrows go on working.
    expect(picture.get_by_role("button", name="Play")).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    expect(picture.locator(".mark[aria-current]")).to_have_text("HungUp")
