"""The question card as a notebook drives it, without a browser."""

import json
from typing import Any

import pytest

from mingraph_lite.views.question_card import QuestionCard
from mingraph_lite.views.question_types import Question

ASKED: Question = {
    "key": "ran",
    "question": "How often has it run by then?",
    "choices": ["never", "twice", "once"],
    "number": "1 of 3",
    "guess": None,
    "skipped": False,
    "why": "",
    "votes": None,
    "fact": None,
    "told": "",
    "note": "",
}
TYPED: Question = ASKED | {"key": "calls", "choices": []}


def press(card: QuestionCard, **message: Any) -> None:
    """What the page sends."""
    card._handle_custom_msg(message, [])


def guess(card: QuestionCard, value: str, why: str = "") -> None:
    press(card, act="guess", value=value, why=why)


def test_a_guess_is_handed_on_with_its_why_and_shown_as_noted() -> None:
    heard = []
    card = QuestionCard(ASKED, guess=lambda value, why: heard.append((value, why)))
    guess(card, "twice", "once for each city")
    assert heard == [("twice", "once for each city")]
    assert card.question == ASKED | {"guess": "twice", "why": "once for each city"}
    assert card.answers == 1


def test_a_guess_that_is_locked_stays_as_it_is() -> None:
    heard = []
    card = QuestionCard(ASKED, guess=lambda value, why: heard.append(value))
    guess(card, "twice")
    guess(card, "never")
    press(card, act="skip")
    assert (heard, card.question["guess"], card.question["skipped"]) == (
        ["twice"],
        "twice",
        False,
    )
    assert card.answers == 3, "the page waits for an answer to each press"


def test_skip_is_handed_on_and_shown() -> None:
    heard = []
    card = QuestionCard(ASKED, skip=lambda: heard.append("skip"))
    press(card, act="skip")
    assert (heard, card.question) == (["skip"], ASKED | {"skipped": True})


def test_whoever_hears_a_guess_may_show_the_question_themselves() -> None:
    def note_it(value: str, why: str) -> None:
        card.show(TYPED | {"guess": value.upper(), "number": "2 of 3"})

    card = QuestionCard(TYPED, guess=note_it)
    guess(card, "two")
    assert card.question == TYPED | {"guess": "TWO", "number": "2 of 3"}
    assert card.answers == 1


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (ValueError("A number, please."), "A number, please."),
        (KeyError("ran"), "Your guess could not be noted. KeyError: 'ran'"),
    ],
)
def test_what_a_guess_raises_is_said_on_the_card(problem: Exception, said: str) -> None:
    def refuse(value: str, why: str) -> None:
        raise problem

    card = QuestionCard(TYPED, guess=refuse)
    guess(card, "two")
    assert card.question == TYPED | {"note": said}
    guess(card, "two")
    assert card.answers == 2, "the same words twice are an answer twice"


def test_a_guess_that_is_no_choice_is_told_so() -> None:
    card = QuestionCard(ASKED)
    guess(card, "thrice")
    assert card.question["guess"] is None
    assert card.question["note"] == (
        "The guess 'thrice' is no choice of 'ran'. There are: never, twice, once. "
        "Give one of these texts."
    )


def test_a_message_of_another_form_does_nothing() -> None:
    card = QuestionCard(ASKED)
    for message in [{}, {"act": "guess"}, {"act": "guess", "value": 2, "why": ""}]:
        press(card, **message)
    assert (card.question, card.answers) == (ASKED, 0)


def test_nothing_that_is_sent_holds_the_answer_before_the_reveal() -> None:
    fact, told = "never", "Nobody has run them yet."
    asked = TYPED | {"question": "How often?"}

    def measure(value: str, why: str) -> tuple[str, str]:
        return fact, told

    card = QuestionCard(asked, guess=measure, text="How often?")
    guess(card, "2")
    model = {k: v for k, v in card.get_state().items() if k not in {"_esm", "_css"}}
    sent = json.dumps([model, card._repr_mimebundle_()], default=str)
    assert fact not in sent
    assert told not in sent
    assert "How often?" in sent
    card.show(asked | {"guess": "2", "fact": fact, "told": told})
    assert (card.question["fact"], card.question["told"]) == (fact, told)


def test_the_text_beside_the_card_is_what_a_script_prints() -> None:
    text = "How often?\n" + "\n".join(f"  {n}  choice {n}" for n in range(1, 20))
    card = QuestionCard(ASKED, text=text)
    assert (repr(card), card._repr_mimebundle_()[0]["text/plain"]) == (text, text)
    card.show(ASKED, text="Again.")
    assert repr(card) == "Again."
    assert repr(QuestionCard(ASKED)) == ASKED["question"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"choices": ["a", "b", "a"]},
            "Two choices of 'ran' have the same text, of: a, b, a. A guess is known by "
            "its text; word them apart.",
        ),
        (
            {"fact": "thrice"},
            "The fact 'thrice' is no choice of 'ran'. There are: never, twice, once. "
            "Give one of these texts.",
        ),
        (
            {"votes": [1, 2]},
            "'ran' was given 2 counts for 3 choices. Give one count for each choice, "
            "in their order.",
        ),
        (
            {"told": "Nobody."},
            "'ran' has a sentence for the reveal, and no fact. Leave `told` empty "
            "until there is one: the page would hold the answer.",
        ),
        (
            {"answer": "never"},
            "A question has the keys key, question, choices, number, guess, skipped, "
            "why, votes, fact, told, note. This one has key, question, choices, "
            "number, guess, skipped, why, votes, fact, told, note, answer. Give "
            "each of them, and no other.",
        ),
    ],
)
def test_a_question_that_cannot_be_drawn_is_refused(
    changes: dict[str, Any], said: str
) -> None:
    card = QuestionCard(ASKED)
    for refuse in (QuestionCard, card.show):
        with pytest.raises(ValueError) as refusal:  # noqa: PT011
            refuse(ASKED | changes)
        assert str(refusal.value) == said
    assert card.question == ASKED
