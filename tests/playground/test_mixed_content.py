"""A page on https and a model on plain http: said before anything is asked."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, Route, expect

from tests.playground.conftest import OpenPage
from tests.playground.reading import press

PAGE = "https://demo.example/"
BLOCKED = "This page came over https, the model speaks http: browsers block that."
TYPES = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript"}
TYPES |= {".css": "text/css", ".wasm": "application/wasm"}


# G07: a check before the first request warns of plain http on another machine (use
# localhost, https, or the page over http), and of no other address.
def test_G07_the_dialog_warns_while_the_address_is_typed_and_asks_nothing(
    fresh_page: OpenPage, dist: Path
) -> None:
    def from_dist(route: Route) -> None:
        path = dist / (urlsplit(route.request.url).path.lstrip("/") or "index.html")
        kind = TYPES.get(path.suffix, "application/octet-stream")
        route.fulfill(body=path.read_bytes(), content_type=kind)

    def serve(page: Page) -> None:
        page.route(f"{PAGE}**", from_dist)

    page = fresh_page(PAGE, before=serve)
    press(page, "Connect a model…")
    warning = page.get_by_role("dialog").get_by_text(BLOCKED)
    for address, blocked in [
        ("192.168.1.5:11434", True),
        ("localhost:11434", False),
        ("server.lan:8000/v1", True),
        ("api.example.com", False),
    ]:
        page.get_by_label("Base URL").fill(address)
        expect(warning).to_have_count(int(blocked))
    page.get_by_label("Base URL").fill("192.168.1.5:11434")
    press(page, "Connect")
    expect(page.get_by_role("alert")).to_have_text(
        "The browser will not let this page call http://192.168.1.5:11434/v1."
    )
    expect(warning).to_have_count(1)
    # Whom the page asked is compared by `pages`: itself, and no model.
