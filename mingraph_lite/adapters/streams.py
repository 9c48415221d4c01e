"""From pieces of bytes to the reply sent in them.

A merged stream has the shape of a reply that came in one piece, so that both are read
by the same lines and cannot differ.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import re
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
    "looks_like_a_stream",
    "server_sent_events",
    "text_lines",
]


_KEPT_ALIVE: Final = {"heartbeat", "keep-alive", "keep_alive", "keepalive", "ping"}
_NOTHING_SAID: Final = {
    *("", "null", "[]", '"ping"', "[ping]", "[heartbeat]", "[keepalive]"),
    *_KEPT_ALIVE,
}
"""What an event may hold, in small letters, and say nothing."""


_NO_DATA: Final = re.compile(r"(?:event|id|retry)?:")
_EVENT_LINE: Final = re.compile(rb"(?:data|event|id|retry)?:")


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
    """The lines as they are, or a body of JSON as the events that it should have been.

    Some servers announce a stream, and then send a whole reply, an error, or one JSON
    object on each line.
    """
    left = iter(lines)
    for line in left:
        if line.lstrip()[:1] in {"{", "["}:
            yield from _as_events([line, *left])
            return
        yield line
        if line.strip():
            yield from left


def _as_events(body: list[str]) -> Iterator[str]:
    try:
        value = read_json("\n".join(body))
    except NotJSON:
        yield from (_as_data(line) for line in body)
        return
    raise_if_error(value)
    # Nothing is missing of a JSON text that is whole.
    yield from (f"data: {' '.join(body)}", "", "data: [DONE]")


def server_sent_events(lines: Iterable[str]) -> Iterator[dict[str, Any] | None]:
    """The JSON objects of a stream of `data:` lines, and None for `[DONE]`.

    Slow servers keep the line alive with comments (`: ping`), empty events and events
    of that name, and some put the comment behind `data:`. An error may come as an event
    of that name, or as a line that is no event at all. After `[DONE]` nothing is read:
    not all servers close the connection then.
    """
    held: GrowingJSON | None = None
    event, begun = "", False
    for line in map(_as_data, lines):
        if not line and held is None and event != "error":
            event = ""  # the end of an event, as nearly always
            continue
        if not line.startswith("data:"):
            if line.startswith("["):
                _refuse_bare_error(line)
            # A blank line ends an event. One that is still no JSON will not become it.
            if held is not None and not line:
                # Behind a part of the reply it is what a gateway says at the end of it.
                words = f"sent an event that is no JSON: {brief(str(held))}."
                raise Unusable(words, retryable=begun)
            event = _event_after(line, event)
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            yield None
            return
        if event in _KEPT_ALIVE or data.startswith(":"):
            continue
        if held is None and len(data) < 20 and data.lower() in _NOTHING_SAID:
            continue
        if event == "error":
            _raise_error_event(data)
        if held is None:
            try:
                value = read_json(data)
            except NotJSON:
                held = GrowingJSON()
                held.add(data)
            else:
                yield _checked_object(value)
                begun = True
            continue
        # One event may be spread over several data lines.
        held.add(f"\n{data}")
        if held.is_whole():
            text, held = str(held), None
            yield _checked_object(read_json(text))
    if held is not None:
        raise broken_stream()


def _refuse_bare_error(line: str) -> None:
    """Raise for an error that stands in a stream as it is, without `data:`."""
    with contextlib.suppress(NotJSON):
        raise_if_error(read_json(line), in_stream=True)


def _as_data(line: str) -> str:
    """A line that is a JSON object, as the event that it was meant to be."""
    return f"data: {line}" if line.startswith("{") else line


def _event_after(line: str, event: str) -> str:
    """The name of the event that goes on behind a line that is no data of it.

    llama.cpp sends an error as a field of its own, `error: {…}`.
    """
    field, _, value = line.partition(":")
    if field == "error":
        _raise_error_event(value.strip())
    if not line and event == "error":
        _raise_error_event("")
    if field == "event":
        return value.strip().lower()
    return event if line else ""


def _raise_error_event(data: str) -> None:
    """Raise Unusable for what came as an error, in whichever shape."""
    try:
        told = read_json(data)
    except NotJSON:
        told = data
    known = isinstance(told, dict) and told.get("error")
    raise_if_error(told if known else {"error": told or "an error without words"})


def looks_like_a_stream(body: bytes) -> bool:
    """Whether a body is a stream, whatever its content type says.

    Its first line is one of an event, or a JSON object with another one behind it.
    """
    lines = body.removeprefix(codecs.BOM_UTF8).lstrip()
    if _EVENT_LINE.match(lines):
        return True
    first, _, rest = lines.partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(read_json(first.decode()), dict)
    except (NotJSON, UnicodeDecodeError):
        return False


def json_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream that has one on each line.

    A gateway may have made events of the lines.
    """
    for line in lines:
        line = line.removeprefix("data:").strip()
        if line and line != "[DONE]" and not _NO_DATA.match(line):
            try:
                value = read_json(line)
            except NotJSON:
                raise broken_stream(f"inside a line: {brief(line)}") from None
            yield _checked_object(value)


def _checked_object(value: object) -> dict[str, Any]:
    if isinstance(value, dict) and value.get("choices"):
        return value  # whoever merges it looks at what stands beside them
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
