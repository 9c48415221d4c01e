"""From what a server said to the exception that tells it.

One sentence: who answered what, in which words, and what to do. Each quotation has the
key hidden before it is shortened.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from mingraph_lite.adapters.error_table.grading import row_for
from mingraph_lite.adapters.error_table.rows import KEY, NAMES, ErrorRow
from mingraph_lite.adapters.error_table.shapes import ErrorReply
from mingraph_lite.adapters.error_table.sizes import sizes_in
from mingraph_lite.adapters.strict_json import brief
from mingraph_lite.errors import ContextOverflow, ModelError, ModelRefused

__all__: Final = ["ErrorTeller"]

_LATER: Final = "The same request may succeed later."
_PAGE: Final = "A proxy, tunnel or firewall answered, not the model's server."
_FITS: Final = (
    "Read out less: a memory such as LastN, shorter results. Or give the model a "
    "larger window (num_ctx in Ollama, -c in llama.cpp, another model elsewhere)."
)
_UNKNOWN_MODEL: Final = re.compile(r"model ['\"]([\w./:-]{1,100})['\"] not found")
_LONGEST: Final = 200
_MOST_REASONS: Final = 3


@dataclass(frozen=True, slots=True)
class ErrorTeller:
    """Tells the errors of one address.

    `hide` takes the key out of what is not our own: an address, a server's words.
    `way` names who stood in between.
    """

    url: str
    model: str
    has_key: bool
    hide: Callable[[str], str] = field(repr=False)
    way: str = ""

    def exception(
        self,
        reply: ErrorReply,
        wait: float | None,
        *,
        status: int | None = None,
        advice: str | None = None,
    ) -> ModelError | ModelRefused:
        """What to raise. `status` is that of HTTP, None where it said OK.

        `advice` is the caller's own, where it knows more than the table.
        """
        row = row_for(reply.status, reply.codes, reply.words, begun=reply.begun)
        url, answered = self.hide(self.url), _answered(reply, status)
        told = f"{url}{self.way} {answered}{self._quoted(reply)}."
        advice = self.advice(row, reply, wait) if advice is None else advice
        if row.becomes == "overflow":
            prompt, window = sizes_in(reply.words, reply.fields)
            size = _in_tokens(prompt, window)
            if reply.page is not None:
                size = f"{_PAGE} The request is longer than what it lets through. "
            return ContextOverflow(
                f"{told} {size}{_FITS}",
                prompt_tokens=prompt,
                context_window=window,
            )
        if row.becomes == "refusal":
            return ModelRefused(f"{told} {advice}")
        return ModelError(f"{told} {advice}", retryable=row.retry, retry_after=wait)

    def advice(self, row: ErrorRow, reply: ErrorReply, wait: float | None) -> str:
        """What helps, in sentences."""
        said = [_PAGE] if reply.page is not None else []
        known = reply.page.origin if reply.page is not None else None
        # Whoever stands in between has not seen whether the key is right.
        said.append(known.advice if known and known.advice else "")
        if not said[-1]:
            said.append(self._filled_in(row, reply))
        if row.retry:
            seconds = f"{wait:.3f}".rstrip("0").rstrip(".") if wait else ""
            later = f"The same request may succeed in {seconds} seconds."
            said.append(later if seconds else _LATER)
        return " ".join(sentence for sentence in said if sentence)

    def names(self) -> str:
        """The advice where the address or the model may be wrong."""
        return NAMES.replace("{model}", repr(self.model))

    def _filled_in(self, row: ErrorRow, reply: ErrorReply) -> str:
        if row.advice == KEY:
            return "Check the key." if self.has_key else "Give a key: api_key=…."
        at_ollama = self.url.endswith("/api/chat") or ":11434/" in self.url
        pull = at_ollama or "try pulling it" in reply.words
        named = _UNKNOWN_MODEL.search(reply.words)
        name = self.hide(named[1]) if named else self.model
        command = f" On an Ollama server get it with: ollama pull {name}"
        path = " Most servers want /v1 at the end of the base URL."
        wanted = "/v1/" not in self.url and "/api/chat" not in self.url
        return (
            row.advice.replace("{model}", repr(self.model))
            .replace("{pull}", command if pull else "")
            .replace("{path}", path if wanted else "")
        )

    def _quoted(self, reply: ErrorReply) -> str:
        if reply.page is not None:
            origin = f" ({reply.page.origin.name})" if reply.page.origin else ""
            title = self._quote(reply.page.title) if reply.page.title else ""
            titled = f" titled {title}" if title else ""
            reasons = self._reasons(reply.texts)
            return f" with a page{titled}{origin}{reasons}"
        attempt = ""
        if reply.attempt:
            attempt = f"; the model had written {self._quote(reply.attempt)}"
        texts = reply.texts or ((reply.whole,) if reply.whole else ())
        return f"{self._reasons(texts)}{attempt}"

    def _reasons(self, texts: tuple[str, ...]) -> str:
        quotes = [self._quote(text) for text in texts[:1] + texts[1:][-_MOST_REASONS:]]
        if not quotes:
            return ""
        rest = f" ({'; '.join(quotes[1:])})" if quotes[1:] else ""
        return f": {quotes[0]}{rest}"

    def _quote(self, text: str) -> str:
        return brief(self.hide(text), _LONGEST)


def _answered(reply: ErrorReply, status: int | None) -> str:
    if status is None:
        if reply.status is None:
            return "answered an error"
        return f"answered error {reply.status}"
    try:
        return f"answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"answered {status}"


def _in_tokens(prompt: int | None, window: int | None) -> str:
    if prompt is not None and window is not None:
        if prompt <= window:
            return (
                f"The prompt is {prompt} tokens long; it shares a window of {window} "
                "with the reply: a smaller max_tokens=… leaves it more. "
            )
        return f"The prompt is {prompt} tokens long, and {window} fit. "
    if prompt is not None:
        return f"The prompt is {prompt} tokens long. "
    if window is not None:
        return f"The prompt is too long: {window} tokens fit. "
    return "The prompt is longer than the model's window. "
