"""Cards as the lines of a trace tell of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mingraph_lite.cards import Card
from mingraph_lite.messages import ToolCall

__all__: Final = ["ToldCard", "ToldCards"]


class ToldCard(Card):
    """A card as it is told; its class is made of this."""

    told_fields: Mapping[str, object]
    step: int | None
    kind: str


class ToldCards:
    """Makes cards again, with the source last told of their names."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}

    def card(self, told: Mapping[str, Any]) -> ToldCard:
        """The card of a line, or one that another card holds."""
        name, step = str(told["name"]), told.get("round")
        if isinstance(source := told.get("source"), str):
            self._sources[name] = source
        about = {
            "__doc__": str(told.get("rule", "")),
            "__source__": self._sources.get(name, ""),
            "kind": told.get("kind"),
            "step": step if isinstance(step, int) else None,
            "told_fields": {
                key: self._field(value) for key, value in told["fields"].items()
            },
        }
        kind: Any = type(name, (ToldCard,), about)
        card: ToldCard = kind(because=str(told.get("because", "")))
        return card

    def _field(self, value: Any) -> object:
        match value:
            case {"slips": list(ids)}:
                return tuple(ToolCall("", {}, str(id)) for id in ids)
            case {"card": {"name": _, "fields": dict()} as held}:
                return self.card(held)
            case {"shown": str(text)}:
                return text
        return value
