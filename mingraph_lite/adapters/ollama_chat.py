"""A model behind Ollama's own chat API, `/api/chat`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mingraph_lite.adapters.addresses import ollama_base
from mingraph_lite.adapters.error_replies import Unusable, raise_if_error
from mingraph_lite.adapters.handed_in import checked_menu, checked_messages
from mingraph_lite.adapters.headers import checked_headers, sealed_headers
from mingraph_lite.adapters.hiding import unseen
from mingraph_lite.adapters.keys import Key
from mingraph_lite.adapters.openai_messages import write_messages
from mingraph_lite.adapters.provider import Provider, keys_in_words
from mingraph_lite.adapters.replies import (
    REASONING_NAMES,
    read_content,
    read_message,
    token_count,
)
from mingraph_lite.adapters.server_wants.beside import (
    addressed,
    sent_back,
    sent_back_with_message,
    with_beside,
    without_query,
)
from mingraph_lite.adapters.server_wants.learning import Wants
from mingraph_lite.adapters.server_wants.options import (
    checked_extra,
    checked_flag,
    checked_options,
    put_in,
    set_by_caller,
)
from mingraph_lite.adapters.streams import (
    DeltaRelay,
    broken_stream,
    json_lines,
    text_lines,
)
from mingraph_lite.adapters.strict_json import Body, as_object, too_deep
from mingraph_lite.adapters.tool_calls import legal_name
from mingraph_lite.adapters.transports import Transport, Urllib3Transport
from mingraph_lite.endings import ending_of, given_reason
from mingraph_lite.llm import LLMResponse, Menu, TextListener, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    Extra,
    Message,
    ToolCall,
    ToolMessage,
)
from mingraph_lite.schema.jsonable import jsonable

__all__: Final = ["OllamaChat"]

_NAMES: Final = {"max_tokens": "num_predict"}
_TEXTS: Final = ("content", *REASONING_NAMES, "refusal")


class OllamaChat:
    """A model on an Ollama server: one `generate` is one request.

    `think` asks for reasoning (or forbids it) where the model can; None leaves it to
    the server; `send_reasoning` sends a reply's reasoning back while its tools are run.
    `options` are Ollama's own, such as `{"num_ctx": 8192}`: its default context is
    small, and what does not fit is dropped without a word. `temperature`, `seed` and
    `max_tokens` (Ollama's `num_predict`) are put among them; where `options` name one
    too, theirs counts. Other fields of the request go into `extra`; None, in there or
    among the options, leaves one out. Where a server refuses what was set here and can
    be left out, that is left out from then on: the error says so and is retryable.

    `timeout` is the longest silence in seconds, as for OpenAIChat: 600 for a server
    near by. `headers` are sent too, such as a proxy's key, and shown nowhere.
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
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        send_reasoning: bool = False,
        options: Mapping[str, object] | None = None,
        extra: Mapping[str, object] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        # From here on no frame of a traceback shows what is secret.
        added, headers = sealed_headers(headers), None
        read_host, host = unseen(ollama_base, host), ""
        self.model = model
        self.host = read_host()
        if not (think is None or isinstance(think, bool | str)):
            raise TypeError(
                f"think is {think!r:.80}. It is True, False, a level such as 'low', or "
                "None where the server is to decide."
            )
        named = checked_options(
            temperature=temperature, max_tokens=max_tokens, seed=seed
        )
        among = {_NAMES.get(name, name): value for name, value in named.items()}
        own = put_in(among, checked_extra(options, "options"))
        thinks = {} if think is None else {"think": think}
        self._extra: Body = {**thinks, **({"options": own} if own else {})}
        self._extra |= checked_extra(extra)
        given = {
            **set_by_caller({**named, **thinks}, extra),
            **{_NAMES.get(name, name): f"{name}=" for name in named},
            **set_by_caller({}, options, "options"),
        }
        self._address = without_query(self.host)
        self._sends_reasoning = checked_flag("send_reasoning", send_reasoning)
        self._wants = Wants(given, None, send_reasoning)
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

    def about(self) -> dict[str, Any]:
        """The settings of this model, for who writes down what was run."""
        return {"host": self.host, "options": jsonable(self._extra)}

    def known_secrets(self) -> tuple[Key, ...]:
        """What must be shown nowhere, out of sight: what headers hold."""
        return self._provider.known_secrets()

    def payload(self, messages: Sequence[Message], menu: Menu = ()) -> dict[str, Any]:
        """The body of the request: strict JSON, whatever the messages hold.

        It is as this server has been found to want it.
        """
        return self._body(messages, menu, streamed=False)

    def _body(self, messages: Sequence[Message], menu: Menu, *, streamed: bool) -> Body:
        checked_messages(messages)
        checked_menu(menu)
        ids = self._ids_of_its_own(messages)

        def write_result(result: ToolMessage) -> Body:
            # Results are matched by name and order; older servers know no ids.
            id = ids.get(result.tool_call_id)
            name = {"tool_name": legal_name(result.name)}
            return name if id is None else {**name, "tool_call_id": id}

        body: Body = {
            "model": self.model,
            "messages": write_messages(
                messages,
                write_call=self._write_call,
                write_result=write_result,
                without_text={},
                write_beside=self._write_beside,
            ),
            "stream": streamed,
        }
        if menu:
            body["tools"] = list(menu)
        strict: Body = self._wants.apply(jsonable(put_in(body, self._extra)))
        if "stream" not in self._extra:
            # Left out, it would mean a stream.
            strict.setdefault("stream", False)
        return strict

    def parse(self, reply: Mapping[str, Any], menu: Menu = ()) -> LLMResponse:
        """The response for a whole reply; raises ModelError for what is none.

        A text that is a call as a whole counts as one if its tool is on the menu.
        """
        response = self._provider.reading(lambda: _read_chat(reply, menu))
        message = as_object(reply.get("message"))
        return addressed(
            _with_sent_ids(response, message),
            message,
            self._address,
            reasoning=self._sends_reasoning,
        )

    def _ids_of_its_own(self, messages: Sequence[Message]) -> dict[str, str]:
        """The ids that this server gave to calls, by those they have in the folder."""
        return {
            call.id: str(sent["id"])
            for message in messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
            if "id" in (sent := sent_back(call.extra, self._address))
        }

    def _write_call(self, call: ToolCall) -> Body:
        function = {"name": legal_name(call.name), "arguments": call.arguments}
        return with_beside({"function": function}, call.extra, self._address)

    def _write_beside(self, said: AssistantMessage, now: bool) -> Body:
        wanted = self._sends_reasoning and now
        return sent_back_with_message(said.extra, self._address, reasoning=wanted)

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Ask once. With `on_text_delta` the reply is streamed to it as it comes."""
        body = self._body(messages, menu, streamed=on_text_delta is not None)
        relay = DeltaRelay(on_text_delta, menu)

        def merge(chunks: Iterator[bytes]) -> Body:
            return _merged(json_lines(text_lines(chunks)), relay)

        reply = self._provider.ask(
            body,
            merge,
            streamed=bool(body.get("stream")),
            learn=lambda status, words: self._wants.learn(status, words, body),
        )
        response = self.parse(reply, menu)
        relay.finish(response.message.content)
        return response


def _with_sent_ids(response: LLMResponse, message: Body) -> LLMResponse:
    """The response whose calls keep the ids that the server gave them, to send back."""
    entries = message.get("tool_calls")
    calls = response.message.tool_calls
    if not isinstance(entries, list) or len(entries) != len(calls):
        return response
    kept = tuple(map(_with_sent_id, calls, entries))
    return replace(response, message=replace(response.message, tool_calls=kept))


def _with_sent_id(call: ToolCall, entry: object) -> ToolCall:
    id = as_object(entry).get("id")
    if not isinstance(id, str) or not id:
        return call
    sent = call.extra.sent if call.extra else {}
    return replace(call, extra=Extra("", {**sent, "id": id}))


def _merged(chunks: Iterable[Body], relay: DeltaRelay) -> Body:
    """The reply whose pieces the chunks are; the last one says `done`.

    Tool calls come whole, in one chunk or in several.
    """
    texts: dict[str, list[str]] = {name: [] for name in _TEXTS}
    calls: list[Any] = []
    begun = False
    for chunk in _without_errors(chunks):
        begun = begun or isinstance(chunk.get("message"), dict)
        message = as_object(chunk.get("message"))
        for name, pieces in texts.items():
            pieces.append(read_content(message.get(name)).text)
        relay.pass_on(texts["content"][-1])
        sent = message.get("tool_calls")
        calls.extend(sent if isinstance(sent, list) else [sent] if sent else [])
        if chunk.get("done") is True:
            if not begun:
                return chunk
            whole = {name: "".join(pieces) for name, pieces in texts.items()}
            return {**chunk, "message": {**whole, "tool_calls": calls}}
    raise broken_stream()


def _without_errors(chunks: Iterable[Body]) -> Iterator[Body]:
    """The chunks; an error among them knows whether it is the first."""
    begun = False
    try:
        for chunk in chunks:
            raise_if_error(chunk)
            yield chunk
            begun = True
    except Unusable as error:
        error.begun = begun
        raise


def _read_chat(reply: object, menu: Menu) -> LLMResponse:
    """The message of a reply; Unusable for anything else."""
    if too_deep(reply):
        raise Unusable("answered a reply that is nested too deep to be one.")
    raise_if_error(reply)
    chat = as_object(reply)
    if chat.get("done", True) is not True:
        raise broken_stream()
    message = chat.get("message")
    if message is None and ending_of(given_reason(chat.get("done_reason"))) != "end":
        message = {}
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
        menu=menu,
    )
