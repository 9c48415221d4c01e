"""Cards made by hand, played on a watched desk and judged.

A card is judged by what it does: what ran, how often, what it left in the folder, and
which card it hands back. What its class is called does not matter.
"""

from __future__ import annotations

import reprlib
from typing import Any, Final

from mingraph_lite.agent import Agent
from mingraph_lite.cards import Card
from mingraph_lite.classroom.checks.left_behind import GONE
from mingraph_lite.classroom.plain import not_plain
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.lab import ReadingLLM
from mingraph_lite.lab.scenarios import get_weather, paris_and_tokyo, to_fahrenheit
from mingraph_lite.llm import LLMResponse, ScriptedLLM
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)
from mingraph_lite.own_cards import is_card

__all__: Final = [
    "CALLS",
    "THREE",
    "Desk",
    "asked_desk",
    "at_the_errands",
    "inherited",
    "not_a_card",
    "played",
    "wrong_cards",
    "wrong_run",
]

CALLS: Final = (
    ToolCall("get_weather", {"city": "Paris"}, id="call_7"),
    ToolCall("get_weather", {"city": "Tokyo"}, id="call_8"),
)
THREE: Final = (*CALLS, ToolCall("get_weather", {"city": "Oslo"}, id="call_9"))
_MOST_CARDS: Final = 80


class Desk:
    """The desk of the notebook, with a spy on model and tools."""

    def __init__(self, llm: Any, folder: list[Any]) -> None:
        self.spy = Spy()
        self.llm = self.spy.model(llm)
        self.tools = self.spy.tools(get_weather, to_fahrenheit)
        self.folder = folder

    def answer(self, call: ToolCall, value: object) -> None:
        """File the answer to a slip."""
        self.folder.append(ToolMessage(str(value), call.id, call.name))

    @property
    def told(self) -> list[ToolMessage]:
        """The answers to slips, in their order."""
        return [m for m in self.folder if isinstance(m, ToolMessage)]


def at_the_errands(calls: tuple[ToolCall, ...] = CALLS) -> Desk:
    """The desk just after these slips were passed."""
    question = UserMessage(paris_and_tokyo.question)
    return Desk(ReadingLLM(), [question, AssistantMessage("", calls)])


def played(card: Any, desk: Any) -> list[Any]:
    """The cards of a run, and whatever came last instead of one."""
    cards = [card]
    while is_card(cards[-1]) and len(cards) < _MOST_CARDS:
        cards.append(cards[-1].run(desk))
    return cards


def asked_desk(llm: Any) -> Desk:
    """The desk at the start of a run: the question, and nothing else."""
    return Desk(llm, [UserMessage(paris_and_tokyo.question)])


def not_a_card(name: str, value: object) -> str | None:
    """What is wrong with what a card handed back, if it is none."""
    if value is None:
        return (
            f"{name} hands back nothing here, so the run ends without a word. Each way "
            "out of its run returns a card."
        )
    if isinstance(value, type):
        return (
            f"{name} hands back the class {value.__name__}. A card is made by calling "
            f"it: {value.__name__}(…)."
        )
    if isinstance(value, Card):
        kind = type(value).__name__
        return (
            f"{name} hands back {kind}, a card of the package, which works at another "
            "desk. Hand back one of your own."
        )
    if is_card(value):
        return None
    kind = type(value).__name__
    if type(value).__repr__ is object.__repr__:
        return f"{name} hands back an object of {kind}, which has no run: no card."
    return f"{name} hands back {reprlib.repr(value)}, a {kind}, which is no card."


def inherited(*classes: Any) -> str | None:
    """What is wrong with a class that writes no rule of its own."""
    if wrong := not_plain(*classes):
        return wrong
    for one in classes:
        owner = next((k for k in one.__mro__ if "run" in vars(k)), None)
        if owner is None:
            return f"{one.__name__} has no run: write def run(self, desk) inside it."
        if owner.__module__ != one.__module__:
            return f"{one.__name__} writes no rule of its own: its run is inherited."
    return None


def wrong_cards(waiting: Any, errands: Any) -> str | None:
    """What is wrong with two cards, each alone and then both in a run."""
    return (
        _wrong_waiting(waiting)
        or _wrong_errands(errands, CALLS, 1)
        or _wrong_errands(errands, CALLS[1:], 3)
        or _wrong_errands(errands, THREE, 5)
        or wrong_run(waiting)
        or wrong_run(waiting, slips=1)
    )


