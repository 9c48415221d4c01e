import pytest

from mingraph_lite import ScriptedLLM, ToolRegistry
from mingraph_lite.cards import CallingModel, RunningTools
from mingraph_lite.desk import Desk
from mingraph_lite.errors import ModelError
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
from mingraph_lite.recovery import Retries

PROMPT = "Be brief."
NOW = ToolCall("now", {}, "c1")
LATER = ToolCall("now", {}, "c2")
BUSY = "The server is busy."


def now() -> str:
    return "noon"


def broken() -> str:
    raise OSError("no clock")


def laid_out(
    *script,
    llm=None,
    prompt=PROMPT,
    listeners=(),
    limits=None,
    retries=None,
    heard=None,
):
    """A desk with two tools, a script for its model, and its recorder."""
    tools = ToolRegistry()
    tools.add(now)
    tools.add(broken)
    recorder = Recorder()
    desk = Desk(
        llm or ScriptedLLM(script),
        tools,
        KeepAll(),
        prompt,
        Announcer([*listeners, recorder], run_id="r", agent="guide"),
        limits or Limits(),
        retries or Retries(most=0),
        on_text_delta=heard,
    )
    return desk, recorder


def said(desk: Desk) -> list[object]:
    return list(desk.memory.folder)


def busy() -> ModelError:
    return ModelError(BUSY, retryable=True)


def patient(most=2, cap=30.0) -> tuple[Retries, list[float]]:
    """Retries that write their waits down and wait for nothing."""
    waits: list[float] = []
    return Retries(most, cap=cap, sleep=waits.append, chance=lambda: 0.0), waits


# The folder and what is read out


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
    answer = ToolMessage("Error: OSError in broken: no clock", "c1", "broken")
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("tool_call", {"call": call}),
        ("tool_error", {"call": call, "error": raised.value, "message": answer}),
        ("message_added", {"message": answer}),
    ]


# A reply that is a refusal

REFUSAL = "I can't help with that."


@pytest.mark.parametrize("content", ["", " \n"])
def test_A18_a_refusal_without_text_is_filed_as_what_was_said(content):
    desk, _ = laid_out()
    response = LLMResponse(AssistantMessage(content), refusal=REFUSAL)
    assert desk.file(response) == AssistantMessage(REFUSAL)
    assert said(desk) == [AssistantMessage(REFUSAL)]


def test_A18_a_refusal_beside_a_text_leaves_the_text_as_it_is():
    desk, _ = laid_out()
    desk.file(LLMResponse(AssistantMessage("Partly: 18."), refusal=REFUSAL))
    assert said(desk) == [AssistantMessage("Partly: 18.")]
