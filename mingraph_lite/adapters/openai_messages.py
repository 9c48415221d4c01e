"""Messages in OpenAI's shape, as they are sent and stored."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.adapters.replies import Content, read_content
from mingraph_lite.adapters.server_wants.beside import this_round
from mingraph_lite.adapters.strict_json import Body, as_object, brief, too_deep
from mingraph_lite.adapters.tool_calls import legal_name, read_tool_calls
from mingraph_lite.mending import checked
from mingraph_lite.messages import (
    AssistantMessage,
    Extra,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.jsonable import jsonable, valid_text, write_json

__all__: Final = ["from_openai", "openai_call", "to_openai", "write_messages"]

_EMPTY: Final = "(empty)"
_ROLES: Final = "system, developer, user, assistant, tool and function"


def to_openai(folder: Iterable[Message]) -> list[dict[str, Any]]:
    """The folder as dicts in OpenAI's shape, ready for `json.dumps`.

    `from_openai` makes the same folder of them, as far as the shape can hold it: a
    call's `problem` is found again where it lies in the arguments, and names get the
    letters that providers allow. Arguments that could not be read are stored as sent.
    What a server wants back stands under "extra", with the address it came from.
    """
    said = checked(folder, "to_openai")
    stored: list[dict[str, Any]] = jsonable(
        [
            _write(
                message,
                write_call=_store_call,
                write_result=_store_result,
                without_text={"content": None},
                beside=_stored_extra(message),
            )
            for message in said
        ]
    )
    return stored


def from_openai(dicts: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The messages that are stored in OpenAI's shape, by this or another program.

    Read are also the role "developer", content in parts, tool messages without a name,
    arguments that are no text, and function calls from before there were tool calls.
    What is no text, and unknown keys, are left out. Numbers of calls stay as they are,
    missing ones too: `KeepAll(messages)` gives each call one of its own.
    """
    names: dict[str, deque[str]] = {}
    messages: list[Message] = []
    notes: list[str] = []
    for place, sent in enumerate(_list_of_dicts(dicts)):
        here = f"messages[{place}]"
        content = _read_content(sent, here)
        messages.append(_read(sent, content, here, names))
        notes += [f"{here}: {note}" for note in content.notes]
        notes += [f"{here}: {note}" for note in _notes_on_extras(sent)]
    if notes:
        import logging  # here, since it takes long to load

        logging.getLogger(__name__).warning("from_openai: %s", " ".join(notes))
    return messages


def write_messages(
    messages: Sequence[Message],
    *,
    write_call: Callable[[ToolCall], Body],
    write_result: Callable[[ToolMessage], Body],
    without_text: Body,
    write_beside: Callable[[AssistantMessage, bool], Body] = lambda said, now: {},
) -> list[Body]:
    """The messages as chat APIs take them; an empty system prompt is left out.

    Each API has its own way to write a call, to say which call a result answers, and to
    write a message that holds calls and no text. `write_beside` writes what goes back
    beside a reply, and hears whether it belongs to the current round.
    """
    now = this_round(messages)
    return [
        _write(
            _with_text(message),
            write_call=write_call,
            write_result=write_result,
            without_text=without_text,
            beside=write_beside(message, place in now)
            if isinstance(message, AssistantMessage)
            else {},
        )
        for place, message in enumerate(messages)
        if not _is_empty_prompt(message)
    ]


def openai_call(call: ToolCall, arguments: str) -> Body:
    """A call in OpenAI's shape, with the text of its arguments."""
    function = {"name": legal_name(call.name), "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _write(
    message: Message,
    *,
    write_call: Callable[[ToolCall], Body],
    write_result: Callable[[ToolMessage], Body],
    without_text: Body,
    beside: Body,
) -> Body:
    content = {"content": message.content}
    match message:
        case SystemMessage():
            return {"role": "system", **content}
        case UserMessage():
            return {"role": "user", **content}
        case ToolMessage():
            return {"role": "tool", **write_result(message), **content}
        case AssistantMessage(_, ()):
            return {"role": "assistant", **beside, **content}
        case AssistantMessage(text, calls):
            written = [write_call(call) for call in calls]
            said = content if text else without_text
            return {"role": "assistant", **beside, **said, "tool_calls": written}


def _is_empty_prompt(message: Message) -> bool:
    return isinstance(message, SystemMessage) and not message.content.strip()


def _with_text(message: Message) -> Message:
    """The message with what stands for no text: strict servers refuse an empty one.

    Why not leave the message out? Many chat templates insist that user and assistant
    take turns, and every tool call needs its result, even an empty one.
    """
    if message.content.strip():
        return message
    has_calls = isinstance(message, AssistantMessage) and message.tool_calls
    return replace(message, content="" if has_calls else _EMPTY)


