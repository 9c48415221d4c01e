"""What a loop announces in one run, compared with a right one.

    wrong_announcements(loop, right)      None, or one sentence

Both run in the same situations: with an answer, with a tool that fails, at the limit,
with a model that is down. Why compare, and not list what must come? What a run goes
through is the loop's own business; ours goes through the same. What else a loop
announces is left alone: nobody listens for it, so it does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mingraph_lite.classroom.checks.errand_runs import weather_tools
from mingraph_lite.classroom.exercises import STILL_THE_STUB
from mingraph_lite.classroom.patience import NoEnd
from mingraph_lite.classroom.spies import Spy
from mingraph_lite.classroom.words import count_of, listed
from mingraph_lite.lab.reading_llm import ReadingLLM
from mingraph_lite.llm import LLM, LLMResponse, ScriptedLLM
from mingraph_lite.messages import ToolCall, UserMessage

__all__: Final = ["SITUATIONS", "Said", "Situation", "said_in", "wrong_announcements"]

_MOMENTS: Final = ("model_reply", "tool_call", "tool_return", "finish")
_TWO: Final = "What's the temperature in Paris and in Tokyo, in Fahrenheit?"

type _Loop = Callable[..., object]


class _Down:
    """A model whose server cannot be reached."""

    def generate(self, *_: object) -> LLMResponse:
        raise ConnectionError("the model's server is down")


def _mends() -> LLM:
    """A model whose first slip cannot be run."""
    bad = ToolCall("get_weather", {"town": "Paris"}, "call_1")
    good = ToolCall("get_weather", {"city": "Paris"}, "call_2")
    return ScriptedLLM([bad, good, "It is 18 degrees."])


@dataclass(frozen=True)
class Situation:
    """What a loop gets into; `words` begin a sentence about it."""

    words: str
    llm: Callable[[], LLM] = ReadingLLM
    failing: Mapping[str, Exception] = field(default_factory=dict)
    limit: int = 10


SITUATIONS: Final = (
    Situation("With an answer"),
    Situation("With one slip in a reply", lambda: ReadingLLM(slips=1)),
    Situation("With a slip that the model has to mend", _mends),
    Situation(
        "With a tool that fails", failing={"Tokyo": TimeoutError("the service is down")}
    ),
    Situation("At the limit", lambda: ReadingLLM(slips=1), limit=2),
    Situation("With a model that is down", _Down),
)


@dataclass
class Said:
    """One run of a loop, and what it announced.

    Of each announcement `told` has the event, the detail, and how many messages lay in
    the folder then.
    """

    folder: list[Any]
    spy: Spy
    told: list[tuple[Any, Any, int]] = field(default_factory=list)
    odd: list[tuple[object, ...]] = field(default_factory=list)
    answer: object = None
    raised: Exception | None = None

    @property
    def events(self) -> list[Any]:
        """What was announced, in order."""
        return [event for event, _, _ in self.told]

    @property
    def unknown(self) -> list[Any]:
        """What was announced under a name that no listener knows."""
        return [event for event in self.events if event not in _MOMENTS]

    def known(self) -> Said:
        """The same without what no listener knows."""
        told = [told for told in self.told if told[0] in _MOMENTS]
        return replace(self, told=told)

    def announce(self, *said: Any, **named: Any) -> None:
        """Note an announcement; one of another form is kept apart."""
        values = (*said, *named.values())
        if len(values) != 2:
            self.odd.append(values)
        else:
            self.told.append((*values, len(self.folder)))


def said_in(loop: _Loop, situation: Situation) -> Said:
    """Let a loop run, and note what it announces."""
    spy = Spy()
    said = Said([UserMessage(_TWO)], spy)
    tools, llm = weather_tools(situation.failing, spy), spy.model(situation.llm())
    try:
        said.answer = loop(
            llm, tools, said.folder, said.announce, limit=situation.limit
        )
    except NoEnd:
        raise
    except Exception as error:
        said.raised = error
    return said


def wrong_announcements(loop: _Loop, right: _Loop) -> str | None:
    """What is wrong with what a loop says of itself, or None."""
    for situation in SITUATIONS:
        mine, ours = said_in(loop, situation), said_in(right, situation)
        wrong = next(_faults(mine, ours), None)
        if wrong and wrong.startswith(STILL_THE_STUB):
            return wrong
        if wrong:
            return f"{situation.words}: {wrong}"
    return None


def _faults(mine: Said, ours: Said) -> Iterator[str]:
    """The mistakes, those first from which others follow."""
    if ours.raised is None and mine.raised is not None:
        raise mine.raised
    if mine.odd:
        count = len(mine.odd[0])
        yield f"announce takes two things, the event and the detail, and got {count}."
    yield from _own_words(mine, ours)
    mine = mine.known()
    if not {"model_reply", "finish"} & {*mine.events}:
        yield f"{STILL_THE_STUB}: of its replies and its end the loop says nothing."
    if "tool_call" in ours.events and "tool_call" not in mine.events:
        yield (
            "errands are run, and nobody was told: the tools that say it are watched. "
            "Hand those to safe_errands."
        )
    yield from _replies(mine, ours)
    yield from _ends(mine, ours)
    if mine.events != ours.events:
        yield f"announced was {_short(mine.events)}. It went {_short(ours.events)}."
    yield from _caller(mine, ours)


def _own_words(mine: Said, ours: Said) -> Iterator[str]:
    """A name that nobody knows, where one that is known is missing: misspelt, then."""
    if any(event not in mine.events for event in ours.events):
        for event in mine.unknown:
            yield (
                f"it announces {event!r:.60}, and nobody listens for that. The events "
                f"are {listed(map(repr, _MOMENTS))}."
            )


def _replies(mine: Said, ours: Said) -> Iterator[str]:
    wanted = ours.events.count("model_reply")
    count = mine.events.count("model_reply")
    if not count and wanted:
        yield "the model replied, and nobody was told: announce it in each round."
    if count != wanted:
        yield (
            f"the model replied {count_of(wanted, 'time')}, and 'model_reply' was "
            f"announced {count_of(count, 'time')}."
        )
    here = [told for told in mine.told if told[0] == "model_reply"]
    there = [told for told in ours.told if told[0] == "model_reply"]
    for (_, detail, lay), (_, reply, lies) in zip(here, there, strict=False):
        if reply not in (detail, getattr(detail, "message", None)):
            yield (
                f"the detail of 'model_reply' is {detail!r:.40}: hand over the whole "
                "reply."
            )
        if lay < lies:
            yield "'model_reply' is announced before the reply is in the folder."


def _ends(mine: Said, ours: Said) -> Iterator[str]:
    count = mine.events.count("finish")
    if not count:
        yield "it ends, and nobody was told: announce 'finish' on every way out."
    if count > 1:
        yield f"a run ends once, and 'finish' was announced {count} times."
    if "finish" in mine.events[:-1]:
        yield f"'finish' is announced, and then {mine.events[-1]!r}: it comes last."
    said, right = mine.told[-1][1], ours.told[-1][1]
    if right is None and said is not None:
        yield f"there is no answer, and the detail of 'finish' is {said!r:.40}."
    if said != right and getattr(said, "content", None) == right:
        yield "the detail of 'finish' is the whole reply: the answer is its text."
    if said != right:
        yield (
            f"the answer is {right!r}, and the detail of 'finish' is {said!r:.40}: "
            "hand over the answer."
        )


def _caller(mine: Said, ours: Said) -> Iterator[str]:
    """Whether the run itself ends as it did before anybody listened."""
    if ours.raised is None:
        return
    name, known = type(ours.raised).__name__, type(mine.raised).__name__
    if mine.raised is None:
        yield (
            f"the run raises {name}, and its caller gets {mine.answer!r:.40}: "
            "something swallows the error, as a return in finally does."
        )
    elif known != name:
        yield f"the run raises {name}, and its caller gets {known}: {mine.raised}."


def _short(events: Sequence[object]) -> str:
    return listed(map(str, events[:4])) + (
        "" if len(events) < 5 else f", … {events[-1]}"
    )
