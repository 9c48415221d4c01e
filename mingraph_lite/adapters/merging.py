"""One reply out of the chunks of an OpenAI stream.

Text is simply joined. Calls are the hard part, which `fragments` does. Each chunk has a
`delta`, or, on servers of another habit, a `message` or a `text` in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.adapters.error_replies import Unusable, raise_if_error
from mingraph_lite.adapters.fragments import Fragments, join_beside
from mingraph_lite.adapters.replies import REASONING_NAMES, read_content
from mingraph_lite.adapters.streams import DeltaRelay, broken_stream
from mingraph_lite.adapters.strict_json import Body, as_object
from mingraph_lite.endings import given_reason

__all__: Final = ["choice_that_counts", "counts_in", "merge_chunks"]

_TEXTS: Final = (*REASONING_NAMES, "refusal")
_READ_HERE: Final = {"role", "content", "tool_calls", "function_call"}


def merge_chunks(
    chunks: Iterable[Body | None], relay: DeltaRelay, names: Iterable[str] = ()
) -> Body:
    """The whole reply; raises Unusable if the stream broke off.

    It is whole when a finish reason or `[DONE]` (None here) was seen: some servers send
    only one of the two. `names` are those of the menu: a tool's name may come in parts.
    """
    merged = _MergedReply(relay, Fragments(names), Fragments(names))
    done = False
    try:
        for chunk in chunks:
            if chunk is None:
                done = True
            else:
                merged.add(chunk)
    except Unusable as error:
        error.begun = merged.begun
        raise
    if not done and merged.finish_reason is None:
        raise broken_stream()
    return merged.reply()


def choice_that_counts(choices: object) -> Body | None:
    """The choice with index 0, or with none; None where there is no such choice."""
    for sent in choices if isinstance(choices, list) else []:
        choice = as_object(sent)
        if choice.get("index") in (0, "0", None):
            return choice
    return None


def counts_in(reply: Mapping[str, Any], choice: Body | None) -> Body:
    """The token counts of a reply or a chunk, whose choice this is.

    Groq's streams have them under a name of its own, others in the choice.
    """
    for where in (reply, reply.get("x_groq"), choice):
        if isinstance(where, dict) and (counts := as_object(where.get("usage"))):
            return counts
    return {}


@dataclass
class _MergedReply:
    """A reply that grows chunk by chunk."""

    relay: DeltaRelay
    calls: Fragments
    legacy_call: Fragments
    head: Body = field(default_factory=dict)
    counts: Body = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    beside: Body = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)
    in_deltas: set[str] = field(default_factory=set)
    length: int = 0
    finish_reason: str | None = None
    begun: bool = False
    saying_nothing: Body | None = None
    """The choice as it came, while none has held a piece of a message."""

    def add(self, chunk: Body) -> None:
        """Take in one chunk.

        The last one often has token counts and no choices. Where two chunks have
        counts, the later ones are meant, not their sum; what a later one does not know,
        or has as 0, stays as it was.
        """
        raise_if_error(chunk)
        if chunk.get("model") is not None:
            self.head["model"] = chunk["model"]
        choice = choice_that_counts(chunk.get("choices"))
        for name, count in counts_in(chunk, choice).items():
            if count or name not in self.counts:
                self.counts[name] = count
        if choice is None:
            return
        raise_if_error(choice)
        says = isinstance(choice.get("text"), str) or any(
            isinstance(choice.get(name), dict) for name in ("delta", "message")
        )
        if says:
            self.saying_nothing = None
        elif not self.begun:
            self.saying_nothing = choice
        self.begun = True
        # Some servers send "" or "null" with each chunk: that is no end.
        if (reason := given_reason(choice.get("finish_reason"))) is not None:
            self.finish_reason = reason
        delta = as_object(choice.get("delta"))
        if isinstance(text := choice.get("text"), str) and not delta.get("content"):
            delta = {**delta, "content": text}
        self.in_deltas.update(name for name, value in delta.items() if value)
        self._add_delta(delta)
        if isinstance(message := choice.get("message"), dict):
            self._add_message(message)

    def _add_message(self, message: Body) -> None:
        """Take in a message in the place of a delta: a piece, or all of it once more.

        It is all once more where its text came already, and then only what did not
        come is taken from it.
        """
        said = message.get("content")
        again = self.in_deltas
        if (
            isinstance(said, str)
            and said
            and len(said) == self.length
            and (self.finish_reason is not None or len(self.parts) > 1)
            and said == "".join(part for part in self.parts if isinstance(part, str))
        ):
            again = again | {"content", *self.texts, *self.beside}
        self._add_delta({k: v for k, v in message.items() if k not in again})

    def _add_delta(self, delta: Body) -> None:
        content = delta.get("content")
        if content:
            self.parts.extend(content if isinstance(content, list) else [content])
            text = content if isinstance(content, str) else read_content(content).text
            self.length += len(text)
            self.relay.pass_on(text)
        for name, value in delta.items():
            if name in _TEXTS and isinstance(value, str):
                self.texts.setdefault(name, []).append(value)
            elif name not in _READ_HERE and value is not None:
                join_beside(self.beside, {name: value})
        fragments = delta.get("tool_calls")
        if isinstance(fragments, dict):
            fragments = [fragments]
        for fragment in fragments if isinstance(fragments, list) else []:
            self.calls.add(as_object(fragment))
        if legacy := as_object(delta.get("function_call")):
            self.legacy_call.add({"function": legacy})

    def reply(self) -> Body:
        """What the server would have sent in one piece."""
        if not self.begun:
            return {**self.head, "choices": []}
        if self.saying_nothing is not None and self.finish_reason is None:
            return {**self.head, "choices": [self.saying_nothing]}
        head = {**self.head, "usage": self.counts} if self.counts else self.head
        texts = {name: "".join(pieces) for name, pieces in self.texts.items()}
        message: Body = {**self.beside, **texts}
        plain = all(isinstance(part, str) for part in self.parts)
        message["content"] = "".join(self.parts) if plain else self.parts
        message["tool_calls"] = self.calls.calls()
        for call in self.legacy_call.calls():
            message["function_call"] = call["function"]
        choice = {"message": message, "finish_reason": self.finish_reason}
        return {**head, "choices": [choice]}
