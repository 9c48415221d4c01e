"""What a trace has put in the place of a text is nobody's word."""

from pathlib import Path
from typing import Any

import pytest

from mingraph_lite import Agent, ScriptedLLM
from mingraph_lite.messages import ToolCall
from mingraph_lite.trace import read_trace
from mingraph_lite.traces.relied_on import has_gap, without_marks
from mingraph_lite.traces.wrong_line import first_wrong_line
from tests.trace.written import recorder

CUT = "It is … [cut: 1,150 characters in all]"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def save(text: str, key: str = "") -> str:
    """Save a text."""
    return "ok"


def found(path: Path, question: str, script: Any, **options: Any) -> list[Any]:
    """What is decided of a run, or asked about it beside what is asked of any."""
    observer = recorder(path, **options)
    Agent(ScriptedLLM(script), [save], "", observers=[observer]).run(question)
    findings = first_wrong_line(read_trace(path).run("run")).findings
    return [(f.kind, f.says, f.sure) for f in findings if f.kind != "question"]


def asked_of_the_reply(path: Path, question: str, reply: str, **options: Any) -> str:
    observer = recorder(path, **options)
    Agent(ScriptedLLM([reply]), [], "", observers=[observer]).run(question)
    (finding,) = first_wrong_line(read_trace(path).run("run")).findings
    return finding.says


def test_a_mark_has_no_number_and_leaves_the_rest():
    assert without_marks(f"a *** b. {CUT}") == "a   b. It is  "
    assert [has_gap(text) for text in ("a ***", CUT, "**a**", "[cut]")] == [
        True,
        True,
        False,
        False,
    ]


def test_slips_that_differ_under_a_mask_are_not_the_same_for_sure(path):
    keys = ["A-1111111", "B-2222222"]
    script = [ToolCall("save", {"text": key}, f"c{key[0]}") for key in keys]
    again = "Slip #2 asks again for what #1 got."
    assert found(path, " or ".join(keys), [*script, "Saved"], secrets=keys) == [
        (
            "asked before",
            f"{again} Or do they differ in what is cut or masked here?",
            False,
        )
    ]


def test_slips_that_are_cut_alike_are_not_the_same_for_sure(path):
    texts = ["a" * 300 + end for end in "xy"]
    script = [ToolCall("save", {"text": text}, f"c{text[-1]}") for text in texts]
    again = "Slip #2 asks again for what #1 got."
    assert found(path, "Save both", [*script, "Saved"], longest=250) == [
        (
            "asked before",
            f"{again} Or do they differ in what is cut or masked here?",
            False,
        )
    ]


def test_a_slip_of_which_something_is_masked_is_not_from_nowhere(path):
    script = [ToolCall("save", {"text": "Key open sesame"}, "c1"), "Saved"]
    assert found(path, "Save it", script, secrets=["open sesame"]) == []


NO_TOOL = "Does it say what the question asks? No tool was asked before it."


@pytest.mark.parametrize(
    ("reply", "options"),
    [
        ("It is warm in Sao-Paulo.", {"secrets": ["Sao-Paulo"]}),
        ("It is warm. " * 10 + "in Rome and Sao-Paulo", {"longest": 100}),
    ],
)
def test_a_name_that_is_masked_or_cut_in_a_reply_is_not_missed(path, reply, options):
    question = "How is it in Sao-Paulo and in Rome?"
    assert asked_of_the_reply(path, question, reply, **options) == NO_TOOL


def test_how_long_a_cut_reply_was_is_no_number_that_it_says(path):
    reply = "Paris is warm. " * 10
    question = "How is it in Paris?"
    assert asked_of_the_reply(path, question, reply, longest=100) == NO_TOOL


def test_a_number_of_a_mark_was_not_heard_by_anybody(path):
    script = [ToolCall("save", {"text": "it"}, "c1"), "It has 310 characters."]
    question = "Save it: " + "a" * 301
    assert found(path, question, script, longest=250) == [
        (
            "unheard number",
            "It says 310, and no tool has said that. Or did what is cut or masked "
            "here?",
            False,
        )
    ]
