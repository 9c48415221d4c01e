"""What lesson 03 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls
# What is kept is written as a learner writes it: without types.

from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from mingraph_lite.agent import Agent
from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Arrangement,
    Exercise,
    Lesson,
    Spy,
    function_of,
)
from mingraph_lite.errors import LineCut, StepLimitReached
from mingraph_lite.lab import ReadingLLM
from mingraph_lite.lab.scenarios import get_weather, to_fahrenheit
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import (
    KINDS,
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)

FIRST, SECOND = "How warm is it in Paris, in Fahrenheit?", "And in Tokyo?"
BOTH = "And in Paris and in Tokyo?"
TOOLS: list[Callable[..., Any]] = [get_weather, to_fahrenheit]


def loop(llm, tools, folder, limit=10):
    for _ in range(limit):
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))
    return "No answer."


# 1: the second question, on the same folder


def second_question(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: check(1, ask), without brackets behind it."
    spy = Spy()
    llm, tools = spy.model(ReadingLLM()), spy.tools(*TOOLS)
    folder: list[Any] = []
    got = answer(llm, tools, folder, FIRST)
    if not folder and not spy.heard:
        return f"{STILL_THE_STUB}: nobody is asked, and the folder is empty."
    if wrong := wrong_folder(folder, spy, [FIRST]) or wrong_return(got, folder):
        return wrong
    before = list(folder)
    got = answer(llm, tools, folder, SECOND)
    if folder[: len(before)] != before:
        return "At the second question, what was said before is no longer there."
    if folder == before:
        return f"The second question, {SECOND!r}, is not in the caller's folder."
    return wrong_folder(folder, spy, [FIRST, SECOND]) or wrong_return(got, folder)


def wrong_folder(folder: list[Any], spy: Spy, questions: list[str]) -> str | None:
    """What is wrong with the caller's folder after these questions."""
    if not folder:
        return (
            "The model was asked, and the caller's folder is still empty: all was "
            "written into another list. Put it into the one that is handed in."
        )
    if strange := [thing for thing in folder if not isinstance(thing, KINDS)]:
        return (
            f"In the folder stands {strange[0]!r}, which is no message. A question is "
            "a UserMessage(text)."
        )
    asked = [m.content for m in folder if isinstance(m, UserMessage)]
    if not asked:
        return "No question is in the folder, so nobody has read one out."
    if not spy.heard:
        if len(folder) > 1:
            return "Another model was asked than the one that is handed in: llm."
        return "The question is in the folder, and nobody has read it out: call loop."
    if len(asked) > len(questions):
        return "One question stands twice in the folder. The model reads it twice too."
    if asked != questions:
        return f"The folder asks {asked[-1]!r}; the text was {questions[-1]!r}."
    texts = [m for m in folder if isinstance(m, AssistantMessage) and not m.tool_calls]
    if len(texts) > len(questions):
        return "The answer stands twice in the folder: loop has put it there already."
    if isinstance(folder[-1], UserMessage):
        if not texts and len(folder) < 2:
            return "The model was asked once, and nobody filed its reply: call loop."
        return "The question stands behind its answer: it goes into the folder first."
    if found := problems(folder):
        return f"The folder is not in order: {found[0]}"
    readings = [m for m in folder if isinstance(m, ToolMessage)]
    if len(readings) < len(spy.ran):
        return (
            f"{len(spy.ran)} errands ran, and {len(readings)} answer slips are in the "
            "folder. Leave all in it that loop has put there."
        )
    return None


def wrong_return(got: object, folder: list[Any]) -> str | None:
    if got is None:
        return "The folder is right, and the caller gets nothing: a return is missing."
    if got != folder[-1].content:
        return (
            f"The caller gets {_brief(got)}. Hand on what loop gives back: the answer."
        )
    return None


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) < 40 else f"{text[:38]}…"


def ask(llm, tools, folder, text):
    folder.append(UserMessage(text))
    return loop(llm, tools, folder)


def ask_with_plus(llm, tools, folder, text):
    folder += [UserMessage(content=text)]
    answer = loop(llm, tools, folder, 20)
    return answer


def ask_by_hand(llm, tools, folder, text):
    folder.append(UserMessage(text))
    while True:
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            folder.append(ToolMessage(str(tools.run(call)), call.id, call.name))


def ask_and_put_back(llm, tools, folder, text):
    mine = [*folder, UserMessage(text)]
    answer = loop(llm, tools, mine)
    folder[:] = mine
    return answer


def ask_nobody(llm, tools, folder, text): ...


def ask_on_a_copy(llm, tools, folder, text):
    folder = [*folder, UserMessage(text)]
    return loop(llm, tools, folder)


def ask_with_a_text(llm, tools, folder, text):
    folder.append(text)
    return loop(llm, tools, folder)


def ask_without_question(llm, tools, folder, text):
    return loop(llm, tools, folder)


