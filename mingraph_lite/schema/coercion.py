"""How what a model sent becomes the type a function declared.

Models send "5" for 5 and "false" for false, and now and then true for 1. One table says
what is taken, for every tool and at every depth:

    declared        taken                                refused
    int             5  "5"  " 5 "  5.0  "5.0"            5.5  true  "five"  "0x10"  null
    float           2  2.5  "2.5"                        true  "inf"  NaN  1e999  null
    bool            true  false, the words in any case   1  0  "yes"  null
    str             any text; "null" stays a text        12  true  null
    Literal, Enum   a value as it is or as the menu      the name of a member,
                    lists it, "1" for 1                  true for 1, 1 for true
    X | None        what X takes, and null               what X refuses
    list, set       a list                               a text
    dataclass,      an object; what has a default        unknown keys, unless the class
      TypedDict       may be left out                      says extra="allow"
    Any             everything, as a copy                NaN

Path, datetime, Decimal, UUID and their like are read as pydantic reads them; true is no
number there either. A pydantic model keeps pydantic's rules, or those its author gave
it: who writes one has chosen them.

Why not leave it all to pydantic? It takes true for 1, "yes" for true and "inf" for a
number. Each of them hides a model's mistake from the model.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from pydantic_core import (
    PydanticKnownError,
    PydanticSerializationError,
    ValidationError,
    core_schema,
    to_jsonable_python,
)

from mingraph_lite.schema.portable import as_listed

__all__: Final = ["Schema", "by_the_table", "in_plain_words"]

type Schema = Any
"""A pydantic core schema: nested dicts, each naming its kind under "type"."""

_NOT_BOOL: Final = {
    "int": "int_type",
    "float": "float_type",
    "complex": "complex_type",
    "timedelta": "time_delta_type",
}
_NO_SCHEMA: Final = {
    "computed_fields",
    "config",
    "default",
    "expected",
    "members",
    "metadata",
    "serialization",
}
_WANTED: Final = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "none": "null",
    "path": "a path",
    "dict": "an object",
    "dataclass": "an object",
    "model": "an object",
    "mapping": "an object",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "frozen": "a list",
}
_MOST_PROBLEMS: Final = 10
_LONGEST: Final = 80


def by_the_table(schema: Schema) -> Schema:
    """The same schema, reading values by the table above.

    Why change pydantic's schema and not the annotations? A dataclass inside a list
    inside a tool has annotations of its own; the schema already holds them all.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(map(by_the_table, schema))
    if not isinstance(schema, dict):
        return schema
    if not isinstance(schema.get("type"), str):  # a dict of fields, by name
        return {name: by_the_table(field) for name, field in schema.items()}
    if _has_own_rules(schema):
        return schema
    changed = {
        key: value if key in _NO_SCHEMA else by_the_table(value)
        for key, value in schema.items()
    }
    return _reading(changed)


def _has_own_rules(schema: Schema) -> bool:
    of_a_class = schema["type"] in {"model", "dataclass"}
    return of_a_class and "__pydantic_validator__" in vars(schema["cls"])


def _reading(schema: Schema) -> Schema:
    """One schema, its insides done, with what the table asks in front of it."""
    kind = schema["type"]
    if kind in _NOT_BOOL:
        if kind == "float":
            schema["allow_inf_nan"] = False
        return _in_front(_refuse_bool(_NOT_BOOL[kind]), schema)
    match kind:
        case "bool":
            schema["strict"] = True
            return _in_front(_word_as_bool, schema)
        case "any":
            return _in_front(_own_copy, schema)
        case "literal":
            return _one_of(schema["expected"], schema)
        case "enum":
            return _one_of(schema["members"], schema)
        case "dataclass":
            config = {"extra_fields_behavior": "forbid"}
            schema["config"] = {**config, **schema.get("config", {})}
        case "typed-dict" if schema.get("extra_behavior", "ignore") == "ignore":
            schema["extra_behavior"] = "forbid"
        case "generator":
            # pydantic would check an Iterable lazily: inside the tool, as its failure.
            schema["type"] = "list"
    return schema


def _in_front(function: Callable[[Any], Any], schema: Schema) -> Schema:
    ref = schema.pop("ref", None)
    return core_schema.no_info_before_validator_function(function, schema, ref=ref)


def _refuse_bool(problem: Any) -> Callable[[object], object]:
    def refuse_bool(sent: object) -> object:
        if isinstance(sent, bool):
            raise PydanticKnownError(problem)
        return sent

    return refuse_bool


def _word_as_bool(sent: object) -> object:
    words = {"true": True, "false": False}
    return words.get(sent.strip().lower(), sent) if isinstance(sent, str) else sent


def _own_copy(sent: Any) -> Any:
    """A tool may sort or empty its list; what the folder says was sent must stay."""
    if isinstance(sent, dict):
        return {key: _own_copy(value) for key, value in sent.items()}
    if isinstance(sent, list):
        return [_own_copy(value) for value in sent]
    if isinstance(sent, float) and not math.isfinite(sent):
        raise PydanticKnownError("finite_number")
    return sent


