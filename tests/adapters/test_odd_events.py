"""Streams whose events are odd, and replies under another content type."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mingraph_lite.errors import ModelError
from mingraph_lite.llm import Usage
from tests.adapters.models import QUESTION, listened_to, ollama, openai
from tests.adapters.wire import (
    FixedTransport,
    answering,
    as_events,
    chunk,
    completion,
    streaming,
)

OS, LO = chunk({"content": "Os"}), chunk({"content": "lo"})
END = chunk({}, "stop")
WHOLE = completion({"content": "Oslo"})
COUNTS = {"prompt_tokens": 10, "completion_tokens": 5}


def event(value: Any) -> str:
    return f"data: {json.dumps(value)}\n\n"


def asked_both_ways(body: str, content_type: str = "text/event-stream") -> list[str]:
    """What the model said, asked with a listener and without one."""

    def model() -> Any:
        return openai(
            FixedTransport(body.encode(), headers={"content-type": content_type})
        )

    listened, deltas = listened_to(model())
    assert "".join(deltas) == listened.message.content
    return [listened.message.content, model().generate(QUESTION).message.content]


# A20. Right: what says nothing is passed over, wherever it stands and however named.
@pytest.mark.parametrize(
    "kept_alive",
    [
        "event: ping\ndata: ping\n\n",
        'event: ping\ndata: {"type": "ping"}\n\n',
        "event: heartbeat\ndata: still here\n\n",
        "event:keep-alive\ndata: {\n\n",
        "data: ping\n\n",
        "data: keepalive\n\n",
        "data: [PING]\n\n",
        'data: "ping"\n\n',
        "data: null\n\n",
        "data: []\n\n",
        "retry: 3000\n\n",
    ],
)
def test_A20_an_event_that_says_nothing_is_passed_over(kept_alive: str) -> None:
    done = "data: [DONE]\n\n"
    first = kept_alive + event(OS) + event(LO) + event(END) + done
    between = kept_alive.join([event(OS), event(LO), event(END), done])
    assert asked_both_ways(first) == asked_both_ways(between) == ["Oslo"] * 2


# H08, A17. Right: an error in the middle of a stream is one, whatever its shape; the
# text before it is no answer, also where [DONE] comes behind it.
@pytest.mark.parametrize("end", ["", "data: [DONE]\n\n"])
@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("event: error\ndata: upstream reset\n\n", "upstream reset"),
        ('event: error\ndata: "worker died"\n\n', "worker died"),
        ('event:error\ndata:{"message": "overloaded"}\n\n', "overloaded"),
        ("event: error\n\n", "an error without words"),
        ('error: {"code": 500, "message": "no slot"}\n\n', "no slot"),
        ("error: engine died\n\n", "engine died"),
        ('{"error": {"message": "no worker", "code": 503}}\n', "no worker"),
    ],
)
def test_H08_an_error_that_is_no_event_ends_the_stream(
    error: str, words: str, end: str
) -> None:
    for opening in ("", event(OS)):
        with pytest.raises(ModelError, match=words):
            listened_to(openai(as_events((opening + error + end).encode())))


# A17. Right: what came decides on how it is read, not its content type.
@pytest.mark.parametrize("kind", ["", "application/json", "text/plain; charset=utf-8"])
@pytest.mark.parametrize(
    "opening", ["", ": ping\n\n", "event: message\n", "\n\n", "\ufeff"]
)
def test_A17_a_stream_is_read_whatever_its_content_type_says(
    opening: str, kind: str
) -> None:
    body = opening + event(OS) + event(LO) + event(END)
    assert asked_both_ways(body, kind) == ["Oslo"] * 2


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("kind", ["text/event-stream", "application/json", ""])
def test_A17_a_whole_reply_is_read_whatever_its_content_type_says(
    kind: str, indent: int | None
) -> None:
    assert asked_both_ways(json.dumps(WHOLE, indent=indent), kind) == ["Oslo"] * 2


def test_A17_chunks_without_data_in_front_are_a_stream_too() -> None:
    body = "".join(f"{json.dumps(piece)}\n" for piece in (OS, LO, END))
    assert asked_both_ways(body) == asked_both_ways(body, "application/json")
    assert asked_both_ways(body) == ["Oslo"] * 2


def test_A17_half_a_whole_reply_in_a_stream_is_none() -> None:
    body = json.dumps(WHOLE, indent=2)[:-4].encode()
    with pytest.raises(ModelError) as error:
        listened_to(openai(as_events(body)))
    assert error.value.retryable


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("{}\n{}\n", "application/json"),
        ("data: {}\n\ndata: {}\n\n", "text/event-stream"),
        (": ping\n\nevent: message\ndata: {}\ndata: {}\ndata: [DONE]\n", ""),
    ],
)
def test_A17_lines_of_Ollama_are_read_as_whatever_they_come(
    body: str, kind: str
) -> None:
    first = {"message": {"content": "Os"}, "done": False}
    last = {"message": {"content": "lo"}, "done": True, "done_reason": "stop"}
    text = body.replace("{}", json.dumps(first), 1).replace("{}", json.dumps(last), 1)
    transport = FixedTransport(text.encode(), headers={"content-type": kind})
    assert listened_to(ollama(transport))[0].message.content == "Oslo"


def test_A19_a_choice_whose_index_is_a_text_counts() -> None:
    pieces = [{"choices": [{**c["choices"][0], "index": "0"}]} for c in (OS, LO, END)]
    assert listened_to(openai(streaming(*pieces)))[0].message.content == "Oslo"


# A16. Right: the last count that is known is meant; none is added, and none forgotten.
@pytest.mark.parametrize(
    "chunks",
    [
        [{**END, "usage": COUNTS}, {"choices": [], "usage": COUNTS}],
        [{**END, "usage": COUNTS}, {"choices": [], "usage": None}],
        [{**END, "usage": COUNTS}, {"choices": [], "usage": {}}],
        [
            {**END, "usage": COUNTS},
            {"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0}},
        ],
        [{**LO, "usage": {"prompt_tokens": 10}}, {"usage": {"completion_tokens": 5}}],
        [{**LO, "usage": {**COUNTS, "completion_tokens": 1}}, {"usage": COUNTS}],
        [{**END, "x_groq": {"id": "req_1", "usage": COUNTS}}],
        [{"choices": [{"index": 0, "delta": {}, "usage": COUNTS}]}],
        [{**END, "usage": {"prompt_tokens": 10.0, "completion_tokens": 5.0}}],
    ],
)
def test_A16_streamed_counts_are_neither_added_nor_lost(chunks: Any) -> None:
    response, _ = listened_to(openai(streaming(OS, *chunks)))
    assert response.usage == Usage(10, 5)


# A17. Right: a stream whose choices hold no message says so, as a whole reply does.
@pytest.mark.parametrize("choice", [{"message": None}, {"index": 0}, {"delta": None}])
def test_A17_a_stream_without_a_message_is_no_reply(choice: dict[str, object]) -> None:
    with pytest.raises(ModelError) as whole:
        openai(answering({"choices": [choice]})).generate(QUESTION)
    with pytest.raises(ModelError) as streamed:
        listened_to(openai(streaming({"choices": [choice]})))
    assert (str(streamed.value), streamed.value.retryable) == (str(whole.value), False)


# A17, H12. Right: a choice that says nothing may still say how the reply ended, and
# is passed over where others say more.
def test_A17_a_choice_that_says_nothing_beside_others_is_passed_over() -> None:
    nothing = {"choices": [{"index": 0}]}
    for chunks in ([nothing, OS, LO, END], [OS, nothing, LO, END], [OS, LO, nothing]):
        response, _ = listened_to(openai(streaming(*chunks)))
        assert response.message.content == "Oslo"
    withheld = {"choices": [{"finish_reason": "content_filter"}]}
    response, _ = listened_to(openai(streaming(nothing, withheld)))
    assert response.finish_reason == "content_filter"
