"""10,000 of them are played by `python -m tests.adapters.mutations 10000`."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.adapters.mutations import GOOD, mutated, outcome

pytestmark = pytest.mark.properties


def test_each_mutated_reply_ends_in_an_answer_or_a_typed_error_and_no_open_slip():
    ended = Counter(outcome(number) for number in range(200))
    # Each way to end was met, or the mutations have lost their bite.
    assert {"answered", "ModelError"} <= set(ended)


def test_a_mutated_reply_is_another_one_and_the_same_each_time():
    for sent in GOOD:
        one, same = (mutated(sent, random.Random(3)) for _ in range(2))
        assert one == same
