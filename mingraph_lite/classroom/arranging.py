"""Lines to order, with blanks to fill and one too many.

A faded Parsons problem (Weinman, Fox and Hearst, CHI 2021), made of the usual solution:

    Arrangement(
        header="def loop(llm, tools, folder):",
        lines=(
            "while True:",
            "    reply = llm.generate(folder, tools.menu()).message",
            "    folder.append(«reply»)",
        ),
        extra="folder.clear()",
    )

What stands in «» is the learner's to fill in. As text an answer is "b >a >>c": the
letters in order, one > for each level of indentation.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Final

__all__: Final = ["BLANK", "Arrangement", "Placed"]

BLANK: Final = "____"
_EMPTY: Final = "\0"  # while the blanks after it are filled
_NOTHING: Final = ("", "…", "...", BLANK)  # what a prompt shows is no answer
_FILLED: Final = re.compile("«(.*?)»")
_PLACED: Final = re.compile(r"((?:>\s*)*)([a-z])(?![a-z])")


@dataclass(frozen=True)
class Placed:
    """One line where the learner put it."""

    letter: str
    depth: int
    fills: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arrangement:
    """The usual solution in lines, and one that does not belong.

    `header` stands above, and is not to be moved: `def loop(llm, tools, folder):`.
    """

    lines: tuple[str, ...]
    extra: str
    header: str = ""

    @property
    def solution(self) -> str:
        """The usual solution, as code."""
        depth = 1 if self.header else 0
        lines = [_FILLED.sub(r"\1", line) for line in self.lines]
        return self._whole([" " * 4 * depth + line for line in lines])

    @property
    def pieces(self) -> dict[str, str]:
        """The lines by their letter, shuffled, as the learner sees them."""
        shown = [_FILLED.sub(BLANK, x.strip()) for x in (*self.lines, self.extra)]
        # Shuffled without a random generator: the same for everybody.
        order = sorted(enumerate(shown), key=lambda at: _scrambled(at[0], at[1]))
        return dict(zip(ascii_lowercase, [line for _, line in order], strict=False))

    def code(self, placed: Sequence[Placed]) -> str:
        """The lines as the learner placed them, as code."""
        pieces, depth = self.pieces, 1 if self.header else 0
        lines = []
        for one in placed:
            line = pieces[one.letter]
            for fill in one.fills:
                given = _EMPTY if fill.strip() in _NOTHING else fill.strip()
                line = line.replace(BLANK, given, 1)
            line = line.replace(_EMPTY, BLANK)
            lines.append(" " * 4 * (one.depth + depth) + line)
        return self._whole(lines)

    def placed(self, order: str, fills: Sequence[str]) -> list[Placed]:
        """Read "b >a >>c" and what goes into the blanks; raises ValueError."""
        order = order.lower()
        found = [(letter, signs.count(">")) for signs, letter in _PLACED.findall(order)]
        self._refuse(order, [letter for letter, _ in found])
        pieces, rest, placed = self.pieces, [str(fill) for fill in fills], []
        for letter, depth in found:
            count = pieces[letter].count(BLANK)
            placed.append(Placed(letter, depth, tuple(rest[:count])))
            rest = rest[count:]
        if rest:
            raise ValueError(f"There is no blank left for {', '.join(rest)}.")
        return placed

    def _refuse(self, order: str, letters: list[str]) -> None:
        """Raise ValueError with what is wrong in an order."""
        pieces, rest = self.pieces, _PLACED.sub("", order).strip(" ,;\n\t")
        unknown = [letter for letter in letters if letter not in pieces]
        twice = [letter for letter in letters if letters.count(letter) > 1]
        if unknown:
            wrong = f"There is no line {unknown[0]}"
        elif twice:
            wrong = f"Line {twice[0]} stands in it twice"
        elif ">" in rest:
            wrong = "A > stands before no line"
        elif rest:
            wrong = f"{rest!r} is no line"
        else:
            return
        raise ValueError(
            f"{order!r} cannot be read. {wrong}. There are the lines "
            f"{', '.join(pieces)}. Write those that belong, in order, a > for each "
            f'level of indentation: "{self.example}".'
        )

    @property
    def example(self) -> str:
        """How an order looks like; it can be taken as it is, and is not right."""
        return " ".join(
            ">" * min(deep, 2) + letter for deep, letter in enumerate(self.pieces)
        )

    def _whole(self, lines: list[str]) -> str:
        return "\n".join([self.header, *lines] if self.header else lines)


def _scrambled(place: int, line: str) -> str:
    return hashlib.sha256(f"{place} {line}".encode()).hexdigest()
