"""What a frame holds: plain JSON, the same for every view.

The page's types are made of these; after a change of them write them again:

    python -m mingraph_lite.views.typescript playground/src/frame.ts
    python -m mingraph_lite.views.typescript playground/src/frame_shapes.ts
"""

from __future__ import annotations

from typing import Final, Literal, TypedDict

from mingraph_lite.errors import FinishReason
from mingraph_lite.own_cards import CardKind
from mingraph_lite.telling import Who

__all__: Final = [
    "CardKind",
    "CardShown",
    "Frame",
    "Happening",
    "Line",
    "Outcome",
    "Panel",
    "Pointed",
    "Reading",
    "Slip",
    "Span",
    "ToolShown",
    "Who",
]

type Panel = Literal["folder", "aloud", "card"]
"""What a view shows: what was said, what was read aloud of it, where we are."""


class Frame(TypedDict):
    """One stop: the card in the hand, and what is new.

    The card has not run yet; where the run is over there is no card but an outcome.
    `picked_by` and `because` say who handed the card over and why, `sentence` is the
    picture in words. `readings` are the model calls since the frame before, `asides`
    what they were read that is no line of the folder, such as a summary. `printed` is
    what code printed while the card before ran, empty where nobody listened; `pointed`
    are the places in code of one's own where something went wrong.
    """

    number: int | None
    card: CardShown | None
    picked_by: str | None
    because: str
    lines: list[Line]
    asides: list[Line]
    readings: list[Reading]
    events: list[Happening]
    outcome: Outcome | None
    printed: str
    pointed: list[Pointed]
    sentence: str


class Pointed(TypedDict):
    """A place in code of one's own, and what happened there.

    `text` is the line itself, without the spaces around it.
    """

    file: str
    line: int
    text: str
    what: str


class CardShown(TypedDict):
    """A card as it is drawn.

    `source` is null where a frame before shows a card of this name with the same
    source, and empty where nobody kept it.
    """

    name: str
    kind: CardKind
    rule: str
    fields: dict[str, str]
    source: str | None
    round: int | None


class Line(TypedDict):
    """One message of the folder.

    `answers` is the number of the slip that it answers. `added_by` is the kind of card
    that added it, null for what was there before the first card.
    """

    who: Who
    text: str
    slips: list[Slip]
    answers: int | None
    added_by: CardKind | None


class Reading(TypedDict):
    """What one model call was read aloud, from the top.

    `folder` counts the lines that were there then; those in no span were held back.
    `menu` holds the tools on offer, and is null where they are those of the call
    before.
    """

    step: int
    spans: list[Span]
    folder: int
    menu: list[ToolShown] | None


class ToolShown(TypedDict):
    """One tool of a menu, as the model reads it.

    `parameters` is their JSON schema as text, empty where a menu has none.
    """

    name: str
    description: str
    parameters: str


class Span(TypedDict):
    """Lines that follow each other: from `start` up to, not including, `end`.

    They are counted from 0 over all frames: lines of the folder, or asides. Why not
    the lines themselves? Each call reads out most of the folder again, and a long run
    would repeat every line at every call.
    """

    of: Literal["folder", "aside"]
    start: int
    end: int


class Slip(TypedDict):
    """One tool call.

    `arguments` is the JSON that goes to the tool. `call` is both as a reader writes
    them, cut where it is long. `raw` is what was sent where the arguments are not as
    they came, `problem` is why it cannot be run.
    """

    number: int
    name: str
    arguments: str
    call: str
    raw: str | None
    problem: str | None


class Happening(TypedDict):
    """One announcement, in a few words.

    `what` is cut where it is long. `line` is the line of the folder that holds the rest
    of it, counted from 0 over all frames; where no line does, `whole` has the text.

    The other fields are those of a reply, but for `value`: what a tool gave back, as
    JSON. It is null where the line is that very text, and empty where the line is its
    JSON, so that a long result is said once.
    """

    seq: int
    step: int
    name: str
    what: str
    whole: str | None
    line: int | None
    value: str | None
    notes: list[str]
    reasoning: str | None
    finish_reason: str | None
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_reasoning: int | None
    tokens_cached: int | None


class Outcome(TypedDict):
    """How a run ended.

    A card of one's own may finish with a word of its own.
    """

    reason: FinishReason | str
    answer: str | None
    error: str | None
