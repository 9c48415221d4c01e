"""Models whose transport is a plain function, and what tests ask of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters import OllamaChat, OpenAIChat
from mingraph_lite.adapters.transports import Request, Response
from mingraph_lite.errors import ModelError
from mingraph_lite.llm import LLMResponse
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import ToolCall, ToolMessage, UserMessage
from tests.adapters.wire import completion, in_turn, streaming, strictly

QUESTION = [UserMessage("hello")]
URL = "http://localhost:1234/v1/chat/completions"
LATER = "The same request may succeed later."
NAMES = "Check the base URL and the model's name, 'm'."
IN_VAIN = "The same request will fail again."
CUT = "the reply was cut off by the output limit. Send the call again, shorter."
MENU = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The temperature in a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]


def openai(transport: Any = None, **options: Any) -> OpenAIChat:
    return OpenAIChat(
        "m", "localhost:1234", transport=transport or no_transport, **options
    )


def no_transport(request: Request) -> Response:
    raise AssertionError("this test sends nothing")


def ollama(transport: Any, **options: Any) -> OllamaChat:
    return OllamaChat("m", transport=transport, **options)


def parsed(message: Any, finish_reason: Any = "stop", **beside: Any) -> LLMResponse:
    return openai().parse(completion(message, finish_reason, **beside))


def only_call(response: LLMResponse) -> ToolCall:
    (call,) = response.message.tool_calls
    return call


def heard(*chunks: Any) -> tuple[LLMResponse, str]:
    """A streamed reply, and what was heard of it while it came."""
    response, deltas = listened_to(openai(streaming(*chunks)))
    return response, "".join(deltas)


def listened_to(model: OpenAIChat | OllamaChat) -> tuple[LLMResponse, list[str]]:
    """A model's reply, and the pieces in which it was heard."""
    deltas: list[str] = []
    return model.generate(QUESTION, on_text_delta=deltas.append), deltas


class Heard:
    """A listener that forgets what turned out to be void."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.attempts = 1

    def __call__(self, text: str) -> None:
        self.pieces.append(text)

    def new_attempt(self) -> None:
        self.attempts += 1
        self.pieces.clear()

    @property
    def text(self) -> str:
        """What counts of what was heard."""
        return "".join(self.pieces)


def fails(transport: Any, **options: Any) -> ModelError:
    """The error with which a request ends."""
    with pytest.raises(ModelError) as caught:
        openai(transport, **options).generate(QUESTION)
    return caught.value


def agent_answers(tools: ToolRegistry, *messages: Any) -> list[ToolMessage]:
    """The answers an agent gives to the calls of these replies, one after the other."""
    reply = in_turn(*(completion(m) for m in (*messages, {"content": "done"})))

    def transport(request: Request) -> Response:
        for name in names_sent(strictly(request.body)):
            assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", name)
        return reply(request)

    memory = KeepAll()
    Agent(openai(transport), tools, "", memory=memory).run("go")
    return [m for m in memory.folder if isinstance(m, ToolMessage)]


def names_sent(body: Any) -> list[str]:
    """The tool names in the messages of a request."""
    calls = [call for m in body["messages"] for call in m.get("tool_calls", ())]
    return [call["function"]["name"] for call in calls]


def read_as_action(content: str, finish_reason: str = "stop") -> LLMResponse:
    """What a model that knows no tools means by its text."""
    reply = completion({"content": content}, finish_reason)
    return openai(tools_as="json").parse(reply)
