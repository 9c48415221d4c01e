"""Real models: what a server speaks becomes an `LLMResponse`, and back.

    messages ────payload──▶ body ───transport──▶ server
    LLMResponse ◀──parse─── reply ◀──merging──── bytes

`payload` and `parse` are pure. All patience with odd servers is in here, in this order:

    openai_chat      chat completions, which most servers speak
    ollama_chat      Ollama's own chat API
    openai_messages  a folder as the field writes it: sent, stored, read again
    provider         one request to one address: sent, graded, its key kept
    error_replies    which reply is an error
    error_shapes     what it says, in whichever shape
    error_table      what it means: whether to ask again, and what helps
    error_rows       … known by codes and words
    error_sizes      … a prompt beyond the window
    error_waits      … how long to wait
    error_pages      … a page where JSON should be
    error_words      the exception that tells it
    replies          from a server's message to an LLMResponse
    tool_calls       from what a server calls a tool call to a ToolCall
    streams          from pieces of bytes to the JSON objects in them
    merging          one reply out of the chunks of an OpenAI stream
    fragments        tool calls that come in fragments: put together, or doubted
    growing_arguments  the arguments of a call in pieces, and what they say together
    actions          tools for models that know none: the next action as JSON
    options          the options of a model, checked for their kind
    beside           what a server sent beside a call goes back to it alone
    wire_ids         the ids of calls as a server takes them
    wants            what a server wants: what one refuses, and what is done then
    rewriting        a request changed as a server wants it: the same said otherwise
    learning         what is learned from a refusal, for the requests that follow
    addresses        one right address from what people paste
    strict_json      reading JSON without guessing
    keys             keys: cleaned when given, and hidden from then on
    transports       how bytes travel
    routes           proxies and certificates, from the environment
    connections      urllib3's connections, kept open between the calls of a run
    settings         which model the environment names
"""

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
