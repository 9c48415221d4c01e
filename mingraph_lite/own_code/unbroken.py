"""Whether the package is still as it was loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

__all__: Final = ["Unbroken"]

_PACKAGE: Final = "mingraph_lite"


class Unbroken:
    """Remembers what the package's modules and classes hold, and finds what changed.

    A learner's file may import the package and set anything in it. Nothing puts that
    right but a new Python, and whoever is told so must know that it is the reason.
    """

    def __init__(self) -> None:
        self._known = dict(_contents())

    def changed(self) -> str | None:
        """The name of something that is gone or another, or None."""
        now = dict(_contents())
        for name, thing in self._known.items():
            if now.get(name, self) is not thing:
                return name
        return None


def _contents() -> Iterator[tuple[str, object]]:
    for name, module in list(sys.modules.items()):
        if module is None or name.partition(".")[0] != _PACKAGE:
            continue
        for key, thing in list(vars(module).items()):
            if key.startswith("__"):
                continue
            yield f"{name}.{key}", thing
            if isinstance(thing, type) and thing.__module__ == name:
                for part, value in list(vars(thing).items()):
                    if not part.startswith(("__", "_abc_")) or part == "__init__":
                        yield f"{name}.{key}.{part}", value
