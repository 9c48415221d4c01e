"""Long runs and long texts: what is on the page does not grow with them."""

from typing import Any

import pytest
from playwright.sync_api import Page

from mingraph_lite.views.frame_types import Frame
from tests.browser.desk import (
    ALL,
    Mount,
    folder,
    line,
    long_folder,
    over,
    pressed,
    run,
    show,
    stop,
)
from tests.browser.steps import long_run, step_times

NODES = "document.querySelectorAll('#place *').length"


@pytest.fixture(scope="module")
def recorded() -> list[Frame]:
    return long_run(700)


def test_beyond_200_lines_the_page_does_not_grow(
    mount: Mount, recorded: list[Frame]
) -> None:
    page = mount()
    counts = set()
    for at in [500, 502, 640, 300, 690]:
        show(page, recorded[: at + 1], at, panels=ALL)
        lines = page.locator("#place .folder li").count()
        counts.add((lines, page.locator(".aloud li").count(), page.evaluate(NODES)))
    assert len(counts) == 1
    assert next(iter(counts))[:2] == (200, 200)


def test_earlier_lines_are_shown_where_they_are_asked_for(mount: Mount) -> None:
    page = mount()
    show(page, [long_folder(450)])
    seen = []
    place = "li => li.getBoundingClientRect().top"
    page.eval_on_selector(".folder", "box => (box.scrollTop = 100)")
    first = page.locator("#place .folder li").first.element_handle()
    before = first.evaluate(place)
    for _ in range(2):
        more = page.locator(".folder .earlier")
        seen.append((more.inner_text(), len(folder(page)), folder(page)[0]))
        more.dispatch_event("click")
    assert abs(first.evaluate(place) - before) < 2  # it stays under the eye
    assert seen == [
        ("show earlier (250 more)", 200, "user: Line 251."),
        ("show earlier (50 more)", 400, "user: Line 51."),
    ]
    assert (len(folder(page)), more.is_hidden()) == (450, True)


def test_earlier_lines_read_aloud_are_shown_too(
    mount: Mount, recorded: list[Frame]
) -> None:
    page = mount()
    show(page, recorded, 601, panels=ALL)
    assert page.inner_text(".aloud .earlier:visible") == "show earlier (402 more)"
    page.locator(".aloud .earlier:visible").dispatch_event("click")
    assert page.locator(".aloud .told li").count() == 400
    assert page.inner_text(".count >> nth=1") == "call 301: 602 read"


def test_of_what_is_read_aloud_again_only_the_changes_are_drawn(
    mount: Mount, recorded: list[Frame]
) -> None:
    page = mount()
    show(page, recorded[:602], 601, panels=ALL)
    page.eval_on_selector_all(
        ".aloud .told li", "rows => { for (const row of rows) row.known = true }"
    )
    show(page, recorded[:604], 603, panels=ALL)
    known = "rows => rows.map((row) => Boolean(row.known))"
    # Two lines are new, and two are that no longer.
    assert page.eval_on_selector_all(".aloud .told li", known) == [
        *[True] * 196,
        *[False] * 4,
    ]


def test_the_folder_is_right_wherever_one_jumps(
    mount: Mount, recorded: list[Frame]
) -> None:
    page = mount()
    texts = [
        said["text"] or said["slips"][0]["call"]
        for frame in recorded
        for said in frame["lines"]
    ]
    ends = [sum(len(f["lines"]) for f in recorded[: n + 1]) for n in range(700)]
    for at in [3, 699, 350, 351, 349, 150, 0, 698]:
        show(page, recorded, at)
        said = page.locator("#place .folder li .said code, #place .folder .said > div")
        wanted = texts[: ends[at]][-200:]
        shown = [text for text in said.all_inner_texts() if not text.startswith("#")]
        assert shown == wanted
        current = page.get_attribute(".mark[aria-current]", "title")
        assert current == f"card {at + 1}: {name(at)}, round {at // 2 + 1}"
        assert page.locator(".mark").count() <= 41
        assert page.locator(".mark.past").count() == min(at, 20) + 1


def name(at: int) -> str:
    return "RunningTools" if at % 2 else "CallingModel"


