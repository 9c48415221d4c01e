import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mingraph_lite import Agent, MingraphError, ScriptedLLM
from mingraph_lite.lab import measures
from mingraph_lite.lab.faults import ALL_SCENARIOS
from mingraph_lite.messages import ToolCall
from mingraph_lite.recovery import Retries
from mingraph_lite.trace import read_trace
from mingraph_lite.traces.findings import Evidence, Finding
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.wrong_line import first_wrong_line
from mingraph_lite.views.from_trace import frames_of
from tests.trace.written import recorder
from tests.traces.recorded import (
    EIGHTEEN,
    FOR_EVER,
    IN_THE_HEAD,
    INVENTED,
    MISREAD,
    PARIS,
    QUESTION,
    RIGHT,
    the_run,
)

ASKED = Evidence(1, "question", QUESTION)
WEATHER = Evidence(
    5, "menu get_weather", "The temperature in a city, in degrees Celsius."
)
NO_LINE = "No line of this run shows that something is wrong."
BARE = (
    "Is this right, for what was asked? It is a bare number: what it counts has to be "
    "remembered, from line 5."
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def decided(*given: Any, **options: Any) -> list[tuple[int, str, int, str]]:
    found = first_wrong_line(the_run(*given, **options)).findings
    return [(f.case, f.kind, f.seq, f.says) for f in found if f.sure]


def test_a_run_without_a_fault_is_all_questions(path):
    found = first_wrong_line(the_run(path, RIGHT))
    assert found.first is None
    assert [(f.case, f.seq, f.step, f.kind) for f in found.findings] == [
        (1, 6, 1, "question"),
        (2, 10, 1, "question"),
        (1, 15, 2, "question"),
        (2, 19, 2, "question"),
        (3, 24, 3, "question"),
    ]


def test_a_bare_number_is_asked_about_beside_the_menu_that_says_what_it_counts(path):
    _, answer, reply = first_wrong_line(the_run(path, MISREAD)).findings
    returned = Evidence(10, 'answer #1 get_weather(city="Paris")', "18")
    assert answer == Finding(
        2, "question", 10, 1, BARE, (returned, WEATHER), sure=False
    )
    assert reply == Finding(
        3,
        "question",
        15,
        2,
        "Does it say what the question asks, and what the answers say?",
        (Evidence(15, "reply", "It is 18°F in Paris."), ASKED, returned),
        sure=False,
    )


def test_arguments_that_do_not_fit_are_case_1(path):
    town = ToolCall("get_weather", {"town": "Paris"}, "c1")
    found = first_wrong_line(the_run(path, [town, *MISREAD]))
    assert found.first == Finding(
        1,
        "cannot be run",
        6,
        1,
        "Slip #1 cannot be run as the model sent it.",
        (
            Evidence(6, "reply", '#1 get_weather(town="Paris")'),
            Evidence(
                10,
                'answer #1 get_weather(town="Paris")',
                "Error: get_weather: city is missing; town is not one of its "
                "parameters. It takes: city. Mend the call.",
            ),
        ),
        sure=True,
    )


def test_a_tool_that_is_not_there_is_case_1(path):
    script = [ToolCall("get_wether", {"city": "Paris"}, "c1"), *MISREAD]
    says = "Slip #1 cannot be run as the model sent it."
    assert decided(path, script) == [(1, "cannot be run", 6, says)]


def test_a_slip_that_nobody_ran_is_looked_up_on_the_menu(path):
    the_run(path, [ToolCall("get_wether", {"city": "Paris"}, "c1"), *MISREAD])
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:7]), encoding="utf-8")
    found = first_wrong_line(read_trace(path).run("run"))
    assert [(f.case, f.kind, f.seq) for f in found.findings] == [
        (1, "cannot be run", 6),
        (4, "never finished", 7),
    ]


def test_a_slip_that_asks_for_what_nobody_said_is_case_1(path):
    says = "Slip #1 says 10, which nobody has said."
    assert decided(path, INVENTED) == [(1, "from nowhere", 6, says)]


def test_a_name_that_nobody_said_is_case_1(path):
    def get_weather(city: str) -> str:
        """The weather."""
        return "18"

    oslo = [ToolCall("get_weather", {"city": "Oslo"}, "c1"), "18 in Paris"]
    says = 'Slip #1 says "Oslo", which nobody has said.'
    assert decided(path, oslo, tools=[get_weather]) == [(1, "from nowhere", 6, says)]


def test_a_parameter_with_a_default_is_the_models_to_choose(path):
    def look_up(city: str, days: int = 1) -> str:
        """The weather of some days."""
        return "18"

    slip = ToolCall("look_up", {"city": "Paris", "days": 7}, "c1")
    assert decided(path, [slip, "18 in Paris"], tools=[look_up]) == []


