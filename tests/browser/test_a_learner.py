"""A learner in JupyterLab: guesses, writes, steps, keeps, and goes on to lesson 02."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.browser.jupyterlab import classroom, copies
from tests.browsers import LAUNCH_ARGS, find_chromium

LESSON, NEXT_LESSON = "01_while_true.ipynb", "02_state_as_dict.ipynb"
IDLE = "Python 3 (ipykernel) | Idle"
ACTIVE = re.compile("jp-mod-active")
RAN = re.compile(r"^\[\d+\]:$")
AFTER = "xpath=following-sibling::*[contains(@class, 'jp-Cell')][1]"
KEYS_FOR_CELLS = ["b", "m", "x", "d", "d", "ArrowDown"]  # in JupyterLab's own hands

BY_HAND = """\
folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))"""
WHOLE = '''\
def loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    return f"I hang up, {limit} is enough."'''
ORDER = [  # what a line begins with, how deep it belongs, what goes into its blank
    ("for _ in", 0, "range(limit)"),
    ("reply = llm", 1, ""),
    ("folder.append(?)", 1, "reply"),
    ("if not", 1, "reply.tool_calls"),
    ("return reply.content", 2, ""),
    ("for call in", 1, ""),
    ("folder.append(ToolMessage", 2, "call.id"),
    ("return ?", 0, '"That was all."'),
]


class Notebook:
    """One lesson in JupyterLab, its cells found by what stands in them."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> None:
        self.page.goto(address)
        # A press of Shift+Enter that comes before the kernel is idle waits for it, but
        # a click on the folded cells' dots would open them.
        self.page.get_by_text(IDLE).wait_for()

    def cell(self, text: str) -> Locator:
        """The code cell that begins so."""
        begins = re.compile(f"^{re.escape(text)}")
        editor = self.page.locator(".cm-content", has_text=begins)
        return self.page.locator(".jp-CodeCell").filter(has=editor).first

    def sources(self) -> list[str]:
        """What stands in the code cells, from top to bottom."""
        return self.page.locator(".jp-CodeCell .cm-content").all_inner_texts()

    def press_down_to(self, cell: Locator) -> None:
        """Shift+Enter, until this cell is the one that would run next."""
        ahead: int = cell.evaluate("""(cell) => {
          const all = [...document.querySelectorAll(".jp-Cell")];
          return all.indexOf(cell) - all.findIndex((c) => c.matches(".jp-mod-active"));
        }""")
        for _ in range(ahead):
            self.page.keyboard.press("Shift+Enter")
        expect(cell).to_have_class(ACTIVE)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing runs and nothing waits to run."""
        prompts = self.page.locator(".jp-InputPrompt", has_text="[*]:")
        expect(prompts).to_have_count(0)
        self.page.get_by_text(IDLE).wait_for()

    def run(self, cell: Locator) -> Locator:
        """Run one cell from its editor, and give its output."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        self.settle()
        expect(cell.locator(".jp-InputArea-prompt")).to_have_text(RAN)
        return cell.locator(".jp-OutputArea")

    def write(self, cell: Locator, code: str, *, instead_of: str = "all") -> None:
        """Write into a cell: over all of it, or over its last line."""
        cell.locator(".cm-content").click()
        keys = ["ControlOrMeta+End", "Shift+Home"]
        for key in ["ControlOrMeta+a"] if instead_of == "all" else keys:
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(code)
        expect(cell.locator(".cm-line").last).to_have_text(code.splitlines()[-1])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("classroom")


@pytest.fixture(scope="module")
def lab(root: Path) -> Iterator[str]:
    with classroom(root) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    """One for all: what JupyterLab is made of is fetched once."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(), args=LAUNCH_ARGS
        )
        yield chromium.new_context(viewport={"width": 1280, "height": 720})
        chromium.close()


@pytest.fixture
def folder(root: Path, request: pytest.FixtureRequest) -> Path:
    """A learner's own folder; its kernels begin there."""
    own = root / "lessons" / str(request.node.name)
    return copies(own, LESSON, NEXT_LESSON, "my_agent.py")


@pytest.fixture
def notebook(lab: str, browser: BrowserContext, folder: Path) -> Iterator[Notebook]:
    """Lesson 01 as start.py opens it; it asks this server only, nothing breaks."""
    asked: list[str] = []
    broken: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            broken.append(message.text)

    page = browser.new_page()
    page.set_default_timeout(60_000)
    expect.set_options(timeout=30_000)
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda opened: asked.append(opened.url))
    page.on("console", note)
    page.on("pageerror", lambda error: broken.append(str(error)))
    notebook = Notebook(page)
    notebook.open(f"{lab}doc/tree/{folder.name}/{LESSON}")
    yield notebook
    page.close()
    here = (lab, lab.replace("http", "ws"), "data:", "blob:")
    assert [url for url in asked if not url.startswith(here)] == []
    assert broken == []


