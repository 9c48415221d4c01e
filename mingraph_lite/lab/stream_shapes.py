"""How servers cut a reply into a stream, for their habits."""

from __future__ import annotations

from typing import Any, Final

from mingraph_lite.adapters.strict_json import Body, as_object
from mingraph_lite.lab.shapes import THOUGHT
from mingraph_lite.lab.wire import ServerReply
from mingraph_lite.schema.jsonable import write_json

__all__: Final = [
    "HALF_A_TEXT",
    "at_index_0",
    "calls_repeated",
    "calls_whole",
    "event_stream",
    "pieces_first",
    "reasoning_in_chunks",
    "usage_in_the_last_chunk",
]

HALF_A_TEXT: Final[Body] = {
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "Paris: 6"}, "finish_reason": None}],
}
"""The only chunk of a stream that goes wrong behind it."""


def event_stream(*events: Body, named: str = "") -> ServerReply:
    """A stream of these events, the last under a name, and no `[DONE]`."""
    lines = [f"data: {write_json(event)}\n\n" for event in events]
    lines[-1] = f"event: {named}\n{lines[-1]}" if named else lines[-1]
    return ServerReply(
        tuple(line.encode() for line in lines), content_type="text/event-stream"
    )


def calls_whole(chunks: list[Body], whole: Body) -> list[Body]:
    """The stream with each call in one piece, where it had been in many."""
    calls = whole["choices"][0]["message"].get("tool_calls") or []
    kept = [chunk for chunk in chunks if not _delta(chunk).get("tool_calls")]
    pieces = [
        _with_delta(kept[0], {"tool_calls": [{**call, "index": index}]})
        for index, call in enumerate(calls)
    ]
    before_the_end = next(
        (place for place, c in enumerate(kept) if _finish_reason(c)), len(kept)
    )
    return [*kept[:before_the_end], *pieces, *kept[before_the_end:]]


def calls_repeated(
    chunks: list[Body], whole: Body, *, named: bool, arguments: bool
) -> list[Body]:
    """The stream with a last piece of each call that repeats what came before."""
    calls = whole["choices"][0]["message"].get("tool_calls") or []
    last = max((p for p, c in enumerate(chunks) if _pieces_of(c)), default=None)
    if last is None:
        return chunks
    repeated = []
    for index, call in enumerate(calls):
        function = {"arguments": call["function"]["arguments"] if arguments else ""}
        head: Body = {"id": call["id"], "type": "function"} if named else {}
        names = {"name": call["function"]["name"]} if named else {}
        piece = {"index": index, **head, "function": {**names, **function}}
        repeated.append(_with_delta(chunks[last], {"tool_calls": [piece]}))
    return [*chunks[: last + 1], *repeated, *chunks[last + 1 :]]


def at_index_0(chunks: list[Body], **beside: object) -> list[Body]:
    """The stream with index 0 for all its calls; `beside` where a piece lacks it."""
    return [
        _with_delta(
            chunk, {"tool_calls": [{**beside, **p, "index": 0} for p in pieces]}
        )
        if (pieces := _pieces_of(chunk))
        else chunk
        for chunk in chunks
    ]


def usage_in_the_last_chunk(chunks: list[Body], whole: Body) -> list[Body]:
    """The stream with its token counts beside the finish reason, asked for or not."""
    return [
        {**chunk, "usage": whole.get("usage")} if _finish_reason(chunk) else chunk
        for chunk in chunks
        if chunk["choices"]
    ]


def reasoning_in_chunks(chunks: list[Body], _: Body) -> list[Body]:
    """The stream with that thought in two pieces before the text."""
    half = len(THOUGHT) // 2
    deltas = [{"reasoning": THOUGHT[:half]}, {"reasoning": THOUGHT[half:]}]
    return pieces_first(chunks, deltas)


def pieces_first(chunks: list[Body], deltas: list[Body]) -> list[Body]:
    """The stream with these pieces behind its first chunk."""
    head, *rest = chunks
    return [head, *(_with_delta(head, delta) for delta in deltas), *rest]


def _pieces_of(chunk: Body) -> list[Body]:
    """The pieces of calls in a chunk."""
    pieces: list[Body] = _delta(chunk).get("tool_calls") or []
    return pieces


def _delta(chunk: Body) -> dict[str, Any]:
    choices = chunk["choices"]
    return as_object(choices[0]["delta"]) if choices else {}


def _finish_reason(chunk: Body) -> object:
    choices = chunk["choices"]
    return choices[0].get("finish_reason") if choices else None


def _with_delta(chunk: Body, delta: Body) -> Body:
    (choice,) = chunk["choices"]
    return {**chunk, "choices": [{**choice, "delta": delta, "finish_reason": None}]}
