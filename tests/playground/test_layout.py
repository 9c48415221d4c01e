"""The page holds still: under a mouse, while it loads, and from card to card."""

import pytest
from playwright.sync_api import Page, expect

from tests.playground.conftest import OpenPage
from tests.playground.reading import press, sentence, wait_until_ready

SIZES = {
    "a laptop": {"width": 1440, "height": 900},
    "a small laptop": {"width": 1280, "height": 720},
    "150 % zoom": {"width": 960, "height": 600},
    "a phone": {"width": 390, "height": 844},
    "a small phone": {"width": 360, "height": 740},
}

# What must never move, and what stands above it.
PLACES = """() => Object.fromEntries(
  ['.pg-header', '.pg-header > *', '.pg-icons > *', '.pg-brief', '.desk', '.panels',
   '.panels > *', '.folder', '.place', '.controls', '.buttons > *']
    .map((name) => [name, [...document.querySelectorAll(name)]
      .filter((each) => !each.matches('.pg-progress'))
      .map((each) => each.getBoundingClientRect())
      .map(({x, y, width, height}) => [x, y, width, height].map(Math.round))]))"""

SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value;
  });
  observer.observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done(sum), 300);
})"""

OVERFLOWING = """() => [...document.querySelectorAll('.pg-brief, .pg-what')]
  .filter((each) => each.scrollHeight > each.clientHeight)
  .map((each) => each.innerText)"""


def places(page: Page) -> dict[str, list[list[int]]]:
    """Where everything is that a reader aims at."""
    found: dict[str, list[list[int]]] = page.evaluate(PLACES)
    return found


def still_mouse(page: Page) -> None:
    """Put the mouse on Next card, and leave it there."""
    box = page.get_by_role("button", name="Next card").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def click_to_the_end(page: Page) -> list[dict[str, list[list[int]]]]:
    """Click where the mouse is until the run is over; gives where all was meanwhile."""
    seen = []
    marks = page.locator(".mark")
    for turned in range(1, 60):
        if marks.last.inner_text() == "over":
            return seen
        page.mouse.down()
        page.mouse.up()
        expect(marks).to_have_count(turned + 1)
        seen.append(places(page))
    raise AssertionError("60 clicks, and the run is not over")


@pytest.mark.parametrize("size", SIZES)
def test_click_after_click_steps_with_a_still_mouse(
    open_page: OpenPage, plain: str, size: str
) -> None:
    page = open_page(plain)
    page.set_viewport_size(SIZES[size])
    before = places(page)
    still_mouse(page)
    seen = click_to_the_end(page)
    assert [place for place in seen if place != before] == []


def test_a_fault_with_a_long_ending_moves_nothing_either(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    before = places(page)
    page.get_by_label("Scenario").select_option("refusal")
    expect(page.locator(".mark")).to_have_count(1)
    still_mouse(page)
    seen = click_to_the_end(page)
    assert [place for place in seen if place != before] == []


def test_a_notice_comes_below_the_desk(open_page: OpenPage, plain: str) -> None:
    page = open_page(plain)
    before = places(page)
    press(page, "Play")
    press(page, "Stop")
    notice = page.locator("[data-notice]")
    expect(notice).to_be_visible()
    below, desk = notice.bounding_box(), page.locator(".desk").bounding_box()
    assert below
    assert desk
    assert below["y"] >= desk["y"] + desk["height"]
    after = places(page)
    assert {name: after[name] for name in after if after[name] != before[name]} == {}


@pytest.mark.parametrize("size", SIZES)
def test_it_holds_still_while_it_loads(
    fresh_page: OpenPage, plain: str, size: str
) -> None:
    page = fresh_page(plain, viewport=SIZES[size])
    expect(page.locator(".desk")).to_be_visible()
    before = places(page)
    wait_until_ready(page)
    assert places(page) == before
    still_mouse(page)
    click_to_the_end(page)
    assert page.evaluate(SHIFTS) < 0.1


@pytest.mark.parametrize("large", ["", "?size=large"])
@pytest.mark.parametrize("size", SIZES)
def test_each_sentence_above_the_desk_has_room(
    open_page: OpenPage, plain: str, size: str, large: str
) -> None:
    page = open_page(plain)
    page.set_viewport_size(SIZES[size])
    if large:
        press(page, "Large text")
    desk = page.locator(".desk").bounding_box()
    menu = page.get_by_label("Scenario")
    names = [
        each.get_attribute("value") for each in menu.locator("option").element_handles()
    ]
    assert len(names) > 20
    for name in names:
        menu.select_option(name)
        expect(sentence(page)).to_contain_text("holding: ")
        assert (name, page.evaluate(OVERFLOWING)) == (name, [])
    assert page.locator(".desk").bounding_box() == desk
    if large:
        press(page, "Large text")


@pytest.mark.parametrize("size", ["a phone", "a small phone"])
def test_on_a_phone_the_desk_comes_first_with_card_and_buttons_in_sight(
    open_page: OpenPage, plain: str, size: str
) -> None:
    page = open_page(plain)
    page.set_viewport_size(SIZES[size])

    def end(selector: str) -> float:
        box = page.locator(selector).first.bounding_box()
        assert box
        return box["y"] + box["height"]

    assert end(".pg-header") <= 102
    assert end(".card") <= SIZES[size]["height"]
    assert end(".buttons") <= SIZES[size]["height"]
    order = [end(each) for each in (".pg-header", ".pg-brief", ".card", ".desk")]
    made, data = end(".pg-made"), end(".pg-below")
    assert order == sorted(order)
    assert order[-1] < made < data
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == SIZES[size]["width"]


def test_on_a_wide_screen_what_the_run_is_made_of_stands_to_the_left(
    open_page: OpenPage, plain: str
) -> None:
    page = open_page(plain)
    made, desk, data = (
        page.locator(each).bounding_box() for each in (".pg-made", ".desk", ".pg-below")
    )
    assert made
    assert desk
    assert data
    assert made["x"] + made["width"] < desk["x"] == data["x"]
    assert data["y"] >= desk["y"] + desk["height"]


def test_a_projector_gets_large_type_from_the_address_and_by_a_press(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(f"{plain}?size=large")
    size = "getComputedStyle(document.querySelector('.pg-brief .pg-what')).fontSize"
    assert page.evaluate(size) == "18px"
    press(page, "Large text")
    assert page.evaluate(size) == "14px"
    page.reload()
    expect(page.get_by_role("button", name="Large text")).to_be_visible()
    assert page.evaluate(size) == "14px"
