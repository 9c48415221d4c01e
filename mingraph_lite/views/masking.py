"""What a run keeps secret, kept out of its live pictures.

Frames from a trace need none of this: what is secret was masked when it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mingraph_lite.observers import Recorder, Sealed
from mingraph_lite.schema.jsonable import dump_json
from mingraph_lite.schema.masking import Mask
from mingraph_lite.views.frame_types import Frame

__all__: Final = ["Hearing"]

_OURS: Final = {"who", "kind", "of", "added_by"}
"""Under these stand words of ours that views know: a key may be such a word."""


class Hearing(Recorder):
    """Keeps what is announced, and knows what to hide of it.

    `mask` is None where a run keeps nothing secret: such frames cost nothing more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mask: Mask | None = None

    def keep_secret(self, secrets: Sequence[Sealed]) -> None:
        """Know what must not be drawn."""
        self.mask = self.mask or Mask()
        self.mask.keep(secrets)

    def shown(self, frame: Frame) -> Frame:
        """The frame with *** for what is secret in its texts."""
        if self.mask is None or not self.mask.knows_one_in(dump_json(frame)):
            return frame
        masked: Frame = _masked(frame, self.mask)
        return masked


def _masked(value: Any, mask: Mask) -> Any:
    match value:
        case str():
            return mask.hidden(value)
        case list():
            return [_masked(each, mask) for each in value]
        case dict():
            return {
                name: part if name in _OURS else _masked(part, mask)
                for name, part in value.items()
            }
    return value
