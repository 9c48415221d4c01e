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
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

from mingraph_lite.llm import LLM, LLMResponse
from mingraph_lite.messages import AssistantMessage, Message, ToolCall
from mingraph_lite.tools import ToolRegistry

__all__: Final = ["Spy"]


class Spy:
    """Notes what happens to the tools and models that it was given.

    `ran` are the errands that were run, in order, and `gave` what each handed back;
    `heard` the messages of each model call, `menus` and `said` its menu and its reply,
    where it had one; `story` both, and what else `note` was told, as words in order.
    """

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.gave: list[object] = []
        self.heard: list[list[Message]] = []
        self.menus: list[Sequence[Any]] = []
        self.said: list[AssistantMessage] = []
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
            self._runs(function.__name__, arguments)
            value = function(*values, **named)
            self.gave.append(value)
            return value

        return noted  # type: ignore[return-value]

    def tools(self, *functions: Callable[..., Any]) -> ToolRegistry:
        """A menu of these functions, each noted when it runs."""
        return ToolRegistry([self.tool(function) for function in functions])

    @contextmanager
    def listening(self, answer: Any, *names: str) -> Iterator[None]:
        """Note the tools that a learner's function finds in its notebook, as they run.

        `names` are those of functions and registries of tools, as the notebook has
        them now. Why by their code? A helper, a dict of tools, a method and a decorator
        all come to the same one, and the notebook stays as it is.
        """
        codes: dict[CodeType, tuple[str, FunctionType]] = {}
        around = _notebook_of(answer)
        for known in names:
            for name, tool in _functions(known, around.get(known)):
                codes[tool.__code__] = name, tool
        watch, number = sys.monitoring, _free_number()
        events = watch.events.PY_START | watch.events.PY_RETURN
        watch.use_tool_id(number, "mingraph_lite spy")
        watch.register_callback(number, watch.events.PY_START, self._starts(codes))
        watch.register_callback(number, watch.events.PY_RETURN, self._returns)
        for code in codes:
            watch.set_local_events(number, code, events)
        try:
            yield
        finally:
            for code in codes:
                watch.set_local_events(number, code, 0)
            watch.register_callback(number, watch.events.PY_START, None)
            watch.register_callback(number, watch.events.PY_RETURN, None)
            watch.free_tool_id(number)

    def _starts(
        self, codes: Mapping[CodeType, tuple[str, FunctionType]]
    ) -> Callable[..., None]:
        def starts(code: CodeType, *_: object) -> None:
            frame = sys._getframe(1)
            if _calls_itself(frame):
                return
            name, tool = codes[code]
            self._runs(name, _passed(tool, frame))

        return starts

    def _returns(self, _: CodeType, __: int, value: object) -> None:
        if not _calls_itself(sys._getframe(1)):
            self.gave.append(value)

    def _runs(self, name: str, arguments: Mapping[str, Any]) -> None:
        errand = str(ToolCall(name, arguments))
        self.ran.append(errand)
        self.note(f"ran {errand}")

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
        response = self._llm.generate(messages, menu)
        self._spy.menus.append(menu)
        self._spy.said.append(response.message)
        return response


def _notebook_of(answer: Any) -> Mapping[str, Any]:
    """The names around a function, a method, a partial, or something callable."""
    while isinstance(answer, partial):
        answer = answer.func
    if not inspect.isroutine(answer):
        answer = type(answer).__call__
    found = inspect.unwrap(getattr(answer, "__func__", answer))
    return getattr(found, "__globals__", {})


def _functions(name: str, known: Any) -> Iterator[tuple[str, FunctionType]]:
    """The functions behind a name of the notebook: a tool's, or all of a registry's."""
    tools = {name: known}
    if isinstance(known, ToolRegistry):
        names = [entry["function"]["name"] for entry in known.menu()]
        tools = {one: known.find(one).function for one in names}
    for own_name, tool in tools.items():
        if hasattr(tool, "cache_clear"):
            tool.cache_clear()  # what it remembers, it would not run again
        plain = inspect.unwrap(tool) if callable(tool) else None
        if inspect.isfunction(plain):
            yield own_name, plain


def _calls_itself(frame: FrameType) -> bool:
    """Whether the same function waits further out: an errand is noted once."""
    code, outer = frame.f_code, frame.f_back
    while outer is not None and outer.f_code is not code:
        outer = outer.f_back
    return outer is not None


def _passed(tool: FunctionType, frame: FrameType) -> dict[str, Any]:
    """What it was called with, without what its own defaults say as well."""
    here = frame.f_locals
    return {
        name: here[name]
        for name, one in inspect.signature(tool).parameters.items()
        if name in here and (one.default is one.empty or here[name] != one.default)
    }


def _free_number() -> int:
    """A number that nobody else watches under; `patience` has another one."""
    watch = sys.monitoring
    return next(n for n in (3, 4, 5, 2, 1, 0) if watch.get_tool(n) is None)
