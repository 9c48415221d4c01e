"""Definitions put into a file of Python that others write in too."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, Final

from mingraph_lite.classroom.definitions import CannotKeep
from mingraph_lite.classroom.sources import OWN_FILE, Piece

__all__: Final = ["names_in", "with_pieces", "written_as"]


def with_pieces(text: str, pieces: Sequence[Piece]) -> str:
    """The file with these pieces, each in the place of its name.

    What is new comes before the first of those that need it, else at the end.
    """
    for at, piece in enumerate(pieces):
        there = set(names_in(text))
        users = [other.name for other in pieces[at + 1 :] if other.name in there]
        text = _with_piece(text, piece, users)
        text = _with_imports(text, piece.imports)
    return text


def names_in(text: str) -> list[str]:
    """The functions, classes and values that a file defines, in order."""
    return [name for node in _parsed(text).body for name in _defined(node)]


def written_as(text: str, name: str) -> str | None:
    """How a file defines a name; None where it does not, or cannot be read."""
    try:
        body = _parsed(text).body
    except CannotKeep:
        return None
    for node in reversed(body):
        if name in _defined(node):
            first, last = _span(node)
            return "\n".join(text.split("\n")[first:last])
    return None


def _with_piece(text: str, piece: Piece, users: list[str]) -> str:
    lines = text.rstrip("\n").split("\n")
    own = set(names_in(piece.source)) | {piece.name}
    body = _parsed(text).body
    spans = [_span(n) for n in body if own & set(_defined(n))]
    new = piece.source.split("\n")
    gap = [""] * (1 if piece.source.startswith(f"{piece.name} = ") else 2)
    if spans:
        for first, last in reversed(spans[1:]):
            while first and not lines[first - 1].strip():
                first -= 1
            del lines[first:last]
        first, last = spans[0]
        lines[first:last] = new
    elif users:
        before = min(_span(n)[0] for n in body if set(users) & set(_defined(n)))
        lines[before:before] = [*new, *gap]
    else:
        lines += [*gap, *new]
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
        # An import far below, among what the learner wrote, is no place for ours.
        top = [n for n, node in enumerate(body) if node not in [*title, *there]]
        head = body[: top[0]] if top else body
        after = max((n.end_lineno or 0 for n in head), default=0)
        gap = [""] if head == title and title else []
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
            f"{OWN_FILE}.py cannot be read: line {error.lineno}, {error.msg}. Mend "
            "that line, or rename the file and begin with ours: take_ours()."
        ) from None


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    target: Any = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    return [target.id] if isinstance(target, ast.Name) else []


def _span(node: Any) -> tuple[int, int]:
    """Its lines, decorators included: the first, and the one after the last."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return first - 1, node.end_lineno


def _is_title(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
