import pytest

from mingraph_lite.traces.numbers import amounts_in, numbers_in, says_number


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("18 and 24.5", [18, 24.5]),
        ("none, H2O, call_18", []),
        ("-3 in Oslo, \u22124 in Bergen, minus 5 in Troms\u00f8", [-3, -4, -5]),
        ("(-3) or Oslo: -4", [-3, -4]),
        ("16-18 degrees, 16\u201318, Oslo - 7", [16, 18, 7]),
        ("5 minus 3", [5, 3]),
        ("2026-11-30, 30.11.2026", [2026, 11, 30]),
        ("1,250 of 1,000,000", [1250, 1000000]),
        ("1\u202f250 of 1'000'000, 1.000.000", [1250, 1000000]),
        ("1,250.5 and 1.250,5", [1250.5]),
        ("18,5 and 0,125", [18.5, 0.125]),
        ("18, 24", [18, 24]),
        ("1,2,3", [1, 2, 3]),
        ("18\u00b0C, 24 \u00b0C, 30%, $5, 7km", [18, 24, 30, 5, 7]),
        ("\u6c14\u6e2964\u5ea6", [64]),
        ("1e-05 and 2E3", [0.00001, 2000]),
        ("64.", [64]),
        ("64.\nThat is warm.", [64]),
        ("64. That is warm.", [64]),
        ("1. Paris: 64\n2) Tokyo: 75", [64, 75]),
        ("1. Paris: 64\n1. Tokyo: 75", [64, 75]),
        ("1. Paris\n64. is what it says", [64]),
        ("9" * 5000, [float("inf")]),
    ],
)
def test_numbers_are_found_however_they_are_written(text, numbers):
    assert list(numbers_in(text)) == numbers


def test_a_number_keeps_how_it_is_written():
    assert numbers_in("18, minus 3 and 1,250") == {
        18: "18",
        -3: "minus 3",
        1250: "1,250",
    }


@pytest.mark.parametrize(
    ("wanted", "said", "not_said"),
    [
        ("64", ["64.", "64. Warm.", "It is 64\u00b0F.", "64F", "64.0"], ["164", "-64"]),
        ("-3", ["\u22123\u00b0C", "It is minus 3."], ["3", "It is 5-3."]),
        ("\u22123", ["-3"], ["3"]),
        ("18.5", ["18,5 \u00b0C", "18.50"], ["18", "5"]),
        ("18,5", ["18.5"], ["185"]),
        ("1250", ["1,250 people", "1\u00a0250", "1.250,0"], ["250", "1"]),
        (
            "18\u00b0C",
            ["18 \u00b0C", "18C", "18 degrees Celsius"],
            ["18\u00b0F", "18 cars"],
        ),
        ("30%", ["30 %", "30 percent"], ["30", "3%"]),
        ("64 in Paris", ["64 in Paris, 75 in Tokyo"], ["75 in Paris, 64 in Tokyo"]),
        ("2", ["1. Paris\n2. Tokyo: 2"], ["1. Paris\n2. Tokyo"]),
    ],
)
def test_an_answer_says_a_number_in_any_of_its_forms(wanted, said, not_said):
    assert [text for text in said if not says_number(text, wanted)] == []
    assert [text for text in not_said if says_number(text, wanted)] == []


def test_what_is_not_one_number_is_none():
    assert says_number("It is warm.", "warm") is None
    assert says_number("It is 64.", "is 64") is None
    assert says_number("64 and 99", "64 and 75") is None


def test_a_list_without_spaces_may_be_two_amounts_or_one():
    assert {*amounts_in('{"t": [18,24], "low": -3}')} == {18.24, 18, 24, 3}
