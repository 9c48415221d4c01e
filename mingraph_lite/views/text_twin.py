"""What a card has besides its picture: text, and answers counted."""

from __future__ import annotations

from typing import Any, Final

import anywidget
import traitlets

__all__: Final = ["WithTextTwin"]


class WithTextTwin(anywidget.AnyWidget):
    """A widget that a notebook keeps a text beside.

    The text is what a script would print; readers without the picture get it whole.
    """

    answers = traitlets.Int(0).tag(sync=True)
    """How often this was drawn again: a press that changes nothing is answered too."""

    def __init__(self, text: str, **traits: Any) -> None:
        self._text = text
        super().__init__(**traits)

    def __repr__(self) -> str:
        return self._text

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        # Some versions of anywidget cut a long text; this one is read as a whole.
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is not None:
            bundle[0]["text/plain"] = repr(self)
        return bundle

    def _draw(self, text: str | None, **traits: Any) -> None:
        if text is not None:
            self._text = text
        with self.hold_sync():
            for name, value in traits.items():
                setattr(self, name, value)
            self.answers += 1
