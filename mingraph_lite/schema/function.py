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
from types import SimpleNamespace
from typing import Any, Final, NoReturn, NotRequired, Optional, Required, TypedDict

import pydantic
from pydantic.fields import FieldInfo
from pydantic_core import SchemaValidator, ValidationError

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError
from mingraph_lite.schema.coercion import by_the_table, in_plain_words
from mingraph_lite.schema.docstrings import read_docstring
from mingraph_lite.schema.hints import takes_null, with_texts_read
from mingraph_lite.schema.menu import menu_schema
from mingraph_lite.schema.portable import illegal_names
from mingraph_lite.schema.settled import SCALARS, ToAwait, settled

__all__: Final = ["Function", "Tool", "as_tool"]

type Function = Callable[..., Any]

_LEGAL_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_LONGEST: Final = 1024
"""So many characters of a description OpenAI takes, and others after it."""

_NOT_JSON: Final = (pydantic.PydanticUserError, NameError, TypeError, ValueError)
_SYNCHRONOUS: Final = (
    "the core is synchronous: write a plain function with the synchronous client of "
    "the same service, or one that waits in a thread with a loop of its own, in a "
    "notebook too: ThreadPoolExecutor().submit(asyncio.run, …).result(). A page has no "
    "threads."
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
        try:
            value = self.function(*places, **values)
            return value if type(value) in SCALARS else settled(value)
        except ToAwait:
            raise ToolDefinitionError(
                f"{self.name} gave back something to await, and {_SYNCHRONOUS}"
            ) from None
        except GeneratorExit as error:
            # Out of here it would say that a run was closed, and leave slips open.
            raise RuntimeError(f"{self.name} raised GeneratorExit") from error

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
    text, texts = read_docstring(_docstring(named), hints)
    schema, check = _schema_and_check(name, hints, optional, texts)
    _refuse_what_providers_refuse(name, text, schema)
    by_place = {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_ONLY}
    return Tool(name, text, function, schema, check, by_place)


def _refuse(name: str, reason: str) -> NoReturn:
    raise ToolDefinitionError(f"{name!r} cannot be a tool: {reason}")


def _refuse_what_is_no_tool(function: Function, named: Any, name: str) -> None:
    if not callable(function) or isinstance(function, type):
        kind = "class" if isinstance(function, type) else type(function).__name__
        _refuse(name, f"it is a {kind}. Hand in a function or an instance's method.")
    if name == "<lambda>":
        _refuse(name, "a lambda has no name. Give it one: add(function, name=…).")
    if not _LEGAL_NAME.fullmatch(name):
        rule = (
            "providers accept 1 to 64 letters (a to z), digits, _ and - as its name, "
            "a letter or _ first."
        )
        _refuse(name, f"{rule} Give it such a name: add(function, name=…).")
    for called in (function, named, getattr(named, "__call__", None)):  # noqa: B004
        if inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called):
            _refuse(name, f"it is async, and {_SYNCHRONOUS}")
        if inspect.isgeneratorfunction(called):
            _refuse(name, "it yields, and a model reads one result. Return a list.")


def _refuse_what_providers_refuse(
    name: str, description: str, schema: Mapping[str, Any]
) -> None:
    if len(description) > _LONGEST:
        _refuse(
            name,
            f"its docstring describes it in {len(description)} characters, and "
            f"providers accept {_LONGEST}. Shorten it; what it says of parameters, "
            "under Args or in their types, does not count.",
        )
    for parameter in illegal_names(schema):
        _refuse(
            name,
            f"it takes {parameter!r}, and providers accept 1 to 64 letters (a to z), "
            "digits, _, . and - as the name of a parameter or field. Rename it.",
        )


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
        found = typing.get_type_hints(alone, names, include_extras=True)
        hint = with_texts_read(found[parameter.name])
    except Exception as error:  # an annotation is code, and may raise anything
        _refuse(
            name,
            f"the type of {parameter.name} is {parameter.annotation!r}, which cannot "
            f"be found when it is added ({error}). Import or define it in the module "
            "of the function, not under TYPE_CHECKING and not inside a function.",
        )
    if parameter.default is not None or takes_null(hint):
        return hint
    # Whoever writes `x: int = None` means a number or nothing. Not for a hint that is
    # no type: it is refused with its own words later.
    try:
        return Optional[hint]  # noqa: UP045
    except TypeError:
        return hint


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


def _docstring(named: Any) -> str | None:
    if inspect.isroutine(named):
        return inspect.getdoc(named)
    return type(named).__call__.__doc__ or type(named).__doc__


def _schema_and_check(
    name: str,
    hints: Mapping[str, Any],
    optional: Mapping[str, object],
    texts: Mapping[str, str],
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
        return menu_schema(core, optional, texts), SchemaValidator(core)
    except _NOT_JSON as error:
        if len(hints) > 1:
            for key, hint in hints.items():  # the one that fails alone is the culprit
                _schema_and_check(name, {key: hint}, {}, {})
        _refuse(
            name,
            f"{', '.join(f'{key}: {hint}' for key, hint in hints.items())} cannot be "
            f"sent as JSON ({str(error).splitlines()[0]}) Use text, numbers, lists, "
            "dicts, enums, dataclasses, TypedDicts or pydantic models.",
        )
