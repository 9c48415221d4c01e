"""What lesson 04 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-any-generics
# mypy: disable-error-code="attr-defined, operator"
# What is kept is written as a learner writes it: without types.

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from mingraph_lite.agent import Agent
from mingraph_lite.cards import CallingModel, RunningTools
from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Arrangement,
    Exercise,
    Lesson,
    Spy,
    function_of,
    replaced,
    written,
)
from mingraph_lite.classroom.checks.answer_words import wrong_declined
from mingraph_lite.classroom.checks.cards_by_hand import (
    CALLS,
    THREE,
    Desk,
    asked_desk,
    at_the_errands,
    inherited,
    not_a_card,
    played,
    wrong_cards,
)
from mingraph_lite.classroom.checks.left_behind import GONE, made_up, taken_away
from mingraph_lite.classroom.plain import not_plain
from mingraph_lite.lab import ReadingLLM
from mingraph_lite.lab.scenarios import (
    get_weather,
    never_satisfied,
    paris_and_tokyo,
    to_fahrenheit,
)
from mingraph_lite.messages import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    open_slips,
    problems,
)
from mingraph_lite.own_cards import is_card

# What is kept: the cards of the hand-made loop


@dataclass
class Waiting:
    step: int = 1

    def run(self, desk):
        if self.step > 10:
            return HungUp()
        reply = desk.llm.generate(desk.folder, desk.tools.menu()).message
        desk.folder.append(reply)
        return Errands(reply.tool_calls, self.step) if reply.tool_calls else HungUp()


@dataclass
class Errands:
    calls: tuple
    step: int = 1

    def run(self, desk):
        for call in self.calls:
            value = str(desk.tools.run(call))
            desk.folder.append(ToolMessage(value, call.id, call.name))
        return Waiting(self.step + 1)


class HungUp:
    def run(self, desk):
        return None


def play(card, desk):
    stops = []
    while card is not None:
        stops.append((type(card).__name__, len(desk.folder)))
        card = card.run(desk)
    return stops


@dataclass
class AskingHuman:
    card: object
    otherwise: object
    ask: object

    def run(self, desk):
        if all(self.ask(call) for call in self.card.calls):
            return self.card
        for call in self.card.calls:
            desk.answer(call, "declined")
        return self.otherwise


# 1: the loop, turned into cards


def handed_in(answer: object, *names: str) -> dict[str, Any] | None:
    """The pieces by their names, or None where one of them is lacking."""
    if not isinstance(answer, tuple | list):
        return None
    found = {getattr(one, "__name__", ""): one for one in answer}
    cards = [found.get(name) for name in names if name != "play"]
    whole = all(isinstance(card, type) for card in cards)
    return found if whole and callable(found.get("play", len)) else None


BOTH = "Hand in both classes, not cards made of them: check(1, (Waiting, Errands))."


def two_cards(answer: object) -> str | None:
    pieces = handed_in(answer, "Waiting", "Errands")
    if pieces is None:
        return BOTH
    waiting, errands = pieces["Waiting"], pieces["Errands"]
    if wrong := inherited(waiting, errands):
        return wrong
    following = [
        errands(CALLS, 1).run(at_the_errands()),
        waiting(1).run(asked_desk(ReadingLLM())),
    ]
    if following == [None, None]:
        return f"{STILL_THE_STUB}, or its returns are missing: no card is handed back."
    return wrong_cards(waiting, errands)


# 2: play, and stop before a card

UNTIL = Arrangement(
    header="def play_until(kind, card, desk):",
    lines=(
        "while card is not None:",
        "    if isinstance(card, «kind»):",
        "        return «card»",
        "    card = card.run(desk)",
        "return None",
    ),
    extra="card.run(desk)",
)


@dataclass
class _Noted:
    """A card that notes that it ran."""

    ran: list[Any]
    following: Any = None

    def run(self, desk: object) -> Any:
        if self in self.ran:
            raise _Again
        if not isinstance(desk, Desk):
            raise _NoDesk
        self.ran.append(self)
        return self.following

    def __eq__(self, other: object) -> bool:
        return self is other


class _Other(_Noted):
    """Another kind of card."""


class _Again(Exception):
    """A card was run once more."""


class _NoDesk(Exception):
    """A card was run on something else."""


AGAIN = "A card is run twice. What run hands back is the next card: take it."


def stops_before(answer: str) -> str | None:
    until: Any = function_of(answer, "play_until")
    ran: list[Any] = []
    last = _Noted(ran)
    other = _Other(ran, last)
    first = _Noted(ran, other)
    nobody, desk = type("Nobody", (), {}), asked_desk(ReadingLLM())
    try:
        met = until(_Other, first, desk)
        if isinstance(met, type):
            return "It hands back a class. Whoever goes on needs the card in the hand."
        if met is first:
            return "It hands back the first card, whatever its kind."
        if other in ran:
            return "It plays past the card that it should stop at."
        if met is None:
            return (
                "It ends before such a card comes, and hands back nothing. Look at its "
                "returns, and at how deep each one stands."
            )
        if met is not other:
            return "It hands back something else than the card in the hand."
        if ran != [first]:
            return "The card that it stops at has run already. Look before you run."
        ran.clear()
        if until(_Other, other, desk) is not other or ran:
            return "The card in the hand is of that kind, and it runs all the same."
        if until(nobody, first, desk) is not None or ran != [first, other, last]:
            return "Where no such card comes, it plays each card once, to the end."
    except _Again:
        return AGAIN
    except _NoDesk:
        return "A card is run on something else than the desk: card.run(desk)."
    return None


def until(*lines: str) -> str:
    return "\n".join([UNTIL.header, *("    " + line for line in lines)])


# 3: a ceiling on the card

LIMIT = 10


def with_a_ceiling(answer: object) -> str | None:
    pieces = handed_in(answer, "Waiting", "Errands", "HungUp", "play")
    if pieces is None or "play" not in pieces:
        return "Hand in all four: check(3, (Waiting, Errands, HungUp, play))."
    waiting, errands = pieces["Waiting"], pieces["Errands"]
    if wrong := inherited(waiting, errands) or not_plain(pieces["play"]):
        return wrong
    ours = (waiting, errands)
    if errands(CALLS, 1).run(at_the_errands()) is None:
        return f"{STILL_THE_STUB}: Errands, of exercise 1, hands back no card."
    return (
        wrong_end(ours)
        or wrong_cards(*ours)
        or wrong_in_a_long_folder(waiting)
        or wrong_play(pieces["play"], waiting)
    )


def wrong_end(ours: tuple[Any, Any]) -> str | None:
    """What is wrong with the end of a run whose model always asks once more."""
    waiting = ours[0]
    for run in range(2):
        desk = asked_desk(never_satisfied.llm())
        start = list(desk.folder)
        try:
            cards = played(waiting(1), desk)
        except Exception:
            if len(desk.spy.heard) < LIMIT:
                raise
            return "At the limit it raises. Lesson 05 does so; here, hand back an end."
        calls, last = len(desk.spy.heard), type(cards[-2])
        if cards[-1] is not None and not is_card(cards[-1]):
            return f"After {calls} calls: {not_a_card(last.__name__, cards[-1])}"
        if cards[-1] is not None:
            return no_end(waiting, calls)
        if calls == 0 and run == 0 and last not in ours:
            return (
                "Round 1 ends before the model was called. Look at the if: it is "
                f"enough in round {LIMIT + 1}. Or runs before this one have used "
                "the number up: it belongs on the card."
            )
        if calls == 0 and last not in ours:
            return (
                "A second run finds the number used up. It belongs on the card, so "
                "that each run begins at 1."
            )
        if calls == LIMIT and (wrong := taken_away(start, desk.folder, calls)):
            return wrong
        if open_slips(desk.folder) and calls > 1:
            return (
                "The run ends with a slip that has no answer. Look at the number "
                "before you call the model."
            )
        if calls != LIMIT and last not in ours:
            return f"{LIMIT} calls are allowed, and this Waiting makes {calls} of them."
        if last is waiting and calls > 1:
            return (
                "At the limit Waiting hands back nothing, just as a card does that "
                "forgot its return. Hand back a card that is an end."
            )
        if len(desk.spy.ran) > len(desk.told):
            return f"{desk.spy.ran[-1]} ran at the limit, and no slip had asked for it."
        if wrong := made_up(start, desk.folder):
            return wrong
        if found := problems(desk.folder):
            return f"At the limit the folder is not in order: {found[0]}"
    return None


def no_end(waiting: Any, calls: int) -> str:
    desk = asked_desk(never_satisfied.llm())
    following = waiting(LIMIT + 1).run(desk)
    if desk.spy.heard and hasattr(following, "calls"):
        return (
            f"{STILL_THE_STUB}: a model that always asks once more has been called "
            f"{calls} times, and there is no end."
        )
    return f"Round {LIMIT + 1} begins, and after {calls} calls there is no end."


def wrong_in_a_long_folder(waiting: Any) -> str | None:
    """What is wrong where much was said before this run began."""
    earlier: list[Any] = []
    for _ in range(LIMIT + 2):
        earlier += [UserMessage("Hello."), AssistantMessage("Hello to you.")]
    desk = asked_desk(ReadingLLM())
    desk.folder[:0] = earlier
    played(waiting(1), desk)
    if isinstance(desk.folder[-1], AssistantMessage) and desk.folder[-1].content:
        return None
    return (
        "With much in the folder from yesterday, this run ends too early. Its rounds "
        "are counted on the card."
    )


def wrong_play(play_it: Callable[[Any, Any], object], waiting: Any) -> str | None:
    strange = wrong_with_strange_cards(play_it)
    if strange == f"In play: {AGAIN}":
        return strange
    for slips in (9, 1):
        desk, ours = asked_desk(ReadingLLM(slips)), asked_desk(ReadingLLM(slips))
        play_it(waiting(1), desk)
        played(waiting(1), ours)
        if len(desk.spy.story) > len(ours.spy.story):
            return f"In play: {AGAIN}"
        if desk.folder != ours.folder:
            return "play does not come to the end of a run."
    return strange


def wrong_with_strange_cards(play_it: Callable[[Any, Any], object]) -> str | None:
    """What is wrong with a play that goes by the names of cards."""
    ran: list[Any] = []
    last = _Noted(ran)
    first = _Noted(ran, _Other(ran, last))
    unknown = (
        "play knows the names of some cards only. It is handed others too: go on until "
        "None comes."
    )
    try:
        play_it(first, asked_desk(ReadingLLM()))
    except _Again:
        return f"In play: {AGAIN}"
    except AttributeError as error:
        if "NoneType" not in str(error):
            raise
        return unknown
    return None if len(ran) == 3 else unknown


# 4: a human before the tools


DECISIONS: tuple[tuple[tuple[str, ...], tuple[ToolCall, ...]], ...] = (
    ((), CALLS),
    (("Paris",), CALLS),
    (("Tokyo",), CALLS),
    (("Paris", "Tokyo"), CALLS),
    (("Paris", "Tokyo"), THREE),
    (("Paris", "Tokyo", "Oslo"), THREE),
    (("Paris",), CALLS[:1]),
)
"""For which cities the human says yes, and which slips there are."""


def asks_a_human(answer: object) -> str | None:
    if not isinstance(answer, type):
        return "Hand in the class itself: AskingHuman, without brackets behind it."
    if wrong := inherited(answer):
        return wrong
    for says_yes, calls in DECISIONS:
        if wrong := wrong_decision(answer, says_yes, calls):
            return wrong
    return asks_again(answer) or wrong_in_agent(answer)


def wrong_decision(
    asking: Any, yes: tuple[str, ...], calls: tuple[ToolCall, ...] = CALLS
) -> str | None:
    desk = at_the_errands(calls)
    spy, start = desk.spy, list(desk.folder)

    def ask(call: ToolCall) -> bool:
        if not isinstance(call, ToolCall):
            raise TypeError(f"ask takes one slip, and got {call!r:.60}")
        spy.note(f"human {call.arguments['city']}")
        return call.arguments["city"] in yes

    card, otherwise = Errands(calls, 1), Waiting(2)
    following = asking(card, otherwise, ask).run(desk)
    if desk.folder[: len(start)] != start:
        return GONE
    asked = {what for what in spy.story if what.startswith("human")}
    if not asked:
        if spy.ran:
            return "The tools ran, and nobody was asked."
        if following is card:
            return f"{STILL_THE_STUB}: nobody is asked."
        return "Nobody is asked: call self.ask(call) for each slip of self.card.calls."
    if spy.ran:
        first = "before" if spy.story[0].startswith("ran") else "after"
        return (
            f"A tool ran on this card, {first} the human was asked. Errands are run "
            "on their own card."
        )
    if spy.heard:
        return (
            "The model was called on this card. Hand back the next card, and do not "
            "run it here."
        )
    if len(yes) == len(calls):
        return wrong_yes(following, desk, calls)
    return wrong_no(following, desk, asked, yes, calls)


def asks_again(asking: Any) -> str | None:
    """What is wrong where a human has to say the same thing twice."""
    for yes in ("Paris", "Tokyo", ""):
        asked: list[Any] = []

        def ask(call: Any, yes: str = yes, asked: list[Any] = asked) -> bool:
            asked.append(call.arguments["city"])
            return str(call.arguments["city"]) == yes

        asking(Errands(CALLS, 1), Waiting(2), ask).run(at_the_errands())
        twice = [city for city in asked if asked.count(city) > 1]
        if twice:
            return (
                f"The human is asked about {twice[0]} more than once. Ask once for "
                "each slip, and remember what was said."
            )
    return None


def wrong_yes(following: Any, desk: Desk, calls: tuple[ToolCall, ...]) -> str | None:
    if wrong := not_a_card("AskingHuman", following):
        return f"Every answer was yes. {wrong}"
    if desk.told:
        return "Every answer was yes, and a slip was declined all the same."
    cards = played(following, desk)
    weather = [ran for ran in desk.spy.ran if ran.startswith("get_weather")]
    once = all(weather.count(str(call)) == 1 for call in calls)
    if not once or problems(desk.folder):
        return "Every answer was yes, and the errands did not run once each."
    return None if cards[-1] is None else "Every answer was yes, and there is no end."


def wrong_no(
    following: Any,
    desk: Desk,
    asked: set[str],
    yes: tuple[str, ...],
    calls: tuple[ToolCall, ...],
) -> str | None:
    if wrong := not_a_card("AskingHuman", following):
        return f"The human said no. {wrong}"
    first = list(desk.told)
    said = [message.content for message in first]
    # Before it is played on: a number that nobody measured would be converted.
    for text in said:
        if wrong := wrong_declined(text):
            return wrong
    played(following, desk)
    if desk.spy.ran and yes == ("Paris",) and len(asked) == 1:
        return "The human was asked about Paris alone, and the slip for Tokyo ran."
    if desk.spy.ran:
        return "The human said no to a slip, and a tool ran all the same."
    ids = [message.tool_call_id for message in first]
    if len(set(ids)) < len(ids) or set(ids) - {call.id for call in calls}:
        return "Each slip gets one answer, under its own ticket number."
    if len(ids) < len(calls):
        many = "none" if not ids else f"{len(ids)}"
        count = "two" if len(calls) == 2 else "three"
        return f"After a no, {count} slips need an answer, and {many} of them has one."
    if not desk.spy.heard:
        return "After a no the call is over, and the model never hears of it."
    return None


def wrong_in_agent(asking: Any) -> str | None:
    """The same card, laid before the package's."""
    card, otherwise = RunningTools(CALLS, 1), CallingModel(2)
    for says in (True, False):
        desk = at_the_errands()
        following = asking(card, otherwise, lambda call, says=says: says).run(desk)
        if type(following) not in (RunningTools, CallingModel):
            return (
                f"It hands back {type(following).__name__}(…), of its own making. What "
                "comes next was given to it: self.card, or self.otherwise."
            )
    for says in (True, False):
        spy = Spy()

        def lay(card: Any, says: bool = says) -> Any:
            return asking(card, CallingModel(card.step + 1), lambda call: says)

        agent = Agent(
            ReadingLLM(),
            spy.tools(get_weather, to_fahrenheit),
            "",
            before={RunningTools: lay},
        )
        try:
            answer = agent.run(paris_and_tokyo.question)["answer"]
        except AttributeError as error:
            if "folder" not in str(error):
                raise
            return (
                "It works on your desk, and the package's desk has no such folder. "
                'Both have desk.answer(call, "declined").'
            )
        if spy.ran and not says:
            return "In the package's agent the human said no, and the tools ran."
        if bool(spy.ran) is not says or problems(agent.memory.folder):
            return f"In the package's agent it ends with {answer!r}."
    return None


