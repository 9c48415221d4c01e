"""One booted page for many tests, put back after each; or a fresh one for a test."""

import json
import time
from collections.abc import Callable
from difflib import unified_diff
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.playground.reading import (
    LITTLE_MEMORY,
    PATIENCE,
    RECORD_MESSAGES,
    origin,
    press,
    wait_until_idle,
    wait_until_ready,
)

type State = list[str]

SETTLED = 20  # seconds after which a picture that is not as it came never will be
VIEWPORT = {"width": 1280, "height": 720}  # Playwright's own

# All that a page shows and keeps. Its markup says nothing of what stands in a field, of
# where it was scrolled to, or of the window around it. Of the editor the text counts:
# how high it measured its lines, how many it has coloured by now, and where its cursor
# stood last, is its own affair; so is which of the page's own files were fetched.
STATE = """() => {
  const page = document.documentElement.cloneNode(true);
  for (const hint of page.querySelectorAll('link[rel=modulepreload]')) hint.remove();
  for (const editor of page.querySelectorAll('.cm-editor'))
    editor.replaceChildren(...editor.querySelectorAll('.cm-line'));
  for (const line of page.querySelectorAll('.cm-line')) {
    line.className = '';
    line.replaceChildren(line.textContent);
  }
  const media = ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'];
  // As one text: Playwright looks at each value that it brings.
  return JSON.stringify({
    markup: page.outerHTML.split(/(?=<)/),
    fields: [...document.querySelectorAll('input, select, textarea')]
      .map((field) => [field.value, field.checked ?? null]),
    focus: document.activeElement.outerHTML.slice(0, 80),
    scrolled: [...document.querySelectorAll('*')]
      .filter((each) => each.scrollTop || each.scrollLeft)
      .map((each) => each.className),
    window: [innerWidth, innerHeight, ...media.map((each) => matchMedia(each).matches)],
    kept: [{...localStorage}, {...sessionStorage}, document.cookie, location.href],
  });
}"""

# What a reader cannot do: forget marks and messages, close a fold, scroll all back.
CLEAN = """() => {
  performance.clearMarks();
  window.toWorkers.length = 0;
  for (const fold of document.querySelectorAll('details[open]')) fold.open = false;
  for (const each of document.querySelectorAll('*')) each.scrollTo(0, 0);
  document.activeElement.blur();
}"""


def state(page: Page) -> State:
    """Read all that a page shows and keeps, once its editor has come."""
    expect(page.locator(".cm-content")).to_be_attached()
    found = json.loads(page.evaluate(STATE))
    return [*found.pop("markup"), *json.dumps(found, indent=1).splitlines()]


def changes(before: State, after: State) -> list[str]:
    """Name the lines in which two states differ."""
    return [line.strip() for line in unified_diff(before, after, n=0)][2:]


def left_over(page: Page, as_it_came: State) -> list[str]:
    """Name what differs from the page as it came, once its picture has settled."""
    end = time.monotonic() + SETTLED
    while (found := changes(as_it_came, state(page))) and time.monotonic() < end:
        page.wait_for_timeout(20)
    return found


def take_back_edits(page: Page) -> None:
    """Take back all edits, of every scenario that the menu marks."""
    menu = page.get_by_label("Scenario")
    while (edited := menu.locator("option", has_text="(edited)")).count():
        menu.select_option(value=edited.first.get_attribute("value"))
        wait_until_idle(page)
        press(page, "Take back all edits")


def end_the_offer(page: Page) -> None:
    """Edit something: what was taken back cannot be brought back after that."""
    page.get_by_role("tab", name="Question").click()
    question = page.get_by_role("textbox", name="Question")
    came = question.input_value()
    for text in (came + "?", came):
        question.fill(text)


