"""A card of one's own before another, and a run that goes on from a card."""

from dataclasses import dataclass

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.errors import StepLimitReached
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)
from mingraph_lite.observers import Recorder

PARIS = ToolCall("get_weather", {"city": "Paris"}, "c1")
TOKYO = ToolCall("get_weather", {"city": "Tokyo"}, "c2")
ran: list[str] = []


def get_weather(city: str) -> str:
    ran.append(city)
    return {"Paris": "18", "Tokyo": "24"}[city]


@pytest.fixture(autouse=True)
def nothing_ran():
    ran.clear()


def agent(*script, **options) -> Agent:
    return Agent(ScriptedLLM(script), [get_weather], "", **options)


@dataclass(frozen=True)
class AskingHuman(Card):
    """Let each slip pass."""

    card: Card

    def run(self, desk):
        return self.card


@dataclass(frozen=True)
class Declining(AskingHuman):
    """Decline every slip."""

    def run(self, desk):
        for call in self.card.calls:
            desk.answer(call, "declined")
        return CallingModel(self.card.step + 1)


@dataclass(frozen=True)
class Logging(AskingHuman):
    """Stand before whatever it is laid before."""


@dataclass(frozen=True)
class Checked(Finished):
    """An end of one's own."""


@dataclass(frozen=True)
class Checking(AskingHuman):
    """Hand back an end of one's own."""

    def run(self, desk):
        return Checked(f"checked: {self.card.answer}", "answered")


def names(cards) -> list[str]:
    return [type(card).__name__ for card in cards]


def test_a_card_is_laid_before_another_each_time_it_is_handed_back():
    a = agent(PARIS, TOKYO, "18 and 24", before={RunningTools: AskingHuman})
    cards = list(a.steps("How warm?"))
    assert names(cards) == [
        *("CallingModel", "AskingHuman", "RunningTools"),
        *("CallingModel", "AskingHuman", "RunningTools"),
        *("CallingModel", "Finished"),
    ]
    assert cards[1].card == cards[2]
    assert ran == ["Paris", "Tokyo"]


def test_the_card_that_it_stands_before_need_not_be_played():
    a = agent(PARIS, "Nobody looked.", before={RunningTools: Declining})
    assert a.run("How warm?") == {"answer": "Nobody looked."}
    assert (ran, a.last_run.results) == ([], ("declined",))


def test_two_cards_are_laid_before_two_others_and_one_is_an_end_of_ones_own():
    recorder = Recorder()
    before = {RunningTools: AskingHuman, Finished: Checking}
    a = agent(PARIS, "18", before=before, observers=[recorder])
    assert names(a.steps("How warm?")) == [
        *("CallingModel", "AskingHuman", "RunningTools", "CallingModel"),
        *("Checking", "Checked"),
    ]
    assert a.last_run.answer == "checked: 18"
    played = [e.payload["card"] for e in recorder.events if e.name == "card_start"]
    assert names(played) == names(agent_again(before))


def agent_again(before):
    return list(agent(PARIS, "18", before=before).steps("How warm?"))


def test_one_laid_card_may_have_another_laid_before_it():
    before = {RunningTools: AskingHuman, AskingHuman: Logging}
    assert names(agent(PARIS, "18", before=before).steps("How warm?")) == [
        *("CallingModel", "Logging", "AskingHuman", "RunningTools"),
        *("CallingModel", "Finished"),
    ]


def test_a_card_may_be_laid_before_every_other():
    assert names(agent("18", before={Card: Logging}).steps("How warm?")) == [
        *("Logging", "CallingModel", "Logging", "Finished"),
    ]


def test_a_function_may_decide_whether_a_card_is_laid():
    def if_tokyo(card):
        return AskingHuman(card) if TOKYO in card.calls else card

    a = agent(PARIS, TOKYO, "18 and 24", before={RunningTools: if_tokyo})
    assert names(a.steps("How warm?")).count("AskingHuman") == 1
    assert ran == ["Paris", "Tokyo"]


def test_what_is_laid_and_is_no_card_is_named():
    a = agent(PARIS, before={RunningTools: lambda card: "wait"})
    with pytest.raises(TypeError) as raised:
        a.run("How warm?")
    assert str(raised.value) == (
        "before[RunningTools] gave 'wait', which is no card. "
        "Hand in a card class that takes the card it stands before."
    )
    assert problems(a.memory.folder) == []


# From a card


def paused(*script, **options):
    """A run that is left with RunningTools in the hand: its agent and the card."""
    a = agent(*script, **options)
    steps = a.steps("How warm?")
    next(steps)
    return a, next(steps)


def test_an_agent_goes_on_from_the_card_that_it_was_paused_at():
    recorder = Recorder()
    a, card = paused([PARIS, TOKYO], "18 and 24", observers=[recorder])
    assert names(a.steps(card)) == ["RunningTools", "CallingModel", "Finished"]
    assert ran == ["Paris", "Tokyo"]
    assert list(a.memory.folder)[2:4] == [
        ToolMessage("18", "c1", "get_weather"),
        ToolMessage("24", "c2", "get_weather"),
    ]
    ends = [e.payload["reason"] for e in recorder.events if e.name == "finish"]
    assert ends == ["paused", "answered"]
    second = [e for e in recorder.events if e.run_id == "run-2"]
    assert [e.step for e in second if e.name in {"tool_call", "model_call"}] == [
        *(1, 1, 2)
    ]


