"""A Literal or an Enum: which of its values is meant.

A value is taken as it is and as the menu lists it: "1" for 1, "2024-05-31" for a date.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final

from pydantic_core import (
    PydanticKnownError,
    PydanticSerializationError,
    ValidationError,
    core_schema,
    to_jsonable_python,
)

from mingraph_lite.schema.portable import as_listed

__all__: Final = ["one_of", "shown"]

type _Schema = Any

_LONGEST: Final = 80


def one_of(choices: Sequence[object], schema: _Schema) -> _Schema:
    """Let only these through, and list them as the menu does where none fits."""
    listed = [(c.value if isinstance(c, Enum) else c, c) for c in choices]
    find, bools = _finder(listed), [v for v, _ in listed if isinstance(v, bool)]
    problem = {"expected": " or ".join(shown(value) for value, _ in listed)}

    def only_these(sent: Any, check: Callable[[Any], Any]) -> Any:
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
    return core_schema.no_info_wrap_validator_function(only_these, schema, ref=ref)


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
        text = as_listed(value)
        if isinstance(text, str) and not isinstance(value, str):
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
    return isinstance(sent, type(listed)) and sent == listed


def shown(value: object) -> str:
    """A value as the model wrote it, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