def ask_without_model(llm, tools, folder, text):
    folder.append(UserMessage(text))


def ask_twice(llm, tools, folder, text):
    folder.append(UserMessage(text))
    folder.append(UserMessage(text))
    return loop(llm, tools, folder)


def ask_the_same(llm, tools, folder, text):
    folder.append(UserMessage("And in Oslo?"))
    return loop(llm, tools, folder)


def ask_and_add_the_answer(llm, tools, folder, text):
    folder.append(UserMessage(text))
    answer = loop(llm, tools, folder)
    folder.append(AssistantMessage(answer))
    return answer


def ask_without_return(llm, tools, folder, text):
    folder.append(UserMessage(text))
    loop(llm, tools, folder)


def ask_for_the_folder(llm, tools, folder, text):
    folder.append(UserMessage(text))
    loop(llm, tools, folder)
    return len(folder)


def ask_another(llm, tools, folder, text):
    folder.append(UserMessage(text))
    return loop(ReadingLLM(), tools, folder)


def ask_once(llm, tools, folder, text):
    folder.append(UserMessage(text))
    return llm.generate(folder, tools.menu()).message.content


def ask_and_show(llm, tools, folder, text):
    folder.append(UserMessage(text))
    loop(llm, tools, folder)
    return folder


def ask_and_tidy_up(llm, tools, folder, text):
    folder.append(UserMessage(text))
    answer = loop(llm, tools, folder)
    folder[:] = [m for m in folder if m.content and not isinstance(m, ToolMessage)]
    return answer


def ask_from_nothing(llm, tools, folder, text):
    folder.clear()
    folder.append(UserMessage(text))
    return loop(llm, tools, folder)


def ask_afterwards(llm, tools, folder, text):
    answer = loop(llm, tools, [UserMessage(text)])
    folder += [AssistantMessage(answer), UserMessage(text)]
    return answer


# 2: a loop that reads out a memory

LINES = Arrangement(
    header="def ask(llm, tools, memory, text):",
    lines=(
        "memory.add(UserMessage(text))",
        "while True:",
        "    reply = llm.generate(«memory.messages()», tools.menu()).message",
        "    memory.add(«reply»)",
        "    if not reply.tool_calls:",
        "        return reply.content",
        "    for call in reply.tool_calls:",
        "        memory.add(ToolMessage(str(tools.run(call)), call.id, call.name))",
    ),
    extra="memory = KeepAll()",
)


class Noted(KeepAll):
    """A memory that reads out a mark before its folder."""

    mark = UserMessage("How warm is it, in Fahrenheit?")

    def messages(self) -> Sequence[Message]:
        """The mark, then everything."""
        return [self.mark, *super().messages()]


def with_a_memory(answer: Any) -> str | None:
    code = str(answer)
    if not code.strip() or code == LINES.header:
        return f"{STILL_THE_STUB}: no line has its place."
    names = {"UserMessage": UserMessage, "ToolMessage": ToolMessage}
    ordered: Any = function_of(code, "ask", **names, KeepAll=KeepAll)
    spy, memory = Spy(), Noted()
    try:
        got = ordered(spy.model(ReadingLLM()), spy.tools(*TOOLS), memory, BOTH)
    except LineCut:
        got = "no end"
    except TypeError as error:
        if "Noted" in str(error) or "'method'" in str(error):
            return "What is read out is what memory.messages() gives, with brackets."
        raise
    wrong = wrong_memory(list(memory.folder), spy, got)
    if wrong and list(memory.folder) and LINES.extra in code:
        return (
            f"{LINES.extra} makes a memory of its own, in the middle, which nobody "
            "else holds: that line is one too many."
        )
    return wrong


def wrong_memory(folder: list[Any], spy: Spy, got: object) -> str | None:
    asked = [m.content for m in folder if isinstance(m, UserMessage)]
    said = [m for m in folder if isinstance(m, AssistantMessage)]
    if not folder:
        return (
            "The caller's memory is still empty, and all they said before is left out: "
            "a line makes a memory of its own, which nobody else holds."
        )
    if not asked:
        return "The question is not in the memory, so nobody reads it out."
    if not spy.heard:
        return "The question is in the memory, and no model is asked."
    if Noted.mark not in spy.heard[0]:
        return (
            "What the model heard is not what memory.messages() gives. Memory decides "
            "what is read out: ask it."
        )
    if len(asked) > 1:
        return "The question is added again in every round. Once is enough."
    if not said:
        return "No reply is in the memory: the model does not hear what it has said."
    if not spy.ran:
        return "It ends before any errand is run: the first reply passes slips."
    if isinstance(folder[1], ToolMessage):
        return "A reply stands below the answers to it: it goes in before they do."
    if len(spy.ran) < 4 and problems(folder):
        return "Not every slip gets its answer: one errand for each call, in the for."
    if got == "no end":
        return "The loop has no end: nobody returns the answer."
    if said[-1].tool_calls or got is None:
        return "It ends without an answer, or before the answer is in the memory."
    right = "Paris: 18 = 64°F, Tokyo: 24 = 75°F"
    return None if got == right else f"It hands back {got!r}, and not the answer."


