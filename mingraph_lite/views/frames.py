"""A run as a list of pictures, for any view.

A frame is plain JSON and holds only what is new since the frame before: the card in the
hand before it runs, the folder lines and announcements that the last card added, and
what was read aloud to the model. A view that has the first n frames knows what happened
up to there, and nothing of what comes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, Final

from mingraph_lite.agent import Agent, Question
from mingraph_lite.cards import Card
from mingraph_lite.messages import SystemMessage
from mingraph_lite.observation import error_text
from mingraph_lite.observers import Announcer
from mingraph_lite.views.drawing import Drawing, closing_frame
from mingraph_lite.views.frame_types import Frame, Panel
from mingraph_lite.views.hand_made import check_by_hand, folder_of, played
from mingraph_lite.views.in_words import (
    aloud_in_words,
    card_in_words,
    line_in_words,
)
from mingraph_lite.views.masking import Hearing
from mingraph_lite.views.panels import in_order, sentence

__all__: Final = ["as_text", "broken", "frames", "frames_by_hand"]


def frames(
    agent: Agent,
    state: Question | Card,
    *,
    on_error: Callable[[BaseException], object] | None = None,
) -> Iterator[Frame]:
    """Play a run card by card, and give a frame at each stop.

    From a card instead of a question it goes on where a run was paused.

    One `next()` runs one card. The last frame holds an error of the run as its
    outcome, and the error does not escape. What is no Exception, such as Ctrl-C, is
    drawn too, and raised again as soon as another frame is asked for: a loop over
    questions ends with it, a view that stops at the frame without a card does not.
    Closing the generator stops the run, its slips answered. `on_error` is handed the
    error that ended the run, for whoever looks at its traceback.

    What the agent's model keeps secret is *** in each frame; the folder has it still.
    """
    heard = Hearing()
    # Before the drawing: an unfinished run is closed here, and adds its last lines.
    steps = agent.steps(state, observers=[heard])
    prompt = agent.system_prompt
    head = [SystemMessage(prompt)] if prompt else []
    drawing = Drawing([*head, *agent.memory.folder], agent.limits.steps)
    yield from _drawn(steps, drawing, heard, on_error)


def frames_by_hand(card: Any, desk: Any, *, most_cards: int = 200) -> Iterator[Frame]:
    """Play cards made by hand, and give a frame at each stop.

    A card is any object whose `run(desk)` gives the next card, or None where the run
    is over. `desk` is any object; what is in its `folder` is drawn as it grows. What a
    card raises ends the run, and so does a card that forgets its return; the last
    frame says which. Cards that never end are stopped after `most_cards`.
    """
    check_by_hand(card, desk, most_cards)
    heard = Hearing()
    announcer = Announcer([heard], run_id="by hand", agent="by hand")
    steps = played(card, desk, announcer, most_cards)
    return _drawn(steps, Drawing(folder_of(desk)), heard)


def broken(problem: BaseException, before: Iterable[Frame]) -> Frame:
    """The last frame of a run whose own frames broke off after these."""
    error = error_text(problem)
    if isinstance(problem, StopIteration):
        error = "the frames ended before the run did"
    return closing_frame(
        {
            "reason": "failed" if isinstance(problem, Exception) else "interrupted",
            "answer": None,
            "error": error,
        },
        folder=sum(len(frame["lines"]) for frame in before),
    )


def as_text(
    frame: Frame,
    before: Iterable[Frame] = (),
    panels: Sequence[Panel] = ("folder", "card"),
) -> str:
    """The picture of a frame as text: its panels, and the sentence.

    `before` are the frames that came earlier; their lines are in the folder too.
    """
    earlier = list(before)
    panels = in_order(panels)
    parts = []
    if "folder" in panels:
        old = [line for each in earlier for line in each["lines"]]
        parts += ["The folder", *(f"  {line_in_words(line)}" for line in old)]
        mark = "+" if old else " "
        parts += [f"{mark} {line_in_words(line)}" for line in frame["lines"]]
    if "aloud" in panels:
        parts += aloud_in_words([*earlier, frame])
    if "card" in panels:
        parts += card_in_words(frame)
    return "\n".join([*parts, sentence(frame, earlier, panels)])


def _drawn(
    steps: Generator[Any],
    drawing: Drawing,
    heard: Hearing,
    on_error: Callable[[BaseException], object] | None = None,
) -> Generator[Frame]:
    """A frame at each stop of a run, and one for its end."""
    error: BaseException | None = None
    try:
        for card in steps:
            yield heard.shown(drawing.stop(card, heard))
    except GeneratorExit:
        raise
    except BaseException as problem:
        error = problem
    finally:
        steps.close()
    if error is not None and on_error is not None:
        on_error(error)
    yield heard.shown(drawing.closing(heard, error))
    if error is not None and not isinstance(error, Exception):
        raise error
