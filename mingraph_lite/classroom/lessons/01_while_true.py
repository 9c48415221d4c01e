"""What lesson 01 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls
# What is kept is written as a learner writes it: without types.

import inspect
import re
from collections.abc import Callable
from typing import Any

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.errors import MingraphError
from mingraph_lite.lab.scenarios import one_by_one
from mingraph_lite.llm import ScriptedLLM
from mingraph_lite.messages import ToolCall, ToolMessage, UserMessage
from mingraph_lite.tools import ToolRegistry

LINES = {
    "a": "        if not reply.tool_calls:\n            return reply.content",
    "b": "    while True:",
    "c": "            folder.append("
    "ToolMessage(str(tools.run(call)), call.id, call.name))",
    "d": "        reply = llm.generate(folder, tools.menu()).message",
    "e": "        folder.clear()",
    "f": "        folder.append(reply)",
    "g": "        for call in reply.tool_calls:",
}
# A reply without slips has no errands, so the return may come after them too.
RIGHT = ("bdfagc", "bdfgca")


def loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    return f"Stopped after {limit} calls."


def my_tool(name: str) -> int:
    """How many letters a name has."""
    return len(name)


def written(answer: object) -> str | None:
    return None if callable(answer) and answer is loop else f"{STILL_THE_STUB}."


def limit_and_outcome(answer: object) -> str | None:
    if not isinstance(answer, tuple) or len(answer) != 2:
        return "Hand in both: check(1, (my_limit, my_outcome))."
    limit, outcome = answer
    if outcome is None:
        return f"{STILL_THE_STUB}: no outcome is predicted."
    if limit != 2:
        return f"The limit is {limit}; this exercise is about a limit of 2."
    llm = one_by_one.llm()
    got = _limited(llm, one_by_one.registry(), [UserMessage(one_by_one.question)], 2)
    if outcome != got:
        return f"With 2 calls allowed and 4 needed, it returns {got!r}."
    return None


def _limited(llm: Any, tools: Any, folder: list[Any], limit: int) -> str:
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return str(reply.content)
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    return "Stopped"


def in_order(answer: object) -> str | None:
    order = "".join(re.findall("[a-g]", str(answer).lower()))
    if not order:
        return f"{STILL_THE_STUB}: no piece is chosen."
    if "e" in order:
        return "Piece e empties the folder: the model would have nothing to read."
    if sorted(order) != sorted(RIGHT[0]):
        return "Use each of the six pieces that belong once."
    if not order.startswith("bd"):
        return "The loop begins with b, and nothing can be done before the reply of d."
    if order.index("f") > order.index("g"):
        return "An answer slip would come before the slip it answers."
    if order.index("a") < order.index("f"):
        return "The last reply would never get into the folder."
    return None if order in RIGHT else "Run each call inside the for."


def own_tool(answer: object) -> str | None:
    if not isinstance(answer, tuple) or len(answer) != 2:
        return "Hand in both: check(3, (my_tool, my_call))."
    tool, call = answer
    if tool is None or call is None:
        return f"{STILL_THE_STUB}: there is no tool yet."
    if not isinstance(call, ToolCall):
        return 'A slip is a ToolCall: ToolCall("my_tool", {"parameter": "value"}).'
    if not getattr(tool, "__doc__", None):
        return "The menu says nothing about it: give the function a docstring."
    hints = set(getattr(tool, "__annotations__", {})) - {"return"}
    if hints != set(inspect.signature(tool).parameters):
        return "Give each parameter a type hint: the menu tells the model what to send."
    tools = ToolRegistry()
    try:
        tools.add(tool)
        value = tools.run(call)
    except MingraphError as error:
        return f"The slip and the tool do not fit: {error}"
    if value is None:
        return "The tool hands back nothing: return the result, do not print it."
    folder: list[Any] = [UserMessage("?")]
    slips = [ToolCall(call.name, call.arguments, id) for id in ("call_1", "call_2")]
    _limited(ScriptedLLM([slips, "done"]), tools, folder, 3)
    told = [m.tool_call_id for m in folder if isinstance(m, ToolMessage)]
    return None if told == ["call_1", "call_2"] else "Not every slip has one answer."


def shout(text: str) -> str:
    """The text in capital letters."""
    return text.upper()


def whisper(text: str) -> str:
    return text.lower()


def say(text: str) -> None:
    """Says the text."""


def guess(text):  # type: ignore[no-untyped-def]
    """A text of any kind."""
    return text


def call_of(tool: Callable[..., Any], **arguments: object) -> ToolCall:
    return ToolCall(tool.__name__, arguments, "call_1")


LESSON = Lesson(
    "01_while_true",
    sentences={
        "rounds": {
            "four calls": "Our code did not change by a line; who speaks did. These "
            "scripts have their replies fixed, a real model chooses them as it goes.",
            "three again": "Our code is the same, and it does not hold the number. "
            "This model asks for one conversion at a time, so it needs one call more.",
            "two, for two cities": "It passed both weather slips at once, then the two "
            "conversions one by one, and then it answered.",
        },
        "heard": {
            "4": "Question, slips and both answers, from the top. The model remembers "
            "nothing, so each call gets the whole folder.",
            "2": "Two bare numbers, 18 and 24, would mean nothing to a model that has "
            "forgotten the question. It gets the whole folder.",
            "3": "Question, slips, and an answer for each of the two slips: that is "
            "one message more.",
            "1": "The question alone was the first call. Now the slips and both "
            "answers are in the folder, and all of it is read out.",
        },
    },
    exercises=(
        Exercise(
            check=limit_and_outcome,
            stub=(10, None),
            solution=(2, "Stopped"),
            mistakes={
                "With 2 calls allowed and 4 needed, it returns 'Stopped'.": (
                    2,
                    "Paris: 64°F, Tokyo: 75°F",
                ),
                "The limit is 10; this exercise is about a limit of 2.": (
                    10,
                    "Stopped",
                ),
            },
            hints=(
                "How many calls does one_by_one need? How many are allowed?",
                "The for ends without a return inside it. What does the last line say?",
            ),
        ),
        Exercise(
            check=in_order,
            stub="",
            solution="b d f a g c",
            mistakes={
                "Piece e empties the folder: the model would have nothing to read.": (
                    "b d f e a g c"
                ),
                "An answer slip would come before the slip it answers.": "b d a g c f",
                "The last reply would never get into the folder.": "b d a f g c",
                "Run each call inside the for.": "b d f g a c",
                "Use each of the six pieces that belong once.": "b d f a g",
            },
            hints=(
                "What must be in the folder before its answer slips can be?",
                "Ask, keep the reply, leave if it passes no slip, run the errands.",
            ),
        ),
        Exercise(
            check=own_tool,
            stub=(None, None),
            solution=(my_tool, call_of(my_tool, name="Lima")),
            keeps=("my_tool",),
            mistakes={
                "The menu says nothing about it: give the function a docstring.": (
                    whisper,
                    call_of(whisper, text="HELLO"),
                ),
                "The slip and the tool do not fit: No tool named 'whisper'. "
                "Registered: shout.": (shout, call_of(whisper, text="HELLO")),
                "The tool hands back nothing: return the result, do not print it.": (
                    say,
                    call_of(say, text="hello"),
                ),
                "Give each parameter a type hint: the menu tells the model what to "
                "send.": (guess, call_of(guess, text="hello")),
            },
            hints=(
                "A def with a type hint for each parameter and one line of docstring.",
                'The slip names it: ToolCall("my_tool", {"parameter": "value"}, "1").',
            ),
        ),
        Exercise(
            check=written,
            stub=None,
            solution=loop,
            mistakes={},
            hints=("Begin with the ceiling.", "End with a text of your own."),
            keeps=("loop",),
        ),
    ),
)
