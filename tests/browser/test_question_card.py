"""The question card on a bare page, in a browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.bare_page import BarePage, bare_page, violations
from tests.views.test_question_card import ASKED, TYPED

NEXT = "Now run the next cell."
GUESSED = ASKED | {"guess": "twice", "why": "both cities"}
REVEALED = GUESSED | {"fact": "never", "told": "Nobody has run them yet."}
STATES = {
    "asked": ASKED,
    "noted": GUESSED,
    "skipped": ASKED | {"skipped": True},
    "votes": ASKED | {"votes": [4, 15, 3]},
    "votes revealed": ASKED | {"votes": [4, 15, 3], "fact": "never", "told": "So."},
    "revealed": REVEALED,
    "typed": TYPED,
    "of the wrong kind": TYPED | {"note": "A number, please."},
    "typed and revealed": TYPED | {"guess": "2", "fact": "30", "told": "All of it."},
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BarePage]:
    with bare_page("question_card", tmp_path_factory.mktemp("page")) as bare:
        yield bare


@pytest.fixture
def card(opened: BarePage) -> Iterator[BarePage]:
    yield opened
    assert opened.broken == []


def rows(card: BarePage) -> list[str]:
    """Each choice as it is read, what is heard only included."""
    texts = card.page.locator(".choice").all()
    return [" ".join((row.text_content() or "").split()) for row in texts]


def said(card: BarePage) -> str:
    """What the live region says."""
    return card.page.locator("[role=status]").text_content() or ""


def test_a_guess_is_picked_by_click_and_locked_by_a_press(card: BarePage) -> None:
    page = card.mount(ASKED, next=NEXT)
    page.get_by_role("radio", name="once").check()
    page.get_by_text("twice", exact=True).click()
    assert rows(card) == ["1never", "2twiceyour guess", "3once"]
    page.get_by_label("Why? A few words, for yourself.").fill(" both cities ")
    assert card.acts() == []
    lock = page.get_by_text("That is my guess")
    lock.click()
    lock.click(force=True)  # though it says by then that it waits
    assert card.acts() == [{"act": "guess", "value": "twice", "why": "both cities"}]
    card.update(GUESSED)
    assert said(card) == f"Your guess is noted. {NEXT}"
    assert page.locator("#place :is(input, textarea, button)").count() == 0
    expect(page.locator(".ask")).to_be_focused()


def test_by_keyboard_alone_a_guess_is_picked_and_locked(card: BarePage) -> None:
    page = card.mount(ASKED)
    page.keyboard.press("Tab")
    assert card.focused() == "never"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert card.focused() == "once"
    page.keyboard.press("2")
    page.keyboard.press("9")  # there is no ninth choice
    assert card.focused() == "twice"
    page.keyboard.press("Tab")
    page.keyboard.type("2 cities")
    page.keyboard.press("Enter")
    page.keyboard.type("3")
    page.keyboard.press("Shift+Tab")
    assert card.acts() == []
    page.keyboard.press("Enter")
    assert card.acts() == [{"act": "guess", "value": "twice", "why": "2 cities\n3"}]


def test_a_click_beside_the_choices_brings_the_number_keys(card: BarePage) -> None:
    page = card.mount(ASKED)
    page.get_by_text(ASKED["question"]).click()
    page.keyboard.press("3")
    assert card.focused() == "once"


@pytest.mark.parametrize(
    ("question", "words"), [(ASKED, "Pick your guess"), (TYPED, "Type your guess")]
)
def test_without_a_guess_nothing_is_locked(
    card: BarePage, question: Any, words: str
) -> None:
    page = card.mount(question)
    page.get_by_role("button", name="That is my guess").click()
    assert (card.acts(), said(card)) == ([], f"{words} first, or skip this one.")
    page.get_by_role("button", name="Skip").click()
    assert card.acts() == [{"act": "skip"}]
    card.update(question | {"skipped": True})
    assert said(card) == "Skipped."


def test_a_typed_guess_of_the_wrong_kind_is_told_so_and_kept(card: BarePage) -> None:
    page = card.mount(TYPED)
    field = page.get_by_label("Your guess")
    field.fill(" two ")
    page.get_by_label("Why?").fill("both cities")
    field.press("Enter")
    card.update(TYPED | {"note": "A number, please."})
    assert said(card) == "A number, please."
    expect(field).to_be_focused()
    expect(field).to_have_value("two")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("2")
    page.get_by_role("button", name="That is my guess").click()
    assert card.acts() == [
        {"act": "guess", "value": value, "why": "both cities"} for value in ("two", "2")
    ]


@pytest.mark.parametrize("answered", [GUESSED, ASKED | {"skipped": True}])
def test_once_it_is_measured_elsewhere_the_state_says_so_and_nothing_is_left_to_do(
    card: BarePage, answered: Any
) -> None:
    page = card.mount(answered, next=NEXT)
    assert said(card).endswith(NEXT)
    card.update(answered | {"note": "Measured below"})
    assert page.inner_text(".state span >> nth=0") == "Measured below"
    assert said(card) == ""


def test_the_reveal_marks_by_word_and_tick_and_says_both(card: BarePage) -> None:
    card.mount(ASKED)
    card.update(GUESSED)
    card.update(REVEALED)
    assert rows(card) == ["✓nevermeasured", "2twiceyour guess", "3once"]
    assert said(card) == (
        "Measured: never. Your guess: twice. Nobody has run them yet. You wrote: "
        "both cities"
    )
    card.update(REVEALED | {"guess": "never"})
    assert rows(card)[0] == "✓neveryour guess · measured"
    card.update(STATES["typed and revealed"])
    assert rows(card) == ["✓30measured", "?2your guess"]


def test_the_votes_of_a_class_are_counts_and_bars(card: BarePage) -> None:
    page = card.mount(STATES["votes"])
    assert rows(card) == ["1never4 votes", "2twice15 votes", "3once3 votes"]
    assert page.inner_text(".state span >> nth=0") == "22 votes, before the reveal"
    widths = page.eval_on_selector_all(
        ".bar", "all => all.map(b => b.firstChild.offsetWidth / b.offsetWidth)"
    )
    assert widths == pytest.approx([4 / 22, 15 / 22, 3 / 22], abs=0.01)
    card.update(STATES["votes revealed"])
    assert rows(card)[0] == "✓nevermeasured4 votes"


def test_a_choice_with_html_in_it_is_text(card: BarePage) -> None:
    html = "<img src=x onerror=alert(1)>"
    for changes in ({}, {"guess": html, "why": html}, {"fact": html, "told": html}):
        question = ASKED | {"question": html, "choices": [html, "b"], "number": html}
        page = card.mount(question | changes)
        assert html in rows(card)[0]
        assert page.locator("#place img").count() == 0


def test_the_card_is_a_named_group_and_gives_its_keys_back(card: BarePage) -> None:
    page = card.mount(ASKED)
    expect(page.get_by_role("group", name="Question 1 of 3")).to_be_visible()
    assert card.keys_kept() == {True}
    expect(page.get_by_role("radiogroup", name=ASKED["question"])).to_be_visible()
    card.update(GUESSED)
    assert card.keys_kept() == {False}


def test_a_question_asked_again_begins_afresh(card: BarePage) -> None:
    page = card.mount(ASKED)
    page.keyboard.press("Tab")
    page.keyboard.press("2")
    card.update(GUESSED)
    card.update(ASKED)
    assert page.locator(":checked").count() == 0
    expect(page.locator("textarea")).to_have_value("")


@pytest.mark.parametrize("state", STATES)
def test_nobody_is_kept_out_and_a_phone_need_not_scroll_aside(
    card: BarePage, state: str
) -> None:
    page = card.mount(STATES[state], width=390)
    assert violations(page) == []
    assert not card.too_wide()
    assert card.small() == []


def test_every_rule_of_the_sheets_stands_under_the_view(card: BarePage) -> None:
    assert card.strange_rules() == []


def test_a_notebook_hears_the_press_and_draws_each_answer(card: BarePage) -> None:
    page = card.render("question", ASKED)
    page.get_by_role("button", name="Skip").click()
    assert card.acts() == [{"act": "skip"}]
    page.evaluate("answer({ skipped: true })")
    assert said(card) == f"Skipped. {NEXT}"
    page.evaluate("shown.destroy()")
    assert page.locator("#place > *").count() == 0


def test_after_a_guess_the_keyboard_goes_on_to_the_next_cell(card: BarePage) -> None:
    page = card.render("question", ASKED)
    page.get_by_role("radio", name="once").check()
    assert card.focused() == "once"
    page.keyboard.press("Shift+Enter")  # what runs a cell locks what was picked
    assert card.acts() == [{"act": "guess", "value": "once", "why": ""}]
    page.evaluate("answer({ guess: 'once' })")
    assert card.focused() == "After"


def test_a_guess_that_came_from_a_cell_takes_the_keyboard_from_nobody(
    card: BarePage,
) -> None:
    page = card.render("question", ASKED)
    page.get_by_role("radio", name="once").focus()
    page.evaluate("answer({ guess: 'once' })")
    expect(page.locator(".ask")).to_be_focused()


@pytest.mark.parametrize("state", STATES)
def test_for_a_projector_no_type_is_small(card: BarePage, state: str) -> None:
    card.mount(STATES[state], width=900)
    assert card.type_sizes() == [12, 16]
