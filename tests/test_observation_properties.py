"""The text of a result, for values nobody thought of."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st

from mingraph_lite.observation import plain_text
from tests.properties import cases

pytestmark = pytest.mark.properties

texts = st.text(st.characters(exclude_categories=()))  # lone surrogates too


scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts


@dataclass
class Inner:
    n: int = 0
    flag: bool = False
    ratio: float = 0.0
    tag: str = ""


def well_formed(text: str) -> str:
    """The text with each lone surrogate replaced and each pair made a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


values = st.recursive(
    scalars
    | st.binary()
    | st.decimals()
    | st.dates()
    | st.datetimes()
    | st.timedeltas()
    | st.uuids()
    | st.complex_numbers()
    | st.fractions(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.dates() | texts, inner, max_size=4)
        | st.frozensets(scalars, max_size=4)
        | st.builds(Inner, n=inner, tag=inner)
    ),
    max_leaves=12,
)


def strict(text: str) -> Any:
    """Read JSON as a browser does: NaN and Infinity are errors."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


# B08. Right: each result becomes a text, what is a list or a dict strict JSON.
@cases(values)
def test_B08_every_result_becomes_a_text_that_utf_8_can_carry(value: object) -> None:
    text = plain_text(value)
    assert type(text) is str
    assert text.encode().decode() == text
    assert not text.startswith("Error: ") or isinstance(value, str)
    assert plain_text(value) == text


@cases(values)
def test_B08_a_result_inside_a_list_is_strict_json(value: object) -> None:
    (inside,) = strict(plain_text([value]))
    if isinstance(inside, str):
        assert inside == plain_text(value)
    else:
        assert inside == strict(plain_text(value))


@cases(texts)
def test_B08_a_text_stays_the_text_it_is(text: str) -> None:
    assert plain_text(text) == well_formed(text)


@cases(st.lists(st.integers() | texts))
def test_B08_a_set_reads_the_same_in_whatever_order_it_was_filled(
    items: list[Any],
) -> None:
    backwards = items[::-1]
    assert plain_text(set(items)) == plain_text(set(backwards))
    assert len(strict(plain_text(set(items)))) == len(set(items))
