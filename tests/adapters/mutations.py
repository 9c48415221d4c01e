# DeepSeek's tokens are written with signs that look like others.
"""Replies with something wrong in them, through the whole loop.

    python -m tests.adapters.mutations 10000

Each is made from a good reply by its number alone: a failure names it, and
`outcome(number)` plays it again.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from mingraph_lite import Agent, KeepAll, ToolRegistry
from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import MingraphError
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import open_slips, problems
from mingraph_lite.observers import Observer
from mingraph_lite.recovery import Retries
from tests.adapters.mangling import mangled, places
from tests.adapters.wire import (
    JSON_TYPE,
    SSE_TYPE,
    asking,
    calling,
    chunk,
    completion,
    strictly,
)

HEADERS: Final = {
    "json": JSON_TYPE,
    "events": SSE_TYPE,
    "lines": {"content-type": "application/x-ndjson"},
}


@dataclass(frozen=True)
class Sent:
    """A reply, which model it is for, and in which form its values travel."""

    model: str
    form: str
    values: tuple[Any, ...]
    status: int = 200
    done: bool = True

    def body(self) -> bytes:
        """The bytes that travel."""
        texts = [json.dumps(value) for value in self.values]
        if self.form == "events":
            texts = [f"data: {text}\n\n" for text in texts]
            return "".join([*texts, *["data: [DONE]\n\n"] * self.done]).encode()
        return "\n".join(texts).encode()


def _json(model: str, value: Any, status: int = 200) -> Sent:
    return Sent(model, "json", (value,), status)


def _lines(*values: Any) -> Sent:
    return Sent("ollama", "lines", values)


def _said(text: str, reason: str = "stop") -> Any:
    return completion({"role": "assistant", "content": text}, reason)


def _streamed(text: str, size: int = 5) -> Sent:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    chunks = [chunk({"content": piece}) for piece in pieces]
    return Sent("openai", "events", (*chunks, chunk({}, "stop")))


_CALL: Final = '{"name": "add", "arguments": {"a": 2, "b": "x"}}'
_TEXTS: Final = (
    "It is 18°C in Oslo \U0001f9e3.",
    f"Let me see. <tool_call>{_CALL}</tool_call>",
    f"<think>18 is C, so <tool_call>{_CALL}</tool_call></think>It is 18.",
    f"[TOOL_CALLS][{_CALL}, {_CALL}]",
    '<function=add>{"a": 2}</function>',
    f"<|python_tag|>{_CALL}",
    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary "
    'to=functions.add <|constrain|>json<|message|>{"a": 2}<|call|>',
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n"
    '```json\n{"a": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    f"```json\n{_CALL}\n```",
    _CALL,
    '{"answer": "It is 18°C."}',
    'Write `<think>x</think>` or "<tool_call>{}</tool_call>" in your template.',
)
_CALLS: Final = asking(
    calling("add", '{"a": 2, "b": [3, {"c": "x"}]}', "c1"),
    calling("echo", '{"text": "hi"}', "c2"),
    content="Let me see.",
)
_PIECES: Final = [
    chunk({"role": "assistant", "content": "Let "}),
    chunk({"reasoning_content": "hm", "content": "me see."}),
    chunk({"tool_calls": [{"index": 0, **calling("add", '{"a": ', "c1")}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": "2}"}}]}),
    chunk({"tool_calls": [{"index": 1, **calling("echo", '{"text": "hi"}', "c2")}]}),
    chunk({}, "tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}},
]
_OLLAMA_CALL: Final = {"function": {"name": "add", "arguments": {"a": 2, "b": [3]}}}
_ERRORS: Final[tuple[tuple[int, Any], ...]] = (
    (429, {"error": {"message": "slow", "code": "rate_limit_exceeded"}}),
    (400, [{"error": {"code": 400, "details": [{"retryDelay": "21s"}]}}]),
    (422, {"detail": [{"loc": ["body", "stream_options"], "msg": "not permitted"}]}),
    (400, {"object": "error", "message": "maximum context length is 4096 tokens"}),
    (200, {"error": {"message": "Provider returned error", "code": 429}}),
    (503, {"error": "loading model"}),
)
GOOD: Final[tuple[Sent, ...]] = (
    *(_json(name, _said(text)) for text in _TEXTS for name in ("openai", "json")),
    *(_streamed(text) for text in _TEXTS),
    _json("openai", _said("The capital of Norw", "length")),
    _json("openai", _said("", "content_filter")),
    _json("openai", completion(_CALLS, "tool_calls")),
    _json("openai", completion(_CALLS, "length")),
    Sent("openai", "events", tuple(_PIECES)),
    Sent("openai", "events", tuple(_PIECES), done=False),
    *(
        _lines(
            {"message": {"content": text[:9], "thinking": "hm"}},
            {"message": {"content": text[9:]}, "done": True, "done_reason": "stop"},
        )
        for text in _TEXTS
    ),
    _lines(
        {"message": {"content": "", "tool_calls": [_OLLAMA_CALL]}},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    ),
    _json("ollama", {"message": {"tool_calls": [_OLLAMA_CALL]}, "done": True}),
    *(_json("openai", body, status) for status, body in _ERRORS),
    *(_json("ollama", body, status) for status, body in _ERRORS),
)

_INSERTS: Final = (
    *("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>", "<function="),
    *(
        "[TOOL_CALLS]",
        "<|channel|>",
        "<|message|>",
        "```json\n",
        "```",
        "`",
        '\\"',
        '"',
    ),
    *('\\"', "{", "}", "[", "]", "null", "NaN", "\\ud83d", "\x00", "1e999", _CALL),
    *("\n", "\n\n", "data: ", "data: [DONE]\n\n", ": ping\n\n", "length", "add"),
    *('"index": 0, ', '"finish_reason": "", ', '"id": "c1", ', '"error": "x", '),
)


def mutated(sent: Sent, chance: random.Random) -> bytes:
    """The body with something wrong: in its texts, in its structure, or in its bytes.

    Most go wrong where JSON still holds: what is no JSON is soon seen.
    """
    way = chance.choice(["texts", "texts", "structure", "bytes"])
    if way == "bytes":
        text = sent.body().decode("utf-8", "replace")
        return edited(text, chance).encode()
    values = list(copy.deepcopy(sent.values))
    place = chance.randrange(len(values))
    if way == "structure":
        values[place] = mangled(values[place], chance)
    else:
        _edit_a_text(values[place], chance)
    try:
        return replace(sent, values=tuple(values)).body()
    except RecursionError:  # no Python writes it, and a server may still send it
        return b'{"choices": ' + b"[" * 3000


def _edit_a_text(value: Any, chance: random.Random) -> None:
    """Edit one of the texts in a value, of which the longer are the likelier."""
    spots = [spot for spot in places(value) if isinstance(spot[0][spot[1]], str)]
    if spots:
        weights = [1 + len(holder[key]) for holder, key in spots]
        ((holder, key),) = chance.choices(spots, weights)
        holder[key] = edited(holder[key], chance)


def edited(text: str, chance: random.Random) -> str:
    """The text with one to three things lost, doubled, moved or put in."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        to = min(len(text), at + chance.choice([1, 2, 5, 20, 80]))
        match chance.randrange(7):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:to] + text[at:]
            case 2:
                text = text[:at]
            case 3:
                other = chance.randrange(len(text) + 1)
                text = text[:other] + text[at:to] + text[other:]
            case _:
                text = text[:at] + chance.choice(_INSERTS) + text[at:]
    return text


