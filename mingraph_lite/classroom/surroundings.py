"""Where a lesson runs: for a learner or not, in which notebook."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

__all__: Final = ["Surroundings", "kernel", "show"]


class Surroundings:
    """What is asked of the environment, when it is needed.

    `MINGRAPH_LEARNER=1` stands in the kernels that start.py and Binder begin: only
    there are cards shown and files written. `MINGRAPH_KEEP_IN` names another folder
    for the files, and stands alone too, for tests.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ

    @property
    def for_a_learner(self) -> bool:
        """Whether somebody is guessing, so that nothing is told too early."""
        return self._environ.get("MINGRAPH_LEARNER") == "1"

    @property
    def folder(self) -> Path | None:
        """Where my_agent.py and the guesses are kept; None where nothing is."""
        named = self._environ.get("MINGRAPH_KEEP_IN")
        if named:
            return Path(named)
        return Path.cwd() if self.for_a_learner else None

    @property
    def shows_cards(self) -> bool:
        """Whether there is a notebook that can show a card to press."""
        return (
            self.for_a_learner
            and kernel() is not None
            and importlib.util.find_spec("anywidget") is not None
        )


def kernel() -> Any:
    """The notebook's shell, or None: a script and a terminal show no widgets."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell if hasattr(shell, "kernel") else None


def show(thing: object, **options: object) -> None:
    """Put a widget, or a bundle of texts, below the cell that runs."""
    from IPython.display import display

    display(thing, **options)  # type: ignore[no-untyped-call]
