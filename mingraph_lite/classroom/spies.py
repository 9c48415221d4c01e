"""Tools and models that note what ran and was read out.

    spy = Spy()
    tools = spy.tools(get_weather, to_fahrenheit)
    answer(spy.model(ReadingLLM()), tools, folder)
    spy.story    ["asked", 'ran get_weather(city="Paris")', "asked"]

A check that looks at the answer alone takes a lie for the truth: a tool that never
ran, or ran twice, or ran before anybody was asked.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

from mingraph_lite.llm import LLM, LLMResponse
from mingraph_lite.messages import Message, ToolCall
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["Spy"]


class Spy:
    """Notes what happens to the tools and models that it was given.

    `ran` are the errands that were run, in order; `heard` the messages of each model
    call; `story` both, and what else `note` was told, as words in order.
    """

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.heard: list[list[Message]] = []
        self.story: list[str] = []

    def note(self, what: str) -> None:
        """Put something else that happened into the story."""
        self.story.append(what)

    def tool[F: Callable[..., Any]](self, function: F) -> F:
        """The function; from now on it is noted when it runs."""
        names = list(inspect.signature(function).parameters)

        @functools.wraps(function)
        def noted(*values: Any, **named: Any) -> Any:
            arguments = dict(zip(names, values, strict=False)) | named
            errand = str(ToolCall(function.__name__, arguments))
            self.ran.append(errand)
            self.note(f"ran {errand}")
            return function(*values, **named)

        return noted  # type: ignore[return-value]

    def tools(self, *functions: Callable[..., Any]) -> ToolRegistry:
        """A menu of these functions, each noted when it runs."""
        return ToolRegistry([self.tool(function) for function in functions])

    def model(self, llm: LLM) -> LLM:
        """The model; from now on it is noted what is read out to it."""
        return _Heard(llm, self)


class _Heard:
    def __init__(self, llm: LLM, spy: Spy) -> None:
        self._llm, self._spy = llm, spy

    def __getattr__(self, name: str) -> Any:
        """What else the model has: how often it was called, say."""
        return getattr(self._llm, name)

    def generate(
        self, messages: Sequence[Message], menu: Sequence[Any] = ()
    ) -> LLMResponse:
        """Note what is read out, and pass it on."""
        self._spy.heard.append(list(messages))
        self._spy.note("asked")
        return self._llm.generate(messages, menu)
