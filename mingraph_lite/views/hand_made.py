"""Cards made by hand, played one by one and watched from outside.

Nothing announces what such a card does, and its desk may be any object. So it is seen
from what is left behind: the folder before and after, and what `run` handed back.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Generator, Sequence
from typing import Any, Final

from mingraph_lite.cards import Finished
from mingraph_lite.errors import LimitReached
from mingraph_lite.messages import AssistantMessage
from mingraph_lite.observers import Announcer
from mingraph_lite.own_cards import is_card
from mingraph_lite.schema.handed_in import in_words
from mingraph_lite.views.shown import messages

__all__: Final = ["check_by_hand", "folder_of", "played"]


def check_by_hand(card: object, desk: object, most_cards: int) -> None:
    """Refuse what cannot be played; raises TypeError or ValueError."""
    if not is_card(card):
        raise TypeError(
            f"frames_by_hand was given {in_words(card)} as its first card. A card is "
            "an object whose run(desk) gives the next one: "
            "frames_by_hand(Waiting(), desk)."
        )
    if most_cards < 1:
        raise ValueError(f"most_cards is {most_cards}; at least one card is played.")
    folder_of(desk)


def folder_of(desk: object) -> list[Any]:
    """The lines of the desk's folder as they are now; a memory has them inside."""
    folder = getattr(desk, "folder", ())
    lines = getattr(folder, "folder", folder)
    if isinstance(lines, str | dict) or not hasattr(lines, "__iter__"):
        raise TypeError(
            f"desk.folder is {in_words(lines)}. It must be a list of messages."
        )
    return list(lines)


def played(
    card: Any, desk: object, announcer: Announcer, most_cards: int
) -> Generator[Any]:
    """Hand out each card before it runs, and announce what it left in the folder."""
    seen = folder_of(desk)
    finished = False
    try:
        for _ in range(most_cards):
            announcer.announce("card_start", card=card)
            yield card
            try:
                following = card.run(desk)
            finally:  # what was said before an error was said
                seen = _watched(seen, folder_of(desk), announcer)
            if following is None:
                _check_that_it_ends(card, seen)
                answer = _answer(seen)
                reason = f"ended by {type(card).__name__}"
                finished = True
                announcer.announce_finish(answer, "answered" if answer else reason)
                return
            if not is_card(following):
                raise TypeError(_no_card(card, following))
            card = following
        finished = True
        announcer.announce_finish(None, "card limit")
        raise LimitReached(
            f"After {messages(most_cards, 'card')} the next would be "
            f"{type(card).__name__}, and no end is in sight. Does each round come "
            "nearer to it? Longer runs: "
            f"frames_by_hand(card, desk, most_cards={10 * most_cards})."
        )
    except GeneratorExit:
        raise
    except BaseException as error:
        if not finished:
            failed = isinstance(error, Exception)
            announcer.announce_finish(None, "failed" if failed else "interrupted")
        raise


def _watched(
    seen: Sequence[Any], now: Sequence[Any], announcer: Announcer
) -> list[Any]:
    """Announce the lines that are new, and those that are gone."""
    same = 0
    while same < min(len(seen), len(now)) and seen[same] is now[same]:
        same += 1
    if gone := len(seen) - same:
        announcer.announce(
            "warning",
            text=f"{messages(gone)} no longer in the folder as before. A folder only "
            "grows; the picture keeps what it has drawn.",
        )
    known = {id(message) for message in seen[same:]}
    for message in now[same:]:
        if id(message) not in known:
            announcer.announce("message_added", message=message)
    return list(now)


def _check_that_it_ends(card: object, folder: Sequence[Any]) -> None:
    """Refuse nothing from a card that is no end; raises TypeError."""
    if isinstance(card, Finished) or _is_end(card, folder):
        return
    name = type(card).__name__
    raise TypeError(
        f"{name} handed back nothing, so no card comes after it. Each way out of its "
        "run returns the next card; only a card that is an end returns None."
    )


def _is_end(card: object, folder: Sequence[Any]) -> bool:
    """Whether nothing was meant: by its code, and where that is silent, by the folder.

    An end says `return None`, or does nothing at all. A run that returns a card
    somewhere, and not on this way, has forgotten it.
    """
    body = _body(card)
    returns = [n.value for part in body for n in _inside(part, ast.Return)]
    if any(not _is_none(value) for value in returns):
        return False
    if returns or (body and all(_does_nothing(part) for part in body)):
        return True
    return _answer(folder) is not None


def _body(card: object) -> list[ast.stmt]:
    try:
        code = textwrap.dedent(inspect.getsource(type(card).run))  # type: ignore[attr-defined]
        function = ast.parse(code).body[0]
    except (OSError, TypeError, AttributeError, SyntaxError):
        return []  # defined where no source is kept
    return function.body if isinstance(function, ast.FunctionDef) else []


def _inside[Node: ast.AST](part: ast.AST, kind: type[Node]) -> list[Node]:
    """The nodes of a kind in a part, but for those of functions inside it."""
    if isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return []
    found = [part] if isinstance(part, kind) else []
    for child in ast.iter_child_nodes(part):
        found += _inside(child, kind)
    return found


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _does_nothing(part: ast.stmt) -> bool:
    constant = isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
    return constant or isinstance(part, ast.Pass)


def _answer(folder: Sequence[Any]) -> str | None:
    """What the model said last, where nothing came after it and no slip is open."""
    last = folder[-1] if folder else None
    if isinstance(last, AssistantMessage) and not last.tool_calls:
        return last.content
    return None


def _no_card(card: object, following: object) -> str:
    name = type(card).__name__
    if isinstance(following, type):
        return (
            f"{name} handed back the class {following.__name__} and not a card of it. "
            f"Write return {following.__name__}(…)."
        )
    return (
        f"{name} handed back {in_words(following)}, which is no card. A card is an "
        "object with run(desk); an end returns None."
    )
