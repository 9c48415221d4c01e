"""What can be run: the menu a function becomes, and what reaches it."""

import copy
import functools
import json
import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Optional,
    TypedDict,
)
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, ValidationError

from mingraph_lite.errors import ToolArgsError, ToolDefinitionError, UnknownToolError
from mingraph_lite.messages import ToolCall
from mingraph_lite.tools import ToolRegistry


def registry(*functions: Any) -> ToolRegistry:
    tools = ToolRegistry()
    for function in functions:
        tools.add(function)
    return tools


def parameters(function: Any, **options: Any) -> dict[str, Any]:
    tools = ToolRegistry()
    tools.add(function, **options)
    return tools.menu()[0]["function"]["parameters"]


def properties(function: Any) -> dict[str, Any]:
    return parameters(function)["properties"]


def run(function: Any, arguments: dict[str, Any]) -> Any:
    tools = registry(function)
    return tools.run(ToolCall(tools.menu()[0]["function"]["name"], arguments))


def refusal(function: Any, arguments: dict[str, Any]) -> str:
    """What the model reads when these arguments do not fit."""
    with pytest.raises(ToolArgsError) as caught:
        run(function, arguments)
    return str(caught.value)


def definition_refusal(function: Any, **options: Any) -> str:
    with pytest.raises(ToolDefinitionError) as caught:
        ToolRegistry().add(function, **options)
    return str(caught.value)


def in_a_module(source: str, name: str = "tool", *, future: bool = True) -> Any:
    """The function that a module with this source defines."""
    if future:
        source = f"from __future__ import annotations\n{source}"
    module: dict[str, Any] = {"__name__": "a_module"}
    exec(source, module)
    return module[name]


# --- the menu -----------------------------------------------------------------------


def weather(city: str, days: int = 1) -> str:
    """The weather in a city.

    Give the city's name in English.
    """
    return f"{city}, {days}"


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


def test_a_description_and_a_limit_in_a_hint_stand_on_the_menu_and_hold() -> None:
    def book(nights: Annotated[int, Field(description="how many", ge=1)]) -> int:
        return nights

    assert properties(book)["nights"] == {
        "type": "integer",
        "description": "how many",
        "minimum": 1,
    }
    assert refusal(book, {"nights": 0}) == (
        "book: nights was 0: must be greater than or equal to 1. It takes: nights."
    )


def test_a_decorator_hands_the_function_back() -> None:
    tools = ToolRegistry()

    @tools.add
    def now() -> str:
        return "noon"

    assert now() == "noon"
    assert repr(tools) == "ToolRegistry(now)"


def test_a_menu_given_out_cannot_be_changed_and_does_not_change() -> None:
    with pytest.raises(TypeError, match="cannot be changed"):
        ToolRegistry().menu().append({})
    tools = registry(weather)
    menu = tools.menu()
    before = copy.deepcopy(menu)
    function = menu[0]["function"]
    for change in (
        lambda: menu.append({}),
        lambda: menu.clear(),
        lambda: function.update(name="other"),
        lambda: function["parameters"]["required"].append("days"),
        lambda: operator.setitem(function["parameters"], "type", "array"),
        lambda: operator.delitem(function, "name"),
        lambda: operator.iadd(menu, [{}]),
        lambda: operator.ior(function, {"name": "other"}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    tools.add(run)
    assert menu == before
    assert [entry["function"]["name"] for entry in tools.menu()] == ["weather", "run"]


def test_a_deep_copy_of_a_menu_may_be_changed_and_a_menu_is_plain_json() -> None:
    menu = registry(weather).menu()
    own = copy.deepcopy(menu)
    own[0]["function"]["parameters"]["required"].append("days")
    assert own[0]["function"]["parameters"]["required"] == ["city", "days"]
    assert json.loads(json.dumps(menu)) == menu


def test_a_type_that_contains_itself_keeps_its_definition_on_the_menu() -> None:
    assert parameters(plant) == {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "required": ["tree"],
        "additionalProperties": False,
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "kids": {
                        "type": "array",
                        "items": {"$ref": "#/$defs/Tree"},
                    },
                },
                "required": ["name"],
                "additionalProperties": False,
            }
        },
    }
    tree = {"name": "a", "kids": [{"name": "b"}]}
    assert run(plant, {"tree": tree}) == Tree("a", [Tree("b")])
    tree = {"name": "a", "kids": [{"name": "b", "kids": [{}]}]}
    assert "tree.kids[0].kids[0].name is missing" in refusal(plant, {"tree": tree})


