"""Lines to order in a notebook: a faded Parsons problem.

How the lines are moved is the page's affair. Whether they are right is decided by the
function that is handed in, so that nothing in the page holds the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, get_type_hints

import traitlets

from mingraph_lite.views.lines_types import Lines, Placed
from mingraph_lite.views.sheets import VIEWS, look
from mingraph_lite.views.text_twin import WithTextTwin

__all__: Final = ["LinesToOrder"]


class LinesToOrder(WithTextTwin):
    """Lines of code to order, indent, fill or leave out.

    `check(placed)` is called with the lines that are not left out, from top to bottom,
    and says whether they are right and, in one sentence, why. It may call `show` by
    itself instead, and then give None.

    `text` is what a script would print for this exercise: a notebook keeps it beside
    the lines, for readers without them.
    """

    _esm = VIEWS / "lines_to_order.js"
    _css = look("lines_to_order.css")
    lines: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        lines: Lines,
        *,
        check: Callable[[list[Placed]], tuple[bool, str] | None],
        text: str = "",
    ) -> None:
        _check(lines)
        self._check = check
        super().__init__(text or "Lines to order", lines=dict(lines))
        self.on_msg(self._hear)

    def show(self, lines: Lines, text: str | None = None) -> None:
        """Draw the lines as they are put now, wherever they are on the screen."""
        _check(lines)
        self._draw(text, lines=dict(lines))

    def _hear(self, _: object, press: dict[str, Any], __: object) -> None:
        match press:
            case {"act": "check", "placed": list(placed)}:
                self._judge(placed)

    def _judge(self, placed: list[Placed]) -> None:
        kept = {each["letter"] for each in placed}
        letters = [line["letter"] for line in self.lines["lines"]]
        now: Any = self.lines | {
            "placed": placed,
            "left_out": [letter for letter in letters if letter not in kept],
        }
        before = self.answers
        try:
            verdict = self._check(placed)
        except Exception as problem:
            # What a button's handler raises is not shown in a notebook: the lines say
            # it, or the learner would press in vain.
            said = f"This was not checked. {type(problem).__name__}: {problem}"
            verdict = False, said
        if verdict is not None:
            right, sentence = verdict
            self.show(now | {"right": right, "verdict": sentence})
        elif self.answers == before:  # the page waits for a word, whatever came of it
            self.show(now)


def _check(lines: Lines) -> None:
    """Refuse what cannot be drawn."""
    fields = get_type_hints(Lines)
    if lines.keys() != fields.keys():
        raise ValueError(
            f"Lines to order have the keys {', '.join(fields)}. These have "
            f"{', '.join(lines)}. Give each of them, and no other."
        )
    letters = [line["letter"] for line in lines["lines"]]
    if len(set(letters)) != len(letters):
        raise ValueError(
            f"Two lines have the same letter, of: {', '.join(letters)}. A line is "
            "known by its letter; give each its own."
        )
    used = [each["letter"] for each in lines["placed"]] + lines["left_out"]
    if not set(used) <= set(letters) or len(set(used)) != len(used):
        raise ValueError(
            f"Placed or left out are: {', '.join(used)}. There are: "
            f"{', '.join(letters)}. Use each of these letters at most once."
        )
    blanks = {line["letter"]: line["text"].count("____") for line in lines["lines"]}
    for each in lines["placed"]:
        letter, fills = each["letter"], len(each["fills"])
        if fills != blanks[letter]:
            raise ValueError(
                f"Line {letter} has blanks: {blanks[letter]}. It was given fills: "
                f"{fills}. Give one for each, in order."
            )
