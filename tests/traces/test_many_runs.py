from pathlib import Path

import pytest

from mingraph_lite.llm import LLMResponse, Usage
from mingraph_lite.messages import AssistantMessage
from mingraph_lite.traces.layout import Layout
from mingraph_lite.traces.many_runs import Row, Table, table_of
from tests.traces.recorded import (
    FOR_EVER,
    IN_THE_HEAD,
    INVENTED,
    MISREAD,
    PARIS,
    QUESTION,
    RIGHT,
    runs,
    the_run,
    write,
)

FROM_NOWHERE = ["It is 64°F in Paris."]
RIGHT_BY_HEAD = [PARIS, "It is 64°F in Paris."]
SCRIPTS = [RIGHT, RIGHT, RIGHT_BY_HEAD, IN_THE_HEAD, MISREAD, INVENTED, FROM_NOWHERE]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def test_wrong_answers_are_split_by_what_went_before_them(path):
    table = table_of(runs(path, *SCRIPTS, FOR_EVER, max_steps=3), ["64"])
    assert str(table) == (
        """\
How warm is it in Paris, in Fahrenheit?
n = 8, right: 4 of 8   model: ScriptedLLM
ended: 7 answered, 1 stopped: step limit

                                                    right  wrong
every number came from a tool                           2      1
arithmetic in the head: a number that no tool gave      1      1
lookup skipped, numbers invented                        1      1
no answer: step limit                                   -      1

median: 2 rounds, ? tokens"""
    )


def test_without_a_right_answer_it_counts_how_each_ended(path):
    table = table_of(runs(path, *SCRIPTS, FOR_EVER, max_steps=3))
    assert str(table) == (
        """\
How warm is it in Paris, in Fahrenheit?
n = 8   model: ScriptedLLM
ended: 7 answered, 1 stopped: step limit

                                                    runs
every number came from a tool                          3
arithmetic in the head: a number that no tool gave     2
lookup skipped, numbers invented                       2
no answer: step limit                                  1

median: 2 rounds, ? tokens"""
    )


def test_a_table_is_data_with_its_sample_size(path):
    def reply(text: str, tokens: int) -> LLMResponse:
        return LLMResponse(AssistantMessage(text), usage=Usage(tokens, 0))

    scripts = [[reply("It is warm.", tokens)] for tokens in (10, 20, 90)]
    assert table_of(runs(path, *scripts)) == Table(
        QUESTION,
        ("ScriptedLLM",),
        3,
        None,
        {"answered": 3},
        (Row("no number", "no number in the answer", 3, None),),
        1,
        20,
    )


def ways(*given, **options):
    return [(row.way, row.runs) for row in table_of(runs(*given, **options)).rows]


def test_an_answer_without_a_number_came_from_no_tool(path):
    scripts = [["Hello."], [PARIS, "It is warm."], [PARIS, "It is 18°C."]]
    assert ways(path, *scripts) == [("by tool", 1), ("no number", 2)]


def test_a_number_that_may_be_a_count_is_left_to_a_person(path):
    assert ways(path, [PARIS, "The 2 tools say 18."]) == [("undecided", 1)]


def test_of_an_answer_that_is_masked_or_cut_nobody_can_tell(path):
    runs_of = [[PARIS, "It is warm: *** and 18."], [PARIS, "***"]]
    assert ways(path, *runs_of) == [("undecided", 2)]


def test_one_round_and_one_token_are_no_plural(path):
    reply = LLMResponse(AssistantMessage("Hello."), usage=Usage(1, 0))
    table = table_of(runs(path, [reply]))
    assert str(table).splitlines()[-1] == "median: 1 round, 1 token"


def test_a_table_fits_a_narrow_terminal(path):
    table = table_of(runs(path, RIGHT, IN_THE_HEAD), ["64"])
    assert "\n".join(table.in_words(Layout(40))) == (
        """\
How warm is it in Paris, in Fahrenheit?
n = 2, right: 1 of 2   model:
ScriptedLLM
ended: 2 answered

                            right  wrong
every number came from a        1      -
  tool
arithmetic in the head: a       -      1
  number that no tool gave

median: 2.5 rounds, ? tokens"""
    )


@pytest.mark.parametrize(
    ("right", "is_right"),
    [
        (["64"], True),
        (["64", "Paris"], True),
        (["64", "Tokyo"], False),
        (["64°F"], True),
        (["4"], False),
        (["6"], False),
        (["64.0"], True),
        (["PARIS"], True),
        (["Par"], False),
        (lambda answer: answer.endswith("Paris."), True),
    ],
)
def test_an_answer_is_right_where_it_says_all_of_it_as_a_word(path, right, is_right):
    assert table_of([the_run(path, RIGHT)], right).right == int(is_right)


def test_what_is_no_runs_of_one_question_is_refused(path, tmp_path):
    with pytest.raises(ValueError, match="no runs to count"):
        table_of([])
    write(path, RIGHT)
    both = [the_run(path), *runs(tmp_path / "u.jsonl", RIGHT, question="And Tokyo?")]
    with pytest.raises(ValueError, match="runs of 2 questions, such as 'How warm"):
        table_of(both)
    with pytest.raises(TypeError, match=r"Hand in a list: right=\['64'\]"):
        table_of([the_run(path)], "64")
