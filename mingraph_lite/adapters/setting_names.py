"""The names under which settings are known, other tools' included.

One list, so that a setting is never overlooked because another tool named it: a key
would then go to an address that nobody meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

__all__: Final = [
    "ADDRESS_ENDINGS",
    "API_TYPE",
    "AZURE",
    "AZURE_KEYS",
    "DEPLOYMENTS",
    "KEYS",
    "MODEL",
    "NAMES",
    "OLLAMA",
    "OPENAI",
    "TOOLS_AS",
    "VERSIONS",
    "addresses_of",
    "misspelt",
]

MODEL: Final = "MINGRAPH_MODEL"
TOOLS_AS: Final = "MINGRAPH_TOOLS_AS"

ADDRESS_ENDINGS: Final = (
    "BASE_URL",  # the official clients
    "API_BASE",  # the official client before its version 1, litellm
    "API_BASE_URL",  # open-webui
    "API_HOST",  # aichat, chatgpt-web
    "API_ENDPOINT",
    "API_URL",
    "BASE",
    "ENDPOINT",  # browser-use
    "HOST",  # goose
    "URL",
    "PROXY_URL",  # lobe-chat
)
"""A provider's name and one of these name its address; see `addresses_of`."""

AZURE: Final = ("AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE")
AZURE_KEYS: Final = ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")
DEPLOYMENTS: Final = ("AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_DEPLOYMENT_NAME")
VERSIONS: Final = (
    "OPENAI_API_VERSION",
    "AZURE_OPENAI_API_VERSION",
    "AZURE_API_VERSION",
)
API_TYPE: Final = "OPENAI_API_TYPE"
"""The official client before its version 1 was told "azure" here."""

OPENAI: Final = (*(f"OPENAI_{ending}" for ending in ADDRESS_ENDINGS), *AZURE)
OLLAMA: Final = ("OLLAMA_HOST", "OLLAMA_BASE_URL", "OLLAMA_API_BASE")

KEYS: Final[Mapping[str, str]] = {
    "OPENAI_API_KEY": "https://api.openai.com/v1",
    "ANTHROPIC_API_KEY": "https://api.anthropic.com/v1",
    "CEREBRAS_API_KEY": "https://api.cerebras.ai/v1",
    "COHERE_API_KEY": "https://api.cohere.ai/compatibility/v1",
    "DEEPSEEK_API_KEY": "https://api.deepseek.com/v1",
    "FIREWORKS_API_KEY": "https://api.fireworks.ai/inference/v1",
    "GEMINI_API_KEY": "https://generativelanguage.googleapis.com/v1beta/openai",
    "GOOGLE_API_KEY": "https://generativelanguage.googleapis.com/v1beta/openai",
    "GROQ_API_KEY": "https://api.groq.com/openai/v1",
    "MISTRAL_API_KEY": "https://api.mistral.ai/v1",
    "MOONSHOT_API_KEY": "https://api.moonshot.ai/v1",
    "NVIDIA_API_KEY": "https://integrate.api.nvidia.com/v1",
    "OPENROUTER_API_KEY": "https://openrouter.ai/api/v1",
    "PERPLEXITY_API_KEY": "https://api.perplexity.ai",
    "TOGETHER_API_KEY": "https://api.together.xyz/v1",
    "XAI_API_KEY": "https://api.x.ai/v1",
}
"""Each provider's name for its key, and the address where that key belongs.

Unless a variable of the same provider names another: GROQ_API_KEY, GROQ_BASE_URL.
"""


def addresses_of(key: str) -> list[str]:
    """The variables that may name the address of a key's provider."""
    same = (name for name, url in KEYS.items() if url == KEYS[key])
    return [
        f"{name.removesuffix('_API_KEY')}_{ending}"
        for name in same
        for ending in ADDRESS_ENDINGS
    ]


NAMES: Final = (
    MODEL,
    "OPENAI_MODEL",
    "OLLAMA_MODEL",
    *DEPLOYMENTS,
    TOOLS_AS,
    *OPENAI,
    *OLLAMA,
    *KEYS,
    *dict.fromkeys(
        name for key in KEYS for name in addresses_of(key) if name not in OPENAI
    ),
    *AZURE_KEYS,
    API_TYPE,
    *VERSIONS,
)
"""All that is read."""


def misspelt(names: Iterable[str]) -> str:
    """A sentence for each that is nearly one of ours, with the one that was meant.

    Upper and lower case differ everywhere but on Windows.
    """
    from difflib import get_close_matches

    found = {
        name: get_close_matches(name.upper().replace("-", "_"), NAMES, 1, 0.82)
        for name in names
        if name not in NAMES
    }
    return "".join(
        f"{name} is not read: did you mean {meant[0]}? "
        for name, meant in found.items()
        if meant
    )
