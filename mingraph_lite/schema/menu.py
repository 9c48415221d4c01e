"""How a tool's parameters are written on the menu: short and whole.

pydantic writes JSON schema for machines. A model pays for each word of it on each call,
and small servers do not follow references, so titles go and definitions are put where
they are used. Only a type that contains itself keeps its definition.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError, to_jsonable_python

__all__: Final = ["Schema", "menu_schema"]

type Schema = dict[str, Any]
"""A JSON schema, as it stands on the menu."""

_VALUES: Final = {"const", "default", "enum", "examples"}
_REFERENCE: Final = re.compile(r'"#/\$defs/([^"]+)"')


def menu_schema(core: Any, defaults: Mapping[str, object]) -> Schema:
    """A core schema's parameters as the model reads them, their defaults listed."""
    generated = _GenerateJsonSchema().generate(core)
    definitions = generated.pop("$defs", {})
    circles = _circles(definitions)
    straight = {name: d for name, d in definitions.items() if name not in circles}
    schema: Schema = _short(generated, straight)
    schema.pop("description", None)  # the tool's own description says it
    properties = schema.setdefault("properties", {})
    for name, default in defaults.items():
        if name in properties and (text := _as_json(default)) is not None:
            properties[name]["default"] = json.loads(text)
    if circles:
        schema["$defs"] = {n: _short(definitions[n], straight) for n in circles}
    return schema


class _GenerateJsonSchema(GenerateJsonSchema):
    """In the order in which one reads, and without warnings.

    What cannot be listed as a default is just not listed.
    """

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        """Leave the keys as they come, "type" first."""
        return value


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
        elif key in _VALUES:
            short[key] = value
        else:
            short[key] = _short(value, definitions)
    return short


def _as_json(default: object) -> str | None:
    """A default as JSON, or None where it has no such form."""
    try:
        return json.dumps(to_jsonable_python(default), allow_nan=False)
    except (PydanticSerializationError, ValueError):
        return None
