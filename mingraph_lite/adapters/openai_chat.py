"""A model behind OpenAI's chat completions API, which most servers speak."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from mingraph_lite.adapters.action_replies import as_actions
from mingraph_lite.adapters.actions import action_format, plain_messages, with_menu
from mingraph_lite.adapters.addresses import endpoint, openai_base
from mingraph_lite.adapters.error_replies import Unusable, raise_if_error
from mingraph_lite.adapters.handed_in import checked_menu, checked_messages
from mingraph_lite.adapters.headers import checked_headers, sealed_headers
from mingraph_lite.adapters.hiding import unseen
from mingraph_lite.adapters.keys import Key, checked_key, sealed
from mingraph_lite.adapters.merging import choice_that_counts, counts_in, merge_chunks
from mingraph_lite.adapters.openai_messages import openai_call, write_messages
from mingraph_lite.adapters.provider import Provider, keys_in_words
from mingraph_lite.adapters.replies import read_message, token_count
from mingraph_lite.adapters.server_wants.beside import (
    addressed,
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
from mingraph_lite.adapters.server_wants.wire_ids import id_rule_at, with_wire_ids
from mingraph_lite.adapters.streams import (
    DeltaRelay,
    instead_of_events,
    server_sent_events,
    text_lines,
)
from mingraph_lite.adapters.strict_json import Body, as_object, too_deep
from mingraph_lite.adapters.tool_calls import legal_name
from mingraph_lite.adapters.transports import Transport, Urllib3Transport
from mingraph_lite.endings import ending_of, given_reason
from mingraph_lite.llm import LLMResponse, Menu, TextListener, Usage
from mingraph_lite.messages import AssistantMessage, Message, ToolCall, ToolMessage
from mingraph_lite.schema.jsonable import jsonable, write_json

__all__: Final = ["OpenAIChat"]


class OpenAIChat:
    """A model on an OpenAI-compatible server: one `generate` is one request.

    `tools_as="native"` offers the tools as the API does. `"json"` is for models that
    know no tools: the menu goes into the prompt, and the reply comes as JSON that names
    a tool or holds the answer; it never holds more than one tool call.

    `timeout` is the longest silence in seconds. Without one it is 600 on this machine
    and in a private network, elsewhere 60, and 300 where a reply comes in one piece.
    What was silent for so long is not asked again by itself: it may still compute.

    `temperature`, `max_tokens`, `seed` and `reasoning_effort` are sent when given; what
    else a server knows goes into `extra`, as it stands, and wins over all else. None in
    there leaves a field out, whichever it is: `extra={"stream_options": None}`.
    `send_reasoning` sends a reply's reasoning back to the server that sent it, while
    its tools are run (`tools_as="native"`). Where a server refuses what was set here
    and can be left out, that is left out from then on: the error says so and is
    retryable.

    The key is sent in the Authorization header (Azure's hosts get `api-key`) and shown
    nowhere; without a key there is no such header. `headers` are sent too, win over
    ours, and are as secret; None leaves one of ours out. `clock` (seconds since 1970)
    is asked where a server says until when to wait. Retries are not made here: whoever
    asks decides, and announces them.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | Key | None = None,
        *,
        tools_as: Literal["native", "json"] = "native",
        transport: Transport | None = None,
        timeout: float | None = None,
        headers: Mapping[str, str | None] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        reasoning_effort: str | None = None,
        send_reasoning: bool = False,
        extra: Mapping[str, object] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        # From here on no frame of a traceback shows what is secret.
        api_key, added, headers = sealed(api_key), sealed_headers(headers), None
        read_base, base_url = unseen(openai_base, base_url), ""
        if tools_as not in {"native", "json"}:
            raise ValueError(f"tools_as is {tools_as!r}; it is 'native' or 'json'.")
        self.model = model
        self.base_url = read_base()
        self.tools_as = tools_as
        options = checked_options(
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            reasoning_effort=reasoning_effort,
        )
        self._options = {**options, **checked_extra(extra)}
        self._address = without_query(self.base_url)
        self._sends_reasoning = checked_flag("send_reasoning", send_reasoning)
        self._wants = Wants(
            set_by_caller(options, extra), id_rule_at(self.base_url), send_reasoning
        )
        self._provider = Provider(
            endpoint(self.base_url, "/chat/completions"),
            model,
            checked_key(api_key),
            transport or Urllib3Transport(),
            timeout,
            clock,
            checked_headers(added),
        )

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, {self.base_url!r})"

    def about(self) -> dict[str, Any]:
        """The settings of this model, for who writes down what was run."""
        return {
            "base_url": self.base_url,
            "tools_as": self.tools_as,
            "options": jsonable(self._options),
        }

    def known_secrets(self) -> tuple[Key, ...]:
        """What must be shown nowhere, out of sight: the key, and what headers hold."""
        return self._provider.known_secrets()

    def payload(self, messages: Sequence[Message], menu: Menu = ()) -> dict[str, Any]:
        """The body of the request: strict JSON, whatever the messages hold.

        It is as this server has been found to want it.
        """
        return self._body(messages, menu, {})

    def _body(self, messages: Sequence[Message], menu: Menu, way: Body) -> Body:
        """The body; `way` is how the reply is to come."""
        checked_messages(messages)
        checked_menu(menu)
        body: Body = {"model": self.model}
        if self.tools_as == "json":
            told_apart = with_wire_ids(messages)
            prompted = with_menu(told_apart, menu) if menu else told_apart
            body["messages"] = plain_messages(prompted, menu)
            if menu:
                body["response_format"] = action_format(menu)
        else:
            body["messages"] = write_messages(
                with_wire_ids(messages, self._wants.ids),
                write_call=self._write_call,
                write_result=_write_result,
                without_text={"content": None},
                write_beside=self._write_beside,
            )
            if menu:
                body["tools"] = list(menu)
        strict: Body = jsonable(put_in({**body, **way}, self._options))
        return self._wants.apply(strict)

    def parse(self, reply: Mapping[str, Any], menu: Menu = ()) -> LLMResponse:
        """The response for a whole reply; raises ModelError for what is none.

        A text that is a call as a whole counts as one if its tool is on the menu. With
        `tools_as="json"` the text is read as an action.
        """
        response = self._read(reply, menu)
        return as_actions(response, menu) if self.tools_as == "json" else response

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
        way: Body = {"stream": True, "stream_options": {"include_usage": True}}
        body = self._body(messages, menu, {} if on_text_delta is None else way)
        at_the_end = self.tools_as == "json" and bool(menu)
        relay = DeltaRelay(on_text_delta, menu, at_the_end=at_the_end)

        def merge(chunks: Iterator[bytes]) -> Body:
            names = [entry["function"]["name"] for entry in menu]
            lines = instead_of_events(text_lines(chunks))
            return merge_chunks(server_sent_events(lines), relay, names)

        reply = self._provider.ask(
            body,
            merge,
            streamed=bool(body.get("stream")),
            learn=lambda status, words: self._wants.learn(status, words, body),
        )
        response = self.parse(reply, menu) if menu else self._read(reply)
        relay.finish(response.message.content)
        return response

    def _read(self, reply: Mapping[str, Any], menu: Menu = ()) -> LLMResponse:
        bare = self.tools_as == "native"
        response = self._provider.reading(
            lambda: _read_completion(reply, menu, bare=bare)
        )
        choice = as_object(choice_that_counts(reply.get("choices")))
        message = choice.get("message")
        return addressed(
            response, message, self._address, reasoning=self._sends_reasoning
        )

    def _write_call(self, call: ToolCall) -> Body:
        written = openai_call(call, write_json(call.arguments))
        return with_beside(written, call.extra, self._address)

    def _write_beside(self, said: AssistantMessage, now: bool) -> Body:
        wanted = self._sends_reasoning and now
        return sent_back_with_message(said.extra, self._address, reasoning=wanted)


