"""The tool that every system runs; it does nothing but count."""

from typing import Final

WORD: Final = "tide"
ANSWER: Final = "Done."


class Work:
    """A tool to run: `runs` says how often, so that no system can skip it unseen."""

    def __init__(self) -> None:
        self.runs = 0

    def look_up(self, word: str) -> str:
        """Look a word up."""
        self.runs += 1
        return "found"
