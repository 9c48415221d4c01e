"""Which panels a picture has; each comes with its lesson."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, get_args

from mingraph_lite.schema.handed_in import in_words
from mingraph_lite.views.frame_types import Frame, Panel
from mingraph_lite.views.shown import messages

__all__: Final = ["in_order", "sentence"]

_PANELS: Final[tuple[Panel, ...]] = get_args(Panel.__value__)


def in_order(panels: object) -> tuple[Panel, ...]:
    """The panels from left to right; raises where one does not exist."""
    names = ", ".join(f'"{name}"' for name in _PANELS)
    if isinstance(panels, str) or not isinstance(panels, Sequence) or not panels:
        raise TypeError(
            f"panels is {in_words(panels)}. It names one panel or more of {names}: "
            'panels=("folder", "card").'
        )
    for panel in panels:
        if panel not in _PANELS:
            raise ValueError(
                f"There is no panel {panel!r}. There are {names}. "
                'Write panels=("folder", "card").'
            )
    return tuple(panel for panel in _PANELS if panel in panels)


def sentence(frame: Frame, before: Iterable[Frame], panels: Sequence[Panel]) -> str:
    """The picture in a line; without its panel, nothing is said of the card."""
    if "card" in panels or frame["card"] is None:
        return frame["sentence"]
    count = sum(len(each["lines"]) for each in [*before, frame])
    return f"folder has {messages(count)}"
