"""What lesson 06 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: disable-error-code="override"
# What is kept is written as a learner writes it: without types.

import inspect
from contextlib import redirect_stdout
from copy import deepcopy
from functools import wraps
from importlib import import_module
from io import StringIO
from textwrap import indent
from typing import Any

from mingraph_lite.classroom import Exercise, Lesson, replaced, written
from mingraph_lite.classroom.checks.announced import wrong_announcements
from mingraph_lite.classroom.checks.listeners import (
    no_listener,
    wrong_count,
    wrong_sheet,
)
from mingraph_lite.classroom.checks.loops import watch, wrong_with
from mingraph_lite.classroom.checks.platforms import wrong_platform
from mingraph_lite.classroom.checks.safe_loop_checks import wrong_when_it_fails
from mingraph_lite.classroom.plain import no_function
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.messages import UserMessage
from mingraph_lite.observers import Observer

WRITTEN: Any = import_module("mingraph_lite.classroom.lessons.05_errors")
NoAnswer, safe_errands = WRITTEN.NoAnswer, WRITTEN.safe_errands


def unheard(check: Any) -> Any:
    """A check without what listeners print: they hear hundreds of events."""

    @wraps(check)
    def quiet(answer: Any) -> Any:
        with redirect_stdout(StringIO()):
            return check(answer)

    return quiet


BRACKETS = "Hand in the function itself, without brackets behind it."
BOTH = "Hand in both: check(4, (announcing_loop, SafePlatform))."
SWAPPED = "Loop first, then the class: check(4, (announcing_loop, SafePlatform))."

# 1: the loop announces


class Announced:
    def __init__(self, tools, announce):
        self.tools, self.announce = tools, announce

    def run(self, call):
        self.announce("tool_call", call)
        value = self.tools.run(call)
        self.announce("tool_return", deepcopy(value))
        return value


def announcing_loop(llm, tools, folder, announce, limit=10):
    watched, answer = Announced(tools, announce), None
    try:
        for _ in range(limit):
            reply = llm.generate(folder, tools.menu()).message
            folder.append(reply)
            announce("model_reply", reply)
            if not reply.tool_calls:
                answer = reply.content
                return answer
            safe_errands(watched, reply.tool_calls, folder)
        raise NoAnswer(f"no answer after {limit} calls")
    finally:
        announce("finish", answer)


@unheard
def announces(answer: Any) -> str | None:
    if wrong := no_function(answer):
        return wrong
    return wrong_announcements(answer, announcing_loop) or as_before(answer)


def as_before(loop: Any) -> str | None:
    """What is wrong with the run itself, where nobody listens."""

    def alone(llm, tools, folder, limit=10):
        return loop(llm, tools, folder, nobody, limit=limit)

    folder = [UserMessage(paris_and_tokyo.question)]
    run = watch(alone, ReadingLLM(), paris_and_tokyo.tools, folder)
    return wrong_with(run) or wrong_when_it_fails(alone)


def nobody(event: object, detail: object) -> None:
    """Nobody listens."""


# 2: a listener


class Accounts:
    def __init__(self):
        self.errands = 0

    def hear(self, event, detail):
        if event == "tool_return":
            self.errands += 1


@unheard
def counts_errands(answer: Any) -> str | None:
    wrong = no_listener(answer, "Accounts", "hear")
    return wrong or wrong_count(answer, announcing_loop)


# 3: the tally of lesson 02, as a listener


class Tally(Observer):
    def __init__(self):
        self.sheet = {"turns": 0, "tool_calls": [], "results": []}

    def on_model_reply(self, response):
        self.sheet["turns"] += 1

    def on_tool_return(self, call, value):
        self.sheet["tool_calls"].append(call)
        self.sheet["results"].append(value)

    def on_finish(self, answer, reason):
        self.sheet.update(answer=answer, reason=reason)


@unheard
def keeps_a_tally(answer: Any) -> str | None:
    return wrong_sheet(answer)


# 4: a platform on which somebody trips


class SafePlatform:
    def __init__(self, *listeners):
        self.listeners = listeners
        self.lost = 0

    def announce(self, event, detail):
        for listener in self.listeners:
            try:
                listener.hear(event, detail)
            except Exception:
                self.lost += 1


@unheard
def unharmed(answer: object) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return BOTH
    loop, platform = answer
    if isinstance(loop, type) and not isinstance(platform, type):
        return SWAPPED
    wrong = no_listener(platform, "SafePlatform", "announce")
    if wrong := wrong or wrong_platform(platform):
        return wrong
    wrong = announces(loop)
    return f"announcing_loop, of exercise 1: {wrong}" if wrong else None


# Answers, right and wrong. Ours, with some words changed.

SEEN = {
    "Announced": Announced,
    "NoAnswer": NoAnswer,
    "Observer": Observer,
    "deepcopy": deepcopy,
    "safe_errands": safe_errands,
}


def lines(code: str, name: str) -> Any:
    """What a learner wrote from nothing."""
    return written(code, **SEEN)[name]


def changed(thing: Any, *changes: str) -> Any:
    """One of ours with some of its words changed: old, new, old, new."""
    return lines(replaced(inspect.getsource(thing), *changes), thing.__name__)


def loop_with(*changes: str) -> Any:
    return changed(announcing_loop, *changes)


def hears(body: str) -> Any:
    """Accounts, with other lines in its hear."""
    mine = '        if event == "tool_return":\n            self.errands += 1\n'
    return changed(Accounts, mine, body)


def tally_with(*changes: str) -> Any:
    return changed(Tally, *changes)


def platform_with(*changes: str) -> tuple[Any, Any]:
    return announcing_loop, changed(SafePlatform, *changes)


def platform_of(announce: str, more: str = "") -> tuple[Any, Any]:
    """A platform whose announce has these lines."""
    head = inspect.getsource(SafePlatform).partition("        for listener")[0]
    return announcing_loop, lines(head + announce + more, "SafePlatform")


SAYS = '            announce("model_reply", reply)\n'
ENDS = '        announce("finish", answer)\n'
ANSWERED = "                return answer\n"
ASKS = "            safe_errands(watched, reply.tool_calls, folder)\n"
FILES = "            folder.append(reply)\n"
AFTER = '        announce(("the", ["folder"]), folder)\n'
TURN = '    def on_model_reply(self, response):\n        self.sheet["turns"] += 1\n'
HEARD = "    def on_tool_return(self, call, value):\n"
CALL = '        self.sheet["tool_calls"].append(call)\n'
VALUE = '        self.sheet["results"].append(value)\n'
NAIVE = (
    "        for listener in self.listeners:\n"
    "            listener.hear(event, detail)\n"
)

SAFE = inspect.getsource(SafePlatform.announce).partition("\n")[2]

EVERY_WAY_OUT = """
def announcing_loop(llm, tools, folder, announce, limit=10):
    watched = Announced(tools, announce)
    try:
        for _ in range(limit):
            reply = llm.generate(folder, tools.menu()).message
            folder.append(reply)
            announce("model_reply", reply)
            if not reply.tool_calls:
                break
            safe_errands(watched, reply.tool_calls, folder)
        else:
            raise NoAnswer(limit)
    except Exception:
        announce("finish", None)
        raise
    announce("finish", reply.content)
    return reply.content
