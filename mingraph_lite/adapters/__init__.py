"""Real models: what a server speaks becomes an `LLMResponse`, and back.

    the folder ──payload──▶ bytes ──transport──▶ server
    LLMResponse ◀──parse──── reply ◀──merged──── bytes

`payload` and `parse` are pure. All patience with odd servers is in this package, in the
order in which a reply passes through it: `provider` sends and grades, `streams` and
`merging` make one reply of many pieces, `replies` reads the message, `slips` its tool
calls. `actions` is for models that know no tools, `addresses` for what people paste.
"""

from mingraph_lite.adapters.addresses import mixed_content, ollama_base, openai_base
from mingraph_lite.adapters.ollama_chat import OllamaChat
from mingraph_lite.adapters.openai_chat import OpenAIChat

__all__ = ["OllamaChat", "OpenAIChat", "mixed_content", "ollama_base", "openai_base"]
