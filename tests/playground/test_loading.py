"""Trouble while the page loads: a reason and a way on, never silence."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.playground.conftest import DIST, PLAYGROUND, OpenPage
from tests.playground.reading import press, replace_tools, status, wait_until_ready

FAILED = "Python could not be loaded"
LEAPS = 20  # the files that do arrive start the waiting anew: one may be too early


def broken(page: Page) -> None:
    page.route("**/pyodide.asm.wasm", lambda route: route.fulfill(status=404))


def test_a_missing_file_is_named_and_retry_works(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain, before=broken)
    expect(status(page)).to_contain_text(FAILED)
    expect(page.get_by_role("alert")).to_contain_text("pyodide.asm.wasm answered 404.")
    assert not page.get_by_role("button", name="Next card").is_enabled()

    page.unroute("**/pyodide.asm.wasm")
    page.get_by_role("alert").get_by_role("button", name="Retry").click()
    wait_until_ready(page)


def test_a_line_that_went_dead_is_noticed(fresh_page: OpenPage, plain: str) -> None:
    held: list[Route] = []
    is_dead = True

    def hold(route: Route) -> None:
        if is_dead:
            held.append(route)
        else:
            route.continue_()

    def dead(page: Page) -> None:
        page.clock.install()
        page.route("**/pyodide.asm.wasm", hold)

    page = fresh_page(plain, before=dead)
    expect(page.get_by_role("progressbar")).to_be_visible()
    while not held:  # a leap before the line is dead would be one too early
        page.wait_for_timeout(20)
    for _ in range(LEAPS):
        if not page.get_by_role("alert").is_visible():
            page.clock.run_for(31_000)
    expect(status(page)).to_contain_text(FAILED)
    expect(page.get_by_role("alert")).to_contain_text(
        "Nothing has arrived for 30 seconds."
    )
    is_dead = False
    for route in held:
        route.continue_()
    wait_until_ready(page)


# How far the bar was, each time it moved: [value, max].
RECORD_PROGRESS = """
  window.bars = [];
  const look = () => {
    const bar = document.querySelector('progress');
    const last = window.bars.at(-1) ?? [];
    if (bar && (bar.value !== last[0] || bar.max !== last[1]))
      window.bars.push([bar.value, bar.max]);
  };
  const watch = { childList: true, subtree: true, attributes: true };
  new MutationObserver(look).observe(document, watch);
"""


@pytest.mark.parametrize("host", ["isolated", "plain"])
def test_the_bar_grows_to_its_end_and_stays_there_while_python_starts(
    fresh_page: OpenPage, request: pytest.FixtureRequest, host: str
) -> None:
    def watched(page: Page) -> None:
        page.add_init_script(RECORD_PROGRESS)

    page = fresh_page(request.getfixturevalue(host), before=watched)
    wait_until_ready(page)
    bars = page.evaluate("window.bars")
    values = [value for value, _ in bars]
    assert {most for _, most in bars} == {bytes_to_load()}
    assert (values, values[-1]) == (sorted(values), bytes_to_load())


def bytes_to_load() -> int:
    """Add up what the build says is loaded."""
    told = (PLAYGROUND / "build" / "python-folder.json").read_text(encoding="utf-8")
    return sum(file["bytes"] for file in json.loads(told)["files"])


def test_each_file_is_asked_for_once_and_nothing_is_said_in_the_console(
    fresh_page: OpenPage, isolated: str
) -> None:
    asked: list[str] = []
    said: list[str] = []

    def listen(page: Page) -> None:
        page.context.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))

    wait_until_ready(fresh_page(isolated, before=listen))
    assert (sorted(asked), said) == (sorted(set(asked)), [])


# All of our modules have compiled code beside them; and their source is still shown.
COMPILED = """
import inspect, os, sys
from mingraph_lite.lab.scenarios import Scenario
names = [name for name in sys.modules if name.partition(".")[0] == "mingraph_lite"]
bare = [n for n in names if not os.path.exists(sys.modules[n].__cached__)]
bare += [n for n in ("json", "typing") if not sys.modules[n].__file__.endswith("pyc")]
line = inspect.getsource(Scenario.tools_source).splitlines()[0].strip()
raise RuntimeError(f"{len(names) > 20}, {bare}, {line}")
"""


def test_the_python_of_the_page_is_compiled_and_shows_its_source(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain)
    wait_until_ready(page)
    replace_tools(page, COMPILED)
    press(page, "Next card")
    expect(page.locator("[data-notice=trouble]")).to_contain_text(
        "RuntimeError: True, [], def tools_source(self) -> str:"
    )


# A page whose own script does not run


def test_a_page_opened_as_a_file_says_what_it_needs(
    fresh_page: OpenPage, dist: Path
) -> None:
    page = fresh_page((DIST / "index.html").as_uri())
    expect(page.get_by_text("python3 start.py playground")).to_be_visible()


def test_a_page_without_javascript_says_that_it_needs_it(
    fresh_page: OpenPage, plain: str
) -> None:
    page = fresh_page(plain, java_script_enabled=False)
    told = page.locator("noscript p")
    expect(told).to_be_visible()
    expect(told).to_contain_text("This page needs JavaScript")
    expect(page.get_by_text("python3 start.py playground")).to_be_hidden()


def test_a_script_that_is_missing_is_named(fresh_page: OpenPage, plain: str) -> None:
    def broken(page: Page) -> None:
        page.route("**/assets/index-*.js", lambda route: route.fulfill(status=404))

    page = fresh_page(plain, before=broken)
    told = page.get_by_role("alert")
    expect(told).to_contain_text(
        re.compile(r"start: index-[\w-]+\.js could not be loaded\.Reload the page")
    )
    expect(page.get_by_text("python3 start.py playground")).to_have_count(0)


SYNTAX_OF_A_LATER_YEAR = "const later = class { ?? }"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (
            "throw new Error('spoilt')",
            "This page could not start: Uncaught Error: spoilt"
            "Reload the page. Where that does not help, tell whoever keeps this page.",
        ),
        (
            SYNTAX_OF_A_LATER_YEAR,
            "This page could not start: this browser does not know the JavaScript of "
            "2022.A current Chrome, Edge, Firefox or Safari has it.",
        ),
    ],
)
def test_a_script_that_fails_says_why(
    fresh_page: OpenPage, plain: str, script: str, told: str
) -> None:
    # In a context of the test's own: elsewhere an error in a page fails the test.
    browser = fresh_page((DIST / "index.html").as_uri()).context.browser
    assert browser
    with browser.new_context() as context:
        page = context.new_page()
        page.route(
            "**/assets/index-*.js",
            lambda route: route.fulfill(body=script, content_type="text/javascript"),
        )
        page.goto(plain)
        expect(page.get_by_role("alert")).to_have_text(f"mingraph lite{told}")


def test_a_browser_that_lacks_a_feature_is_told_which_browsers_have_it(
    fresh_page: OpenPage, plain: str
) -> None:
    def old(page: Page) -> None:
        page.add_init_script("delete window.WebAssembly")
        page.route("**/assets/index-*.js", lambda route: route.fulfill(status=200))

    page = fresh_page(plain, before=old)
    expect(page.get_by_role("alert")).to_have_text(
        "mingraph liteThis page needs WebAssembly, which this browser does not have."
        "A current Chrome, Edge, Firefox or Safari has it."
    )
