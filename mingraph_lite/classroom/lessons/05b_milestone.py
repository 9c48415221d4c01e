"""What the second milestone asks: an agent, and a caller of it."""

# mypy: allow-untyped-defs, allow-untyped-calls

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Exercise,
    Lesson,
    Spy,
    function_of,
    replaced,
)
from mingraph_lite.classroom.checks.left_behind import wrong_left
from mingraph_lite.classroom.checks.safe_loop_checks import no_exception
from mingraph_lite.classroom.plain import no_function
from mingraph_lite.errors import ModelMistake
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.llm import ScriptedLLM
from mingraph_lite.messages import (
    ToolCall,
    UserMessage,
    open_slips,
    problems,
)

WRITTEN: Any = import_module("mingraph_lite.classroom.lessons.05_errors")
NoAnswer, safe_loop = WRITTEN.NoAnswer, WRITTEN.safe_loop

DAVOS = "When is the next train to Davos?"
THREE = "When is the next train to Basel, to Bern and to Chur?"
DOWN = ConnectionError("the timetable cannot be reached")
TORN = ValueError("the timetable cannot be read")


class Strike(Exception):
    """An error of the timetable's own, which nobody knows by name."""


STRUCK = Strike("the timetable is on strike")
TRAINS = {"Basel": "9:12", "Chur": "10:05", "Davos": "11:40"}


def get_train(city: str) -> str:
    """When the next train to a city leaves."""
    if city == "Bern":
        raise DOWN
    if city == "Lugano":
        raise TORN
    if city == "Olten":
        raise STRUCK
    return TRAINS[city]


# 2: the whole agent, in four situations


def on_a_bad_day(answer: object) -> str | None:
    if answer is None:
        return f"{STILL_THE_STUB}: hand in what you imported from my_agent."
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        return "Hand in all three: check(2, (NoAnswer, safe_errands, safe_loop))."
    kind, errands, loop = answer
    if wrong := no_exception(kind) or no_function(errands) or no_function(loop):
        return wrong
    for name, situation in SITUATIONS.items():
        if wrong := next(situation(kind, loop), None):
            return f"With {name}: {wrong}"
    return WRITTEN.safe_agent(answer)  # type: ignore[no-any-return]


def second_city(_: Any, loop: Any) -> Iterator[str]:
    spy, folder = Spy(), [UserMessage(THREE)]
    try:
        got = loop(ReadingLLM(), spy.tools(get_train), folder)
    except ConnectionError as error:
        if error is not DOWN:
            yield f"its caller gets another {type(error).__name__} than the tool's."
    except (NameError, TypeError, AttributeError):
        raise  # a slip of the pen, which is shown with its line
    except Exception as error:
        name = type(error).__name__
        yield f"the tool raised ConnectionError, and its caller gets {name}: {error}"
    else:
        yield f"the tool raised ConnectionError, and its caller gets {got!r}."
    if len(spy.ran) > 2:
        yield f"{spy.ran[2]} ran, after the errand before it had failed."
    if left := open_slips(folder):
        yield f"the slip {left[0]} has no answer when the error leaves."
    if found := problems(folder):
        yield found[0]
    folder.append(UserMessage("And when to Davos, the next train?"))
    got = loop(ReadingLLM(), spy.tools(get_train), folder)
    if got != "Davos: 11:40":
        yield f"the next question is about Davos, and the answer to it is {got!r}."


def one_mistake(bad: ToolCall) -> Callable[[Any, Any], Iterator[str]]:
    def situation(_: Any, loop: Any) -> Iterator[str]:
        good = ToolCall("get_train", {"city": "Chur"}, "call_2")
        spy, folder = Spy(), [UserMessage("When is the next train to Chur?")]
        llm = ScriptedLLM([bad, good, "At 10:05."])
        try:
            got = loop(llm, spy.tools(get_train), folder)
        except ModelMistake as error:
            yield f"the run ends with {type(error).__name__}, which the model can mend."
        else:
            if got != "At 10:05.":
                yield f"it ends with {got!r}, and the model said 'At 10:05.'."
        if found := problems(folder):
            yield found[0]

    return situation


def no_end(kind: Any, loop: Any) -> Iterator[str]:
    slips = [ToolCall("get_train", {"city": "Chur"}, f"call_{n}") for n in range(1, 99)]
    spy, folder = Spy(), [UserMessage("When is the next train to Chur?")]
    try:
        got = loop(spy.model(ScriptedLLM(slips)), spy.tools(get_train), folder, limit=4)
    except kind:
        if len(spy.heard) != 4:
            yield f"limit=4 gives it {len(spy.heard)} calls."
    else:
        yield f"there is no answer, and its caller gets {got!r}."
    if found := problems(folder):
        yield found[0]


