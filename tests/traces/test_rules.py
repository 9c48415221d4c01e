import pytest

from mingraph_lite.traces.rules import Said, Slip, Wrong, numbers_in, wrong_lines

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
        "It is 99 in Paris.",
        "It is warm.",
    )
    assert [*wrong_lines(lines, QUESTION)] == [
        Wrong(3, "tool failed", "the tool failed, and slip #1 says so", 1),
        Wrong(4, "asked before", "slip #2 asks again for what #1 got", 2),
        Wrong(5, "too long", "the tool answered with 2,001 characters", 2),
        Wrong(6, "unheard number", "it says 99, and no tool has said that", None),
        Wrong(7, "left out", "it says nothing of Paris", None),
    ]
