"""What a step costs in a long run, beside a short one in the same page.

All panels are open, and the trace. A step goes from the key that is pressed to the next
picture, laid out and painted: the next card is run, or one looks back at the cards
before and forward again.
"""

import statistics
from typing import Final

from playwright.sync_api import Page

from tests.bench.page_visits import PATIENCE, Figures, TooLate, Visitor
from tests.playground.reading import LITTLE_MEMORY, press, wait_until_ready

__all__ = ["KINDS", "LONG", "SHORT", "stepped"]

SHORT: Final = 50
LONG: Final = 2_000
STEPS: Final = 20  # of each kind; half of them lead to a call that is read aloud
KINDS: Final = (
    ("next card", "ArrowRight"),
    ("back", "ArrowLeft"),
    ("forward", "ArrowRight"),
)
ROUNDS: Final = LONG // 2 + 1  # two cards each, and one that is not reached

# A script of the visit, since a page's own rules forbid to evaluate texts. `at` is the
# frame in sight, by the slider. `turnTo` presses Next as fast as cards can be turned; a
# press while one is turned does nothing. The key's own clock says when it was pressed;
# its step ends when the frame is another and that picture has been painted.
STEPPING: Final = """
window.bench = (() => {
  const slider = () => document.querySelector('.slider');
  const at = () => Number(slider()?.value);
  const next = () => document.querySelector('button.main');
  const steps = [];
  const painted = (done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(performance.now()); };
    port2.postMessage(null);
  });
  addEventListener('keydown', ({ key, timeStamp }) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
    const before = at();
    const look = (now) => at() === before ? painted(look) : steps.push(now - timeStamp);
    painted(look);
  }, true);
  const until = (so, patience, act = () => {}) => new Promise((done) => {
    const begun = performance.now();
    const timer = setInterval(() => {
      const took = performance.now() - begun;
      if (!so() && took < patience) return act();
      clearInterval(timer);
      done([so() ? took : null, at()]);
    }, 4);
  });
  return {
    steps,
    turnTo: (frame, patience) =>
      until(() => at() >= frame, patience, () => next()?.click()),
    taken: (count, patience) => until(() => steps.length >= count, patience),
  };
})();
"""


def stepped(visitor: Visitor) -> Figures:
    """One run of 2,000 frames; its steps near the 50th and at the end."""
    with visitor.context(STEPPING, LITTLE_MEMORY) as context:
        page = context.new_page()
        page.goto(visitor.address)
        wait_until_ready(page)
        page.get_by_label("Scenario").select_option("never_satisfied")
        page.get_by_label("Most rounds").fill(str(ROUNDS))
        press(page, "show all")
        return figures_of(page)


def figures_of(page: Page, short: int = SHORT, long: int = LONG) -> Figures:
    """Make a long run, and take steps on the way and at its end."""
    figures = {}
    for frames in (short, long):
        figures[f"{frames:,} frames: made in"] = turn_to(page, frames - STEPS)
        for step, key in KINDS:
            times = steps(page, key)
            figures[f"{frames:,} frames: {step}"] = statistics.median(times)
    return figures


def turn_to(page: Page, frame: int, patience: float = 5 * PATIENCE) -> float:
    """Turn cards until this frame is in sight; gives how long it took."""
    took, at = page.evaluate(
        "([frame, patience]) => bench.turnTo(frame, patience)", [frame, patience]
    )
    if took is None:
        raise TooLate(
            f"After {patience / 1000:g} s of pressing Next the page stands at frame "
            f"{at:,}, and {frame:,} were to be made. Is its run over?"
        )
    return float(took)


def steps(page: Page, key: str, patience: float = PATIENCE) -> list[float]:
    """Press a key again and again, each time when its picture is there."""
    page.evaluate("bench.steps.length = 0")
    for count in range(1, STEPS + 1):
        page.locator(".desk").press(key)
        took, at = page.evaluate(
            "([count, patience]) => bench.taken(count, patience)", [count, patience]
        )
        if took is None:
            raise TooLate(
                f"{key} was pressed and no other frame came within "
                f"{patience / 1000:g} s: the page stands at frame {at:,}."
            )
    return [float(time) for time in page.evaluate("bench.steps")]
