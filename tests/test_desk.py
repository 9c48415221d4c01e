from dataclasses import replace

import pytest

from mingraph_lite.cards import CallingModel, RunningTools
from mingraph_lite.errors import Interrupted, ModelError, ToolArgsError
from mingraph_lite.limits import Limits, Price
from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from mingraph_lite.observers import Observer
from mingraph_lite.recovery import Retries
from tests.desks import LATER, NOW, PROMPT, REFUSAL, laid_out, now, said

BUSY = "The server is busy."


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
    start, added = recorder.events
    assert (start.name, start.payload["question"]) == ("run_start", question.content)
    assert list(start.payload["folder"]) == []
    assert (added.name, added.payload) == ("message_added", {"message": question})


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


# A18. Right: a refusal ends the run as one, and what the model said is kept.
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


# What was wanted last


def test_the_last_wish_is_what_the_model_last_asked_for_in_this_run():
    paris, tokyo = (ToolCall("now", {"in": city}) for city in ("Paris", "Tokyo"))
    desk, _ = laid_out()
    desk.file(LLMResponse(AssistantMessage("", (paris,))))
    desk.start("What time is it?")
    assert desk.last_wish() == "The model asked for no tool."
    desk.file(LLMResponse(AssistantMessage("", (paris,))))
    desk.file(LLMResponse(AssistantMessage("", (paris, tokyo))))
    desk.file(LLMResponse(AssistantMessage("Hm.")))
    assert desk.last_wish() == (
        'The model last asked for now(in="Paris"), now(in="Tokyo").'
    )


# Asking until it works


def test_a_model_that_fails_is_announced_as_asked_and_not_as_replied():
    desk, recorder = laid_out(ModelError("The server is busy."))
    with pytest.raises(ModelError):
        desk.ask([UserMessage("Sum up.")])
    assert recorder.names() == ["model_call"]


def spoken(desk) -> str:
    return desk.ask([UserMessage("Sum up.")]).message.content


# D08. Right: each retry is announced, and adds nothing to folder and steps.
def test_D08_a_model_that_may_work_the_next_time_is_asked_again():
    retries, waits = patient()
    errors = [busy(), busy()]
    desk, recorder = laid_out(*errors, "Short.", retries=retries)
    assert (spoken(desk), desk.llm.calls, waits) == ("Short.", 3, [1.0, 2.0])
    response = LLMResponse(AssistantMessage("Short."))
    assert [(e.name, dict(e.payload)) for e in recorder.events] == [
        ("model_call", {"messages": (UserMessage("Sum up."),), "menu": ()}),
        ("retry", {"error": errors[0], "tries": 1, "wait": 1.0}),
        ("retry", {"error": errors[1], "tries": 2, "wait": 2.0}),
        ("model_reply", {"response": response}),
    ]
    assert said(desk) == []


def test_D08_a_retry_is_announced_before_the_wait():
    heard = []
    retries = Retries(sleep=lambda wait: heard.append(recorder.names()[-1]))
    desk, recorder = laid_out(busy(), "Short.", retries=retries)
    desk.ask([UserMessage("Sum up.")])
    assert heard == ["retry"]


@pytest.mark.parametrize(("most", "calls"), [(0, 1), (1, 2), (3, 4)])
def test_D08_the_last_error_says_how_often_the_model_was_asked(most, calls):
    errors = [busy() for _ in range(9)]
    desk, recorder = laid_out(*errors, retries=patient(most)[0])
    with pytest.raises(ModelError) as raised:
        desk.ask([UserMessage("Sum up.")])
    assert raised.value is errors[calls - 1]
    assert (desk.llm.calls, raised.value.tries) == (calls, calls)
    assert str(raised.value) == BUSY + f" (Tried {calls} times.)" * (calls > 1)
    assert recorder.names() == ["model_call"] + ["retry"] * most


