"""A model that reads what it is handed, and nothing else.

It looks names up with the tools on the menu, converts what it got, and answers:

    1. Without a question it says that nobody has read it one.
    2. Slips go by id: an answer that is for no open slip is named and stops it, and so
       is a slip that it hears twice.
    3. While slips are open it only says which answers it waits for.
    4. It looks up the names in the newest question: words with a capital letter that
       begin no sentence, what stands in double quotes, or one word that stands alone.
       The wish for a unit holds for the questions after it too.
    5. It asks the tools whose noun stands in the question ("weather" for get_weather),
       else the first that takes one text. `slips` says how many at once.
    6. It converts an answer that is a number as a whole: "Error: 503" is none.
    7. Its answer shows the working: "Paris: 18 = 64°F".

Why not a script? A script says its lines whatever it hears. This one remembers nothing,
so a loop that forgets to read something out goes visibly wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from mingraph_lite.errors import LineCut
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
)

__all__: Final = ["ReadingLLM"]

_UPPER: Final = r"(?!Fahrenheit|Celsius)[A-ZÀ-ÞĆČĐİŁŚŞŠŹŻŽ]\w+"
_INSIDE: Final = rf'["“]([^"”]+)["”]|(?<=[^\s.?!:] |\w[,/])({_UPPER}(?:[ -]{_UPPER})*)'
_NAME: Final = rf"{_INSIDE}|\A\s*({_UPPER})[\s.?!]*\Z"
_NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?( ?°C)?")
_UNITS: Final = {"fahrenheit": "°F", "celsius": "°C"}

type _Menu = Sequence[Mapping[str, Any]]


class ReadingLLM:
    """A model without a network: it answers what is read out.

    It passes up to `slips` slips at once, and complains in words, as a reply. Only
    after `most_calls` calls it raises LineCut, so that a loop without an end has one.
    """

    def __init__(self, slips: int = 9, most_calls: int = 30) -> None:
        self._slips, self._most_calls, self.calls = slips, most_calls, 0

    def __repr__(self) -> str:
        return f"ReadingLLM(slips={self._slips})"

    def generate(self, messages: Sequence[Message], menu: _Menu = ()) -> LLMResponse:
        """Answer, or pass slips for what is lacking."""
        self.calls += 1  # the phone bill: it changes no reply
        if self.calls > self._most_calls:
            why = "Look at what the loop puts into the folder, or set most_calls=…"
            raise LineCut(f"{self._most_calls} calls, no end: the line is cut. {why}")
        said = _read(messages, menu)
        if isinstance(said, str):
            return LLMResponse(AssistantMessage(said))
        first = 1 + sum(len(getattr(m, "tool_calls", ())) for m in messages)
        slips = [replace(call, id=f"call_{n}") for n, call in enumerate(said, first)]
        return LLMResponse(AssistantMessage("", tuple(slips[: self._slips])))


def _read(messages: Sequence[Message], menu: _Menu) -> str | list[ToolCall]:
    """A text to say, or the slips for what is lacking."""
    questions = [m.content for m in messages if isinstance(m, UserMessage)]
    if not questions:
        return "Nobody has read me a question."
    told = _told(messages)
    if isinstance(told, str):
        return told
    newest, wish = questions[-1], " ".join(questions)
    names = list(dict.fromkeys(filter(None, chain(*re.findall(_NAME, newest)))))
    tools = _taking(menu, "string")
    tools = _named(tools, newest) or _named(tools, wish) or tools[:1]
    if not names or not tools:
        lack = "name (it has a capital letter)" if tools else "tool that takes one text"
        return f"I find no {lack}. I look up names with a tool. You asked: {newest}"
    lookups = [(n, ToolCall(tool, {key: n})) for n in names for tool, key in tools]
    if lacking := [call for _, call in lookups if str(call) not in told]:
        return lacking
    facts = {f"{name}: {told[str(call)]}": told[str(call)] for name, call in lookups}
    texts = [text for text in facts.values() if _NUMBER.fullmatch(text)]
    for tool, key in _named(_taking(menu, "number", "integer"), wish):
        numbers = {t: json.loads(t.rstrip("°C ")) for t in texts}
        turns = {t: ToolCall(tool, {key: n}) for t, n in numbers.items()}
        if lacking := [call for call in turns.values() if str(call) not in told]:
            return lacking
        unit, working = _UNITS.get(tool.split("_")[-1], ""), dict[str, str]()
        for text, call in turns.items():
            value = told[str(call)]
            working[text] = f" = {value}{unit if _NUMBER.fullmatch(value) else ''}"
        facts = {fact + working.get(text, ""): text for fact, text in facts.items()}
    return ", ".join(facts)


def _told(messages: Iterable[Message]) -> dict[str, str] | str:
    """What each errand was answered with, or a complaint about the numbers."""
    passed, told, waiting = dict[str, str](), dict[str, str](), list[str]()
    for message in messages:
        for call in getattr(message, "tool_calls", ()):
            if call.id in passed:
                return f"I hear the slip {call.id} twice."
            passed[call.id] = str(call)
            waiting.append(call.id)
        if isinstance(message, ToolMessage):
            content, slip = str(message.content), message.tool_call_id
            if slip not in waiting:
                return f"The answer {content!r} is for {slip}: no such slip is open."
            waiting.remove(slip)
            told[passed[slip]] = content
    if waiting:
        return f"I am still waiting for the answer to {', '.join(waiting)}."
    return told


def _taking(menu: _Menu, *kinds: str) -> list[tuple[str, str]]:
    """The tools that need one value of such a kind, and its parameter's name."""
    found = []
    for entry in menu:
        takes = entry["function"]["parameters"]
        needed = takes.get("required") or list(takes["properties"])[:1]
        if [takes["properties"][key].get("type") in kinds for key in needed] == [True]:
            found.append((entry["function"]["name"], needed[0]))
    return found


def _named(tools: list[tuple[str, str]], text: str) -> list[tuple[str, str]]:
    return [tool for tool in tools if tool[0].split("_")[-1].lower() in text.lower()]
