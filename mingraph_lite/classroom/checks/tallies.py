"""A run and the tally it kept, compared with a right one.

A check hands in the learner's loop and ours, and both run in the same situation:

    wrong_run(theirs, ours, paris_and_tokyo, ("turns", "results"))
    "The model was asked 3 times, and the tally says turns: 4."

Each function says the first thing that is wrong, in a sentence, or None. An entry of
the tally may have any form that tells what it should.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.classroom.words import count_of, listed
from mingraph_lite.errors import LineCut, ScriptExhausted
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.lab.scenarios import Scenario, paris_and_tokyo
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage

__all__: Final = [
    "NO_RETURN",
    "Run",
    "names",
    "wrong_lists",
    "wrong_notes",
    "wrong_run",
]

NO_RETURN: Final = "It hands back nothing. Is a return missing?"

type _Loop = Callable[..., Any]


class Run:
    """A learner's loop in one run, with ears on everything."""

    def __init__(
        self,
        loop: _Loop,
        scenario: Scenario,
        *,
        slips: int = 9,
        noted: bool = False,
        question: str = "",
        **options: Any,
    ) -> None:
        self.spy, self.notes = Spy(), list[tuple[Any, ...]]()
        self.folder: list[Any] = [UserMessage(question or scenario.question)]
        reads = scenario is paris_and_tokyo
        llm = self.spy.model(ReadingLLM(slips) if reads else scenario.llm())
        if noted:
            options["note"] = self._note
        tools = self.spy.tools(*scenario.tools)
        self.tally: Any = None
        self.has_no_end = False
        try:
            self.tally = loop(llm, tools, self.folder, **options)
        except (LineCut, ScriptExhausted):
            self.has_no_end = True

    def _note(self, *said: Any, **named: Any) -> None:
        """Hear what is noted, and after how many errands."""
        self.notes.append((*said, *named.values(), len(self.spy.ran)))


def wrong_run(
    loop: _Loop, right: _Loop, scenario: Scenario, keys: Iterable[str], **options: Any
) -> str | None:
    """What is wrong with a run, compared with ours in the same situation."""
    mine, ours = Run(loop, scenario, **options), Run(right, scenario, **options)
    tally, most = mine.tally, options.get("limit", 5)
    asked = len(mine.spy.heard)
    if mine.has_no_end:
        return _asked(most, asked)
    if tally is None:
        untouched = len(mine.folder) == 1 and not mine.spy.story
        return f"{STILL_THE_STUB}: it does nothing." if untouched else NO_RETURN
    if not isinstance(tally, Mapping):
        return f"It hands back {_brief(tally)}, and the whole dict is wanted."
    if lacking := [key for key in keys if key not in tally]:
        return f"The dict says nothing under {listed(map(repr, lacking))}."
    if asked > max(most, len(ours.spy.heard)) or asked < len(ours.spy.heard) == most:
        return _asked(most, asked)
    return (
        _wrong_folder(mine.folder, ours.folder)
        or _wrong_errands(mine.spy.ran, ours.spy.ran)
        or _wrong_turns(tally["turns"], ours.tally["turns"])
        or wrong_lists(tally, ours.tally["tool_calls"], ours.tally["results"])
        or ("answer" in keys and _wrong_end(tally, ours.tally))
        or None
    )


def _asked(most: int, asked: int) -> str:
    times = count_of(asked, "time")
    return f"{count_of(most, 'turn')} allowed, and the model was asked {times}."


def _wrong_folder(mine: Sequence[Any], ours: Sequence[Any]) -> str | None:
    """The tally stands beside the messages: they are what they were without it."""
    for place, (one, other) in enumerate(
        zip(map(_line, mine), map(_line, ours), strict=False)
    ):
        if one != other:
            return f"In the folder, message {place} is {one}; there should be {other}."
    if len(mine) == len(ours):
        return None
    return (
        f"The folder should have {len(ours)} messages after this run, as without a "
        f"tally, and has {len(mine)}."
    )


def _line(message: Any) -> str:
    match message:
        case UserMessage():
            return "the question"
        case AssistantMessage(tool_calls=calls) if calls:
            return f"the reply with {' and '.join(map(str, calls))}"
        case AssistantMessage(content=content):
            return f"the answer {content!r}"
        case ToolMessage(tool_call_id=id, content=content):
            return f"the answer slip to {id}, {str(content)!r}"
    return repr(message)


