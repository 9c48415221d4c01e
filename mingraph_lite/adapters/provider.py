"""One request to one address: sent, graded, its key kept.

Each error names the address, what came from it, and what to do. None shows the key, not
even where the server repeats it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from mingraph_lite.adapters.error_pages import Page, page_in
from mingraph_lite.adapters.error_replies import Unusable, raise_if_error, text_of
from mingraph_lite.adapters.error_shapes import ErrorReply, read_error
from mingraph_lite.adapters.error_table import row_for
from mingraph_lite.adapters.error_waits import asked_wait
from mingraph_lite.adapters.error_words import ErrorTeller
from mingraph_lite.adapters.strict_json import (
    Body,
    NotJSON,
    brief,
    read_json,
)
from mingraph_lite.adapters.transports import Request, Response, Transport
from mingraph_lite.errors import ModelError, ModelRefused

__all__: Final = ["Merge", "Provider", "checked_key", "keys_in_words"]

type Merge = Callable[[Iterator[bytes]], Body]
"""Makes one reply out of the pieces of a stream."""

_SHORTEST_KEY: Final = 6
_BASE_URL: Final = "Check the base URL: most servers want /v1 at its end."


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

    def ask(self, payload: Body, merge: Merge, *, streamed: bool) -> Body:
        """Send once, and read the reply in whichever of the two forms it comes.

        What came decides, not what was asked for: some servers ignore `stream`.
        """
        response = self.transport(self._request(payload))
        with contextlib.ExitStack() as at_the_end, self.naming_the_address():
            # A generator that was not read to its end still holds the connection.
            if close := getattr(response.chunks, "close", None):
                at_the_end.callback(close)
            if not 200 <= response.status < 300:
                raise self._error_for(response)
            kind = response.headers.get("content-type", "").lower()
            other = "html" in kind or ("json" in kind and "ndjson" not in kind)
            if "event-stream" in kind or "ndjson" in kind or (streamed and not other):
                return merge(response.chunks)
            return _read_whole(b"".join(response.chunks), kind)

    @contextmanager
    def naming_the_address(self) -> Iterator[None]:
        """Turn an unusable reply into a ModelError that names the address.

        Where the server itself said that it is too long or not allowed, it is a
        ContextOverflow or a ModelRefused.
        """
        try:
            yield
        except Unusable as error:
            if error.told is not None:
                raise self._told(error.told, {}) from None
            raise ModelError(
                self._without_key(f"{self.url} {error} {self._advice(error)}"),
                retryable=error.retryable,
            ) from None

    def _request(self, payload: Body) -> Request:
        # No header beyond these two: in a browser each other one can be refused before
        # the request is made.
        headers = {"Content-Type": "application/json"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        # What is no strict JSON after all is an error here, not at the server.
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False).encode()
        return Request("POST", self.url, headers, body, self.timeout)

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
        return self._told(told, response.headers, status, advice)

    def _told(
        self,
        told: ErrorReply,
        headers: Mapping[str, str],
        status: int | None = None,
        advice: str | None = None,
    ) -> ModelError | ModelRefused:
        too_many = told.status == 429
        wait = asked_wait(
            headers, told.fields, told.words, self.clock(), too_many=too_many
        )
        return self._teller().exception(told, wait, status=status, advice=advice)

    def _teller(self) -> ErrorTeller:
        return ErrorTeller(self.url, self.model, bool(self.api_key), self._without_key)

    def _advice(self, error: Unusable) -> str:
        if error.advice is not None:
            return error.advice
        meant = ErrorReply(error.status or (500 if error.retryable else None))
        row = row_for(meant.status, meant.codes, meant.words)
        return self._teller().advice(row, meant, None)

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


def _read_whole(body: bytes, kind: str) -> Body:
    """The JSON object a body holds."""
    text = body.decode("utf-8-sig", "replace").strip()
    try:
        value = read_json(body.decode("utf-8-sig"))
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
    raise_if_error(value)
    if not isinstance(value, dict):
        raise Unusable(f"answered {brief(text)}, which is no JSON object.")
    return value


def _instead_of_json(page: Page, kind: str) -> str:
    origin = f" ({page.origin.name})" if page.origin else ""
    titled = f" titled {brief(page.title)}" if page.title else ""
    return (
        f"answered no JSON but a page{titled}{origin} (content type "
        f"{kind or 'not given'}). A proxy, tunnel, firewall or web site answered, not "
        f"the model's API.{f' {page.origin.advice}' if page.origin else ''}"
    ).rstrip()
