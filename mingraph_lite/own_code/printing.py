"""What code prints, kept for whoever shows it."""

from __future__ import annotations

import io
from typing import Final

from mingraph_lite.schema.jsonable import valid_text

__all__: Final = ["Printed"]


class Printed(io.TextIOBase):
    """Stands in for standard output, and keeps what is written.

    What is beyond `most` characters is counted and not kept: a loop that prints for
    ever would fill the memory.
    """

    def __init__(self, most: int = 200_000) -> None:
        self._most = most
        self._pieces: list[str] = []
        self._kept = 0
        self._left_out = 0

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def close(self) -> None:
        """Stay open: code that closes its output may be followed by other code."""

    def write(self, text: str) -> int:
        """Keep a piece, or as much of it as there is room for."""
        if not isinstance(text, str):
            raise TypeError(f"write() takes a text, not {type(text).__name__}")
        piece = text[: self._most - self._kept]
        if piece:
            self._pieces.append(piece)
            self._kept += len(piece)
        self._left_out += len(text) - len(piece)
        return len(text)

    def take(self) -> str:
        """What was printed since it was taken last."""
        text = valid_text("".join(self._pieces))
        if self._left_out:
            text += f"\n… {self._left_out:,} more characters were printed, not kept."
        self._pieces, self._kept, self._left_out = [], 0, 0
        return text
