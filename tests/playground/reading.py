"""What a reader does on the page, and what a reader sees there."""

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

# Everything that the page says to a worker, kept for a test to look at.
RECORD_MESSAGES = """
  window.toWorkers = [];
  const send = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const readable = (key, value) =>
      value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
    window.toWorkers.push(JSON.stringify(message, readable));
    return send.call(this, message, ...rest);
  };
"""

READY = "Python ready in this page"
FIRST = "holding: CallingModel | folder has 2 messages"


def origin(url: str) -> str:
    """Name whom an address asks: scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def status(page: Page):
    """Find the line that says how Python is."""
    return page.locator("header .python")


def sentence(page: Page):
    """Find the sentence that says the picture in words."""
    return page.locator(".desk .say")


def folder(page: Page) -> list[str]:
    """Read the lines of the folder that are in sight."""
    lines = page.locator(".folder li").filter(visible=True).all_inner_texts()
    return [" ".join(line.split()) for line in lines]


def card(page: Page) -> str:
    """Read the name of the card in the hand."""
    return page.locator(".card .name").inner_text()


def wait_until_ready(page: Page) -> None:
    """Wait for Python, held at the first card of the first scenario."""
    expect(status(page)).to_have_text(READY)
    expect(sentence(page)).to_have_text(FIRST)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def replace_tools(page: Page, code: str) -> None:
    """Type code into the editor, in the place of what is there."""
    page.get_by_role("tab", name="Tools").click()
    page.get_by_role("textbox", name="tools.py").fill(code)


def messages_to_workers(page: Page) -> list[str]:
    return page.evaluate("window.toWorkers")


def wait_for_end(page: Page, words: str) -> None:
    expect(sentence(page)).to_have_text(words)
