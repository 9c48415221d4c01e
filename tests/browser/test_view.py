"""The folder and the card on a bare page, in a browser."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from mingraph_lite.lab.scenarios import never_satisfied, paris_and_tokyo
from mingraph_lite.memory import LastN
from mingraph_lite.views.frame_types import Frame, Line
from mingraph_lite.views.frames import frames
from tests.browser.desk import (
    ALL,
    MOUNT,
    Mount,
    as_row,
    event,
    folder,
    line,
    long_folder,
    marks,
    over,
    pressed,
    run,
    show,
    stop,
)


def colour(value: str) -> tuple[float, ...]:
    """A token's colour as three numbers between 0 and 1."""
    return tuple(int(value.strip()[i : i + 2], 16) / 255 for i in (1, 3, 5))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG 2 defines it."""

    def luminance(value: str) -> float:
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in colour(value)
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_the_folder_at_each_stop_holds_what_was_said_up_to_there(mount: Mount) -> None:
    page, recorded = mount(), run()
    for at in [0, 1, 2, 3, 4, 5, 6, 2, 0, 5]:
        show(page, recorded, at)
        said = [said for frame in recorded[: at + 1] for said in frame["lines"]]
        assert folder(page) == [as_row(one) for one in said]
        assert page.inner_text(".count >> nth=0") == f"{len(said)} messages"


def test_lines_the_last_card_added_carry_its_edge(mount: Mount) -> None:
    page, recorded = mount(), run()
    edges = []
    for at in [0, 1, 2, 1]:
        show(page, recorded, at)
        edges.append(
            page.eval_on_selector_all(
                "#place .folder li.new:not([hidden])",
                "rows => rows.map(r => r.className)",
            )
        )
    called, ran = ["model by-calling new"], ["tool by-running new"] * 2
    assert edges == [[], called, ran, called]
    rows = page.eval_on_selector_all("li.new", "rows => rows.length")
    assert rows == 1


def test_the_card_shows_its_name_rule_fields_source_and_who_picked_it(
    mount: Mount,
) -> None:
    page, recorded = mount(), run()
    show(page, recorded[:2], 1)
    card = recorded[1]["card"]
    assert page.inner_text(".card .name") == "RunningTools"
    assert page.inner_text(".card .rule") == card["rule"]
    assert page.locator(".card dt").all_inner_texts() == ["calls", "step"]
    assert page.locator(".card dd").all_inner_texts() == ["#1, #2", "1 of at most 10"]
    assert page.inner_text(".card .picked") == (
        "picked by CallingModel because the reply passed two slips"
    )
    assert page.text_content(".card details pre") == card["source"]
    assert page.locator(".count").all_inner_texts() == ["3 messages", "card 2"]


def with_source(name: str, source: str | None) -> Frame:
    frame = stop("other", name=name)
    frame["card"]["source"] = source
    return frame


def source_shown(page: Page) -> str | None:
    fold = page.query_selector(".card details pre")
    return fold.text_content() if fold else None


def test_a_source_is_found_in_the_frame_that_said_it(mount: Mount) -> None:
    page = mount()
    recorded = [
        with_source("A", "class A: 1"),
        with_source("B", "class B: 1"),
        with_source("A", None),
        with_source("A", "class A: 2"),  # defined again
        with_source("B", None),
        with_source("A", None),
        with_source("C", ""),  # nobody kept it
        with_source("C", None),
    ]
    seen = []
    for at in [0, 2, 1, 5, 4, 3, 2, 6, 7]:
        show(page, recorded, at)
        seen.append(source_shown(page))
    a, b, again = "class A: 1", "class B: 1", "class A: 2"
    assert seen == [a, a, b, again, b, again, a, None, None]


def test_a_source_is_found_as_a_run_grows_and_is_that_of_its_own_run(
    mount: Mount,
) -> None:
    page, recorded = mount(), run()
    cards = [frame["card"] for frame in recorded[:-1]]
    said = {card["name"]: card["source"] for card in cards if card["source"]}
    seen = []
    for at in range(len(cards)):
        show(page, recorded[: at + 1], at)
        seen.append(source_shown(page))
    assert seen == [said[card["name"]] for card in cards]
    # The next run may have the same frame in this place, and other cards before it.
    same = with_source("A", None)
    for source in ["class A: 1", "class A: 2"]:
        show(page, [with_source("A", source), same], 1)
        assert source_shown(page) == source


def test_a_source_that_was_opened_stays_open_on_the_next_card(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded, 0)
    page.click("summary")
    show(page, recorded, 1)
    assert page.locator(".card pre").is_visible()


def test_the_name_of_the_card_stays_above_a_source_that_was_opened(
    mount: Mount,
) -> None:
    page, recorded = mount(height=500), run()
    show(page, recorded, 0)
    page.click("summary")
    card, name = page.locator(".card"), page.locator(".card .name")
    assert card.evaluate("card => card.scrollTop") > 0
    box, named = card.bounding_box(), name.bounding_box()
    assert box
    assert named
    assert box["y"] <= named["y"] <= box["y"] + 2
    first = page.locator(".card mark").first.bounding_box()
    assert first
    assert first["y"] >= named["y"] + named["height"]


def test_the_closing_frame_has_nothing_in_hand_but_the_outcome(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded, 6, canNext=False)
    assert page.inner_text(".card .name") == "No card left"
    assert page.locator(".card p").all_inner_texts() == [
        "The run is over: answered.",
        "Paris: 64°F, Tokyo: 75°F",
    ]
    assert page.get_attribute(".card", "class") == "card finished over"


def test_a_run_without_an_answer_ends_in_a_stopped_panel(mount: Mount) -> None:
    page = mount()
    agent = never_satisfied.agent(max_steps=1)
    recorded = list(frames(agent, never_satisfied.question))
    show(page, recorded, len(recorded) - 1, canNext=False)
    assert page.get_attribute(".card", "class") == "card stopped over"
    assert page.inner_text(".last") == recorded[-1]["outcome"]["error"]
    assert marks(page) == ["call", "tools", "call", "stopped", "[over]"]


def test_a_view_before_the_first_frame_says_that_there_is_no_card(mount: Mount) -> None:
    page = mount()
    show(page, [], canNext=False)
    assert page.locator(".count").all_inner_texts() == ["0 messages", "no card yet"]
    assert (folder(page), marks(page), page.inner_text(".say")) == ([], [], "")


def test_each_kind_has_a_word_a_shape_and_a_colour_of_its_own(mount: Mount) -> None:
    page = mount()
    kinds = ["calling", "running", "finished", "stopped", "human", "other"]
    recorded = [stop(kind, number=n) for n, kind in enumerate(kinds, 1)]
    shapes, colours = [], []
    for at in range(len(kinds)):
        show(page, recorded, at)
        shapes.append(page.inner_html(".card .name svg"))
        colours.append(
            page.eval_on_selector(".card", "card => getComputedStyle(card).color")
        )
    assert (len(set(shapes)), len(set(colours))) == (6, 6)
    words = ["call", "tools", "finished", "stopped", "human", "[SomeCard]"]
    assert marks(page) == words


def test_marks_ahead_are_dimmed_and_the_current_one_is_named(mount: Mount) -> None:
    page, recorded = mount(), run()
    seen = []
    for upto, at in [(1, 0), (3, 2), (3, 1), (7, 3)]:
        show(page, recorded[:upto], at)
        seen.append(marks(page))
    assert seen == [
        ["[call]"],
        ["call", "tools", "[call]"],
        ["call", "[tools]", ".call."],
        ["call", "tools", "call", "[tools]", ".call.", ".finished.", ".over."],
    ]
    titles = page.eval_on_selector_all(".mark", "marks => marks.map(m => m.title)")
    assert titles == [
        "card 1: CallingModel, round 1",
        "card 2: RunningTools, round 1",
        "card 3: CallingModel, round 2",
        "card 4: RunningTools, round 2",
        "card 5: CallingModel, round 3",
        "card 6: Finished",
        "run over: answered",
    ]


def test_a_mark_takes_the_view_to_its_frame(mount: Mount) -> None:
    page = mount()
    show(page, run(), 0)
    page.get_by_title("card 4: RunningTools").click()
    assert pressed(page) == [["goto", 3]]


def test_what_looks_like_html_is_shown_as_text(mount: Mount) -> None:
    page = mount()
    hostile = "<img src=x onerror='window.broken = true'><b>bold</b>"
    unfit = {"number": 1, "call": hostile, "raw": hostile, "problem": hostile}
    card = stop(
        "human",
        line("user", hostile),
        line("model", "", slips=[unfit]),
        line("tool", hostile, answers=1),
    )
    card["card"] |= {"name": hostile, "rule": hostile, "source": hostile}
    card["card"]["fields"] = {hostile: hostile}
    card["events"] = [event("model_reply", hostile)]
    card |= {"picked_by": hostile, "because": hostile, "sentence": hostile}
    show(page, [card])
    assert folder(page) == [
        f"user: {hostile}",
        f"model: #1 {hostile} / cannot be run: {hostile} / sent as {hostile}",
        f"tool: #1 {hostile}",
    ]
    assert page.inner_text(".card .name") == hostile
    assert page.inner_text(".card .note") == f"note on the reply: {hostile}"
    assert page.inner_text(".say") == hostile
    show(page, [card, over(hostile, hostile, hostile)], 1)
    assert page.locator(".last").all_inner_texts() == [hostile, hostile]
    assert page.locator(".mingraph img, .card p b b").count() == 0
    assert page.evaluate("window.broken") is None


def test_a_slip_that_was_not_taken_as_sent_says_what_came_and_why(
    mount: Mount,
) -> None:
    page = mount()
    slips = [
        {"number": 1, "call": "ping()", "raw": None, "problem": None},
        {"number": 2, "call": "ping()", "raw": "`{}`", "problem": None},
        {"number": 3, "call": "ping()", "raw": '{"ci', "problem": "no JSON."},
        {"number": 4, "call": "ping()", "raw": None, "problem": "cut off."},
    ]
    show(page, [stop("running", line("model", "", "calling", slips=slips))])
    assert folder(page) == [
        "model: #1 ping() | #2 ping() / sent as `{}`"
        ' | #3 ping() / cannot be run: no JSON. / sent as {"ci'
        " | #4 ping() / cannot be run: cut off."
    ]
    look = page.eval_on_selector_all(".slip", "all => all.map(s => s.className)")
    assert look == ["slip", "slip", "slip unfit", "slip unfit"]


def test_the_notes_on_a_reply_stand_on_the_card_that_it_led_to(mount: Mount) -> None:
    page = mount()
    noted = [event("model_call"), event("model_reply", "text cut", "cut off")]
    recorded = [
        stop("calling"),
        stop("running") | {"events": noted},
        stop("calling"),
        over("failed", None, "ModelError: no") | {"events": noted},
    ]
    seen = []
    for at in range(4):
        show(page, recorded, at)
        seen.append(page.locator(".card .note").all_inner_texts())
    notes = ["note on the reply: text cut", "note on the reply: cut off"]
    assert seen == [[], notes, [], notes]


def test_text_keeps_its_line_breaks_and_its_signs_and_wraps(mount: Mount) -> None:
    page = mount(width=360)
    text = "18 °C 🌦️\nand\n  indented " + "verylongword" * 40
    show(page, [stop("calling", line("user", text), line("model", ""))])
    assert page.inner_text("#place .folder li:first-child .said") == text
    assert folder(page)[1] == "model: (said nothing)"
    box, said = "#place .folder", ".folder .said"
    for part in (box, said):
        fits = page.eval_on_selector(part, "e => e.scrollWidth <= e.clientWidth")
        assert fits, f"{part} is wider than its place"


def test_buttons_say_what_was_pressed(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded[:2], 1)
    for name in ["Next card", "Back", "Play", "Reset"]:
        page.get_by_role("button", name=name).click()
    assert pressed(page) == [["next"], ["back"], ["play"], ["reset"]]
    show(page, recorded[:3], 0)
    page.get_by_role("button", name="Next card").click()
    assert pressed(page) == [["goto", 1]]
    show(page, recorded[:2], 1, busy=True)
    page.get_by_role("button", name="Stop").click()
    assert pressed(page) == [["stop"]]


@pytest.mark.parametrize(
    ("upto", "at", "state", "usable"),
    [
        (0, 0, {"canNext": False}, []),
        (1, 0, {}, ["Next card", "Play", "Reset"]),
        (3, 2, {}, ["Next card", "Back", "Play", "Reset"]),
        (3, 2, {"busy": True}, ["Back", "Stop"]),
        (7, 6, {"canNext": False}, ["Back", "Reset"]),
        (7, 6, {"canNext": False, "canPlay": True}, ["Back", "Play", "Reset"]),
        (7, 5, {"canNext": False}, ["Next card", "Back", "Play", "Reset"]),
        (3, 2, {"controls": False}, []),
    ],
)
def test_only_buttons_that_do_something_can_be_pressed(
    mount: Mount, upto: int, at: int, state: dict[str, bool], usable: list[str]
) -> None:
    page = mount()
    show(page, run()[:upto], at, **state)
    buttons = page.locator(
        ".buttons button:not([aria-disabled=true]):not([inert]):visible"
    ).all_inner_texts()
    assert [re.sub(r"\s*[→←]", "", text).strip() for text in buttons] == usable


def test_while_a_card_runs_the_hand_says_so(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded[:2], 1, busy=True)
    running = page.inner_text(".count >> nth=1")
    show(page, recorded[:2], 0, busy=True)
    looking_back = page.inner_text(".count >> nth=1")
    assert (running, looking_back) == ("card 2, running", "card 1")


def test_arrow_keys_step_and_home_and_end_jump(mount: Mount) -> None:
    page, recorded = mount(), run()[:4]
    show(page, recorded, 3)
    page.focus(".desk")
    for key in ["ArrowRight", "ArrowLeft", "Home", "End"]:
        page.keyboard.press(key)
    assert pressed(page) == [["next"], ["back"], ["goto", 0]]
    show(page, recorded, 0)
    for key in ["ArrowRight", "ArrowLeft", "Home", "End"]:
        page.keyboard.press(key)
    assert pressed(page) == [["goto", 1], ["goto", 3]]


def test_keys_do_nothing_while_a_card_runs_or_after_the_last(mount: Mount) -> None:
    page, recorded = mount(), run()
    page.focus(".desk")
    show(page, recorded[:2], 1, busy=True)
    page.keyboard.press("ArrowRight")
    show(page, recorded, 6, canNext=False)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert pressed(page) == []


def test_keys_with_a_modifier_or_outside_the_view_are_left_alone(mount: Mount) -> None:
    page = mount()
    show(page, run()[:3], 2)
    page.focus(".desk")
    for key in ["Control+ArrowLeft", "Alt+ArrowLeft", "Shift+Home", "ArrowDown", "a"]:
        page.keyboard.press(key)
    page.focus("#outside input")
    page.keyboard.press("ArrowLeft")
    assert pressed(page) == []


def test_keys_in_the_view_neither_scroll_nor_reach_the_page(mount: Mount) -> None:
    page = mount(height=300)
    show(page, [long_folder(40)])
    page.evaluate("""() => {
      window.heard = [];
      window.onkeydown = (event) => heard.push(event.key);
    }""")
    page.focus(".desk")
    page.evaluate("scrollTo(0, 120)")
    for key in ["End", "Home", "ArrowRight", "ArrowLeft", "x"]:
        page.keyboard.press(key)
    assert page.evaluate("[scrollY, heard]") == [120, ["x"]]


def test_the_arrows_go_on_working_after_a_button_was_pressed(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded[:2], 1)
    page.get_by_role("button", name="Next card").click()
    show(page, recorded[:2], 1, busy=True)
    show(page, recorded[:3], 2)
    page.keyboard.press("ArrowLeft")
    assert pressed(page) == [["next"], ["back"]]


def test_a_step_from_a_mark_takes_the_focus_along(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded, 2)
    page.focus(".mark[aria-current]")
    show(page, recorded, 3)
    assert page.evaluate("document.activeElement.title") == (
        "card 4: RunningTools, round 2"
    )
    stops = page.eval_on_selector_all(".mark", "all => all.map(m => m.tabIndex)")
    assert stops == [-1, -1, -1, 0, -1, -1, -1]


def test_the_desk_is_a_named_group_that_keeps_notebook_shortcuts_out(
    mount: Mount,
) -> None:
    desk = mount().get_by_role("group", name="The folder and the card")
    names = ["tabindex", "data-lm-suppress-shortcuts"]
    assert [desk.get_attribute(name) for name in names] == ["0", "true"]


def test_a_longer_run_adds_its_lines_and_touches_no_other(mount: Mount) -> None:
    page = mount()
    frames_so_far = [long_folder(150)]
    show(page, frames_so_far)
    page.evaluate("""() => {
      window.changes = [];
      const note = (seen) => changes.push(...seen.map((c) =>
        [c.type, c.addedNodes.length, c.removedNodes.length]));
      const folder = document.querySelector("#place .folder");
      const all = { childList: true, attributes: true, subtree: true };
      new MutationObserver(note).observe(folder, all);
    }""")
    added = stop("running", line("model", "One more.", "calling"), number=2)
    show(page, [*frames_so_far, added], 1)
    assert page.evaluate("changes") == [
        ["childList", 1, 0],  # the row
        ["attributes", 0, 0],  # gets the edge
    ]
    assert (len(folder(page)), folder(page)[-1]) == (151, "model: One more.")


def test_a_card_is_laid_down_once_and_not_again_by_other_changes(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded[:2], 1)
    page.eval_on_selector(".card", "card => (card.kept = true)")
    show(page, recorded[:2], 1, busy=True)
    show(page, recorded[:3], 1)
    kept = page.eval_on_selector(".card", "card => card.kept")
    show(page, recorded[:3], 2)
    fresh = page.eval_on_selector(".card", "card => card.kept")
    assert (kept, fresh) == (True, None)


def test_another_run_takes_the_place_of_the_one_before(mount: Mount) -> None:
    page, recorded = mount(), run()
    show(page, recorded, 5)
    agent = never_satisfied.agent(max_steps=1)
    others = list(frames(agent, never_satisfied.question))
    show(page, others[:3], 2)
    said = [said for frame in others[:3] for said in frame["lines"]]
    assert folder(page) == [as_row(one) for one in said]
    assert marks(page) == ["call", "tools", "[call]"]
    assert page.locator("#place .folder li").count() == len(said)


def test_the_newest_line_is_in_view(mount: Mount) -> None:
    page = mount()
    show(page, [long_folder(60)])
    inside = page.evaluate("""() => {
      const box = document.querySelector("#place .folder").getBoundingClientRect();
      const row = document.querySelector("#place .folder li:last-child");
      const { top, bottom } = row.getBoundingClientRect();
      return top >= box.top && bottom <= box.bottom;
    }""")
    assert inside


@pytest.mark.parametrize("height", [740, 640])
def test_at_360_pixels_the_buttons_stay_in_reach(mount: Mount, height: int) -> None:
    page, recorded = mount(width=360, height=height), run()
    page.evaluate("document.getElementById('outside').remove()")
    recorded[0] |= {"lines": [line("user", f"Line {n}.") for n in range(60)]}
    show(page, recorded[:2], 1)
    width = page.evaluate("document.documentElement.scrollWidth")
    next_card = page.get_by_role("button", name="Next card").bounding_box()
    name = page.locator(".card .name").bounding_box()
    assert next_card is not None
    assert name is not None
    assert width == 360
    assert 0 <= next_card["y"] <= height - next_card["height"]
    assert 0 <= name["y"] <= height - name["height"]


def test_two_columns_need_a_wide_place_not_a_wide_window(mount: Mount) -> None:
    page = mount(width=1200)
    show(page, run()[:2], 1)
    columns = "getComputedStyle(document.querySelector('.panels')).gridTemplateColumns"
    wide = page.evaluate(columns).split()
    page.evaluate("document.getElementById('place').style.width = '420px'")
    narrow = page.evaluate(columns).split()
    assert (len(wide), len(narrow)) == (2, 1)


def test_nothing_outside_the_view_changes_its_style(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(viewport={"width": 860, "height": 700})
    page.goto(address)
    styles = """() => [...document.querySelectorAll("#outside *")].map((node) =>
      [node.tagName, ...[...getComputedStyle(node)].map((name) =>
        name + ": " + getComputedStyle(node).getPropertyValue(name))])"""
    before = page.evaluate(styles)
    page.evaluate(MOUNT)
    show(page, run(), 3)
    after = page.evaluate(styles)
    page.evaluate("view.destroy()")
    left = page.eval_on_selector("#place", "place => place.childElementCount")
    page.close()
    assert after == before
    assert left == 0


def test_every_rule_of_the_sheets_stands_under_the_view(mount: Mount) -> None:
    selectors = mount().evaluate("""() => {
      const found = [];
      const walk = (rules) => { for (const rule of rules) {
        if (rule instanceof CSSKeyframesRule) found.push(rule.name);
        else if (rule.selectorText) found.push(rule.selectorText);
        else walk(rule.cssRules);
      } };
      for (const sheet of document.styleSheets) if (sheet.href) walk(sheet.cssRules);
      return found;
    }""")
    assert len(selectors) > 50
    parts = [
        part.strip() for rule in selectors for part in re.split(r",(?![^(]*\))", rule)
    ]
    assert [part for part in parts if "mingraph" not in part] == []


@pytest.mark.parametrize("theme", ["light", "dark", "notebook"])
def test_words_can_be_read_in_both_themes(mount: Mount, theme: str) -> None:
    page = mount()
    show(page, run(), 1)
    if theme == "dark":
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
    if theme == "notebook":
        page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    tokens = page.eval_on_selector(
        ".mingraph",
        """node => Object.fromEntries(
          ["paper", "sheet", "ink", "soft", "hush", "calling", "running", "finished",
           "stopped", "human", "calling-bg", "running-bg", "finished-bg",
           "stopped-bg", "human-bg"].map((name) =>
            [name, getComputedStyle(node).getPropertyValue("--" + name)]))""",
    )
    assert tokens["paper"] == ("#faf8f3" if theme == "light" else "#17191d")
    pairs = [
        (text, on) for text in ("ink", "soft") for on in ("paper", "sheet", "hush")
    ]
    for kind in ("calling", "running", "finished", "stopped", "human"):
        pairs += [(kind, "sheet"), (kind, f"{kind}-bg"), ("ink", f"{kind}-bg")]
    ratios = {pair: contrast(*(tokens[name] for name in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize(
    ("wish", "animation"),
    [("reduce", "none"), ("no-preference", "mingraph-turn")],
)
def test_a_card_turns_only_where_motion_is_welcome(
    mount: Mount, wish: str, animation: str
) -> None:
    page = mount(reduced_motion=wish)
    show(page, run(), 1)
    assert page.eval_on_selector(
        ".card", "card => getComputedStyle(card).animationName"
    ) == (animation)


# Panels


# On how many lines a tool's name stands, on each slip that is shown.
LINES_OF_NAMES = """() => [...document.querySelectorAll(".slip code")].map((code) => {
  const range = document.createRange();
  range.setStart(code.firstChild, 0);
  range.setEnd(code.firstChild, code.textContent.indexOf("("));
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
})"""


def test_with_all_panels_a_tools_name_stands_on_one_line(mount: Mount) -> None:
    recorded = list(frames(paris_and_tokyo.agent(), paris_and_tokyo.question))
    # As wide as in the playground on a screen of 1280, less what scrollbars take: this
    # browser's take nothing.
    page = mount(width=751 - 3 * 10)
    show(page, recorded, 5, panels=ALL)
    assert set(page.evaluate(LINES_OF_NAMES)) == {1}


def headings(page: Page) -> list[str]:
    return page.locator(".panels h2 b").all_inner_texts()


@pytest.mark.parametrize(
    ("panels", "heads", "name", "sentence"),
    [
        (["folder"], ["The folder"], "The folder", "folder has 3 messages"),
        (
            ["folder", "aloud"],
            ["The folder", "Read aloud"],
            "The folder and what was read aloud",
            "folder has 3 messages",
        ),
        (
            ALL,
            ["The folder", "Read aloud", "The card"],
            "The folder, what was read aloud and the card",
            "holding: RunningTools | folder has 3 messages",
        ),
    ],
)
def test_the_picture_has_the_panels_that_are_asked_for(
    mount: Mount, panels: list[str], heads: list[str], name: str, sentence: str
) -> None:
    page = mount()
    show(page, run(), 1, panels=panels)
    assert headings(page) == heads
    assert page.get_attribute(".desk", "aria-label") == name
    assert page.inner_text(".say") == sentence


def test_without_the_card_no_mark_speaks_of_cards(mount: Mount) -> None:
    page = mount()
    show(page, run(), 1, panels=["folder"])
    titles = "marks => marks.map(m => m.title)"
    assert page.eval_on_selector_all(".mark", titles) == [
        "stop 1: call, round 1",
        "stop 2: tools, round 1",
        "stop 3: call, round 2",
        "stop 4: tools, round 2",
        "stop 5: call, round 3",
        "stop 6: finished",
        "run over: answered",
    ]
    show(page, run(), 1, panels=["folder", "card"])
    first = page.eval_on_selector_all(".mark", titles)[0]
    assert first == "card 1: CallingModel, round 1"


def test_a_switch_shows_all_panels_and_goes_back(mount: Mount) -> None:
    page = mount()
    show(page, run(), 1, panels=["folder"])
    switch = page.get_by_role("button", name="show all")
    seen = [(headings(page), switch.get_attribute("aria-pressed"))]
    for _ in range(2):
        switch.click()
        seen.append((headings(page), switch.get_attribute("aria-pressed")))
    everything = ["The folder", "Read aloud", "The card"]
    assert seen == [
        (["The folder"], "false"),
        (everything, "true"),
        (["The folder"], "false"),
    ]
    assert pressed(page) == []
    show(page, run(), 1, panels=ALL)
    assert switch.is_hidden()


def aloud(page: Page) -> list[str]:
    """What the panel says, a line for each row and heading."""
    rows = page.locator(".aloud :is(li, .menu, h3, p.nothing)").all_inner_texts()
    return [" ".join(text.split()) for text in rows]


def forgetful() -> list[Frame]:
    """A run whose memory reads out three messages."""
    agent = paris_and_tokyo.agent()
    agent.memory = LastN(3)
    return list(frames(agent, paris_and_tokyo.question))


def test_what_was_read_aloud_is_compared_with_the_call_before(mount: Mount) -> None:
    page, recorded = mount(), forgetful()
    show(page, recorded[:1], 0, panels=["folder", "aloud"])
    assert aloud(page) == ["Nothing yet: no model call was heard."]
    show(page, recorded, 5, panels=["folder", "aloud"])
    prompt, question = (said["text"] for said in recorded[0]["lines"])
    assert aloud(page) == [
        f"system {prompt}",
        f"user {question}",
        "model #3 to_fahrenheit(celsius=18) #4 to_fahrenheit(celsius=24) new",
        "tool #3 64 new",
        "tool #4 75 new",
        "menu get_weather to_fahrenheit",
        "Not read aloud",
        'model #1 get_weather(city="Paris") #2 get_weather(city="Tokyo") dropped',
        "tool #1 18 dropped",
        "tool #2 24 dropped",
    ]
    assert page.inner_text(".count >> nth=1") == "call 3: 5 read, 3 not"


def test_what_was_read_aloud_is_the_same_whichever_way_one_came(mount: Mount) -> None:
    page, recorded = mount(), forgetful()
    seen = []
    for at in range(len(recorded)):
        show(page, [], 0)  # what comes after it is another run
        show(page, recorded, at, panels=ALL)
        seen.append(aloud(page))
    for at in [5, 1, 3, 0, 6, 2, 4]:
        show(page, recorded, at, panels=ALL)
        assert aloud(page) == seen[at]


def test_a_line_that_is_read_twice_in_a_call_stands_there_twice(mount: Mount) -> None:
    page, twice = mount(), call("folder", [])
    twice["spans"] *= 2
    for _ in range(2):
        show(page, [with_readings(twice)], panels=ALL)
        assert aloud(page) == ["user Go", "user Go", "menu (no tools)"]


def with_readings(*readings: dict[str, Any], asides: tuple[Line, ...] = ()) -> Frame:
    frame = stop("calling", line("user", "Go"))
    return frame | {"readings": list(readings), "asides": list(asides)}


def call(of: str, menu: list[str]) -> dict[str, Any]:
    span = {"of": of, "start": 0, "end": 1}
    tools = menu and [{"name": n, "description": "", "parameters": "{}"} for n in menu]
    return {"step": 1, "spans": [span], "folder": 1, "menu": tools}


def test_two_calls_of_one_card_stand_below_each_other(mount: Mount) -> None:
    page, hostile = mount(), "<img src=x onerror='window.broken = true'>"
    summary = line("user", hostile)
    calls = call("aside", [hostile]), call("folder", ["ok"])
    show(page, [with_readings(*calls, asides=(summary,))], panels=ALL)
    assert aloud(page) == [
        "call 1",
        f"user {hostile} not in the folder",
        f"menu {hostile}",
        "Not read aloud",
        "user Go",
        "call 2",
        "user Go new",
        f"menu ok new gone: {hostile}",
        "Not read aloud",
        f"user {hostile} not in the folder dropped",
    ]
    assert page.evaluate("window.broken") is None


# What holds still

BOXES = """() => {
  const shown = [...document.querySelectorAll(".buttons button")]
    .filter((button) => button.offsetParent)
  const box = (button) => {
    const { x, y, width, height } = button.getBoundingClientRect()
    return [button.firstChild.textContent, x, y, width, height]
  }
  return [...shown.map(box), document.documentElement.scrollWidth]
}"""
"""The buttons in sight with their places, in one answer: it is asked often."""


@pytest.mark.parametrize("size", ["", "large"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 740)])
@pytest.mark.parametrize("panels", [["folder"], ["folder", "aloud"], ALL])
def test_the_buttons_stay_where_they_are_while_the_run_goes_on(
    mount: Mount, width: int, height: int, panels: list[str], size: str
) -> None:
    page = mount(width=width, height=height)
    page.evaluate("document.getElementById('outside').remove()")
    agent = never_satisfied.agent(max_steps=8)
    recorded = list(frames(agent, never_satisfied.question))
    seen = set()
    for at in range(len(recorded)):
        show(page, recorded[: at + 1], at, panels=panels, size=size)
        *boxes, wide = page.evaluate(BOXES)
        assert wide == width
        seen |= {tuple(box) for box in boxes}
    assert {name for name, *_ in seen} >= {"Next card", "Back", "Reset"}
    assert len(seen) == len({name for name, *_ in seen})
    assert all(y + tall <= height for _, _, y, _, tall in seen)


def test_play_and_stop_take_the_same_place(mount: Mount) -> None:
    page = mount(width=1280)
    places = []
    for busy in [False, True]:
        show(page, run()[:2], 1, busy=busy)
        places.append(page.get_by_role("button", name="Reset").bounding_box())
    assert places[0] == places[1]


def test_for_a_projector_no_type_is_small(mount: Mount) -> None:
    page = mount(width=1280, height=720)
    sizes = {}
    for size in ["", "large"]:
        show(page, forgetful(), 5, panels=ALL, size=size)
        sizes[size] = page.eval_on_selector_all(
            "#place :is(.said, .rule, .who, .mark, .tag, code, h2, dd, dt, button)",
            "all => Math.min(...all.map(n => parseInt(getComputedStyle(n).fontSize)))",
        )
    body = page.eval_on_selector_all(
        ".desk, .folder .said, .card .rule",
        "all => all.map(n => getComputedStyle(n).fontSize)",
    )
    assert {*body} == {"18px"}
    assert (sizes[""], sizes["large"]) == (11, 15)


def test_one_attribute_on_the_page_turns_the_size(mount: Mount) -> None:
    page = mount()
    show(page, run(), 1)
    page.evaluate("document.documentElement.dataset.size = 'large'")
    size = "getComputedStyle(document.querySelector('.desk')).fontSize"
    assert page.evaluate(size) == "18px"


# The source


LONG = (
    "class Long(Card):\n"
    '    """Say it.\n\n    return is only a word here\n    """\n\n'
    + "    # a line that leads nowhere\n" * 60
    + "    def run(self, desk):\n        if desk: return A()\n"
    + "        pass\n" * 3
    + "        return B()\n"
    + "    # and on\n" * 40
)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 740)])
def test_a_source_opens_where_its_returns_can_be_seen(
    mount: Mount, width: int, height: int
) -> None:
    page = mount(width=width, height=height)
    show(page, [with_source("Long", LONG), with_source("Other", LONG)], 0)
    page.click("summary")
    inside = """() => {
      const box = document.querySelector(".card").getBoundingClientRect();
      return [...document.querySelectorAll(".card mark")].map((mark) => {
        const { top, bottom } = mark.getBoundingClientRect();
        return [mark.textContent.trim(), top >= box.top && bottom <= box.bottom];
      });
    }"""
    both = [["if desk: return A()", True], ["return B()", True]]
    page.wait_for_function("document.querySelector('.card').scrollTop > 0")
    assert page.evaluate(inside) == both
    show(page, [with_source("Long", LONG), with_source("Other", LONG)], 1)
    page.wait_for_function("document.querySelector('.card').scrollTop > 0")
    assert page.evaluate(inside) == both


def test_all_returns_of_our_longest_card_are_seen_at_once(mount: Mount) -> None:
    page = mount(width=1280, height=720)
    show(page, run(), 0)
    page.click("summary")
    page.wait_for_function("document.querySelector('.card').scrollTop > 0")
    outside = page.evaluate("""() => {
      const box = document.querySelector(".card").getBoundingClientRect();
      return [...document.querySelectorAll(".card mark")].filter((mark) => {
        const { top, bottom } = mark.getBoundingClientRect();
        return top < box.top || bottom > box.bottom;
      }).length;
    }""")
    marked = page.locator(".card mark").count()
    assert (outside, marked) == (0, 5)


def test_the_arrows_move_long_lines_of_code_first_and_then_step(mount: Mount) -> None:
    page = mount()
    show(page, [with_source("Long", "return " + "x" * 400)], 0)
    page.click("summary")
    page.focus(".card pre")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.card pre').scrollLeft > 0")
    assert pressed(page) == []
    page.eval_on_selector(".card pre", "pre => (pre.scrollLeft = 1e6)")
    page.keyboard.press("ArrowRight")
    assert pressed(page) == [["next"]]


def test_a_warning_stands_on_the_card(mount: Mount) -> None:
    page = mount()
    show(page, [stop("calling") | {"events": [event("warning")]}])
    assert page.inner_text(".card .note") == "warning: what happened"
