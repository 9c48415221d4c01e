"""A JSON schema in the words that every hosted API accepts.

One tool that one provider cannot read costs the whole request, and the menu is written
before anybody knows who will read it. So it is written in what OpenAI, Gemini and
Mistral have in common; what none of that can say is said in the description, and the
check of what comes back knows it all the same.

    as pydantic writes it                   on the menu
    a tuple's prefixItems                   items, how many, and their order in words
    an array without items                  items of any kind
    enum of numbers, bool or mixed          enum of texts; the check takes "1" for 1
    const                                   enum of one text
    null in an enum, a list of types        anyOf
    oneOf                                   anyOf
    exclusiveMinimum of a whole number      minimum, one more
    other bounds, uniqueItems, formats      words in the description

Two things stay that Gemini refused before November 2025 (pydantic/pydantic-ai#1598,
nanbingxyz/5ire#42; withceleste/celeste-python#48 has the change): additionalProperties,
without which no dict has a type, and the $ref of a type that holds itself. The public
source of each rule stands with its row in tests/schema/test_portable.py.

Why a text for a number? Gemini knows no enum but of texts, and a list of the choices
that stood in the description alone would bind no model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

__all__: Final = [
    "Schema",
    "as_listed",
    "illegal_names",
    "portable",
]

type Schema = dict[str, Any]
"""A JSON schema, as it stands on the menu."""

_LEGAL_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""What Anthropic demands of a parameter's name, and others behind gateways."""

_NULL: Final = {"type": "null"}
_COMMON: Final = {
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "default",
    "description",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
}
_FORMATS: Final = {
    "binary": None,
    "date": "a date, such as 2024-05-31",
    "date-time": "a date and time, such as 2024-05-31T13:30:00Z",
    "duration": "a duration, such as PT1H30M",
    "path": None,
    "time": "a time, such as 13:30:00",
    "uuid": "a UUID",
}
"""What a text's format is in words; None where the description says it better."""


def portable(schema: Any) -> Any:
    """The same schema in common words, by the table above."""
    if not isinstance(schema, dict):
        return schema
    for rewrite in _REWRITES:
        schema = rewrite(schema)
    made: Schema = {}
    words = list[str]()
    for key, value in schema.items():
        if key in {"properties", "$defs"}:
            made[key] = {name: portable(part) for name, part in value.items()}
        elif key == "anyOf":
            made[key] = _flat([portable(part) for part in value])
        elif key in {"items", "additionalProperties"}:
            made[key] = portable(value)
        elif key in _COMMON:
            made[key] = value
        elif said := _in_words(key, value):
            words.append(said)
    if words:
        said = f"({'; '.join(words)})"
        made["description"] = f"{made.get('description', '')} {said}".strip()
    if "default" in made:
        made["default"] = _listed_default(made)
    return made


def as_listed(value: object) -> object:
    """A choice as an enum lists it: a text, which null alone is not."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def illegal_names(schema: Any) -> Iterator[str]:
    """The names of parameters and fields that a provider refuses."""
    if isinstance(schema, list):
        for part in schema:
            yield from illegal_names(part)
    if not isinstance(schema, dict):
        return
    for key in ("properties", "$defs"):
        for name, part in schema.get(key, {}).items():
            if key == "properties" and not _LEGAL_NAME.fullmatch(name):
                yield name
            yield from illegal_names(part)
    for key in ("items", "anyOf", "additionalProperties"):
        yield from illegal_names(schema.get(key))


def _tuple_as_items(schema: Schema) -> Schema:
    """A tuple's types, one for all places, or one of them for each."""
    if schema.get("type") != "array":
        return schema
    places: list[Schema] = schema.get("prefixItems", [])
    rest = {key: value for key, value in schema.items() if key != "prefixItems"}
    if not places:
        return rest if "items" in rest else {**rest, "items": {}}
    kinds = list[Schema]()
    for place in [*places, *([rest["items"]] if rest.get("items") else [])]:
        kind = {k: v for k, v in place.items() if k not in {"title", "default"}}
        if kind not in kinds:
            kinds.append(kind)
    items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if len(kinds) > 1 or any("title" in place for place in places):
        rest["in order"] = ", ".join(map(_place, places))
    return {**rest, "items": items}