def _one_of(choices: Sequence[object], schema: Schema) -> Schema:
    """Let only these through, and list them as the menu does where none fits."""
    listed = [(c.value if isinstance(c, Enum) else c, c) for c in choices]
    find, bools = _finder(listed), [v for v, _ in listed if isinstance(v, bool)]
    problem = {"expected": " or ".join(_shown(value) for value, _ in listed)}

    def one_of(sent: Any, check: Callable[[Any], Any]) -> Any:
        if found := find(sent):
            return found[0]
        # For pydantic, as for Python, True is in [1] and 1 is in [True].
        if isinstance(sent, bool) or sent in bools:
            raise PydanticKnownError("literal_error", problem)
        try:
            return check(sent)
        except ValidationError:
            raise PydanticKnownError("literal_error", problem) from None

    ref = schema.pop("ref", None)
    return core_schema.no_info_wrap_validator_function(one_of, schema, ref=ref)


def _finder(
    listed: Sequence[tuple[Any, object]],
) -> Callable[[Any], tuple[object] | None]:
    """What finds the choice that is meant, alone in a tuple: it may be None.

    By a table: a long list of choices would be gone through for each value of a list.
    """
    table: dict[tuple[object, Any], tuple[object]] = {}
    no_keys = []
    plain = [(_plain(value), choice) for value, choice in listed]
    for value, choice in [*listed, *plain]:
        try:
            table.setdefault((type(value), value), (choice,))
        except TypeError:  # a list, in an Enum
            no_keys.append((value, choice))
    for value, choice in plain:
        if isinstance(text := as_listed(value), str):
            table.setdefault(("written", text), (choice,))

    def find(sent: Any) -> tuple[object] | None:
        if isinstance(sent, list | dict):
            return next(((c,) for v, c in no_keys if _same(sent, v)), None)
        found = table.get((type(sent), sent))
        if found is None and isinstance(sent, str):
            found = table.get(("written", sent.strip()))
        if found is None and isinstance(sent, float):
            found = table.get((int, sent))
        return found

    return find


def _plain(value: object) -> object:
    """A choice as JSON holds it: a date in an Enum is a text."""
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        return value


def _same(sent: object, listed: object) -> bool:
    return type(sent) is type(listed) and sent == listed


def in_plain_words(error: ValidationError, sent: object) -> str:
    """All problems with what was sent, each with its path, for the model to read."""
    problems = error.errors(include_url=False)
    words, last = "", _Place("", None, None)
    for problem in problems[:_MOST_PROBLEMS]:
        place = _place(problem, sent)
        # What the types of one union miss are alternatives: mending one is enough.
        either = place.fork is not None and place.fork == last.fork
        joint = "; or " if either and place.branch != last.branch else "; "
        words += (joint if words else "") + _problem(place.path, problem)
        last = place
    more = len(problems) - _MOST_PROBLEMS
    return f"{words}; and {more} more problems" if more > 0 else words


class _Place(NamedTuple):
    path: str
    fork: str | None  # where a union stands on the way
    branch: object  # and which of its types was tried


def _place(problem: Any, sent: object) -> _Place:
    """pydantic's location as a path such as stops[0].city, without its type names.

    What is no key of what was sent is the name of a type that was tried on it.
    """
    path, here = "", sent
    fork, branch = None, None
    *_, last = problem["loc"] or [None]
    absent = last if problem["type"].startswith("missing") else None
    for part in problem["loc"]:
        if isinstance(here, Mapping) and (part in here or part == absent):
            path, here = f"{path}.{part}", here.get(part)
        elif isinstance(part, int):
            path += f"[{part}]"
            here = here[part] if isinstance(here, list) and part < len(here) else None
        elif part == "[key]":
            path += " (the key)"
        elif fork is None:
            fork, branch = path, part
    return _Place(path.removeprefix("."), fork, branch)


def _problem(path: str, problem: Any) -> str:
    was = f"{path} was {_shown(problem['input'])}"
    match problem["type"].split("_"):
        case ["missing", *_]:
            return f"{path} is missing"
        case ["extra", "forbidden"] | ["unexpected", *_]:
            known = (
                "one of its parameters" if len(problem["loc"]) == 1 else "known there"
            )
            return f"{path} is not {known}"
        case ["literal", "error"]:
            return f"{was}: must be {problem['ctx']['expected']}"
        case ["string", "type"]:
            return f"{was}: must be a text"
        case [wanted, "type" | "parsing" | "number" | "from", *_] if wanted in _WANTED:
            return f"{was}: must be {_WANTED[wanted]}"
        case _:
            message = problem["msg"].removeprefix("Value error, ")
            return f"{was}: {message.replace('Input should be', 'must be')}"


def _shown(value: object) -> str:
    """A value as the model wrote it, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