def said(place: Locator) -> Locator:
    """What a card says below its choices."""
    return place.locator(".ask .said")


def test_a_guess_is_pressed_on_its_card_told_by_the_reveal_and_still_there_next_day(
    notebook: Notebook, folder: Path
) -> None:
    page, question = notebook.page, notebook.cell('predict(    "missing"')
    reveal = question.locator(AFTER)
    notebook.press_down_to(reveal)
    page.keyboard.press("Shift+Enter")
    expect(reveal.locator(".jp-OutputArea")).to_contain_text(
        "First your guess. Press it on the card above, then run this cell again."
    )

    question.get_by_text("it passes the slips again", exact=True).click()
    question.get_by_label("Why?").fill("it forgot them")
    question.get_by_role("button", name="That is my guess").click()
    expect(said(question)).to_have_text("Your guess is noted. Now run the next cell.")
    # The next cell is the one that Shift+Enter runs now.
    expect(reveal).to_have_class(ACTIVE)
    page.keyboard.press("Shift+Enter")
    expect(said(reveal)).to_contain_text("Measured: it cannot place the answers.")
    expect(said(reveal)).to_contain_text("You wrote: it forgot them")
    # The card above asks for nothing any more, and does not say the fact again.
    expect(question.locator(".ask .state")).to_contain_text("Measured below")
    expect(said(question)).to_have_text("")
    expect(question.locator(".fact")).to_have_count(0)
    kept = json.loads((folder / "my_guesses.json").read_text(encoding="utf-8"))
    assert kept == {
        "01_while_true": {
            "missing": {
                "question": question.locator(".ask .q").inner_text(),
                "text": "it passes the slips again",
                "why": "it forgot them",
            }
        }
    }

    page.keyboard.press("Escape")
    page.keyboard.press("0")
    page.keyboard.press("0")
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    notebook.settle()
    notebook.run(notebook.cell("from mingraph_lite.classroom import"))
    notebook.run(question)
    expect(question.locator(".ask .state")).to_contain_text("Your guess is locked")
    expect(question.locator(".choice.mine")).to_contain_text("it passes the slips")
    expect(question.locator("input, button")).to_have_count(0)


def test_a_blank_and_a_tool_are_written_and_the_lines_are_ordered_by_keyboard(
    notebook: Notebook,
) -> None:
    page, by_hand = notebook.page, notebook.cell("def my_loop")
    notebook.press_down_to(by_hand)
    notebook.write(by_hand, BY_HAND, instead_of="its last line")
    notebook.run(by_hand)
    checked = notebook.run(notebook.cell("check(1"))
    expect(checked).to_have_text("Exercise 1: right.")

    arrange = notebook.cell("arrange(2")
    notebook.press_down_to(arrange)
    notebook.run(arrange)
    lines = arrange.locator(".order")
    expect(lines.locator(".head")).to_have_text(
        "def loop(llm, tools, folder, limit=10):"
    )
    order_by_keyboard(page, lines)
    # Not checked yet; Shift+Enter goes on to the cell that does it.
    page.keyboard.press("Shift+Enter")
    check = notebook.cell("check(2")
    expect(check).to_have_class(ACTIVE)
    page.keyboard.press("Shift+Enter")
    expect(check.locator(".jp-OutputArea")).to_have_text("Exercise 2: right.")
    expect(lines.locator(".verdict")).to_have_text("✓ Right.")
    lines.get_by_label("Blank in return blank").fill("None")
    lines.get_by_role("button", name="Check").click()
    expect(lines.locator(".verdict")).to_have_text(
        "Not yet. At the limit it hands back None: let it be a text that says so."
    )

    tool = notebook.cell("def my_tool")
    tool.locator(".cm-content").click()
    for key in ("ControlOrMeta+End", "Shift+Home"):
        page.keyboard.press(key)
    page.keyboard.type('"""The name backwards."""\nreturn name[::-1]')
    notebook.run(tool)
    checked = notebook.run(notebook.cell("check(3"))
    expect(checked).to_have_text("Exercise 3: right.")


