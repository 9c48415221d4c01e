"""What a signature becomes: name, description, parameters, and a check."""

import functools
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import (
    Any,
    Optional,
)

import pytest
from pydantic import ValidationError

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError
from mingraph_lite.messages import ToolCall
from mingraph_lite.tools import ToolRegistry
from tests.schema.adding import (
    Own,
    definition_refusal,
    in_a_module,
    parameters,
    properties,
    read,
    refusal,
    registry,
    run,
    weather,
)


def test_a_menu_entry_has_openais_shape_and_the_whole_docstring() -> None:
    assert registry(weather).menu() == [
        {
            "type": "function",
            "function": {
                "name": "weather",
                "description": "The weather in a city.\n\n"
                "Give the city's name in English.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "city": {"type": "string"},
                        "days": {"type": "integer", "default": 1},
                    },
                    "required": ["city"],
                    "additionalProperties": False,
                },
            },
        }
    ]


def test_a_function_without_docstring_and_parameters_is_on_the_menu_too() -> None:
    def now():
        return "noon"

    tools = registry(now)
    assert tools.menu()[0]["function"] == {
        "name": "now",
        "description": "",
        "parameters": {
            "type": "object",
            "properties": {},
            "additionalProperties": False,
        },
    }
    assert tools.run(ToolCall("now", {})) == "noon"


# C01. Right: the future import makes no difference; an unknown type is told at add.


PICK = """
from pathlib import Path
from typing import Literal, Optional
def tool(ids: list[int], mode: Literal["a", "b"] = "a", note: Optional[str] = None,
         where: Path = Path(".")):
    return ids, mode, note, where
"""


@pytest.mark.parametrize("future", [True, False])
def test_C01_the_future_import_makes_no_difference(future: bool) -> None:
    pick = in_a_module(PICK, future=future)
    assert parameters(pick) == {
        "type": "object",
        "properties": {
            "ids": {"type": "array", "items": {"type": "integer"}},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "where": {"type": "string", "default": "."},
        },
        "required": ["ids"],
        "additionalProperties": False,
    }
    values = run(pick, {"ids": ["1", 2], "where": "a/b"})
    assert values == ([1, 2], "a", None, Path("a/b"))


def test_C01_a_type_that_cannot_be_found_is_refused_when_the_tool_is_added() -> None:
    lost = in_a_module("def tool(city: str, unit: 'Unit'): ...")
    message = definition_refusal(lost)
    assert "the type of unit is" in message
    assert "name 'Unit' is not defined" in message
    assert "Import or define it in the module of the function" in message


def test_C01_what_a_function_gives_back_need_not_be_found() -> None:
    tool = in_a_module("def tool(n: int) -> 'pd.DataFrame': return n")
    assert run(tool, {"n": "5"}) == 5


@pytest.mark.parametrize("annotation", ["list['Later']", "'list[Later]'", "'Later'"])
def test_C01_a_name_within_a_hint_is_looked_up_in_the_functions_module(
    annotation: str,
) -> None:
    source = f"def tool(x: {annotation}): return x\nLater = int"
    tool = in_a_module(source, future=False)
    assert run(tool, {"x": ["5"] if "list" in annotation else "5"}) in ([5], 5)


# C02. Right: required is what has no default, and null is what the hint says.


def optionals(
    a: str,
    d: Optional[str],  # noqa: UP045
    b: int = 5,
    c: str | None = None,
    *,
    e: float | None = 1.5,
) -> list[Any]:
    return [a, b, c, d, e]


def test_C02_an_optional_without_default_must_be_sent_and_may_be_null() -> None:
    text, number = {"type": "string"}, {"type": "number"}
    null = {"type": "null"}
    assert parameters(optionals) == {
        "type": "object",
        "properties": {
            "a": text,
            "d": {"anyOf": [text, null]},
            "b": {"type": "integer", "default": 5},
            "c": {"anyOf": [text, null], "default": None},
            "e": {"anyOf": [number, null], "default": 1.5},
        },
        "required": ["a", "d"],
        "additionalProperties": False,
    }
    assert run(optionals, {"a": "x", "d": None}) == ["x", 5, None, None, 1.5]
    assert refusal(optionals, {"a": "x"}) == (
        "optionals: d is missing. "
        "It takes: a, d, b (optional), c (optional), e (optional)."
    )
    values = run(optionals, {"a": "x", "d": "y", "c": "null"})
    assert values == ["x", 5, "null", "y", 1.5]


