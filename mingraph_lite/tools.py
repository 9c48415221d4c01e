"""What can be run: plain Python functions, offered to a model as a menu.

A function's name, docstring and type hints become one pydantic model. The menu that
the model reads and the check of what it sends back are the same object, so that they
cannot drift apart.
"""

from __future__ import annotations

import difflib
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pydantic
from pydantic.json_schema import GenerateJsonSchema

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError, UnknownToolError
from mingraph_lite.messages import ToolCall

__all__: Final = ["Function", "Tool", "ToolRegistry"]

type Function = Callable[..., Any]

LEGAL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Tool:
    """One function on the menu, and the model of its arguments."""

    name: str
    description: str
    function: Function
    arguments: type[pydantic.BaseModel]

    def menu_entry(self) -> dict[str, Any]:
        """What the model reads about this tool, in OpenAI's shape."""
        schema = self.arguments.model_json_schema(schema_generator=_NoTitles)
        for untold in ("title", "description"):
            schema.pop(untold, None)
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": schema,
            },
        }

    def values(self, sent: Mapping[str, object]) -> dict[str, Any]:
        """What was sent, as the types the function declared; or ToolArgsError."""
        try:
            checked = self.arguments.model_validate(dict(sent))
        except pydantic.ValidationError as error:
            problems = "; ".join(map(_plain_words, error.errors(include_url=False)))
            raise ToolArgsError(
                f"{self.name}: {problems}. {self._accepted()}"
            ) from None
        return {name: getattr(checked, name) for name in checked.model_fields_set}

    def _accepted(self) -> str:
        names = [
            name if field.is_required() else f"{name} (optional)"
            for name, field in self.arguments.model_fields.items()
        ]
        return f"It takes: {', '.join(names) or 'no arguments'}."


class ToolRegistry:
    """The tools of one agent, in the order in which they were added."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._menu: list[dict[str, Any]] = []

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"

    def add(self, function: Function, *, name: str | None = None) -> Function:
        """Put a function on the menu; raises ToolDefinitionError with the reason.

        The function is handed back, so that `@tools.add` works too.
        """
        tool = _tool(function, name)
        if tool.name in self._tools:
            raise ToolDefinitionError(
                f"There is a tool named {tool.name!r} already. "
                "Give one of them another name: add(function, name=…)."
            )
        self._tools[tool.name] = tool
        self._menu.append(tool.menu_entry())
        return function

    def menu(self) -> list[dict[str, Any]]:
        """What the model reads about the tools, in OpenAI's shape."""
        return list(self._menu)

    def run(self, call: ToolCall) -> Any:
        """Run the tool that the call names and give back its raw value.

        Raises UnknownToolError and ToolArgsError for the model's mistakes, before
        anything has run; whatever the tool itself raises comes through unchanged.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            raise UnknownToolError(self._no_tool_named(call.name))
        if call.problem is not None:
            raise ToolArgsError(f"{call.name}: {call.problem}")
        return tool.function(**tool.values(call.arguments))

    def _no_tool_named(self, name: str) -> str:
        known = ", ".join(self._tools) or "none"
        close = difflib.get_close_matches(name, self._tools, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        return f"No tool named {name!r}. Registered: {known}.{guess}"


class _NoTitles(GenerateJsonSchema):
    """A schema without the titles that only repeat the names: each costs tokens."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _tool(function: Function, name: str | None) -> Tool:
    name = str(name or getattr(function, "__name__", type(function).__name__))
    if not LEGAL_NAME.fullmatch(name):
        raise ToolDefinitionError(
            f"{name!r} cannot be a tool's name: providers accept 1 to 64 letters, "
            "digits, _ and -. Give it one: add(function, name=…)."
        )
    hints = typing.get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        parameter.name: (
            hints.get(parameter.name, Any),
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in inspect.signature(function).parameters.values()
    }
    config = pydantic.ConfigDict(extra="forbid")
    arguments = pydantic.create_model(name, __config__=config, **fields)
    return Tool(name, inspect.getdoc(function) or "", function, arguments)


def _plain_words(problem: Any) -> str:
    """One problem that pydantic found, as the model should read it."""
    place = ".".join(str(part) for part in problem["loc"])
    match problem["type"]:
        case "missing":
            return f"{place} is missing"
        case "extra_forbidden":
            return f"{place} is not one of its parameters"
        case _:
            return f"{place} was {problem['input']!r}: {problem['msg']}"
