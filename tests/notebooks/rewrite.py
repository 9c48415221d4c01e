"""Run the notebooks and write them in normal form.

    python -m tests.notebooks.rewrite               all of them
    python -m tests.notebooks.rewrite 04_cards      those whose path holds a name
    python -m tests.notebooks.rewrite --check       run nothing, write nothing

The first two also write notebooks/my_agent.py, made of the solutions of all lessons.
`--check` looks at the form alone; that outputs are right is what nbval finds out.
"""

# ruff: noqa: T201  # it talks to a terminal

import argparse
import sys
from pathlib import Path

from nbclient.exceptions import CellExecutionError

from mingraph_lite.classroom.ours import our_agent
from tests.notebooks.fixed_environment import ROOT
from tests.notebooks.normal_form import differences, normal_form, text
from tests.notebooks.running import notebooks, read, run

__all__ = ["OUR_AGENT", "main"]

OUR_AGENT = ROOT / "notebooks" / "my_agent.py"
"""What the lessons import: made of their solutions, so never written by hand."""


def rewrite(path: Path) -> str:
    """Run one notebook and keep it; return how it failed, if it did."""
    try:
        ran = run(read(path), path.parent)
    except CellExecutionError as error:
        return f"{path.name} stopped at a cell, and the file is as it was.\n{error}"
    changed = text(normal_form(ran)) != path.read_text(encoding="utf-8")
    path.write_bytes(text(normal_form(ran)).encode())
    print(f"{path.name}: {'written' if changed else 'as it was'}")
    return ""


def check(path: Path) -> str:
    """Return what keeps a file from being in normal form."""
    found = differences(path)
    return found and (
        f"{path.name} is not in normal form:\n{found}\n"
        f"Write it anew with: python3 start.py notebooks"
    )


def named(path: Path) -> str:
    """Return what a name is looked for in: not the folders that all of it lies in."""
    return "/".join(path.parts[-2:])


def main(arguments: list[str], found: list[Path] | None = None) -> int:
    """Return 0 when all notebooks were written, or all are in normal form."""
    parser = argparse.ArgumentParser(prog="tests.notebooks.rewrite")
    parser.add_argument("names", nargs="*", help="parts of a notebook's path")
    parser.add_argument("--check", action="store_true", help="look at the form alone")
    options = parser.parse_args(arguments)
    wanted = [
        path
        for path in (notebooks() if found is None else found)
        if not options.names or any(name in named(path) for name in options.names)
    ]
    if not wanted:
        print("No notebook has such a name.", file=sys.stderr)
        return 1
    act = check if options.check else rewrite
    if not options.check and found is None:
        OUR_AGENT.write_text(our_agent(), encoding="utf-8")
    complaints = [complaint for path in wanted if (complaint := act(path))]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if options.check and not complaints:
        print(f"In normal form: {', '.join(path.stem for path in wanted)}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