def test_D08_an_announced_error_says_only_what_went_wrong():
    texts = []

    class Listener(Observer):
        def on_retry(self, error, tries, wait):
            texts.append((str(error), tries))

    desk, _ = laid_out(
        busy(), busy(), "Short.", retries=patient()[0], listeners=[Listener()]
    )
    desk.ask([UserMessage("Sum up.")])
    assert texts == [(BUSY, 1), (BUSY, 2)]


@pytest.mark.parametrize(
    "error",
    [
        ModelError("The key is wrong."),
        ModelError(BUSY, retryable=True, retry_after=30.5),
        Interrupted("Stopped by hand."),
        OSError("no route"),
        KeyError("choices"),
    ],
)
def test_D08_what_would_fail_again_is_raised_at_once(error):
    retries, waits = patient()
    desk, recorder = laid_out(error, "Short.", retries=retries)
    with pytest.raises(type(error)) as raised:
        desk.ask([UserMessage("Sum up.")])
    assert raised.value is error
    assert (desk.llm.calls, waits, recorder.names()) == (1, [], ["model_call"])


def test_D08_other_failures_in_between_do_not_lengthen_the_patience():
    retries, waits = patient(most=2)
    desk, _ = laid_out(busy(), "", busy(), "Short.", retries=retries)
    with pytest.raises(ModelError, match=BUSY) as raised:
        desk.ask([UserMessage("Sum up.")])
    assert (raised.value.tries, waits) == (3, [1.0, 2.0])


def test_D08_each_question_has_its_own_tries():
    retries, waits = patient(most=1)
    desk, _ = laid_out(busy(), "One.", busy(), "Two.", retries=retries)
    assert ([spoken(desk), spoken(desk)], waits) == (["One.", "Two."], [1.0, 1.0])


# D04. Right: what began says so, what did not says so, and the folder can go on.
@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("Stop.")])
def test_D04_an_interrupt_in_the_wait_between_two_tries_comes_through(error):
    def struck(seconds):
        raise error

    desk, recorder = laid_out(busy(), "Short.", retries=Retries(sleep=struck))
    with pytest.raises(type(error)) as raised:
        desk.ask([UserMessage("Sum up.")])
    assert raised.value is error
    assert recorder.names() == ["model_call", "retry"]
    assert (desk.llm.calls, said(desk)) == (1, [])


class CutOff:
    """A model whose first reply breaks off in the middle of its stream."""

    def __init__(self):
        self.requests = []

    def generate(self, messages, menu=(), on_text_delta=None):
        self.requests.append((list(messages), list(menu)))
        for piece in ("Paris: ", "64") if len(self.requests) > 1 else ("Par",):
            on_text_delta(piece)
        if len(self.requests) == 1:
            raise ModelError("The stream broke off.", retryable=True)
        return LLMResponse(AssistantMessage("Paris: 64"))


def test_a_reply_that_breaks_off_is_begun_again_and_only_whole_ones_are_filed():
    heard: list[str] = []

    class Cleaner(Observer):
        def on_retry(self, error, tries, wait):
            heard.append("(again)")

    llm = CutOff()
    desk, _ = laid_out(
        llm=llm, retries=patient()[0], heard=heard.append, listeners=[Cleaner()]
    )
    desk.start("How warm?")
    card = CallingModel(1).run(desk)
    assert (card.answer, said(desk)[1:]) == (
        "Paris: 64",
        [AssistantMessage("Paris: 64")],
    )
    assert heard == ["Par", "(again)", "Paris: ", "64"]
    assert llm.requests[0] == llm.requests[1]


# A reply that says nothing