# Answers, right and wrong

SEEN = {
    "dataclass": dataclass,
    "replace": replace,
    "ToolMessage": ToolMessage,
    "AssistantMessage": AssistantMessage,
}
SOURCES = [inspect.getsource(one) for one in (Waiting, Errands, HungUp, play)]
CEILING = "        if self.step > 10:\n            return HungUp()\n"
NO_CEILING = (CEILING, "")
PASS_ON = "return Errands(reply.tool_calls, self.step) if"
FILED_AT_THE_END = CEILING.replace(
    "            return",
    '            desk.folder.append(AssistantMessage("Stopped"))\n            return',
)
FILE = "            desk.folder.append(ToolMessage(value, call.id, call.name))\n"
COMES_BACK = "        return Waiting(self.step + 1)"


def cards(*changes: tuple[str, str]) -> tuple[Any, ...]:
    """Our cards and our play, with some of their lines changed."""
    code = replaced("\n\n".join(SOURCES), *chain(*changes))
    made = written(code, count=count, **SEEN)
    return made["Waiting"], made["Errands"], made["HungUp"], made["play"]


def bare(*changes: tuple[str, str]) -> tuple[Any, ...]:
    """The two cards of the first exercise, changed."""
    return cards(NO_CEILING, *changes)[:2]


