"""A model behind Ollama's own chat API, `/api/chat`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mingraph_lite.adapters.addresses import ollama_base
from mingraph_lite.adapters.outgoing import is_void, said
from mingraph_lite.adapters.provider import Provider, keys
from mingraph_lite.adapters.replies import (
    Body,
    Unusable,
    count,
    raise_if_error,
    read_message,
    spoken,
    table,
)
from mingraph_lite.adapters.streams import Speaker, cut_off, json_lines, text_lines
from mingraph_lite.adapters.strict_json import sendable, too_deep
from mingraph_lite.adapters.tool_calls import legal_name
from mingraph_lite.adapters.transports import Transport, urllib3_transport
from mingraph_lite.llm import LLMResponse, Menu, TextListener, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
)

__all__: Final = ["OllamaChat"]


class OllamaChat:
    """A model on an Ollama server: one `generate` is one request.

    `think` asks for reasoning (or forbids it) where the model can; None leaves it to
    the server. `options` are Ollama's own, such as `{"num_ctx": 8192}`: its default
    context is small, and what does not fit is dropped without a word. `timeout` is the
    longest silence in seconds; loading a large model may need more.
    """

    def __init__(
        self,
        model: str,
        host: str = "http://127.0.0.1:11434",
        *,
        think: bool | str | None = None,
        transport: Transport = urllib3_transport,
        timeout: float = 60.0,
        options: Mapping[str, object] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.model = model
        self.host = ollama_base(host)
        self._extra: Body = {} if think is None else {"think": think}
        if options:
            self._extra["options"] = dict(options)
        url = f"{self.host}/api/chat"
        self._provider = Provider(url, model, None, transport, timeout, clock)

    def __repr__(self) -> str:
        return f"OllamaChat({self.model!r}, {self.host!r})"

    def payload(self, messages: Sequence[Message], menu: Menu = ()) -> dict[str, Any]:
        """The body of the request: strict JSON, whatever the folder holds."""
        body: Body = {
            "model": self.model,
            "messages": [_as_sent(m) for m in messages if not is_void(m)],
            "stream": False,
        }
        if menu:
            body["tools"] = list(menu)
        strict: dict[str, Any] = sendable({**body, **self._extra})
        return strict

    def parse(self, reply: Mapping[str, Any]) -> LLMResponse:
        """The envelope for a whole reply; raises ModelError for what is none."""
        with self._provider.naming():
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
        speaker = Speaker(on_text_delta)

        def merge(chunks: Iterator[bytes]) -> Body:
            return _merged(json_lines(text_lines(chunks)), speaker)

        response = self.parse(self._provider.ask(body, merge, streamed=streamed))
        text = response.message.content
        if on_text_delta is not None and text and not speaker.has_spoken:
            on_text_delta(text)
        return response


def _as_sent(message: Message) -> Body:
    """One message of the folder as Ollama takes it."""
    match message:
        case SystemMessage(content):
            return {"role": "system", "content": content}
        case UserMessage(content):
            return {"role": "user", "content": said(content)}
        case ToolMessage(content, _, name):
            # Answers are matched by name and order; older servers know no ids.
            name = legal_name(name)
            return {"role": "tool", "tool_name": name, "content": said(content)}
        case AssistantMessage(content, ()):
            return {"role": "assistant", "content": said(content)}
        case AssistantMessage(content, calls):
            slips = [
                {"function": {"name": legal_name(c.name), "arguments": c.arguments}}
                for c in calls
            ]
            text = {"content": content} if content.strip() else {}
            return {"role": "assistant", **text, "tool_calls": slips}


def _merged(chunks: Iterable[Body], speaker: Speaker) -> Body:
    """The reply whose pieces the chunks are; the last one says `done`.

    Slips come whole, in one chunk or in several.
    """
    told: dict[str, list[str]] = {"content": [], "thinking": []}
    slips: list[Any] = []
    for chunk in chunks:
        raise_if_error(chunk)
        message = table(chunk.get("message"))
        for name, texts in told.items():
            texts.append(spoken(message.get(name)).text)
        speaker.say(told["content"][-1])
        sent = message.get("tool_calls")
        slips.extend(sent if isinstance(sent, list) else [sent] if sent else [])
        if chunk.get("done") is True:
            speaker.end()
            whole = {name: "".join(texts) for name, texts in told.items()}
            return {**chunk, "message": {**whole, "tool_calls": slips}}
    raise cut_off()


def _read_chat(reply: object) -> LLMResponse:
    """The message of a reply; Unusable for anything else."""
    if too_deep(reply):
        raise Unusable("answered a reply that is nested too deep to be one.")
    raise_if_error(reply)
    chat = table(reply)
    message = chat.get("message")
    if not isinstance(message, dict):
        raise Unusable(
            f"answered no message, but these keys: {keys(chat)}.",
            advice="Check that an Ollama server is at this address.",
        )
    usage = Usage(count(chat.get("prompt_eval_count")), count(chat.get("eval_count")))
    return read_message(
        message,
        finish_reason=chat.get("done_reason"),
        model=chat.get("model"),
        usage=None if usage == Usage() else usage,
    )
