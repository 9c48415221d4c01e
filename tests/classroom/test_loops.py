import pytest

from mingraph_lite.classroom import load
from mingraph_lite.classroom.checks.loop_checks import loop_by_hand, whole_loop
from mingraph_lite.classroom.checks.loops import NeverEnough, watch, wrong_with
from mingraph_lite.classroom.checks.tool_checks import own_tool
from mingraph_lite.lab import ReadingLLM
from mingraph_lite.lab.scenarios import get_weather, to_fahrenheit
from mingraph_lite.messages import UserMessage, problems

LESSONS = [load("01_while_true"), load("01b_milestone")]
QUESTION = UserMessage("How warm is it in Paris and in Tokyo, in Fahrenheit?")
LOOP = LESSONS[0].exercises[3].solution


def test_a_run_knows_what_was_said_heard_and_run():
    folder = [QUESTION]
    run = watch(LOOP, ReadingLLM(), [get_weather, to_fahrenheit], folder)
    assert folder == [QUESTION]  # a copy was handed in
    assert [len(heard) for heard in run.heard] == [1, 4, 7]
    assert run.ran == [str(call) for call in run.passed]
    assert run.gave == {
        'get_weather(city="Paris")': "18",
        'get_weather(city="Tokyo")': "24",
        "to_fahrenheit(celsius=18)": "64",
        "to_fahrenheit(celsius=24)": "75",
    }
    assert run.answer == "Paris: 18 = 64°F, Tokyo: 24 = 75°F"
    assert wrong_with(run) is None


def test_a_model_that_never_has_enough_gives_each_slip_a_number_of_its_own():
    run = watch(LOOP, NeverEnough(), [get_weather], [QUESTION], limit=3)
    assert [call.id for call in run.passed] == [
        *("call_1_1", "call_1_2", "call_2_1", "call_2_2", "call_3_1", "call_3_2")
    ]
    assert problems(run.folder) == []


def test_a_loop_without_an_end_is_cut_off():
    run = watch(LOOP, NeverEnough(), [get_weather], [QUESTION], limit=99)
    assert (run.has_no_end, len(run.said)) == (True, 30)
    assert wrong_with(run) == "The model was asked 30 times, and there was no end."


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_other_right_answer_is_right(lesson):
    said = {
        name: exercise.check(answer)
        for exercise in lesson.exercises
        for name, answer in exercise.also_right.items()
    }
    assert said == dict.fromkeys(said)


def test_a_broken_tool_of_the_loop_is_raised_not_judged():
    def no_weather(city: str) -> str:
        """The weather in a city."""
        raise RuntimeError(f"no line to {city}")

    with pytest.raises(RuntimeError, match="no line to Paris"):
        watch(LOOP, ReadingLLM(), [no_weather], [QUESTION])


def test_an_error_in_the_learners_line_is_theirs_to_see_and_no_way_to_stop():
    def misspelt(llm, tools, folder, limit=10):
        answer = LOOP(llm, tools, folder, limit)
        return answr if len(folder) > 9 else answer  # noqa: F821

    with pytest.raises(NameError):
        whole_loop(misspelt)


def test_a_loop_that_asks_with_other_tools_than_those_handed_in_is_told():
    others = LESSONS[0].exercises[0].mistakes
    said = 'get_weather(city="Paris") was passed, and never run with tools.run(call).'
    assert loop_by_hand(others[said]) == said


def test_a_tool_is_tried_on_the_names_it_has_to_know():
    def hills(city: str) -> int:
        """How many hills a city has."""
        return {"Rome": 7}[city]

    assert own_tool(hills, ["Rome"]) is None
    assert own_tool(hills) == "For 'Paris' it raises KeyError: 'Paris'"
