"""What must hold for every cut, every interleaving and every mangled reply."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.errors import ModelError
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import UserMessage
from mingraph_lite.transports import Request, Response
from tests.wire import SSE_TYPE, Server, asking, calling, chunk, completion, events

QUESTION = [UserMessage("hello")]

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=6,
)
arguments = st.dictionaries(texts, values, max_size=3)
calls = st.lists(st.tuples(st.sampled_from(["save", "load"]), arguments), max_size=4)


def streamed(body: list[bytes]) -> tuple[LLMResponse, str]:
    """A streamed reply, and what was heard of it while it came."""
    deltas: list[str] = []
    model = OpenAIChat("m", "localhost", transport=Server(body, headers=SSE_TYPE))
    response = model.generate(QUESTION, on_text_delta=deltas.append)
    return response, "".join(deltas)


def pieces_of(draw: Any, text: Any) -> list[Any]:
    """A text or bytes in pieces, cut at random places."""
    ends = draw(st.lists(st.integers(0, len(text)), max_size=4))
    cuts = [0, *sorted(ends), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(cuts)]


@st.composite
def replies_and_their_streams(draw: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A whole reply, and its pieces with the fragments of its calls mixed up."""
    content, asked = draw(texts), draw(calls)
    ids = draw(st.sampled_from(["first", "each"]))
    whole = [
        calling(name, json.dumps(given), f"c{number}")
        for number, (name, given) in enumerate(asked)
    ]
    tracks: list[list[dict[str, Any]]] = [
        [{"content": piece} for piece in pieces_of(draw, content)]
    ]
    for index, call in enumerate(whole):
        function = call["function"]
        track = []
        for place, piece in enumerate(pieces_of(draw, function["arguments"])):
            fragment: dict[str, Any] = {
                "index": index,
                "function": {"arguments": piece},
            }
            if place == 0:
                fragment["function"]["name"] = function["name"]
            if place == 0 or ids == "each":
                fragment["id"] = call["id"]
            track.append({"tool_calls": [fragment]})
        tracks.append(track)
    order = draw(st.permutations([n for n, t in enumerate(tracks) for _ in t]))
    upcoming = [iter(track) for track in tracks]
    chunks = [chunk(next(upcoming[number])) for number in order]
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    chunks += [chunk({}, "stop"), {"choices": [], "usage": usage}]
    return completion(asking(*whole, content=content), usage=usage), chunks


@settings(deadline=None, max_examples=150)
@given(replies_and_their_streams())
def test_A19_a_stream_equals_the_reply_in_one_piece_however_it_interleaves(
    drawn: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    whole, chunks = drawn
    response, heard = streamed([events(*chunks)])
    assert response == OpenAIChat("m", "localhost").parse(whole)
    assert heard == response.message.content


@settings(deadline=None, max_examples=60)
@given(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30),
    st.data(),
)
def test_A22_content_is_the_same_for_all_cuts(text: str, data: st.DataObject) -> None:
    body = events(chunk({"content": text}), chunk({"content": "."}, "stop"))
    cut = pieces_of(data.draw, body)
    assert streamed(cut) == streamed([body])
    assert streamed(cut)[1] == text + "."


