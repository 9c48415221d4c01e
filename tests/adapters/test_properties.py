"""What must hold for every cut, every interleaving and every mangled reply."""

from __future__ import annotations

import faulthandler
import itertools
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import MingraphError, ModelError
from mingraph_lite.llm import LLMResponse, ScriptedLLM
from mingraph_lite.messages import UserMessage
from mingraph_lite.recovery import Retries
from tests.adapters.mangling import mangled
from tests.adapters.models import Heard
from tests.adapters.wire import (
    SSE_TYPE,
    FixedTransport,
    as_events,
    asking,
    calling,
    chunk,
    completion,
    events,
)

pytestmark = pytest.mark.properties

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
    heard = Heard()
    model = OpenAIChat("m", "localhost", transport=as_events(body))
    response = model.generate(QUESTION, on_text_delta=heard)
    return response, heard.text


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


# A19: a stream gives the very calls of the reply in one piece.
@settings(deadline=None, max_examples=150)
@given(replies_and_their_streams())
def test_A19_a_stream_equals_the_reply_in_one_piece_however_it_interleaves(
    drawn: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    whole, chunks = drawn
    response, heard = streamed([events(*chunks)])
    assert response == OpenAIChat("m", "localhost").parse(whole)
    assert heard == response.message.content


# A22: all cuts give the same text; one inside a character at the end is an error.
@settings(deadline=None, max_examples=60)
@given(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30),
    st.data(),
)
def test_A22_content_is_the_same_for_all_cuts(text: str, data: st.DataObject) -> None:
    body = events(chunk({"content": text}), chunk({"content": "."}, "stop"))
    cut = pieces_of(data.draw, body)
    whole = OpenAIChat("m", "localhost").parse(completion({"content": text + "."}))
    assert streamed(cut) == streamed([body]) == (whole, whole.message.content)


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


class Doubled(dict[str, Any]):
    """An object in which a key stands twice: no tool may run on it."""