def test_a_type_used_twice_is_written_out_where_it_is_used() -> None:
    def tool(
        a: Stop,
        b: list[Stop],
        pet: Annotated[Cat | Dog, Field(discriminator="kind")],
        title: str = "",
    ) -> None: ...

    stop = {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "nights": {"type": "integer", "default": 1},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    cat, dog = (
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": kind}},
            "required": ["kind"],
        }
        for kind in ("cat", "dog")
    )
    assert properties(tool) == {
        "a": stop,
        "b": {"type": "array", "items": stop},
        "pet": {"oneOf": [cat, dog]},
        "title": {"type": "string", "default": ""},
    }


@dataclass
class Tree:
    name: str
    kids: "list[Tree]" = field(default_factory=list)


def plant(tree: Tree) -> Tree:
    return tree


# --- C01 ----------------------------------------------------------------------------

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
            "where": {"type": "string", "format": "path", "default": "."},
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


# --- C02 ----------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("default", "listed"),
    [
        (date(2024, 5, 1), {"default": "2024-05-01"}),
        ((1, 2), {"default": [1, 2]}),
        (None, {"default": None}),
        (math.inf, {}),
        (object(), {}),
    ],
)
def test_C02_a_default_is_listed_where_json_can_hold_it(
    default: object, listed: dict[str, Any]
) -> None:
    def tool(x: Any = default) -> Any:
        return x

    assert properties(tool) == {"x": listed}
    assert run(tool, {}) is default


# --- C04 ----------------------------------------------------------------------------


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


# --- C06 ----------------------------------------------------------------------------


@dataclass
class Numbers:
    n: int = 0
    flag: bool = False
    ratio: float = 0.0
    tag: str = ""


class Loose(TypedDict):
    n: NotRequired[int]
    flag: NotRequired[bool]
    ratio: NotRequired[float]
    tag: NotRequired[str]


def take(
    n: int = 0,
    flag: bool = False,
    ratio: float = 1.0,
    tag: str = "",
    ns: list[int] | None = None,
    flags: list[bool] | None = None,
    ratios: list[float] | None = None,
    tags: list[str] | None = None,
    many: dict[str, Numbers] | None = None,
    loose: tuple[Loose, ...] = (),
) -> dict[str, Any]:
    return locals()


def at_every_depth(name: str, sent: object) -> list[tuple[dict[str, Any], str]]:
    """The same value as an argument, in a list, in a dataclass and in a TypedDict."""
    return [
        ({name: sent}, name),
        ({f"{name}s": [sent]}, f"{name}s[0]"),
        ({"many": {"a": {name: sent}}}, f"many.a.{name}"),
        ({"loose": [{name: sent}]}, f"loose[0].{name}"),
    ]


def received(values: dict[str, Any], name: str) -> list[Any]:
    """Where `at_every_depth` put the value: whichever of the four was sent."""
    found = [values[name], *(values[f"{name}s"] or ())]
    found += [getattr(each, name) for each in (values["many"] or {}).values()]
    return [*found, *(each[name] for each in values["loose"])]


@pytest.mark.parametrize(
    ("name", "sent", "value"),
    [
        *[("n", sent, 5) for sent in (5, "5", " 5 ", 5.0, "5.0", "+5", "05")],
        ("n", -3, -3),
        ("n", 10**30, 10**30),
        *[("flag", sent, True) for sent in (True, "true", "TRUE", " True ")],
        *[("flag", sent, False) for sent in (False, "false", "FALSE", "False")],
        *[("ratio", sent, 2.0) for sent in (2, 2.0, "2", " 2.0 ")],
        ("ratio", "2.5", 2.5),
        *[("tag", sent, sent) for sent in ("", "12", "null", "true", " x ")],
    ],
)
def test_C06_good_values_become_the_declared_type_at_every_depth(
    name: str, sent: object, value: object
) -> None:
    for arguments, _ in at_every_depth(name, sent):
        got = received(run(take, arguments), name)[-1]
        assert (type(got), got) == (type(value), value)


