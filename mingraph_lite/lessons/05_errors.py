"""What lesson 05 asks: sentences for its predictions, and its exercises."""

from typing import Any

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.errors import (
    ModelMistake,
    StepLimitReached,
    ToolArgsError,
    UnknownToolError,
)
from mingraph_lite.messages import ToolCall, ToolMessage
from mingraph_lite.scenarios import one_by_one
from mingraph_lite.tools import ToolRegistry


def just_too_low(answer: object) -> str | None:
    assert isinstance(answer, int)
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
    assert callable(answer)
    said = [answer(error) for error in ERRORS]
    if said == [None] * len(ERRORS):
        return f"{STILL_THE_STUB}: it says nothing."
    if set(said) - {"model", "caller"}:
        return 'Say "model" or "caller".'
    if said[2] == "model":
        return "A service that is down stays down, however the slip is written."
    if said[3] == "model":
        return "A TypeError may be a bug inside the tool: the model cannot mend that."
    if said[0] == "caller" and said[1] == "caller":
        return "A badly written slip is the model's, and it can write a better one."
    return None if said == WANTED else "One kind of slip is taken for the other kind."


ERRORS = (
    ToolArgsError("get_weather: city is missing"),
    UnknownToolError("No tool named 'get_wether'."),
    TimeoutError("the weather service is down"),
    TypeError("unsupported operand type(s) for +: 'int' and 'str'"),
)
WANTED = ["model", "model", "caller", "caller"]


def weather(city: str) -> str:
    """The temperature in a city, in degrees Celsius."""
    if city == "Tokyo":
        raise TimeoutError("the weather service is down")
    return "18"


CALLS = tuple(
    ToolCall("weather", {"city": city}, f"call_{number}")
    for number, city in enumerate(["Paris", "Tokyo", "Rome"], start=1)
)


def every_slip_answered(answer: object) -> str | None:
    assert callable(answer)
    tools = ToolRegistry()
    folder: list[Any] = []
    tools.add(weather)
    raised = None
    try:
        answer(tools, CALLS, folder)
    except TimeoutError as error:
        raised = error
    told = [message.tool_call_id for message in folder]
    if raised is None:
        return "The error is gone: the caller would take this for a good run."
    if told == ["call_1"]:
        return f"{STILL_THE_STUB}: 1 of 3 slips has an answer when the error leaves."
    if len(told) < 3:
        return f"{len(told)} of 3 slips have an answer when the error leaves."
    if told != ["call_1", "call_2", "call_3"]:
        return "Each slip gets one answer, in the order of the slips."
    return None


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
            "prints it as weather": "It got a text where an answer should be, and a text "
            "is what it prints. Nothing tells the two apart.",
            "raises an error": "It would have to know that this text is no answer. It "
            "looks like any other, so it is printed.",
            "asks once more": "Nobody told it that there is no answer. It got a text, "
            "and prints it.",
        },
        "mended": {
            "none of them": "Each slip was written well. The fault is not in the slip, so "
            "no better slip can mend it; ten calls were paid for nothing.",
            "the last of them": "The service did not come back while the model talked. "
            "Writing the slip again does not mend what is behind it.",
            "half of them": "Every one of them met the same dead service. Writing the "
            "slip again does not mend what is behind it.",
        },
        "open": {
            "both of them": "The failed errand is answered with its error, the other "
            "with 'not run: stopped'. Then the error is raised.",
            "the failed one": "So it looks, but a slip that was never run is open too. "
            "It is answered with 'not run: stopped'.",
            "none of them": "Then the next question could not be asked: providers refuse "
            "a folder with an open slip. Both are answered first.",
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
                "A badly written slip is the model's, and it can write a better one.": (
                    lambda error: "caller"
                ),
                "A TypeError may be a bug inside the tool: the model cannot mend "
                "that.": (
                    lambda error: (
                        "caller" if isinstance(error, TimeoutError) else "model"
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
            },
            hints=(
                "Remember the error instead of letting it out at once.",
                "Answer the slips that are left with 'not run', then raise it.",
            ),
        ),
    ),
)
