"""Lines to order on a bare page, in a browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.bare_page import BarePage, bare_page, violations
from tests.views.test_lines_to_order import LINES, PLACED

CHECKED = LINES | {"placed": PLACED, "left_out": ["a"]}
STATES = {
    "fresh": LINES,
    "wrong": CHECKED | {"verdict": "Nothing is kept."},
    "right": CHECKED | {"verdict": "It ended by itself.", "right": True},
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BarePage]:
    with bare_page("lines_to_order", tmp_path_factory.mktemp("page")) as bare:
        yield bare


@pytest.fixture
def lines(opened: BarePage) -> Iterator[BarePage]:
    yield opened
    assert opened.broken == []


def order(lines: BarePage) -> list[str]:
    """Each line as it stands: `>` for a level, what is in its blanks, its word."""
    found: list[str] = lines.page.evaluate("""() =>
      [...document.querySelectorAll(".parsons li")].map((row) => {
        const code = row.querySelector("code");
        const depth = Number(code.style.getPropertyValue("--depth"));
        const text = [...code.childNodes].map((n) => n.value ?? n.textContent).join("");
        const word = row.querySelector("small").textContent;
        return ">".repeat(depth) + text + (word && ` (${word})`);
      })""")
    return found


def heard(lines: BarePage) -> str:
    return lines.page.locator(".heard").text_content() or ""


def verdict(lines: BarePage) -> str:
    return lines.page.locator(".verdict").text_content() or ""


def grip(lines: BarePage, text: str) -> Locator:
    return lines.page.locator("li", has_text=text).locator(".grip")


def middle(node: Locator) -> tuple[float, float]:
    box = node.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_lines_begin_as_they_were_shuffled_with_nothing_left_out(
    lines: BarePage,
) -> None:
    lines.mount(LINES)
    assert order(lines) == ["folder.clear()", "folder.append() (fill)", "while True:"]
    assert verdict(lines) == ""


def test_by_keyboard_alone_lines_are_ordered_filled_and_checked(
    lines: BarePage,
) -> None:
    keys = lines.mount(LINES).keyboard
    keys.press("Tab")
    keys.press("Delete")
    assert heard(lines) == "folder.clear() is left out."
    keys.press("Tab")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"):
        keys.press(key)
    assert heard(lines) == "folder.append(blank) is line 3 of 3, indented once."
    assert lines.focused() == "folder.append(blank), indented once"
    keys.type("reply")  # the first letter goes into the blank as well
    assert lines.focused() == "Blank in folder.append(blank)"
    keys.press("ArrowLeft")  # moves the cursor, and no line
    keys.press("Enter")
    assert lines.focused() == "folder.append(blank), indented once"
    assert order(lines) == [
        "folder.clear() (left out)",
        "while True:",
        ">folder.append(reply)",
    ]
    keys.press("Enter")
    assert lines.focused() == "Blank in folder.append(blank)"
    keys.press("Tab")
    assert lines.focused() == "Check"
    keys.press("Enter")
    keys.press("Enter")
    assert lines.acts() == [{"act": "check", "placed": PLACED}]


def test_by_its_buttons_the_line_in_hand_is_moved(lines: BarePage) -> None:
    page = lines.mount(LINES)
    page.get_by_text("while True:").click()
    assert lines.focused() == "while True:"
    up = page.get_by_role("button", name="Move up")
    for _ in range(2):
        up.click()
    page.get_by_role("button", name="Indent more").click()
    assert order(lines)[0] == ">while True:"
    assert heard(lines) == "while True: is line 1 of 3, indented once."
    expect(up).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Leave out").click()
    assert order(lines)[0] == "while True: (left out)"
    page.get_by_role("button", name="Put back in").click()
    assert order(lines)[0] == ">while True:"


def test_a_line_is_carried_to_its_place_and_depth(lines: BarePage) -> None:
    page = lines.mount(LINES)
    x, y = middle(grip(lines, "folder.clear()"))
    _, last = middle(grip(lines, "while True:"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y + 20)
    page.mouse.move(x + 55, last + 10, steps=4)
    page.mouse.up()
    assert order(lines) == ["folder.append() (fill)", "while True:", ">>folder.clear()"]
    assert heard(lines) == "folder.clear() is line 3 of 3, indented 2 times."
    assert lines.focused() == "folder.clear(), indented 2 times"
    assert page.locator(".carried").count() == 0


@pytest.mark.parametrize(
    ("part", "order_after"),
    [
        (".grip", ["folder.append() (fill)", ">folder.clear()", "while True:"]),
        ("code", ["folder.clear()", "folder.append() (fill)", "while True:"]),
    ],
)
def test_a_finger_carries_a_line_by_its_grip_and_scrolls_elsewhere(
    lines: BarePage, part: str, order_after: list[str]
) -> None:
    page = lines.mount(LINES)
    x, y = middle(page.locator("li", has_text="folder.clear()").locator(part))
    touch = page.context.new_cdp_session(page)
    places = [(x, y), (x + 12, y + 20), (x + 30, y + 55)]
    for place, (left, top) in enumerate(places):
        kind = "touchMove" if place else "touchStart"
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": left, "y": top}]},
        )
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert order(lines) == order_after


def test_a_drag_that_is_broken_off_leaves_the_lines_as_they_were(
    lines: BarePage,
) -> None:
    page = lines.mount(LINES)
    before = order(lines)
    x, y = middle(grip(lines, "folder.clear()"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 100, steps=3)
    assert order(lines) != before
    page.evaluate("""() => {
      const init = { pointerId: 1, bubbles: true };
      document.querySelector(".parsons").dispatchEvent(
        new PointerEvent("pointercancel", init));
    }""")
    assert order(lines) == before
    page.mouse.up()


def test_after_a_check_the_lines_stay_and_a_change_ages_the_verdict(
    lines: BarePage,
) -> None:
    page = lines.mount(CHECKED)
    grip(lines, "folder.clear()").focus()
    page.keyboard.press("ArrowUp")
    put = [
        "while True:",
        "folder.clear() (left out)",
        ">folder.append(reply)",
    ]
    page.get_by_role("button", name="Check").click()
    assert lines.acts() == [{"act": "check", "placed": PLACED}]
    lines.update(CHECKED | {"verdict": "Not yet."})
    assert (order(lines), verdict(lines)) == (put, "Not yet.")
    page.get_by_role("button", name="Check").click()
    lines.update(CHECKED | {"verdict": "It ended.", "right": True})
    assert (order(lines), verdict(lines)) == (put, "✓ Right. It ended.")
    grip(lines, "while True:").press("ArrowRight")
    assert verdict(lines) == "The last check said: It ended."


def test_lines_shown_from_outside_take_the_place_of_those_here(
    lines: BarePage,
) -> None:
    page = lines.mount(STATES["wrong"])
    grip(lines, "while True:").press("ArrowDown")
    page.get_by_role("button", name="Indent more").click()
    lines.update(LINES)
    assert order(lines) == ["folder.clear()", "folder.append() (fill)", "while True:"]
    assert verdict(lines) == ""


def test_put_them_back_can_be_undone(lines: BarePage) -> None:
    page = lines.mount(STATES["right"])
    put = order(lines)
    page.get_by_role("button", name="Put them back").click()
    assert order(lines) == ["folder.clear()", "folder.append() (fill)", "while True:"]
    page.get_by_role("button", name="Undo").click()
    assert order(lines) == put
    expect(page.get_by_role("button", name="Put them back")).to_be_visible()


def test_a_line_with_html_in_it_is_text(lines: BarePage) -> None:
    html = "<img src=x onerror=alert(1)>"
    only = [{"letter": "a", "text": f"{html}____{html}"}]
    page = lines.mount(LINES | {"lines": only, "verdict": html})
    assert (order(lines), verdict(lines)) == ([f"{html}{html} (fill)"], html)
    assert page.locator("#place img").count() == 0


@pytest.mark.parametrize("state", STATES)
def test_nobody_is_kept_out_and_a_phone_need_not_scroll_aside(
    lines: BarePage, state: str
) -> None:
    long: Any = {"letter": "z", "text": "answer = llm.generate(____, menu).message" * 3}
    page = lines.mount(STATES[state] | {"lines": [*LINES["lines"], long]}, width=390)
    assert violations(page) == []
    assert not lines.too_wide()
    assert lines.small() == []
    group = page.get_by_role("group", name="Lines to order")
    expect(group).to_be_visible()
    assert lines.keys_kept() == {True}


def test_every_rule_of_the_sheets_stands_under_the_view(lines: BarePage) -> None:
    assert lines.strange_rules() == []


def test_a_notebook_hears_the_check_and_draws_each_answer(lines: BarePage) -> None:
    page = lines.render("lines", CHECKED)
    for _ in range(2):
        page.get_by_role("button", name="Check").click()
        page.evaluate("answer({ verdict: 'Not yet.' })")
        assert verdict(lines) == "Not yet."
    assert lines.acts() == [{"act": "check", "placed": PLACED}] * 2
    page.evaluate("shown.destroy()")
    assert page.locator("#place > *").count() == 0