def put_back(page: Page) -> None:
    """Do what a reader would do to have the page as it came.

    A guess is kept beside the texts it was made about. Those of a test are gone with
    its edits; for one about a scenario as it came, see `is_answered`.
    """
    wait_until_idle(page)
    page.unroute_all()
    page.set_viewport_size(VIEWPORT)
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    page.evaluate("new Promise(requestAnimationFrame)")  # the page has heard of it
    for _ in range(2):  # what is being asked is cut off first
        if page.locator("dialog").count():
            page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    for look in ("Large text", "Use light colours"):
        button = page.get_by_role("button", name=look, exact=True)
        if button.count() and button.get_attribute("aria-pressed") != "false":
            button.click()
    page.get_by_label("Speed of Play").select_option("steady")
    if page.get_by_role("button", name="Change the model…").count():
        press(page, "Change the model…")
        press(page, "Disconnect the model")
        wait_until_idle(page)
    take_back_edits(page)
    page.get_by_label("Scenario").select_option(index=0)
    wait_until_idle(page)
    end_the_offer(page)
    page.get_by_role("tab", name="Trace").click()
    wait_until_ready(page)
    expect(page.locator("dialog")).to_have_count(0)
    page.evaluate(CLEAN)


def is_answered(page: Page) -> bool:
    """Whether a guess was locked that only another page is without."""
    return page.locator(".ask .state", has_text="locked").count() > 0


class Pages:
    """Opens pages; notes whom they ask, what breaks, and how often Python starts."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._shared: dict[str, tuple[Page, State]] = {}
        self._fresh: list[Page] = []
        self._handed_out: set[str] = set()
        self._asked: list[str] = []
        self._broken: list[str] = []
        self._boots: list[str] = []

    def open(
        self, address: str, before: Callable[[Page], object] = id, **options: Any
    ) -> Page:
        """Open a page of its own, which is closed at the end of the test."""
        page = self._page(address, before, **options)
        self._fresh.append(page)
        return page

    def share(self, address: str) -> Page:
        """Give the one page of a module at this address, booted and as it came."""
        if address not in self._shared:
            page = self._page(address)
            wait_until_ready(page)
            self._shared[address] = page, state(page)
        self._handed_out.add(address)
        return self._shared[address][0]

    def _page(
        self,
        address: str,
        before: Callable[[Page], object] = id,
        *,
        memory: str = LITTLE_MEMORY,
        **options: Any,
    ) -> Page:
        context = self._browser.new_context(**{"viewport": VIEWPORT} | options)
        context.on("request", lambda request: self._asked.append(request.url))
        context.on("weberror", lambda error: self._broken.append(str(error.error)))
        context.expose_function("pythonStarts", lambda: self._boots.append(address))
        context.add_init_script(RECORD_MESSAGES)
        context.add_init_script(memory or ";")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        before(page)
        self._handed_out.add(address)
        page.goto(address)
        return page

    def put_back(self) -> list[str]:
        """Put back what is shared, and name what is not as it came all the same."""
        found = []
        for address in self._handed_out & self._shared.keys():
            page, as_it_came = self._shared[address]
            put_back(page)
            if is_answered(page):
                self._drop(address)
            else:
                found += left_over(page, as_it_came)
        return found

    def drop(self) -> None:
        """Close the shared pages that a test has spoilt."""
        for address in self._handed_out & self._shared.keys():
            self._drop(address)

    def _drop(self, address: str) -> None:
        self._shared.pop(address)[0].context.close()

    def seen(self) -> tuple[set[str], list[str], int]:
        """Close fresh pages; give whom all asked, what broke, and how many boots."""
        for page in self._fresh:
            page.context.close()
        own = {origin(address) for address in self._handed_out}
        asked = [url for url in self._asked if not url.startswith(("data:", "blob:"))]
        found = {origin(url) for url in asked} - own, [*self._broken], len(self._boots)
        notes = (self._fresh, self._handed_out, self._asked, self._broken, self._boots)
        for each in notes:
            each.clear()
        return found