def lines(*wanted: str, gap: str = "memory.messages()", reply: str = "reply") -> str:
    """These lines as code, with what stands in the blanks."""
    text = "\n".join(f"    {line}" for line in wanted)
    filled = text.replace("GAP", gap).replace("SAID", reply)
    return f"{LINES.header}\n{filled}"


QUESTION = "memory.add(UserMessage(text))"
WHILE = "while True:"
REPLY = "    reply = llm.generate(GAP, tools.menu()).message"
ADD = "    memory.add(SAID)"
IF, RETURN = "    if not reply.tool_calls:", "        return reply.content"
FOR = "    for call in reply.tool_calls:"
RUN = "        memory.add(ToolMessage(str(tools.run(call)), call.id, call.name))"


# 3: the same list, whoever writes into it

TIMES = ["Is it noon already?", "How long ago did I ask that?"]


def whole_history(answer: Any) -> str | None:
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return "Hand in both: check(3, (history, told))."
    history, told = answer
    if not isinstance(history, Sequence) or not isinstance(told, Sequence):
        return "history and told are both lists: of messages, and of what was told."
    if not history:
        return (
            "history is empty: nobody has written into it. Does check(1, ask) say "
            "right?"
        )
    readings = [m.content for m in history if isinstance(m, ToolMessage)]
    if not readings:
        return (
            f"{STILL_THE_STUB}: history holds what the person sees, and no answer slip "
            "with a reading of the clock."
        )
    asked = [m for m in history if isinstance(m, UserMessage)]
    if len(asked) != 2 or len(readings) != 2:
        return (
            f"In history are {len(asked)} questions and {len(readings)} readings of "
            "the clock. Begin with a new list and a new clock, and ask both on it."
        )
    if found := problems(history):
        return f"history is not in order: {found[0]}"
    if not told or told[-1] is None:
        return "The readings are in history, but told has no answers: return them."
    if told[-1] != history[-1].content or " ago" not in str(told[-1]):
        return f"The last answer told is {told[-1]!r}. It is the end of history."
    answers = [m for m in history if isinstance(m, AssistantMessage)]
    said = [m.content for m in answers if not m.tool_calls]
    if list(told) != said:
        return f"told is {_brief(list(told))}, and in history the answers are {said}."
    return None


def heard_at(*readings: str, slips: bool = True) -> tuple[list[Message], list[str]]:
    """A history with these readings of the clock, and what was told."""
    last = f"41 seconds ago: {readings[0]}, and now {readings[-1]}."
    history: list[Message] = []
    told = ["Not yet.", last if slips else "When you asked, I was not told."]
    for number, reading in enumerate(readings):
        slip = ToolCall("now", {}, f"call_{number}")
        history.append(UserMessage(TIMES[number]))
        if slips:
            answer = ToolMessage(reading, slip.id, "now")
            history += [AssistantMessage("", (slip,)), answer]
        history.append(AssistantMessage(told[number]))
    return history, told[: len(readings)]


BOTH_TIMES = heard_at("11:45:22", "11:46:03")


# 4: the last turns


