"""What is written down for what a file or a cell defines.

A script in a folder of its own stands for the notebook: its names are the names beside
the function. Cells are met in tests/notebooks/test_keeping_in_a_kernel.py.
"""

import functools
import importlib.util
import itertools
import linecache
import sys

import pytest

from mingraph_lite.classroom.definitions import CannotKeep
from mingraph_lite.classroom.loading import load
from mingraph_lite.classroom.sources import pieces_of

COUNT = itertools.count()


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a module, and give it imported under a name of its own."""

    def write(text, name=None):
        name = name or f"notebook_{next(COUNT)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        # As in a notebook, where everything is of __main__ and cannot be imported.
        monkeypatch.setattr(
            "mingraph_lite.classroom.sources._has_a_name", lambda m: m != name
        )
        return module

    return write


def kept(name, thing):
    pieces = pieces_of(name, thing)
    return [(piece.name, piece.source, piece.imports) for piece in pieces]


def test_a_function_is_kept_as_it_is_written(written):
    source = "def loop(n):\n    # count\n    return len([n])"
    assert kept("loop", written(source).loop) == [("loop", source, ())]


def test_what_the_notebook_lays_before_a_name_of_pythons_stays_there(written):
    source = "def read(path):\n    return open(path).read()"
    module = written(source)

    module.open = functools.wraps(open)(lambda path: path)
    assert kept("read", module.read) == [("read", source, ())]
    module.open = lambda path: path
    with pytest.raises(CannotKeep, match="read uses open"):
        kept("read", module.read)


def test_an_alias_comes_with_what_it_stands_for(written):
    module = written("def mine(n):\n    return n")
    assert kept("loop", module.mine) == [
        ("loop", "def mine(n):\n    return n\n\n\nloop = mine", ())
    ]


def test_what_it_needs_comes_along_and_what_can_be_imported_is(written):
    module = written(
        "import re\nimport math as m\nfrom json import dumps as write\n"
        "from mingraph_lite.messages import UserMessage\nLIMIT = 10\n"
        "UNUSED = object()\n"
        "class Base:\n    pass\n"
        "class Tally(Base):\n    top = LIMIT\n"
        "def say(n):\n    return write(m.pi + n)\n"
        "def loop(n=LIMIT):\n"
        "    return re, UserMessage, Tally, say(n), [len for len in [1]], __name__\n"
    )
    found = {piece.name: piece for piece in pieces_of("loop", module.loop)}
    assert list(found)[-1] == "loop"
    assert set(found) == {"LIMIT", "Base", "Tally", "say", "loop"}
    assert list(found).index("Base") < list(found).index("Tally")
    assert found["LIMIT"].source == "LIMIT = 10"
    assert found["say"].imports == (
        "import math as m",
        "from json import dumps as write",
    )
    assert found["loop"].imports == (
        "from mingraph_lite.messages import UserMessage",
        "import re",
    )


def test_functions_that_need_each_other_both_come(written):
    module = written(
        "def even(n):\n    return n == 0 or odd(n - 1)\n\n"
        "def odd(n):\n    return n != 0 and even(n - 1)\n"
    )
    assert [piece.name for piece in pieces_of("even", module.even)] == ["odd", "even"]


def test_a_dataclass_and_its_field_types_come(written):
    module = written(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\n"
        "class Card:\n    calls: list\n    step: int = 1\n"
    )
    assert kept("Card", module.Card) == [
        (
            "Card",
            "@dataclass(frozen=True)\nclass Card:\n    calls: list\n    step: int = 1",
            ("from dataclasses import dataclass",),
        )
    ]


def test_decorators_of_ones_own_and_of_pythons_come(written):
    module = written(
        "import functools\n\n\ndef loud(f):\n    @functools.wraps(f)\n"
        "    def g(*values):\n        return f(*values)\n    return g\n\n\n"
        "@loud\ndef loop(n):\n    return n\n\n\n"
        "@functools.lru_cache\ndef slow(n):\n    return n\n"
    )
    assert [p.name for p in pieces_of("loop", module.loop)] == ["loud", "loop"]
    assert kept("slow", module.slow) == [
        (
            "slow",
            "@functools.lru_cache\ndef slow(n):\n    return n",
            ("import functools",),
        )
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "loop = lambda n: n",
            "loop is a lambda. Write it with def, and it can be kept.",
        ),
        (
            "double = lambda n: n\ndef loop(n):\n    return double(n)",
            "double is a lambda. Write it with def, and it can be kept.",
        ),
        (
            "def make(step):\n    def loop(n):\n        return n + step\n"
            "    return loop\nloop = make(1)",
            "loop was made inside of another function, and needs its step. Define it "
            "in a cell of its own, and hand that in as a parameter.",
        ),
        (
            "import functools\nloop = functools.partial(int, base=2)",
            "loop is a partial. A function or a class can be kept.",
        ),
        ("loop = 4", "loop is an int. A function or a class can be kept."),
        (
            "loop = len",
            "loop is a builtin_function_or_method. A function or a class can be kept.",
        ),
        ("loop = None", "loop is a NoneType. A function or a class can be kept."),
        (
            "def loop():\n    return nowhere",
            "loop uses nowhere, and nothing has that name.",
        ),
        (
            "llm = object()\ndef loop():\n    return llm",
            "loop uses llm, an object of this notebook, which cannot come along. Hand "
            "it in as a parameter, or build it inside of loop.",
        ),
        (
            "many = list(range(1000))\ndef loop():\n    return many",
            "loop uses many, a list of this notebook, which cannot come along. Hand "
            "it in as a parameter, or build it inside of loop.",
        ),
        (
            "exec('def loop(): return 1')",
            "The lines of loop cannot be found. Define it in a cell, and run that.",
        ),
    ],
)
def test_what_cannot_come_along_is_named(text, why, written):
    with pytest.raises(CannotKeep) as caught:
        pieces_of("loop", written(text).loop)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    "value",
    ["10", "'it is'", "None", "True", "[1, 'a']", "{'a': (1, 2)}", "-0.5", "{1}"],
)
def test_literals_come_along(value, written):
    module = written(f"VALUE = {value}\ndef loop():\n    return VALUE")
    assert kept("loop", module.loop)[0] == ("VALUE", f"VALUE = {value}", ())


def test_what_comes_from_my_agent_is_there_already(written):
    written("def loop():\n    return 1\n", "my_agent")
    module = written("from my_agent import loop\ndef safe():\n    return loop()\n")
    assert kept("safe", module.safe) == [("safe", "def safe():\n    return loop()", ())]


def test_what_comes_from_an_earlier_lesson_of_ours_is_there_already():
    loop = load("06_observers").exercises[0].solution
    pieces = pieces_of("announcing_loop", loop)
    assert [piece.name for piece in pieces] == ["Announced", "announcing_loop"]


def test_what_comes_from_my_agent_under_another_name_keeps_that_name(written):
    written("def loop():\n    return 1\n", "my_agent")
    module = written(
        "from my_agent import loop as old\ndef safe():\n    return old()\n"
    )
    assert kept("safe", module.safe)[0] == ("old", "old = loop", ())


def test_what_would_take_the_place_of_what_it_uses_is_refused(written):
    written("def loop():\n    return 1\n", "my_agent")
    module = written(
        "from my_agent import loop as old\ndef loop():\n    return old()\n"
    )
    with pytest.raises(CannotKeep) as caught:
        pieces_of("loop", module.loop)
    assert str(caught.value) == (
        "loop uses old, which is the loop of my_agent.py, and the new loop would take "
        "its place. Give the new one another name."
    )


def test_my_agent_as_a_whole_cannot_be_imported_by_itself(written):
    written("def loop():\n    return 1\n", "my_agent")
    module = written("import my_agent\ndef safe():\n    return my_agent.loop()\n")
    with pytest.raises(CannotKeep, match=r"my_agent is my_agent.py itself"):
        pieces_of("safe", module.safe)


def test_a_value_made_of_a_class_from_my_agent_is_refused(written):
    written("class LastTurns:\n    pass\n", "my_agent")
    module = written(
        "from my_agent import LastTurns\nmemory = LastTurns()\n"
        "def loop():\n    return memory\n"
    )
    with pytest.raises(CannotKeep, match="loop uses memory, a LastTurns of this"):
        pieces_of("loop", module.loop)


def test_the_text_of_another_file_of_this_name_is_not_taken(monkeypatch):
    """`python -c` leaves its text under the name that exec gives its own lines."""
    text = ["import sys; sys.exit()\n"]
    monkeypatch.setitem(
        linecache.cache, "<string>", (len(text[0]), None, text, "<string>")
    )
    made = {"__name__": "notebook"}
    exec("def loop(): return 1", made)
    with pytest.raises(CannotKeep, match="The lines of loop cannot be found"):
        pieces_of("loop", made["loop"])
