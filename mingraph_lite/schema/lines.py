"""One object as one line of strict JSON, and back.

What JSON cannot hold is replaced, what is too long is cut, what is secret is masked;
each such place stands in the line's `marks`, so that no reader takes it for what was:

    {"at": "value.when", "what": "stand-in", "type": "datetime"}
    {"at": "content", "what": "cut", "length": 250061}
    {"at": "arguments.api_key", "what": "masked"}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from mingraph_lite.schema.hiding import STARS
from mingraph_lite.schema.in_short import brief
from mingraph_lite.schema.jsonable import dump_json, jsonable, valid_text
from mingraph_lite.schema.key_looks import looks_like_a_key
from mingraph_lite.schema.masking import Mask, names_on
from mingraph_lite.schema.secret_names import is_secret_under
from mingraph_lite.schema.told_secrets import without_scheme

__all__: Final = ["Problem", "as_line", "read_line"]

_DEEPEST: Final = 50
_SCHEMAS: Final = "menu"
"""Under this key stand the tools: a parameter may be named password, and is none."""

_PRESET: Final = {"const", "default", "enum", "examples"}
"""What a schema says of the value itself."""

_STAMP: Final = {"run", "seq", "step", "event", "ms"}
"""What a reader finds a line by is neither cut nor masked."""

_BOUNDED: Final = {"arguments", "payload", "value"}
"""What stands under these keys is cut as a whole: it may be long in many parts."""

_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def as_line(thing: Mapping[str, Any], mask: Mask, longest: int) -> bytes:
    """The line, in UTF-8, with its line end; it never raises for what it is handed."""
    if _SCHEMAS in thing:
        mask.spare(names_on(thing[_SCHEMAS]))
    try:
        text = _encode(thing)
        if len(text) <= longest and not (mask.suspects(text) or _is_deep(text, thing)):
            return f"{text}\n".encode()
    except Exception:
        # No JSON, half a character, or a dict whose items() raises: what follows
        # replaces just that.
        pass
    fitted, found = _fitted(thing, mask, longest)
    if found:
        # It may stand in clear beside its name: in a text, a repr, an error.
        mask.learn(found)
        fitted, _ = _fitted(thing, mask.knowing(found), longest)
    return f"{_encode(fitted)}\n".encode()


def _fitted(
    thing: Mapping[str, Any], mask: Mask, longest: int
) -> tuple[dict[str, Any], set[str]]:
    """What fits into a line, and what of it stood under a secret's name."""
    fitting = _Fitting(mask, longest)
    fitted: dict[str, Any] = {
        key: _stamp(value) if key in _STAMP else fitting.of(value, key)
        for key, value in thing.items()
    }
    for mark in fitting.marks:
        # What is drawn of a thing may show what is masked inside of it.
        name = str(mark["at"]).partition(".")[2].partition(".")[0]
        if mark["what"] == "masked" and name in fitted.get("shown", ()):
            fitted["shown"][name] = STARS
    if fitting.marks:
        fitted["marks"] = [*fitted.get("marks", ()), *fitting.marks]
    return fitted, fitting.found


def _stamp(value: Any) -> Any:
    return valid_text(value) if isinstance(value, str) else value


