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
from functools import partial
from types import FunctionType
from typing import Any, Final

from mingraph_lite.llm import LLM, LLMResponse
from mingraph_lite.messages import Message, ToolCall
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["Spy"]


class Spy:
    """Notes what happens to the tools and models that it was given.

    `ran` are the errands that were run, in order, and `gave` what each handed back;
    `heard` the messages of each model call; `story` both, and what else `note` was
    told, as words in order.
    """

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.gave: list[object] = []
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
            return self._noted(
                ToolCall(function.__name__, arguments),
                partial(function, *values, **named),
            )

        return noted  # type: ignore[return-value]

    def tools(self, *functions: Callable[..., Any]) -> ToolRegistry:
        """A menu of these functions, each noted when it runs."""
        return ToolRegistry([self.tool(function) for function in functions])

    def watch(self, answer: Any, *names: str) -> Any:
        """The learner's function; the tools it finds in its notebook are noted too.

        `names` are those of functions and registries of tools, as the notebook has
        them: changed ones are noted as they are now.
        """
        if not inspect.isfunction(answer):
            return answer
        around = dict(answer.__globals__)
        for name in names:
            known = around.get(name)
            if isinstance(known, ToolRegistry):
                around[name] = _Watched(known, self)
            elif callable(known):
                around[name] = self.tool(known)
        code, defaults = answer.__code__, answer.__defaults__
        return FunctionType(code, around, answer.__name__, defaults, answer.__closure__)

    def _noted(self, call: ToolCall, run: Callable[[], Any]) -> Any:
        self.ran.append(str(call))
        self.note(f"ran {call}")
        value = run()
        self.gave.append(value)
        return value

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


class _Watched(ToolRegistry):
    def __init__(self, known: ToolRegistry, spy: Spy) -> None:
        super().__init__()
        self._known, self._spy = known, spy

    def menu(self) -> list[dict[str, Any]]:
        """The menu as it is."""
        return self._known.menu()

    def run(self, call: ToolCall) -> Any:
        """Note the errand and run it."""
        return self._spy._noted(call, partial(self._known.run, call))
