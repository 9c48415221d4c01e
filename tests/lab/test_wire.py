"""What a server sends is read back as what the script said."""

import json

import pytest

from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError
from mingraph_lite.lab.wire import (
    ServerReply,
    as_chunks,
    completion,
    error,
    model_entry,
    model_list,
    unknown_model,
    with_token_counts,
)
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage, ToolCall, UserMessage

PARIS = ToolCall("get_weather", {"city": "Paris"}, id="c1")
TOKYO = ToolCall("get_weather", {"city": "Tōkyō", "days": [1, 2.5]}, id="c2")

RESPONSES = [
    LLMResponse(AssistantMessage("Paris: 64°F,  Tokyo:\n75°F "), finish_reason="stop"),
    LLMResponse(AssistantMessage("", (PARIS, TOKYO)), finish_reason="tool_calls"),
    LLMResponse(AssistantMessage("One moment.", (PARIS,)), finish_reason="stop"),
    LLMResponse(
        AssistantMessage("18"),
        reasoning="It is cold there.",
        usage=Usage(12, 3),
        finish_reason="length",
        notes=("The reply was cut off by the output limit.",),
    ),
    LLMResponse(AssistantMessage("No."), refusal="No.", finish_reason="stop"),
    LLMResponse(AssistantMessage("Partly."), refusal="No.", finish_reason="stop"),
    LLMResponse(AssistantMessage(""), finish_reason="stop"),
]

each_response = pytest.mark.parametrize("response", RESPONSES, ids=range(7))


@each_response
def test_a_reply_in_one_piece_is_read_as_it_was_said(response):
    assert ServerReply.json(completion(response))([], []) == response


@each_response
def test_a_reply_as_a_stream_is_the_same_reply(response):
    pieces = list(as_chunks(completion(response), with_usage=True))
    assert ServerReply.stream(pieces)([], []) == response


def test_the_pieces_of_a_stream_are_words_and_then_slips():
    whole = completion(LLMResponse(AssistantMessage("It is 18°C.", (PARIS,))))
    deltas = [c["choices"][0]["delta"] for c in as_chunks({**whole, "id": "x"})]
    function = {"name": "get_weather", "arguments": ""}
    first = {"id": "c1", "type": "function", "index": 0, "function": function}
    assert deltas == [
        {"role": "assistant", "content": ""},
        {"content": "It "},
        {"content": "is "},
        {"content": "18°C."},
        {"tool_calls": [first]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"city": '}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"Paris"}'}}]},
        {},
    ]


@pytest.mark.parametrize(
    ("with_usage", "counts"),
    [
        (False, [None] * 4),
        (True, [None] * 4 + [{"prompt_tokens": 5}]),
    ],
)
def test_token_counts_come_last_and_only_when_asked_for(with_usage, counts):
    response = LLMResponse(AssistantMessage("two words"), usage=Usage(5))
    chunks = list(as_chunks(completion(response), with_usage=with_usage))
    assert [chunk.get("usage") for chunk in chunks] == counts
    assert ["usage" in chunk for chunk in chunks] == [with_usage] * len(chunks)
    assert [len(chunk["choices"]) for chunk in chunks] == [1] * 4 + [0] * with_usage


def test_arguments_that_are_no_json_are_sent_as_they_stand():
    call = ToolCall("get_weather", {}, id="c1", raw='{"city": "Par')
    (read,) = ServerReply.json(completion(LLMResponse(AssistantMessage("", (call,)))))(
        [], []
    ).message.tool_calls
    assert (read.raw, read.arguments) == ('{"city": "Par', {})
    assert "not valid JSON" in str(read.problem)