def order_by_keyboard(page: Page, lines: Locator) -> None:
    """Put each line in its place, from the top, with the arrow keys."""
    page.keyboard.press("Escape")
    for place, (begins, depth, fill) in enumerate(ORDER):
        shown = lines_of(lines)
        now = next(n for n, line in enumerate(shown) if line.startswith(begins))
        lines.locator(".grip").nth(now).focus()
        for key in ["ArrowUp"] * (now - place) + ["ArrowRight"] * depth:
            page.keyboard.press(key)
        if fill:  # what is typed goes into the line's blank
            page.keyboard.type(fill)
            page.keyboard.press("Enter")
        assert lines_of(lines)[place].startswith(begins)
    lines.locator(".grip").last.press("Delete")
    expect(lines.locator("li.gone")).to_have_text([re.compile("folder = folder")])


def lines_of(lines: Locator) -> list[str]:
    """The lines as they stand, `?` for a blank."""
    found: list[str] = lines.locator("li code").evaluate_all("""(all) =>
      all.map((code) => [...code.childNodes]
        .map((node) => node.localName ? "?" : node.data).join(""))""")
    return found


def test_the_picture_is_stepped_with_its_button_and_with_keys(
    notebook: Notebook,
) -> None:
    page, cell = notebook.page, notebook.cell("from mingraph_lite.agent import Agent")
    notebook.press_down_to(cell)
    notebook.run(cell)
    picture = cell.locator(".mingraph .say")
    expect(picture).to_have_text("run over: answered | folder has 5 messages")
    cell.get_by_role("button", name="Reset").click()
    expect(picture).to_have_text("folder has 1 message")
    number = cell.locator(".jp-InputArea-prompt").text_content()

    next_card = cell.get_by_role("button", name="Next card")
    next_card.click()
    expect(picture).to_have_text("folder has 2 messages")
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_text("folder has 4 messages")
    # Enter presses what has the keyboard, and other keys change no cell.
    cells = notebook.sources()
    for key in ["Enter", *KEYS_FOR_CELLS]:
        page.keyboard.press(key)
    expect(picture).to_have_text("folder has 5 messages")
    expect(next_card).to_be_focused()
    assert notebook.sources() == cells
    cell.locator(".mark").nth(1).click()
    expect(picture).to_have_text("folder has 2 messages")
    for key in ["Enter", *KEYS_FOR_CELLS]:
        page.keyboard.press(key)
    expect(cell.locator(".mark").nth(1)).to_be_focused()
    assert notebook.sources() == cells
    page.keyboard.press("ArrowRight")
    expect(picture).to_have_text("folder has 4 messages")

    # Shift+Enter goes on, and leaves the picture where it is.
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(AFTER)).to_have_class(ACTIVE)
    notebook.settle()
    expect(cell.locator(".jp-InputArea-prompt")).to_have_text(str(number))
    expect(picture).to_have_text("folder has 4 messages")


def press_beside_the_buttons(cell: Locator) -> None:
    """Press where no button is: the whole cell gets the keyboard."""
    cell.locator(".widget-hbox").first.click(position={"x": 700, "y": 10})


def take_its_mark_away(cell: Locator) -> None:
    """Let Reset take away what has the keyboard: the page itself gets it."""
    cell.locator(".mark").last.focus()
    cell.get_by_role("button", name="Reset").evaluate("button => button.click()")
    expect(cell.locator(".mark")).to_have_count(1)


PLACES: list[Callable[[Locator], object]] = [
    lambda cell: cell.locator(".desk").focus(),
    lambda cell: cell.locator(".mark").last.click(),
    lambda cell: cell.get_by_role("button", name="Back").click(),
    lambda cell: cell.get_by_role("slider").focus(),
    press_beside_the_buttons,
    take_its_mark_away,
]


def test_shift_and_enter_go_on_from_anywhere_in_the_picture_and_leave_it(
    notebook: Notebook,
) -> None:
    page, cell = notebook.page, notebook.cell("from mingraph_lite.agent import Agent")
    number, picture = cell.locator(".jp-InputArea-prompt"), cell.locator(".say")
    notebook.press_down_to(cell)
    notebook.run(cell)
    expect(picture).to_have_text("run over: answered | folder has 5 messages")
    ran = number.inner_text()
    for go_there in PLACES:
        go_there(cell)
        expect(cell).to_have_class(ACTIVE)
        notebook.settle()
        shown = picture.inner_text()
        page.keyboard.press("Shift+Enter")
        expect(cell.locator(AFTER)).to_have_class(ACTIVE)
        notebook.settle()
        assert (number.inner_text(), picture.inner_text()) == (ran, shown)

    # Whoever means the cell, and not its picture, runs it again.
    number.click()
    page.keyboard.press("Shift+Enter")
    expect(number).to_have_text(RAN)
    expect(number).not_to_have_text(ran)