def test_A19_A22_a_whole_stream_cut_at_every_byte_is_the_same_reply() -> None:
    body = events(
        chunk({"reasoning": "hm", "content": "Tromsø: \u2705 \u2028"}),
        chunk(
            {"tool_calls": [{"index": 0, **calling("save", '{"f": "\U0001f9e3', "c1")}]}
        ),
        chunk({"tool_calls": [{"index": 1, **calling("load", '{"f":', "c2")}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"}'}}]}),
        chunk({"tool_calls": [{"index": 1, "function": {"arguments": '"b"}'}}]}),
        chunk({}, "tool_calls"),
    )
    want = streamed([body])
    assert [c.arguments for c in want[0].message.tool_calls] == [
        {"f": "\U0001f9e3"},
        {"f": "b"},
    ]
    for at in range(len(body) + 1):
        assert streamed([body[:at], body[at:]]) == want
    assert streamed([bytes([byte]) for byte in body]) == want


@pytest.mark.parametrize("at", range(0, 400, 7))
def test_a_stream_that_ends_early_is_never_an_answer(at: int) -> None:
    body = events(chunk({"content": "Oslo " * 50}), done=False)
    with pytest.raises(ModelError):
        streamed([body[: min(at, len(body))]])


# --- mangled replies --------------------------------------------------------------

GOOD_OPENAI = completion(
    {
        **asking(
            calling("add", '{"a": 2, "b": [3, {"c": "x"}]}', "c1"),
            calling("echo", {"text": "hi"}, "c2"),
            content=[{"type": "text", "text": "Let me see."}],
        ),
        "reasoning": "hm",
        "refusal": None,
    },
    "tool_calls",
    model="m",
    usage={
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
    },
)
GOOD_OLLAMA = {
    "model": "m",
    "message": {
        "content": "Let me see.",
        "thinking": "hm",
        "tool_calls": [{"function": {"name": "add", "arguments": {"a": 2, "b": [3]}}}],
    },
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 26,
}
GOOD_ACTION = completion(
    {"content": '{"name": "add", "arguments": {"a": 2, "b": "x"}}'}, model="m"
)


def deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = {"d": value} if depth % 2 else [value]
    return value


ODD: list[Any] = [
    *(None, True, False, 0, -1, 10**400, 1.5, float("nan"), float("inf")),
    *("", " ", "null", "{", "[]", "\ud83d", "length", "429", "x" * 1000, "{" * 5000),
    *([], {}, [None], [[]], {"": ""}, {"error": {}}, {"type": "text"}, deep(90)),
    *(deep(2001), {"message": deep(500)}, [{"type": "text", "text": 7}]),
]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a value, with each of its keys."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def mangled(reply: Any, chance: random.Random) -> Any:
    """A copy of a reply with one to three things wrong."""
    reply = copy.deepcopy(reply)
    for _ in range(chance.randint(1, 3)):
        spots = list(places(reply))
        if not spots:
            return reply
        holder, key = chance.choice(spots)
        part = holder[key]
        match chance.randrange(6):
            case 0:
                del holder[key]
                continue
            case 1 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(part))
                continue
            case 2 if isinstance(part, str) and part:
                holder[key] = part[: chance.randrange(len(part))]
                continue
            case 3 if isinstance(part, str):
                holder[key] = part * 2
                continue
            case 4:
                other, place = chance.choice(spots)
                odd = copy.deepcopy(other[place])
            case _:
                odd = chance.choice(ODD)
        holder[key] = odd
        if isinstance(odd, dict | list):
            return reply  # what follows could wander through something endless
    return reply


def parts_of(value: Any) -> Iterator[Any]:
    """Everything in a reply that may have been meant as arguments."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, str) and "{" in part:
            try:
                found, _ = json.JSONDecoder().raw_decode(part, part.index("{"))
            except (ValueError, RecursionError):
                continue
            waiting.append(found)


@pytest.mark.parametrize(
    ("model", "good"),
    [
        (OpenAIChat("m", "localhost"), GOOD_OPENAI),
        (OllamaChat("m"), GOOD_OLLAMA),
        (OpenAIChat("m", "localhost", tools_as="json"), GOOD_ACTION),
    ],
    ids=["openai", "ollama", "json"],
)
def test_every_mangled_reply_is_a_reply_or_a_model_error(model: Any, good: Any) -> None:
    chance = random.Random(7)
    outcomes = {"response": 0, "error": 0, "problem": 0}
    for _ in range(4000):
        reply = mangled(good, chance)
        try:
            response = model.parse(reply)
        except ModelError as error:
            str(error).encode()
            outcomes["error"] += 1
            continue
        outcomes["response"] += 1
        calls = response.message.tool_calls
        assert len({call.id for call in calls} - {""}) == len(calls)
        for call in calls:
            outcomes["problem"] += call.problem is not None
            if call.arguments:
                assert any(
                    isinstance(part, dict) and same(part, call.arguments)
                    for part in parts_of(reply)
                )
        # What was read can be sent again, to either server.
        for other in (OpenAIChat("m", "localhost"), OllamaChat("m")):
            sent = other.payload([*QUESTION, response.message])
            json.dumps(sent, allow_nan=False, ensure_ascii=False).encode()
    assert min(outcomes.values()) > 20, outcomes


def same(sent: dict[str, Any], read: Any) -> bool:
    """Whether two arguments are equal, half characters aside."""
    halves = json.dumps(sent).replace("\\ud83d", "\\ufffd")
    return halves == json.dumps(read)


@pytest.mark.parametrize("listen", [None, str])
def test_every_mangled_body_is_a_reply_or_a_model_error(listen: Any) -> None:
    chance = random.Random(11)
    whole = json.dumps(GOOD_OPENAI).encode()
    stream = events(
        chunk({"content": "Let me see.", "reasoning": "hm"}),
        chunk({"tool_calls": [{"index": 0, **calling("add", '{"a": 2')}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}),
        chunk({}, "tool_calls", usage={"prompt_tokens": 3}),
    )
    ended = {"response": 0, "error": 0}
    for _ in range(1500):
        body = bytearray(chance.choice([whole, stream]))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(body))
            match chance.randrange(4):
                case 0:
                    del body[at:]
                case 1:
                    body[at] = chance.randrange(256)
                case 2:
                    del body[at : at + chance.randrange(20)]
                case 3:
                    body[at:at] = chance.choice([b"{", b"[" * 3000, b"9" * 5000, b"\n"])
            body = body or bytearray(b" ")
        headers = chance.choice([{}, SSE_TYPE, {"content-type": "application/json"}])

        def transport(
            request: Request, body: bytes = bytes(body), headers: Any = headers
        ) -> Response:
            return Response(200, headers, iter([body]))

        model = OpenAIChat("m", "localhost", transport=transport)
        try:
            response = model.generate(QUESTION, on_text_delta=listen)
        except ModelError:
            ended["error"] += 1
        else:
            assert isinstance(response, LLMResponse)
            ended["response"] += 1
    assert min(ended.values()) > 20, ended