def last_turns(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the class itself: check(4, LastTurns), without brackets."
    first = answer(2)
    told = conversation()
    if wrong := wrong_folder_of(first, told) or wrong_reading(answer, told):
        return wrong
    if list(answer(2).folder):
        return (
            "A new LastTurns begins with what another one was told: all of them share "
            "one list. Make it in __init__, self.folder = []."
        )
    return wrong_beside_another(answer) or wrong_in_an_agent(answer)


def wrong_folder_of(memory: Any, told: list[Message]) -> str | None:
    """What is wrong with the folder, before and after it is read out."""
    if not hasattr(memory, "folder"):
        return "It has no folder: whoever holds a memory reads memory.folder."
    if memory.folder is None:
        return "folder is None: begin with an empty list, self.folder = []."
    if callable(memory.folder):
        return (
            "folder is a method here: memory.folder has to be the messages themselves. "
            "Keep a list under that name, or write @property above it."
        )
    for name in ("add", "messages"):
        if not callable(getattr(memory, name, None)):
            return f"It has no method {name}: whoever holds a memory calls {name}(…)."
    old = len(memory.folder)  # of a list that all share
    for message in told:
        memory.add(message)
    kept = list(memory.folder)[old:]
    heard = memory.messages()
    if not kept and not heard:
        return f"{STILL_THE_STUB}: nothing is kept, and nothing is read out."
    if not kept:
        return "add puts nothing into the folder."
    if len(kept) > len(told) and not old:
        return (
            f"After {len(told)} messages the folder holds {len(kept)}: add puts each "
            "in once."
        )
    if len(kept) == len(told) and kept != told and not old:
        return (
            "In the folder stands something else than what was added, or in another "
            "order: add appends the message itself."
        )
    if kept != told and not old:
        return (
            f"After {len(told)} messages the folder holds {len(kept)}. Reading out "
            "less deletes nothing: keep all, and choose in messages()."
        )
    if len(memory.folder) != old + len(kept):
        return (
            f"messages() takes messages out of the folder: {old + len(kept)} before, "
            f"{len(memory.folder)} after. It reads, and changes nothing."
        )
    return None


def conversation() -> list[Message]:
    """Four turns of 4, 6, 2 and 4 messages."""
    numbers = count(1)

    def round_of(*cities: str) -> list[Message]:
        slips = [
            ToolCall("get_weather", {"city": c}, f"c{next(numbers)}") for c in cities
        ]
        answers = [ToolMessage("18", slip.id, slip.name) for slip in slips]
        return [AssistantMessage("", tuple(slips)), *answers]

    return [
        UserMessage("How warm is it in Paris?"),
        *round_of("Paris"),
        AssistantMessage("Paris: 18"),
        UserMessage("And in Tokyo, and then in Rome?"),
        *round_of("Tokyo"),
        *round_of("Rome"),
        AssistantMessage("Tokyo: 18, Rome: 18"),
        UserMessage("Thank you."),
        AssistantMessage("You are welcome."),
        UserMessage("And in Lima?"),
        *round_of("Lima"),
        AssistantMessage("Lima: 18"),
    ]


def wrong_reading(make: Any, told: list[Message]) -> str | None:
    """What is wrong with what is read out: many turns, few, and amid a run."""
    for n, until in ((2, 16), (1, 16), (3, 16), (4, 16), (1, 8), (2, 11), (5, 16)):
        memory = make(n)
        old = len(memory.folder)
        for message in told[:until]:
            memory.add(message)
        turns = starts(told[:until])
        wanted = told[turns[-n] if n <= len(turns) else 0 : until]
        try:
            heard = memory.messages()
        except IndexError:
            return (
                f"With {len(turns)} turns and n = {n}, messages() raises IndexError: "
                "with fewer turns than n, all of them are read out."
            )
        if heard is None:
            return "messages() gives nothing back: a return is missing."
        if not isinstance(heard, Sequence):
            return (
                f"messages() gives a {type(heard).__name__}, which can be walked "
                "through once. Whoever reads it out wants a list."
            )
        if list(heard) != list(memory.messages()):
            return (
                "Asked twice, messages() reads out two different things. It looks at "
                "the folder, and changes nothing."
            )
        if not old and list(heard) != wanted:
            return wrong_cut(list(heard), told[:until], n)
    return None


def starts(told: list[Message]) -> list[int]:
    return [at for at, message in enumerate(told) if isinstance(message, UserMessage)]


def wrong_cut(heard: list[Any], told: list[Message], n: int) -> str:
    """Name where it was cut, and where it should have been."""
    turns = len(starts(told))
    said = f"Of {turns} turns, with n = {n},"
    if not heard:
        return f"{said} nothing is read out."
    if strange := [thing for thing in heard if not isinstance(thing, KINDS)]:
        return (
            f"{said} {type(strange[0]).__name__} is read out, which is no message. "
            "All that is read out stands in one list, message by message."
        )
    if n > turns:
        return f"{said} it leaves some out: with fewer turns than n, all are read out."
    if heard == told[-n:]:
        return (
            f"{said} it reads out {n} of the messages. n counts turns: a turn is a "
            "question and all that follows, up to the next one."
        )
    if isinstance(heard[0], ToolMessage):
        return (
            f"{said} it begins with an answer slip whose slip is not read out. Begin "
            "where the turn begins, at its UserMessage."
        )
    if heard[-1] != told[-1]:
        return f"{said} the newest message is not read out: it goes up to the end."
    if not isinstance(heard[0], UserMessage):
        return (
            f"{said} it begins with the model's {heard[0].content or 'slip'!r}, and "
            "the question above it is left out."
        )
    if problems(heard) or heard != told[-len(heard) :]:
        return (
            f"{said} it leaves out messages amid a turn. From its first question on, "
            "everything is read out."
        )
    return f"{said} it reads out {len(starts(heard))} of them."


def wrong_beside_another(make: Any) -> str | None:
    """Whether two of them mind each other, and the same said twice counts twice."""
    thanks: list[Message] = [
        UserMessage("Thank you."),
        AssistantMessage("You are welcome."),
    ] * 2
    memory, _ = make(2), make(1)
    for message in thanks:
        memory.add(message)
    heard = list(memory.messages())
    if heard == thanks[:2]:
        alone = make(2)
        for message in thanks:
            alone.add(message)
        if list(alone.messages()) == thanks:
            return (
                "A LastTurns(1) that is made later changes what a LastTurns(2) reads "
                "out: keep n in self."
            )
        return (
            "Two turns in the same words are two turns: with n = 2 it reads out one of "
            "them."
        )
    return None if heard == thanks else wrong_cut(heard, thanks, 2)


def wrong_in_an_agent(make: Any) -> str | None:
    """Whether an agent holds the wish for a unit for as long as it is read out."""
    for n, wanted in ((2, "Tokyo: 24 = 75°F"), (1, "Tokyo: 24")):
        agent = Agent(ReadingLLM(), TOOLS, "", memory=make(n))
        try:
            agent.run(FIRST)
            got = agent.run(SECOND)["answer"]
        except StepLimitReached:
            return (
                f"In an Agent, LastTurns({n}) never leads to an answer: what was added "
                "last is not read out."
            )
        if got != wanted:
            return f"In an Agent, LastTurns({n}) leads to {got!r}, not to {wanted!r}."
    return None


class LastTurns:
    def __init__(self, n):
        self.n, self.folder = n, []

    def add(self, message):
        self.folder.append(message)

    def messages(self):
        begins = [at for at, m in enumerate(self.folder) if isinstance(m, UserMessage)]
        first = begins[-self.n] if self.n <= len(begins) else 0
        return self.folder[first:]


# Why is it right to read out the list itself, where all is read out? `folder` is that
# list too, for everybody to read; and an Agent makes a copy of what it reads out.
class ReadsTheListItself(LastTurns):
    def messages(self):
        begins = [at for at, m in enumerate(self.folder) if isinstance(m, UserMessage)]
        if len(begins) <= self.n:
            return self.folder
        return self.folder[begins[-self.n] :]


class OfKeepAll(KeepAll):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def messages(self):
        begins = [at for at, m in enumerate(self.folder) if isinstance(m, UserMessage)]
        return self.folder[begins[-self.n :][0] :] if begins else []


class FromTheEnd:
    def __init__(self, turns):
        self.turns = turns
        self.folder = []

    def add(self, message):
        self.folder.append(message)

    def messages(self):
        heard: list[Message] = []
        left = self.turns
        for message in reversed(self.folder):
            if not left:
                break
            heard.insert(0, message)
            left -= isinstance(message, UserMessage)
        return tuple(heard)


class ListOfTurns:
    def __init__(self, n):
        self.n, self.turns = n, []

    @property
    def folder(self):
        return [message for turn in self.turns for message in turn]

    def add(self, message):
        if isinstance(message, UserMessage):
            self.turns.append([])
        self.turns[-1].append(message)

    def messages(self):
        return [message for turn in self.turns[-self.n :] for message in turn]


class DequeBeside:
    def __init__(self, n):
        self.folder: deque[Message] = deque()
        self.last: deque[list[Message]] = deque(maxlen=n)

    def add(self, message):
        self.folder.append(message)
        if isinstance(message, UserMessage):
            self.last.append([])
        self.last[-1].append(message)

    def messages(self):
        return [message for turn in self.last for message in turn]


def made_by_a_function(n):
    return FromTheEnd(n)


class Stub:
    def __init__(self, n):
        self.n, self.folder = n, []

    def add(self, message): ...

    def messages(self):
        return []


class AddsNothing(LastTurns):
    def add(self, message):
        self.messages()

    def messages(self):
        return [UserMessage("?")]


class WithoutFolder:
    def __init__(self, n):
        self.said = []


class FolderMethod:
    def folder(self):
        return []

    def __init__(self, n):
        self.n = n


class AddsTwice(LastTurns):
    def add(self, message):
        self.folder += [message, message]


class AddsTheText(LastTurns):
    def add(self, message):
        self.folder.append(message.content)


class NoListYet(LastTurns):
    def __init__(self, n):
        self.n = n
        self.folder: Any = None


class ReadsOutTheFirst(LastTurns):
    def messages(self):
        if not hasattr(self, "heard"):
            self.heard = super().messages()
        return self.heard


class OneNumberForAll(LastTurns):
    turns = 0

    def __init__(self, n):
        super().__init__(n)
        OneNumberForAll.turns = n

    def messages(self):
        return from_the_end(self.folder, OneNumberForAll.turns)


class SaysNothingTwice(LastTurns):
    def messages(self):
        heard = []
        for message in super().messages():
            if message not in heard:
                heard.append(message)
        return heard


class Deletes(LastTurns):
    def messages(self):
        self.folder = super().messages()
        return self.folder


class DequeAlone:
    def __init__(self, n):
        self.last: deque[list[Message]] = deque(maxlen=n)

    @property
    def folder(self):
        return [message for turn in self.last for message in turn]

    def add(self, message):
        if isinstance(message, UserMessage):
            self.last.append([])
        self.last[-1].append(message)

    def messages(self):
        return self.folder


class Shared(LastTurns):
    folder: list[Any] = []  # noqa: RUF012  # that is the mistake

    def __init__(self, n):
        self.n = n


class CountsMessages(LastTurns):
    def messages(self):
        return self.folder[-self.n :]


class FourATurn(LastTurns):
    def messages(self):
        return self.folder[-4 * self.n :]


class OneTooMany(LastTurns):
    def messages(self):
        return from_the_end(self.folder, self.n + 1)


class OneTooFew(LastTurns):
    def messages(self):
        begins = starts(self.folder)
        first = begins[-self.n + 1] if self.n <= len(begins) else 0
        return self.folder[first if self.n > 1 else begins[-1] :]


def from_the_end(folder, n):
    memory = FromTheEnd(n)
    memory.folder = folder
    return memory.messages()


class BehindTheQuestion(LastTurns):
    def messages(self):
        begins = starts(self.folder)
        first = begins[-self.n] + 1 if self.n <= len(begins) else 0
        return self.folder[first:]


class QuestionsAndTexts(LastTurns):
    def messages(self):
        return [
            message
            for message in super().messages()
            if not isinstance(message, ToolMessage)
            and not getattr(message, "tool_calls", ())
        ]


class FewRaise(LastTurns):
    def messages(self):
        return self.folder[starts(self.folder)[-self.n] :]


class FewOnlyNewest(LastTurns):
    def messages(self):
        begins = starts(self.folder)
        return self.folder[begins[-self.n if self.n <= len(begins) else -1] :]


class ReturnsNothing(LastTurns):
    def messages(self):
        super().messages()


class Generates(LastTurns):
    def messages(self):
        yield from super().messages()


class ReadsLessEachTime(LastTurns):
    def messages(self):
        self.n -= 1
        return from_the_end(self.folder, self.n + 1)


class PlacesAlone(LastTurns):
    def messages(self):
        return starts(self.folder)[-self.n :]


class WithoutTheEnd(LastTurns):
    def messages(self):
        return super().messages()[:-1]


LESSON = Lesson(
    "03_memory",
    sentences={
        "six_turns": {
            "24": "Question, slip, answer slip, answer: four for each turn. At the "
            "next question all of them are read out, and paid for, once more.",
            "12": "A question and an answer for each turn are what a person sees. "
            "Between them stand a slip and its answer slip.",
            "18": "That counts slips with their answers, or answers with their texts. "
            "Question, slip, answer slip and answer are four.",
            "6": "The questions alone. What the model says and what the tools give "
            "back goes into the folder too.",
        },
        "last_n": {
            "4 messages": "Four messages at most are read out. Nothing is taken from "
            "the folder for that: both turns are in it, whole.",
            "6 messages": "Six is the first turn alone. The second one goes into the "
            "folder as well; LastN chooses what is read out, not what is kept.",
            "10 messages": "Everything is kept, and less is read out. So the second "
            "answer is in Celsius, though the wish still stands in the folder.",
        },
        "default": {
            "Celsius, as always": "So it would be with a folder of his own. But the "
            "default was built once, when Python read the def: all share it.",
            "Fahrenheit as well": "Bob's agent reads out what Ada asked. The default "
            "was built once, when Python read the def, and both got that one.",
            "nothing: it raises": "No error tells anybody. The default was built once, "
            "when Python read the def, and both agents got that one object.",
        },
    },
    exercises=(
        Exercise(
            check=second_question,
            stub=ask_nobody,
            solution=ask,
            also_right={
                "+= and another limit": ask_with_plus,
                "a loop of its own": ask_by_hand,
                "a copy that is put back": ask_and_put_back,
            },
            mistakes={
                "Hand in the function itself: check(1, ask), without brackets behind "
                "it.": "Paris: 18 = 64°F",
                "The model was asked, and the caller's folder is still empty: all was "
                "written into another list. Put it into the one that is handed in.": (
                    ask_on_a_copy
                ),
                f"In the folder stands {FIRST!r}, which is no message. A question is a "
                "UserMessage(text).": ask_with_a_text,
                "No question is in the folder, so nobody has read one out.": (
                    ask_without_question
                ),
                "The question is in the folder, and nobody has read it out: call "
                "loop.": ask_without_model,
                "One question stands twice in the folder. The model reads it twice "
                "too.": ask_twice,
                f"The folder asks 'And in Oslo?'; the text was {FIRST!r}.": (
                    ask_the_same
                ),
                "The answer stands twice in the folder: loop has put it there "
                "already.": ask_and_add_the_answer,
                "The question stands behind its answer: it goes into the folder "
                "first.": ask_afterwards,
                "The folder is right, and the caller gets nothing: a return is "
                "missing.": ask_without_return,
                "The caller gets 6. Hand on what loop gives back: the answer.": (
                    ask_for_the_folder
                ),
                "Another model was asked than the one that is handed in: llm.": (
                    ask_another
                ),
                "The model was asked once, and nobody filed its reply: call loop.": (
                    ask_once
                ),
                "The caller gets [UserMessage(content='How warm is it i…. Hand on what "
                "loop gives back: the answer.": ask_and_show,
                "2 errands ran, and 0 answer slips are in the folder. Leave all in it "
                "that loop has put there.": ask_and_tidy_up,
                "At the second question, what was said before is no longer there.": (
                    ask_from_nothing
                ),
            },
            hints=(
                "What must stand in the folder before loop reads it out?",
                "A UserMessage is appended to the caller's own list; then loop runs.",
            ),
        ),
        Exercise(
            check=with_a_memory,
            stub="",
            solution=LINES.solution,
            arrangement=LINES,
            also_right={
                "errands before the question whether there are any": lines(
                    QUESTION, WHILE, REPLY, ADD, FOR, RUN, IF, RETURN
                ),
                "a list of what is read out": lines(
                    *(QUESTION, WHILE, REPLY, ADD, IF, RETURN, FOR, RUN),
                    gap="list(memory.messages())",
                ),
            },
            mistakes={
                "The caller's memory is still empty, and all they said before is left "
                "out: a line makes a memory of its own, which nobody else holds.": (
                    lines(
                        *("memory = KeepAll()", QUESTION, WHILE, REPLY, ADD),
                        *(IF, RETURN, FOR, RUN),
                    )
                ),
                "The question is not in the memory, so nobody reads it out.": lines(
                    WHILE, REPLY, ADD, IF, RETURN, FOR, RUN
                ),
                "What the model heard is not what memory.messages() gives. Memory "
                "decides what is read out: ask it.": lines(
                    *(QUESTION, WHILE, REPLY, ADD, IF, RETURN, FOR, RUN),
                    gap="memory.folder",
                ),
                "The question is added again in every round. Once is enough.": lines(
                    WHILE, f"    {QUESTION}", REPLY, ADD, IF, RETURN, FOR, RUN
                ),
                "It ends without an answer, or before the answer is in the memory.": (
                    lines(QUESTION, WHILE, REPLY, IF, RETURN, ADD, FOR, RUN)
                ),
                "Line 4 uses reply before any line has made it: memory.add(reply)": (
                    lines(QUESTION, WHILE, ADD, REPLY, IF, RETURN, FOR, RUN)
                ),
                "memory = KeepAll() makes a memory of its own, in the middle, which "
                "nobody else holds: that line is one too many.": lines(
                    *(QUESTION, WHILE, "    memory = KeepAll()", REPLY, ADD),
                    *(IF, RETURN, FOR, RUN),
                ),
                "It works, and one line in it does nothing: memory = KeepAll(). Leave "
                "it out.": lines(
                    *(QUESTION, WHILE, REPLY, ADD, IF, RETURN, FOR, RUN),
                    "memory = KeepAll()",
                ),
                "The question is in the memory, and no model is asked.": lines(
                    QUESTION
                ),
                "No reply is in the memory: the model does not hear what it has "
                "said.": lines(QUESTION, WHILE, REPLY, IF, RETURN, FOR, RUN),
                "It ends before any errand is run: the first reply passes slips.": (
                    lines(QUESTION, WHILE, REPLY, ADD, IF, RETURN, RETURN[4:])
                ),
                "Not every slip gets its answer: one errand for each call, in the "
                "for.": lines(
                    *(QUESTION, WHILE, REPLY, ADD, IF, RETURN, FOR, "        pass"),
                    RUN[4:],
                ),
                "A reply stands below the answers to it: it goes in before they do.": (
                    lines(QUESTION, WHILE, REPLY, IF, RETURN, FOR, RUN, ADD)
                ),
                "What is read out is what memory.messages() gives, with brackets.": (
                    lines(
                        *(QUESTION, WHILE, REPLY, ADD, IF, RETURN, FOR, RUN),
                        gap="memory",
                    )
                ),
                "The loop has no end: nobody returns the answer.": lines(
                    QUESTION, WHILE, REPLY, ADD, FOR, RUN
                ),
            },
            hints=(
                "Which line comes once, before the loop? Which three in every round?",
                "Memory decides what is read out, so ask it and not its folder.",
            ),
        ),
        Exercise(
            check=whole_history,
            stub=heard_at("11:45:22", "11:46:03", slips=False),
            solution=BOTH_TIMES,
            also_right={
                "another clock": heard_at("00:00:07", "00:00:48"),
                "both in a list": list(BOTH_TIMES),
                "told as a tuple": (BOTH_TIMES[0], tuple(BOTH_TIMES[1])),
            },
            mistakes={
                "Hand in both: check(3, (history, told)).": BOTH_TIMES[0],
                "history is empty: nobody has written into it. Does check(1, ask) say "
                "right?": ([], BOTH_TIMES[1]),
                "In history are 1 questions and 1 readings of the clock. Begin with a "
                "new list and a new clock, and ask both on it.": heard_at("11:45:22"),
                "The readings are in history, but told has no answers: return them.": (
                    (BOTH_TIMES[0], [None, None])
                ),
                "told is ['41 seconds ago: 11:45:22, and now 11…, and in history the "
                "answers are ['Not yet.', '41 seconds ago: 11:45:22, and now "
                "11:46:03.'].": (BOTH_TIMES[0], BOTH_TIMES[1][1:]),
                "history and told are both lists: of messages, and of what was told.": (
                    (BOTH_TIMES[0], None)
                ),
                "The last answer told is 8. It is the end of history.": (
                    (BOTH_TIMES[0], [4, 8])
                ),
            },
            hints=(
                "on_a_copy writes the slips into a list of its own. Who does not?",
                "Exercise 1 has a function that takes the same four arguments.",
            ),
        ),
        Exercise(
            check=last_turns,
            stub=Stub,
            solution=LastTurns,
            keeps=("LastTurns",),
            also_right={
                "the list itself where all is read out": ReadsTheListItself,
                "a subclass of KeepAll": OfKeepAll,
                "walking back from the end": FromTheEnd,
                "a list of turns": ListOfTurns,
                "a deque of turns beside a folder": DequeBeside,
                "a function that makes one": made_by_a_function,
            },
            mistakes={
                "Hand in the class itself: check(4, LastTurns), without brackets.": (
                    LastTurns(2)
                ),
                "Of 4 turns, with n = 2, it begins with the model's 'You are "
                "welcome.', and the question above it is left out.": BehindTheQuestion,
                "A new LastTurns begins with what another one was told: all of them"
                " share one list. Make it in __init__, self.folder = [].": Shared,
                "After 16 messages the folder holds 6. Reading out less deletes "
                "nothing: keep all, and choose in messages().": DequeAlone,
                "Asked twice, messages() reads out two different things. It looks "
                "at the folder, and changes nothing.": ReadsLessEachTime,
                "It has no folder: whoever holds a memory reads memory.folder.": (
                    WithoutFolder
                ),
                "Of 4 turns, with n = 2, it begins with an answer slip whose slip "
                "is not read out. Begin where the turn begins, at its UserMessage.": (
                    FourATurn
                ),
                "Of 4 turns, with n = 2, it leaves out messages amid a turn. From "
                "its first question on, everything is read out.": QuestionsAndTexts,
                "Of 4 turns, with n = 2, it reads out 1 of them.": OneTooFew,
                "Of 4 turns, with n = 2, it reads out 2 of the messages. n counts "
                "turns: a turn is a question and all that follows, up to the next "
                "one.": CountsMessages,
                "Of 4 turns, with n = 2, it reads out 3 of them.": OneTooMany,
                "Of 4 turns, with n = 2, int is read out, which is no message. All "
                "that is read out stands in one list, message by message.": PlacesAlone,
                "Of 4 turns, with n = 2, the newest message is not read out: it "
                "goes up to the end.": WithoutTheEnd,
                "Of 4 turns, with n = 5, it leaves some out: with fewer turns than "
                "n, all are read out.": FewOnlyNewest,
                "With 4 turns and n = 5, messages() raises IndexError: with fewer "
                "turns than n, all of them are read out.": FewRaise,
                "add puts nothing into the folder.": AddsNothing,
                "A LastTurns(1) that is made later changes what a LastTurns(2) reads "
                "out: keep n in self.": OneNumberForAll,
                "Two turns in the same words are two turns: with n = 2 it reads out "
                "one of them.": SaysNothingTwice,
                "In an Agent, LastTurns(2) never leads to an answer: what was added "
                "last is not read out.": ReadsOutTheFirst,
                "After 16 messages the folder holds 32: add puts each in once.": (
                    AddsTwice
                ),
                "In the folder stands something else than what was added, or in "
                "another order: add appends the message itself.": AddsTheText,
                "folder is None: begin with an empty list, self.folder = [].": (
                    NoListYet
                ),
                "folder is a method here: memory.folder has to be the messages "
                "themselves. Keep a list under that name, or write @property above "
                "it.": FolderMethod,
                "messages() gives a generator, which can be walked through once. "
                "Whoever reads it out wants a list.": Generates,
                "messages() gives nothing back: a return is missing.": ReturnsNothing,
                "messages() takes messages out of the folder: 16 before, 6 after. "
                "It reads, and changes nothing.": Deletes,
            },
            hints=(
                "At which places of the folder does a turn begin? Collect them first.",
                "The n-th place from the end is where to begin, if there are so many.",
            ),
        ),
    ),
)