"""
ENVELOPE = """
def announcing_loop(llm, tools, folder, announce, limit=10):
    calls, answer = 0, None
    try:
        while calls < limit:
            response = llm.generate(folder, tools.menu())
            calls += 1
            folder.append(response.message)
            announce(event="model_reply", detail=response)
            if response.message.tool_calls == ():
                answer = response.message.content
                break
            tools_that_say_it = Announced(tools, announce)
            safe_errands(tools_that_say_it, response.message.tool_calls, folder)
    finally:
        announce("finish", answer)
    if answer is None:
        raise NoAnswer
    return answer
"""
INSIDE = """
def announcing_loop(llm, tools, folder, announce, limit=10):
    def say(event, detail):
        announce(event, detail)

    answer = None
    try:
        for _ in range(limit):
            reply = llm.generate(folder, tools.menu()).message
            folder += [reply]
            say("model_reply", reply)
            if reply.tool_calls:
                safe_errands(Announced(tools, say), reply.tool_calls, folder)
            else:
                answer = reply.content
                return answer
        raise NoAnswer(f"nothing after {limit}")
    finally:
        say("finish", answer)
"""

ANNOUNCES = Exercise(
    check=announces,
    stub=loop_with(SAYS, "            ...\n", ENDS, "        ...\n"),
    solution=announcing_loop,
    mistakes={
        "With an answer: it ends, and nobody was told: announce "
        "'finish' on every way out.": loop_with(ENDS, "        ...\n"),
        "With an answer: the model replied, and nobody was told: "
        "announce it in each round.": loop_with(SAYS, ""),
        "With an answer: it announces 'reply', and nobody listens"
        " for that. The events are 'model_reply', 'tool_call', 'tool_return', "
        "'finish'.": loop_with('announce("model_reply"', 'announce("reply"'),
        "With an answer: the detail of 'model_reply' is '': hand "
        "over the whole reply.": loop_with(
            '"model_reply", reply', '"model_reply", reply.content'
        ),
        "With an answer: 'model_reply' is announced before the "
        "reply is in the folder.": loop_with(FILES + SAYS, SAYS + FILES),
        "With an answer: the model replied 3 times, and "
        "'model_reply' was announced 2 times.": loop_with(SAYS, "", ASKS, ASKS + SAYS),
        "With an answer: the answer is 'Paris: 18 = 64°F, Tokyo: "
        "24 = 75°F', and the detail of 'finish' is "
        "'done': hand over the answer.": loop_with(
            '"finish", answer', '"finish", "done"'
        ),
        "With an answer: the answer is 'Paris: 18 = 64°F, Tokyo: "
        "24 = 75°F', and the detail of 'finish' is "
        "None: hand over the answer.": loop_with('"finish", answer', '"finish", None'),
        "With an answer: announce takes two things, the event and"
        " the detail, and got 1.": loop_with('"finish", answer', '"finish"'),
        "With an answer: the detail of 'finish' is the whole "
        "reply: the answer is its text.": loop_with(
            '"finish", answer', '"finish", reply'
        ),
        "With an answer: it announces 'done', and nobody listens for that. The events "
        "are 'model_reply', 'tool_call', 'tool_return', 'finish'.": loop_with(
            '"finish", answer', '"done", answer'
        ),
        "With a tool that fails: there is no answer, and the detail of 'finish' is "
        "''.": loop_with('"finish", answer', '"finish", reply.content'),
        "With a tool that fails: it ends, and nobody was told: announce 'finish' on"
        " every way out.": loop_with(
            ENDS,
            "        ...\n",
            ANSWERED,
            '                announce("finish", answer)\n' + ANSWERED,
        ),
        "With an answer: a run ends once, and 'finish' was "
        "announced 2 times.": loop_with(
            ANSWERED, '                announce("finish", answer)\n' + ANSWERED
        ),
        "With an answer: errands are run, and nobody was told: "
        "the tools that say it are watched. Hand those to safe_errands.": loop_with(
            "safe_errands(watched", "safe_errands(tools"
        ),
        "With a tool that fails: the run raises TimeoutError, and its caller gets "
        "None: something swallows the error, as a return in finally does.": loop_with(
            ENDS, ENDS + "        return answer\n"
        ),
        "With an answer: the model replied 3 times, and "
        "'model_reply' was announced 4 times.": loop_with(
            SAYS, "            for _ in reply.tool_calls:\n    " + SAYS
        ),
        "In the folder lies something that cannot be read "
        "out: a str is no message.": loop_with(
            ENDS,
            '        announce("finish", answer)\n        folder.append("finish")\n',
        ),
        BRACKETS: None,
    },
    also_right={
        "each way out says it": lines(EVERY_WAY_OUT, "announcing_loop"),
        "the whole envelope": lines(ENVELOPE, "announcing_loop"),
        "a helper inside": lines(INSIDE, "announcing_loop"),
        "by name": loop_with(
            '"model_reply", reply', 'event="model_reply", detail=reply'
        ),
        "announced and then noted": loop_with(
            SAYS, SAYS + "            said = reply\n"
        ),
        "its beginning too": loop_with(
            "    try:\n", '    announce("start", None)\n    try:\n'
        ),
        "each call too": loop_with(
            "            reply = llm",
            '            announce("model_call", folder)\n            reply = llm',
        ),
        "and something after the end": loop_with(ENDS, ENDS + AFTER),
    },
    hints=(
        "A moment is announced right where it happens: which line is it behind?",
        "In finally there is an answer or None, and one name holds either.",
    ),
)
COUNTED = Exercise(
    check=counts_errands,
    stub=hears("        ...\n"),
    solution=Accounts,
    mistakes={
        "It counts every announcement. An errand has "
        "come back at 'tool_return'.": hears("        self.errands += 1\n"),
        "An errand whose tool failed was begun, and brought nothing back. Count the"
        " event 'tool_return'.": hears(
            '        if event == "tool_call":\n            self.errands += 1\n'
        ),
        "It counts 'tool_call' and 'tool_return', each errand twice. An errand has "
        "come back at 'tool_return'.": hears(
            '        if "tool" in event:\n            self.errands += 1\n'
        ),
        "Of 12 announcements, 4 were 'tool_return', and errands is 1.": hears(
            '        if event == "tool_return":\n            self.errands = 1\n'
        ),
        "It counts all but 'tool_return'. An errand has "
        "come back at 'tool_return'.": hears(
            '        if event != "tool_return":\n            self.errands += 1\n'
        ),
        "Two listeners count into the same number: self.errands, each its own.": lines(
            "class Accounts:\n    errands = 0\n    def hear(self, event, detail):\n"
            '        if event == "tool_return":\n            Accounts.errands += 1\n',
            "Accounts",
        ),
        "At the start errands is []; it is a number, and begins at 0.": changed(
            Accounts, "self.errands = 0", "self.errands = []", "+= 1", "+= [1]"
        ),
        "At the start errands is 1; it is a number, and begins at 0.": changed(
            Accounts, "self.errands = 0", "self.errands = 1"
        ),
        "Accounts has no errands: who asks for it finds no number.": changed(
            Accounts, "self.errands", "self.count"
        ),
        "This is still as it came, or it counts nothing: errands stays 0.": hears(
            '        if detail == "tool_return":\n            self.errands += 1\n'
        ),
        "An errand that brought 0 has come back too: count each 'tool_return', "
        "whatever its detail is.": hears(
            '        if event == "tool_return" and detail:\n'
            "            self.errands += 1\n"
        ),
        "An errand that brought '' has come back too: count each 'tool_return', "
        "whatever its detail is.": hears(
            '        if event == "tool_return" and detail != "":\n'
            "            self.errands += 1\n"
        ),
        "An errand that brought None has come back too: count each 'tool_return', "
        "whatever its detail is.": hears(
            '        if event == "tool_return" and detail is not None:\n'
            "            self.errands += 1\n"
        ),
        "No event is called 'tool_returned'. The events are 'model_reply', "
        "'tool_call', 'tool_return', 'finish'.": hears(
            '        if event == "tool_returned":\n            self.errands += 1\n'
        ),
        "It counts 'finish'. An errand has come back at 'tool_return'.": hears(
            '        if event == "finish":\n            self.errands += 1\n'
        ),
        "Of 12 announcements, 4 were 'tool_return', and errands is 181.": hears(
            '        if event == "tool_return":\n            self.errands += detail\n'
        ),
        "It takes other arguments than the exercise hands in: look at its def. "
        "Python says: Accounts.hear() takes 2 positional arguments but 3 were "
        "given.": changed(
            Accounts, "def hear(self, event, detail)", "def hear(self, event)"
        ),
        "Accounts has no hear: nobody could tell it anything.": changed(
            Accounts, "def hear", "def here"
        ),
        "Hand in the class itself: Accounts, without brackets behind it.": Accounts(),
    },
    also_right={
        "a sum": hears('        self.errands += event == "tool_return"\n'),
        "the other events leave": hears(
            '        if event != "tool_return":\n            return\n'
            "        self.errands = self.errands + 1\n"
        ),
        "a match": hears(
            '        match event:\n            case "tool_return":\n'
            "                self.errands += 1\n"
        ),
        "a list, counted": lines(
            "class Accounts:\n    def __init__(self):\n        self.values = []\n"
            "    @property\n    def errands(self):\n        return len(self.values)\n"
            "    def hear(self, event, detail):\n"
            '        if event in ("tool_return",):\n'
            "            self.values.append(detail)\n",
            "Accounts",
        ),
    },
    hints=(
        "hear is called at every event. Which one says that an errand came back?",
        "An if that compares event with a text, and below it one more in self.errands.",
    ),
)
TALLIED = Exercise(
    check=keeps_a_tally,
    stub=tally_with(TURN, ""),
    solution=Tally,
    mistakes={
        "No announcement calls on_model_replied. Did "
        "you mean on_model_reply?": tally_with(
            "def on_model_reply", "def on_model_replied"
        ),
        "No announcement calls model_reply. Did you mean on_model_reply?": tally_with(
            "def on_model_reply(self, response)", "def model_reply(self)"
        ),
        "on_model_reply is handed response: call the parameter that, and not "
        "reply.": tally_with("(self, response)", "(self, reply)"),
        "No announcement calls hear. An Observer has one method a moment, of its "
        "name: on_model_reply, on_tool_call, on_tool_return, on_finish.": tally_with(
            "on_model_reply(self, response)", "hear(self, event, detail)"
        ),
        "No announcement calls on_step. An Observer has one method a moment, of its "
        "name: on_model_reply, on_tool_call, on_tool_return, on_finish.": tally_with(
            "on_model_reply(self, response)", "on_step(self, step)"
        ),
        "No announcement calls on_turn. An Observer has one method a moment, of its "
        "name: on_model_reply, on_tool_call, on_tool_return, on_finish.": tally_with(
            "on_model_reply(self, response)", "on_turn(self)"
        ),
        "No announcement calls on_start. An Observer has one method a moment, of its "
        "name: on_model_reply, on_tool_call, on_tool_return, on_finish.": tally_with(
            "on_model_reply(self, response)", "on_start(self)"
        ),
        "on_model_reply has no self: def on_model_reply(self, …).": tally_with(
            "(self, response)", "(response)"
        ),
        "With two cities: the model replied 3 times, and "
        "the sheet says turns: 4.": tally_with(
            "on_model_reply(self, response)", "on_tool_call(self, call)"
        ),
        "With two cities: the model replied 3 times, and "
        "the sheet says turns: 6.": tally_with(
            "on_model_reply(self, response)", "on_card_start(self, card)"
        ),
        "With two cities: the sheet says nothing under 'answer', 'reason'.": tally_with(
            "on_model_reply(self, response)", "on_event(self, event)"
        ),
        "This is still as it came, or no turn is counted: after 3 replies turns is "
        "0.": tally_with('self.sheet["turns"] += 1', "self.turns = 1"),
        "With two cities: the model replied 3 times, and "
        "the sheet says turns: 1.": tally_with('["turns"] += 1', '["turns"] = 1'),
        "No announcement calls on_tool_returned. Did "
        "you mean on_tool_return?": tally_with(
            "def on_tool_return", "def on_tool_returned"
        ),
        "No announcement calls tool_return. Did you mean on_tool_return?": tally_with(
            "def on_tool_return", "def tool_return"
        ),
        "With two cities: 4 errands ran, and tool_calls has 0 in it.": tally_with(
            CALL, ""
        ),
        "With two cities: 4 errands ran, and results has 0 in it.": tally_with(
            VALUE, ""
        ),
        "With a tool that fails: an errand that failed has a call on the sheet and "
        "no result, so the lists slip out of step. Take "
        "both from on_tool_return.": tally_with(
            HEARD + CALL + VALUE,
            "    def on_tool_call(self, call):\n"
            + CALL
            + "\n    def on_tool_return(self, value):\n"
            + VALUE,
        ),
        "on_tool_return is handed call, value, message: call the parameter one of "
        "these, and not result.": tally_with(
            "(self, call, value)",
            "(self, call, result)",
            "append(value)",
            "append(result)",
        ),
        "on_step_start is handed step: call the parameter that, and not "
        "response.": tally_with("def on_model_reply", "def on_step_start"),
        "on_tool_return has no self: def on_tool_return(self, …).": tally_with(
            "(self, call, value)", "(call, value)"
        ),
        "With two cities: tool_calls[0] says 'call_1'; that errand was "
        'get_weather(city="Paris").': tally_with("append(call)", "append(call.id)"),
        "With two cities: tool_calls[0] says 'get_weather'; that errand was "
        'get_weather(city="Paris").': tally_with("append(call)", "append(call.name)"),
        "With two cities: tool_calls[0] says '18'; that errand was "
        'get_weather(city="Paris").': tally_with(
            "append(value)", "append(call)", "append(call)", "append(value)"
        ),
        'With two cities: results[0] is 2, and get_weather(city="Paris") brought '
        "18.": tally_with("append(value)", "append(len(str(value)))"),
        "With two cities: 4 errands ran, and tool_calls has 1 in it.": tally_with(
            CALL, '        self.sheet["tool_calls"] = [call]\n'
        ),
        "With two cities: 4 errands ran, and results has 8 in it.": tally_with(
            '["results"].append(value)', '["results"] += str(value)'
        ),
        "Tally is no Observer: class Tally(Observer).": tally_with(
            "class Tally(Observer)", "class Tally"
        ),
        'With two cities: results[0] is 75, and get_weather(city="Paris") brought '
        "18.": tally_with("append(value)", "insert(0, value)"),
        "No announcement calls on_finished. Did you mean on_finish?": tally_with(
            "def on_finish", "def on_finished"
        ),
        "With two cities: two tallies write on the same "
        "sheet: make it in __init__.": lines(
            replaced(
                inspect.getsource(Tally),
                "    def __init__(self):\n        self.sheet",
                "    sheet",
            ),
            "Tally",
        ),
        "Hand in the class itself: Tally, without brackets behind it.": Tally(),
    },
    also_right={
        "at the start of a round": tally_with(
            "on_model_reply(self, response)", "on_step_start(self, step)"
        ),
        "the number of the round": tally_with(
            *("on_model_reply(self, response)", "on_step_start(self, step)"),
            *("+= 1", "= step"),
        ),
        "at the call": tally_with(
            "on_model_reply(self, response)", "on_model_call(self)"
        ),
        "without the reply": tally_with("(self, response)", "(self)"),
        "the message's text": tally_with(
            "(self, call, value)",
            "(self, call, message)",
            "append(value)",
            "append(message.content)",
        ),
        "all three": tally_with("(self, call, value)", "(self, call, value, message)"),
        "calls as texts": tally_with("append(call)", "append(str(call))"),
        "by keyword": tally_with("(self, call, value)", "(self, *, value, call)"),
        "whatever is said": tally_with(
            "(self, call, value)",
            "(self, **said)",
            "append(call)",
            'append(said["call"])',
            "append(value)",
            'append(said["value"])',
        ),
        "one method with ifs": lines(
            "class Tally(Observer):\n    def __init__(self):\n"
            '        self.sheet = {"turns": 0, "tool_calls": [], "results": []}\n'
            "    def on_event(self, event):\n        said = event.payload\n"
            '        if event.name == "model_reply":\n'
            '            self.sheet["turns"] += 1\n'
            '        elif event.name == "tool_return":\n'
            '            self.sheet["tool_calls"] += [said["call"]]\n'
            '            self.sheet["results"] += [said["value"]]\n'
            '        elif event.name == "finish":\n'
            '            self.sheet["answer"] = said["answer"]\n'
            '            self.sheet["reason"] = said["reason"]\n',
            "Tally",
        ),
    },
    keeps=("Tally",),
    hints=(
        "The method has the name of its moment, and a parameter for what it needs.",
        "One turn is one call of the model: def on_…(self, …), and one more in turns.",
    ),
)
UNHARMED = Exercise(
    check=unharmed,
    stub=platform_of(NAIVE),
    solution=(announcing_loop, SafePlatform),
    mistakes={
        "One listener fails at its third event, and the one behind it has heard 3 "
        "of 4. After a failure the for goes on with the next listener.": platform_of(
            "        try:\n            for listener in self.listeners:\n"
            "                listener.hear(event, detail)\n"
            "        except Exception:\n            self.lost += 1\n"
        ),
        "A listener raises KeyError, and it goes on into the loop.": platform_with(
            "except Exception", "except ValueError"
        ),
        "A listener raises ZeroDivisionError, and it "
        "goes on into the loop.": platform_with(
            "except Exception", "except (ValueError, KeyError, TypeError)"
        ),
        "Somebody stops the run while a listener hears (Ctrl-C raises "
        "KeyboardInterrupt), and it goes on. Catch Exception: it leaves that one "
        "alone.": platform_with("except Exception", "except BaseException"),
        "A listener failed once, and lost is 0: count each announcement that was "
        "lost.": platform_with("self.lost += 1", "pass"),
        "A listener failed 8 times, and lost is 1: count each announcement that was"
        " lost.": platform_with("self.lost += 1", "self.lost = 1"),
        "It counts what was lost, and raises all the same.": platform_with(
            "self.lost += 1", "self.lost += 1\n                raise"
        ),
        "Nobody failed, and lost is 8.": platform_with(
            "except Exception:\n                self.lost += 1",
            "finally:\n                self.lost += 1",
        ),
        "Of 4 announcements a listener has heard 5: each is said once.": platform_with(
            "self.lost += 1",
            "self.lost += 1\n                listener.hear(event, detail)",
        ),
        "The listener that failed once has heard 3 of 4. It stays on the platform, "
        "and hears the rest.": platform_with(
            "self.lost += 1",
            "self.lost += 1\n                "
            "self.listeners = [x for x in self.listeners if x is not listener]",
        ),
        "With two listeners, the second hears nothing.": platform_with(
            "in self.listeners:", "in self.listeners[:1]:"
        ),
        "The listeners hear it in another order than they stand.": platform_with(
            "in self.listeners:", "in reversed(self.listeners):"
        ),
        "Nobody hears anything, and all of it counts as lost: hear takes the event "
        "and the detail.": platform_with("hear(event, detail)\n", "hear(event)\n"),
        "After 4 announcements the first of two listeners has heard slips, "
        "get_weather, 0, None.": platform_with(
            "hear(event, detail)\n", "hear(detail, event)\n"
        ),
        "Nobody hears 'finish' where its detail is None: it is told, whatever the "
        "detail.": platform_of(
            "        if detail is None:\n            return\n" + SAFE
        ),
        "Nobody hears 'tool_return' where its detail is 0: it is told, whatever the "
        "detail.": platform_of("        if detail:\n" + indent(SAFE, "    ")),
        "At the start lost is []; it is a number, and begins at 0.": platform_with(
            "self.lost = 0",
            "self.lost = []",
            "self.lost += 1",
            "self.lost.append(listener)",
        ),
        "At the start lost is 1; it is a number, and begins at 0.": platform_with(
            "self.lost = 0", "self.lost = 1"
        ),
        "SafePlatform has no lost: who asks for it finds no number.": platform_with(
            "        self.lost = 0\n", "", "self.lost += 1", "pass"
        ),
        "Two platforms count into the same number: self.lost, each its "
        "own.": platform_with(
            *("    def __init__", "    lost = 0\n\n    def __init__"),
            *("        self.lost = 0\n", ""),
            *("self.lost += 1", "SafePlatform.lost += 1"),
        ),
        SWAPPED: (SafePlatform, announcing_loop),
        BOTH: SafePlatform,
        "A listener raises ValueError, and the loop gets RuntimeError: a listener "
        "failed.": platform_with(
            "except Exception:\n                self.lost += 1",
            "except Exception as error:\n                self.lost += 1\n"
            '                raise RuntimeError("a listener failed") from error',
        ),
        "Hand in the class itself: SafePlatform, without brackets behind it.": (
            announcing_loop,
            SafePlatform(),
        ),
        "announcing_loop, of exercise 1: With an answer: it ends,"
        " and nobody was told: announce 'finish' on every way out.": (
            loop_with(ENDS, "        ...\n"),
            SafePlatform,
        ),
    },
    also_right={
        "a list of what was lost, counted": platform_of(
            replaced(SAFE, "self.lost += 1", "self.missed += [event]"),
            "\n    missed = ()\n    lost = property(\n"
            "        lambda self: len(self.missed), lambda self, _: setattr("
            "self, 'missed', [])\n    )\n",
        ),
        "from the class on": platform_with(
            *("    def __init__", "    lost = 0\n\n    def __init__"),
            *("        self.lost = 0\n", ""),
        ),
        "said too": platform_with(
            "self.lost += 1", "self.lost += 1\n                print('lost', event)"
        ),
        "an else": platform_with(
            "except Exception:\n                self.lost += 1",
            "except Exception:\n                self.lost = self.lost + 1\n"
            "            else:\n                continue",
        ),
        "a list of both": [announcing_loop, SafePlatform],
        "a method of its own": platform_of(
            "        for listener in self.listeners:\n"
            "            self.tell(listener, event, detail)\n",
            "\n    def tell(self, listener, event, detail):\n        try:\n"
            "            listener.hear(event, detail)\n"
            "        except Exception:\n            self.lost += 1\n",
        ),
    },
    keeps=("announcing_loop", "SafePlatform"),
    hints=(
        "One listener fails, the next one should hear: is the for inside the try?",
        "try around hear alone; except Exception, and one more in self.lost.",
    ),
)
LESSON = Lesson(
    "06_observers",
    sentences={
        "steer": {
            "Olten, Basel": "The listener has written, on a list that nobody else "
            "reads. What it hears is its own.",
            "Olten, Basel, Oslo": "If so, a listener could steer the run. It cannot: "
            "the list that it wrote on is read by nobody else.",
            "none: it fails": "A list may be written on, and nothing failed. Nobody "
            "else reads the list that it wrote on.",
        },
        "tripped": {
            "an error": "It went up through announce into the errands, which took it "
            "for the tool's and wrote it onto the slip.",
            "18, as always": "The tool did give 18. Then the listener's error came out "
            "of the same run(call), and the errands took it for the tool's.",
            "no answer": "Safe errands answer every slip, and they did so here: with "
            "an error that no tool had raised.",
        },
        "others": {
            "33": "All of them. What one listener raises stays with that one: the run "
            "goes on, and so does everybody else.",
            "32": "Only the one that tripped has lost the third. The others have heard "
            "it, and all that came after.",
            "2": "If so, a listener could end the run. It cannot: the agent catches "
            "what it raises, and goes on to the next listener.",
            "3": "The others hear the rest as well: the agent catches what a listener "
            "raises, and goes on.",
            "0": "The agent catches what the first one raises, and tells the next.",
        },
    },
    exercises=(ANNOUNCES, COUNTED, TALLIED, UNHARMED),
)
