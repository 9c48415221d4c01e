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
    X | None,       what X takes, and null               what X refuses
      X = None
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

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pydantic_core import (
    PydanticKnownError,
    ValidationError,
    core_schema,
)

from mingraph_lite.schema.choices import one_of, shown

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
_LONGEST_KEY: Final = 80
_MOST_PROBLEMS: Final = 10


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
        case "default" if schema.get("default", ...) is None:
            schema["schema"] = _or_null(schema["schema"])
        case "literal":
            return one_of(schema["expected"], schema)
        case "enum":
            return one_of(schema["members"], schema)
        case "dataclass":
            config = {"extra_fields_behavior": "forbid"}
            schema["config"] = {**config, **schema.get("config", {})}
        case "typed-dict" if schema.get("extra_behavior", "ignore") == "ignore":
            schema["extra_behavior"] = "forbid"
        case "generator":
            # pydantic would check an Iterable lazily: inside the tool, as its failure.
            schema["type"] = "list"
    return schema


def _or_null(schema: Schema) -> Schema:
    """What `x: int = None` means in a dataclass; a parameter's hint says it already."""
    inner = schema.get("schema", schema)
    if schema["type"] == "nullable" or inner["type"] == "any":
        return schema
    return core_schema.nullable_schema(schema)


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
            path, here = f"{path}.{_cut(part)}", here.get(part)
        elif isinstance(part, int):
            path += f"[{part}]"
            here = here[part] if isinstance(here, list) and part < len(here) else None
        elif part == "[key]":
            path += " (the key)"
        elif fork is None:
            fork, branch = path, part
    return _Place(path.removeprefix("."), fork, branch)


def _cut(key: object) -> str:
    """A key of the model's own making may be as long as its values."""
    text = str(key)
    return text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}…"


def _problem(path: str, problem: Any) -> str:
    was = f"{path} was {shown(problem['input'])}"
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
