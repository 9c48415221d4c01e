"""Calls as models write them into a text: JSON, tags, or Python.

A reader is handed what stands behind the opening tag. It gives the calls, shaped as a
server would have sent them, and where they end; or None where it can read none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from mingraph_lite.adapters.strict_json import (
    Body,
    DoubledKey,
    NotJSON,
    next_value,
    read_json,
)
from mingraph_lite.llm import Menu
from mingraph_lite.schema.tool_names import plain_name

__all__: Final = [
    "ARGUMENT_KEYS",
    "NAME_KEYS",
    "Read",
    "Reader",
    "as_call",
    "python_calls",
    "read_json_calls",
    "read_named_calls",
    "read_python_calls",
    "read_tagged_calls",
    "typed",
]

type Read = tuple[list[Body], int] | None
type Reader = Callable[[str, bool], Read]
"""Takes the text behind an opening tag, and whether a closing one ends it."""

NAME_KEYS: Final = ("name", "tool_name", "tool", "function_name", "function", "action")
ARGUMENT_KEYS: Final = (
    *("arguments", "parameters", "args", "input", "tool_input", "action_input"),
)

_BETWEEN: Final = re.compile(r"[\s;,]*(?:```(?:json)?\s*)?")
_OPEN: Final = ("{", "[")
_BEHIND: Final = re.compile(r"\s*```")
_LONGEST_PYTHON: Final = 20_000


def as_call(value: object, *, needs_arguments: bool = False) -> Body | None:
    """A call out of an object that a model wrote, or None if it names no tool."""
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        inner = as_call(value["function"], needs_arguments=needs_arguments)
        return inner and {"id": value.get("id"), **inner}
    if not isinstance(value, dict):
        return None
    named = next((k for k in NAME_KEYS if isinstance(value.get(k), str)), None)
    given = next((k for k in ARGUMENT_KEYS if value.get(k) is not None), None)
    if named is None or (needs_arguments and given is None):
        return None
    if isinstance(value, DoubledKey):
        function: Body = value  # whoever reads the call says which key it is
    else:
        rest = {k: v for k, v in value.items() if k not in (named, given, "id")}
        function = {**rest, "name": value[named]}
        if given is not None:
            function["arguments"] = value[given]
    return {"id": value.get("id"), "function": function}


def read_json_calls(text: str, closed: bool) -> Read:
    """One object or list after the other, as far as they are calls."""
    calls: list[Body] = []
    end = 0
    while (begin := _BETWEEN.match(text, end)) and text[
        begin.end() : begin.end() + 1
    ] in _OPEN:
        try:
            value, after = next_value(text, begin.end())
        except NotJSON:
            break
        found = [as_call(v) for v in (value if isinstance(value, list) else [value])]
        if not found or None in found:
            break
        calls.extend(call for call in found if call is not None)
        end = after
    if not calls:
        return None
    behind = _BEHIND.match(text, end)
    return calls, behind.end() if behind else end


_BEGIN: Final = r"(?:<[｜|]tool[▁_]call[▁_]begin[｜|]>)"
_SEPARATOR: Final = r"<[｜|]tool[▁_]sep[｜|]>"
_NAMED: Final = re.compile(
    rf"""[\s>]*{_BEGIN}?\s*
    (?:function\s*{_SEPARATOR})?\s*             # DeepSeek says the type first
    (?P<name>[^\s<>\[\]{{}}｜|:]{{1,80}})(?::\d+)?     # Kimi counts behind the name
    (?:\s*\[CALL_ID\]\s*(?P<id>\w+))?
    [^{{\n]{{0,120}}?                                # such as <|constrain|>json
    (?:\s|{_SEPARATOR}|<\|tool_call_argument_begin\|>|\[ARGS\]|>|<\|message\|>
    |<\|content\|>|✿ARGS✿:|```json)*
    (?=\{{)""",
    re.VERBOSE,
)
_NAMED_ALONE: Final = re.compile(
    rf"\s*(?:function\s*{_SEPARATOR}\s*)?(?P<name>[\w.-]{{1,80}})(?::\d+)?\s*"
    r"(?:(?:<[｜|][^<>]{1,80}>|\[ARGS\])\s*)*"
)
_NAMED_END: Final = re.compile(r"\s*(?:```)?(?:\s*<[｜|]tool[▁_]call[▁_]end[｜|]>)?")
_NAMED_NEXT: Final = re.compile(rf"\s*{_BEGIN}")


def read_named_calls(text: str, closed: bool) -> Read:
    """The name first, some sign of its own, and the arguments as an object."""
    if alone := _NAMED_ALONE.fullmatch(text):
        return [_call(alone["name"], {})], len(text)
    calls: list[Body] = []
    end = 0
    while named := _NAMED.match(text, end):
        try:
            arguments, end = next_value(text, named.end())
        except NotJSON:
            return None
        calls.append(_call(named["name"], arguments, named["id"]))
        behind = _NAMED_END.match(text, end)
        end = behind.end() if behind else end
        if not _NAMED_NEXT.match(text, end):
            break
    return (calls, end) if calls else None


def _call(name: str, arguments: object, id: str | None = None) -> Body:
    return {"id": id, "function": {"name": name, "arguments": arguments}}


def typed(call: Body, menu: Menu) -> Body:
    """The call, its texts read as JSON where the menu says that no text is meant.

    Between tags everything is text: a list of one word, `["a"]`, as much as a 7.
    """
    function = call["function"]
    arguments = function.get("arguments")
    if type(arguments) is not dict:
        return call
    wanted = _properties(menu, str(function["name"]))
    read = {k: _typed(v, wanted.get(k)) for k, v in arguments.items()}
    return {**call, "function": {**function, "arguments": read}}


def _properties(menu: Menu, name: str) -> Mapping[str, Any]:
    for entry in menu:
        function = entry["function"]
        if plain_name(function["name"]) == plain_name(name):
            found = (function.get("parameters") or {}).get("properties")
            return found if isinstance(found, Mapping) else {}
    return {}


def _typed(value: object, schema: object) -> object:
    if not isinstance(value, str) or not isinstance(schema, Mapping):
        return value
    kinds = [schema, *schema.get("anyOf", ())]
    if any(kind.get("type") == "string" for kind in kinds) or "type" not in str(kinds):
        return value
    try:
        return read_json(value)
    except NotJSON:
        return value


_DSML: Final = "(?:[｜|]DSML[｜|])?"
_TAGGED: Final = re.compile(
    rf"""\s*(?:<{_DSML}(?:function=|function\ name=|function[(/]|invoke\ name=))?
    ["']?(?P<name>[^\W\d][\w.:/-]{{0,80}})["']?\)?,?(?:<tool_sep>)?\s*>?""",
    re.VERBOSE,
)
_ANOTHER: Final = re.compile(rf"\s*<{_DSML}(?:function|invoke)\b")
_PARAMETER: Final = re.compile(
    rf"""\s*(?:<{_DSML}parameter(?:=|\ name=)["']?(?P<name>[^"'<>\n]{{1,80}})["']?
    [^<>\n]{{0,80}}>|<arg_key>(?P<key>[^<>]{{1,80}})</arg_key>\s*<arg_value>)""",
    re.VERBOSE,
)
_PARAMETER_END: Final = re.compile(
    rf"</{_DSML}parameter>|</arg_value>|(?=<{_DSML}parameter[= ])"
    rf"|(?=</{_DSML}(?:function|invoke)>)"
)
_TAGGED_END: Final = re.compile(rf"\s*</{_DSML}(?:function|invoke)>")


def read_tagged_calls(text: str, closed: bool) -> Read:
    """A name, then each parameter between tags; or JSON behind the name."""
    calls: list[Body] = []
    end = 0
    while end < len(text) and (named := _TAGGED.match(text, end)):
        arguments, end = _tagged_arguments(text, named.end())
        behind = _TAGGED_END.match(text, end)
        end = behind.end() if behind else end
        if arguments is None or (not behind and text[end:].strip()):
            return None
        if not (arguments or behind or closed):
            return None  # a name and the end of the text: nothing shows a call
        calls.append(_call(named["name"].strip(), arguments))
        if not _ANOTHER.match(text, end):
            break
    return (calls, end) if calls else None


def _tagged_arguments(text: str, at: int) -> tuple[Body | None, int]:
    begin = _BETWEEN.match(text, at)
    if begin and text.startswith("{", begin.end()):
        try:
            value, end = next_value(text, begin.end())
        except NotJSON:
            return None, at
        behind = _BEHIND.match(text, end)
        return value, behind.end() if behind else end
    pairs: list[tuple[str, Any]] = []
    while named := _PARAMETER.match(text, at):
        closing = _PARAMETER_END.search(text, named.end())
        if closing is None:
            return None, at
        value = text[named.end() : closing.start()]
        value = value.removeprefix("\n").removesuffix("\n")
        pairs.append(((named["name"] or named["key"]).strip(), value))
        at = closing.end()
    made = dict(pairs)
    return (made if len(made) == len(pairs) else DoubledKey(pairs)), at


def read_python_calls(text: str, closed: bool) -> Read:
    """Calls in Python: a list, or one on each line, with or without `.call`."""
    calls = python_calls(text, lines=True)
    return (calls, len(text)) if calls else None


def python_calls(text: str, *, lines: bool = False) -> list[Body] | None:
    """Calls written in Python, if nothing but named literals is in them."""
    if len(text) >= _LONGEST_PYTHON or sum(map(text.count, "([{")) > 200:
        return None
    try:
        found = ast.parse(text.strip()).body
        if len(found) > 1 and not lines:
            return None
        trees = [line.value for line in found if isinstance(line, ast.Expr)]
        if len(trees) < len(found):
            return None
        nodes = [n for t in trees for n in (t.elts if isinstance(t, ast.List) else [t])]
        return [_python_call(node) for node in nodes]
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _python_call(node: ast.expr) -> Body:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
        (node,) = node.args or [node]  # Gemma was told to print what it calls
    if not isinstance(node, ast.Call) or node.args:
        raise ValueError("no call, or one whose arguments have no names")
    name = ast.unparse(node.func).removesuffix(".call")
    pairs = [(word.arg or "", _literal(word.value)) for word in node.keywords]
    if len(dict(pairs)) != len(pairs) or "" in dict(pairs):
        raise ValueError("arguments that are not clear")
    return _call(name, dict(pairs))


_CONSTANTS: Final = {"true": True, "false": False, "null": None}


def _literal(node: ast.expr) -> object:
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    value = ast.literal_eval(node)
    if not _is_json(value):
        raise ValueError("a value that JSON does not know")
    return value


def _is_json(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(k, str) and _is_json(v) for k, v in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float | bool)