# B07. Right: a reply without text and slips is asked for again, and never filed.
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "not given"),
        (" \n\t", "not given"),
        (LLMResponse(AssistantMessage(""), finish_reason="stop"), "stop"),
        (LLMResponse(AssistantMessage(""), "Hm.", refusal=""), "not given"),
        (LLMResponse(AssistantMessage(" "), refusal=" "), "not given"),
    ],
)
def test_B07_a_reply_that_says_nothing_is_no_reply(reply, reason):
    retries, waits = patient(most=1)
    desk, recorder = laid_out(reply, reply, "noon", retries=retries)
    with pytest.raises(ModelError) as raised:
        CallingModel(1).run(desk)
    assert str(raised.value) == (
        f"The model said nothing: no text and no slip (finish reason: {reason}). "
        "Ask again, or allow longer replies. (Tried 2 times.)"
    )
    assert (said(desk), desk.llm.calls, waits) == ([], 2, [1.0])
    assert recorder.names() == ["step_start", "model_call", "retry"]


def test_B07_a_reply_that_says_nothing_is_asked_for_again():
    desk, _ = laid_out("", "noon", retries=patient()[0])
    assert CallingModel(1).run(desk).answer == "noon"
    assert said(desk) == [AssistantMessage("noon")]


def test_B07_a_reply_of_slips_alone_says_something():
    desk, _ = laid_out(NOW)
    assert desk.ask([]).message == AssistantMessage("", (NOW,))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, "None"),
        ("noon", "'noon'"),
        (AssistantMessage("noon"), "an AssistantMessage"),
    ],
)
def test_a_model_that_gives_no_response_is_told_what_to_give(given, shown):
    class Careless:
        def generate(self, messages, menu=(), on_text_delta=None):
            return given

    retries, waits = patient()
    desk, recorder = laid_out(llm=Careless(), retries=retries)
    with pytest.raises(TypeError) as raised:
        desk.ask([])
    assert str(raised.value) == (
        f"Careless.generate gave back {shown}. "
        "It must give an LLMResponse: LLMResponse(AssistantMessage(text))."
    )
    assert (waits, recorder.names()) == ([], ["model_call"])


# What a run has spent


def counted(text: str, usage: Usage | None) -> LLMResponse:
    return LLMResponse(AssistantMessage(text), usage=usage)


def test_a_desk_counts_what_each_reply_cost():
    limits = Limits(price=Price(input=2.0, output=10.0))
    desk, _ = laid_out(
        counted("One.", Usage(1000, 50)),
        counted("Two.", Usage(2000, 10)),
        counted("Three.", None),
        limits=limits,
    )
    for _ in range(3):
        desk.ask([])
    # 3000 tokens at 2 and 60 at 10, per million.
    assert (desk.spent.tokens, desk.spent.cost, desk.spent.uncounted) == (
        3060,
        pytest.approx(0.0066),
        1,
    )


def test_an_empty_reply_is_paid_for_too():
    empty, full = counted("", Usage(1000, 5)), counted("noon", Usage(1000, 7))
    desk, _ = laid_out(empty, full, retries=patient()[0])
    desk.ask([])
    assert (desk.spent.tokens, desk.spent.uncounted) == (2012, 0)


# The name of a call


# A13. Right: a name that can mean one tool runs it, under the tool's own name.
@pytest.mark.parametrize(
    ("sent", "filed"),
    [
        (" now ", "now"),
        ("functions.now", "now"),
        ("Now", "now"),
        ("now", "now"),
        ("nov", "nov"),
        ("", ""),
        ("now!", "now!"),
    ],
)
def test_A13_a_call_is_filed_under_its_tools_own_name_where_it_has_one(sent, filed):
    desk, _ = laid_out()
    call = ToolCall(sent, {"at": 1}, "c1", raw="{at: 1}", problem="is no JSON.")
    reply = desk.file(LLMResponse(AssistantMessage("Hm.", (call,))))
    assert reply == AssistantMessage("Hm.", (replace(call, name=filed),))
    assert said(desk) == [reply]


@pytest.mark.parametrize("name", ["nov", "", "now!"])
def test_A13_a_call_whose_name_nobody_has_is_answered(name):
    desk, _ = laid_out(ToolCall(name, {}))
    assert isinstance(CallingModel(1).run(desk).run(desk), CallingModel)
    (answer,) = said(desk)[1:]
    assert (answer.tool_call_id, answer.name) == ("call_1", name)
    assert answer.content.startswith(f"Error: No tool named {name!r}. ")


