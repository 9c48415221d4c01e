"""What the milestone asks: a loop among what it has not seen."""

from importlib import import_module
from typing import Any

from mingraph_lite.classroom import STILL_THE_STUB, Exercise, Lesson
from mingraph_lite.classroom.checks.loop_checks import no_limit, whole_loop
from mingraph_lite.classroom.checks.loops import watch, wrong_with
from mingraph_lite.classroom.checks.tool_checks import own_tool
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.messages import UserMessage

WRITTEN: Any = import_module("mingraph_lite.classroom.lessons.01_while_true")


def get_height(city: str) -> str:
    """How high above the sea a city lies."""
    heights = {"Lima": "154 m", "Oslo": "23 m", "Quito": "2850 m", "Rome": "21 m"}
    return heights.get(city, "not known")


def among_strangers(answer: Any) -> str | None:
    if answer is None:
        return f"{STILL_THE_STUB}: hand in the loop that you imported, check(1, loop)."
    if not callable(answer):
        return "Hand in the function itself: check(1, loop), with no brackets behind."
    if wrong := no_limit(answer):
        return wrong
    situations = {
        "five cities": (2, "How high lie Lima, Oslo, Quito, Rome and La Paz?"),
        "five slips at once": (9, "How high lie Lima, Oslo, Quito, Rome and La Paz?"),
        "one slip at a time": (1, "How high lie Lima, Oslo and Quito?"),
        "no name": (9, "How are you?"),
    }
    for name, (slips, question) in situations.items():
        run = watch(answer, ReadingLLM(slips), [get_height], [UserMessage(question)])
        if wrong := wrong_with(run):
            return f"With {name}: {wrong}"
    return whole_loop(answer)


def second_tool(answer: Any) -> str | None:
    if wrong := own_tool(answer, ("Lima", "Oslo", "Atlantis")):
        return wrong
    if answer.__name__.lower().split("_")[-1] != "country":
        return "The question names the tool by its noun: call it get_country."
    lima, oslo, other = (str(answer(city)) for city in ("Lima", "Oslo", "Atlantis"))
    if lima == oslo:
        return f"For Lima and for Oslo it gives the same: {lima!r}."
    for city, said, part in (("Lima", lima, "pe"), ("Oslo", oslo, "no")):
        if said.replace(city, "") == other.replace("Atlantis", ""):
            return (
                f"For {city} it says {said!r}, and for Atlantis {other!r}. It knows "
                f"{city}; of Atlantis let it say that it does not."
            )
        if said.isascii() and part not in said.lower():
            return f"For {city} it says {said!r}. Which country is that in?"
    question = UserMessage("What is the height of Lima and of Oslo, and the country?")
    tools = [get_height, answer]
    return wrong_with(watch(WRITTEN.loop, ReadingLLM(), tools, [question]))


def get_country(city: str) -> str:
    """The country in which a city lies."""
    countries = {"Lima": "Peru", "Oslo": "Norway"}
    return countries.get(city, f"no country known for {city}")


def stub_country(city: str):  # type: ignore[no-untyped-def]
    ...


def with_ifs(city: str) -> str:
    """The country of a city."""
    if city == "Lima":
        return "Perú"
    return "Norge" if city == "Oslo" else "I do not know that city."


def raises(city: str) -> str:
    """The country of a city."""
    return {"Lima": "Peru", "Oslo": "Norway"}[city]


def silent(city: str) -> str | None:
    """The country of a city."""
    return {"Lima": "Peru", "Oslo": "Norway"}.get(city)


def always(city: str) -> str:
    """The country of a city."""
    return "Peru"


def all_norway(city: str) -> str:
    """The country of a city."""
    return "Peru" if city == "Lima" else "Norway"


def mixed_up(city: str) -> str:
    """The country of a city."""
    return {"Oslo": "Peru", "Lima": "Norway"}.get(city, "not known")


def nation(city: str) -> str:
    """The country of a city."""
    return get_country(city)


def no_words(city: str) -> str:
    return get_country(city)


with_ifs.__name__ = raises.__name__ = silent.__name__ = "country"
all_norway.__name__ = mixed_up.__name__ = "country"
always.__name__ = no_words.__name__ = "country"

ENDED = WRITTEN.ENDED
LESSON = Lesson(
    "01b_milestone",
    sentences={
        "calls": {
            "4": "Two slips, two slips, one slip, then the answer.",
            "3": "Three rounds of errands, and then one more call, for the answer.",
            "5": "There are five errands, but two of them fit into a reply.",
            "6": "That would be so with one slip at a time. Two fit into a reply here.",
        },
        "nothing": {
            "it hands that back": "No slip, so it is the answer, as far as a loop can "
            "see.",
            "it asks once more": "It asks again only behind a slip that was answered. "
            "Without one, the reply is the answer.",
            "it stops at its limit": "The limit is for a model that goes on passing "
            "slips. This one passed none.",
        },
    },
    exercises=(
        Exercise(
            check=among_strangers,
            stub=None,
            solution=WRITTEN.loop,
            mistakes={
                f"With five cities: It ended after 3 calls, {ENDED}": (
                    WRITTEN.limited("range(limit)", "range(3)")
                ),
                "With five cities: Only the first slip of a reply was run: "
                'get_height(city="Oslo") was not.': WRITTEN.limited(
                    "in reply.tool_calls", "in reply.tool_calls[:1]"
                ),
                "With five slips at once: Only the first 2 slips of a reply were run: "
                'get_height(city="Quito") was not.': WRITTEN.limited(
                    "in reply.tool_calls", "in reply.tool_calls[:2]"
                ),
                f"With five cities: {WRITTEN.NO_LAST}": WRITTEN.limited(
                    WRITTEN.KEEP + WRITTEN.LEAVE, WRITTEN.LEAVE + WRITTEN.KEEP
                ),
                f"With no name: {WRITTEN.ASKED_AGAIN}": WRITTEN.limited(
                    "not reply.tool_calls", "not reply.tool_calls and len(folder) > 2"
                ),
                "With limit=3 it makes 4 calls, when the model never stops asking.": (
                    WRITTEN.limited("range(limit)", "range(limit + 1)")
                ),
                "It takes no limit of its own: def loop(llm, tools, folder, "
                "limit=10).": WRITTEN.my_loop,
                "Hand in the function itself: check(1, loop), with no brackets "
                "behind.": "loop",
            },
            also_right={
                "it counts by itself": WRITTEN.counted,
                "a function that calls itself": WRITTEN.by_itself,
            },
            hints=(
                "Mend it in lesson 01: its check 4 and keep put it into my_agent.py.",
                "To go on with ours: take_ours() in lesson 01, then restart here.",
            ),
        ),
        Exercise(
            check=second_tool,
            stub=stub_country,
            solution=get_country,
            mistakes={
                "For 'Atlantis' it raises KeyError: 'Atlantis'": raises,
                "For 'Atlantis' it hands back nothing: return the result, do not "
                "print it.": silent,
                "For Lima and for Oslo it gives the same: 'Peru'.": always,
                "For Oslo it says 'Norway', and for Atlantis 'Norway'. It knows Oslo; "
                "of Atlantis let it say that it does not.": all_norway,
                "For Lima it says 'Norway'. Which country is that in?": mixed_up,
                "The question names the tool by its noun: call it get_country.": nation,
                "The menu says nothing about it: give the function a docstring.": (
                    no_words
                ),
            },
            also_right={"an if for each city": with_ifs},
            hints=(
                "A docstring, a dict of countries, and a return.",
                "A dict's .get(key, other) gives the other where the key is missing.",
            ),
        ),
    ),
)