SITUATIONS = {
    "a tool that fails at its second city": second_city,
    "a bad argument": one_mistake(ToolCall("get_train", {"to": "Chur"}, "call_1")),
    "an unknown tool": one_mistake(ToolCall("get_bus", {"city": "Chur"}, "call_1")),
    "a model that never stops": no_end,
}

# 1: a caller


def honest_board(answer: Any) -> str | None:
    brackets = "Hand in the function itself: board, without brackets behind it."
    if wrong := no_function(answer, brackets):
        return wrong
    return next(_board_faults(answer), None)


def _board_faults(board: Any) -> Iterator[str]:
    folder = [UserMessage("When is the next train to Basel and to Chur?")]
    spy = Spy()
    good = board(spy.model(ReadingLLM()), spy.tools(get_train), folder)
    if good is None:
        yield f"{STILL_THE_STUB}, or a return is missing: it hands back nothing."
    if not isinstance(good, str) or "Basel: 9:12, Chur: 10:05" not in good:
        yield f"On a good day the board shows {good!r}; the answer should be on it."
    if not good.startswith("Next trains"):
        yield f'On a good day it begins with "Next trains", and yours is {good!r}.'
    if (calls := len(spy.heard)) > 2:
        yield f"The model was called {calls} times, and 2 were enough: run it once."
    other = board(ReadingLLM(), Spy().tools(get_train), [UserMessage(DAVOS)])
    if "Davos: 11:40" not in str(other):
        yield f"Asked about Davos alone, the board shows {other!r}."
    slips = [ToolCall("get_train", {"city": "Chur"}, f"call_{n}") for n in range(1, 99)]
    for what, llm, asked in (
        ("the timetable cannot be reached", ReadingLLM(), THREE),
        ("there is no answer", ScriptedLLM(slips), "When to Chur?"),
        ("the timetable cannot be read", ReadingLLM(), "When to Lugano?"),
        ("the timetable is on strike", ReadingLLM(), "When to Olten?"),
    ):
        folder = [UserMessage(asked)]
        try:
            shown = board(llm, Spy().tools(get_train), folder)
        except Exception as error:
            known = error in (DOWN, TORN, STRUCK) or type(error).__name__ == "NoAnswer"
            if not known:
                raise
            yield f"When {what}, the board breaks with {type(error).__name__}."
            return
        if not isinstance(shown, str) or shown.startswith("Next trains"):
            yield f"When {what}, the board shows {shown!r}."
        if not shown.startswith("No information"):
            yield f'When {what}, it begins with "No information"; yours is {shown!r}.'
        if "timetable" in what and what not in shown:
            yield f"When {what}, the board shows {shown!r}: let it say why."
        if not shown.removeprefix("No information").strip(" :.,-"):
            yield f"When {what}, the board shows {shown!r}: let it say why."
        if left := open_slips(folder):
            yield f"When {what}, the slip {left[0]} stays open."
        if wrong := wrong_left([UserMessage(asked)], folder, 0):
            yield f"When {what}: {wrong}"
    stopped = KeyboardInterrupt()

    def get_train_slowly(city: str) -> str:
        """When the next train leaves."""
        raise stopped

    try:
        board(ReadingLLM(), Spy().tools(get_train_slowly), [UserMessage(THREE)])
    except KeyboardInterrupt:
        return
    yield "Ctrl-C (KeyboardInterrupt) ends no board of yours: catch Exception."


def board(llm, tools, folder):
    try:
        return f"Next trains: {safe_loop(llm, tools, folder)}"
    except Exception as error:
        return f"No information: {error}"


def stub_board(llm, tools, folder):
    pass


def made(*changes: str) -> Any:
    """Our board with some of its words changed: old, new, old, new."""
    code = replaced(inspect.getsource(board), *changes)
    return function_of(code, "board", NoAnswer=NoAnswer, safe_loop=safe_loop)


REPAIRED = (NoAnswer, WRITTEN.safe_errands, safe_loop)


def loop_on(errands: Any) -> tuple[Any, Any, Any]:
    """Our loop, on errands that somebody else wrote."""
    code = inspect.getsource(safe_loop)
    loop = function_of(code, "safe_loop", NoAnswer=NoAnswer, safe_errands=errands)
    return NoAnswer, errands, loop


