"""What lesson 05 asks: sentences for its predictions, and its exercises."""

from typing import Any

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.errors import (
    ModelMistake,
    StepLimitReached,
    ToolArgsError,
    UnknownToolError,
)
from mingraph_lite.lab.scenarios import one_by_one
from mingraph_lite.messages import ToolCall, ToolMessage
from mingraph_lite.tools import ToolRegistry


def just_too_low(answer: object) -> str | None:
    if not isinstance(answer, int) or isinstance(answer, bool) or answer < 1:
        return "A limit is a whole number from 1 on."
    llm = one_by_one.llm()
    try:
        one_by_one.agent(llm, max_steps=answer).run(one_by_one.question)
    except StepLimitReached:
        if llm.calls == 3:
            return None
        return f"It raises, after {llm.calls} calls. The highest such limit is wanted."
    if answer == 10:
        return f"{STILL_THE_STUB}: with 10 allowed, the fourth reply is the answer."
    return f"With {answer} calls allowed there is an answer: it comes in the last one."


def who_can_mend(answer: object) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: who_can_mend, without brackets behind it."
    said = [answer(error) for error, _ in ERRORS]
    if said == [None] * len(ERRORS):
        return f"{STILL_THE_STUB}, or a return is missing: it hands back nothing."
    if set(said) - {"model", "caller"}:
        return 'Say "model" or "caller".'
    wrong = [
        error for (error, who), say in zip(ERRORS, said, strict=True) if say != who
    ]
    if any(isinstance(error, TimeoutError) for error in wrong):
        return "A service that is down stays down, however the slip is written."
    if any(isinstance(error, ModelMistake) for error in wrong):
        return "Bad arguments and unknown tools are both the model's: it can fix them."
    if any(isinstance(error, TypeError | ValueError) for error in wrong):
        return "That may be a bug inside the tool: the model cannot fix it."
    return (
        "Only a ModelMistake is the model's; a limit, for one, is not."
        if wrong
        else None
    )


ERRORS = (
    (ToolArgsError("city is missing"), "model"),
    (UnknownToolError("No tool named 'get_wether'."), "model"),
    (ToolArgsError("use another word"), "model"),
    (TimeoutError("the weather service is down"), "caller"),
    (TypeError("unsupported operand type(s) for +"), "caller"),
    (ValueError("not a number"), "caller"),
    (StepLimitReached("No answer"), "caller"),
)


CALLS = tuple(
    ToolCall("weather", {"city": city}, f"call_{number}")
    for number, city in enumerate(["Paris", "Tokyo", "Rome"], start=1)
)


def every_slip_answered(answer: object) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: my_errands, without brackets behind it."
    ran: list[str] = []
    failure = TimeoutError("the weather service is down")

    def weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        ran.append(city)
        if city == "Tokyo":
            raise failure
        return "18"

    tools = ToolRegistry()
    tools.add(weather)
    folder: list[Any] = []
    raised = None
    try:
        answer(tools, CALLS, folder)
    except TimeoutError as error:
        raised = error
    return _judged(ran, raised, failure, folder)


def _judged(
    ran: list[str], raised: object, failure: object, folder: list[Any]
) -> str | None:
    """What is wrong with three errands of which the second fails."""
    told = [message.tool_call_id for message in folder]
    if not folder and raised is None:
        return "Nothing was run, and nobody was told."
    if raised is None:
        return "The error is gone: the caller would take this for a good run."
    if told == ["call_1"]:
        return f"{STILL_THE_STUB}: 1 of 3 slips has an answer when the error leaves."
    if len(told) < 3:
        return f"{len(told)} of 3 slips have an answer when the error leaves."
    if told != ["call_1", "call_2", "call_3"]:
        return "Each slip gets one answer, in the order of the slips."
    if ran != ["Paris", "Tokyo"]:
        return f"Errands after the failure are not run; these ran: {', '.join(ran)}."
    if folder[0].content != "18" or "down" not in folder[1].content:
        return "An answer slip says what came of its own errand: 18, then the error."
    return None if raised is failure else "The caller should get the tool's own error."