def _place(schema: Schema) -> str:
    kind = schema.get("type", "any")
    return f"{schema['title']} ({kind})" if "title" in schema else str(kind)


def _types_apart(schema: Schema) -> Schema:
    if "oneOf" in schema:
        schema = {("anyOf" if k == "oneOf" else k): v for k, v in schema.items()}
    kinds = schema.get("type")
    if not isinstance(kinds, list):
        return schema
    beside: Schema = {k: schema[k] for k in ("description", "default") if k in schema}
    rest: Schema = {k: v for k, v in schema.items() if k not in {"type", *beside}}
    branches = [_NULL if kind == "null" else {"type": kind, **rest} for kind in kinds]
    return {"anyOf": branches, **beside}


def _enum_of_texts(schema: Schema) -> Schema:
    if "const" in schema:
        schema = {("enum" if k == "const" else k): v for k, v in schema.items()}
        schema["enum"] = [schema["enum"]]
    if "enum" not in schema:
        return schema
    choices = [choice for choice in schema["enum"] if choice is not None]
    beside = {k: v for k, v in schema.items() if k not in {"type", "enum"}}
    if not choices:
        return {**_NULL, **beside}
    texts = [as_listed(choice) for choice in choices]
    if len(set(texts)) < len(texts):  # 1 and "1", which no list of texts tells apart
        return {**beside, "one of": schema["enum"]}
    listed: Schema = {"type": "string", "enum": texts}
    if len(choices) == 2 and all(isinstance(choice, bool) for choice in choices):
        listed = {"type": "boolean"}
    if None in schema["enum"]:
        return {"anyOf": [listed, _NULL], **beside}
    return {**listed, **beside}


def _flat(branches: list[Schema]) -> list[Schema]:
    """The branches, those of a branch that is nothing else among them."""
    flat = list[Schema]()
    for branch in branches:
        for part in branch["anyOf"] if set(branch) == {"anyOf"} else [branch]:
            if part not in flat:
                flat.append(part)
    return flat


def _whole_bounds(schema: Schema) -> Schema:
    if schema.get("type") != "integer":
        return schema
    made = dict(schema)
    for exclusive, inclusive, step in (
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ):
        bound = made.get(exclusive)
        if isinstance(bound, int) and inclusive not in made:
            made[inclusive] = made.pop(exclusive) + step
    return made


_REWRITES: Final[tuple[Callable[[Schema], Schema], ...]] = (
    _types_apart,
    _enum_of_texts,
    _tuple_as_items,
    _whole_bounds,
)

_WORDS: Final[Mapping[str, str | None]] = {
    "contentMediaType": None,
    "examples": "such as {}",
    "exclusiveMaximum": "less than {}",
    "exclusiveMinimum": "more than {}",
    "in order": "in this order: {}",
    "maxProperties": "at most {} entries",
    "minProperties": "at least {} entries",
    "multipleOf": "a multiple of {}",
    "uniqueItems": "no item twice",
}
"""Keys that some provider refuses, as the description says them; None goes unsaid."""


def _in_words(key: str, value: object) -> str | None:
    if key == "format":
        return _FORMATS.get(str(value), f"format {value}")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if key == "examples" and isinstance(value, list):
        text = ", ".join(json.dumps(example, ensure_ascii=False) for example in value)
    pattern = _WORDS.get(key, f"{key}: {{}}")
    return pattern.format(text) if pattern else None


def _listed_default(schema: Schema) -> object:
    """A default as the enum lists it, where it is one of a choice."""
    default = schema["default"]
    choices = [
        choice
        for branch in (schema, *schema.get("anyOf", ()))
        for choice in branch.get("enum", ())
    ]
    text = as_listed(default)
    return text if text in choices and default not in choices else default