def test_C02_a_default_is_the_functions_own_object() -> None:
    def remember(item: str, seen: list[str] = []) -> list[str]:  # noqa: B006
        seen.append(item)
        return seen

    tools = registry(remember)
    tools.run(ToolCall("remember", {"item": "a"}))
    assert tools.run(ToolCall("remember", {"item": "b"})) == ["a", "b"]
    assert properties(remember)["seen"]["items"] == {"type": "string"}


# H24. Right: where the default is None, null is accepted, and the menu says so.
@pytest.mark.parametrize(
    ("hint", "listed"),
    [
        ("int", {"type": "integer"}),
        ("str", {"type": "string"}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("Annotated[int, Field(ge=1)]", {"type": "integer", "minimum": 1}),
        ("int | None", {"type": "integer"}),
        ("Annotated[int | None, Field()]", {"type": "integer"}),
    ],
)
@pytest.mark.parametrize("kind", ["{}", "*, {}", "{}, /"])
def test_H24_null_is_accepted_where_the_default_is_none(
    kind: str, hint: str, listed: dict[str, Any]
) -> None:
    tool = in_a_module(
        "from typing import Annotated\nfrom pydantic import Field\n"
        f"def tool({kind.format(f'x: {hint} = None')}): return x"
    )
    nullable = {"anyOf": [listed, {"type": "null"}], "default": None}
    assert properties(tool) == {"x": nullable}
    assert [run(tool, {"x": None}), run(tool, {})] == [None, None]
    assert "x was {}" in refusal(tool, {"x": {}})


def test_H24_a_literal_that_lists_null_is_not_made_nullable_twice() -> None:
    tool = in_a_module(
        "from typing import Literal\ntype X = Literal['a', None]\n"
        "def tool(x: X = None, y: Literal['a'] = None): return x, y",
        future=False,
    )
    null = {"type": "null"}
    assert properties(tool) == {
        "x": {"anyOf": [{"type": "string", "enum": ["a"]}, null], "default": None},
        "y": {"anyOf": [{"type": "string", "enum": ["a"]}, null], "default": None},
    }
    assert run(tool, {"x": None, "y": None}) == (None, None)


# C04. Right: whatever can be called is on the menu, without self and what is bound.


class Kit:
    def __init__(self, name: str = "") -> None:
        self.name = name

    def find(self, q: str) -> str:
        """Find it."""
        return f"{self.name}:{q}"

    @classmethod
    def make(cls, q: str) -> str:
        return f"{cls.__name__}:{q}"

    @staticmethod
    def ping() -> str:
        return "pong"


class Finder:
    """Finds."""

    def __call__(self, q: str) -> str:
        return f"found {q}"


def add(a: int, b: int, *, c: int = 0) -> int:
    """Add."""
    return a + b + c


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return ["logged", function(*args, **kwargs)]

    return wrapper


class Noted:
    @logged
    def find(self, q: str) -> str:
        """Find it, noted."""
        return q


@pytest.mark.parametrize(
    ("function", "name", "description", "takes", "sent", "value"),
    [
        (Kit("k").find, "find", "Find it.", ["q"], {"q": "x"}, "k:x"),
        (Kit.make, "make", "", ["q"], {"q": "x"}, "Kit:x"),
        (Kit.ping, "ping", "", [], {}, "pong"),
        (Kit().ping, "ping", "", [], {}, "pong"),
        (Finder(), "Finder", "Finds.", ["q"], {"q": "x"}, "found x"),
        (Noted().find, "find", "Find it, noted.", ["q"], {"q": "x"}, ["logged", "x"]),
        (functools.partial(add, 1), "add", "Add.", ["b"], {"b": "2"}, 3),
        (functools.partial(add, b=2), "add", "Add.", ["a"], {"a": 1}, 3),
        (functools.partial(add, 1, c=9), "add", "Add.", ["b"], {"b": 2}, 12),
        (functools.partial(Kit.find, Kit("p")), "find", "Find it.", ["q"], {"q": "x"},
         "p:x"),
        (logged(add), "add", "Add.", ["a", "b"], {"a": "1", "b": 2}, ["logged", 3]),
    ],
)  # fmt: skip
def test_C04_whatever_can_be_called_is_on_the_menu_without_what_is_bound(
    function: Any,
    name: str,
    description: str,
    takes: list[str],
    sent: dict[str, Any],
    value: object,
) -> None:
    entry = registry(function).menu()[0]["function"]
    assert entry["name"] == name
    assert entry["description"] == description
    assert entry["parameters"].get("required", []) == takes
    assert run(function, sent) == value


def test_C04_a_method_without_its_instance_is_refused() -> None:
    assert definition_refusal(Kit.find) == (
        "'find' cannot be a tool: its first parameter is self, which no model can fill "
        "in. Hand in the method of an instance: kit = Kit(), then add(kit.find)."
    )


def test_C04_methods_of_two_instances_are_two_tools() -> None:
    tools = ToolRegistry()
    tools.add(Kit("one").find, name="find_one")
    tools.add(Kit("two").find, name="find_two")
    values = [tools.run(ToolCall(f"find_{n}", {"q": "x"})) for n in ("one", "two")]
    assert values == ["one:x", "two:x"]


def test_C04_hints_of_a_decorated_function_come_from_its_own_module() -> None:
    tool = in_a_module(
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Stop:\n    city: str\n"
        "def tool(stop: 'Stop'): return stop.city",
        future=False,
    )
    assert run(logged(tool), {"stop": {"city": "Oslo"}}) == ["logged", "Oslo"]


# C07. Right: arguments that cannot be read are the model's mistake, told in words.


def test_C07_arguments_may_be_any_mapping() -> None:
    assert run(read, MappingProxyType({"path": "a"})) == "read a"


def test_C07_arguments_nested_too_deeply_to_be_read_are_the_models_mistake() -> None:
    def tool(x: Any) -> Any:
        return x

    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    assert refusal(tool, {"x": deep}) == (
        "tool: what was sent is nested too deeply. It takes: x."
    )


# C08. Right: a bug inside a tool comes through as it is, and is no bad argument.


def test_C08_a_bug_inside_a_tool_is_not_a_bad_argument() -> None:
    def area(w: int) -> int:
        return None + w  # type: ignore[operator]

    def inner(w: int) -> str:
        return read(pth=w)  # type: ignore[call-arg]

    for tool in (area, inner):
        with pytest.raises(TypeError) as caught:
            run(tool, {"w": 1})
        assert caught.traceback[-1].name == tool.__name__


def test_C08_a_tool_may_refuse_a_value_itself() -> None:
    def span(spec: str) -> None:
        raise ToolArgsError("use start-end")

    assert refusal(span, {"spec": "x"}) == "use start-end"


def test_C08_a_check_inside_a_tool_is_the_tools_own() -> None:
    def tool(n: int) -> Any:
        return Own(n="x")  # type: ignore[arg-type]

    with pytest.raises(ValidationError):
        run(tool, {"n": 1})


# C10. Right: a type that JSON cannot carry is refused when the tool is added.


def test_C10_a_parameter_without_hint_takes_anything() -> None:
    def tool(x, y=2):
        return [x, y]

    assert properties(tool) == {"x": {}, "y": {"default": 2}}
    assert run(tool, {"x": {"a": [1]}}) == [{"a": [1]}, 2]


@pytest.mark.parametrize(
    "hint", [Callable[[int], int], Kit, list[Kit], dict[str, Kit], Kit | None]
)
def test_C10_a_type_that_json_cannot_carry_is_refused_with_its_parameter(
    hint: Any,
) -> None:
    def tool(city: str, x: hint) -> None: ...

    message = definition_refusal(tool)
    assert message.startswith("'tool' cannot be a tool: x: ")
    assert "cannot be sent as JSON" in message
    assert "city" not in message


@pytest.mark.parametrize(
    "name",
    ["_x", "__x", "model_x", "model_config", "schema", "json", "copy", "validate",
     "class_", "title", "name", "function", "arguments", "kwargs", "cls",
     "default", "type", "properties", "required", "enum", "dict", "fields", "items"],
)  # fmt: skip
def test_C10_a_parameter_may_have_any_name(name: str) -> None:
    tool = in_a_module(f"def tool(a: int, {name}: list[int] = []): return a, {name}")
    listed = {"type": "array", "items": {"type": "integer"}, "default": []}
    assert properties(tool)[name] == listed
    assert run(tool, {"a": 1, name: ["5"]}) == (1, [5])


def test_C10_self_may_be_a_parameter_where_it_is_not_the_first() -> None:
    tool = in_a_module("def tool(a, self): return a, self")
    assert run(tool, {"a": 1, "self": 2}) == (1, 2)


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ({"a": "1"}, [1, 2, 3]),
        ({"a": 1, "b": "5"}, [1, 5, 3]),
        ({"a": 1, "c": 7}, [1, 2, 7]),
    ],
)
def test_C10_parameters_that_go_by_place_only_work(
    sent: dict[str, Any], value: list[int]
) -> None:
    def tool(a: int, b: int = 2, /, *, c: int = 3) -> list[int]:
        return [a, b, c]

    assert run(tool, sent) == value


