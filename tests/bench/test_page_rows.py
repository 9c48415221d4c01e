"""The rows that use the page, tried on small pages that behave as it does."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.page_steps import STEPPING, figures_of, steps, turn_to
from tests.bench.page_stops import PRESSED
from tests.bench.page_visits import TooLate, marked
from tests.browsers import LAUNCH_ARGS, find_chromium

# Next makes a frame, a little later, and shows it; there are no more than MOST. Arrows
# go forward and back, and make one at the end.
SMALL = """<!doctype html>
<div class="desk" tabindex="0">
  <button class="main">Next card</button>
  <input type="range" class="slider" min="1" max="1" value="1">
</div>
<script>
  const [desk, next, slider] = ['.desk', '.main', '.slider'].map(
    (which) => document.querySelector(which));
  let turning = false;
  window.made = 1;
  window.keys = [];
  const to = (frame) => { slider.value = String(frame); };
  const forward = () => {
    const at = Number(slider.value);
    if (at < made) return to(at + 1);
    if (turning || made === MOST) return;
    turning = true;
    setTimeout(() => {
      turning = false;
      slider.max = String(++made);
      to(made);
    }, 1);
  };
  next.onclick = forward;
  desk.onkeydown = ({ key }) => {
    keys.push(key);
    if (key === 'ArrowRight') forward();
    if (key === 'ArrowLeft') to(Number(slider.value) - 1);
  };
</script>
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        yield browser
        browser.close()


@pytest.fixture
def small_page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def shown(page: Page, most: int) -> Page:
    page.set_content(SMALL.replace("MOST", str(most)))
    page.evaluate(STEPPING)
    return page


def test_a_mark_is_waited_for_and_an_older_one_does_not_count(small_page: Page) -> None:
    small_page.goto("about:blank")
    small_page.evaluate("performance.mark('a', { startTime: 10 })")
    small_page.evaluate(
        "setTimeout(() => performance.mark('a', { startTime: 3_000 }), 30)"
    )
    assert [marked(small_page, "a"), marked(small_page, "a", since=11)] == [10, 3_000]


def test_a_mark_that_does_not_come_ends_the_row_and_the_others_are_named(
    small_page: Page,
) -> None:
    small_page.goto("about:blank")
    small_page.evaluate("performance.mark('python-ready', { startTime: 1_234.5 })")
    with pytest.raises(TooLate) as late:
        marked(small_page, "run-over", patience=20)
    assert str(late.value) == (
        "about:blank did not mark 'run-over' within 0.02 s. It marked python-ready at "
        "1235. Open it in a browser and see where it stands."
    )


def test_stop_is_timed_from_the_press_and_not_from_what_the_page_made_of_it(
    small_page: Page,
) -> None:
    small_page.set_content(
        "<button class='stop'><b>Stop</b></button><button>Go</button>"
    )
    small_page.evaluate(f"""() => {{
        {PRESSED}
        document.querySelector('.stop').onclick = () => performance.mark('heard');
    }}""")
    small_page.click("text=Go")
    small_page.click("b")
    pressed = small_page.evaluate(
        "performance.getEntriesByName('bench-pressed').length"
    )
    assert pressed == 1
    assert marked(small_page, "bench-pressed") < marked(small_page, "heard")


def test_steps_are_taken_on_the_way_to_a_long_run_and_at_its_end(
    small_page: Page,
) -> None:
    page = shown(small_page, most=60)
    figures = figures_of(page, 30, 60)
    assert list(figures) == [
        *("30 frames: made in", "30 frames: next card"),
        *("30 frames: back", "30 frames: forward"),
        *("60 frames: made in", "60 frames: next card"),
        *("60 frames: back", "60 frames: forward"),
    ]
    assert all(figures.values())
    ways = ["ArrowRight"] * 20 + ["ArrowLeft"] * 20 + ["ArrowRight"] * 20
    assert page.evaluate("[made, slider.value, keys]") == [60, "60", ways * 2]


def test_a_run_that_ends_too_soon_ends_the_row(small_page: Page) -> None:
    with pytest.raises(TooLate) as late:
        turn_to(shown(small_page, most=3), 50, patience=2_000)
    assert str(late.value) == (
        "After 2 s of pressing Next the page stands at frame 3, and 50 were to be "
        "made. Is its run over?"
    )


def test_a_key_that_leads_to_no_other_frame_ends_the_row(small_page: Page) -> None:
    with pytest.raises(TooLate) as late:
        steps(shown(small_page, most=1), "ArrowRight", patience=100)
    assert str(late.value) == (
        "ArrowRight was pressed and no other frame came within 0.1 s: the page stands "
        "at frame 1."
    )