ASK = "        if all(self.ask(call) for call in self.card.calls):\n"
DECLINE = (
    '        for call in self.card.calls:\n            desk.answer(call, "declined")\n'
)


def asking(*changes: tuple[str, str]) -> Any:
    """Our AskingHuman, changed."""
    code = replaced(inspect.getsource(AskingHuman), *chain(*changes))
    ours = {"HungUp": HungUp, "Waiting": Waiting, "Errands": Errands}
    return written(code, CallingModel=CallingModel, **ours, **SEEN)["AskingHuman"]


WAITS = "    def run(self, desk):\n        reply"
WAITS_LATER = WAITS.replace("def", "async def")
NEXT = "Errands(reply.tool_calls, self.step) if reply.tool_calls else HungUp()"
LOOP = "        for call in self.calls:\n"
RUN = "            value = str(desk.tools.run(call))\n"
BY_HAND_STUB = bare(
    (f"        return {NEXT}\n", "        ...\n"),
    (COMES_BACK, "        ..."),
)
NOT_ASKING = asking(
    (ASK, ""), ("            return self.card\n", "        return self.card\n")
)
AN_END = (
    "class HungUp",
    "@dataclass\nclass GaveUp:\n    why: str\n\n    def run(self, desk):\n        pass"
    "\n\n\nclass HungUp",
)


