"""What a signature becomes: a schema to read, a check of replies.

Name, docstring and type hints become one pydantic schema. The menu that the model reads
and the check of what it sends back come from that same schema, so that they cannot
drift apart. `coercion` holds the table of what is taken for what.
"""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NoReturn,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    Union,
)

import pydantic
from pydantic.fields import FieldInfo
from pydantic_core import SchemaValidator, ValidationError

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError
from mingraph_lite.schema.coercion import by_the_table, in_plain_words
from mingraph_lite.schema.menu import menu_schema
from mingraph_lite.schema.settled import SCALARS, ToAwait, settled

__all__: Final = ["Function", "Tool", "as_tool"]

type Function = Callable[..., Any]

_LEGAL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NOT_JSON: Final = (pydantic.PydanticUserError, NameError, TypeError, ValueError)
_SYNCHRONOUS: Final = (
    "the core is synchronous: write a plain function, "
    "which may itself call asyncio.run(…)."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One function on the menu.

    It holds what the model reads, and the check of what it sends. `positional` are the
    parameters that Python takes by place only, with their defaults.
    """

    name: str
    description: str
    function: Function
    parameters: Mapping[str, Any]
    check: SchemaValidator
    positional: Mapping[str, object]

    def menu_entry(self) -> dict[str, Any]:
        """What the model reads about this tool, in OpenAI's shape."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.parameters,
            },
        }

    def values(self, sent: Mapping[str, object]) -> dict[str, Any]:
        """What was sent, as the types the function declared; or ToolArgsError."""
        try:
            return self.check.validate_python(sent)  # type: ignore[no-any-return]
        except ValidationError as error:
            problems = in_plain_words(error, sent)
        except RecursionError:
            problems = "what was sent is nested too deeply"
        raise ToolArgsError(f"{self.name}: {problems}. {self.accepted()}")

    def run(self, sent: Mapping[str, object]) -> Any:
        """Check first, then call: an error inside the function is the function's.

        What it gives back has nothing left to come: its iterators are read here.
        """
        values = self.values(sent)
        places = [values.pop(name, d) for name, d in self.positional.items()]
        value = self.function(*places, **values)
        if type(value) in SCALARS:
            return value
        try:
            return settled(value)
        except ToAwait:
            raise ToolDefinitionError(
                f"{self.name} gave back something to await, and {_SYNCHRONOUS}"
            ) from None

    def accepted(self) -> str:
        """What it takes, for whoever sent something else."""
        required = self.parameters.get("required", ())
        names = [
            name if name in required else f"{name} (optional)"
            for name in self.parameters["properties"]
        ]
        return f"It takes: {', '.join(names) or 'no arguments'}."


def as_tool(function: Function, given_name: str | None = None) -> Tool:
    """The tool that a function is; raises ToolDefinitionError with the reason."""
    named: Any = function
    while isinstance(named, functools.partial):
        named = named.func
    own_name = getattr(named, "__name__", type(named).__name__)
    name = own_name if given_name is None else given_name
    _refuse_what_is_no_tool(function, named, name)
    parameters = _parameters(function, name)
    hints = {p.name: _hint(p, function, name) for p in parameters}
    optional = {p.name: p.default for p in parameters if p.default is not p.empty}
    schema, check = _schema_and_check(name, hints, optional)
    by_place = {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_ONLY}
    return Tool(name, _description(named), function, schema, check, by_place)


def _refuse(name: str, reason: str) -> NoReturn:
    raise ToolDefinitionError(f"{name!r} cannot be a tool: {reason}")


def _refuse_what_is_no_tool(function: Function, named: Any, name: str) -> None:
    if not callable(function) or isinstance(function, type):
        kind = "class" if isinstance(function, type) else type(function).__name__
        _refuse(name, f"it is a {kind}. Hand in a function or an instance's method.")
    if name == "<lambda>":
        _refuse(name, "a lambda has no name. Give it one: add(function, name=…).")
    if not _LEGAL_NAME.fullmatch(name):
        rule = "providers accept 1 to 64 letters (a to z), digits, _ and - as its name."
        _refuse(name, f"{rule} Give it such a name: add(function, name=…).")
    for called in (function, named, getattr(named, "__call__", None)):  # noqa: B004
        if inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called):
            _refuse(name, f"it is async, and {_SYNCHRONOUS}")
        if inspect.isgeneratorfunction(called):
            _refuse(name, "it yields, and a model reads one result. Return a list.")