def _store_call(call: ToolCall) -> Body:
    sent = write_json(call.arguments) if call.raw is None else call.raw
    return {**openai_call(call, sent), **_stored_extra(call)}


def _stored_extra(thing: object) -> Body:
    """What a server wants back, as it is stored; only where there is something."""
    extra = getattr(thing, "extra", None)
    if extra is None:
        return {}
    return {"extra": {"address": extra.address, "sent": dict(extra.sent)}}


def _store_result(result: ToolMessage) -> Body:
    # The API needs no name here and takes one; an answer without its call keeps it so.
    name = {"name": legal_name(result.name)} if result.name else {}
    return {"tool_call_id": result.tool_call_id, **name}


def _list_of_dicts(dicts: object) -> list[Body]:
    """What is to be read, each a dict with a role; refused where it is not."""
    if isinstance(dicts, str | bytes):
        raise TypeError(
            f"from_openai reads a list of dicts and got a text, {dicts!r:.80}. "
            "If it is JSON, hand in json.loads(text)."
        )
    if isinstance(dicts, Mapping) or not isinstance(dicts, Iterable):
        raise TypeError(
            f"from_openai reads a list of dicts and got {dicts!r:.80}. "
            "Put one message into a list; of a request, hand in its 'messages'."
        )
    messages = []
    for place, sent in enumerate(dicts):
        if not isinstance(sent, Mapping):
            raise TypeError(
                f"messages[{place}]: a {type(sent).__name__} is no dict that was "
                'stored. Each is like {"role": "user", "content": "…"}; an object of '
                "the openai package gives one by model_dump(), and messages of this "
                "package need no reading."
            )
        messages.append({**sent})
    return messages


def _read_content(sent: Body, here: str) -> Content:
    """The content of a message: a text, a list of parts, or nothing."""
    content = sent.get("content")
    if too_deep(content):
        raise ValueError(
            f"{here}: the content is nested too deep to be one. Make it a text."
        )
    if not (content is None or isinstance(content, str | list)):
        raise TypeError(
            f"{here}: the content is {content!r:.80}. It is a text, a list of parts, "
            "or null; write another value as the text of its JSON."
        )
    return read_content(content)


def _read(
    sent: Body, content: Content, here: str, names: dict[str, deque[str]]
) -> Message:
    """One message. `names` holds what the last calls with each number are named."""
    text = valid_text(content.text)
    match sent.get("role"):
        case "system" | "developer":
            return SystemMessage(text)
        case "user":
            return UserMessage(text)
        case "assistant":
            calls = _read_calls(sent.get("tool_calls") or sent.get("function_call"))
            names.update((call.id, deque[str]()) for call in calls)
            for call in calls:
                names[call.id].append(call.name)
            refusal = valid_text(content.refusal) or _text(sent.get("refusal"))
            extra = _read_extra(sent.get("extra"))
            said = text if text or calls else refusal
            return AssistantMessage(said, calls, extra=extra)
        case "tool" | "function":
            id, name = _text(sent.get("tool_call_id")), _text(sent.get("name"))
            called = _next(names.get(id))
            return ToolMessage(text, id, legal_name(name) if name else called)
        case role:
            found = f"the role is {role!r:.80}" if "role" in sent else "it has no role"
            raise ValueError(f"{here}: {found}. The roles are {_ROLES}.")


def _read_calls(sent: object) -> tuple[ToolCall, ...]:
    """The calls of a reply, under the numbers that they were sent with."""
    entries = sent if isinstance(sent, list) else [sent] if sent else []
    calls, _ = read_tool_calls(entries)
    return tuple(
        replace(
            call,
            id=_text(as_object(entry).get("id")),
            extra=_read_extra(as_object(entry).get("extra")),
        )
        for call, entry in zip(calls, entries, strict=True)
    )


def _read_extra(stored: object) -> Extra | None:
    """What a server wants back; without its address it goes nowhere."""
    extra = as_object(stored)
    address, sent = extra.get("address"), extra.get("sent")
    if not isinstance(address, str) or not isinstance(sent, dict) or too_deep(sent):
        return None
    return Extra(address, jsonable(sent))


def _notes_on_extras(sent: Body) -> list[str]:
    """A note on each extra that is none: it is left out."""
    calls = sent.get("tool_calls")
    stored = [sent, *(calls if isinstance(calls, list) else ())]
    return [
        f"An extra that does not hold its address and what was sent was left out: "
        f"{brief(extra)}."
        for extra in (as_object(thing).get("extra") for thing in stored)
        if extra is not None and _read_extra(extra) is None
    ]


def _next(names: deque[str] | None) -> str:
    """The name of the call that is answered now: the answers come in its order."""
    if not names:
        return ""
    return names.popleft() if len(names) > 1 else names[0]


def _text(value: object) -> str:
    return valid_text(value) if isinstance(value, str) else ""