class Inherits:
    """Answers that write no rule of their own."""

    class Errands(RunningTools):
        pass

    AskingHuman = type("AskingHuman", (AskingHuman,), {"__module__": "notebook"})


BY_HAND = Exercise(
    check=two_cards,
    stub=BY_HAND_STUB,
    solution=bare(),
    mistakes={
        "2 slips came, and 1 ran. Look at the for, and at where the "
        "return stands.": bare((COMES_BACK, f"    {COMES_BACK}")),
        "2 slips came, and 0 ran. Look at the for, and at where the "
        "return stands.": bare((LOOP, LOOP.replace("self.calls", "self.calls[:0]"))),
        "The folder has an answer, and no tool has run: nobody knows if"
        " it holds.": bare((RUN, RUN.replace("str(desk.tools.run(call))", '"18"'))),
        "The errands are done. Errands hands back nothing here, so the "
        "run ends without a word. Each way out of its run returns a "
        "card.": bare((COMES_BACK, "        Waiting(self.step + 1)")),
        "The errands are done. Errands hands back the class Waiting. A "
        "card is made by calling it: Waiting(…).": bare(
            (COMES_BACK, "        return Waiting")
        ),
        'get_weather(city="Paris") ran 2 times for one slip.': bare((RUN, RUN + RUN)),
        "2 slips need 2 answers, and the folder has 4.": bare((FILE, FILE + FILE)),
        "The reply passed 2 slips, and 1 went along to the errands.": bare(
            ("reply.tool_calls, self.step)", "reply.tool_calls[:1], self.step)")
        ),
        "An answer has another ticket number than its slip.": bare(
            ("value, call.id", "value, self.calls[0].id")
        ),
        "An answer says something else than its own tool gave back.": bare(
            ("value, call.id", "value, self.calls[-1 - self.calls.index(call)].id")
        ),
        "After the errands come the same errands again, and so on for ever.": bare(
            (COMES_BACK, "        return Errands(self.calls, self.step)")
        ),
        "The errands are done, and the model never hears what came of them.": bare(
            (COMES_BACK, "        return HungUp()")
        ),
        "After round 1 comes 2, and this Waiting says 1. Who counts, and when?": bare(
            (COMES_BACK, "        return Waiting(self.step)")
        ),
        "The errands of round 2 belong to round 2, and this Errands "
        "says 3. Who counts, and when?": bare(
            ("reply.tool_calls, self.step)", "reply.tool_calls, self.step + 1)")
        ),
        "A tool runs on Waiting. Errands are run in the second situation only.": bare(
            (NEXT, f"[desk.tools.run(call) for call in reply.tool_calls] and {NEXT}")
        ),
        "After Waiting the folder has the reply, once, and nothing else new.": bare(
            ("        desk.folder.append(reply)\n", "")
        ),
        "Errands calls the model. That is the rule of Waiting.": bare(
            (COMES_BACK, f"{COMES_BACK}.run(desk)")
        ),
        "A reply may hold a text beside its slips, and these got lost. Ask "
        "whether there are slips, not whether there is a text.": bare(
            (NEXT, NEXT.replace("if reply.tool_calls", "if not reply.content"))
        ),
        "A reply without slips is the answer, and the call goes on all the same.": bare(
            (NEXT, NEXT.replace("HungUp()", "Waiting(self.step + 1)"))
        ),
        "3 slips came, and 2 ran. Look at the for, and at where the "
        "return stands.": bare((LOOP, LOOP.replace("self.calls", "self.calls[:2]"))),
        "On an answer stands 'tool', and its tool is call.name.": bare(
            ("call.id, call.name", "call.id, 'tool'")
        ),
        "The reply passed 2 slips, and a single ToolCall went along to the errands: "
        "reply.tool_calls are all of them.": bare(
            ("reply.tool_calls, self.step)", "reply.tool_calls[0], self.step)")
        ),
        "What stood in the folder before is gone. It only grows: append.": bare(
            (LOOP, f"        desk.folder.clear()\n{LOOP}")
        ),
        "The model passed no slip, as if it had no tools. Read out folder and menu: "
        "generate(desk.folder, desk.tools.menu()).": bare(
            ("desk.folder, desk.tools.menu()", "desk.folder")
        ),
        "Waiting.run is an async def, and nobody waits for it: a plain def.": bare(
            (f"    step: int = 1\n\n{WAITS}", f"    step: int = 1\n\n{WAITS_LATER}")
        ),
        "Errands writes no rule of its own: its run is inherited.": (
            bare()[0],
            Inherits.Errands,
        ),
        BOTH: bare()[0],
    },
    also_right={
        "the answers in another order": bare(
            (LOOP, LOOP.replace("self.calls", "reversed(self.calls)"))
        ),
        "a list of slips": bare(
            ("Errands(reply.tool_calls,", "Errands(list(reply.tool_calls),")
        ),
        "an end card of one's own": bare(
            (NEXT, NEXT.replace("HungUp()", 'GaveUp("answered")')), AN_END
        ),
        "all four pieces": cards(NO_CEILING),
        "a limit already there": cards(),
        "an if and two returns": bare(
            (
                f"        return {NEXT}\n",
                "        if not reply.tool_calls:\n            return HungUp()\n"
                "        return Errands(calls=reply.tool_calls, step=self.step)\n",
            )
        ),
        "the desk answers": bare(
            (FILE, "            desk.answer(call, value)\n"),
        ),
    },
    hints=(
        "The lines of your loop stay; where it went round, a card is handed back.",
        "Errands does what your for did, then hands back Waiting, one round on.",
    ),
)
ORDERED = Exercise(
    check=stops_before,
    stub="",
    solution=UNTIL.solution,
    mistakes={
        "A card is run twice. What run hands back is the next card: "
        "take it.": UNTIL.solution.replace("card = card.run(desk)", "card.run(desk)"),
        "The card in the hand is of that kind, and it runs all the same.": until(
            "while card is not None:",
            "    card = card.run(desk)",
            "    if isinstance(card, kind):",
            "        return card",
            "return None",
        ),
        "It hands back the first card, whatever its kind.": UNTIL.solution.replace(
            "            return card", "            card = card.run(desk)"
        ).replace(
            "        card = card.run(desk)\n    return None",
            "        return card\n    return None",
        ),
        "It hands back a class. Whoever goes on needs the card in the "
        "hand.": UNTIL.solution.replace("return card", "return kind"),
        "It plays past the card that it should stop at.": UNTIL.solution.replace(
            "return card", "return card.run(desk)"
        ),
        "It ends before such a card comes, and hands back nothing. Look at its "
        "returns, and at how deep each one stands.": UNTIL.solution.replace(
            "    return None", "        return None"
        ),
        "It hands back something else than the card in the "
        "hand.": UNTIL.solution.replace("return card", "return desk"),
        "A card is run on something else than the desk: card.run(desk).": (
            UNTIL.solution.replace("card.run(desk)", "card.run(card)")
        ),
        "Where no such card comes, it plays each card once, to the end.": until(
            "for _ in range(2):",
            "    if isinstance(card, kind):",
            "        return card",
            "    card = card.run(desk)",
            "return None",
        ),
    },
    also_right={
        "both questions in the while": until(
            "while card is not None and not isinstance(card, kind):",
            "    card = card.run(desk)",
            "return card",
        ),
        "it calls itself": until(
            "if card is None or isinstance(card, kind):",
            "    return card",
            "return play_until(kind, card.run(desk), desk)",
        ),
    },
    hints=(
        "Look at the card in the hand before you run it.",
        "The kind is asked for by isinstance; what comes back is the card itself.",
    ),
    arrangement=UNTIL,
)
CEILED = Exercise(
    check=with_a_ceiling,
    stub=cards(NO_CEILING),
    solution=(Waiting, Errands, HungUp, play),
    mistakes={
        "10 calls are allowed, and this Waiting makes 11 of them.": cards(
            ("self.step > 10", "self.step > 11")
        ),
        "10 calls are allowed, and this Waiting makes 9 of them.": cards(
            ("self.step > 10", "self.step >= 10")
        ),
        "At the limit Waiting hands back nothing, just as a card does "
        "that forgot its return. Hand back a card that is an end.": cards(
            (CEILING, CEILING.replace("HungUp()", "None"))
        ),
        "The run ends with a slip that has no answer. Look at the "
        "number before you call the model.": cards(
            NO_CEILING,
            (
                f"        return {NEXT}",
                f"{CEILING.replace('> 10', '>= 10')}        return {NEXT}",
            ),
        ),
        "A second run finds the number used up. It belongs on the card,"
        " so that each run begins at 1.": cards(
            (CEILING, CEILING.replace("self.step", "next(Waiting.count)")),
            (
                "    step: int = 1\n\n    def run(self, desk):\n        if",
                "    step: int = 1\n    count = count(1)\n\n"
                "    def run(self, desk):\n        if",
            ),
        ),
        "At the limit it raises. Lesson 05 does so; here, hand back an end.": cards(
            (CEILING, CEILING.replace("return HungUp()", "raise RuntimeError(10)"))
        ),
        "With much in the folder from yesterday, this run ends too "
        "early. Its rounds are counted on the card.": cards(
            (CEILING, CEILING.replace("self.step > 10", "len(desk.folder) > 20"))
        ),
        "Round 11 begins, and after 38 calls there is no end.": cards(
            (CEILING, CEILING.replace("HungUp()", "Waiting(1)"))
        ),
        "play does not come to the end of a run.": cards(
            ("card = card.run(desk)", "card = card.run(desk) and None")
        ),
        "In play: A card is run twice. What run hands back is the next card: take "
        "it.": cards(
            ("card = card.run(desk)", "card.run(desk)\n        card = card.run(desk)")
        ),
        "play knows the names of some cards only. It is handed others too: go on until "
        "None comes.": cards(
            ("while card is not None:", 'while type(card).__name__ != "HungUp":')
        ),
        "At its end the folder says 'Stopped', and nobody said that: no model, no "
        "tool. File only what they gave.": cards((CEILING, FILED_AT_THE_END)),
        "What stood in the folder before is gone. It only grows: append.": cards(
            (
                CEILING,
                CEILING.replace("return", "desk.folder.clear()\n            return"),
            )
        ),
        "Round 1 ends before the model was called. Look at the if: it is enough in "
        "round 11. Or runs before this one have used the number up: it belongs on "
        "the card.": cards((CEILING, CEILING.replace("self.step > 10", "True"))),
        "After 10 calls: Waiting hands back the class HungUp. A card is made by "
        "calling it: HungUp(…).": cards(
            (CEILING, CEILING.replace("HungUp()", "HungUp"))
        ),
        "Hand in all four: check(3, (Waiting, Errands, HungUp, play)).": cards()[:2],
    },
    also_right={
        "an end card of one's own": cards(
            (CEILING, CEILING.replace("HungUp()", 'GaveUp("after ten calls")')), AN_END
        ),
        "the other way round": cards(
            (CEILING, CEILING.replace("self.step > 10", "not self.step <= 10"))
        ),
        "a play that hands back nothing": cards(("    return stops\n", "")),
        "a limit on the way out of the errands": cards(
            NO_CEILING,
            (COMES_BACK, f"{COMES_BACK} if self.step < 10 else HungUp()"),
        ),
    },
    keeps=("Waiting", "Errands", "HungUp", "play"),
    hints=(
        "At which number is one call too many, and where does the card look at it?",
        "The first two lines of run: if the step is above 10, hand back an end.",
    ),
)
HUMAN = Exercise(
    check=asks_a_human,
    stub=NOT_ASKING,
    solution=AskingHuman,
    mistakes={
        "The human was asked about Paris alone, and the slip for Tokyo ran.": asking(
            (ASK, ASK.replace("all(", "any("))
        ),
        "A tool ran on this card, before the human was asked. Errands "
        "are run on their own card.": asking(
            (
                ASK,
                "        [desk.answer(c, desk.tools.run(c)) for c in self.card.calls]\n"
                + ASK,
            )
        ),
        "A tool ran on this card, after the human was asked. Errands "
        "are run on their own card.": asking(
            ("return self.card\n", "return self.card.run(desk)\n")
        ),
        "The human said no to a slip, and a tool ran all the same.": asking(
            ("return self.otherwise", "return self.card")
        ),
        "After a no, two slips need an answer, and none of them has one.": asking(
            (DECLINE, "")
        ),
        "After a no, two slips need an answer, and 1 of them has one.": asking(
            (
                "            desk.answer(",
                "            if not self.ask(call):\n                desk.answer(",
            )
        ),
        "Each slip gets one answer, under its own ticket number.": asking(
            ("desk.answer(call,", "desk.answer(self.card.calls[0],")
        ),
        "After a no the call is over, and the model never hears of it.": asking(
            ("return self.otherwise", "return HungUp()")
        ),
        "The human said no. AskingHuman hands back nothing here, so the"
        " run ends without a word. Each way out of its run returns a "
        "card.": asking(("        return self.otherwise", "")),
        "It works on your desk, and the package's desk has no such "
        'folder. Both have desk.answer(call, "declined").': asking(
            (
                'desk.answer(call, "declined")',
                'desk.folder.append(ToolMessage("declined", call.id, call.name))',
            )
        ),
        "It hands back Waiting(…), of its own making. What comes next was given to it: "
        "self.card, or self.otherwise.": asking(
            ("return self.otherwise", "return Waiting(2)")
        ),
        "It hands back Errands(…), of its own making. What comes next was given to it: "
        "self.card, or self.otherwise.": asking(
            ("return self.card\n", "return Errands(self.card.calls, 1)\n")
        ),
        "Nobody is asked: call self.ask(call) for each slip of "
        "self.card.calls.": asking((ASK, ""), ("            return self.card\n", "")),
        "The human said no, and a slip says 18. Nobody measured that.": asking(
            ('"declined"', '"18"')
        ),
        "The human said no. AskingHuman hands back CallingModel, a card of the "
        "package, which works at another desk. Hand back one of your own.": asking(
            ("return self.otherwise", "return CallingModel(2)")
        ),
        "The human is asked about Paris more than once. Ask once for each slip, and "
        "remember what was said.": asking(
            (
                'desk.answer(call, "declined")',
                "desk.answer(call, WORDS[self.ask(call)])",
            ),
            (
                "@dataclass",
                'WORDS = "declined", "declined with the other"\n\n\n@dataclass',
            ),
        ),
        "The model was called on this card. Hand back the next card, and do not run "
        "it here.": asking(
            ("return self.otherwise", "return self.otherwise.run(desk)")
        ),
        "What stood in the folder before is gone. It only grows: append.": asking(
            (ASK, f"        desk.folder.clear()\n{ASK}")
        ),
        "The model reads 'no'. Let the answer slip say that a human declined.": asking(
            ('"declined"', '"no"')
        ),
        "AskingHuman writes no rule of its own: its run is "
        "inherited.": Inherits.AskingHuman,
        "Hand in the class itself: AskingHuman, without brackets behind"
        " it.": AskingHuman(None, None, None),
    },
    also_right={
        "a list of answers": asking(
            (
                ASK,
                "        said = [self.ask(call) for call in self.card.calls]\n"
                "        if False not in said:\n",
            )
        ),
        "other words that say declined": asking(
            ('"declined"', '"Declined by a human."')
        ),
        "who stopped it": asking(('"declined"', '"Stopped by a human."')),
        "who did not authorise it": asking(
            ('"declined"', '"No human has authorised this."')
        ),
        "other words without declined": asking(
            ('"declined"', '"A human did not allow this."')
        ),
        "the answers in another order": asking(
            ("for call in self.card.calls:", "for call in reversed(self.card.calls):")
        ),
        "the held card, without its slips": asking(
            ("return self.otherwise", "return replace(self.card, calls=())")
        ),
    },
    keeps=("AskingHuman",),
    hints=(
        "Ask about every slip before you decide which of the two cards comes next.",
        "On a no, desk.answer each slip of self.card.calls, then the other card.",
    ),
)
LESSON = Lesson(
    "04_cards",
    sentences={
        "paris": {
            "in the folder": "The folder keeps what was said, the answer slip with 18 "
            "included. The card in the hand says only where we are: call the model, "
            "round 2.",
            "on the card": "The card in the hand is Waiting, round 2. It says what to "
            "do now and keeps no history; the answer slip is in the folder.",
            "in the loop": "play has one card in its hand, and a list of names. It "
            "would lose the 18 at the next turn; the answer slip is in the folder.",
        },
        "picks": {
            "0": "play takes what it is handed. Waiting names Errands, in the last "
            "line of its own run.",
            "1": "card = card.run(desk) looks like the line, and it names nobody: it "
            "takes what it is handed. Waiting names Errands, in its own run.",
        },
        "logbook": {
            "the folder alone": "It was there from start to end, every card read it or "
            "wrote to it, and its first line is still in it. The card was another one "
            "at each stop.",
            "the card alone": "Nothing is written on a card, and at the next stop it "
            "is gone: another has taken its place. What stays and grows is the folder.",
            "both of them": "The folder is such a book. On a card nobody writes: "
            "Errands is made with its slips, and is gone at the next stop.",
        },
    },
    exercises=(BY_HAND, ORDERED, CEILED, HUMAN),
)