def _write_result(result: ToolMessage) -> Body:
    # Gemini matches results by the tool's name; who takes none is sent none.
    name = {"name": legal_name(result.name)} if result.name else {}
    return {"tool_call_id": result.tool_call_id, **name}


def _read_completion(reply: object, menu: Menu, *, bare: bool) -> LLMResponse:
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
    choice = choice_that_counts(choices) or as_object(choices[0])
    raise_if_error(choice)
    message = _message_of(choice)
    if not isinstance(message, dict):
        raise Unusable(
            "answered a choice without a message, but with these keys: "
            f"{keys_in_words(choice)}; beside it: {keys_in_words(as_object(reply))}."
        )
    return read_message(
        message,
        finish_reason=choice.get("finish_reason"),
        model=as_object(reply).get("model"),
        usage=_usage(counts_in(as_object(reply), choice)),
        menu=menu,
        bare=bare,
    )


def _message_of(choice: Body) -> object:
    """A choice's message, or what stands for it.

    Where a reply was withheld or spoiled there may be none (Gemini), and completions of
    the older kind have a text.
    """
    message = choice.get("message")
    if message is not None:
        return message
    if isinstance(text := choice.get("text"), str):
        return {"content": text}
    reason = given_reason(choice.get("finish_reason"))
    return None if ending_of(reason) in {"end", "slips"} else {}


def _usage(known: Body) -> Usage | None:
    """The counts that are known; None where there is not one."""
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
