"""What lesson 04 asks: sentences for its predictions, and its exercises."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from mingraph_lite.cards import CallingModel, RunningTools
from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.desk import Desk
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage
from mingraph_lite.observers import Announcer

CALLS = (
    ToolCall("get_weather", {"city": "Paris"}, id="call_7"),
    ToolCall("get_weather", {"city": "Tokyo"}, id="call_8"),
)


# The cards that the notebook writes by hand, for answers that use them.


class Waiting:
    pass


class HungUp:
    pass


@dataclass
class Errands:
    calls: tuple[ToolCall, ...]

    def run(self, desk: Any) -> object:
        for call in self.calls:
            desk.folder.append(ToolMessage(desk.tools.run(call), call.id, call.name))
        return Waiting()


def small_desk() -> Any:
    """A desk as the notebook lays it out, just after two slips were passed."""
    return SimpleNamespace(
        tools=paris_and_tokyo.registry(), folder=[AssistantMessage("", CALLS)]
    )


def full_desk() -> Desk:
    """The package's desk, just after two slips were passed."""
    desk = Desk(
        paris_and_tokyo.llm(),
        paris_and_tokyo.registry(),
        KeepAll(),
        "",
        Announcer((), run_id="check", agent="check"),
    )
    desk.add(AssistantMessage("", CALLS))
    return desk


def ends_after_the_errands(answer: object) -> str | None:
    if not isinstance(answer, type):
        return "Hand in the class itself: LastErrands, without brackets behind it."
    desk = small_desk()
    card = answer(CALLS).run(desk)
    name = type(card).__name__
    if len(desk.folder) != 3:
        return "Each of the two slips needs one answer before the run ends."
    if name == "Waiting":
        return f"{STILL_THE_STUB}: after the errands it goes back to waiting."
    if card is None:
        return "None stops the loop with no card at all. Which card says it is over?"
    if isinstance(card, type):
        return f"That is the class {card.__name__}. A card is made by calling it."
    return None if name == "HungUp" else f"After the errands comes {name}."


def runs_the_tools(answer: object) -> str | None:
    if not isinstance(answer, type):
        return "Hand in the class itself: MyRunningTools, without brackets behind it."
    desk = full_desk()
    card = answer(CALLS, step=3).run(desk)
    told = [m for m in desk.memory.folder if isinstance(m, ToolMessage)]
    if card is None and not told:
        return f"{STILL_THE_STUB}: no slip is answered, and no card handed back."
    if len(told) < 2:
        return (
            f"Two slips were passed and {len(told)} answered. Is the return too early?"
        )
    if [message.tool_call_id for message in told] != [call.id for call in CALLS]:
        return "Each slip gets one answer under its own number. desk.answer sees to it."
    if [message.content for message in told] != ["18", "24"]:
        return "The answers are not what the tools gave back."
    if not isinstance(card, CallingModel):
        return f"The errands are done; the next card is CallingModel, not {card!r}."
    if card.step == 3:
        return "The next round is number 4, and this card says 3: who else counts?"
    return None if card.step == 4 else f"After round 3 comes 4, not {card.step}."


def asks_a_human(answer: object) -> str | None:
    if not isinstance(answer, type):
        return "Hand in the class itself: AskingHuman, without brackets behind it."
    asked: list[str] = []
    desk, card = _decided(answer, {"Paris": False, "Tokyo": False}, asked)
    told = [m for m in desk.folder if isinstance(m, ToolMessage)]
    if not asked:
        return f"{STILL_THE_STUB}: nobody is asked."
    if any(message.content in {"18", "24"} for message in told):
        return "The human said no, and a tool ran all the same."
    if [message.tool_call_id for message in told] != [call.id for call in CALLS]:
        return "A slip the human refused needs one answer too: 'declined'."
    if {message.content for message in told} != {"declined"}:
        return "The answer of a refused slip is 'declined', so that the model knows."
    if type(card).__name__ != "Waiting":
        return "After a no, the model should hear about it: hand back Waiting."
    for yes in ("Paris", "Tokyo"):
        desk, card = _decided(answer, {city: city == yes for city in CITIES}, asked)
        told = [m for m in desk.folder if isinstance(m, ToolMessage)]
        if type(card).__name__ != "Waiting" or len(told) != 2:
            return (
                f"A yes for {yes} alone is not a yes for all: every slip is declined."
            )
    desk, card = _decided(answer, dict.fromkeys(CITIES, True), asked)
    if type(card).__name__ != "Errands" or getattr(card, "calls", ()) != CALLS:
        return "When every answer is yes, the errands come next: hand back Errands."
    return None if len(desk.folder) == 1 else "The errands run on their own card."


CITIES = ("Paris", "Tokyo")


def _decided(card: Any, says: dict[str, bool], asked: list[str]) -> tuple[Any, object]:
    """What is on the desk, and which card comes, when the human says so."""

    def ask(call: ToolCall) -> bool:
        asked.append(str(call))
        return says[str(call.arguments["city"])]

    desk = small_desk()
    return desk, card(CALLS, ask).run(desk)