def test_a_tool_that_failed_is_case_2(path):
    def get_weather(city: str) -> str:
        """Fail."""
        raise ConnectionError("no route")

    found = first_wrong_line(the_run(path, [PARIS], tools=[get_weather]))
    assert [(f.case, f.kind, f.seq, f.says) for f in found.findings if f.sure] == [
        (2, "tool failed", 10, "The tool failed, and slip #1 says so."),
        (4, "never finished", 12, "It ended without an answer after 1 round: failed."),
    ]
    assert found.first is not None
    assert found.first.evidence == (
        Evidence(
            10,
            'answer #1 get_weather(city="Paris")',
            "Error: ConnectionError in get_weather: no route",
        ),
        Evidence(6, "reply", '#1 get_weather(city="Paris")'),
    )


def test_a_number_that_no_tool_gave_is_case_3_with_what_the_tools_gave(path):
    found = first_wrong_line(the_run(path, IN_THE_HEAD))
    assert found.first == Finding(
        3,
        "unheard number",
        15,
        2,
        "It says 65, and no tool has said that.",
        (
            Evidence(15, "reply", "It is 65°F in Paris."),
            ASKED,
            Evidence(10, 'answer #1 get_weather(city="Paris")', "18"),
        ),
        sure=True,
    )


def test_what_was_cut_may_have_had_the_number_so_nobody_is_sure(path):
    def get_weather(city: str) -> str:
        """The weather."""
        return "." * 90 + "65"

    observer = recorder(path, longest=60)
    llm = ScriptedLLM(IN_THE_HEAD)
    Agent(llm, [get_weather], "", observers=[observer]).run("Paris?")
    found = first_wrong_line(read_trace(path).run("run"))
    assert found.first is None
    assert [(f.kind, f.sure) for f in found.findings if f.case == 3] == [
        ("unheard number", False)
    ]


@pytest.mark.parametrize(
    ("missing", "kinds"),
    [
        ("run_start", ["from nowhere"]),
        ("tool_return", ["from nowhere", "unheard number"]),
    ],
)
def test_what_a_missing_line_may_have_said_is_asked_about(path, missing, kinds):
    assert first_wrong_line(the_run(path, RIGHT)).first is None
    lines = path.read_text("utf-8").splitlines(keepends=True)
    left = [line for line in lines if f'"event": "{missing}"' not in line]
    path.write_text("".join(left), "utf-8")
    found = first_wrong_line(read_trace(path).run("run"))
    asks = "Or did a line that is missing here?"
    assert found.first is None
    assert [f.kind for f in found.findings if f.says.endswith(asks)] == kinds


def test_a_limit_is_case_4_and_shows_what_was_asked_for_again_and_again(path):
    found = first_wrong_line(the_run(path, FOR_EVER, max_steps=3))
    again, more, end = [f for f in found.findings if f.case == 4]
    assert (again.seq, again.says) == (15, "Slip #2 asks again for what #1 got.")
    assert again.evidence == (
        Evidence(15, "reply", '#2 get_weather(city="Paris")'),
        Evidence(6, "reply", '#1 get_weather(city="Paris")'),
        Evidence(10, 'answer #1 get_weather(city="Paris")', "18"),
    )
    assert (more.seq, end.says) == (24, "The step limit stopped it after 3 rounds.")
    assert end.evidence[1:] == (
        Evidence(6, "asked 3 times", 'get_weather(city="Paris")'),
    )


def test_the_walk_goes_through_the_four_cases_in_words(path):
    found = first_wrong_line(the_run(path, FOR_EVER, max_steps=3))
    assert "\n".join(found.in_words(Layout(width=84))) == (
        """\
Run run: line 15, in step 2, is the first that a program finds wrong: case 4. Where
you answer a ? before it with no, that line is the first.

1. A wrong slip?
   ? line 6, step 1: Is this what the question needs now: this tool, these
                     arguments?
       line 6 reply: #1 get_weather(city="Paris")
       line 1 question: How warm is it in Paris, in Fahrenheit?

2. A right slip, a wrong answer?
   ? line 10, step 1: Is this right, for what was asked? It is a bare number: what
                      it counts has to be remembered, from line 5.
       line 10 answer #1 get_weather(city="Paris"): 18
       line 5 menu get_weather: The temperature in a city, in degrees Celsius.

3. Right answers, a wrong reply? No line shows it.

4. It never finished?
   ! line 15, step 2: Slip #2 asks again for what #1 got.
       line 15 reply: #2 get_weather(city="Paris")
       line 6 reply: #1 get_weather(city="Paris")
       line 10 answer #1 get_weather(city="Paris"): 18
   ! And the like in line 24.
   ! line 32, step 3: The step limit stopped it after 3 rounds.
       line 32 finish: step limit: StepLimitReached: No answer after 3 rounds. The
                       model last asked for get_weather(city="Paris"). Allow more
                       with max_steps=…, or read in the folder what the model could
                       not get.
       line 6 asked 3 times: get_weather(city="Paris")
   => Look at what it kept asking for."""
    )


