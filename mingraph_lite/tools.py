"""What can be run: functions, offered to a model as a menu.

`schema.function` makes of each one what the model reads and the check of what it sends.
Only what the model sent is passed on; the function's own defaults fill the rest.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError, UnknownToolError
from mingraph_lite.messages import ToolCall
from mingraph_lite.schema.frozen import read_only
from mingraph_lite.schema.handed_in import in_words

if TYPE_CHECKING:
    from mingraph_lite.schema.function import Tool

__all__: Final = ["ToolRegistry", "Tools", "as_registry"]

type _Function = Callable[..., Any]

_ADDING: Final = Lock()
"""One for all: a lock inside of a registry would keep it from being copied."""


class ToolRegistry:
    """The tools of one agent, in the order they were added.

    `ToolRegistry([get_weather])` begins with these functions.
    A call may miss a name by spaces around it, by capitals, or by the prefix
    "functions." that some models write; where that leaves one tool, the tool is run.
    """

    def __init__(self, functions: Iterable[_Function] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._menu: list[dict[str, Any]] = read_only([])
        for function in _functions(functions):
            self.add(function)

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"

    def add[F: Callable[..., Any]](
        self, function: F, *, name: str | None = None, replace: bool = False
    ) -> F:
        """Put a function on the menu; raises ToolDefinitionError with the reason.

        `replace=True` puts it in the place of the tool that has its name. The function
        is handed back as it came, so that `@tools.add` works too.
        """
        # It loads pydantic: more than all the rest, for whoever adds no tool.
        from mingraph_lite.schema.function import as_tool

        tool = as_tool(function, name)
        with _ADDING:
            if tool.name in self._tools and not replace:
                raise ToolDefinitionError(
                    f"There is a tool named {tool.name!r} already. Give one of them "
                    "another name: add(function, name=…), or put it in its place: "
                    "replace=True."
                )
            # New ones: a menu that was given out stays the menu of its time, and
            # another thread may be looking for a tool.
            tools = {**self._tools, tool.name: tool}
            self._menu = read_only([tool.menu_entry() for tool in tools.values()])
            self._tools = tools
        return function

    def menu(self) -> list[dict[str, Any]]:
        """What the model reads about the tools, in OpenAI's shape.

        It is read-only, since listeners get it too; `copy.deepcopy` gives plain dicts
        and lists.
        """
        return self._menu

    def find(self, name: str) -> Tool:
        """The tool that a call means; raises UnknownToolError with the names."""
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        alike = [known for known in self._tools if _plain(known) == _plain(name)]
        if len(alike) == 1:
            return self._tools[alike[0]]
        raise UnknownToolError(self._no_tool_named(name, alike))

    def run(self, call: ToolCall) -> Any:
        """Run the tool that the call names and give back its raw value.

        Raises UnknownToolError and ToolArgsError for the model's mistakes, before
        anything has run; whatever the tool itself raises comes through unchanged.
        """
        tool = self.find(call.name)
        if call.problem is not None:
            raise ToolArgsError(f"{tool.name}: {call.problem} {tool.accepted()}")
        return tool.run(call.arguments)

    def _no_tool_named(self, name: str, alike: list[str]) -> str:
        known = ", ".join(self._tools) or "none"
        # A model may send a page as a name, and looking for its like takes long.
        plain = {_plain(known): known for known in self._tools}
        near = difflib.get_close_matches(_plain(name[:100]), plain, n=1)
        close = alike or [plain[match] for match in near]
        guess = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
        return f"No tool named {name[:100]!r}. Registered: {known}.{guess}"


type Tools = ToolRegistry | Iterable[_Function]
"""The tools of an agent: a registry, or the functions alone."""


def as_registry(tools: Tools) -> ToolRegistry:
    """The registry, or one of the functions; raises TypeError for other kinds."""
    return tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools)


def _functions(functions: Iterable[_Function]) -> Iterable[_Function]:
    if not isinstance(functions, Iterable) or isinstance(
        functions, str | bytes | Mapping | type
    ):
        raise TypeError(
            f"The tools are {in_words(functions)}. "
            "Hand in a list of functions, [get_weather], or a ToolRegistry."
        )
    return functions


def _plain(name: str) -> str:
    return name.strip().lower().removeprefix("functions.")
