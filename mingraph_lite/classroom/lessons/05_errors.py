"""What lesson 05 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls
# What is kept is written as a learner writes it: without types.

import inspect
from typing import Any

from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Exercise,
    Lesson,
    function_of,
    replaced,
    written,
)
from mingraph_lite.classroom.checks.errand_checks import in_turn, wrong_errands
from mingraph_lite.classroom.checks.errand_runs import errands_of, slips
from mingraph_lite.classroom.checks.safe_loop_checks import (
    no_exception,
    wrong_at_the_limit,
    wrong_when_it_fails,
)
from mingraph_lite.classroom.plain import no_function
from mingraph_lite.errors import (
    ModelMistake,
    StepLimitReached,
    ToolArgsError,
    UnknownToolError,
)
from mingraph_lite.messages import ToolMessage

BRACKETS = "Hand in the function itself, without brackets behind it."

# 1: no answer, so raise


def raises_at_the_limit(answer: object) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return "Hand in both: check(1, (NoAnswer, strict))."
    kind, loop = answer
    return no_exception(kind) or no_function(loop) or wrong_at_the_limit(kind, loop)


class NoAnswer(Exception):
    """A run that ended without an answer."""


def strict(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    raise NoAnswer(f"no answer after {limit} calls")


# 2: who can mend it


class ModelServerDown(ConnectionError):
    """An error of somebody's model server; its name begins with "Model"."""


class ToolboxLost(Exception):
    """An error of somebody's tool; its name begins with "Tool"."""


class TooManyCities(ToolArgsError):
    """What a tool raises for arguments that it cannot take."""


ERRORS = (
    (ToolArgsError("city is missing"), "model"),
    (UnknownToolError("No tool named 'get_wether'."), "model"),
    (TooManyCities("use another word"), "model"),
    (TimeoutError("the weather service is down"), "caller"),
    (TypeError("get_weather() got an unexpected keyword argument 'town'"), "caller"),
    (ValueError("No tool has this argument"), "caller"),
    (KeyError("city"), "caller"),
    (StepLimitReached("No answer"), "caller"),
    (ToolboxLost("where is it?"), "caller"),
    (ModelServerDown("no model here"), "caller"),
)


WHO = ("model", "caller")


def sorts_errors(answer: Any) -> str | None:
    if wrong := no_function(answer):
        return wrong
    said = [answer(error) for error, _ in ERRORS]
    if said == [None] * len(ERRORS):
        return f"{STILL_THE_STUB}, or a return is missing: it hands back nothing."
    words = [str(one).strip().lower() for one in said]
    if strange := [
        one for one, word in zip(said, words, strict=True) if word not in WHO
    ]:
        return f'It says {strange[0]!r}. Let it say "model" or "caller".'
    pairs = zip(ERRORS, words, strict=True)
    missed = [error for (error, who), one in pairs if one != who]
    return wrong_sorting(missed[0]) if missed else None


def wrong_sorting(error: Exception) -> str:
    name = type(error).__name__
    if isinstance(error, ModelMistake):
        return f"{name} is a ModelMistake: the model can mend its slip, once told."
    if isinstance(error, TimeoutError):
        return "A service that is down stays down, however the slip is written."
    if isinstance(error, TypeError):
        return "A TypeError that reaches you here comes from inside a tool: a bug."
    if isinstance(error, StepLimitReached):
        return "A limit was set by the caller, who alone can set another."
    if isinstance(error, ToolboxLost | ModelServerDown):
        return (
            f"{name} is no ModelMistake. Its name or its words say nothing: look at "
            "its kind, with isinstance."
        )
    return f"{name} is no ModelMistake: it came out of a tool that ran."


def who_can_mend(error):
    return "model" if isinstance(error, ModelMistake) else "caller"


# 3: one slip, mended


HEARD_NOTHING = "The tool raised TimeoutError, and the caller heard nothing of it."