def test_A13_between_two_tools_there_is_no_guess():
    desk, _ = laid_out()
    desk.tools.add(now, name="NOW")
    call = ToolCall("Now", {}, "c1")
    assert desk.file(LLMResponse(AssistantMessage("", (call,)))).tool_calls == (call,)


# The text of an error


class Mute(RuntimeError):
    def __str__(self):
        raise ValueError("no words")


class MuteMistake(ToolArgsError):
    def __str__(self):
        raise ValueError("no words")


NO_FORM = "Error: the result of type {} has no readable form"


# B10. Right: half a surrogate pair becomes U+FFFD before a request carries it.
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("disk"), "Error: RuntimeError in fails: disk"),
        (RuntimeError(), "Error: RuntimeError in fails: "),
        (KeyError("city"), "Error: KeyError in fails: 'city'"),
        (Mute(), f"Error: Mute in fails: {NO_FORM.format('Mute')}"),
        # "caf\udce9" is what Python makes of a file name that is no UTF-8.
        (OSError("caf\udce9 \ud83d"), "Error: OSError in fails: caf\ufffd \ufffd"),
    ],
)
def test_B10_what_a_failing_tool_says_can_be_read_out(error, text):
    desk, _ = laid_out()

    def fails() -> None:
        raise error

    desk.tools.add(fails)
    with pytest.raises(type(error)) as raised:
        RunningTools((ToolCall("fails", {}, "c1"),), 1).run(desk)
    assert raised.value is error
    assert said(desk) == [ToolMessage(text, "c1", "fails")]


def test_a_mistake_without_words_is_answered_too():
    desk, _ = laid_out()

    def picky() -> None:
        raise MuteMistake

    desk.tools.add(picky)
    RunningTools((ToolCall("picky", {}, "c1"),), 1).run(desk)
    answer = f"Error: {NO_FORM.format('MuteMistake')} Mend the call."
    assert said(desk) == [ToolMessage(answer, "c1", "picky")]


# The menu


def test_listeners_get_the_very_menu_that_the_model_gets():
    shown = []

    def reply(messages, menu):
        shown.append(menu)
        return "noon"

    desk, recorder = laid_out(reply)
    CallingModel(1).run(desk)
    heard = [e.payload["menu"] for e in recorder.events if e.name == "model_call"]
    assert (len(heard), heard[0] is shown[0], shown[0] is desk.tools.menu()) == (
        1,
        True,
        True,
    )


A_TEXT = AssistantMessage("noon")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (LLMResponse(None), "message is None"),
        (LLMResponse(AssistantMessage(None)), "content is None"),
        (LLMResponse(AssistantMessage("", [NOW])), "tool_calls are a list"),
        (LLMResponse(AssistantMessage("", ("now",))), "tool_calls are a tuple"),
        (LLMResponse(AssistantMessage("", (ToolCall(None, {}),))), "name None"),
        (LLMResponse(AssistantMessage("", (ToolCall("now", {}, 3),))), "id 3"),
        (LLMResponse(A_TEXT, usage={"input_tokens": 3}), "usage is a dict"),
        (LLMResponse(A_TEXT, usage=Usage("3", 4)), "usage is an Usage"),
        (LLMResponse(A_TEXT, refusal=["no"]), "refusal is a list"),
        (LLMResponse(A_TEXT, reasoning=5), "reasoning is 5"),
    ],
)
def test_H24_a_reply_of_the_wrong_kind_names_the_model_that_gave_it(given, what):
    # Right: one sentence that names the LLM.
    class Careless:
        def generate(self, messages, menu):
            return given

    desk, _ = laid_out(llm=Careless())
    with pytest.raises(
        TypeError, match=r"^Careless\.generate gave back an? "
    ) as raised:
        desk.ask([])
    assert what in str(raised.value)
