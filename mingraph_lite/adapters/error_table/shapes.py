"""What an error says, in whichever shape it comes.

Object, list or text, with an `error` key or without, the reason outside or wrapped
several layers deep: all are gone through by the same few lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from mingraph_lite.adapters.error_table.pages import Page, page_in
from mingraph_lite.adapters.error_table.waits import WAIT_FIELDS
from mingraph_lite.adapters.strict_json import (
    NotJSON,
    as_object,
    first_object,
    read_json,
)
from mingraph_lite.schema.jsonable import write_json

__all__: Final = ["ErrorReply", "read_error"]

_TEXTS: Final = (
    "message",
    "msg",
    "status_msg",
    "title",
    "detail",
    "errormessage",
    "error_message",
    "error_description",
    "description",
    "faultstring",
    "reason",
    "blockreason",
    "block_reason",
    "blockreasonmessage",
    "raw",
)
"""Keys, in lower case, under which a reason stands, what says more last."""

_INSIDE: Final = (
    "error",
    "errors",
    "fault",
    "detail",
    "details",
    "innererror",
    "inner_error",
    "metadata",
    "headers",
    "provider_specific_fields",
    "violations",
    "fieldviolations",
    "cause",
    "body",
    "base_resp",
    "promptfeedback",
    "prompt_feedback",
)
"""Keys that lead further in, to the error that was wrapped."""

_CODES: Final = (
    "code",
    "type",
    "__type",
    "status",
    "statuscode",
    "status_code",
    "errorcode",
    "error_code",
    "error_type",
    "reason",
    "quotaid",
    "error",
)
_FIELDS: Final = {
    *WAIT_FIELDS,
    *("x-ratelimit-reset", "n_prompt_tokens", "n_ctx", "param"),
}
_FILTERS: Final = ("content_filter_result", "content_filter_results")
_ATTEMPT: Final = "failed_generation"

_STATUS_IN_WORDS: Final = re.compile(
    r"\b(?:error|status)[ _]code:? ([45]\d\d)\b", re.IGNORECASE
)
_SAYS_LITTLE: Final = {None, 200, 400, 500, 502}
"""Statuses that gateways give to what they wrap: the status inside says more."""

_LONGEST: Final = 100_000
_MOST_PARTS: Final = 200
_DEEPEST: Final = 16


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """What a server says of an error.

    `status` is the one that counts, `texts` are the reasons from the outermost to the
    one that was wrapped, `codes` all codes and types in one line. `whole` is quoted
    where no reason is found, `attempt` what the model had written. `begun` says that a
    part of the reply had come before it.
    """

    status: int | None
    codes: str = ""
    texts: tuple[str, ...] = ()
    attempt: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)
    page: Page | None = None
    whole: str = ""
    begun: bool = False

    @property
    def words(self) -> str:
        """All reasons in one text, as much as is searched."""
        return "\n".join(self.texts)[:8000]


def read_error(
    value: object, status: int | None, page: Page | None = None
) -> ErrorReply:
    """What an error says: JSON of any shape, or a text. `status` is that of HTTP.

    A gateway gives 400, 500 or 502 to whatever it wraps; there the innermost status
    that the body names counts, everywhere else the one of HTTP.
    """
    walk = _Walk().through(value)
    inner = walk.statuses[-1] if walk.statuses else None
    counts = inner if inner and status in _SAYS_LITTLE else status
    return ErrorReply(
        counts,
        " ".join(walk.codes),
        tuple(walk.texts),
        walk.attempt,
        walk.fields,
        page or walk.page,
        _whole(value),
    )


def _whole(value: object) -> str:
    """What is quoted where no reason is found."""
    if isinstance(value, str):
        return value
    inner = as_object(value).get("error") or value
    shown = as_object(inner).get("message") or inner
    return shown if isinstance(shown, str) else write_json(shown)


class _Walk:
    """Goes through an error from the outside in, and keeps what it says."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.codes: list[str] = []
        self.statuses: list[int] = []
        self.fields: dict[str, object] = {}
        self.attempt = ""
        self.page: Page | None = None
        self._left = _MOST_PARTS

    def through(self, value: object, depth: int = 0) -> Self:
        """Take in this part; beyond some depth and number nothing more is read."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return self
        match value:
            case str():
                self._take_text(value, depth)
            case list():
                for item in value[:20]:
                    self.through(item, depth + 1)
            case dict():
                self._take_object(value, depth)
        return self

    def _take_object(self, value: dict[str, Any], depth: int) -> None:
        known = {name.lower(): item for name, item in value.items()}
        for name in _CODES:
            self._take_code(known.get(name))
        if "blockreason" in known or "block_reason" in known:
            self.codes.append("blocked_prompt")
        for name in _FIELDS & known.keys():
            self.fields.setdefault(name, known[name])
        attempt = known.get(_ATTEMPT)
        if attempt and not self.attempt:
            self.attempt = attempt if isinstance(attempt, str) else write_json(attempt)
        self._take_place(known)
        for name in _TEXTS:
            self.through(known.get(name), depth + 1)
        for name in _INSIDE:
            if name not in _TEXTS:
                self.through(known.get(name), depth + 1)
        for name in _FILTERS:
            self._take_filters(as_object(known.get(name)))
        if not self.texts and isinstance(known.get("errors"), dict):
            for name, item in known["errors"].items():
                self._take_text(f"{name}: {_whole(item)}", depth)

    def _take_code(self, code: object) -> None:
        if (status := _status_of(code)) is not None:
            self.statuses.append(status)
        elif isinstance(code, str) and len(code) < 200 and len(code.split()) < 6:
            self.codes.append(re.sub(r"[\s-]", "_", code.strip().lower()))

    def _take_place(self, known: dict[str, Any]) -> None:
        """FastAPI says in a list of its own which part of the request is meant."""
        place, words = known.get("loc"), known.get("msg")
        if isinstance(place, list) and isinstance(words, str):
            known["msg"] = f"{'.'.join(str(part) for part in place)}: {words}"

    def _take_filters(self, results: dict[str, Any]) -> None:
        """Azure says which of its filters it was."""
        struck = [n for n, r in results.items() if as_object(r).get("filtered") is True]
        if struck:
            self.texts.append(f"filtered: {', '.join(struck)}")

    def _take_text(self, text: str, depth: int) -> None:
        text = text[:_LONGEST].strip()
        if page := page_in(text):
            self.page = self.page or page
            return
        before, wrapped = _wrapped_in(text)
        if wrapped is not None:
            had = len(self.texts)
            if before:
                self._add(before)
            begun = len(self.texts)
            self.through(wrapped, depth + 1)
            if len(self.texts) > begun or self.page:
                return
            del self.texts[had:]
        self._add(text)

    def _add(self, text: str) -> None:
        self.statuses += [int(found) for found in _STATUS_IN_WORDS.findall(text[:8000])]
        if text and not any(text in other for other in self.texts):
            self.texts.append(text)


def _wrapped_in(text: str) -> tuple[str, object]:
    """A text that ends in JSON: what stands before it, and its value or None."""
    if text[:1] in {"{", "["}:
        try:
            return "", read_json(text)
        except NotJSON:
            pass
    found = first_object(text) if '"' in text else None
    return (found[0].strip(" \n-:"), found[1]) if found else ("", None)


def _status_of(code: object) -> int | None:
    """The status a code stands for; some gateways send it as text."""
    if isinstance(code, str) and re.fullmatch("[45][0-9]{2}", code.strip()):
        return int(code)
    if isinstance(code, bool) or not isinstance(code, int):
        return None
    return code if 400 <= code < 600 else None
