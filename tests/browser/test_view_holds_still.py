"""Nothing that is pressed moves while a run goes on, and the keyboard stays on it."""

from typing import Any

import pytest
from playwright.sync_api import Page

from mingraph_lite.views.frame_types import Frame
from tests.browser.desk import ALL, Mount, line, over, pressed, run, show, stop
from tests.browser.steps import long_run

MORE = [
    {"act": "again", "label": "Ask again on this folder", "title": "Go on", "can": 0},
    {"act": "restart", "label": "Restart Python", "title": "A fresh one", "can": 1},
]
PAGE = {"more": MORE, "speeds": ["slow", "normal", "fast"], "speed": "normal"}

BOXES = """() => Object.fromEntries(
  [".folder", ".aloud", ".place", ".line", ".slider", ".say", ".all", ".speed",
   ...document.querySelectorAll("#place :is(.buttons, .more) button")]
  .flatMap((each) => {
    const node = typeof each === "string" ? document.querySelector(each) : each;
    if (!node || !node.offsetParent || node.inert) return [];
    const { x, y, width, height } = node.getBoundingClientRect();
    const name = typeof each === "string" ? each : node.firstChild.textContent;
    return [[name === "Stop" ? "Play" : name, [x, y, width, height].join(" ")]];
  }))"""
"""Where everything stands that must not move; Stop stands where Play does."""


def uneven() -> list[Frame]:
    """A run of which each frame is of another length than the one before."""
    recorded = long_run(40)[:16]
    for at, frame in enumerate(recorded):
        frame["sentence"] += " and more" * (7 * at % 11)
        frame["because"] += " and so on" * (5 * at % 7)
    recorded[3]["lines"].append(line("user", "A long line. " * 80))
    return [*recorded, over("failed", None, "No " * 300)]


SIZES = [
    pytest.param(808, 900, id="1440"),
    pytest.param(751, 720, id="1280"),
    pytest.param(520, 480, id="1280 at 150 %"),
    pytest.param(366, 800, id="390"),
]


@pytest.mark.parametrize("size", ["", "large"])
@pytest.mark.parametrize("panels", [["folder", "card"], ALL])
@pytest.mark.parametrize(("wide", "high"), SIZES)
def test_everything_keeps_its_place_from_the_first_frame_to_the_last(
    mount: Mount, wide: int, high: int, panels: list[str], size: str
) -> None:
    page, recorded = mount(width=wide, height=high), uneven()
    page.evaluate("document.getElementById('outside').remove()")
    places: dict[str, set[str]] = {}
    for at in range(len(recorded)):
        more = [MORE[0] | {"can": at % 2}, MORE[1]]
        for busy, waiting in [(False, ""), (True, "waiting for the model, 4 s")]:
            state = PAGE | {"panels": panels, "size": size, "waiting": waiting}
            show(page, recorded[: at + 1], at, **state | {"more": more, "busy": busy})
            for name, box in page.evaluate(BOXES).items():
                places.setdefault(name, set()).add(box)
    assert {name: boxes for name, boxes in places.items() if len(boxes) > 1} == {}
    assert {*places} >= {".folder", ".place", ".line", ".slider", ".say", ".speed"}
    assert {*places} >= {"Next card", "Back", "Play", "Reset", "Restart Python"}
    assert page.evaluate("document.documentElement.scrollWidth") == wide


def test_a_still_mouse_over_next_steps_click_after_click(mount: Mount) -> None:
    page, recorded = mount(width=1280), uneven()
    page.evaluate("document.getElementById('outside').remove()")
    show(page, recorded[:1], 0, **PAGE)
    box = page.get_by_role("button", name="Next card").bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    heard = []
    for at in range(1, len(recorded)):
        page.mouse.down()
        page.mouse.up()
        show(page, recorded[:at], at - 1, **PAGE, busy=True)
        show(page, recorded[: at + 1], at, **PAGE)
        heard += pressed(page)
    assert heard == [["next"]] * (len(recorded) - 1)


def test_on_a_phone_folder_card_and_buttons_fit_into_one_screen(mount: Mount) -> None:
    page = mount(width=366, height=800)
    page.evaluate("document.getElementById('outside').remove()")
    show(page, run()[:2], 1, **PAGE)
    high = page.evaluate("document.querySelector('.desk').offsetHeight")
    hidden = page.eval_on_selector(".card", "c => c.scrollHeight - c.clientHeight")
    assert (high <= 626, hidden) == (True, 0)


def test_on_a_phone_the_buttons_stay_at_the_bottom_of_the_window(mount: Mount) -> None:
    page = mount(width=366, height=420)
    page.evaluate("document.getElementById('outside').remove()")
    show(page, run()[:2], 1, **PAGE)
    box = page.get_by_role("button", name="Next card").bounding_box()
    assert box
    assert 0 <= 420 - (box["y"] + box["height"]) <= 8