def test_a_slip_without_an_id_is_sent_with_one():
    calls = (ToolCall("ping", {}), ToolCall("ping", {}))
    body = completion(LLMResponse(AssistantMessage("", calls)))
    sent = body["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in sent] == ["call_1", "call_2"]


@pytest.mark.parametrize(
    ("status", "retryable", "wait"), [(400, False, None), (429, True, 3.0)]
)
def test_an_error_is_told_in_the_shape_of_the_api(status, retryable, wait):
    reply = error(status, "Not so.", "odd", retry_after=wait)
    assert json.loads(reply.body()) == {
        "error": {
            "message": "Not so.",
            "type": "invalid_request_error",
            "param": None,
            "code": "odd",
        }
    }
    with pytest.raises(ModelError, match=f"answered {status} ") as caught:
        reply([], [])
    assert (caught.value.retryable, caught.value.retry_after) == (retryable, wait)


def test_bytes_are_brought_to_whoever_asks_with_a_transport():
    request = Request("POST", "http://127.0.0.1/v1", {}, b"", 1.0)
    reply = ServerReply((b"a", b"b"), 201, "text/plain", {"retry-after": "1"})
    came: Response = reply.transport(request)
    assert (came.status, came.headers, list(came.chunks)) == (
        201,
        {"content-type": "text/plain", "retry-after": "1"},
        [b"a", b"b"],
    )
    assert (reply.body(), str(reply)) == (b"ab", "201 Created: 'ab'")


WHOLE = completion(LLMResponse(AssistantMessage("18")))


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (ServerReply.json(WHOLE), WHOLE),
        (ServerReply.json(WHOLE, status=500), None),
        (ServerReply.json({"choices": None, "error": {"code": 429}}), None),
        (ServerReply.json({}), None),
        (ServerReply((b"<p>",), content_type="text/html"), None),
        (ServerReply.stream(as_chunks(WHOLE)), None),
    ],
    ids=["whole", "status 500", "error in 200", "empty", "page", "stream"],
)
def test_only_a_whole_reply_holds_a_completion(reply, found):
    assert reply.completion() == found


def test_a_completion_has_beside_its_choices_what_is_handed_in():
    made = completion(LLMResponse(AssistantMessage("18")), id="x", model="tiny")
    assert made == {**WHOLE, "id": "x", "model": "tiny"}


def test_words_are_counted_for_tokens_where_nobody_counted():
    counted = completion(LLMResponse(AssistantMessage("18"), usage=Usage(5, 2)))
    usages = [with_token_counts(w, ["one", "two"])["usage"] for w in (WHOLE, counted)]
    assert usages == [
        {"prompt_tokens": 2, "completion_tokens": 6, "total_tokens": 8},
        {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    ]


def test_the_models_are_listed_with_what_there_is_to_say_of_them():
    entry = {"id": "tiny", "object": "model", "created": 0, "owned_by": "mingraph_lite"}
    entries = [model_entry("tiny"), model_entry("tiny", title="Tiny")]
    assert json.loads(model_list(entries).body()) == {
        "object": "list",
        "data": [entry, {**entry, "title": "Tiny"}],
    }


@pytest.mark.parametrize(
    ("name", "quoted"),
    [("nix", "'nix'"), (["tiny"], "'[\"tiny\"]'"), ("x" * 9999, f"'{'x' * 79}…'")],
)
def test_the_error_for_a_model_that_is_not_there_names_those_that_are(name, quoted):
    message = f"No model is named {quoted}. There are: tiny, small."
    assert unknown_model(name, ["tiny", "small"]) == error(
        404, message, "model_not_found"
    )


def test_a_stream_can_be_cut_and_is_then_no_reply():
    pieces = list(as_chunks(completion(LLMResponse(AssistantMessage("one two")))))
    whole, cut = ServerReply.stream(pieces), ServerReply.stream(pieces[:2], cut=True)
    heard: list[str] = []
    with pytest.raises(ModelError, match="cut off the stream"):
        OpenAIChat("any", transport=cut.transport).generate(
            [UserMessage("?")], on_text_delta=heard.append
        )
    assert (heard, whole([], []).message.content) == (["one "], "one two")


def test_a_refusal_is_sent_apart_from_the_text():
    alone = LLMResponse(AssistantMessage("No."), refusal="No.")
    beside = LLMResponse(AssistantMessage("Partly."), refusal="No.")
    messages = [completion(r)["choices"][0]["message"] for r in (alone, beside)]
    assert messages == [
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "assistant", "content": "Partly.", "refusal": "No."},
    ]
