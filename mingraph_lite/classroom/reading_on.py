"""Where to read on: a file of the package, and lines."""

from __future__ import annotations

import html
import inspect
from pathlib import Path
from typing import Any, Final

from mingraph_lite.classroom.surroundings import Surroundings, show

__all__: Final = ["link_to", "now_read", "places"]

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_BELOW: Final = 15  # lines that fit below a first one, on a projector too


def places(*things: Any) -> list[tuple[str, str, int, int]]:
    """File, name, first and last line of functions, classes and modules of ours.

    Raises ValueError for what is not of the package.
    """
    return [_place(thing) for thing in things]


def now_read(*things: Any, around: Surroundings | None = None) -> None:
    """Name the file and the lines to read now; in a notebook, open them too."""
    around = around or Surroundings()
    if not things:
        print("Name what to read: now_read(Agent), a class or function of the package.")
        return
    try:
        found = places(*things)
    except ValueError as error:
        print(error)
        return
    text = "\n".join(
        f"Now read: {file}, {name}, lines {first} to {last}."
        for file, name, first, last in found
    )
    if not around.shows_cards:
        print(text)
        return
    shown = "".join(
        _shown(place, thing) for place, thing in zip(found, things, strict=True)
    )
    show({"text/plain": text, "text/html": shown}, raw=True)


def link_to(place: tuple[str, str, int, int]) -> str:
    """Where a place is in the copy that start.py lays beside the lessons."""
    file, _, first, last = place
    # JupyterLab counts the lines of a file from 0, and scrolls no further than until
    # the line it is given stands at the bottom: one further down shows what is meant.
    line = min(last, first + _BELOW) - 1
    return file.replace("mingraph_lite/", "package/", 1) + f"#line={line}"


def _place(thing: Any) -> tuple[str, str, int, int]:
    thing = inspect.unwrap(thing) if callable(thing) else thing
    try:
        home = Path(inspect.getfile(thing)).resolve()
    except TypeError:  # built in, or no class and no function
        home = Path()
    if _PACKAGE not in home.parents:
        raise ValueError(
            f"{_called(thing)} is not of the package. now_read names its modules, "
            "classes and functions."
        )
    file = home.relative_to(_PACKAGE.parent).as_posix()
    if inspect.ismodule(thing):
        count = len(inspect.getsource(thing).splitlines())
        return file, "all of it", 1, count
    lines, first = inspect.getsourcelines(thing)
    return file, thing.__qualname__, first, first + len(lines) - 1


def _called(thing: Any) -> str:
    """Its name; what has none may have an address, which is nobody's business."""
    if isinstance(thing, str | int | float):
        return repr(thing)
    return str(getattr(thing, "__name__", f"This {type(thing).__name__}"))


def _shown(place: tuple[str, str, int, int], thing: Any) -> str:
    """The lines, folded, under a link to the copy that start.py lays beside."""
    file, name, first, last = place
    source = inspect.getsource(thing).splitlines()
    numbered = "\n".join(f"{n:>4}  {line}" for n, line in enumerate(source, first))
    return (
        f'<p>Now read: <a href="{link_to(place)}">{html.escape(file)}</a>, '
        f"{html.escape(name)}, lines {first} to {last}.</p>"
        f"<details><summary>open it here</summary>"
        f"<pre>{html.escape(numbered)}</pre></details>"
    )
