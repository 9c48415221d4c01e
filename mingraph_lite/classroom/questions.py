"""Questions that are asked before they are answered by code.

`reveal` runs the function it is given: the right answer is measured, not written down.
Under the learner's flag a question is a card to press, and a reveal waits for a guess;
everywhere else both are the same words, printed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mingraph_lite.classroom.answers import chosen, same, votes_by_text
from mingraph_lite.classroom.exercises import Lesson, Prediction, Sentences
from mingraph_lite.classroom.guesses import FILE, Guess, read_guesses, write_guesses
from mingraph_lite.classroom.prompts import (
    bars,
    guess_first,
    how_to_answer,
    how_to_vote,
    numbered,
)
from mingraph_lite.classroom.surroundings import Surroundings, show
from mingraph_lite.classroom.words import listed, unknown

if TYPE_CHECKING:
    from mingraph_lite.views.question_types import Question

__all__: Final = ["Questions"]

_KINDS: Final = ("number", "text")


class Questions:
    """The questions of one lesson, and what one learner guessed."""

    def __init__(self, lesson: Lesson, around: Surroundings) -> None:
        self._lesson, self._around = lesson, around
        self.asked: dict[str, Prediction] = {}
        self._votes: dict[str, list[int]] = {}
        self._cards: dict[str, list[Any]] = {}
        self._measured: set[str] = set()
        self._told_of_the_disk = False

    @cached_property
    def guesses(self) -> dict[str, Guess]:
        """What was guessed, by the key of the question."""
        found = read_guesses(self._around.folder, self._lesson.name)
        self._from_before = bool(found)
        return found

    @property
    def from_before(self) -> bool:
        """Whether guesses were here when this kernel began."""
        return bool(self.guesses) and self._from_before

    def predict(
        self,
        key: str,
        question: str,
        choices: Sentences | Sequence[str] = (),
        *,
        kind: str = "number",
    ) -> None:
        """Ask a question before the code that answers it runs.

        With no choices, the learner types a value: a number, or with `kind="text"` a
        text. Choices given as a list find their sentences in the lesson; a dict brings
        them along.
        """
        if kind not in _KINDS:
            raise ValueError(f"{key!r} is of kind {kind!r}. Kinds: {listed(_KINDS)}.")
        if isinstance(choices, str):
            raise ValueError(f"Give the choices of {key!r} as a list of texts.")
        if isinstance(choices, Mapping):
            sentences: Sentences = choices
        else:
            sentences = self._lesson.sentences.get(key, {})
            if choices and set(choices) != set(sentences):
                raise ValueError(
                    f"The choices of {key!r} are {listed(choices)}, but "
                    f"{self._lesson.name} has sentences for {listed(sentences)}. "
                    f"Give each choice one sentence."
                )
        _check_choices(key, tuple(choices))
        places = tuple(sorted(choices, key=lambda text: _place(key, text)))
        asked = self.asked[key] = Prediction(question, places, sentences, kind)
        self._forget_another_questions_guess(key)
        self._cards[key] = []
        self._measured.discard(key)
        self._show(key, [question, *numbered(asked), how_to_answer(key, asked)])

    def choose(self, key: str, guess: object, why: str = "") -> None:
        """Commit to a guess: the number of a choice, its text, or a typed value."""
        asked = self._find(key)
        if asked is None:
            return
        text = chosen(asked, guess)
        if text is None:
            what = f"answer to {key!r}" if asked.choices else asked.kind
            print(f"{guess!r} is no {what}.")
            print(how_to_answer(key, asked))
            return
        self._keep(key, text, str(why or "").strip())
        print(f"Noted: {text}. Now run the next cell.")

    def skip(self, key: str) -> None:
        """Go on without a guess."""
        if self._find(key) is not None:
            self._keep(key, None)
            print("Skipped. The next cell shows what happens.")

    def vote(self, key: str, counts: Sequence[int] | Mapping[object, int]) -> None:
        """Show how a class voted, as bars, before the reveal.

        One count for each choice, in the order on the card; for a typed question a
        dict, {10: 7, 20: 3}.
        """
        asked = self._find(key)
        if asked is None:
            return
        votes = votes_by_text(asked, counts)
        if votes is None:
            print(f"{counts!r} are no votes. {how_to_vote(key, asked)}")
            return
        lines = [asked.question, *bars(votes)]
        if asked.choices:
            self._votes[key] = list(votes.values())
            self._show(key, lines)
        else:  # the card has bars for choices alone
            print("\n".join(lines))

    def reveal(self, key: str, measure: Callable[[], object]) -> None:
        """Run the code that answers, then say what the learner's choice meant.

        For a learner who has not answered yet, nothing is run and nothing is shown.
        """
        if key not in self.asked:
            raise ValueError(
                f"Nothing was asked under {key!r}. Asked: {listed(self.asked)}. "
                f"Run the cell with predict({key!r}, ...) first."
            )
        asked, guess = self.asked[key], self.guesses.get(key)
        if guess is None and self._around.for_a_learner:
            print(guess_first(key, asked, on_a_card=self._around.shows_cards))
            return
        fact = str(measure())
        if asked.choices and fact not in asked.choices:
            if self._around.for_a_learner:  # who may have changed the cells above
                print(f"Measured: {fact}, which is none of the choices. A cell above")
                print("was changed, perhaps: what does your version say, and why?")
                self._tell_measured(key)
                return
            raise ValueError(
                f"{key!r} measured {fact!r}. Choices: {listed(asked.choices)}. "
                f"Let reveal's function return one of them."
            )
        told = _told(asked, guess, fact)
        lines = [f"Measured: {fact}"]
        if guess is not None and guess.text is not None:
            right = same(guess.text, fact)
            lines.append(f"You said: {guess.text}{', and so it is.' if right else '.'}")
            lines += [f"You wrote: {guess.why}"] if guess.why else []
        self._show(key, [*lines, *([told] if told else [])], fact=fact, told=told)
        self._tell_measured(key)

    def forget(self) -> None:
        """Begin again: no guesses, on this machine neither."""
        self.guesses.clear()
        self._write()

    def how_far(self) -> str:
        """How many questions were answered, in words, and how many are to come."""
        answered = sum(guess.text is not None for guess in self.guesses.values())
        all_of_them = {*self._lesson.sentences, *self.asked}
        # One that stands in More was not left out.
        ahead = len(all_of_them - {*self.asked, *self.guesses})
        later = f", and {ahead} still to come" if ahead else ""
        return f"Questions answered: {answered} of {len(all_of_them)}{later}."

    def _keep(self, key: str, text: str | None, why: str = "") -> None:
        self.guesses[key] = Guess(text, why, self.asked[key].question)
        self._write()
        self._draw_again(key)

    def _tell_measured(self, key: str) -> None:
        """Let the cards above say that the fact is below, and not ask for it again."""
        self._measured.add(key)
        self._draw_again(key)

    def _draw_again(self, key: str) -> None:
        for card in self._cards[key]:
            card.show(self._picture(key))

    def _write(self) -> None:
        """Keep the guesses on this machine; where that fails, say so once."""
        try:
            write_guesses(self._around.folder, self._lesson.name, self.guesses)
        except OSError as error:
            if not self._told_of_the_disk:
                print(f"{FILE} cannot be written here: {error.strerror}.")
                print("Your guesses are kept until this kernel ends.")
            self._told_of_the_disk = True

    def _forget_another_questions_guess(self, key: str) -> None:
        """A guess on file may be from before the lesson was written anew."""
        asked, guess = self.asked[key], self.guesses.get(key)
        if guess is None:
            return
        fits = guess.text is None or chosen(asked, guess.text) is not None
        if guess.question != asked.question or not fits:
            del self.guesses[key]

    def _show(
        self, key: str, lines: list[str], fact: str | None = None, told: str = ""
    ) -> None:
        """A card where there is a notebook for one, else the lines."""
        text = "\n".join(lines)
        if not self._around.shows_cards:
            print(text)
            return
        from mingraph_lite.views.question_card import QuestionCard

        card = QuestionCard(
            self._picture(key, fact, told),
            guess=lambda value, why: self._pressed(key, value, why),
            skip=lambda: self._keep(key, None),
            text=text,
        )
        if fact is None:
            self._cards[key].append(card)
        show(card)

    def _pressed(self, key: str, value: object, why: str) -> None:
        """What was pressed on a card; a guess of the wrong kind is told so."""
        asked = self.asked[key]
        text = chosen(asked, value)
        if text is not None:
            self._keep(key, text, why.strip())
            return
        picture = self._picture(key)
        kind, like = ("text", "a word") if asked.kind == "text" else ("number", "4")
        picture["note"] = f"{value!r} is no {kind}. Type one, like {like}."
        for card in self._cards[key]:
            card.show(picture)

    def _picture(self, key: str, fact: str | None = None, told: str = "") -> Question:
        asked, guess = self.asked[key], self.guesses.get(key)
        keys = list(self._lesson.sentences)
        number = f"{keys.index(key) + 1} of {len(keys)}" if key in keys else ""
        return {
            "key": key,
            "question": asked.question,
            "choices": list(asked.choices),
            "number": number,
            "guess": guess.text if guess else None,
            "skipped": guess is not None and guess.text is None,
            "why": guess.why if guess else "",
            "votes": self._votes.get(key) if fact is None else None,
            "fact": fact,
            "told": told,
            "note": self._where_measured(key) if fact is None else "",
        }

    def _where_measured(self, key: str) -> str:
        """For a card above the reveal, once that ran: no copy of what stands below."""
        if key not in self._measured:
            return ""
        skipped = key in self.guesses and self.guesses[key].text is None
        return "Skipped, measured below" if skipped else "Measured below"

    def _find(self, key: str) -> Prediction | None:
        """The question; a learner who mistyped its key is told."""
        if not isinstance(key, str) or key not in self.asked:
            print(unknown("question", str(key), self.asked))
            return None
        return self.asked[key]


def _told(asked: Prediction, guess: Guess | None, fact: str) -> str:
    """The sentence for what was said, else the one for the fact."""
    said = [guess.text, fact] if guess is not None and guess.text else [fact]
    found = (
        sentence
        for text in said
        for value, sentence in asked.sentences.items()
        if same(text, value)
    )
    return next(found, "")


def _place(key: str, text: str) -> str:
    """Shuffle without a random generator: each key has its own fixed order."""
    return hashlib.sha256(f"{key}: {text}".encode()).hexdigest()


def _check_choices(key: str, choices: Sequence[str]) -> None:
    """Stop an author whose choices give the answer away by their looks."""
    if not choices:
        return
    if len(choices) == 1 or any(text.isdigit() for text in choices):
        raise ValueError(
            f"The choices of {key!r} are {listed(choices)}. Give two or more, and none "
            f"that is a bare number: write '3 calls', as numbers stand for places."
        )
    shortest, longest = min(choices, key=len), max(choices, key=len)
    if len(longest) > 2 * len(shortest) + 4:
        raise ValueError(
            f"The choices of {key!r} differ too much in length: {shortest!r} and "
            f"{longest!r}. Balance them; readers take the longest for the right one."
        )
