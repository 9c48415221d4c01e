import pytest

from mingraph_lite.traces.names import left_out
from mingraph_lite.traces.rules import (
    Said,
    Slip,
    Wrong,
    numbers_in,
    wrong_lines,
)

QUESTION = "How warm is it in Paris?"


def slip(number, arguments, name="get_weather", problem=None):
    return Slip(number, name, arguments, f"{name}(…)", problem)


def folder(*lines):
    """Lines from the question on: a text is a reply, a pair is an answer."""
    said = [Said(1, "user", QUESTION, (), None)]
    for place, line in enumerate(lines, 2):
        if isinstance(line, str):
            said.append(Said(place, "model", line, (), None))
        elif isinstance(line, Slip):
            said.append(Said(place, "model", "", (line,), None))
        else:
            said.append(Said(place, "tool", line[1], (), line[0]))
    return said


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("18 and 24.5", {18.0: "18", 24.5: "24.5"}),
        ("1,250 of 1,000,000", {1250.0: "1,250", 1000000.0: "1,000,000"}),
        ("1. Paris: 64\n2) Tokyo: 75", {64.0: "64", 75.0: "75"}),
        ("18, 18.0", {18.0: "18.0"}),
        ("none", {}),
    ],
)
def test_numbers_of_a_text_are_found_however_they_are_written(text, numbers):
    assert numbers_in(text) == numbers


@pytest.mark.parametrize("said", ["It is 18 in Paris.", "It is 18.0 in Paris."])
def test_a_number_is_the_same_however_it_is_written(said):
    lines = folder(slip(1, '{"city": "Paris"}'), (1, "18"), said)
    assert [*wrong_lines(lines, QUESTION)] == []


def test_a_rounded_number_is_one_that_a_tool_gave():
    lines = folder(slip(1, '{"city": "Paris"}'), (1, "64.4"), "64 in Paris.")
    assert [*wrong_lines(lines, QUESTION)] == []


def test_what_is_known_from_before_is_not_from_nowhere():
    lines = folder(slip(1, '{"city": "Oslo"}'), (1, "18"), "18 in Paris.")
    assert [*wrong_lines(lines, QUESTION)] == [
        Wrong(2, "from nowhere", 'slip #1 says "Oslo", which nobody has said', 1)
    ]
    assert [*wrong_lines(lines, QUESTION, ["What of Oslo?"])] == []


def test_an_answer_that_comes_later_does_not_count():
    lines = folder(slip(1, '{"celsius": 18}'), (1, "64"), "64 in Paris.")
    assert [wrong.kind for wrong in wrong_lines(lines, QUESTION)] == ["from nowhere"]


def test_a_name_that_says_more_than_the_question_is_known():
    lines = folder(slip(1, '{"city": "Paris, France"}'), (1, "18"), "18 in Paris.")
    assert [*wrong_lines(lines, QUESTION)] == []


def test_a_slip_that_was_not_run_is_held_against_the_menu():
    menu = {"get_weather": {"properties": {"city": {}}, "required": ["city"]}}
    cannot = "slip #1 cannot be run as the model sent it"
    for wrong in (
        slip(1, '{"city": "Paris"}', name="get_wether"),
        slip(1, '{"town": "Paris"}'),
        slip(1, '{"city": "Paris", "town": "Paris"}'),
        slip(1, "{}"),
        slip(1, '{"city": "Paris"}', problem="It is no JSON."),
    ):
        assert [*wrong_lines(folder(wrong), QUESTION, (), menu)] == [
            Wrong(2, "cannot be run", cannot, 1)
        ]
    fits = folder(slip(1, '{"city": "Paris"}'))
    assert [*wrong_lines(fits, QUESTION, (), menu)] == []


def test_each_kind_of_wrong_line_is_told():
    lines = folder(
        slip(1, '{"city": "Paris"}'),
        (1, "Error: ConnectionError in get_weather: no route"),
        slip(2, '{"city": "Paris"}'),
        (2, "." * 2001),
        slip(3, '{"city": "Paris"}'),
        (3, "." * 2001),
        "It is 99 in Paris.",
    )
    assert [*wrong_lines(lines, QUESTION)] == [
        Wrong(3, "tool failed", "the tool failed, and slip #1 says so", 1),
        Wrong(5, "too long", "the tool answered with 2,001 characters", 2),
        Wrong(6, "asked before", "slip #3 asks again for what #2 got", 3),
        Wrong(7, "too long", "the tool answered with 2,001 characters", 3),
        Wrong(8, "unheard number", "it says 99, and no tool has said that", None),
    ]