def _pieces(body: bytes, chance: random.Random) -> Iterator[bytes]:
    size = chance.choice([1, 7, 50, 100_000])
    return (body[at : at + size] for at in range(0, len(body), size))


class _Reader:
    """Reads along, and starts afresh where it is told to."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, text: str) -> None:
        self.text += text

    def new_attempt(self) -> None:
        self.text = ""


class _Comparing(Observer):
    """Holds what was heard of a reply against the reply."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader

    def on_model_call(self) -> None:
        self._reader.text = ""

    def on_model_reply(self, response: LLMResponse) -> None:
        heard, said = self._reader.text, response.message.content
        # Spaces were heard before what stood behind them was taken off.
        if said not in (heard, heard.rstrip()):
            self.differs = f"heard {heard!r} and said {said!r}"

    differs = ""


def _tools() -> ToolRegistry:
    def add(a: object = 0, b: object = 0) -> str:
        """Add."""
        return "done"

    def echo(text: object = "") -> str:
        """Say it again."""
        return "done"

    return ToolRegistry([add, echo])


def _model(sent: Sent, transport: Callable[[Request], Response]) -> Any:
    if sent.model == "ollama":
        return OllamaChat("m", transport=transport)
    as_json = sent.model == "json"
    return OpenAIChat(
        *("m", "localhost:1234"),
        tools_as="json" if as_json else "native",
        transport=transport,
    )


def outcome(number: int) -> str:
    """How a run on the mutated reply of this number ends: answered, or the error.

    Raises AssertionError for whatever must never be, with the number.
    """
    chance = random.Random(number)
    sent = chance.choice(GOOD)
    bodies = [mutated(sent, chance) for _ in range(3)]

    def transport(request: Request) -> Response:
        strictly(request.body)
        body = bodies.pop(0) if bodies else _json("", _said("Done.")).body()
        return Response(sent.status, HEADERS[sent.form], _pieces(body, chance))

    memory, reader = KeepAll(), _Reader()
    comparing = _Comparing(reader)
    agent = Agent(
        *(_model(sent, transport), _tools(), "Be brief."),
        memory=memory,
        observers=[comparing],
        retries=Retries(most=1, base=0, sleep=lambda _: None, chance=lambda: 0.0),
        max_steps=4,
    )
    listens = chance.random() < 0.5
    try:
        given = agent.run("hello", on_text_delta=reader if listens else None)
        ended = "answered" if given["answer"].strip() else "an empty answer"
    except MingraphError as error:
        str(error).encode()
        ended = type(error).__name__
    except Exception as error:
        raise AssertionError(f"reply {number} ended in {error!r}") from error
    wrong = [*problems(memory.folder), *map(str, open_slips(memory.folder))]
    if listens and comparing.differs:
        wrong.append(comparing.differs)
    if ended == "an empty answer":
        wrong.append(ended)
    assert not wrong, f"reply {number}: {wrong}"
    return ended


def main() -> None:
    """Play so many and count how they ended."""
    counts = Counter(outcome(number) for number in range(int(sys.argv[1])))
    for ended, count in sorted(counts.items()):
        sys.stdout.write(f"{count:7,}  {ended}\n")


if __name__ == "__main__":
    main()
