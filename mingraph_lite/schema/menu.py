"""How a tool's parameters are written on the menu: short and whole.

pydantic writes JSON schema for machines. A model pays for each word of it on each call,
and small servers do not follow references, so titles go and definitions are put where
they are used. Only a type that contains itself keeps its definition. `portable` then
says it all in words that every hosted API accepts.

A parameter's description comes from `Annotated[str, "a city"]`, from its docstring, or
from its class, the first of these that has one.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import (
    PydanticSerializationError,
    SchemaError,
    SchemaValidator,
    ValidationError,
    core_schema,
    to_jsonable_python,
)

from mingraph_lite.schema.docstrings import read_docstring
from mingraph_lite.schema.hints import own_text
from mingraph_lite.schema.jsonable import jsonable
from mingraph_lite.schema.portable import Schema, portable
from mingraph_lite.schema.settled import holds_an_iterator

__all__: Final = ["menu_schema"]

_VALUES: Final = {"const", "default", "enum", "examples"}
_REFERENCE: Final = re.compile(r'"#/\$defs/([^"]+)"')


def menu_schema(
    core: Any, defaults: Mapping[str, object], texts: Mapping[str, str]
) -> Schema:
    """A core schema's parameters as the model reads them.

    `texts` describe the parameters that do not describe themselves. A default is listed
    where a model could send it back: what the menu says of it is always accepted.
    """
    generated = _GenerateJsonSchema().generate(core)
    definitions = generated.pop("$defs", {})
    circles = _circles(definitions)
    straight = {name: d for name, d in definitions.items() if name not in circles}
    properties = generated.setdefault("properties", {})
    for name, parameter in properties.items():
        _lift_description(parameter)
        if name in texts:
            parameter.setdefault("description", texts[name])
    schema: Schema = _short(generated, straight)
    schema.pop("description", None)  # the tool's own description says it
    for name, default in _that_can_be_sent(core, defaults).items():
        schema["properties"][name]["default"] = default
    if circles:
        schema["$defs"] = {n: _short(definitions[n], straight) for n in circles}
    return portable(schema)  # type: ignore[no-any-return]


class _GenerateJsonSchema(GenerateJsonSchema):
    """In the order in which one reads, and without warnings.

    What cannot be listed as a default is just not listed.
    """

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        """Leave the keys as they come, "type" first."""
        return value

    def get_title_from_name(self, name: str) -> str:
        """The name itself: in a named tuple it is all that says what is what."""
        return name

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> dict[str, Any]:
        """A number or a text; how it is spelled needs no pattern."""
        made = super().decimal_schema(schema)
        for branch in made.get("anyOf", ()):
            branch.pop("pattern", None)
        return made

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> dict[str, Any]:
        """A field's default is listed where it can be sent back."""
        try:
            check = SchemaValidator(schema["schema"])
        except SchemaError:  # it leads to a definition further out
            return super().default_schema(schema)
        if "default" in schema and not _comes_back(
            schema["default"], check.validate_python
        ):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> dict[str, Any]:
        """With what the class says of its fields."""
        return _described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> dict[str, Any]:
        """With what the class says of its fields."""
        return _described(super().typed_dict_schema(schema), schema.get("cls"))

    def model_schema(self, schema: core_schema.ModelSchema) -> dict[str, Any]:
        """With what the class says of its fields."""
        return _described(super().model_schema(schema), schema["cls"])


def _described(schema: dict[str, Any], cls: Any) -> dict[str, Any]:
    """A class's schema, its fields with the texts of their hints and its docstring."""
    properties: dict[str, Any] = schema.get("properties", {})
    if cls is None or not properties:
        return schema
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception:  # a hint is code, and may raise anything; pydantic had its way
        hints = {}
    text, of = read_docstring(schema.get("description"), properties)
    for name, part in properties.items():
        if said := own_text(hints.get(name)) or of.get(name):
            part.setdefault("description", said)
    if not text:
        schema.pop("description", None)
    elif of:
        schema["description"] = text
    return schema


def _lift_description(schema: Schema) -> None:
    """What describes a type describes its parameter, which may be null too."""
    branches = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if len(branches) == 1 and "description" in branches[0]:
        schema.setdefault("description", branches[0].pop("description"))


def _that_can_be_sent(core: Any, defaults: Mapping[str, object]) -> dict[str, Any]:
    """The defaults that JSON can hold, and that are accepted where they are sent."""
    if not defaults:
        return {}
    check = SchemaValidator(_with_nothing_required(core))

    def comes_back(name: str, default: object) -> bool:
        return _comes_back(
            default, lambda sent: check.validate_python({name: sent})[name]
        )

    return {
        name: json.loads(_as_json(default) or "null")
        for name, default in defaults.items()
        if comes_back(name, default)
    }


def _with_nothing_required(core: Any) -> Any:
    if core["type"] == "definitions":
        return {**core, "schema": _with_nothing_required(core["schema"])}
    fields = {name: {**f, "required": False} for name, f in core["fields"].items()}
    return {**core, "fields": fields}


def _comes_back(default: object, read: Callable[[Any], object]) -> bool:
    """Whether what the menu lists is read as the default again."""
    text = _as_json(default)
    if text is None:
        return False
    try:
        value = read(json.loads(text))
    except ValidationError:
        return False
    return bool(jsonable(value) == jsonable(default))


def _circles(definitions: Mapping[str, Schema]) -> list[str]:
    """The definitions that lead back to themselves."""
    leads_to = {n: _REFERENCE.findall(json.dumps(d)) for n, d in definitions.items()}

    def reached_from(start: str) -> set[str]:
        reached: set[str] = set()
        ahead = [start]
        while ahead:
            new = set(leads_to[ahead.pop()]) - reached
            reached |= new
            ahead += new
        return reached

    return [name for name in definitions if name in reached_from(name)]


def _short(schema: Any, definitions: Mapping[str, Schema]) -> Any:
    """The schema without titles, with the definitions in their places."""
    if isinstance(schema, list):
        return [_short(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _short({**definitions[name], **beside}, definitions)
    short: Schema = {}
    for key, value in schema.items():
        # A parameter may be called title: its entry is a schema and no text.
        if (key == "title" and isinstance(value, str)) or key == "discriminator":
            continue
        if key == "properties":
            short[key] = {n: _short(part, definitions) for n, part in value.items()}
        elif key == "prefixItems":
            short[key] = [_named(part, definitions) for part in value]
        elif key in _VALUES:
            short[key] = value
        else:
            short[key] = _short(value, definitions)
    return short


def _named(place: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """A place of a named tuple, whose name is its title."""
    title = {"title": place["title"]} if "title" in place else {}
    return {**_short(place, definitions), **title}


def _as_json(default: object) -> str | None:
    """A default as JSON, or None where it has no such form."""
    if holds_an_iterator(default):  # reading it would use it up
        return None
    try:
        text = json.dumps(
            to_jsonable_python(default), allow_nan=False, ensure_ascii=False
        )
        text.encode()
    except (PydanticSerializationError, ValueError):
        return None
    return text
