"""The fault deck: each fault runs to the outcome that it promises."""

import re
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.errors import (
    ContextOverflow,
    ModelError,
    ModelRefused,
    ReplyCutOff,
    StepLimitReached,
)
from mingraph_lite.lab import faults
from mingraph_lite.lab.faults import ALL_SCENARIOS, DECK, FAULTS
from mingraph_lite.lab.scenarios import SCENARIOS, paris_and_tokyo
from mingraph_lite.lab.wire import ServerReply
from mingraph_lite.messages import (
    Message,
    ToolMessage,
    UserMessage,
    problems,
)
from mingraph_lite.recovery import Retries
from tests.lab.runs import ANSWER, Run, slips_in

PARIS = ('get_weather(city="Paris")', "18")
TOKYO = ('get_weather(city="Tokyo")', "24")
CONVERTED = [("to_fahrenheit(celsius=18)", "64"), ("to_fahrenheit(celsius=24)", "75")]
AS_USUAL = [PARIS, TOKYO, *CONVERTED]
LOG = "".join(f"reading {n:06}: station asleep.\n" for n in range(6250)) + "now: 24"

# What is answered: each slip with the answer that the model reads. Where a room of its
# own words an error, … stands for its words, beside the part that helps.
SLIPS: dict[str, list[tuple[str, str]]] = {
    "bad_arguments": [
        ('get_weather(town="Paris")', "Error: …It takes: city.…"),
        TOKYO,
        PARIS,
        *CONVERTED,
    ],
    "unknown_tool": [
        ('get_wether(city="Paris")', "Error: …Did you mean 'get_weather'?…"),
        TOKYO,
        PARIS,
        *CONVERTED,
    ],
    "broken_json": [("get_weather()", "Error: …not valid JSON…"), *AS_USUAL],
    "cut_reply": [
        ('get_weather(city="Paris")', "Error: …cut off by the output limit…"),
        ("get_weather()", "Error: …cut off by the output limit…"),
        *AS_USUAL,
    ],
    "cut_answer": AS_USUAL,
    "rate_limit": AS_USUAL,
    "busy_server": [],
    "context_overflow": [PARIS, ('get_weather(city="Tokyo")', LOG)],
    "html_page": [],
    "error_in_200": AS_USUAL,
    "empty_reply": AS_USUAL,
    "refusal": [],
    "tool_fails": [
        PARIS,
        ('get_weather(city="Tokyo")', "Error: ConnectionError in get_weather: …"),
    ],
    "tool_times_out": [
        PARIS,
        ('get_weather(city="Tokyo")', "Error: TimeoutError in get_weather: …"),
    ],
    "huge_result": [PARIS, ('get_weather(city="Tokyo")', LOG), *CONVERTED],
    "same_call": [PARIS, TOKYO, *[PARIS] * 4, *CONVERTED],
    "same_id": AS_USUAL,
    "early_stop": [PARIS, CONVERTED[0]],
    "invented_number": AS_USUAL,
    "cut_stream": AS_USUAL,
}

ANSWERS = {
    "early_stop": "Paris: 64°F",
    "invented_number": "Paris: 64°F, Tokyo: 72°F",
}

ERRORS: dict[str, tuple[type[Exception], str, str]] = {
    "cut_answer": (
        ReplyCutOff,
        "…no answer, and ends so: 'Paris: 64°F, Tokyo: 7'. Allow longer replies…",
        "failed",
    ),
    "busy_server": (ModelError, "…answered 503…(Tried 3 times.)", "failed"),
    "context_overflow": (
        ContextOverflow,
        "…answered 400…62604 tokens long, and 8192 fit…",
        "failed",
    ),
    "html_page": (ModelError, "…answered no JSON…", "failed"),
    "refusal": (ModelRefused, "I can't help with the weather.", "refused"),
    "tool_fails": (
        ConnectionError,
        "the station in Tokyo does not answer",
        "failed",
    ),
    "tool_times_out": (
        TimeoutError,
        "the station in Tokyo sent nothing for 30 seconds",
        "failed",
    ),
}

