"""Learn how an LLM agent loop works by building one."""

from mingraph_lite.agent import Agent
from mingraph_lite.llm import ScriptedLLM
from mingraph_lite.tools import ToolRegistry

__all__ = ["Agent", "ScriptedLLM", "ToolRegistry"]
__version__ = "0.1.0"
