"""What lesson 04 asks: sentences for its predictions, and its exercises."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from mingraph_lite.cards import CallingModel, Desk, RunningTools
from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage
from mingraph_lite.observers import Announcer
from mingraph_lite.scenarios import paris_and_tokyo

CALLS = (
    ToolCall("get_weather", {"city": "Paris"}, id="call_1"),
    ToolCall("get_weather", {"city": "Tokyo"}, id="call_2"),
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
    desk = small_desk()
    card = answer(CALLS).run(desk)  # type: ignore[operator]
    name = type(card).__name__
    if len(desk.folder) != 3:
        return "Both slips still need an answer before the run ends."
    if name == "Waiting":
        return f"{STILL_THE_STUB}: after the errands it goes back to waiting."
    if card is None:
        return "None stops the loop with no card at all. Which card says it is over?"
    return None if name == "HungUp" else f"After the errands comes {name}."


def runs_the_tools(answer: object) -> str | None:
    desk = full_desk()
    card = answer(CALLS, step=1).run(desk)  # type: ignore[operator]
    told = [m for m in desk.memory.folder if isinstance(m, ToolMessage)]
    if card is None and not told:
        return f"{STILL_THE_STUB}: no slip is answered, and no card handed back."
    if len(told) != 2:
        return (
            f"Two slips were passed and {len(told)} answered. Is the return too early?"
        )
    if [message.tool_call_id for message in told] != ["call_1", "call_2"]:
        return "An answer has another number than its slip. desk.answer keeps them."
    if [message.content for message in told] != ["18", "24"]:
        return "The answers are not what the tools gave back."
    if card == CallingModel(1):
        return "The next round is number 2, and this card says 1: who else counts?"
    if not isinstance(card, CallingModel):
        return f"The errands are done; the next card is CallingModel, not {card!r}."
    return None if card.step == 2 else f"The next round is 2, not {card.step}."


def asks_a_human(answer: object) -> str | None:
    asked: list[str] = []

    def no(call: ToolCall) -> bool:
        asked.append(str(call))
        return False

    desk = small_desk()
    card = answer(CALLS, no).run(desk)  # type: ignore[operator]
    if not asked:
        return f"{STILL_THE_STUB}: nobody is asked."
    told = {m.tool_call_id for m in desk.folder if isinstance(m, ToolMessage)}
    if any(getattr(m, "content", "") == "18" for m in desk.folder):
        return "The human said no, and get_weather ran all the same."
    if told != {"call_1", "call_2"}:
        return "A slip the human refused still needs an answer, such as 'declined'."
    if type(card).__name__ != "Waiting":
        return "After a no, the model should hear about it: hand back Waiting."
    card = answer(CALLS, lambda call: True).run(small_desk())  # type: ignore[operator]
    if type(card).__name__ != "Errands":
        return "After a yes, the errands come next: hand back Errands."
    return None


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
            "CallingModel": "Each card names the cards that may follow it. The loop "
            "only picks up what it is handed.",
            "the loop": "The loop holds no names of cards after the first: it runs the "
            "card and picks up what it is handed. CallingModel names RunningTools.",
            "the model": "The model passed two slips, and that is all it does. "
            "CallingModel looked at the reply and handed back RunningTools.",
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
                "Both slips still need an answer before the run ends.": StopsTooEarly,
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
                "The next round is number 2, and this card says 1: who else counts?": (
                    ForgetsToCount
                ),
                "An answer has another number than its slip. desk.answer keeps them.": (
                    MixesUpTickets
                ),
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
                "The human said no, and get_weather ran all the same.": (
                    AsksAndRunsAnyway
                ),
                "A slip the human refused still needs an answer, such as "
                "'declined'.": LeavesSlipsOpen,
                "After a no, the model should hear about it: hand back Waiting.": (
                    HangsUpOnNo
                ),
            },
            hints=(
                "Ask about every call before you decide which card comes next.",
                "On a no, append a ToolMessage for each call, then hand back Waiting().",
            ),
        ),
    ),
)
