"""The fault deck: one question, and one thing that goes wrong.

A fault of the model is a line of its script, a fault of the wire the bytes that come
(`ServerReply`), a fault of a tool a tool. Each scenario has exactly one. Lessons,
tests, the fake server and the page pick one by its name. What is told before the run
stands in `briefs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mingraph_lite.lab.briefs import BRIEFS
from mingraph_lite.lab.faulty import (
    cut_at_the_limit,
    cut_in_half,
    odd_reply,
    too_long,
    tool_that_fails,
    tool_that_never_answers,
    tool_that_talks,
)
from mingraph_lite.lab.measures import Frames, Measured
from mingraph_lite.lab.scenarios import (
    SCENARIOS,
    Kind,
    Scenario,
    convert_slip,
    get_weather,
    never_satisfied,
    paris_and_tokyo,
    reading,
    to_fahrenheit,
    weather_slip,
)
from mingraph_lite.lab.wire import ServerReply, error
from mingraph_lite.llm import Reply
from mingraph_lite.messages import ToolCall
from mingraph_lite.schema.function import Function

__all__: Final = ["ALL_SCENARIOS", "DECK", "FAULTS", "Fault"]

_ANSWER: Final = "Paris: 64°F, Tokyo: 75°F"
_PARIS, _TOKYO = weather_slip(1, "Paris"), weather_slip(2, "Tokyo")

_PAGE: Final = """<!doctype html>
<title>Welcome</title>
<h1>Log in to the wireless network</h1>
"""


@dataclass(frozen=True, repr=False)
class Fault(Scenario):
    """A scenario in which one thing goes wrong.

    `what` says what that is, and what right behaviour looks like; it is told with the
    answer to `ask`, and not before.
    """

    what: str

    @property
    def kind(self) -> Kind:
        """Who answers."""
        return "fault"

    def measured(self, frames: Frames) -> Measured | None:
        """The answer to `ask`, and what right behaviour looks like."""
        found = super().measured(frames)
        if found is None:
            return None
        return replace(found, told=f"{found.told} About this fault: {self.what}")


def _fault(
    name: str,
    title: str,
    what: str,
    script: Callable[[], Sequence[Reply]],
    weather: Function = get_weather,
) -> Fault:
    brief, ask = BRIEFS[name]
    return Fault(
        name,
        title,
        paris_and_tokyo.question,
        paris_and_tokyo.system_prompt,
        (weather, to_fahrenheit),
        script,
        what,
        brief,
        ask,
    )


def _both_converted(first: int) -> list[ToolCall]:
    return [convert_slip(first, 18), convert_slip(first + 1, 24)]


FAULTS: Final = {
    fault.name: fault
    for fault in (
        _fault(
            "bad_arguments",
            "Wrong arguments",
            "A slip says town where the tool takes city: it is answered with what the "
            "tool takes, and the model mends it.",
            lambda: [
                [ToolCall("get_weather", {"town": "Paris"}, id="call_1"), _TOKYO],
                weather_slip(3, "Paris"),
                _both_converted(4),
                _ANSWER,
            ],
        ),
        _fault(
            "unknown_tool",
            "A tool that is not there",
            "A slip names get_wether: it is answered with the names that exist, and "
            "the model mends it.",
            lambda: [
                [ToolCall("get_wether", {"city": "Paris"}, id="call_1"), _TOKYO],
                weather_slip(3, "Paris"),
                _both_converted(4),
                _ANSWER,
            ],
        ),
        _fault(
            "broken_json",
            "Arguments that are no JSON",
            "The arguments of a slip break off: it is never run on a guess, but "
            "answered, and the model sends it again.",
            lambda: [
                odd_reply(
                    ToolCall("get_weather", {}, id="call_1", raw='{"city": "Par')
                ),
                [weather_slip(2, "Paris"), weather_slip(3, "Tokyo")],
                _both_converted(4),
                _ANSWER,
            ],
        ),
        _fault(
            "cut_reply",
            "A reply cut by the output limit",
            "The reply ends at the output limit: no slip of it is run, not even the "
            "whole one, and the model sends both again.",
            lambda: [
                odd_reply(
                    _PARIS,
                    ToolCall("get_weather", {}, id="call_2", raw='{"ci'),
                    finish_reason="length",
                ),
                [weather_slip(3, "Paris"), weather_slip(4, "Tokyo")],
                _both_converted(5),
                _ANSWER,
            ],
        ),
        _fault(
            "cut_answer",
            "An answer cut by the output limit",
            "The answer ends at the output limit: half an answer is none, and an error "
            "holds it and says which limit to raise.",
            lambda: [
                [_PARIS, _TOKYO],
                _both_converted(3),
                cut_at_the_limit(_ANSWER[:-3]),
            ],
        ),
        _fault(
            "rate_limit",
            "Too many requests",
            "The server answers 429 and says after how long to come back: the same "
            "request is made again then, and succeeds.",
            lambda: [
                error(429, "Too many requests.", "rate_limit_exceeded", retry_after=2),
                *paris_and_tokyo.script(),
            ],
        ),
        _fault(
            "busy_server",
            "A server that stays busy",
            "The server answers 503 each time: after a few tries the run gives up with "
            "an error that says how many.",
            lambda: [error(503, "No free worker.", "overloaded")] * 3,
        ),
        _fault(
            "context_overflow",
            "A prompt that does not fit",
            "The prompt is longer than the model's window: one error that says how "
            "long and how much fits, and no second try.",
            lambda: [[_PARIS, _TOKYO], too_long(62604, 8192)],
            tool_that_talks(),
        ),
        _fault(
            "html_page",
            "A page instead of a reply",
            "An HTML page comes with status 200: one error that names the address, and "
            "no second try, since the address is wrong.",
            lambda: [
                ServerReply((_PAGE.encode(),), content_type="text/html; charset=utf-8")
            ],
        ),
        _fault(
            "error_in_200",
            "An error that says OK",
            "A gateway answers 200 with an error inside: it counts as the 429 that it "
            "names, and the request is made again.",
            lambda: [
                ServerReply.json(
                    {
                        "choices": None,
                        "error": {"message": "The provider is full.", "code": 429},
                    }
                ),
                *paris_and_tokyo.script(),
            ],
        ),
        _fault(
            "empty_reply",
            "A reply that says nothing",
            "Neither text nor slip where the answer should be: that is no answer, and "
            "the model is asked again.",
            lambda: [[_PARIS, _TOKYO], _both_converted(3), odd_reply(), _ANSWER],
        ),
        _fault(
            "refusal",
            "A model that declines",
            "The model declines: the run ends with its words as an error of its own "
            "kind, not as an answer.",
            lambda: [odd_reply(refusal="I can't help with the weather.")],
        ),
        _fault(
            "tool_fails",
            "A tool that fails",
            "The tool raises for Tokyo: that slip is answered with the error, and "
            "whoever started the run gets it too.",
            lambda: [
                [_PARIS, _TOKYO],
                convert_slip(3, 18),
                "Paris: 64°F. For Tokyo there is no reading.",
            ],
            tool_that_fails(),
        ),
        _fault(
            "tool_times_out",
            "A tool that never answers",
            "The tool gives up waiting for Tokyo: the slip is answered, and the tool "
            "is not run again behind the caller's back.",
            lambda: [
                [_PARIS, _TOKYO],
                convert_slip(3, 18),
                "Paris: 64°F. For Tokyo there is no reading.",
            ],
            tool_that_never_answers(),
        ),
        _fault(
            "huge_result",
            "A result of 200 KB",
            "Tokyo's station sends its whole log, with the reading as its last line: "
            "a budget would cut the middle and leave that line.",
            lambda: [[_PARIS, _TOKYO], _both_converted(3), _ANSWER],
            tool_that_talks(),
        ),
        _fault(
            "same_call",
            "The same call again and again",
            "Paris is asked for five times: each slip gets its answer, and who counts "
            "repeats notices long before the limit.",
            lambda: [
                [_PARIS, _TOKYO],
                *(weather_slip(n, "Paris") for n in range(3, 7)),
                _both_converted(7),
                _ANSWER,
            ],
        ),
        _fault(
            "same_id",
            "Two calls with one id",
            "Both slips have the id call_1: each gets an id of its own, and its own "
            "answer under it.",
            lambda: [
                odd_reply(_PARIS, weather_slip(1, "Tokyo")),
                _both_converted(3),
                _ANSWER,
            ],
        ),
        _fault(
            "early_stop",
            "An answer too early",
            "The model answers before it has asked about Tokyo: no error, so only a "
            "check of what the answer must hold finds it.",
            lambda: [_PARIS, convert_slip(3, 18), "Paris: 64°F"],
        ),
        _fault(
            "invented_number",
            "A number from nowhere",
            "The answer says 72 for Tokyo, and no tool ever did: only a check of its "
            "numbers against the results finds it.",
            lambda: [[_PARIS, _TOKYO], _both_converted(3), "Paris: 64°F, Tokyo: 72°F"],
        ),
        _fault(
            "cut_stream",
            "A stream cut in the middle",
            "The stream stops inside the answer: half an answer is none, and the "
            "model is asked again.",
            lambda: [
                [_PARIS, _TOKYO],
                _both_converted(3),
                cut_in_half(_ANSWER),
                _ANSWER,
            ],
        ),
    )
}

ALL_SCENARIOS: Final[dict[str, Scenario]] = {**SCENARIOS, **FAULTS}
"""Those with a script, by name."""

# A reader of the page may allow so many rounds; the limit is to end it, not the script.
_ENDLESS: Final = replace(
    never_satisfied, script=lambda: [weather_slip(n, "Paris") for n in range(1, 2_001)]
)

DECK: Final[dict[str, Scenario]] = {
    reading.name: reading,
    **ALL_SCENARIOS,
    _ENDLESS.name: _ENDLESS,
}
"""All that the page offers, the one that it opens with first."""