def _wrong_waiting(waiting: Any) -> str | None:
    desk = asked_desk(ReadingLLM())
    following = waiting(2).run(desk)
    if desk.spy.ran:
        return "A tool runs on Waiting. Errands are run in the second situation only."
    if len(desk.spy.heard) != 1:
        return f"Waiting calls the model {len(desk.spy.heard)} times. Once is its rule."
    reply = desk.folder[-1]
    if not isinstance(reply, AssistantMessage) or len(desk.folder) != 2:
        return "After Waiting the folder has the reply, once, and nothing else new."
    if not reply.tool_calls:
        return (
            "The model passed no slip, as if it had no tools. Read out folder and "
            "menu: generate(desk.folder, desk.tools.menu())."
        )
    if wrong := not_a_card("Waiting", following):
        return f"The reply passed slips. {wrong}"
    calls = getattr(following, "calls", None)
    if calls is None:
        name = type(following).__name__
        return f"The reply passed slips, and the next card is {name} without them."
    if not isinstance(calls, tuple | list):
        return (
            f"The reply passed 2 slips, and a single {type(calls).__name__} went along "
            "to the errands: reply.tool_calls are all of them."
        )
    if {call.id for call in calls} != {call.id for call in reply.tool_calls}:
        return f"The reply passed 2 slips, and {len(calls)} went along to the errands."
    if getattr(following, "step", None) != 2:
        return _wrong_number("The errands of round 2 belong to round 2", following)
    talking = ScriptedLLM([LLMResponse(AssistantMessage("Let me look.", CALLS))])
    if not hasattr(waiting(2).run(asked_desk(talking)), "calls"):
        return (
            "A reply may hold a text beside its slips, and these got lost. Ask whether "
            "there are slips, not whether there is a text."
        )
    desk = asked_desk(ScriptedLLM(["Hello.", "Hello again."]))
    following = waiting(1).run(desk)
    if wrong := not_a_card("Waiting", following):
        return f"The reply passed no slip. {wrong}"
    if following.run(desk) is not None or len(desk.spy.heard) > 1:
        return "A reply without slips is the answer, and the call goes on all the same."
    return None


def _wrong_number(fact: str, card: object) -> str:
    step, name = getattr(card, "step", None), type(card).__name__
    return f"{fact}, and this {name} says {step}. Who counts, and when?"


def _wrong_errands(errands: Any, calls: tuple[ToolCall, ...], step: int) -> str | None:
    desk = at_the_errands(calls)
    start = list(desk.folder)
    following = errands(calls, step).run(desk)
    spy, many = desk.spy, len(calls)
    if desk.folder[:2] != start:
        return GONE
    if spy.heard:
        return "Errands calls the model. That is the rule of Waiting."
    twice = [call for call in calls if spy.ran.count(str(call)) > 1]
    if twice:
        return f"{twice[0]} ran {spy.ran.count(str(twice[0]))} times for one slip."
    if desk.told and not spy.ran:
        return (
            "The folder has an answer, and no tool has run: nobody knows if it holds."
        )
    if len(spy.ran) < many:
        return (
            f"{many} slip{'s' * (many > 1)} came, and {len(spy.ran)} ran. Look at the "
            "for, and at where the return stands."
        )
    if wrong := _wrong_answers(desk, calls):
        return wrong
    if wrong := not_a_card("Errands", following):
        return f"The errands are done. {wrong}"
    if type(following) is errands:
        return "After the errands come the same errands again, and so on for ever."
    before = len(spy.heard)
    if getattr(following, "step", None) is not None and following.step != step + 1:
        return _wrong_number(f"After round {step} comes {step + 1}", following)
    following.run(desk)
    if len(spy.heard) == before:
        return "The errands are done, and the model never hears what came of them."
    return None


def _wrong_answers(desk: Desk, calls: tuple[ToolCall, ...]) -> str | None:
    told = {message.tool_call_id: message.content for message in desk.told}
    if len(desk.told) != len(calls):
        return (
            f"{len(calls)} slips need {len(calls)} answers, and the folder has "
            f"{len(desk.told)}."
        )
    if set(told) != {call.id for call in calls}:
        return "An answer has another ticket number than its slip."
    tools = paris_and_tokyo.registry()
    right = {call.id: tools.run(call) for call in calls}
    if told != right:
        return "An answer says something else than its own tool gave back."
    names = {call.id: call.name for call in calls}
    for message in desk.told:
        if message.name != names[message.tool_call_id]:
            return f"On an answer stands {message.name!r}, and its tool is call.name."
    return None


def wrong_run(waiting: Any, slips: int = 9) -> str | None:
    """What is wrong with a run, where a model passes so many slips at once."""
    desk = asked_desk(ReadingLLM(slips))
    cards = played(waiting(1), desk)
    if cards[-1] is not None:
        return (
            f"After {_MOST_CARDS} cards there is no end. They were: {_shown(cards)}, …"
        )
    agent = Agent(ReadingLLM(slips), paris_and_tokyo.registry(), "")
    wanted = agent.run(paris_and_tokyo.question)["answer"]
    if problems(desk.folder):
        return f"The folder is not in order: {problems(desk.folder)[0]}"
    got = desk.folder[-1].content
    if got != wanted:
        return f"The run ends with {got!r} and not with {wanted!r}."
    return None


def _shown(cards: list[Any]) -> str:
    return ", ".join(type(card).__name__ for card in cards[:5])
