import pytest

from mingraph_lite.classroom import Arrangement, function_of
from mingraph_lite.classroom.arranging import Placed

LINES = Arrangement(
    header="def total(numbers):",
    lines=(
        "result = «0»",
        "for number in «numbers»:",
        "    result = «result» + «number»",
        "return result",
    ),
    extra="numbers.clear()",
)


def letter(text):
    return next(a for a, line in LINES.pieces.items() if line.startswith(text))


def order():
    adding = letter("result = ____ +")
    return f"{start()} {letter('for')} >{adding} {letter('return')}"


def start():
    return next(a for a, line in LINES.pieces.items() if line == "result = ____")


FILLS = ["0", "numbers", "result", "number"]


def test_the_usual_solution_runs():
    assert function_of(LINES.solution, "total")([1, 2]) == 3


def test_the_pieces_hold_no_fill_and_no_indentation_and_are_the_same_for_everybody():
    assert sorted(LINES.pieces.values()) == [
        "for number in ____:",
        "numbers.clear()",
        "result = ____",
        "result = ____ + ____",
        "return result",
    ]
    assert list(LINES.pieces) == ["a", "b", "c", "d", "e"]
    assert LINES.pieces == LINES.pieces


def test_the_lines_in_order_and_filled_are_the_solution():
    assert LINES.code(LINES.placed(order(), FILLS)) == LINES.solution


@pytest.mark.parametrize(
    "written",
    ["b >a >>c", "b > a >> c", "b, >a, >>c", "b\n>a\n>>c", " b >a > >c ", "b>a>>c"],
)
def test_an_order_is_read_however_it_is_spaced(written):
    found = [(one.letter, one.depth) for one in LINES.placed(written, [])]
    assert found == [("b", 0), ("a", 1), ("c", 2)]


def test_letters_may_be_capitals():
    assert LINES.placed("B >A", []) == LINES.placed("b >a", [])


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("b >z", "There is no line z"),
        ("b >b", "Line b stands in it twice"),
        ("b >", "A > stands before no line"),
        ("> , b", "A > stands before no line"),
        ("1 2", "'1 2' is no line"),
        ("abc", "'ab' is no line"),
    ],
)
def test_an_order_that_cannot_be_read_is_told_what_is_wrong(written, wrong):
    with pytest.raises(ValueError, match="cannot be read") as caught:
        LINES.placed(written, [])
    assert str(caught.value) == (
        f"{written!r} cannot be read. {wrong}. There are the lines a, b, c, d, e. "
        "Write those that belong, in order, a > for each level of indentation: "
        '"a >b >>c >>d >>e".'
    )


def test_too_many_fills_are_told():
    with pytest.raises(ValueError, match="There is no blank left for 5, 6"):
        LINES.placed(order(), [*FILLS, "5", "6"])


def test_a_blank_without_a_fill_stays_a_blank():
    assert LINES.code(LINES.placed(start(), [])).endswith("result = ____")


@pytest.mark.parametrize("fill", ["", " ", "…", "...", "____"])
def test_a_blank_left_empty_does_not_move_the_fills_after_it(fill):
    placed = [Placed(letter("result = ____ +"), 0, (fill, "2"))]
    assert LINES.code(placed).endswith("result = ____ + 2")


def test_an_order_that_is_shown_as_an_example_can_be_read():
    assert len(LINES.placed(LINES.example, [])) == 5
    assert LINES.code(LINES.placed(LINES.example, FILLS)) != LINES.solution


def test_lines_without_a_header_begin_at_the_margin():
    lines = Arrangement(lines=("a = 1", "if a:", "    b = 2"), extra="c")
    assert lines.solution == "a = 1\nif a:\n    b = 2"


def test_code_that_is_no_python_says_which_line():
    with pytest.raises(SyntaxError) as caught:
        function_of("def total(numbers):\n    return return", "total")
    assert (caught.value.lineno, caught.value.filename) == (2, "<your lines>")


def test_code_that_defines_another_name_is_told():
    with pytest.raises(ValueError, match="These lines define no function total"):
        function_of("total = 4", "total")
