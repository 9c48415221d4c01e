"""Lines to order as a notebook drives them, without a browser."""

from typing import Any

import pytest

from mingraph_lite.views.lines_to_order import LinesToOrder
from mingraph_lite.views.lines_types import Lines, Placed

LINES: Lines = {
    "lines": [
        {"letter": "a", "text": "folder.clear()"},
        {"letter": "b", "text": "folder.append(____)"},
        {"letter": "c", "text": "while True:"},
    ],
    "placed": [],
    "left_out": [],
    "verdict": "",
    "right": False,
}
PLACED: list[Placed] = [
    {"letter": "c", "depth": 0, "fills": []},
    {"letter": "b", "depth": 1, "fills": ["reply"]},
]


def never(placed: list[Placed]) -> tuple[bool, str]:
    raise AssertionError("nothing was to be checked")


def check(lines: LinesToOrder, placed: Any = PLACED) -> None:
    """What the page sends when Check is pressed."""
    lines._handle_custom_msg({"act": "check", "placed": placed}, [])


@pytest.mark.parametrize(
    "verdict", [(True, "The reply is in the folder."), (False, "Nothing is kept.")]
)
def test_a_check_is_handed_on_and_its_verdict_is_shown(
    verdict: tuple[bool, str],
) -> None:
    heard = []

    def judge(placed: list[Placed]) -> tuple[bool, str]:
        heard.append(placed)
        return verdict

    lines = LinesToOrder(LINES, check=judge)
    check(lines)
    right, sentence = verdict
    assert heard == [PLACED]
    assert lines.lines == LINES | {
        "placed": PLACED,
        "left_out": ["a"],
        "verdict": sentence,
        "right": right,
    }
    check(lines)
    assert lines.answers == 2, "the same words twice are an answer twice"


def test_whoever_checks_may_show_the_lines_themselves() -> None:
    shown = LINES | {"placed": PLACED, "verdict": "Look again."}
    lines = LinesToOrder(LINES, check=lambda placed: lines.show(shown))
    check(lines)
    assert (lines.lines, lines.answers) == (shown, 1)


def test_a_check_without_a_word_keeps_the_lines_and_is_answered() -> None:
    lines = LinesToOrder(LINES, check=lambda placed: None)
    check(lines)
    assert (lines.lines, lines.answers) == (
        LINES | {"placed": PLACED, "left_out": ["a"]},
        1,
    )


def test_a_check_that_breaks_is_said_and_what_was_put_is_kept() -> None:
    def broken(placed: list[Placed]) -> tuple[bool, str]:
        raise KeyError("reply")

    lines = LinesToOrder(LINES, check=broken)
    check(lines)
    assert lines.lines == LINES | {
        "placed": PLACED,
        "left_out": ["a"],
        "verdict": "This was not checked. KeyError: 'reply'",
    }


@pytest.mark.parametrize(
    "message",
    [{}, {"act": "check"}, {"act": "check", "placed": "b>c"}, {"act": "other"}],
)
def test_a_message_of_another_form_does_nothing(message: dict[str, Any]) -> None:
    lines = LinesToOrder(LINES, check=never)
    lines._handle_custom_msg(message, [])
    assert (lines.lines, lines.answers) == (LINES, 0)


def test_the_text_beside_the_lines_is_what_a_script_prints() -> None:
    text = "Put in order:\n" + "\n".join(f"{n}  line {n}" for n in range(20))
    lines = LinesToOrder(LINES, check=never, text=text)
    assert (repr(lines), lines._repr_mimebundle_()[0]["text/plain"]) == (text, text)
    assert repr(LinesToOrder(LINES, check=never)) == "Lines to order"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"lines": [{"letter": "a", "text": "x"}, {"letter": "a", "text": "y"}]},
            "Two lines have the same letter, of: a, a. A line is known by its letter; "
            "give each its own.",
        ),
        (
            {"placed": PLACED, "left_out": ["d"]},
            "Placed or left out are: c, b, d. There are: a, b, c. Use each of these "
            "letters at most once.",
        ),
        (
            {"placed": PLACED, "left_out": ["b"]},
            "Placed or left out are: c, b, b. There are: a, b, c. Use each of these "
            "letters at most once.",
        ),
        (
            {"placed": [{"letter": "b", "depth": 0, "fills": []}]},
            "Line b has blanks: 1. It was given fills: 0. Give one for each, in order.",
        ),
        (
            {"solution": "cb"},
            "Lines to order have the keys lines, placed, left_out, verdict, right. "
            "These have lines, placed, left_out, verdict, right, solution. Give each "
            "of them, and no other.",
        ),
    ],
)
def test_lines_that_cannot_be_drawn_are_refused(
    changes: dict[str, Any], said: str
) -> None:
    lines = LinesToOrder(LINES, check=never)
    for refuse in (lambda data: LinesToOrder(data, check=never), lines.show):
        with pytest.raises(ValueError) as refusal:  # noqa: PT011
            refuse(LINES | changes)
        assert str(refusal.value) == said
    assert lines.lines == LINES
