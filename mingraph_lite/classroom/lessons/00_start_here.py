"""What lesson 00 asks: sentences for its predictions, and its exercises."""

import re

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.errors import LimitReached, ScriptExhausted
from mingraph_lite.lab.scenarios import (
    Scenario,
    already_fahrenheit,
    one_by_one,
    paris_and_tokyo,
)
from mingraph_lite.llm import ScriptedLLM
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage

PARIS = ToolCall("get_weather", {"city": "Paris"}, id="call_7")
TOKYO = ToolCall("get_weather", {"city": "Tokyo"}, id="call_8")
ANSWERS = {
    "call_7": ToolMessage("18", "call_7", "get_weather"),
    "call_8": ToolMessage("24", "call_8", "get_weather"),
}


def one_conversion(answer: object) -> str | None:
    if not isinstance(answer, Scenario):
        return "my_scenario should be one of the three scenarios."
    agent = answer.agent()
    try:
        agent.run(answer.question)
    except LimitReached:
        return "That model never comes to an answer."
    slips = [
        call.name
        for message in agent.memory.folder
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    converted = slips.count("to_fahrenheit")
    if answer is paris_and_tokyo:
        return f"{STILL_THE_STUB}: this model asks for {converted} conversions."
    if converted != 1:
        return f"This model asks for {converted} conversions, one after the other."
    return None


def answer_slip(answer: object) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: answer_slip, without brackets behind it."
    for call in (PARIS, TOKYO):
        got, wanted = answer(call), ANSWERS[call.id]
        if got is None:
            return f"{STILL_THE_STUB}, or a return is missing: it hands back nothing."
        if not isinstance(got, ToolMessage):
            return "An answer slip is a ToolMessage, and this hands back another thing."
        if got.tool_call_id != call.id:
            return "The ticket numbers differ: the answer needs the id of its call."
        if got.content != wanted.content:
            city = call.arguments["city"]
            return (
                f"For {city} it says {got.content!r}; the tool gave {wanted.content!r}."
            )
        if got != wanted:
            return "The name on the slip is not the tool's."
    return None


def script_with_a_slip(answer: object) -> str | None:
    if not isinstance(answer, list | tuple):
        return "A script is a list of replies: [first reply, second reply]."
    if not answer:
        return f"{STILL_THE_STUB}: the script has no replies."
    llm = ScriptedLLM(answer)
    agent = paris_and_tokyo.agent(llm)
    try:
        said = agent.run("How warm is it in Paris?")["answer"]
    except ScriptExhausted:
        return "After the slip the model is asked again, and the script has no reply."
    told = [m.content for m in agent.memory.folder if isinstance(m, ToolMessage)]
    if not told:
        return "No errand was run: this model makes its number up."
    if "18" not in told:
        return f"The tool was not asked for Paris: it said {told[0]!r}."
    if llm.calls < len(answer):
        return "The run ended before the script did: a text without a slip ends it."
    found = re.search(r"\b18\b", str(said))
    return None if found else "The tool gave 18; the answer leaves it out."


LESSON = Lesson(
    "00_start_here",
    sentences={
        "ran": {
            "0": "The model cannot run anything. All it did was write down what it "
            "wants to have run.",
            "1": "It looks as if the model ran the tool for Paris. It only wrote down "
            "that it wants to; nobody has run anything yet.",
            "2": "It asked for two cities, and asking is all it did. Nobody has run "
            "anything yet.",
        },
        "oslo": {
            "Paris and Tokyo": "A script gives its replies one after the other, "
            "whatever it is asked. It does not think, and so it never surprises a "
            "lesson.",
            "Oslo, from a tool": "A real model would ask for Oslo. This one is a "
            "script: it does not read the question at all.",
            "it does not know": "Not knowing would need a look at the question. This "
            "one is a script: it gives its next reply, whatever it is asked.",
        },
    },
    exercises=(
        Exercise(
            check=one_conversion,
            stub=paris_and_tokyo,
            solution=already_fahrenheit,
            mistakes={
                "This model asks for 2 conversions, one after the other.": one_by_one,
                "my_scenario should be one of the three scenarios.": 4,
            },
            hints=(
                "Which of the three runs got one city without converting it?",
                "It is the one whose answer is wrong.",
            ),
        ),
        Exercise(
            check=answer_slip,
            stub=lambda call: None,
            solution=lambda call: ANSWERS[call.id],
            mistakes={
                "An answer slip is a ToolMessage, and this hands back another thing.": (
                    lambda call: "18"
                ),
                "The ticket numbers differ: the answer needs the id of its call.": (
                    lambda call: ToolMessage("18", call.name, call.name)
                ),
                "For Tokyo it says '18'; the tool gave '24'.": (
                    lambda call: ToolMessage("18", call.id, call.name)
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
            solution=[PARIS, "It is 18 degrees Celsius in Paris."],
            mistakes={
                "No errand was run: this model makes its number up.": [
                    "It is 18 degrees in Paris."
                ],
                "After the slip the model is asked again, and the script has no "
                "reply.": [PARIS],
                "The tool gave 18; the answer leaves it out.": [PARIS, "Mild."],
                "The tool was not asked for Paris: it said '24'.": [TOKYO, "18"],
            },
            hints=(
                "The model is asked twice, so two replies: first a slip, then a text.",
                'The slip is ToolCall("get_weather", {"city": "Paris"}).',
            ),
        ),
    ),
)