# Which failed tries are announced: after how many, why, and how long the wait is.
RETRIES: dict[str, list[tuple[int, str, float]]] = {
    "rate_limit": [(1, "…answered 429…", 2.0)],
    "busy_server": [(1, "…answered 503…", 1.0), (2, "…answered 503…", 2.0)],
    "error_in_200": [(1, "…answered error 429…", 1.0)],
    "empty_reply": [(1, "The model said nothing…", 1.0)],
    "cut_stream": [(1, "…cut off the stream…", 1.0)],
}


def outlined(text: str, outline: str) -> str:
    """The outline where the text fits it, … for any words; else the text itself."""
    if "…" not in outline:
        return text
    pattern = re.escape(outline).replace("…", ".*")
    return outline if re.fullmatch(pattern, text, re.DOTALL) else text


@pytest.mark.parametrize(
    ("text", "outline", "shown"),
    [
        ("Error: no such tool. Mend it.", "Error: …Mend it.", "Error: …Mend it."),
        ("Error: no such tool.", "Error: …Mend it.", "Error: no such tool."),
        ("No Error: Mend it.", "Error: …Mend it.", "No Error: Mend it."),
        ("18", "1.", "18"),
    ],
)
def test_a_text_that_does_not_fit_its_outline_is_shown(text, outline, shown):
    assert outlined(text, outline) == shown


each_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))


@each_fault
def test_a_fault_ends_as_it_promises(fault):
    run = Run(fault)
    kind, outline, reason = ERRORS.get(fault.name, (type(None), "None", "answered"))
    assert (type(run.error), outlined(str(run.error), outline)) == (kind, outline)
    answer = None if fault.name in ERRORS else ANSWERS.get(fault.name, ANSWER)
    assert run.answer == answer
    assert run.heard("finish") == [{"answer": answer, "reason": reason}]


@each_fault
def test_each_slip_gets_the_answer_that_helps(fault):
    slips, expected = Run(fault).slips, SLIPS[fault.name]
    outlines = [outline for _, outline in expected]
    assert len(slips) == len(expected)
    assert [
        (slip, outlined(answer, outline))
        for (slip, answer), outline in zip(slips, outlines, strict=True)
    ] == expected


@each_fault
def test_a_failed_try_is_announced_and_costs_no_round(fault):
    run, expected = Run(fault), RETRIES.get(fault.name, [])
    heard = run.heard("retry")
    assert len(heard) == len(expected)
    assert [
        (retry["tries"], outlined(str(retry["error"]), outline), retry["wait"])
        for retry, (_, outline, _) in zip(heard, expected, strict=True)
    ] == expected
    assert run.waits == [wait for _, _, wait in expected]
    assert run.agent.llm.calls == len(run.heard("step_start")) + len(expected)


@each_fault
def test_the_folder_is_in_order_and_the_next_request_too(fault):
    agent = Run(fault).agent
    asked: list[list[Message]] = []

    def reply(messages: list[Message], menu: object) -> str:
        asked.append(list(messages))
        return "Good morning."

    agent.llm = ScriptedLLM([reply])
    assert agent.run("And now?") == {"answer": "Good morning."}
    assert problems(asked[0]) == []
    assert asked[0][-1] == UserMessage("And now?")
    names = [m.name for m in asked[0] if isinstance(m, ToolMessage)]
    assert {*names} <= {"get_weather", "to_fahrenheit", "get_wether"}


@each_fault
def test_a_script_is_used_up_exactly_unless_its_tool_ends_the_run(fault):
    run = Run(fault)
    left = len(fault.script()) - run.agent.llm.calls
    assert left == (2 if fault.name in {"tool_fails", "tool_times_out"} else 0)


@pytest.mark.parametrize("name", ["tool_fails", "tool_times_out"])
def test_a_loop_that_tells_the_model_of_a_failing_tool_gets_an_answer(name):
    # The script goes on for such a loop; here the caller asks again by himself.
    agent = Run(FAULTS[name]).agent
    assert agent.run("Then tell me what you have.") == {
        "answer": "Paris: 64°F. For Tokyo there is no reading."
    }


