"""Which reply is due: scripts for many clients, remembering none.

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
import re
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Final

from mingraph_lite.adapters.replies import as_object, read_content
from mingraph_lite.adapters.strict_json import NotJSON, brief, read_json
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.scenarios import Scenario
from mingraph_lite.lab.wire import Body, Sent, completion, error, in_pieces
from mingraph_lite.llm import Reply, ScriptedLLM
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["MOST_COUNTS", "Scripts"]

MOST_COUNTS: Final = 1000
"""Clients that never come back must not fill the memory."""

_TOLD_RESULT: Final = re.compile(r"Result of \S+: ")
"""How a tool's result is told to models that know no tools: as the user's words."""


class _Refused(Exception):
    """A request that gets no reply of a script, and what is sent instead."""

    def __init__(self, sent: Sent) -> None:
        self.sent = sent


class Scripts:
    """Scenarios as the models of a chat API.

    A request's `model` picks one; `default` is meant where it names none. A scripted
    model counts words for tokens.
    """

    def __init__(self, scenarios: Iterable[Scenario], default: str) -> None:
        self._scenarios = {scenario.name: scenario for scenario in scenarios}
        self._default = default
        self._tries: dict[str, int] = {}
        self._lock = Lock()
        if default not in self._scenarios:
            known = ", ".join(self._scenarios)
            raise ValueError(f"No scenario named {default!r}. There are: {known}.")

    def models(self) -> Sent:
        """All models, with what goes wrong in each."""
        entries = [_entry(scenario) for scenario in self._scenarios.values()]
        return Sent.json({"object": "list", "data": entries})

    def model(self, name: str) -> Sent:
        """One of the models."""
        try:
            return Sent.json(_entry(self._scenario(name)))
        except _Refused as refused:
            return refused.sent

    def answer(self, body: bytes, key: str = "") -> Sent:
        """What is sent for the body of a chat completions request.

        `key` tells clients apart where failed tries are counted.
        """
        try:
            return self._answer(_request(body), key)
        except _Refused as refused:
            return refused.sent

    def transport(self, request: Request) -> Response:
        """The same for an adapter, with no socket in between."""
        key = request.headers.get("Authorization", "")
        return self.answer(request.body, key).transport(request)

    def _answer(self, asked: Body, key: str) -> Sent:
        scenario = self._scenario(asked.get("model") or self._default)
        messages, script = asked["messages"], scenario.script()
        as_actions = _wants_actions(asked)
        tries, place = _due(script, _turn(messages, as_actions), as_actions)
        if not tries:
            told = (
                f"The script of {scenario.name} ends after {len(script)} replies. "
                "A new question begins it anew."
            )
            raise _Refused(error(400, told, "script_exhausted"))
        mark = _mark([scenario.name, messages, key])
        sent = _sent(tries[self._next_try(mark, len(tries))], asked, mark)
        whole = _whole(sent)
        if whole is None:
            return sent
        if as_actions:
            whole = _as_action(whole, place)
        head = {"id": f"chatcmpl-{mark}", "created": 0, "model": scenario.name}
        return _as_asked({**head, **whole}, asked)

    def _scenario(self, name: object) -> Scenario:
        if isinstance(name, str) and name in self._scenarios:
            return self._scenarios[name]
        known = ", ".join(self._scenarios)
        told = f"No model is named {brief(name)}. There are: {known}."
        raise _Refused(error(404, told, "model_not_found"))

    def _next_try(self, mark: str, tries: int) -> int:
        with self._lock:
            number = self._tries.pop(mark, 0)
            if number + 1 < tries:
                self._tries[mark] = number + 1
            if len(self._tries) > MOST_COUNTS:
                del self._tries[next(iter(self._tries))]
        return number


def _entry(scenario: Scenario) -> Body:
    about = {"title": scenario.title, "what": getattr(scenario, "what", "")}
    made = {"object": "model", "created": 0, "owned_by": "mingraph_lite"}
    return {"id": scenario.name, **made, **about}


def _request(body: bytes) -> Body:
    try:
        asked = read_json(body.decode("utf-8-sig"))
    except (NotJSON, UnicodeDecodeError) as problem:
        told = f"The body of the request is no JSON: {problem}."
        raise _Refused(error(400, told, "invalid_json")) from None
    messages = as_object(asked).get("messages")
    whole = isinstance(messages, list) and all(isinstance(m, dict) for m in messages)
    if not messages or not whole:
        told = (
            'The request needs "messages": a list that is not empty, of objects with '
            '"role" and "content".'
        )
        raise _Refused(error(400, told, "missing_messages"))
    return as_object(asked)


def _wants_actions(asked: Body) -> bool:
    """Whether the tools are in the prompt, as `tools_as="json"` puts them."""
    schema = as_object(as_object(asked.get("response_format")).get("json_schema"))
    return schema.get("name") == "action"


def _turn(messages: Sequence[Body], as_actions: bool) -> int:
    """How many times the model has spoken since the last question."""
    turn = 0
    for message in reversed(messages):
        if message.get("role") == "assistant":
            turn += 1
        elif message.get("role") == "user":
            text = read_content(message.get("content")).text
            if not (as_actions and _TOLD_RESULT.match(text)):
                break
    return turn


def _due(
    script: Sequence[Reply], turn: int, as_actions: bool
) -> tuple[list[Reply], int]:
    """The tries for this turn, and which slip of the reply is due as an action.

    Told as actions, a reply with two slips is two replies.
    """
    for tries, slips in _rounds(script):
        replies = slips if as_actions else 1
        if turn < replies:
            return tries if turn == 0 else tries[-1:], turn
        turn -= replies
    return [], 0


def _rounds(script: Sequence[Reply]) -> Iterator[tuple[list[Reply], int]]:
    """The script in rounds: tries that fail, and the reply that ends them."""
    tries: list[Reply] = []
    for reply in script:
        tries.append(reply)
        if slips := _left_in_folder(reply):
            yield tries, slips
            tries = []
    if tries:
        yield tries, 1


def _left_in_folder(reply: Reply) -> int:
    """How many slips a reply passes, 1 for an answer, 0 if nothing of it is kept."""
    if callable(reply) and not isinstance(reply, Sent):
        return 1  # nobody knows before it is asked
    try:
        message = ScriptedLLM([reply]).generate(()).message
    except Exception:  # a script may raise anything, on purpose
        return 0
    return len(message.tool_calls) or int(bool(message.content.strip()))


def _sent(reply: Reply, asked: Body, mark: str) -> Sent:
    """What a server would send for a reply of a script."""
    if isinstance(reply, Sent):
        return reply
    try:
        response = ScriptedLLM([reply]).generate(
            _folder(asked["messages"]), asked.get("tools") or ()
        )
    except ModelError as raised:
        status, code = (503, "overloaded") if raised.retryable else (400, "refused")
        return error(status, str(raised), code, retry_after=raised.retry_after)
    except Exception as raised:  # a script may raise anything, on purpose
        return error(500, f"{type(raised).__name__}: {raised}", "script_failed")
    return Sent.json(completion(response, new_id=f"call_{mark}_{{}}"))


def _whole(sent: Sent) -> Body | None:
    """The completion in there; None for an error, a page, or a cut stream."""
    if sent.status != 200 or sent.content_type != "application/json":
        return None
    body = as_object(read_json(b"".join(sent.pieces).decode()))
    return body if body.get("choices") else None


def _as_asked(whole: Body, asked: Body) -> Sent:
    """The reply with its token counts, in one piece or as a stream."""
    read = _words([asked["messages"], asked.get("tools")])
    written = _words(whole["choices"][0]["message"])
    counts = {"prompt_tokens": read, "completion_tokens": written}
    whole = {"usage": {**counts, "total_tokens": read + written}, **whole}
    if not asked.get("stream"):
        return Sent.json(whole)
    with_usage = as_object(asked.get("stream_options")).get("include_usage") is True
    return Sent.stream(list(in_pieces(whole, with_usage=with_usage)))


def _as_action(whole: Body, place: int) -> Body:
    """The same reply from a model that knows no tools: one slip or the answer."""
    (choice,) = whole["choices"]
    message, reason = choice["message"], choice["finish_reason"]
    if calls := message.get("tool_calls"):
        slip = calls[place]["function"]
        # The arguments as they stand, since they may be no JSON on purpose.
        text = (
            f'{{"name": {write_json(slip["name"])}, "arguments": {slip["arguments"]}}}'
        )
    elif message["content"]:
        text = write_json({"answer": message["content"]})
    else:
        return whole
    message = {"role": "assistant", "content": text, "refusal": message["refusal"]}
    reason = "stop" if reason == "tool_calls" else reason
    return {
        **whole,
        "choices": [{**choice, "message": message, "finish_reason": reason}],
    }


def _folder(messages: Sequence[Body]) -> list[Message]:
    """The messages of a request, for a script that listens."""
    folder: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
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


def _mark(value: object) -> str:
    """A short name for a value, the same each time."""
    return hashlib.sha256(write_json(value).encode()).hexdigest()[:12]


def _words(value: object) -> int:
    return len(write_json(value).split())
