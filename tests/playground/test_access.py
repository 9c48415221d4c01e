"""The page with a screen reader and without a mouse."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.playground.conftest import PLAYGROUND, Models, OpenPage
from tests.playground.reading import press, run_to_end, wait_until_ready

AXE = PLAYGROUND / "node_modules" / "axe-core" / "axe.min.js"


# Colours that are on their way to others are neither.
SETTLED = """() => Promise.allSettled(
  document.getAnimations().map((each) => each.finished))"""


def violations(page: Page, *without: str) -> list[tuple[str, list[Any]]]:
    """Ask axe for what keeps somebody out, with the elements that do."""
    # The page's own policy forbids strange scripts; the test's world is beside it.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    page.evaluate(SETTLED)
    found = page.evaluate(
        "(rules) => axe.run({rules})", {name: {"enabled": False} for name in without}
    )["violations"]
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]


SCHEMES = ["light", "dark"]


def test_axe_finds_nothing_serious_while_python_loads(
    fresh_page: OpenPage, plain: str
) -> None:
    held: list[Route] = []

    def hold(page: Page) -> None:
        page.route("**/pyodide.asm.wasm", lambda route: held.append(route))

    page = fresh_page(plain, before=hold)
    expect(page.get_by_role("progressbar")).to_be_visible()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert violations(page) == [], scheme


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_serious(
    open_page: OpenPage, plain: str, models: Models, scheme: str
) -> None:
    models.add("http://127.0.0.1:9")
    page = open_page(plain)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    press(page, "Next card")
    page.get_by_role("tab", name="Tools").click()
    assert violations(page) == []
    run_to_end(page, "run over: answered | folder has 9 messages")
    page.get_by_role("tab", name="Script").click()
    page.get_by_role("tab", name="Frame").click()
    assert violations(page) == []
    press(page, "Connect a model…")
    page.get_by_label("Base URL").fill("127.0.0.1:9/v1")
    press(page, "Connect")
    expect(page.locator("dialog .pg-causes")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("state", ["help", "large", "fault", "phone", "chosen colours"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_serious_in(
    open_page: OpenPage, plain: str, scheme: str, state: str
) -> None:
    page = open_page(plain)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if state == "help":
        press(page, "Help")
        expect(page.get_by_role("dialog")).to_be_visible()
    if state == "large":
        press(page, "Large text")
    if state == "fault":
        page.get_by_label("Scenario").select_option("refusal")
        expect(page.locator(".mark")).to_have_count(1)
        press(page, "Next card")
    if state == "phone":
        page.set_viewport_size({"width": 390, "height": 844})
    if state == "chosen colours":
        page.emulate_media(forced_colors="active")
    # Where the reader has chosen the colours, axe goes on reading those of the sheets.
    found = violations(page, *["color-contrast"] * (state == "chosen colours"))
    page.emulate_media(forced_colors="none")
    if state == "large":
        press(page, "Large text")
    assert found == []


SMALL = """() => [...document.querySelectorAll(
  '.pg-header :is(button, select), [role=tab], .desk .buttons > *, .desk .more button,'
  + '.pg-made :is(input[type=number], textarea)')]
  .filter((each) => each.checkVisibility())
  .filter((each) => Math.min(each.offsetWidth, each.offsetHeight) < 44)
  .map((each) => each.textContent || each.ariaLabel)"""


@pytest.mark.parametrize("width", [360, 390])
def test_a_finger_finds_room_on_a_phone(
    open_page: OpenPage, plain: str, width: int
) -> None:
    page = open_page(plain)
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate(SMALL) == []


def test_tabs_take_the_arrow_keys_and_the_editor_is_no_trap(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    wait_until_ready(page)
    page.get_by_role("tab", name="Question").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Tools")).to_be_focused()
    editor = page.get_by_role("textbox", name="tools.py")
    editor.focus()
    page.keyboard.press("ArrowRight")  # moves the cursor, and no card
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    expect(page.locator(".mark")).to_have_count(1)


def test_the_colours_follow_the_system_until_the_reader_chooses(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain, color_scheme="dark")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    press(page, "Use light colours")
    expect(root).to_have_attribute("data-theme", "light")
