"""One request to one address: sent, graded, its key kept.

Each error names the address, what came from it, and what to do. None shows the key, not
even where the server repeats it.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mingraph_lite.adapters.addresses import key_header, patience
from mingraph_lite.adapters.error_replies import Unusable, raise_if_error, text_of
from mingraph_lite.adapters.error_table.grading import row_for
from mingraph_lite.adapters.error_table.pages import Page, page_in
from mingraph_lite.adapters.error_table.shapes import ErrorReply, read_error
from mingraph_lite.adapters.error_table.waits import asked_wait
from mingraph_lite.adapters.error_table.words import ErrorTeller
from mingraph_lite.adapters.headers import Headers, secrets_in
from mingraph_lite.adapters.hiding import without_frames
from mingraph_lite.adapters.keys import Key
from mingraph_lite.adapters.on_the_way import left_unexplained
from mingraph_lite.adapters.server_wants.learning import Lesson
from mingraph_lite.adapters.server_wants.options import checked_place
from mingraph_lite.adapters.streams import looks_like_a_stream
from mingraph_lite.adapters.strict_json import (
    Body,
    NotJSON,
    as_object,
    brief,
    read_json,
    too_deep,
)
from mingraph_lite.adapters.transports import Request, Response, Transport
from mingraph_lite.errors import ModelError, ModelRefused
from mingraph_lite.schema.hiding import hidden, hidden_in

__all__: Final = ["Learn", "Merge", "Provider", "keys_in_words"]

type Merge = Callable[[Iterator[bytes]], Body]
"""Makes one reply out of the pieces of a stream."""

type Learn = Callable[[int | None, str], Lesson | None]
"""Hears how a request was refused, status and words, and says what it makes of it."""

_BASE_URL: Final = "Check the base URL: most servers want /v1 at its end."

_MOST_OF_AN_ERROR: Final = 100_000
"""So many bytes of a refusal are read, to be quoted."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An address that takes a payload and gives a reply.

    A payload is strict JSON already. `model` is named in errors only. Without a
    `timeout` the address decides on the patience. `clock` tells the time in seconds
    since 1970, for servers that say until when to wait. `headers` are sent too and win
    over ours, whatever the case of their letters; None leaves one of ours out.
    """

    url: str
    model: str
    api_key: Key | None = field(repr=False)
    transport: Transport = field(repr=False)
    timeout: float | None
    clock: Callable[[], float] = field(repr=False)
    headers: Mapping[str, Key | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        checked_place(self.model, self.timeout)

    def known_secrets(self) -> tuple[Key, ...]:
        """What must be shown nowhere, out of sight, for who writes things down."""
        return tuple(map(Key, self._secrets()))

    def ask(
        self,
        payload: Body,
        merge: Merge,
        *,
        streamed: bool,
        learn: Learn = lambda status, words: None,
    ) -> Body:
        """Send once, and read the reply in whichever of the two forms it comes.

        What came decides, not what was asked for: some servers ignore `stream`. What
        `learn` makes of a refusal stands in the error.
        """
        request = self._request(payload, streamed=streamed)
        lost = functools.partial(
            left_unexplained, url=self.url, timeout=request.timeout
        )
        # No variable here holds the response: its headers may quote the key.
        read = functools.partial(
            self._read,
            without_frames(functools.partial(self.transport, request), lost),
            merge,
            learn,
            streamed=streamed,
        )
        later = functools.partial(lost, has_begun=True)
        return self.reading(lambda: without_frames(read, later), learn)

    def reading[T](
        self, read: Callable[[], T], learn: Learn = lambda status, words: None
    ) -> T:
        """What `read` makes of a reply, or a ModelError that names the address.

        Where the server itself said that it is too long or not allowed, it is a
        ContextOverflow or a ModelRefused. No frame comes along: some hold the server's
        words, which may quote the key.
        """

        def explain(error: BaseException) -> BaseException | None:
            if isinstance(error, Unusable):
                return self._failure(error, learn)
            return error if isinstance(error, ModelError | ModelRefused) else None

        return without_frames(read, explain)

    def _read(
        self, response: Response, merge: Merge, learn: Learn, *, streamed: bool
    ) -> Body:
        with contextlib.ExitStack() as at_the_end:
            # A generator that was not read to its end still holds the connection.
            if close := getattr(response.chunks, "close", None):
                at_the_end.callback(close)
            if not 200 <= response.status < 300:
                raise self._refused(self._without_keys(response), learn)
            kind = response.headers.get("content-type", "").lower()
            other = "html" in kind or ("json" in kind and "ndjson" not in kind)
            if "event-stream" in kind or "ndjson" in kind or (streamed and not other):
                merged: Body = self._clean(merge(response.chunks))
                return merged
            body = b"".join(response.chunks)
            if looks_like_a_stream(body):
                merged = self._clean(merge(iter([body])))
                return merged
            return self._read_whole(body, kind)

    def _clean(self, reply: Any) -> Any:
        """What is no reply but an error may quote the key: a frame would show it."""
        if _is_reply(reply) or too_deep(reply):
            return reply
        return hidden_in(reply, self._secrets())

    def _failure(self, error: Unusable, learn: Learn) -> ModelError | ModelRefused:
        if (told := error.told) is not None:
            words = self._without_key(told.words or told.whole)
            if param := told.fields.get("param"):
                words = self._without_key(f"{words}\n{param}: at fault")
            told = replace(told, begun=error.begun)
            return _taught(self._told(told, {}), learn, told.status, words)
        return ModelError(
            f"{self._without_key(f'{self.url} {error}')} {self._advice(error)}",
            retryable=error.retryable,
        )

    def _request(self, payload: Body, *, streamed: bool) -> Request:
        # No header of ours beyond these two: in a browser each other one can be refused
        # before the request is made.
        ours: dict[str, str | Key] = {"Content-Type": "application/json"}
        if self.api_key:
            name = key_header(self.url)
            bearer = Key(f"Bearer {self.api_key.reveal()}")
            ours[name or "Authorization"] = self.api_key if name else bearer
        theirs = {name.lower() for name in self.headers}
        kept = {
            name: value for name, value in ours.items() if name.lower() not in theirs
        }
        added = {
            name: value for name, value in self.headers.items() if value is not None
        }
        timeout = self.timeout
        if timeout is None:
            timeout = patience(self.url, streamed=streamed)
        # What is no strict JSON after all is an error here, not at the server.
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False).encode()
        return Request("POST", self.url, Headers({**kept, **added}), body, timeout)

    def _without_keys(self, response: Response) -> Response:
        """A refusal whose words are free of keys, before anybody cuts or keeps them."""
        body = b""
        # The status is what counts; a body that breaks off must not hide it.
        with contextlib.suppress(ModelError, ConnectionError, TimeoutError):
            for chunk in response.chunks:
                body += chunk
                if len(body) > _MOST_OF_AN_ERROR:
                    break
        text = self._without_key(body.decode("utf-8-sig", "replace"))
        headers = {
            name: self._without_key(value) for name, value in response.headers.items()
        }
        return replace(response, headers=headers, chunks=iter([text.encode()]))

    def _read_whole(self, body: bytes, kind: str) -> Body:
        reply = self._clean(_json_in(body, kind))
        raise_if_error(reply)
        if not isinstance(reply, dict):
            raise Unusable(f"answered {brief(reply)}, which is no JSON object.")
        return reply

    def _refused(self, response: Response, learn: Learn) -> ModelError | ModelRefused:
        body = b"".join(response.chunks)
        error = self._error_for(replace(response, chunks=iter([body])))
        return _taught(error, learn, response.status, body.decode())

    def _error_for(self, response: Response) -> ModelError | ModelRefused:
        status, text = response.status, text_of(response)
        told = read_error(text, status, page_in(text, response.headers))
        advice = None
        if 300 <= status < 400:
            where = brief(self._without_key(response.headers.get("location", "?")))
            advice = (
                f"It sends on to {where}. The key was not taken there; if that is the "
                "server, give its address."
            )
        return self._told(told, response.headers, status, advice, response.way)

    def _told(
        self,
        told: ErrorReply,
        headers: Mapping[str, str],
        status: int | None = None,
        advice: str | None = None,
        way: str = "",
    ) -> ModelError | ModelRefused:
        too_many = told.status == 429
        wait = asked_wait(
            headers, told.fields, told.words, self.clock(), too_many=too_many
        )
        teller = replace(self._teller(), way=way)
        return teller.exception(told, wait, status=status, advice=advice)

    def _teller(self) -> ErrorTeller:
        return ErrorTeller(self.url, self.model, bool(self.api_key), self._without_key)

    def _advice(self, error: Unusable) -> str:
        if error.advice is not None:
            return error.advice
        meant = ErrorReply(error.status or (500 if error.retryable else None))
        row = row_for(meant.status, meant.codes, meant.words)
        return self._teller().advice(row, meant, None)

    def _without_key(self, text: str) -> str:
        return hidden(text, self._secrets())

    def _secrets(self) -> list[str]:
        """What must be shown nowhere."""
        added = (
            secret
            for name, value in self.headers.items()
            if value is not None
            for secret in secrets_in(name, value)
        )
        return [*added, *([self.api_key.reveal()] if self.api_key else [])]


def keys_in_words(reply: Mapping[str, Any]) -> str:
    """The top-level keys of a reply, for a sentence that says what came instead."""
    return ", ".join(brief(key, 40) for key in list(reply)[:12]) or "none"


def _taught(
    error: ModelError | ModelRefused, learn: Learn, status: int | None, words: str
) -> ModelError | ModelRefused:
    """The error, with what is made of it; one with a meaning of its own stays."""
    if type(error) is not ModelError or (lesson := learn(status, words)) is None:
        return error
    return ModelError(
        f"{error} {lesson.sentence}",
        retryable=lesson.retry or error.retryable,
        retry_after=0.0 if lesson.retry else error.retry_after,
    )


def _is_reply(reply: object) -> bool:
    """Whether this is what a model said, of which nothing is hidden."""
    known = as_object(reply)
    choices = known.get("choices")
    said = [known, *(choices if isinstance(choices, list) else [])]
    if any(as_object(each).get("error") for each in said):
        return False
    return any(
        isinstance(as_object(each).get("message"), dict)
        or isinstance(as_object(each).get("text"), str)
        for each in said
    )


def _json_in(body: bytes, kind: str) -> Any:
    """The JSON value that a body holds."""
    text = body.decode("utf-8-sig", "replace").strip()
    try:
        return read_json(body.decode("utf-8-sig"))
    except (NotJSON, UnicodeDecodeError):
        if page := page_in(text, {"content-type": kind}):
            raise Unusable(_instead_of_json(page, kind), advice=_BASE_URL) from None
        if text.startswith("{"):
            raise Unusable(
                f"answered JSON that is broken or cut off: {brief(text)}.",
                retryable=True,
            ) from None
        raise Unusable(
            f"answered no JSON but {brief(text) if text else 'an empty body'} (content "
            f"type {kind or 'not given'}).",
            advice=_BASE_URL,
        ) from None


def _instead_of_json(page: Page, kind: str) -> str:
    origin = f" ({page.origin.name})" if page.origin else ""
    titled = f" titled {brief(page.title)}" if page.title else ""
    return (
        f"answered no JSON but a page{titled}{origin} (content type "
        f"{kind or 'not given'}). A proxy, tunnel, firewall or web site answered, not "
        f"the model's API.{f' {page.origin.advice}' if page.origin else ''}"
    ).rstrip()