AGENT = Exercise(
    check=on_a_bad_day,
    stub=None,
    solution=REPAIRED,
    mistakes={
        'With a tool that fails at its second city: the slip get_train(city="Chur") '
        "has no answer when the error leaves.": loop_on(WRITTEN.half_done),
        "With a tool that fails at its second city: the tool raised ConnectionError, "
        "and its caller gets 'Basel: 9:12, Bern: Error: the timetable cannot be "
        "reached, Chur: not run'.": loop_on(WRITTEN.remembers(WRITTEN.LEAVES, "")),
        'With a tool that fails at its second city: get_train(city="Chur") ran, after '
        "the errand before it had failed.": loop_on(
            WRITTEN.remembers("if failure is None", "if True")
        ),
        "With a tool that fails at its second city: its caller gets another "
        "ConnectionError than the tool's.": loop_on(
            WRITTEN.remembers("raise failure", 'raise ConnectionError("no trains")')
        ),
        "With a tool that fails at its second city: the tool raised ConnectionError, "
        "and its caller gets NoAnswer: a tool failed": loop_on(
            WRITTEN.remembers("raise failure", 'raise NoAnswer("a tool failed")')
        ),
        "With a bad argument: the run ends with ToolArgsError, which the model can "
        "mend.": loop_on(WRITTEN.remembers(WRITTEN.MISTAKES_TOO, "")),
        "With an unknown tool: the run ends with UnknownToolError, which the model can "
        "mend.": loop_on(
            WRITTEN.remembers("except ModelMistake", "except ToolArgsError")
        ),
        "With a model that never stops: there is no answer, and its caller gets "
        "'Stopped'.": WRITTEN.with_loop(WRITTEN.GIVES_UP, '    return "Stopped"\n'),
        "With a model that never stops: limit=4 gives it 5 calls.": WRITTEN.with_loop(
            "range(limit)", "range(limit + 1)"
        ),
        "safe_errands: The tool raised KeyError, and 1 of 3 slips have an answer when "
        "it leaves.": loop_on(WRITTEN.remembers("except Exception", "except OSError")),
    },
    also_right={
        "the failure kept for later": loop_on(WRITTEN.remembers()),
        "all answers at the end": loop_on(WRITTEN.lines(WRITTEN.AT_THE_END)),
    },
    hints=(
        "Mend it in lesson 05: its check 4 and keep put it into my_agent.py.",
        "To go on with ours: take_ours() in lesson 05, then restart this kernel.",
    ),
)
BREAKS = "When the timetable cannot be reached, the board breaks with ConnectionError."
BOARD = Exercise(
    check=honest_board,
    stub=stub_board,
    solution=board,
    mistakes={
        BREAKS: made("except Exception", "except NoAnswer"),
        "When there is no answer, the board breaks with NoAnswer.": made(
            "except Exception", "except OSError"
        ),
        "When the timetable cannot be read, the board breaks with ValueError.": made(
            "except Exception", "except (NoAnswer, ConnectionError)"
        ),
        "The model was called 3 times, and 2 were enough: run it once.": made(
            "    try:\n", "    try:\n        safe_loop(llm, tools, folder)\n"
        ),
        "When the timetable cannot be reached, the board shows 'No information': let "
        "it say why.": made('f"No information: {error}"', '"No information"'),
        "When the timetable cannot be reached, the board shows 'Next trains: soon'.": (
            made('f"No information: {error}"', '"Next trains: soon"')
        ),
        "Ctrl-C (KeyboardInterrupt) ends no board of yours: catch Exception.": made(
            "except Exception", "except BaseException"
        ),
        "When the timetable is on strike, the board breaks with Strike.": made(
            "except Exception", "except (NoAnswer, OSError, ValueError)"
        ),
        "Asked about Davos alone, the board shows 'Next trains: Basel: 9:12, Chur: "
        "10:05'.": made(
            '        return f"Next trains: {safe_loop(llm, tools, folder)}"',
            "        safe_loop(llm, tools, folder)\n"
            '        return "Next trains: Basel: 9:12, Chur: 10:05"',
        ),
        "When the timetable cannot be reached: What stood in the folder before is "
        "gone. It only grows: append.": made(
            '        return f"No', '        folder.clear()\n        return f"No'
        ),
        "When there is no answer, the board shows 'No information: ': let it say "
        "why.": made(
            "    except Exception",
            "    except NoAnswer:\n"
            '        return "No information: "\n'
            "    except Exception",
        ),
        "board is an async def, and nobody waits for it: a plain def.": made(
            "def board", "async def board"
        ),
        'On a good day it begins with "Next trains", and yours is \'Basel: 9:12, '
        "Chur: 10:05'.": made("Next trains: ", ""),
    },
    also_right={
        "two kinds, one after the other": made(
            "    except Exception as error:\n",
            "    except NoAnswer:\n"
            '        return "No information, the model did not come to an end."\n'
            "    except Exception as error:\n",
        ),
    },
    hints=(
        "try: return what safe_loop gives. What may come instead of it?",
        "except Exception as error: return 'No information' and the error's words.",
    ),
)

LESSON = Lesson(
    "05b_milestone",
    sentences={
        "aloud": {
            "4": "The newest question, its slip, the answer to it, the text: one whole "
            "turn.",
            "1": "A turn begins with a question and holds what came of it: the slip, "
            "its answer, the text.",
            "5": "Five is the failed turn. The newest is read out, which has four.",
            "9": "That is the whole folder. It stays whole; read out is its last turn.",
        },
    },
    exercises=(BOARD, AGENT),
)
