"""What a docstring says of each parameter, and what is left.

A description written in a docstring goes to its parameter on the menu, and is taken out
of the tool's own: a model pays for each word. All else stays as it was written, what is
returned, raised and shown as an example too, since a model can use it.

    Google      Args:                      indented entries, "query (str): text"
    NumPy       Parameters, underlined     "query : str", the text indented below
    Sphinx      :param query: text         and :type query:, which the menu says better
    Epydoc      @param query: text         likewise

Why no library? They do not say where a description stood, so that it would be sent
twice; docstring_parser (22 kB, 25 ms to import) reads one style per docstring and loses
all of a section with one line it cannot read, and griffelib (173 kB, 77 ms) asks to be
told the style. Neither mends line ends.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from typing import Final, NamedTuple

__all__: Final = ["Read", "read_docstring"]

_TITLES: Final = (
    r"(?:args|arguments|params|parameters|attributes|other parameters"
    r"|keyword (?:args|arguments|parameters))"
)
_GOOGLE: Final = re.compile(rf"{_TITLES}\s*:", re.IGNORECASE)
_NUMPY: Final = re.compile(rf"{_TITLES}\s*:?", re.IGNORECASE)
_UNDERLINE: Final = re.compile(r"-{3,}|={3,}")
_SECTION: Final = re.compile(r"[A-Z][A-Za-z ]*:")
_IN_BRACKETS: Final = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_GOOGLE_ENTRY: Final = re.compile(
    rf"(?:[-*•]\s+)?[*`\\]*(\w+)[*`]*\s*(?:{_IN_BRACKETS}\s*)?(?::|\s--?\s)(.*)"
)
_NUMPY_ENTRY: Final = re.compile(
    r"([*`\\]*\w+`*(?:\s*,\s*[*`\\]*\w+`*)*)(?:\s+:.*|:(?:\s.*)?)?"
)
_FIELD: Final = re.compile(
    r"[:@](param|parameter|arg|argument|key|keyword|type|kwtype)"
    r"\s(?:[^:]*[\s*\\])?(\w+)\s*:(.*)"
)
_ANY_FIELD: Final = re.compile(r"[:@]\w+[^:]*:")


class Read(NamedTuple):
    """What a docstring says of each name, and all the rest."""

    text: str
    of: dict[str, str]


class _Part(NamedTuple):
    """What some lines of a docstring say, and of which names."""

    names: Collection[str]
    text: str


def read_docstring(docstring: str | None, names: Collection[str]) -> Read:
    """The descriptions of these names, and the text without them.

    Other names than these are ignored: a docstring outlives a signature.
    """
    lines = inspect.cleandoc(re.sub(r"\r\n?", "\n", docstring or "")).splitlines()
    of: dict[str, str] = {}
    left: list[str] = []
    at = 0
    while at < len(lines):
        parts, end = _section(lines, at, names)
        known = [(n, part.text) for part in parts for n in part.names if n in names]
        for name, text in known:
            if words := " ".join(text.split()):
                of.setdefault(name, words)
        if not known:
            left.append(lines[at].rstrip())
        at = end if known else at + 1
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(left)).strip()
    return Read(text, of)


def _section(
    lines: list[str], at: int, names: Collection[str]
) -> tuple[list[_Part], int]:
    """The parts of the section that begins at a line, and where it ends.

    What is indented belongs to another section: an example may show a docstring.
    """
    line = lines[at].rstrip()
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if _NUMPY.fullmatch(line) and _UNDERLINE.fullmatch(below):
        return _numpy(lines, at + 2)
    if _GOOGLE.fullmatch(line):
        return _google(lines, at + 1, names)
    if field := _FIELD.fullmatch(line):
        end = _end_of_field(lines, at + 1)
        kind, name, text = field.groups()
        said = "" if kind.endswith("type") else "\n".join([text, *lines[at + 1 : end]])
        return [_Part([name], said)], end
    return [], at + 1


def _google(
    lines: list[str], at: int, names: Collection[str]
) -> tuple[list[_Part], int]:
    depth = next((_indent(line) for line in lines[at:] if line.strip()), 0)
    # Python leaves the first line of a docstring out when it takes off indents, so that
    # below one that opens with "Args:" nothing looks indented.
    if not depth and at > 1:
        return [], at
    parts: list[_Part] = []
    for end in range(at, len(lines)):
        line, indent = lines[end].strip(), _indent(lines[end])
        entry = _GOOGLE_ENTRY.fullmatch(line)
        known = bool(entry and entry[1] in names)
        after_a_gap = bool(_SECTION.fullmatch(line)) or not lines[end - 1].strip()
        if line and not indent and (depth or (after_a_gap and not known)):
            return parts, end
        if entry and indent <= depth and (known or indent == depth):
            parts.append(_Part([entry[1]], entry[2]))
        elif parts:
            parts[-1] = _going_on(parts[-1], line)
        elif line:  # prose, which nobody may lose
            return [], at
    return parts, len(lines)


def _numpy(lines: list[str], at: int) -> tuple[list[_Part], int]:
    parts: list[_Part] = []
    for end in range(at, len(lines)):
        line = lines[end].rstrip()
        if line and not _indent(line):
            below = lines[end + 1].strip() if end + 1 < len(lines) else ""
            entry = _NUMPY_ENTRY.fullmatch(line)
            if not entry or _UNDERLINE.fullmatch(below) or _ANY_FIELD.match(line):
                return parts, end
            parts.append(_Part(re.findall(r"\w+", entry[1]), ""))
        elif parts:
            parts[-1] = _going_on(parts[-1], line)
    return parts, len(lines)


def _going_on(part: _Part, line: str) -> _Part:
    return _Part(part.names, f"{part.text}\n{line}")


def _end_of_field(lines: list[str], at: int) -> int:
    """Where a field ends: at the next one, or where its paragraph and indent do."""
    blank = False
    for end in range(at, len(lines)):
        line = lines[end].rstrip()
        outside = line and not _indent(line)
        if outside and (blank or _ANY_FIELD.match(line) or _GOOGLE.fullmatch(line)):
            return end
        blank = not line
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