HUGE = "1e1000000000"
WHOLE, NUMBER = "must be a whole number", "must be a number"
BOOL, TEXT = "must be true or false", "must be a text"


@pytest.mark.parametrize(
    ("name", "sent", "shown", "wanted"),
    [
        ("n", 5.5, "5.5", WHOLE),
        ("n", True, "true", WHOLE),
        ("n", False, "false", WHOLE),
        ("n", "five", '"five"', WHOLE),
        ("n", HUGE, f'"{HUGE}"', WHOLE),
        ("n", "9" * 5000, f'"{"9" * 79}…', WHOLE),
        ("n", 1e300, "1e+300", WHOLE),
        ("n", None, "null", WHOLE),
        ("n", "0x10", '"0x10"', WHOLE),
        ("n", "", '""', WHOLE),
        ("n", [5], "[5]", WHOLE),
        ("n", math.inf, "Infinity", "must be a finite number"),
        ("flag", "yes", '"yes"', BOOL),
        ("flag", 0, "0", BOOL),
        ("flag", 1, "1", BOOL),
        ("flag", 2, "2", BOOL),
        ("flag", 1.0, "1.0", BOOL),
        ("flag", None, "null", BOOL),
        ("ratio", True, "true", NUMBER),
        ("ratio", "two", '"two"', NUMBER),
        ("ratio", "inf", '"inf"', "must be a finite number"),
        ("ratio", "1e999", '"1e999"', "must be a finite number"),
        ("ratio", None, "null", NUMBER),
        ("tag", 12, "12", TEXT),
        ("tag", 1.5, "1.5", TEXT),
        ("tag", True, "true", TEXT),
        ("tag", None, "null", TEXT),
        ("tag", ["a"], '["a"]', TEXT),
    ],
)
def test_C06_bad_values_are_refused_with_path_value_and_wanted_type(
    name: str, sent: object, shown: str, wanted: str
) -> None:
    for arguments, path in at_every_depth(name, sent):
        problem = f"take: {path} was {shown}: {wanted}. It takes: n (optional), "
        assert refusal(take, arguments).startswith(problem)


def test_C06_what_was_sent_is_left_as_it_was() -> None:
    def sort(items: list, extra: Any, table: dict) -> list:
        items.sort()
        items[0].append(9)
        extra["more"] = True
        table.clear()
        return items

    sent = {"items": [[2], [1]], "extra": {"a": [1]}, "table": {"k": "v"}}
    call = ToolCall("sort", copy.deepcopy(sent))
    assert registry(sort).run(call) == [[1, 9], [2]]
    assert call.arguments == sent


@pytest.mark.parametrize(
    ("hint", "sent", "value"),
    [
        (int | str, "5", "5"),
        (int | str, 5, 5),
        (int | float, 5, 5),
        (int | float, 5.5, 5.5),
        (bool | int, 1, 1),
        (bool | int, True, True),
        (int | None, None, None),
        (int | None, "5", 5),
        (Literal["a"] | int, "5", 5),
        (int | list[int], ["5"], [5]),
    ],
)
def test_C06_in_a_union_a_value_of_one_of_its_types_stays_as_it_is(
    hint: Any, sent: object, value: object
) -> None:
    def tool(x: hint) -> Any:
        return x

    got = run(tool, {"x": sent})
    assert (type(got), got) == (type(value), value)


def test_C06_the_problems_of_a_union_are_alternatives() -> None:
    def tool(x: int | Stop) -> Any:
        return x

    assert refusal(tool, {"x": {"nights": True}}) == (
        'tool: x was {"nights": true}: must be a whole number; or x.city is missing; '
        "x.nights was true: must be a whole number. It takes: x."
    )


