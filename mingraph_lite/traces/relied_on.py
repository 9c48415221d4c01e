"""What of a text in a trace can be relied on.

    ***                              something secret stood here
    … [cut: 150 characters in all]   and it went on

Such marks are nobody's words: their numbers were said by no one, and two texts that
are alike beside them may have differed.
"""

from __future__ import annotations

import re
from typing import Final

__all__: Final = ["has_gap", "without_marks"]

_MARK: Final = re.compile(r"\*\*\*|(?:… )?\[cut: [\d,]+ characters in all\]")


def has_gap(text: str) -> bool:
    """Whether something is missing in a text."""
    return _MARK.search(text) is not None


def without_marks(text: str) -> str:
    """What is left of a text."""
    return _MARK.sub(" ", text)