def test_a_slider_goes_to_any_card_where_not_all_marks_are_seen(
    mount: Mount, recorded: list[Frame]
) -> None:
    page = mount(width=1280)
    slider = page.locator(".slider")
    show(page, recorded[:3], 2)
    before = slider.is_visible()
    show(page, recorded, 119)
    assert (before, slider.is_visible()) == (False, True)
    slider = page.get_by_role("slider", name="Go to a recorded card")
    assert slider.get_attribute("aria-valuetext") == "card 120 of 700 recorded"
    slider.focus()
    for key in ["ArrowRight", "End", "Home"]:
        page.keyboard.press(key)
    assert pressed(page) == [["goto", 120], ["goto", 699], ["goto", 0]]
    end = [*recorded[:60], over("failed", None, "No.")]
    show(page, end, 60, panels=["folder"])
    slider = page.get_by_role("slider", name="Go to a recorded stop")
    assert slider.get_attribute("aria-valuetext") == "run over, 60 recorded"


def test_the_time_of_a_step_can_be_measured(mount: Mount) -> None:
    page = mount()
    times = step_times(page, long_run(60), steps=10)
    assert len(times) == 10
    assert page.get_attribute(".mark[aria-current]", "title") == (
        "card 60: RunningTools, round 30"
    )


LONG = "y" * 204_800


def long_frame() -> list[Any]:
    """A frame with a long text wherever there can be one."""
    slip = {"number": 1, "call": LONG, "raw": LONG, "problem": LONG}
    said = [line("user", LONG), line("model", "", slips=[slip]), line("tool", LONG)]
    card: Any = stop("running", *said)
    card["card"] |= {"rule": LONG, "fields": {"answer": LONG}}
    place = {"file": "tools.py", "line": 1, "text": LONG, "what": LONG}
    card |= {"picked_by": "A", "because": LONG, "printed": LONG, "pointed": [place]}
    spans = [{"of": "folder", "start": 0, "end": 1}]
    card["readings"] = [{"step": 1, "spans": spans, "folder": 1, "menu": []}]
    return [card, over("failed", LONG, LONG)]


@pytest.mark.parametrize(("at", "folds"), [(0, 12), (1, 8)])
def test_a_result_of_200_kb_is_folded_everywhere(
    mount: Mount, at: int, folds: int
) -> None:
    page = mount()
    show(page, long_frame(), at, panels=ALL)
    labels = page.locator(".fold").all_inner_texts()
    assert labels == ["show all 204,800 characters"] * folds
    assert page.evaluate("document.querySelector('.desk').innerText.length") < 30_000


def test_a_fold_opens_and_closes_and_keeps_the_keyboard(mount: Mount) -> None:
    page = mount()
    show(page, [stop("calling", line("user", "🌦" * 2500 + "." * 1000))])
    fold = page.locator(".fold")
    fold.focus()
    seen = []
    for _ in range(3):
        text = page.inner_text(".folder .part")
        seen.append((fold.inner_text(), fold.get_attribute("aria-expanded"), len(text)))
        page.keyboard.press("Enter")
    assert seen == [
        ("show all 3,500 characters", "false", 751),
        ("fold again", "true", 3500),
        ("show all 3,500 characters", "false", 751),
    ]
    assert page.evaluate("document.activeElement.className") == "fold"


def test_a_short_text_has_no_fold(mount: Mount) -> None:
    page = mount()
    show(page, [stop("calling", line("user", "y" * 4000)), *run()[1:]])
    assert page.locator(".fold").count() == 0


def card_notes(page: Page) -> list[str]:
    return page.locator(".card :is(.note, .printed)").all_inner_texts()


@pytest.mark.parametrize("closing", [False, True])
def test_what_was_printed_and_where_it_went_wrong_stand_on_the_next_card(
    mount: Mount, closing: bool
) -> None:
    page, hostile = mount(), "<b>18</b>"
    after: Any = over("failed", None, "No.") if closing else stop("calling")
    what = "ZeroDivisionError: division by zero"
    place = {"file": "tools.py", "line": 3, "text": "return 1 / 0", "what": what}
    after |= {"printed": f"looking\n  {hostile}\n", "pointed": [place]}
    show(page, [stop("running", name="RunningTools"), after], 1)
    assert card_notes(page) == [
        f"tools.py, line 3: return 1 / 0, {what}",
        "RunningTools printed:",
        f"looking\n  {hostile}",
    ]
    assert page.inner_text(".pointed code") == "return 1 / 0"


def test_a_line_has_its_number_where_earlier_ones_are_not_drawn(mount: Mount) -> None:
    page = mount()
    show(page, [long_folder(450)])
    # What a sheet shows before a text is in none.
    numbers = """() => {
      const who = [...document.querySelectorAll("#place .folder .who")];
      const shown = (node) => getComputedStyle(node, "::before").content;
      return [who.at(0), who.at(-1)].map((node) => [node.dataset.number, shown(node)]);
    }"""
    shown = [["251", '"251"'], ["450", '"450"']]
    assert page.evaluate(numbers) == shown
    assert folder(page)[0] == "user: Line 251."