# C11. Right: what providers forbid or can never run is refused at add, with the rule.


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("get weather", "providers accept 1 to 64 letters"),
        ("météo", "providers accept 1 to 64 letters"),
        ("a.b", "providers accept 1 to 64 letters"),
        ("x" * 70, "providers accept 1 to 64 letters"),
        ("", "providers accept 1 to 64 letters"),
        ("ok\n", "providers accept 1 to 64 letters"),
        ("3d", "providers accept 1 to 64 letters"),
        ("-x", "providers accept 1 to 64 letters"),
    ],
)
def test_C11_a_name_that_providers_refuse_is_refused_when_added(
    name: str, reason: str
) -> None:
    message = definition_refusal(read, name=name)
    assert message.startswith(f"{name!r} cannot be a tool: {reason}")
    assert message.endswith("Give it such a name: add(function, name=…).")


def test_C11_a_function_whose_own_name_is_illegal_needs_another() -> None:
    météo = in_a_module("def météo(): return 18", "météo")
    assert "add(function, name=…)" in definition_refusal(météo)
    assert list(parameters(météo, name="weather")["properties"]) == []


def test_C11_a_lambda_needs_a_name() -> None:
    tools = ToolRegistry()
    with pytest.raises(ToolDefinitionError, match="a lambda has no name"):
        tools.add(lambda a, b: a + b)
    tools.add(lambda a, b: a + b, name="plus")
    assert tools.run(ToolCall("plus", {"a": 1, "b": 2})) == 3