@dataclass
class Stop:
    city: str
    nights: int = 1


class Own(BaseModel):
    n: int
    flag: bool = False


def test_C06_a_pydantic_model_keeps_the_rules_of_its_author() -> None:
    def tool(own: Own) -> Own:
        return own

    assert run(tool, {"own": {"n": True, "flag": "yes"}}) == Own(n=1, flag=True)
    assert refusal(tool, {"own": {"n": "x", "flag": 2}}) == (
        'tool: own.n was "x": must be a whole number; '
        "own.flag was 2: must be true or false. It takes: own."
    )


@pytest.mark.parametrize("sent", [math.nan, math.inf, -math.inf, float("1e999")])
@pytest.mark.parametrize("hint", [float, int, Any, list, float | None, Decimal])
def test_A06_a_number_that_is_not_finite_never_reaches_a_tool(
    hint: Any, sent: float
) -> None:
    def scale(x: hint) -> None:
        raise AssertionError("it was run")

    arguments = {"x": [[sent]]} if hint is list else {"x": sent}
    assert "must be a finite number" in refusal(scale, arguments)


# --- C07 ----------------------------------------------------------------------------


def read(path: str) -> str:
    return f"read {path}"


@pytest.mark.parametrize(
    ("sent", "problems"),
    [
        ({"path": "a", "why": "b"}, "why is not one of its parameters"),
        ({}, "path is missing"),
        ({"file": "a"}, "path is missing; file is not one of its parameters"),
        ({"path": 1, "x": 2},
         "path was 1: must be a text; x is not one of its parameters"),
    ],
)  # fmt: skip
def test_C07_one_message_names_all_that_is_unknown_missing_and_accepted(
    sent: dict[str, Any], problems: str
) -> None:
    assert refusal(read, sent) == f"read: {problems}. It takes: path."


def test_C07_a_tool_without_parameters_says_that_it_takes_none() -> None:
    assert refusal(Kit.ping, {"x": 1}) == (
        "ping: x is not one of its parameters. It takes: no arguments."
    )


def test_C07_unknown_keys_are_refused_at_every_depth_unless_the_class_wants_them() -> (
    None
):
    class Open(TypedDict):
        __pydantic_config__ = {"extra": "allow"}  # noqa: RUF012
        a: int

    def tool(stop: Stop, open: Open) -> Any:
        return open

    sent = {"stop": {"city": "Oslo", "days": 2}, "open": {"a": "1", "b": 2}}
    assert refusal(tool, sent) == (
        "tool: stop.days is not known there. It takes: stop, open."
    )
    del sent["stop"]["days"]
    assert run(tool, sent) == {"a": 1, "b": 2}


def test_C07_of_very_many_problems_the_first_ten_are_told() -> None:
    def tool(ns: list[int]) -> None: ...

    problems = "; ".join(f'ns[{i}] was "x": must be a whole number' for i in range(10))
    assert refusal(tool, {"ns": ["x"] * 1000}) == (
        f"tool: {problems}; and 990 more problems. It takes: ns."
    )


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


# --- C08 ----------------------------------------------------------------------------


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


# --- C10 ----------------------------------------------------------------------------


class Unit(Enum):
    C = "celsius"
    F = "fahrenheit"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


def plan(
    unit: Unit,
    stops: list[Stop],
    opts: dict[str, int] = {},  # noqa: B006
    pick: Literal[1, "two", None] = 1,
) -> list[Any]:
    return [unit, stops, opts, pick]


def test_C10_the_menu_shows_the_inside_of_enums_and_dataclasses() -> None:
    assert parameters(plan) == {
        "type": "object",
        "properties": {
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "stops": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "city": {"type": "string"},
                        "nights": {"type": "integer", "default": 1},
                    },
                    "required": ["city"],
                    "additionalProperties": False,
                },
            },
            "opts": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "default": {},
            },
            "pick": {"enum": [1, "two", None], "default": 1},
        },
        "required": ["unit", "stops"],
        "additionalProperties": False,
    }


