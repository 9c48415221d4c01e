"""What lesson 00 asks: sentences for its predictions, and its exercises."""

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.errors import ScriptExhausted
from mingraph_lite.llm import ScriptedLLM
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage
from mingraph_lite.scenarios import (
    Scenario,
    already_fahrenheit,
    one_by_one,
    paris_and_tokyo,
)

CALL = ToolCall("get_weather", {"city": "Paris"}, id="call_7")
ANSWER = ToolMessage("18", "call_7", "get_weather")


def four_calls(answer: object) -> str | None:
    if not isinstance(answer, Scenario):
        return "my_scenario should be one of the scenarios imported above."
    llm = answer.llm()
    answer.agent(llm=llm).run(answer.question)
    if answer is paris_and_tokyo:
        return f"{STILL_THE_STUB}: this model was called {llm.calls} times."
    if llm.calls != 4:
        return f"This model was called {llm.calls} times, and 4 are wanted."
    return None


def answer_slip(answer: object) -> str | None:
    assert callable(answer)
    got = answer(CALL)
    if got is None:
        return f"{STILL_THE_STUB}: it hands back nothing."
    if not isinstance(got, ToolMessage):
        return "That is the value alone. An answer slip is a ToolMessage."
    if got.tool_call_id != CALL.id:
        return "The ticket numbers differ: the answer needs the id of its call."
    if got.content != ANSWER.content:
        return f"The slip says {got.content!r}; get_weather gave {ANSWER.content!r}."
    return None if got == ANSWER else "The name on the slip is not the tool's."


def script_with_a_slip(answer: object) -> str | None:
    if not answer:
        return f"{STILL_THE_STUB}: the script has no replies."
    assert isinstance(answer, list)
    agent = paris_and_tokyo.agent(llm=ScriptedLLM(answer))
    try:
        said = agent.run("How warm is it in Paris?")["answer"]
    except ScriptExhausted:
        return "After the slip the model is asked again, and the script has no reply."
    slips = [
        call.name
        for message in agent.memory.folder
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    if "get_weather" not in slips:
        return "No errand was run: the number came out of the script's own words."
    return None if "18" in str(said) else "The tool gave 18; the answer leaves it out."


LESSON = Lesson(
    "00_start_here",
    sentences={
        "ran": {
            "not once": "The model has only read the menu. It cannot run anything: it "
            "passes slips, and whoever holds the phone runs the errands.",
            "one time": "It looks as if the model ran the tool for Paris. It only wrote "
            "down that it wants to; nobody has run the errand yet.",
            "two times": "Two slips came back, one for each city. A slip is a wish, not "
            "a result; nobody has run the errands yet.",
        },
        "oslo": {
            "Paris and Tokyo": "A script gives its replies one after the other, whatever "
            "it is asked. It does not think, and so it never surprises a lesson.",
            "Oslo, from a tool": "A real model would pass a slip for Oslo. This one is a "
            "script: it does not read the question at all.",
            "it does not know": "Not knowing would need a look at the question. This one "
            "is a script: it gives its next reply, whatever it is asked.",
        },
    },
    exercises=(
        Exercise(
            check=four_calls,
            stub=paris_and_tokyo,
            solution=one_by_one,
            mistakes={
                "This model was called 3 times, and 4 are wanted.": already_fahrenheit,
                "my_scenario should be one of the scenarios imported above.": 4,
            },
            hints=(
                "How many slips does each reply pass? Fewer slips, more calls.",
                "One of the imported scenarios says so in its name.",
            ),
        ),
        Exercise(
            check=answer_slip,
            stub=lambda call: None,
            solution=lambda call: ANSWER,
            mistakes={
                "That is the value alone. An answer slip is a ToolMessage.": (
                    lambda call: "18"
                ),
                "The ticket numbers differ: the answer needs the id of its call.": (
                    lambda call: ToolMessage("18", call.name, call.name)
                ),
                "The slip says 'Paris'; get_weather gave '18'.": (
                    lambda call: ToolMessage("Paris", call.id, call.name)
                ),
            },
            hints=(
                "Run the errand first: get_weather(**call.arguments).",
                "ToolMessage takes the text, the call's id and the call's name.",
            ),
        ),
        Exercise(
            check=script_with_a_slip,
            stub=[],
            solution=[CALL, "It is 18 degrees Celsius in Paris."],
            mistakes={
                "No errand was run: the number came out of the script's own words.": [
                    "It is 18 degrees in Paris."
                ],
                "After the slip the model is asked again, and the script has no "
                "reply.": [CALL],
                "The tool gave 18; the answer leaves it out.": [CALL, "Mild."],
            },
            hints=(
                "Two calls to the model, so two replies: first a slip, then a text.",
                'The slip is ToolCall("get_weather", {"city": "Paris"}).',
            ),
        ),
    ),
)