def stub_errands(tools: Any, calls: Any, folder: Any) -> None:
    for call in calls:
        folder.append(ToolMessage(tools.run(call), call.id, call.name))


def good_errands(tools: Any, calls: Any, folder: Any) -> None:
    failure = None
    for call in calls:
        text = "not run"
        if failure is None:
            try:
                text = tools.run(call)
            except Exception as error:
                failure, text = error, f"Error: {error}"
        folder.append(ToolMessage(text, call.id, call.name))
    if failure is not None:
        raise failure


def silent_errands(tools: Any, calls: Any, folder: Any) -> None:
    for call in calls:
        try:
            text = tools.run(call)
        except Exception as error:
            text = f"Error: {error}"
        folder.append(ToolMessage(text, call.id, call.name))


def eager_errands(tools: Any, calls: Any, folder: Any) -> None:
    failure = None
    for call in calls:
        try:
            text = tools.run(call)
        except Exception as error:
            failure, text = error, f"Error: {error}"
        folder.append(ToolMessage(text, call.id, call.name))
    if failure is not None:
        raise failure


def half_errands(tools: Any, calls: Any, folder: Any) -> None:
    for call in calls:
        try:
            text = tools.run(call)
        except Exception as error:
            folder.append(ToolMessage(f"Error: {error}", call.id, call.name))
            raise
        folder.append(ToolMessage(text, call.id, call.name))


LESSON = Lesson(
    "05_errors",
    sentences={
        "stopped": {
            "passes it on": "It got a text where an answer should be, and a text is "
            "what it passes on. Nothing tells the two apart.",
            "raises an error": "It would have to know that this text is no answer. It "
            "looks like any other, so it is passed on.",
            "asks once more": "Nobody told it that there is no answer. It got a text, "
            "and passes it on.",
        },
        "told": {
            "nothing at all": "The model was told ten times, and the caller not once. "
            "Ten calls were paid for, and whoever waits does not even know why.",
            "the error itself": "The error went onto the answer slips. It was caught "
            "there, and nobody outside heard of it.",
            "the last text": "The model never came to a text. It passed the same slip "
            "ten times, and the loop ran out.",
        },
        "open": {
            "2": "The failed errand is answered with its error, the other with 'not "
            "run: stopped'. Then the error is raised.",
            "1": "The slip that never ran needs an answer too, and got 'not run: "
            "stopped'.",
            "0": "Then the next question could not be asked: providers refuse a folder "
            "with an open slip. Both were answered first.",
        },
    },
    exercises=(
        Exercise(
            check=just_too_low,
            stub=10,
            solution=3,
            mistakes={
                "With 4 calls allowed there is an answer: it comes in the last one.": 4,
                "It raises, after 2 calls. The highest such limit is wanted.": 2,
            },
            hints=(
                "How many calls does one_by_one need for its answer?",
                "The limit counts model calls. One less than it needs is enough.",
            ),
        ),
        Exercise(
            check=who_can_mend,
            stub=lambda error: None,
            solution=lambda error: (
                "model" if isinstance(error, ModelMistake) else "caller"
            ),
            mistakes={
                "A service that is down stays down, however the slip is written.": (
                    lambda error: "model"
                ),
                "Bad arguments and unknown tools are both the model's: it can fix "
                "them.": lambda error: "caller",
                "That may be a bug inside the tool: the model cannot fix it.": (
                    lambda error: (
                        "caller"
                        if isinstance(error, TimeoutError | StepLimitReached)
                        else "model"
                    )
                ),
            },
            hints=(
                "Both of the model's kinds of mistake have one parent: ModelMistake.",
                'isinstance(error, ModelMistake) decides between "model" and "caller".',
            ),
        ),
        Exercise(
            check=every_slip_answered,
            stub=stub_errands,
            solution=good_errands,
            mistakes={
                "The error is gone: the caller would take this for a good run.": (
                    silent_errands
                ),
                "2 of 3 slips have an answer when the error leaves.": half_errands,
                "Errands after the failure are not run; these ran: Paris, Tokyo, "
                "Rome.": eager_errands,
            },
            hints=(
                "Remember the error instead of letting it out at once.",
                "Answer the slips that are left with 'not run', then raise it.",
            ),
        ),
    ),
)
