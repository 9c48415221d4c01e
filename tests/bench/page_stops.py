"""How long Stop takes: until the run is closed, and until a Python is ready again."""

from typing import Final

from playwright.sync_api import Page

from tests.bench.page_visits import Figures, Visitor, marked
from tests.playground.reading import (
    LITTLE_MEMORY,
    RECORD_MESSAGES,
    press,
    wait_until,
    wait_until_ready,
)
from tests.playground.test_stop import ASLEEP, BLOCKS, FOREVER, start_the_tools

__all__ = ["stopped"]

MUCH_MEMORY: Final = LITTLE_MEMORY.replace("=> 2", "=> 8")
# When Stop was pressed, by the event's own clock, which is that of the marks.
PRESSED: Final = """
window.pythonStarts = () => {};
addEventListener('click', (event) => {
  if (event.target.closest?.('button.stop'))
    performance.mark('bench-pressed', { startTime: event.timeStamp });
}, true);
"""


def stopped(visitor: Visitor) -> Figures:
    """Stop, where a tool obeys and where nothing but the end of its worker helps."""
    figures = {}
    with visitor.context(RECORD_MESSAGES, PRESSED, LITTLE_MEMORY) as context:
        page = context.new_page()
        page.goto(visitor.address)
        for what, tools in (("a loop", FOREVER), ("a sleep", ASLEEP)):
            figures[f"stop: {what}"] = after_stop(page, tools, "stopped")
            press(page, "Reset")
        figures["stop: ready, no spare"] = after_stop(page, BLOCKS, "python-ready")
    with visitor.context(RECORD_MESSAGES, PRESSED, MUCH_MEMORY) as context:
        page = context.new_page()
        page.goto(visitor.address)
        have_a_spare(page)
        figures["stop: ready, a spare"] = after_stop(page, BLOCKS, "python-ready")
    return figures


def have_a_spare(page: Page) -> None:
    """Finish a run: after the first one a second Python is made ready."""
    wait_until_ready(page)
    page.get_by_label("Speed of Play").select_option("fast")
    press(page, "Play")
    marked(page, "python-spare-ready")
    press(page, "Reset")


def after_stop(page: Page, tools: str, mark: str) -> float:
    """Press Stop while these tools are at work; gives how long this mark took."""
    page.evaluate("performance.clearMarks('bench-pressed'); window.place = null")
    start_the_tools(page, tools)
    wait_until(page, "window.place")  # a line of theirs is being run
    press(page, "Stop")
    pressed = marked(page, "bench-pressed")
    return marked(page, mark, since=pressed) - pressed