BOTH = "How warm is it in Paris and in Tokyo?"
ONLY_PARIS = folder(slip(1, '{"city": "Paris"}'), (1, "18"), "Paris: 18°C")


def test_of_two_names_the_one_that_was_never_asked_for_is_left_out():
    assert [*wrong_lines(ONLY_PARIS, BOTH)] == [
        Wrong(4, "left out", "it says nothing of Tokyo", None)
    ]


@pytest.mark.parametrize(
    "question",
    [
        "How warm is it in Tokyo?",
        "Is Paris warmer than Tokyo?",
        "Which is warmer, Paris and Tokyo?",
        "Is Paris in the same country as Tokyo and Osaka?",
    ],
)
def test_a_name_that_an_answer_need_not_say_is_not_left_out(question):
    assert [*wrong_lines(ONLY_PARIS, question)] == []


def test_of_two_names_that_were_both_asked_for_none_is_left_out_for_sure():
    tokyo = slip(2, '{"city": "Tokyo"}')
    lines = folder(slip(1, '{"city": "Paris"}'), (1, "18"), tokyo, (2, "18"))
    reply = Said(9, "model", "As warm as Paris: 18", (), None)
    assert [*wrong_lines([*lines, reply], BOTH)] == []


def test_a_name_is_the_same_in_capitals():
    assert left_out("How warm is it in PARIS and in Rome?", "Paris: 18°C") == ["Rome"]


COUNT = "Does it count something, or is it a time of day?"


@pytest.mark.parametrize(
    ("got", "reply", "unheard"),
    [
        ("2026-11-30T22:00", "22:00", None),
        ("64.39999", "64.4 in Paris", None),
        ("64.39999", "64.5 in Paris", ("64.5", None)),
        ("18", "Both 2 cities have 18°C", ("2", COUNT)),
        ("18", "A difference of 0 degrees", ("0", COUNT)),
        ("18", "It is 2°C, in 2 cities", ("2", None)),
        ("18", "It is 2 °C", ("2", None)),
        ("18", "It costs $2", ("2", None)),
        ("18", "It is 64 in 2 cities", ("64", None)),
    ],
)
def test_a_number_that_may_count_something_is_asked_about(got, reply, unheard):
    lines = folder(slip(1, '{"city": "Paris"}'), (1, got), reply)
    expected = [
        Wrong(
            4, "unheard number", f"it says {number}, and no tool has said that", *more
        )
        for number, asks in ([unheard] if unheard else [])
        for more in [(None, asks)]
    ]
    assert [*wrong_lines(lines, QUESTION)] == expected


def test_a_number_may_be_asked_for_in_a_word():
    question = "How warm is it in Paris in the next three days?"
    lines = folder(slip(1, '{"days": 3}'), (1, "18"), "18°C, for 3 days")
    assert [*wrong_lines(lines, question)] == []


def test_what_the_model_may_choose_it_may_say():
    menu = {"get_weather": {"properties": {"city": {}, "days": {}}, "required": []}}
    lines = folder(slip(1, '{"days": 30}'), (1, "18"), "18 °C in Paris, for 30 days")
    assert [*wrong_lines(lines, QUESTION, (), menu)] == []


def job(number):
    return slip(number, '{"job": "Paris"}')


def test_who_asks_until_something_changes_is_asked_about():
    lines = folder(job(1), (1, "running"), job(2), (2, "running"), job(3), (3, "done"))
    asks = "Was that to wait for another answer? The answers differ."
    assert [*wrong_lines(lines, QUESTION)] == [
        Wrong(4, "asked before", "slip #2 asks again for what #1 got", 2, asks),
        Wrong(6, "asked before", "slip #3 asks again for what #1 got", 3, asks),
    ]


CUT_OFF = "Error: f: the reply was cut off. Send the call again. Mend the call."


@pytest.mark.parametrize("error", ["Error: ConnectionError in f: try again", CUT_OFF])
def test_a_slip_that_got_an_error_may_be_passed_again(error):
    lines = folder(job(1), (1, error), job(2), (2, "done"))
    assert [wrong.slip for wrong in wrong_lines(lines, QUESTION)] == [1]


@pytest.mark.parametrize(
    ("text", "is_error", "fails"),
    [
        ("Error: the page says so", None, False),
        ("Error: OSError in f: no", None, True),
        ("Error: OSError in f: no", False, False),
        ("no", True, True),
        ("Error: the result of type C has no readable form", False, True),
    ],
)
def test_a_tool_failed_where_that_was_announced(text, is_error, fails):
    lines = [*folder(job(1)), Said(3, "tool", text, (), 1, is_error)]
    kinds = [wrong.kind for wrong in wrong_lines(lines, QUESTION)]
    assert kinds == ["tool failed"] * fails
