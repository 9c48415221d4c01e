"""A menu in the words that every hosted API accepts, and what those words are."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, WithJsonSchema

from mingraph_lite.schema.portable import portable
from tests.schema.adding import (
    Cat,
    Dog,
    Stop,
    Unit,
    definition_refusal,
    in_a_module,
    parameters,
    properties,
    refusal,
    registry,
    run,
)


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Odd(Enum):
    DAY = date(2024, 5, 1)
    PAIR = (1, 2)
    HALF = 0.5


class Right(Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    lat: float
    name: str = ""


class Loose(TypedDict):
    n: NotRequired[Literal[1, 2]]


class Bounded(BaseModel):
    n: int = Field(gt=0, lt=10, examples=[1, 2])
    pair: tuple[int, str] = (1, "a")


@dataclass
class Deep:
    level: Level = Level.LOW
    points: list[tuple[float, float]] | None = None
    note: int = None  # type: ignore[assignment]


HINTS: list[Any] = [
    int, float, bool, str, Any, object, bytes, Decimal, UUID, Path, date, datetime,
    time, timedelta, list, tuple, set, frozenset, dict, list[int], list[list],
    tuple[()], tuple[int, ...], tuple[float, float], tuple[int, str],
    tuple[Stop, Level], set[int], frozenset[str], dict[str, int], dict[str, list],
    Sequence[int], Mapping[str, Any], list[Any], int | None, int | str | None,
    Literal["a"], Literal[1, 2],
    Literal[True], Literal[True, False], Literal[None], Literal[1, "1"],
    Literal[1, "two", None], Unit, Level, Odd, Right, Unit | None, Level | None, Point,
    Loose, Bounded, Deep, Stop, list[Deep], Stop | None,
    Annotated[Cat | Dog, Field(discriminator="kind")],
    Annotated[int, Field(gt=1, lt=5, multiple_of=2)], Annotated[float, Field(gt=0)],
    Annotated[str, Field(pattern="^a", min_length=1, max_length=9)],
    Annotated[list[int], Field(min_length=1, max_length=3)],
    Annotated[dict[str, int], Field(min_length=1)],
    Annotated[str, WithJsonSchema({"type": ["string", "null"], "format": "email"})],
]  # fmt: skip

type Rule = Callable[[str, dict[str, Any]], bool]
"""Whether a provider accepts a schema that stands somewhere on the menu."""


def keys(*names: str) -> Rule:
    known = {*names, "properties", "required", "items", "anyOf", "default"}
    return lambda _, schema: set(schema) <= known


RULES: list[tuple[str, str, Rule]] = [
    ("OpenAI", "AnswerDotAI/fastcore#798: array schema missing items",
     lambda _, s: s.get("type") != "array" or "items" in s),
    ("OpenAI", "openai/openai-agents-python#302: no prefixItems",
     lambda _, s: "prefixItems" not in s),
    ("OpenAI", "vercel/ai#2271: items is one schema",
     lambda _, s: isinstance(s.get("items", {}), dict)),
    ("Anthropic behind gateways", "ComposioHQ/composio#3500: names of properties",
     lambda _, s: all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name)
                      for name in s.get("properties", {}))),
    ("Gemini", "TokenRhythm/opensquilla#1263: nested arrays have items too",
     lambda _, s: s.get("type") != "array" or "items" in s),
    ("Gemini", "Draculabo/AntigravityManager#260: an enum is a list of texts",
     lambda _, s: all(isinstance(choice, str) for choice in s.get("enum", ()))),
    ("Gemini", "decolua/9router#380: an enum has the type string",
     lambda _, s: "enum" not in s or s.get("type") == "string"),
    ("Gemini", "aoci-spec/aoci-code#61: a type is no list; anyOf with null is accepted",
     lambda _, s: isinstance(s.get("type", ""), str)),
    ("Gemini", "zed-industries/zed#44875 (const), pizza-bot-app/pizza-bot#62 "
     "(exclusiveMinimum, multipleOf, oneOf), router-for-me/CLIProxyAPI#2142 "
     "(uniqueItems), AstrBotDevs/AstrBot#7572 (examples): keys it does not know; "
     "additionalProperties it does since withceleste/celeste-python#48",
     keys("type", "description", "enum", "additionalProperties", "minimum", "maximum",
          "minItems", "maxItems", "minLength", "maxLength", "pattern")),
    ("Gemini", "labring/aiproxy#312: no format but date-time",
     lambda _, s: s.get("format", "date-time") == "date-time"),
    ("Gemini", "pydantic/pydantic-ai#1598: no references, but in what holds itself",
     lambda _, s: "$ref" not in s and "$defs" not in s),
    ("Mistral", "UKGovernmentBEIS/inspect_ai#1562: parameters are an object's schema",
     lambda path, s: path != "" or (s["type"] == "object" and "properties" in s)),
    ("Mistral", "SylphxAI/pdf-reader-mcp#63: bounds are numbers",
     lambda _, s: all(not isinstance(s.get(key), bool) for key in
                      ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"))),
    ("Mistral", "BerriAI/litellm#13389: neither $id nor $schema",
     lambda _, s: not {"$id", "$schema"} & set(s)),
]  # fmt: skip


def schemas(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each schema of a tool's parameters, with where it stands."""
    yield path, schema
    for name, part in schema.get("properties", {}).items():
        yield from schemas(part, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from schemas(schema[key], f"{path}.{key}")
    for n, part in enumerate(schema.get("anyOf", ())):
        yield from schemas(part, f"{path}[{n}]")


def everything(**hints: Any) -> Any:
    """A function that takes parameters of these types, and gives them back."""
    source = ", ".join(hints)
    tool = in_a_module(f"def tool({source}): return locals()", future=False)
    tool.__annotations__ = hints
    return tool


# H09. Right: no provider refuses a menu, whatever its hints; each rule has its source.
@pytest.mark.parametrize("rule", RULES, ids=[f"{r[0]}: {r[1]}" for r in RULES])
def test_H09_a_menu_of_many_hints_keeps_each_providers_rule(
    rule: tuple[str, str, Rule],
) -> None:
    tool = everything(**{f"p{n}": hint for n, hint in enumerate(HINTS)})
    broken = [
        (path, schema)
        for function in (tool, everything())
        for path, schema in schemas(parameters(function))
        if not rule[2](path, schema)
    ]
    assert broken == []


def test_H09_the_rules_find_what_pydantic_alone_would_write() -> None:
    bad = {
        "type": "object",
        "properties": {
            "größe": {"type": "array", "prefixItems": [{"type": "number"}]},
            "a": {"type": ["integer", "null"], "exclusiveMinimum": True},
            "b": {"enum": [1], "format": "path"},
            "c": {"$ref": "#/$defs/C", "$id": "c"},
            "d": {"type": "array", "items": [{"type": "number"}]},
        },
    }
    held = [
        source.partition(":")[0]
        for _, source, rule in RULES
        if all(rule(path, s) for path, s in list(schemas_of_properties(bad)))
    ]
    assert held == ["UKGovernmentBEIS/inspect_ai#1562"]


def schemas_of_properties(bad: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", bad
    yield from ((name, part) for name, part in bad["properties"].items())


# H09. Right: what a key said that some provider refuses, the description says.
@pytest.mark.parametrize(
    ("hint", "listed"),
    [
        (tuple[float, float], {"type": "array", "items": {"type": "number"},
                               "minItems": 2, "maxItems": 2}),
        (tuple[int, str], {"type": "array", "minItems": 2, "maxItems": 2,
                           "items": {"anyOf": [{"type": "integer"},
                                               {"type": "string"}]},
                           "description": "(in this order: integer, string)"}),
        (Point, {"type": "array", "minItems": 1, "maxItems": 2,
                 "items": {"anyOf": [{"type": "number"}, {"type": "string"}]},
                 "description": "(in this order: lat (number), name (string))"}),
        (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0, "items": {}}),
        (set[int], {"type": "array", "items": {"type": "integer"},
                    "description": "(no item twice)"}),
        (list, {"type": "array", "items": {}}),
        (Literal[1, 2], {"type": "string", "enum": ["1", "2"]}),
        (Literal[True], {"type": "string", "enum": ["true"]}),
        (Literal[True, False], {"type": "boolean"}),
        (Literal[None], {"type": "null"}),
        (Literal[1, "1"], {"description": '(one of: [1, "1"])'}),
        (Odd, {"type": "string", "enum": ["2024-05-01", "[1, 2]", "0.5"]}),
        (Level | None, {"anyOf": [{"type": "string", "enum": ["1", "2"]},
                                  {"type": "null"}]}),
        (Literal["a", None] | int, {"anyOf": [{"type": "string", "enum": ["a"]},
                                              {"type": "null"}, {"type": "integer"}]}),
        (date, {"type": "string", "description": "(a date, such as 2024-05-31)"}),
        (Annotated[date, "When."],
         {"type": "string", "description": "When. (a date, such as 2024-05-31)"}),
        (Path, {"type": "string"}),
        (Decimal, {"anyOf": [{"type": "number"}, {"type": "string"}]}),
        (Annotated[int, Field(gt=1, lt=5)],
         {"type": "integer", "minimum": 2, "maximum": 4}),
        (Annotated[float, Field(gt=1, multiple_of=0.5)],
         {"type": "number", "description": "(a multiple of 0.5; more than 1)"}),
        (Annotated[str, Field(examples=["a", "b"])],
         {"type": "string", "description": '(such as "a", "b")'}),
        (Annotated[str, WithJsonSchema({"type": ["string", "null"],
                                        "format": "email"})],
         {"anyOf": [{"type": "string", "description": "(format email)"},
                    {"type": "null"}]}),
    ],
)  # fmt: skip
def test_H09_what_some_provider_refuses_is_said_another_way(
    hint: Any, listed: dict[str, Any]
) -> None:
    assert properties(everything(x=hint)) == {"x": listed}


def test_H09_what_is_portable_stays_as_it_is() -> None:
    for schema in properties(everything(**dict(zip("abcdefgh", HINTS)))).values():  # noqa: B905
        assert portable(schema) == schema


# H09, C10. Right: a choice is taken as the menu lists it and as it is.
@pytest.mark.parametrize(
    ("hint", "sent", "value"),
    [
        (Literal[1, 2], "2", 2),
        (Literal[1, 2], 2, 2),
        (Literal[True], "true", True),
        (Literal[0.5], "0.5", 0.5),
        (Literal[1, "1"], "1", "1"),
        (Literal[1, "1"], 1, 1),
        (Level, "2", Level.HIGH),
        (Right, "2", Right.WRITE),
        (Odd, "2024-05-01", Odd.DAY),
        (Odd, "[1, 2]", Odd.PAIR),
        (Odd, [1, 2], Odd.PAIR),
        (tuple[int, str], ["1", "a"], (1, "a")),
        (Point, [1, "a"], Point(1.0, "a")),
    ],
)
def test_C10_what_the_menu_lists_arrives_as_its_type(
    hint: Any, sent: object, value: object
) -> None:
    arrived = run(everything(x=hint), {"x": sent})["x"]
    assert (arrived, type(arrived)) == (value, type(value))


# H24. Right: Literal[True] refuses 1, and no number is a word for it.
@pytest.mark.parametrize("sent", [1, 1.0, "1", "True", None, [True]])
def test_H24_literal_true_takes_true_alone(sent: object) -> None:
    assert "x was" in refusal(everything(x=Literal[True]), {"x": sent})


# H09. Right: what no words can mend is refused at add, with the rule.
@pytest.mark.parametrize("hint", [int, list[int]])
def test_H09_a_parameter_with_a_name_that_providers_refuse_is_refused(
    hint: Any,
) -> None:
    assert definition_refusal(everything(größe=hint)) == (
        "'tool' cannot be a tool: it takes 'größe', and providers accept 1 to 64 "
        "letters (a to z), digits, _, . and - as the name of a parameter or field. "
        "Rename it."
    )


def test_H09_so_is_a_field_deep_inside() -> None:
    class Filter(BaseModel):
        by_id: int = Field(alias="filter[id]")

    assert "it takes 'filter[id]'" in definition_refusal(everything(x=list[Filter]))


def test_H09_a_description_too_long_for_openai_is_refused_with_its_length() -> None:
    def tool(a: int) -> None: ...

    tool.__doc__ = f"{'word ' * 400}\n\nArgs:\n    a: {'much ' * 400}"
    assert definition_refusal(tool) == (
        "'tool' cannot be a tool: its docstring describes it in 1999 characters, and "
        "providers accept 1024. Shorten it; what it says of parameters, under Args or "
        "in their types, does not count."
    )
    tool.__doc__ = f"{'w' * 1024}\n\nArgs:\n    a: {'much ' * 400}"
    function = registry(tool).menu()[0]["function"]
    assert function["description"] == "w" * 1024
    assert len(function["parameters"]["properties"]["a"]["description"]) == 1999


@dataclass
class Tree:
    level: Literal[1, 2] | None = None
    kids: "list[Tree]" = field(default_factory=list)


def test_H09_a_type_that_holds_itself_is_the_one_that_keeps_a_reference() -> None:
    level = {"anyOf": [{"type": "string", "enum": ["1", "2"]}, {"type": "null"}]}
    assert parameters(everything(tree=Tree))["$defs"] == {
        "Tree": {
            "type": "object",
            "properties": {
                "level": {**level, "default": None},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
            "additionalProperties": False,
        }
    }
    kids = {"kids": [{"level": "2"}]}
    arrived = run(everything(tree=Tree), {"tree": kids})["tree"]
    assert arrived == Tree(kids=[Tree(level=2)])


# C01. Right: with the future import the text of a hint is found too.
@pytest.mark.parametrize("future", [True, False])
def test_C01_the_future_import_loses_no_description(future: bool) -> None:
    tool = in_a_module(
        "from typing import Annotated, Optional\n"
        "def tool(a: Annotated[str, 'a city'], b: Optional[Annotated[int, 'how many']])"
        ": ...",
        future=future,
    )
    assert properties(tool) == {
        "a": {"type": "string", "description": "a city"},
        "b": {
            "anyOf": [{"type": "integer"}, {"type": "null"}],
            "description": "how many",
        },
    }
