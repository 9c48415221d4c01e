"""A question in a notebook: a guess is locked with a press.

What is measured, and what is said about it, is known elsewhere. The card is told only
at the reveal, so that nothing in the page holds the answer before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_type_hints

import traitlets

from mingraph_lite.views.question_types import Question
from mingraph_lite.views.sheets import VIEWS, look
from mingraph_lite.views.text_twin import WithTextTwin

__all__: Final = ["QuestionCard"]


class QuestionCard(WithTextTwin):
    """One question, to guess at, to skip and to see measured.

    `guess(value, why)` is called with the text of the choice, or with what was typed;
    `skip()` when that was pressed. Either may call `show` with the question as it
    stands then; where neither does, the card notes the press by itself. A `ValueError`
    that `guess` raises is what the card says about a guess of the wrong kind.

    `text` is what a script would print for this question: a notebook keeps it beside
    the card, for readers without one.
    """

    _esm = VIEWS / "question_card.js"
    _css = look("question_card.css")
    question: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        question: Question,
        *,
        guess: Callable[[str, str], object] | None = None,
        skip: Callable[[], object] | None = None,
        text: str = "",
    ) -> None:
        _check(question)
        self._guess = guess
        self._skip = skip
        super().__init__(text or question["question"], question=dict(question))
        self.on_msg(self._hear)

    def show(self, question: Question, text: str | None = None) -> None:
        """Draw the question as it stands now, wherever this card is on the screen."""
        _check(question)
        self._draw(text, question=dict(question))

    def _hear(self, _: object, press: dict[str, Any], __: object) -> None:
        """Do what was pressed, once: a guess that is locked stays as it is."""
        match press:
            case {"act": "guess", "value": str(value), "why": str(why)}:
                self._answer(lambda: self._guessed(value, why))
            case {"act": "skip"}:
                self._answer(self._skipped)

    def _answer(self, act: Callable[[], None]) -> None:
        before = self.answers
        if self._open:
            act()
        if self.answers == before:  # the page waits for a word, whatever came of it
            self.show(self._now())

    def _guessed(self, value: str, why: str) -> None:
        before = self.answers
        try:
            if self._guess is not None:
                self._guess(value, why)
            if self.answers == before:
                self.show(self._now(guess=value, why=why, note=""))
        except Exception as problem:
            # What a button's handler raises is not shown in a notebook: the card says
            # it, or the learner would press in vain.
            self.show(self._now(note=_said(problem)))

    def _skipped(self) -> None:
        before = self.answers
        if self._skip is not None:
            self._skip()
        if self.answers == before:
            self.show(self._now(skipped=True, note=""))

    @property
    def _open(self) -> bool:
        now = self._now()
        return now["guess"] is None and now["fact"] is None and not now["skipped"]

    def _now(self, **changes: Any) -> Question:
        now: Any = {**self.question, **changes}
        return now  # type: ignore[no-any-return]


def _said(problem: Exception) -> str:
    """A wrong kind is told in its own words; for the rest it helps to know its kind."""
    if isinstance(problem, ValueError):
        return str(problem)
    return f"Your guess could not be noted. {type(problem).__name__}: {problem}"


def _check(question: Question) -> None:
    """Refuse what cannot be drawn, or what would give the answer away."""
    fields = get_type_hints(Question)
    if question.keys() != fields.keys():
        raise ValueError(
            f"A question has the keys {', '.join(fields)}. This one has "
            f"{', '.join(question)}. Give each of them, and no other."
        )
    choices, votes = question["choices"], question["votes"]
    if len(set(choices)) != len(choices):
        raise ValueError(
            f"Two choices of {question['key']!r} have the same text, of: "
            f"{', '.join(choices)}. A guess is known by its text; word them apart."
        )
    for name in ("guess", "fact"):
        value = question[name]
        if choices and value is not None and value not in choices:
            raise ValueError(
                f"The {name} {value!r} is no choice of {question['key']!r}. There are: "
                f"{', '.join(choices)}. Give one of these texts."
            )
    if votes is not None and len(votes) != len(choices):
        raise ValueError(
            f"{question['key']!r} was given {len(votes)} counts for {len(choices)} "
            "choices. Give one count for each choice, in their order."
        )
    if question["told"] and question["fact"] is None:
        raise ValueError(
            f"{question['key']!r} has a sentence for the reveal, and no fact. Leave "
            "`told` empty until there is one: the page would hold the answer."
        )
