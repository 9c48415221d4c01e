"""The real model, for the tests of this folder."""

from tests.real.fixture import llama_server, tool_server

__all__ = ["llama_server", "tool_server"]
