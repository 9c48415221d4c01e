"""Whose habits the fake server can play, by name.

    python -m mingraph_lite.lab.fake_server --like groq

A server that is played is strict where the one it is named after is strict, and odd
where that one is odd, in what its habits say and in nothing else: the models are still
the scripts of this lab. Nothing here has met a hosted provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mingraph_lite.adapters.strict_json import Body
from mingraph_lite.lab.habit import OLLAMA_CHAT, Asked, Habit, Server
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.lab.servers.azure import AZURE
from mingraph_lite.lab.servers.deepseek import DEEPSEEK
from mingraph_lite.lab.servers.gemini import GEMINI
from mingraph_lite.lab.servers.groq import GROQ
from mingraph_lite.lab.servers.lmstudio import LMSTUDIO
from mingraph_lite.lab.servers.mistral import MISTRAL
from mingraph_lite.lab.servers.ollama import OLLAMA
from mingraph_lite.lab.servers.openai import OPENAI
from mingraph_lite.lab.servers.openrouter import OPENROUTER
from mingraph_lite.lab.servers.vllm import VLLM

__all__: Final = [
    "SERVERS",
    "example_of",
    "in_words",
    "server_named",
]

SERVERS: Final[Mapping[str, Server]] = {
    server.name: server
    for server in (
        *(GROQ, MISTRAL, GEMINI, DEEPSEEK, AZURE, OPENAI, OPENROUTER),
        *(VLLM, LMSTUDIO, OLLAMA),
    )
}


_TOOL: Final[Body] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The temperature in a city, in degrees Celsius.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
"""A tool in words that every server takes."""


def server_named(name: str) -> Server:
    """The server of that name; a ValueError names those that there are."""
    try:
        return SERVERS[name]
    except KeyError:
        raise ValueError(
            f"No server named {name!r} can be played. There are: {', '.join(SERVERS)}."
        ) from None


def example_of(server: Server, habit: Habit) -> Asked:
    """The request that shows a habit: the scenario's question, and what it needs."""
    body: Body = {
        "model": habit.model,
        "messages": [{"role": "user", "content": paris_and_tokyo.question}],
        "tools": [_TOOL],
    }
    native = habit.path == OLLAMA_CHAT
    path, _, query = (habit.path or f"{server.base}/chat/completions").partition("?")
    return Asked(
        {**body, **({"stream": True} if native else {}), **habit.example}, path, query
    )


def in_words() -> str:
    """Each server with its habits and their sources, for a terminal."""
    lines = []
    for server in SERVERS.values():
        lines.append(f"{server.name}: {server.title}")
        for habit in server.habits:
            said = f"{habit.shows} {habit.sends} ({habit.source})"
            lines.append(f"  {habit.name}: {said}")
    return "\n".join(lines)