SMALL = """() => [...document.querySelectorAll(
  "#place :is(button, select, summary, .slider)")].filter((node) => {
    const { width, height } = node.getBoundingClientRect();
    const { pointerEvents, visibility } = getComputedStyle(node);
    const pressed = pointerEvents !== "none" && visibility === "visible";
    return pressed && node.offsetParent && (width < 44 || height < 44);
  }).map((node) => node.textContent || node.className)"""


@pytest.mark.parametrize("wide", [366, 900])
def test_a_finger_has_room_on_whatever_is_pressed(mount: Mount, wide: int) -> None:
    finger = {"has_touch": True, "is_mobile": True} if wide == 900 else {}
    page = mount(width=wide, height=800, **finger)
    show(page, run(), 1, **PAGE)
    assert page.evaluate(SMALL) == []
    assert page.locator("summary").count() == 1
    desk = page.locator(".desk")
    high = desk.bounding_box()
    show(page, long_run(60), 1, **PAGE)
    assert page.evaluate(SMALL) == []
    assert page.locator(".slider").is_visible()
    assert desk.bounding_box() == high


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.firstChild?.textContent ?? ''"))


@pytest.mark.parametrize("key", [" ", "Enter"])
def test_next_keeps_the_keyboard_through_a_whole_run(mount: Mount, key: str) -> None:
    page, recorded = mount(height=300), run()
    show(page, recorded[:1], 0, **PAGE)
    page.get_by_role("button", name="Next card").focus()
    page.evaluate("scrollTo(0, 60)")
    seen: list[Any] = []
    for at in range(1, len(recorded)):
        page.keyboard.press(key)
        seen += [pressed(page), focused(page)]
        show(page, recorded[:at], at - 1, **PAGE, busy=True)
        page.keyboard.press(key)  # in its impatience
        seen += [pressed(page), focused(page)]
        show(page, recorded[: at + 1], at, **PAGE, canNext=at < 6)
    page.keyboard.press(key)
    assert seen == [[["next"]], "Next card", [], "Next card"] * 6
    assert (pressed(page), focused(page)) == ([], "Next card")
    assert page.evaluate("scrollY") == 60


def test_what_may_not_be_pressed_does_nothing_and_can_be_reached(mount: Mount) -> None:
    page = mount()
    show(page, [], canNext=False, **PAGE)
    for name in ["Next card", "Back", "Play", "Reset", "Ask again on this folder"]:
        button = page.get_by_role("button", name=name)
        assert button.get_attribute("aria-disabled") == "true"
        button.focus()
        page.keyboard.press("Enter")
        button.dispatch_event("click")
        assert focused(page) == name
    assert pressed(page) == []


def test_the_keyboard_goes_from_play_to_stop_and_back(mount: Mount) -> None:
    page = mount()
    seen = []
    show(page, run()[:2], 1)
    page.get_by_role("button", name="Play").focus()
    for busy in [False, True, False]:
        show(page, run()[:2], 1, busy=busy)
        seen.append(focused(page))
    assert seen == ["Play", "Stop", "Play"]


def test_a_mark_that_reset_takes_away_leaves_the_keyboard_in_the_desk(
    mount: Mount,
) -> None:
    page = mount()
    show(page, run(), 3)
    page.focus(".mark[aria-current]")
    show(page, [], 0)
    assert page.evaluate("document.activeElement.className") == "desk"


def test_more_buttons_speeds_and_waiting_are_shown_where_the_page_gives_them(
    mount: Mount,
) -> None:
    page = mount()
    show(page, run()[:2], 1, **PAGE, waiting="waiting for the model, 4 s")
    assert page.inner_text(".say") == "waiting for the model, 4 s"
    spoken = page.inner_text("[role=status]")
    page.evaluate("view.update({ waiting: 'waiting for the model, 5 s' })")
    assert page.inner_text("[role=status]") == spoken
    page.get_by_role("button", name="Restart Python").click()
    page.get_by_role("combobox", name="Speed of Play").select_option("fast")
    assert pressed(page) == [["restart"], ["speed", 2]]
    page.evaluate("view.update({ waiting: '' })")
    assert page.inner_text(".say") == run()[1]["sentence"]


def test_in_a_notebook_none_of_them_is_shown(mount: Mount) -> None:
    page = mount()
    show(page, run()[:2], 1, **PAGE, waiting="waiting", controls=False)
    shown = page.locator("#place :is(.buttons, .more, .speed, .slider):visible")
    assert (shown.count(), page.inner_text(".say")) == (0, run()[1]["sentence"])


def test_what_was_scrolled_to_stays_while_the_page_only_waits(mount: Mount) -> None:
    page = mount()
    recorded = [stop("calling", *(line("user", f"Line {n}.") for n in range(60)))]
    show(page, recorded, 0, **PAGE)
    page.eval_on_selector(".folder", "box => (box.scrollTop = 0)")
    show(page, recorded, 0, **PAGE, busy=True, waiting="waiting, 1 s")
    assert page.eval_on_selector(".folder", "box => box.scrollTop") == 0