def _wrong_errands(mine: Sequence[str], ours: Sequence[str]) -> str | None:
    if mine == ours:
        return None
    return (
        f"{count_of(len(ours), 'slip')} passed, and {count_of(len(mine), 'errand')} "
        "run: run each once, and write down what it brought."
    )


def _wrong_turns(mine: object, ours: int) -> str | None:
    if mine == ours and not isinstance(mine, bool):
        return None
    return f"The model was asked {ours} times, and the tally says turns: {mine!r}."


def wrong_lists(
    tally: Mapping[str, Any], calls: Sequence[ToolCall], results: Sequence[object]
) -> str | None:
    """Each call and what it brought, in the same place of both lists."""
    for key, wanted in (("tool_calls", calls), ("results", results)):
        found = tally[key]
        if not isinstance(found, list | tuple):
            return f"{key} is a list of all that came, and this is {_brief(found)}."
        if len(found) != len(wanted):
            errands = count_of(len(wanted), "errand")
            return f"{errands} ran, and {key} has {len(found)} in it."
    for n, (call, result) in enumerate(zip(calls, results, strict=True)):
        if not names(tally["tool_calls"][n], call):
            found = str(tally["tool_calls"][n])
            return f"tool_calls[{n}] says {_brief(found)}; that errand was {call}."
        found = tally["results"][n]
        if str(getattr(found, "content", found)) != str(result):
            return f"results[{n}] is {_brief(found)}, and {call} brought {result!r}."
    return None


def names(entry: Any, call: ToolCall) -> bool:
    """Whether an entry says which tool and with what, in any form."""
    if isinstance(entry, ToolCall):
        return (entry.name, entry.arguments) == (call.name, call.arguments)
    if isinstance(entry, AssistantMessage):
        return False  # a reply: it may pass more slips than this one
    if isinstance(entry, list | tuple):
        inside = [one for one in entry if isinstance(one, ToolCall)]
        if inside:
            return len(inside) == 1 and names(inside[0], call)
    parts = [call.name, *map(str, call.arguments.values())]
    return all(part in str(entry) for part in parts)


def _wrong_end(tally: Mapping[str, Any], ours: Mapping[str, Any]) -> str | None:
    """An answer where the model gave one, else none and a reason."""
    said, turns = tally["answer"], ours["turns"]
    if ours["answer"] is not None:
        if said == ours["answer"]:
            return None
        return (
            f"The model said {_brief(ours['answer'])}, and answer says {_brief(said)}."
        )
    if said is not None:
        return (
            f"After {turns} turns there is no answer, and answer says {_brief(said)}: "
            "who reads it takes it for one."
        )
    if not tally["reason"]:
        return "There is no answer, and reason does not say why."
    return None


def wrong_notes(loop: _Loop, right: _Loop, scenario: Scenario) -> str | None:
    """One note for each model call, each tool result and the end, as they come."""
    mine, ours = (Run(one, scenario, noted=True).notes for one in (loop, right))
    if not mine:
        return "Nothing was noted: note(kind, text) at a model call, a result, the end."
    for said in mine:
        if len(said) != 3:
            return f"A note is a kind and a text, and this one is {said[:-1]!r}."
    kinds, theirs = [said[0] for said in mine], [said[0] for said in ours]
    if _pattern(kinds) == _pattern(theirs[:-1]):
        return (
            "A run ended, and no end was noted. It ends at an answer, or at the limit."
        )
    if _pattern(kinds[:-1]) == _pattern(theirs) and kinds[-1] == kinds[-2]:
        return f"A run ends once, and {kinds[-1]!r} is noted 2 times."
    if _pattern(kinds) != _pattern(theirs):
        return f"Noted: {_short(kinds)}. It went like this: {_short(theirs)}."
    for (kind, _, ran), (wanted, _, done) in zip(mine, ours, strict=True):
        if wanted == "tool result" and ran < done:
            return f"{kind!r} is noted before its tool has run."
    return None


def _pattern(kinds: Sequence[object]) -> list[int]:
    """The kinds in the order in which they first came: the words are free."""
    return [kinds.index(kind) for kind in kinds]


def _short(kinds: Sequence[object]) -> str:
    return listed(map(str, kinds[:4])) + ("" if len(kinds) < 5 else f", … {kinds[-1]}")


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) < 48 else f"{text[:46]}…"
