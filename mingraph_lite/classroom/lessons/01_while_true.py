"""What lesson 01 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-calls
# What is kept is written as a learner writes it: without types.

import functools
import inspect
from collections.abc import Sequence
from typing import Any

from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Arrangement,
    Exercise,
    Lesson,
    function_of,
    replaced,
)
from mingraph_lite.classroom.checks.loop_checks import (
    NO_FUNCTION,
    loop_by_hand,
    whole_loop,
)
from mingraph_lite.classroom.checks.tool_checks import own_tool
from mingraph_lite.lab.scenarios import get_weather, to_fahrenheit
from mingraph_lite.messages import ToolMessage


def in_order(answer: Any) -> str | None:
    code = str(answer)
    if code.strip() in ("", ARRANGED.header):
        return f"{STILL_THE_STUB}: no line has its place."
    return whole_loop(function_of(code, "loop", ToolMessage=ToolMessage))


ARRANGED = Arrangement(
    header="def loop(llm, tools, folder, limit=10):",
    lines=(
        "for _ in «range(limit)»:",
        "    reply = llm.generate(folder, tools.menu()).message",
        "    folder.append(«reply»)",
        "    if not «reply.tool_calls»:",
        "        return reply.content",
        "    for call in reply.tool_calls:",
        "        folder.append("
        "ToolMessage(str(tools.run(call)), «call.id», call.name))",
        'return «"Stopped"»',
    ),
    extra="    folder = folder[-2:]",
)


def loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    return f"Stopped after {limit} calls."


def my_tool(name: str):
    """How many letters a name has."""
    return len(name)


def my_loop(llm, tools, folder):
    while True:
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content  # no slips: that is the answer
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))


def stub_by_hand(llm, tools, folder):
    while True:
        llm.generate(folder, tools.menu())
        return None


def stub_of_the_loop(llm, tools, folder, limit=10): ...


def straight_line(llm, tools, folder, limit=10):
    reply = llm.generate(folder, tools.menu()).message
    folder.append(reply)
    for call in reply.tool_calls:
        folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    reply = llm.generate(folder, tools.menu()).message
    return reply.content


def stub_of_a_tool(name: str): ...


# What learners hand in instead. The loops are ours with some words changed.


def hand(*changes: str) -> Any:
    """The loop by hand with some of its words changed: old, new, old, new."""
    code = inspect.getsource(my_loop).replace(WHY, "")
    return function_of(replaced(code, *changes), "my_loop", **SEEN)


def limited(*changes: str) -> Any:
    """The loop with its limit, changed alike."""
    return function_of(replaced(inspect.getsource(loop), *changes), "loop", **SEEN)


def arranged(*changes: str) -> str:
    """The lines in order, changed alike."""
    return replaced(ARRANGED.solution, *changes)


TOOLS = {"get_weather": get_weather, "to_fahrenheit": to_fahrenheit}


def mixed(calls: Sequence[Any]) -> Sequence[Any]:
    """The slips in another order, where there are more than two."""
    return calls if len(calls) < 3 else calls[::-1]


SEEN = {"ToolMessage": ToolMessage, "TOOLS": TOOLS, "mixed": mixed}
KEEP = "        folder.append(reply)\n"
LEAVE = "        if not reply.tool_calls:\n            return reply.content\n"
RUN = (
    "        for call in reply.tool_calls:\n"
    "            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))\n"
)
WHY = "  # no slips: that is the answer"
GIVE_UP = '    return f"Stopped after {limit} calls."\n'


def asked_first(llm, tools, folder):
    reply = llm.generate(folder, tools.menu()).message
    folder.append(reply)
    while reply.tool_calls:
        for call in reversed(reply.tool_calls):
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
        reply = llm.generate(folder, tools.menu()).message
        folder += [reply]
    return reply.content


def by_itself(llm, tools, folder, limit=10):
    if limit == 0:
        return "No answer yet."
    reply = llm.generate(folder, tools.menu()).message
    folder.append(reply)
    for call in reply.tool_calls:
        folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    if reply.tool_calls:
        return by_itself(llm, tools, folder, limit - 1)
    return reply.content


def counted(llm, tools, folder, limit=5):
    calls = 0
    while calls < limit:
        calls += 1
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if reply.tool_calls == ():
            break
        results = [(call, tools.run(call)) for call in reply.tool_calls]
        folder.extend(ToolMessage(f"{text}", c.id, c.name) for c, text in results)
    else:
        return "I asked too often. Ask me something smaller."
    return reply.content


def raising(llm, tools, folder, limit=10):
    answer = loop(llm, tools, folder, limit)
    if str(answer).startswith("Stopped after"):
        raise RuntimeError(answer)
    return answer


def wrapped(*handed_in, **options):
    return loop(*handed_in, **options)


def shout(text: str) -> str:
    """The text in capital letters."""
    return text.upper()


def shout_louder(text: str, marks: int = 3) -> str:
    """The text in capital letters, with marks behind it."""
    return shout(text) + "!" * marks


def known(city: str) -> list[str]:
    """What there is to see in a city."""
    return {"Paris": ["a tower"], "Tokyo": ["a garden", "a bridge"]}[city]


@functools.cache
def backwards(text: str = "Paris") -> str:
    """The text backwards, remembered."""
    return text[::-1]


def letters(text: str):
    """The letters of a text."""
    return (letter for letter in text)


def one_by_one(text: str):
    """The letters of a text, one by one."""
    yield from text


class Sayer:
    """A text again."""

    def __call__(self, text: str) -> str:
        """A text again."""
        return text


def nothing_to_say(text: str) -> str:
    """Nothing, of any text."""
    return f"about {text!r}: nothing"


def whisper(text: str) -> str:
    return text.lower()


def say(text: str) -> None:
    """Says the text."""


def guess(text):
    """A text of any kind."""
    return text


def double(number: int) -> int:
    """Twice the number."""
    return 2 * number


SOLD: list[str] = []
SIDES = ["heads", "tails"]


def ticket(city: str) -> str:
    """The last ticket to a city."""
    if SOLD:
        raise LookupError(f"sold out, to {SOLD.pop()}")
    SOLD.append(city)
    return f"a ticket to {city}"


def coin(city: str) -> str:
    """Whether to go to a city."""
    SIDES.reverse()
    return f"{SIDES[0]} for {city}"


async def later(city: str) -> str:
    """What a city says, later."""
    return city


def only_rome(city: str) -> int:
    """How many hills a city has."""
    return {"Rome": 7}[city]


ENDED = (
    "though the last reply passed slips. The model decides how many rounds there are."
)
NO_LAST = "The folder lacks the last reply: append it before you hand it back."
ANSWER_FIRST = (
    "An answer stands in the folder before the reply that passed its slip: append the "
    "reply first."
)
NO_SUCH_NUMBER = (
    "An answer has the number 'get_weather', and no slip has it: the answer takes its "
    "slip's number, call.id."
)
NOT_READ_OUT = (
    "At call 2 the question is not read out: read out the whole folder, each time."
)

ASKED_AGAIN = (
    "The model is asked again after a reply without slips: its tool_calls are (). That "
    "reply was the answer."
)
LEFT_OPEN = (
    "At the limit the last slips have no answer: give up after the errands, not before "
    "them."
)

HAND_MISTAKES = {
    f"It ended after 2 calls, {ENDED}": straight_line,
    f"It ended after 3 calls, {ENDED}": hand("while True", "for _ in range(3)"),
    f"It ended after 8 calls, {ENDED}": hand("while True", "for _ in range(8)"),
    'The folder lacks reply 1, the one that passed get_weather(city="Paris"): '
    "append it.": hand(KEEP, ""),
    NO_LAST: hand(KEEP + LEAVE, LEAVE + KEEP),
    "Reply 1 is 2 times in the folder. Once is enough.": hand(KEEP, KEEP + KEEP),
    'The folder lacks the answer to get_weather(city="Paris"): append a '
    "ToolMessage.": hand("folder.append(ToolMessage", "(ToolMessage"),
    ANSWER_FIRST: hand(KEEP + LEAVE + RUN, RUN + KEEP + LEAVE),
    'Only the first slip of a reply was run: get_weather(city="Tokyo") was not.': (
        hand("in reply.tool_calls", "in reply.tool_calls[:1]")
    ),
    'get_weather(city="Paris") was run 2 times: run it once for each slip.': (
        hand(
            RUN,
            RUN.replace("            ", "            tools.run(call)\n            "),
        )
    ),
    'get_weather(city="Paris") was passed, and never run with tools.run(call).': (
        hand("tools.run(call)", "TOOLS[call.name](**call.arguments)")
    ),
    NO_SUCH_NUMBER: hand("call.id", "call.name"),
    'Under the number of get_weather(city="Paris") stands something else than what '
    "the tool gave for it.": hand(
        "for call in reply.tool_calls",
        "for call, other in zip(reply.tool_calls, reply.tool_calls[::-1])",
        "call.id",
        "other.id",
    ),
    "The messages went into another list. Whoever handed in the folder finds nothing "
    "new in it: append to folder itself.": hand(
        "    while True", "    folder = list(folder)\n    while True"
    ),
    NOT_READ_OUT: hand("generate(folder,", "generate(folder[-2:],"),
    "The model is asked without the menu: llm.generate(folder, tools.menu()).": (
        hand(", tools.menu()", "")
    ),
    "A reply can hold a text and slips. It ends the loop only if it passes no slip.": (
        hand("if not reply.tool_calls", "if reply.content")
    ),
    ASKED_AGAIN: hand("not reply.tool_calls", "reply.tool_calls == []"),
    "It hands back the whole reply: the answer is its text, reply.content.": (
        hand("return reply.content", "return reply")
    ),
    "It hands back 'Paris and Tokyo', not the text of the last reply.": (
        hand("return reply.content", "return 'Paris and Tokyo'")
    ),
    "In the folder lies something that cannot be read out: a tuple is no message.": (
        hand(KEEP, KEEP + "        folder.append(('said', reply.content))\n")
    ),
    "It hands back nothing: return the text of the last reply.": (
        hand("return reply.content", "return")
    ),
    "An answer slip holds no text: put str(…) around what the tool gave.": hand(
        "str(tools.run(call))", "tools.run(call)"
    ),
    NO_FUNCTION: "my_loop",
}

LOOP_MISTAKES = {
    f"It ended after 2 calls, {ENDED}": straight_line,
    LEFT_OPEN: limited(
        "_ in range(limit)",
        "n in range(limit)",
        KEEP,
        KEEP + "        if n == limit - 1 and reply.tool_calls:\n"
        '            return "Stopped"\n',
    ),
    f"It ended after 3 calls, {ENDED}": limited("range(limit)", "range(3)"),
    'Only the first 2 slips of a reply were run: get_weather(city="Oslo") was not.': (
        limited("in reply.tool_calls", "in reply.tool_calls[:2]")
    ),
    'Under the number of get_weather(city="Paris") stands something else than what '
    "the tool gave for it.": limited(
        "for call in reply.tool_calls",
        "for call, other in zip(reply.tool_calls, mixed(reply.tool_calls))",
        "call.id",
        "other.id",
    ),
    "At the limit it hands back 'Paris: 18 = 64°F', as if that were the answer: let it "
    "say that it stopped.": limited(GIVE_UP, "    return 'Paris: 18 = 64°F'\n"),
    f"It ended after 1 call, {ENDED}": limited(GIVE_UP, "    " + GIVE_UP),
    "It takes no limit of its own: def loop(llm, tools, folder, limit=10).": my_loop,
    "With limit=3 it makes 4 calls, when the model never stops asking.": (
        limited("range(limit)", "range(limit + 1)")
    ),
    "With limit=3 it makes 2 calls, when the model never stops asking.": (
        limited("range(limit)", "range(limit - 1)")
    ),
    "With limit=3 it never stops: nothing counts the calls.": (
        limited("for _ in range(limit)", "while True")
    ),
    "At the limit it hands back None: let it be a text that says so.": (
        limited(GIVE_UP, "")
    ),
    "At the limit it hands back '': let it be a text that says so.": (
        limited(GIVE_UP, "    return ''\n")
    ),
    "At the limit it hands back what the model said last, as an answer.": (
        limited(GIVE_UP, "    return reply.content\n")
    ),
    "At the limit it hands back '24', which a tool gave, as an answer.": (
        limited(GIVE_UP, "    return folder[-1].content\n")
    ),
    "At the limit it raises RuntimeError. Lesson 05 goes there; for now hand back a "
    "text.": raising,
    "With limit=3 the third reply may still be the answer: hand it back.": (
        limited(
            LEAVE,
            "        if not reply.tool_calls and _ < limit - 1:\n"
            "            return reply.content\n",
        )
    ),
    NO_LAST: limited(KEEP + LEAVE, LEAVE + KEEP),
    'Only the first slip of a reply was run: get_weather(city="Tokyo") was not.': (
        limited("in reply.tool_calls", "in reply.tool_calls[:1]")
    ),
    NO_FUNCTION: "loop",
}

ORDER_MISTAKES = {
    NOT_READ_OUT: arranged(RUN, RUN + "        folder = folder[-2:]\n"),
    NO_LAST: arranged(KEEP + LEAVE, LEAVE + KEEP),
    ANSWER_FIRST: arranged(KEEP + LEAVE + RUN, RUN + KEEP + LEAVE),
    f"It ended after 1 call, {ENDED}": arranged('    return "', '        return "'),
    "With limit=3 it makes 10 calls, when the model never stops asking.": (
        arranged("range(limit)", "range(10)")
    ),
    "With limit=3 it never stops: nothing counts the calls.": (
        arranged("for _ in range(limit)", "for _ in iter(int, 1)")
    ),
    "Line 9 uses Stopped, and no line makes it: return Stopped\n"
    "  (A text of yours stands in quotes.)": (arranged('"Stopped"', "Stopped")),
    "Line 2 uses reply before any line has made it: "
    "for _ in reply.tool_calls:": arranged("range(limit)", "reply.tool_calls"),
    NO_SUCH_NUMBER: arranged("call.id", "call.name"),
    "It works, and one line in it does nothing: folder = folder[-2:]. Leave it out.": (
        arranged('    return "', '    folder = folder[-2:]\n    return "')
    ),
    "At the limit it hands back None: let it be a text that says so.": (
        arranged('"Stopped"', "None")
    ),
}

TOOL_MISTAKES = {
    "The menu says nothing about it: give the function a docstring.": whisper,
    "Give each parameter a type hint: the menu tells the model what to send.": guess,
    "The model sends it one text: let it need one parameter, with : str.": double,
    "For 'Paris' it hands back nothing: return the result, do not print it.": say,
    "For 'Paris' it raises LookupError when it is called again: sold out, to Paris": (
        ticket
    ),
    "For 'Paris' it gives 'tails for Paris', then 'heads for Paris': let it say the "
    "same each time, so that you can compare two runs.": coin,
    "later is an async def, and nobody waits for it: a plain def.": later,
    "For 'Paris' it gives a generator, which nobody can read: give a text.": letters,
    "'one_by_one' cannot be a tool: it yields, and a model reads one result. Return a "
    "list.": one_by_one,
    "For 'Paris' it raises KeyError: 'Paris'": only_rome,
    "That one comes from mingraph_lite.lab.scenarios. Write a function of your own, "
    "with def.": get_weather,
    "That one comes from builtins. Write a function of your own, with def.": len,
    "The menu is made from a function: write it with def.": Sayer(),
    "Sayer is a class. Hand in the function that you wrote.": Sayer,
    "A lambda has no name for the menu: write it with def.": lambda text: text,
    NO_FUNCTION: "my_tool",
}


LESSON = Lesson(
    "01_while_true",
    sentences={
        "rounds": {
            "5": "The loop did not change by a line; who speaks did. Two rounds for "
            "the weather, two for the conversions, then the answer.",
            "3": "The loop is the same, and it does not hold the number. This model "
            "passes one slip in each reply, so it needs more calls.",
            "2": "Each slip takes a call here, the conversions too, and the answer is "
            "a call of its own.",
            "4": "One for each slip, and one more: the answer is a call of its own.",
        },
        "missing": {
            "it cannot place the answers": "Slip and answer belong together. It hears "
            "answers to slips that, as far as it can tell, nobody ever passed.",
            "it answers all the same": "It would have to remember its slips for that, "
            "and between two calls it forgets all. It knows what is read out.",
            "it passes the slips again": "That would be so if it heard the question "
            "alone. It hears two answers besides, and knows no slip for them.",
        },
    },
    exercises=(
        Exercise(
            check=loop_by_hand,
            stub=stub_by_hand,
            solution=my_loop,
            mistakes=HAND_MISTAKES,
            also_right={
                "asked before the loop": asked_first,
                "a function that calls itself": by_itself,
                "with a limit already": loop,
                "errands before the way out": hand(LEAVE + RUN, RUN + LEAVE),
                "the number of slips": hand(
                    "if not reply.tool_calls", "if len(reply.tool_calls) == 0"
                ),
            },
            hints=(
                "Keep the reply. Then: does it pass slips? If none, it is the answer.",
                "Each slip: run it, and append a ToolMessage with its number.",
            ),
        ),
        Exercise(
            check=in_order,
            stub="",
            solution=ARRANGED.solution,
            mistakes=ORDER_MISTAKES,
            also_right={
                "another text": arranged('"Stopped"', '"No answer within my limit"'),
                "with a full stop": arranged('"Stopped"', '"Stopped."'),
                "errands before the way out": arranged(LEAVE + RUN, RUN + LEAVE),
                "counted from one": arranged("range(limit)", "range(1, limit + 1)"),
            },
            hints=(
                "Which line says how often at most? What is kept must have come.",
                "The text at the limit stands below the loop, not inside it.",
            ),
            arrangement=ARRANGED,
        ),
        Exercise(
            check=own_tool,
            stub=stub_of_a_tool,
            solution=my_tool,
            mistakes=TOOL_MISTAKES,
            also_right={
                "a text": shout,
                "one parameter more, with a default": shout_louder,
                "what it knows stands in a dict": known,
                "quotes in what it says": nothing_to_say,
                "decorated, with a default": backwards,
            },
            hints=(
                "A def with one parameter and : str behind it, a docstring, a return.",
                "It may be small: the text backwards, or how many letters it has.",
            ),
            keeps=("my_tool",),
        ),
        Exercise(
            check=whole_loop,
            stub=stub_of_the_loop,
            solution=loop,
            mistakes=LOOP_MISTAKES,
            also_right={
                "another text": limited(GIVE_UP, "    return 'Stopped.'\n"),
                "it counts by itself": counted,
                "a function that calls itself": by_itself,
                "errands before the way out": limited(LEAVE + RUN, RUN + LEAVE),
                "wrapped in another function": wrapped,
                "what came so far": limited(
                    GIVE_UP, "    return f'Stopped. So far: {folder[-1].content}'\n"
                ),
            },
            hints=(
                "It is the loop from above; one line says how often it may turn.",
                "What stands below the loop runs if nothing was handed back in it.",
            ),
            keeps=("loop",),
        ),
    ),
)