def test_C10_the_function_receives_the_types_it_declared() -> None:
    sent = {"unit": "celsius", "stops": [{"city": "Oslo"}]}
    assert run(plan, sent) == [Unit.C, [Stop("Oslo", 1)], {}, 1]


UNITS = 'must be "celsius" or "fahrenheit"'


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"unit": "kelvin", "stops": []}, f'unit was "kelvin": {UNITS}'),
        ({"unit": "C", "stops": []}, f'unit was "C": {UNITS}'),
        ({"unit": True, "stops": []}, f"unit was true: {UNITS}"),
        ({"unit": "celsius", "stops": [{"nights": 2}]}, "stops[0].city is missing"),
        ({"unit": "celsius", "stops": ["Oslo"]},
         'stops[0] was "Oslo": must be an object'),
        ({"unit": "celsius", "stops": {"city": "Oslo"}},
         'stops was {"city": "Oslo"}: must be a list'),
        ({"unit": "celsius", "stops": [], "opts": {"a": "x"}},
         'opts.a was "x": must be a whole number'),
        ({"unit": "celsius", "stops": [], "pick": "three"},
         'pick was "three": must be 1 or "two" or null'),
        ({"unit": "celsius", "stops": [], "pick": True},
         'pick was true: must be 1 or "two" or null'),
    ],
)  # fmt: skip
def test_C10_a_problem_has_its_path_and_lists_what_is_allowed(
    sent: dict[str, Any], problem: str
) -> None:
    takes = "unit, stops, opts (optional), pick (optional)"
    assert refusal(plan, sent) == f"plan: {problem}. It takes: {takes}."


class Point(NamedTuple):
    x: int
    y: int = 0


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


@pytest.mark.parametrize(
    ("hint", "sent", "value"),
    [
        (Literal[1, "1"], "1", "1"),
        (Literal[1, 2], "2", 2),
        (Literal[1, 2], 2.0, 2),
        (Literal[Unit.C], "celsius", Unit.C),
        (Level, 2, Level.HIGH),
        (Level, " 2 ", Level.HIGH),
        (dict[int, bool], {"1": "true"}, {1: True}),
        (tuple[int, str], ["1", "a"], (1, "a")),
        (set[int], ["1", 1, 2], {1, 2}),
        (frozenset[str], ["a"], frozenset({"a"})),
        (Iterable[int], ["1", "2"], [1, 2]),
        (list[list[int]], [["1"], []], [[1], []]),
        (Point, ["1"], Point(1)),
        (Loose, {"n": "1"}, {"n": 1}),
        (list[Own], [{"n": "1"}], [Own(n=1)]),
        (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog"},
         Dog(kind="dog")),
        (Path, "a/b", Path("a/b")),
        (datetime, "2024-05-01T12:00:00", datetime(2024, 5, 1, 12)),
        (date, "2024-05-01", date(2024, 5, 1)),
        (timedelta, "PT1H", timedelta(hours=1)),
        (Decimal, "1.50", Decimal("1.50")),
        (UUID, "12345678" * 4, UUID(int=0x12345678_12345678_12345678_12345678)),
        (None, None, None),
        (object, {"a": 1}, {"a": 1}),
    ],
)  # fmt: skip
def test_C10_every_kind_of_type_arrives_as_declared(
    hint: Any, sent: object, value: object
) -> None:
    def tool(x: hint) -> Any:
        return x

    got = run(tool, {"x": sent})
    assert (type(got), got) == (type(value), value)


def test_C10_a_parameter_without_hint_takes_anything() -> None:
    def tool(x, y=2):
        return [x, y]

    assert properties(tool) == {"x": {}, "y": {"default": 2}}
    assert run(tool, {"x": {"a": [1]}}) == [{"a": [1]}, 2]


def test_C10_a_dataclass_that_refuses_its_values_says_why_to_the_model() -> None:
    @dataclass
    class Span:
        start: int
        end: int

        def __post_init__(self) -> None:
            if self.end < self.start:
                raise ValueError("end is before start")

    def tool(span: Span) -> Span:
        return span

    assert refusal(tool, {"span": {"start": 2, "end": 1}}) == (
        'tool: span was {"start": 2, "end": 1}: end is before start. It takes: span.'
    )


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
     "class_", "title", "name", "function", "arguments", "kwargs", "cls", "größe",
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


