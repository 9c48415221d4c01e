"""What a screen reader hears of the folder and the card."""

from typing import Any

import pytest
from playwright.sync_api import Page

from mingraph_lite.views.frame_types import Frame
from tests.browser.desk import Mount, line, over, run, show, stop

SPOKEN = """async ([frames, from, at, withCard]) =>
  (await import("./spoken.js")).spoken(frames, from, at, withCard)"""
FIRST = (
    "The system prompt says: Use the tools. Never do the arithmetic yourself. "
    "The user says: What's the temperature in Paris and in Tokyo, in Fahrenheit? "
    "In the hand is card 1, CallingModel."
)
CALL = (
    'The model asks for number 1, get_weather(city="Paris"); '
    'number 2, get_weather(city="Tokyo"). '
)
ANSWERS = "The answer to number 1 is: 18. The answer to number 2 is: 24. "
BECAUSE = ", picked by CallingModel because the reply passed two slips."
END = "The run is over: answered. The answer is: Paris: 64°F, Tokyo: 75°F."


@pytest.fixture
def page(mount: Mount) -> Page:
    return mount()


def spoken(page: Page, frames: list[Frame], way: tuple[int, int], card: Any = 1) -> str:
    return str(page.evaluate(SPOKEN, [frames, *way, bool(card)]))


def test_a_step_says_what_was_said_and_which_card_follows_and_why(page: Page) -> None:
    recorded = run()
    assert [spoken(page, recorded, (at - 1, at)) for at in (0, 1, 2, 6)] == [
        FIRST,
        f"{CALL}In the hand is card 2, RunningTools{BECAUSE}",
        f"{ANSWERS}In the hand is card 3, CallingModel, picked by RunningTools because "
        "every slip has its answer.",
        END,
    ]


def test_several_steps_are_one_sentence_that_loses_nothing(page: Page) -> None:
    said = spoken(page, run(), (0, 3))
    assert said.startswith(f"{CALL}{ANSWERS}The model asks for number 3, ")
    assert said.endswith(f"In the hand is card 4, RunningTools{BECAUSE}")
    # The last message is the answer; it is said once.
    assert spoken(page, run(), (4, 6)) == END


def test_moving_back_says_where_one_is_and_not_what_is_new(page: Page) -> None:
    assert [spoken(page, run(), (5, at), card) for at, card in [(1, 1), (1, 0)]] == [
        "Back at card 2, RunningTools.",
        "Back at stop 2.",
    ]


def test_without_the_card_nothing_is_said_of_it(page: Page) -> None:
    assert spoken(page, run(), (0, 1), 0) == CALL.strip()


def test_long_texts_are_shortened_and_many_lines_are_counted(page: Page) -> None:
    long = [stop("calling", line("tool", "x" * 1500, answers=3))]
    many = [stop("calling", *(line("user", f"Line {n}.") for n in range(14)))]
    assert spoken(page, long, (-1, 0), 0) == (
        f"The answer to number 3 is: {'x' * 300} … and 1,200 more characters."
    )
    assert spoken(page, many, (-1, 0), 0) == "2 more messages before. " + " ".join(
        f"The user says: Line {n}." for n in range(2, 14)
    )


def test_an_error_is_said_with_the_line_it_points_to(page: Page) -> None:
    frame: Any = over("failed", None, "ZeroDivisionError: division by zero")
    place = {"file": "tools.py", "line": 3, "text": "return 1 / 0", "what": "No."}
    frame |= {"printed": "looking\n", "pointed": [place]}
    slip = {"number": 1, "call": "ping()", "raw": None, "problem": "no JSON"}
    asked = stop("running", line("model", "", slips=[slip]))
    assert spoken(page, [asked, frame], (-1, 1)) == (
        "The model asks for number 1, ping(), which cannot be run: no JSON. "
        "Printed: looking. tools.py, line 3: return 1 / 0. No. "
        "The run is over: failed. The error is: ZeroDivisionError: division by zero."
    )


def listen(page: Page) -> None:
    page.evaluate("""() => {
      window.spoken = [];
      const region = document.querySelector("[role=status]");
      new MutationObserver(() => spoken.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });
    }""")


def test_each_stop_is_spoken_once_and_not_seen(page: Page) -> None:
    recorded = run()
    listen(page)
    show(page, recorded[:1], 0)
    show(page, recorded[:1], 0, busy=True)
    show(page, recorded[:2], 0)
    show(page, recorded[:2], 1)
    show(page, recorded[:2], 1, canNext=False)
    show(page, recorded[:2], 0)
    assert page.evaluate("spoken") == [
        FIRST,
        f"{CALL}In the hand is card 2, RunningTools{BECAUSE}",
        "Back at card 1, CallingModel.",
    ]
    seen = page.eval_on_selector("[role=status]", "n => [n.offsetWidth, n.ariaLive]")
    assert seen == [1, None]
    assert page.inner_text(".say") == recorded[0]["sentence"]


def test_while_a_run_plays_what_comes_meanwhile_is_said_in_one_sentence(
    page: Page,
) -> None:
    recorded = run()
    listen(page)
    for at in range(6):
        show(page, recorded[: at + 1], at, busy=True)
    assert page.evaluate("spoken") == [FIRST]
    show(page, recorded, 6, canNext=False)
    rest = spoken(page, recorded, (0, 6))
    assert page.evaluate("spoken") == [FIRST, rest]
    assert (CALL in rest, ANSWERS in rest, END in rest) == (True, True, True)


def test_another_run_is_spoken_from_its_beginning(page: Page) -> None:
    recorded = run()
    show(page, recorded, 3)
    show(page, recorded[:1], 0)
    assert page.inner_text("[role=status]") == FIRST
