"""Trouble while the page loads: a reason and a way on, never silence."""

from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.playground.conftest import DIST, OpenPage
from tests.playground.reading import status, wait_until_ready

FAILED = "Python could not be loaded"


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
    # The files that do arrive start the waiting anew, so one leap may be too early.
    while not page.get_by_role("alert").is_visible():
        page.clock.run_for(31_000)
    expect(status(page)).to_contain_text(FAILED)
    expect(page.get_by_role("alert")).to_contain_text(
        "Nothing has arrived for 30 seconds."
    )
    is_dead = False
    for route in held:
        route.continue_()
    wait_until_ready(page)


def test_a_page_opened_as_a_file_says_what_it_needs(
    fresh_page: OpenPage, dist: Path
) -> None:
    page = fresh_page((DIST / "index.html").as_uri())
    expect(page.get_by_text("python3 start.py playground")).to_be_visible()
