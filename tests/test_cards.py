from dataclasses import FrozenInstanceError, dataclass

import pytest

from mingraph_lite.cards import CallingModel, Card, Finished, RunningTools
from mingraph_lite.errors import MingraphError, ModelRefused, StepLimitReached
from mingraph_lite.limits import Limits
from mingraph_lite.llm import LLMResponse
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from tests.desks import LATER, NOW, REFUSAL, laid_out, said

# One card at a time


def test_calling_the_model_leads_to_its_errands_when_the_reply_passes_slips():
    desk, _ = laid_out([NOW, LATER])
    assert CallingModel(4).run(desk) == RunningTools(
        (NOW, LATER), 4, because="the reply passed two slips"
    )
    assert said(desk) == [AssistantMessage("", (NOW, LATER))]


def test_calling_the_model_leads_to_the_end_when_the_reply_passes_no_slip():
    desk, _ = laid_out("noon")
    assert CallingModel(4).run(desk) == Finished(
        "noon", "answered", because="the reply passed no slip"
    )
    assert said(desk) == [AssistantMessage("noon")]


def test_calling_the_model_once_too_often_leads_to_the_end_without_asking():
    desk, recorder = laid_out("noon", limits=Limits(3))
    card = CallingModel(4).run(desk)
    assert (repr(card), card.because, type(card.error)) == (
        "Finished(answer=None, reason='step limit')",
        "the limit is reached: 3 rounds",
        StepLimitReached,
    )
    assert (desk.llm.calls, said(desk), recorder.names()) == (0, [], [])


# A18. Right: a refusal ends the run as one, and what the model said is kept.
@pytest.mark.parametrize(
    ("reply", "filed"),
    [
        (AssistantMessage(""), AssistantMessage(REFUSAL)),
        (AssistantMessage("Partly: 18."), AssistantMessage("Partly: 18.")),
        (AssistantMessage("", (NOW,)), AssistantMessage("", (NOW,))),
    ],
    ids=["alone", "beside a text", "beside a slip"],
)
def test_A18_a_refusal_leads_to_the_end_and_is_kept(reply, filed):
    desk, _ = laid_out(LLMResponse(reply, refusal=REFUSAL))
    card = CallingModel(4).run(desk)
    assert (repr(card), card.because, type(card.error), str(card.error)) == (
        "Finished(answer=None, reason='refused')",
        "the reply is a refusal",
        ModelRefused,
        REFUSAL,
    )
    assert said(desk) == [filed]


def test_a_declined_request_leads_to_the_end_as_a_refusal():
    desk, _ = laid_out(ModelRefused("The filter declined it."))
    card = CallingModel(4).run(desk)
    assert (repr(card), card.because, type(card.error), str(card.error)) == (
        "Finished(answer=None, reason='refused')",
        "the request was declined",
        ModelRefused,
        "The filter declined it.",
    )
    assert said(desk) == []


def test_running_tools_leads_back_to_the_model():
    desk, _ = laid_out()
    card = RunningTools((NOW, LATER), 4)
    assert card.run(desk) == CallingModel(5, because="every slip has its answer")
    assert said(desk) == [
        ToolMessage("noon", "c1", "now"),
        ToolMessage("noon", "c2", "now"),
    ]


def test_the_end_with_an_answer_says_so_and_hands_back_no_card():
    desk, recorder = laid_out()
    assert Finished("noon", "answered").run(desk) is None
    assert [dict(event.payload) for event in recorder.events] == [
        {"answer": "noon", "reason": "answered"}
    ]


def test_the_end_without_an_answer_raises_its_error_after_saying_so():
    desk, recorder = laid_out()
    error = StepLimitReached("No answer after 3 rounds.")
    with pytest.raises(StepLimitReached) as raised:
        Finished(None, "step limit", error).run(desk)
    assert raised.value is error
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("finish", {"answer": None, "reason": "step limit"})
    ]


def test_the_end_without_answer_and_error_says_its_reason():
    desk, _ = laid_out()
    with pytest.raises(MingraphError) as raised:
        Finished(None, "abandoned").run(desk)
    assert (type(raised.value), str(raised.value)) == (
        MingraphError,
        "No answer: abandoned.",
    )


def test_an_empty_answer_is_an_answer():
    desk, _ = laid_out()
    assert Finished("", "answered").run(desk) is None


@pytest.mark.parametrize(
    ("count", "why"),
    [(1, "one slip"), (2, "two slips"), (3, "three slips"), (4, "4 slips")],
)
def test_the_reason_counts_the_slips(count, why):
    desk, _ = laid_out([ToolCall("now", {})] * count)
    assert CallingModel(1).run(desk).because == f"the reply passed {why}"


def test_a_card_is_a_fact():
    with pytest.raises(FrozenInstanceError):
        CallingModel(1).step = 2  # type: ignore[misc]
    assert CallingModel(1) == CallingModel(1)
    assert CallingModel(1) != CallingModel(2)


def test_a_card_prints_what_it_holds():
    assert [
        repr(card)
        for card in (
            CallingModel(2, because="every slip has its answer"),
            RunningTools((NOW,), 1),
            Finished(None, "step limit", StepLimitReached("No."), because="why"),
        )
    ] == [
        "CallingModel(step=2)",
        "RunningTools(calls=(ToolCall(name='now', arguments={}, id='c1'),), step=1)",
        "Finished(answer=None, reason='step limit')",
    ]


def test_a_card_without_a_rule_says_what_it_lacks():
    @dataclass(frozen=True)
    class AskingHuman(Card):
        pass

    with pytest.raises(TypeError) as raised:
        AskingHuman().run(laid_out()[0])
    assert str(raised.value) == "AskingHuman has no rule: give it a run(desk)."


def test_a_card_of_ones_own_may_stand_between_the_others():
    @dataclass(frozen=True)
    class AskingHuman(Card):
        calls: tuple[ToolCall, ...]
        step: int

        def run(self, desk):
            desk.add(UserMessage("You may."))
            return RunningTools(self.calls, self.step)

    desk, _ = laid_out([NOW], "noon")
    first = CallingModel(1).run(desk)
    card, seen = AskingHuman(first.calls, first.step), []
    while card is not None:
        seen.append(type(card).__name__)
        card = card.run(desk)
    assert seen == ["AskingHuman", "RunningTools", "CallingModel", "Finished"]
