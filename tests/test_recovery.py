import math

import pytest

from mingraph_lite.errors import ModelError
from mingraph_lite.recovery import Retries

NAN, INF = float("nan"), float("inf")


def busy(after: float | None = None) -> ModelError:
    return ModelError("The server is busy.", retryable=True, retry_after=after)


def waits(retries: Retries, tries: int, after: float | None = None) -> list[object]:
    return [retries.wait(busy(after), n) for n in range(1, tries + 1)]


def patient(chance: float = 0.0, **options) -> Retries:
    return Retries(**{"most": 9, **options}, chance=lambda: chance)


# D08. Right: each wait is finite and within the cap; only what may help is tried again.
def test_D08_the_wait_doubles_up_to_the_cap():
    assert waits(patient(), 7) == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_D08_chance_takes_away_up_to_half_of_the_wait():
    assert waits(patient(0.5), 6) == [0.75, 1.5, 3.0, 6.0, 12.0, 22.5]
    assert waits(patient(1.0), 6) == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0]


@pytest.mark.parametrize("chance", [0.0, 1.0])
@pytest.mark.parametrize("base", [0.0, 1.0, 1e-300, 1e300])
def test_D08_every_wait_of_2000_is_finite_and_no_longer_than_the_cap(base, chance):
    retries = patient(chance, most=2000, base=base, cap=30.0)
    assert [
        wait
        for wait in waits(retries, 2000)
        if not (math.isfinite(wait) and 0 <= wait <= 30.0)
    ] == []


@pytest.mark.parametrize(
    ("most", "expected"),
    [(0, [None, None]), (1, [1.0, None]), (3, [1.0, 2.0, 4.0, None])],
)
def test_D08_there_are_as_many_extra_tries_as_said(most, expected):
    assert waits(patient(most=most), len(expected)) == expected


@pytest.mark.parametrize("after", [None, 0.5])
def test_D08_what_cannot_work_later_is_not_tried_again(after):
    error = ModelError("The key is wrong.", retry_after=after)
    assert patient().wait(error, 1) is None


@pytest.mark.parametrize(
    ("after", "wait"),
    [
        (None, 1.0),
        (0.0, 0.0),  # D07: a server that says 0 is asked again at once
        (0.5, 1.0),
        (-7.0, 1.0),
        (12.0, 12.0),
        (30.0, 30.0),
        (30.1, None),
        (86400.0, None),
        (INF, None),
        (NAN, None),
    ],
)
def test_D08_a_server_that_says_when_is_believed_up_to_the_cap(after, wait):
    assert patient().wait(busy(after), 1) == wait


def test_D08_chance_never_shortens_what_the_server_asked_for():
    assert patient(1.0).wait(busy(12.0), 1) == 12.0


@pytest.mark.parametrize(
    "options",
    [
        {"most": -1},
        {"base": -0.5},
        {"cap": -1.0},
        {"base": INF},
        {"cap": INF},
        {"cap": NAN},
        {"most": NAN},
    ],
)
def test_D08_retries_that_cannot_be_kept_are_refused(options):
    with pytest.raises(ValueError, match="cannot be kept") as raised:
        Retries(**options)
    shown = {"most": 2, "base": 1.0, "cap": 30.0} | options
    held = ", ".join(f"{name}={value}" for name, value in shown.items())
    assert str(raised.value) == (
        f"Retries({held}) cannot be kept: each number is 0 or more, and finite. "
        "0 means: not at all."
    )


def test_by_default_a_call_is_tried_three_times_within_seconds():
    retries = Retries()
    first, second, third = waits(retries, 3)
    assert 0.5 <= first <= 1.0 <= second <= 2.0
    assert (third, repr(retries)) == (None, "Retries(most=2, base=1.0, cap=30.0)")
