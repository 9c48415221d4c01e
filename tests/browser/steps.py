"""A long run, and how long the view takes for a step of it."""

import json

from playwright.sync_api import Page

from mingraph_lite import Agent, ScriptedLLM, ToolCall
from mingraph_lite.views.frame_types import Frame
from mingraph_lite.views.frames import frames
from tests.browser.desk import ALL

__all__ = ["long_run", "step_times"]


def long_run(count: int) -> list[Frame]:
    """Make a run of so many frames, a round for each two."""

    def get_weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        return f"18 in {city}"

    towns = [f"Town {number}" for number in range(count // 2 + 1)]
    script = ScriptedLLM([ToolCall("get_weather", {"city": town}) for town in towns])
    agent = Agent(script, [get_weather], "Use the tools.", max_steps=count)
    recorded = list(frames(agent, "What is the weather in each town?"))
    return recorded[:count]


def step_times(page: Page, recorded: list[Frame], steps: int = 30) -> list[float]:
    """Give the milliseconds of the last steps: all that is drawn, and its layout.

    The page has a view mounted (`tests.browser.desk`); all panels are shown, and each
    step brings one frame more, as a run does.
    """
    times: list[float] = page.evaluate(
        """(given) => {
          const [recorded, steps, panels] = JSON.parse(given);
          const first = recorded.length - steps;
          const state = { panels, controls: true, busy: false, canNext: true };
          view.update({ ...state, frames: recorded.slice(0, first), at: first - 1 });
          return Array.from({ length: steps }, (_, step) => {
            const frames = recorded.slice(0, first + step + 1);
            const before = performance.now();
            view.update({ frames, at: first + step });
            document.querySelector(".desk").getBoundingClientRect();
            return performance.now() - before;
          });
        }""",
        json.dumps([recorded, steps, ALL]),
    )
    return times