def test_findings_are_data_for_a_program(path):
    data = first_wrong_line(the_run(path, IN_THE_HEAD)).as_data()
    assert (data["run"], [f["seq"] for f in data["findings"]]) == ("run", [6, 10, 15])
    assert data["first"] == data["findings"][2]
    assert data["first"]["evidence"][0] == {
        "seq": 15,
        "what": "reply",
        "text": "It is 65°F in Paris.",
    }


@pytest.mark.parametrize("name", ALL_SCENARIOS)
def test_page_and_trace_find_the_same_first_wrong_line(path, name):
    scenario = ALL_SCENARIOS[name]
    with suppress(MingraphError, OSError):  # it ends so, and its trace is there
        retries = Retries(sleep=[].append, chance=lambda: 0.0)
        agent = scenario.agent(observers=[recorder(path)], retries=retries)
        agent.run(scenario.question)
    run = read_trace(path).run("run")
    told = measures.first_wrong_line([*frames_of(run)]).told
    sure = [f for f in first_wrong_line(run).findings if f.sure]
    in_lines = [f.says for f in sure if f.kind != "never finished"]
    first = f"Line N is the first: {in_lines[0]}" if in_lines else NO_LINE
    assert re.sub(r"^Line \d+", "Line N", told).casefold() == first.casefold()


def test_slips_keep_their_numbers_where_a_server_gave_two_the_same(path):
    scenario = ALL_SCENARIOS["same_id"]
    scenario.agent(observers=[recorder(path)]).run(scenario.question)
    found = first_wrong_line(read_trace(path).run("run")).findings
    assert [f.evidence[0].what for f in found if f.case == 2][:2] == [
        'answer #1 get_weather(city="Paris")',
        'answer #2 get_weather(city="Tokyo")',
    ]


def test_a_right_slip_is_not_found_wrong(path):
    assert decided(path, [PARIS, EIGHTEEN, "It is 64°F in Paris."]) == []


def about_the_reply(*given: Any, **options: Any) -> str:
    return first_wrong_line(the_run(*given, **options)).findings[-1].says


NO_UNIT = " The question says Fahrenheit, and this does not."


@pytest.mark.parametrize(
    ("reply", "missing"),
    [
        (
            "18",
            f" It says nothing of Paris.{NO_UNIT}",
        ),
        ("18 in Paris", NO_UNIT),
        ("18°C in Paris", NO_UNIT),
        ("18 °F", " It says nothing of Paris."),
        ("18F in PARIS", ""),
        ("18 degrees Fahrenheit in Paris", ""),
    ],
)
def test_a_name_and_a_unit_that_a_reply_does_not_say_are_asked_about(
    path, reply, missing
):
    says = "Does it say what the question asks, and what the answers say?"
    assert about_the_reply(path, [PARIS, reply]) == says + missing


def test_a_text_of_a_tool_that_begins_as_an_error_is_none(path):
    def get_weather(city: str) -> str:
        """Read a page."""
        return "Error: OSError in the title: a page about errors"

    script = [PARIS, "A page about errors."]
    assert decided(path, script, tools=[get_weather]) == []


def test_a_model_that_declines_is_asked_why(path):
    scenario = ALL_SCENARIOS["refusal"]
    with suppress(MingraphError):
        scenario.agent(observers=[recorder(path)]).run(scenario.question)
    found = first_wrong_line(read_trace(path).run("run"))
    assert [(f.case, f.says) for f in found.findings] == [
        (3, "It declines. What in the question or in the prompt made it?"),
        (4, "It ended without an answer after 1 round: refused."),
    ]


def test_more_of_the_kind_in_the_same_line_is_told_by_its_slip(path):
    both = [ToolCall("to_fahrenheit", {"celsius": n}, f"c{n}") for n in (10, 20)]
    again = ToolCall("to_fahrenheit", {"celsius": 30}, "c30")
    found = first_wrong_line(the_run(path, [both, again, "It is warm in Paris."]))
    assert [line for line in found.in_words(Layout()) if "!" in line] == [
        "   ! line 6, step 1: Slip #1 says 10, which nobody has said.",
        "   ! And in that line: Slip #2 says 20, which nobody has said.",
        "   ! And the like in line 18.",
    ]
