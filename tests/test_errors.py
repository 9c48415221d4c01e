import pickle
import re
from typing import get_args

import pytest

from mingraph_lite import errors
from mingraph_lite.errors import (
    FinishReason,
    LimitReached,
    MingraphError,
    ModelError,
    ModelMistake,
    StepLimitReached,
    ToolArgsError,
)

ERRORS = [name for name in errors.__all__ if name != "FinishReason"]


def drawn_tree(docstring: str) -> dict[str, str]:
    """Each error of the drawing, and the error it hangs from."""
    above: list[str] = []
    tree = {}
    for line in docstring.splitlines():
        drawn = re.match(r"([│ ├└─]*)([A-Z]\w+)(?:\s{2,}|$)", line)
        if drawn is None:
            continue
        depth, name = len(drawn[1]) // 4, drawn[2]
        above[depth:] = [name]
        tree[name] = above[depth - 1] if depth else "Exception"
    return tree


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes():
    real = {name: getattr(errors, name).__base__.__name__ for name in ERRORS}
    assert drawn_tree(errors.__doc__ or "") == real


def test_all_lists_every_error_of_the_module_in_order():
    defined = [
        name
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and thing.__module__ == errors.__name__
    ]
    assert sorted(defined) == ERRORS


def test_one_except_catches_all_that_is_ours():
    assert all(issubclass(getattr(errors, name), MingraphError) for name in ERRORS)


def test_a_bug_in_a_tool_is_not_ours():
    ordinary = [TypeError, ValueError, KeyError, RuntimeError, OSError]
    assert [issubclass(e, MingraphError) for e in ordinary] == [False] * 5


def test_a_mistake_of_the_model_is_told_from_a_limit():
    assert issubclass(ToolArgsError, ModelMistake)
    assert not issubclass(StepLimitReached, ModelMistake)


def test_a_model_error_says_whether_and_when_to_try_again():
    error = ModelError("The server is busy.", retryable=True, retry_after=2.5)
    assert (str(error), error.retryable, error.retry_after) == (
        "The server is busy.",
        True,
        2.5,
    )


def test_a_model_error_is_final_unless_it_says_otherwise():
    error = ModelError("No such model.")
    assert (error.retryable, error.retry_after, error.tries) == (False, None, 1)


def test_D08_a_model_error_says_how_often_it_was_tried_where_that_is_more_than_once():
    # Right: the last error comes with the number of tries.
    error = ModelError("The server is busy.", retryable=True)
    assert str(error) == "The server is busy."
    error.tries = 3
    assert str(error) == "The server is busy. (Tried 3 times.)"


def test_the_reasons_for_an_end_are_listed_once():
    assert get_args(FinishReason.__value__) == (
        *("answered", "refused"),
        *("step limit", "token limit", "cost limit", "time limit"),
        *("failed", "interrupted", "abandoned", "paused"),
    )


def test_every_limit_has_its_name_in_the_finish_announcement():
    limits = [e for e in vars(errors).values() if isinstance(e, type)]
    assert {e.__name__: e.reason for e in limits if issubclass(e, LimitReached)} == {
        "LimitReached": "failed",
        "StepLimitReached": "step limit",
        "TokenLimitReached": "token limit",
        "CostLimitReached": "cost limit",
        "TimeLimitReached": "time limit",
    }


def test_a_limit_survives_being_stored():
    error = StepLimitReached("No answer.", because="the limit is reached")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.because) == (
        StepLimitReached,
        "No answer.",
        "the limit is reached",
    )


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_can_be_made_from_its_sentence_alone(name):
    assert str(getattr(errors, name)("What happened.")) == "What happened."


def test_a_model_error_survives_being_stored():
    error = ModelError("The server is busy.", retryable=True, retry_after=2.5)
    error.tries = 2
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.retryable, again.retry_after, again.tries) == (
        "The server is busy. (Tried 2 times.)",
        True,
        2.5,
        2,
    )
