"""The folder and the card in JupyterLab, as a learner uses them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    BrowserContext,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.browser.jupyterlab import jupyterlab
from tests.browsers import LAUNCH_ARGS, find_chromium

CODE = """\
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.views.frames import frames
from mingraph_lite.views.widgets import FolderAndCard

FolderAndCard(lambda: frames(paris_and_tokyo.agent(), paris_and_tokyo.question))"""
STORED = (
    "FolderAndCard(card 1 of 1 so far: holding: CallingModel | folder has 2 messages)"
)
CELLS = """[...document.querySelectorAll(".jp-Cell")]
  .map((cell) => [cell.dataset.windowedListIndex,
                  cell.classList.contains("jp-mod-active")])"""


def cell(kind: str, text: str, **more: object) -> dict[str, object]:
    return {"id": kind, "cell_type": kind, "metadata": {}, "source": text, **more}


def lesson(folder: Path) -> Path:
    """A notebook with one picture, which keeps its text as a lesson does."""
    kept = {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {"text/plain": STORED},
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": kernel},
        "cells": [
            cell("markdown", "A picture:"),
            cell("code", CODE, execution_count=1, outputs=[kept]),
            cell("raw", "And on."),
        ],
    }
    path = folder / "picture.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def lab(root: Path) -> Iterator[str]:
    with jupyterlab(root, lesson(root)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    """One for all: what JupyterLab is made of is fetched once."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        yield chromium.new_context(viewport={"width": 1280, "height": 720})
        chromium.close()


@pytest.fixture
def page(
    lab: str, root: Path, browser: BrowserContext, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A lesson of the test's own, its kernel ready; it may ask the server only."""
    own = str(request.node.name)
    (root / "lessons" / own).mkdir()
    lesson(root / "lessons" / own)
    asked: list[str] = []
    page = browser.new_page()
    page.set_default_timeout(90_000)
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda opened: asked.append(opened.url))
    # In a workspace of its own, or the notebooks of other tests are opened beside it.
    page.goto(f"{lab}lab/workspaces/{own}/tree/{own}/picture.ipynb")
    # A click on Run that comes before the kernel is idle does nothing.
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    yield page
    page.close()
    here = (lab, lab.replace("http", "ws"), "data:", "blob:")
    assert [url for url in asked if not url.startswith(here)] == []


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.locator(".mingraph .desk").scroll_into_view_if_needed()


def box(button: Locator) -> object:
    """Where a button stands on the desk's page, however far that is scrolled."""
    return button.evaluate(
        "(b) => [b.offsetLeft, b.offsetTop, b.offsetWidth, b.offsetHeight]"
    )


def test_a_learner_steps_through_a_run_in_a_notebook(page: Page) -> None:
    expect.set_options(timeout=30_000)
    said = page.locator(".mingraph .say")
    expect(page.get_by_text(STORED)).to_be_attached()

    run_all(page)
    page.get_by_role("button", name="Reset").click()
    expect(said).to_have_text("holding: CallingModel | folder has 2 messages")

    page.get_by_role("button", name="Next card").click()
    expect(said).to_have_text("holding: RunningTools | folder has 3 messages")
    expect(page.locator(".mingraph .card .name")).to_have_text("RunningTools")

    page.locator(".mingraph .desk").focus()
    before = page.evaluate(CELLS)
    for key, sentence in [
        ("ArrowRight", "holding: CallingModel | folder has 5 messages"),
        ("ArrowRight", "holding: RunningTools | folder has 6 messages"),
        ("ArrowLeft", "holding: CallingModel | folder has 5 messages"),
        ("Home", "holding: CallingModel | folder has 2 messages"),
        ("End", "holding: RunningTools | folder has 6 messages"),
    ]:
        page.keyboard.press(key)
        expect(said).to_have_text(sentence)
    # In command mode these would move on, add a cell, and delete one.
    for key in ["ArrowUp", "ArrowDown", "j", "k", "a", "b", "d", "d"]:
        page.keyboard.press(key)
    assert page.evaluate(CELLS) == before

    page.get_by_role("button", name="Play").click()
    expect(said).to_have_text("run over: answered | folder has 9 messages")
    slider = page.get_by_role("slider", name="Look back")
    expect(slider).to_have_attribute("aria-valuetext", "6")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_have_text("holding: Finished | folder has 9 messages")
    expect(page.locator(".mingraph .mark[aria-current]")).to_have_text("finished")

    page.get_by_role("button", name="Reset").click()
    expect(said).to_have_text("holding: CallingModel | folder has 2 messages")
    expect(page.locator(".mingraph .mark")).to_have_text(["call"])


def test_a_double_click_runs_one_card_and_the_keyboard_stays_where_it_was(
    page: Page,
) -> None:
    expect.set_options(timeout=30_000)
    marks = page.locator(".mingraph .mark")
    run_all(page)
    page.get_by_role("button", name="Reset").click()
    expect(marks).to_have_text(["call"])
    buttons = page.locator(".mingraph .buttons button:visible")
    assert buttons.evaluate_all("all => all.map((b) => [b.innerText, b.title])") == [
        ["Next card", "Go one step on (→)"],
        ["Back", "Look one step back (←)"],
        ["Play", "Go on to the end"],
        ["Reset", "Begin a fresh run"],
    ]
    places = [box(button) for button in buttons.all()]

    page.get_by_role("button", name="Next card").dblclick()
    expect(marks).to_have_text(["call", "tools"])
    # Had the second click run a card, there would be one more now.
    page.get_by_role("button", name="Next card").click()
    expect(marks).to_have_text(["call", "tools", "call"])

    expect(page.get_by_role("button", name="Next card")).to_be_focused()
    page.keyboard.press("Space")
    expect(marks).to_have_text(["call", "tools", "call", "tools"])
    assert [box(button) for button in buttons.all()] == places

    page.get_by_role("button", name="Play").click()
    expect(marks.last).to_have_text("over")
    # It can be pressed no more, keeps the keyboard, and the arrows go on working.
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_disabled()
    current = page.locator(".mingraph .mark[aria-current]")
    before = page.evaluate(CELLS)
    for key, word in [
        ("ArrowLeft", "finished"),
        ("ArrowLeft", "call"),
        ("ArrowRight", "finished"),
    ]:
        page.keyboard.press(key)
        expect(current).to_have_text(word)
        expect(play).to_be_focused()
    assert page.evaluate(CELLS) == before


def test_the_whole_picture_fits_and_the_mouse_can_stay_on_next_card(
    page: Page,
) -> None:
    expect.set_options(timeout=30_000)
    marks = page.locator(".mingraph .mark")
    run_all(page)
    page.get_by_role("button", name="Reset").click()
    expect(marks).to_have_count(1)
    next_card = page.get_by_role("button", name="Next card")
    page.locator(".mingraph .desk").evaluate("desk => desk.scrollIntoView()")
    place = next_card.bounding_box()
    assert place is not None
    desk = page.locator(".mingraph .desk").bounding_box()
    assert desk is not None
    panel = page.locator(".jp-WindowedPanel-outer").bounding_box()
    assert panel is not None
    assert desk["y"] >= panel["y"] - 1
    assert place["y"] + place["height"] <= panel["y"] + panel["height"]

    page.mouse.move(place["x"] + 20, place["y"] + 10)
    seen = [place]
    for count in range(2, 8):
        page.mouse.down()
        page.mouse.up()
        expect(marks).to_have_count(count)
        seen.append(next_card.bounding_box())
    assert seen == [place] * 7
