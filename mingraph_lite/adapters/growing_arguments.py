"""The arguments of a call in pieces, and what they say together.

They are joined. Where that gives no JSON, they may have come once more in full, or
grown with each piece, or behind an empty object; each reading counts only where all of
it is JSON. If none is, what came stays as it came, and the call is answered with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from mingraph_lite.adapters.strict_json import GrowingJSON, NotJSON, read_json

__all__: Final = ["GrowingArguments", "is_object"]


class GrowingArguments:
    """The arguments of a call while their pieces come in."""

    def __init__(self) -> None:
        self.came = False
        self.pieces: list[str] = []
        self._joined = GrowingJSON()

    def add(self, piece: object) -> None:
        """Take in what one fragment holds: a text, or an object as it is."""
        self.came = True
        if not isinstance(piece, str):
            # As it came, NaN too: where calls are read, what cannot be run is found.
            piece = json.dumps(piece, ensure_ascii=False)
        if piece:
            self.pieces.append(piece)
            self._joined.add(piece)

    def is_whole(self) -> bool:
        """Whether the pieces so far are a complete JSON value."""
        return self._joined.is_whole()

    def text(self) -> str:
        """What the pieces say: joined, if that is JSON, else each said in full."""
        joined = str(self._joined)
        if len(self.pieces) < 2 or self.is_whole():
            return joined
        said = _each_in_full(self.pieces)
        if said is None and self.pieces[0].strip() == "{}":
            # Some gateways begin each call with an empty object.
            rest = GrowingArguments()
            for piece in self.pieces[1:]:
                rest.add(piece)
            said = rest.text() if is_object(rest.text()) else None
        return joined if said is None else said


def _each_in_full(pieces: Sequence[str]) -> str | None:
    """The text of pieces that repeat all that came before; None where it is no JSON."""
    said, length = GrowingJSON(), 0
    whole: Any = None
    for piece in pieces:
        if length and len(piece) >= length and piece.startswith(str(said)):
            said, length, whole = GrowingJSON(), 0, None
        elif length and said.is_whole():
            whole = read_json(str(said)) if whole is None else whole
            if _read(piece) == whole:
                continue
        said.add(piece)
        length += len(piece)
        whole = None
    return str(said) if said.is_whole() else None


def _read(text: str) -> Any:
    try:
        return read_json(text)
    except NotJSON:
        return None


def is_object(text: str) -> bool:
    """Whether a text is that of a JSON object."""
    return isinstance(_read(text), dict)