class _Fitting:
    """Makes values fit for a line, and keeps what was done to which."""

    def __init__(self, mask: Mask, longest: int) -> None:
        self.marks: list[dict[str, object]] = []
        self.found: set[str] = set()
        self._mask = mask
        self._longest = longest
        self._is_bounded = False

    def of(self, value: Any, key: str) -> Any:
        """One value under a key of the line."""
        return self._named(key, value, "", 0)

    def _part(self, value: Any, at: str, depth: int) -> Any:
        """A value that is part of another, or what stands for it."""
        before = len(self.marks)
        try:
            return self._fit(value, at, depth)
        except Exception:  # its items() or repr() is somebody else's code
            del self.marks[before:]
            self._mark(at, "stand-in", type=type(value).__name__)
            return self._fit(jsonable(value), at, depth)

    def _fit(self, value: Any, at: str, depth: int) -> Any:
        kind = type(value)
        if value is None or kind is bool:
            return value
        if isinstance(value, str):
            return self._text(str.__str__(value), at)
        if depth < _DEEPEST and isinstance(value, list | tuple):
            return [
                self._item(value, place, f"{at}.{place}", depth + 1)
                for place in range(len(value))
            ]
        if depth < _DEEPEST and isinstance(value, dict) and _all_texts(value):
            return {
                self._key(name, at): self._named(name, item, at, depth, _of(value))
                for name, item in value.items()
            }
        plain = jsonable(value)
        if kind in (int, float) and type(plain) is kind:
            if not self._mask.suspects(written := str(plain)):
                return plain
            return self._text(written, at)
        self._mark(at, "stand-in", type=kind.__name__)
        if depth < _DEEPEST and not isinstance(plain, str):
            return self._part(plain, at, depth + 1)
        # A picture of a thing, and not a text: its beginning is enough.
        return brief(self._text(str(plain), at))

    def _item(self, held: Sequence[Any], place: int, at: str, depth: int) -> Any:
        """One of a list: it may be a name with its value, or stand behind a --name."""
        value, before = held[place], held[place - 1] if place else None
        if isinstance(before, str) and before.startswith("--"):
            if isinstance(value, str) and is_secret_under(before, value):
                return self._hidden(value, at)
        elif isinstance(value, list | tuple) and len(value) == 2:
            name, behind = value
            if isinstance(name, str) and is_secret_under(name, behind):
                return [name, self._hidden(behind, f"{at}.1")]
        return self._part(value, at, depth)

    def _named(
        self, name: str, value: Any, at: str, depth: int, owner: str | None = None
    ) -> Any:
        """What stands under a name; what an object calls its `value`, under its own."""
        place = f"{at}.{name}" if at else name
        said = owner if owner is not None and name == "value" else name
        if at.startswith(_SCHEMAS):
            said = at.rpartition(".")[2] if name in _PRESET else ""
        if is_secret_under(said, value):
            return self._hidden(value, place)
        if name not in _BOUNDED or self._is_bounded:
            return self._part(value, place, depth + 1)
        self._is_bounded = True
        fitted = self._part(value, place, depth + 1)
        self._is_bounded = False
        if isinstance(fitted, list | dict):
            written = _encode(fitted)
            if len(written) > self._longest:
                return self._cut(written, place)
        return fitted

    def _hidden(self, value: Any, at: str) -> str:
        self._mark(at, "masked")
        self.found.update(_texts_in(value))
        return STARS

    def _key(self, name: str, at: str) -> str:
        return self._text(name, f"{at} (a key)")

    def _text(self, text: str, at: str) -> str:
        valid = valid_text(text)
        if valid != text:
            self._mark(at, "stand-in", type="half a character")
        # Masked before it is cut: half a key is no key that anybody would find.
        shown, told = self._mask.masked_and_told(valid)
        self.found.update(filter(looks_like_a_key, told))
        shown = self._json(valid) or shown
        if shown != valid:
            self._mark(at, "masked")
        return self._cut(shown, at) if len(shown) > self._longest else shown

    def _json(self, text: str) -> str | None:
        """A text that is JSON, masked by its names and JSON still; None for others."""
        if text.lstrip()[:1] not in {"{", "["}:
            return None
        inside = _Fitting(self._mask, self._longest)
        try:
            written = dump_json(inside._part(json.loads(text), "", 0))
        except (ValueError, RecursionError):
            return None
        self.found |= inside.found
        return written if inside.found else None

    def _cut(self, text: str, at: str) -> str:
        self._mark(at, "cut", length=len(text))
        return f"{text[: self._longest]}… [cut: {len(text):,} characters in all]"

    def _mark(self, at: str, what: str, **more: object) -> None:
        self.marks.append({"at": self._mask.masked(at), "what": what, **more})


