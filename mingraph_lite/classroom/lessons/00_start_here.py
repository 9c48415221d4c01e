"""What lesson 00 asks: sentences for its predictions, and its exercises."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mingraph_lite.agent import Agent
from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Arrangement,
    Exercise,
    Lesson,
    Spy,
    function_of,
    numbers_in,
)
from mingraph_lite.errors import MingraphError, ScriptExhausted
from mingraph_lite.lab import ReadingLLM
from mingraph_lite.lab.scenarios import get_weather, paris_and_tokyo, to_fahrenheit
from mingraph_lite.llm import LLMResponse, ScriptedLLM
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    no_message,
)
from mingraph_lite.tools import ToolRegistry

READINGS = {"Paris": "18", "Tokyo": "24"}
QUESTION = paris_and_tokyo.question

# 1: another city


def another_city(answer: object) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return "Hand in both: check(1, (my_readings, my_question))."
    readings, question = answer
    if not isinstance(readings, Mapping) or not isinstance(question, str):
        return "my_readings stays a dict of readings, and my_question a text."
    if (readings, question) == (READINGS, QUESTION):
        return f"{STILL_THE_STUB}: the same two cities, and nobody asks for a third."
    new = [city for city in readings if city not in READINGS]
    if not new:
        return "my_readings knows no third city: the tool could only say so."
    for city in new:
        if not isinstance(city, str) or city != city.strip():
            return f"A city is a text, with no space around it; yours is {city!r}."
        if not isinstance(readings[city], str | int | float) or readings[city] == "":
            return f"my_readings has no temperature for {city}: {readings[city]!r}."
    if not question.strip():
        return "my_question is empty: ask for the third city in it."
    spy = Spy()

    def weather(city: str) -> str:
        """The temperature in a city, in degrees Celsius."""
        return str(readings.get(city, f"no reading for {city}"))

    Agent(ReadingLLM(), [spy.tool(weather), to_fahrenheit], "").run(question)
    asked = " ".join(spy.ran)
    missed = [city for city in new if f'city="{city}"' not in asked]
    if len(missed) < len(new):
        return None
    if missed[0].lower() == missed[0]:
        return f"The model looks up names with a capital letter: {missed[0].title()}."
    if re.search(rf"\b{re.escape(missed[0])}\b", question, re.IGNORECASE):
        if len(missed[0].split()) > 1:
            return f'Names of several words stand in double quotes: "{missed[0]}".'
        return (
            f"The model looks up {missed[0]} with a capital letter and not as the "
            f'first word of a sentence, or in double quotes: "{missed[0]}".'
        )
    return f"my_question does not ask for {missed[0]}."


# 2: an answer slip

PARIS = ToolCall("get_weather", {"city": "Paris"}, id="call_7")
TOKYO = ToolCall("get_weather", {"city": "Tokyo"}, id="call_8")


def one_answer_slip(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: answer_slip, without brackets behind it."
    spy = Spy()
    for call in (PARIS, TOKYO):
        before = len(spy.ran)
        try:
            with spy.listening(answer, "get_weather", "tools"):
                got = answer(call)
        except (TypeError, AttributeError, MingraphError):
            if spy.ran and 'city={"city"' in spy.ran[-1]:
                return (
                    "get_weather got the whole dict for a city. Two stars take it "
                    "apart: get_weather(**call.arguments)."
                )
            raise
        ran, gave = spy.ran[before:], spy.gave[before:]
        if wrong := wrong_errand(call, got, ran):
            return wrong
        if not gave:
            return f"Your get_weather raises an error for {call.arguments['city']}."
        if wrong := wrong_slip(call, got, gave[0]):
            return wrong
    return None


def wrong_errand(call: ToolCall, got: object, ran: list[str]) -> str | None:
    if got is None and not ran:
        return f"{STILL_THE_STUB}: no tool runs, and nothing comes back."
    if got is None:
        return "The tool ran, and nothing comes back: a return is missing."
    if not ran:
        return "get_weather has not run, so nobody knows whether this is true."
    if len(ran) > 1:
        return f"get_weather ran {len(ran)} times for one slip. Once is enough."
    if ran[0] != str(call):
        return f"The slip asks for {call}, and {ran[0]} ran."
    return None


def wrong_slip(call: ToolCall, got: object, gave: object) -> str | None:
    if not isinstance(got, ToolMessage):
        kind = type(got).__name__
        return f"What comes back is a {kind}. An answer slip is a ToolMessage."
    if got.tool_call_id != call.id:
        return (
            f"The slip has the number {call.id}, and its answer {got.tool_call_id!r}: "
            "the model could not tell what it is for."
        )
    if got.content not in (gave, str(gave)):
        city = call.arguments["city"]
        return f"For {city} the slip says {got.content!r}; the tool gave {gave!r}."
    if got.name != call.name:
        return f"On the answer slip stands {got.name!r}; the tool is {call.name}."
    return None


def answer_slip(call: Any) -> Any:
    text = get_weather(**call.arguments)
    return ToolMessage(text, call.id, call.name)


def in_one_line(call: Any) -> Any:
    return ToolMessage(get_weather(call.arguments["city"]), call.id, call.name)


def through_the_menu(call: Any) -> Any:
    tools = ToolRegistry([get_weather])
    return ToolMessage(tools.run(call), tool_call_id=call.id, name=call.name)


def look_up(city: str) -> str:
    return get_weather(city)


def through_a_helper(call: Any) -> Any:
    return ToolMessage(look_up(call.arguments["city"]), call.id, call.name)


class ByAnObject:
    def __call__(self, call: Any) -> Any:
        return through_a_helper(call)


BY_NAME = {"get_weather": get_weather}


def out_of_a_dict(call: Any) -> Any:
    text = BY_NAME[call.name](**call.arguments)
    return ToolMessage(text, call.id, call.name)


def never_runs(call: Any) -> Any:
    return ToolMessage("18", call.id, call.name)


def runs_twice(call: Any) -> Any:
    get_weather(**call.arguments)
    return ToolMessage(get_weather(**call.arguments), call.id, call.name)


def always_paris(call: Any) -> Any:
    return ToolMessage(get_weather("Paris"), call.id, call.name)


def not_taken_apart(call: Any) -> Any:
    return ToolMessage(get_weather(call.arguments), call.id, call.name)


def forgets_the_return(call: Any) -> Any:
    ToolMessage(get_weather(**call.arguments), call.id, call.name)


def bare_text(call: Any) -> Any:
    return get_weather(**call.arguments)


def name_for_number(call: Any) -> Any:
    return ToolMessage(get_weather(**call.arguments), call.name, call.name)


def id_for_name(call: Any) -> Any:
    return ToolMessage(get_weather(**call.arguments), call.id, call.id)


def rounds_up(call: Any) -> Any:
    return ToolMessage(get_weather(**call.arguments) + "°F", call.id, call.name)


def warm_paris() -> Callable[[Any], Any]:
    """An answer from a notebook whose get_weather says 25."""
    source = inspect.getsource(answer_slip)

    def get_weather(city: str) -> str:
        """The temperature in a city."""
        return "25"

    names = {"get_weather": get_weather, "ToolMessage": ToolMessage, "Any": Any}
    return function_of(source, "answer_slip", **names)


# 3: numbers swapped


def swapped_numbers(answer: object) -> str | None:
    kinds = {type(one) for one in answer} if isinstance(answer, list | tuple) else set()
    if kinds != {ToolMessage} or len(answer) != 2:  # type: ignore[arg-type]
        return "swapped stays a list of two ToolMessages."
    told = {str(one.tool_call_id): one.content for one in answer}  # type: ignore[attr-defined]
    if told == {"call_1": "18", "call_2": "24"}:
        return f"{STILL_THE_STUB}: each answer has the number of its own slip."
    if set(told) != {"call_1", "call_2"}:
        return "Each of the numbers call_1 and call_2 stands on one of the two slips."
    if told != {"call_1": "24", "call_2": "18"}:
        return "Only the numbers change places; the texts stay 18 and 24."
    if {one.name for one in answer} != {"get_weather"}:  # type: ignore[attr-defined]
        return "Only the numbers change places; both are answers of get_weather."
    return None


def slips(first: str, second: str, *texts: str) -> list[ToolMessage]:
    said = texts or ("18", "24")
    return [
        ToolMessage(said[0], first, "get_weather"),
        ToolMessage(said[1], second, "get_weather"),
    ]


# 4: one round, in order

ROUND = Arrangement(
    header="def one_round(llm, tools, folder):",
    lines=(
        "reply = llm.generate(folder, tools.menu()).message",
        "folder.append(«reply»)",
        "for call in reply.tool_calls:",
        "    text = tools.run(call)",
        "    folder.append(ToolMessage(str(text), «call.id», call.name))",
    ),
    extra="folder.clear()",
)


def one_round(code: str) -> str | None:
    answer = function_of(code, "one_round", ToolMessage=ToolMessage)
    for question in (QUESTION, "What is 2 + 2?"):
        spy, folder = Spy(), [UserMessage(question)]
        tools = spy.tools(get_weather, to_fahrenheit)
        answer(spy.model(ReadingLLM()), tools, folder)
        reply = ReadingLLM().generate([UserMessage(question)], tools.menu()).message
        if wrong := wrong_round(spy, folder, reply):
            return wrong
    return None


def wrong_round(spy: Spy, folder: list[Any], reply: AssistantMessage) -> str | None:
    if len(spy.heard) != 1:
        return (
            f"One round is one call to the model; here it was called {len(spy.heard)}."
        )
    if not spy.heard[0]:
        return "The folder was empty when the model was called."
    if not folder or not isinstance(folder[0], UserMessage):
        return "The question is not in the folder any more: folder.clear() is too many."
    if folder[1:2] != [reply]:
        return "Behind the question comes the reply, before anything answers it."
    expected = [str(call) for call in reply.tool_calls]
    if spy.ran != expected:
        return f"{len(spy.ran)} errands ran for {len(expected)} slips: all, once each."
    if folder.count(reply) > 1:
        return "The reply is filed for each slip. Once is enough, before the loop."
    told = [getattr(one, "tool_call_id", None) for one in folder[2:]]
    if told != [call.id for call in reply.tool_calls]:
        return "Each slip needs one answer, under its own number (its id)."
    texts = [one.content for one in folder[2:]]
    return None if texts == spy.gave else "An answer slip says what the tool gave."


def lines(*each: str) -> str:
    return "\n    ".join([ROUND.header, *each])


ASK, FILE_REPLY, EACH, RUN, FILE_ANSWER = ROUND.solution.split("\n    ")[1:]
CLEAR = "folder.clear()"

# 5: two scripts

ASKED = "How warm is it in Paris?"
DENIED = re.compile(
    r"(?:\bno|\bnot|\bnever|n't|\bno longer|\banything but|\bhardly)\s+"
    r"((?:\w+\s+)?\S+)",
    re.IGNORECASE,
)
ONE_IS_ENOUGH = "asks: one errand is enough, for Paris. Run:"


def two_scripts(answer: object) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 3:
        return "Hand in all three: check(5, (asks, makes_up, get_weather))."
    asks, makes_up, weather = answer
    if not inspect.isfunction(inspect.unwrap(weather)):
        return "The third is get_weather itself, without brackets behind it."
    if asks == [] and makes_up == []:
        return f"{STILL_THE_STUB}: both scripts have no replies."
    for name, script in (("asks", asks), ("makes_up", makes_up)):
        if wrong := no_script(name, script, weather):
            return wrong
    truth = numbers_in(str(weather("Paris")))
    spy = Spy()
    said = told_by(asks, spy.tool(weather))
    if said is None:
        return "asks: after its slip the model is called again, and has no reply left."
    passed = [reply for reply in asks if isinstance(reply, ToolCall)]
    if not spy.ran and passed:
        return f"asks: {passed[0]} cannot be run. get_weather takes a city, in a dict."
    if not spy.ran:
        return "asks: no errand was run. Its first reply should be a slip."
    if spy.ran != ['get_weather(city="Paris")']:
        return f"{ONE_IS_ENOUGH} {', '.join(spy.ran)}."
    if wrong := no_answer("asks", said, truth):
        return wrong
    lie = Spy()
    said = told_by(makes_up, lie.tool(weather))
    if said is None:
        return "makes_up: it needs one reply, a text."
    if lie.ran:
        return "makes_up: an errand was run. This one answers without asking anybody."
    return no_answer("makes_up", said, truth)


def no_script(name: str, script: object, weather: Any) -> str | None:
    tool = weather.__name__
    if not isinstance(script, list | tuple):
        return f"{name} is a list of replies: [first reply, second reply]."
    if not script:
        return f"{name} has no replies yet."
    if any(isinstance(r, list | tuple) and not only_slips(r) for r in script):
        return f"{name}: a list in the script holds slips, and nothing else."
    replies = [
        one
        for reply in script
        for one in (reply if isinstance(reply, list | tuple) and reply else [reply])
    ]
    for reply in replies:
        if isinstance(reply, str) and not reply.strip():
            return f"{name}: {reply!r} is an empty text, and no answer."
        if isinstance(reply, int | float):
            return (
                f"{name}: {reply} is a number. A reply is a slip, or a text in quotes."
            )
        if not isinstance(reply, str | ToolCall | LLMResponse) and not (
            inspect.isfunction(reply)
        ):
            kind = type(reply).__name__
            return (
                f"{name}: a {kind} is no reply here. A reply is a slip, "
                'ToolCall("get_weather", …), or a text in quotes.'
            )
        if isinstance(reply, ToolCall) and not isinstance(reply.name, str):
            return (
                f"{name}: on a slip stands the tool's name, in quotes: "
                'ToolCall("get_weather", …).'
            )
        if isinstance(reply, ToolCall) and reply.name != tool:
            return f"{name}: no tool is called {reply.name!r}. Ours is {tool!r}."
        if inspect.isfunction(reply) and len(inspect.signature(reply).parameters) != 2:
            return (
                f"{name}: {reply.__name__} is a function. A model cannot hand one "
                'over; it writes a slip: ToolCall("get_weather", {"city": "Paris"}).'
            )
    if name == "asks" and isinstance(script[0], str) and tool in script[0]:
        return (
            f"{name}: {script[0]!r} is a text, so nothing is run. A slip is a "
            'ToolCall("get_weather", {"city": "Paris"}), without quotes around it.'
        )
    return None


def only_slips(reply: Sequence[object]) -> bool:
    return bool(reply) and all(isinstance(one, ToolCall) for one in reply)


def told_by(script: Any, weather: Any) -> str | None:
    """What this script answers in the end; None where it runs out of replies."""
    agent = Agent(ScriptedLLM(script), [weather], "")
    try:
        return str(agent.run(ASKED)["answer"])
    except ScriptExhausted:
        return None


def no_answer(name: str, said: str, truth: list[float]) -> str | None:
    if not truth and numbers_in(said):
        return f"{name}: the tool names no number, and the answer is {said!r}."
    number = f"{truth[0]:g}" if truth else "its text"
    if truth and truth[0] not in numbers_in(said):
        return f"{name}: the tool says {number}, and the answer is {said!r}."
    for denied in DENIED.findall(said):
        if truth and truth[0] in numbers_in(denied):
            return f"{name}: the answer says that it is not {number}."
    return None


ASK_PARIS = ToolCall("get_weather", {"city": "Paris"})
ASK_TOKYO = ToolCall("get_weather", {"city": "Tokyo"})
WARM = "It is 18°C in Paris."


def scripts(*asks: Any, makes_up: Any = (WARM,)) -> tuple[Any, ...]:
    return list(asks), list(makes_up), get_weather


def hotter(city: str) -> str:
    """The temperature in a city."""
    return "25"


hotter.__name__ = "get_weather"

# 6, in More: one rule more


def one_rule_more(answer: object) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return "Hand in both: check(6, (MyLLM, my_question))."
    kind, question = answer
    if not inspect.isclass(kind) or not hasattr(kind, "generate"):
        return "MyLLM is a class with a generate."
    menu = ToolRegistry([get_weather, to_fahrenheit]).menu()
    if not isinstance(question, str):
        return "my_question is a text, in quotes."
    made: Any = kind
    usual = [UserMessage(QUESTION)]
    for messages in (usual, [UserMessage(question)]):
        reply = made().generate(messages, menu)
        if not isinstance(reply, LLMResponse):
            return "generate hands back an LLMResponse, as ReadingLLM's does."
        if no_message(reply.message) or not isinstance(reply.message, AssistantMessage):
            return "In an LLMResponse is a message: AssistantMessage(…), with a text."
        same = reply == ReadingLLM().generate(messages, menu)
        if messages is usual and not same:
            return "The question about Paris and Tokyo gets another reply than before."
        if messages is not usual and same:
            return f"{STILL_THE_STUB}: to my_question it says what ReadingLLM says."
    return None


class NoRuleMore(ReadingLLM):
    pass


class Greets(ReadingLLM):
    def generate(self, messages: Any, menu: Any = ()) -> LLMResponse:
        if messages and messages[-1] == UserMessage("Hello"):
            return LLMResponse(AssistantMessage("Hello! Name me a city."))
        return super().generate(messages, menu)


class LooksAtTheLast(ReadingLLM):
    def generate(self, messages: Any, menu: Any = ()) -> LLMResponse:
        if messages[-1].content == "Hello":
            return LLMResponse(AssistantMessage("Hello! Name me a city."))
        return super().generate(messages, menu)


class OnlyGreets(ReadingLLM):
    def generate(self, messages: Any, menu: Any = ()) -> LLMResponse:
        return LLMResponse(AssistantMessage("Hello!"))


class NoMessageInIt(ReadingLLM):
    def generate(self, messages: Any, menu: Any = ()) -> Any:
        if messages and messages[-1] == UserMessage("Hello"):
            return LLMResponse("Hello!")  # type: ignore[arg-type]
        return super().generate(messages, menu)


class SaysText(ReadingLLM):
    def generate(self, messages: Any, menu: Any = ()) -> Any:
        if messages and messages[-1] == UserMessage("Hello"):
            return "Hello!"
        return super().generate(messages, menu)


LESSON = Lesson(
    "00_start_here",
    sentences={
        "ran": {
            "not at all": "The model cannot run anything. All it did was write down "
            "what it wants to have run.",
            "once": "It looks as if the model ran the tool for Paris. It only wrote "
            "down that it wants to; nobody has run anything yet.",
            "twice": "It asked for two cities, and asking is all it did. Nobody has "
            "run anything yet.",
        },
        "forgets": {
            "it passes both slips again": "It has no memory of the call before. It "
            "hears a question, and does what one does first.",
            "it waits for the answers": "To wait it would have to remember that it "
            "asked. It hears a question, and asks.",
            "it answers the question": "It would need the two numbers, and nobody read "
            "them out. It hears a question, and asks.",
        },
        "said": {
            "3": "Slips, slips, answer. The question is yours, and the four answer "
            "slips were put there by the program.",
            "1": "Its answer, yes; and both times that it passed slips, it said "
            "something too.",
            "7": "All but the question? The four answer slips were put there by the "
            "program, which ran the tools.",
            "8": "The question is yours, and the four answer slips were put there by "
            "the program, which ran the tools.",
        },
    },
    exercises=(
        Exercise(
            check=another_city,
            stub=(READINGS, QUESTION),
            solution=(
                READINGS | {"Rome": "21"},
                "How warm is it in Paris and in Rome?",
            ),
            mistakes={
                "my_readings knows no third city: the tool could only say so.": (
                    READINGS,
                    "How warm is it in Rome?",
                ),
                "my_question does not ask for Rome.": (
                    READINGS | {"Rome": "21"},
                    QUESTION,
                ),
                "The model looks up names with a capital letter: Rome.": (
                    READINGS | {"rome": "21"},
                    "How warm is it in rome?",
                ),
                "The model looks up Oslo with a capital letter and not as the first "
                'word of a sentence, or in double quotes: "Oslo".': (
                    READINGS | {"Oslo": "4"},
                    "Oslo, how warm?",
                ),
                'Names of several words stand in double quotes: "Rio de Janeiro".': (
                    READINGS | {"Rio de Janeiro": "30"},
                    "How warm is it in Rio de Janeiro?",
                ),
                "my_readings has no temperature for Rome: None.": (
                    READINGS | {"Rome": None},
                    "How warm is it in Rome?",
                ),
                "A city is a text, with no space around it; yours is ' Rome'.": (
                    READINGS | {" Rome": "21"},
                    "How warm is it in Rome?",
                ),
                "Hand in both: check(1, (my_readings, my_question)).": QUESTION,
            },
            also_right={
                "a number instead of a text": ({"Oslo": 4}, "Is it cold in Oslo?"),
                "a capital letter with dots": (
                    {"Örebro": 4},
                    "How warm is it in Örebro?",
                ),
                "two new ones, one asked for": (
                    READINGS | {"Rome": "21", "Lima": "19"},
                    "How warm is it in Rome?",
                ),
                "Paris changed as well": (
                    {"Paris": "30", "Tokyo": "24", "New York": "9"},
                    "What is it in Paris and New York, in Fahrenheit?",
                ),
                "a city with an accent": (
                    {"Łódź": "4"},
                    "Is it cold in Łódź?",
                ),
                "a name of many words, in quotes": (
                    {"Rio de Janeiro": "30"},
                    'How warm is it in "Rio de Janeiro"?',
                ),
            },
            hints=(
                "Two things change: what the tool knows, and what is asked.",
                'A pair more in the dict, "Rome": "21", and its name in the question.',
            ),
        ),
        Exercise(
            check=one_answer_slip,
            stub=lambda call: None,
            solution=answer_slip,
            mistakes={
                "get_weather has not run, so nobody knows whether this is true.": (
                    never_runs
                ),
                "get_weather ran 2 times for one slip. Once is enough.": runs_twice,
                'The slip asks for get_weather(city="Tokyo"), and '
                'get_weather(city="Paris") ran.': always_paris,
                "get_weather got the whole dict for a city. Two stars take it apart: "
                "get_weather(**call.arguments).": not_taken_apart,
                "The tool ran, and nothing comes back: a return is missing.": (
                    forgets_the_return
                ),
                "What comes back is a str. An answer slip is a ToolMessage.": bare_text,
                "The slip has the number call_7, and its answer 'get_weather': the "
                "model could not tell what it is for.": name_for_number,
                "On the answer slip stands 'call_7'; the tool is get_weather.": (
                    id_for_name
                ),
                "For Paris the slip says '18°F'; the tool gave '18'.": rounds_up,
                "ByAnObject is a class. Hand in the function that you wrote.": (
                    ByAnObject
                ),
                "Hand in the function itself: answer_slip, without brackets behind "
                "it.": ToolMessage("18", "call_7", "get_weather"),
            },
            also_right={
                "in one line": in_one_line,
                "through the menu": through_the_menu,
                "a get_weather that says 25": warm_paris(),
                "through a helper": through_a_helper,
                "an object that can be called": ByAnObject(),
                "out of a dict of tools": out_of_a_dict,
            },
            hints=(
                "Run the errand first, with two stars: get_weather(**call.arguments).",
                "ToolMessage takes the text, the call's id and the call's name.",
            ),
        ),
        Exercise(
            check=swapped_numbers,
            stub=slips("call_1", "call_2"),
            solution=slips("call_2", "call_1"),
            mistakes={
                "Each of the numbers call_1 and call_2 stands on one of the two "
                "slips.": slips("call_2", "call_2"),
                "Only the numbers change places; the texts stay 18 and 24.": slips(
                    "call_2", "call_1", "20", "30"
                ),
                "swapped stays a list of two ToolMessages.": ["call_2", "call_1"],
                "Only the numbers change places; both are answers of get_weather.": [
                    ToolMessage("18", "call_2", "call_2"),
                    ToolMessage("24", "call_1", "call_1"),
                ],
            },
            also_right={
                "the slips change places, too": slips("call_1", "call_2", "24", "18")
            },
            hints=(
                "The number is the second thing on an answer slip.",
                "call_2 where call_1 stands, and the other way round.",
            ),
        ),
        Exercise(
            check=one_round,
            stub="",
            solution=ROUND.solution,
            arrangement=ROUND,
            mistakes={
                "The folder was empty when the model was called.": lines(
                    CLEAR, ASK, FILE_REPLY, EACH, RUN, FILE_ANSWER
                ),
                "The question is not in the folder any more: folder.clear() is too "
                "many.": lines(ASK, CLEAR, FILE_REPLY, EACH, RUN, FILE_ANSWER),
                "Behind the question comes the reply, before anything answers it.": (
                    lines(ASK, EACH, RUN, FILE_ANSWER, FILE_REPLY)
                ),
                "Line 5 uses text before any line has made it: "
                "folder.append(ToolMessage(str(text), call.id, call.name))": (
                    lines(ASK, FILE_REPLY, EACH, FILE_ANSWER, RUN)
                ),
                "0 errands ran for 2 slips: all, once each.": lines(ASK, FILE_REPLY),
                "The reply is filed for each slip. Once is enough, before the loop.": (
                    lines(ASK, EACH, f"    {FILE_REPLY}", RUN, FILE_ANSWER)
                ),
                "Each slip needs one answer, under its own number (its id).": lines(
                    ASK, FILE_REPLY, EACH, RUN, FILE_ANSWER.replace("call.id", '"1"')
                ),
            },
            also_right={
                "the tool runs inside the append's line": lines(
                    ASK,
                    FILE_REPLY,
                    EACH,
                    FILE_ANSWER.replace("text", "tools.run(call)", 1),
                ),
            },
            hints=(
                "What has to be in the folder before an answer slip may be?",
                "Ask, file the reply; then for each slip run it and file its answer.",
            ),
        ),
        Exercise(
            check=two_scripts,
            stub=([], [], get_weather),
            solution=scripts(ASK_PARIS, WARM),
            mistakes={
                "asks: no errand was run. Its first reply should be a slip.": scripts(
                    WARM
                ),
                "asks: after its slip the model is called again, and has no reply "
                "left.": scripts(ASK_PARIS),
                "asks: the tool says 18, and the answer is 'Mild.'.": scripts(
                    ASK_PARIS, "Mild."
                ),
                "asks: the tool says 18, and the answer is 'It is -18°C.'.": scripts(
                    ASK_PARIS, "It is -18°C."
                ),
                "asks: the answer says that it is not 18.": scripts(
                    ASK_PARIS, "It isn't exactly eighteen."
                ),
                f"{ONE_IS_ENOUGH} {ASK_PARIS}, {ASK_TOKYO}.": scripts(
                    [ASK_PARIS, ASK_TOKYO], WARM
                ),
                f"{ONE_IS_ENOUGH} {ASK_PARIS}, {ASK_PARIS}.": scripts(
                    ASK_PARIS, ASK_PARIS, WARM
                ),
                f"{ONE_IS_ENOUGH} {ASK_TOKYO}.": scripts(ASK_TOKYO, WARM),
                'asks: get_weather(town="Paris") cannot be run. get_weather takes a '
                "city, in a dict.": scripts(
                    ToolCall("get_weather", {"town": "Paris"}), WARM
                ),
                "makes_up: the answer says that it is not 18.": scripts(
                    ASK_PARIS, WARM, makes_up=("It is anything but 18.",)
                ),
                "asks: get_weather is a function. A model cannot hand one over; it "
                'writes a slip: ToolCall("get_weather", {"city": "Paris"}).': scripts(
                    get_weather, WARM
                ),
                "asks: on a slip stands the tool's name, in quotes: "
                'ToolCall("get_weather", …).': scripts(
                    ToolCall(get_weather, {"city": "Paris"}),  # type: ignore[arg-type]
                    WARM,
                ),
                "asks: no tool is called 'weather'. Ours is 'get_weather'.": scripts(
                    ToolCall("weather", {"city": "Paris"}), WARM
                ),
                "asks: a dict is no reply here. A reply is a slip, "
                'ToolCall("get_weather", …), or a text in quotes.': scripts(
                    {"city": "Paris"}, WARM
                ),
                "asks: a ToolMessage is no reply here. A reply is a slip, "
                'ToolCall("get_weather", …), or a text in quotes.': scripts(
                    ASK_PARIS, ToolMessage("18", "call_1", "get_weather")
                ),
                "asks: 'get_weather(city=\"Paris\")' is a text, so nothing is run. A "
                'slip is a ToolCall("get_weather", {"city": "Paris"}), without quotes '
                "around it.": scripts(str(ASK_PARIS), WARM),
                "asks: '' is an empty text, and no answer.": scripts(ASK_PARIS, ""),
                "asks: a list in the script holds slips, and nothing else.": scripts(
                    [ASK_PARIS, WARM]
                ),
                "asks: 18 is a number. A reply is a slip, or a text in quotes.": (
                    scripts(ASK_PARIS, 18)
                ),
                "makes_up: an errand was run. This one answers without asking "
                "anybody.": scripts(ASK_PARIS, WARM, makes_up=(ASK_PARIS, WARM)),
                "makes_up: the tool says 18, and the answer is '20 degrees'.": scripts(
                    ASK_PARIS, WARM, makes_up=("20 degrees",)
                ),
                "makes_up has no replies yet.": scripts(ASK_PARIS, WARM, makes_up=()),
                "asks is a list of replies: [first reply, second reply].": (
                    WARM,
                    [WARM],
                    get_weather,
                ),
            },
            also_right={
                "the number in words": scripts(ASK_PARIS, "Eighteen degrees, not bad."),
                "not this, but that": scripts(
                    ASK_PARIS, "It is not 20 but 18 degrees."
                ),
                "a list of one slip": scripts([ASK_PARIS], "18"),
                "a number converted as well": scripts(ASK_PARIS, "18°C, or 64°F"),
                "a reply that is worked out": scripts(
                    ASK_PARIS, lambda messages, menu: messages[-1].content
                ),
                "a tool that says 25": (
                    [ASK_PARIS, "It is 25 degrees."],
                    ["25"],
                    hotter,
                ),
            },
            hints=(
                "The one that asks is called twice, so it has two replies.",
                'Its slip is ToolCall("get_weather", {"city": "Paris"}).',
            ),
        ),
        Exercise(
            check=one_rule_more,
            stub=(NoRuleMore, "Hello"),
            solution=(Greets, "Hello"),
            mistakes={
                "The question about Paris and Tokyo gets another reply than before.": (
                    OnlyGreets,
                    "Hello",
                ),
                "generate hands back an LLMResponse, as ReadingLLM's does.": (
                    SaysText,
                    "Hello",
                ),
                "In an LLMResponse is a message: AssistantMessage(…), with a text.": (
                    NoMessageInIt,
                    "Hello",
                ),
                "MyLLM is a class with a generate.": (Greets(), "Hello"),
            },
            also_right={"no thought of an empty folder": (LooksAtTheLast, "Hello")},
            hints=(
                "Look at messages[-1] first, and go on with super().generate(…).",
                "An if above the last line, with a return of its own.",
            ),
        ),
    ),
)
