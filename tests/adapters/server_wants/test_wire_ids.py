"""Ids of calls on the wire: each server's rule, and the folder's own ids kept."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from mingraph_lite import Agent
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.server_wants.wire_ids import ID_RULES, IdRule, with_wire_ids
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.recovery import Retries
from tests.adapters.wire import JSON_TYPE, asking, calling, completion

WORDS = {
    "mistral.ai": "Tool call id was call_1 but must be a-z, A-Z, 0-9, "
    "with a length of 9.",
    "anthropic.com": "messages.1.content.0.tool_use.id: String should match pattern "
    "'^[a-zA-Z0-9_-]+$'",
    "api.openai.com": "Invalid 'messages[2].tool_calls[0].id': string too long. "
    "Expected a string with maximum length 40, but got a string with length 51.",
}
ODD = "functions.get_weather:0 " + "x" * 40


def ids_in(messages: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The ids of calls and those of answers."""
    calls = [c["id"] for m in messages for c in m.get("tool_calls", ())]
    return calls, [m["tool_call_id"] for m in messages if m["role"] == "tool"]


def folder(*ids: str) -> list[Message]:
    calls = tuple(ToolCall("f", {}, id) for id in ids)
    answers = (ToolMessage(str(n), id, "f") for n, id in enumerate(ids))
    return [UserMessage("go"), AssistantMessage("", calls), *answers]


# H16: an id that one server made goes on at another; the folder keeps its own.
@pytest.mark.parametrize("rule", ID_RULES, ids=lambda rule: rule.host)
def test_H16_ids_are_sent_as_a_server_that_is_known_wants_them(rule: IdRule) -> None:
    assert rule.source
    model = OpenAIChat("m", f"https://{rule.host}/v1")
    said = folder(ODD, "abcdefghi", f"{ODD}2")
    calls, answers = ids_in(model.payload(said)["messages"])
    assert calls == answers
    assert len({*calls}) == 3
    assert calls[1] == "abcdefghi"
    assert all(re.fullmatch(rule.fits, id) for id in calls)
    # The same in each request, whatever else is read out.
    assert ids_in(model.payload(folder(ODD))["messages"])[0] == calls[:1]
    assert said == folder(ODD, "abcdefghi", f"{ODD}2")


@pytest.mark.parametrize("rule", ID_RULES, ids=lambda rule: rule.host)
@pytest.mark.parametrize("status", [400, 422])
def test_H16_ids_are_sent_otherwise_after_a_server_has_said_so(
    rule: IdRule, status: int
) -> None:
    bodies: list[Any] = []
    lines = [asking(calling("ping", "{}", "new_call")), {"content": "done"}]

    def transport(request: Request) -> Response:
        body = json.loads(request.body)
        bodies.append(body)
        calls, answers = ids_in(body["messages"])
        if calls == answers and all(re.fullmatch(rule.fits, id) for id in calls):
            reply = json.dumps(completion(lines.pop(0)))
            return Response(200, JSON_TYPE, iter([reply.encode()]))
        words = json.dumps({"object": "error", "message": WORDS[rule.host]})
        return Response(status, JSON_TYPE, iter([words.encode()]))

    memory = KeepAll([*folder(ODD), AssistantMessage("ok")])
    model = OpenAIChat("m", "localhost:1", transport=transport)
    agent = Agent(
        model, [ping], "", memory=memory, retries=Retries(sleep=lambda seconds: None)
    )
    assert agent.run("And now?") == {"answer": "done"}
    kept = [m.tool_call_id for m in memory.folder if isinstance(m, ToolMessage)]
    assert kept == [ODD, "new_call"]
    assert ids_in(bodies[0]["messages"])[0] == [ODD]


def ping() -> str:
    """Answer."""
    return "pong"


def test_H16_what_is_whole_and_told_apart_is_sent_as_it_is() -> None:
    said = folder(ODD, "call_1")
    assert with_wire_ids(said) is said


@pytest.mark.parametrize("rule", [None, *ID_RULES])
def test_H16_empty_and_doubled_ids_become_pairs(rule: IdRule | None) -> None:
    said: list[Message] = []
    for ids in (("", ""), ("c1", "c1"), ("c1", "c2")):
        said += folder(*ids)
    made = with_wire_ids(said, rule)
    calls = [
        c.id for m in made if isinstance(m, AssistantMessage) for c in m.tool_calls
    ]
    answers = [m.tool_call_id for m in made if isinstance(m, ToolMessage)]
    assert calls == answers
    assert len({*calls}) == 6
    assert all(calls)


def test_H16_an_answer_without_an_id_goes_to_the_call_of_its_name() -> None:
    calls = (ToolCall("a", {}), ToolCall("b", {}))
    said = [
        UserMessage("go"),
        AssistantMessage("", calls),
        ToolMessage("of b", "", "b"),
        ToolMessage("of a", "", "a"),
    ]
    _, reply, first, second = with_wire_ids(said)
    assert isinstance(reply, AssistantMessage)
    assert isinstance(first, ToolMessage)
    assert isinstance(second, ToolMessage)
    assert [c.id for c in reply.tool_calls] == [
        second.tool_call_id,
        first.tool_call_id,
    ]
    assert len({c.id for c in reply.tool_calls}) == 2


def test_H16_a_made_id_never_takes_one_that_stands_in_the_folder() -> None:
    rule = ID_RULES[0]
    (taken,) = (
        c.id
        for m in with_wire_ids(folder("call_1"), rule)
        if isinstance(m, AssistantMessage)
        for c in m.tool_calls
    )
    made = with_wire_ids(folder("call_1", taken), rule)
    ids = [c.id for m in made if isinstance(m, AssistantMessage) for c in m.tool_calls]
    assert ids[1] == taken
    assert len({*ids}) == 2


def test_H16_doubled_ids_are_told_apart_where_the_menu_is_json_too() -> None:
    said = [*folder("c1", "c1"), *folder("c1")[1:]]
    model = OpenAIChat("m", "localhost:1", tools_as="json")
    texts = [m["content"] for m in model.payload(said)["messages"]]
    assert [t for t in texts if t.startswith("Result")] == [
        "Result of f: 0",
        "Result of f: 1",
        "Result of f: 0",
    ]
