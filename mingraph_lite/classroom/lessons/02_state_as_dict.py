"""What lesson 02 asks: sentences for its predictions, and its exercises."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# What is kept is written as a learner writes it, without type hints.

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from mingraph_lite.classroom import (
    STILL_THE_STUB,
    Arrangement,
    Exercise,
    Lesson,
    function_of,
    numbers_in,
    replaced,
)
from mingraph_lite.classroom.checks.tallies import (
    NO_RETURN,
    Run,
    names,
    wrong_lists,
    wrong_notes,
    wrong_run,
)
from mingraph_lite.classroom.words import listed
from mingraph_lite.lab.scenarios import (
    add_and_upper,
    never_satisfied,
    paris_and_tokyo,
    weather_slip,
)
from mingraph_lite.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage


def write_down(tally, call, result):
    tally["tool_calls"].append(call)
    tally["results"].append(result)


def badge(tally):
    cities = sum(call.name == "get_weather" for call in tally["tool_calls"])
    return f"Looked up {cities} {'city' if cities == 1 else 'cities'}"


def paired(tool_calls, folder):
    texts = {}
    for message in folder:
        if isinstance(message, ToolMessage):
            texts[message.tool_call_id] = message.content
    return [(call, texts.get(call.id)) for call in tool_calls]


def quiet(kind, text):
    """Nobody listens."""


def tally_loop(llm, tools, folder, limit=5, note=quiet):
    tally = {"turns": 0, "tool_calls": [], "results": []}
    tally["answer"], tally["reason"] = None, "the turns are used up"
    for _ in range(limit):
        tally["turns"] += 1
        note("model call", f"turn {tally['turns']}")
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            tally["answer"], tally["reason"] = reply.content, "answered"
            break
        for call in reply.tool_calls:
            result = tools.run(call)
            tally["tool_calls"].append(call)
            tally["results"].append(result)
            note("tool result", f"{call}: {result}")
            folder.append(ToolMessage(str(result), call.id, call.name))
    note("end", tally["reason"])
    return tally


COUNTED = Arrangement(
    header="def counted(llm, tools, folder, limit=5):",
    lines=(
        'tally = {"turns": 0, "tool_calls": [], "results": []}',
        "for _ in range(limit):",
        '    tally["turns"] += «1»',
        "    reply = llm.generate(folder, tools.menu()).message",
        "    folder.append(reply)",
        "    for call in reply.tool_calls:",
        "        result = tools.run(call)",
        '        tally["tool_calls"].append(«call»)',
        '        tally["results"].append(«result»)',
        "        folder.append(ToolMessage(str(result), call.id, call.name))",
        "    if not reply.tool_calls:",
        "        break",
        "return tally",
    ),
    extra='tally["turns"] += len(reply.tool_calls)',
)

THREE = "How warm is it in Paris, in Tokyo and in Oslo?"
COUNTS = ("turns", "tool_calls", "results")
CALLS = (
    weather_slip(1, "Paris"),
    weather_slip(2, "Tokyo"),
    ToolCall("upper", {"text": "hello"}, "call_3"),
)


def writes_both_down(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: write_down, without brackets behind it."
    errands = (*CALLS[:2], weather_slip(4, "Paris"), CALLS[2])
    brought: list[object] = ["18", 24, "18", "HELLO"]
    tally: dict[str, Any] = {"tool_calls": [], "results": []}
    other: dict[str, Any] = {"tool_calls": [], "results": []}
    for call, result in zip(errands, brought, strict=True):
        answer(tally, call, result)
    answer(other, CALLS[1], "24")
    if not any([*tally.values(), *other.values()]):
        return (
            f"{STILL_THE_STUB}, or it fills a dict of its own: after four errands the "
            "one that is handed in has two empty lists."
        )
    if _share(tally, other):
        return "It writes into a list of its own: two tallies got the same one."
    fault = wrong_lists(tally, errands, brought)
    if fault is None and wrong_lists(other, CALLS[1:2], ["24"]):
        return "It wrote into another tally than the one that was handed in."
    return fault


CHANGED = object()
"""Stands for what a badge says that changed the tally."""
_BAD_NOUN = re.compile(r"\b(1|one) cities\b|\b(2|two) city\b", re.IGNORECASE)


def says_how_many(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: badge, without brackets behind it."
    one, two, three = (
        _badge(answer, cities)
        for cities in (["Oslo"], ["Paris", "Tokyo"], ["Paris", "Tokyo", "Rome"])
    )
    if CHANGED in (one, two, three):
        return "It changes the tally. A badge reads it, and leaves it as it was."
    if two is None:
        return NO_RETURN
    if one == two == three and numbers_in(str(two)) in ([], [0]):
        return f"{STILL_THE_STUB}, or it counts nothing: it says {two!r}."
    for said in (one, two, three):
        if not isinstance(said, str):
            return f"A badge is a text, and this is {said!r}."
    for said, wanted in ((two, 2), (three, 3)):
        if numbers_in(said) != [wanted]:
            return (
                f"Of {wanted + 3} slips, {wanted} looked up a city, and the badge says "
                f"{said!r}."
            )
    if numbers_in(one) not in ([1], []) or one == two:
        return f"Of 4 slips, 1 looked up a city, and the badge says {one!r}."
    if _words(one) == _words(two) or _BAD_NOUN.search(f"{one}, {two}"):
        return f"One city, two cities: yours says {one!r} and {two!r}."
    return None


def _badge(answer: Any, cities: Sequence[str]) -> Any:
    """The badge for a run that looked these up, and did three other errands."""
    calls = [weather_slip(n, city) for n, city in enumerate(cities, start=1)]
    calls += [ToolCall("to_fahrenheit", {"celsius": 7}, f"call_{n}") for n in (7, 8)]
    calls += [ToolCall("upper", {"text": "hello"}, "call_9")]
    results = ["7"] * len(cities) + [45, 45, "HELLO"]
    counts = {"turns": 3, "results": results, "answer": "…", "reason": "answered"}
    tally = {**counts, "tool_calls": calls}
    before = {**counts, "tool_calls": list(calls)}
    said = answer(tally)
    return said if tally == before else CHANGED


def _words(said: str) -> str:
    """What is said beside the number; a number at the end counts nothing."""
    number = re.search(r"\b(\d+|one|two|three)\b(?=.*[a-z])", said, re.IGNORECASE)
    return said.replace(number[0], "", 1) if number else said


def pairs_by_id(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: paired, without brackets behind it."
    texts = {"call_1": "18", "call_2": "24", "call_3": "HELLO"}
    named = {call.id: call.name for call in CALLS}
    said = []
    for calls, ids in (
        (CALLS, ["call_1", "call_2", "call_3"]),
        (CALLS, ["call_2", "call_3"]),
        (CALLS, ["call_3", "call_1"]),
        (CALLS[::-1], ["call_1", "call_2", "call_3"]),
    ):
        folder = [
            UserMessage("?"),
            AssistantMessage("", calls),
            *(ToolMessage(texts[id], id, named[id]) for id in ids),
            AssistantMessage("done"),
        ]
        handed_in, before = list(calls), list(folder)
        pairs = answer(handed_in, folder)
        if pairs is None:
            return NO_RETURN
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            return f"A list of pairs is wanted, and it hands back {pairs!r:.60}."
        pairs = list(pairs)
        if folder != before or handed_in != list(calls):
            return "It changes a list that is handed in. It reads both, and no more."
        if len(pairs) != len(CALLS):
            return f"3 calls make 3 pairs, answered or not, and these are {len(pairs)}."
        if strange := [pair for pair in pairs if not _is_pair(pair)]:
            return f"A pair is (call, text), and this is {strange[0]!r:.60}."
        said.append((calls, ids, pairs))
    if all(text is None for *_, pairs in said for _, text in pairs):
        return f"{STILL_THE_STUB}, or it finds none: beside every call stands None."
    for calls, ids, pairs in said:
        for call, (beside, text) in zip(calls, pairs, strict=True):
            wanted = texts[call.id] if call.id in ids else None
            if not (names(beside, call) or beside == call.id):
                return "The pairs come in the order of the calls: the call, its text."
            if text != wanted:
                there = f"{len(ids)} of 3 answers are there, {listed(ids)}"
                return f"{there}: {call.id} belongs to {wanted!r}, and got {text!r}."
    return None


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2


def counts_in_the_loop(code: Any) -> str | None:
    if code in ("", COUNTED.header):
        return f"{STILL_THE_STUB}: no line has its place."
    answer = function_of(str(code), "counted", ToolMessage=ToolMessage)
    return (
        wrong_run(answer, tally_loop, paris_and_tokyo, COUNTS)
        or wrong_run(answer, tally_loop, paris_and_tokyo, COUNTS, slips=1, limit=2)
        or wrong_run(answer, tally_loop, paris_and_tokyo, COUNTS, question=THREE)
        or wrong_run(answer, tally_loop, add_and_upper, COUNTS)
    )


def keeps_a_tally(answer: Any) -> str | None:
    if not callable(answer):
        return "Hand in the function itself: tally_loop, without brackets behind it."
    first, second = (Run(answer, paris_and_tokyo).tally for _ in range(2))
    if isinstance(first, Mapping):
        if _share(first, second):
            return (
                "Two runs share one tally. Begin each run with a new dict and new "
                "lists."
            )
        if not {"answer", "reason"} & set(first):
            return f"{STILL_THE_STUB}: it counts, and has no answer and no reason."
    every = (*COUNTS, "answer", "reason")
    return (
        wrong_run(answer, tally_loop, paris_and_tokyo, every)
        or wrong_run(answer, tally_loop, never_satisfied, every)
        or wrong_run(answer, tally_loop, paris_and_tokyo, every, slips=1, limit=2)
        or wrong_run(answer, tally_loop, paris_and_tokyo, every, question=THREE)
        or wrong_run(answer, tally_loop, add_and_upper, every)
        or wrong_notes(answer, tally_loop, paris_and_tokyo)
        or wrong_notes(answer, tally_loop, never_satisfied)
        or _same_reason(first, Run(answer, never_satisfied).tally)
    )


def _same_reason(answered: Any, unanswered: Any) -> str | None:
    reason = answered["reason"]
    if reason is None or reason != unanswered["reason"]:
        return None
    return f"There is an answer, and reason says {reason!r}, as if there were none."


def _share(one: Mapping[str, Any], other: Any) -> bool:
    return one is other or any(
        isinstance(value, list) and value is other.get(key)
        for key, value in one.items()
    )


def changed(solution: Any, *swaps: tuple[str, str]) -> Any:
    """The usual solution with some of its text exchanged, run anew."""
    code = replaced(inspect.getsource(solution), *chain(*swaps))
    names = {"ToolMessage": ToolMessage, "quiet": quiet, "kept": {}}
    return function_of(code, solution.__name__, **names)


def arranged(*swaps: tuple[str, str]) -> str:
    """The usual lines with some of their text exchanged."""
    return replaced(COUNTED.solution, *chain(*swaps))


def writes_the_name(tally, call, result):
    tally["tool_calls"].append(call.name)
    tally["results"].append(result)


def writes_letters(tally, call, result):
    tally["tool_calls"].append(call)
    tally["results"] += str(result)


def writes_the_last(tally, call, result):
    tally["tool_calls"].append(call)
    tally["results"] = result


def writes_no_result_twice(tally, call, result):
    tally["tool_calls"].append(call)
    if result not in tally["results"]:
        tally["results"].append(result)


def fills_a_new_dict(tally, call, result):
    return {
        "tool_calls": [*tally["tool_calls"], call],
        "results": [*tally["results"], result],
    }


def writes_texts(tally, call, result):
    tally["tool_calls"].append(f"{call.name}({call.arguments})")
    tally["results"].append(f"{result}")


def writes_pairs(tally, call, result):
    tally["tool_calls"].append((call.name, *call.arguments.values()))
    tally["results"].append(result)


def writes_elsewhere(tally, call, result):
    WRITTEN["tool_calls"].append(call)
    WRITTEN["results"].append(result)
    tally.update(WRITTEN)


WRITTEN: dict[str, list[Any]] = {"tool_calls": [], "results": []}


def writes_dicts(tally, call, result):
    tally["tool_calls"].append({"tool": call.name, "args": call.arguments})
    tally["results"].append(str(result))


def writes_tuples(tally, call, result):
    tally["tool_calls"] = (*tally["tool_calls"], (call.name, dict(call.arguments)))
    tally["results"] = [*tally["results"], result]


def in_words(tally):
    return ["", "One city", "Two cities", "Three cities"][looked_up(tally)]


def looked_up(tally):
    return sum("get_weather" in str(call) for call in tally["tool_calls"])


def takes_apart(tally):
    for call in list(tally["tool_calls"]):
        if call.name != "get_weather":
            tally["tool_calls"].remove(call)
    return badge(tally)


def results_in_words(tally):
    return sum(isinstance(result, str) for result in tally["results"])


def answers(folder):
    return [m.content for m in folder if isinstance(m, ToolMessage)]


def numbered_by_place(tool_calls, folder):
    texts = {m.tool_call_id: m.content for m in folder if isinstance(m, ToolMessage)}
    return [(c, texts.get(f"call_{n}")) for n, c in enumerate(tool_calls, start=1)]


def empties_the_folder(tool_calls, folder):
    pairs = paired(tool_calls, folder)
    folder.clear()
    return pairs


def paired_by_place(tool_calls, folder):
    return list(zip(tool_calls, [*answers(folder), None], strict=False))


def paired_by_name(tool_calls, folder):
    texts = {m.name: m.content for m in folder if isinstance(m, ToolMessage)}
    return [(call, texts.get(call.name)) for call in tool_calls]


def paired_one_by_one(tool_calls, folder):
    for call in tool_calls:
        found = None
        for message in folder:
            if getattr(message, "tool_call_id", None) == call.id:
                found = message.content
        yield [call, found]


def for_loop(llm, tools, folder, limit=5, note=quiet):
    state = {"turns": 0, "tool_calls": [], "results": []}
    state.update(answer=None, reason=None)
    for turn in range(1, limit + 1):
        state["turns"] = turn
        note("llm_call", None)
        reply = llm.generate(folder, tools.menu()).message
        folder.append(reply)
        if not reply.tool_calls:
            state["answer"] = reply.content
            note("agent_end", reply.content)
            return state
        for call in reply.tool_calls:
            result = str(tools.run(call))
            folder.append(ToolMessage(result, call.id, call.name))
            note("tool_result", result)
            state["tool_calls"].append({"name": call.name, "arguments": call.arguments})
            state["results"].append(result)
    state["reason"] = f"{limit} turns were not enough"
    note("agent_end", state["reason"])
    return state


SLIPS = "        for call in reply.tool_calls:\n"
TURN = '        tally["turns"] += 1\n'
APPENDED = "            folder.append(ToolMessage(str(result), call.id, call.name))\n"
RESULT = 'tally["results"].append(result)'
CALL = 'tally["tool_calls"].append(call)'
NOTED = '            note("tool result", f"{call}: {result}")\n'
RAN = "            result = tools.run(call)\n"
LEAVING = "            break\n"
ENDING = '            note("end", "answered")\n' + LEAVING
NO_ANSWER = '    tally["answer"], tally["reason"] = None, "the turns are used up"\n'
AN_ANSWER = '            tally["answer"], tally["reason"] = reply.content, "answered"\n'
END = '    note("end", tally["reason"])\n'
LEAVE = "        if not reply.tool_calls:\n            break\n"
LISTED = f"            {CALL}\n"
EMPTY = '{"turns": 0, "tool_calls": [], "results": []}'
FROM_THE_ANSWER = (
    '    tally["results"] = [word for word in str(tally["answer"]).split() '
    "if word.isdigit()]\n"
)

LESSON = Lesson(
    "02_state_as_dict",
    sentences={
        "sees": {
            "it stays as it was": "The tally stands beside the folder, and nobody "
            "reads it out. All that the model hears is in the folder.",
            "it lacks the temperatures": "They were gone from the tally. The answer "
            "slips in the folder still had them, and those are what it is read.",
            "the loop never ends": "The model asks again where an answer slip is "
            "missing. None was: the folder is whole, only the tally is not.",
        },
        "turns": {
            "3": "A turn is one call to the model: one for both readings, one for both "
            "conversions, one for the answer.",
            "4": "That is the number of slips. Two of them came in one reply, and "
            "twice so: turns and slips are counted apart.",
            "2": "Two replies passed slips. The answer is a reply too, and its call "
            "was a turn like the others.",
            "5": "Four slips and the answer make five, but the slips came two in a "
            "reply.",
        },
        "words": {
            "the folder alone": "A tally holds what somebody chose to count. The "
            "wording is in the messages, and nowhere else.",
            "the record alone": "It knows which tools ran and what they brought. How "
            "the question was put, nobody wrote into it.",
            "either of the two": "They tell of the same run, and are not the same. "
            "What is not counted is not in a tally.",
        },
    },
    exercises=(
        Exercise(
            check=writes_both_down,
            stub=lambda tally, call, result: None,
            solution=write_down,
            mistakes={
                "4 errands ran, and results has 0 in it.": lambda tally, call, result: (
                    tally["tool_calls"].append(call)
                ),
                "results is a list of all that came, and "
                "this is 'HELLO'.": writes_the_last,
                "4 errands ran, and results has 11 in it.": writes_letters,
                "tool_calls[0] says '18'; that errand was"
                ' get_weather(city="Paris").': changed(
                    write_down, ("append(call)", "append(result)")
                ),
                "tool_calls[0] says 'upper(text=\"hello\")'; that errand was "
                'get_weather(city="Paris").': changed(
                    write_down, ("append(call)", "insert(0, call)")
                ),
                "tool_calls[0] says 'get_weather'; that "
                'errand was get_weather(city="Paris").': writes_the_name,
                "4 errands ran, and results has 3 in it.": writes_no_result_twice,
                f"{STILL_THE_STUB}, or it fills a dict of its own: after four errands "
                "the one that is handed in has two empty lists.": fills_a_new_dict,
                "It writes into a list of its own: two "
                "tallies got the same one.": writes_elsewhere,
            },
            also_right={
                "calls as dicts, results as texts": writes_dicts,
                "new lists, calls as tuples": writes_tuples,
                "calls as texts of one's own": writes_texts,
                "tool and city in a tuple": writes_pairs,
                "calls as texts": changed(
                    write_down, ("append(call)", "append(str(call))")
                ),
            },
            hints=(
                'Both lists are in the dict already: tally["results"] is one.',
                "Append the call to one list and the result to the other.",
            ),
        ),
        Exercise(
            check=counts_in_the_loop,
            stub="",
            solution=COUNTED.solution,
            mistakes={
                "The model was asked 3 times, and the tally says turns: 4.": arranged(
                    (TURN, ""),
                    (SLIPS, TURN.replace("1", "len(reply.tool_calls)") + SLIPS),
                ),
                "The model was asked 3 times, and the tally says turns: 7.": arranged(
                    (SLIPS, SLIPS + "    " + TURN)
                ),
                "The model was asked 3 times, and the tally says turns: 1.": arranged(
                    (TURN, ""), ("    for _", TURN[4:] + "    for _")
                ),
                "The model was asked 3 times, and the tally says turns: 2.": arranged(
                    (TURN, ""), (" break\n", " break\n" + TURN)
                ),
                "In the folder, message 1 is the answer "
                "slip to call_1, '18'; there should be "
                'the reply with get_weather(city="Paris")'
                ' and get_weather(city="Tokyo").': arranged(
                    ("        folder.append(reply)\n", "")
                ),
                "In the folder, message 2 is the answer "
                "'I am still waiting for the answer to "
                "call_1, call_2.'; there should be the "
                "answer slip to call_1, '18'.": arranged((APPENDED, "")),
                "tool_calls[0] says 'get_weather'; that "
                'errand was get_weather(city="Paris").': arranged(
                    ("append(call)", "append(call.name)")
                ),
                "results[0] is '', and "
                "get_weather(city=\"Paris\") brought '18'.": arranged(
                    ("append(result)", "append(reply.content)")
                ),
                "The folder should have 8 messages after "
                "this run, as without a tally, and has 4.": arranged(
                    ("    return", "        return")
                ),
                "The folder should have 8 messages after "
                "this run, as without a tally, and has "
                "10.": arranged((LEAVE, "")),
                "It hands back nothing. Is a return missing?": arranged(
                    ("    return tally", "")
                ),
                "tool_calls[0] says \"AssistantMessage(content='', tool_calls=(Tool…; "
                'that errand was get_weather(city="Paris").': arranged(
                    ("append(call)", "append(reply)")
                ),
            },
            also_right={
                "leaves before the errands": arranged(
                    (LEAVE, ""), (SLIPS, LEAVE + SLIPS)
                ),
                "counts the turn after the reply": arranged(
                    (TURN, ""), (LEAVE, TURN + LEAVE)
                ),
                "the answer slip first": arranged(
                    (APPENDED, ""), (LISTED, APPENDED + LISTED)
                ),
                "results as texts": arranged(("append(result)", "append(str(result))")),
            },
            hints=(
                "Which lines happen once a run, which once a turn, which once a slip?",
                "A turn is counted once for each call to the model; the lists grow "
                "inside the inner for.",
            ),
            arrangement=COUNTED,
        ),
        Exercise(
            check=says_how_many,
            stub=lambda tally: "Looked up 0 cities",
            solution=badge,
            mistakes={
                "Of 5 slips, 2 looked up a city, and the badge says 'Looked up 5 "
                "cities'.": lambda tally: (
                    f"Looked up {len(tally['tool_calls'])} cities"
                ),
                "Of 5 slips, 2 looked up a city, and the badge says '3 cities'.": (
                    lambda tally: f"{results_in_words(tally)} cities"
                ),
                "One city, two cities: yours says 'Looked up 1 cities' and 'Looked up "
                "2 cities'.": lambda tally: f"Looked up {looked_up(tally)} cities",
                "One city, two cities: yours says '1 city' and '2 city'.": (
                    lambda tally: f"{looked_up(tally)} city"
                ),
                "Of 6 slips, 3 looked up a city, and the badge says 'Looked up 2 "
                "cities'.": lambda tally: "Looked up 2 cities",
                "A badge is a text, and this is 1.": looked_up,
                "It changes the tally. A badge reads it, and leaves it as it was.": (
                    takes_apart
                ),
                NO_RETURN: lambda tally: None,
            },
            also_right={
                "own words": lambda tally: (
                    f"🔍 {(n := looked_up(tally))} weather report{'s' * (n > 1)} read"
                ),
                "the number last": lambda tally: (
                    f"Cities looked up: {looked_up(tally)}"
                ),
                "numbers as words": in_words,
                "a city, without a number": lambda tally: (
                    "A city" if looked_up(tally) == 1 else in_words(tally)
                ),
                "different cities, named": lambda tally: (
                    f"{looked_up(tally)} cit{'y' if looked_up(tally) == 1 else 'ies'}: "
                    + ", ".join(
                        call.arguments["city"]
                        for call in tally["tool_calls"]
                        if "city" in call.arguments
                    )
                ),
            },
            hints=(
                "Not every slip looks up a city. Which name do those have?",
                "Count the calls of that name: call.name == 'get_weather'.",
            ),
        ),
        Exercise(
            check=pairs_by_id,
            stub=lambda tool_calls, folder: [(call, None) for call in tool_calls],
            solution=paired,
            mistakes={
                "3 calls make 3 pairs, answered or not, "
                "and these are 2.": lambda tool_calls, folder: paired_by_place(
                    tool_calls, folder
                )[:2],
                "2 of 3 answers are there, call_2, "
                "call_3: call_1 belongs to None, and got "
                "'24'.": paired_by_place,
                "3 of 3 answers are there, call_1, "
                "call_2, call_3: call_1 belongs to '18', "
                "and got '24'.": paired_by_name,
                "2 of 3 answers are there, call_2, "
                "call_3: call_1 belongs to None, and got "
                "'none'.": lambda tool_calls, folder: [
                    (c, t or "none") for c, t in paired(tool_calls, folder)
                ],
                "The pairs come in the order of the "
                "calls: the call, its text.": lambda tool_calls, folder: paired(
                    tool_calls, folder
                )[::-1],
                "3 of 3 answers are there, call_1, "
                "call_2, call_3: call_2 belongs to '24', "
                "and got '18'.": lambda tool_calls, folder: [
                    (c, "18") for c in tool_calls
                ],
                "3 of 3 answers are there, call_1, "
                "call_2, call_3: call_3 belongs to 'HELLO', "
                "and got '18'.": numbered_by_place,
                "It changes a list that is handed in. It reads both, and no "
                "more.": empties_the_folder,
                "A list of pairs is wanted, and it hands back "
                "3.": lambda tool_calls, folder: len(tool_calls),
                f"{STILL_THE_STUB}, or it finds none: beside every call stands None.": (
                    lambda tool_calls, folder: [(c, None) for c in tool_calls]
                ),
                "It hands back nothing. Is a return "
                "missing?": lambda tool_calls, folder: None,
            },
            also_right={
                "one by one, as lists": paired_one_by_one,
                "calls as texts": lambda tool_calls, folder: [
                    (str(c), t) for c, t in paired(tool_calls, folder)
                ],
                "a tuple of pairs": lambda tool_calls, folder: tuple(
                    paired(tool_calls, folder)
                ),
            },
            hints=(
                "texts has each text under the number of its slip: call.id.",
                "texts.get(call.id) finds the text, or gives None where there is none.",
            ),
        ),
        Exercise(
            check=keeps_a_tally,
            stub=changed(tally_loop, (NO_ANSWER, ""), (AN_ANSWER, ""), (END, "")),
            solution=tally_loop,
            mistakes={
                "There is an answer, and reason says 'the turns are used up', as if "
                "there were none.": changed(
                    tally_loop,
                    ('reply.content, "answered"', "reply.content, tally['reason']"),
                ),
                "After 5 turns there is no answer, and "
                "answer says 'Stopped': who reads it "
                "takes it for one.": changed(
                    tally_loop, ('None, "the turns', '"Stopped", "the turns')
                ),
                "There is no answer, and reason does not say why.": changed(
                    tally_loop, ('"the turns are used up"', "None")
                ),
                "The model was asked 3 times, and the tally says turns: 4.": changed(
                    tally_loop, (TURN, ""), (RAN, RAN + "    " + TURN)
                ),
                "results[0] is 75, and "
                "get_weather(city=\"Paris\") brought '18'.": changed(
                    tally_loop, (RESULT, RESULT.replace("append(", "insert(0, "))
                ),
                "4 slips passed, and 8 errands run: run "
                "each once, and write down what it "
                "brought.": changed(
                    tally_loop, (RESULT, RESULT.replace("result)", "tools.run(call))"))
                ),
                "In the folder, message 2 is the answer "
                "'I am still waiting for the answer to "
                "call_1, call_2.'; there should be the "
                "answer slip to call_1, '18'.": changed(tally_loop, (APPENDED, "")),
                "In the folder, message 1 is the answer "
                "slip to call_1, '18'; there should be "
                'the reply with get_weather(city="Paris")'
                ' and get_weather(city="Tokyo").': changed(
                    tally_loop, ("        folder.append(reply)\n", "")
                ),
                "In the folder, message 2 is the answer "
                "slip to call_1, 'done'; there should be "
                "the answer slip to call_1, '18'.": changed(
                    tally_loop, (APPENDED, APPENDED.replace("str(result)", "'done'"))
                ),
                "The folder should have 8 messages after "
                "this run, as without a tally, and has 9.": changed(
                    tally_loop, (END, END + "    folder.append(tally)\n")
                ),
                "Two runs share one tally. Begin each run"
                " with a new dict and new lists.": changed(
                    tally_loop,
                    ("quiet):", f"quiet, tally={EMPTY}):"),
                    (f"    tally = {EMPTY}\n", ""),
                ),
                "4 errands ran, and results has 2 in it.": changed(
                    tally_loop, (RESULT, "pass"), (END, END + FROM_THE_ANSWER)
                ),
                "4 errands ran, and results has 3 in it.": changed(
                    tally_loop, (RESULT, f"result == '18' or {RESULT}")
                ),
                "tool_calls[0] says 'get_weather'; that "
                'errand was get_weather(city="Paris").': changed(
                    tally_loop, (CALL, CALL.replace("call)", "call.name)"))
                ),
                "It hands back 'Paris: 18 = 64°F, Tokyo: "
                "24 = 75°F', and the whole dict is "
                "wanted.": changed(
                    tally_loop, ("return tally", "return tally['answer']")
                ),
                "It hands back nothing. Is a return missing?": changed(
                    tally_loop, ("    return tally", "")
                ),
                "The dict says nothing under 'reason'.": changed(
                    tally_loop, ("reason", "why")
                ),
                "2 turns allowed, and the model was asked 5 times.": changed(
                    tally_loop, ("range(limit)", "range(5)")
                ),
                "5 turns allowed, and the model was asked 4 times.": changed(
                    tally_loop, ("range(limit)", "range(limit - 1)")
                ),
                "5 turns allowed, and the model was asked 51 times.": changed(
                    tally_loop, ("for _ in range(limit)", "while True")
                ),
                "In the folder, message 4 is the answer "
                "'I am still waiting for the answer to call_3.'; there should be the "
                "answer slip to call_3, 'no reading for Oslo'.": changed(
                    tally_loop, ("in reply.tool_calls", "in reply.tool_calls[:2]")
                ),
                "5 turns allowed, and the model was asked 6 times.": changed(
                    tally_loop, ("range(limit)", "range(limit + 1)")
                ),
                "Nothing was noted: note(kind, text) at a"
                " model call, a result, the end.": changed(
                    tally_loop, ("note(", "quiet(")
                ),
                "A run ended, and no end was noted. It ends at an answer, or at the "
                "limit.": changed(tally_loop, (END, ""), (LEAVING, ENDING)),
                "Noted: model call, tool result, tool result, end, … model call. It "
                "went like this: model call, tool result, tool result, model call, … "
                "end.": changed(tally_loop, (END, "    " + END)),
                "A run ends once, and 'end' is noted 2 times.": changed(
                    tally_loop, (LEAVING, ENDING)
                ),
                "'tool result' is noted before its tool has run.": changed(
                    tally_loop,
                    (NOTED, ""),
                    (RAN, NOTED.replace(": {result}", "") + RAN),
                ),
                "The model said 'Paris: 18 = 64°F, Tokyo:"
                " 24 = 75°F', and answer says "
                "\"AssistantMessage(content='Paris: 18 = "
                "64°F, T….": changed(tally_loop, ("= reply.content,", "= str(reply),")),
            },
            also_right={
                "a for, dicts, texts, other kinds": for_loop,
                "no reason beside an answer": changed(
                    tally_loop, ('"answered"', "None")
                ),
                "more counted": changed(
                    tally_loop, ('"turns": 0', '"turns": 0, "slips": 0')
                ),
                "tuples": changed(
                    tally_loop,
                    ("[]", "()"),
                    (CALL, 'tally["tool_calls"] += (call,)'),
                    (RESULT, 'tally["results"] += (result,)'),
                ),
                "an answer slip kept as the result": changed(
                    tally_loop,
                    (
                        RESULT,
                        RESULT.replace(
                            "result)", "ToolMessage(result, call.id, call.name))"
                        ),
                    ),
                ),
                "notes after the fact": changed(
                    tally_loop, (NOTED, ""), (APPENDED, APPENDED + NOTED)
                ),
            },
            hints=(
                "Begin with answer None and a reason, above the for; only a reply "
                "without slips changes both.",
                "The for ends at the limit, or with a break at the answer. "
                "The end is noted on both.",
            ),
            keeps=("tally_loop",),
        ),
    ),
)
