"""my_agent.py, and which names a newer one has.

A learner's own is never written over, so after a `git pull` it may lack what a newer
lesson imports from it.
"""

import symtable
from pathlib import Path

__all__ = ["OWN", "lacking"]

OWN = "my_agent.py"  # `keep` writes it: it is meant to differ from ours


def lacking(ours: Path, theirs: Path) -> str | None:
    """Say which names of ours are not in theirs."""
    try:
        missing = sorted(names_of(ours) - names_of(theirs, imported=True))
    except (OSError, ValueError, SyntaxError):  # the lesson's import will say it
        return None
    if not missing:
        return None
    names = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
    return (
        f"Your {OWN} has no {names} yet: a lesson that needs more than you have "
        "kept brings ours with take_ours."
    )


def names_of(path: Path, *, imported: bool = False) -> set[str]:
    """List what a module defines for others, and on demand what it imports."""
    module = symtable.symtable(path.read_text("utf-8"), path.name, "exec")
    return {
        symbol.get_name()
        for symbol in module.get_symbols()
        if not symbol.get_name().startswith("_")
        and ((symbol.is_imported() and imported) or symbol.is_assigned())
    }
