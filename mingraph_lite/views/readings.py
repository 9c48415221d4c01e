"""What each model call was read aloud, as places of lines."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from mingraph_lite.llm import Menu
from mingraph_lite.memory import Reading as ReadOut
from mingraph_lite.schema.in_short import shown
from mingraph_lite.schema.jsonable import write_json
from mingraph_lite.views.frame_types import Line, Reading, Span, ToolShown

__all__: Final = ["Readings"]

type _Kind = Literal["folder", "aside"]


class Readings:
    """Finds what is read aloud among the lines drawn so far.

    A message is known by its object, else by its looks: a memory may hand out copies,
    and two lines that are drawn alike are one to whoever reads them. What is found
    nowhere is an aside, drawn once.
    """

    def __init__(self, draw: Callable[[Any], Line]) -> None:
        self._draw = draw
        self._sides: dict[_Kind, _Side] = {"folder": _Side(), "aside": _Side()}
        self._last: tuple[Sequence[Any], list[Span]] = ((), [])
        self._menu: Menu | None = None
        self._offered: list[ToolShown] | None = None

    def file(self, message: object, line: Line) -> None:
        """Know one more line of the folder."""
        self._sides["folder"].add(message, line)

    def heard(
        self, messages: Sequence[Any], menu: Menu, step: int
    ) -> tuple[Reading, list[Line]]:
        """A model call, and the asides that no call before it was read."""
        aside = self._sides["aside"]
        known = len(aside.lines)
        reading: Reading = {
            "step": step,
            "spans": self._spans(messages),
            "folder": len(self._sides["folder"].lines),
            "menu": self._news_of_menu(menu),
        }
        return reading, aside.lines[known:]

    def _news_of_menu(self, menu: Menu) -> list[ToolShown] | None:
        """The tools on offer, where they are not those of the call before."""
        if menu is self._menu:
            return None  # a registry gives out the same menu until a tool is added
        self._menu, before = menu, self._offered
        self._offered = [_tool(entry) for entry in menu]
        return None if self._offered == before else self._offered

    def _spans(self, messages: Sequence[Any]) -> list[Span]:
        earlier, spans = self._last
        spans = [span.copy() for span in spans]
        past = len(earlier)
        # A list that only grew is not gone through again: that would be most of the
        # work of a long run.
        if not (isinstance(messages, ReadOut) and messages.goes_on(earlier)):
            spans, past = [], 0
        for message in messages[past:]:
            of, place = self._place(message, spans[-1] if spans else None)
            if spans and (spans[-1]["of"], spans[-1]["end"]) == (of, place):
                spans[-1]["end"] += 1
            else:
                spans.append({"of": of, "start": place, "end": place + 1})
        self._last = (messages, spans)
        return spans

    def _place(self, message: object, before: Span | None) -> tuple[_Kind, int]:
        """Where it stands; of several places the next one after the line before."""
        line: Line | None = None
        for of, side in self._sides.items():
            places = side.places_of(message)
            if places is None:
                line = line or self._draw(message)
                places = side.places_like(message, line)
            if places:
                after = before["end"] if before and before["of"] == of else 0
                next_one = bisect_right(places, after - 1)
                return of, places[min(next_one, len(places) - 1)]
        assert line is not None  # else it was found by its object
        return "aside", self._sides["aside"].add(message, line)


class _Side:
    """The lines of one kind, and where each stands."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._by_object: dict[int, list[int]] = {}
        self._by_looks: dict[str, list[int]] = {}
        self._looked_at = 0
        self._kept: list[object] = []  # an object that is gone leaves its id to others

    def add(self, message: object, line: Line) -> int:
        place = len(self.lines)
        self.lines.append(line)
        self._kept.append(message)
        self._by_object.setdefault(id(message), []).append(place)
        return place

    def places_of(self, message: object) -> list[int] | None:
        return self._by_object.get(id(message))

    def places_like(self, message: object, line: Line) -> list[int] | None:
        for place, drawn in enumerate(self.lines[self._looked_at :], self._looked_at):
            self._by_looks.setdefault(_looks(drawn), []).append(place)
        self._looked_at = len(self.lines)
        places = self._by_looks.get(_looks(line))
        if places:
            self._kept.append(message)
            self._by_object[id(message)] = places
        return places


def _looks(line: Line) -> str:
    return json.dumps([line["who"], line["text"], line["slips"], line["answers"]])


def _tool(entry: object) -> ToolShown:
    """A tool on the menu; a menu of one's own may have another shape."""
    function = entry.get("function") if isinstance(entry, Mapping) else None
    about = function if isinstance(function, Mapping) else {}
    name, description = about.get("name"), about.get("description")
    return {
        "name": name if isinstance(name, str) else shown(entry),
        "description": description if isinstance(description, str) else "",
        "parameters": write_json(about["parameters"]) if "parameters" in about else "",
    }