def test_a_cut_stream_was_heard_up_to_its_cut():
    (_, _, half, _) = FAULTS["cut_stream"].script()
    heard: list[str] = []
    model = OpenAIChat("any", transport=half.transport)
    with pytest.raises(ModelError, match="cut off the stream") as caught:
        model.generate([UserMessage("?")], on_text_delta=heard.append)
    assert "".join(heard) == "Paris: 64°F, "
    assert (caught.value.retryable, half.cut) == (True, True)


def test_a_server_may_ask_for_a_wait_that_is_too_long():
    fault = FAULTS["rate_limit"]
    waits: list[float] = []
    agent = fault.agent(retries=Retries(cap=1.5, sleep=waits.append))
    with pytest.raises(ModelError, match="answered 429") as caught:
        agent.run(fault.question)
    assert (caught.value.retry_after, waits) == (2.0, [])


def test_the_same_call_five_times_can_run_into_a_limit():
    fault = FAULTS["same_call"]
    agent: Agent = fault.agent(max_steps=5)
    with pytest.raises(StepLimitReached):
        agent.run(fault.question)
    assert slips_in(agent.memory.folder).count(PARIS) == 5


def test_the_result_of_200_kb_is_that_long_and_ends_with_the_reading():
    weather, _ = FAULTS["huge_result"].tools
    assert len(weather("Tokyo")) == 200_000 + len("now: 24")
    assert weather("Tokyo").splitlines()[-1] == "now: 24"


def test_the_deck_holds_every_fault_under_its_name():
    assert list(FAULTS) == list(SLIPS)
    assert {name: fault.name for name, fault in FAULTS.items()} == {
        name: name for name in FAULTS
    }
    assert not FAULTS.keys() & SCENARIOS.keys()
    assert faults.__all__ == ["ALL_SCENARIOS", "DECK", "FAULTS", "Fault"]
    assert list(DECK) == ["reading", *SCENARIOS, *FAULTS]
    assert ALL_SCENARIOS == {**SCENARIOS, **FAULTS}


def test_each_fault_says_in_a_sentence_of_its_own_what_goes_wrong():
    titles = [scenario.title for scenario in DECK.values()]
    told = [fault.what for fault in FAULTS.values()]
    assert sorted(set(titles)) == sorted(titles)
    assert sorted(set(told)) == sorted(told)
    assert [what for what in told if what[-1] != "." or ": " not in what] == []
    assert [what for what in told if not 60 < len(what) < 140] == []


@each_fault
def test_a_fault_asks_the_question_of_paris_and_tokyo(fault):
    assert (fault.question, fault.system_prompt, repr(fault)) == (
        paris_and_tokyo.question,
        paris_and_tokyo.system_prompt,
        f"Scenario({fault.name!r})",
    )
    # The model reads the same menu, also where the tool behind it goes wrong.
    assert fault.registry().menu() == paris_and_tokyo.registry().menu()


@each_fault
def test_the_source_of_the_tools_runs_as_it_is_shown(fault):
    space: dict[str, Any] = {}
    exec(fault.tools_source(), space)
    assert (space["get_weather"]("Paris"), space["to_fahrenheit"](24)) == ("18", 75)


@each_fault
def test_only_the_fault_of_ids_has_an_id_twice(fault):
    sent: list[str] = []
    for reply in fault.script():
        try:
            message = ScriptedLLM([reply]).generate(()).message
        except ModelError:
            continue
        # What a server sent twice, the adapter tells apart; the bytes do not.
        ids = [call.id for call in message.tool_calls]
        if isinstance(reply, ServerReply):
            ids = re.findall(r'"id": "(\w+)"', reply.body().decode())
        sent += ids
    assert (len(set(sent)) < len(sent)) is (fault.name == "same_id")


def test_a_fault_of_the_wire_shows_what_came():
    replies = {name: fault.script()[0] for name, fault in FAULTS.items()}
    shown = {name: str(r) for name, r in replies.items() if isinstance(r, ServerReply)}
    assert shown["rate_limit"] == (
        "429 Too Many Requests: "
        '\'{"error": {"message": "Too many requests.", "type": '
        '"invalid_request_error", "p…\''
    )
    assert set(shown) == {
        "broken_json",
        "busy_server",
        "cut_reply",
        "error_in_200",
        "html_page",
        "rate_limit",
        "refusal",
        "same_id",
    }
