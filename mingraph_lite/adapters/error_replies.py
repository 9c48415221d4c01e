"""Which reply is an error, and what is raised for it.

In `error_table/`, `shapes` reads what an error says, `grading` decides what it means,
and `words` tells it.
"""

from __future__ import annotations

import contextlib
from typing import Final

from mingraph_lite.adapters.error_table.grading import may_succeed_later
from mingraph_lite.adapters.error_table.shapes import ErrorReply, read_error
from mingraph_lite.adapters.strict_json import as_object
from mingraph_lite.adapters.transports import Response
from mingraph_lite.errors import ModelError

__all__: Final = ["Unusable", "raise_if_error", "text_of"]

_MOST_OF_A_PAGE: Final = 100_000
"""So much of an error page is read, to be quoted."""

_REASONS: Final = {"message", "Message", "msg", "errors", "fault", "base_resp"}


class Unusable(Exception):
    """What came back is no reply; says why.

    Whoever knows the address names it, and says what to do: `advice`, or what helps
    with the `status` that this should have been. `told` is what a server said, where it
    sent an error: nothing of it is quoted before the key has been hidden. `begun` says
    that a part of the reply had come before it.
    """

    begun = False

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        advice: str | None = None,
        told: ErrorReply | None = None,
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.retryable = may_succeed_later(status) if status else retryable
        self.advice = advice
        self.told = told


def raise_if_error(reply: object, *, in_stream: bool = False) -> None:
    """Raise Unusable for an error that travels with status 200.

    Gateways do that when they learn of an error after they have answered, and some
    servers in the middle of a stream. It is graded like the status it should have been.
    `in_stream` is for one piece of a stream, where less is needed to be an error.
    """
    if not _is_error(reply, in_stream):
        return
    told = read_error(reply, None)
    words = told.words or told.whole
    raise Unusable(f"answered an error: {words}", status=told.status, told=told)


def _is_error(reply: object, in_stream: bool) -> bool:
    """Whether there is an `error`, or a reason where the reply should be."""
    if isinstance(reply, list):
        return bool(reply) and _is_error(reply[0], in_stream)
    known = as_object(reply)
    if known.get("error"):
        return True
    if known.get("choices") or isinstance(known.get("message"), dict):
        return False
    if "finish_reason" in known or "delta" in known or "done" in known:
        return False
    told = read_error(known, None)
    # A lone `detail` in place of a reply says that this is another server, which is
    # found by its keys; in a stream of this one it is an error.
    known_as = told.status or told.codes or in_stream or _REASONS & known.keys()
    return bool(told.texts and known_as)


def text_of(response: Response) -> str:
    """The body of an error, as far as it comes.

    The status is what counts; a body that breaks off must not hide it.
    """
    pieces: list[bytes] = []
    length = 0
    with contextlib.suppress(ModelError):
        for chunk in response.chunks:
            pieces.append(chunk)
            length += len(chunk)
            if length > _MOST_OF_A_PAGE:
                break
    return b"".join(pieces).decode("utf-8-sig", "replace").strip()
