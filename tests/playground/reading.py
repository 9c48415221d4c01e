"""What a reader does on the page, and what a reader sees there."""

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

# Kept for a test to look at: what the page says to its Python (how often one starts is
# counted), whether Python turns a card, where in tools.py it is, and how long each
# timer was set to wait that went off. On a slow machine a test has it wait longer.
RECORD_MESSAGES = """
  window.toWorkers = [];
  window.turning = false;
  window.starts = 0;
  let holder;  // the port of the Python that turns a card
  const send = MessagePort.prototype.postMessage;
  const readable = (key, value) =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (['turn', 'close'].includes(message?.type)) {
      window.turning = true;
      holder = this;
    }
    window.toWorkers.push(JSON.stringify(message, readable));
    return send.call(this, message, ...rest);
  };
  const begin = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    window.starts += 1;
    window.pythonStarts();
    return begin.call(this, message, ...rest);
  };
  const heard = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    ...heard,
    set(hear) {
      heard.set.call(this, hear && ((event) => {
        if (event.data?.type === 'turned') window.turning = false;
        if (event.data?.type === 'at') window.place = event.data;
        hear(event);
      }));
    },
  });
  const shut = MessagePort.prototype.close;
  MessagePort.prototype.close = function () {
    if (this === holder) window.turning = false;  // its Python was ended
    return shut.call(this);
  };
  window.waited = [];
  window.slowness = 1;
  const later = window.setTimeout;
  window.setTimeout = (act, delay = 0, ...rest) => {
    const waited = window.waited;  // a test may begin a new list
    return later(() => {
      waited.push(delay);
      act(...rest);
    }, delay * window.slowness);
  };
"""

# A second Python in reserve costs a start: only tests of it have the room for one.
LITTLE_MEMORY = """
  Object.defineProperty(Navigator.prototype, 'deviceMemory', {get: () => 2});
"""

PATIENCE = 60_000  # for slow machines; a good run never waits that long
READY = "Python ready in this page"
FIRST = "holding: CallingModel | folder has 2 messages"


def origin(url: str) -> str:
    """Name whom an address asks: scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def status(page: Page):
    """Find the line that says how Python is."""
    return page.locator(".pg-python")


def sentence(page: Page):
    """Find the sentence that says the picture in words."""
    return page.locator(".desk .say")


def folder(page: Page) -> list[str]:
    """Read the lines of the folder that are in sight."""
    lines = page.locator(".folder li").filter(visible=True).all_inner_texts()
    return [" ".join(line.split()) for line in lines]


def trace(page: Page) -> list[list[str]]:
    """Read all rows of the trace; only those around what is in sight are drawn."""
    page.get_by_role("tab", name="Trace").click()
    box = page.get_by_role("region", name="Trace")
    box.press("Home")
    all_rows = int(box.get_by_role("table").get_attribute("aria-rowcount") or 0) - 1
    found: dict[int, list[str]] = {}
    for _ in range(2 * all_rows):  # each look sees a row that is new, or it is no list
        drawn = box.locator("tr[data-row]").evaluate_all(
            "rows => rows.map((row) => [Number(row.dataset.row), row.innerText])"
        )
        found |= {row: text.split("\t") for row, text in drawn}
        if len(found) == all_rows:
            break
        box.evaluate("box => (box.scrollTop += box.clientHeight)")
        page.wait_for_timeout(20)
    assert sorted(found) == list(range(all_rows))
    return [found[row] for row in range(all_rows)]


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


def starts(page: Page) -> int:
    """Count how often a Python was started in this page."""
    return page.evaluate("window.starts")


def messages_to_workers(page: Page) -> list[str]:
    return page.evaluate("window.toWorkers")


UNTIL = """() => new Promise((done, fail) => {
  const begun = performance.now();
  const look = () => {
    if (CONDITION) done();
    else if (performance.now() - begun > PATIENCE) fail(new Error(`not: CONDITION`));
    else setTimeout(look, 20);
  };
  look();
})"""


def wait_until(page: Page, condition: str) -> None:
    """Wait until this is so in the page.

    Why not Playwright's own wait_for_function? It has the page evaluate a text, which
    the page's own rules forbid.
    """
    patient = UNTIL.replace("PATIENCE", str(PATIENCE))
    page.evaluate(patient.replace("CONDITION", condition))


def wait_until_idle(page: Page) -> None:
    """Wait until Python has turned its card; the picture may come a little later."""
    wait_until(page, "!window.turning")


def run_to_end(page: Page, words: str) -> None:
    """Turn card after card, at once; Play would give a reader time for each."""
    marks = page.locator(".mark")
    while marks.last.inner_text() != "over":
        turned = marks.count()
        if not turned:  # another scenario was chosen, and its run is being begun
            expect(marks).not_to_have_count(0)
            continue
        press(page, "Next card")
        expect(marks).to_have_count(turned + 1)
    wait_for_end(page, words)


def play_fast(page: Page) -> None:
    """Let Play turn the cards, with the least time for a reader."""
    page.get_by_label("Speed of Play").select_option("fast")
    press(page, "Play")


def wait_for_end(page: Page, words: str) -> None:
    expect(sentence(page)).to_have_text(words)