def _of(entry: Mapping[str, Any]) -> str | None:
    """Whose value it is, in an object such as {"name": "API_KEY", "value": "…"}."""
    name = entry.get("name", entry.get("key"))
    return name if isinstance(name, str) else None


def _texts_in(value: Any) -> Iterator[str]:
    """The texts and numbers of a value, a header's without its scheme."""
    if isinstance(value, str):
        yield without_scheme(value)
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(part)


def _all_texts(names: Mapping[Any, Any]) -> bool:
    return all(isinstance(name, str) for name in names)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a line of a file, counted from 1."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


_decoder: Final = json.JSONDecoder(parse_constant=_refuse)
_BOM: Final = b"\xef\xbb\xbf"
_MOST_LEVELS: Final = 200
"""Deeper is no line that a recorder writes; and who walks through it would fall."""

_TOO_DEEP: Final = "is nested too deep"
_TOO_MANY_DIGITS: Final = "has a number of more digits than Python reads"
_BEGIN: Final = '{"run":'
_SPACE: Final = re.compile(r"\s*")
_MOST_BROKEN: Final = 100
"""So often a line is searched for an object behind something that is none."""


def read_line(raw: bytes) -> tuple[list[dict[str, Any]], str | None]:
    """The objects of a line, one as a rule, and what is wrong with it."""
    try:
        text = raw.removeprefix(_BOM).decode().strip()
    except UnicodeDecodeError as error:
        return [], f"is no UTF-8 at byte {error.start}"
    if not text:
        return [], None
    try:
        value = _decoder.decode(text)
    except RecursionError:
        return [], _TOO_DEEP
    except ValueError as error:
        if not isinstance(error, json.JSONDecodeError) and "digits" in str(error):
            return [], _TOO_MANY_DIGITS
        return _apart(text)
    if not isinstance(value, dict):
        return [], f"is {brief(text)!r}, which is no JSON object"
    if _is_deep(text, value):
        return [], _TOO_DEEP
    if "\\ud" in text or "\\uD" in text:
        return _with_whole_characters(value)
    return [value], None


def _is_deep(text: str, value: object) -> bool:
    """Whether a value, and its JSON, is nested deeper than anybody can walk."""
    if text.count("{") + text.count("[") <= _MOST_LEVELS:
        return False
    level = [value]
    for _ in range(_MOST_LEVELS):
        inside = [
            part.values() if isinstance(part, dict) else part
            for part in level
            if isinstance(part, list | tuple | dict)
        ]
        level = [part for parts in inside for part in parts]
        if not level:
            return False
    return True


def _with_whole_characters(
    value: dict[str, Any],
) -> tuple[list[dict[str, Any]], str | None]:
    try:
        _encode(value).encode()
    except UnicodeEncodeError:
        return [jsonable(value)], "has half a character, which is read as \ufffd"
    except ValueError:  # a number that no float holds
        return [jsonable(value)], "has a number that no float holds"
    return [value], None


def _apart(text: str) -> tuple[list[dict[str, Any]], str]:
    """The objects that were welded into one line, as far as they are whole.

    Behind something broken one is found by how a line of a trace begins.
    """
    found: list[dict[str, Any]] = []
    broken: list[int] = []
    at = 0
    while 0 <= at < len(text) and len(broken) < _MOST_BROKEN:
        try:
            value, end = _decoder.raw_decode(text, at)
            if not isinstance(value, dict) or _is_deep(text[at:end], value):
                raise ValueError
        except (ValueError, RecursionError):
            broken.append(at)
            at = text.find(_BEGIN, at + 1)
        else:
            found.append(value)
            at = _after_space(text, end)
    if not broken:
        return found, f"has {len(found)} objects without a line end between them"
    begins = dump_json(text[broken[0] : broken[0] + 60])
    first = f"breaks off or is no JSON, and begins {begins}"
    if not found:
        return [], first
    where = ", and what follows" if broken[0] else " behind what"
    return found, f"has {len(found)} whole{where} {first}"


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