def answers_one_slip(answer: Any) -> str | None:
    if wrong := no_function(answer):
        return wrong
    wrong = wrong_errands(in_turn(answer), most=1)
    if wrong == HEARD_NOTHING:
        return f"{STILL_THE_STUB}, or does what it did. {wrong}"
    return wrong


def run_slip(tools, call, folder):
    try:
        text = str(tools.run(call))
    except ModelMistake as error:
        text = f"Error: {error}"
    except Exception as error:
        folder.append(ToolMessage(f"Error: {error}", call.id, call.name))
        raise
    folder.append(ToolMessage(text, call.id, call.name))


def swallows(tools, call, folder):
    try:
        text = str(tools.run(call))
    except Exception as error:
        text = f"Error: {error}"
    folder.append(ToolMessage(text, call.id, call.name))


# 4: all slips, and the loop


STOPS = "The tool raised TimeoutError, and 2 of 3 slips have an answer when it leaves."


def all_ran(errands: Any) -> bool:
    """Whether it goes on behind a tool that fails."""
    failing = {"Tokyo": TimeoutError("the weather service is down")}
    return len(errands_of(errands, slips("Paris", "Tokyo", "Rome"), failing).ran) == 3


def leaves_all_open(errands: Any) -> bool:
    """Whether it answers nothing behind the first slip, where that one fails."""
    down = {"Paris": TimeoutError("the weather service is down")}
    return len(errands_of(errands, slips("Paris", "Tokyo", "Rome"), down).told) < 2


def safe_agent(answer: object) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        return "Hand in all three: check(4, (NoAnswer, safe_errands, safe_loop))."
    kind, errands, loop = answer
    if wrong := no_exception(kind) or no_function(errands) or no_function(loop):
        return wrong
    if wrong := wrong_errands(errands):
        if wrong.startswith(STILL_THE_STUB):
            return wrong
        if wrong == STOPS and leaves_all_open(errands):
            return f"{STILL_THE_STUB}, or does what it did. {wrong}"
        if wrong == HEARD_NOTHING and all_ran(errands):
            return (
                f"{STILL_THE_STUB}, on a run_slip (exercise 3) that raises nothing, or "
                f"it keeps what that raises. {wrong}"
            )
        return f"safe_errands: {wrong}"
    wrong = wrong_at_the_limit(kind, loop) or wrong_when_it_fails(loop)
    return f"safe_loop: {wrong}" if wrong else None


def safe_errands(tools, calls, folder):
    for place, call in enumerate(calls, start=1):
        try:
            run_slip(tools, call, folder)
        except Exception:
            for left in calls[place:]:
                folder.append(ToolMessage("not run", left.id, left.name))
            raise


def safe_loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        safe_errands(tools, reply.tool_calls, folder)
    raise NoAnswer(f"no answer after {limit} calls")


# Answers, right and wrong. Ours, with some words changed.


def changed(*changes: str, of: Any = None, more: str = "") -> Any:
    """One of our functions with some of its words changed: old, new, old, new."""
    thing = of or safe_errands
    code = replaced(inspect.getsource(thing), *changes)
    names = {name: globals()[name] for name in SEEN}
    return written(f"{more}\n{code}", **names)[thing.__name__]


SEEN = (
    *("ModelMistake", "NoAnswer", "ToolArgsError", "ToolMessage"),
    *("run_slip", "safe_errands", "UnknownToolError"),
)


def lines(code: str, name: str = "safe_errands") -> Any:
    """A function that a learner wrote from nothing."""
    return function_of(code, name, **{one: globals()[one] for one in SEEN})


def with_errands(errands: Any) -> tuple[Any, Any, Any]:
    return NoAnswer, errands, safe_loop


def with_loop(*changes: str) -> tuple[Any, Any, Any]:
    return NoAnswer, safe_errands, changed(*changes, of=safe_loop)


