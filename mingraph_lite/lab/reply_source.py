"""Which reply is due: scripts for many clients, or a test's queue.

A chat API is told the whole folder with each request, and that says where its script
is: the model has spoken so many times since the last question, so the next reply is
due. Nothing is kept, a retry gets the same reply, and a new question begins anew.

One thing no folder tells: how often a request has failed. A reply that leaves nothing
in a folder (an error, a page, a cut stream, an empty reply) counts as one try for the
reply behind it, and only while there are such tries are they counted: by model,
messages and key. So two clients that send the very same messages at the same time share
the count, unless their keys differ. After the last try the count begins anew; a script
that ends with failures fails for ever.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from threading import Condition, Event, Lock
from typing import Final, Protocol

from mingraph_lite.adapters.replies import read_content
from mingraph_lite.adapters.strict_json import Body, NotJSON, as_object, read_json
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ContextOverflow, ModelError, ModelRefused
from mingraph_lite.lab.faults import ALL_SCENARIOS
from mingraph_lite.lab.scenarios import Scenario
from mingraph_lite.lab.turns import tries_due, turns_since_the_question
from mingraph_lite.lab.wire import (
    ServerReply,
    as_action,
    as_chunks,
    completion,
    error,
    model_entry,
    unknown_model,
    with_token_counts,
)
from mingraph_lite.llm import Reply, ScriptedLLM
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["MOST_COUNTED", "ReplyQueue", "ReplySource", "Scripts"]

MOST_COUNTED: Final = 1000
"""Clients that never come back must not fill the memory."""


class ReplySource(Protocol):
    """Whoever knows which reply is due: `Scripts`, or a `ReplyQueue`.

    `models` are told to whoever asks which there are. `let_go` ends every wait in
    `reply`, since the server closes.
    """

    @property
    def models(self) -> Mapping[str, Body]:
        """Each model under its name."""
        ...

    def reply(self, body: bytes, key: str = "") -> ServerReply:
        """What is sent back for the body of a chat completions request."""
        ...

    def let_go(self) -> None:
        """Keep nobody waiting from now on."""
        ...


class _Refused(Exception):
    """A request that gets no reply of a script, and what is sent instead."""

    def __init__(self, reply: ServerReply) -> None:
        self.reply = reply


class Scripts:
    """Scenarios as the models of a chat API, for many clients.

    A request's `model` picks one; `default` is meant where it names none. A scripted
    model counts words for tokens.
    """

    def __init__(
        self,
        scenarios: Iterable[Scenario] = tuple(ALL_SCENARIOS.values()),
        default: str = "paris_and_tokyo",
    ) -> None:
        self._scenarios = {scenario.name: scenario for scenario in scenarios}
        self._default = default
        self._failed_tries: dict[str, int] = {}
        self._lock = Lock()
        if default not in self._scenarios:
            known = ", ".join(self._scenarios)
            raise ValueError(f"No scenario named {default!r}. There are: {known}.")

    @property
    def models(self) -> Mapping[str, Body]:
        """Each scenario, with what goes wrong in it."""
        return {
            name: model_entry(
                name, title=scenario.title, what=getattr(scenario, "what", "")
            )
            for name, scenario in self._scenarios.items()
        }

    def reply(self, body: bytes, key: str = "") -> ServerReply:
        """What is sent back for the body of a chat completions request.

        `key` tells clients apart where failed tries are counted.
        """
        try:
            return self._reply(_read_request(body), key)
        except _Refused as refused:
            return refused.reply

    def let_go(self) -> None:
        """Do nothing: a script keeps nobody waiting."""

    def transport(self, request: Request) -> Response:
        """The same for an adapter, with no socket in between."""
        key = request.headers.get("Authorization", "")
        return self.reply(request.body, key).transport(request)

    def _reply(self, request: Body, key: str) -> ServerReply:
        scenario = self._scenario(request.get("model") or self._default)
        messages, as_actions = request["messages"], _wants_actions(request)
        turn = turns_since_the_question(messages, as_actions)
        tries, place = tries_due(scenario.script(), turn, as_actions)
        if not tries:
            message = (
                f"The script of {scenario.name} is over. A new question begins it anew."
            )
            raise _Refused(error(400, message, "script_exhausted"))
        id = _fingerprint([scenario.name, messages, key])
        due = tries[self._next_try(id, len(tries))]
        action = place if as_actions else None
        return _as_requested(due, request, id, scenario.name, action)

    def _scenario(self, name: object) -> Scenario:
        if isinstance(name, str) and name in self._scenarios:
            return self._scenarios[name]
        # Clients cut the list in an error: what only this server has goes first.
        names = sorted(self._scenarios, key=ALL_SCENARIOS.__contains__)
        raise _Refused(unknown_model(name, names))

    def _next_try(self, id: str, tries: int) -> int:
        with self._lock:
            number = self._failed_tries.pop(id, 0)
            if number + 1 < tries:
                self._failed_tries[id] = number + 1
            if len(self._failed_tries) > MOST_COUNTED:
                del self._failed_tries[next(iter(self._failed_tries))]
        return number


class ReplyQueue:
    """Replies that a test lays out, each given once, in order.

    A reply is whatever a script may hold: a text, slips, `error(503, …)` of the wire.
    Whoever asks when none is left is kept waiting until `let_go`; `kept_waiting` is
    set as soon as somebody is.
    """

    def __init__(self, *replies: Reply, models: Sequence[str] = ("tiny",)) -> None:
        self.models: Mapping[str, Body] = {name: model_entry(name) for name in models}
        self.kept_waiting = Event()
        self._replies: deque[Reply] = deque()
        self._changed = Condition()
        self._waits = True
        self._numbers = count(1)
        self.add(*replies)

    def add(self, *replies: Reply) -> None:
        """Lay more replies behind those that are there."""
        ScriptedLLM(replies)  # it refuses what is no reply, here and not on the wire
        with self._changed:
            self._replies.extend(replies)

    def let_go(self) -> None:
        """Keep nobody waiting from now on: no reply left is then an error."""
        with self._changed:
            self._waits = False
            self._changed.notify_all()

    def reply(self, body: bytes, key: str = "") -> ServerReply:
        """The next reply of the queue, whatever the messages are."""
        try:
            request = _read_request(body)
            due = self._next()
        except _Refused as refused:
            return refused.reply
        model = request.get("model") or next(iter(self.models), "")
        return _as_requested(due, request, str(next(self._numbers)), model)

    def _next(self) -> Reply:
        with self._changed:
            if not self._replies:
                self.kept_waiting.set()
                self._changed.wait_for(lambda: not self._waits)
            if self._replies:
                return self._replies.popleft()
        message = "The queue holds no reply. Add one before you ask."
        raise _Refused(error(503, message, "queue_empty"))


def _read_request(body: bytes) -> Body:
    try:
        request = as_object(read_json(body.decode("utf-8-sig")))
    except (NotJSON, UnicodeDecodeError) as problem:
        message = f"The body of the request is no JSON: {problem}."
        raise _Refused(error(400, message, "invalid_json")) from None
    messages = request.get("messages")
    whole = isinstance(messages, list) and all(isinstance(m, dict) for m in messages)
    if not messages or not whole:
        message = (
            'The request needs "messages": a list that is not empty, of objects with '
            '"role" and "content".'
        )
        raise _Refused(error(400, message, "missing_messages"))
    return request


def _wants_actions(request: Body) -> bool:
    """Whether the tools are in the prompt, as `tools_as="json"` puts them."""
    schema = as_object(as_object(request.get("response_format")).get("json_schema"))
    return schema.get("name") == "action"


def _as_requested(
    reply: Reply, request: Body, id: str, model: object, action: int | None = None
) -> ServerReply:
    """What a server sends for a reply of a script, in the form that was asked for.

    `action` is the place of the call that is due, for a model that knows no tools.
    """
    sent = _server_reply(reply, request, id)
    whole = sent.completion()
    if whole is None:
        return sent
    if action is not None:
        whole = as_action(whole, action)
    whole = {"id": f"chatcmpl-{id}", "created": 0, "model": model, **whole}
    whole = with_token_counts(whole, [request["messages"], request.get("tools")])
    if not request.get("stream"):
        return ServerReply.json(whole)
    with_usage = as_object(request.get("stream_options")).get("include_usage") is True
    return ServerReply.stream(as_chunks(whole, with_usage=with_usage))


def _server_reply(reply: Reply, request: Body, id: str) -> ServerReply:
    """What a server sends for a reply of a script."""
    if isinstance(reply, ServerReply):
        return reply
    try:
        response = ScriptedLLM([reply]).generate(
            _folder_in(request), request.get("tools") or ()
        )
    except ContextOverflow as raised:
        return error(400, str(raised), "context_length_exceeded")
    except ModelRefused as raised:
        return error(400, str(raised), "content_filter")
    except ModelError as raised:
        status, code = (503, "overloaded") if raised.retryable else (400, "refused")
        return error(status, str(raised), code, retry_after=raised.retry_after)
    except Exception as raised:  # a script may raise anything, on purpose
        return error(500, f"{type(raised).__name__}: {raised}", "script_failed")
    return ServerReply.json(completion(response, new_id=f"call_{id}_{{}}"))


def _folder_in(request: Body) -> list[Message]:
    """The messages of a request, for a script that listens."""
    folder: list[Message] = []
    names: dict[str, str] = {}
    for message in request["messages"]:
        text = read_content(message.get("content")).text
        match message.get("role"):
            case "system" | "developer":
                folder.append(SystemMessage(text))
            case "assistant":
                calls, _ = read_tool_calls(message.get("tool_calls"))
                names |= {call.id: call.name for call in calls}
                folder.append(AssistantMessage(text, calls))
            case "tool":
                id = str(message.get("tool_call_id") or "")
                folder.append(ToolMessage(text, id, names.get(id, "")))
            case _:
                folder.append(UserMessage(text))
    return folder


def _fingerprint(value: object) -> str:
    """A short name for a value, the same each time."""
    return hashlib.sha256(write_json(value).encode()).hexdigest()[:12]
