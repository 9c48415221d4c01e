"""One request to one address: sent, graded, its key kept.

Each error names the address, what came from it, and what to do. None shows the key, not
even where the server repeats it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final

from mingraph_lite.adapters.error_replies import (
    Unusable,
    explanation_in,
    may_succeed_later,
    raise_if_error,
    retry_after,
)
from mingraph_lite.adapters.learning import Lesson
from mingraph_lite.adapters.strict_json import (
    Body,
    NotJSON,
    brief,
    read_json,
)
from mingraph_lite.adapters.transports import Request, Response, Transport
from mingraph_lite.errors import ModelError

__all__: Final = ["Learn", "Merge", "Provider", "checked_key", "keys_in_words"]

type Merge = Callable[[Iterator[bytes]], Body]
"""Makes one reply out of the pieces of a stream."""

type Learn = Callable[[int | None, str], Lesson | None]
"""Hears how a request was refused, status and words, and says what it makes of it."""

_LATER: Final = "The same request may succeed later."

_SHORTEST_KEY: Final = 6
_MOST_OF_A_REFUSAL: Final = 100_000


@dataclass(frozen=True, slots=True)
class Provider:
    """An address that takes a payload and gives a reply.

    A payload is strict JSON already. `model` is named in errors only. `clock` tells the
    time in seconds since 1970, for servers that say until when to wait.
    """

    url: str
    model: str
    api_key: str | None = field(repr=False)
    transport: Transport = field(repr=False)
    timeout: float
    clock: Callable[[], float] = field(repr=False)

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
        response = self.transport(self._request(payload))
        with contextlib.ExitStack() as at_the_end, self.naming_the_address(learn):
            # A generator that was not read to its end still holds the connection.
            if close := getattr(response.chunks, "close", None):
                at_the_end.callback(close)
            if not 200 <= response.status < 300:
                words = _beginning(response.chunks)
                error = self._error_for(replace(response, chunks=iter([words])))
                text = words.decode("utf-8-sig", "replace")
                raise _taught(error, learn, response.status, text)
            kind = response.headers.get("content-type", "").lower()
            other = "html" in kind or ("json" in kind and "ndjson" not in kind)
            if "event-stream" in kind or "ndjson" in kind or (streamed and not other):
                return merge(response.chunks)
            reply = _read_whole(b"".join(response.chunks), kind)
            raise_if_error(reply)  # here, so that something is learned from it, too
            return reply

    @contextmanager
    def naming_the_address(
        self, learn: Learn = lambda status, words: None
    ) -> Iterator[None]:
        """Turn an unusable reply into a ModelError that names the address."""
        try:
            yield
        except Unusable as error:
            named = ModelError(
                self._without_key(f"{self.url} {error} {self._advice(error)}"),
                retryable=error.retryable,
            )
            raise _taught(named, learn, error.status, str(error)) from None

    def _request(self, payload: Body) -> Request:
        # No header beyond these two: in a browser each other one can be refused before
        # the request is made.
        headers = {"Content-Type": "application/json"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        # What is no strict JSON after all is an error here, not at the server.
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False).encode()
        return Request("POST", self.url, headers, body, self.timeout)

    def _error_for(self, response: Response) -> ModelError:
        status, words = response.status, explanation_in(response)
        quote = f": {brief(words, 200)}" if words else ""
        advice = self._advice_for(status)
        if 300 <= status < 400:
            advice = (
                f"It sends on to {brief(response.headers.get('location', '?'))}. The "
                "key was not taken there; if that is the server, give its address."
            )
        return ModelError(
            self._without_key(
                f"{self.url} answered {status}{_status_phrase(status)}{quote}. {advice}"
            ),
            retryable=may_succeed_later(status),
            retry_after=retry_after(response.headers, self.clock()),
        )

    def _advice(self, error: Unusable) -> str:
        if error.advice is not None:
            return error.advice
        if error.status is not None:
            return self._advice_for(error.status)
        return _LATER if error.retryable else self._advice_on_names()

    def _advice_for(self, status: int) -> str:
        if status in {401, 403}:
            return "Check the key." if self.api_key else "Give a key: api_key=…."
        if status == 404:
            return self._advice_on_names()
        if may_succeed_later(status):
            return _LATER
        return "Sent again as it is, it will fail again."

    def _advice_on_names(self) -> str:
        return f"Check the base URL and the model's name, {self.model!r}."

    def _without_key(self, text: str) -> str:
        # A word such as "x" or "none" is given where no key is needed.
        if not self.api_key or len(self.api_key) < _SHORTEST_KEY:
            return text
        text = text.replace(self.api_key, "***")
        # A quotation may have been cut in the middle of the key.
        for length in range(len(self.api_key) - 1, 3, -1):
            text = text.replace(self.api_key[:length] + "…", "***…")
        return text


def checked_key(key: str | None) -> str | None:
    """The key without the spaces that come along when it is pasted."""
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError(
            "The key holds characters that no key has, such as a line break or a "
            "typographic sign. Copy it again."
        )
    return key or None


def keys_in_words(reply: Mapping[str, Any]) -> str:
    """The top-level keys of a reply, for a sentence that says what came instead."""
    return ", ".join(brief(key, 40) for key in list(reply)[:12]) or "none"


def _beginning(chunks: Iterator[bytes]) -> bytes:
    """What a refusal says: its body, as far as it came and is worth reading."""
    read, size = [], 0
    # The status is what counts; a body that breaks off must not hide it.
    with contextlib.suppress(ModelError):
        for chunk in chunks:
            read.append(chunk)
            size += len(chunk)
            if size > _MOST_OF_A_REFUSAL:
                break
    return b"".join(read)


def _taught(
    error: ModelError, learn: Learn, status: int | None, words: str
) -> ModelError:
    """The error, with what is made of it; one with a meaning of its own stays."""
    if type(error) is not ModelError or (lesson := learn(status, words)) is None:
        return error
    return ModelError(
        f"{error} {lesson.sentence}",
        retryable=lesson.retry or error.retryable,
        retry_after=0.0 if lesson.retry else error.retry_after,
    )


def _status_phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""


def _read_whole(body: bytes, kind: str) -> Body:
    """The JSON object a body holds."""
    text = body.decode("utf-8-sig", "replace").strip()
    try:
        value = read_json(body.decode("utf-8-sig"))
    except (NotJSON, UnicodeDecodeError):
        if text.startswith("{"):
            raise Unusable(
                f"answered JSON that is broken or cut off: {brief(text)}.",
                retryable=True,
            ) from None
        raise Unusable(
            f"answered no JSON but {brief(text) if text else 'an empty body'} (content "
            f"type {kind or 'not given'}).",
            advice="Check the base URL: most servers want /v1 at its end.",
        ) from None
    if not isinstance(value, dict):
        raise Unusable(f"answered {brief(text)}, which is no JSON object.")
    return value