def plainly(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return (dict if len(dict(pairs)) == len(pairs) else Doubled)(pairs)


PLAIN = json.JSONDecoder(object_pairs_hook=plainly)


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
        elif isinstance(part, str) and "{" in part and not is_endless(part):
            try:
                found, _ = PLAIN.raw_decode(part, part.index("{"))
            except ValueError:
                continue
            waiting.append(found)


def is_endless(text: str) -> bool:
    """Whether a parser could run out of its stack; brackets in strings open nothing."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", text).count("[") > 500


def stands_in(reply: Any, arguments: Any) -> bool:
    """Whether these arguments were sent, half characters aside."""
    wanted = json.dumps(arguments)
    return any(
        json.dumps(part).replace("\\ud83d", "\\ufffd") == wanted
        for part in parts_of(reply)
        if isinstance(part, dict)
        and len(part) == len(arguments)
        and not any(isinstance(inner, Doubled) for inner in parts_of(part))
    )


def is_nothing(sent: Any) -> bool:
    """Whether what was sent as arguments is none, or the text of none."""
    if not isinstance(sent, str):
        return sent in (None, {}, [])
    text = sent.strip()
    try:
        return not text or is_nothing(PLAIN.decode(text))
    except ValueError:
        return next(itertools.islice(parts_of(text), 1, None), None) == {}


def asked_for_nothing(entry: Any) -> bool:
    """Whether a call as it was sent holds nothing that can be meant as arguments."""
    if not isinstance(entry, dict):
        return True
    function = entry.get("function", entry)
    if not isinstance(function, dict) or function.get("arguments") is not None:
        return not isinstance(function, dict) or is_nothing(function["arguments"])
    rest = set(function) - {"name", "id", "type", "index"}
    beside = function is not entry and entry.get("arguments")
    return not beside and not any(function[key] for key in rest)


class Bench:
    """An agent's tools that write down what they are run on."""

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []
        self.tools = ToolRegistry()
        self.tools.add(self.add)
        self.tools.add(self.echo)

    def add(self, a: Any = "unsent", b: Any = "unsent") -> str:
        return self._write_down(a=a, b=b)

    def echo(self, text: Any = "unsent") -> str:
        return self._write_down(text=text)

    def _write_down(self, **given: Any) -> str:
        self.ran.append({k: v for k, v in given.items() if v != "unsent"})
        return "done"

    def run(self, llm: Any, listen: Any = None) -> str:
        """Run one reply as an agent does; gives how that ended."""
        self.ran.clear()
        agent = Agent(
            *(llm, self.tools, ""),
            max_steps=1,
            retries=Retries(most=0),
            on_text_delta=listen,
        )
        try:
            agent.run("hello")
        except MingraphError as error:
            str(error).encode()
            return type(error).__name__
        return "answer"


PATIENCE = 300
"""Seconds after which a hang is shown and ended; a good run never comes near."""


@pytest.fixture
def no_hang(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """End the whole run, with the line on which it hangs."""
    if sys.platform == "emscripten":
        yield  # no thread can watch here; who starts this Python has its own patience
        return
    with capfd.disabled():
        stderr = os.dup(2)
    faulthandler.dump_traceback_later(PATIENCE, exit=True, file=stderr)
    yield
    faulthandler.cancel_dump_traceback_later()
    os.close(stderr)


def sent_call(model: Any, reply: Any, place: int) -> Any:
    """A call as it was sent, before anybody read it."""
    told = reply if isinstance(model, OllamaChat) else reply["choices"][0]
    message = told["message"]
    if getattr(model, "tools_as", "native") == "json":
        parts = parts_of(message["content"])
        return next(p for p in parts if isinstance(p, dict) and "name" in p)
    calls = message["tool_calls"]
    return calls[place] if isinstance(calls, list) else calls


@pytest.mark.parametrize(
    ("model", "good"),
    [
        (OpenAIChat("m", "localhost"), GOOD_OPENAI),
        (OllamaChat("m"), GOOD_OLLAMA),
        (OpenAIChat("m", "localhost", tools_as="json"), GOOD_ACTION),
    ],
    ids=["openai", "ollama", "json"],
)
@pytest.mark.usefixtures("no_hang")
def test_every_mangled_reply_is_a_reply_or_a_model_error_and_runs_what_was_sent(
    model: Any, good: Any
) -> None:
    chance, bench = random.Random(7), Bench()
    outcomes = {"response": 0, "error": 0, "problem": 0, "nothing": 0, "run": 0}
    for _ in range(2500):
        reply = mangled(good, chance)
        try:
            response = model.parse(reply)
        except ModelError as error:
            str(error).encode()
            outcomes["error"] += 1
            continue
        outcomes["response"] += 1
        # A note is a sentence: others show it as it stands.
        assert all(re.fullmatch(r"[A-Z].*\.", note) for note in response.notes)
        calls = response.message.tool_calls
        assert len({call.id for call in calls} - {""}) == len(calls)
        for place, call in enumerate(calls):
            outcomes["problem"] += call.problem is not None
            if call.arguments:
                assert stands_in(reply, call.arguments)
            elif call.problem is None:
                outcomes["nothing"] += 1
                assert asked_for_nothing(sent_call(model, reply, place)), reply
        bench.run(ScriptedLLM([response]))
        outcomes["run"] += len(bench.ran)
        runnable = [call.arguments for call in calls if call.problem is None]
        assert all(arguments in runnable for arguments in bench.ran)
        # What was read can be sent again, to either server.
        for other in (OpenAIChat("m", "localhost"), OllamaChat("m")):
            again = other.payload([*QUESTION, response.message])
            json.dumps(again, allow_nan=False, ensure_ascii=False).encode()
    assert min(outcomes.values()) > 10, outcomes


def in_the_body(body: bytes) -> list[Any]:
    """What was sent in a body: one reply, or the fragments of a stream as they join."""
    text = body.decode("utf-8-sig", "replace")
    lines = re.split("\r\n|\r|\n", text.partition("data: [DONE]")[0])
    found: list[Any] = []
    for line in [text, *(ln.removeprefix("data:") for ln in lines)]:
        try:
            found.append(PLAIN.decode(line.strip()))
        except ValueError:
            continue
    fragments = [
        part["arguments"]
        for part in parts_of(found)
        if isinstance(part, dict) and isinstance(part.get("arguments"), str)
    ][::-1]  # parts are found from the last to the first
    ends = itertools.combinations(range(len(fragments) + 1), 2)
    return [*found, *("".join(fragments[a:b]) for a, b in ends)]


def with_a_key_twice(body: bytes, chance: random.Random) -> bytes:
    """A body in which one of the keys comes twice in a row."""
    keys = list(re.finditer(rb'\\?"\w+\\?": ', body))
    if not keys:
        return body
    at = chance.choice(keys)
    again = at[0] + chance.choice([b"7", b"null", b"[]", b"{}"]) + b", "
    return body[: at.start()] + again + body[at.start() :]


WHOLE = json.dumps(GOOD_OPENAI).encode()
ANSWER = json.dumps(completion({"content": "Oslo"})).encode()
STREAM = events(
    chunk({"content": "Let me see.", "reasoning": "hm"}),
    chunk({"tool_calls": [{"index": 0, **calling("add", '{"a": 2, "b":')}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": " 3}"}}]}),
    chunk({}, "tool_calls", usage={"prompt_tokens": 3}),
)


def mangled_body(chance: random.Random) -> bytes:
    """A body with one to four things wrong, where bytes are what goes wrong."""
    body = bytearray(chance.choice([WHOLE, ANSWER, STREAM]))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(body))
        match chance.randrange(5):
            case 0:
                del body[at:]
            case 1:
                body[at] = chance.randrange(256)
            case 2:
                del body[at : at + chance.randrange(20)]
            case 3:
                body[at:at] = chance.choice([b"{", b"[" * 3000, b"9" * 5000, b"\n"])
            case 4:
                body = bytearray(with_a_key_twice(bytes(body), chance))
        body = body or bytearray(b" ")
    return bytes(body)


@pytest.mark.parametrize("listen", [None, str])
@pytest.mark.usefixtures("no_hang")
def test_every_mangled_body_ends_the_run_in_its_own_way_and_runs_what_was_sent(
    listen: Any,
) -> None:
    chance, bench = random.Random(11), Bench()
    ended: dict[str, int] = {}
    for _ in range(1250):
        body = mangled_body(chance)
        headers = chance.choice([{}, SSE_TYPE, {"content-type": "application/json"}])

        def transport(
            request: Request, body: bytes = body, headers: Any = headers
        ) -> Response:
            return Response(200, headers, iter([body]))

        how = bench.run(OpenAIChat("m", "localhost", transport=transport), listen)
        ended[how] = ended.get(how, 0) + 1
        for arguments in bench.ran:
            assert stands_in(in_the_body(body), arguments), (arguments, body)
    assert set(ended) == {"answer", "ModelError", "StepLimitReached"}
    assert min(ended.values()) > 10, ended


ADDED = {"a": 2, "b": [3, {"c": "x"}]}
ECHOED = {"text": "hi"}


# A05: one complete object is run, and a note says what was left out; a guess never is.
@pytest.mark.parametrize(
    ("key", "ran"),
    [("a", [ECHOED]), ("b", [ECHOED]), ("c", [ECHOED]), ("text", [ADDED])],
)
def test_A05_a_call_with_a_key_twice_is_not_run_and_the_other_one_is(
    key: str, ran: list[Any]
) -> None:
    named = re.compile(rb'\\?"%s\\?": ' % key.encode())
    body = named.sub(lambda found: found[0] + b"7, " + found[0], WHOLE)
    bench = Bench()
    bench.run(OpenAIChat("m", "localhost", transport=FixedTransport(body)))
    assert bench.ran == ran
    bench.run(OpenAIChat("m", "localhost", transport=FixedTransport(WHOLE)))
    assert bench.ran == [ADDED, ECHOED]