HEAD = """(view) => view.getBoundingClientRect().top -
  view.closest(".jp-WindowedPanel-outer").getBoundingClientRect().top"""


VIEWS = {  # in the lesson's order, for opening it takes longest
    'predict(    "missing"': ".ask",
    "arrange(2": ".order",
    "from mingraph_lite.agent import Agent": ".desk",
}


def test_what_a_cell_draws_is_seen_from_its_head_unless_the_learner_scrolls(
    notebook: Notebook,
) -> None:
    page = notebook.page
    for begins, view in VIEWS.items():
        cell = notebook.cell(begins)
        notebook.press_down_to(cell)
        page.keyboard.press("Shift+Enter")
        drawn = cell.locator(view)
        drawn.wait_for()
        notebook.settle()
        page.wait_for_timeout(1_000)  # JupyterLab and the view have come to rest
        assert (view, drawn.evaluate(HEAD) >= 0) == (view, True)

        drawn.hover()
        page.mouse.wheel(0, 150)
        page.wait_for_timeout(500)
        scrolled = drawn.evaluate(HEAD)
        page.wait_for_timeout(500)
        assert (view, drawn.evaluate(HEAD)) == (view, scrolled)


def test_after_starting_over_a_card_that_is_gone_says_how_it_comes_back(
    notebook: Notebook,
) -> None:
    page, question = notebook.page, notebook.cell('predict("rounds"')
    notebook.press_down_to(question.locator(AFTER))
    expect(question.locator(".ask")).to_be_visible()
    for key in ("a", "Enter"):  # a cell of their own above the reveal
        page.keyboard.press(key)
    after = question.locator(AFTER)
    notebook.write(
        after, "from mingraph_lite.classroom import start_over\nstart_over()"
    )
    notebook.run(after)
    expect(question.locator(".ask")).to_have_count(0)
    left = question.locator(".jp-OutputArea-child")
    words = left.evaluate("(place) => getComputedStyle(place, '::after').content")
    assert words == (
        '"Shown before you started over. Run the cells from the top, and it is back."'
    )
    assert page.get_by_text("as at the start").is_visible()


def test_what_a_learner_keeps_is_what_the_next_lesson_begins_with(
    notebook: Notebook, folder: Path
) -> None:
    whole, keep = notebook.cell("def loop("), notebook.cell("keep(")
    ours = (folder / "my_agent.py").read_bytes()
    notebook.press_down_to(whole)
    assert (folder / "my_agent.py").read_bytes() == ours
    notebook.write(whole, WHOLE)
    notebook.run(whole)
    expect(notebook.run(notebook.cell("check(4"))).to_have_text("Exercise 4: right.")
    expect(notebook.run(keep)).to_contain_text(
        "Kept: loop, yours, in my_agent.py. The file as it was: my_agent.before_01.py."
    )
    assert (folder / "my_agent.before_01.py").read_bytes() == ours
    assert WHOLE in (folder / "my_agent.py").read_text(encoding="utf-8")

    address = notebook.page.url.replace(LESSON, NEXT_LESSON)
    notebook.open(address)
    begins = notebook.cell("from my_agent import loop")
    notebook.press_down_to(begins)
    expect(notebook.run(begins)).to_contain_text("Paris: 18 = 64°F")
    # A cell of their own below it: their loop, with a limit that is too small.
    begins.locator(".cm-content").click()
    for key in ("Escape", "b", "Enter"):
        notebook.page.keyboard.press(key)
    mine = begins.locator(AFTER)
    notebook.write(mine, "loop(ReadingLLM(), tools, [question], 1)")
    expect(notebook.run(mine)).to_contain_text("'I hang up, 1 is enough.'")


def test_a_picture_whose_kernel_is_gone_says_how_it_comes_back(
    lab: str, browser: BrowserContext, folder: Path
) -> None:
    # As in a lesson that is opened a day later: the model that it names is nowhere.
    view = "application/vnd.jupyter.widget-view+json"
    gone = {view: {"model_id": "gone", "version_major": 2, "version_minor": 1}}
    page = browser.new_page()
    notebook = Notebook(page)
    notebook.open(f"{lab}doc/tree/{folder.name}/{LESSON}")
    cell = page.locator(".jp-CodeCell").first
    notebook.write(cell, f"get_ipython().display_pub.publish({gone})")
    page.keyboard.press("Shift+Enter")
    lost = page.get_by_text("model not found")
    expect(lost).to_have_css("font-size", "0px")
    words = lost.evaluate("(place) => getComputedStyle(place, '::after').content")
    page.close()
    assert words == (
        '"Shown before the last start. Run the cells from the top, and it is back."'
    )