def test_another_agent_goes_on_with_the_folder_that_was_there():
    a, card = paused([PARIS, TOKYO])
    memory = KeepAll(a.memory.folder)
    a.pause()
    assert problems(a.memory.folder) != []  # nobody wrote "not run" into it
    assert list(a.memory.folder) == list(memory.folder)
    later = agent("18 and 24", memory=memory)
    assert later.run(card) == {"answer": "18 and 24"}
    assert (later.last_run.turns, ran) == (2, ["Paris", "Tokyo"])


def test_a_card_that_was_asked_about_is_not_asked_about_again():
    a = agent(PARIS, "18", before={RunningTools: AskingHuman})
    steps = a.steps("How warm?")
    cards = [next(steps), next(steps), next(steps)]
    assert names(cards) == ["CallingModel", "AskingHuman", "RunningTools"]
    assert names(a.steps(cards[2])) == ["RunningTools", "CallingModel", "Finished"]


def test_rounds_go_on_counting():
    a, card = paused(PARIS, PARIS, max_steps=1)
    with pytest.raises(StepLimitReached):
        a.run(card)


def test_a_card_is_refused_with_a_folder_that_is_not_its_own():
    a, card = paused(PARIS, "18", "Hello.")
    a.run("Something else?")
    advice = (
        "Go on with the folder that was saved with it: memory=KeepAll(messages). A "
        "memory that saves itself needs agent.pause() where the run is left."
    )
    with pytest.raises(ValueError, match="not open") as raised:
        a.steps(AskingHuman(card))
    assert str(raised.value) == (
        "AskingHuman holds the slip 'c1', which is not open in the folder, "
        f"so it cannot go on. {advice}"
    )
    with pytest.raises(ValueError, match="empty") as raised:
        agent("18").run(card)
    assert str(raised.value) == (
        f"The folder is empty, so RunningTools cannot go on. {advice}"
    )


def test_the_model_is_not_asked_over_open_slips():
    a, _ = paused([PARIS], "18")
    assert a.run(CallingModel(2)) == {"answer": "18"}
    assert list(a.memory.folder) == [
        UserMessage("How warm?"),
        AssistantMessage("", (PARIS,)),
        ToolMessage("not run: stopped", "c1", "get_weather"),
        AssistantMessage("18"),
    ]


def test_to_pause_an_agent_that_has_no_run_does_nothing():
    a = agent("18")
    a.pause()
    a.run("How warm?")
    a.pause()
    assert a.last_run.reason == "answered"


def test_a_card_of_another_run_with_the_same_number_is_refused():
    def mail(to: str) -> str:
        return f"sent to {to}"

    llm = ScriptedLLM([ToolCall("mail", {"to": "you"}, "c1")])
    other = Agent(llm, [mail], "")
    steps = other.steps("Write to me")
    next(steps)
    card = next(steps)
    a, _ = paused([PARIS])
    with pytest.raises(ValueError, match="not open"):
        a.run(card)


@dataclass(frozen=True)
class OnlyTheFirst(AskingHuman):
    """Let the first slip pass and forget the others."""

    def run(self, desk):
        return RunningTools(self.card.calls[:1], self.card.step)


@dataclass(frozen=True)
class Forgetting(AskingHuman):
    """Forget every slip."""

    def run(self, desk):
        return CallingModel(self.card.step + 1)


@pytest.mark.parametrize(
    ("lay", "results"),
    [
        (OnlyTheFirst, ("18", "not run: stopped")),
        (Forgetting, ("not run: stopped",) * 2),
    ],
)
def test_slips_that_a_card_forgets_are_answered_before_the_model_hears(lay, results):
    heard = []

    def listen(messages, menu):
        heard.extend(problems(messages))
        return "Done."

    a = agent([PARIS, TOKYO], listen, before={RunningTools: lay})
    a.run("How warm?")
    assert (heard, a.last_run.results) == ([], results)


@dataclass(frozen=True)
class DecliningAndHandingOn(Declining):
    """Decline every slip, and hand them on all the same."""

    def run(self, desk):
        super().run(desk)
        return self.card


@dataclass(frozen=True)
class FailingAndHandingOn(AskingHuman):
    """Answer every slip with an error, and hand them on all the same."""

    def run(self, desk):
        for call in self.card.calls:
            desk.answer_error(call, PermissionError("no"), "Error: declined")
        return self.card


@dataclass(frozen=True)
class SayingAndHandingOn(AskingHuman):
    """Put the answers into the folder, and hand the slips on all the same."""

    def run(self, desk):
        for call in self.card.calls:
            desk.add(ToolMessage("declined", call.id, call.name))
        return self.card


@pytest.mark.parametrize(
    "lay", [DecliningAndHandingOn, FailingAndHandingOn, SayingAndHandingOn]
)
def test_a_slip_that_was_declined_does_not_run(lay):
    a = agent(PARIS, "18", before={RunningTools: lay})
    with pytest.raises(ValueError, match="answered already") as raised:
        a.run("How warm?")
    assert str(raised.value) == (
        "The slip 'c1' is answered already, so it is not run. A card answers a slip, "
        "or hands it on to be run, and not both."
    )
    assert (ran, problems(a.memory.folder)) == ([], [])
