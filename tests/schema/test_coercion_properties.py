"""The table of coercion, for values nobody thought of."""

import copy
import json
import math
import string
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite.errors import ToolArgsError
from mingraph_lite.messages import ToolCall
from mingraph_lite.tools import ToolRegistry
from tests.properties import cases

pytestmark = pytest.mark.properties

finite = st.floats(allow_nan=False, allow_infinity=False)


texts = st.text(st.characters(exclude_categories=()))  # lone surrogates too


scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts


jsons = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner),
    max_leaves=12,
)


spaces = st.sampled_from(["", " ", "\t", "\n "])


@dataclass
class Inner:
    n: int = 0
    flag: bool = False
    ratio: float = 0.0
    tag: str = ""


def take(
    n: int = 0,
    flag: bool = False,
    ratio: float = 0.0,
    tag: str = "",
    inner: list[Inner] | None = None,
) -> dict[str, Any]:
    return locals()


TOOLS = ToolRegistry()
TOOLS.add(take)


TYPES = {"n": int, "flag": bool, "ratio": float, "tag": str}


def taken(name: str, sent: object) -> list[Any]:
    """What arrives for a value, as an argument and inside a dataclass in a list."""
    flat = TOOLS.run(ToolCall("take", {name: sent}))[name]
    deep = TOOLS.run(ToolCall("take", {"inner": [{name: sent}]}))["inner"]
    return [flat, getattr(deep[0], name)]


def refused(name: str, sent: object) -> list[bool]:
    """Whether a value is refused as an argument, and whether inside a dataclass."""
    answers = []
    for arguments in ({name: sent}, {"inner": [{name: sent}]}):
        try:
            TOOLS.run(ToolCall("take", arguments))
        except ToolArgsError:
            answers.append(True)
        else:
            answers.append(False)
    return answers


def exactly(value: object) -> list[tuple[type, object]]:
    return [(type(value), value)] * 2


def arrived(name: str, sent: object) -> list[tuple[type, object]]:
    return [(type(value), value) for value in taken(name, sent)]


# C06. Right: what can only mean one value is taken, the rest refused, at every depth.
@cases(st.integers(), spaces, spaces)
def test_C06_a_whole_number_arrives_in_every_spelling(
    n: int, before: str, after: str
) -> None:
    assert arrived("n", n) == exactly(n)
    assert arrived("n", f"{before}{n}{after}") == exactly(n)
    assert arrived("n", f"{n}.0") == exactly(n)


@cases(st.integers(-(2**53), 2**53))
def test_C06_a_float_without_fraction_is_a_whole_number(n: int) -> None:
    assert arrived("n", float(n)) == exactly(n)


@cases(finite.filter(lambda x: not x.is_integer()))
def test_C06_a_fraction_is_no_whole_number(x: float) -> None:
    assert refused("n", x) == refused("n", repr(x)) == [True, True]


@cases(finite, spaces)
def test_C06_a_number_arrives_as_the_same_float(x: float, space: str) -> None:
    assert arrived("ratio", x) == exactly(x)
    assert arrived("ratio", f"{space}{x!r}{space}") == exactly(x)


@cases(st.text(string.ascii_letters + string.punctuation + " "))
def test_C06_letters_are_a_boolean_only_where_they_say_true_or_false(
    word: str,
) -> None:
    says = {"true": True, "false": False}.get(word.strip().lower())
    if says is None:
        assert refused("flag", word) == [True, True]
    else:
        assert arrived("flag", word) == exactly(says)


@cases(st.integers() | st.floats() | st.none())
def test_C06_no_number_is_a_boolean_or_a_text(sent: object) -> None:
    assert refused("flag", sent) == refused("tag", sent) == [True, True]


@cases(st.booleans())
def test_C06_no_boolean_is_a_number_or_a_text(sent: bool) -> None:
    assert [refused(name, sent) for name in ("n", "ratio", "tag")] == [[True] * 2] * 3


@cases(texts)
def test_C06_a_text_arrives_as_it_was_sent(text: str) -> None:
    assert arrived("tag", text) == exactly(text)


@cases(st.sampled_from(sorted(TYPES)), jsons)
def test_C06_a_value_arrives_as_declared_or_is_refused_and_depth_changes_nothing(
    name: str, sent: object
) -> None:
    flat, deep = refused(name, sent)
    assert flat == deep
    if not flat:
        kinds = [type(value) for value in taken(name, sent)]
        assert kinds == [TYPES[name]] * 2
        assert all(math.isfinite(v) for v in taken(name, sent) if type(v) is float)


# C07. Right: one message names all that is wrong, and what was sent stays as it was.
@cases(st.dictionaries(st.sampled_from([*TYPES, "inner", "x"]) | texts, jsons))
def test_C07_any_arguments_run_or_are_refused_in_plain_words(
    arguments: dict[str, Any],
) -> None:
    before = copy.deepcopy(arguments)
    try:
        TOOLS.run(ToolCall("take", arguments))
    except ToolArgsError as refusal:
        message = str(refusal)
        assert message.startswith("take: ")
        assert message.endswith("tag (optional), inner (optional).")
        # No word of pydantic's own but where the model sent it.
        assert "pydantic.dev" not in message or "pydantic" in json.dumps(before)
    assert repr(arguments) == repr(before)