def _parameters(function: Function, name: str) -> list[inspect.Parameter]:
    """The parameters that a model can fill in; refuses what it cannot."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError, NameError) as error:
        _refuse(name, f"its signature cannot be read ({error}). Wrap it in a function.")
    bound = function.keywords if isinstance(function, functools.partial) else {}
    free = [parameter for parameter in parameters if parameter.name not in bound]
    if free and free[0].name in {"self", "cls"}:
        _refuse(
            name,
            f"its first parameter is {free[0].name}, which no model can fill in. "
            f"Hand in the method of an instance: kit = Kit(), then add(kit.{name}).",
        )
    for parameter in free:
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            _refuse(name, f"{parameter} is any number of arguments. Name each of them.")
        if isinstance(parameter.default, FieldInfo):
            _refuse(
                name,
                f"{parameter.name} = Field(…) would reach the function as its value. "
                f"Write {parameter.name}: Annotated[type, Field(…)] = default.",
            )
    return free


def _hint(parameter: inspect.Parameter, function: Function, name: str) -> Any:
    """A parameter's type; a text, as the future import leaves it, is looked up."""
    if parameter.annotation is parameter.empty:
        return Any
    names = getattr(_innermost(function), "__globals__", {})
    alone = SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        hint = typing.get_type_hints(alone, names, include_extras=True)[parameter.name]
    except Exception as error:  # an annotation is code, and may raise anything
        _refuse(
            name,
            f"the type of {parameter.name} is {parameter.annotation!r}, which cannot "
            f"be found when it is added ({error}). Import or define it in the module "
            "of the function, not under TYPE_CHECKING and not inside a function.",
        )
    if parameter.default is not None or _takes_null(hint):
        return hint
    # Whoever writes `x: int = None` means a number or nothing. Not for a hint that is
    # no type: it is refused with its own words later.
    try:
        return Optional[hint]  # noqa: UP045
    except TypeError:
        return hint


def _takes_null(hint: Any) -> bool:
    """Whether None is among the values of a type already."""
    if isinstance(hint, typing.TypeAliasType):
        return _takes_null(hint.__value__)
    kind, inside = typing.get_origin(hint), typing.get_args(hint)
    if kind is Annotated:
        return _takes_null(inside[0])
    if kind is Literal:
        return None in inside
    if kind in {Union, UnionType}:
        return any(map(_takes_null, inside))
    return any(hint is one for one in (Any, None, NoneType, object))


def _innermost(function: Any) -> Any:
    """The `def` that a partial, a decorator, a method or an object stands for."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif inspect.ismethod(function):
            function = function.__func__
        elif inspect.isroutine(function):
            return function
        else:
            function = type(function).__call__


def _description(named: Any) -> str:
    if inspect.isroutine(named):
        return inspect.getdoc(named) or ""
    return inspect.cleandoc(type(named).__call__.__doc__ or type(named).__doc__ or "")


def _schema_and_check(
    name: str, hints: Mapping[str, Any], optional: Mapping[str, object]
) -> tuple[dict[str, Any], SchemaValidator]:
    """What the model reads of the parameters, and the check of what it sends.

    Why a TypedDict and not a pydantic model? A parameter may then have any name, such
    as `schema`, `copy` or `_id`, and only what was sent comes out again.
    """
    fields = {
        key: NotRequired[hint] if key in optional else Required[hint]
        for key, hint in hints.items()
    }
    try:
        typed_dict = TypedDict(name, fields)  # type: ignore[misc]
        core = by_the_table(pydantic.TypeAdapter(typed_dict).core_schema)
        return menu_schema(core, optional), SchemaValidator(core)
    except _NOT_JSON as error:
        if len(hints) > 1:
            for key, hint in hints.items():  # the one that fails alone is the culprit
                _schema_and_check(name, {key: hint}, {})
        _refuse(
            name,
            f"{', '.join(f'{key}: {hint}' for key, hint in hints.items())} cannot be "
            f"sent as JSON ({str(error).splitlines()[0]}) Use text, numbers, lists, "
            "dicts, enums, dataclasses, TypedDicts or pydantic models.",
        )
