"""Which reply is an error, what it says, whether to ask again.

A new kind of error of a provider is written down here: its status, its words, its wait.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from mingraph_lite.adapters.strict_json import NotJSON, as_object, brief, read_json
from mingraph_lite.adapters.transports import Response
from mingraph_lite.errors import ModelError

__all__: Final = [
    "Unusable",
    "explanation_in",
    "may_succeed_later",
    "raise_if_error",
    "retry_after",
]

_STATUS_BY_WORD: Final = {
    "rate_limit": 429,
    "overloaded": 503,
    "unavailable": 503,
    "server_error": 500,
    "timeout": 408,
    "api_key": 401,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "context_length": 400,
    "invalid_request": 400,
}
"""Words in the code or type of an error that came without a number.

The first that is found counts: a type says less than a code.
"""

_MOST_OF_A_PAGE: Final = 100_000
"""So much of an error page is read, to be quoted."""


class Unusable(Exception):
    """What came back is no reply; says why.

    Whoever knows the address names it, and says what to do: `advice`, or what helps
    with the `status` that this should have been.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        advice: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.retryable = may_succeed_later(status) if status else retryable
        self.advice = advice


def may_succeed_later(status: int) -> bool:
    """Whether a status means "not now": a timeout, a conflict, too much, a fault."""
    return status in {408, 409, 429} or 500 <= status < 600


def raise_if_error(reply: object) -> None:
    """Raise Unusable for an error that travels with status 200.

    Gateways do that when they learn of an error after they have answered. It is graded
    by the code it names, like the status it should have been.
    """
    error = as_object(reply).get("error")
    if not error:
        return
    details = error if isinstance(error, dict) else {"message": error}
    words = brief(details.get("message") or details, 200)
    for code in (details.get("code"), details.get("status")):
        if (status := _status_of(code)) is not None:
            raise Unusable(f"answered error {status}: {words}.", status=status)
    named = [details.get(key) for key in ("code", "type")]
    names = " ".join(name.lower() for name in named if isinstance(name, str))
    found = (word for word in _STATUS_BY_WORD if word in names)
    meant = next((_STATUS_BY_WORD[word] for word in found), None)
    raise Unusable(f"answered an error: {words}.", status=meant)


def _status_of(code: object) -> int | None:
    """The status a code stands for; some gateways send it as text."""
    if isinstance(code, str) and re.fullmatch("[1-5][0-9]{2}", code):
        return int(code)
    return code if isinstance(code, int) and 100 <= code < 600 else None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds a server asks to wait, given as a number or as a date."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def explanation_in(response: Response) -> str:
    """How the server explains its refusal, in JSON or on a page."""
    body = b""
    # The status is what counts; a body that breaks off must not hide it.
    with contextlib.suppress(ModelError):
        for chunk in response.chunks:
            body += chunk
            if len(body) > _MOST_OF_A_PAGE:
                break
    text = body.decode("utf-8-sig", "replace")
    try:
        value = as_object(read_json(text))
    except NotJSON:
        return text.strip()
    error = value.get("error") or value
    details = as_object(error)
    for words in (error, details.get("message"), details.get("detail")):
        if isinstance(words, str):
            return words
    return text.strip()