async def wait(n: int) -> int:
    return n


async def stream(n: int):
    yield n


def count(n: int):
    yield n


class Waiter:
    async def __call__(self, n: int) -> int:
        return n

    async def wait(self, n: int) -> int:
        return n


ASYNC = "it is async, and the core is synchronous: write a plain function"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (wait, ASYNC),
        (stream, ASYNC),
        (Waiter(), ASYNC),
        (Waiter().wait, ASYNC),
        (functools.partial(wait, 1), ASYNC),
        (count, "it yields, and a model reads one result. Return a list."),
        (Kit, "it is a class. Hand in a function or an instance's method."),
        (int, "it is a class."),
        ("weather", "it is a str."),
        (in_a_module("def tool(*args): ..."), "*args is any number of arguments."),
        (in_a_module("def tool(**kw): ..."), "**kw is any number of arguments."),
        (print, "*args is any number of arguments. Name each of them."),
        (in_a_module("def tool(cls, a): ..."), "its first parameter is cls"),
        (
            in_a_module(
                "from pydantic import Field\ndef tool(n: int = Field(3)): ...",
            ),
            "n = Field(…) would reach the function as its value.",
        ),
        (max, "its signature cannot be read"),
    ],
)
def test_C11_what_can_never_run_is_refused_when_added(
    function: Any, reason: str
) -> None:
    name = "tool" if isinstance(function, str | Waiter) else None
    assert reason in definition_refusal(function, name=name)


def test_async_that_cannot_be_seen_fails_as_a_tool_and_leaves_nothing_open() -> None:
    begun = []

    def hidden(n: int) -> Any:
        begun.append(wait(n))
        return begun[0]

    with pytest.raises(ToolDefinitionError) as caught:
        run(hidden, {"n": 1})
    assert str(caught.value) == (
        "hidden gave back something to await, and the core is synchronous: write a "
        "plain function with the synchronous client of the same service, or one that "
        "waits in a thread with a loop of its own, in a notebook too: "
        "ThreadPoolExecutor().submit(asyncio.run, …).result(). A page has no threads."
    )
    # A coroutine that is closed cannot be awaited any more, and warns of nothing.
    with pytest.raises(RuntimeError, match="already"):
        begun[0].send(None)
