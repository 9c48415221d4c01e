"""From pieces of bytes to the reply sent in them.

A merged stream has the shape of a reply that came in one piece, so that both are read
by the same lines and cannot differ.
"""

from __future__ import annotations

import codecs
import contextlib
import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

from mingraph_lite.adapters.error_replies import Unusable, raise_if_error
from mingraph_lite.adapters.reply_text.text_gate import TextGate
from mingraph_lite.adapters.strict_json import GrowingJSON, NotJSON, brief, read_json
from mingraph_lite.llm import Menu, TextListener
from mingraph_lite.schema.jsonable import valid_text

__all__: Final = [
    "DeltaRelay",
    "broken_stream",
    "instead_of_events",
    "json_lines",
    "server_sent_events",
    "text_lines",
]


def broken_stream(where: str = "before the reply was complete") -> Unusable:
    """The stream stopped too early; what came so far is no answer."""
    return Unusable(f"cut off the stream {where}.", retryable=True)


def text_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a stream of UTF-8, wherever its pieces were cut.

    Always UTF-8, since JSON is, and never `str.splitlines`: it also breaks at U+2028,
    which may stand inside a JSON text.
    """
    utf8 = codecs.getincrementaldecoder("utf-8-sig")("strict")
    decoder = io.IncrementalNewlineDecoder(utf8, translate=True)
    held: list[str] = []
    try:
        for chunk in chunks:
            first, *rest = decoder.decode(chunk).split("\n")
            held.append(first)
            for line in rest:
                yield "".join(held)
                held = [line]
    except UnicodeDecodeError:
        raise Unusable("sent bytes that are not UTF-8.") from None
    try:
        yield "".join(held) + decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise broken_stream("inside a character") from None


def instead_of_events(lines: Iterable[str]) -> Iterator[str]:
    """The lines as they are; raises Unusable for an error that came in their place.

    Some servers announce a stream, and then send the error as a plain body.
    """
    left = iter(lines)
    for line in left:
        if line.lstrip()[:1] in {"{", "["}:
            with contextlib.suppress(NotJSON):
                raise_if_error(read_json("\n".join([line, *left])))
            return
        yield line
        if line.strip():
            yield from left


def server_sent_events(lines: Iterable[str]) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a stream of `data:` lines, and None for `[DONE]`.

    Slow servers keep the line alive with comments (`: ping`) and empty events, and some
    put the comment behind `data:`. After `[DONE]` nothing is read: not all servers
    close the connection then.
    """
    held: GrowingJSON | None = None
    for line in lines:
        if not line.startswith("data:"):
            # A blank line ends an event. One that is still no JSON will not become it.
            if held is not None and not line:
                raise Unusable(f"sent an event that is no JSON: {brief(str(held))}.")
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            yield None
            return
        if not data or data.startswith(":"):
            continue
        if held is None:
            try:
                value = read_json(data)
            except NotJSON:
                held = GrowingJSON()
                held.add(data)
            else:
                yield _checked_object(value)
            continue
        # One event may be spread over several data lines.
        held.add(f"\n{data}")
        if held.is_whole():
            text, held = str(held), None
            yield _checked_object(read_json(text))
    if held is not None:
        raise broken_stream()


def json_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream that has one on each line."""
    for line in lines:
        if line.strip():
            try:
                value = read_json(line)
            except NotJSON:
                raise broken_stream(f"inside a line: {brief(line)}") from None
            yield _checked_object(value)


def _checked_object(value: object) -> dict[str, Any]:
    raise_if_error(value, in_stream=True)  # Gemini sends a list that holds one
    if not isinstance(value, dict):
        raise Unusable(f"sent {brief(value)} in the stream, which is no object.")
    return value


class DeltaRelay:
    """Passes an answer on as it comes: no thoughts, no calls.

    Half a character waits for the other. What was heard is, since the last
    `new_attempt()`, the text of the response, but for spaces at its end: where it turns
    out that text was passed on too early, a listener with that method is told. With
    `at_the_end`, the text is heard once it is whole.
    """

    def __init__(
        self,
        listener: TextListener | None,
        menu: Menu = (),
        *,
        at_the_end: bool = False,
    ) -> None:
        self._listener = listener
        self._half = ""
        self._gate = None if at_the_end or listener is None else TextGate(bool(menu))
        self._heard: list[str] = []

    def pass_on(self, piece: str) -> None:
        """Pass on what is whole, and sure to be text."""
        if self._gate is None:
            return
        text, self._half = self._half + piece, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        sure = self._gate.add(valid_text(text))
        if self._gate.is_void:
            self._gate.is_void = False
            self._new_attempt()
        self._tell_listener(sure)

    def end(self) -> None:
        """No more pieces come; `finish` says what was meant."""

    def finish(self, content: str) -> None:
        """Pass on what was held back of the response's text."""
        heard = "".join(self._heard)
        if heard.rstrip() == content:
            return
        if not content.startswith(heard):
            self._new_attempt()
            heard = ""
        self._tell_listener(content[len(heard) :])

    def _new_attempt(self) -> None:
        if self._heard and (tell := getattr(self._listener, "new_attempt", None)):
            tell()
        self._heard.clear()

    def _tell_listener(self, text: str) -> None:
        if text and self._listener is not None:
            self._heard.append(text)
            self._listener(text)
