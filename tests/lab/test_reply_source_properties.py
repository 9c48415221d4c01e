"""Whatever a client sends, and whatever a script says, a reply of the API goes back."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mingraph_lite.lab.reply_source import ReplyQueue, Scripts
from mingraph_lite.lab.scenarios import Scenario
from mingraph_lite.lab.wire import ServerReply, as_chunks, completion
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, Message, ToolCall

pytestmark = pytest.mark.properties

# No deadline: a busy machine is no fault.
unhurried = settings(deadline=None, derandomize=True)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=8,
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "user", "assistant", "tool"]) | VALUE,
        "content": VALUE,
        "tool_calls": VALUE,
        "tool_call_id": VALUE,
    },
)
REQUEST = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE, max_size=4) | VALUE},
    optional={
        "model": st.just("mine") | VALUE,
        "tools": VALUE,
        "stream": VALUE,
        "stream_options": st.just({"include_usage": True}) | VALUE,
        "response_format": st.just({"json_schema": {"name": "action"}}) | VALUE,
    },
)


def listen(messages: list[Message], menu: Any) -> str:
    return f"I was told {len(messages)} messages."


SCRIPT = [listen, ToolCall("ping", {}), [ToolCall("ping", {})] * 2, "Done."]


@unhurried
@given(REQUEST)
def test_a_request_of_any_shape_gets_a_reply_or_an_error_of_the_api(request):
    body = json.dumps(request).encode()
    scripts = Scripts([Scenario("mine", "Mine", "?", "", (), lambda: SCRIPT)], "mine")
    for source in (scripts, ReplyQueue(listen)):
        reply = source.reply(body)
        if reply.status != 200:
            assert reply.status in {400, 404}
            assert {*json.loads(reply.body())["error"]} == {
                *("message", "type", "param", "code"),
            }
        elif request.get("stream"):
            assert reply.body().endswith(b"data: [DONE]\n\n")
        else:
            assert reply.completion()["object"] == "chat.completion"


CALLS = st.lists(
    st.builds(ToolCall, st.just("ping"), st.dictionaries(TEXT, TEXT, max_size=2)),
    max_size=3,
)


@unhurried
@given(
    content=TEXT,
    calls=CALLS,
    reasoning=st.none() | TEXT.filter(bool),
    usage=st.none() | st.builds(Usage, st.integers(0, 99), st.integers(0, 99)),
    finish_reason=st.sampled_from(["stop", "tool_calls", "content_filter"]),
)
def test_a_response_is_read_back_as_it_was_said_whole_and_as_a_stream(
    content, calls, reasoning, usage, finish_reason
):
    numbered = [
        ToolCall(call.name, call.arguments, id=f"call_{place}")
        for place, call in enumerate(calls, start=1)
    ]
    response = LLMResponse(
        AssistantMessage(content, tuple(numbered)),
        reasoning=reasoning,
        usage=usage,
        finish_reason=finish_reason,
    )
    whole = completion(response)
    streamed = ServerReply.stream(as_chunks(whole, with_usage=True))
    assert [ServerReply.json(whole)([], []), streamed([], [])] == [response] * 2
