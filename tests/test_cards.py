from dataclasses import FrozenInstanceError, dataclass

import pytest

from mingraph_lite import ScriptedLLM, ToolRegistry
from mingraph_lite.cards import CallingModel, Card, Desk, Finished, RunningTools
from mingraph_lite.errors import ModelError, StepLimitReached
from mingraph_lite.limits import Limits
from mingraph_lite.llm import LLMResponse
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observers import Announcer, Observer, Recorder

PROMPT = "Be brief."
NOW = ToolCall("now", {}, "c1")
LATER = ToolCall("now", {}, "c2")


def now() -> str:
    return "noon"


def broken() -> str:
    raise OSError("no clock")


def laid_out(*script, memory=None, max_steps=10, prompt=PROMPT, listeners=()):
    """A desk with two tools, a script for its model, and its recorder."""
    tools = ToolRegistry()
    tools.add(now)
    tools.add(broken)
    recorder = Recorder()
    announcer = Announcer([*listeners, recorder], run_id="r", agent="guide")
    memory = memory or KeepAll()
    desk = Desk(
        ScriptedLLM(script), tools, memory, prompt, announcer, Limits(max_steps)
    )
    return desk, recorder


def said(desk: Desk) -> list[object]:
    return list(desk.memory.folder)


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
    desk, recorder = laid_out("noon", max_steps=3)
    assert CallingModel(4).run(desk) == Finished(
        None, "step limit", because="3 model calls are the limit"
    )
    assert (desk.llm.calls, said(desk), recorder.names()) == (0, [], [])


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


def test_the_end_without_an_answer_raises_after_saying_so():
    desk, recorder = laid_out(max_steps=3)
    with pytest.raises(StepLimitReached) as raised:
        Finished(None, "step limit").run(desk)
    assert str(raised.value) == (
        "No answer after 3 model calls. The model asked for no tool. Allow more with "
        "max_steps=…, or read in the folder what the model could not get."
    )
    assert recorder.names() == ["finish"]


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
            Finished(None, "step limit"),
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


# The desk


def test_a_run_begins_with_the_question_in_the_folder():
    desk, recorder = laid_out()
    desk.start("What time is it?")
    question = UserMessage("What time is it?")
    assert said(desk) == [question]
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("run_start", {"question": "What time is it?"}),
        ("message_added", {"message": question}),
    ]


def test_the_prompt_is_read_out_first_and_kept_nowhere():
    desk, _ = laid_out()
    desk.start("What time is it?")
    assert list(desk.read_out()) == [
        SystemMessage(PROMPT),
        UserMessage("What time is it?"),
    ]
    assert said(desk) == [UserMessage("What time is it?")]


def test_without_a_prompt_only_the_folder_is_read_out():
    desk, _ = laid_out(prompt="")
    desk.start("What time is it?")
    assert list(desk.read_out()) == [UserMessage("What time is it?")]


def test_anyone_at_the_desk_may_ask_the_model():
    desk, recorder = laid_out("A short summary.")
    messages = [UserMessage("Sum up.")]
    response = desk.ask(messages)
    messages.clear()
    assert response == LLMResponse(AssistantMessage("A short summary."))
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("model_call", {"messages": (UserMessage("Sum up."),), "menu": ()}),
        ("model_reply", {"response": response}),
    ]
    assert said(desk) == []


def test_a_listener_cannot_take_away_what_the_model_is_asked():
    class Thief(Observer):
        def on_model_call(self, messages, menu):
            messages.clear()

    desk, _ = laid_out(lambda messages, menu: repr(messages), listeners=[Thief()])
    response = desk.ask([UserMessage("Sum up.")])
    assert response.message.content == "(UserMessage(content='Sum up.'),)"


def test_a_model_that_fails_is_announced_as_asked_and_not_as_replied():
    desk, recorder = laid_out(ModelError("The server is busy."))
    with pytest.raises(ModelError):
        desk.ask([UserMessage("Sum up.")])
    assert recorder.names() == ["model_call"]


def test_a_tools_value_becomes_plain_text():
    desk, _ = laid_out()
    assert desk.observe(NOW, {"at": 12}) == ToolMessage('{"at": 12}', "c1", "now")


def test_a_reply_is_filed_with_a_number_for_each_slip():
    desk, _ = laid_out()
    response = LLMResponse(AssistantMessage("Hm.", (NOW, NOW, ToolCall("now", {}))))
    filed = desk.file(response)
    assert [call.id for call in filed.tool_calls] == ["c1", "call_2", "call_3"]
    assert said(desk) == [filed]
    assert [call.id for call in response.message.tool_calls] == ["c1", "c1", ""]


def test_a_run_is_closed_once():
    desk, recorder = laid_out()
    desk.finish("noon", "answered")
    desk.finish(None, "failed")
    assert [dict(event.payload) for event in recorder.events] == [
        {"answer": "noon", "reason": "answered"}
    ]


def test_closing_a_run_answers_what_is_open_before_it_says_so():
    desk, recorder = laid_out([NOW, LATER])
    CallingModel(1).run(desk)
    desk.start_tool(NOW)
    desk.finish(None, "interrupted")
    assert said(desk)[1:] == [
        ToolMessage("stopped while it ran: outcome unknown", "c1", "now"),
        ToolMessage("not run: stopped", "c2", "now"),
    ]
    assert recorder.names()[-3:] == ["message_added", "message_added", "finish"]


def test_a_failing_tool_is_announced_with_its_error_and_its_answer():
    desk, recorder = laid_out()
    call = ToolCall("broken", {}, "c1")
    with pytest.raises(OSError, match=r"^no clock$") as raised:
        RunningTools((call,), 1).run(desk)
    answer = ToolMessage("Error: broken failed: no clock", "c1", "broken")
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("tool_call", {"call": call}),
        ("tool_error", {"call": call, "error": raised.value, "message": answer}),
        ("message_added", {"message": answer}),
    ]