# --- C11 and other refusals at add --------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("get weather", "providers accept 1 to 64 letters"),
        ("météo", "providers accept 1 to 64 letters"),
        ("a.b", "providers accept 1 to 64 letters"),
        ("x" * 70, "providers accept 1 to 64 letters"),
        ("", "providers accept 1 to 64 letters"),
        ("ok\n", "providers accept 1 to 64 letters"),
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


def test_C11_a_second_tool_of_a_name_replaces_the_first_only_when_asked() -> None:
    def other(city: str) -> str:
        return f"other {city}"

    tools = registry(read, weather)
    with pytest.raises(ToolDefinitionError, match="a tool named 'read' already"):
        tools.add(other, name="read")
    tools.add(other, name="read", replace=True)
    assert [entry["function"]["name"] for entry in tools.menu()] == ["read", "weather"]
    assert tools.run(ToolCall("read", {"city": "Oslo"})) == "other Oslo"


def test_C11_a_refused_function_leaves_the_menu_as_it_was() -> None:
    tools = registry(read)
    before = tools.menu()
    with pytest.raises(ToolDefinitionError):
        tools.add(weather, name="read")
    assert tools.menu() == before


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
        "plain function, which may itself call asyncio.run(…)."
    )
    # A coroutine that is closed cannot be awaited any more, and warns of nothing.
    with pytest.raises(RuntimeError, match="already"):
        begun[0].send(None)


# --- A13 ----------------------------------------------------------------------------


def get_weather(city: str = "Oslo") -> str:
    return f"18 in {city}"


def get_time() -> str:
    return "noon"


@pytest.mark.parametrize(
    "name",
    ["get_weather", "functions.get_weather", "Get_Weather", " get_weather ",
     " Functions.GET_WEATHER\n"],
)  # fmt: skip
def test_A13_a_name_that_can_mean_one_tool_only_runs_it(name: str) -> None:
    assert registry(get_weather, get_time).run(ToolCall(name, {})) == "18 in Oslo"


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        ("get wether", " Did you mean 'get_weather'?"),
        ("get weather!", " Did you mean 'get_weather'?"),
        ("GET_TIMES", " Did you mean 'get_time'?"),
        ("", ""),
        ("qqqq", ""),
        ("functions.", ""),
    ],
)
def test_A13_any_other_name_is_answered_with_the_real_ones(
    name: str, guess: str
) -> None:
    with pytest.raises(UnknownToolError) as caught:
        registry(get_weather, get_time).run(ToolCall(name, {}))
    assert str(caught.value) == (
        f"No tool named {name!r}. Registered: get_weather, get_time.{guess}"
    )


def test_A13_between_two_tools_nothing_is_guessed() -> None:
    tools = registry(get_weather)
    tools.add(get_time, name="Get_Weather")
    assert tools.run(ToolCall("Get_Weather", {})) == "noon"
    with pytest.raises(UnknownToolError) as caught:
        tools.run(ToolCall("GET_WEATHER", {}))
    assert str(caught.value) == (
        "No tool named 'GET_WEATHER'. Registered: get_weather, Get_Weather. "
        "Did you mean 'get_weather' or 'Get_Weather'?"
    )


def test_A13_a_page_as_a_name_is_cut_and_an_empty_registry_says_none() -> None:
    with pytest.raises(UnknownToolError) as caught:
        ToolRegistry().run(ToolCall("x" * 100_000, {}))
    assert str(caught.value) == f"No tool named {'x' * 100!r}. Registered: none."


def test_a_call_that_cannot_be_run_as_sent_is_answered_with_its_problem() -> None:
    call = ToolCall(" read", {}, problem="the arguments are cut off.")
    with pytest.raises(ToolArgsError) as caught:
        registry(read).run(call)
    assert str(caught.value) == "read: the arguments are cut off."