def after_errands(caught: str, then: str) -> tuple[str, str]:
    """How our loop's errands are wrapped: old, new."""
    old = "        safe_errands(tools, reply.tool_calls, folder)"
    return old, f"        try:\n    {old}\n        {caught}:\n            {then}"


def on_a_stub(tools, calls, folder):
    for call in calls:
        swallows(tools, call, folder)


def half_done(tools, calls, folder):
    for call in calls:
        run_slip(tools, call, folder)


REMEMBERS = """
def safe_errands(tools, calls, folder):
    failure = None
    for call in calls:
        text = "not run"
        if failure is None:
            try:
                text = str(tools.run(call))
            except ModelMistake as mistake:
                text = f"Error: {mistake}"
            except Exception as error:
                failure, text = error, f"Error: {error}"
        folder.append(ToolMessage(text, call.id, call.name))
    if failure is not None:
        raise failure
"""
THE_REST = """
def safe_errands(tools, calls, folder):
    rest = iter(calls)
    try:
        for call in rest:
            run_slip(tools, call, folder)
    finally:
        for left in rest:
            folder.append(ToolMessage("skipped", left.id, left.name))
"""
AT_THE_END = """
def safe_errands(tools, calls, folder):
    answers = {call.id: "This errand was skipped." for call in calls}
    try:
        for call in calls:
            try:
                answers[call.id] = str(tools.run(call))
            except (ToolArgsError, UnknownToolError) as mistake:
                answers[call.id] = str(mistake)
            except Exception:
                answers[call.id] = "The tool is out of order, it failed."
                raise
    finally:
        for call in calls:
            folder.append(ToolMessage(answers[call.id], call.id, call.name))
"""
MISTAKES_TOO = (
    "            except ModelMistake as mistake:\n"
    '                text = f"Error: {mistake}"\n'
)
LEAVES = "    if failure is not None:\n        raise failure\n"
GIVES_UP = '    raise NoAnswer(f"no answer after {limit} calls")\n'
ANSWERED = '        folder.append(ToolMessage(f"Error: {error}", call.id, call.name))\n'
MENDS = '    except ModelMistake as error:\n        text = f"Error: {error}"\n'
FILES_STOPPED = 'folder.append(type(reply)("Stopped"))'
FAILED = 'ToolMessage(f"Error: {error}"'


def remembers(*changes: str) -> Any:
    """Errands that keep the failure for later, with some words changed."""
    return lines(replaced(REMEMBERS, *changes))


def at_limit(*changes: str) -> tuple[Any, Any]:
    return NoAnswer, changed(*changes, of=strict)


def one_slip(*changes: str) -> Any:
    return changed(*changes, of=run_slip)


def by_name(error):
    return "model" if "Tool" in type(error).__name__ else "caller"


def by_type_error(error):
    kinds = ModelMistake | TypeError
    return "model" if isinstance(error, kinds) else "caller"


def in_a_sentence(error):
    return "The model can." if isinstance(error, ModelMistake) else "The caller."


def by_two_kinds(error):
    if isinstance(error, (ToolArgsError, UnknownToolError)):
        return "model"
    return "caller"


def by_raising(error):
    try:
        raise error
    except ModelMistake:
        return "Model"
    except Exception:
        return "Caller"


def only_one_kind(error):
    return "model" if type(error) is ToolArgsError else "caller"


