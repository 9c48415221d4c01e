"""my_agent.py: what a learner wrote, from lesson to lesson.

A file of Python like any other. What is kept anew takes the place of what had its
name; nothing is overwritten without a copy, my_agent.before_04.py.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from mingraph_lite.classroom.sources import OWN_FILE, CannotKeep, Piece

__all__: Final = ["FILE", "HEAD", "names_in", "with_pieces", "write_down"]

FILE: Final = f"{OWN_FILE}.py"
HEAD: Final = '"""My agent, written lesson by lesson: keep(...) adds what I wrote."""\n'


def write_down(folder: Path, pieces: Iterable[Piece], lesson: str) -> str | None:
    """Write pieces into my_agent.py.

    Gives the name of the copy of the file as it was, if one was made. Raises
    CannotKeep, and leaves the file alone, where the new one would not run.
    """
    path = folder / FILE
    old = path.read_text(encoding="utf-8") if path.exists() else HEAD
    new = with_pieces(old, pieces)
    if new == old:
        return None
    _try(new)
    copy = _copy(path, lesson) if path.exists() else None
    draft = path.with_name(f"{FILE}.draft")
    draft.write_text(new, encoding="utf-8")
    os.replace(draft, path)  # whole or not at all
    return copy


def with_pieces(text: str, pieces: Iterable[Piece]) -> str:
    """The file with these pieces, each in the place of its name."""
    for piece in pieces:
        text = _with_imports(_with_piece(text, piece), piece.imports)
    return text


def names_in(text: str) -> list[str]:
    """The functions, classes and values that a file defines, in order."""
    return [name for node in _parsed(text).body for name in _defined(node)]


def _with_piece(text: str, piece: Piece) -> str:
    lines = text.rstrip("\n").split("\n")
    own = set(names_in(piece.source)) | {piece.name}
    spans = [_span(n) for n in _parsed(text).body if own & set(_defined(n))]
    new = piece.source.split("\n")
    if not spans:
        gap = [""] * (1 if piece.source.startswith(f"{piece.name} = ") else 2)
        return "\n".join([*lines, *gap, *new]) + "\n"
    for first, last in reversed(spans):
        lines[first:last] = new if first == spans[0][0] else []
    return "\n".join(lines) + "\n"


def _with_imports(text: str, imports: Iterable[str]) -> str:
    """Add what is missing below the imports that are there, else below the title."""
    for line in imports:
        body = _parsed(text).body
        there = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom)]
        if any(_gives(node, line) for node in there):
            continue
        lines = text.split("\n")
        title = body[:1] if body and _is_title(body[0]) else []
        after = max((n.end_lineno or 0 for n in [*title, *there]), default=0)
        gap = [""] if not there and title else []
        lines[after:after] = [*gap, line]
        text = "\n".join(lines)
    return text


def _gives(node: ast.Import | ast.ImportFrom, line: str) -> bool:
    """Whether an import that is there makes this one needless."""
    wanted = ast.parse(line).body[0]
    assert isinstance(wanted, ast.Import | ast.ImportFrom)
    if getattr(wanted, "module", None) != getattr(node, "module", None):
        return False
    names = {(alias.name, alias.asname) for alias in node.names}
    return {(alias.name, alias.asname) for alias in wanted.names} <= names


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise CannotKeep(
            f"{FILE} cannot be read: line {error.lineno}, {error.msg}. Mend that line, "
            "or rename the file and begin with ours: take_ours()."
        ) from None


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    targets: list[Any] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _span(node: Any) -> tuple[int, int]:
    """Its lines, decorators included: the first, and the one after the last."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return first - 1, node.end_lineno


def _is_title(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _try(text: str) -> None:
    """Run the file once, elsewhere: what cannot be imported must not be written."""
    before = sys.modules.get(OWN_FILE)
    # A dataclass looks its own module up.
    trial = sys.modules[OWN_FILE] = ModuleType(OWN_FILE)
    try:
        exec(compile(text, FILE, "exec", dont_inherit=True), vars(trial))
    except Exception as error:
        # Whatever a learner's own lines raise: the file stays as it was.
        raise CannotKeep(
            f"With it, {FILE} would not run: {type(error).__name__}: {error}."
        ) from error
    finally:
        sys.modules.pop(OWN_FILE)
        if before is not None:
            sys.modules[OWN_FILE] = before


def _copy(path: Path, lesson: str) -> str:
    """Keep the file under another name, and give that name."""
    stem, count = f"{OWN_FILE}.before_{lesson[:2]}", 1
    copy = path.with_name(f"{stem}.py")
    while copy.exists():
        count += 1
        copy = path.with_name(f"{stem}-{count}.py")
    copy.write_bytes(path.read_bytes())
    return copy.name
