"""A model behind Ollama's own chat API, `/api/chat`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mingraph_lite.adapters.addresses import ollama_base
from mingraph_lite.adapters.error_replies import Unusable, raise_if_error
from mingraph_lite.adapters.keys import checked_headers, sealed_headers
from mingraph_lite.adapters.openai_messages import write_messages
from mingraph_lite.adapters.provider import Provider, keys_in_words
from mingraph_lite.adapters.replies import read_content, read_message, token_count
from mingraph_lite.adapters.streams import (
    DeltaRelay,
    broken_stream,
    json_lines,
    text_lines,
)
from mingraph_lite.adapters.strict_json import Body, as_object, too_deep
from mingraph_lite.adapters.tool_calls import legal_name
from mingraph_lite.adapters.transports import Transport, Urllib3Transport
from mingraph_lite.llm import LLMResponse, Menu, TextListener, Usage
from mingraph_lite.messages import Message, ToolCall, ToolMessage
from mingraph_lite.schema.jsonable import jsonable

__all__: Final = ["OllamaChat"]


class OllamaChat:
    """A model on an Ollama server: one `generate` is one request.

    `think` asks for reasoning (or forbids it) where the model can; None leaves it to
    the server. `options` are Ollama's own, such as `{"num_ctx": 8192}`: its default
    context is small, and what does not fit is dropped without a word. `timeout` is the
    longest silence in seconds, as for OpenAIChat: 600 for a server near by. `headers`
    are sent too, such as a proxy's key, and shown nowhere.
    """

    def __init__(
        self,
        model: str,
        host: str = "http://127.0.0.1:11434",
        *,
        think: bool | str | None = None,
        transport: Transport | None = None,
        timeout: float | None = None,
        headers: Mapping[str, str | None] | None = None,
        options: Mapping[str, object] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        # From here on no frame of a traceback shows what is secret.
        added, headers = sealed_headers(headers), None
        self.model = model
        self.host = ollama_base(host)
        self._extra: Body = {} if think is None else {"think": think}
        if options:
            self._extra["options"] = dict(options)
        url = f"{self.host}/api/chat"
        self._provider = Provider(
            url,
            model,
            None,
            transport or Urllib3Transport(),
            timeout,
            clock,
            checked_headers(added),
        )

    def __repr__(self) -> str:
        return f"OllamaChat({self.model!r}, {self.host!r})"

    def payload(self, messages: Sequence[Message], menu: Menu = ()) -> dict[str, Any]:
        """The body of the request: strict JSON, whatever the messages hold."""
        body: Body = {
            "model": self.model,
            "messages": write_messages(
                messages,
                write_call=_write_call,
                write_result=_write_result,
                without_text={},
            ),
            "stream": False,
        }
        if menu:
            body["tools"] = list(menu)
        strict: dict[str, Any] = jsonable({**body, **self._extra})
        return strict

    def parse(self, reply: Mapping[str, Any]) -> LLMResponse:
        """The response for a whole reply; raises ModelError for what is none."""
        with self._provider.naming_the_address():
            return _read_chat(reply)

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Ask once. With `on_text_delta` the reply is streamed to it as it comes."""
        streamed = on_text_delta is not None
        body = {**self.payload(messages, menu), "stream": streamed}
        relay = DeltaRelay(on_text_delta)

        def merge(chunks: Iterator[bytes]) -> Body:
            return _merged(json_lines(text_lines(chunks)), relay)

        response = self.parse(self._provider.ask(body, merge, streamed=streamed))
        text = response.message.content
        if on_text_delta is not None and text and not relay.has_passed_on:
            on_text_delta(text)
        return response


def _write_call(call: ToolCall) -> Body:
    return {"function": {"name": legal_name(call.name), "arguments": call.arguments}}


def _write_result(result: ToolMessage) -> Body:
    # Results are matched by name and order; older servers know no ids.
    return {"tool_name": legal_name(result.name)}


def _merged(chunks: Iterable[Body], relay: DeltaRelay) -> Body:
    """The reply whose pieces the chunks are; the last one says `done`.

    Tool calls come whole, in one chunk or in several.
    """
    texts: dict[str, list[str]] = {"content": [], "thinking": []}
    calls: list[Any] = []
    for chunk in chunks:
        raise_if_error(chunk)
        message = as_object(chunk.get("message"))
        for name, pieces in texts.items():
            pieces.append(read_content(message.get(name)).text)
        relay.pass_on(texts["content"][-1])
        sent = message.get("tool_calls")
        calls.extend(sent if isinstance(sent, list) else [sent] if sent else [])
        if chunk.get("done") is True:
            relay.end()
            whole = {name: "".join(pieces) for name, pieces in texts.items()}
            return {**chunk, "message": {**whole, "tool_calls": calls}}
    raise broken_stream()


def _read_chat(reply: object) -> LLMResponse:
    """The message of a reply; Unusable for anything else."""
    if too_deep(reply):
        raise Unusable("answered a reply that is nested too deep to be one.")
    raise_if_error(reply)
    chat = as_object(reply)
    message = chat.get("message")
    if not isinstance(message, dict):
        raise Unusable(
            f"answered no message, but these keys: {keys_in_words(chat)}.",
            advice="Check that an Ollama server is at this address.",
        )
    usage = Usage(
        token_count(chat.get("prompt_eval_count")), token_count(chat.get("eval_count"))
    )
    return read_message(
        message,
        finish_reason=chat.get("done_reason"),
        model=chat.get("model"),
        usage=None if usage == Usage() else usage,
    )
