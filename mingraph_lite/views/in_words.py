"""The panels of a picture as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from mingraph_lite.messages import ToolCall
from mingraph_lite.schema.in_short import brief
from mingraph_lite.views.frame_types import Frame, Line, Reading, Slip, Span

__all__: Final = ["aloud_in_words", "card_in_words", "line_in_words"]


def line_in_words(line: Line) -> str:
    """A line of the folder: who, number, words, slips."""
    slips = [_slip_text(slip) for slip in line["slips"]]
    number = [] if line["answers"] is None else [f"#{line['answers']}"]
    said = "  ".join([*number, *([line["text"]] if line["text"] else []), *slips])
    return f"{line['who']:<7} {said or '(said nothing)'}"


def _slip_text(slip: Slip) -> str:
    sent = [f"sent as {brief(slip['raw'])!r}"] if slip["raw"] else []
    why = [f"cannot be run: {brief(slip['problem'])}"] if slip["problem"] else []
    beside = f" ({'; '.join([*sent, *why])})" if sent or why else ""
    return f"#{slip['number']} {_call_in_words(slip)}{beside}"


def _call_in_words(slip: Slip) -> str:
    """The call in full: a frame says a long one once, by its arguments."""
    if not slip["call"].endswith("…"):
        return slip["call"]
    return str(ToolCall(slip["name"], json.loads(slip["arguments"])))


def card_in_words(frame: Frame) -> list[str]:
    """The card in the hand, or how the run ended."""
    card, outcome = frame["card"], frame["outcome"]
    lines = ["The card"]
    if card:
        lines.append(f"  {card['name']}{card['rule'] and ': '}{card['rule']}")
        lines += [f"  {name} = {value}" for name, value in card["fields"].items()]
    elif outcome:
        answer = outcome["answer"]
        said = "no answer" if answer is None else json.dumps(answer, ensure_ascii=False)
        end = outcome["error"] or said
        lines.append(f"  none: {outcome['reason']}: {end}")
    if frame["picked_by"]:
        because = f" because {frame['because']}" if frame["because"] else ""
        lines.append(f"  picked by {frame['picked_by']}{because}")
    notes = [note for event in frame["events"] for note in event["notes"]]
    lines += [f"  note on the reply: {note}" for note in notes]
    warnings = [e["what"] for e in frame["events"] if e["name"] == "warning"]
    return [*lines, *(f"  warning: {text}" for text in warnings)]


def aloud_in_words(frames: Sequence[Frame]) -> list[str]:
    """What the newest model calls were read, against the call before each.

    A `+` stands before what is new since that call, a `-` before what is left out for
    the first time.
    """
    calls = [reading for frame in frames for reading in frame["readings"]]
    newest = next((len(f["readings"]) for f in reversed(frames) if f["readings"]), 0)
    if not newest:
        return ["Read aloud", "  nothing yet: no model call was heard"]
    sides = {
        "folder": [line for frame in frames for line in frame["lines"]],
        "aside": [line for frame in frames for line in frame["asides"]],
    }
    text: list[str] = []
    for place in range(len(calls) - newest, len(calls)):
        text += _read_in_words(calls[: place + 1], sides)
    return text


def _read_in_words(calls: Sequence[Reading], sides: dict[str, list[Line]]) -> list[str]:
    *earlier, call = calls
    heard = _places(call["spans"])
    before = _places(earlier[-1]["spans"]) if earlier else None
    rest = [("folder", at) for at in range(call["folder"])]
    left = [place for place in before or () if place[0] == "aside"]
    text = [f"Read aloud, call {len(calls)}"]
    for place in heard:
        mark = " " if before is None or place in before else "+"
        text.append(f"{mark} {_place_in_words(place, sides)}")
    text.append(f"  menu    {_menu_in_words(calls)}")
    held = [place for place in [*left, *rest] if place not in heard]
    if held:
        text.append("Not read aloud")
    for place in held:
        mark = "-" if before and place in before else " "
        text.append(f"{mark} {_place_in_words(place, sides)}")
    return text


def _places(spans: Iterable[Span]) -> dict[tuple[str, int], None]:
    """Where the lines stand that were read, in order."""
    places = ((s["of"], at) for s in spans for at in range(s["start"], s["end"]))
    return dict.fromkeys(places)


def _place_in_words(place: tuple[str, int], sides: dict[str, list[Line]]) -> str:
    of, at = place
    aside = " (not in the folder)" if of == "aside" else ""
    return line_in_words(sides[of][at]) + aside


def _menu_in_words(calls: Sequence[Reading]) -> str:
    menus = [call["menu"] for call in calls if call["menu"] is not None]
    offered = [tool["name"] for tool in menus[-1]] if menus else []
    text = ", ".join(offered) or "(no tools)"
    if calls[-1]["menu"] is None or len(menus) < 2:
        return text
    before = [tool["name"] for tool in menus[-2]]
    new = [name for name in offered if name not in before]
    gone = [name for name in before if name not in offered]
    changes = [f"new: {', '.join(new)}"] if new else []
    changes += [f"gone: {', '.join(gone)}"] if gone else []
    return f"{text} ({'; '.join(changes)})" if changes else text
