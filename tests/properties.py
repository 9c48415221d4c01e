"""Hypothesis for this project: the same cases in every run, and no hurry."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st


def cases(
    *of: st.SearchStrategy,
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """The same cases in every run of the tests, however slow the machine."""
    unhurried = settings(deadline=None, derandomize=True)
    return lambda test: unhurried(given(*of)(test))
