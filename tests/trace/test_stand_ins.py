import io
import math
import threading
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path

import pytest

from mingraph_lite import Agent, Recorder, ScriptedLLM
from mingraph_lite.messages import ToolCall
from mingraph_lite.trace import read_trace
from tests.trace.written import agent, announced, lines_of, named, recorder, written


class Kit:
    def __init__(self):
        self.lock = threading.Lock()


class Tense:
    def __repr__(self):
        raise RuntimeError("no words")


class Colour(Enum):
    RED = "red"


def deep():
    inside: list = []
    for _ in range(5_000):
        inside = [inside]
    return inside


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


ODD = [
    (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00", "datetime"),
    (Decimal("1.50"), "1.50", "Decimal"),
    (b"\x00\x01", "(2 bytes: binary data, not shown)", "bytes"),
    (math.nan, "NaN", "float"),
    (Colour.RED, "red", "Colour"),
    (Kit(), "<Kit object>", "Kit"),
    (Tense(), "<Tense object>", "Tense"),
    (ValueError("no"), "no", "ValueError"),
    (io.StringIO(), "<StringIO object>", "StringIO"),
]


@pytest.mark.parametrize(("value", "text", "kind"), ODD)
def test_E01_what_json_cannot_hold_is_a_marked_stand_in(path, value, text, kind):
    line = announced(path, "tick", plain=1, inside={"odd": [value]})
    assert line["payload"] == {"plain": 1, "inside": {"odd": [text]}}
    assert line["marks"] == [
        {"at": "payload.inside.odd.0", "what": "stand-in", "type": kind}
    ]


class Items(dict):
    def items(self):
        raise RuntimeError("no items")


class Number(int):
    def __repr__(self):
        raise RuntimeError("no words")


class Listed(list):
    def __iter__(self):
        raise RuntimeError("nothing to go through")


class Text(str):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("value", "written", "is_marked"),
    [
        (Items(a=1), "<Items object>", True),
        ([Items(a=1)], ["<Items object>"], True),
        ({"token": Items(a=1)}, {"token": "***"}, True),
        ({"token": Number(123456789)}, {"token": "***"}, True),
        (Number(3), 3, False),
        ({"a": Number(3)}, {"a": 3}, False),
        ({Number(3): 1}, {"3": 1}, False),
        (Listed([1]), [1], False),
        (Text("x"), "x", False),
    ],
    ids=range(9),  # by default pytest would ask for their repr
)
def test_a_value_whose_own_code_raises_has_a_line_too(path, value, written, is_marked):
    line = announced(path, "mine", v=value)
    assert line["payload"] == {"v": written}
    assert ("marks" in line) == is_marked


def test_a_tool_may_give_back_a_dict_whose_items_raise(path):
    def look() -> object:
        """Look around."""
        return Items(a=1)

    agent(ToolCall("look", {}, "a"), "18", tools=[look], path=path).run("Go")
    lines = lines_of(path)
    [returned] = named(lines, "tool_return")
    assert returned["value"] == "<Items object>"
    assert [line["seq"] for line in lines] == [*range(1, len(lines) + 1)]


def test_E01_a_set_and_keys_that_are_no_texts_become_what_json_has(path):
    line = announced(path, "tick", value={3, 1}, keys={1: "a", "1": "b", None: "c"})
    assert line["payload"]["value"] == [1, 3]
    assert {mark["type"] for mark in line["marks"]} >= {"set"}


def test_E01_a_stand_in_is_short_however_long_the_thing_says_it_is(path):
    class Loud:
        def __str__(self):
            return "loud " * 100_000

    line = announced(path, "tick", value=Loud())
    assert len(line["payload"]["value"]) == 200


def test_E01_what_is_nested_too_deep_still_is_a_line(path):
    line = announced(path, "tick", value=deep(), n=1)
    assert line["payload"]["n"] == 1
    assert read_trace(path).problems == ()


def test_E01_what_holds_itself_still_is_a_line(path):
    ring: list = [1]
    ring.append(ring)
    assert announced(path, "tick", value=ring)["payload"]["value"][0] == 1


def test_E01_half_a_character_is_replaced_and_marked(path):
    line = announced(path, "tick", text="\ud83d")
    assert line["payload"] == {"text": "\ufffd"}
    assert line["marks"] == [
        {"at": "payload.text", "what": "stand-in", "type": "half a character"}
    ]


def test_E01_whatever_tools_take_and_give_the_run_is_the_same(path):
    def thing(n: int) -> object:
        """Give something odd."""
        return [Kit(), datetime(2026, 1, 2, tzinfo=UTC), {1, 2}, print, b"x"][n]

    calls = [ToolCall("thing", {"n": n}, f"c{n}") for n in range(5)]
    heard, alone = Recorder(), Recorder()
    script = [calls, "18"]
    watched = Agent(ScriptedLLM(script), [thing], "", observers=[recorder(path), heard])
    plain = Agent(ScriptedLLM(script), [thing], "", observers=[alone])
    assert watched.run("Go") == plain.run("Go")
    assert heard.names() == alone.names()
    assert [line["event"] for line in lines_of(path)] == heard.names()


def test_a_long_text_is_cut_with_its_full_length(path):
    line = written(recorder(path, longest=10), path, "warning", text="a" * 25)
    assert line["text"] == "aaaaaaaaaa… [cut: 25 characters in all]"
    assert line["marks"] == [{"at": "text", "what": "cut", "length": 25}]


def test_a_value_of_many_parts_is_cut_as_a_whole(path):
    line = written(recorder(path, longest=20), path, "tick", value=[1] * 1_000)
    cut = '{"value": [1, 1, 1, … [cut: 3,011 characters in all]'
    assert line["payload"] == cut
    assert line["marks"][0] == {"at": "payload", "what": "cut", "length": 3011}


def test_a_long_folder_is_never_cut_as_a_whole(path):
    observer = recorder(path, longest=100)
    for _ in range(2):
        asked = Agent(ScriptedLLM(["18"] * 9), [], "", observers=[observer])
        for n in range(9):
            asked.run(f"Question {n}: " + "x" * 50)
    assert [len(line["folder"]) for line in named(lines_of(path), "run_start")] == [
        *range(0, 18, 2)
    ] * 2


def test_by_default_a_result_of_200_kb_is_written_whole(path):
    def talk() -> str:
        """Talk."""
        return "word " * 40_000

    agent(ToolCall("talk", {}), "18", path=path, tools=[talk]).run("Go")
    lines = lines_of(path)
    assert len(named(lines, "tool_return")[0]["content"]) == 200_000
    assert [line for line in lines if "marks" in line] == []
    assert path.stat().st_size < 210_000
    assert read_trace(path).runs[0].reason == "answered"