class StopsAfterErrands(Errands):
    def run(self, desk: Any) -> object:
        super().run(desk)
        return HungUp()


class StopsWithNothing(Errands):
    def run(self, desk: Any) -> object:
        super().run(desk)
        return None


class StopsTooEarly(Errands):
    def run(self, desk: Any) -> object:
        return HungUp()


class NoRule(RunningTools):
    def run(self, desk: Desk) -> Any:
        return None


class RunsTools(RunningTools):
    def run(self, desk: Desk) -> Any:
        for call in self.calls:
            desk.answer(call, desk.tools.run(call))
        return CallingModel(self.step + 1)


class ReturnsInTheLoop(RunningTools):
    def run(self, desk: Desk) -> Any:
        for call in self.calls:
            desk.answer(call, desk.tools.run(call))
            return CallingModel(self.step + 1)


class ForgetsToCount(RunningTools):
    def run(self, desk: Desk) -> Any:
        for call in self.calls:
            desk.answer(call, desk.tools.run(call))
        return CallingModel(self.step)


class MixesUpTickets(RunningTools):
    def run(self, desk: Desk) -> Any:
        for call in self.calls:
            desk.add(ToolMessage(desk.tools.run(call), self.calls[0].id, call.name))
        return CallingModel(self.step + 1)


@dataclass
class AsksNobody:
    calls: tuple[ToolCall, ...]
    ask: Callable[[ToolCall], bool]

    def run(self, desk: Any) -> object:
        return Errands(self.calls)


class AskingHuman(AsksNobody):
    def run(self, desk: Any) -> object:
        if all(map(self.ask, self.calls)):
            return Errands(self.calls)
        for call in self.calls:
            desk.folder.append(ToolMessage("declined", call.id, call.name))
        return Waiting()


class AsksForOne(AsksNobody):
    def run(self, desk: Any) -> object:
        if any([self.ask(call) for call in self.calls]):  # noqa: C419
            return Errands(self.calls)
        return AskingHuman(self.calls, self.ask).run(desk)


class AsksAndRunsAnyway(AsksNobody):
    def run(self, desk: Any) -> object:
        for call in self.calls:
            self.ask(call)
        return Errands(self.calls).run(desk)


class LeavesSlipsOpen(AsksNobody):
    def run(self, desk: Any) -> object:
        return Errands(self.calls) if self.ask(self.calls[0]) else Waiting()


class HangsUpOnNo(AskingHuman):
    def run(self, desk: Any) -> object:
        card = super().run(desk)
        return card if isinstance(card, Errands) else HungUp()


LESSON = Lesson(
    "04_cards",
    sentences={
        "paris": {
            "in the folder": "The folder keeps what was said, the answer slip with 18 "
            "included. The card in the hand says only where we are: call the model, "
            "round 2.",
            "on the card": "The card in the hand is CallingModel(step=2). It says what "
            "to do now and keeps no history; the answer slip is in the folder.",
            "in the loop": "The loop has one variable, the card. It would lose the 18 "
            "at the next turn; the answer slip is in the folder.",
        },
        "picks": {
            "0": "The loop names its first card and no other: it takes what it is "
            "given. CallingModel names RunningTools, in its own code.",
        },
        "note": {
            "6": "Nearly half of its lines keep track of where we are.",
        },
    },
    exercises=(
        Exercise(
            check=ends_after_the_errands,
            stub=Errands,
            solution=StopsAfterErrands,
            mistakes={
                "None stops the loop with no card at all. Which card says it is "
                "over?": StopsWithNothing,
                "Each of the two slips needs one answer before the run ends.": (
                    StopsTooEarly
                ),
            },
            hints=(
                "Which line of run says what comes after the errands?",
                "Hand back HungUp() instead of Waiting().",
            ),
        ),
        Exercise(
            check=runs_the_tools,
            stub=NoRule,
            solution=RunsTools,
            mistakes={
                "Two slips were passed and 1 answered. Is the return too early?": (
                    ReturnsInTheLoop
                ),
                "The next round is number 4, and this card says 3: who else counts?": (
                    ForgetsToCount
                ),
                "Each slip gets one answer under its own number. desk.answer sees to "
                "it.": (MixesUpTickets),
            },
            hints=(
                "For each call: run it with desk.tools.run, then desk.answer it.",
                "After the for, hand back CallingModel with one step more.",
            ),
        ),
        Exercise(
            check=asks_a_human,
            stub=AsksNobody,
            solution=AskingHuman,
            mistakes={
                "The human said no, and a tool ran all the same.": AsksAndRunsAnyway,
                "A slip the human refused needs one answer too: 'declined'.": (
                    LeavesSlipsOpen
                ),
                "A yes for Paris alone is not a yes for all: every slip is declined.": (
                    AsksForOne
                ),
                "After a no, the model should hear about it: hand back Waiting.": (
                    HangsUpOnNo
                ),
            },
            hints=(
                "Ask about every call before you decide which card comes next.",
                "On a no, append a ToolMessage for each call, "
                "then hand back Waiting().",
            ),
        ),
    ),
)