AT_THE_LIMIT = Exercise(
    check=raises_at_the_limit,
    stub=at_limit(GIVES_UP, "    ...\n"),
    solution=(NoAnswer, strict),
    mistakes={
        "At the limit it hands back 'Stopped', which passes for an answer.": at_limit(
            GIVES_UP, '    return "Stopped"\n'
        ),
        "At the limit it hands NoAnswer back, like an answer. Raise it.": at_limit(
            "raise NoAnswer", "return NoAnswer"
        ),
        "At the limit it raises RuntimeError, and NoAnswer was asked for.": at_limit(
            "raise NoAnswer", "raise RuntimeError"
        ),
        "It gives up after 1 of the 3 calls it may make.": at_limit(
            GIVES_UP, "    " + GIVES_UP
        ),
        "With limit=3, reply 3 is the answer, and it raises NoAnswer.": at_limit(
            "        if not reply.tool_calls:",
            "        if not reply.tool_calls and _ < limit - 1:",
        ),
        "NoAnswer is a class made from Exception: class NoAnswer(Exception).": (
            "NoAnswer",
            strict,
        ),
        BRACKETS: (NoAnswer, None),
        "At its end the folder says 'Stopped', and nobody said that: no model, no "
        "tool. File only what they gave.": at_limit(
            "    raise", f"    {FILES_STOPPED}\n    raise"
        ),
        "What stood in the folder before is gone. It only grows: append.": at_limit(
            "    raise", "    folder.clear()\n    raise"
        ),
        "The folder that was handed in is as it was: append to it, and make no folder "
        "of your own.": at_limit("    for _", "    folder = list(folder)\n    for _"),
        "With limit=2 it calls the model 5 times. Who counts?": at_limit(
            "range(limit)", "range(10)"
        ),
        "Without a limit= it gives up after 1 call, before the answer: def …(llm, "
        "tools, folder, limit=10).": at_limit("limit=10", "limit=1"),
        'get_weather(city="Paris") ran 2 times for one slip.': at_limit(
            "            folder.append(T",
            "            tools.run(call)\n            folder.append(T",
        ),
        "Exception is a class that Python has already, and it fits every failure. Make "
        "one of your own: class NoAnswer(Exception).": (Exception, strict),
        "strict is an async def, and nobody waits for it: a plain def.": at_limit(
            "def strict", "async def strict"
        ),
    },
    also_right={
        "a list of both": [NoAnswer, strict],
        "without words": at_limit(
            'NoAnswer(f"no answer after {limit} calls")', "NoAnswer"
        ),
        "an else of the for": at_limit(
            GIVES_UP, "    else:\n        raise NoAnswer(limit)\n"
        ),
    },
    hints=(
        "What can a function do other than hand something back?",
        "raise, then NoAnswer with a few words that say what happened.",
    ),
)
SORTED = Exercise(
    check=sorts_errors,
    stub=lambda error: None,
    solution=who_can_mend,
    mistakes={
        "A service that is down stays down, however the slip is written.": (
            lambda error: "model"
        ),
        "ToolArgsError is a ModelMistake: the model can mend its slip, once told.": (
            lambda error: "caller"
        ),
        "UnknownToolError is a ModelMistake: the model can mend its slip, once told.": (
            only_one_kind
        ),
        "TooManyCities is a ModelMistake: the model can mend its slip, once told.": (
            by_name
        ),
        "A TypeError that reaches you here comes from inside a tool: a bug.": (
            by_type_error
        ),
        "ToolboxLost is no ModelMistake. Its name or its words say nothing: look at "
        "its kind, with isinstance.": lambda error: (
            "model"
            if isinstance(error, ModelMistake) or "Tool" in type(error).__name__
            else "caller"
        ),
        'It says \'The model can.\'. Let it say "model" or "caller".': in_a_sentence,
        "A limit was set by the caller, who alone can set another.": lambda error: (
            "model" if isinstance(error, ModelMistake | StepLimitReached) else "caller"
        ),
    },
    also_right={
        "two kinds by name": by_two_kinds,
        "raised and caught": by_raising,
        "a lookup": lambda error: ["caller", "model"][isinstance(error, ModelMistake)],
    },
    hints=(
        "Both of the model's kinds of mistake have one parent.",
        "isinstance(error, ModelMistake) decides between the two words.",
    ),
)
ONE_SLIP = Exercise(
    check=answers_one_slip,
    stub=swallows,
    solution=run_slip,
    mistakes={
        "A bad slip ends the run with ToolArgsError. The model can mend it: answer the "
        "slip, and go on.": one_slip(MENDS, ""),
        "The tool raised KeyError, and its slip has no answer.": one_slip(
            "except Exception", "except TimeoutError"
        ),
        "The tool raised TimeoutError, and its slip has no answer.": one_slip(
            ANSWERED, ""
        ),
        "The tool raised KeyError, and the caller heard nothing of it.": one_slip(
            "        raise\n",
            "        if isinstance(error, TimeoutError):\n"
            "            raise\n"
            "        return\n",
        ),
        "The tool raised TimeoutError, and the caller gets RuntimeError: the tool "
        "failed. Hand on the tool's own error.": one_slip(
            "        raise\n", '        raise RuntimeError("the tool failed")\n'
        ),
        'get_weather(city="Tokyo") failed, and its answer says 20. No tool gave '
        "that.": one_slip(FAILED, 'ToolMessage("about 20"'),
        "get_weather(city=\"Tokyo\") failed, and its answer says 'Lovely.'. Say that "
        "it failed.": one_slip(FAILED, 'ToolMessage("Lovely."'),
        'get_weather(town="Paris") is the model\'s to mend, and its answer says '
        "'Error'. Say what is wrong with the slip: the error's own words do.": one_slip(
            '        text = f"Error: {error}"', '        text = "Error"'
        ),
        "Somebody stops the run while a tool runs (Ctrl-C raises KeyboardInterrupt), "
        "and UnboundLocalError comes out in its place. Let it pass as it is.": lines(
            """
def run_slip(tools, call, folder):
    try:
        text = str(tools.run(call))
    except ModelMistake as mistake:
        text = str(mistake)
    except Exception as error:
        text = repr(error)
        raise
    finally:
        folder.append(ToolMessage(text, call.id, call.name))
""",
            "run_slip",
        ),
        "2 answers for 1 slip: one each.": one_slip(
            "        text = f",
            "        folder.append(ToolMessage('no', call.id, call.name))\n"
            "        text = f",
        ),
        BRACKETS: None,
        "get_weather(city=\"Tokyo\") failed, and its answer says 'No clouds at all.'. "
        "Say that it failed.": one_slip(FAILED, 'ToolMessage("No clouds at all."'),
        "Your code was stopped: it waits for somebody to type, at input('Go on?').": (
            one_slip("    try:", '    input("Go on?")\n    try:')
        ),
    },
    also_right={
        "the tool is offline": one_slip(FAILED, 'ToolMessage("The tool is offline"'),
        "nothing came": one_slip(FAILED, 'ToolMessage("Nothing came back"'),
        "other words": one_slip(FAILED, 'ToolMessage("The tool does not work."'),
        "the error's words alone": one_slip(FAILED, "ToolMessage(str(error)"),
        "raise error": one_slip("        raise\n", "        raise error\n"),
        "a finally that appends": lines(
            """
def run_slip(tools, call, folder):
    text = "not run"
    try:
        text = str(tools.run(call))
    except ModelMistake as mistake:
        text = str(mistake)
    except Exception as error:
        text = repr(error)
        raise
    finally:
        folder.append(ToolMessage(text, call.id, call.name))
""",
            "run_slip",
        ),
    },
    hints=(
        "Two excepts: the first for what the model can mend, the second for the rest.",
        "In the second one, append the answer, and then write raise, alone.",
    ),
)
SAFE = Exercise(
    check=safe_agent,
    stub=with_errands(half_done),
    solution=(NoAnswer, safe_errands, safe_loop),
    mistakes={
        "safe_errands: No tool failed, and it raised TypeError: exceptions must derive "
        "from BaseException. Raise only where there is something to raise.": (
            with_errands(remembers(LEAVES, "    raise failure\n"))
        ),
        "safe_errands: No tool failed, and it raised UnboundLocalError: cannot access "
        "local variable 'failure' where it is not associated with a value. Raise only "
        "where there is something to raise.": with_errands(
            remembers("failure = None", "pass", "if failure is None", "if True")
        ),
        "safe_errands: The tool raised KeyError, and 1 of 3 slips have an answer when "
        "it leaves.": with_errands(
            remembers("except Exception", "except TimeoutError")
        ),
        "safe_errands: The tool raised Overheated, and 1 of 3 slips have an answer "
        "when it leaves.": with_errands(
            remembers(
                "except Exception",
                "except (OSError, LookupError, ValueError, TypeError)",
            )
        ),
        'safe_errands: get_weather(city="Rome") never ran, and its answer says 24. '
        "Nobody measured that.": with_errands(remembers('"not run"', '"24"')),
        "safe_errands: get_weather(city=\"Rome\") never ran, and its answer says ''. "
        "Say that it did not.": with_errands(remembers('"not run"', '""')),
        'safe_errands: get_weather(city="Tokyo") failed, and its answer says 20. No '
        "tool gave that.": with_errands(
            remembers('error, f"Error: {error}"', 'error, "about twenty"')
        ),
        "safe_errands: The tool raised TimeoutError, and the caller heard nothing of "
        "it.": with_errands(lines(AT_THE_END + "        return\n")),
        "This is still as it came, on a run_slip (exercise 3) that raises nothing, or "
        "it keeps what that raises. The tool raised TimeoutError, and the caller heard "
        "nothing of it.": with_errands(on_a_stub),
        "safe_errands: A bad slip ends the run with ToolArgsError. The model can mend "
        "it: answer the slip, and go on.": with_errands(remembers(MISTAKES_TOO, "")),
        "safe_errands: Errands after the failure are not run; these ran: Paris, Tokyo, "
        "Rome.": with_errands(remembers("if failure is None", "if True")),
        "safe_errands: Rome, Tokyo, Paris ran, in this order: keep the order of the "
        "slips.": with_errands(remembers("in calls", "in reversed(calls)")),
        "safe_errands: The answers are for call_3, call_2, call_1: keep the order of "
        "the slips.": with_errands(
            lines(
                AT_THE_END.replace(
                    "        for call in calls:\n            folder",
                    "        for call in calls[::-1]:\n            folder",
                )
            )
        ),
        "safe_errands: The tool raised TimeoutError, and the caller gets RuntimeError: "
        "an errand failed. Hand on the tool's own error.": with_errands(
            remembers(
                "raise failure", 'raise RuntimeError("an errand failed") from failure'
            )
        ),
        "safe_errands: Somebody stops the run while a tool runs (Ctrl-C raises "
        "KeyboardInterrupt), and it goes on. Catch Exception: it leaves that one "
        "alone.": with_errands(
            remembers(
                "except Exception",
                "except BaseException",
                "if failure is not None",
                "if isinstance(failure, Exception)",
            )
        ),
        "safe_loop: At the limit it hands back 'Stopped', which passes for an "
        "answer.": with_loop(GIVES_UP, '    return "Stopped"\n'),
        "safe_loop: With limit=2 it calls the model 3 times, and gives up.": with_loop(
            "range(limit)", "range(limit + 1)"
        ),
        'safe_loop: The model passed get_weather(town="Paris"), and the run ended. It '
        "can mend that: answer the slip, and go on.": (NoAnswer, safe_errands, strict),
        "safe_loop: The tool raised TimeoutError, and the caller of the loop gets "
        "'Paris: Error: the weather service is down, Tokyo: not run'.": with_loop(
            "        safe_errands(tools, reply.tool_calls, folder)",
            "        try:\n"
            "            safe_errands(tools, reply.tool_calls, folder)\n"
            "        except Exception:\n"
            "            pass",
        ),
        "safe_errands: The tool raised TimeoutError, and 2 of 3 slips have an answer "
        "when it leaves.": with_errands(
            changed("calls[place:]", "calls[place : place + 1]")
        ),
        "safe_errands: 2 answers have the number 'call_2', and 'call_3' has none: each "
        "slip's answer has its own.": with_errands(
            changed("left.id, left.name", "call.id, call.name")
        ),
        "safe_loop: After TimeoutError: At its end the folder says 'Stopped', and "
        "nobody said that: no model, no tool. File only what they gave.": with_loop(
            *after_errands("except Exception", f"{FILES_STOPPED}; raise")
        ),
        "safe_loop: After TimeoutError: After 1 call of the model, 0 of its replies "
        "lie in the folder. It only grows: append.": with_loop(
            *after_errands("except Exception", "del folder[-3:]; raise")
        ),
        "safe_loop: Somebody stops the run while a tool runs (Ctrl-C raises "
        "KeyboardInterrupt), and the loop's caller gets 'Stopped'. Let it pass as it "
        "is.": with_loop(
            *after_errands("except KeyboardInterrupt", 'return "Stopped"')
        ),
        "safe_loop: The model's server is down (ConnectionError), and the loop's "
        "caller gets 'Stopped', which passes for an answer.": with_loop(
            "        reply = llm.generate(folder, tools.menu()).message\n",
            "        try:\n"
            "            reply = llm.generate(folder, tools.menu()).message\n"
            "        except ConnectionError:\n"
            '            return "Stopped"\n',
        ),
    },
    also_right={
        "an iterator for the rest": with_errands(lines(THE_REST)),
        "left undone": with_errands(remembers('"not run"', '"Left undone."')),
        "the failure kept for later": with_errands(remembers()),
        "all answers at the end": with_errands(lines(AT_THE_END)),
        "other words for not run": with_errands(
            remembers('"not run"', '"Nobody has tried this one."')
        ),
        "other words for a failure": with_errands(
            remembers('error, f"Error: {error}"', 'error, "The service is broken"')
        ),
        "which errand failed, by its number": with_errands(
            remembers('"not run"', '"not run, since slip 2 failed"')
        ),
        "the errands inside the loop": (
            NoAnswer,
            safe_errands,
            lines(
                """
def safe_loop(llm, tools, folder, limit=10):
    calls = 0
    while calls < limit:
        reply = llm.generate(folder, tools.menu()).message
        calls += 1
        folder.append(reply)
        if reply.tool_calls == ():
            return reply.content
        for at, call in enumerate(reply.tool_calls):
            try:
                run_slip(tools, call, folder)
            except Exception as error:
                for rest in reply.tool_calls[at + 1 :]:
                    folder.append(ToolMessage(f"not run: {error}", rest.id, rest.name))
                raise error
    raise NoAnswer
""",
                "safe_loop",
            ),
        ),
    },
    keeps=("NoAnswer", "safe_errands", "safe_loop"),
    hints=(
        "When run_slip raises, which slips have no answer yet? enumerate counts them.",
        "except Exception: answer calls[place:] with 'not run', then raise, alone.",
    ),
)

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
            "an answer text": "The model knew, and smoothed it over. Whoever waits "
            "gets a sentence like any other, and takes it for the truth.",
            "the tool's error": "The error was caught and written onto the slip. It "
            "went to the model, and no further.",
            "no answer at all": "The model could have said that it does not know. It "
            "said something else, and that is what came back.",
        },
        "open": {
            "3": "18 for Paris, the error for Tokyo, and 'not run: stopped' for Rome. "
            "Then the error is raised.",
            "2": "The slip that never ran needs an answer as well, and got 'not run: "
            "stopped'.",
            "1": "Then the next question could not be asked. The failed slip and the "
            "one behind it were answered first.",
            "0": "Paris was answered before anything failed, and the two others before "
            "the error was raised.",
        },
    },
    exercises=(AT_THE_LIMIT, SORTED, ONE_SLIP, SAFE),
)
