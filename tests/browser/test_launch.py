"""How Chromium is started for tests."""

from playwright.sync_api import sync_playwright

from tests.browsers import LAUNCH_ARGS, PLAYWRIGHT_WITHOUT, find_chromium

OPTION = "--disable-features="


def test_chromium_goes_without_all_that_playwright_starts_it_without() -> None:
    with sync_playwright() as playwright:
        path, args = find_chromium(), [*LAUNCH_ARGS, "--enable-automation"]
        chromium = playwright.chromium.launch(executable_path=path, args=args)
        session = chromium.new_browser_cdp_session()
        line = session.send("Browser.getBrowserCommandLine")["arguments"]
        chromium.close()
    playwrights, ours = (each for each in line if each.startswith(OPTION))
    assert playwrights.removeprefix(OPTION).split(",") == [*PLAYWRIGHT_WITHOUT]
    assert ours in LAUNCH_ARGS
