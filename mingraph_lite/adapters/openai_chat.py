"""A model behind OpenAI's chat completions API, which most servers speak."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from mingraph_lite.adapters.actions import (
    action_format,
    as_actions,
    plain_messages,
    with_menu,
)
from mingraph_lite.adapters.addresses import openai_base
from mingraph_lite.adapters.error_replies import Unusable, raise_if_error
from mingraph_lite.adapters.merging import merge_chunks
from mingraph_lite.adapters.openai_messages import openai_call, write_messages
from mingraph_lite.adapters.provider import Provider, checked_key, keys_in_words
from mingraph_lite.adapters.replies import read_message, token_count
from mingraph_lite.adapters.streams import (
    DeltaRelay,
    instead_of_events,
    server_sent_events,
    text_lines,
)
from mingraph_lite.adapters.strict_json import Body, as_object, too_deep
from mingraph_lite.adapters.transports import Transport, urllib3_transport
from mingraph_lite.llm import LLMResponse, Menu, TextListener, Usage
from mingraph_lite.messages import Message, ToolCall, ToolMessage
from mingraph_lite.schema.jsonable import jsonable, write_json

__all__: Final = ["OpenAIChat"]


class OpenAIChat:
    """A model on an OpenAI-compatible server: one `generate` is one request.

    `tools_as="native"` offers the tools as the API does. `"json"` is for models that
    know no tools: the menu goes into the prompt, and the reply comes as JSON that names
    a tool or holds the answer; it never holds more than one tool call.

    `timeout` is the longest silence in seconds. `temperature` and `max_tokens` are sent
    when given; what else a server knows goes into `extra`, as it stands. The key is
    sent in the Authorization header and shown nowhere; without a key there is no such
    header. `clock` (seconds since 1970) is asked where a server says until when to
    wait. Retries are not made here: whoever asks decides, and announces them.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | None = None,
        *,
        tools_as: Literal["native", "json"] = "native",
        transport: Transport = urllib3_transport,
        timeout: float = 60.0,
        temperature: float | None = None,
        max_tokens: int | None = None,
        extra: Mapping[str, object] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if tools_as not in {"native", "json"}:
            raise ValueError(f"tools_as is {tools_as!r}; it is 'native' or 'json'.")
        self.model = model
        self.base_url = openai_base(base_url)
        self.tools_as = tools_as
        options: Body = {"temperature": temperature, "max_tokens": max_tokens}
        given = {name: value for name, value in options.items() if value is not None}
        self._options = {**given, **(extra or {})}
        self._provider = Provider(
            f"{self.base_url}/chat/completions",
            model,
            checked_key(api_key),
            transport,
            timeout,
            clock,
        )

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, {self.base_url!r})"

    def payload(self, messages: Sequence[Message], menu: Menu = ()) -> dict[str, Any]:
        """The body of the request: strict JSON, whatever the messages hold."""
        body: Body = {"model": self.model}
        if self.tools_as == "json":
            prompted = with_menu(messages, menu) if menu else messages
            body["messages"] = plain_messages(prompted, menu)
            if menu:
                body["response_format"] = action_format(menu)
        else:
            body["messages"] = write_messages(
                messages,
                write_call=_write_call,
                write_result=_write_result,
                without_text={"content": None},
            )
            if menu:
                body["tools"] = list(menu)
        strict: dict[str, Any] = jsonable({**body, **self._options})
        return strict

    def parse(self, reply: Mapping[str, Any]) -> LLMResponse:
        """The response for a whole reply; raises ModelError for what is none.

        With `tools_as="json"` the text is read as an action.
        """
        response = self._read(reply)
        return as_actions(response) if self.tools_as == "json" else response

    def generate(
        self,
        messages: Sequence[Message],
        menu: Menu = (),
        on_text_delta: TextListener | None = None,
    ) -> LLMResponse:
        """Ask once. With `on_text_delta` the reply is streamed to it as it comes.

        An action in JSON is no text for a reader: with `tools_as="json"` and a menu,
        `on_text_delta` hears the whole answer once, at its end.
        """
        body = self.payload(messages, menu)
        streamed = on_text_delta is not None
        if streamed:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        relay = DeltaRelay(None if self.tools_as == "json" and menu else on_text_delta)

        def merge(chunks: Iterator[bytes]) -> Body:
            lines = instead_of_events(text_lines(chunks))
            return merge_chunks(server_sent_events(lines), relay)

        reply = self._provider.ask(body, merge, streamed=streamed)
        response = self.parse(reply) if menu else self._read(reply)
        text = response.message.content
        if on_text_delta is not None and text and not relay.has_passed_on:
            on_text_delta(text)
        return response

    def _read(self, reply: Mapping[str, Any]) -> LLMResponse:
        with self._provider.naming_the_address():
            return _read_completion(reply)


def _write_call(call: ToolCall) -> Body:
    return openai_call(call, write_json(call.arguments))


def _write_result(result: ToolMessage) -> Body:
    return {"tool_call_id": result.tool_call_id}


def _read_completion(reply: object) -> LLMResponse:
    """The first choice of a completion; Unusable for anything else."""
    if too_deep(reply):
        raise Unusable("answered a reply that is nested too deep to be one.")
    raise_if_error(reply)
    choices = as_object(reply).get("choices")
    if not isinstance(choices, list) or not choices:
        raise Unusable(
            f"answered no choices, but these keys: {keys_in_words(as_object(reply))}.",
            advice="Check that the base URL is that of a chat completions API.",
        )
    choice = as_object(choices[0])
    raise_if_error(choice)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Unusable(
            "answered a choice without a message, but with these keys: "
            f"{keys_in_words(choice)}; beside it: {keys_in_words(as_object(reply))}."
        )
    return read_message(
        message,
        finish_reason=choice.get("finish_reason"),
        model=as_object(reply).get("model"),
        usage=_usage(as_object(reply).get("usage")),
    )


def _usage(counts: object) -> Usage | None:
    """The counts that are known; None where there is not one."""
    known = as_object(counts)
    cached = token_count(
        as_object(known.get("prompt_tokens_details")).get("cached_tokens")
    )
    if cached is None:
        # DeepSeek's name for it.
        cached = token_count(known.get("prompt_cache_hit_tokens"))
    details = as_object(known.get("completion_tokens_details"))
    usage = Usage(
        token_count(known.get("prompt_tokens")),
        token_count(known.get("completion_tokens")),
        token_count(details.get("reasoning_tokens")),
        cached,
    )
    return None if usage == Usage() else usage
