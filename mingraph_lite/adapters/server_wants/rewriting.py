"""A request changed as a server wants it: the same said otherwise.

Each function changes a body in place, and leaves one alone that it has nothing to do
with. None takes away what the model must know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body, as_object

__all__: Final = [
    "Change",
    "any_object",
    "developer_prompt",
    "dropping",
    "empty_reasoning",
    "empty_text",
    "joined_questions",
    "menu_without",
    "nameless_results",
    "no_null_text",
    "nothing_beside",
    "prompt_in_question",
    "renaming",
    "sent_beside",
    "unsigned_calls",
    "whole_reply",
]

type Change = Callable[[Body], None]

_MESSAGE: Final = {"role", "content", "tool_calls", "tool_call_id", "tool_name", "name"}
_CALL: Final = {"id", "type", "function"}
_FUNCTION: Final = {"name", "arguments"}
_NAMED_SCHEMAS: Final = {"properties", "patternProperties", "$defs", "definitions"}
"""Keywords whose keys are names that somebody chose, and no keywords."""


def dropping(field: str) -> Change:
    """The body without a field."""

    def change(body: Body) -> None:
        body.pop(field, None)

    return change


def renaming(old: str, new: str) -> Change:
    """The body with a field under another name."""

    def change(body: Body) -> None:
        if old in body:
            body.setdefault(new, body.pop(old))

    return change


def whole_reply(body: Body) -> None:
    """The reply is asked for in one piece."""
    if body.get("stream"):
        body.pop("stream_options", None)
        del body["stream"]


def any_object(body: Body) -> None:
    """Any JSON object is asked for: the prompt says which."""
    if as_object(body.get("response_format")).get("type") == "json_schema":
        body["response_format"] = {"type": "json_object"}


def nameless_results(body: Body) -> None:
    """Results of tools without the tool's name: id or order tells what they answer."""
    for message in _messages(body):
        if message.get("role") == "tool":
            message.pop("name", None)
            message.pop("tool_name", None)


def joined_questions(body: Body) -> None:
    """Questions that follow one another as one, for templates that want turns."""
    joined: list[Any] = []
    for message in body.get("messages") or ():
        before = as_object(joined[-1]) if joined else {}
        if before.get("role") == "user" == as_object(message).get("role"):
            texts = before.get("content") or "", message.get("content") or ""
            joined[-1] = {**before, "content": "\n\n".join(map(str, texts))}
        else:
            joined.append(message)
    if "messages" in body:
        body["messages"] = joined


def empty_text(body: Body) -> None:
    """An empty text beside calls where null stood."""
    for message in _messages(body):
        if message.get("tool_calls") and message.get("content") is None:
            message["content"] = ""


def empty_reasoning(body: Body) -> None:
    """An empty reasoning beside the calls of this round that came with none."""
    for message in reversed(_messages(body)):
        if message.get("role") == "user":
            return
        if message.get("tool_calls"):
            message.setdefault("reasoning_content", "")


def no_null_text(body: Body) -> None:
    """No text at all beside calls where there is none."""
    for message in _messages(body):
        if message.get("tool_calls") and not message.get("content"):
            message.pop("content", None)


def developer_prompt(body: Body) -> None:
    """The prompt under the role that newer models of OpenAI know."""
    for message in _messages(body):
        if message.get("role") == "system":
            message["role"] = "developer"


def prompt_in_question(body: Body) -> None:
    """The prompt at the head of the first question, for models that know no prompt."""
    messages = _messages(body)
    prompts = [m for m in messages if m.get("role") in {"system", "developer"}]
    if not prompts:
        return
    rest = [m for m in messages if m not in prompts]
    prompt = "\n\n".join(str(m.get("content") or "") for m in prompts)
    if rest and rest[0].get("role") == "user":
        rest[0]["content"] = f"{prompt}\n\n{rest[0].get('content') or ''}"
    else:
        rest.insert(0, {"role": "user", "content": prompt})
    body["messages"] = rest


def menu_without(keyword: str) -> Change:
    """The menu without a keyword of its schemas: the tool checks what it is given."""

    def change(body: Body) -> None:
        for tool in body.get("tools") or ():
            function = as_object(as_object(tool).get("function"))
            if keyword == "strict":
                function.pop("strict", None)
            parameters = function.get("parameters")
            if keyword in {"$defs", "$ref"}:
                definitions = as_object(as_object(parameters).get("$defs"))
                function["parameters"] = _inlined(parameters, definitions, ())
            elif isinstance(parameters, dict):
                _strip(parameters, keyword)

    return change


def nothing_beside(body: Body) -> None:
    """Calls and messages without what a server had sent beside them."""
    for message in _messages(body):
        for key in message.keys() - _MESSAGE:
            del message[key]
        for call in message.get("tool_calls") or ():
            for key in call.keys() - _CALL:
                del call[key]
            function = as_object(call.get("function"))
            for key in function.keys() - _FUNCTION:
                del function[key]


def unsigned_calls(body: Body) -> None:
    """Calls that another model made, marked as such where a signature is wanted.

    Only the first of a message is signed.
    """
    for message in _messages(body):
        first = next(iter(message.get("tool_calls") or ()), None)
        if isinstance(first, dict):
            signature = {"thought_signature": "skip_thought_signature_validator"}
            first.setdefault("extra_content", {"google": signature})


def sent_beside(body: Body) -> set[str]:
    """The names of what goes back beside calls and messages."""
    names: set[str] = set()
    for message in _messages(body):
        for key in message.keys() - _MESSAGE:
            names |= {key, *_keys_in(message[key])}
        for call in message.get("tool_calls") or ():
            for key in call.keys() - _CALL:
                names |= {key, *_keys_in(call[key])}
            function = as_object(call.get("function"))
            for key in function.keys() - _FUNCTION:
                names |= {key, *_keys_in(function[key])}
    return names


def _keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys_in(item)


def _messages(body: Body) -> list[Body]:
    return [m for m in body.get("messages") or () if isinstance(m, dict)]


def _strip(schema: Any, keyword: str, *, named: bool = False) -> None:
    """Take a keyword out of a schema and of all in it; `named` holds names as keys."""
    if isinstance(schema, list):
        for part in schema:
            _strip(part, keyword)
    elif isinstance(schema, dict):
        if not named and keyword in schema:
            value = schema.pop(keyword)
            if keyword == "const":
                schema.setdefault("enum", [value])
        for key, part in schema.items():
            if named or key not in {"enum", "default", "const", "examples"}:
                _strip(part, keyword, named=not named and key in _NAMED_SCHEMAS)


def _inlined(schema: Any, definitions: Body, inside: tuple[str, ...]) -> Any:
    """The schema with each reference replaced by what it means.

    A definition that holds itself becomes any value at the second time: it has no end.
    """
    if isinstance(schema, list):
        return [_inlined(part, definitions, inside) for part in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    beside = {k: v for k, v in schema.items() if k not in {"$ref", "$defs"}}
    made = {k: _inlined(v, definitions, inside) for k, v in beside.items()}
    if not isinstance(reference, str):
        return made
    name = reference.removeprefix("#/$defs/")
    if name in inside:
        return made
    meant = _inlined(definitions.get(name, {}), definitions, (*inside, name))
    return {**as_object(meant), **made}
