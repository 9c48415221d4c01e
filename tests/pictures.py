"""Take the picture in the README: a lesson beside the page, at the same place.

    python -m tests.pictures

It wants the page built. Look at the picture before it is committed.
"""

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from launcher.page import page_server
from tests.browser.jupyterlab import jupyterlab
from tests.browsers import LAUNCH_ARGS, find_chromium
from tests.notebooks.fixed_environment import ROOT
from tests.playground.conftest import DIST, serving

PICTURE = ROOT / "playground" / "pictures" / "lesson_and_page.png"
LESSON = ROOT / "notebooks" / "04_cards.ipynb"
SIZE = {"width": 1060, "height": 720}
PATIENCE = 90_000
GAP = 24


def new_page(browser: Browser) -> Page:
    page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    return page


def the_lesson(browser: Browser, folder: Path) -> Path:
    """The picture of lesson 04, two cards of one's own into a run."""
    with jupyterlab(folder, LESSON) as address:
        page = new_page(browser)
        page.goto(f"{address}lab/tree/{LESSON.name}")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.keyboard.press("Control+B")  # the files beside it are nobody's concern
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.get_by_role("heading", name="Side by side").scroll_into_view_if_needed()
        picture = page.locator(".mingraph").first
        picture.get_by_role("button", name="Reset").click()
        for count in (2, 4):  # no system prompt here, unlike in the page
            picture.get_by_role("button", name="Next card").click()
            words = picture.locator(".say").get_by_text(f"folder has {count}")
            words.wait_for()
        picture.scroll_into_view_if_needed()
        page.screenshot(path=folder / "lesson.png")
        page.close()
    return folder / "lesson.png"


def the_page(browser: Browser, folder: Path) -> Path:
    """The picture of the playground, two cards into the same run."""
    with serving(page_server(DIST)) as address:
        page = new_page(browser)
        page.goto(address)
        page.get_by_text("Python ready in this page").wait_for()
        for count in (3, 5):
            page.get_by_role("button", name="Next card").click()
            page.locator(".desk .say").get_by_text(f"folder has {count}").wait_for()
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=folder / "page.png")
        page.close()
    return folder / "page.png"


def beside(left: Path, right: Path) -> Image.Image:
    """Two pictures in one, with a gap of nothing between them."""
    one, two = Image.open(left), Image.open(right)
    whole = Image.new("RGBA", (one.width + GAP + two.width, one.height))
    whole.paste(one, (0, 0))
    whole.paste(two, (one.width + GAP, 0))
    return whole.quantize(128)


def main() -> None:
    """Take both, and put them side by side."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        made = [take(browser, Path(folder)) for take in (the_lesson, the_page)]
        browser.close()
        PICTURE.parent.mkdir(exist_ok=True)
        beside(*made).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
