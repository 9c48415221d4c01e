"""Real models: what a server speaks becomes an `LLMResponse`, and back.

    messages ────payload──▶ body ───transport──▶ server
    LLMResponse ◀──parse─── reply ◀──merging──── bytes

`payload` and `parse` are pure. All patience with odd servers is in here, in this order:

    openai_chat        chat completions, which most servers speak
    ollama_chat        Ollama's own chat API
    openai_messages    a folder as the field writes it: sent, stored, read again
    handed_in          what a model is asked, checked for its kind
    provider           one request to one address: sent, graded, its key kept
    replies            from a server's message to an LLMResponse
    reply_text/        what its text may hide: thoughts, calls, control tokens
    tool_calls         from what a server calls a tool call to a ToolCall
    streams            from pieces of bytes to the JSON objects in them
    merging            one reply out of the chunks of an OpenAI stream
    fragments          tool calls that come in fragments: put together, or doubted
    unfinished_calls   the calls while they come in, and which one is meant
    growing_arguments  the arguments of a call in pieces, and what they say together
    actions            tools for models that know none: the next action as JSON
    action_replies     what such a model has written: an action, an answer, or half
    error_replies      which reply is an error
    error_table/       what it says: whether to ask again, when, and what helps
    server_wants/      what a server refuses, and what must come back to it
    addresses          one right address from what people paste
    strict_json        reading JSON without guessing
    keys               keys: cleaned when given, and shown by nothing from then on
    headers            the headers of a request, of which only names are shown
    hiding             secrets hidden in other texts, and in the frames of a traceback
    transports         how bytes travel
    on_the_way         what went wrong there, and what helps
    routes             proxies and certificates, from the environment
    connections        urllib3's connections, kept open between the calls of a run
    settings           which model the environment names
    setting_names      the names that are known, other tools' included
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mingraph_lite.adapters.addresses import ollama_base, openai_base
    from mingraph_lite.adapters.ollama_chat import OllamaChat
    from mingraph_lite.adapters.openai_chat import OpenAIChat
    from mingraph_lite.adapters.openai_messages import from_openai, to_openai

__all__ = [
    "OllamaChat",
    "OpenAIChat",
    "from_openai",
    "ollama_base",
    "openai_base",
    "to_openai",
]

_HOMES = {
    "OllamaChat": "ollama_chat",
    "OpenAIChat": "openai_chat",
    "from_openai": "openai_messages",
    "ollama_base": "addresses",
    "openai_base": "addresses",
    "to_openai": "openai_messages",
}


def __getattr__(name: str) -> object:
    """Load what is asked for: whoever plays scripts in a page waits for no adapter."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
